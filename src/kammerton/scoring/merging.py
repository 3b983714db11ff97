# SPDX-License-Identifier: MIT
"""Statistics of parts become those of the whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import DataError, Diagnostic, OptionError
from kammerton.model.corpus import ALL, Corpus, check_annotators, spelled_apart
from kammerton.model.evidence import Evidence, ExactTally, Group, Rows, summed
from kammerton.model.measure import Gathered, Measure, Needs, Statistics, Values, join
from kammerton.scoring.evaluating import Facts, Part, ScoringJob, applicable_measures, remarks
from kammerton.scoring.loading import Roster, said_once
from kammerton.scoring.pairing import unmatched
from kammerton.scoring.sanity_checks import SanityChecks

__all__ = ["Ledger", "Stack", "Stacked"]

Places = NDArray[np.int64]
_ZEROS = -1
"""In place of the number of a column that is nothing but zeros."""


class Stacked(Mapping[Measure, Statistics]):
    """Statistics of each measure, made of columns when they are asked for."""

    def __init__(
        self, columns: Mapping[Measure, Sequence[Sequence[Values]]], rows: Mapping[Measure, int]
    ) -> None:
        self._columns, self._rows = columns, rows

    def __getitem__(self, measure: Measure) -> Statistics:
        columns = self._columns[measure]
        whole = np.zeros((self._rows[measure], len(columns)))
        for place, pieces in enumerate(columns):
            if pieces:
                np.concatenate(pieces, out=whole[:, place])
        return whole

    def __iter__(self) -> Iterator[Measure]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def beside(self, other: Stacked, measures: Sequence[Measure]) -> Stacked:
        """Return both, in the order of the measures."""
        columns, rows = {**self._columns, **other._columns}, {**self._rows, **other._rows}
        known = [measure for measure in measures if measure in columns]
        return Stacked({measure: columns[measure] for measure in known}, rows)


class _Pool:
    """Columns of statistics, in pieces as they come; those that are equal are kept once.

    They are most of what a large corpus needs: many measures share their statistics, and of many classes
    there is nothing in a corpus.
    """

    def __init__(self) -> None:
        self.columns: list[list[Values]] = []
        self.places: dict[Measure, list[int]] = {}

    def add(self, statistics: Mapping[Measure, Statistics], first: int, rows: int) -> None:
        """Put rows behind the ``first`` that there are."""
        nothing = bytes(rows * 8)
        seen: dict[tuple[int, bytes], int] = {}
        grown = {_ZEROS}
        for measure, found in statistics.items():
            places = self.places.setdefault(measure, [_ZEROS] * found.shape[1])
            for number, values in enumerate(np.ascontiguousarray(found.T)):
                key = places[number], values.tobytes()
                if key not in seen:
                    seen[key] = _ZEROS
                    if key != (_ZEROS, nothing):
                        seen[key] = self._grown(places[number], first, values, apart=places[number] in grown)
                    grown.add(places[number])
                places[number] = seen[key]

    def _grown(self, place: int, first: int, values: Values, *, apart: bool) -> int:
        """Return the number of a column with more values: a new one, if it goes on apart from its like."""
        if apart:
            before = [np.zeros(first)] if place == _ZEROS else self.columns[place][:-1]
            self.columns.append([*before, values.copy()])
            return len(self.columns) - 1
        self.columns[place].append(values.copy())
        return place


class Stack:
    """Rows for measures that need the same, with their statistics."""

    def __init__(self) -> None:
        self._height = 0
        self._parts: dict[int, tuple[int, Rows]] = {}
        self._pool = _Pool()
        self._gathered: dict[int, Gathered] = {}

    def add(
        self,
        number: int,
        rows: Rows,
        statistics: Mapping[Measure, Statistics],
        gathered: Gathered | None,
    ) -> None:
        """Put the rows of a part on top; those that it had before are of no use any more."""
        first, self._height = self._height, self._height + len(rows)
        self._parts[number] = first, rows
        self._gathered.pop(number, None)
        if gathered is not None:
            self._gathered[number] = replace(gathered, cases=gathered.cases + first)
        self._pool.add(statistics, first, len(rows))

    def ordered(self, groups: Sequence[Group]) -> tuple[Rows, Stacked, Gathered | None]:
        """Return rows, statistics, and what was gathered: by group, then by item."""
        parts = [self._parts[number] for number in sorted(self._parts)]  # in that of their items
        rows = Rows.joined(part for _, part in parts)
        place = {group: number for number, group in enumerate(groups)}
        by_group = np.argsort(
            np.array([place[group] for group in rows.groups], dtype=np.int64)[rows.group_codes], kind="stable"
        )
        spans = [np.arange(first, first + len(part)) for first, part in parts]
        order = np.concatenate([np.empty(0, dtype=np.int64), *spans])[by_group]
        in_place = np.array_equal(order, np.arange(self._height))
        columns = self._pool.columns
        if not in_place:
            for pieces in columns:  # one after the other: there is no room for all twice
                pieces[:] = [np.concatenate(pieces)[order]]
            rows = rows.take(by_group)
        statistics = {
            measure: [[] if place == _ZEROS else columns[place] for place in places]
            for measure, places in self._pool.places.items()
        }
        return rows, Stacked(statistics, dict.fromkeys(statistics, len(order))), self._regathered(order)

    def _regathered(self, order: Places) -> Gathered | None:
        """Return what was gathered with its cases in order, and its names in that of the alphabet."""
        if not self._gathered:
            return None
        whole = join(self._gathered[number] for number in sorted(self._gathered))
        place = np.empty(self._height, dtype=np.int64)
        place[order] = np.arange(len(order))
        cases = place[whole.cases]
        rows = np.argsort(cases, kind="stable")
        classes, codes = _by_name(whole.classes, whole.codes[rows])
        units, unit_codes = _by_name(whole.units, whole.unit_codes[rows])
        return Gathered(whole.columns, cases[rows], classes, codes, units, unit_codes, whole.values[rows])


def _by_name(names: tuple[str, ...], codes: Places) -> tuple[tuple[str, ...], Places]:
    """Sort names; codes below 0 are none of them."""
    by_name = sorted(range(len(names)), key=names.__getitem__)
    place = np.empty(len(names) + 1, dtype=np.int64)
    place[by_name] = np.arange(len(names))
    place[-1] = -1
    return tuple(names[number] for number in by_name), place[codes]


class Ledger:
    """Takes parts in, and makes evidence of them."""

    def __init__(self, order: ScoringJob, corpus: Corpus) -> None:
        self._order, self._corpus = order, corpus
        self._facts: Facts | None = None
        self._parts: dict[int, Part] = {}
        self._measures: tuple[Measure, ...] | None = None
        self._stacks: dict[Needs, Stack] = {}
        self._tallies: dict[int, Mapping[str, ExactTally]] = {}

    @property
    def facts(self) -> Facts:
        """What is known of the parts so far."""
        if self._facts is None:
            nothing = Facts(tuple(Roster() for _ in self._corpus.references))
            self._facts = reduce(Facts.merged, (part.facts for part in self._parts.values()), nothing)
        return self._facts

    def add(self, number: int, part: Part) -> None:
        """Take in a part, or one that is to replace it."""
        self._facts = None if number in self._parts else self.facts.merged(part.facts)
        self._parts[number] = replace(part, judged=None)
        if part.judged is None:
            return
        measures = part.grounds.measures
        if self._measures != measures:  # what was measured before does not hold, or this does not
            if self._measures is not None and self._applicable()[0] != measures:
                return
            self._measures, self._stacks, self._tallies = measures, {}, {}
        self._tallies[number] = part.judged.tallies
        for needs, rows in part.judged.rows.items():
            own = {m: found for m, found in part.judged.statistics.items() if m.needs == needs}
            gathered = part.judged.gathered if needs == "pair" else None
            self._stacks.setdefault(needs, Stack()).add(number, rows, own, gathered)

    def stale(self) -> list[int]:
        """Return the parts that were scored on grounds that do not hold for the whole."""
        annotators = [who for each in self._rosters() for who in each]
        check_annotators(annotators)
        asked = self._order.annotator
        if asked not in (ALL, *annotators):
            unknown = OptionError.unknown("annotator", asked, [ALL, *annotators])
            raise OptionError(unknown.message, f"{unknown.hint}; NAME=PATH adds a further one")
        measures = self._applicable()[0]
        parts = sorted(self._parts.items())
        if not measures or any(part.ended for _, part in parts):  # there will be no figures
            return [number for number, part in parts if not part.grounds.hold(None, self.facts)]
        return [
            number
            for number, part in parts
            if number not in self._tallies or not part.grounds.hold(measures, self.facts)
        ]

    def evidence(self, said: Iterable[Diagnostic] = ()) -> Evidence:
        """Return the evidence of the whole, once no part is stale."""
        diagnostics = [*self._said(), *said]
        wrong = any(each.severity != "note" for each in diagnostics)
        lacking = any(each.code == "KT203" for each in diagnostics)
        ends = (self._order.strict and wrong) or (self._order.missing == "error" and lacking)
        if ends or any(part.ended for part in self._parts.values()):
            raise DataError(diagnostics)
        if not any(part.paired for part in self._parts.values()):
            raise DataError([*diagnostics, self._nothing()])
        measures, notes = self._applicable()
        diagnostics += notes
        if not measures:
            raise DataError(diagnostics)
        annotators = self._annotators()
        rows: dict[Needs, Rows] = {}
        found = Stacked({}, {})
        gathered: Gathered | None = None
        groups = self._groups(annotators)
        for needs in list(self._stacks):
            rows[needs], own, together = self._stacks.pop(needs).ordered(groups)
            found = found.beside(own, measures)
            gathered = gathered or together
        tallies = {name: tally.rounded(groups) for name, tally in self._tallied().items()}
        return Evidence(
            measures=measures,
            rows=rows,
            statistics=found,
            tallies=tallies,
            fingerprints=self._fingerprints(annotators),
            gathered=gathered,
            diagnostics=(*diagnostics, *remarks(self._order.task, tallies)),
        )

    def _applicable(self) -> tuple[tuple[Measure, ...], tuple[Diagnostic, ...]]:
        order = self._order
        return applicable_measures(order.task, self.facts.census, order.measures, order.options)

    def _rosters(self) -> list[list[str]]:
        """Return the annotators of each collection of references."""
        pairs = zip(self._corpus.references, self.facts.rosters, strict=True)
        return [roster.annotators(collection.name) for collection, roster in pairs]

    def _annotators(self) -> list[str]:
        known = [who for each in self._rosters() for who in each]
        return known if self._order.annotator == ALL else [self._order.annotator]

    def _groups(self, annotators: Sequence[str]) -> list[Group]:
        systems = [system.name for system in self._corpus.systems]
        return [(system, who) for system in systems for who in (*annotators, ALL)]

    def _in_order(self) -> Iterator[Part]:
        return (self._parts[number] for number in sorted(self._parts))

    def _fingerprints(self, annotators: Sequence[str]) -> dict[tuple[str, str], bytes]:
        whole: dict[tuple[str, str], bytes] = {}
        for number, part in sorted(self._parts.items()):
            whole.update(part.fingerprints)
            self._parts[number] = replace(part, fingerprints={})  # there is no room for both
        if len(annotators) < 2:
            return whole
        return {key: whole[key] for annotator in annotators for key in whole if key[0] == annotator}

    def _tallied(self) -> dict[str, ExactTally]:
        found: dict[str, list[ExactTally]] = {}
        for _, tallies in sorted(self._tallies.items()):
            for name, tally in tallies.items():
                found.setdefault(name, []).append(tally)
        return {name: summed(tallies) for name, tallies in found.items()}

    def _said(self) -> Iterator[Diagnostic]:
        """Give everything that was said, in the order of reading."""
        task, corpus, order = self._order.task, self._corpus, self._order
        yield from () if task.notices is None else task.notices(order.options)
        for number, collection in enumerate(corpus.references):
            sections = (self._section("references", str(number)), self._section("refused", str(number)))
            yield from said_once(task, [*collection.diagnostics, *chain(*sections)])
        for annotator in self._annotators():
            yield from self._section("matched", annotator)
        expected = frozenset(item for part in self._parts.values() for item in part.items)
        for system in corpus.systems:
            yield from unmatched(expected, corpus.references, system, missing=order.missing)
            yield from spelled_apart(corpus.references, system)
            yield from said_once(task, [*system.diagnostics, *self._section("estimates", system.name)])
            yield from self._section("paired", system.name)
        sanity_checks = SanityChecks(silent=frozenset(system.name for system in corpus.systems))
        for part in self._in_order():
            sanity_checks = sanity_checks.merged(part.sanity_checks)
        yield from sanity_checks.told(task, [system.name for system in corpus.systems], self._annotators())

    def _section(self, where: str, whose: str) -> Iterator[Diagnostic]:
        for part in self._in_order():
            yield from part.said.get((where, whose), ())

    def _nothing(self) -> Diagnostic:
        pairs = "no reference and estimate that can be read form a pair"
        hint = "items are paired by path below the folder, without suffix"
        paired = bool(self._corpus.references)
        return Diagnostic(
            code="KT200",
            severity="error",
            message=f"nothing could be scored: {pairs if paired else 'no estimate can be read'}",
            hint=hint if paired else None,
            file=self._corpus.bases[0].origin or None,
        )
