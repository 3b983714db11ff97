# SPDX-License-Identifier: MIT
"""Which fingers cost a system most."""

from __future__ import annotations

from collections.abc import Mapping

from kammerton.model.costs import ClassCosts, costs_of_confusion
from kammerton.model.task import Classes

__all__ = ["finger_costs"]

_RULE = (
    "A note counts as lost where the finger is another one, or only one side has one, summed over all "
    "annotators; L is the left hand, R the right."
)

_NEEDS = "It is told where a measure such as strike/accuracy is scored (protocol strike), and none was."


def finger_costs(tables: Mapping[str, Mapping[Classes, float]]) -> ClassCosts | None:
    """Return what each finger of the reference cost; without the table ``confusion``, what makes it.

    Examples
    --------
    >>> finger_costs({"confusion": {("R1", "R1"): 3.0, ("R1", "R2"): 1.0}}).rows[0]
    ClassCost(name='R1', whole=4.0, lost=1.0, instead='R2')
    """
    if "confusion" not in tables:
        return ClassCosts(kind="finger", unit="notes", rule=_RULE, rows=(), needs=_NEEDS)
    cells = {
        (str(reference), str(estimate)): weight
        for (reference, estimate), weight in tables["confusion"].items()
    }
    if not cells:
        return None
    return ClassCosts(
        kind="finger",
        unit="notes",
        rule=_RULE,
        rows=costs_of_confusion(cells),
        cells=dict(sorted(cells.items())),
    )
