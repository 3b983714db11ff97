# SPDX-License-Identifier: MIT
"""Run a system over a corpus: from what it takes to annotations, and to files."""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from kammerton.errors import (
    DataError,
    Diagnostic,
    KammertonError,
    OptionError,
    outcome_text,
    plural,
    quote,
    some,
)
from kammerton.formats.collecting import collect
from kammerton.formats.folders import find_files, normal_form
from kammerton.formats.lists import read_splits, split_name
from kammerton.formats.objects import adopt
from kammerton.formats.reading import options_of, signed_choices, signed_file, without_sides
from kammerton.model.annotations import portable
from kammerton.model.corpus import listed_as
from kammerton.model.registry import TaskName, find_task
from kammerton.model.task import Options, Task
from kammerton.results.signature import data_hash
from kammerton.results.tables import plain
from kammerton.scoring.keeping import keeping
from kammerton.scoring.loading import load_references
from kammerton.scoring.running import Execution, Watch
from kammerton.systems.audio import require_soundfile
from kammerton.systems.midi_notes import notes_task
from kammerton.systems.models import Model, items_learned, model_of
from kammerton.systems.openmic import is_features, read_clips
from kammerton.systems.provenance import (
    Content,
    Written,
    annotation_files,
    check_folder,
    check_name,
    form_of,
)
from kammerton.systems.registry import find_system, is_built_in, package_of_system
from kammerton.systems.sources import StrPath, paths_of
from kammerton.systems.system import SUFFIXES, Input, System, check_settings
from kammerton.systems.working import Outcome, work_through
from kammerton.version import __version__


class Annotations(Mapping[str, Any], Written):
    """Annotations by item, as a system made them.

    Attributes
    ----------
    task, system : str
        Names of both.
    made : str
        How they were made: the system, its settings, and a digest of what it was given.
    failed : mapping of str to str
        Items without an annotation, and why.
    learned : tuple of str
        Items that its model was trained on.
    diagnostics : tuple of Diagnostic
        What was noticed about the inputs and the annotations, and while ``annotate`` wrote them.
    """

    def __init__(
        self,
        task: Task,
        content: Content,
        record: Mapping[str, Any],
        inputs: Sequence[StrPath],
        diagnostics: Sequence[Diagnostic],
    ) -> None:
        self._task, self._content, self._made, self._inputs = task, content, record, inputs
        self.task: str = task.name
        self.system: str = record["system"]
        self.made: str = record["made"]
        self.failed: Mapping[str, str] = record["failed"]
        self.learned: tuple[str, ...] = tuple(record["learned"])
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)

    def __repr__(self) -> str:
        """Return the system, how many items it annotated, and the problems."""
        counts = f"{plural(len(self), 'item')} annotated, {len(self.failed):,} failed"
        return outcome_text(f"{self.task} by {self.system}: {counts}", self.diagnostics)

    def __getitem__(self, item: str) -> Any:
        """Return the annotation of an item."""
        return self._content.annotations[item]

    def __iter__(self) -> Iterator[str]:
        """Give the items in their order."""
        return iter(self._content.annotations)

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self._content.annotations)

    def _kind(self) -> Task:
        return self._task

    def _places(self) -> Sequence[StrPath]:
        return self._inputs

    def _files(self, form: str, noticed: list[Diagnostic]) -> Iterator[tuple[str, str]]:
        return annotation_files(self._task, self._content, form, noticed)

    def _record(self) -> Mapping[str, Any]:
        return self._made


