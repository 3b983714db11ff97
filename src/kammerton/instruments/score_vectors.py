# SPDX-License-Identifier: MIT
"""Scores of every recording for a label: average precision and area under the ROC curve.

Equal scores are one step, as in scikit-learn.
"""

from __future__ import annotations

import numpy as np

from kammerton.core.intervals import Flags
from kammerton.instruments.lists import Lists, Ranking, sums
from kammerton.instruments.ranking import precision_at_hits
from kammerton.model.measure import Values

__all__ = ["average_precision", "roc_area"]


def average_precision(lists: Lists, ranking: Ranking, hits: Flags) -> tuple[Values, Values]:
    """Return the sum of the precision at each hit, and the number of hits, of each list.

    Parameters
    ----------
    lists : Lists
        The lists.
    ranking : Ranking
        Their order, with ties.
    hits : ndarray of bool, shape (entries,)
        Which entries are right, in the order of the lists. Those without a score (minus infinity) are
        not found.
    """
    found = hits & (lists.strengths > -np.inf) if len(lists.strengths) else hits
    return precision_at_hits(lists, ranking, found, grouped=True), sums(lists, hits)


def roc_area(lists: Lists, ranking: Ranking, hits: Flags) -> tuple[Values, Values]:
    """Return the pairs of a hit and a miss in the right order, and all such pairs, of each list.

    A pair with equal scores is half right.

    Parameters
    ----------
    lists, ranking, hits
        As for :func:`average_precision`.
    """
    ordered = hits[ranking.order].astype(np.float64)
    positive, entries = sums(lists, hits), lists.lengths.astype(np.float64)
    # each hit is ahead of what ranks behind its tie, and level with its tie, in which it stands itself
    behind = np.repeat(entries, lists.lengths) - ranking.before - ranking.sizes
    beaten = sums(lists, ordered * (behind + ranking.sizes / 2))
    # of these pairs, those of two hits are as many as there are pairs of hits, each half right both ways
    return beaten - positive**2 / 2, positive * (entries - positive)
