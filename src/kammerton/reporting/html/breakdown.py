# SPDX-License-Identifier: MIT
"""Where systems were wrong, class by class: matrices of confusion, and classes below their families."""

from __future__ import annotations

import math
from typing import Any

from kammerton.model.breakdown import Breakdown, Matrix, Node
from kammerton.reporting.html.classes import summed_tables
from kammerton.reporting.html.filling import fill, shown
from kammerton.reporting.html.numbers import UNDEFINED, amount
from kammerton.reporting.html.sections import Section
from kammerton.reporting.html.source import Source

__all__ = ["breakdown"]

_SYSTEMS = 6
"""Systems that are broken down."""
_STEPS = 10
"""Shades of a field."""
_DEEPEST = 4
"""Steps by which a class is indented at most."""
_NAME = 60
_COLUMN = 24
"""Characters of a name in a row, and above a column."""


def breakdown(source: Source) -> Section | None:
    """Return the section of confusions, if the task tells any."""
    task = source.scores.origin.task
    if task.breakdown is None:
        return None
    systems = source.ranked[:_SYSTEMS]
    found = [
        (system, task.breakdown(summed_tables(source, system), source.scores.origin.options))
        for system in systems
    ]
    known = [(system, each) for system, each in found if each is not None]
    if not known:
        return None
    body = fill(
        "breakdown",
        systems=[_system(system, each) for system, each in known],
        more=max(0, len(source.scores.systems) - _SYSTEMS),
    )
    return Section(part="classes", title="Confusions", body=body)


def _system(system: str, found: Breakdown) -> dict[str, Any]:
    return {
        "name": shown(system),
        "matrices": [_matrix(each, found.unit) for each in found.matrices],
        "nodes": [_node(each, found.unit) for each in found.nodes],
    }


def _matrix(matrix: Matrix, unit: str) -> dict[str, Any]:
    every = sum(matrix.cells.values())
    rows = []
    for row in matrix.rows:
        amounts = [matrix.cells.get((row, column), 0.0) for column in matrix.columns]
        whole = sum(amounts) if matrix.share == "row" else every
        cells = [
            _cell(each, whole, unit, (row, column) in matrix.right)
            for column, each in zip(matrix.columns, amounts, strict=True)
        ]
        rows.append((shown(row, _NAME), amount(round(sum(amounts), 1), unit), cells))
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
        "amount": amount(round(value, 1), unit) if value > 0 else "",
    }


def _node(node: Node, unit: str) -> dict[str, Any]:
    return {
        "depth": min(node.depth, _DEEPEST),
        "name": shown(node.name, _NAME),
        "support": amount(node.support, unit),
        "figures": [_share(node.precision), _share(node.recall)],
    }


def _share(value: float) -> dict[str, Any]:
    if math.isnan(value):
        return {"text": UNDEFINED, "step": None}
    return {"text": f"{100 * value:.1f}", "step": round(20 * value)}
