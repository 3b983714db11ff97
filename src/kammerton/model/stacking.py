# SPDX-License-Identifier: MIT
"""Rows of parts, stacked as they come and put in order at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kammerton.model.evidence import Group, Row
from kammerton.model.gathering import Gathered, join
from kammerton.model.measure import Measure, Statistics

__all__ = ["Stack"]

Places = NDArray[np.int64]


class Stack:
    """Rows for measures that need the same, with their statistics.

    Statistics grow in place: they are most of what a large corpus needs, and there is no room for two.
    """

    def __init__(self) -> None:
        self._rows: list[Row] = []
        self._statistics: dict[Measure, Statistics] = {}
        self._gathered: dict[int, Gathered] = {}
        self._spans: dict[int, tuple[int, int]] = {}

    def add(
        self,
        number: int,
        rows: Sequence[Row],
        statistics: Mapping[Measure, Statistics],
        gathered: Gathered | None,
    ) -> None:
        """Put the rows of a part on top; those that it had before are of no use any more."""
        first = len(self._rows)
        self._rows += rows
        self._spans[number] = first, len(self._rows)
        self._gathered.pop(number, None)
        if gathered is not None:
            self._gathered[number] = replace(gathered, cases=gathered.cases + first)
        for measure, found in statistics.items():
            whole = self._statistics.setdefault(measure, np.empty((0, found.shape[1])))
            whole.resize((len(self._rows), found.shape[1]), refcheck=False)
            whole[first:] = found

    def ordered(
        self, groups: Sequence[Group]
    ) -> tuple[tuple[Row, ...], dict[Measure, Statistics], Gathered | None]:
        """Return rows, statistics, and what was gathered: by group, then by item.

        Parameters
        ----------
        groups : sequence of (system, annotator)
            In order.
        """
        order = self._order(groups)
        in_place = np.array_equal(order, np.arange(len(self._rows)))
        if not in_place:
            for measure in self._statistics:  # one after the other: there is no room for all of them twice
                self._statistics[measure] = self._statistics[measure][order]
        rows = tuple(self._rows) if in_place else tuple(map(self._rows.__getitem__, order.tolist()))
        return rows, self._statistics, self._regathered(order)

    def _order(self, groups: Sequence[Group]) -> Places:
        """Return the numbers of the rows in their order; parts come in that of their items."""
        place = {group: number for number, group in enumerate(groups)}
        kept = [np.arange(*self._spans[number], dtype=np.int64) for number in sorted(self._spans)]
        rows = np.concatenate([np.empty(0, dtype=np.int64), *kept])
        keys = np.fromiter(
            (place[row.system, row.annotator] for row in map(self._rows.__getitem__, rows.tolist())),
            dtype=np.int64,
            count=len(rows),
        )
        return rows[np.argsort(keys, kind="stable")]

    def _regathered(self, order: Places) -> Gathered | None:
        """Return what was gathered with its cases in order, and its names in that of the alphabet."""
        if not self._gathered:
            return None
        whole = join(self._gathered[number] for number in sorted(self._gathered))
        place = np.empty(len(self._rows), dtype=np.int64)
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
