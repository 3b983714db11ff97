# SPDX-License-Identifier: MIT
"""Train a system on annotations."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from kammerton.errors import DataError, Diagnostic, OptionError, out_of, quote, some
from kammerton.formats.lists import split_name
from kammerton.formats.reading import options_of, signed_choices, without_sides
from kammerton.model.annotations import portable
from kammerton.model.corpus import TRAIN, VALIDATION
from kammerton.model.registry import TaskName, find_task
from kammerton.model.task import Options, Task
from kammerton.results.signature import data_hash
from kammerton.results.tables import plain
from kammerton.systems.annotating import read_inputs, settings_of, splits_of
from kammerton.systems.audio import require_soundfile
from kammerton.systems.models import FORMAT, Model, check_model_file
from kammerton.systems.openmic import is_features, read_clips
from kammerton.systems.registry import find_system, known_systems
from kammerton.systems.sources import StrPath, paths_of
from kammerton.systems.system import System, TrainingItems
from kammerton.version import __version__

_ANNOTATIONS = frozenset(("annotations",))


def train(
    task: TaskName | Task,
    references: Any,
    system: str | System,
    *,
    split: str | None = None,
    splits: Mapping[str, str] | StrPath | None = None,
    audio: Any = None,
    settings: Mapping[str, Any] | object | None = None,
    options: Options | None = None,
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
        Annotations to learn from. Each annotator of an item counts. Of instruments also ``openmic-2018.npz``,
        whose features are taken in place of recordings.
    system : str or System
        Name of a system that can be trained, such as ``"hmm2"``.
    split : str, optional
        Train on the items of this split; by default ``train``, where ``splits`` are given. Networks stop by
        those of the split ``validation``.
    splits : path or mapping, optional
        File that names the split of each item, a table or JSON. Or a mapping; without splits all items count.
    audio : path, list of paths, or mapping of str to path, optional
        Recordings of the items, for a system that hears.
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
    references, audio = _of_features(references, audio)
    chosen = find_system(kind, system)
    if chosen.train is None:
        able = [known.name for known, _ in known_systems()[0] if known.task == kind.name and known.train]
        hint = f"these can: {', '.join(able)}" if able else None
        raise OptionError(f"{quote(chosen.name)} cannot be trained", hint)
    own = settings_of(chosen, settings)
    if out is not None:
        places = paths_of(references)
        check_model_file(out, force=force, sources=places, suffixes=kind.suffixes)
    reading = without_sides(options_of(kind, options))
    learner = replace(chosen, takes=_ANNOTATIONS)
    sources, _, problems, digests = read_inputs(kind, learner, references, reading)
    names, held = _items_of_splits(sources, split, splits)
    files = _recordings(kind, chosen, audio, problems, digests)
    if files:
        problems += _unheard([*names, *held], files)
        names, held = ([item for item in listed if item in files] for listed in (names, held))
    if not names:
        message = "there is no item to train on"
        raise DataError(problems or [Diagnostic(code="KT809", severity="error", message=message)])
    known = {item: list(source.annotations.values()) for item, source in sources.items()}
    validation = {item: known[item] for item in held}
    chosen_items = {item: known[item] for item in names}
    items = TrainingItems(chosen_items, validation=validation, report=progress, files=files)
    arrays = chosen.train(items, own)
    problems += items.diagnostics
    learned = sorted({*items, *items.facts.get("validation", ())})
    header = {
        "format": FORMAT,
        "task": kind.name,
        "system": chosen.name,
        "version": chosen.version,
        "settings": plain(asdict(own)),
        "reading": signed_choices(reading),
        "from": [portable(os.fsdecode(path)) for path in [*paths_of(references), *paths_of(audio)]],
        "items": learned,
        "data": data_hash({key: digest for key, digest in digests.items() if key[1] in learned}),
        "kammerton": __version__,
        **({"training": items.facts} if items.facts else {}),
    }
    model = Model(kind.name, chosen.name, arrays, header, tuple(problems))
    if out is not None:
        model.write(out, force=force)
    return model


def _of_features(references: Any, audio: Any) -> tuple[Any, Any]:
    """Return labels and features of a file that has both; else what was handed over."""
    (lone,) = references if isinstance(references, list) and len(references) == 1 else (references,)
    if not is_features(lone):
        return references, audio
    lists = read_clips(lone).lists
    return {item: own for item, own in lists.items() if own.labels or own.absent}, audio or lone


def _recordings(
    task: Task,
    system: System,
    audio: object,
    problems: list[Diagnostic],
    digests: dict[tuple[str, str], bytes],
) -> dict[str, Mapping[str, Path]]:
    """Return the files of each item for a system that takes recordings; digests and problems are added."""
    if "audio" not in system.takes:
        if audio is not None:
            raise OptionError(f"{quote(system.name)} takes no recordings", "leave out --audio")
        return {}
    if audio is None:
        raise OptionError(f"{quote(system.name)} learns from recordings", "--audio DIR, which has them")
    if system.extra == "audio":
        require_soundfile()
    sources, _, own_problems, own_digests = read_inputs(task, system, audio, None)
    problems += own_problems
    digests |= own_digests
    return {item: source.files for item, source in sources.items()}


def _unheard(items: Sequence[str], files: Mapping[str, object]) -> list[Diagnostic]:
    """Report items without a recording."""
    lacking = sorted(item for item in items if item not in files)
    if not lacking:
        return []
    message = f"there is no recording of {out_of(len(lacking), len(items), 'item')} ({some(lacking)})"
    return [Diagnostic(code="KT822", severity="warning", message=message, count=len(lacking))]


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
