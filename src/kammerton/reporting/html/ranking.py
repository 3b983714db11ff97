# SPDX-License-Identifier: MIT
"""The ranking of the systems as a picture, as the table of a terminal, and beside human agreement."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kammerton.errors import plural
from kammerton.model.measure import Measure
from kammerton.reporting.comparisons import lines_on_tests
from kammerton.reporting.html.page import OPTIONS, Section, Source, fill, is_per_cent, scaled, sentence, shown
from kammerton.reporting.rankings import RankingCell, ScoreRanking, compared_by, interval_text, table_texts
from kammerton.reporting.tables import format_score
from kammerton.results.context import ContextScore

_LEAST_SPAN = 0.04
"""Part of a range that an axis covers at least."""
_NEAR = 0.25
"""Part of a range within which an axis reaches to human agreement."""
_MARGIN = 0.08
"""Part of what is drawn that an axis has beside it."""
_MOST_TICKS = 6
_EDGE = 1.5
"""Per cent of the width that stay free on either side, so that marks have room."""


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
