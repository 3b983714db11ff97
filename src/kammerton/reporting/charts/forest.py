# SPDX-License-Identifier: MIT
"""Forest plots: figures with their intervals, measure by measure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kammerton.reporting.charts.drawing import altair_of, cycled, distinct, styled
from kammerton.reporting.charts.palette import PAPER, SHAPES, Palette

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Figure", "forest"]

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


def forest(figures: Sequence[Figure], unit: str, palette: Palette = PAPER) -> alt.TopLevelMixin:
    """Return a forest plot: a row for each measure, in it a line for each system.

    Parameters
    ----------
    figures : sequence of Figure
        In the order of the rows; undefined ones have no point.
    unit : str
        Title of the axis.
    palette : Palette
    """
    alt = altair_of()
    names = distinct(each.system for each in figures)
    systems = list(names.values())
    measures = list(dict.fromkeys(each.measure for each in figures))
    data = alt.Data(values=[_row(each, names) for each in figures])
    colour = alt.Scale(domain=systems, range=cycled(palette.systems, len(systems)))
    shape = alt.Scale(domain=systems, range=cycled(SHAPES, len(systems)))
    base = alt.Chart().encode(
        y=alt.Y("system:N", title=None, sort=systems, axis=alt.Axis(ticks=False, domain=False, grid=False)),
        color=alt.Color("system:N", scale=colour, legend=None),
    )
    across = {"title": unit, "scale": alt.Scale(zero=False, nice=True), "axis": alt.Axis(tickCount=8)}
    line = base.mark_rule(strokeWidth=2.5).encode(x=alt.X("low:Q", **across), x2="high:Q")
    point = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=alt.X("value:Q", **across),
        shape=alt.Shape("system:N", scale=shape, legend=None),
    )
    panel = alt.layer(line, point).properties(width=460, height=_ROW * len(systems))
    row = alt.Row(
        "measure:N",
        title=None,
        sort=measures,
        header=alt.Header(labelAngle=0, labelAlign="left", labelFontWeight=palette.strong),
    )
    return styled(panel.facet(row=row, data=data, spacing=8), palette)


def _row(each: Figure, names: Mapping[str, str]) -> dict[str, Any]:
    numbers = {name: _number(getattr(each, name)) for name in ("value", "low", "high")}
    return {"measure": each.measure, "system": names[each.system], **numbers}


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
