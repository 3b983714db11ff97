# SPDX-License-Identifier: MIT
"""From a part of a corpus to its statistics: read, pair, run the kernels. No file format, no music here."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, Literal

import numpy as np

from kammerton.arrays import keep_freed_memory
from kammerton.errors import Diagnostic
from kammerton.model.corpus import ALL, Corpus, Missing
from kammerton.model.evidence import Evidence, ExactTally, Group, Row, Rows, Tally, add_tables
from kammerton.model.measure import REFERENCE, Gathered, Measure, Needs, Statistics, join, name_items
from kammerton.model.task import Case, Task
from kammerton.scoring.loading import (
    Estimates,
    Found,
    References,
    Roster,
    load_estimates,
    load_references,
    name_references,
    read_collection,
    said_once,
)
from kammerton.scoring.pairing import match_annotators, match_estimates, match_references
from kammerton.scoring.sanity_checks import SanityChecks, check_sanity

__all__ = [
    "BLOCK",
    "Facts",
    "Judged",
    "Part",
    "Phase",
    "ScoringJob",
    "Section",
    "Sides",
    "Timing",
    "applicable_measures",
    "applicable_to",
    "contents_of",
    "evaluate_loaded",
    "fingerprints_of",
    "has_pairs",
    "judge",
    "load_sides",
    "remarks",
    "score_part",
]

BLOCK = 200
"""Items that are judged together wherever they stand: sums over them round the same way in every run."""
_TOGETHER = 400
"""Cases that go through the kernels at once: enough to fill columns, few enough for the cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What the kernels say of some items of a corpus."""

    # rows, statistics, gathered: as in :class:`.Evidence`
    rows: Mapping[Needs, Rows]
    statistics: Mapping[Measure, Statistics]
    tallies: Mapping[str, ExactTally]  # class tables by name
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
    """Score systems against annotators whose annotations have been read and matched."""
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
    """Run the kernels, block by block."""
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


Section = tuple[str, str]
"""Where a diagnostic is said: while reading what, and whose."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What must be known of a whole corpus before a part of it can be scored; facts of parts add up."""

    rosters: tuple[Roster, ...]  # what each collection of references tells of its annotators
    # what the task counts in annotations; see :attr:`.Task.survey`
    census: Mapping[str, int] = field(default_factory=dict)

    def merged(self, other: Facts) -> Facts:
        """Return the facts of both parts."""
        names = {**self.census, **other.census}
        return Facts(
            tuple(one.merged(another) for one, another in zip(self.rosters, other.rosters, strict=True)),
            {name: self.census.get(name, 0) + other.census.get(name, 0) for name in names},
        )


@dataclass(frozen=True, slots=True)
class Grounds:
    """What of the whole a part was scored on; it holds as long as that of the whole is the same."""

    measures: tuple[Measure, ...]  # what was measured
    # crowded, several: of the roster of each collection
    crowded: tuple[bool, ...]
    several: tuple[bool, ...]
    # names of the annotators of collections with several, if items failed for all of them; else empty
    names: tuple[frozenset[str], ...]
    named: bool  # whether items did

    @classmethod
    def of(cls, measures: Sequence[Measure], facts: Facts, *, named: bool) -> Grounds:
        """Return what of these facts matters, with the names of annotators or without."""
        return cls(
            tuple(measures),
            tuple(roster.crowded for roster in facts.rosters),
            tuple(roster.several for roster in facts.rosters),
            tuple(roster.names for roster in facts.rosters if roster.several) if named else (),
            named,
        )

    def hold(self, measures: Sequence[Measure] | None, facts: Facts) -> bool:
        """Tell whether they are what matters of these facts, too; without measures, but for those."""
        return self == Grounds.of(self.measures if measures is None else measures, facts, named=self.named)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """What was found in some items of a corpus."""

    items: tuple[str, ...]  # those that the references have, sorted
    facts: Facts  # of these items alone
    grounds: Grounds  # what the figures rest on
    judged: Judged | None  # rows and statistics; None if nothing was to be scored
    fingerprints: Mapping[tuple[str, str], bytes]  # digest of each reference
    sanity_checks: SanityChecks
    said: Mapping[Section, Sequence[Diagnostic]]  # what was said, by where
    paired: bool  # whether an item has a reference and an estimate
    ended: bool  # whether something was found that is to end the run


