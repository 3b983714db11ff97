# SPDX-License-Identifier: MIT
"""Templates, filled so that no text of other people's files is anything but text."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from kammerton.errors import clip, printable
from kammerton.model.corpus import ALL
from kammerton.model.measure import Measure
from kammerton.model.views import ItemView
from kammerton.reporting import tables
from kammerton.reporting.rankings import ScoreRanking, TableOptions, main_measure, rankings
from kammerton.reporting.tables import PER_CENT
from kammerton.results.scores import Scores
from kammerton.statistics.comparison import Comparison
from kammerton.statistics.paired import level, scale_of
from kammerton.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

LONGEST = 200
"""Characters of a name that a page shows."""


def shown(text: str, limit: int = LONGEST) -> str:
    r"""Return a name as a page shows it: clipped, and without what a browser would obey or hide.

    >>> shown("a\u202eb")
    'a\\u202eb'
    """
    return printable(clip(text, limit))


def sentence(text: str) -> str:
    """Return a text with a capital and a full stop.

    >>> sentence("nothing was left out")
    'Nothing was left out.'
    """
    return f"{text[0].upper()}{text[1:]}."


def coded(message: str, limit: int = LONGEST) -> Markup:
    """Return a message as :func:`shown`, in which what stands in backquotes is code.

    >>> print(coded("no `a<b` here"))
    no <code><bdi>a&lt;b</bdi></code> here
    """
    from markupsafe import Markup, escape  # noqa: PLC0415

    parts = [escape(part) for part in re.split("`([^`]+)`", shown(message, limit))]
    parts[1::2] = [Markup("<code><bdi>{}</bdi></code>").format(part) for part in parts[1::2]]
    return Markup("").join(parts)


def fill(template: str, **values: Any) -> Markup:
    """Return a template with values in it; of each text every character stands for itself."""
    from markupsafe import Markup  # noqa: PLC0415

    text = _environment().get_template(f"{template}.html.j2").render(values)
    return Markup(text)  # noqa: S704 - made by a template that escapes


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415

    environment = Environment(
        autoescape=True,
        loader=PackageLoader("kammerton.reporting.html"),
        undefined=StrictUndefined,
        finalize=_final,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["lines"] = _lines
    return environment


def _final(value: Any) -> Any:
    """Return what a template writes: markup as it is, text without what a browser would obey or hide."""
    if hasattr(value, "__html__"):
        return value
    return "" if value is None else printable(str(value))


def _lines(text: str) -> Markup:
    """Return text of several lines."""
    from markupsafe import Markup, escape  # noqa: PLC0415

    return Markup("\n").join(escape(printable(line)) for line in text.split("\n"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a chapter."""

    # what kind of part it is, such as ``"items"``: the anchor is made of it, and the program of the page
    # finds its element by ``data-part``
    part: str
    title: str
    body: Markup  # made by a template
    data: Any = None  # what JSON can hold, for the program of the page; None if it needs nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """All that was scored of one task on the same references."""

    key: str  # begins the anchors of its sections, such as ``"c1"``
    # title, lead: heading, and what was scored in a sentence
    title: str
    lead: str
    sections: Sequence[Section]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A whole report."""

    title: str
    chapters: Sequence[Chapter]
    description: str = ""  # below the title
    date: str = ""  # when it was written
    made: Sequence[tuple[str, str]] = ()  # what it was made of and by, as terms and texts


def is_per_cent(measure: Measure) -> bool:
    """Return whether scores of a measure are printed in per cent."""
    return measure.range == PER_CENT


def scaled(value: float, measure: Measure) -> float:
    """Return a score in the unit that is printed."""
    return 100 * value if is_per_cent(measure) else value


def unit_of(measure: Measure) -> str:
    """Return the unit that scores of a measure are printed in."""
    return "per cent" if is_per_cent(measure) else "value"


def amount_text(value: float, unit: str) -> str:
    """Return a weight with its unit; seconds from one minute on as hours, minutes and seconds.

    >>> amount_text(47213.5, "s"), amount_text(71.5, "s"), amount_text(12.0, "notes")
    ('13 h 07 min', '1 min 12 s', '12 notes')
    """
    if unit == "s" and value >= 600:
        minutes = round(value / 60)
        hours, rest = divmod(minutes, 60)
        return f"{hours} h {rest:02} min" if hours else f"{minutes} min"
    if unit == "s" and value >= 60:
        minutes, rest = divmod(round(value), 60)
        return f"{minutes} min {rest:02} s"
    return tables.amount(value, unit)


def part_of(value: float, whole: float, unit: str) -> str:
    """Return how much of a weight something is, with the unit once where it is the same.

    >>> part_of(12.0, 1204.0, "notes"), part_of(59.5, 5400.0, "s")
    ('12 of 1,204 notes', '59.5 s of 1 h 30 min')
    """
    part = f"{value:,.0f}" if unit != "s" else amount_text(value, unit)
    return f"{part} of {amount_text(whole, unit)}"


OPTIONS = TableOptions(intervals=True)
"""How tables are shown."""
Draw = Callable[[str, str | None], ItemView | None]
"""Lays out the item of a name, as an annotator judges it or the first one; None if it cannot be."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Source:
    """Scores of one task, with what was found by comparing them."""

    key: str  # of the chapter
    scores: Scores
    comparison: Comparison | None = None  # of the systems by the headline measures, if there are several

    @cached_property
    def headline(self) -> tuple[Measure, ...]:
        """The measures that are shown without being asked for; all if none of them is."""
        evaluated = tuple(filter(self.scores.is_evaluated, self.scores.measures))
        return tuple(measure for measure in evaluated if measure.headline) or evaluated

    @cached_property
    def main(self) -> Measure:
        """The measure that answers are given by: that of the task, or the first."""
        return main_measure(self.scores)

    @cached_property
    def items(self) -> tuple[str, ...]:
        """All items, sorted: their places are their numbers in the page."""
        rows = self.scores.origin.evidence.rows.values()
        return tuple(sorted(set().union(*(each.items for each in rows))))

    @cached_property
    def people(self) -> tuple[str, ...]:
        """Names of the annotators, also of those that no score is against alone."""
        annotators = [name for name in self.scores.annotators if name != ALL]
        return tuple(dict.fromkeys((*annotators, *sorted(name for name, _ in self.scores.fingerprints))))

    def annotator(self, measure: Measure) -> str:
        """Return whose references the scores of a measure are against: the only one, or all."""
        return self.scores.annotators_of(measure)[-1]

    def people_of(self, measure: Measure) -> tuple[str, ...]:
        """Return the annotators that the scores of a measure are against one at a time."""
        return tuple(name for name in self.scores.annotators_of(measure) if name != ALL)

    @cached_property
    def tables(self) -> list[ScoreRanking]:
        """The tables of scores, those of a terminal."""
        return rankings(self.scores, self.comparison, OPTIONS)

    @cached_property
    def ranked(self) -> tuple[str, ...]:
        """The systems, the best first."""
        rows = self.tables[0].rows if self.tables else ()
        return tuple(row.name for row in rows if row.role == "system") or self.scores.systems

    def of_items(self, measure: Measure, system: str) -> list[float]:
        """Return the value of each item of the page, NaN where it has none."""
        scores = self.scores.of_items(measure, system, self.annotator(measure))
        known = dict(zip(scores.names, scores.values.tolist(), strict=True))
        return [known.get(name, math.nan) for name in self.items]

    @cached_property
    def worst(self) -> tuple[float, int, str] | None:
        """The worst value of the best system by the main measure, the number of its item, and the system.

        None if items have no values.
        """
        if self.main.aggregate == "gathered":
            return None
        system = self.ranked[0]
        (values,) = level(np.array([self.of_items(self.main, system)]), scale_of(self.main)).tolist()
        known = [(value, number) for number, value in enumerate(values) if not math.isnan(value)]
        if not known:
            return None
        value, number = (max if self.main.direction == "lower" else min)(known)
        return value, number, system


