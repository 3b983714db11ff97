# SPDX-License-Identifier: MIT
"""From a part of a corpus to its statistics: read, match, run the kernels. No file format, no music here.

Also evaluates what scores are compared with: baselines, and annotators against each other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import combinations
from time import perf_counter
from typing import Any, Literal

import numpy as np

from kammerton.arrays import Codes, Flags
from kammerton.errors import Diagnostic, OptionError, inflected, out_of, some
from kammerton.model.corpus import ALL, Corpus, Missing
from kammerton.model.evidence import Evidence, ExactTally, Group, Row, Rows, Tally, add_tables, sum_tallies
from kammerton.model.measure import REFERENCE, Gathered, Measure, Needs, Statistics, join, name_items
from kammerton.model.registry import failure_of
from kammerton.model.task import Case, Task
from kammerton.scoring.loading import (
    Assumptions,
    CorpusSurvey,
    Estimates,
    References,
    ScoringJob,
    Section,
    Sides,
    applicable_to,
    load_sides,
)
from kammerton.scoring.sanity_checks import SanityChecks, check_sanity

BLOCK = 200
"""Items of a block. Blocks are cut alike in every run, so that their sums round alike."""
_TOGETHER = 400
"""Cases that go through the kernels at once: enough to fill columns, few enough for the cache."""
_LARGEST = 8 << 20
"""Bytes: larger than any column of a block."""


@dataclass(frozen=True, slots=True, eq=False)
class KernelResults:
    """What the kernels return for some items of a corpus."""

    # rows, statistics, gathered: as in :class:`.Evidence`
    rows: Mapping[Needs, Rows]
    statistics: Mapping[Measure, Statistics]
    tallies: Mapping[str, ExactTally]  # class tables by name
    gathered: Gathered | None


@dataclass(frozen=True, slots=True, eq=False)
class PartialEvidence:
    """The evidence of some items of a corpus."""

    items: tuple[str, ...]  # those that the references have, sorted
    survey: CorpusSurvey  # of these items alone
    assumptions: Assumptions  # on the whole corpus, with which they were scored
    results: KernelResults | None  # None if nothing was to be scored
    fingerprints: Mapping[tuple[str, str], bytes]  # digest of each reference
    sanity_checks: SanityChecks
    diagnostics: Mapping[Section, Sequence[Diagnostic]]
    paired: bool  # whether an item has a reference and an estimate
    ended: bool  # whether a problem was found that ends the run


def score_part(
    job: ScoringJob,
    corpus: Corpus,
    items: Sequence[str],
    known: CorpusSurvey | None = None,
    *,
    complete: bool = False,
) -> PartialEvidence:
    """Score some items of a corpus; ``known`` is the survey of others, or of the whole if ``complete``."""
    # glibc keeps freed blocks up to the size of the largest that was ever freed (mallopt(3)), and need not
    # clear page after page for the next ones: a tenth of the time. This one is never written to.
    np.empty(_LARGEST, dtype=np.uint8)
    sides = load_sides(job, corpus, known, complete=complete)
    references, systems = sides.references, sides.systems
    ended = False
    for diagnostics in sides.diagnostics.values() if job.strict else ():
        for diagnostic in diagnostics:
            ended = ended or diagnostic.severity != "note"
    usable = references.without_references.union(*references.annotations.values())
    paired = False
    for estimates in systems.values():
        ended = ended or (job.missing == "error" and bool(estimates.failed))
        paired = paired or not usable.isdisjoint(estimates.annotations)
    measures, results = sides.assumptions.measures, None
    if measures and not ended:
        results = _run_kernels(job, references, systems, measures, items)
    contents = _contents_of(job.task, references, systems)
    return PartialEvidence(
        items=tuple(filter(references.every_item().__contains__, items)),
        survey=sides.survey,
        assumptions=sides.assumptions,
        results=results,
        fingerprints=_fingerprints_of(contents),
        sanity_checks=check_sanity(job.task, references, systems, contents),
        diagnostics=sides.diagnostics,
        paired=paired,
        ended=ended,
    )


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
    job = ScoringJob(task=task, measures=tuple(measures), options=options, missing=missing)
    results = _run_kernels(job, references, systems, measures, items)
    tallies = {name: sum_tallies([tally], tally.cells) for name, tally in results.tallies.items()}
    return Evidence(
        measures=tuple(measures),
        rows=results.rows,
        statistics=results.statistics,
        tallies=tallies,
        fingerprints=_fingerprints_of(_contents_of(task, references, systems)),
        gathered=results.gathered,
        diagnostics=tuple(remarks(task, tallies)),
    )


def _contents_of(
    task: Task, references: References, systems: Mapping[str, Estimates]
) -> dict[str, dict[str, bytes]]:
    """Return the content of each reference, by annotator and item.

    Without references it is what estimates are about, such as notes: of the first system that has the item,
    and of no annotator but ``"all"``.
    """
    if references.without_references:
        first = _first_estimates(systems)
        return {ALL: {item: task.content(task.blank(estimate)) for item, estimate in first.items()}}
    contents: dict[str, dict[str, bytes]] = {}
    for annotator, items in references.annotations.items():
        of_annotator = contents[annotator] = {}
        for item, annotation in items.items():
            of_annotator[item] = task.content(annotation)
    return contents


def _first_estimates(systems: Mapping[str, Estimates]) -> dict[str, Any]:
    """Return the estimate of each item by the first system that has any."""
    first: dict[str, Any] = {}
    for system in systems.values():
        for item, estimate in system.annotations.items():
            if estimate is not None:
                first.setdefault(item, estimate)
    return first


def _fingerprints_of(contents: Mapping[str, Mapping[str, bytes]]) -> dict[tuple[str, str], bytes]:
    """Return the digest of the content of each reference, by annotator and item."""
    fingerprints = {}
    for annotator, items in contents.items():
        for item, content in sorted(items.items()):
            fingerprints[annotator, item] = hashlib.sha256(content).digest()
    return fingerprints


def _run_kernels(
    job: ScoringJob,
    references: References,
    systems: Mapping[str, Estimates],
    measures: Sequence[Measure],
    items: Sequence[str],
) -> KernelResults:
    """Evaluate items block by block."""
    rows: dict[Needs, Rows] = {}
    statistics: dict[Measure, list[Statistics]] = {}
    tallies: dict[str, ExactTally] = {}
    gathered: list[Gathered] = []
    by_needs: dict[Needs, list[Measure]] = {}
    for measure in measures:
        by_needs.setdefault(measure.needs, []).append(measure)
        if measure.aggregate != "gathered":
            statistics[measure] = []
    for needs, own in by_needs.items():
        kernels = _Kernels(job, references, systems, own)
        for begin in range(0, max(len(items), 1), BLOCK):
            kernels.run(items[begin : begin + BLOCK], statistics, tallies)
        rows[needs] = Rows.of(kernels.rows)
        gathered = gathered or kernels.gathered
    whole = dict(zip(statistics, map(np.concatenate, statistics.values()), strict=True))
    return KernelResults(rows, whole, tallies, join(gathered) if gathered else None)


class _Kernels:
    """Runs the kernels for measures that need the same, and keeps the rows that they are run for."""

    def __init__(
        self,
        job: ScoringJob,
        references: References,
        systems: Mapping[str, Estimates],
        measures: Sequence[Measure],
    ) -> None:
        self._task, self._measures, self._options = job.task, measures, job.options
        self._needs, self._missing = measures[0].needs, job.missing
        self._annotations, self._systems = references.annotations, systems
        self._without_references = bool(references.without_references)
        self._first_estimates = _first_estimates(systems) if self._without_references else {}
        # without references, there is the estimate alone
        self._has_cases = self._needs == "estimate" or not self._without_references
        # annotator, the items that are there, and those that failed
        self._sides: list[tuple[str, Container[str], Mapping[str, str]]] = []
        if self._needs == "pair" and not self._without_references:
            for annotator, failed in references.failed.items():
                self._sides.append((annotator, references.annotations[annotator], failed))
        else:
            self._sides.append((ALL, references.every_item(), references.failed_everywhere()))
        self._groups: dict[Group, int] = {}
        for system in systems:
            for annotator, _, _ in self._sides:
                self._groups[system, annotator] = len(self._groups)
        self.rows: list[Row] = []
        self.gathered: list[Gathered] = []

    def run(
        self,
        items: Sequence[str],
        statistics: Mapping[Measure, list[Statistics]],
        tallies: dict[str, ExactTally],
    ) -> None:
        """Evaluate the items of a block."""
        first = len(self.rows)
        names: list[str] = []
        places, unusable, cases = [], [], []
        for row in self._list_rows(items):
            if row.counts and self._has_cases:
                places.append(len(names))
                unusable.append(row.status != "ok")
                cases.append(self._case(row))
            names.append(row.item)
            self.rows.append(row)
        counting, worst = np.array(places, dtype=np.int64), np.array(unusable, dtype=bool)
        blocks: dict[Measure, list[Statistics]] = {}
        for at in range(0, len(cases), _TOGETHER):
            end = at + _TOGETHER
            try:
                evaluation = self._task.evaluate(cases[at:end], self._measures, self._options)
            except Exception as error:
                self._name_failure(error, cases[at:end], places[at:end], names)
                raise
            for measure, of_cases in evaluation.statistics.items():
                blocks.setdefault(measure, []).append(of_cases)
            add_tables(tallies, evaluation.tables, list(self._groups))
            if evaluation.gathered is not None:
                gathered = name_items(evaluation.gathered, counting[at:end], names)
                self.gathered.append(replace(gathered, cases=gathered.cases + first))
        for measure, of_blocks in statistics.items():
            if measure.needs == self._needs:
                of_blocks.append(
                    _rows_of_cases(measure, blocks.get(measure, []), len(names), counting, worst)
                )

    def _name_failure(
        self, error: Exception, cases: Sequence[Case[Any]], places: Sequence[int], names: Sequence[str]
    ) -> None:
        """Raise the error of a third party's task again, with the first item that fails by itself."""
        if failure_of(self._task, "evaluate", "", error) is None:
            return
        item, reason = names[places[0]], error
        for case, place in zip(cases, places, strict=True):
            try:
                self._task.evaluate([case], self._measures, self._options)
            except Exception as raised:
                item, reason = names[place], raised
                break
        failure = failure_of(self._task, "evaluate", item, reason)
        if failure is not None:
            raise failure from reason

    def _list_rows(self, items: Sequence[str]) -> Iterator[Row]:
        """Yield a row for each system, annotator and item that has a reference."""
        for system in self._systems:
            for annotator, known, failed in self._sides:
                for item in items:
                    if item in failed:
                        reason = f"reference: {failed[item]}"
                        yield Row(system, item, annotator, "failed", counts=False, reason=reason)
                    elif item in known:
                        yield self._row(system, item, annotator)

    def _row(self, system: str, item: str, annotator: str) -> Row:
        """Return the row of an item that has a reference, if there are any."""
        estimates = self._systems[system]
        # without references the worst estimate is one of the same notes, which some system must have
        usable = not self._without_references or item in self._first_estimates
        if item in estimates.annotations or (self._needs == "annotators" and not self._without_references):
            lacking = "" if self._has_cases else REFERENCE
            if self._has_cases and self._task.lacking is not None:
                lacking = self._lacking(self._task.lacking, system, item, annotator)
            return Row(system, item, annotator, "ok", usable, lacking)
        counts = usable and self._missing == "worst"
        if item in estimates.failed:
            return Row(system, item, annotator, "failed", counts, f"estimate: {estimates.failed[item]}")
        return Row(system, item, annotator, "missing", counts, "no estimate")

    def _lacking(
        self, lacking: Callable[[Any], Iterable[str]], system: str, item: str, annotator: str
    ) -> str:
        """Return what the annotations that a row is computed from lack: the estimate, or all references."""
        estimate = None if self._needs == "annotators" else self._systems[system].annotations[item]
        names = set() if estimate is None else set(lacking(estimate))
        references = [] if self._needs == "estimate" else self._references_of(item, annotator)
        if references:
            names |= set.intersection(*(set(lacking(reference)) for reference in references))
        return " ".join(sorted(names))

    def _references_of(self, item: str, annotator: str) -> tuple[Any, ...]:
        """Return the references of an item, of one annotator or all; else the estimate that stands in."""
        if self._without_references:
            return (self._first_estimates[item],) if item in self._first_estimates else ()
        if annotator != ALL:
            return (self._annotations[annotator][item],)
        return tuple(items[item] for items in self._annotations.values() if item in items)

    def _case(self, row: Row) -> Case[Any]:
        """Return what the statistics of a row that counts are computed from."""
        references = self._references_of(row.item, row.annotator)
        group = self._groups[row.system, row.annotator]
        if self._needs == "annotators":
            return Case(references, None, group)
        estimate = self._systems[row.system].annotations.get(row.item)
        if estimate is None:
            # An evaluation of the estimate alone gets the reference in its place: all of it is then wrong.
            all_wrong = self._needs == "estimate" and row.status != "ok"
            estimate = references[0] if all_wrong else self._task.blank(references[0])
        return Case(() if self._needs == "estimate" else references, estimate, group)


