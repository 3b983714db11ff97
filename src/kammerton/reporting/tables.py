# SPDX-License-Identifier: MIT
"""Scores as tables of systems by measures, one for each protocol, for every way of printing them."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from kammerton.errors import clip, plural
from kammerton.model.corpus import ALL
from kammerton.model.measure import Estimate, Measure
from kammerton.reporting.escaping import (
    bold_in_latex,
    bold_in_markdown,
    display_width,
    for_latex,
    for_latex_number,
    for_markdown,
    for_terminal,
    pad,
)
from kammerton.results.scores import Scores
from kammerton.statistics.paired import is_tie, scale_of
from kammerton.statistics.resampling import ScoreKey

__all__ = [
    "FORMS",
    "Best",
    "Block",
    "Line",
    "aligned",
    "amount",
    "build_blocks",
    "cell",
    "ends",
    "figure",
    "latex",
    "line_of",
    "markdown",
    "render_blocks",
    "render_latex",
    "render_markdown",
    "render_text",
    "signed_by_system",
    "signed_protocol",
    "signed_whole",
]

PER_CENT = (0.0, 1.0)
"""Range of the measures that are printed in per cent."""


@dataclass(frozen=True, slots=True)
class Line:
    """Figures of one system against one annotator; None where a measure has no figure for it.

    ``items`` is how many they are made of: of measures over classes, if there are no others, how many
    classes. ``intervals`` has the ends of each figure's interval; it is empty if there are none. ``ranks``
    tells figures of a system over all items, the best of which are bold, from those of floors, groups and so
    on.
    """

    system: str
    annotator: str
    figures: tuple[Estimate | None, ...]
    items: int
    intervals: tuple[tuple[float, float] | None, ...] = ()
    ranks: bool = False

    @property
    def undefined(self) -> tuple[int | None, ...]:
        """Items that each measure is undefined for."""
        return tuple(None if each is None else each.undefined for each in self.figures)


@dataclass(frozen=True, slots=True)
class Block:
    """The table of one protocol."""

    protocol: str  # its name
    measures: tuple[Measure, ...]  # the columns
    lines: tuple[Line, ...]  # the rows
    # signature of every figure, with ``*`` for the measure: one, or, where systems were scored on other
    # items, one for each of them that have the same, behind their names
    signatures: tuple[str, ...]
    basis: str = ""  # what the figures were measured on
    level: str = ""  # how likely intervals hold the figure, such as ``"95 %"``
    # measures that would be shown, but are undefined for every system and annotator
    folded: tuple[Measure, ...] = ()
    # measures that would be shown, but have no references to compare with. If all are, there is no table.
    unreferenced: tuple[Measure, ...] = ()
    # headings of whose figures they are, and of the annotator they are against
    who: tuple[str, str] = ("system", "annotator")

    @property
    def caption(self) -> str:
        """The title, what the figures were measured on, and which measures have none."""
        basis = [f"measured on {self.basis}"] if self.basis else []
        names = ", ".join(measure.name for measure in self.folded)
        return "; ".join((self.title, *basis, *([f"undefined for all: {names}"] if names else [])))

    @property
    def not_evaluated(self) -> str:
        """Which measures have no references to compare with; nothing if all have."""
        names = ", ".join(measure.name for measure in self.unreferenced)
        return f"not evaluated: needs a reference ({names})" if names else ""

    @property
    def title(self) -> str:
        """The name of the protocol, and the unit of the figures if they share one."""
        kinds = {measure.range == PER_CENT for measure in self.measures}
        return f"{self.protocol}, per cent" if kinds == {True} else self.protocol

    @property
    def names_annotators(self) -> bool:
        """Whether the rows are of several annotators."""
        return len({line.annotator for line in self.lines}) > 1

    def best(self, place: int) -> dict[str, float]:
        """Return the best figure of a measure against each annotator, where several systems have one."""
        known: dict[str, list[float]] = {}
        for line in self.lines:
            found = line.figures[place]
            if line.ranks and found is not None and not math.isnan(found.value):
                known.setdefault(line.annotator, []).append(found.value)
        best = min if self.measures[place].direction == "lower" else max
        return {annotator: best(values) for annotator, values in known.items() if len(values) > 1}

    def heading(self, measure: Measure) -> str:
        """Return the name of a column, with its unit where the title does not tell it."""
        in_per_cent = measure.range == PER_CENT
        return f"{measure.name} %" if in_per_cent and self.title == self.protocol else measure.name


def build_blocks(scores: Scores, *, every: bool = False) -> tuple[Block, ...]:
    """Return the tables of scores."""
    level = "" if scores.ci is None else f"{100 * scores.ci:g} %"
    blocks = []
    for protocol in dict.fromkeys(measure.protocol for measure in scores.measures):
        wanted = tuple(m for m in scores.measures if m.protocol == protocol and (every or m.headline))
        measures = tuple(measure for measure in wanted if scores.is_evaluated(measure))
        unreferenced = tuple(measure for measure in wanted if measure not in measures)
        if not measures and unreferenced:
            blocks.append(Block(protocol, (), (), (), unreferenced=unreferenced))
        if measures:
            signed = signed_protocol(scores, measures)
            whole = tuple(f"{names}: {each}" if names else each for names, each in signed)
            defined = measures if every else _defined(scores, measures)
            folded = tuple(measure for measure in measures if measure not in defined)
            lines = tuple(_lines(scores, defined))
            basis = _basis(scores, defined, lines)
            blocks.append(Block(protocol, defined, lines, whole, basis, level, folded, unreferenced))
    return tuple(blocks)


def signed_by_system(scores: Scores, measure: Measure) -> list[tuple[str, str]]:
    """Return each signature of a measure's figures behind the systems that have it: none if all have one."""
    systems: dict[str, list[str]] = {}
    for system in scores.systems:
        signature = scores.signatures(ALL, systems=(system,))[measure]
        systems.setdefault(signature, []).append(system)
    several = len(systems) > 1
    return [(", ".join(names) if several else "", signature) for signature, names in systems.items()]


