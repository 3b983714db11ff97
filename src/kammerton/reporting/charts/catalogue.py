# SPDX-License-Identifier: MIT
"""Every chart that is drawn of scores, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from kammerton.errors import OptionError
from kammerton.model.measure import Measure
from kammerton.reporting.charts.confusion import confusion
from kammerton.reporting.charts.losses import losses
from kammerton.reporting.charts.palette import PAPER, Palette
from kammerton.reporting.charts.ranks import mean_ranks
from kammerton.reporting.charts.scatter import scatter
from kammerton.reporting.html.classes import costs_of
from kammerton.reporting.html.compared import ranks_of
from kammerton.reporting.html.groups import group_chart
from kammerton.reporting.html.items import histogram
from kammerton.reporting.html.numbers import is_per_cent, scaled, unit_of
from kammerton.reporting.html.overview import forest_of
from kammerton.reporting.html.source import Source

if TYPE_CHECKING:
    import altair as alt

    from kammerton.model.costs import ClassCosts

__all__ = ["CHARTS", "chart", "charts_of"]

_SYSTEMS = 6
"""Systems whose classes are drawn."""


def chart(source: Source, name: str, measure: Measure, palette: Palette = PAPER) -> alt.TopLevelMixin:
    """Return one chart of scores.

    Parameters
    ----------
    source : Source
    name : str
        One of ``CHARTS``.
    measure : Measure
        What it is of; a forest plot has all headline measures of its protocol in the same unit.
    palette : Palette

    Raises
    ------
    OptionError
        If there is no such chart, or nothing to draw.
    """
    if name not in CHARTS:
        raise OptionError.unknown("chart", name, CHARTS)
    found = CHARTS[name](source, measure, palette)
    if found is None:
        raise OptionError(f"there is nothing to draw: {name} of {measure}", _NEEDS[name])
    return found


def charts_of(source: Source, palette: Palette = PAPER) -> Iterator[tuple[str, alt.TopLevelMixin]]:
    """Give all charts that there are of scores, with names for files."""
    drawn: set[tuple[str, bool]] = set()
    for measure in source.headline:
        key = (measure.protocol, is_per_cent(measure))
        if key in drawn:
            continue
        drawn.add(key)
        found = _forest(source, measure, palette)
        if found is not None:
            yield f"forest-{measure.protocol}{'' if is_per_cent(measure) else '-values'}", found
    for name, draw in CHARTS.items():
        found = None if name == "forest" else draw(source, source.main, palette)
        if found is not None:
            yield name, found


def _forest(source: Source, measure: Measure, palette: Palette) -> alt.TopLevelMixin | None:
    alike = [
        each
        for each in dict.fromkeys((*source.headline, measure))
        if each.protocol == measure.protocol and is_per_cent(each) == is_per_cent(measure)
    ]
    return forest_of(source, alike, palette)


def _ranks(source: Source, measure: Measure, palette: Palette) -> alt.TopLevelMixin | None:
    found = ranks_of(source, measure)
    return None if found is None else mean_ranks(found, palette)


def _scatter(source: Source, measure: Measure, palette: Palette) -> alt.TopLevelMixin | None:
    if measure.aggregate == "gathered" or not source.ranked[1:]:
        return None
    first, second = ((name, _values(source, measure, name)) for name in source.ranked[:2])
    return scatter(first, second, _title(measure), palette)


def _losses(source: Source, _: Measure, palette: Palette) -> alt.TopLevelMixin | None:
    known = {name: each for name, each in _costs(source).items() if any(row.lost > 0 for row in each.rows)}
    return losses(known, palette) if known else None


def _confusion(source: Source, _: Measure, palette: Palette) -> alt.TopLevelMixin | None:
    known = {name: each for name, each in _costs(source).items() if each.cells}
    if not known:
        return None
    kind = next(iter(known.values())).kind
    return confusion({name: each.cells for name, each in known.items()}, kind, palette)


def _costs(source: Source) -> dict[str, ClassCosts]:
    best = source.ranked[:_SYSTEMS]
    found = ((system, costs_of(source, system)) for system in source.scores.systems if system in best)
    return {system: each for system, each in found if each is not None}


def _values(source: Source, measure: Measure, system: str) -> list[float]:
    return [scaled(value, measure) for value in source.of_items(measure, system)]


def _title(measure: Measure) -> str:
    return f"{measure}, {unit_of(measure)}" if is_per_cent(measure) else str(measure)


CHARTS: dict[str, Callable[[Source, Measure, Palette], alt.TopLevelMixin | None]] = {
    "forest": _forest,
    "ranks": _ranks,
    "items": histogram,
    "scatter": _scatter,
    "groups": group_chart,
    "losses": _losses,
    "confusion": _confusion,
}

_NEEDS = {
    "forest": "no figure of it is defined",
    "ranks": "three systems that were scored on the same items are needed",
    "items": "no item has a value of it",
    "scatter": "two systems with values of items are needed",
    "groups": "figures are told group by group if they are scored with group_by",
    "losses": "no class of labels lost anything, or the task tells none",
    "confusion": "nothing was taken for anything, or the task does not tell",
}
