# SPDX-License-Identifier: MIT
"""The evidence of parts merges into that of the whole corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from kammerton.arrays import Codes
from kammerton.errors import DataError, Diagnostic, OptionError
from kammerton.model.corpus import ALL, Corpus, check_annotators, name_of_source, spelled_apart
from kammerton.model.evidence import Evidence, ExactTally, Group, Rows, sum_tallies
from kammerton.model.measure import Gathered, Measure, Needs, Statistics, Values, join
from kammerton.scoring.evaluating import PartialEvidence, remarks
from kammerton.scoring.loading import (
    CorpusSurvey,
    ScoringJob,
    Section,
    applicable_measures,
    merge_diagnostics,
)
from kammerton.scoring.sanity_checks import unmatched

_ZEROS = -1
"""In place of the number of a column that is nothing but zeros."""


class ColumnStatistics(Mapping[Measure, Statistics]):
    """Statistics of each measure, made of columns when they are asked for."""

    def __init__(
        self, columns: Mapping[Measure, Sequence[Sequence[Values]]], rows: Mapping[Needs, Rows]
    ) -> None:
        self._columns, self._rows = columns, rows

    def __getitem__(self, measure: Measure) -> Statistics:
        columns = self._columns[measure]
        whole = np.zeros((len(self._rows[measure.needs]), len(columns)))
        for place, pieces in enumerate(columns):
            if pieces:
                np.concatenate(pieces, out=whole[:, place])
        return whole

    def __iter__(self) -> Iterator[Measure]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


class RowMerger:
    """Merges the rows for measures that need the same, and their statistics.

    Statistics are kept as columns, in pieces as they come, and equal columns once. They are most of what a
    large corpus needs: many measures share their statistics, and many classes are nowhere in a corpus.
    """

    def __init__(self) -> None:
        self._height = 0
        self._parts: dict[int, tuple[int, Rows]] = {}
        self._gathered: dict[int, Gathered] = {}
        self._columns: list[list[Values]] = []
        self._places: dict[Measure, list[int]] = {}

    def add(
        self,
        number: int,
        rows: Rows,
        statistics: Mapping[Measure, Statistics],
        gathered: Gathered | None,
    ) -> None:
        """Add the rows of a part; those that it had before are not used any more."""
        first, self._height = self._height, self._height + len(rows)
        self._parts[number] = first, rows
        self._gathered.pop(number, None)
        if gathered is not None:
            self._gathered[number] = replace(gathered, cases=gathered.cases + first)
        nothing = bytes(len(rows) * 8)
        seen: dict[tuple[int, bytes], int] = {}
        grown = {_ZEROS}
        for measure, of_measure in statistics.items():
            places = self._places.setdefault(measure, [_ZEROS] * of_measure.shape[1])
            for column, values in enumerate(np.ascontiguousarray(of_measure.T)):
                place = places[column]
                key = place, values.tobytes()
                if key not in seen:
                    seen[key] = _ZEROS
                    if place in grown and key != (_ZEROS, nothing):  # equal columns differ from here on
                        before = [np.zeros(first)] if place == _ZEROS else self._columns[place][:-1]
                        self._columns.append([*before, values.copy()])
                        seen[key] = len(self._columns) - 1
                    elif place != _ZEROS:
                        self._columns[place].append(values.copy())
                        seen[key] = place
                    grown.add(place)
                places[column] = seen[key]

    def merged(
        self, groups: Sequence[Group]
    ) -> tuple[Rows, dict[Measure, list[list[Values]]], Gathered | None]:
        """Return rows, the columns of each measure, and what was gathered: by group, then by item."""
        parts = [self._parts[number] for number in sorted(self._parts)]  # in the order of their items
        rows = Rows.joined([part for _, part in parts])
        place = dict(zip(groups, range(len(groups)), strict=True))
        by_group = np.argsort(
            np.array(list(map(place.__getitem__, rows.groups)), dtype=np.int64)[rows.group_codes],
            kind="stable",
        )
        spans = [np.arange(first, first + len(part)) for first, part in parts]
        order = np.concatenate(spans)[by_group]
        if not np.array_equal(order, np.arange(self._height)):
            for pieces in self._columns:  # one after the other: there is no room for all twice
                pieces[:] = [np.concatenate(pieces)[order]]
            rows = rows.take(by_group)
        columns: dict[Measure, list[list[Values]]] = {}
        for measure, places in self._places.items():
            columns[measure] = [[] if number == _ZEROS else self._columns[number] for number in places]
        return rows, columns, self._gathered_in(order) if self._gathered else None

    def _gathered_in(self, order: Codes) -> Gathered:
        """Return what was gathered with its cases in order, and its names in that of the alphabet."""
        whole = join(self._gathered[number] for number in sorted(self._gathered))
        place = np.empty(self._height, dtype=np.int64)
        place[order] = np.arange(len(order))
        cases = place[whole.cases]
        rows = np.argsort(cases, kind="stable")
        classes, codes = _by_name(whole.classes, whole.codes[rows])
        units, unit_codes = _by_name(whole.units, whole.unit_codes[rows])
        return Gathered(whole.columns, cases[rows], classes, codes, units, unit_codes, whole.values[rows])


def _by_name(names: tuple[str, ...], codes: Codes) -> tuple[tuple[str, ...], Codes]:
    """Sort names; codes below 0 are none of them."""
    by_name = sorted(range(len(names)), key=names.__getitem__)
    place = np.empty(len(names) + 1, dtype=np.int64)
    place[by_name] = np.arange(len(names))
    place[-1] = -1
    return tuple(names[number] for number in by_name), place[codes]


class EvidenceMerger:
    """Takes the evidence of parts in, and merges it."""

    def __init__(self, job: ScoringJob, corpus: Corpus) -> None:
        self._job, self._corpus = job, corpus
        self._survey: CorpusSurvey | None = None
        self._parts: dict[int, PartialEvidence] = {}
        self._measures: tuple[Measure, ...] | None = None
        self._rows: dict[Needs, RowMerger] = {}
        self._tallies: dict[int, Mapping[str, ExactTally]] = {}
        self._annotators: list[str] = []  # of all collections of references, once no part is stale
        self._notes: tuple[Diagnostic, ...] = ()  # on measures without scores, likewise

    @property
    def survey(self) -> CorpusSurvey | None:
        """What is known of the parts so far; None before the first."""
        if self._survey is None:
            for part in self._parts.values():
                self._survey = part.survey.with_rest(self._survey, complete=False)
        return self._survey

    def add(self, number: int, part: PartialEvidence) -> None:
        """Take in a part, or one that replaces it."""
        again = number in self._parts
        self._survey = survey = None if again else part.survey.with_rest(self.survey, complete=False)
        self._parts[number] = replace(part, results=None)
        if part.results is None:
            return
        measures = part.assumptions.measures
        if self._measures != measures:  # the results so far do not hold, or these do not
            if self._measures is not None and self._applicable(survey or self.survey)[0] != measures:
                return
            self._measures, self._rows, self._tallies = measures, {}, {}
        self._tallies[number] = part.results.tallies
        for needs, rows in part.results.rows.items():
            statistics = {}
            for measure, values in part.results.statistics.items():
                if measure.needs == needs:
                    statistics[measure] = values
            gathered = part.results.gathered if needs == "pair" else None
            self._rows.setdefault(needs, RowMerger()).add(number, rows, statistics, gathered)

    def _applicable(self, survey: CorpusSurvey | None) -> tuple[tuple[Measure, ...], tuple[Diagnostic, ...]]:
        assert survey is not None, "a corpus has one part or more"
        return applicable_measures(self._job.task, survey.counts, self._job.measures, self._job.options)

    def stale(self) -> list[int]:
        """Return the parts that were scored with assumptions that do not hold for the whole."""
        survey = self.survey
        measures, self._notes = self._applicable(survey)
        assert survey is not None, "a corpus has one part or more"
        self._annotators = []
        for collection, names in zip(self._corpus.references, survey.annotators, strict=True):
            self._annotators += names.annotators(collection.name)
        check_annotators(self._annotators)
        if self._job.annotator not in (ALL, *self._annotators):
            unknown = OptionError.unknown("annotator", self._job.annotator, [ALL, *self._annotators])
            raise OptionError(unknown.message, f"{unknown.hint}; NAME=PATH adds a further one")
        for part in self._parts.values():
            if part.ended:
                measures = ()
        stale = []
        for number, part in sorted(self._parts.items()):
            scored = not measures or number in self._tallies  # without measures there will be no scores
            if not scored or not part.assumptions.hold(measures or None, survey):
                stale.append(number)
        return stale

    def evidence(self, losses: Iterable[Diagnostic] = ()) -> Evidence:
        """Return the evidence of the whole, once no part is stale; ``losses`` are of lost workers."""
        parts = [part for _, part in sorted(self._parts.items())]
        annotators = self._annotators if self._job.annotator == ALL else [self._job.annotator]
        diagnostics = [*self._diagnostics(parts, annotators), *losses]
        self._check_usable(parts, diagnostics)
        diagnostics += self._notes
        if not self._measures:
            raise DataError(diagnostics)
        groups = list(product([system.name for system in self._corpus.systems], (*annotators, ALL)))
        rows: dict[Needs, Rows] = {}
        columns: dict[Measure, list[list[Values]]] = {}
        gathered: Gathered | None = None
        while self._rows:  # what is merged goes: there is no room for both
            needs = next(iter(self._rows))
            rows[needs], own, together = self._rows.pop(needs).merged(groups)
            columns |= own
            gathered = gathered or together
        in_order = sorted(columns, key=self._measures.index)
        tables: dict[str, list[ExactTally]] = {}
        for _, of_part in sorted(self._tallies.items()):
            for name, tally in of_part.items():
                tables.setdefault(name, []).append(tally)
        tallies = {name: sum_tallies(tables[name], groups) for name in tables}
        return Evidence(
            measures=self._measures,
            rows=rows,
            statistics=ColumnStatistics(
                dict(zip(in_order, map(columns.__getitem__, in_order), strict=True)), rows
            ),
            tallies=tallies,
            fingerprints=self._fingerprints(annotators),
            gathered=gathered,
            diagnostics=(*diagnostics, *remarks(self._job.task, tallies)),
        )

    def _check_usable(self, parts: Sequence[PartialEvidence], diagnostics: list[Diagnostic]) -> None:
        """Raise the diagnostics if they, or a part, end the run, or if nothing can be scored."""
        ended, paired = False, False
        for diagnostic in diagnostics:
            ended = ended or (self._job.strict and diagnostic.severity != "note")
            ended = ended or (self._job.missing == "error" and diagnostic.code == "KT203")
        for part in parts:
            ended, paired = ended or part.ended, paired or part.paired
        if ended:
            raise DataError(diagnostics)
        if not paired:
            raise DataError([*diagnostics, *_nothing_scored(self._corpus, diagnostics)])

    def _fingerprints(self, annotators: Sequence[str]) -> dict[tuple[str, str], bytes]:
        whole: dict[tuple[str, str], bytes] = {}
        for number, part in sorted(self._parts.items()):
            whole.update(part.fingerprints)
            self._parts[number] = replace(part, fingerprints={})  # there is no room for both
        if len(annotators) < 2:
            return whole
        return {key: whole[key] for annotator in annotators for key in whole if key[0] == annotator}

    def _diagnostics(
        self, parts: Sequence[PartialEvidence], annotators: Sequence[str]
    ) -> Iterator[Diagnostic]:
        """Yield the diagnostics of the corpus and of its parts, in the order of reading."""
        task, corpus = self._job.task, self._corpus
        if task.notices is not None:
            yield from task.notices(self._job.options)
        sections: dict[Section, list[Diagnostic]] = {}
        expected: set[str] = set()
        checks = parts[0].sanity_checks
        for number, part in enumerate(parts):
            expected.update(part.items)
            checks = checks.merge(part.sanity_checks) if number else checks
            for section, diagnostics in part.diagnostics.items():
                sections.setdefault(section, []).extend(diagnostics)
        for number, collection in enumerate(corpus.references):
            read = sections.get(("references", str(number)), [])
            refused = sections.get(("refused", str(number)), [])
            yield from merge_diagnostics(task, [*collection.diagnostics, *read, *refused])
        for annotator in annotators:
            yield from sections.get(("matched references", annotator), ())
        for system in corpus.systems:
            yield from unmatched(frozenset(expected), corpus.references, system, missing=self._job.missing)
            yield from spelled_apart(corpus.references, system)
            read = sections.get(("estimates", system.name), [])
            yield from merge_diagnostics(task, [*system.diagnostics, *read])
            yield from sections.get(("matched estimates", system.name), ())
        systems = [system.name for system in corpus.systems if not system.partial]
        yield from checks.diagnostics(task, systems, annotators)


_UNPAIRED = ("KT203", "KT204")
"""Codes of items that one side lacks."""


def _nothing_scored(corpus: Corpus, diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Report that nothing could be scored, unless the names meet and errors tell why nothing else did."""
    names = corpus.items
    met = corpus.references and any(names & system.items for system in corpus.systems)
    if met and any(
        diagnostic.severity == "error" and diagnostic.code not in _UNPAIRED for diagnostic in diagnostics
    ):
        return
    hint = None
    if corpus.references and not met:
        sources = (
            source for base in corpus.bases for item in base.sources for _, source in base.sources[item]
        )
        in_memory = name_of_source(next(sources, None)) is None
        key = "key of the mapping" if in_memory else "path below the folder, without suffix"
        hint = f"items are paired by {key}"
    pairs = "no reference and estimate that can be read form a pair"
    message = f"nothing could be scored: {pairs if corpus.references else 'no estimate can be read'}"
    yield Diagnostic("KT200", "error", message, hint=hint, file=corpus.bases[0].origin or None)
