# SPDX-License-Identifier: MIT
"""What was taken for what: a field for each pair of classes, the darker the more of the class it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kammerton.model.breakdown import commonest
from kammerton.reporting.charts.drawing import above, altair_of, distinct, styled
from kammerton.reporting.charts.palette import PAPER, Palette

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Cells", "confusion", "squeezed"]

Cells = Mapping[tuple[str, str], float]
"""Amount by what it is and what it was taken for."""

OTHERS = "all others"

_CLASSES = 12
_FIELD = 34
_PALE = 0.5
"""Share from which on the text of a field is light."""


def squeezed(cells: Cells, count: int = _CLASSES) -> dict[tuple[str, str], float]:
    """Return cells of so many classes on either side, the rarer ones taken together.

    Examples
    --------
    >>> squeezed({("maj", "maj"): 5.0, ("min", "maj"): 2.0, ("dim", "min"): 1.0}, 1)
    {('maj', 'maj'): 5.0, ('all others', 'maj'): 2.0, ('all others', 'all others'): 1.0}
    """
    return _gathered(cells, commonest(cells, 0)[:count], commonest(cells, 1)[:count])


def _gathered(cells: Cells, rows: Sequence[str], columns: Sequence[str]) -> dict[tuple[str, str], float]:
    """Return cells of some classes on either side, all others taken together."""
    found: dict[tuple[str, str], float] = {}
    for (name, taken), weight in cells.items():
        key = (name if name in rows else OTHERS, taken if taken in columns else OTHERS)
        found[key] = found.get(key, 0.0) + weight
    return found


def confusion(found: Mapping[str, Cells], kind: str, palette: Palette = PAPER) -> alt.TopLevelMixin:
    """Return a confusion for each system: of all that is a class, how many per cent were taken for what.

    Parameters
    ----------
    found : mapping of str to mapping
        Cells by system.
    kind : str
        What the classes are.
    palette : Palette
    """
    alt = altair_of()
    names = distinct(found)
    whole: dict[tuple[str, str], float] = {}
    for cells in found.values():
        for key, weight in cells.items():
            whole[key] = whole.get(key, 0.0) + weight
    table = squeezed(whole)
    rows_of, columns_of = _order(table)
    labels = distinct([*rows_of, *columns_of])
    data = [
        {**row, "place": place, "class": labels[row["class"]], "taken": labels[row["taken"]]}
        for place, (system, cells) in enumerate(found.items())
        for row in _rows(names[system], cells, rows_of, columns_of)
    ]
    down, across = ([labels[name] for name in each] for each in (rows_of, columns_of))
    x = alt.X("taken:N", title="taken for", scale=alt.Scale(domain=across), axis=alt.Axis(labelAngle=-45))
    y = alt.Y("class:N", title=kind, scale=alt.Scale(domain=down))
    base = alt.Chart().encode(x=x, y=y)
    shade = alt.Scale(domain=[0, 1], range=[palette.ground, palette.accent], interpolate="rgb")
    fields = base.mark_rect(stroke=palette.band).encode(color=alt.Color("share:Q", scale=shade, legend=None))
    text = base.transform_filter("datum.share >= 0.005").mark_text(fontSize=11)
    text = text.encode(
        text=alt.Text("share:Q", format=".0%"),
        color=alt.condition(f"datum.share >= {_PALE}", alt.value(palette.ground), alt.value(palette.ink)),
    )
    size = {"width": _FIELD * len(columns_of), "height": _FIELD * 0.7 * len(rows_of)}
    panel = alt.layer(fields, text).properties(**size)
    header = alt.Header(**above(palette))
    row = alt.Row("system:N", title=None, sort=alt.EncodingSortField("place", op="min"), header=header)
    return styled(panel.facet(row=row, data=alt.Data(values=data), spacing=24), palette)


def _order(cells: Cells) -> tuple[list[str], list[str]]:
    """Return the classes of either side, the commonest first, in one order where both have them."""
    rows = [name for name in commonest(cells, 0) if name != OTHERS]
    columns = [name for name in commonest(cells, 1) if name != OTHERS]
    same = [name for name in rows if name in columns]
    own = [name for name in columns if name not in same]
    ends = [[OTHERS] if any(key[side] == OTHERS for key in cells) else [] for side in (0, 1)]
    return [*rows, *ends[0]], [*same, *own, *ends[1]]


def _rows(system: str, cells: Cells, rows: list[str], columns: list[str]) -> list[dict[str, Any]]:
    found = _gathered(cells, rows, columns)
    of_class = {name: sum(found.get((name, taken), 0.0) for taken in columns) for name in rows}
    return [
        {
            "system": system,
            "class": name,
            "taken": taken,
            "share": found.get((name, taken), 0.0) / of_class[name] if of_class[name] else 0.0,
        }
        for name in rows
        for taken in columns
    ]