def _rows_of_cases(
    measure: Measure, parts: Sequence[Statistics], rows: int, counting: Codes, worst: Flags
) -> Statistics:
    """Return the statistics of rows, of which some count; those without a usable estimate are the worst."""
    if not parts:
        return np.zeros((rows, len(measure.formula.statistics)))
    of_cases = np.concatenate(parts)
    if worst.any():
        of_cases[worst] = measure.formula.worst(of_cases[worst])
    of_rows = np.zeros((rows, of_cases.shape[1]))
    of_rows[counting] = of_cases
    return of_rows


def remarks(task: Task, tallies: Mapping[str, Tally]) -> Iterator[Diagnostic]:
    """Yield what a reader of the scores must know, by their class tables."""
    if task.remark is None:
        return
    groups: dict[Group, None] = {}
    for tally in tallies.values():
        groups.update(dict.fromkeys(tally.cells))
    for system, annotator in groups:
        tables = {name: tally.cells.get((system, annotator), {}) for name, tally in tallies.items()}
        for remark in task.remark(tables):
            yield remark.at(system=system)


Phase = Literal["collecting", "scoring", "merging", "context", "intervals", "groups", "writing"]


class Timing:
    """Measures the seconds of the phases of a run.

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
        """Measure the time of a phase, or of more of it."""
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


def items_shared(references: References) -> list[str]:
    """Return the items with usable annotations of two annotators or more, sorted."""
    return sorted(item for item, count in references.annotators_of_items().items() if count > 1)


def sharing_annotators(references: References) -> References:
    """Return the annotations of the annotators who share an item with another, of all their items."""
    shared = set(items_shared(references))
    names = [name for name, items in references.annotations.items() if not shared.isdisjoint(items)]
    return References(
        {name: references.annotations[name] for name in names},
        {name: references.failed[name] for name in names},
        references.diagnostics,
    )


def notes_on_sharing(
    references: References, measures: Sequence[Measure], *, persons: bool
) -> Iterator[Diagnostic]:
    """Report items and pairs that agreement skips, and measures that are made for several annotators."""
    counts = references.annotators_of_items()
    single = sorted(item for item, count in counts.items() if count == 1)
    if single:
        verb = inflected(len(single), "has", "have")
        message = f"{out_of(len(single), len(counts), 'item')} {verb} one annotator, left out"
        yield Diagnostic("KT230", "note", f"{message} ({some(single)})", count=len(single))
    if persons:
        pairs = list(combinations(references.annotations.values(), 2))
        apart = sum(first.keys().isdisjoint(second) for first, second in pairs)
        if apart:
            verb = inflected(apart, "shares", "share")
            message = f"{out_of(apart, len(pairs), 'pair')} of annotators {verb} no item, left out"
            yield Diagnostic("KT231", "note", message, count=apart)
    several = [str(measure) for measure in measures if measure.needs == "references+estimate"]
    if several:
        message = f"made for several annotators, here against one at a time: {some(several)}"
        yield Diagnostic("KT232", "note", message)


ORACLE = "oracle"
"""The baseline that takes of each part what is right, if a system has it."""
ANNOTATORS = "annotators"
"""The only system of the evidence on annotators."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ContextEvidence:
    """Evidence of the context of scores: baselines, and annotators against each other."""

    # of trivial answers, and of the ``ORACLE``, as systems against all annotators; None if the task has none
    baselines: Evidence | None = None
    # of the systems against all annotators but one: a row says in place of the annotator who was left out, by
    # number, and against whom it is, ``"2.Ann"``. None if no item has two annotators.
    others: Evidence | None = None
    # of the annotators who were left out, each against the others, all called ``ANNOTATORS``
    annotators: Evidence | None = None
    single: int = 0  # items with one annotator, of which there are neither


