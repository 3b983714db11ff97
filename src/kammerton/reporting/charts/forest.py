# SPDX-License-Identifier: MIT
"""Forest plots: figures with their intervals, measure by measure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from kammerton.reporting.charts.drawing import above, altair_of, cycled, distinct, styled
from kammerton.reporting.charts.palette import PAPER, SHAPES, Palette

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Band", "Figure", "forest"]

_ROW = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure with its interval, in the unit that is drawn.

    Parameters
    ----------
    measure, system : str
    value, low, high : float
        NaN where undefined.
    """

    measure: str
    system: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """What the figures of a measure stand between, in the unit that is drawn.

    Parameters
    ----------
    measure : str
    role : {"floor", "ceiling"}
        A floor is drawn as a line, a ceiling as a dashed line in the band of its interval. The axis need not
        begin at 0, so that no length stands for a value.
    value : float
    low, high : float
        Of the interval; NaN if there is none.
    """

    measure: str
    role: Literal["floor", "ceiling"]
    value: float
    low: float = math.nan
    high: float = math.nan


def forest(
    figures: Sequence[Figure], unit: str, palette: Palette = PAPER, bands: Sequence[Band] = ()
) -> alt.TopLevelMixin:
    """Return a forest plot: a row for each measure, in it a line for each system.

    Parameters
    ----------
    figures : sequence of Figure
        In the order of the rows; undefined ones have no point.
    unit : str
        Title of the axis.
    palette : Palette
    bands : sequence of Band
    """
    alt = altair_of()
    names = distinct(each.system for each in figures)
    systems = list(names.values())
    rows = [*(_row(each, names) for each in figures), *map(_band, bands)]
    labels = distinct(row["measure"] for row in rows)
    places = {name: place for place, name in enumerate(labels)}
    data = alt.Data(
        values=[{**row, "measure": labels[row["measure"]], "place": places[row["measure"]]} for row in rows]
    )
    colour = alt.Scale(domain=systems, range=cycled(palette.systems, len(systems)))
    shape = alt.Scale(domain=systems, range=cycled(SHAPES, len(systems)))
    across = {"title": unit, "scale": alt.Scale(zero=False, nice=True), "axis": alt.Axis(tickCount=8)}
    behind = _behind(alt, across, palette) if bands else []
    base = (
        alt.Chart()
        .transform_filter("isValid(datum.system)")
        .encode(
            y=alt.Y(
                "system:N",
                title=None,
                scale=alt.Scale(domain=systems),
                axis=alt.Axis(ticks=False, domain=False, grid=False),
            ),
            color=alt.Color("system:N", scale=colour, legend=None),
        )
    )
    line = base.mark_rule(strokeWidth=2.5).encode(x=alt.X("low:Q", **across), x2="high:Q")
    point = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=alt.X("value:Q", **across),
        shape=alt.Shape("system:N", scale=shape, legend=None),
    )
    panel = alt.layer(*behind, line, point).properties(width=460, height=_ROW * len(systems))
    row = alt.Row(
        "measure:N",
        title=None,
        sort=alt.EncodingSortField("place", op="min"),
        header=alt.Header(**above(palette)),
    )
    return styled(panel.facet(row=row, data=data, spacing=6), palette)


def _behind(alt: Any, across: Mapping[str, Any], palette: Palette) -> list[Any]:
    """Return the layers of floors and ceilings."""
    floor = alt.Chart().transform_filter("datum.role == 'floor'")
    ceiling = alt.Chart().transform_filter("datum.role == 'ceiling'")
    x = alt.X("value:Q", **across)
    dashed = {"strokeDash": [2, 2], "color": palette.soft}
    return [
        floor.mark_rule(color=palette.soft).encode(x=x),
        ceiling.mark_rect(color=palette.band).encode(x=alt.X("low:Q", **across), x2="high:Q"),
        ceiling.mark_rule(**dashed).encode(x=x),
    ]


def _band(each: Band) -> dict[str, Any]:
    numbers = {name: _number(getattr(each, name)) for name in ("value", "low", "high")}
    return {"measure": each.measure, "role": each.role, **numbers}


def _row(each: Figure, names: Mapping[str, str]) -> dict[str, Any]:
    numbers = {name: _number(getattr(each, name)) for name in ("value", "low", "high")}
    return {"measure": each.measure, "system": names[each.system], **numbers}


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
