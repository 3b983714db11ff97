# SPDX-License-Identifier: MIT
"""Losses and confusions by class of labels: chord qualities, fingers, instruments."""

from __future__ import annotations

import math
from typing import Any

from kammerton.model.task import Breakdown, ClassKey, ClassLoss, ClassLosses, Matrix, Node
from kammerton.reporting.charts import most_costly
from kammerton.reporting.html.page import Section, Source, amount_text, fill, shown

_ROWS = 16
"""Classes that a table lists."""


def losses(source: Source) -> Section | None:
    """Return the section of losses: the score of each class and its share of the loss, for each system."""
    class_losses = {system: losses_by_class(source, system) for system in source.ranked}
    known = {system: each for system, each in class_losses.items() if each is not None and each.rows}
    if not known:
        return None
    first = next(iter(known.values()))
    names = most_costly(known, len({row.name for each in known.values() for row in each.rows}))
    wholes = {row.name: row.whole for each in known.values() for row in each.rows}
    columns = [_column(each) for each in known.values()]
    body = fill(
        "losses",
        kind=first.kind,
        by=first.by or str(source.main),
        rule=first.rule,
        systems=[shown(system, 60) for system in known],
        rows=[
            (shown(name, 60), amount_text(wholes[name], first.unit), [column.get(name) for column in columns])
            for name in names[:_ROWS]
        ],
        lost=[_lost(each) for each in known.values()],
        more=len(names[_ROWS:]),
    )
    return Section(part="losses", title=f"Losses by {first.kind}", body=body)


def _column(class_losses: ClassLosses) -> dict[str, dict[str, Any]]:
    """Return the cells of a system, by class."""
    whole = sum(row.lost for row in class_losses.rows)
    return {
        row.name: {
            "score": _score(row),
            "share": f"{100 * row.lost / whole:.1f} %" if whole else "",
            "shade": shade_of(row.lost / whole if whole else 0.0),
            "told": _told(row, class_losses),
        }
        for row in class_losses.rows
    }


def _score(row: ClassLoss) -> str:
    """Return the score of a class: its F, or what part of it is right."""
    part = 1 - row.lost / row.whole if row.whole else math.nan
    score = part if row.f is None else row.f
    return UNDEFINED if math.isnan(score) else f"{100 * score:.1f}"


def _told(row: ClassLoss, class_losses: ClassLosses) -> str:
    """Return what was lost, and what was there instead."""
    lost = f"{amount_text(row.lost, class_losses.unit_of_loss)} lost"
    return f"{lost}. {class_losses.instead.format(shown(row.instead, 60))}" if row.instead else lost


def _lost(class_losses: ClassLosses) -> str:
    """Return what a system lost in all."""
    return amount_text(sum(row.lost for row in class_losses.rows), class_losses.unit_of_loss)


def losses_by_class(source: Source, system: str) -> ClassLosses | None:
    """Return the losses of a system by class, summed over annotators; None if its task has none."""
    task = source.scores.origin.task
    if task.losses is None:
        return None
    return task.losses(summed_tables(source, system), str(source.main))


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
UNDEFINED = "undefined"
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
    return {"text": UNDEFINED if math.isnan(value) else f"{100 * value:.1f}", "shade": shade_of(value)}


def shade_of(share: float) -> int:
    """Return the shade of a share from 0 to 1; 0 where it is undefined."""
    return 0 if math.isnan(share) else math.ceil(min(max(share, 0.0), 1.0) * _STEPS)
