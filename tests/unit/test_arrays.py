# SPDX-License-Identifier: MIT
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kammerton.arrays import (
    Segments,
    Slices,
    harmonic_mean,
    lost_time,
    mean,
    median,
    ratio,
    sequence_of_rows,
    slice_pairs,
    weighted_mean,
)

Row = tuple[float, float, int]
Slice = tuple[int, float, float, int, bool, int, bool]


def segments(*sequences: Sequence[Row]) -> Segments:
    """Make rows of start, end and code; every row is a run of its own."""
    rows = [row for sequence in sequences for row in sequence]
    starts, ends = (np.array([row[place] for row in rows], dtype=float) for place in (0, 1))
    codes = np.array([row[2] for row in rows], dtype=np.int64)
    offsets = np.concatenate(([0], np.cumsum([len(sequence) for sequence in sequences], dtype=np.int64)))
    return Segments(starts, ends, codes, np.arange(len(rows)), offsets)


def listed(slices: Slices) -> list[Slice]:
    columns: list[Any] = [slices.pair, slices.starts, slices.ends]
    columns += [slices.ref_row, slices.ref_gap, slices.est_row, slices.est_gap]
    return list(zip(*(column.tolist() for column in columns), strict=True))


# --- segments ------------------------------------------------------------------------------

THREE = segments([(0, 1, 5), (1, 3, 6)], [], [(2, 4, 7)])


def test_segments_know_their_sequences() -> None:
    assert len(THREE) == 3
    assert sequence_of_rows(THREE.offsets).tolist() == [0, 0, 2]
    first, last = THREE.span()
    assert first.tolist() == pytest.approx([0, np.nan, 2], nan_ok=True)
    assert last.tolist() == pytest.approx([3, np.nan, 4], nan_ok=True)


def test_rows_can_be_left_out_and_sequences_stay() -> None:
    left = THREE.where(np.array([False, True, False]))
    assert (left.codes.tolist(), left.runs.tolist()) == ([6], [1])
    assert left.offsets.tolist() == [0, 1, 1, 1]
    assert THREE.where(np.array([True, True, True])) is THREE


# --- slices --------------------------------------------------------------------------------


def test_pairs_are_cut_at_every_boundary_and_at_zero() -> None:
    ref, est = segments([(1, 3, 0), (4, 5, 1)]), segments([(0, 2, 0), (2, 6, 1)])
    assert listed(slice_pairs(ref, est)) == [
        (0, 0, 1, -1, True, 0, False),
        (0, 1, 2, 0, False, 0, False),
        (0, 2, 3, 0, False, 1, False),
        (0, 3, 4, 0, True, 1, False),
        (0, 4, 5, 1, False, 1, False),
        (0, 5, 6, 1, True, 1, False),
    ]


def test_pairs_do_not_touch_each_other() -> None:
    ref = segments([(0, 1, 0)], [], [(0, 2, 0)])
    est = segments([], [(3, 4, 0)], [(0, 2, 0)])
    assert listed(slice_pairs(ref, est)) == [
        (0, 0, 1, 0, False, -1, True),
        (1, 0, 3, -1, True, -1, True),
        (1, 3, 4, -1, True, 0, False),
        (2, 0, 2, 1, False, 1, False),
    ]


def test_nothing_gives_no_slices() -> None:
    assert listed(slice_pairs(segments([], []), segments([], []))) == []
    assert listed(slice_pairs(segments(), segments())) == []


@st.composite
def sequences(draw: st.DrawFn, *, empty_rows: bool) -> list[Row]:
    ticks = draw(st.lists(st.integers(0, 12), max_size=8).map(sorted))
    rows = [(float(a), float(b), 0) for a, b in zip(ticks[::2], ticks[1::2], strict=False)]
    return [row for row in rows if empty_rows or row[0] < row[1]]


