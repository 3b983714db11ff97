# SPDX-License-Identifier: MIT
"""What each item scored: a table that is sorted and searched, and system against system."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from kammerton.model.measure import Measure
from kammerton.model.rows import Row
from kammerton.reporting.charts.drawing import inline_svg
from kammerton.reporting.charts.palette import PAGE, Palette
from kammerton.reporting.charts.spread import spread
from kammerton.reporting.html.filling import fill, shown
from kammerton.reporting.html.numbers import is_per_cent, scaled, unit_of
from kammerton.reporting.html.sections import Section
from kammerton.reporting.html.source import Source

if TYPE_CHECKING:
    import altair as alt
    from markupsafe import Markup

__all__ = ["histogram", "items"]

STEPS = 10_000
"""A share is embedded as a whole number of steps: short, and more digits than are shown."""
_MOST = 2_000_000
"""Values that a page holds of items; beyond, it has fewer measures."""


def items(source: Source) -> Section | None:
    """Return the section of items, if there is a measure that items have values of."""
    measures = _measures(source)
    if not measures:
        return None
    systems = source.ranked
    body = fill(
        "items",
        key=source.key,
        count=len(source.items),
        measures=[str(measure) for measure in measures],
        systems=[shown(name) for name in systems],
        left_out=len(_possible(source)) - len(measures),
        spread=_spread(source, measures[0]),
        main=str(measures[0]),
    )
    return Section(part="items", title="Items", body=body, data=_data(source, measures, systems))


def _spread(source: Source, measure: Measure) -> Markup | None:
    drawn = histogram(source, measure, PAGE)
    label = f"How {measure} is spread over items, with the median of each system"
    return None if drawn is None else inline_svg(drawn, label)


def histogram(source: Source, measure: Measure, palette: Palette) -> alt.TopLevelMixin | None:
    """Return how the values of items are spread, None if items have none."""
    if measure.aggregate == "gathered":
        return None
    values = {
        system: [scaled(each, measure) for each in source.of_items(measure, system)]
        for system in source.scores.systems
    }
    if all(math.isnan(each) for found in values.values() for each in found):
        return None
    ends = (0.0, 100.0) if is_per_cent(measure) else None
    return spread(values, f"{measure}, {unit_of(measure)}", ends, palette)


def _possible(source: Source) -> list[Measure]:
    chosen = dict.fromkeys((source.main, *source.headline))
    return [measure for measure in chosen if measure.aggregate != "gathered"]


def _measures(source: Source) -> list[Measure]:
    """Return the measures that items are shown by: the main one first, as many as the page can hold."""
    each = len(source.items) * len(source.scores.systems)
    return _possible(source)[: max(1, _MOST // max(1, each))]


def _data(source: Source, measures: Sequence[Measure], systems: Sequence[str]) -> dict[str, Any]:
    return {
        "items": [shown(name) for name in source.items],
        "systems": [shown(name) for name in systems],
        "measures": [_told(measure) for measure in measures],
        "values": [
            [[_coded(value, measure) for value in source.of_items(measure, system)] for system in systems]
            for measure in measures
        ],
        "weights": [_weights(source, measure, systems) for measure in measures],
        "states": [dict(_states(source, system)) for system in systems],
    }


def _told(measure: Measure) -> dict[str, Any]:
    return {
        "name": str(measure),
        "scale": STEPS if is_per_cent(measure) else 0,
        "lower": measure.direction == "lower",
    }


def _coded(value: float, measure: Measure) -> float | None:
    if math.isnan(value):
        return None
    return round(value * STEPS) if is_per_cent(measure) else round(value, 4)


def _weights(source: Source, measure: Measure, systems: Sequence[str]) -> list[float] | None:
    """Return what the value of each item was measured on; None where each counts the same."""
    if measure.aggregate not in ("pooled", "weighted_mean"):
        return None
    known: dict[str, float] = {}
    for system in reversed(systems):
        found = source.scores.of_items(measure, system, source.annotator(measure))
        known |= zip(found.names, found.weights.tolist(), strict=True)
    return [round(known.get(name, 0.0), 3) for name in source.items]


def _states(source: Source, system: str) -> Iterator[tuple[str, list[str]]]:
    """Give the items of a system that were missing or failed, by their numbers, with the reason."""
    numbers = {name: number for number, name in enumerate(source.items)}
    worst: dict[str, Row] = {}
    for row in source.scores.unusable(system):
        if row.item not in worst or row.status == "failed":
            worst[row.item] = row
    for name in sorted(worst):
        yield str(numbers[name]), [worst[name].status, shown(worst[name].reason)]
