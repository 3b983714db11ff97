# SPDX-License-Identifier: MIT
"""How small a difference a collection can detect, by simulation."""

from __future__ import annotations

import math

import numpy as np

from kammerton.core.ratios import mean
from kammerton.errors import OptionError
from kammerton.model.measure import Values
from kammerton.statistics.products import each_block
from kammerton.statistics.resampling import Resampling

__all__ = ["detectable_difference"]


def detectable_difference(
    differences: Values,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    draws: int = 10_000,
    seed: int = 0,
) -> float:
    """Return the smallest mean difference that a test on so many items detects often enough.

    The differences of two systems are shifted so that their mean is 0, and drawn with replacement: what
    collections of this size would say of systems that do not differ. To each collection any difference can
    be added, and from some size on Student's t rejects in its favour. The answer is the size at which it
    does so in the wanted share of collections.

    Parameters
    ----------
    differences : ndarray, shape (items,)
        Of two systems; undefined ones are left out.
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
    float
        At least 0; NaN below 2 items.

    Examples
    --------
    By the normal distribution, (1.96 + 0.84) / sqrt(400) = 0.14 standard deviations:

    >>> differences = np.random.default_rng(0).normal(0.05, 1.0, 400)
    >>> round(detectable_difference(differences), 2)
    0.14
    """
    from scipy.special import stdtrit  # noqa: PLC0415 - slow to import

    for name, share in (("power", power), ("alpha", alpha)):
        if not 0 < share < 1:
            raise OptionError(f"{name} is between 0 and 1, got {share}")
    known = differences[~np.isnan(differences)]
    items = len(known)
    if items < 2:
        return math.nan
    # drawn from, they vary with n where they should with n - 1
    centred = (known - mean(known)) * math.sqrt(items / (items - 1))
    columns = np.stack((centred, centred**2), axis=1) / items
    resampling = Resampling(items, draws, seed)
    moments = np.concatenate(
        list(each_block(lambda start: resampling.block(start) @ columns, resampling.starts))
    )
    errors = np.sqrt(np.maximum(moments[:, 1] - moments[:, 0] ** 2, 0.0) / (items - 1))
    needed = float(stdtrit(items - 1, 1 - alpha / 2)) * errors - moments[:, 0]
    return max(float(np.quantile(needed, power)), 0.0)
