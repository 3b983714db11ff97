# SPDX-License-Identifier: MIT
"""Draw the table of systems by measures: as text, in Markdown, in LaTeX."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kammerton.errors import clip
from kammerton.model.measure import Measure
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
from kammerton.reporting.rankings import RankingRow, ScoreRanking, TableOptions, interval_text
from kammerton.reporting.tables import (
    code_in_markdown,
    format_score,
    in_latex_table,
    line_in_markdown,
)

_LONGEST_NAME = 40
_GAP = "  "
_JOINED = {" %": "\xa0%", " p = ": " p\xa0=\xa0", " p < ": " p\xa0<\xa0"}
"""Where lines do not break."""


def render_rankings(
    tables: Sequence[ScoreRanking],
    form: str,
    options: TableOptions,
    *,
    width: int = 80,
    encoding: str = "utf-8",
) -> str:
    """Return tables as text."""
    if form == "md":
        return "\n".join(_markdown(table, options) for table in tables)
    if form == "latex":
        return "\n".join(_latex(table, options) for table in tables)
    return "\n".join(_text(table, options, width, encoding) for table in tables)


@dataclass(frozen=True, slots=True)
class _Texts:
    """The texts of a cell."""

    value: str = ""
    letters: str = ""
    within: str = ""  # interval
    is_best: bool = False

    def __str__(self) -> str:
        return " ".join(filter(None, (self.value, self.letters, self.within)))


def _texts(row: RankingRow, place: int, measure: Measure, digits: int, *, intervals: bool) -> _Texts:
    cell = row.cells[place]
    if cell is None:
        return _Texts()
    within = interval_text(cell.interval, measure, digits) if intervals else ""
    return _Texts(format_score(cell.value, measure, digits), cell.letters, within, cell.is_best)


def _grid(table: ScoreRanking, options: TableOptions, *, intervals: bool) -> list[list[_Texts]]:
    """Return the texts of each column, row by row."""
    return [
        [_texts(row, place, measure, options.digits, intervals=intervals or place == 0) for row in table.rows]
        for place, measure in enumerate(table.measures)
    ]


@dataclass(frozen=True, slots=True)
class TableTexts:
    """The texts of a table."""

    head: list[str]
    rows: list[tuple[str, list[_Texts], str]]  # name, cells, difference from the system that all have


def table_texts(table: ScoreRanking, options: TableOptions) -> TableTexts:
    """Return the headings and the rows of a table as texts that are not escaped."""
    grid = _grid(table, options, intervals=options.intervals)
    head = [
        table.title,
        *(f"{table.heading(measure)} {table.arrow(measure)}".rstrip() for measure in table.measures),
        *([f"vs {table.against}"] if table.against else []),
    ]
    rows = [
        (clip(row.name, _LONGEST_NAME), [column[number] for column in grid], row.difference)
        for number, row in enumerate(table.rows)
    ]
    return TableTexts(head, rows)


def _text(table: ScoreRanking, options: TableOptions, width: int, encoding: str) -> str:
    """Return a table for a terminal, with every interval if it is wide enough for them."""
    parts: list[list[str]] = []
    if table.measures:
        names = [for_terminal(clip(row.name, _LONGEST_NAME), encoding) for row in table.rows]
        title = for_terminal(table.title, encoding)
        room = max(map(display_width, (title, *names)))
        stub = [pad(name, room) for name in (title, *names)]
        columns = _columns(table, options, encoding, intervals=True)
        if not options.intervals and _width_of(stub, columns) > width:
            columns = _columns(table, options, encoding, intervals=False)
        if _width_of(stub, [max(columns, key=_width)]) > width:
            parts.append(list(_listed(table, options, names, width)))
        else:
            parts += [_lines([stub, *part]) for part in _dealt(columns, width - _width(stub))]
    notes = [
        line
        for note in (*table.notes, *table.asides)
        for line in wrapped(for_terminal(note, encoding), width)
    ]
    parts.append([*notes, *(for_terminal(signature, encoding) for signature in table.signatures)])
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def wrapped(text: str, width: int) -> list[str]:
    """Return lines of a sentence, in which no number is parted from its unit."""
    for parted, joined in _JOINED.items():
        text = text.replace(parted, joined)
    lines = textwrap.wrap(text, max(width, 20), break_on_hyphens=False, break_long_words=False)
    return [line.replace("\xa0", " ") for line in lines]


def _columns(
    table: ScoreRanking, options: TableOptions, encoding: str, *, intervals: bool
) -> list[list[str]]:
    """Return heading and cells of each measure, each column of one width."""
    columns = []
    for measure, texts in zip(table.measures, _grid(table, options, intervals=intervals), strict=True):
        arrow = _arrow_in(table.arrow(measure), encoding)
        heading = for_terminal(" ".join(filter(None, (table.heading(measure), arrow))), encoding)
        columns.append(_padded([heading, *_beside(texts, encoding)]))
    if table.against:
        heading = for_terminal(f"vs {clip(table.against, _LONGEST_NAME)}", encoding)
        columns.append(_padded([heading, *(row.difference for row in table.rows)]))
    return columns


def _arrow_in(arrow: str, encoding: str) -> str:
    """Return an arrow as an encoding can write it."""
    try:
        arrow.encode(encoding)
    except UnicodeEncodeError:
        return "(lower is better)" if arrow == "↓" else ""
    return arrow


def _beside(texts: Sequence[_Texts], encoding: str) -> list[str]:
    """Return cells whose values, letters and intervals stand below each other."""
    values = [text.value for text in texts]
    letters = [text.letters for text in texts]
    within = [for_terminal(text.within, encoding) for text in texts]
    value_width, letter_width = (max(map(len, part), default=0) for part in (values, letters))
    ends = [
        (value.rjust(value_width), letter.ljust(letter_width))
        for value, letter in zip(values, letters, strict=True)
    ]
    return [
        " ".join(filter(None, (value, letter, text)))
        for (value, letter), text in zip(ends, within, strict=True)
    ]


def _padded(cells: Sequence[str]) -> list[str]:
    room = max(map(display_width, cells))
    return [pad(cell, room) for cell in cells]


def _width(column: Sequence[str]) -> int:
    return display_width(column[0])


def _width_of(stub: Sequence[str], columns: Sequence[Sequence[str]]) -> int:
    return _width(stub) + sum(len(_GAP) + display_width(column[0]) for column in columns)


def _dealt(columns: Sequence[list[str]], room: int) -> Iterator[list[list[str]]]:
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


def _lines(columns: Sequence[Sequence[str]]) -> list[str]:
    return [_GAP.join(cells).rstrip() for cells in zip(*columns, strict=True)]


def _listed(table: ScoreRanking, options: TableOptions, names: Sequence[str], width: int) -> Iterator[str]:
    """Give each score a line of its own, where no column fits."""
    yield from wrapped(table.title, width)
    grid = _grid(table, options, intervals=options.intervals)
    for number, name in enumerate(names):
        yield name
        for measure, texts in zip(table.measures, grid, strict=True):
            text = texts[number]
            lines = [f"{table.heading(measure)} {text.value} {text.letters}".rstrip(), text.within]
            yield from (f"  {line}" for line in lines if line)
        if table.rows[number].difference:
            yield f"  vs {table.against} {table.rows[number].difference}"


def _markdown(table: ScoreRanking, options: TableOptions) -> str:
    """Return a table in GitHub's Markdown, with its notes and its signature."""
    parts = []
    if table.measures:
        texts = table_texts(table, options)
        lines = [[for_markdown(text) for text in texts.head], ["---"] * len(texts.head)]
        for name, cells, difference in texts.rows:
            own = [for_markdown(difference)] if table.against else []
            lines.append([for_markdown(name), *map(_markdown_cell, cells), *own])
        parts.append("".join(f"| {' | '.join(line)} |\n" for line in lines))
    parts += [f"{line_in_markdown(note)}\n" for note in (*table.notes, *table.asides)]
    parts += [f"{code_in_markdown(signature)}\n" for signature in table.signatures]
    return "\n".join(parts)


