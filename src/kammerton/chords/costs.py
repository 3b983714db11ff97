# SPDX-License-Identifier: MIT
"""Which chord qualities cost a system most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from kammerton.model.costs import ClassCosts, costs_of_confusion
from kammerton.model.task import Classes

__all__ = ["quality_costs"]

_RULE = (
    "Time counts as lost where the root differs or the quality does, whatever the bass; "
    "measures that map or leave out qualities are milder."
)

_BY = "root and full quality"
"""What the table compares: more than measures of triads do."""


def quality_costs(tables: Mapping[str, Mapping[Classes, float]]) -> ClassCosts | None:
    """Return what each quality of the reference cost; None without the table ``confusion``.

    Examples
    --------
    >>> found = quality_costs({"confusion": {(0, "maj", "maj"): 3.0, (7, "maj", "maj"): 1.0}})
    >>> found.rows[0]
    ClassCost(name='maj', whole=4.0, lost=1.0, instead='maj on another root')
    """
    costs: Counter[tuple[str, str]] = Counter()
    cells: Counter[tuple[str, str]] = Counter()
    for (interval, reference, estimate), weight in tables.get("confusion", {}).items():
        same = interval in (0, None)
        taken = str(estimate) if same else f"{estimate} on another root"
        costs[str(reference), taken] += weight  # type: ignore[assignment]
        cells[str(reference), str(estimate) if same else "another root"] += weight  # type: ignore[assignment]
    if not cells:
        return None
    rows = costs_of_confusion(costs)
    return ClassCosts(kind="chord quality", unit="s", rule=_RULE, rows=rows, cells=cells, by=_BY)
