# SPDX-License-Identifier: MIT
"""System against system: a point for each item."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kammerton.reporting.charts.drawing import altair_of, short, styled
from kammerton.reporting.charts.palette import PAPER, Palette

if TYPE_CHECKING:
    import altair as alt

__all__ = ["scatter"]

_SIDE = 320


def scatter(
    across: tuple[str, Sequence[float]],
    up: tuple[str, Sequence[float]],
    title: str,
    palette: Palette = PAPER,
) -> alt.TopLevelMixin:
    """Return a point for each item, with a line on which both systems score the same.

    Parameters
    ----------
    across, up : (str, sequence of float)
        A system, and what each item scored; items without a value of either have no point.
    title : str
        Measure and unit.
    palette : Palette
    """
    alt = altair_of()
    points = [
        {"x": x, "y": y}
        for x, y in zip(across[1], up[1], strict=True)
        if not (math.isnan(x) or math.isnan(y))
    ]
    every = [value for point in points for value in point.values()]
    low, high = min(every, default=0.0), max(every, default=1.0)
    scale = alt.Scale(domain=[low, high], nice=True, zero=False)
    even = alt.Chart(alt.Data(values=[{"x": low, "y": low}, {"x": high, "y": high}]))
    line = even.mark_line(strokeDash=[4, 4], color=palette.soft, strokeWidth=1)
    dots = alt.Chart(alt.Data(values=points)).mark_point(
        filled=True, size=30, opacity=0.5, color=palette.accent
    )
    layers = [
        layer.encode(
            x=alt.X("x:Q", scale=scale, title=f"{title}: {short(across[0])}"),
            y=alt.Y("y:Q", scale=scale, title=f"{title}: {short(up[0])}"),
        )
        for layer in (line, dots)
    ]
    return styled(alt.layer(*layers).properties(width=_SIDE, height=_SIDE), palette)
