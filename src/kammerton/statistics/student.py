# SPDX-License-Identifier: MIT
"""Quantiles of Student's distribution, for intervals that every score has.

SciPy has them too, but takes longer to be imported than a small collection to be scored.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

__all__ = ["quantile", "within"]

_EXACT = 1e-12
"""Part of a quantile by which another step of Newton's changes it at most."""


def within(bound: float, freedom: int) -> float:
    """Return the share of Student's distribution that is at most so far from 0.

    Parameters
    ----------
    bound : float
        At least 0.
    freedom : int
        Degrees of freedom, at least 1.

    References
    ----------
    Abramowitz and Stegun, *Handbook of Mathematical Functions*, 1964, 26.7.3 and 26.7.4.

    Examples
    --------
    >>> round(within(1.0, freedom=1), 12), round(within(math.sqrt(2), freedom=2), 12)
    (0.5, 0.707106781187)
    """
    angle, odd = math.atan(bound / math.sqrt(freedom)), freedom % 2
    steps = np.arange(1 + odd, freedom - 2, 2)
    terms = np.cumprod(steps / (steps + 1) * math.cos(angle) ** 2)
    if not odd:
        return math.sin(angle) * (1 + float(terms.sum()))
    series = math.cos(angle) * (1 + float(terms.sum())) if freedom > 1 else 0.0
    return 2 / math.pi * (angle + math.sin(angle) * series)


@lru_cache(maxsize=1024)
def quantile(share: float, freedom: int) -> float:
    """Return how far from 0 values are at most that make up a share of Student's distribution.

    Parameters
    ----------
    share : float
        Between 0 and 1.
    freedom : int
        Degrees of freedom, at least 1.

    Examples
    --------
    >>> round(quantile(0.95, freedom=9), 3)
    2.262
    """
    # Newton's steps only ever grow: right of 0, the share within a bound bends downwards
    logarithm = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
    densest = 2 * math.exp(logarithm) / math.sqrt(freedom * math.pi)
    bound, step = 0.0, share / densest
    while step > _EXACT * bound:
        bound += step
        density = densest * math.exp(-(freedom + 1) / 2 * math.log1p(bound**2 / freedom))
        step = (share - within(bound, freedom)) / density
    return bound
