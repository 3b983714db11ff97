# SPDX-License-Identifier: MIT
"""Charts for papers.

The colours of systems are those of Okabe and Ito, which colour-blind readers tell apart; each system has a
shape beside its colour, so that grey print loses nothing. There are eight shapes and seven colours: as these
numbers have no common divisor, 56 systems have marks of their own.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from kammerton.errors import OptionError, clip, printable
from kammerton.model.task import ClassLosses, commonest

if TYPE_CHECKING:
    import altair as alt


INK, SOFT, LINE, BAND = "#111111", "#555555", "#bbbbbb", "#e9e9e9"
"""Of text, of text beside it, of rules and axes, of the band from baselines to oracle."""
ACCENT, GROUND = "#0072b2", "#ffffff"
"""Of what stands out, and behind everything."""
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b0508a", "#2b93c9", "#a86f00", "#111111")
"""One for each system; beyond their number they begin anew."""
SHAPES = (
    *("circle", "square", "triangle-up", "diamond", "cross", "triangle-down"),
    *("triangle-right", "triangle-left"),
)
"""Of marks; all of them have an area, which is what is filled."""

FORMS = ("svg", "pdf", "png")
_NAME = 32
"""Characters of a name in a drawing."""
_FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""The first is part of what draws, so that texts are as wide everywhere as they were measured."""
_SCALE = 3.0
"""Of PNG: 216 dots per inch."""
_RESOURCES = re.compile(rb"(?:^      /\w+ \d+ 0 R\n){2,}", re.MULTILINE)


def altair_of() -> Any:
    """Return the module ``altair``."""
    try:
        import altair as alt  # noqa: PLC0415
        import vl_convert  # noqa: F401, PLC0415
    except ImportError as error:
        raise OptionError.of_import("charts need altair and vl-convert-python", "report", error) from error
    return alt


def styled(chart: alt.TopLevelMixin) -> alt.TopLevelMixin:
    """Return a chart with quiet axes, in the colours of a PAPER."""
    text = {"labelColor": INK, "titleColor": SOFT, "labelFontSize": 12, "titleFontSize": 12}
    quiet = {"titleFontWeight": "normal", "labelLimit": 260}
    rules = dict.fromkeys(("gridColor", "domainColor", "tickColor"), LINE)
    configured: alt.TopLevelMixin = chart.configure(
        background=GROUND,
        font=_FONT,
        padding={"left": 8, "top": 2, "right": 8, "bottom": 2},
        view={"stroke": None},
        axis={**text, **quiet, **rules, "gridOpacity": 0.6},
        header={**text, **quiet},
        legend={**text, **quiet, "symbolStrokeColor": INK},
        text={"color": INK},
    )
    return configured


def above() -> dict[str, Any]:
    """Return how the name of a panel stands: above it, where names of any length have room."""
    return {
        "labelOrient": "top",
        "labelAnchor": "start",
        "labelFontWeight": "normal",
        "labelPadding": 4,
    }


def short(name: str) -> str:
    """Return a name as drawings have it."""
    return printable(clip(name, _NAME))


def distinct(names: Iterable[str]) -> dict[str, str]:
    """Return each name as drawings have it; those that are alike when clipped are numbered.

    Examples
    --------
    >>> distinct(["a", 40 * "b" + "1", 40 * "b" + "2"])["a"]
    'a'
    >>> distinct(["a", 40 * "b" + "1", 40 * "b" + "2"])[40 * "b" + "2"][-5:]
    'bb… 2'
    """
    short_names: dict[str, str] = {}
    taken: set[str] = set()
    for name in dict.fromkeys(names):
        label, number = short(name), 1
        while label in taken:
            number += 1
            label = f"{short(name)} {number}"
        taken.add(label)
        short_names[name] = label
    return short_names


def cycled(values: Sequence[str], count: int) -> list[str]:
    """Return so many values, beginning anew when they are used up."""
    return [values[number % len(values)] for number in range(count)]


def render_chart(chart: alt.TopLevelMixin, form: str) -> bytes:
    """Return a chart as a file."""
    import vl_convert  # noqa: PLC0415

    spec = chart.to_dict()
    if form == "svg":
        return vl_convert.vegalite_to_svg(spec).encode("utf-8")
    if form == "pdf":
        return _settled(bytes(vl_convert.vegalite_to_pdf(spec)))
    return bytes(vl_convert.vegalite_to_png(spec, scale=_SCALE))


