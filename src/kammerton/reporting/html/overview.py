# SPDX-License-Identifier: MIT
"""The figures of every system, protocol by protocol, with their intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kammerton.model.measure import Measure
from kammerton.reporting.charts.drawing import inline_svg
from kammerton.reporting.charts.forest import Figure, forest
from kammerton.reporting.charts.palette import PAGE
from kammerton.reporting.html.context import bands_of, context_note, context_rows, has_ceiling
from kammerton.reporting.html.filling import fill, shown
from kammerton.reporting.html.numbers import figure, is_per_cent, scaled
from kammerton.reporting.html.sections import Section
from kammerton.reporting.html.source import Source

__all__ = ["figure_blocks", "figures_of", "overview"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A figure in a table: as text, with the ends of its interval and its letters of significance."""

    value: str
    ends: str = ""
    letters: str = ""
    best: bool = False


def overview(source: Source) -> Section:
    """Return the section of figures: per protocol a table, a forest plot, and a signature."""
    blocks = [
        {**block, "charts": list(_charts(source, block["protocol"], block["measures"]))}
        for block in figure_blocks(source)
    ]
    level = source.scores.ci
    body = fill(
        "overview",
        key=source.key,
        blocks=blocks,
        level=None if level is None else f"{100 * level:g} %",
        note=context_note(source),
        ceiling=has_ceiling(source),
    )
    return Section(part="figures", title="Figures", body=body)


def figure_blocks(source: Source) -> list[dict[str, Any]]:
    """Return for each protocol a table of its headline measures, as templates take it."""
    protocols = dict.fromkeys(measure.protocol for measure in source.headline)
    return [_block(source, protocol, number) for number, protocol in enumerate(protocols)]


def _block(source: Source, protocol: str, number: int) -> dict[str, Any]:
    measures = [measure for measure in source.headline if measure.protocol == protocol]
    record = next(each for each in source.scores.origin.task.protocols if each.name == protocol)
    signature = source.scores.signatures(source.annotator(measures[0]))[measures[0]]
    return {
        "id": f"{source.key}-figures-{number}",
        "protocol": protocol,
        "summary": record.summary,
        "measures": measures,
        "rows": [(shown(system), list(_cells(source, system, measures))) for system in source.scores.systems],
        "lettered": source.comparison is not None,
        "per_cent": all(is_per_cent(measure) for measure in measures),
        "context": context_rows(source, measures),
        "signature": f"{protocol}/*{signature.removeprefix(str(measures[0]))}",
    }


def _cells(source: Source, system: str, measures: Sequence[Measure]) -> Iterator[Cell]:
    for measure in measures:
        found = source.scores.estimate(measure, system, source.annotator(measure), measure.aggregate)
        low, high = interval(source, measure, system)
        ends = "" if math.isnan(low) else f"{figure(low, measure)} to {figure(high, measure)}"
        compared = source.compared(measure)
        rank = None if compared is None else next(row for row in compared.ranking if row.system == system)
        yield Cell(
            value=figure(found.value, measure),
            ends=ends,
            letters="" if rank is None else rank.letters,
            best=compared is not None and compared.ranking[0] is rank and not math.isnan(found.value),
        )


def interval(source: Source, measure: Measure, system: str) -> tuple[float, float]:
    """Return the interval of the headline figure of a system, NaN where there is none."""
    key = (system, source.annotator(measure), measure, measure.aggregate)
    return source.scores.intervals.get(key, (math.nan, math.nan))


def figures_of(source: Source, measures: Sequence[Measure]) -> list[Figure]:
    """Return the headline figures of all systems by some measures, as they are drawn."""
    figures = []
    for measure in measures:
        for system in source.scores.systems:
            found = source.scores.estimate(measure, system, source.annotator(measure), measure.aggregate)
            low, high = interval(source, measure, system)
            figures.append(
                Figure(
                    measure=measure.name,
                    system=system,
                    value=scaled(found.value, measure),
                    low=scaled(low, measure),
                    high=scaled(high, measure),
                )
            )
    return figures


def _charts(source: Source, protocol: str, measures: Sequence[Measure]) -> Iterator[object]:
    """Give a forest plot for each unit."""
    for per_cent in (True, False):
        some = [measure for measure in measures if is_per_cent(measure) == per_cent]
        figures = figures_of(source, some)
        if any(not math.isnan(each.value) for each in figures):
            unit = "per cent" if per_cent else "value"
            label = f"Figures of {protocol} with their intervals; the table above has the numbers"
            yield inline_svg(forest(figures, unit, PAGE, bands_of(source, some)), label)