PROGRAM = (
    "page.js",
    "scatter.js",
    "gains.js",
    "items.js",
    "sound.js",
    "over_time.js",
    "timeline.js",
    "roll.js",
    "outline.js",
    "views.js",
)
STYLES = ("page.css", "views.css")
_UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def render_page(page: Page) -> bytes:
    """Return a report as the content of one file.

    Everything it needs is in it. Its Content-Security-Policy runs the program and takes the styles that are
    in it, by their digests, plays what the reader opens, and forbids all requests, forms and bases.
    """
    styles = _joined(STYLES)
    policy = (
        f"default-src 'none'; script-src '{_digest(program())}'; style-src '{_digest(styles)}'; "
        "img-src data:; media-src blob: data:; base-uri 'none'; form-action 'none'"
    )
    text = fill(
        "page",
        page=page,
        policy=policy,
        program=_verbatim(program()),
        styles=_verbatim(styles),
        embedded=embedded,
        version=__version__,
    )
    return text.encode("utf-8")


def program() -> str:
    """Return the program of the page."""
    return _joined(PROGRAM)


def embedded(data: Any) -> Markup:
    r"""Return data as JSON that can stand in a page: no text in it ends its element.

    >>> embedded(["</script>", "\u2028"])
    Markup('["\\u003c/script\\u003e","\\u2028"]')
    """
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    for character, escape in _UNSAFE.items():
        text = text.replace(character, escape)
    return _verbatim(text)


def _verbatim(text: str) -> Markup:
    from markupsafe import Markup  # noqa: PLC0415

    return Markup(text)  # noqa: S704 - our own files, and JSON without what markup is made of


@cache
def _joined(names: tuple[str, ...]) -> str:
    folder = resources.files("kammerton.reporting.html") / "static"
    return "\n" + "\n".join((folder / name).read_text("utf-8") for name in names)


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
