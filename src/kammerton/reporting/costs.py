# SPDX-License-Identifier: MIT
"""Which items cost most."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import NamedTuple

from kammerton.errors import out_of, plural
from kammerton.model.measure import Measure
from kammerton.model.scores import Scores
from kammerton.reporting.plain_tables import aligned
from kammerton.statistics.ranks import differences, scale_of

__all__ = ["Cost", "costliest_items", "costs_of_items", "render_costs"]


class Cost(NamedTuple):
    """What an item lost, over all systems and annotators, and what it was measured on."""

    item: str
    lost: float
    weight: float


def costliest_items(scores: Scores, measure: Measure, count: int) -> list[str]:
    """Return the names of :func:`costs_of_items`."""
    return [cost.item for cost in costs_of_items(scores, measure)[:count]]


def costs_of_items(scores: Scores, measure: Measure) -> list[Cost]:
    """Return what items cost by a measure, the dearest first.

    Parameters
    ----------
    scores : Scores
        Has the measure.
    measure : Measure
        Between 0 and 1. An item costs what it lacks to the best value times what it was measured on,
        over all systems and annotators; a missing estimate costs all of it.

    Returns
    -------
    list of Cost
        Items that cost nothing are none of them.
    """
    costs: dict[str, tuple[float, float]] = {}
    for row in scores.items_by([measure]).iter_rows(named=True):
        if row["value"] is not None:
            best, worse = (1.0, row["value"]) if measure.direction == "higher" else (row["value"], 0.0)
            lost = float(differences(best, worse, scale_of(measure)))
            before, weight = costs.get(row["item"], (0.0, 0.0))
            costs[row["item"]] = (before + lost * row["weight"], weight + row["weight"])
    dear = [Cost(item, *cost) for item, cost in costs.items() if cost[0] > 0]
    return sorted(dear, key=lambda cost: (-cost.lost, cost.item))


def render_costs(
    scores: Scores, measure: Measure, costs: Sequence[Cost], *, width: int, encoding: str = "utf-8"
) -> str:
    """Return a table of the dearest items for a terminal.

    Parameters
    ----------
    scores : Scores
        What the costs are of.
    measure : Measure
        What they are by.
    costs : sequence of Cost
        Those that are shown.
    width, encoding
        Of the terminal.
    """
    unit = measure.weight_unit
    over = "".join(
        f" over {plural(len(names), noun)}"
        for names, noun in ((scores.systems, "system"), (scores.annotators, "annotator"))
        if len(names) > 1
    )
    total = len(set(scores.items["item"]))
    title = (
        f"{out_of(len(costs), total, 'item')} by what they cost, not by value: what {measure} lacks "
        f"to the best, times what it is of{over}"
    )
    rows = [
        [cost.item, f"{cost.lost:.3f}", f"{cost.weight:.3f}", f"{100 * cost.lost / cost.weight:.2f}"]
        for cost in costs
    ]
    head = ["item", f"lost {unit}", f"of {unit}", "lost %"]
    return f"{fill(title, width, subsequent_indent='  ')}\n" + aligned(head, rows, texts=1, encoding=encoding)