def signed_protocol(scores: Scores, measures: Sequence[Measure]) -> list[tuple[str, str]]:
    """Return the same of every figure of a protocol, with ``*`` for the measure."""
    measure = next((m for m in measures if m.needs != "annotators"), measures[0])
    return [
        (names, signed_whole({measure: each}, measure)) for names, each in signed_by_system(scores, measure)
    ]


def signed_whole(signatures: Mapping[Measure, str], measure: Measure) -> str:
    """Return the signature of every figure of a protocol, with ``*`` for the measure."""
    return f"{measure.protocol}/*{signatures[measure].removeprefix(str(measure))}"


def _defined(scores: Scores, measures: tuple[Measure, ...]) -> tuple[Measure, ...]:
    """Return the measures that have a figure for any system; all of them if none has."""
    shown: dict[Measure, None] = {}
    for line in _lines(scores, measures):
        for measure, found in zip(measures, line.figures, strict=True):
            if found is not None and not math.isnan(found.value):
                shown[measure] = None
    return tuple(measure for measure in measures if measure in shown) or measures


def _basis(scores: Scores, measures: tuple[Measure, ...], lines: Sequence[Line]) -> str:
    """Return e.g. ``156 to 312 notes per figure, 2 annotators``: the smallest and the largest weight."""
    weights: dict[str, list[float]] = {}
    for line in lines:
        for measure, found in zip(measures, line.figures, strict=True):
            if found is not None and not math.isnan(found.value):
                pooled = scores.estimate(measure, line.system, line.annotator, "pooled")
                weights.setdefault(measure.weight_unit, []).append(pooled.weight)
    counts = list(scores.references.values())
    told = [_range(found, unit) for unit, found in weights.items()]
    if any(" to " in text for text in told):
        told[-1] += " per figure"
    if not counts:
        return ", ".join([*told, "without references"]) if told else ""
    each = " an item" if min(counts) < max(counts) else ""
    return ", ".join([*told, _range(counts, "annotators") + each])


def amount(value: float, unit: str) -> str:
    """Return a weight with its unit; units but ``s`` are plural nouns.

    >>> amount(1.0, "files"), amount(1204.0, "files"), amount(147.5, "s"), amount(1.0, "queries")
    ('1 file', '1,204 files', '147.5 s', '1 query')
    """
    one = "query" if unit == "queries" else unit if unit == "s" else unit.removesuffix("s")
    return f"{_number(value)} {one if value == 1 else unit}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


def _range(amounts: Sequence[float], unit: str) -> str:
    least, most = min(amounts), max(amounts)
    lowest = _number(least)
    return amount(least, unit) if lowest == _number(most) else f"{lowest} to {amount(most, unit)}"


def _lines(scores: Scores, measures: tuple[Measure, ...]) -> Iterator[Line]:
    for system, annotator in product(scores.systems, dict.fromkeys((*scores.annotators, ALL))):
        known = [annotator in scores.annotators_of(measure) for measure in measures]
        if not any(known):
            continue
        figures = tuple(
            scores.estimate(measure, system, annotator, measure.aggregate) if has else None
            for measure, has in zip(measures, known, strict=True)
        )
        intervals = tuple(
            scores.intervals.get(ScoreKey(system, annotator, measure, measure.aggregate))
            for measure in measures
        )
        yield replace(line_of(system, annotator, measures, figures, intervals), ranks=True)


