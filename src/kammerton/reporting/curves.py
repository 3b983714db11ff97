# SPDX-License-Identifier: MIT
"""How the training of a network went, as a chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kammerton.reporting.charts import ACCENT, SOFT, altair_of, styled

if TYPE_CHECKING:
    import altair as alt


def learning_curve(epochs: Sequence[Sequence[float]]) -> alt.TopLevelMixin:
    """Return the agreement after each epoch, the best one marked, and the loss below.

    A row has the loss of an epoch, the agreement after it, and its rate, as models have them.
    """
    alt = altair_of()
    best = max(range(len(epochs)), key=lambda number: epochs[number][1])
    rows = [
        {"epoch": number + 1, "loss": loss, "agreement": 100 * agreement, "best": number == best}
        for number, (loss, agreement, _) in enumerate(epochs)
    ]
    epoch = alt.X("epoch:Q", title="epoch", axis=alt.Axis(tickMinStep=1), scale=alt.Scale(nice=False))
    panel = alt.Chart(alt.Data(values=rows)).properties(width=460, height=150)
    panels = []
    for name, title, colour in (
        ("agreement", "validation agreement, %", ACCENT),
        ("loss", "loss for each note, training", SOFT),
    ):
        height = alt.Y(f"{name}:Q", title=title, scale=alt.Scale(zero=False))
        line = panel.mark_line(color=colour, strokeWidth=2).encode(x=epoch, y=height)
        mark = panel.transform_filter("datum.best").mark_point(color=colour, filled=True, size=60)
        panels.append(line + mark.encode(x=epoch, y=height))
    return styled(alt.vconcat(*panels))
