# SPDX-License-Identifier: MIT
"""Time by labels is the time of the slices, summed: against plain dictionaries, and by hand."""

from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kammerton.chords.kernels import Timeline, sum_by_labels

Slice = tuple[int, int, int, float]


def timeline(pairs: int, slices: list[Slice]) -> Timeline:
    pair, ref, est = (np.array([each[at] for each in slices], dtype=np.int64) for at in range(3))
    weights = np.array([each[3] for each in slices], dtype=float)
    return Timeline(pairs, pair, np.zeros(len(slices)), weights, ref, est)


def summed(pairs: int, slices: list[Slice]) -> list[Slice]:
    found = sum_by_labels(timeline(pairs, slices))
    assert found.pairs == pairs
    columns = (found.pair, found.ref, found.est, found.weights)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_equal_labels_of_a_pair_are_one_cell() -> None:
    slices = [(0, 2, 3, 1.0), (0, 3, 2, 4.0), (0, 2, 3, 2.0), (2, 2, 3, 8.0), (2, 2, 3, 0.0)]
    assert summed(3, slices) == [(0, 2, 3, 3.0), (0, 3, 2, 4.0), (2, 2, 3, 8.0)]


def test_a_slice_without_time_makes_no_cell() -> None:
    assert summed(1, [(0, 0, 1, 0.0), (0, 1, 1, 1.0), (0, 1, 0, 0.0)]) == [(0, 1, 1, 1.0)]


def test_a_song_of_many_labels_is_summed_too() -> None:
    slices = [(0, number, 39 - number, 1.0) for number in range(40)]
    assert summed(1, [*slices, (0, 7, 32, 0.5)]) == [
        (0, ref, est, 1.5 if ref == 7 else 1.0) for _, ref, est, _ in slices
    ]


def test_nothing_makes_no_cell() -> None:
    assert summed(2, []) == []
    assert summed(0, []) == []


@given(
    st.integers(1, 4),
    # labels by numbers of one byte, two and four
    st.sampled_from((2, 5, 1000, 1 << 17)),
    st.data(),
)
def test_cells_are_what_a_dictionary_has(pairs: int, labels: int, data: st.DataObject) -> None:
    label = st.integers(0, labels - 1)
    each = st.tuples(st.integers(0, pairs - 1), label, label, st.integers(1, 9).map(float))
    slices = sorted(data.draw(st.lists(each, max_size=60)), key=lambda of: of[0])
    expected: dict[tuple[int, int, int], float] = defaultdict(float)
    for pair, ref, est, weight in slices:
        expected[pair, ref, est] += weight
    assert summed(pairs, slices) == [(*key, weight) for key, weight in sorted(expected.items())]
