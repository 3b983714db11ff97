# SPDX-License-Identifier: MIT
"""What classes of labels cost: bars, class by class and system by system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kammerton.model.costs import ClassCosts
from kammerton.reporting.charts.drawing import above, altair_of, cycled, distinct, styled
from kammerton.reporting.charts.palette import PAPER, Palette

if TYPE_CHECKING:
    import altair as alt

__all__ = ["dearest", "losses"]

_CLASSES = 8
_ROW = 18


def dearest(found: Mapping[str, ClassCosts], count: int) -> list[str]:
    """Return the classes that cost all systems together most, the dearest first."""
    lost: dict[str, float] = {}
    for costs in found.values():
        for row in costs.rows:
            lost[row.name] = lost.get(row.name, 0.0) + row.lost
    return sorted((name for name in lost if lost[name] > 0), key=lambda name: (-lost[name], name))[:count]


def losses(found: Mapping[str, ClassCosts], palette: Palette = PAPER) -> alt.TopLevelMixin:
    """Return bars for the classes that cost most.

    Parameters
    ----------
    found : mapping of str to ClassCosts
        By system; there is one at least.
    palette : Palette
    """
    alt = altair_of()
    names, chosen = distinct(found), dearest(found, _CLASSES)
    labels = distinct(chosen)
    systems, unit = list(names.values()), next(iter(found.values())).unit_of_loss
    rows = [
        {
            "class": labels[row.name],
            "place": chosen.index(row.name),
            "system": names[system],
            "lost": row.lost,
        }
        for system, costs in found.items()
        for row in costs.rows
        if row.name in labels
    ]
    colour = alt.Scale(domain=systems, range=cycled(palette.systems, len(systems)))
    panel = (
        alt.Chart()
        .mark_bar()
        .encode(
            x=alt.X("lost:Q", title=f"lost, {unit}"),
            y=alt.Y(
                "system:N",
                title=None,
                scale=alt.Scale(domain=systems),
                axis=alt.Axis(ticks=False, domain=False),
            ),
            color=alt.Color("system:N", scale=colour, legend=None),
        )
        .properties(width=460, height=_ROW * len(systems))
    )
    header = alt.Header(**above(palette))
    row = alt.Row("class:N", title=None, sort=alt.EncodingSortField("place", op="min"), header=header)
    return styled(panel.facet(row=row, data=alt.Data(values=rows), spacing=6), palette)
