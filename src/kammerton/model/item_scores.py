# SPDX-License-Identifier: MIT
"""What each item, or class, contributes to a corpus score."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import ratio
from kammerton.model.measure import Aggregate, Estimate, Measure, Statistics, Values, average

__all__ = ["ItemScores"]


class ItemScores:
    """Items of one system, with all that a corpus score of a measure is made of.

    Attributes
    ----------
    names : tuple of str
        The items, in the order of their first rows.
    """

    def __init__(
        self, measure: Measure, names: Sequence[str], statistics: Statistics, *, several: bool = False
    ) -> None:
        self._measure = measure
        self._rows = statistics
        self._row_names = tuple(names)
        self._item: NDArray[np.int64] | None = None
        self.names: tuple[str, ...] = self._row_names
        if several:
            self._item, self.names = _numbered(self._row_names)

    @property
    def row_names(self) -> tuple[str, ...]:
        """Item of each row."""
        return self._row_names

    def of_rows(self, kept: NDArray[np.int64]) -> ItemScores:
        """Return what some of the rows bring, which are given by number, each once and in their order."""
        if len(kept) == len(self._row_names):
            return self
        names = tuple(map(self._row_names.__getitem__, kept.tolist()))
        return ItemScores(self._measure, names, self._rows[kept], several=self._item is not None)

    @cached_property
    def statistics(self) -> Statistics:
        """Statistics of each item, shape (items, statistics)."""
        if self._item is None:
            return self._rows
        summed = np.zeros((len(self.names), self._rows.shape[1]))
        np.add.at(summed, self._item, self._rows)
        return summed

    @cached_property
    def values(self) -> Values:
        """Value of each item, NaN where undefined."""
        return self._averaged(self._of_rows)

    @cached_property
    def counted(self) -> Values:
        """What each item counts in a mean, NaN where it does not take part."""
        return self._averaged(self._measure.counted(self._rows))

    @cached_property
    def weights(self) -> Values:
        """What the value of each item was measured on."""
        weights = self._measure.formula.weight(self._rows)
        if self._item is None:
            return weights
        return np.nan_to_num(self._averaged(weights, where=self._of_rows))

    @cached_property
    def _of_rows(self) -> Values:
        return self._measure.formula.finalise(self._rows)

    def _averaged(self, values: Values, where: Values | None = None) -> Values:
        """Return the mean of each item over its rows that are defined ``where`` says so, or themselves."""
        if self._item is None:
            return values
        defined = ~np.isnan(values if where is None else where)
        item, items = self._item[defined], len(self.names)
        count = np.bincount(item, minlength=items).astype(float)
        return ratio(np.bincount(item, values[defined], items).astype(float), count)

    def estimate(self, how: Aggregate) -> Estimate:
        """Return the corpus score of these items."""
        if how == "pooled":
            if self._item is not None:
                return self._measure.estimate(self.statistics, how)
            return self._measure.pooled(self.statistics, self.values, self.weights)
        return average(self.values, self.counted, self.weights, how)


@lru_cache(maxsize=8)
def _numbered(names: tuple[str, ...]) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Return the number of each item, and their names: scores of all measures are of the same rows."""
    numbers: dict[str, int] = {}
    codes = np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)
    return codes, tuple(numbers)
