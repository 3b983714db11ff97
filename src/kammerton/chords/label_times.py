# SPDX-License-Identifier: MIT
"""How long each label of the reference stood against each label of the estimate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kammerton.chords.time_rules import Timeline
from kammerton.core.intervals import Codes

__all__ = ["LabelTimes", "sum_by_labels"]

_DENSE = 32
"""Cells per slice up to which counting beats sorting."""


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
    dense = _DENSE * len(timeline.pair)
    labels = int(max(timeline.ref.max(initial=0), timeline.est.max(initial=0))) + 1
    if timeline.pairs * labels >= dense:  # as where there is nothing
        return _sorted(timeline, labels)
    ref = _Numbering.of(timeline.pair * labels + timeline.ref, timeline.pairs, labels)
    est = _Numbering.of(timeline.pair * labels + timeline.est, timeline.pairs, labels)
    ends = np.cumsum(ref.count * est.count)
    if ends[-1] > dense:
        return _sorted(timeline, labels)
    # The cell of labels i and j of a pair is its first cell + i * (labels of the estimate) + j.
    width = est.count
    base = ends - ref.count * width - ref.first * width - est.first
    cell = base.take(timeline.pair) + ref.number * width.take(timeline.pair) + est.number
    sums = np.bincount(cell, timeline.weights, ends[-1]).astype(float, copy=False)
    found = np.flatnonzero(sums > 0)
    pair = np.searchsorted(ends, found, side="right")
    first_ref, first_est, estimates = ref.first.take(pair), est.first.take(pair), width.take(pair)
    at_ref, at_est = np.divmod(found - base.take(pair) - first_ref * estimates - first_est, estimates)
    return LabelTimes(
        timeline.pairs,
        pair,
        sums.take(found),
        ref.codes.take(first_ref + at_ref),
        est.codes.take(first_est + at_est),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Numbering:
    """Numbers for the distinct codes of each pair, one pair after the other.

    ``number`` is that of each slice, ``codes`` what the numbers stand for, ``first`` and ``count`` which
    of them are of each pair.
    """

    number: Codes
    codes: Codes
    first: Codes
    count: Codes

    @classmethod
    def of(cls, keys: Codes, pairs: int, labels: int) -> _Numbering:
        used = np.zeros(pairs * labels, dtype=bool)
        used[keys] = True
        distinct = np.flatnonzero(used)
        pair, codes = np.divmod(distinct, labels)
        count = np.bincount(pair, minlength=pairs)
        number = np.empty(len(used), dtype=np.int64)
        number[distinct] = np.arange(len(distinct))
        return cls(number.take(keys), codes, np.cumsum(count) - count, count)


def _sorted(timeline: Timeline, labels: int) -> LabelTimes:
    keys = (timeline.pair * labels + timeline.ref) * labels + timeline.est
    found, cell = np.unique(keys, return_inverse=True)
    weights = np.bincount(cell, timeline.weights, len(found)).astype(float, copy=False)
    lasting = np.flatnonzero(weights > 0)
    pair, both = np.divmod(found[lasting], labels * labels)
    return LabelTimes(timeline.pairs, pair, weights[lasting], both // labels, both % labels)
