# SPDX-License-Identifier: MIT
"""What figures stand between on a page: trivial answers below them, annotators who agree above."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kammerton.errors import plural
from kammerton.model.measure import Measure
from kammerton.reporting.charts.forest import Band
from kammerton.reporting.contexts import shared_line
from kammerton.reporting.html.filling import sentence, shown
from kammerton.reporting.html.numbers import ends, figure, scaled
from kammerton.reporting.html.source import Source
from kammerton.statistics.context import Context, Role, Standing

__all__ = ["ContextRow", "bands_of", "context_note", "context_of", "context_rows", "has_ceiling", "shares_of"]

_SHARES = 6
"""Systems whose share of the ceiling is shown: the best."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRow:
    """A row below the systems: its name, and figure and ends of its interval for each measure."""

    name: str
    cells: tuple[tuple[str, str], ...]


def context_of(source: Source) -> Context | None:
    """Return the context of scores, if they were made with one."""
    found: Context | None = source.scores.context
    return found


def bands_of(source: Source, measures: Sequence[Measure]) -> list[Band]:
    """Return for each measure what trivial answers reach at best, and what annotators reach."""
    found = context_of(source)
    return [] if found is None else [band for measure in measures for band in _bands(found, measure)]


def _bands(found: Context, measure: Measure) -> Iterator[Band]:
    floors = [row.value for row in found.of(measure, "floor") if not math.isnan(row.value)]
    if floors:
        best = min(floors) if measure.direction == "lower" else max(floors)
        yield Band(measure=measure.name, role="floor", value=scaled(best, measure))
    for row in found.of(measure, "annotators"):
        if not math.isnan(row.value):
            low, value, high = (scaled(each, measure) for each in (row.low, row.value, row.high))
            yield Band(measure=measure.name, role="ceiling", value=value, low=low, high=high)


def context_rows(source: Source, measures: Sequence[Measure]) -> list[ContextRow]:
    """Return the rows of a table of figures that tell what its systems stand between."""
    found = context_of(source)
    if found is None:
        return []
    rows = [
        *_rows(found, measures, "floor", "floor: {}"),
        *_rows(found, measures, "annotators", "annotators against the others"),
    ]
    return [*rows, *_shares(source, found, measures)]


def _rows(found: Context, measures: Sequence[Measure], role: Role, called: str) -> Iterator[ContextRow]:
    known = [{row.name: row for row in found.of(measure, role)} for measure in measures]
    for name in dict.fromkeys(name for each in known for name in each):
        cells = [_cell(each.get(name), measure) for each, measure in zip(known, measures, strict=True)]
        yield ContextRow(name=called.format(shown(name, 60)), cells=tuple(cells))


def _cell(row: Standing | None, measure: Measure) -> tuple[str, str]:
    return ("", "") if row is None else (figure(row.value, measure), ends(row.low, row.high, measure))


def _shares(source: Source, found: Context, measures: Sequence[Measure]) -> Iterator[ContextRow]:
    known = [{row.name: row for row in shares_of(source, found, measure)} for measure in measures]
    for name in [system for system in source.ranked if any(system in each for each in known)][:_SHARES]:
        cells = [_share(each.get(name)) for each in known]
        yield ContextRow(name=f"{shown(name, 60)}, share of the annotators", cells=tuple(cells))


def shares_of(source: Source, found: Context, measure: Measure) -> list[Standing]:
    """Return the systems whose share of the ceiling is known by a measure, the best first."""
    known = {row.name: row for row in found.of(measure, "others") if not math.isnan(row.share)}
    return [known[system] for system in source.ranked if system in known]


def _share(row: Standing | None) -> tuple[str, str]:
    if row is None:
        return "", ""
    within = "" if math.isnan(row.share_low) else f"{100 * row.share_low:.1f} to {100 * row.share_high:.1f} %"
    return f"{100 * row.share:.1f} %", within


def has_ceiling(source: Source) -> bool:
    """Tell whether annotators could be compared with each other."""
    found = context_of(source)
    return found is not None and found.items > 0


def context_note(source: Source) -> str:
    """Say what floors and annotators are, in a sentence or two."""
    found = context_of(source)
    if found is None:
        return ""
    floors = "Floors are trivial answers made from the references. "
    floors += "".join(f"{sentence(line)} " for line in shared_line(found))
    if not found.items:
        return f"{floors}No item has two annotators to be compared with."
    out = f"; {plural(found.single, 'item')} with one annotator left out" if found.single else ""
    return (
        f"{floors}Annotators are each scored against the others of an item, on "
        f"{plural(found.items, 'item')}{out}; shares are of systems against the same annotators, all of an "
        "item but one."
    )
