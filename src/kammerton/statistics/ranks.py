# SPDX-License-Identifier: MIT
"""Ties: values that only rounding tells apart are equal, and equal values share the mean of their ranks.

Two systems that are right for the same seconds score the same, but where one cuts them into more rows the
sums may differ in their last bits. Such a difference is no win of either: differences, signs and ranks are
made here, and nowhere else.
"""

from __future__ import annotations

import math

import numpy as np

from kammerton.model.measure import Measure, Values

__all__ = ["OF_SUMS", "differences", "differences_of_items", "is_tie", "level", "midranks", "scale_of"]

_ULPS = 64
"""Units in the last place by which scores may differ through rounding: a few for each sum or quotient."""

_ROUNDING = _ULPS * float(np.finfo(np.float64).eps)

OF_SUMS = 1e-11
"""The same for scores of resamples and permutations, whose sums are matrix products over all items."""


def scale_of(measure: Measure) -> float:
    """Return what the values of a measure round like near 0, such as 1 of a share that is 1 less another."""
    low, high = measure.range
    return high - low if math.isfinite(high - low) else 0.0


def differences(
    first: Values | float, second: Values | float, scale: float = 0.0, rounding: float = _ROUNDING
) -> Values:
    """Return ``first - second``, exactly 0 where the two differ by rounding alone.

    Parameters
    ----------
    first, second : ndarray
        Scores; NaN where undefined.
    scale : float
        See :func:`scale_of`.
    rounding : float
        Part of the larger score, or of the scale, that is nothing: by default 64 units in the last place.

    Examples
    --------
    >>> differences(np.array([0.1 + 0.2, 0.9]), np.array([0.3, 1.0])).tolist()
    [0.0, -0.09999999999999998]
    """
    made = np.asarray(first - second, dtype=np.float64)
    made[np.abs(made) <= _slack(first, second, scale, rounding)] = 0.0
    return made


def differences_of_items(first: Values, second: Values, scale: float = 0.0) -> Values:
    """Return :func:`differences` whose sizes are equal too if only rounding tells them apart.

    So they share a rank, and do not vary.

    >>> differences_of_items(np.array([0.9, 0.2]), np.array([1.0, 0.1])).tolist()
    [-0.09999999999999998, 0.09999999999999998]
    """
    made = differences(first, second, scale)
    slack = _slack(first, second, scale, _ROUNDING)
    sizes: Values = _merged(np.abs(made)[None, :], slack[None, :])[0]
    return np.sign(made) * sizes


def _slack(first: Values | float, second: Values | float, scale: float, rounding: float) -> Values:
    larger: Values = np.maximum(np.maximum(np.abs(first), np.abs(second)), scale)
    return rounding * larger


def is_tie(first: float, second: float, scale: float = 0.0) -> bool:
    """Tell whether two scores differ by rounding alone; an undefined one is equal to none."""
    return bool(differences(first, second, scale) == 0)


def level(rows: Values, scale: float = 0.0) -> Values:
    """Return a table in which values of a row that differ by rounding alone are the same.

    Parameters
    ----------
    rows : ndarray, shape (rows, values)
        Scores, such as those of several systems on an item; NaN where undefined.
    scale : float
        See :func:`scale_of`.

    Examples
    --------
    >>> level(np.array([[0.1 + 0.2, 0.3, 0.2]])).tolist()
    [[0.3, 0.3, 0.2]]
    """
    return _merged(rows, _ROUNDING * np.maximum(np.abs(rows), scale))


def _merged(rows: Values, slack: Values) -> Values:
    """Return rows in which neighbours in size that are no further apart than their slack are the smallest."""
    order = np.argsort(rows, axis=1, kind="stable")
    ordered, allowed = (np.take_along_axis(each, order, axis=1) for each in (rows, slack))
    begins = np.ones(rows.shape, dtype=bool)
    begins[:, 1:] = ~(np.diff(ordered, axis=1) <= np.maximum(allowed[:, 1:], allowed[:, :-1]))
    first = np.maximum.accumulate(np.where(begins, np.arange(rows.shape[1]), 0), axis=1)
    made = np.empty_like(rows)
    np.put_along_axis(made, order, np.take_along_axis(ordered, first, axis=1), axis=1)
    return made


def midranks(rows: Values) -> tuple[Values, Values]:
    """Return the rank of each value in its row: 1 for the smallest, equal ones the mean of theirs.

    Parameters
    ----------
    rows : ndarray, shape (rows, values)
        All defined.

    Returns
    -------
    ndarray, shape (rows, values)
        Ranks.
    ndarray, shape (rows,)
        The sum of ``t**3 - t`` over the groups of ``t`` equal values of a row.

    Examples
    --------
    >>> midranks(np.array([[3.0, 1.0, 3.0, 2.0]]))
    (array([[3.5, 1. , 3.5, 2. ]]), array([6.]))
    """
    codes = np.unique(rows, return_inverse=True)[1].reshape(rows.shape)
    begins = np.arange(len(rows))[:, None]
    keys = codes + begins * (codes.max(initial=0) + 1)
    ordered = np.sort(keys, axis=None)
    before, upto = (np.searchsorted(ordered, keys, side=side) for side in ("left", "right"))
    equal = (upto - before).astype(np.float64)
    return (before + upto + 1) / 2 - begins * rows.shape[1], (equal**2 - 1).sum(axis=1)
