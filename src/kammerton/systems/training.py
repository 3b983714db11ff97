# SPDX-License-Identifier: MIT
"""Train a system on annotations."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

from kammerton.errors import DataError, Diagnostic, OptionError, quote
from kammerton.formats.lists import split_name
from kammerton.formats.reading import options_of, signed_choices, without_sides
from kammerton.model.annotations import portable
from kammerton.model.corpus import TRAIN, VALIDATION
from kammerton.model.registry import find_task
from kammerton.model.task import Task
from kammerton.results.signature import data_hash
from kammerton.results.tables import plain
from kammerton.systems.annotating import read_inputs, settings_of, splits_of
from kammerton.systems.models import FORMAT, Model, check_model_file
from kammerton.systems.registry import find_system, known_systems
from kammerton.systems.sources import StrPath, paths_of
from kammerton.systems.system import System, TrainingItems
from kammerton.version import __version__

_ANNOTATIONS = frozenset(("annotations",))


def train(
    task: str | Task,
    references: Any,
    system: str | System,
    *,
    split: str | None = None,
    splits: Mapping[str, str] | StrPath | None = None,
    settings: Mapping[str, Any] | object | None = None,
    options: object | None = None,
    out: StrPath | None = None,
    force: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Model:
    """Train a system on reference annotations.

    Parameters
    ----------
    task : str or Task
        ``"chords"``, ``"fingering"``, ``"instruments"``, or a third party's task.
    references : path, list of paths, or mapping of str to annotation
        Annotations to learn from. Each annotator of an item counts.
    system : str or System
        Name of a system that can be trained, such as ``"hmm2"``.
    split : str, optional
        Train on the items of this split; by default ``train``, where ``splits`` are given. Networks stop by
        those of the split ``validation``.
    splits : path or mapping, optional
        File that names the split of each item, a table or JSON. Or a mapping; without splits all items count.
    settings : mapping of str to object, or dataclass, optional
        Settings of the system that are not its defaults.
    options : object, optional
        How files are read, as for :func:`kammerton.annotate`.
    out : path, optional
        File to write the model to; see :meth:`kammerton.systems.Model.write`.
    force : bool
        Replace a model that is there.
    progress : callable, optional
        Called with a line of text when training has come farther.

    Returns
    -------
    Model
        For ``model=`` of :func:`kammerton.annotate`.

    Raises
    ------
    OptionError
        If a name or setting is not possible, or the system cannot be trained.
    DataError
        If there is nothing to learn from.
    OutputError
        If the file cannot be written.

    Examples
    --------
    >>> notes = {"onsets": [0, 1], "offsets": [1, 2], "pitches": ["C4", "D4"], "hands": ["R", "R"]}
    >>> model = train("fingering", {"piece": {**notes, "fingers": [1, 2]}}, "hmm1")
    >>> model.arrays["next"][0].tolist()
    [0.0, 1.0, 0.0, 0.0, 0.0]
    """
    kind = find_task(task)
    chosen = find_system(kind, system)
    if chosen.train is None:
        able = [known.name for known, _ in known_systems()[0] if known.task == kind.name and known.train]
        hint = f"these can: {', '.join(able)}" if able else None
        raise OptionError(f"{quote(chosen.name)} cannot be trained", hint)
    own = settings_of(chosen, settings)
    if out is not None:
        check_model_file(out, force=force)
    reading = without_sides(options_of(kind, options))
    learner = replace(chosen, takes=_ANNOTATIONS)
    sources, _, problems, digests = read_inputs(kind, learner, references, reading)
    names, held = _items_of_splits(sources, split, splits)
    if not names:
        message = "there is no item to train on"
        raise DataError(problems or [Diagnostic(code="KT809", severity="error", message=message)])
    known = {item: list(source.annotations.values()) for item, source in sources.items()}
    validation = {item: known[item] for item in held}
    items = TrainingItems({item: known[item] for item in names}, validation=validation, report=progress)
    arrays = chosen.train(items, own)
    learned = sorted({*names, *items.facts.get("validation", ())})
    header = {
        "format": FORMAT,
        "task": kind.name,
        "system": chosen.name,
        "version": chosen.version,
        "settings": plain(asdict(own)),
        "reading": signed_choices(reading),
        "from": [portable(os.fsdecode(path)) for path in paths_of(references)],
        "items": learned,
        "data": data_hash({key: digest for key, digest in digests.items() if key[1] in learned}),
        "kammerton": __version__,
        **({"training": items.facts} if items.facts else {}),
    }
    model = Model(kind.name, chosen.name, arrays, header, tuple(problems))
    if out is not None:
        model.write(out, force=force)
    return model


def _items_of_splits(
    items: Mapping[str, Any], split: str | None, splits: Mapping[str, str] | StrPath | None
) -> tuple[list[str], list[str]]:
    """Return the items to train on, and those to stop by, sorted."""
    if splits is None and split is None:
        return sorted(items), []
    wanted = split_name(split or TRAIN)
    split_of = splits_of(sorted(items), splits, wanted)
    names, held = ([item for item in split_of if split_of[item] == name] for name in (wanted, VALIDATION))
    return names, held if wanted != VALIDATION else []
