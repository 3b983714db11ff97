# SPDX-License-Identifier: MIT
"""How the values of items are spread: a histogram for each system."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kammerton.reporting.charts.drawing import above, altair_of, cycled, distinct, styled
from kammerton.reporting.charts.palette import PAPER, SHAPES, Palette

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Bin", "bins_of", "spread"]

_BINS = 20
_HEIGHT = 44
_MARKED = "dashed line and marker: the median over items"


@dataclass(frozen=True, slots=True)
class Bin:
    """How many values lie from ``low`` on and below ``high``; in the last bin, ``high`` is one of them."""

    low: float
    high: float
    count: int


def bins_of(values: Sequence[float], low: float, high: float, count: int = _BINS) -> list[Bin]:
    """Return a histogram.

    Parameters
    ----------
    values : sequence of float
        NaN is in no bin.
    low, high : float
        Ends of the first bin and of the last; no value lies beyond.
    count : int

    Examples
    --------
    >>> bins_of([0.0, 49.9, 50.0, 100.0], 0, 100, 2)
    [Bin(low=0.0, high=50.0, count=2), Bin(low=50.0, high=100.0, count=2)]
    """
    width = (high - low) / count
    counts = [0] * count
    for value in values:
        if not math.isnan(value):
            counts[min(count - 1, int((value - low) / width))] += 1
    return [Bin(low + width * at, low + width * (at + 1), found) for at, found in enumerate(counts)]


def spread(
    values: Mapping[str, Sequence[float]],
    title: str,
    ends: tuple[float, float] | None = None,
    palette: Palette = PAPER,
) -> alt.TopLevelMixin:
    """Return a histogram of the items of each system, with its median.

    Parameters
    ----------
    values : mapping of str to sequence of float
        By system; NaN where an item has none.
    title : str
        Of the axis: measure and unit.
    ends : (float, float), optional
        Range of the values; by default what they span.
    palette : Palette
    """
    alt = altair_of()
    names = distinct(values)
    known = {system: [each for each in found if not math.isnan(each)] for system, found in values.items()}
    low, high = ends or _ends([each for found in known.values() for each in found])
    systems = list(names.values())
    across = alt.X("low:Q", title=[title, _MARKED], scale=alt.Scale(domain=[low, high], nice=False))
    colour = alt.Color(
        "system:N", scale=alt.Scale(domain=systems, range=cycled(palette.systems, len(systems))), legend=None
    )
    shape = alt.Shape(
        "system:N", scale=alt.Scale(domain=systems, range=cycled(SHAPES, len(systems))), legend=None
    )
    rows = [
        {**row, "place": place}
        for place, (system, found) in enumerate(known.items())
        for row in _rows(names[system], found, low, high)
    ]
    base = alt.Chart()
    bars = base.mark_bar(opacity=0.55).encode(
        x=across,
        x2="high:Q",
        y=alt.Y("count:Q", title="items", axis=alt.Axis(tickCount=2)),
        y2=alt.datum(0),
        color=colour,
    )
    median = base.transform_filter("isValid(datum.median)")
    middle = median.mark_rule(strokeDash=[3, 2], color=palette.ink).encode(x=alt.X("median:Q"))
    point = median.mark_point(filled=True, size=60, opacity=1).encode(
        x="median:Q", y=alt.value(4), color=colour, shape=shape
    )
    panel = alt.layer(bars, middle, point).properties(width=460, height=_HEIGHT)
    row = alt.Row(
        "system:N",
        title=None,
        sort=alt.EncodingSortField("place", op="min"),
        header=alt.Header(**above(palette)),
    )
    return styled(panel.facet(row=row, data=alt.Data(values=rows), spacing=8), palette)


def _ends(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values, default=0.0), max(values, default=1.0)
    return (low, high) if low < high else (low - 0.5, low + 0.5)


def _rows(system: str, values: Sequence[float], low: float, high: float) -> list[dict[str, Any]]:
    found = bins_of(values, low, high)
    rows: list[dict[str, Any]] = [
        {"system": system, "low": each.low, "high": each.high, "count": each.count} for each in found
    ]
    rows[0]["median"] = statistics.median(values) if values else None
    return rows
