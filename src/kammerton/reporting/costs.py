# SPDX-License-Identifier: MIT
"""Which items cost most."""

from __future__ import annotations

from kammerton.model.measure import Measure
from kammerton.model.scores import Scores

__all__ = ["costliest_items"]


def costliest_items(scores: Scores, measure: Measure, count: int) -> list[str]:
    """Return the items that cost a measure most, the dearest first.

    Parameters
    ----------
    scores : Scores
        Has the measure.
    measure : Measure
        Between 0 and 1. An item costs what it lacks to the best value times what it was measured on,
        over all systems and annotators; a missing estimate costs all of it.
    count : int
        How many at most; items that cost nothing are none of them.
    """
    costs: dict[str, float] = {}
    for row in scores.items.filter(protocol=measure.protocol, measure=measure.name).iter_rows(named=True):
        if row["value"] is not None:
            lost = 1 - row["value"] if measure.direction == "higher" else row["value"]
            costs[row["item"]] = costs.get(row["item"], 0.0) + lost * row["weight"]
    dearest = sorted((item for item in costs if costs[item] > 0), key=lambda item: (-costs[item], item))
    return dearest[:count]