def evaluate_context(
    task: Task, sides: Sides, *, options: object, missing: Missing, oracle: bool = False
) -> ContextEvidence:
    """Score the baselines of a corpus, and its systems and annotators against all annotators but one."""
    if oracle and task.oracle is None:
        raise OptionError(f"{task.name} has no oracle")
    if oracle and len(sides.systems) < 2:
        raise OptionError("an oracle is of two systems or more", "name a further system")
    measures = [measure for measure in sides.assumptions.measures if measure.needs != "annotators"]
    everyone = sides.references.annotations
    several = frozenset(items_shared(sides.references))
    own_items = {name: Estimates(items, {}, ()) for name, items in everyone.items()}
    by_people, _ = applicable_to(task, sides.references, own_items, measures, options)
    others: Evidence | None = None
    annotators: Evidence | None = None
    for number, name in enumerate(everyone):
        left = _without(everyone, name, several)
        if not left.annotations:
            continue
        evidence = evaluate_loaded(task, left, sides.systems, measures, options=options, missing=missing)
        others = _added(others, evidence, number)
        if by_people:
            own = {item: everyone[name][item] for item in left.every_item()}
            person = {ANNOTATORS: Estimates(own, {}, ())}
            evidence = evaluate_loaded(task, left, person, by_people, options=options, missing=missing)
            annotators = _added(annotators, evidence, number)
    return ContextEvidence(
        baselines=_baselines(task, sides, measures, options, oracle=oracle),
        others=others,
        annotators=annotators,
        single=len(frozenset().union(*everyone.values())) - len(several),
    )


