# SPDX-License-Identifier: MIT
"""Arrays of intervals and of scores: merged boundaries, quotients in which undefined stays undefined."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Seconds = NDArray[np.float64]
Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]
Weights = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """Rows of many sequences."""

    # starts, ends: seconds, sorted within each sequence
    starts: Seconds
    ends: Seconds
    codes: Codes  # label of each row
    # number of the run of equal neighbours that a row belongs to. A row that is left out (:meth:`where`)
    # still separates the runs on its sides.
    runs: Codes
    offsets: Codes  # row at which each sequence begins

    def __len__(self) -> int:
        """Return the number of sequences."""
        return len(self.offsets) - 1

    def where(self, keep: Flags) -> Segments:
        """Return the rows for which ``keep`` holds; every sequence stays, if only empty."""
        if keep.all():
            return self
        offsets = np.concatenate(([0], np.cumsum(keep)))[self.offsets]
        return Segments(self.starts[keep], self.ends[keep], self.codes[keep], self.runs[keep], offsets)

    def span(self) -> tuple[Seconds, Seconds]:
        """Return first start and last end of each sequence; NaN for a sequence without rows."""
        filled = np.diff(self.offsets) > 0
        first, last = np.full((2, len(self)), np.nan)
        first[filled] = self.starts[self.offsets[:-1][filled]]
        last[filled] = self.ends[self.offsets[1:][filled] - 1]
        return first, last


@dataclass(frozen=True, slots=True, eq=False)
class Slices:
    """The union of all boundaries of each pair: between two of them nothing changes."""

    pair: Codes  # pair that a slice belongs to; ascending
    # starts, ends: seconds; ascending within a pair. The first slice of a pair starts at 0.
    starts: Seconds
    ends: Seconds
    # ref_row, est_row: the last row that has started, in the rows of ``ref`` and ``est``; -1 before the first
    ref_row: Codes
    # ref_gap, est_gap: whether that row has ended, or none has started
    ref_gap: Flags
    est_row: Codes
    est_gap: Flags

    def where(self, keep: Flags) -> Slices:
        """Return the slices for which ``keep`` holds."""
        if keep.all():
            return self
        places = np.flatnonzero(keep)  # looked for once, and not by each column
        return Slices(*(getattr(self, field.name).take(places) for field in fields(self)))

    def restricted(self, ref: Segments, ref_kept: Flags, est: Segments, est_kept: Flags) -> Slices:
        """Return the slices as if only the kept rows were there."""
        if ref_kept.all() and est_kept.all():
            return self
        ref_row, ref_gap = _restricted(ref, ref_kept, self.ref_row, self)
        est_row, est_gap = _restricted(est, est_kept, self.est_row, self)
        return Slices(self.pair, self.starts, self.ends, ref_row, ref_gap, est_row, est_gap)

    @property
    def durations(self) -> Seconds:
        """Seconds that each slice lasts."""
        return self.ends - self.starts


def _restricted(side: Segments, keep: Flags, row: Codes, slices: Slices) -> tuple[Codes, Flags]:
    last_row = np.append(np.cumsum(keep) - 1, -1)[row]
    return _covering(side, last_row, slices.pair, slices.ends)


def sequence_of_rows(offsets: Codes) -> Codes:
    """Return the number of the sequence that each row belongs to."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def slice_pairs(ref: Segments, est: Segments) -> Slices:
    """Cut each pair of sequences at every boundary of either, and at 0."""
    ref_pair, est_pair = sequence_of_rows(ref.offsets), sequence_of_rows(est.offsets)
    # The end of a row is a boundary of its own only where the next row does not start there.
    ref_ends, est_ends = _open_ends(ref, ref_pair), _open_ends(est, est_pair)
    times = np.concatenate(
        (ref.starts, est.starts, ref.ends[ref_ends], est.ends[est_ends], np.zeros(len(ref)))
    )
    pairs = np.concatenate((ref_pair, est_pair, ref_pair[ref_ends], est_pair[est_ends], np.arange(len(ref))))
    # Sorted runs within a pair stay together and need only be merged: sorting small numbers stably is a radix
    # sort, and complex numbers sort by their real part first.
    by_pair = np.argsort(pairs.astype(np.min_scalar_type(pairs.max(initial=0))), kind="stable")
    keys = np.empty(len(by_pair), dtype=np.complex128)
    keys.real, keys.imag = pairs.take(by_pair), times.take(by_pair)
    order = by_pair.take(np.argsort(keys, kind="stable"))
    times, pairs = times.take(order), pairs.take(order)

    last = np.ones(len(times), dtype=bool)  # last event of each distinct boundary
    last[:-1] = (times[1:] != times[:-1]) | (pairs[1:] != pairs[:-1])
    lasts = np.flatnonzero(last)
    boundary, pair = times.take(lasts), pairs.take(lasts)
    begins = np.flatnonzero(pair[1:] == pair[:-1])  # a slice lasts from here to the next boundary
    starts, ends, pair = boundary.take(begins), boundary.take(begins + 1), pair.take(begins)

    events = lasts.take(begins)
    is_ref, is_est = order < len(ref.starts), order < len(ref.starts) + len(est.starts)
    ref_row = np.cumsum(is_ref).take(events) - 1
    est_row = np.cumsum(is_est & ~is_ref).take(events) - 1
    ref_row, ref_gap = _covering(ref, ref_row, pair, ends)
    est_row, est_gap = _covering(est, est_row, pair, ends)
    return Slices(pair, starts, ends, ref_row, ref_gap, est_row, est_gap)


