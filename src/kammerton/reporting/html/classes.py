# SPDX-License-Identifier: MIT
"""Losses and confusions by class of labels: chord qualities, fingers, instruments."""

from __future__ import annotations

import math
from typing import Any

from kammerton.model.task import Breakdown, ClassKey, ClassLosses, Matrix, Node
from kammerton.reporting.html.page import UNDEFINED, Section, Source, amount_text, fill, shown

_ROWS = 12
"""Classes that a table lists."""
_SYSTEMS = 4
"""Systems whose tables are shown."""


def losses(source: Source) -> Section | None:
    """Return the section of losses: for each system the classes that lost most."""
    class_losses = [(system, losses_by_class(source, system)) for system in source.ranked[:_SYSTEMS]]
    known = [(system, losses) for system, losses in class_losses if losses is not None and losses.rows]
    if not known:
        return None
    first = known[0][1]
    body = fill(
        "losses",
        kind=first.kind,
        rule=first.rule,
        tables=[_table(system, losses) for system, losses in known],
        more=max(0, len(source.scores.systems) - _SYSTEMS),
    )
    return Section(part="losses", title=f"By {first.kind}", body=body)


def _table(system: str, class_losses: ClassLosses) -> dict[str, Any]:
    whole = sum(row.lost for row in class_losses.rows)
    listed = [row for row in class_losses.rows if row.lost > 0][:_ROWS]
    rest = whole - sum(row.lost for row in listed)
    return {
        "system": shown(system),
        "rows": [
            {
                "name": shown(row.name, 60),
                "whole": amount_text(row.whole, class_losses.unit),
                "lost": amount_text(row.lost, class_losses.unit_of_loss),
                "share": f"{100 * row.lost / whole:.1f} %",
                "instead": shown(row.instead, 60),
            }
            for row in listed
        ],
        "rest": f"{100 * rest / whole:.1f} %" if rest > 0 else "",
    }


def losses_by_class(source: Source, system: str) -> ClassLosses | None:
    """Return the losses of a system by class, summed over annotators; None if its task has none."""
    task = source.scores.origin.task
    if task.losses is None:
        return None
    return task.losses(summed_tables(source, system))


def summed_tables(source: Source, system: str) -> dict[str, dict[ClassKey, float]]:
    """Return the cells of each class table of a system, summed over annotators."""
    tables: dict[str, dict[ClassKey, float]] = {}
    for name in source.scores.tables:
        summed: dict[ClassKey, float] = {}
        for (of_system, _), cells in source.scores.tally(name).cells.items():
            for classes, weight in cells.items() if of_system == system else ():
                summed[classes] = summed.get(classes, 0.0) + weight
        tables[name] = summed
    return tables


_MOST_SYSTEMS = 6
"""Systems that are broken down."""
_STEPS = 10
"""Shades of a field."""
_DEEPEST = 4
"""Steps by which a class is indented at most."""
_NAME = 60
_COLUMN = 24
"""Characters of a name in a row, and above a column."""


def breakdown(source: Source) -> Section | None:
    """Return the section of confusions, if the task has any."""
    task = source.scores.origin.task
    if task.breakdown is None:
        return None
    systems = source.ranked[:_MOST_SYSTEMS]
    breakdowns = [
        (system, task.breakdown(summed_tables(source, system), source.scores.origin.options))
        for system in systems
    ]
    known = [(system, broken_down) for system, broken_down in breakdowns if broken_down is not None]
    if not known:
        return None
    body = fill(
        "breakdown",
        systems=[_system(system, broken_down) for system, broken_down in known],
        more=max(0, len(source.scores.systems) - _MOST_SYSTEMS),
    )
    return Section(part="classes", title="Confusions", body=body)


def _system(system: str, broken_down: Breakdown) -> dict[str, Any]:
    return {
        "name": shown(system),
        "matrices": [_matrix(each, broken_down.unit) for each in broken_down.matrices],
        "nodes": [_node(each, broken_down.unit) for each in broken_down.nodes],
    }


def _matrix(matrix: Matrix, unit: str) -> dict[str, Any]:
    every = sum(matrix.cells.values())
    rows = []
    for row in matrix.rows:
        amounts = [matrix.cells.get((row, column), 0.0) for column in matrix.columns]
        whole = sum(amounts) if matrix.share == "row" else every
        cells = [
            _cell(number, whole, unit, (row, column) in matrix.right)
            for column, number in zip(matrix.columns, amounts, strict=True)
        ]
        rows.append((shown(row, _NAME), amount_text(round(sum(amounts), 1), unit), cells))
    return {
        "title": matrix.title,
        "down": matrix.down,
        "across": matrix.across,
        "columns": [shown(column, _COLUMN) for column in matrix.columns],
        "rows": rows,
        "note": matrix.note,
    }


def _cell(value: float, whole: float, unit: str, is_right: bool) -> dict[str, str]:
    """Return a field: its share as text and as shade, and its amount for who points at it."""
    share = value / whole if whole else 0.0
    shade = math.ceil(math.sqrt(share) * _STEPS) if value > 0 else 0  # rare confusions are seen as well
    return {
        "text": "" if value <= 0 else "<0.1" if share < 0.001 else f"{100 * share:.1f}",
        "kind": f"{'right' if is_right else 'false'} heat-{shade}",
        "amount": amount_text(round(value, 1), unit) if value > 0 else "",
    }


def _node(node: Node, unit: str) -> dict[str, Any]:
    return {
        "depth": min(node.depth, _DEEPEST),
        "name": shown(node.name, _NAME),
        "support": amount_text(node.support, unit),
        "scores": [_share(node.precision), _share(node.recall)],
    }


def _share(value: float) -> dict[str, Any]:
    if math.isnan(value):
        return {"text": UNDEFINED, "step": None}
    return {"text": f"{100 * value:.1f}", "step": round(20 * value)}
