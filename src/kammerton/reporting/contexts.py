# SPDX-License-Identifier: MIT
"""Floors, systems and the ceiling of annotators in one table for each protocol."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kammerton.errors import plural
from kammerton.model.measure import Estimate, Measure
from kammerton.model.scores import Scores
from kammerton.reporting.tables import Block, Line, build_blocks, figure, line_of
from kammerton.statistics.context import Context, Role, Standing

__all__ = ["blocks_of_context", "standing_lines"]

_CEILING = "annotators (ceiling)"


def blocks_of_context(scores: Scores, *, every: bool = False) -> tuple[tuple[Block, ...], list[str]]:
    """Return a table of floors, systems and ceiling for each protocol, and what is to be said of all.

    Parameters
    ----------
    scores : Scores
        Made with ``context=True``.
    every : bool
        Whether to show every measure, not the headline measures only.
    """
    found: Context = scores.context
    blocks = ((block, tuple(_lines(found, block.measures))) for block in build_blocks(scores, every=every))
    return tuple(replace(block, lines=lines) for block, lines in blocks if lines), _notes(found)


def _lines(found: Context, measures: Sequence[Measure]) -> Iterator[Line]:
    for role, called in (
        ("floor", "floor: {}"),
        ("system", "{}"),
        ("others", "{}"),
        ("annotators", _CEILING),
    ):
        for rows in _by_name(found, measures, role):
            ends = [None if row is None else (row.low, row.high) for row in rows]
            line = _line(called, measures, rows, [_estimate(row) for row in rows], ends)
            yield replace(line, ranks=role == "system")
    for rows in _by_name(found, measures, "others"):
        shares = [_share(row) for row in rows]
        if any(each is not None and not math.isnan(each.value) for each in shares):
            ends = [None if row is None else (row.share_low, row.share_high) for row in rows]
            yield _line("{} / ceiling", measures, rows, shares, ends)


def _by_name(found: Context, measures: Sequence[Measure], role: str) -> Iterator[list[Standing | None]]:
    """Give the figures of each floor or system, one for each measure."""
    of_role: Role = role  # type: ignore[assignment]
    known = [{row.name: row for row in found.of(measure, of_role)} for measure in measures]
    for name in dict.fromkeys(name for each in known for name in each):
        yield [each.get(name) for each in known]


def _line(
    called: str,
    measures: Sequence[Measure],
    rows: Sequence[Standing | None],
    figures: Sequence[Estimate | None],
    ends: Sequence[tuple[float, float] | None],
) -> Line:
    some = next(row for row in rows if row is not None)
    return line_of(called.format(some.name), some.annotator, measures, figures, ends)


def _estimate(row: Standing | None) -> Estimate | None:
    return None if row is None else Estimate(row.value, 0.0, row.items, row.undefined)


def _share(row: Standing | None) -> Estimate | None:
    """Return a share; there is none of measures that are better if they are lower."""
    if row is None or row.measure.direction == "lower":
        return None
    return Estimate(row.share, 0.0, row.items, 0)


def _notes(found: Context) -> list[str]:
    """Say what floors, systems and ceiling are of."""
    lines = list(shared_line(found))
    if not found.items:
        return [*lines, "no ceiling: no item has two annotators"]
    out = f"; {plural(found.single, 'item')} with one annotator left out" if found.single else ""
    return [
        *lines,
        f"ceiling: every annotator of an item against the others, {plural(found.items, 'item')}{out}",
        "others: systems against the same sets, all annotators of an item but one",
    ]


def shared_line(found: Context) -> Iterator[str]:
    """Say which items floors and systems are of, where not all have the same."""
    if found.left_out:
        yield (
            f"floors and systems: the {plural(found.shared, 'item')} that all systems have, "
            f"{found.left_out:,} left out"
        )


def standing_lines(scores: Scores, measure: Measure) -> Iterator[str]:
    """Say in a line or two what the systems stand between by one measure."""
    found: Context = scores.context
    rows = found.of(measure, "floor")
    if rows:
        told = ", ".join(f"{row.name} {figure(row.value, measure)}" for row in rows)
        of_items = f"; of the {plural(rows[0].items, 'item')} that all systems have" if found.left_out else ""
        yield f"floors: {told}{of_items}"
    for ceiling in found.of(measure, "annotators"):
        told = f"ceiling: annotators {figure(ceiling.value, measure)} against the others"
        shares = [
            f"{row.name} {100 * row.share:.1f} %"
            for row in found.of(measure, "others")
            if not math.isnan(row.share)
        ]
        reached = f", of which {', '.join(shares)}" if shares else ""
        yield f"{told}, {plural(ceiling.items, 'item')}{reached}"
