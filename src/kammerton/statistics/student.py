# SPDX-License-Identifier: MIT
"""Quantiles of Student's distribution, for intervals and tests of means."""

from __future__ import annotations

import math

__all__ = ["quantile"]


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
    from scipy.special import betaincinv  # noqa: PLC0415 - slow to import

    # stdtrit is exact to 1e-11 only before scipy 1.17
    beta = float(betaincinv(freedom / 2, 0.5, 1 - share))  # freedom / (freedom + t^2)
    return math.sqrt(freedom * (1 - beta) / beta) if beta else math.inf
