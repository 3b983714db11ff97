# SPDX-License-Identifier: MIT
"""The figures of every system, protocol by protocol, with their intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kammerton.errors import plural
from kammerton.model.measure import Measure
from kammerton.reporting.charts.drawing import inline_svg
from kammerton.reporting.charts.forest import Figure, forest
from kammerton.reporting.charts.palette import PAGE, Palette
from kammerton.reporting.html.context import bands_of, context_note, context_rows, has_ceiling
from kammerton.reporting.html.filling import fill, shown
from kammerton.reporting.html.numbers import ends, figure, is_per_cent, scaled, unit_of
from kammerton.reporting.html.sections import Section
from kammerton.reporting.html.source import Source
from kammerton.reporting.tables import signed_protocol
from kammerton.statistics.sample import headlines, names_of

if TYPE_CHECKING:
    import altair as alt

__all__ = ["figure_blocks", "forest_of", "overview", "signatures_of"]


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
    counts = _item_counts(source, measures[0])
    record = next(each for each in source.scores.origin.task.protocols if each.name == protocol)
    return {
        "id": f"{source.key}-figures-{number}",
        "protocol": protocol,
        "summary": record.summary,
        "measures": measures,
        "rows": [
            (shown(system), counts.get(system, ""), list(_cells(source, system, measures)))
            for system in source.scores.systems
        ],
        "lettered": source.comparison is not None,
        "per_cent": all(is_per_cent(measure) for measure in measures),
        "context": context_rows(source, measures),
        "signatures": signatures_of(
            signed_protocol(source.scores, measures), f"{source.key}-figures-{number}"
        ),
    }


def _item_counts(source: Source, measure: Measure) -> dict[str, str]:
    """Return how many items each system has, if they do not have equally many."""
    keys = headlines(source.scores, measure)
    counts = {key.system: len(names_of(source.scores, key)) for key in keys}
    return {
        system: plural(count, "item") for system, count in counts.items() if len(set(counts.values())) > 1
    }


def signatures_of(signed: Sequence[tuple[str, str]], name: str) -> list[dict[str, str]]:
    """Return signatures behind names of systems, as templates take them; ``name`` is the id of the first."""
    return [
        {"id": f"{name}-{number}" if number else name, "names": shown(names), "text": signature}
        for number, (names, signature) in enumerate(signed)
    ]


def _cells(source: Source, system: str, measures: Sequence[Measure]) -> Iterator[Cell]:
    for measure in measures:
        value = source.value(measure, system)
        compared = source.compared(measure)
        rank = None if compared is None else next(row for row in compared.ranking if row.system == system)
        yield Cell(
            value=figure(value, measure),
            ends=ends(*source.interval(measure, system), measure),
            letters="" if rank is None else rank.letters,
            best=compared is not None and compared.places.get(system) == 1,
        )


def forest_of(source: Source, measures: Sequence[Measure], palette: Palette) -> alt.TopLevelMixin | None:
    """Return the headline figures of all systems by measures of one unit, None if none is defined."""
    figures = []
    for measure in measures:
        for system in source.scores.systems:
            low, high = source.interval(measure, system)
            figures.append(
                Figure(
                    measure=measure.name,
                    system=system,
                    value=scaled(source.value(measure, system), measure),
                    low=scaled(low, measure),
                    high=scaled(high, measure),
                )
            )
    if all(math.isnan(each.value) for each in figures):
        return None
    return forest(figures, unit_of(measures[0]), palette, bands_of(source, measures))


def _charts(source: Source, protocol: str, measures: Sequence[Measure]) -> Iterator[object]:
    """Give a forest plot for each unit."""
    for per_cent in (True, False):
        found = forest_of(source, [each for each in measures if is_per_cent(each) == per_cent], PAGE)
        if found is not None:
            yield inline_svg(
                found, f"Figures of {protocol} with their intervals; the table above has the numbers"
            )
