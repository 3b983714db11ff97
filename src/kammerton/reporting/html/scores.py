# SPDX-License-Identifier: MIT
"""Sections of scores: the ranking, human agreement, groups of items, candidates, and tests of pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kammerton.errors import plural
from kammerton.model.measure import Measure
from kammerton.reporting.charts import ends_of
from kammerton.reporting.comparisons import (
    candidate_notes,
    candidate_table,
    group_name,
    lines_on_comparison,
    lines_on_tests,
    pair_tables,
)
from kammerton.reporting.html.classes import shade_of
from kammerton.reporting.html.page import OPTIONS, Section, Source, fill, is_per_cent, scaled, sentence, shown
from kammerton.reporting.ranking_texts import table_texts
from kammerton.reporting.rankings import RankingCell, ScoreRanking, compared_by, interval_text
from kammerton.reporting.tables import format_difference, format_score
from kammerton.results.context import ContextScore
from kammerton.results.groups import Groups, GroupScore

_LEAST_SPAN = 0.04
"""Part of a range that an axis covers at least."""
_NEAR = 0.25
"""Part of a range within which an axis reaches to human agreement."""
_MARGIN = 0.08
"""Part of what is drawn that an axis has beside it."""
_MOST_TICKS = 6
_EDGE = 1.5
"""Per cent of the width that stay free on either side, so that marks have room."""
_GROUPS = 200
"""Groups that a table lists."""
_TABLES = 8
"""Measures that have a table."""
_PAIRS = 60
"""Pairs of a measure that are listed."""
_MOST_TABLES = 12
"""Measures whose pairs are listed."""
_ACROSS, _UP = 300, 200
"""Size of a picture of candidates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """An axis that is zoomed to what the systems score, in the unit that is printed."""

    low: float
    high: float
    is_cut: bool  # whether the range of the measure begins before it

    @classmethod
    def of(cls, table: ScoreRanking, place: int) -> Axis | None:
        """Return the axis of a column; None if no system has a score."""
        measure = table.measures[place]
        systems = [row.cells[place] for row in table.rows if row.role == "system"]
        ends = [end for cell in systems if cell is not None for end in _ends(cell, measure)]
        if not ends:
            return None
        low, high = min(ends), max(ends)
        range_low, range_high = (scaled(end, measure) for end in measure.range)
        width = range_high - range_low
        least = _LEAST_SPAN * width if math.isfinite(width) else max(abs(high), 1.0) / 10
        span = max(high - low, least)
        for row in table.rows:  # what is not far from the systems is drawn beside them
            cell = row.cells[place]
            is_agreement = row.role == "context" and not row.is_baseline
            reach = max(span, _NEAR * width) if is_agreement and math.isfinite(width) else span
            near = [] if cell is None else _ends(cell, measure)
            low = min([low, *(end for end in near if low - reach <= end)])
            high = max([high, *(end for end in near if end <= high + reach)])
        margin = max(_MARGIN * (high - low), (least - (high - low)) / 2)
        low, high = max(low - margin, range_low), min(high + margin, range_high)
        return cls(low=low, high=high, is_cut=low > range_low)

    def at(self, value: float) -> str:
        """Return where a value lies, as a length of SVG."""
        part = min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)
        return f"{_EDGE + (100 - 2 * _EDGE) * part:.2f}%"

    def ticks(self) -> list[tuple[str, str]]:
        """Return where the axis has ticks, and their texts."""
        rough = (self.high - self.low) / _MOST_TICKS
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(step * power for step in (1, 2, 5, 10) if step * power >= rough)
        numbers = range(math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9) + 1)
        return [(self.at(number * step), f"{number * step:g}") for number in numbers]


def _ends(cell: RankingCell, measure: Measure) -> list[float]:
    """Return a score and the ends of its interval, as far as they are known."""
    return [scaled(end, measure) for end in (cell.value, *cell.interval) if not math.isnan(end)]


def plots(source: Source) -> Iterator[dict[str, Any]]:
    """Give for each measure the picture of its scores, as templates take it: the main measure first."""
    for table in source.tables:
        for place, measure in enumerate(table.measures):
            axis = Axis.of(table, place)
            if axis is not None:
                yield plot_of(table, place, axis, measure)


