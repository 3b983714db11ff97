# SPDX-License-Identifier: MIT
"""Quotients and averages in which *undefined* stays undefined.

The rule lives here alone: a quotient over nothing is NaN, an average leaves NaN out, and an
average of nothing is NaN.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["harmonic_mean", "mean", "median", "ratio", "total", "weighted_mean"]

Values = NDArray[np.float64]


def total(values: Values) -> float:
    """Return the sum, rounded once: the order of the values, and so the names of items, do not show.

    >>> total(np.array([1e16, 1.0, -1e16]))
    1.0
    """
    return math.fsum(values.tolist())


def ratio(numerator: Values, denominator: Values) -> Values:
    """Divide element by element; NaN where the denominator is not positive.

    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    array([0.5, nan])
    """
    quotient = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), np.nan)
    np.divide(numerator, denominator, out=quotient, where=denominator > 0)
    return quotient


def harmonic_mean(first: Values, second: Values) -> Values:
    """Return ``2ab / (a + b)`` element by element; 0 where both are 0.

    >>> harmonic_mean(np.array([0.5, 0.0]), np.array([1.0, 0.0]))
    array([0.66666667, 0.        ])
    """
    both = first + second
    safe = np.where(both > 0, both, 1.0)
    return np.where(both > 0, 2.0 * first * second / safe, both)


def mean(values: Values) -> float:
    """Return the mean of the defined values; NaN if there are none."""
    defined = values[~np.isnan(values)]
    return total(defined) / len(defined) if len(defined) else float("nan")


def median(values: Values) -> float:
    """Return the median of the defined values; NaN if there are none."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return float("nan")
    # As np.median, which looks at its arguments for longer than the values of a corpus take.
    middle = ((len(defined) - 1) // 2, len(defined) // 2)
    return float(np.partition(defined, middle)[list(middle)].sum() / 2)


def weighted_mean(values: Values, weights: Values) -> float:
    """Return the weighted mean of the defined values; NaN if they weigh nothing.

    The weight of an undefined value is left out with it.
    """
    defined = ~np.isnan(values)
    whole = total(weights[defined])
    return total(values[defined] * weights[defined]) / whole if whole > 0 else float("nan")