def _markdown_cell(texts: _Texts) -> str:
    value = bold_in_markdown(texts.value) if texts.is_best else texts.value
    letters = f"<sup>{texts.letters}</sup>" if texts.letters else ""
    return " ".join(filter(None, (f"{value}{letters}", for_markdown(texts.within))))


def _latex(table: ScoreRanking, options: TableOptions) -> str:
    """Return a ``table`` with a ``tabular`` of the package booktabs, and its signature as a comment."""
    if not table.measures:
        return "".join(
            f"% {for_terminal(text)}\n" for text in (*table.notes, *table.asides, *table.signatures)
        )
    texts = table_texts(table, options)
    head = [for_latex(text).replace("↑", r"$\uparrow$").replace("↓", r"$\downarrow$") for text in texts.head]
    lines = [" & ".join(("", *head[1:])) + r" \\"]
    role = ""
    for row, (name, cells, difference) in zip(table.rows, texts.rows, strict=True):
        if row.role != role:
            lines.append(r"\midrule")
        role = row.role
        own = [for_latex_number(difference)] if table.against else []
        lines.append(" & ".join((for_latex(name), *map(_latex_cell, cells), *own)) + r" \\")
    return in_latex_table(
        lines,
        "l" * len(head),
        caption=table.caption,
        label="-".join(filter(None, (table.measures[0].protocol, table.subject))),
        comments=(*table.asides, *table.signatures),
    )


def _latex_cell(texts: _Texts) -> str:
    shown = for_latex_number(texts.value)
    value = bold_in_latex(shown) if texts.is_best else shown
    letters = rf"\textsuperscript{{{texts.letters}}}" if texts.letters else ""
    within = rf"{{\scriptsize {for_latex_number(texts.within)}}}" if texts.within else ""
    return " ".join(filter(None, (f"{value}{letters}", within)))