def line_of(
    system: str,
    annotator: str,
    measures: Sequence[Measure],
    figures: Sequence[Estimate | None],
    intervals: Sequence[tuple[float, float] | None] = (),
) -> Line:
    """Return a line of figures, one for each measure, without intervals if none of them is known."""
    known = any(each is not None and not math.isnan(each[0]) for each in intervals)
    shown = tuple(intervals) if known else ()
    return Line(system, annotator, tuple(figures), _items(measures, figures), shown)


def _items(measures: Sequence[Measure], figures: Sequence[Estimate | None]) -> int:
    found = [(m, each.items) for m, each in zip(measures, figures, strict=True) if each is not None]
    of_items = [items for measure, items in found if measure.aggregate != "gathered"]
    return max(of_items or [items for _, items in found])


def figure(value: float, measure: Measure) -> str:
    """Return a figure as tables print it: two decimals of a per cent, or four digits."""
    if math.isnan(value):
        return "undefined"
    return f"{100 * value:.2f}" if measure.range == PER_CENT else f"{value:.4f}"


def cell(estimate: Estimate | None, measure: Measure) -> str:
    """Return a figure as tables print it; nothing where there is none."""
    return "" if estimate is None else figure(estimate.value, measure)


def ends(interval: tuple[float, float] | None, measure: Measure) -> tuple[str, str]:
    """Return the ends of an interval as tables print them; nothing where there is none."""
    if interval is None or math.isnan(interval[0]):
        return "", ""
    low, high = (figure(end, measure) for end in interval)
    return low, high


_GAP = "  "
_LONGEST_NAME = 60
_AGGREGATE, _UNDEFINED = "aggregate", "  undefined"


def render_text(blocks: Sequence[Block], *, width: int = 80, encoding: str = "utf-8") -> str:
    """Return tables as plain text."""
    return "\n".join(_block(_drawn(block, encoding), width) for block in blocks)


def _drawn(block: Block, encoding: str) -> Block:
    """Return a table whose names are as they are printed."""
    lines = tuple(
        replace(line, system=_name(line.system, encoding), annotator=_name(line.annotator, encoding))
        for line in block.lines
    )
    signatures = tuple(for_terminal(each, encoding) for each in block.signatures)
    return replace(block, lines=lines, signatures=signatures)


def _name(text: str, encoding: str) -> str:
    return for_terminal(clip(text, _LONGEST_NAME), encoding)


def _block(block: Block, width: int) -> str:
    caption = _wrapped(block.caption, width)
    rest = [*_wrapped(block.not_evaluated, width), *(f"signature {each}" for each in block.signatures)]
    body = [_body(block, width)] if block.measures else []
    return "\n".join((*caption, *body, *rest, ""))


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, max(width, 20), subsequent_indent="  ", break_on_hyphens=False)


def _body(block: Block, width: int) -> str:
    stub = _stub(block)
    columns = [_column(block, place) for place in range(len(block.measures))]
    room = width - sum(_width(column) + len(_GAP) for column in stub)
    if max(map(_width, columns)) > room + len(_GAP):
        return "\n".join(_listed(block))
    parts = [
        "\n".join(_rows([*stub, *part], texts=len(stub) - 1)) for part in _parts(columns, room + len(_GAP))
    ]
    return "\n\n".join(parts)


def _stub(block: Block) -> list[list[str]]:
    """Return the columns that stand before the figures."""
    name, against = block.who
    systems, annotators, items = [name, _AGGREGATE], [against, ""], ["items", ""]
    for line in block.lines:
        systems.append(line.system)
        annotators.append(line.annotator)
        items.append(str(line.items))
        if line.intervals:
            systems += [f"  {block.level}", "    to"]
            annotators += ["", ""]
            items += ["", ""]
        if any(line.undefined):
            systems.append(_UNDEFINED)
            annotators.append("")
            items.append("")
    return [systems, annotators, items] if block.names_annotators else [systems, items]


def _column(block: Block, place: int) -> list[str]:
    """Return a measure's name, its aggregate, and its figures, with intervals and undefined items below."""
    measure = block.measures[place]
    column = [block.heading(measure), _way(measure)]
    for line in block.lines:
        column.append(cell(line.figures[place], measure))
        if line.intervals:
            column += ends(line.intervals[place], measure)
        if any(line.undefined):
            undefined = line.undefined[place]
            column.append("" if undefined is None else str(undefined))
    return column


