# SPDX-License-Identifier: MIT
"""Floors, systems and the ceiling of annotators in one table for each protocol."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kammerton.errors import plural
from kammerton.model.measure import Estimate, Measure
from kammerton.model.scores import Scores
from kammerton.reporting.blocks import render_blocks
from kammerton.reporting.documents import render_csv
from kammerton.reporting.tables import Block, Line, build_blocks, figure
from kammerton.statistics.context import Context, Role, Standing

__all__ = ["render_context", "standing_lines"]

_CEILING = "annotators (ceiling)"


def render_context(
    scores: Scores,
    form: str,
    *,
    every: bool = False,
    safe: bool = False,
    width: int = 80,
    encoding: str = "utf-8",
) -> str:
    """Return floors, systems and ceiling as text.

    Parameters
    ----------
    scores : Scores
        Made with ``context=True``.
    form : {"table", "csv", "md", "latex"}
        The form; CSV has every measure.
    every : bool
        Whether to show every measure, not the headline measures only.
    safe : bool
        As for :func:`.render_csv`.
    width, encoding
        Of a terminal.
    """
    if form == "csv":
        table = scores.context.table
        return render_csv(table.columns, table.iter_rows(), safe=safe)
    blocks, notes = _blocks(scores, every=every), _notes(scores)
    return render_blocks(blocks, form, notes=notes, width=width, encoding=encoding)


def _blocks(scores: Scores, *, every: bool) -> tuple[Block, ...]:
    found: Context = scores.context
    blocks = ((block, tuple(_lines(found, block.measures))) for block in build_blocks(scores, every=every))
    return tuple(replace(block, lines=lines) for block, lines in blocks if lines)


def _lines(found: Context, measures: Sequence[Measure]) -> Iterator[Line]:
    for role, called in (
        ("floor", "floor: {}"),
        ("system", "{}"),
        ("others", "{}"),
        ("annotators", _CEILING),
    ):
        for rows in _by_name(found, measures, role):
            yield _line(called, rows, [_estimate(row) for row in rows], _ends(rows))
    for rows in _by_name(found, measures, "others"):
        shares = [_share(row) for row in rows]
        if any(each is not None and not math.isnan(each.value) for each in shares):
            ends = [None if row is None else (row.share_low, row.share_high) for row in rows]
            yield _line("{} / ceiling", rows, shares, ends)


def _by_name(found: Context, measures: Sequence[Measure], role: str) -> Iterator[list[Standing | None]]:
    """Give the figures of each floor or system, one for each measure."""
    of_role: Role = role  # type: ignore[assignment]
    known = [{row.name: row for row in found.of(measure, of_role)} for measure in measures]
    for name in dict.fromkeys(name for each in known for name in each):
        yield [each.get(name) for each in known]


def _line(
    called: str,
    rows: Sequence[Standing | None],
    figures: Sequence[Estimate | None],
    ends: Sequence[tuple[float, float] | None],
) -> Line:
    some = [row for row in rows if row is not None]
    shown = tuple(ends) if any(each is not None and not math.isnan(each[0]) for each in ends) else ()
    items = max(row.items for row in some)
    return Line(called.format(some[0].name), some[0].annotator, tuple(figures), items, shown)


def _estimate(row: Standing | None) -> Estimate | None:
    return None if row is None else Estimate(row.value, 0.0, row.items, row.undefined)


def _share(row: Standing | None) -> Estimate | None:
    """Return a share; there is none of measures that are better if they are lower."""
    if row is None or row.measure.direction == "lower":
        return None
    return Estimate(row.share, 0.0, row.items, 0)


def _ends(rows: Sequence[Standing | None]) -> list[tuple[float, float] | None]:
    return [None if row is None else (row.low, row.high) for row in rows]


def _notes(scores: Scores) -> list[str]:
    """Say what the ceiling is of."""
    found: Context = scores.context
    if not found.items:
        return ["no ceiling: no item has two annotators"]
    out = f"; {plural(found.single, 'item')} with one annotator left out" if found.single else ""
    return [
        f"ceiling: every annotator of an item against the others, {plural(found.items, 'item')}{out}",
        "others: systems against the same sets, all annotators of an item but one",
    ]


def standing_lines(scores: Scores, measure: Measure) -> Iterator[str]:
    """Say in a line or two what the systems stand between by one measure."""
    found: Context = scores.context
    floors = [f"{row.name} {_shown(row.value, measure)}" for row in found.of(measure, "floor")]
    if floors:
        yield f"floors: {', '.join(floors)}"
    for ceiling in found.of(measure, "annotators"):
        told = f"ceiling: annotators {_shown(ceiling.value, measure)} against the others"
        shares = [
            f"{row.name} {100 * row.share:.1f} %"
            for row in found.of(measure, "others")
            if not math.isnan(row.share)
        ]
        reached = f", of which {', '.join(shares)}" if shares else ""
        yield f"{told}, {plural(ceiling.items, 'item')}{reached}"


def _shown(value: float, measure: Measure) -> str:
    return figure(Estimate(value, 0.0, 0, 0), measure)
