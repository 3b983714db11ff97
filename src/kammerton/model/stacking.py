# SPDX-License-Identifier: MIT
"""Rows of parts, stacked as they come and put in order at the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kammerton.model.gathering import Gathered, join
from kammerton.model.measure import Measure, Statistics, Values
from kammerton.model.rows import Group, Rows

__all__ = ["Stack", "Stacked"]

Places = NDArray[np.int64]

_ZEROS = -1
"""In place of the number of a column that is nothing but zeros."""


class Stacked(Mapping[Measure, Statistics]):
    """Statistics of each measure, made of columns when they are asked for.

    Parameters
    ----------
    columns : mapping of Measure to sequence of sequence of ndarray
        Pieces of each column; none of one that is nothing but zeros.
    rows : mapping of Measure to int
    """

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
        """Return rows, statistics, and what was gathered: by group, then by item.

        Parameters
        ----------
        groups : sequence of (system, annotator)
            In order.
        """
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