def _way(measure: Measure) -> str:
    return measure.aggregate.replace("_", " ")


def _parts(columns: Sequence[list[str]], room: int) -> Iterator[list[list[str]]]:
    """Deal columns out to parts that fill ``room`` at most."""
    part: list[list[str]] = []
    used = 0
    for column in columns:
        needed = _width(column) + len(_GAP)
        if part and used + needed > room:
            yield part
            part, used = [], 0
        part.append(column)
        used += needed
    yield part


def _rows(columns: Sequence[Sequence[str]], *, texts: int) -> Iterator[str]:
    widths = [_width(column) for column in columns]
    for row in zip(*columns, strict=True):
        cells = [
            pad(cell, width, right=place >= texts)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield _GAP.join(cells).rstrip()


def _width(column: Sequence[str]) -> int:
    return max(map(display_width, column))


def _listed(block: Block) -> Iterator[str]:
    """Give each figure a line of its own."""
    names = [block.heading(measure) for measure in block.measures]
    width = max(map(len, names))
    for line in block.lines:
        yield _who(block, line)
        for place, measure in enumerate(block.measures):
            text = cell(line.figures[place], measure)
            yield f"  {names[place]:<{width}} {text}".rstrip()
            low, high = ends(line.intervals[place] if line.intervals else None, measure)
            if low:
                yield f"    {block.level} {low}"
                yield f"      to {high}"
            if line.undefined[place]:
                yield f"    {plural(line.undefined[place] or 0, 'item')} undefined"


def _who(block: Block, line: Line) -> str:
    against = f" / {line.annotator}" if block.names_annotators else ""
    return f"{line.system}{against}, {plural(line.items, 'item')}"


def render_markdown(blocks: Sequence[Block]) -> str:
    """Return tables in GitHub's Markdown, each below its heading and above its signature."""
    return "\n".join(_markdown(block) for block in blocks)


def _markdown(block: Block) -> str:
    heading, waiting = f"### {for_markdown(block.caption)}\n", for_markdown(block.not_evaluated)
    if not block.measures:
        return f"{heading}\n{waiting}\n"
    head, *body = _cells(block, for_markdown, str, bold_in_markdown)
    aligned = ["---" if place < _texts(block) else "---:" for place in range(len(head))]
    rows = "\n".join("| " + " | ".join(row) + " |" for row in (head, aligned, *body))
    signatures = "\n\n".join(map(_code, block.signatures))
    told = f"{waiting}\n\n" if waiting else ""
    return f"{heading}\n{rows}\n\n{told}{signatures}\n"


def _code(text: str) -> str:
    """Return text that can be copied as it is, whatever it holds."""
    shown = for_terminal(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    return f"{fence}{shown}{fence}" if len(fence) == 1 else f"{fence} {shown} {fence}"


def render_latex(blocks: Sequence[Block]) -> str:
    """Return tables as ``tabular`` environments of the package booktabs."""
    return "\n".join(_latex(block) for block in blocks)


def _latex(block: Block) -> str:
    waiting = [f"% {for_latex(block.not_evaluated)}"] if block.unreferenced else []
    if not block.measures:
        return "\n".join((f"% {for_latex(block.caption)}", *waiting)) + "\n"
    head, aggregates, *body = _cells(block, for_latex, for_latex_number, bold_in_latex)
    columns = "l" * _texts(block) + "r" * (len(head) - _texts(block))
    lines = [
        rf"% {for_latex(block.caption)}; needs \usepackage{{booktabs}}",
        *waiting,
        *(f"% {for_terminal(each)}" for each in block.signatures),
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        *(" & ".join(row) + r" \\" for row in (head, aggregates)),
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in body),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _texts(block: Block) -> int:
    """Return how many columns hold text."""
    return 2 if block.names_annotators else 1


def _interval(low_and_high: Sequence[str]) -> str:
    return f"[{', '.join(low_and_high)}]" if all(low_and_high) else ""


def _cells(
    block: Block, escape: Callable[[str], str], number: Callable[[str], str], bold: Callable[[str], str]
) -> Iterator[list[str]]:
    """Give the rows of a table: names, aggregates, then figures and the items undefined below them."""
    best = [block.best(place) for place in range(len(block.measures))]
    annotated = block.names_annotators
    empty = [""] if annotated else []
    yield [
        *block.who[: _texts(block)],
        "items",
        *(escape(block.heading(measure)) for measure in block.measures),
    ]
    yield ["aggregate", *empty, "", *(measure.aggregate.replace("_", " ") for measure in block.measures)]
    for line in block.lines:
        who = [escape(line.system), *([escape(line.annotator)] if annotated else [])]
        figures = []
        for each, measure, known in zip(line.figures, block.measures, best, strict=True):
            shown = number(cell(each, measure))
            best_value = known.get(line.annotator, math.nan)
            is_best = each is not None and is_tie(each.value, best_value, scale_of(measure))
            figures.append(bold(shown) if is_best else shown)
        yield [*who, str(line.items), *figures]
        if line.intervals:
            told = [
                _interval([*map(number, ends(each, m))])
                for each, m in zip(line.intervals, block.measures, strict=True)
            ]
            yield [escape(f"{block.level} interval"), *empty, "", *told]
        if any(line.undefined):
            counts = ["" if count is None else str(count) for count in line.undefined]
            yield ["undefined items", *empty, "", *counts]


def render_blocks(
    blocks: Sequence[Block], form: str, *, notes: Sequence[str] = (), width: int = 80, encoding: str = "utf-8"
) -> str:
    """Return tables as text."""
    if form == "latex":
        return render_latex(blocks) + "".join(f"% {line}\n" for line in notes)
    if form == "md":
        return render_markdown(blocks) + "".join(f"\n{line}\n" for line in notes)
    text = render_text(blocks, width=width, encoding=encoding)
    wrapped = (textwrap.fill(note, max(width, 20), subsequent_indent="  ") for note in notes)
    return "\n".join((text, *wrapped, "")) if notes else text


Cells = Sequence[str]


class Best(str):
    """A number that is bold where a form of tables has that."""

    __slots__ = ()


def aligned(
    head: Cells, rows: Sequence[Cells], *, texts: int, encoding: str = "utf-8", width: int | None = None
) -> str:
    """Return a table for a terminal."""
    shown = [[for_terminal(cell, encoding) for cell in row] for row in (head, *rows)]
    widths = [max(map(display_width, column)) for column in zip(*shown, strict=True)]
    parts = []
    for places in _parts_of_plain_tables(widths, texts, width):
        lines = (
            _GAP.join(pad(row[place], widths[place], right=place >= texts) for place in places).rstrip()
            for row in shown
        )
        parts.append("".join(f"{line}\n" for line in lines))
    return "\n".join(parts)


def _parts_of_plain_tables(widths: Sequence[int], texts: int, width: int | None) -> list[list[int]]:
    """Deal the columns of numbers out to tables that fit, at least one to each."""
    whole = list(range(len(widths)))
    if width is None or sum(widths) + len(_GAP) * (len(widths) - 1) <= width:
        return [whole]
    parts = [whole[:texts]]
    for place in whole[texts:]:
        used = sum(widths[each] + len(_GAP) for each in parts[-1])
        if used + widths[place] > width and len(parts[-1]) > texts:
            parts.append(whole[:texts])
        parts[-1].append(place)
    return parts


def markdown(head: Cells, rows: Sequence[Cells], *, texts: int) -> str:
    """Return a table in GitHub's Markdown."""
    marks = ["---" if place < texts else "---:" for place in range(len(head))]
    body = [[_in_markdown(cell) for cell in row] for row in (head, *rows)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (body[0], marks, *body[1:]))


def _in_markdown(cell: str) -> str:
    shown = for_markdown(cell)
    return bold_in_markdown(shown) if isinstance(cell, Best) else shown


def latex(head: Cells, rows: Sequence[Cells], *, texts: int, note: str = "") -> str:
    """Return a ``tabular`` of the package booktabs, perhaps with a note below its rule."""
    noted = [rf"\multicolumn{{{len(head)}}}{{l}}{{\footnotesize {for_latex(note)}}} \\"] if note else []
    lines = [
        r"% needs \usepackage{booktabs}",
        rf"\begin{{tabular}}{{{'l' * texts}{'r' * (len(head) - texts)}}}",
        r"\toprule",
        " & ".join(map(for_latex, head)) + r" \\",
        r"\midrule",
        *(
            " & ".join([*map(for_latex, row[:texts]), *map(_number_in_latex, row[texts:])]) + r" \\"
            for row in rows
        ),
        r"\bottomrule",
        *noted,
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _number_in_latex(cell: str) -> str:
    shown = for_latex_number(cell)
    return bold_in_latex(shown) if isinstance(cell, Best) else shown


FORMS: Mapping[str, Callable[..., str]] = {"table": aligned, "md": markdown, "latex": latex}
"""How each form of ``--format`` that is for readers is made."""
