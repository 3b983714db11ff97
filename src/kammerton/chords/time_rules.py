# SPDX-License-Identifier: MIT
"""Which time counts, and what stands where a side has no row: one function per time rule."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kammerton.chords.columns import NO_CHORD, SILENCE, Columns
from kammerton.core.intervals import Codes, Flags, Seconds, Segments, Slices, changes, sequence_of_rows

__all__ = ["ReferenceSpan", "Timeline", "from_zero", "reference_span"]


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """Slices of time that count, with the label of each side.

    Parameters
    ----------
    pairs : int
        Number of pairs.
    pair : ndarray of int64, shape (slices,)
        Pair of each slice, ascending.
    starts : ndarray of float64, shape (slices,)
        Seconds; ascending within a pair.
    weights : ndarray of float64, shape (slices,)
        Seconds, or number of samples.
    ref, est : ndarray of int64, shape (slices,)
        Label codes.
    """

    pairs: int
    pair: Codes
    starts: Seconds
    weights: NDArray[np.float64]
    ref: Codes
    est: Codes


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceSpan:
    """The span of the reference, cut out of both sides.

    Parameters
    ----------
    timeline : Timeline
        Labels with every gap filled.
    ref, est : Segments
        The rows of both sides.
    slices : Slices
        The slices of the timeline.
    padded : ndarray of bool, shape (slices,)
        Where the estimate was padded with ``N``.
    duration : ndarray of float64, shape (pairs,)
        Seconds of the span.
    """

    timeline: Timeline
    ref: Segments
    est: Segments
    slices: Slices
    padded: Flags
    duration: NDArray[np.float64]


def from_zero(columns: Columns) -> tuple[Timeline, Slices, NDArray[np.float64]]:
    """Count from time 0 to the end of the reference; without a row there is silence.

    Returns
    -------
    timeline : Timeline
    slices : Slices
        The slices of the timeline.
    duration : ndarray of float64, shape (pairs,)
        End of each reference in seconds.
    """
    _, end = columns.ref.span()
    slices = columns.slices.where(columns.slices.ends <= end[columns.slices.pair])
    ref = _labels(columns.ref, slices.ref_row, slices.ref_gap, SILENCE)
    est = _labels(columns.est, slices.est_row, slices.est_gap, SILENCE)
    timeline = Timeline(columns.pairs, slices.pair, slices.starts, slices.durations, ref, est)
    return timeline, slices, np.nan_to_num(end)


def reference_span(columns: Columns, merged: Codes | None = None) -> ReferenceSpan:
    """Count from the first start to the last end of the reference.

    A gap takes the label of the row before it. The estimate is padded with ``N`` to the span; rows
    outside the span do not reach into a gap.

    Parameters
    ----------
    columns : Columns
        Pairs of annotations.
    merged : ndarray of int64, shape (labels,), optional
        Labels of equal value are one segment. If given, a row of zero length that makes one segment
        with a neighbour counts as far as this segment reaches, and a row that only touches the span
        reaches into it if the row on the other side of the gap is of the same segment.
    """
    ref, est, slices = columns.ref, columns.est, columns.slices
    if merged is not None and (ref is not columns.ref_rows or est is not columns.est_rows):
        ref_kept = _counting(columns.ref_rows, merged)
        ref = columns.ref_rows.where(ref_kept)
        est_kept = _counting(columns.est_rows, merged, ref.span())
        est = columns.est_rows.where(est_kept)
        slices = columns.all_slices.restricted(ref, ref_kept, est, est_kept)
    first, last = ref.span()
    slices = slices.where((slices.starts >= first[slices.pair]) & (slices.ends <= last[slices.pair]))
    padded = _padded(est, slices, first, last, merged)
    est_codes = _labels(est, slices.est_row, padded, NO_CHORD)
    ref_codes = ref.codes[slices.ref_row]
    timeline = Timeline(columns.pairs, slices.pair, slices.starts, slices.durations, ref_codes, est_codes)
    return ReferenceSpan(timeline, ref, est, slices, padded, np.nan_to_num(last - first))


def _counting(rows: Segments, merged: Codes, padded_to: tuple[Seconds, Seconds] | None = None) -> Flags:
    """Tell the rows that count: not those of zero length, unless their segment has a length.

    The first and last segment within the span ``padded_to``, if ``N``, go on in the padding.
    """
    if len(rows.starts) == 0:
        return np.zeros(0, dtype=bool)
    values = merged[rows.codes]
    sequence = sequence_of_rows(rows.offsets)
    begins = changes(values) | changes(sequence)
    segment = np.cumsum(begins) - 1
    ends = np.append(np.flatnonzero(begins)[1:], len(values)) - 1
    lasts = rows.ends[ends] > rows.starts[begins]
    if padded_to is not None:
        of_end = sequence[ends]
        next_start = np.append(rows.starts, np.inf)[ends + 1]
        next_start[ends + 1 >= rows.offsets[of_end + 1]] = np.inf
        previous_end = np.append(rows.ends, -np.inf)[np.flatnonzero(begins) - 1]
        previous_end[np.flatnonzero(begins) == rows.offsets[of_end]] = -np.inf
        outermost = (previous_end < padded_to[0][of_end]) | (next_start > padded_to[1][of_end])
        lasts |= outermost & (values[ends] == merged[NO_CHORD])
    return np.asarray(lasts[segment])


def _padded(est: Segments, slices: Slices, first: Seconds, last: Seconds, merged: Codes | None) -> Flags:
    """Return where the estimate has no row within the span that could reach into the gap."""
    gaps = np.flatnonzero(slices.est_gap)
    row, pair = slices.est_row[gaps], slices.pair[gaps]
    following = row + 1
    row_end = np.append(est.ends, -np.inf)[row]
    next_start = np.append(est.starts, np.inf)[following]
    next_start[following >= est.offsets[pair + 1]] = np.inf
    bridged = (row_end > first[pair]) & (next_start < last[pair])
    if merged is not None:
        values = np.append(merged[est.codes], (-1, -1))
        touching = (row_end >= first[pair]) & (next_start <= last[pair])
        bridged |= touching & (values[row] == values[following])
    padded = np.zeros(len(slices.est_gap), dtype=bool)
    padded[gaps] = (row < 0) | ~bridged
    return padded


def _labels(side: Segments, row: Codes, absent: Flags, absent_code: int) -> Codes:
    codes = np.append(side.codes, absent_code)[row]  # row -1 finds the code appended
    return np.where(absent, absent_code, codes)
