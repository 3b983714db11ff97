# SPDX-License-Identifier: MIT
"""From a corpus to evidence: read, pair, run the kernels of the task. No file format, no music here."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import DataError, Diagnostic, OptionError, quote
from kammerton.model.corpus import ALL, Corpus, Missing, spelled_apart, unmatched
from kammerton.model.evidence import Evidence, Row, Tally
from kammerton.model.gathering import Gathered, join, name_items
from kammerton.model.loading import (
    Estimates,
    References,
    load_estimates,
    load_references,
    match_estimates,
    match_references,
)
from kammerton.model.measure import Measure, Needs, Statistics
from kammerton.model.task import Case, Classes, ClassTable, Evaluation, Task

__all__ = ["gather_evidence"]

_TOGETHER = 200
"""Cases that go through the kernels at once: enough to fill columns, few enough for the cache."""

_EXTENT_SHARE, _EXTENT_UNITS = 0.1, 2.0
"""Extents that differ by more than either point to different recordings."""


def gather_evidence(
    task: Task,
    corpus: Corpus,
    measures: Sequence[Measure],
    *,
    options: object,
    missing: Missing = "worst",
    annotator: str = ALL,
    strict: bool = False,
) -> Evidence:
    """Score every system of a corpus against every annotator.

    Parameters
    ----------
    task : Task
        Reads the sources and runs the kernels.
    corpus : Corpus
        References and systems.
    measures : sequence of Measure
        What to compute.
    options : object
        The task's options.
    missing : {"worst", "skip", "error"}
        What a missing or unusable estimate counts.
    annotator : str
        One annotator's name, or ``"all"``.
    strict : bool
        Whether an error or a repair keeps anything from being scored.

    Returns
    -------
    Evidence

    Raises
    ------
    DataError
        If nothing can be scored; with ``strict``, if anything was wrong; with ``missing="error"``, if
        an estimate is missing or unusable.
    OptionError
        If there is no such annotator.
    """
    corpus = corpus.paired()
    loaded = _chosen(load_references(task, corpus.references, options), annotator)
    references = match_references(task, loaded, options)
    diagnostics = list(references.diagnostics)
    systems: dict[str, Estimates] = {}
    for system in corpus.systems:
        expected = references.every_item()
        diagnostics += unmatched(expected, system, missing=missing)
        diagnostics += spelled_apart(corpus.references, system)
        estimates = load_estimates(task, system, expected, options)
        systems[system.name] = match_estimates(task, estimates, references, options)
        diagnostics += systems[system.name].diagnostics
    contents = {name: _contents(task, items) for name, items in references.annotations.items()}
    diagnostics += _suspicions(task, references, systems, contents)
    _stop_early(diagnostics, systems, strict=strict, missing=missing)
    plan = _Plan(task, references, systems, missing)
    if not any(row.status == "ok" for row in plan.rows("references+estimate")):
        raise DataError([*diagnostics, _nothing(corpus)])
    measures, notes = _applicable(task, references, systems, measures, options)
    diagnostics += notes
    if not measures:
        raise DataError(diagnostics)
    found = _evaluated(task, plan, measures, options)
    fingerprints = {
        (annotator, item): hashlib.sha256(content).digest()
        for annotator, items in contents.items()
        for item, content in items.items()
    }
    said = (*diagnostics, *_remarks(task, found.tallies))
    return replace(found, fingerprints=fingerprints, diagnostics=said)


def _applicable(
    task: Task,
    references: References,
    systems: Mapping[str, Estimates],
    measures: Sequence[Measure],
    options: object,
) -> tuple[tuple[Measure, ...], tuple[Diagnostic, ...]]:
    if task.applicable is None:
        return tuple(measures), ()
    annotations = [each for items in references.annotations.values() for each in items.values()]
    estimates = [
        each for system in systems.values() for each in system.annotations.values() if each is not None
    ]
    return task.applicable(annotations, estimates, measures, options)


def _chosen(references: References, annotator: str) -> References:
    if annotator == ALL:
        return references
    if annotator not in references.annotations:
        unknown = OptionError.unknown("annotator", annotator, [ALL, *references.annotations])
        raise OptionError(unknown.message, f"{unknown.hint}; NAME=PATH adds a further one")
    return References(
        {annotator: references.annotations[annotator]},
        {annotator: references.failed[annotator]},
        references.diagnostics,
    )


def _stop_early(
    diagnostics: Sequence[Diagnostic],
    systems: Mapping[str, Estimates],
    *,
    strict: bool,
    missing: Missing,
) -> None:
    lacking = any(d.code == "KT203" for d in diagnostics) or any(e.failed for e in systems.values())
    wrong = any(d.severity != "note" for d in diagnostics)
    if (strict and wrong) or (missing == "error" and lacking):
        raise DataError(diagnostics)


def _nothing(corpus: Corpus) -> Diagnostic:
    return Diagnostic(
        code="KT200",
        severity="error",
        message="nothing could be scored: no reference and estimate that can be read form a pair",
        hint="items are paired by path below the folder, without suffix",
        file=corpus.references[0].origin or None,
    )


class _Plan:
    """The rows of a run, and the case that each is computed from."""

    def __init__(
        self, task: Task, references: References, systems: Mapping[str, Estimates], missing: Missing
    ) -> None:
        self._task = task
        self._references = references
        self._systems = systems
        self._missing = missing

    def rows(self, needs: Needs) -> Iterator[Row]:
        """Give the rows for measures that need the same."""
        for system in self._systems:
            if needs == "pair":
                for annotator in self._references.annotations:
                    for item in self._references.items(annotator):
                        yield self._row(system, item, annotator, self._references.failed[annotator], needs)
            else:
                failed = self._references.failed_everywhere()
                for item in sorted(self._references.every_item()):
                    yield self._row(system, item, ALL, failed, needs)

    def _row(self, system: str, item: str, annotator: str, failed: Mapping[str, str], needs: Needs) -> Row:
        estimates, counts = self._systems[system], self._missing == "worst"
        if item in failed:
            return Row(system, item, annotator, "failed", counts=False, reason=f"reference: {failed[item]}")
        if item in estimates.annotations or needs == "annotators":
            return Row(system, item, annotator)
        if item in estimates.failed:
            return Row(system, item, annotator, "failed", counts, f"estimate: {estimates.failed[item]}")
        return Row(system, item, annotator, "missing", counts, "no estimate")

    def case(self, row: Row, needs: Needs, group: int) -> Case[Any]:
        """Return what the statistics of a row that counts are computed from."""
        annotations = self._references.annotations
        whose = annotations if row.annotator == ALL else (row.annotator,)
        of_item = [annotations[name][row.item] for name in whose if row.item in annotations[name]]
        if needs == "annotators":
            return Case(tuple(of_item), None, group)
        estimate = self._systems[row.system].annotations.get(row.item)
        if estimate is None:
            # What is judged of an estimate alone, the reference stands in for: all of it is then wrong.
            alone = needs == "estimate" and row.status != "ok"
            estimate = of_item[0] if alone else self._task.blank(of_item[0])
        return Case(() if needs == "estimate" else tuple(of_item), estimate, group)


def _evaluated(task: Task, plan: _Plan, measures: Sequence[Measure], options: object) -> Evidence:
    rows: dict[Needs, tuple[Row, ...]] = {}
    statistics: dict[Measure, Statistics] = {}
    tallies: dict[str, Tally] = {}
    gathered: Gathered | None = None
    for needs in dict.fromkeys(measure.needs for measure in measures):
        rows[needs] = tuple(plan.rows(needs))
        groups = list(dict.fromkeys((row.system, row.annotator) for row in rows[needs]))
        number = {group: index for index, group in enumerate(groups)}
        counting = np.array([at for at, row in enumerate(rows[needs]) if row.counts], dtype=np.int64)
        counted = [rows[needs][index] for index in counting]
        cases = [plan.case(row, needs, number[row.system, row.annotator]) for row in counted]
        own = [measure for measure in measures if measure.needs == needs]
        unusable = np.array([row.status != "ok" for row in counted], dtype=bool)
        parts = [task.evaluate(cases[at : at + _TOGETHER], own, options) for at in _steps(len(cases))]
        for measure in (each for each in own if each.aggregate != "gathered"):
            found = np.concatenate([part.statistics[measure] for part in parts])
            found[unusable] = measure.formula.worst(found[unusable])
            statistics[measure] = np.zeros((len(rows[needs]), found.shape[1]))
            statistics[measure][counting] = found
        _count(tallies, (table for part in parts for table in part.tables), groups)
        gathered = gathered or _gathered(parts, counting, [row.item for row in rows[needs]])
    return Evidence(
        measures=tuple(measures),
        rows=rows,
        statistics={measure: statistics[measure] for measure in measures if measure in statistics},
        tallies=tallies,
        fingerprints={},
        gathered=gathered,
    )


def _gathered(
    parts: Sequence[Evaluation], counting: NDArray[np.int64], items: Sequence[str]
) -> Gathered | None:
    """Join what the parts say of classes; cases become the numbers of their rows."""
    named = [
        name_items(part.gathered, counting[at : at + _TOGETHER], items)
        for part, at in zip(parts, _steps(len(counting)), strict=True)
        if part.gathered is not None
    ]
    return join(named) if named else None


def _steps(cases: int) -> range:
    return range(0, max(cases, 1), _TOGETHER)


def _count(
    tallies: dict[str, Tally], tables: Iterable[ClassTable], groups: Sequence[tuple[str, str]]
) -> None:
    """Add class tables up, in the order of the cases they were made from."""
    for table in tables:
        new: dict[tuple[str, str], dict[Classes, float]] = {group: {} for group in groups}
        tally = tallies.setdefault(table.name, Tally(table.columns, table.unit, new))
        for group, classes, weight in zip(table.groups, table.classes, table.weights.tolist(), strict=True):
            cells = tally.cells[groups[group]]
            cells[classes] = cells.get(classes, 0.0) + weight


def _remarks(task: Task, tallies: Mapping[str, Tally]) -> Iterator[Diagnostic]:
    if task.remark is None:
        return
    for system, annotator in dict.fromkeys(key for tally in tallies.values() for key in tally.cells):
        cells = {name: tally.cells.get((system, annotator), {}) for name, tally in tallies.items()}
        yield from (remark.at(system=system) for remark in task.remark(cells))


def _suspicions(
    task: Task,
    references: References,
    systems: Mapping[str, Estimates],
    contents: Mapping[str, Mapping[str, bytes]],
) -> Iterator[Diagnostic]:
    """Say what does not keep anything from being scored, but would shame the one who publishes it."""
    estimated = {name: _contents(task, estimates.annotations) for name, estimates in systems.items()}
    for annotator, reference in contents.items():
        for name, estimates in systems.items():
            yield from _identical(name, estimated[name], reference, all_of_them=task.coincides)
            yield from _different_extents(
                task, name, estimates.annotations, references.annotations[annotator]
            )
    for (other, theirs), (name, own) in combinations(estimated.items(), 2):
        if own and own == theirs:
            message = f"systems {quote(other)} and {quote(name)} gave the same estimates"
            yield Diagnostic(code="KT209", severity="warning", message=message, system=name)


def _contents(task: Task, annotations: Mapping[str, Any]) -> dict[str, bytes]:
    return {item: task.content(found) for item, found in annotations.items() if found is not None}


def _identical(
    system: str, contents: Mapping[str, bytes], reference: Mapping[str, bytes], *, all_of_them: bool
) -> Iterator[Diagnostic]:
    same = [item for item, content in reference.items() if contents.get(item) == content]
    if same and (not all_of_them or len(same) == len(reference) > 1):
        message = f"estimate is identical to the reference for {_items(len(same))}, e.g. {quote(same[0])}"
        yield Diagnostic(code="KT208", severity="warning", message=message, system=system, count=len(same))


def _different_extents(
    task: Task, system: str, estimates: Mapping[str, Any], references: Mapping[str, Any]
) -> Iterator[Diagnostic]:
    apart = []
    for item, annotation in references.items():
        if estimates.get(item) is not None:
            ref, est = task.extent(annotation), task.extent(estimates[item])
            if abs(ref - est) > min(_EXTENT_UNITS, _EXTENT_SHARE * ref):
                apart.append((abs(ref - est), item, ref, est))
    if apart:
        _, item, ref, est = max(apart)
        yield Diagnostic(
            code="KT210",
            severity="warning",
            message=(
                f"estimate and reference of {_items(len(apart))} end far apart, most of all {quote(item)}: "
                f"{est:.1f} and {ref:.1f} {task.extent_unit}"
            ),
            system=system,
            hint="another recording, or times in another unit?",
            count=len(apart),
        )


def _items(count: int) -> str:
    return f"{count:,} item" if count == 1 else f"{count:,} items"