def plot_of(table: ScoreRanking, place: int, axis: Axis, measure: Measure) -> dict[str, Any]:
    """Return the picture of a column."""
    rows = []
    for row in table.rows:
        cell = row.cells[place]
        if cell is not None and not math.isnan(cell.value):
            rows.append(_plot_row(shown(row.name, 60), row.role, cell, axis, measure))
    own = [row for row in rows if row["role"] == "system"]
    sign = 1 if measure.direction == "lower" else -1
    own.sort(key=lambda row: sign * row["value"])  # other measures may rank the systems otherwise
    context = [row for row in rows if row["role"] == "context"]
    return {
        "measure": str(measure),
        "title": f"{measure.name}{', %' if is_per_cent(measure) else ''} {table.arrow(measure)}".strip(),
        "level": table.level,
        "lettered": any(row["letters"] for row in own),
        "is_cut": axis.is_cut,
        "ticks": axis.ticks(),
        "rows": [*own, *context],
        "baseline": next((row for row in context if row["name"] == "baseline" and not row["off"]), None),
        "agreement": next(
            (row for row in context if row["name"] == "human agreement" and not row["off"]), None
        ),
    }


def _plot_row(name: str, role: str, cell: RankingCell, axis: Axis, measure: Measure) -> dict[str, Any]:
    value = scaled(cell.value, measure)
    known = not math.isnan(cell.interval[0])
    low, high = (scaled(end, measure) for end in cell.interval) if known else (value, value)
    return {
        "name": name,
        "role": role,
        "value": cell.value,
        "text": format_score(cell.value, measure),
        "within": interval_text(cell.interval, measure, OPTIONS.digits),
        "letters": cell.letters,
        "best": cell.is_best,
        "at": axis.at(value),
        "low": axis.at(low) if known else "",
        "high": axis.at(high) if known else "",
        "width": f"{float(axis.at(high)[:-1]) - float(axis.at(low)[:-1]):.2f}%",
        "off": "left" if value < axis.low else "right" if value > axis.high else "",
    }


def scores(source: Source) -> Section:
    """Return the section of scores: the tables of a terminal, with their notes and signatures."""
    blocks = []
    for number, table in enumerate(source.tables):
        name = f"{source.key}-scores-{number}"
        tested = compared_by(source.comparison, table.measures[0]) if table.measures else None
        lines = (
            lines_on_tests(tested, source.comparison, OPTIONS.digits)
            if tested is not None and source.comparison is not None and not number
            else ()
        )
        blocks.append(
            {
                "table": table,
                "texts": table_texts(table, OPTIONS) if table.measures else None,
                "caption": _caption(table),
                "notes": [shown(note, 1000) for note in (*lines, *table.notes)],
                "signatures": [
                    (f"{name}-{place}" if place else name, shown(signature, 500))
                    for place, signature in enumerate(table.signatures)
                ],
            }
        )
    return Section(part="scores", title="Scores", body=fill("scores", blocks=blocks))


def _caption(table: ScoreRanking) -> str:
    arrows = "↑ higher is better, ↓ lower is better; " if table.measures else ""
    return sentence(f"{arrows}best scores in bold{f', {table.level} in brackets' if table.level else ''}")


def shares_of(source: Source, measure: Measure) -> list[ContextScore]:
    """Return the systems whose share of human agreement is known by a measure, the largest share first."""
    context = source.scores.context
    rows = [] if context is None else context.of(measure, "others")
    return sorted((row for row in rows if not math.isnan(row.share)), key=lambda row: -row.share)


def agreement(source: Source) -> Section | None:
    """Return the section of human agreement, if it is known."""
    measure, context = source.main, source.scores.context
    shares = shares_of(source, measure)
    if context is None or not shares:
        return None
    people = context.of(measure, "annotators")
    body = fill(
        "agreement",
        measure=str(measure),
        unit=", %" if is_per_cent(measure) else "",
        people=[(format_score(row.value, measure), _within(row, measure)) for row in people],
        rows=[
            (shown(row.name, 60), format_score(row.value, measure), _within(row, measure), *_share(row))
            for row in shares
        ],
        items=plural(context.items, "item"),
        single=plural(context.single, "item") if context.single else "",
        beyond=any(row.share > 1 for row in shares),
    )
    return Section(part="agreement", title="Human agreement", body=body)


def _within(row: ContextScore, measure: Measure) -> str:
    return interval_text((row.low, row.high), measure, OPTIONS.digits)


def _share(row: ContextScore) -> Sequence[str]:
    """Return a share of human agreement, and its interval."""
    known = not math.isnan(row.share_low)
    within = f"[{100 * row.share_low:.0f}, {100 * row.share_high:.0f}]" if known else ""
    return f"{100 * row.share:.0f} %", within


def groups(source: Source) -> Section | None:
    """Return the section of groups, if there are scores of groups."""
    scored: Groups | None = source.scores.groups
    if scored is None:
        return None
    measures = [m for m in dict.fromkeys((source.main, *source.headline)) if _rows(source, scored, m)]
    if not measures:
        return None
    body = fill(
        "groups",
        by=shown(scored.by, 60),
        systems=[shown(name, 60) for name in source.ranked],
        tables=[_table(source, scored, measure) for measure in measures[:_TABLES]],
        more=max(0, len(scored.sizes) - _GROUPS),
    )
    return Section(part="groups", title=f"By {shown(scored.by, 60)}", body=body)


