# SPDX-License-Identifier: MIT
"""Which instruments cost a system most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from kammerton.model.costs import ClassCost, ClassCosts
from kammerton.model.task import Classes

__all__ = ["instrument_costs"]

_RULE = (
    "An error is an instrument that a file has and was not said to have, and one that it was said to have "
    "and has not."
)

_INSTEAD = "Where it was missed, {} was said most often."


def instrument_costs(tables: Mapping[str, Mapping[Classes, float]]) -> ClassCosts | None:
    """Return what each instrument cost; None without the table ``instruments``.

    Examples
    --------
    >>> outcomes = {("cello", "hit"): 2.0, ("cello", "miss"): 1.0, ("cello", "spurious"): 3.0}
    >>> instrument_costs({"instruments": outcomes}).rows[0]
    ClassCost(name='cello', whole=3.0, lost=4.0, instead='')
    """
    outcomes = {
        (str(name), outcome): weight for (name, outcome), weight in tables.get("instruments", {}).items()
    }
    names = sorted({name for name, _ in outcomes})
    if not names:
        return None
    instead: dict[str, Counter[str]] = {}
    cells = {(name, name): weight for (name, outcome), weight in outcomes.items() if outcome == "hit"}
    for (annotated, predicted, *_), weight in tables.get("confusion", {}).items():
        instead.setdefault(str(annotated), Counter())[str(predicted)] += weight  # type: ignore[assignment]
        cells[str(annotated), str(predicted)] = cells.get((str(annotated), str(predicted)), 0.0) + weight
    rows = [_cost(name, outcomes, instead.get(name, Counter())) for name in names]
    rows.sort(key=lambda each: (-each.lost, each.name))
    return ClassCosts(
        kind="instrument",
        unit="files",
        lost_unit="errors",
        rule=_RULE,
        rows=tuple(rows),
        cells=cells,
        instead=_INSTEAD,
    )


def _cost(
    name: str, outcomes: Mapping[tuple[str, str | int | None], float], instead: Mapping[str, float]
) -> ClassCost:
    missed = outcomes.get((name, "miss"), 0.0)
    taken = min(instead, key=lambda other: (-instead[other], other), default="")
    return ClassCost(
        name=name,
        whole=outcomes.get((name, "hit"), 0.0) + missed,
        lost=missed + outcomes.get((name, "spurious"), 0.0),
        instead=taken,
    )
