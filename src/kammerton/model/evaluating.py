# SPDX-License-Identifier: MIT
"""From annotations that were read to evidence: each row is a case, and the task's kernels judge it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kammerton.errors import Diagnostic
from kammerton.model.corpus import ALL, Missing
from kammerton.model.evidence import Evidence, Tally
from kammerton.model.exact import ExactTally, add_tables
from kammerton.model.gathering import Gathered, join, name_items
from kammerton.model.loading import Estimates, References
from kammerton.model.measure import REFERENCE, Measure, Needs, Statistics
from kammerton.model.rows import Group, Row, Rows
from kammerton.model.task import Case, Task

__all__ = [
    "BLOCK",
    "Judged",
    "contents_of",
    "evaluate_loaded",
    "fingerprints_of",
    "has_pairs",
    "judge",
    "remarks",
]

BLOCK = 200
"""Items that are judged together wherever they stand: sums over them round the same way in every run."""

_TOGETHER = 400
"""Cases that go through the kernels at once: enough to fill columns, few enough for the cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What the kernels say of some items of a corpus.

    Parameters
    ----------
    rows, statistics, gathered
        As in :class:`.Evidence`.
    tallies : mapping of str to ExactTally
        Class tables by name.
    """

    rows: Mapping[Needs, Rows]
    statistics: Mapping[Measure, Statistics]
    tallies: Mapping[str, ExactTally]
    gathered: Gathered | None


def evaluate_loaded(
    task: Task,
    references: References,
    systems: Mapping[str, Estimates],
    measures: Sequence[Measure],
    *,
    options: object,
    missing: Missing = "worst",
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

    Returns
    -------
    Evidence
        Its diagnostics are remarks on the figures alone.
    """
    items = sorted(references.every_item())
    judged = judge(task, references, systems, measures, options=options, missing=missing, items=items)
    tallies = {name: tally.rounded(tally.cells) for name, tally in judged.tallies.items()}
    contents = contents_of(task, references, systems)
    return Evidence(
        measures=tuple(measures),
        rows=judged.rows,
        statistics=judged.statistics,
        tallies=tallies,
        fingerprints=fingerprints_of(contents),
        gathered=judged.gathered,
        diagnostics=tuple(remarks(task, tallies)),
    )


def fingerprints_of(contents: Mapping[str, Mapping[str, bytes]]) -> dict[tuple[str, str], bytes]:
    """Return the digest of the content of each reference, by annotator and item."""
    return {
        (annotator, item): hashlib.sha256(content).digest()
        for annotator, items in contents.items()
        for item, content in sorted(items.items())
    }


def has_pairs(references: References, systems: Mapping[str, Estimates]) -> bool:
    """Tell whether any item has a reference, if there are any, and an estimate that can be used."""
    usable = references.alone.union(*references.annotations.values())
    return any(item in usable for system in systems.values() for item in system.annotations)


def contents_of(
    task: Task, references: References, systems: Mapping[str, Estimates]
) -> dict[str, dict[str, bytes]]:
    """Return the content of each reference, by annotator and item.

    Without references it is what estimates are about, such as notes: of the first system that has the item,
    and of no annotator but ``"all"``.
    """
    if references.alone:
        return {ALL: {item: task.content(task.blank(each)) for item, each in _first(systems).items()}}
    return {
        annotator: {item: task.content(found) for item, found in items.items()}
        for annotator, items in references.annotations.items()
    }


def _first(systems: Mapping[str, Estimates]) -> dict[str, Any]:
    """Return the estimate of each item by the first system that has any."""
    found: dict[str, Any] = {}
    for system in systems.values():
        for item, annotation in system.annotations.items():
            if annotation is not None:
                found.setdefault(item, annotation)
    return found