def _rows(source: Source, scored: Groups, measure: Measure) -> list[GroupScore]:
    return [row for system in source.scores.systems for row in scored.of(measure, system)]


def _table(source: Source, scored: Groups, measure: Measure) -> dict[str, Any]:
    rows = {(row.group, row.system): row for row in _rows(source, scored, measure)}
    return {
        "measure": str(measure),
        "unit": ", %" if is_per_cent(measure) else "",
        "rows": [
            {
                "name": shown(group_name(group, scored.by), 60),
                "size": f"{size:,}",
                "cells": _cells([rows.get((group, system)) for system in source.ranked], measure, size),
            }
            for group, size in list(scored.sizes.items())[:_GROUPS]
        ],
    }


def _cells(rows: Sequence[GroupScore | None], measure: Measure, size: int) -> list[dict[str, Any]]:
    """Return the cells of a group: a system that lacks some of its items has its own count."""
    of_items = measure.aggregate != "gathered"
    return [
        {"value": "", "within": "", "lost": "", "largest": False, "count": "", "shade": 0}
        if row is None
        else {
            "value": format_score(row.value, measure),
            "within": interval_text((row.low, row.high), measure, OPTIONS.digits),
            "count": plural(row.items, "item") if of_items and row.items != size else "",
            "lost": "" if math.isnan(row.cost) else format_difference(row.cost, measure),
            "largest": row.costs_most,
            "shade": shade_of(row.value) if is_per_cent(measure) else 0,
        }
        for row in rows
    ]


def compared(source: Source) -> Section | None:
    """Return the section of the tests of pairs, if there were any."""
    if source.comparison is None:
        return None
    measures = [compared.measure for compared in source.comparison.measures]
    measures.sort(key=lambda measure: measure != source.main)
    body = fill(
        "comparison",
        tables=list(pair_tables(source.comparison, measures[:_MOST_TABLES], OPTIONS.digits)),
        most=_PAIRS,
        notes=[shown(line, 300) for line in lines_on_comparison(source.comparison)],
    )
    return Section(part="comparison", title="Pairs of systems", body=body)


def candidates(source: Source) -> Section | None:
    """Return the section of the candidates of systems, if there are some."""
    table = candidate_table(source.scores, OPTIONS)
    if table is None:
        return None
    head, rows = table
    body = fill(
        "candidates",
        head=head,
        rows=[[shown(text, 60) for text in row] for row in rows],
        notes=list(candidate_notes(source.scores)),
        plots=list(_plots(source)),
    )
    return Section(part="candidates", title="Candidates", body=body)


def _plots(source: Source) -> Iterator[dict[str, Any]]:
    """Yield for each system with confidences the picture of what they are worth, by the main measure."""
    measure, items = source.main, source.scores.candidate_items
    known = [] if items is None else items.drop_nulls(["value", "confidence"]).to_dicts()
    of_measure = [
        row
        for row in known
        if (row["protocol"], row["measure"]) == (measure.protocol, measure.name)
        and row["annotator"] == source.annotator(measure)
    ]
    for system in dict.fromkeys(row["system"] for row in of_measure):
        own = [row for row in of_measure if row["system"] == system]
        across = ends_of([row["confidence"] for row in own])
        up = (0.0, 100.0) if is_per_cent(measure) else ends_of([row["value"] for row in own])
        points: dict[bool, set[tuple[int, int]]] = {False: set(), True: set()}
        for row in own:  # points on the same place are drawn once, so that a page stays small
            at = _part(row["confidence"], across), 1 - _part(scaled(row["value"], measure), up)
            points[row["selected"]].add((round(_ACROSS * at[0]), round(_UP * at[1])))
        name = shown(system, 60)
        yield {
            "system": name,
            "measure": f"{measure}{', %' if is_per_cent(measure) else ''}",
            "label": f"{measure} and confidence of {len(own)} candidates of {name}",
            "across": [(_ACROSS * part, f"{_between(across, part):.3g}") for part in (0.0, 0.5, 1.0)],
            "up": [(_UP * (1 - part), f"{_between(up, part):.3g}") for part in (0.0, 0.25, 0.5, 0.75, 1.0)],
            "selected": _path(points[True]),
            "others": _path(points[False]),
        }


def _part(value: float, ends: tuple[float, float]) -> float:
    return (value - ends[0]) / (ends[1] - ends[0])


def _between(ends: tuple[float, float], part: float) -> float:
    return ends[0] + part * (ends[1] - ends[0])


def _path(points: set[tuple[int, int]]) -> str:
    """Return points as a path of lines without length, whose round ends are seen."""
    return "".join(f"M{x} {y}h0" for x, y in sorted(points))
