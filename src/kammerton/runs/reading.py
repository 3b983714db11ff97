# SPDX-License-Identifier: MIT
"""Read runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from kammerton.errors import DataError, Diagnostic, OptionError, quote
from kammerton.formats.reading import Limits
from kammerton.formats.source import read_bytes
from kammerton.model.measure import Measure
from kammerton.model.registry import find_task, known_tasks
from kammerton.model.task import Task
from kammerton.results.scores import Scores
from kammerton.results.signature import Grouping, Origin
from kammerton.runs import layout
from kammerton.runs.layout import (
    context_evidence_of,
    corpus_in,
    digest_of,
    evidence_of,
    from_parquet,
    options_of,
    parse_record,
    texts_of,
)
from kammerton.statistics.resampling import BootstrapSettings

T = TypeVar("T")

Run = Scores | str | os.PathLike[str]
"""Scores, or the folder that they were written to."""

_HELD = {layout.SCORES: "scores", layout.AGREEMENT: "an agreement of annotators"}

_LIMITS = Limits(bytes=16 * 2**30)


def is_run(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a folder with the record of a run, torn or not."""
    try:
        data = (Path(path) / layout.RECORD).read_bytes()
    except (OSError, ValueError):
        return False
    return layout.KIND.encode("ascii") in data


def task_of_run(folder: str | os.PathLike[str]) -> str:
    """Return the name of the task that a run is of."""
    return str(_record(Path(folder), os.fsdecode(folder))["task"])


def read_run(folder: str | os.PathLike[str]) -> Scores:
    """Read a run.

    Parameters
    ----------
    folder : path
        What :func:`kammerton.write_run` wrote.

    Returns
    -------
    Scores
        The same as those that were written, to the last bit.

    Raises
    ------
    DataError
        KT700 if it is no run; KT701 to KT703 if it is torn or was changed; KT704 if a later version wrote it;
        KT705, KT706 if a protocol has another revision now, or is not known; KT711 if it holds no scores.
    """
    return open_run(folder, layout.SCORES, _scores)


def holds_scores(folder: str | os.PathLike[str]) -> bool:
    """Return whether a run is of scores, and not of an agreement."""
    return bool(_record(Path(folder), os.fsdecode(folder)).get("holds", layout.SCORES) == layout.SCORES)


def scores_of(run: Run) -> Scores:
    """Return scores, or read those that were written to a folder."""
    return run if isinstance(run, Scores) else read_run(run)


@dataclass(frozen=True, slots=True)
class Opened:
    """A run whose files are whole, and of this version's measures."""

    place: Path
    task: Task
    measures: tuple[Measure, ...]
    record: Mapping[str, Any]
    files: Mapping[str, bytes]


def open_run(folder: str | os.PathLike[str], holds: str, made: Callable[[Opened], T]) -> T:
    """Return what is made of a run."""
    if not isinstance(folder, str | os.PathLike):
        raise OptionError.of_type("a run", folder, "a path")
    place, name = Path(folder), os.fsdecode(folder)
    record = _record(place, name)
    held = record.get("holds", layout.SCORES)
    if held != holds:
        is_agreement = held == layout.AGREEMENT
        reader = "`kammerton agree`, or `kammerton.agree`" if is_agreement else "another version"
        hint = f"what reads it is {reader}"
        raise DataError.of(
            "KT711", f"run of {_HELD.get(held, 'something else')}, not of {_HELD[holds]}", name, hint
        )
    try:
        files = {file: _checked(place, file, digest, name) for file, digest in record["files"].items()}
        task = _task(record, name)
        return made(Opened(place, task, _measures(task, record, name), record, files))
    except DataError as error:
        if any(problem.code.startswith("KT7") for problem in error.diagnostics):
            raise
        raise DataError.of("KT703", f"run does not hold together: {error}", name) from error
    except Exception as error:  # whoever signs a record of his own making may write anything there
        message = f"run does not hold together: {type(error).__name__} {error}".partition("\n")[0]
        raise DataError.of("KT703", message, name, "score again") from error