def annotate(  # noqa: PLR0913 - one per choice
    task: TaskName | Task,
    inputs: Any,
    system: str | System,
    *,
    model: object | None = None,
    settings: Mapping[str, Any] | object | None = None,
    split: str | None = None,
    splits: Mapping[str, str] | StrPath | None = None,
    options: Options | None = None,
    out: StrPath | None = None,
    to: str | None = None,
    force: bool = False,
    jobs: int = 1,
    progress: Watch | None = None,
) -> Annotations:
    """Run a system over a corpus.

    Parameters
    ----------
    task : str or Task
        ``"chords"``, ``"fingering"``, ``"instruments"``, or a third party's task.
    inputs : path, list of paths, or mapping of str to path or annotation
        What the system takes of each item: a folder or file, or several; or by item, what the system takes of
        it. Of systems that take annotations, several folders are several annotators.
    system : str or System
        Name of the system, as ``kammerton systems`` lists it, such as ``"baseline:all-N"``.
    model : object, optional
        Model of the system, mostly the path of a file. Or a :class:`kammerton.systems.Model`.
    settings : mapping of str to object, or dataclass, optional
        Settings of the system that are not its defaults.
    split : str, optional
        Annotate the items of this split alone, which needs ``splits``.
    splits : path or mapping, optional
        File that names the split of each item, a table or JSON. Or a mapping.
    options : object, optional
        How files are read: a :class:`kammerton.chords.ChordOptions`,
        :class:`kammerton.fingering.FingeringOptions` or :class:`kammerton.instruments.InstrumentOptions`.
    out : path, optional
        Folder to write to; see :meth:`Annotations.write`. Until it is written, what is finished is kept
        beside it: if the call is stopped, the same call resumes.
    to : str, optional
        Format to write (by default ``lab`` of chords, ``pig`` of fingering, ``jams`` of instruments).
    force : bool
        Replace a folder that was written so before.
    jobs : int
        Number of processes that annotate in parallel; the result does not depend on it.
    progress : callable, optional
        Called with a :class:`kammerton.scoring.running.Progress` after each item.

    Returns
    -------
    Annotations
        A mapping of items, which every verb takes.

    Raises
    ------
    OptionError
        If a name or setting is not possible.
    DataError
        If nothing can be annotated.
    OutputError
        If the folder cannot be written.

    Examples
    --------
    >>> songs = {"song": ([(0, 3), (3, 4)], ["D:7", "G"])}
    >>> annotate("chords", songs, system="baseline:commonest-triad")["song"].labels
    ('D:maj',)
    """
    kind = find_task(task)
    reading = without_sides(options_of(kind, options))
    chosen = find_system(kind, system)
    own = settings_of(chosen, settings)
    if chosen.extra == "audio":
        require_soundfile()
    if model is not None and chosen.train is None and is_built_in(chosen):
        raise OptionError(f"{quote(chosen.name)} takes no model", "leave out --model")
    model = model_of(chosen, model)
    _check_jobs(chosen, Execution(jobs=jobs).jobs)
    if out is not None:
        form_of(kind, to)
        check_name(out, kind)
        check_folder(out, paths_of(inputs), force=force)
    # who has looked at the whole corpus already has little left to do, and much to send
    jobs = jobs if chosen.prepare is None else 1
    with keeping(out if chosen.prepare is None else None, "part") as store:
        work = partial(work_through, store=store, jobs=jobs, watch=progress)
        read = read_inputs(kind, chosen, inputs, reading)
        if split is not None or splits is not None:
            read = _of_split(read, split, splits)
        result = _run(kind, chosen, read, model, own, reading, paths_of(inputs), work)
        if out is not None:
            result.diagnostics += result.write(out, to=to, force=force)
    return result


def _run(
    task: Task,
    system: System,
    read: _Inputs,
    model: object,
    settings: Any,
    reading: Any,
    places: Sequence[StrPath],
    work_through: Callable[..., Iterator[tuple[str, Outcome]]],
) -> Annotations:
    """Annotate what was read from some places."""
    sources, failed, problems, digests = read
    problems += items_learned(model, list(sources))
    if getattr(settings, "keep", False):
        problems += _annotators_left_out(sources)
    signed = _signed(system, settings, model, reading)
    state = _prepared(system, sources, model, settings)
    work = partial(_annotated, task, system, state, settings, reading)
    outcomes = dict(work_through(work, sources, _keys(task, signed, sources, digests)))
    for item, outcome in outcomes.items():
        problems += outcome.diagnostics
        if outcome.annotation is None:
            errors = (problem.message for problem in outcome.diagnostics if problem.severity == "error")
            failed[item] = next(errors, "nothing was made")
    trained = f"|trained:{model.header['data']}" if isinstance(model, Model) else ""
    content = Content(
        annotations={item: outcome.annotation for item, outcome in outcomes.items() if item not in failed},
        made=f"{signed}|data:{data_hash(digests)}{trained}",
        confidences={item: outcome.confidence for item, outcome in outcomes.items()},
        sources={item: source.files["score"] for item, source in sources.items() if "score" in source.files},
        reading=reading,
    )
    if not content.annotations:
        raise DataError(problems or [_error("there is no item to annotate")])
    record = {
        "task": task.name,
        "system": system.name,
        "made": content.made,
        "options": {"settings": plain(asdict(settings)), "reading": signed_choices(reading)},
        "from": [portable(os.fsdecode(path)) for path in places],
        "trained_on": model.trained_on if isinstance(model, Model) else system.card.trained_on,
        "failed": failed,
        "learned": list(model.header["items"]) if isinstance(model, Model) else [],
    }
    return Annotations(task, content, record, places, problems)


