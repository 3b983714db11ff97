# SPDX-License-Identifier: MIT
"""From parts to the whole: in one order, whichever part came first and however the corpus was cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain

from kammerton.errors import DataError, Diagnostic, OptionError
from kammerton.model.corpus import ALL, Corpus, check_annotators, spelled_apart
from kammerton.model.evaluating import remarks
from kammerton.model.evidence import Evidence
from kammerton.model.exact import ExactTally, summed
from kammerton.model.gathering import Gathered
from kammerton.model.loading import Roster, said_once
from kammerton.model.measure import Measure, Needs
from kammerton.model.parts import Facts, Part, applicable_measures
from kammerton.model.rows import Group, Rows
from kammerton.model.scoring import Order
from kammerton.model.stacking import Stack, Stacked
from kammerton.model.suspicions import Suspicions
from kammerton.model.unmatched import unmatched

__all__ = ["Ledger"]


class Ledger:
    """Takes parts in, and makes evidence of them.

    Parameters
    ----------
    order : Order
        What was done with every part.
    corpus : Corpus
        The whole, paired.
    """

    def __init__(self, order: Order, corpus: Corpus) -> None:
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
        """Take in a part, or one that is to replace it.

        Parameters
        ----------
        number : int
            Its place: the items of a part come before those of the next.
        part : Part
        """
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
        """Return the parts that were scored on grounds that do not hold for the whole.

        Raises
        ------
        OptionError
            If two annotators have the same name, or there is none of the name that was asked for.
        """
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
        """Return the evidence of the whole, once no part is stale.

        Parameters
        ----------
        said : iterable of Diagnostic
            What else is to be said of it.

        Raises
        ------
        DataError
            If nothing can be scored; if anything was wrong and the order is strict; if an estimate is
            missing or unusable and that is to end the run.
        """
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
        suspicions = Suspicions(silent=frozenset(system.name for system in corpus.systems))
        for part in self._in_order():
            suspicions = suspicions.merged(part.suspicions)
        yield from suspicions.told(task, [system.name for system in corpus.systems], self._annotators())

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
