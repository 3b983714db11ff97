# SPDX-License-Identifier: MIT
"""What evaluation yields for each item: statistics, rows, class tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from kammerton.arrays import Codes, Flags
from kammerton.errors import Diagnostic
from kammerton.model.corpus import ALL
from kammerton.model.measure import Gathered, Measure, Needs, Statistics, join, join_codes
from kammerton.model.task import ClassKey, ClassTable, Task

Status = Literal["ok", "missing", "failed"]
Group = tuple[str, str]
"""A system, and an annotator or ``"all"``."""
Known = TypeVar("Known")


@dataclass(frozen=True, slots=True)
class Row:
    """One item of one system against one annotator, or against all of them at once."""

    # system, item, annotator: which
    system: str
    item: str
    annotator: str
    status: Status = "ok"  # whether there was an estimate, and whether both sides could be used
    # whether the row enters corpus scores: a missing estimate does under the policy ``worst``, a failed
    # reference never
    counts: bool = True
    # why the status is not ok; else what the annotations lack, for :meth:`.Measure.why_undefined`
    reason: str = ""


class State(NamedTuple):
    """What a row says beside what it is of."""

    status: Status
    counts: bool
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows in columns: of many rows few say anything of their own but the item."""

    items: tuple[str, ...]  # of each row
    groups: tuple[Group, ...]  # those that there are, in the order of their first rows
    group_codes: Codes  # place of the group of each row
    states: tuple[State, ...]  # those that there are, in the order of their first rows
    state_codes: Codes  # place of the state of each row

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Rows:
        """Return rows as columns."""
        if isinstance(rows, Rows):
            return rows
        groups: dict[Group, int] = {}
        states: dict[State, int] = {}
        items, group_codes, state_codes = [], [], []
        for row in rows:
            state = State(row.status, row.counts, row.reason)
            items.append(row.item)
            group_codes.append(groups.setdefault((row.system, row.annotator), len(groups)))
            state_codes.append(states.setdefault(state, len(states)))
        return cls(
            tuple(items),
            tuple(groups),
            np.array(group_codes, dtype=np.int64),
            tuple(states),
            np.array(state_codes, dtype=np.int64),
        )

    @classmethod
    def joined(cls, parts: Iterable[Rows]) -> Rows:
        """Return the rows of all parts, one part behind the other."""
        known = list(parts)
        if len(known) == 1:
            return known[0]
        return cls(
            tuple(chain.from_iterable(part.items for part in known)),
            *join_codes((part.groups, part.group_codes) for part in known),
            *join_codes((part.states, part.state_codes) for part in known),
        )

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Row]:
        codes = self.group_codes.tolist(), self.state_codes.tolist()
        for item, group, state in zip(self.items, *codes, strict=True):
            system, annotator = self.groups[group]
            yield Row(system, item, annotator, *self.states[state])

    def __getitem__(self, number: int) -> Row:
        system, annotator = self.groups[self.group_codes[number]]
        return Row(system, self.items[number], annotator, *self.states[self.state_codes[number]])

    def take(self, numbers: Codes) -> Rows:
        """Return some rows by number, in that order."""
        groups = _by_first_use(self.groups, self.group_codes[numbers])
        return Rows(self.items_at(numbers), *groups, *_by_first_use(self.states, self.state_codes[numbers]))

    def items_at(self, numbers: Codes) -> tuple[str, ...]:
        """Return the items of some rows by number."""
        return tuple(map(self.items.__getitem__, numbers.tolist()))

    def of_system(self, name: str, annotator: str = ALL) -> Flags:
        """Return for each row whether it is of this system, and annotator unless all are meant."""
        flags = [system == name and annotator in (ALL, who) for system, who in self.groups]
        return np.array(flags, dtype=bool)[self.group_codes]

    @property
    def counting(self) -> Flags:
        """Whether each row enters corpus scores."""
        return np.array(list(map(attrgetter("counts"), self.states)), dtype=bool)[self.state_codes]

    def with_status(self, status: Status) -> Flags:
        """Return for each row whether it has this status."""
        return np.array([state.status == status for state in self.states], dtype=bool)[self.state_codes]

    def regrouped(self, name: Callable[[str, str], Group]) -> Rows:
        """Return the rows with other names of systems and annotators, which tell as many groups apart."""
        groups = tuple(name(*group) for group in self.groups)
        return Rows(self.items, groups, self.group_codes, self.states, self.state_codes)