def applicable_measures(
    task: Task, census: Mapping[str, int], measures: Sequence[Measure], options: object
) -> tuple[tuple[Measure, ...], tuple[Diagnostic, ...]]:
    """Return the measures that have figures for annotations of such a census, and why others have none."""
    if task.applicable is None:
        return tuple(measures), ()
    return task.applicable(census, measures, options)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringJob:
    """What is to be done with every part of a corpus."""

    task: Task  # reads the sources and runs the kernels
    measures: tuple[Measure, ...]  # what to compute
    options: Any  # the task's options
    missing: Missing = "worst"  # what a missing or unusable estimate counts; ``error`` ends the run
    annotator: str = ALL  # one annotator's name, or ``"all"``
    strict: bool = False  # whether an error or a repair keeps anything from being scored


def score_part(
    order: ScoringJob,
    corpus: Corpus,
    items: Sequence[str],
    known: Facts | None = None,
    *,
    complete: bool = False,
) -> Part:
    """Score some items of a corpus."""
    keep_freed_memory()
    task, options = order.task, order.options
    found = [read_collection(task, collection, options) for collection in corpus.references]
    own = Facts(tuple(each.roster for each in found))
    facts = _together(known, own, complete=complete)
    loaded = _chosen(name_references(found, facts.rosters), order.annotator)
    references, matched = match_annotators(task, loaded, options)
    if not corpus.references:
        references = replace(references, alone=corpus.items)
    said = _said_of_references(task, found, facts)
    said |= {("matched", annotator): told for annotator, told in matched.items()}
    systems: dict[str, Estimates] = {}
    for name, read, paired in _estimates(order, corpus, references):
        systems[name] = paired
        said["estimates", name] = list(read.diagnostics)
        said["paired", name] = list(paired.diagnostics[len(read.diagnostics) :])
    expected = references.every_item()
    own = Facts(own.rosters, _survey(task, references, systems, options))
    facts = _together(known, own, complete=complete)
    measures = applicable_measures(task, facts.census, order.measures, options)[0]
    contents = contents_of(task, references, systems)
    lacking = any(system.failed for system in systems.values())
    ended = _is_wrong(order, said) or (order.missing == "error" and lacking)
    return Part(
        items=tuple(item for item in items if item in expected),
        facts=own,
        grounds=Grounds.of(measures, facts, named=_lost_for_all(found)),
        judged=None if ended or not measures else _judged(order, references, systems, measures, items),
        fingerprints=fingerprints_of(contents),
        sanity_checks=check_sanity(task, references, systems, {} if references.alone else contents),
        said={section: told for section, told in said.items() if told},
        paired=has_pairs(references, systems),
        ended=ended,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Both sides of a corpus, read and matched."""

    references: References  # by annotator
    systems: Mapping[str, Estimates]  # by system
    measures: tuple[Measure, ...]  # those that the annotations have figures for


def load_sides(order: ScoringJob, corpus: Corpus, measures: Sequence[Measure]) -> Sides:
    """Read references and systems of a corpus, all at once."""
    task, options, whole = order.task, order.options, corpus.paired()
    loaded = _chosen(load_references(task, whole.references, options), order.annotator)
    references = match_references(task, loaded, options)
    if not whole.references:
        references = replace(references, alone=whole.items)
    systems = {name: paired for name, _, paired in _estimates(order, whole, references)}
    return Sides(references, systems, tuple(measures))


def _estimates(
    order: ScoringJob, corpus: Corpus, references: References
) -> Iterator[tuple[str, Estimates, Estimates]]:
    """Give the name of each system, its estimates as read, and as matched to the references."""
    expected = references.every_item()
    for system in corpus.systems:
        read = load_estimates(order.task, system, expected, order.options)
        yield system.name, read, match_estimates(order.task, read, references, order.options)


def _said_of_references(task: Task, found: Sequence[Found], facts: Facts) -> dict[Section, list[Diagnostic]]:
    said: dict[Section, list[Diagnostic]] = {}
    for number, (each, roster) in enumerate(zip(found, facts.rosters, strict=True)):
        said["references", str(number)] = said_once(task, each.diagnostics)
        said["refused", str(number)] = said_once(task, list(each.refused(roster).values()))
    return said


def applicable_to(
    task: Task,
    references: References,
    systems: Mapping[str, Estimates],
    measures: Sequence[Measure],
    options: object,
) -> tuple[tuple[Measure, ...], tuple[Diagnostic, ...]]:
    """Return the measures that have figures for these annotations, and why others have none."""
    return applicable_measures(task, _survey(task, references, systems, options), measures, options)


def _together(known: Facts | None, own: Facts, *, complete: bool) -> Facts:
    if known is None:
        return own
    return known if complete else known.merged(own)


def _survey(
    task: Task, references: References, systems: Mapping[str, Estimates], options: object
) -> Mapping[str, int]:
    """Return what the task counts in annotations."""
    if task.survey is None:
        return {}
    annotations = [each for items in references.annotations.values() for each in items.values()]
    estimates = [
        each for system in systems.values() for each in system.annotations.values() if each is not None
    ]
    return task.survey(annotations, estimates, options)


def _judged(
    order: ScoringJob,
    references: References,
    systems: Mapping[str, Estimates],
    measures: Sequence[Measure],
    items: Sequence[str],
) -> Judged:
    return judge(
        order.task,
        references,
        systems,
        measures,
        options=order.options,
        missing=order.missing,
        items=items,
    )


def _chosen(references: References, annotator: str) -> References:
    if annotator == ALL:
        return references
    if annotator not in references.annotations:  # of other parts, or there is none: see the whole
        return References({}, {}, references.diagnostics)
    return References(
        {annotator: references.annotations[annotator]},
        {annotator: references.failed[annotator]},
        references.diagnostics,
    )


def _is_wrong(order: ScoringJob, said: Mapping[Section, Sequence[Diagnostic]]) -> bool:
    return order.strict and any(each.severity != "note" for told in said.values() for each in told)


def _lost_for_all(found: Sequence[Found]) -> bool:
    """Tell whether an item failed for every annotator there may be elsewhere."""
    return any(each.failed or each.called_all for each in found)


Phase = Literal["collecting", "scoring", "merging", "context", "intervals", "groups", "writing"]


class Timing:
    """Seconds of the phases of a run, each taken where the phase is.

    Attributes
    ----------
    seconds : dict of str to float
        By phase, in the order in which they ended; a phase within another counts for itself alone.
    items, found : int
        Items that were scored, and items that had been finished before the run began.
    """

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._within = 0.0
        self.seconds: dict[str, float] = {}
        self.items = self.found = 0

    @contextmanager
    def during(self, phase: Phase) -> Iterator[None]:
        """Take the time of a phase, or of more of it."""
        begin, before = self._clock(), self._within
        self._within = 0.0
        try:
            yield
        finally:
            took = self._clock() - begin
            self.seconds[phase] = self.seconds.get(phase, 0.0) + took - self._within
            self._within = before + took

    @property
    def rate(self) -> float | None:
        """Items that were scored in a second; None if none were."""
        scoring = self.seconds.get("scoring", 0.0)
        return self.items / scoring if self.items and scoring > 0 else None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values: seconds to the millisecond, items, items a second."""
        return {
            "seconds": {phase: round(seconds, 3) for phase, seconds in self.seconds.items()},
            "items": self.items,
            "found": self.found,
            "items_per_second": None if self.rate is None else round(self.rate, 1),
        }