def sliced_by_hand(ref: Sequence[Sequence[Row]], est: Sequence[Sequence[Row]]) -> list[Slice]:
    """Cut each pair at its boundaries, and look every slice up in the rows, one by one."""
    found: list[Slice] = []
    before = [0, 0]
    for pair, sides in enumerate(zip(ref, est, strict=True)):
        times = sorted({0.0, *(time for side in sides for row in side for time in row[:2])})
        for start, end in pairwise(times):
            places: list[int | bool] = []
            for side, offset in zip(sides, before, strict=True):
                started = [number for number, row in enumerate(side) if row[0] <= start]
                last = started[-1] if started else -1
                places += [offset + last if started else -1, not started or side[last][1] < end]
            found.append((pair, start, end, *places))  # type: ignore[arg-type]
        before = [offset + len(side) for offset, side in zip(before, sides, strict=True)]
    return found


@given(st.lists(st.tuples(sequences(empty_rows=False), sequences(empty_rows=False)), max_size=5))
def test_slices_are_those_found_one_by_one(pairs: list[tuple[list[Row], list[Row]]]) -> None:
    refs, ests = [ref for ref, _ in pairs], [est for _, est in pairs]
    assert listed(slice_pairs(segments(*refs), segments(*ests))) == sliced_by_hand(refs, ests)


@given(st.lists(st.tuples(sequences(empty_rows=True), sequences(empty_rows=True)), min_size=1, max_size=4))
def test_slices_of_fewer_rows_are_as_if_only_these_were_there(
    pairs: list[tuple[list[Row], list[Row]]],
) -> None:
    sides = [segments(*(pair[place] for pair in pairs)) for place in (0, 1)]
    kept = [side.ends > side.starts for side in sides]
    long = [side.where(keep) for side, keep in zip(sides, kept, strict=True)]
    restricted = slice_pairs(*sides).restricted(long[0], kept[0], long[1], kept[1])
    # it has boundaries that the long rows alone do not have, so compare what each moment is in
    assert _moments(restricted) == _moments(slice_pairs(*long), within=restricted)


def _moments(slices: Slices, within: Slices | None = None) -> list[tuple[float, ...]]:
    """Return what holds in each slice of ``within``, where ``slices`` reach so far."""
    found = []
    for pair, start, *_ in listed(within or slices):
        for other, begin, end, *rest in listed(slices):
            if other == pair and begin <= start < end and not all(rest[1::2]):
                found.append((pair, start, *rest))
    return found


def test_slices_can_be_left_out() -> None:
    slices = slice_pairs(segments([(0, 1, 0), (1, 2, 1)]), segments([(0, 2, 0)]))
    assert listed(slices.where(np.array([False, True]))) == [(0, 1, 2, 1, False, 0, False)]
    assert slices.where(np.array([True, True])) is slices
    assert slices.durations.tolist() == [1.0, 1.0]


# --- lost time -----------------------------------------------------------------------------


def lost(pairs: int, *slices: tuple[int, float, int, int]) -> tuple[list[float], list[float]]:
    columns = [np.array(column) for column in zip(*slices, strict=True)] or [np.empty(0, dtype=np.int64)] * 4
    pair, durations, ref_runs, est_runs = columns
    ref, est = lost_time(pairs, pair, durations.astype(float), ref_runs, est_runs)
    return ref.tolist(), est.tolist()


def test_time_outside_the_longest_piece_is_lost() -> None:
    # run 0 of the reference is cut in 3 + 2 s; run 1 of the estimate in 2 + 4 s
    assert lost(1, (0, 3, 0, 0), (0, 2, 0, 1), (0, 4, 1, 1)) == ([2.0], [2.0])


def test_slices_of_one_piece_are_taken_together() -> None:
    # 1 + 1 s of run 0 in run 0, then 1.5 s in run 1: the longest piece is 2 s
    assert lost(1, (0, 1, 0, 0), (0, 1, 0, 0), (0, 1.5, 0, 1)) == ([1.5], [0.0])


