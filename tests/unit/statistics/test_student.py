# SPDX-License-Identifier: MIT
"""Quantiles of Student's distribution by its tables."""

import pytest

from kammerton.statistics.intervals import quantile


@pytest.mark.parametrize(
    ("freedom", "of_95", "of_99"),
    [(1, 12.706, 63.657), (4, 2.776, 4.604), (9, 2.262, 3.250), (30, 2.042, 2.750), (120, 1.980, 2.617)],
)
def test_quantiles_are_those_of_tables(freedom: int, of_95: float, of_99: float) -> None:
    assert round(quantile(0.95, freedom), 3) == of_95
    assert round(quantile(0.99, freedom), 3) == of_99
