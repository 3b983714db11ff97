# SPDX-License-Identifier: MIT
"""From a chart to a drawing: SVG for pages, and SVG, PDF and PNG for papers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from kammerton.errors import OptionError, clip, printable

if TYPE_CHECKING:
    import altair as alt
    from markupsafe import Markup

    from kammerton.reporting.charts.palette import Palette

__all__ = ["FORMS", "above", "altair_of", "cycled", "distinct", "drawn", "inline_svg", "short", "styled"]

FORMS = ("svg", "pdf", "png")

_SVG = "http://www.w3.org/2000/svg"
_NAME = 32
"""Characters of a name in a drawing."""
_FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""The first is part of what draws, so that texts are as wide everywhere as they were measured."""
_SCALE = 3.0
"""Of PNG: 216 dots per inch."""
_DROPPED = re.compile(r"aria-.*|role|class|pointer-events|stroke-miterlimit")
_RESOURCES = re.compile(rb"(?:^      /\w+ \d+ 0 R\n){2,}", re.MULTILINE)
_EMPTY = {"background", "foreground"}


def altair_of() -> Any:
    """Return the module ``altair``.

    Raises
    ------
    OptionError
        If it, or what draws its charts, is not installed.
    """
    try:
        import altair as alt  # noqa: PLC0415
        import vl_convert  # noqa: F401, PLC0415
    except ImportError as error:
        raise OptionError.of_import("reports need altair and vl-convert-python", "report", error) from error
    return alt


def styled(chart: alt.TopLevelMixin, palette: Palette) -> alt.TopLevelMixin:
    """Return a chart with quiet axes, in the colours of a palette."""
    text = {"labelColor": palette.ink, "titleColor": palette.soft, "labelFontSize": 12, "titleFontSize": 12}
    quiet = {"titleFontWeight": "normal", "labelLimit": 260}
    rules = dict.fromkeys(("gridColor", "domainColor", "tickColor"), palette.line)
    configured: alt.TopLevelMixin = chart.configure(
        background="transparent" if palette.ground.startswith("var") else palette.ground,
        font=_FONT,
        padding={"left": 8, "top": 2, "right": 8, "bottom": 2},
        view={"stroke": None},
        axis={**text, **quiet, **rules, "gridOpacity": 0.6},
        header={**text, **quiet},
        legend={**text, **quiet, "symbolStrokeColor": palette.ink},
        text={"color": palette.ink},
    )
    return configured


def above(palette: Palette) -> dict[str, Any]:
    """Return how the name of a panel stands: above it, where names of any length have room."""
    return {
        "labelOrient": "top",
        "labelAnchor": "start",
        "labelFontWeight": palette.strong,
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
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in dict.fromkeys(names):
        told, number = short(name), 1
        while told in taken:
            number += 1
            told = f"{short(name)} {number}"
        taken.add(told)
        found[name] = told
    return found


def cycled(values: Sequence[str], count: int) -> list[str]:
    """Return so many values, beginning anew when they are used up."""
    return [values[number % len(values)] for number in range(count)]


def drawn(chart: alt.TopLevelMixin, form: str) -> bytes:
    """Return a chart as a file.

    Parameters
    ----------
    chart : altair chart
        From :func:`styled`.
    form : {"svg", "pdf", "png"}
    """
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


def inline_svg(chart: alt.TopLevelMixin, label: str) -> Markup:
    """Return a chart as an element of a page, read aloud as its label.

    Parameters
    ----------
    chart : altair chart
    label : str
        What it shows; the figures stand in a table beside it.
    """
    from markupsafe import Markup  # noqa: PLC0415

    ET.register_namespace("", _SVG)
    root = ET.fromstring(drawn(chart, "svg"))  # noqa: S314 - our own drawing
    _slim(root)
    root.set("role", "img")
    root.set("aria-label", label)
    root.attrib.pop("version", None)
    return Markup(ET.tostring(root, encoding="unicode"))  # noqa: S704 - serialised, so escaped


def _slim(element: ET.Element) -> None:
    """Remove what is of no use in a page: empty paths, and roles of parts of one picture."""
    for child in list(element):
        kind = child.get("class")
        if kind in _EMPTY and child.get("fill", "none") == "none" and child.get("stroke", "none") == "none":
            element.remove(child)
            continue
        _slim(child)
        if child.tag == f"{{{_SVG}}}g" and not len(child):
            element.remove(child)
    for name in [name for name in element.attrib if _DROPPED.fullmatch(name)]:
        del element.attrib[name]
