# SPDX-License-Identifier: MIT
import math

import numpy as np
import pytest

from kammerton.arrays import harmonic_mean, mean, median, ratio, weighted_mean

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