def _settled(pdf: bytes) -> bytes:
    """Return a PDF with its lists of resources sorted: they come in another order each time.

    Each line keeps its length, and the list its place, so that all offsets stay right.
    """
    return _RESOURCES.sub(lambda found: b"".join(sorted(found[0].splitlines(keepends=True))), pdf)


_ROW = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartScore:
    """A score with its interval, in the unit that is drawn."""

    measure: str
    system: str
    # value, low, high: naN where undefined
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """What the scores of a measure stand between, in the unit that is drawn."""

    measure: str
    # a baseline is drawn as a line, human agreement as a dashed line in a band. The axis need not
    # begin at 0, so that no length stands for a value.
    role: Literal["baseline", "agreement"]
    value: float
    # low, high: of the interval; NaN if there is none
    low: float = math.nan
    high: float = math.nan


def forest(
    scores: Sequence[ChartScore], unit: str, bands: Sequence[Band] = (), order: Sequence[str] = ()
) -> alt.TopLevelMixin:
    """Return a forest plot: a row for each measure, in it a line for each system.

    Colours and shapes are dealt in an order of systems, so that all charts give a system the same.
    """
    alt = altair_of()
    names = distinct(score.system for score in scores)
    systems = list(names.values())
    rows = [*(_row(score, names) for score in scores), *map(_band, bands)]
    labels = distinct(row["measure"] for row in rows)
    places = {name: place for place, name in enumerate(labels)}
    data = alt.Data(
        values=[{**row, "measure": labels[row["measure"]], "place": places[row["measure"]]} for row in rows]
    )
    dealt = [names[system] for system in order if system in names] or systems
    colour = alt.Scale(domain=dealt, range=cycled(COLOURS, len(dealt)))
    shape = alt.Scale(domain=dealt, range=cycled(SHAPES, len(dealt)))
    across = {"title": unit, "scale": alt.Scale(zero=False, nice=True), "axis": alt.Axis(tickCount=8)}
    behind = _behind(alt, across) if bands else []
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
        header=alt.Header(**above()),
    )
    return styled(panel.facet(row=row, data=data, spacing=6))


def _behind(alt: Any, across: Mapping[str, Any]) -> list[Any]:
    """Return the layers of baselines and human agreement."""
    baseline = alt.Chart().transform_filter("datum.role == 'baseline'")
    agreement = alt.Chart().transform_filter("datum.role == 'agreement'")
    x = alt.X("value:Q", **across)
    dashed = {"strokeDash": [2, 2], "color": SOFT}
    return [
        baseline.mark_rule(color=SOFT).encode(x=x),
        agreement.mark_rect(color=BAND).encode(x=alt.X("low:Q", **across), x2="high:Q"),
        agreement.mark_rule(**dashed).encode(x=x),
    ]


def _band(band: Band) -> dict[str, Any]:
    numbers = {name: _number(getattr(band, name)) for name in ("value", "low", "high")}
    return {"measure": band.measure, "role": band.role, **numbers}


def _row(score: ChartScore, names: Mapping[str, str]) -> dict[str, Any]:
    numbers = {name: _number(getattr(score, name)) for name in ("value", "low", "high")}
    return {"measure": score.measure, "system": names[score.system], **numbers}


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


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
    ranges: list[tuple[int, int]] = []
    for first, rank in enumerate(ordered):
        last = max(at for at, other in enumerate(ordered) if at == first or other - rank < critical)
        if last > first and not (ranges and ranges[-1][1] >= last):
            ranges.append((first, last))
    return [(ordered[first], ordered[last]) for first, last in ranges]


