# SPDX-License-Identifier: MIT
"""Ranks in which equal values share the mean of their places."""

from __future__ import annotations

import numpy as np

from kammerton.model.measure import Values

__all__ = ["midranks"]


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
