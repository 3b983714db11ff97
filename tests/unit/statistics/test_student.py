# SPDX-License-Identifier: MIT
"""Student's distribution where it has a short form, and by its tables."""

import math

import pytest

from kammerton.statistics.student import quantile, within


@pytest.mark.parametrize("bound", [0.0, 0.3, 1.0, 12.0, 1e6])
def test_few_degrees_of_freedom_have_short_forms(bound: float) -> None:
    assert within(bound, 1) == pytest.approx(2 / math.pi * math.atan(bound), rel=1e-12)
    assert within(bound, 2) == pytest.approx(bound / math.sqrt(2 + bound**2), rel=1e-12)
    third = math.atan(bound / math.sqrt(3)) + math.sqrt(3) * bound / (3 + bound**2)
    assert within(bound, 3) == pytest.approx(2 / math.pi * third, rel=1e-12)


@pytest.mark.parametrize(
    ("freedom", "of_95", "of_99"),
    [(1, 12.706, 63.657), (4, 2.776, 4.604), (9, 2.262, 3.250), (30, 2.042, 2.750), (120, 1.980, 2.617)],
)
def test_quantiles_are_those_of_tables(freedom: int, of_95: float, of_99: float) -> None:
    assert round(quantile(0.95, freedom), 3) == of_95
    assert round(quantile(0.99, freedom), 3) == of_99


def test_shares_next_to_one_come_to_an_end() -> None:
    assert quantile(math.nextafter(1, 0), 1) > 1e15
    assert 7 < quantile(math.nextafter(1, 0), 100_000) < 9
