# SPDX-License-Identifier: MIT
"""Intervals from resampled figures: percentile, and bias-corrected and accelerated, both expanded."""

from __future__ import annotations

import math
from typing import Literal, get_args

import numpy as np

from kammerton.errors import OptionError
from kammerton.model.measure import Values
from kammerton.statistics.student import quantile

__all__ = [
    "UNDEFINED",
    "Interval",
    "Method",
    "bca",
    "check_method",
    "expanded",
    "interval",
    "percentile",
    "tail_of",
]

Interval = tuple[float, float]
"""Low and high end; NaN where undefined."""

Method = Literal["percentile", "bca"]

UNDEFINED: Interval = (float("nan"), float("nan"))

_ROUNDING = 1e-13
"""By which figures of equal items may differ, of resamples and of all."""


def percentile(resampled: Values, level: float = 0.95) -> Interval:
    """Return the interval that holds the middle of the resampled figures.

    Parameters
    ----------
    resampled : ndarray, shape (resamples,)
        The figure of each resample. Undefined ones are left out; without any other there is no interval.
    level : float
        Share of them in the interval, between 0 and 1.

    Returns
    -------
    (float, float)

    References
    ----------
    Efron and Tibshirani, *An Introduction to the Bootstrap*, 1993, chapter 13.

    Examples
    --------
    >>> percentile(np.arange(9.0), level=0.5)
    (2.0, 6.0)
    """
    tail = tail_of(level)
    return _quantiles(resampled, tail, 1 - tail)


def bca(value: float, resampled: Values, jackknifed: Values, level: float = 0.95) -> Interval:
    """Return the bias-corrected and accelerated interval.

    Parameters
    ----------
    value : float
        The figure.
    resampled : ndarray, shape (resamples,)
        The figure of each resample. Those equal to ``value`` count half on either side.
    jackknifed : ndarray, shape (units,)
        The figure without each unit.
    level : float
        Share that is to be covered, between 0 and 1.

    Returns
    -------
    (float, float)
        Undefined if the figure is, or no resample or no jackknifed figure is defined. Where the figure
        lies outside all resampled ones, the correction is that of half a resample.

    References
    ----------
    Efron, Better bootstrap confidence intervals, *JASA* 82, 1987.

    Examples
    --------
    >>> values = np.array([1.0, 2.0, 4.0, 9.0])
    >>> means = values[np.random.default_rng(0).integers(0, 4, (9999, 4))].mean(axis=1)
    >>> bca(4.0, means, (16 - values) / 3)
    (1.75, 7.75)
    """
    from scipy.special import ndtr, ndtri  # noqa: PLC0415 - slow to import

    tail = tail_of(level)
    known, left_out = resampled[~np.isnan(resampled)], jackknifed[~np.isnan(jackknifed)]
    if np.isnan(value) or not len(known) or not len(left_out):
        return UNDEFINED
    below = (np.count_nonzero(known < value) + np.count_nonzero(known <= value)) / (2 * len(known))
    bias = ndtri(np.clip(below, 0.5 / len(known), 1 - 0.5 / len(known)))
    deviations = left_out.mean() - left_out
    spread = float((deviations**2).sum()) ** 1.5
    acceleration = float((deviations**3).sum()) / (6 * spread) if spread > 0 else 0.0
    # Efron's equation for the ends; beyond its pole, the end is the last resample on that side
    shifted = bias + float(ndtri(tail)) * np.array([1, -1])
    shrunk = 1 - acceleration * shifted
    stretched = np.copysign(np.inf, shifted)
    np.divide(shifted, shrunk, out=stretched, where=shrunk > 0)
    low, high = ndtr(bias + stretched)
    return _quantiles(known, float(low), float(high))


def expanded(level: float, units: int) -> float:
    """Return the level at which an interval of resamples covers as often as it is to.

    Resamples of n units vary with n where samples of them vary with n - 1, and take the spread for known:
    their quantiles are those of Student's interval of a mean if they are taken at ``Phi(+-z)``, with ``z``
    ``sqrt(n / (n - 1))`` times the quantile of Student's distribution with n - 1 degrees of freedom.

    Parameters
    ----------
    level : float
        Share that is to be covered, between 0 and 1.
    units : int
        How many items, or clusters, were drawn from; at least 2.

    Returns
    -------
    float
        Above ``level``, but below 1; the more units, the nearer to it.

    References
    ----------
    Hesterberg, What teachers should know about the bootstrap, *The American Statistician* 69, 2015: the
    expanded percentile interval.

    Examples
    --------
    >>> [round(expanded(0.95, units), 4) for units in (5, 50, 5000)]
    [0.9981, 0.9576, 0.9501]
    """
    tail_of(level)
    bound = math.sqrt(units / (units - 1)) * quantile(level, units - 1)
    return min(max(level, math.erf(bound / math.sqrt(2))), math.nextafter(1, 0))


def interval(
    value: float, resampled: Values, jackknifed: Values | None, level: float, units: int
) -> Interval:
    """Return the interval of a figure, expanded for the number of units that it is of.

    Parameters
    ----------
    value : float
        The figure.
    resampled : ndarray, shape (resamples,)
        The figure of each resample.
    jackknifed : ndarray, shape (units,), optional
        The figure without each unit: for a BCa interval in place of a percentile interval.
    level : float
        Share that is to be covered.
    units : int
        Items, or clusters, that the figure is of.

    Returns
    -------
    (float, float)
        Undefined if the figure is, or if it is of less than two units.
    """
    if math.isnan(value) or units < 2:
        return UNDEFINED
    wide = expanded(level, units)
    ends = percentile(resampled, wide) if jackknifed is None else bca(value, resampled, jackknifed, wide)
    slack = _ROUNDING * max(1.0, abs(value))
    low, high = (value if abs(end - value) <= slack else end for end in ends)
    return low, high


def check_method(method: str) -> None:
    """Refuse an unknown kind of interval."""
    if method not in get_args(Method):
        raise OptionError.unknown("kind of interval", method, get_args(Method))


def tail_of(level: float) -> float:
    """Return what an interval leaves on each side.

    Raises
    ------
    OptionError
        If the level is not between 0 and 1.
    """
    if not 0 < level < 1:
        raise OptionError(f"the level of an interval is between 0 and 1, got {level}")
    return (1 - level) / 2


def _quantiles(resampled: Values, low: float, high: float) -> Interval:
    known = resampled[~np.isnan(resampled)]
    if not len(known):
        return UNDEFINED
    ends = np.quantile(known, [low, high])
    return float(ends[0]), float(ends[1])