def test_a_gap_cuts_and_is_not_cut() -> None:
    # run 0 has 2 s in run 0, 1 s in a gap, 3 s in run 1; the gap of the reference loses nothing
    assert lost(1, (0, 2, 0, 0), (0, 1, 0, -1), (0, 3, 0, 1), (0, 1, -1, 1)) == ([3.0], [1.0])


def test_a_run_that_goes_on_behind_a_gap_is_one() -> None:
    # 2 s, a gap of the reference of 1 s, 1 s more of the same runs: one piece of the estimate is 4 s long,
    # but the gap cuts it: 2 + 1 + 1
    assert lost(1, (0, 2, 0, 0), (0, 1, -1, 0), (0, 1, 0, 0)) == ([1.0], [2.0])


def test_pairs_lose_apart() -> None:
    # pair 0 loses 1 s of run 0; pair 1 has no slices; pair 2 begins with runs of the same numbers
    assert lost(3, (0, 1, 0, 0), (0, 2, 0, 1), (2, 5, 0, 1)) == ([1.0, 0.0, 0.0], [0.0, 0.0, 0.0])


def test_pairs_lose_apart_where_there_are_gaps() -> None:
    # run 0 of pair 0 is whole, and so is run 0 of pair 1; the gap cuts 1 of 3 s from the other run of pair 0
    assert lost(2, (0, 1, -1, 0), (0, 2, 0, 0), (1, 5, 0, 0)) == ([0.0, 0.0], [1.0, 0.0])
    assert lost(2, (0, 1, 0, -1), (0, 2, 0, 0), (1, 5, 0, 0)) == ([1.0, 0.0], [0.0, 0.0])


def test_nothing_loses_nothing() -> None:
    assert lost(2) == ([0.0, 0.0], [0.0, 0.0])
    assert lost(1, (0, 1, -1, -1)) == ([0.0], [0.0])


# --- ratios and averages -------------------------------------------------------------------

NAN = math.nan


def array(*values: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array(values, dtype=float)


def test_a_quotient_over_nothing_is_undefined() -> None:
    found = ratio(array(1, 0, 3, 1), array(2, 0, 4, -1))
    assert found.tolist() == pytest.approx([0.5, NAN, 0.75, NAN], nan_ok=True)


def test_quotients_broadcast() -> None:
    found = ratio(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[2.0], [0.0]]))
    assert found.ravel().tolist() == pytest.approx([0.5, 1.0, NAN, NAN], nan_ok=True)


def test_the_harmonic_mean_of_zeros_is_zero() -> None:
    # 2 * 1/2 * 1 / (3/2) = 2/3
    found = harmonic_mean(array(0.5, 0, 0, 1, NAN), array(1, 0, 1, 1, 1))
    assert found.tolist() == pytest.approx([2 / 3, 0, 0, 1, NAN], nan_ok=True)


@pytest.mark.parametrize(
    ("values", "expected_mean", "expected_median"),
    [
        ((1, 2, 6), 3, 2),
        ((1, 2, 6, NAN), 3, 2),
        ((4, 1), 2.5, 2.5),
        ((NAN, 7), 7, 7),
        ((NAN, NAN), NAN, NAN),
        ((), NAN, NAN),
    ],
)
def test_averages_leave_out_what_is_undefined(
    values: tuple[float, ...], expected_mean: float, expected_median: float
) -> None:
    assert mean(array(*values)) == pytest.approx(expected_mean, nan_ok=True)
    assert median(array(*values)) == pytest.approx(expected_median, nan_ok=True)


@pytest.mark.parametrize(
    ("values", "weights", "expected"),
    [
        ((1, 0), (1, 3), 0.25),
        ((1, NAN, 0), (1, 100, 3), 0.25),  # its weight is left out too
        ((1, 1), (0, 0), NAN),
        ((NAN,), (5,), NAN),
        ((), (), NAN),
    ],
)
def test_weighted_means_leave_out_what_is_undefined_with_its_weight(
    values: tuple[float, ...], weights: tuple[float, ...], expected: float
) -> None:
    assert weighted_mean(array(*values), array(*weights)) == pytest.approx(expected, nan_ok=True)