def mean_ranks(mean_ranks_of: MeanRanks) -> alt.TopLevelMixin:
    """Return a critical-difference diagram: a line for each system, best first, and bars that join them."""
    alt = altair_of()
    order = sorted(range(len(mean_ranks_of.systems)), key=lambda at: (mean_ranks_of.ranks[at], at))
    names = distinct(mean_ranks_of.systems)
    rows = [
        {"rank": mean_ranks_of.ranks[at], "name": names[mean_ranks_of.systems[at]], "row": row}
        for row, at in enumerate(order)
    ]
    bars = [
        {"low": low, "high": high, "row": -1 - number}
        for number, (low, high) in enumerate(cliques(mean_ranks_of.ranks, mean_ranks_of.critical))
    ]
    top = -len(bars) - 0.5
    ends = [top, len(rows) - 0.5]
    across = alt.Scale(domain=[1, len(rows)])
    up = alt.Y("row:Q", scale=alt.Scale(domain=ends, reverse=True, nice=False), axis=None)
    axis = alt.Axis(orient="top", title="mean rank", tickMinStep=1, grid=False)
    lines = alt.Chart(alt.Data(values=[{**row, "top": top} for row in rows]))
    stems = lines.mark_rule(color=SOFT).encode(x=alt.X("rank:Q", scale=across, axis=axis), y=up, y2="top:Q")
    points = lines.mark_point(filled=True, size=60, opacity=1, color=ACCENT).encode(x="rank:Q", y=up)
    labels = lines.mark_text(align="left", dx=8, fontSize=12, color=INK).encode(
        x="rank:Q", y=up, text="name:N"
    )
    joined = alt.Chart(alt.Data(values=bars)).mark_rule(strokeWidth=5, color=INK)
    joined = joined.encode(x=alt.X("low:Q", scale=across, axis=axis), x2="high:Q", y=up)
    layers = [stems, points, labels, *([joined] if bars else [])]
    chart = alt.layer(*layers).properties(width=460, height=_ROW * (len(rows) + len(bars)))
    return styled(chart)


_SIDE = 320


