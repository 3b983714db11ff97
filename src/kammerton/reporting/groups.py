# SPDX-License-Identifier: MIT
"""Figures group by group, in one table for each protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kammerton.model.measure import Estimate, Measure
from kammerton.model.scores import Scores
from kammerton.reporting.tables import Block, Line, build_blocks, figure, line_of
from kammerton.statistics.groups import GroupFigure, Groups

__all__ = ["blocks_of_groups", "cost_lines", "group_name"]


def blocks_of_groups(scores: Scores, *, every: bool = False) -> tuple[tuple[Block, ...], list[str]]:
    """Return a table of figures group by group for each protocol, and what is to be said of all.

    Parameters
    ----------
    scores : Scores
        Made with ``group_by``.
    every : bool
        Whether to show every measure, not the headline measures only.
    """
    groups: Groups = scores.groups
    built = build_blocks(scores, every=every)
    blocks = [replace(each, lines=tuple(_lines(scores, each, groups))) for each in built]
    known = {row.measure for row in groups.rows}
    measures = [measure for block in blocks for measure in block.measures if measure in known]
    notes = [_sizes(groups), *(line for measure in measures for line in cost_lines(groups, measure))]
    return tuple(block for block in blocks if block.lines or not block.measures), notes


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
            yield _line(f"{system}: {group_name(row.group, groups.by)}", block.measures, rows)


def _line(called: str, measures: Sequence[Measure], rows: Sequence[GroupFigure | None]) -> Line:
    annotator = next(row.annotator for row in rows if row is not None)
    figures = [None if row is None else Estimate(row.value, 0.0, row.items, row.undefined) for row in rows]
    ends = [None if row is None else (row.low, row.high) for row in rows]
    return line_of(called, annotator, measures, figures, ends)


def _sizes(groups: Groups) -> str:
    sizes = [f"{group_name(name, groups.by)} {size:,}" for name, size in groups.sizes.items()]
    return f"groups by {groups.by}: {', '.join(sizes)}"


def cost_lines(groups: Groups, measure: Measure) -> Iterator[str]:
    """Say in a line which group costs each system most by a measure, and how much."""
    dearest = [row for row in groups.rows if row.measure == measure and row.costs_most]
    told = [
        f"{row.system} in {group_name(row.group, groups.by)} ({figure(row.cost, measure)})" for row in dearest
    ]
    if told:
        yield f"{measure} loses most: {', '.join(told)}"