def _keys(
    task: Task, signed: str, sources: Mapping[str, Input], digests: Mapping[tuple[str, str], bytes]
) -> dict[str, str]:
    """Return a digest of everything that the annotation of each item depends on."""
    wholes = {}
    for item in sources:
        text = "|".join((__version__, task.name, signed, item))
        wholes[item] = hashlib.sha256(text.encode("utf-8", "surrogatepass"))
    for (who, item), digest in sorted(digests.items()):
        if item in wholes:
            wholes[item].update(who.encode("utf-8", "surrogatepass") + digest)
    return {item: whole.hexdigest() for item, whole in wholes.items()}


def settings_of(system: System, settings: Mapping[str, Any] | object | None) -> Any:
    """Return the settings of a system, with its defaults."""
    if is_dataclass(settings) and isinstance(settings, system.options):
        return settings
    if not isinstance(settings, Mapping | None):
        raise OptionError.of_type("settings", settings, f"a mapping or {system.options.__name__}")
    check_settings(system.options, settings or {}, quote(system.name))
    return system.options(**(settings or {}))


def _check_jobs(system: System, jobs: int) -> None:
    """Refuse to send a system to other processes that cannot be sent there."""
    if jobs == 1:
        return
    try:
        pickle.dumps(system)
    except Exception as error:
        message = f"the system {quote(system.name)} cannot run in other processes: {_reason(error)}"
        raise OptionError(message, "leave out --jobs") from error


def _signed(system: System, settings: Any, model: object, reading: Any) -> str:
    """Return the system, and everything else but the data that can change what it makes."""
    parts = signed_choices(settings)
    if package := package_of_system(system):
        parts["package"] = package
    if isinstance(model, str | os.PathLike):
        parts["model"] = signed_file(os.fspath(model))
    if isinstance(model, Model):
        parts["model"] = model.digest
    parts |= signed_choices(reading)
    return "|".join((system.name, *(f"{name}:{value}" for name, value in parts.items())))


_Inputs = tuple[dict[str, Input], dict[str, str], list[Diagnostic], dict[tuple[str, str], bytes]]
"""Inputs by item, items that failed, what was noticed, and digests of all that was read."""


def read_inputs(task: Task, system: System, inputs: Any, reading: object) -> _Inputs:
    """Read what a system takes of each item."""
    kinds = [kind for kind in SUFFIXES if kind in system.takes]
    if kinds:
        return _files(system, kinds, inputs)
    if "notes" in system.takes:
        task = notes_task(task)
    listed = inputs if isinstance(inputs, list | tuple) else [inputs]
    collections = [
        collect(source, name=None, default_name="inputs", task=task, options=reading) for source in listed
    ]
    references = load_references(task, collections, reading)
    items: dict[str, dict[str, Any]] = {}
    digests = {}
    for annotator, own in references.annotations.items():
        for item, annotation in own.items():
            items.setdefault(item, {})[annotator] = annotation
            digests[annotator, item] = hashlib.sha256(task.content(annotation)).digest()
    scores = {
        item: {"score": place}
        for collection in collections
        for item, ((_, place), *_) in collection.sources.items()
        if isinstance(place, Path) and place.suffix.lower() in SUFFIXES["score"]
    }
    sources = {
        item: Input(item=item, annotations=items[item], files=scores.get(item, {})) for item in sorted(items)
    }
    return sources, references.failed_everywhere(), list(references.diagnostics), digests


def splits_of(
    items: Iterable[str], splits: Mapping[str, str] | StrPath | None, wanted: str | None
) -> dict[str, str]:
    """Return the split of each item, nothing where it is in none; the one that is wanted must be known."""
    if splits is None:
        raise OptionError("which items are in a split?", "name the table of splits: --splits FILE")
    table = splits if isinstance(splits, Mapping) else read_splits(splits)
    table = {normal_form(str(item)): split_name(name) for item, name in table.items()}
    names = sorted(set(table.values()))
    if wanted is None:
        raise OptionError("which split?", f"known: {', '.join(names)}")
    if split_name(wanted) not in names:
        raise OptionError.unknown("split", wanted, names)
    return {item: table.get(listed_as(item, table) or "", "") for item in items}


def _of_split(read: _Inputs, split: str | None, splits: Mapping[str, str] | StrPath | None) -> _Inputs:
    """Return what was read of the items of one split."""
    sources, failed, problems, digests = read
    names = splits_of((*sources, *failed), splits, split)
    chosen = {item for item, name in names.items() if name == split_name(split or "")}
    return (
        {item: source for item, source in sources.items() if item in chosen},
        {item: why for item, why in failed.items() if item in chosen},
        [problem for problem in problems if problem.item is None or problem.item in chosen],
        {key: digest for key, digest in digests.items() if key[1] in chosen},
    )


