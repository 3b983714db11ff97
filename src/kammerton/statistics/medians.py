# SPDX-License-Identifier: MIT
"""Medians of items that were drawn, without sorting every draw."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from kammerton.core.intervals import Flags
from kammerton.model.measure import Statistics, Values
from kammerton.statistics.resampling import Draws

__all__ = ["DrawnMedian", "median_of_rows"]

_SPREADS = 2.0
"""Half-width of the window: four standard deviations of the number of draws of half of the items."""

_LONG = 100
"""Numbers in a row from which on rows are added one by one."""


class DrawnMedian:
    """The median as a function of how often each item is drawn.

    The median of a draw is near the median of all: only values in a window around that are counted one
    by one, those below it are a sum. A draw whose median is outside is counted whole.

    Parameters
    ----------
    values : ndarray, shape (items,)
        Value of each item; undefined ones do not count.
    add : callable
        Takes a column that is to be summed over the items drawn, and returns its number.
    spread : float
        How far the number of draws of half of the items varies.

    Attributes
    ----------
    values : ndarray, shape (items,)
    """

    def __init__(self, values: Values, add: Callable[[Values], int], spread: float) -> None:
        self.values = values
        defined = ~np.isnan(values)
        self._order = np.argsort(values, kind="stable")[: np.count_nonzero(defined)]
        self._sorted = values[self._order]
        half, width = len(self._order) / 2, _SPREADS * spread
        self._low, self._high = max(math.floor(half - width), 0), math.ceil(half + width)
        below = np.zeros(len(values))
        below[self._order[: self._low]] = 1.0
        self._drawn, self._below = add(defined.astype(np.float64)), add(below)

    def evaluate(self, draws: Draws, sums: Statistics) -> Values:
        """Return the median of each draw; NaN if nothing was drawn that has a value.

        Parameters
        ----------
        draws : ndarray, shape (draws, items)
            How often each item is drawn; each item in one piece, as Fortran has it, is fastest.
        sums : ndarray, shape (draws, sums)
            Of all columns over the items drawn.
        """
        drawn, before = sums[:, self._drawn], sums[:, self._below]
        middle = np.stack(((drawn - 1) // 2, drawn // 2))
        found, inside = self._counted(draws, before, middle, slice(self._low, self._high))
        outside = np.flatnonzero(~inside & (drawn > 0))
        if len(outside):
            nothing = np.zeros(len(outside))
            found[outside], _ = self._counted(draws[outside], nothing, middle[:, outside], slice(None))
        return np.where(drawn > 0, found, np.nan)

    def _counted(self, draws: Draws, before: Values, middle: Values, window: slice) -> tuple[Values, Flags]:
        """Return the middle of each draw, and whether it is in the window."""
        values = self._sorted[window]
        if not len(values):
            return np.full(len(draws), np.nan), np.zeros(len(draws), dtype=bool)
        upto = draws.T[self._order[window]]
        upto[0] += before
        _accumulate(upto)
        inside = (before <= middle[0]) & (middle[1] < upto[-1])
        places = [np.count_nonzero(upto <= each, axis=0) for each in middle]
        low, high = (values[np.minimum(place, len(values) - 1)] for place in places)
        return (low + high) / 2, inside


def _accumulate(rows: Values) -> None:
    """Add to each row all before it: by cumsum, which goes down columns, or if that is slow row by row."""
    if rows.shape[1] < _LONG:
        np.cumsum(rows, axis=0, out=rows)
        return
    for number in range(1, len(rows)):
        rows[number] += rows[number - 1]


def median_of_rows(rows: Values) -> Values:
    """Return the median of the defined values of each row; NaN where there are none.

    >>> median_of_rows(np.array([[3.0, 1.0, np.nan], [np.nan, np.nan, np.nan]]))
    array([ 2., nan])
    """
    ordered = np.sort(rows, axis=1)
    count = np.count_nonzero(~np.isnan(rows), axis=1)
    at = np.arange(len(rows))
    low, high = (ordered[at, np.maximum(place, 0)] for place in ((count - 1) // 2, count // 2))
    return np.where(count > 0, (low + high) / 2, np.nan)
