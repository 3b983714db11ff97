# SPDX-License-Identifier: MIT
"""What a recording, or a query, is said to hold: labels, best first, with scores where there are any."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["InstrumentList"]

_UNSCORED: NDArray[np.float64] = np.empty(0)
_UNGRADED: NDArray[np.int64] = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class InstrumentList:
    """Instruments of a recording as an annotator or a system lists them; or recordings of a query.

    Parameters
    ----------
    labels : tuple of str
        Each once, in the order of the source: the best first if they are ranked.
    scores : ndarray of float64, shape (len(labels),), or empty
        Confidence of each label; empty where the source has none.
    ranked : bool
        Whether the order, or the scores, say which label is the likelier one. A set is not ranked.
    vector : bool
        Whether every label of a vocabulary has a score, so that being listed says nothing until a
        threshold or a number of best labels makes a list of them.
    absent : tuple of str
        Labels that were judged not to be there.
    closed : bool
        Whether a label that is in neither list is not there; else it was not judged.
    grades : ndarray of int64, shape (len(labels),), or empty
        How relevant each label is, 1 or more; empty where all count 1.
    query : bool
        Whether this is a query, and its labels are documents, which belong to no taxonomy.

    Notes
    -----
    Made by :func:`kammerton.instruments.read` and by everything that takes lists of labels; the
    constructor does not check.
    """

    labels: tuple[str, ...]
    scores: NDArray[np.float64] = field(default_factory=lambda: _UNSCORED)
    ranked: bool = False
    vector: bool = False
    absent: tuple[str, ...] = ()
    closed: bool = True
    grades: NDArray[np.int64] = field(default_factory=lambda: _UNGRADED)
    query: bool = False

    def __len__(self) -> int:
        """Return the number of labels."""
        return len(self.labels)
