# SPDX-License-Identifier: MIT
"""Cells of class tables are exact sums, rounded once."""

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kammerton.model.evidence import ExactTally, add_tables, condensed, sum_tallies
from kammerton.model.task import ClassTable

GROUP = ("system", "annotator")
TERMS = st.lists(
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300), max_size=30
)


@given(TERMS)
def test_condensed_terms_have_the_same_sum(terms: list[float]) -> None:
    few = condensed(terms)
    assert sum(map(Fraction, few)) == sum(map(Fraction, terms))
    assert [abs(each) for each in few] == sorted(map(abs, few), reverse=True)


def table(weights: list[float]) -> ClassTable:
    return ClassTable(
        "outcome", ("kind",), "s", np.zeros(len(weights), int), [("C",)] * len(weights), np.array(weights)
    )


@pytest.mark.parametrize("parts", [1, 2, 7, 300])
def test_cells_do_not_depend_on_the_cut(parts: int) -> None:
    rng = random.Random(parts)
    weights = [rng.uniform(0, 1) * 10.0 ** rng.randint(-12, 12) for _ in range(300)]
    whole = ExactTally(("kind",), "s")
    for number in range(parts):
        tallies: dict[str, ExactTally] = {}
        add_tables(tallies, [table(weights[number::parts])], [GROUP])
        whole.add(tallies["outcome"])
    assert sum_tallies([whole], [GROUP]).cells == {GROUP: {("C",): float(sum(map(Fraction, weights)))}}
    assert len(whole.cells[GROUP]["C",]) <= 64


def test_groups_are_kept__in_order_and_those_that_are_not_there_left_out() -> None:
    tally = ExactTally(("kind",), "s", {("B", "a"): {}, ("A", "a"): {("C",): [1.0]}})
    assert list(sum_tallies([tally], [("A", "a"), ("A", "b"), ("B", "a")]).cells) == [("A", "a"), ("B", "a")]


def test_classes_are_sorted_whatever_they_are() -> None:
    tally = ExactTally(
        ("kind", "number"), "s", {GROUP: {key: [1.0] for key in [("b", 2), ("a", 10), ("a", 9)]}}
    )
    assert list(sum_tallies([tally], [GROUP]).cells[GROUP]) == [("a", 9), ("a", 10), ("b", 2)]
    mixed = ExactTally(("kind",), "s", {GROUP: {(key,): [1.0] for key in ("a", 2, None, -1)}})
    assert list(sum_tallies([mixed], [GROUP]).cells[GROUP]) == [(None,), (-1,), (2,), ("a",)]
