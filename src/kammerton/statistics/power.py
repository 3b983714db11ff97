# SPDX-License-Identifier: MIT
"""How small differences a collection can detect, by simulation."""

from __future__ import annotations

import math

import numpy as np

from kammerton.core.ratios import mean, ratio
from kammerton.errors import OptionError
from kammerton.model.measure import Values
from kammerton.statistics.products import each_block
from kammerton.statistics.resampling import Resampling
from kammerton.statistics.student import quantile

__all__ = ["detectable_differences"]


def detectable_differences(
    differences: Values,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    draws: int = 10_000,
    seed: int = 0,
) -> Values:
    """Return the smallest mean difference of each pair that a test on so many items detects often enough.

    The differences of two systems are shifted so that their mean is 0, and drawn with replacement: what
    collections of this size would say of systems that do not differ. To each collection any difference can
    be added, and from some size on Student's t rejects in its favour. The answer is the size at which it
    does so in the wanted share of collections.

    Parameters
    ----------
    differences : ndarray, shape (items, pairs)
        Of pairs of systems; undefined ones are left out.
    power : float
        Share of collections in which the difference is to be found.
    alpha : float
        Level of the test, two-sided.
    draws : int
        Simulated collections.
    seed : int
        Of the draws.

    Returns
    -------
    ndarray, shape (pairs,)
        At least 0; NaN below 2 items.

    Examples
    --------
    By the normal distribution, (1.96 + 0.84) / sqrt(400) = 0.14 standard deviations:

    >>> differences = np.random.default_rng(0).normal(0.05, 1.0, (400, 1))
    >>> detectable_differences(differences).round(2)
    array([0.14])
    """
    for name, share in (("power", power), ("alpha", alpha)):
        if not 0 < share < 1:
            raise OptionError(f"{name} is between 0 and 1, got {share}")
    items, pairs = differences.shape
    defined = ~np.isnan(differences)
    count = defined.sum(axis=0)
    columns = np.concatenate((_centred(differences), _centred(differences) ** 2, defined), axis=1)
    resampling = Resampling(items, draws, seed)
    blocks = each_block(lambda start: resampling.block(start) @ columns, resampling.starts)
    sums, squares, drawn = np.split(np.concatenate(list(blocks)), [pairs, 2 * pairs], axis=1)
    means = ratio(sums, drawn)
    errors = np.sqrt(np.maximum(ratio(ratio(squares, drawn) - means**2, drawn - 1), 0.0))
    found = np.full(pairs, np.nan)
    for pair in np.flatnonzero(count > 1).tolist():
        needed = quantile(1 - alpha, int(count[pair]) - 1) * errors[:, pair] - means[:, pair]
        found[pair] = max(float(np.nanquantile(needed, power)), 0.0)
    return found


def _centred(differences: Values) -> Values:
    """Return differences with mean 0 that vary, if drawn from, as a sample of them does; 0 for undefined."""
    made = np.zeros_like(differences)
    for pair, column in enumerate(differences.T):
        known = ~np.isnan(column)
        count = np.count_nonzero(known)
        if count > 1:
            stretch = math.sqrt(count / (count - 1))
            made[known, pair] = (column[known] - mean(column[known])) * stretch
    return made
