# SPDX-License-Identifier: MIT
"""Figures group by group on a page, such as genre by genre, and which group costs most."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kammerton.errors import plural
from kammerton.model.measure import Measure
from kammerton.reporting.charts.drawing import inline_svg
from kammerton.reporting.charts.forest import Figure, forest
from kammerton.reporting.charts.palette import PAGE, Palette
from kammerton.reporting.groups import group_name
from kammerton.reporting.html.filling import fill, shown
from kammerton.reporting.html.numbers import ends, figure, scaled, unit_of
from kammerton.reporting.html.sections import Section
from kammerton.reporting.html.source import Source
from kammerton.statistics.groups import GroupFigure, Groups

if TYPE_CHECKING:
    import altair as alt

__all__ = ["group_chart", "groups"]

_GROUPS = 200
"""Groups that a table lists."""
_DRAWN = 24
"""Groups that are drawn."""
_TABLES = 8
"""Measures that have a table."""


def groups(source: Source) -> Section | None:
    """Return the section of groups, if figures were told group by group."""
    found: Groups | None = source.scores.groups
    if found is None:
        return None
    measures = [m for m in dict.fromkeys((source.main, *source.headline)) if _rows(source, found, m)]
    if not measures:
        return None
    drawn = group_chart(source, measures[0], PAGE)
    label = f"{measures[0]} of each {found.by} with its interval; the table has the numbers"
    body = fill(
        "groups",
        by=shown(found.by, 60),
        systems=[shown(name, 60) for name in source.scores.systems],
        tables=[_table(source, found, measure) for measure in measures[:_TABLES]],
        more=max(0, len(found.sizes) - _GROUPS),
        chart=None if drawn is None else inline_svg(drawn, label),
    )
    return Section(part="groups", title=f"By {shown(found.by, 60)}", body=body)


def group_chart(source: Source, measure: Measure, palette: Palette) -> alt.TopLevelMixin | None:
    """Return the figures of each group with their intervals, None if there are none."""
    found: Groups | None = source.scores.groups
    rows = [] if found is None else _rows(source, found, measure)
    if found is None or all(math.isnan(row.value) for row in rows):
        return None
    names = list(found.sizes)[:_DRAWN]
    figures = [
        Figure(
            measure=group_name(row.group, found.by),
            system=row.system,
            value=scaled(row.value, measure),
            low=scaled(row.low, measure),
            high=scaled(row.high, measure),
        )
        for name in names
        for row in rows
        if row.group == name
    ]
    return forest(figures, f"{measure}, {unit_of(measure)}", palette)


def _rows(source: Source, found: Groups, measure: Measure) -> list[GroupFigure]:
    return [row for system in source.scores.systems for row in found.of(measure, system)]


def _table(source: Source, found: Groups, measure: Measure) -> dict[str, Any]:
    rows = {(row.group, row.system): row for row in _rows(source, found, measure)}
    return {
        "measure": str(measure),
        "unit": unit_of(measure),
        "rows": [
            {
                "name": shown(group_name(group, found.by), 60),
                "size": f"{size:,}",
                "cells": _cells(
                    [rows.get((group, system)) for system in source.scores.systems], measure, size
                ),
            }
            for group, size in list(found.sizes.items())[:_GROUPS]
        ],
    }


def _cells(rows: Sequence[GroupFigure | None], measure: Measure, size: int) -> list[dict[str, Any]]:
    """Return the cells of a group: a system that lacks some of its items has its own count."""
    of_items = measure.aggregate != "gathered"
    return [
        {"value": "", "ends": "", "cost": "", "dearest": False, "count": ""}
        if row is None
        else {
            "value": figure(row.value, measure),
            "ends": ends(row.low, row.high, measure),
            "count": plural(row.items, "item") if of_items and row.items != size else "",
            "cost": "" if math.isnan(row.cost) else figure(row.cost, measure, signed=True),
            "dearest": row.costs_most,
        }
        for row in rows
    ]
