# SPDX-License-Identifier: MIT
"""Medians of draws are those that sorting each draw gives."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kammerton.model.measure import Values
from kammerton.statistics.resampling import ItemFactors, ResampledMedian, Resampling, median_of_rows


def medians(values: Values, draws: ItemFactors, spread: float) -> Values:
    columns: list[Values] = []

    def add(column: Values) -> int:
        columns.append(column)
        return len(columns) - 1

    median = ResampledMedian(values, add, spread)
    return median.evaluate(draws, draws @ np.stack(columns, axis=1))


def sorted_medians(values: Values, draws: ItemFactors) -> list[float]:
    found = []
    for counts in draws.astype(int):
        drawn = np.repeat(values, counts)
        known = drawn[~np.isnan(drawn)]
        found.append(float(np.median(known)) if len(known) else math.nan)
    return found


@given(
    st.lists(st.sampled_from((math.nan, 0.0, 0.25, 0.5, 1.0)), min_size=1, max_size=40),
    # a window of no width makes every draw one that is counted whole
    st.sampled_from((0.0, 0.5, 3.0, 100.0)),
    st.sampled_from((20, 120)),
)
def test_every_draw_has_its_median(values: list[float], spread: float, count: int) -> None:
    given_values = np.array(values)
    draws = Resampling(len(values), count, seed=1).block(0)
    assert medians(given_values, draws, spread) == pytest.approx(
        sorted_medians(given_values, draws), nan_ok=True
    )


def test_a_median_far_from_that_of_all() -> None:
    values = np.arange(100.0)
    draws = np.zeros((3, 100))
    draws[0, :3], draws[1, 97:], draws[2, 50] = 1, 1, 2
    assert medians(values, draws, 1.0).tolist() == [1.0, 98.0, 50.0]


def test_nothing_has_no_median() -> None:
    assert math.isnan(medians(np.array([math.nan, math.nan]), np.ones((1, 2)), 1.0)[0])
    assert math.isnan(medians(np.array([1.0]), np.zeros((1, 1)), 1.0)[0])
    assert median_of_rows(np.array([[4.0, math.nan, 1.0], [2.0, 3.0, 9.0]])).tolist() == [2.5, 3.0]