def _baselines(
    task: Task, sides: Sides, measures: Sequence[Measure], options: object, *, oracle: bool
) -> Evidence | None:
    """Score trivial answers, and the oracle if it is asked for, by the measures that apply to them."""
    references = sides.references
    of_items: dict[str, list[Any]] = {}
    for items in references.annotations.values():
        for item, annotation in items.items():
            of_items.setdefault(item, []).append(annotation)
    trivial = {} if task.baselines is None else task.baselines(of_items)
    answers = {name: Estimates(items, {}, ()) for name, items in trivial.items()}
    if oracle:
        answers[ORACLE] = Estimates(dict(_oracle(task, of_items, sides.systems, options)), {}, ())
    chosen, _ = applicable_to(task, references, answers, measures, options)
    if not answers or not chosen:
        return None
    return _bare(evaluate_loaded(task, references, answers, chosen, options=options))


def _oracle(
    task: Task, references: Mapping[str, Sequence[Any]], systems: Mapping[str, Estimates], options: object
) -> Iterator[tuple[str, Any]]:
    """Yield what the oracle of the systems answers for each item that one of them has."""
    assert task.oracle is not None, "asked for only where there is one"
    for item, of_item in references.items():
        known = [system.annotations.get(item) for system in systems.values()]
        estimates = [estimate for estimate in known if estimate is not None]
        answer = task.oracle(of_item, estimates, options) if estimates else None
        if answer is not None:
            yield item, answer


def _without(everyone: Mapping[str, Mapping[str, Any]], name: str, several: frozenset[str]) -> References:
    """Return the annotations of all others of the items that an annotator has, and others too."""
    own = several & everyone[name].keys()
    left = {
        other: {item: annotation for item, annotation in items.items() if item in own}
        for other, items in everyone.items()
        if other != name
    }
    left = {other: items for other, items in left.items() if items}
    return References(left, {other: {} for other in left}, ())


def _added(whole: Evidence | None, part: Evidence, number: int) -> Evidence:
    """Return evidence with that of a further annotator who was left out."""

    def without(system: str, annotator: str) -> Group:
        return system, f"{number}.{annotator}"

    rows = {needs: own.regrouped(without) for needs, own in part.rows.items()}
    labelled = replace(_bare(part), rows=rows)
    return labelled if whole is None else whole.merged(labelled)


def _bare(evidence: Evidence) -> Evidence:
    """Return evidence without what scores are not made from."""
    return replace(evidence, tallies={}, diagnostics=(), fingerprints={})
