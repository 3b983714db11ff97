# SPDX-License-Identifier: MIT
"""What classes of labels cost: chord qualities, fingers, instruments."""

from __future__ import annotations

from typing import Any

from kammerton.model.costs import ClassCosts
from kammerton.model.task import Classes
from kammerton.reporting.html.filling import fill, shown
from kammerton.reporting.html.numbers import amount
from kammerton.reporting.html.sections import Section
from kammerton.reporting.html.source import Source

__all__ = ["costs", "costs_of", "summed_tables"]

_ROWS = 12
"""Classes that a table lists."""
_SYSTEMS = 4
"""Systems whose tables are shown."""


def costs(source: Source) -> Section | None:
    """Return the section of classes: for each system those that cost most."""
    found = [(system, costs_of(source, system)) for system in source.ranked[:_SYSTEMS]]
    known = [(system, each) for system, each in found if each is not None and each.rows]
    if not known:
        return None
    first = known[0][1]
    body = fill(
        "costs",
        kind=first.kind,
        rule=first.rule,
        tables=[_table(system, each) for system, each in known],
        more=max(0, len(source.scores.systems) - _SYSTEMS),
    )
    return Section(part="costs", title=f"By {first.kind}", body=body)


def _table(system: str, found: ClassCosts) -> dict[str, Any]:
    whole = sum(row.lost for row in found.rows)
    listed = [row for row in found.rows if row.lost > 0][:_ROWS]
    rest = whole - sum(row.lost for row in listed)
    return {
        "system": shown(system),
        "rows": [
            {
                "name": shown(row.name, 60),
                "whole": amount(row.whole, found.unit),
                "lost": amount(row.lost, found.unit_of_loss),
                "share": f"{100 * row.lost / whole:.1f} %",
                "instead": shown(row.instead, 60),
            }
            for row in listed
        ],
        "rest": f"{100 * rest / whole:.1f} %" if rest > 0 else "",
    }


def costs_of(source: Source, system: str) -> ClassCosts | None:
    """Return what classes cost a system, summed over annotators; None if its task does not tell."""
    task = source.scores.origin.task
    if task.costs is None:
        return None
    return task.costs(summed_tables(source, system))


def summed_tables(source: Source, system: str) -> dict[str, dict[Classes, float]]:
    """Return the cells of each class table of a system, summed over annotators."""
    tables: dict[str, dict[Classes, float]] = {}
    for name in source.scores.tables:
        summed: dict[Classes, float] = {}
        for (of_system, _), cells in source.scores.tally(name).cells.items():
            for classes, weight in cells.items() if of_system == system else ():
                summed[classes] = summed.get(classes, 0.0) + weight
        tables[name] = summed
    return tables
