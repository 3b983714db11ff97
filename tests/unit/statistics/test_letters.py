# SPDX-License-Identifier: MIT
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kammerton.statistics.comparison import groups, letters


def significant(systems: int, *pairs: tuple[int, int]) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    differs = np.zeros((systems, systems), dtype=bool)
    for one, other in pairs:
        differs[one, other] = differs[other, one] = True
    return differs


@pytest.mark.parametrize(
    ("systems", "pairs", "expected"),
    [
        (0, [], ()),
        (1, [], ("a",)),
        (3, [], ("a", "a", "a")),
        (3, [(0, 1), (0, 2), (1, 2)], ("a", "b", "c")),
        (3, [(0, 2)], ("a", "ab", "b")),
        (4, [(0, 2), (0, 3), (1, 3)], ("a", "ab", "bc", "c")),
        # a ring: each differs from the one across only
        (4, [(0, 2), (1, 3)], ("ab", "ac", "cd", "bd")),
    ],
)
def test_letters(systems: int, pairs: list[tuple[int, int]], expected: tuple[str, ...]) -> None:
    assert letters(significant(systems, *pairs)) == expected


def test_a_group_within_others_is_left_out() -> None:
    # Piepho's own case: what insertion leaves over is swept away. Told apart: 0-3, 1-3, 1-4, 2-4
    found = groups(significant(5, (0, 3), (1, 3), (1, 4), (2, 4)))
    assert found == ((0, 1, 2), (0, 4), (2, 3), (3, 4))


def test_many_groups_have_names_too() -> None:
    everyone = significant(54, *combinations(range(54), 2))
    assert letters(everyone)[25:28] == ("z", "A", "B")
    assert letters(everyone)[51:] == ("Z", "[53]", "[54]")


@st.composite
def cases(draw: st.DrawFn) -> tuple[int, set[tuple[int, int]]]:
    systems = draw(st.integers(2, 7))
    return systems, draw(st.sets(st.sampled_from(list(combinations(range(systems), 2)))))


@given(cases())
def test_systems_share_a_letter_if_and_only_if_they_do_not_differ(
    case: tuple[int, set[tuple[int, int]]],
) -> None:
    systems, pairs = case
    found = groups(significant(systems, *pairs))
    for pair in combinations(range(systems), 2):
        assert any(set(pair) <= set(group) for group in found) == (pair not in pairs)
    assert {system for group in found for system in group} == set(range(systems))
    for group in found:  # none is to spare
        others = [set(other) for other in found if other != group]
        needed = [set(pair) for pair in combinations(group, 2)] or [set(group)]
        assert not all(any(pair <= other for other in others) for pair in needed)