def _annotators_left_out(sources: Mapping[str, Input]) -> Iterator[Diagnostic]:
    """Report annotators whose labels are not kept: a system that keeps labels has those of the first one."""
    for item, source in sources.items():
        first, *others = source.annotations
        if others:
            taken = f"of {quote(item)} the labels of annotator {quote(first)} are kept"
            message = f"{taken}, those of {some(others)} are not taken"
            yield Diagnostic(code="KT811", severity="note", message=message, item=item)


def _files_by_item(kinds: list[str], inputs: Any) -> tuple[dict[str, dict[str, Path]], list[Diagnostic]]:
    """Find the files of each item by kind."""
    files: dict[str, dict[str, Path]] = {}
    problems: list[Diagnostic] = []
    if isinstance(inputs, Mapping):
        places = [(str(item), place) for item, place in inputs.items()]
    else:
        places = [("", place) for place in paths_of(inputs)]
    for (name, place), kind in product(places, kinds):
        if kind == "audio" and is_features(place):
            files |= {item: {kind: Path(place)} for item in read_clips(place).features}
            continue
        items = find_files(place, suffixes=SUFFIXES[kind])
        problems += (problem for problem in items.diagnostics if problem.code != "KT205")
        for item, (path, *_) in items.files.items():
            if len(kinds) > 1 and path.suffix.lower() not in SUFFIXES[kind]:
                continue  # a file that was named, of another kind
            if files.setdefault(name or item, {}).setdefault(kind, path) is not path:
                message = f"two inputs have the item {quote(name or item)}"
                raise OptionError(message, "annotate one after the other")
    return files, problems


def _files(system: System, kinds: list[str], inputs: Any) -> _Inputs:
    """Return files of each kind as inputs; an item needs one of each."""
    files, problems = _files_by_item(kinds, inputs)
    failed, sources = {}, {}
    digests: dict[tuple[str, str], bytes] = {}
    digest_of = cache(_digest)  # a file may have many items
    for item in sorted(files):
        lacking = [kind for kind in kinds if kind not in files[item]]
        if lacking:
            failed[item] = f"there is no file of the kind {lacking[0]}"
            problems.append(_error(f"{quote(item)} cannot be annotated: {failed[item]}", item))
            continue
        sources[item] = Input(item=item, files=files[item])
        digests |= {(kind, item): digest_of(path) for kind, path in files[item].items()}
    if not files:
        suffixes = ", ".join(suffix for kind in kinds for suffix in SUFFIXES[kind])
        raise OptionError(f"{quote(system.name)} finds no input", f"suffixes read: {suffixes}")
    return sources, failed, problems, digests


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _prepared(system: System, sources: Mapping[str, Input], model: object, settings: Any) -> Any:
    """Return what a system is given as its model."""
    if system.prepare is None or not sources:
        return model
    try:
        return system.prepare(sources, model, settings)
    except KammertonError:
        raise
    except Exception as error:  # as below
        raise DataError([_error(f"{quote(system.name)} failed: {_reason(error)}")]) from error


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _annotated(task: Task, system: System, state: Any, settings: Any, reading: Any, source: Input) -> Outcome:
    """Annotate one item; whatever the system raises or returns is a diagnostic at most."""
    try:
        value = system.annotate(source, state, settings)
    except DataError as error:
        return Outcome(None, None, tuple(problem.at(item=source.item) for problem in error.diagnostics))
    except Exception as error:  # of a third party's system, which may raise anything
        message = f"{quote(system.name)} failed on {quote(source.item)}: {_reason(error)}"
        return Outcome(None, None, (_error(message, source.item),))
    adopted = adopt(task, value, source.item, reading)
    problems = (*getattr(value, "diagnostics", ()), *adopted.diagnostics)
    noticed = tuple(problem.at(item=source.item, system=system.name) for problem in problems)
    if not adopted.annotations:
        return Outcome(None, None, noticed)
    annotation = adopted.annotations[0][1]
    confidence = getattr(value, "confidence", getattr(value, "support", None))
    is_of_rows = confidence is not None and np.shape(confidence) == (len(annotation),)
    return Outcome(annotation, np.asarray(confidence, dtype=np.float64) if is_of_rows else None, noticed)


def _error(message: str, item: str | None = None) -> Diagnostic:
    return Diagnostic(code="KT807", severity="error", message=message, item=item)
