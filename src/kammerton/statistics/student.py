# SPDX-License-Identifier: MIT
"""Quantiles of Student's distribution, for intervals and tests of means."""

from __future__ import annotations

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
    from scipy.special import stdtrit  # noqa: PLC0415 - slow to import

    return float(stdtrit(freedom, (1 + share) / 2))