def scatter(
    across: tuple[str, Sequence[float]],
    up: tuple[str, Sequence[float]],
    title: str,
) -> alt.TopLevelMixin:
    """Return a point for each item, with a line on which both systems score the same."""
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
    line = even.mark_line(strokeDash=[4, 4], color=SOFT, strokeWidth=1)
    dots = alt.Chart(alt.Data(values=points)).mark_point(filled=True, size=30, opacity=0.5, color=ACCENT)
    layers = [
        layer.encode(
            x=alt.X("x:Q", scale=scale, title=f"{title}: {short(across[0])}"),
            y=alt.Y("y:Q", scale=scale, title=f"{title}: {short(up[0])}"),
        )
        for layer in (line, dots)
    ]
    return styled(alt.layer(*layers).properties(width=_SIDE, height=_SIDE))


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
) -> alt.TopLevelMixin:
    """Return a histogram of the items of each system, with its median."""
    alt = altair_of()
    names = distinct(values)
    known = {
        system: [value for value in numbers if not math.isnan(value)] for system, numbers in values.items()
    }
    low, high = ends or ends_of([value for numbers in known.values() for value in numbers])
    systems = list(names.values())
    across = alt.X("low:Q", title=[title, _MARKED], scale=alt.Scale(domain=[low, high], nice=False))
    colour = alt.Color(
        "system:N", scale=alt.Scale(domain=systems, range=cycled(COLOURS, len(systems))), legend=None
    )
    shape = alt.Shape(
        "system:N", scale=alt.Scale(domain=systems, range=cycled(SHAPES, len(systems))), legend=None
    )
    rows = [
        {**row, "place": place}
        for place, (system, numbers) in enumerate(known.items())
        for row in _rows(names[system], numbers, low, high)
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
    middle = median.mark_rule(strokeDash=[3, 2], color=INK).encode(x=alt.X("median:Q"))
    point = median.mark_point(filled=True, size=60, opacity=1).encode(
        x="median:Q", y=alt.value(4), color=colour, shape=shape
    )
    panel = alt.layer(bars, middle, point).properties(width=460, height=_HEIGHT)
    row = alt.Row(
        "system:N",
        title=None,
        sort=alt.EncodingSortField("place", op="min"),
        header=alt.Header(**above()),
    )
    return styled(panel.facet(row=row, data=alt.Data(values=rows), spacing=8))


def ends_of(values: Sequence[float]) -> tuple[float, float]:
    """Return where values begin and end, apart from each other."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    return (low, high) if low < high else (low - 0.5, low + 0.5)


def _rows(system: str, values: Sequence[float], low: float, high: float) -> list[dict[str, Any]]:
    bins = bins_of(values, low, high)
    rows: list[dict[str, Any]] = [
        {"system": system, "low": bin_.low, "high": bin_.high, "count": bin_.count} for bin_ in bins
    ]
    rows[0]["median"] = statistics.median(values) if values else None
    return rows


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
    sums: dict[tuple[str, str], float] = {}
    for (name, taken), weight in cells.items():
        key = (name if name in rows else OTHERS, taken if taken in columns else OTHERS)
        sums[key] = sums.get(key, 0.0) + weight
    return sums


def confusion(systems: Mapping[str, Cells], kind: str) -> alt.TopLevelMixin:
    """Return a confusion for each system: of all that is a class, how many per cent were taken for what."""
    alt = altair_of()
    names = distinct(systems)
    whole: dict[tuple[str, str], float] = {}
    for cells in systems.values():
        for key, weight in cells.items():
            whole[key] = whole.get(key, 0.0) + weight
    table = squeezed(whole)
    rows_of, columns_of = _order(table)
    labels = distinct([*rows_of, *columns_of])
    data = [
        {**row, "place": place, "class": labels[row["class"]], "taken": labels[row["taken"]]}
        for place, (system, cells) in enumerate(systems.items())
        for row in _confusion_rows(names[system], cells, rows_of, columns_of)
    ]
    down, across = ([labels[name] for name in each] for each in (rows_of, columns_of))
    x = alt.X("taken:N", title="taken for", scale=alt.Scale(domain=across), axis=alt.Axis(labelAngle=-45))
    y = alt.Y("class:N", title=kind, scale=alt.Scale(domain=down))
    base = alt.Chart().encode(x=x, y=y)
    shade = alt.Scale(domain=[0, 1], range=[GROUND, ACCENT], interpolate="rgb")
    fields = base.mark_rect(stroke=BAND).encode(color=alt.Color("share:Q", scale=shade, legend=None))
    text = base.transform_filter("datum.share >= 0.005").mark_text(fontSize=11)
    text = text.encode(
        text=alt.Text("share:Q", format=".0%"),
        color=alt.condition(f"datum.share >= {_PALE}", alt.value(GROUND), alt.value(INK)),
    )
    size = {"width": _FIELD * len(columns_of), "height": _FIELD * 0.7 * len(rows_of)}
    panel = alt.layer(fields, text).properties(**size)
    header = alt.Header(**above())
    row = alt.Row("system:N", title=None, sort=alt.EncodingSortField("place", op="min"), header=header)
    return styled(panel.facet(row=row, data=alt.Data(values=data), spacing=24))


def _order(cells: Cells) -> tuple[list[str], list[str]]:
    """Return the classes of either side, the commonest first, in one order where both have them."""
    rows = [name for name in commonest(cells, 0) if name != OTHERS]
    columns = [name for name in commonest(cells, 1) if name != OTHERS]
    same = [name for name in rows if name in columns]
    own = [name for name in columns if name not in same]
    ends = [[OTHERS] if any(key[side] == OTHERS for key in cells) else [] for side in (0, 1)]
    return [*rows, *ends[0]], [*same, *own, *ends[1]]


def _confusion_rows(system: str, cells: Cells, rows: list[str], columns: list[str]) -> list[dict[str, Any]]:
    sums = _gathered(cells, rows, columns)
    of_class = {name: sum(sums.get((name, taken), 0.0) for taken in columns) for name in rows}
    return [
        {
            "system": system,
            "class": name,
            "taken": taken,
            "share": sums.get((name, taken), 0.0) / of_class[name] if of_class[name] else 0.0,
        }
        for name in rows
        for taken in columns
    ]


_MOST_CLASSES = 8
_ROW_of_losses = 18


def most_costly(systems: Mapping[str, ClassLosses], count: int) -> list[str]:
    """Return the classes with the largest losses of all systems together, largest first."""
    lost: dict[str, float] = {}
    for class_losses in systems.values():
        for row in class_losses.rows:
            lost[row.name] = lost.get(row.name, 0.0) + row.lost
    return sorted((name for name in lost if lost[name] > 0), key=lambda name: (-lost[name], name))[:count]


def losses(losses_of: Mapping[str, ClassLosses]) -> alt.TopLevelMixin:
    """Return bars for the classes that lost most."""
    alt = altair_of()
    names, chosen = distinct(losses_of), most_costly(losses_of, _MOST_CLASSES)
    labels = distinct(chosen)
    systems, unit = list(names.values()), next(iter(losses_of.values())).unit_of_loss
    rows = [
        {
            "class": labels[row.name],
            "place": chosen.index(row.name),
            "system": names[system],
            "lost": row.lost,
        }
        for system, class_losses in losses_of.items()
        for row in class_losses.rows
        if row.name in labels
    ]
    colour = alt.Scale(domain=systems, range=cycled(COLOURS, len(systems)))
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
        .properties(width=460, height=_ROW_of_losses * len(systems))
    )
    header = alt.Header(**above())
    row = alt.Row("class:N", title=None, sort=alt.EncodingSortField("place", op="min"), header=header)
    return styled(panel.facet(row=row, data=alt.Data(values=rows), spacing=6))
