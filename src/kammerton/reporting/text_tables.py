# SPDX-License-Identifier: MIT
"""Tables as plain text that fits a terminal of any width."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kammerton.errors import clip, plural
from kammerton.model.measure import Measure
from kammerton.reporting.escaping import display_width, for_terminal, pad
from kammerton.reporting.tables import Block, Line, cell, ends

__all__ = ["render_text"]

_GAP = "  "
_LONGEST_NAME = 60
_AGGREGATE, _UNDEFINED = "aggregate", "  undefined"


def render_text(blocks: Sequence[Block], *, width: int = 80, encoding: str = "utf-8") -> str:
    """Return tables as plain text.

    Parameters
    ----------
    blocks : sequence of Block
        The tables. One that is too wide is cut into several with the same rows; if even one column
        is too wide, its figures are listed.
    width : int
        Columns of the terminal.
    encoding : str
        What the terminal can draw.
    """
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