class _Plan:
    """The rows of a run, and the case that each is computed from."""

    def __init__(
        self, task: Task, references: References, systems: Mapping[str, Estimates], missing: Missing
    ) -> None:
        self._task = task
        self._references = references
        self._systems = systems
        self._missing = missing
        self._every = references.every_item()
        self._lost = references.failed_everywhere()
        self._bases = _first(systems) if references.alone else {}

    def has_cases(self, needs: Needs) -> bool:
        """Tell whether there is what measures need: without references, there is the estimate alone."""
        return needs == "estimate" or not self._references.alone

    def rows(self, needs: Needs, items: Sequence[str]) -> Iterator[Row]:
        """Give the rows of some items for measures that need the same."""
        for system in self._systems:
            if needs == "pair" and not self._references.alone:
                for annotator, failed in self._references.failed.items():
                    there = self._references.annotations[annotator]
                    for item in items:
                        if item in there or item in failed:
                            yield self._row(system, item, annotator, failed, needs)
            else:
                for item in items:
                    if item in self._every:
                        yield self._row(system, item, ALL, self._lost, needs)

    def _row(self, system: str, item: str, annotator: str, failed: Mapping[str, str], needs: Needs) -> Row:
        estimates, counts = self._systems[system], self._missing == "worst"
        if self._references.alone:  # the worst estimate is one of the same notes, which somebody must have
            counts &= item in self._bases
        if item in failed:
            return Row(system, item, annotator, "failed", counts=False, reason=f"reference: {failed[item]}")
        if item in estimates.annotations or (needs == "annotators" and not self._references.alone):
            there = not self._references.alone or item in self._bases
            return Row(system, item, annotator, "ok", there, self._lacking(system, item, annotator, needs))
        if item in estimates.failed:
            return Row(system, item, annotator, "failed", counts, f"estimate: {estimates.failed[item]}")
        return Row(system, item, annotator, "missing", counts, "no estimate")

    def _lacking(self, system: str, item: str, annotator: str, needs: Needs) -> str:
        """Return what the annotations that a row is computed from lack: the estimate, or all references."""
        lacking = self._task.lacking
        if not self.has_cases(needs):
            return REFERENCE
        if lacking is None:
            return ""
        estimate = None if needs == "annotators" else self._systems[system].annotations[item]
        found = set() if estimate is None else set(lacking(estimate))
        references = [] if needs == "estimate" else self._of_item(item, annotator)
        if references:
            found |= set.intersection(*(set(lacking(each)) for each in references))
        return " ".join(sorted(found))

    def _of_item(self, item: str, annotator: str) -> list[Any]:
        """Return the references of an item: of one annotator, or of all; else what stands in for them."""
        if self._references.alone:
            return [self._bases[item]] if item in self._bases else []
        annotations = self._references.annotations
        whose = annotations if annotator == ALL else (annotator,)
        return [annotations[name][item] for name in whose if item in annotations[name]]

    def groups(self, needs: Needs) -> list[Group]:
        """Return the groups that there are rows of."""
        whose = self._references.annotations if needs == "pair" else (ALL,)
        return [(system, annotator) for system in self._systems for annotator in whose]

    def case(self, row: Row, needs: Needs, group: int) -> Case[Any]:
        """Return what the statistics of a row that counts are computed from."""
        of_item = self._of_item(row.item, row.annotator)
        if needs == "annotators":
            return Case(tuple(of_item), None, group)
        estimate = self._systems[row.system].annotations.get(row.item)
        if estimate is None:
            # What is judged of an estimate alone, the reference stands in for: all of it is then wrong.
            alone = needs == "estimate" and row.status != "ok"
            estimate = of_item[0] if alone else self._task.blank(of_item[0])
        return Case(() if needs == "estimate" else tuple(of_item), estimate, group)