def _open_ends(side: Segments, sequence: Codes) -> Codes:
    """Return the rows that end where no row of the same sequence starts next."""
    adjoined = np.zeros(len(sequence), dtype=bool)
    adjoined[:-1] = (side.ends[:-1] == side.starts[1:]) & (sequence[1:] == sequence[:-1])
    return np.flatnonzero(~adjoined)


def _covering(side: Segments, row: Codes, pair: Codes, ends: Seconds) -> tuple[Codes, Flags]:
    """Return the row (-1 if it is of an earlier pair) and whether it leaves the slice uncovered."""
    row = np.where(row >= side.offsets.take(pair), row, -1)
    if len(side.ends) == 0:
        return row, np.ones(len(row), dtype=bool)
    return row, (row < 0) | (side.ends.take(row, mode="wrap") < ends)


def lost_time(
    pairs: int, pair: Codes, durations: Seconds, ref_runs: Codes, est_runs: Codes
) -> tuple[Seconds, Seconds]:
    """Return the time of all runs outside their longest common piece with a run of the other side.

    This is the sum in the directional Hamming distance [1]_: over the runs of one side, duration less
    the longest piece that the other side's boundaries cut from it.

    References
    ----------
    .. [1] C. Harte, "Towards Automatic Extraction of Harmony Information from Music Signals",
       PhD thesis, Queen Mary University of London, 2010.
    """
    new = changes(pair)
    ref_cut, est_cut = new | changes(ref_runs), new | changes(est_runs)
    cut = ref_cut | est_cut
    joined = np.flatnonzero(~cut)
    if len(joined):  # few, as a rule: most slices are a piece each
        begins = np.flatnonzero(cut)
        rest = durations[joined]
        durations = durations[begins]
        np.add.at(durations, np.searchsorted(begins, joined) - 1, rest)
        pair, ref_runs, est_runs = pair[begins], ref_runs[begins], est_runs[begins]
        ref_cut, est_cut = ref_cut[begins], est_cut[begins]
    return (
        _outside_longest(pairs, pair, durations, ref_runs, ref_cut),
        _outside_longest(pairs, pair, durations, est_runs, est_cut),
    )


