# SPDX-License-Identifier: MIT
"""Several systems on the same items by their ranks: Friedman, and Tukey's comparison of mean ranks.

As MIREX reports it with MATLAB's ``friedman`` and ``multcompare``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from kammerton.errors import OptionError
from kammerton.model.measure import Values
from kammerton.statistics.ranks import level, midranks

__all__ = ["Friedman", "critical_difference", "friedman", "nemenyi_q"]


@dataclass(frozen=True, slots=True, eq=False)
class Friedman:
    """Mean ranks of systems, and what they say.

    Parameters
    ----------
    ranks : ndarray, shape (systems,)
        Mean rank of each system; 1 is the best.
    items : int
        Items on which all systems have a value.
    chi_squared, p : float
        Whether any system differs from any other; NaN below 2 systems or without items.
    pairs : ndarray, shape (systems, systems)
        p of each pair, adjusted for all pairs by the distribution of the studentized range.
    critical : float
        Difference of mean ranks at which two systems are told apart.
    unadjusted : ndarray, shape (systems, systems)
        p of each pair by the normal distribution of the difference of their mean ranks, adjusted for no
        other: what pairs with one system are judged by (Demšar, *JMLR* 7, 2006, section 3.2.2).
    """

    ranks: Values
    items: int
    chi_squared: float
    p: float
    pairs: Values
    critical: float
    unadjusted: Values


def friedman(values: Values, alpha: float = 0.05) -> Friedman:
    """Compare systems by their ranks on each item.

    Parameters
    ----------
    values : ndarray, shape (items, systems)
        The higher the better. Items on which a system is undefined are left out. Values of an item that
        are equal, but for rounding, share the mean of their ranks, and the variance of ranks is that which
        they leave.
    alpha : float
        Level of the critical difference.

    Returns
    -------
    Friedman
        Where no item tells any systems apart, chi squared is 0 and every p is 1.

    Examples
    --------
    Two systems, the first better on 8 of 10 items; ranks 1.2 and 1.8:

    >>> found = friedman(np.array([[2.0, 1.0]] * 8 + [[1.0, 2.0]] * 2))
    >>> found.ranks, round(found.chi_squared, 6)
    (array([1.2, 1.8]), 3.6)
    """
    from scipy.special import chdtrc, ndtr  # noqa: PLC0415 - slow to import

    known = values[~np.isnan(values).any(axis=1)]
    items, systems = known.shape
    if systems < 2 or not items:
        nothing = np.full((systems, systems), np.nan)
        return Friedman(np.full(systems, np.nan), items, math.nan, math.nan, nothing, math.nan, nothing)
    ranks, ties = midranks(-level(known))
    means = ranks.mean(axis=0)
    variance = systems * (systems + 1) / 12 - float(ties.sum()) / (12 * items * (systems - 1))
    apart = np.abs(means[:, None] - means[None, :])
    if variance <= 0:
        return Friedman(means, items, 0.0, 1.0, np.ones_like(apart), 0.0, np.ones_like(apart))
    error = math.sqrt(variance / items)
    spread = float(((means - (systems + 1) / 2) ** 2).sum())
    pairs = np.array([[_tukey_p(distance / error, systems) for distance in row] for row in apart.tolist()])
    chi_squared = spread / error**2
    p = float(chdtrc(systems - 1, chi_squared))
    critical = _studentized_range(systems, alpha) * error
    unadjusted = 2 * ndtr(-apart / (math.sqrt(2) * error))
    return Friedman(means, items, chi_squared, p, pairs, critical, unadjusted)


def critical_difference(systems: int, items: int, alpha: float = 0.05) -> float:
    """Return the difference of mean ranks at which two systems are told apart, if no values are equal.

    ``q / sqrt(2) * sqrt(systems (systems + 1) / (6 items))``

    References
    ----------
    Demšar, Statistical comparisons of classifiers over multiple data sets, *JMLR* 7, 2006.

    Examples
    --------
    >>> round(critical_difference(systems=5, items=50), 4)
    0.8626
    """
    if items < 1:
        raise OptionError(f"ranks need at least one item, got {items}")
    return nemenyi_q(systems, alpha) * math.sqrt(systems * (systems + 1) / (6 * items))


def nemenyi_q(systems: int, alpha: float = 0.05) -> float:
    """Return the quantile of the studentized range over the square root of 2, as Nemenyi's test has it.

    >>> round(nemenyi_q(5), 3)
    2.728
    """
    return _studentized_range(systems, alpha) / math.sqrt(2)


@lru_cache(maxsize=64)
def _studentized_range(systems: int, alpha: float) -> float:
    """Return the upper quantile for as many means whose variance is known."""
    from scipy.stats import studentized_range  # noqa: PLC0415 - slow to import

    if systems < 2:
        raise OptionError(f"ranks need at least two systems, got {systems}")
    if not 0 < alpha < 1:
        raise OptionError(f"alpha is between 0 and 1, got {alpha}")
    return float(studentized_range.ppf(1 - alpha, systems, np.inf))


@lru_cache(maxsize=4096)
def _tukey_p(distance: float, systems: int) -> float:
    """Return the probability of a range at least as large."""
    from scipy.stats import studentized_range  # noqa: PLC0415 - slow to import

    return float(studentized_range.sf(distance, systems, np.inf)) if distance > 0 else 1.0
