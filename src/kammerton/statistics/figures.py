# SPDX-License-Identifier: MIT
"""Corpus figures as functions of how often each item is drawn.

A pooled figure finalises sums of statistics. A mean is a quotient of two sums: of what the items count, and
of their number. A weighted mean is one as well. All sums of all figures are one product of draws and columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kammerton.core.intervals import Codes
from kammerton.core.ratios import ratio
from kammerton.model.item_figures import ItemFigures
from kammerton.model.measure import Aggregate, Measure, Statistics, Values
from kammerton.statistics.medians import DrawnMedian, median_of_rows
from kammerton.statistics.resampling import Draws

__all__ = ["FigureSums", "Figures", "Key", "sums_of"]


class Key(NamedTuple):
    """Which corpus figure: a row of :attr:`kammerton.model.scores.Scores.summary`."""

    system: str
    annotator: str
    measure: Measure
    aggregate: Aggregate


@dataclass(frozen=True, slots=True, eq=False)
class FigureSums:
    """A figure that is made of sums over items.

    Parameters
    ----------
    columns : ndarray, shape (items, sums)
        What each item adds.
    finalise : callable
        From sums, one row each, to figures.
    """

    columns: Statistics
    finalise: Callable[[Statistics], Values]


def sums_of(measure: Measure, found: ItemFigures, how: Aggregate) -> FigureSums:
    """Return a figure as sums over its items, whichever aggregate but a median.

    Parameters
    ----------
    measure : Measure
    found : ItemFigures
        Its items.
    how : aggregate
        Pooled, mean or weighted mean.
    """
    if how == "pooled":
        return FigureSums(found.statistics, measure.formula.finalise)
    defined = ~np.isnan(found.counted)
    weight = np.where(defined, found.weights if how == "weighted_mean" else 1.0, 0.0)
    counted = np.where(defined, found.counted, 0.0)
    return FigureSums(np.stack((counted * weight, weight), axis=1), _quotient)


def _quotient(sums: Statistics) -> Values:
    return ratio(sums[:, 0], sums[:, 1])


class Figures:
    """Figures of one collection of items.

    Parameters
    ----------
    found : mapping of Key to ItemFigures
        What items bring to each figure; none of it gathered.
    items : sequence of str
        All items, in the order of the draws.
    spread : float
        How far the number of draws of half of the items varies: the square root of the number of items,
        or of the sum of the squared sizes of clusters.
    """

    def __init__(self, found: Mapping[Key, ItemFigures], items: Sequence[str], spread: float) -> None:
        self._columns = _Columns(items)
        self._sums: dict[Key, tuple[Codes, Callable[[Statistics], Values]]] = {}
        self._medians: dict[Key, DrawnMedian] = {}
        for key, each in found.items():
            at = self._columns.places(each.names)
            if key.aggregate == "median":
                values = np.full(len(items), np.nan)
                values[at] = each.counted
                self._medians[key] = DrawnMedian(values, self._columns.add, spread)
            else:
                figure = sums_of(key.measure, each, key.aggregate)
                self._sums[key] = self._columns.add_rows(figure.columns, at), figure.finalise
        self._matrix = self._columns.matrix()

    def sums(self, draws: Draws) -> Statistics:
        """Return the sums that all figures are made of, shape (draws, sums)."""
        return draws @ self._matrix

    def swapped(self, one: Key, other: Key, swaps: Draws, sums: tuple[Statistics, Statistics]) -> Values:
        """Return the difference of two figures for each pattern of items that change places between them.

        Parameters
        ----------
        one, other : Key
            The figures: of the same measure, of two systems.
        swaps : ndarray, shape (patterns, items)
            1 where an item is swapped, 0 elsewhere.
        sums : tuple of ndarray, shape (1, sums) and (patterns, sums)
            Of all items, and of those that are swapped.
        """
        if one in self._medians:
            first, second = self._medians[one].values, self._medians[other].values
            rows = (np.where(swaps > 0, *each) for each in ((second, first), (first, second)))
            medians = [median_of_rows(each) for each in rows]
            return medians[0] - medians[1]
        (columns, finalise), (others, _) = self._sums[one], self._sums[other]
        whole, moved = sums
        change = moved[:, others] - moved[:, columns]
        return finalise(whole[:, columns] + change) - finalise(whole[:, others] - change)

    def evaluate(self, draws: Draws, wanted: Sequence[Key]) -> Values:
        """Return figures of each draw.

        Parameters
        ----------
        draws : ndarray, shape (draws, items)
            How often each item is drawn.
        wanted : sequence of Key
            Some of the figures, or all.

        Returns
        -------
        ndarray, shape (draws, wanted)
        """
        sums = self.sums(draws)
        made = np.empty((len(draws), len(wanted)), order="F")
        by_item = np.asfortranarray(draws) if self._medians else draws
        for place, key in enumerate(wanted):
            if key in self._medians:
                made[:, place] = self._medians[key].evaluate(by_item, sums)
            else:
                columns, finalise = self._sums[key]
                made[:, place] = finalise(sums[:, columns])
        return made


class _Columns:
    """Columns that are added up, each of them once however many figures have it."""

    def __init__(self, items: Sequence[str]) -> None:
        self._place = {name: place for place, name in enumerate(items)}
        self._number: dict[bytes, int] = {}
        self._columns: list[Values] = []

    def places(self, names: Sequence[str]) -> Codes:
        return np.array([self._place[name] for name in names], dtype=np.int64)

    def add(self, column: Values) -> int:
        number = self._number.setdefault(column.tobytes(), len(self._columns))
        if number == len(self._columns):
            self._columns.append(column)
        return number

    def add_rows(self, rows: Statistics, at: Codes) -> Codes:
        whole = np.zeros((rows.shape[1], len(self._place)))
        whole[:, at] = rows.T
        return np.array([self.add(column) for column in whole], dtype=np.int64)

    def matrix(self) -> Statistics:
        columns = self._columns or [np.zeros(len(self._place))]
        return np.ascontiguousarray(np.stack(columns, axis=1))
