# SPDX-License-Identifier: MIT
"""From annotations that were read to evidence: each row is a case, and the task's kernels judge it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic
from kammerton.model.corpus import ALL, Missing
from kammerton.model.evidence import Evidence, Row, Tally
from kammerton.model.gathering import Gathered, join, name_items
from kammerton.model.loading import Estimates, References
from kammerton.model.measure import Measure, Needs, Statistics
from kammerton.model.task import Case, Classes, ClassTable, Evaluation, Task

__all__ = ["contents_of", "evaluate_loaded", "has_pairs"]

_TOGETHER = 150
"""Cases that go through the kernels at once: enough to fill columns, few enough for the cache."""


def evaluate_loaded(
    task: Task,
    references: References,
    systems: Mapping[str, Estimates],
    measures: Sequence[Measure],
    *,
    options: object,
    missing: Missing = "worst",
    contents: Mapping[str, Mapping[str, bytes]] | None = None,
) -> Evidence:
    """Score systems against annotators whose annotations have been read and matched.

    Parameters
    ----------
    task : Task
        Runs the kernels.
    references : References
        By annotator.
    systems : mapping of str to Estimates
        By system.
    measures : sequence of Measure
        What to compute.
    options : object
        The task's options.
    missing : {"worst", "skip", "error"}
        What a missing or unusable estimate counts.
    contents : mapping of str to mapping of str to bytes, optional
        Of the references, by annotator and item, where they are known already.

    Returns
    -------
    Evidence
        Its diagnostics are remarks on the figures alone.
    """
    if contents is None:
        contents = {name: contents_of(task, items) for name, items in references.annotations.items()}
    found = _evaluated(task, _Plan(task, references, systems, missing), measures, options)
    fingerprints = {
        (annotator, item): hashlib.sha256(content).digest()
        for annotator, items in contents.items()
        for item, content in items.items()
    }
    return replace(found, fingerprints=fingerprints, diagnostics=tuple(_remarks(task, found.tallies)))


def has_pairs(references: References, systems: Mapping[str, Estimates]) -> bool:
    """Tell whether any item has a reference and an estimate that can be used."""
    usable = {item for items in references.annotations.values() for item in items}
    return any(item in usable for system in systems.values() for item in system.annotations)


def contents_of(task: Task, annotations: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the content of the annotations that there are, by item."""
    return {item: task.content(found) for item, found in annotations.items() if found is not None}


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
