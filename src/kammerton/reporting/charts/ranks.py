# SPDX-License-Identifier: MIT
"""Critical-difference diagrams: mean ranks, and which of them cannot be told apart.

J. Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7 (2006), 1-30.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kammerton.reporting.charts.drawing import altair_of, distinct, styled
from kammerton.reporting.charts.palette import PAPER, Palette

if TYPE_CHECKING:
    import altair as alt

__all__ = ["MeanRanks", "cliques", "mean_ranks"]

_ROW = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanRanks:
    """Mean ranks of systems over items or clusters, 1 the best, and the difference that tells them apart."""

    systems: Sequence[str]
    ranks: Sequence[float]
    critical: float
    items: int = 0
    unit: str = "item"


def cliques(ranks: Sequence[float], critical: float) -> list[tuple[float, float]]:
    """Return the longest stretches of ranks that lie within the critical difference, of two systems or more.

    Examples
    --------
    >>> cliques([1.0, 1.4, 2.0, 3.5], 0.7)
    [(1.0, 1.4), (1.4, 2.0)]
    """
    ordered = sorted(ranks)
    found: list[tuple[int, int]] = []
    for first, rank in enumerate(ordered):
        last = max(at for at, other in enumerate(ordered) if at == first or other - rank < critical)
        if last > first and not (found and found[-1][1] >= last):
            found.append((first, last))
    return [(ordered[first], ordered[last]) for first, last in found]


def mean_ranks(found: MeanRanks, palette: Palette = PAPER) -> alt.TopLevelMixin:
    """Return a critical-difference diagram: a line for each system, best first, and bars that join them.

    Parameters
    ----------
    found : MeanRanks
    palette : Palette
    """
    alt = altair_of()
    order = sorted(range(len(found.systems)), key=lambda at: (found.ranks[at], at))
    names = distinct(found.systems)
    rows = [
        {"rank": found.ranks[at], "name": names[found.systems[at]], "row": row}
        for row, at in enumerate(order)
    ]
    bars = [
        {"low": low, "high": high, "row": -1 - number}
        for number, (low, high) in enumerate(cliques(found.ranks, found.critical))
    ]
    top = -len(bars) - 0.5
    ends = [top, len(rows) - 0.5]
    across = alt.Scale(domain=[1, len(rows)])
    up = alt.Y("row:Q", scale=alt.Scale(domain=ends, reverse=True, nice=False), axis=None)
    axis = alt.Axis(orient="top", title="mean rank", tickMinStep=1, grid=False)
    lines = alt.Chart(alt.Data(values=[{**row, "top": top} for row in rows]))
    stems = lines.mark_rule(color=palette.soft).encode(
        x=alt.X("rank:Q", scale=across, axis=axis), y=up, y2="top:Q"
    )
    points = lines.mark_point(filled=True, size=60, opacity=1, color=palette.accent).encode(x="rank:Q", y=up)
    told = lines.mark_text(align="left", dx=8, fontSize=12, color=palette.ink).encode(
        x="rank:Q", y=up, text="name:N"
    )
    joined = alt.Chart(alt.Data(values=bars)).mark_rule(strokeWidth=5, color=palette.ink)
    joined = joined.encode(x=alt.X("low:Q", scale=across, axis=axis), x2="high:Q", y=up)
    layers = [stems, points, told, *([joined] if bars else [])]
    chart = alt.layer(*layers).properties(width=460, height=_ROW * (len(rows) + len(bars)))
    return styled(chart, palette)
