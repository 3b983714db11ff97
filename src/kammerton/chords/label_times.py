# SPDX-License-Identifier: MIT
"""How long each label of the reference stood against each label of the estimate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kammerton.chords.time_rules import Timeline
from kammerton.core.intervals import Codes, changes

__all__ = ["LabelTimes", "sum_by_labels"]


@dataclass(frozen=True, slots=True, eq=False)
class LabelTimes:
    """Time of each pair of labels within each pair of annotations.

    A song repeats its chords, so these are far fewer than slices; what is asked of labels is asked here.

    Parameters
    ----------
    pairs : int
        Number of pairs of annotations.
    pair : ndarray of int64, shape (cells,)
        Pair of annotations, ascending.
    weights : ndarray of float64, shape (cells,)
        Seconds, or number of samples; positive.
    ref, est : ndarray of int64, shape (cells,)
        Label codes; a pair of them stands once in a pair of annotations.
    """

    pairs: int
    pair: Codes
    weights: NDArray[np.float64]
    ref: Codes
    est: Codes

    def at(self, cells: Codes) -> LabelTimes:
        """Return some of the cells, in the order of pairs."""
        pair, weights = self.pair.take(cells), self.weights.take(cells)
        return LabelTimes(self.pairs, pair, weights, self.ref.take(cells), self.est.take(cells))


def sum_by_labels(timeline: Timeline) -> LabelTimes:
    """Sum the time of slices with the same labels in the same pair."""
    sides = (timeline.pair, timeline.ref, timeline.est)
    # small numbers in few bytes: these are sorted by counting
    order = np.lexsort([each.astype(np.min_scalar_type(each.max(initial=0))) for each in reversed(sides)])
    pair, ref, est = (each.take(order) for each in sides)
    begins = changes(pair) | changes(ref) | changes(est)
    sums = np.bincount(np.cumsum(begins) - 1, timeline.weights.take(order)).astype(float, copy=False)
    lasting = sums > 0
    first = np.flatnonzero(begins)[lasting]
    return LabelTimes(timeline.pairs, pair.take(first), sums[lasting], ref.take(first), est.take(first))
