# SPDX-License-Identifier: MIT
"""Which time counts, and what stands where a side has no row: one function per time rule."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kammerton.chords.columns import NO_CHORD, SILENCE, Columns
from kammerton.core.intervals import Codes, Flags, Segments, Slices

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
    weights : ndarray of float64, shape (slices,)
        Seconds, or number of samples.
    ref, est : ndarray of int64, shape (slices,)
        Label codes.
    """

    pairs: int
    pair: Codes
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
    timeline = Timeline(columns.pairs, slices.pair, slices.durations, ref, est)
    return timeline, slices, end


def reference_span(columns: Columns) -> ReferenceSpan:
    """Count from the first start to the last end of the reference.

    A gap takes the label of the row before it. The estimate is padded with ``N`` to the span; rows
    outside the span do not reach into a gap.
    """
    first, last = columns.ref.span()
    pair = columns.slices.pair
    slices = columns.slices.where(
        (columns.slices.starts >= first[pair]) & (columns.slices.ends <= last[pair])
    )
    pair, est = slices.pair, columns.est
    row_end = np.append(est.ends, -np.inf)[slices.est_row]
    following = np.append(est.starts, np.inf)[slices.est_row + 1]
    following = np.where(slices.est_row + 1 < est.offsets[pair + 1], following, np.inf)
    bridged = (row_end > first[pair]) & (following < last[pair])
    padded = (slices.est_row < 0) | (slices.est_gap & ~bridged)
    timeline = Timeline(
        columns.pairs,
        pair,
        slices.durations,
        columns.ref.codes[slices.ref_row],
        _labels(est, slices.est_row, padded, NO_CHORD),
    )
    return ReferenceSpan(timeline, columns.ref, est, slices, padded, last - first)


def _labels(side: Segments, row: Codes, absent: Flags, absent_code: int) -> Codes:
    codes = np.append(side.codes, absent_code)[row]  # row -1 finds the code appended
    return np.where(absent, absent_code, codes)