def _by_first_use(known: Sequence[Known], codes: Codes) -> tuple[tuple[Known, ...], Codes]:
    """Return what is used, in the order of first use, and the codes of that."""
    used, first, places = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return tuple(known[code] for code in used[order].tolist()), rank[places]


@dataclass(frozen=True, slots=True)
class Tally:
    """A class table: the weight of each cell, for each system and annotator."""

    columns: tuple[str, ...]
    unit: str
    cells: Mapping[Group, dict[ClassKey, float]]

    def merged(self, other: Tally) -> Tally:
        """Return the table of both."""
        cells = {key: dict(value) for key, value in self.cells.items()}
        for key, classes in other.cells.items():
            into = cells.setdefault(key, {})
            for cell, weight in classes.items():
                into[cell] = into.get(cell, 0.0) + weight
        return Tally(self.columns, self.unit, cells)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Rows with their statistics; the evidence of two parts of a corpus merges into that of the whole."""

    measures: tuple[Measure, ...]  # everything that was measured, in the order of output
    # by what a measure needs: one row per system, item and annotator for pairs, else one per system and item
    rows: Mapping[Needs, Rows]
    # of all measures but those over classes, in the order of the rows for what the measure needs; zero for a
    # row that does not count
    statistics: Mapping[Measure, Statistics]
    tallies: Mapping[str, Tally]  # class tables by name
    # digest of the content of each reference that was used; without references, of annotator ``"all"``, of
    # what estimates are about
    fingerprints: Mapping[tuple[str, str], bytes]
    # what measures over classes are made from; its cases are the rows of pairs
    gathered: Gathered | None = None
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def has_references(self) -> bool:
        """Whether there were references to compare with."""
        return any(annotator != ALL for annotator, _ in self.fingerprints)

    def merged(self, other: Evidence) -> Evidence:
        """Return the evidence of both parts; they share no row."""
        gathered = [] if self.gathered is None else [self.gathered]
        if other.gathered is not None:  # its cases are rows behind these
            gathered.append(replace(other.gathered, cases=other.gathered.cases + len(self.rows["pair"])))
        return Evidence(
            measures=self.measures,
            rows={needs: Rows.joined((rows, other.rows[needs])) for needs, rows in self.rows.items()},
            statistics={
                measure: np.concatenate((part, other.statistics[measure]))
                for measure, part in self.statistics.items()
            },
            tallies={
                name: tally.merged(other.tallies[name]) if name in other.tallies else tally
                for name, tally in {**other.tallies, **self.tallies}.items()
            },
            fingerprints={**self.fingerprints, **other.fingerprints},
            gathered=join(gathered) if gathered else None,
            diagnostics=self.diagnostics + other.diagnostics,
        )

    def where(self, chosen: Mapping[Needs, Flags]) -> Evidence:
        """Return the evidence of some rows; class tables, which are of all of them, are left out."""
        gathered = self.gathered
        if gathered is not None:  # its cases are numbers of rows
            part = gathered.of(chosen["pair"])
            gathered = replace(part, cases=np.cumsum(chosen["pair"])[part.cases] - 1)
        return replace(
            self,
            rows={needs: rows.take(np.flatnonzero(chosen[needs])) for needs, rows in self.rows.items()},
            statistics={measure: part[chosen[measure.needs]] for measure, part in self.statistics.items()},
            tallies={},
            gathered=gathered,
        )


_MANY = 64
"""Terms that a cell holds before they are condensed."""


def condensed(terms: Iterable[float]) -> list[float]:
    """Return few numbers, the largest first, that have exactly the same sum.

    Examples
    --------
    >>> condensed([1e16, 1.0, 1.0, 1.0])
    [1.0000000000000004e+16, -1.0]
    """
    rest, few = list(terms), []
    while total := math.fsum(rest):
        few.append(total)
        rest.append(-total)
    return few


@dataclass(slots=True, eq=False)
class ExactTally:
    """A class table that is being summed: the terms of each cell, by group and classes."""

    columns: tuple[str, ...]
    unit: str
    cells: dict[Group, dict[ClassKey, list[float]]] = field(default_factory=dict)

    def add(self, other: ExactTally) -> None:
        """Add the cells of another table of that name."""
        for group, cells in other.cells.items():
            into = self.cells.setdefault(group, {})
            for classes, terms in cells.items():
                own = into.setdefault(classes, [])
                own += terms
                if len(own) > _MANY:
                    own[:] = condensed(own)


def sum_tallies(tallies: Sequence[ExactTally], groups: Iterable[Group]) -> Tally:
    """Return the sum of tables of one name, at least one: groups in this order, cells in that of classes."""
    whole = tallies[0]
    if len(tallies) > 1:
        whole = ExactTally(whole.columns, whole.unit)
        for tally in tallies:
            whole.add(tally)
    cells: dict[Group, dict[ClassKey, float]] = {}
    for group in groups:
        if group in whole.cells:
            of_group, into = whole.cells[group], cells.setdefault(group, {})
            for classes in sorted(of_group, key=_in_order):
                terms = of_group[classes]
                into[classes] = terms[0] if len(terms) == 1 else math.fsum(terms)
    return Tally(whole.columns, whole.unit, cells)


def add_tables(tallies: dict[str, ExactTally], tables: Iterable[ClassTable], groups: Sequence[Group]) -> None:
    """Add class tables of cases to those of all groups."""
    for table in tables:
        if table.name not in tallies:
            tallies[table.name] = ExactTally(table.columns, table.unit)
        cells = tallies[table.name].cells
        for group in groups:
            cells.setdefault(group, {})
        of_groups = list(map(cells.__getitem__, groups))
        rows = zip(table.groups.tolist(), table.classes, table.weights.tolist(), strict=True)
        for number, classes, weight in rows:
            terms = of_groups[number].setdefault(classes, [])
            terms.append(weight)
            if len(terms) > _MANY:
                terms[:] = condensed(terms)


@lru_cache(maxsize=1 << 14)  # the same classes come in every group, and every table
def _in_order(classes: ClassKey) -> tuple[tuple[int, str | int], ...]:
    """Return what classes are sorted by: nothing comes first, then numbers, then names."""
    return tuple(
        (0, 0) if name is None else (1, name) if isinstance(name, int) else (2, name) for name in classes
    )


RowKind = Literal["pair", "references+estimate", "estimate", "annotators", "gathered"]
"""What rows are of: items by what their measures need, or classes."""
ClassStatistics = tuple[tuple[str, ...], Mapping[Measure, Statistics]]
"""Names of classes, and statistics of each measure, one row per class."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassEvidence:
    """What measures over classes are made from, and how."""

    rows: Rows  # of pairs; the cases of what was gathered are their numbers
    gathered: Gathered  # of the whole corpus: statistics of classes do not add up over items
    measures: tuple[Measure, ...]  # all measures over classes
    # ``classes(gathered, measures)`` makes classes of the rows of one system and annotator
    classes: Callable[[Gathered, Sequence[Measure]], ClassStatistics]

    @classmethod
    def of(cls, task: Task, evidence: Evidence, options: object) -> ClassEvidence | None:
        """Return what there is in the evidence of a whole corpus; None if no measure is over classes."""
        measures = tuple(measure for measure in evidence.measures if measure.aggregate == "gathered")
        gather = task.gather
        if not measures or evidence.gathered is None or gather is None:
            return None
        return cls(
            evidence.rows["pair"],
            evidence.gathered,
            measures,
            lambda gathered, chosen: gather(gathered, chosen, options),
        )


def statistics_by_class(class_evidence: ClassEvidence) -> tuple[Rows, dict[Measure, Statistics]]:
    """Return a row for each class of each system and annotator, and its statistics."""
    pairs = class_evidence.rows
    rows: list[Row] = []
    parts: dict[Measure, list[Statistics]] = {measure: [] for measure in class_evidence.measures}
    for number, (system, annotator) in enumerate(pairs.groups):
        own = class_evidence.gathered.of(pairs.group_codes == number)
        names, statistics = class_evidence.classes(own, class_evidence.measures)
        rows += [Row(system, name, annotator) for name in names]
        for measure in class_evidence.measures:
            parts[measure].append(statistics[measure])
    return Rows.of(rows), dict(zip(parts, map(np.concatenate, parts.values()), strict=True))


def has_class(row: Statistics) -> bool:
    """Return whether a measure has a class, by its row of statistics, which is NaN if not."""
    return not np.isnan(row).all()


def kind_of(measure: Measure) -> RowKind:
    """Return what the rows of a measure are of."""
    return "gathered" if measure.aggregate == "gathered" else measure.needs