def _outside_longest(pairs: int, pair: Codes, pieces: Seconds, runs: Codes, cut: Flags) -> Seconds:
    """Sum, over the runs of each pair, all pieces of a run but the longest; ``cut`` is where runs begin."""
    within = np.flatnonzero(runs >= 0)
    if len(within) < len(runs):
        pair, pieces, runs = pair.take(within), pieces.take(within), runs.take(within)
        cut = changes(pair) | changes(runs)
    begins = np.flatnonzero(cut)
    longest = np.maximum.reduceat(pieces, begins)
    total = SumsByPair(pairs, pair).of(pieces)
    return np.maximum(total - SumsByPair(pairs, pair.take(begins)).of(longest), 0.0)


def changes(codes: Codes) -> Flags:
    """Return where a value differs from the one before it; the first one does."""
    changed = np.ones(len(codes), dtype=bool)
    np.not_equal(codes[1:], codes[:-1], out=changed[1:])
    return changed


class SumsByPair:
    """Sums values by pair, where they stand in the order of pairs.

    Equal values have equal sums, so that a difference of sums can be exactly 0.
    """

    def __init__(self, pairs: int, pair: Codes) -> None:
        self._pairs = pairs
        self._begins = np.flatnonzero(changes(pair))
        self._present = pair[self._begins]

    def of(self, values: Seconds) -> Seconds:
        """Return the sum of each pair; 0 for one without values."""
        sums = np.zeros(self._pairs)
        sums[self._present] = np.add.reduceat(values, self._begins)
        return sums


Values = NDArray[np.float64]


def total(values: Values) -> float:
    """Return the sum, rounded once: the order of the values, and so the names of items, do not show.

    >>> total(np.array([1e16, 1.0, -1e16]))
    1.0
    """
    return math.fsum(values.tolist())


def ratio(numerator: Values, denominator: Values) -> Values:
    """Divide element by element; NaN where the denominator is not positive.

    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    array([0.5, nan])
    """
    quotient = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), np.nan)
    np.divide(numerator, denominator, out=quotient, where=denominator > 0)
    return quotient


def harmonic_mean(first: Values, second: Values) -> Values:
    """Return ``2ab / (a + b)`` element by element; 0 where both are 0.

    >>> harmonic_mean(np.array([0.5, 0.0]), np.array([1.0, 0.0]))
    array([0.66666667, 0.        ])
    """
    both = first + second
    safe = np.where(both > 0, both, 1.0)
    return np.where(both > 0, 2.0 * first * second / safe, both)


def mean(values: Values) -> float:
    """Return the mean of the defined values; NaN if there are none."""
    defined = values[~np.isnan(values)]
    return total(defined) / len(defined) if len(defined) else float("nan")


def median(values: Values) -> float:
    """Return the median of the defined values; NaN if there are none."""
    defined = values[~np.isnan(values)]
    return float(np.median(defined)) if len(defined) else float("nan")


def weighted_mean(values: Values, weights: Values) -> float:
    """Return the weighted mean of the defined values; NaN if they weigh nothing.

    The weight of an undefined value is left out with it.
    """
    defined = ~np.isnan(values)
    whole = total(weights[defined])
    return total(values[defined] * weights[defined]) / whole if whole > 0 else float("nan")


_SHOWN = 12


def some_repr(values: Sequence[object] | NDArray[Any]) -> str:
    """Return values as Python shows them, of many the first and the last.

    Examples
    --------
    >>> some_repr(("C", "G")), some_repr(tuple("CDEFGABCDEFGAB"))
    ("('C', 'G')", "('C', 'D', 'E', 'F', 'G', ..., 'B')")
    """
    if isinstance(values, np.ndarray):
        with np.printoptions(threshold=2 * _SHOWN, edgeitems=3):
            return repr(values)
    if len(values) <= _SHOWN:
        return repr(tuple(values))
    return f"({', '.join(map(repr, values[:5]))}, ..., {values[-1]!r})"
