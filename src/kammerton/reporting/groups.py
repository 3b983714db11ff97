# SPDX-License-Identifier: MIT
"""Figures group by group, in one table for each protocol."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kammerton.model.measure import Estimate, Measure
from kammerton.model.scores import Scores
from kammerton.reporting.blocks import render_blocks
from kammerton.reporting.documents import render_csv
from kammerton.reporting.tables import Block, Line, build_blocks, figure
from kammerton.statistics.groups import GroupFigure, Groups

__all__ = ["cost_lines", "group_name", "render_groups"]


def render_groups(
    scores: Scores,
    form: str,
    *,
    every: bool = False,
    safe: bool = False,
    width: int = 80,
    encoding: str = "utf-8",
) -> str:
    """Return figures group by group as text.

    Parameters
    ----------
    scores : Scores
        Made with ``group_by``.
    form : {"table", "csv", "md", "latex"}
        The form; CSV has every measure.
    every : bool
        Whether to show every measure, not the headline measures only.
    safe : bool
        As for :func:`.render_csv`.
    width, encoding
        Of a terminal.
    """
    groups: Groups = scores.groups
    if form == "csv":
        return render_csv(groups.table.columns, groups.table.iter_rows(), safe=safe)
    built = build_blocks(scores, every=every)
    blocks = [replace(each, lines=tuple(_lines(scores, each, groups))) for each in built]
    known = {row.measure for row in groups.rows}
    measures = [measure for block in blocks for measure in block.measures if measure in known]
    notes = [_sizes(groups), *(line for measure in measures for line in cost_lines(groups, measure))]
    shown = [block for block in blocks if block.lines]
    return render_blocks(shown, form, notes=notes, width=width, encoding=encoding)


def group_name(name: str | None, by: str) -> str:
    """Return what a group is called in tables."""
    return f"(no {by})" if name is None else name


def _lines(scores: Scores, block: Block, groups: Groups) -> Iterator[Line]:
    """Give the line of each system, and below it those of its groups."""
    for system in scores.systems:
        of_measures = [groups.of(measure, system) for measure in block.measures]
        some = next((rows for rows in of_measures if rows), None)
        if some is None:
            continue
        yield next(
            line for line in block.lines if (line.system, line.annotator) == (system, some[0].annotator)
        )
        for place, row in enumerate(some):
            rows = [found[place] if found else None for found in of_measures]
            yield _line(f"{system}: {group_name(row.group, groups.by)}", rows)


def _line(called: str, rows: Sequence[GroupFigure | None]) -> Line:
    some = [row for row in rows if row is not None]
    figures = tuple(
        None if row is None else Estimate(row.value, 0.0, row.items, row.undefined) for row in rows
    )
    ends = tuple(None if row is None else (row.low, row.high) for row in rows)
    shown = ends if any(each is not None and not math.isnan(each[0]) for each in ends) else ()
    of_items = [row.items for row in some if row.measure.aggregate != "gathered"]
    return Line(called, some[0].annotator, figures, max(of_items or [row.items for row in some]), shown)


def _sizes(groups: Groups) -> str:
    sizes = [f"{group_name(name, groups.by)} {size:,}" for name, size in groups.sizes.items()]
    return f"groups by {groups.by}: {', '.join(sizes)}"


def cost_lines(groups: Groups, measure: Measure) -> Iterator[str]:
    """Say in a line which group costs each system most by a measure, and how much."""
    dearest = [row for row in groups.rows if row.measure == measure and row.costs_most]
    told = [
        f"{row.system} in {group_name(row.group, groups.by)} ({figure(Estimate(row.cost, 0, 0, 0), measure)})"
        for row in dearest
    ]
    if told:
        yield f"{measure} loses most: {', '.join(told)}"