def _record(place: Path, name: str) -> dict[str, Any]:
    path = place / layout.RECORD
    shown = os.path.join(name, layout.RECORD)  # noqa: PTH118 - as the caller wrote it
    try:
        data = read_bytes(path, name=shown, limits=_LIMITS)
    except DataError as error:
        why = error.diagnostics[0].message
        hint = "a run is a folder that `kammerton score --out` wrote"
        raise DataError.of("KT700", f"not a run: {layout.RECORD} {why}", name, hint) from error
    return parse_record(data, shown)


def _checked(place: Path, file: str, digest: str, name: str) -> bytes:
    shown = os.path.join(name, file)  # noqa: PTH118
    if Path(file).name != file:
        raise DataError.of("KT703", f"a run has no file {quote(file)}", name)
    try:
        data = read_bytes(place / file, name=shown, limits=_LIMITS)
    except DataError as error:
        raise DataError.of(
            "KT702", f"run is torn: {error.diagnostics[0].message}", shown, "score again"
        ) from error
    if digest_of(data) != digest:
        message = "run is torn: a file ends too early, or was changed"
        raise DataError.of("KT702", message, shown, "score again")
    return data


def _task(record: Mapping[str, Any], name: str) -> Task:
    if record["task"] not in known_tasks():
        message = f"run of a task that this version does not know: {quote(str(record['task']))}"
        raise DataError.of("KT706", message, name)
    return find_task(record["task"])


def _measures(task: Task, record: Mapping[str, Any], name: str) -> tuple[Measure, ...]:
    revisions = {protocol.name: protocol.revision for protocol in task.protocols}
    for protocol, revision in record["protocols"].items():
        now = revisions.get(protocol)
        if now is not None and now != revision:
            message = f"run of {protocol} of revision {revision}; the protocol has revision {now} now"
            hint = "scores of two revisions are not comparable: score again; the changelog has what changed"
            raise DataError.of("KT705", message, name, hint)
    known = {str(measure): measure for measure in task.measures}
    unknown = [address for address in record["measures"] if address not in known]
    if unknown:
        message = f"run of a measure that this version does not know: {quote(unknown[0])}"
        raise DataError.of("KT706", message, name)
    return tuple(known[address] for address in record["measures"])


def _scores(opened: Opened) -> Scores:
    record, task = opened.record, opened.task
    diagnostics = [Diagnostic(**values) for values in record["diagnostics"]]
    options = (
        task.options() if record["options"] is None else options_of(task, record["options"], opened.place)
    )
    origin = Origin(
        task=task,
        evidence=evidence_of(opened.files, opened.measures, record["needs"], record["tables"], diagnostics),
        missing=record["missing"],
        options=options,
        choices=record["choices"],
        bootstrap=_bootstrap(record["intervals"], opened.files),
    )
    # earlier versions had none of these
    if record.get("made"):
        origin = replace(origin, made=record["made"])
    if record.get("annotations") is not None:
        origin = replace(origin, corpus=corpus_in(opened.place, record["annotations"], task))
    if record.get("context") is not None:
        measures = {str(measure): measure for measure in opened.measures}
        evidence = context_evidence_of(record["context"], opened.files, measures)
        origin = replace(origin, context_evidence=evidence)
    if record.get("grouped") is not None:
        groups = _by_item(opened.files[layout.GROUPS], "group")
        origin = replace(origin, grouping=Grouping(record["grouped"], groups))
    return Scores(origin)


def _by_item(data: bytes, column: str) -> dict[str, str]:
    frame = from_parquet(data)
    return dict(zip(texts_of(frame, "item"), texts_of(frame, column), strict=True))


def _bootstrap(intervals: Mapping[str, Any] | None, files: Mapping[str, bytes]) -> BootstrapSettings | None:
    if intervals is None:
        return None
    clusters = _by_item(files[layout.CLUSTERS], "cluster") if layout.CLUSTERS in files else None
    settings = {name: intervals[name] for name in ("level", "resamples", "seed", "method", "signed")}
    return BootstrapSettings(**settings, clusters=clusters)