def judge(
    task: Task,
    references: References,
    systems: Mapping[str, Estimates],
    measures: Sequence[Measure],
    *,
    options: object,
    missing: Missing,
    items: Sequence[str],
) -> Judged:
    """Run the kernels, block by block.

    Parameters
    ----------
    items : sequence of str
        Names of the items, sorted; the first begins a block. Those that are not expected have no rows.
    task, references, systems, measures, options, missing
        As for :func:`evaluate_loaded`.
    """
    plan = _Plan(task, references, systems, missing)
    blocks = [items[at : at + BLOCK] for at in range(0, max(len(items), 1), BLOCK)]
    rows: dict[Needs, Rows] = {}
    statistics: dict[Measure, Statistics] = {}
    tallies: dict[str, ExactTally] = {}
    gathered: list[Gathered] = []
    for needs in dict.fromkeys(measure.needs for measure in measures):
        own = [measure for measure in measures if measure.needs == needs]
        found = _Kernels(task, plan, needs, own, options)
        for block in blocks:
            found.run(block, tallies)
        rows[needs] = Rows.of(found.rows)
        statistics |= {measure: np.concatenate(parts) for measure, parts in found.statistics.items()}
        gathered = gathered or found.gathered
    ordered = {measure: statistics[measure] for measure in measures if measure in statistics}
    return Judged(rows, ordered, tallies, join(gathered) if gathered else None)


class _Kernels:
    """Runs the kernels for measures that need the same, and keeps what they say."""

    def __init__(
        self, task: Task, plan: _Plan, needs: Needs, measures: Sequence[Measure], options: object
    ) -> None:
        self._task, self._plan, self._needs, self._options = task, plan, needs, options
        self._measures = measures
        self._groups = plan.groups(needs)
        self._number = {group: number for number, group in enumerate(self._groups)}
        self.rows: list[Row] = []
        self.gathered: list[Gathered] = []
        self.statistics: dict[Measure, list[Statistics]] = {
            measure: [] for measure in measures if measure.aggregate != "gathered"
        }

    def run(self, items: Sequence[str], tallies: dict[str, ExactTally]) -> None:
        """Judge the items of a block."""
        rows = list(self._plan.rows(self._needs, items))
        first = len(self.rows)
        self.rows += rows
        has_cases = self._plan.has_cases(self._needs)
        counting = np.array([at for at, row in enumerate(rows) if row.counts and has_cases], dtype=np.int64)
        counted = [rows[index] for index in counting]
        cases = [
            self._plan.case(row, self._needs, self._number[row.system, row.annotator]) for row in counted
        ]
        parts = [
            self._task.evaluate(cases[at : at + _TOGETHER], self._measures, self._options)
            for at in _steps(len(cases))
        ]
        unusable = np.array([row.status != "ok" for row in counted], dtype=bool)
        for measure, statistics in self.statistics.items():
            whole = np.zeros((len(rows), len(measure.formula.statistics)))
            if parts:
                found = np.concatenate([part.statistics[measure] for part in parts])
                found[unusable] = measure.formula.worst(found[unusable])
                whole[counting] = found
            statistics.append(whole)
        add_tables(tallies, (table for part in parts for table in part.tables), self._groups)
        names = [row.item for row in rows]
        self.gathered += (
            _behind(name_items(part.gathered, counting[at : at + _TOGETHER], names), first)
            for part, at in zip(parts, _steps(len(counting)), strict=True)
            if part.gathered is not None
        )


def _behind(gathered: Gathered, rows: int) -> Gathered:
    return replace(gathered, cases=gathered.cases + rows)


def _steps(cases: int) -> range:
    return range(0, cases, _TOGETHER)


def remarks(task: Task, tallies: Mapping[str, Tally]) -> Iterator[Diagnostic]:
    """Give what a reader of the figures must know, by their class tables."""
    if task.remark is None:
        return
    for system, annotator in dict.fromkeys(key for tally in tallies.values() for key in tally.cells):
        cells = {name: tally.cells.get((system, annotator), {}) for name, tally in tallies.items()}
        yield from (remark.at(system=system) for remark in task.remark(cells))
