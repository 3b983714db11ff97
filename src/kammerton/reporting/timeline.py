# SPDX-License-Identifier: MIT
"""Draw one item for a terminal: timelines like lines of a score, and the tables below them.

It draws what a task lays out (:class:`kammerton.model.views.ItemView`) without knowing the task.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, TypeVar

from kammerton.errors import OptionError, quote
from kammerton.reporting.brush import NAME, Brush, Glyphs, Role, glyphs_in
from kammerton.reporting.escaping import display_width, pad
from kammerton.reporting.outlines import draw_outline
from kammerton.reporting.staves import draw_grid

if TYPE_CHECKING:
    from kammerton.model.views import ItemView, Mark, Span, Table, Track

_Row = TypeVar("_Row", "Span", "Mark")

__all__ = ["NARROWEST", "WIDEST", "render_item"]

NARROWEST, WIDEST = 40, 400
"""Columns that can be filled."""

_ROOM = 6
"""Columns that three of four rows of the reference should have at least."""
_TICK = 8
"""Columns from one time on the axis to the next, at least."""
_HALF = 0.5
_EPSILON = 1e-9
_MOST_LINES = 500
"""Lines of the score: a mistyped end must not draw for ever."""
_SHORTEST_PART = 1e-9
_SHORTEST = 1e-3
"""A row shorter than this does not stretch the scale."""
_TEXT, _LONE_TEXT, _NUMBERS, _INDENT = 24, 36, 26, 2
"""Columns of a table: for one of several texts and for the only one at most, for numbers at least, and
before each."""


def render_item(
    view: ItemView,
    *,
    width: int = 80,
    start: float | None = None,
    end: float | None = None,
    encoding: str = "utf-8",
    colour: bool = False,
) -> str:
    """Return the whole as text, each line at most ``width`` columns.

    Parameters
    ----------
    view : ItemView
        What a task laid out.
    width : int
        Columns to fill, 40 to 400.
    start, end : float, optional
        What part of the timeline is drawn; by default all of it. The tables are of the whole item.
    encoding : str
        What will be written; without bars and blocks in it, ASCII characters stand for them.
    colour : bool
        Whether the reader understands colours.

    Raises
    ------
    OptionError
        If the width is out of range, or the part is empty.
    """
    if not NARROWEST <= width <= WIDEST:
        raise OptionError(f"width must be {NARROWEST} to {WIDEST} columns, got {width}")
    brush = Brush(width, glyphs_in(encoding), encoding, colour)
    parts = list(_drawing(view, start, end, brush))
    parts += [_table(table, brush) for table in view.tables]
    if view.notes:
        parts.append([line for note in view.notes for line in brush.wrapped(f"note: {brush.text(note)}")])
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _drawing(view: ItemView, start: float | None, end: float | None, brush: Brush) -> Iterator[list[str]]:
    """Give the heading and the parts of what is drawn, each as lines of text."""
    if view.outline is not None:
        if start is not None or end is not None:
            raise OptionError(f"{quote(view.item)} has no time to show a part of")
        yield _heading(view, "", brush)
        yield from draw_outline(view, brush)
        return
    first, last = _window(view, start, end)
    yield _heading(view, _told_part(view, first, last), brush)
    yield from (_systems if view.grid is None else draw_grid)(view, first, last, brush)


def _window(view: ItemView, start: float | None, end: float | None) -> tuple[float, float]:
    first, last = start or 0.0, view.end if end is None else min(end, view.end)
    if not (first >= 0 and last - first >= _SHORTEST_PART):
        raise OptionError(
            f"nothing to show from {first:g} to {last:g} {view.unit}",
            f"{quote(view.item)} goes from 0 to {view.end:.3f} {view.unit}",
        )
    return first, last


def _told_part(view: ItemView, first: float, last: float) -> str:
    whole = (first, last) == (0.0, view.end)
    return f", {first:.7g} to {last:.7g}{'' if whole else f' of {view.end:.7g}'} {view.unit}"


def _heading(view: ItemView, part: str, brush: Brush) -> list[str]:
    names = [brush.text(track.name) for track in view.tracks]
    references, others = (", ".join(part) for part in (names[: view.references], names[view.references :]))
    lines = brush.wrapped(f"{brush.text(view.item)}{part}: {others} against {references}")
    signs = ", ".join(f"{brush.text(sign)} {told}" for sign, told in view.signs.items())
    legend = ", ".join(f"{getattr(brush.glyphs, state)} {told}" for state, told in view.legend.items())
    return [
        *(brush.paint(line, "title") for line in lines),
        *brush.wrapped(f"by {view.measure}: {brush.text(legend)}"),
        *(brush.wrapped(signs) if signs else ()),
    ]


@dataclass(frozen=True, slots=True)
class _Scale:
    """One line of the score: its time, and the columns it is drawn in."""

    start: float
    cell: float
    columns: int

    def column(self, time: float) -> int:
        return max(0, min(self.columns, math.floor((time - self.start) / self.cell + _HALF)))

    @property
    def end(self) -> float:
        return self.start + self.cell * self.columns


def _systems(view: ItemView, first: float, last: float, brush: Brush) -> Iterator[list[str]]:
    """Give the lines of the score, each as lines of text."""
    names = [brush.clip(brush.text(track.name), NAME) for track in view.tracks]
    gutter = max(map(display_width, names)) + 1
    columns = brush.width - gutter
    length = _time_per_line(view.tracks[0], first, last, columns)
    needed = math.ceil((last - first) / length - _EPSILON)
    for number in range(min(needed, _MOST_LINES)):
        scale = _Scale(first + number * length, length / columns, columns)
        until = min(last, scale.end)
        lines = [pad(view.unit, gutter - 1, right=True) + " " + _axis(scale, until)]
        for name, track in zip(names, view.tracks, strict=True):
            lines += _drawn(track, pad(name, gutter), scale, until, brush)
        yield [line.rstrip() for line in lines]
    if needed > _MOST_LINES:
        rest = f"{first + _MOST_LINES * length:.7g} to {last:.7g} {view.unit}"
        yield brush.wrapped(f"{rest} not drawn; --from and --to choose a part")


def _time_per_line(reference: Track, first: float, last: float, columns: int) -> float:
    """Return a round time at which most labels have room; all there is, if that fits."""
    lengths = sorted(
        span.end - span.start
        for span in reference.spans
        if span.start < last and span.end > first and span.end - span.start >= _SHORTEST
    )
    typical = lengths[len(lengths) // 4] if lengths else last - first
    longest = typical * columns / _ROOM
    if longest >= last - first:
        return last - first
    return max(time for time in _round_times(longest, (1, 2, 3, 4, 5, 6, 8)) if time <= longest)


def _round_times(near: float, steps: Sequence[int]) -> Iterator[float]:
    """Give round times around ``near``, ascending."""
    power = math.floor(math.log10(near))
    for exponent in (power, power + 1):
        # a negative power of ten is not exact, its reciprocal is
        yield from (step * 10.0**exponent if exponent >= 0 else step / 10.0**-exponent for step in steps)


def _axis(scale: _Scale, until: float) -> str:
    step = min(time for time in _round_times(_TICK * scale.cell, (1, 2, 5)) if time >= _TICK * scale.cell)
    text = ""
    for number in range(math.ceil(scale.start / step - _EPSILON), math.floor(until / step + _EPSILON) + 1):
        column, told = scale.column(number * step), f"{number * step:.6g}"
        if column + len(told) <= scale.columns:
            text = text.ljust(column) + told
    return text


def _drawn(track: Track, name: str, scale: _Scale, until: float, brush: Brush) -> Iterator[str]:
    """Give the line of labels, and below it that of marks if there are any."""
    if track.note:
        yield name + brush.clip(f"({brush.text(track.note)})", scale.columns)
        return
    marks = _mark_cells(track.marks, scale, until, brush.glyphs)
    yield name + _painted(_label_cells(track, scale, until, brush), marks, brush)
    if any(mark != " " for mark in marks):
        yield " " * display_width(name) + _painted(marks, marks, brush)


def _within(rows: Sequence[_Row], start: float, until: float) -> Sequence[_Row]:
    """Return the rows that last between two times."""
    begin = bisect_right(rows, start, key=lambda row: row.end)
    return rows[begin : bisect_left(rows, until, lo=begin, key=lambda row: row.start)]


def _label_cells(track: Track, scale: _Scale, until: float, brush: Brush) -> list[str]:
    """Return what stands in each column: a bar where a row begins, and as much of its label as fits."""
    cells = [" "] * (scale.columns + 1)  # the last one takes bars at the very end
    for span in _within(track.spans, scale.start, until):
        begin, end = scale.column(span.start), scale.column(min(span.end, until))
        cells[begin:end] = [" "] * (end - begin)
        cells[begin] = brush.glyphs.bar if span.start >= scale.start else brush.glyphs.continued
        if span.end <= until:
            cells[end] = brush.glyphs.bar
        column = begin + 1
        for character in brush.clip(brush.text(span.label), max(0, end - column)):
            cells[column : column + display_width(character)] = [character, ""][: display_width(character)]
            column += display_width(character)
    return cells[: scale.columns]


def _mark_cells(marks: Sequence[Mark], scale: _Scale, until: float, glyphs: Glyphs) -> list[str]:
    """Return the mark of each column, by what fills at least half of it."""
    shares = {"wrong": [0.0] * scale.columns, "excluded": [0.0] * scale.columns}
    for mark in _within(marks, scale.start, until):
        begin = max(0.0, (mark.start - scale.start) / scale.cell)
        end = (min(mark.end, until) - scale.start) / scale.cell
        for column in range(math.floor(begin), min(math.ceil(end), scale.columns)):
            shares[mark.state][column] += min(end, column + 1) - max(begin, column)
    return [
        _mark(wrong, excluded, glyphs)
        for wrong, excluded in zip(shares["wrong"], shares["excluded"], strict=True)
    ]


def _mark(wrong: float, excluded: float, glyphs: Glyphs) -> str:
    if wrong >= _HALF - _EPSILON:
        return glyphs.wrong
    if excluded >= _HALF - _EPSILON:
        return glyphs.excluded
    return glyphs.partly if wrong > _EPSILON else " "


def _painted(cells: Sequence[str], marks: Sequence[str], brush: Brush) -> str:
    """Join cells, each in the colour of its mark."""
    glyphs = brush.glyphs
    roles: dict[str, Role] = {glyphs.wrong: "wrong", glyphs.partly: "wrong", glyphs.excluded: "excluded"}
    runs = groupby(zip(cells, marks, strict=True), key=lambda cell: roles.get(cell[1]))
    return "".join(brush.paint("".join(text for text, _ in run), role) for role, run in runs)


def _table(table: Table, brush: Brush) -> list[str]:
    """Return title, headings and rows; columns of numbers that do not fit beside the texts stand below."""
    lines = [brush.paint(line, "title") for line in brush.wrapped(brush.text(table.title))]
    texts = [column for column in table.columns if column.kind == "text"]
    room = min(_TEXT if len(texts) > 1 else _LONE_TEXT, (brush.width - _NUMBERS) // len(texts))
    if len(texts) == len(table.columns):
        return lines + _texts(table, brush)
    filled = [
        _filled(table, place, room if place < len(texts) else NAME, brush)
        for place in range(len(table.columns))
    ]
    keys, numbers = filled[: len(texts)], filled[len(texts) :]
    while numbers and table.rows:
        beside = [*keys, numbers.pop(0)]
        while (
            numbers
            and sum(_INDENT + display_width(cells[0]) for cells in (*beside, numbers[0])) <= brush.width
        ):
            beside.append(numbers.pop(0))
        lines += _joined(beside)
    return lines


def _texts(table: Table, brush: Brush) -> list[str]:
    """Return the rows of a table without numbers; its last column takes what room the others leave."""
    if not table.rows:
        return []
    room = min(_TEXT, brush.width // len(table.columns) - _INDENT)
    filled = [_filled(table, place, room, brush) for place in range(len(table.columns) - 1)]
    used = sum(_INDENT + display_width(cells[0]) for cells in filled)
    return _joined([*filled, _filled(table, len(filled), brush.width - used - _INDENT, brush)])


def _joined(columns: Sequence[list[str]]) -> list[str]:
    return ["".join(" " * _INDENT + cell for cell in row).rstrip() for row in zip(*columns, strict=True)]


def _filled(table: Table, place: int, room: int, brush: Brush) -> list[str]:
    """Return heading and cells of a column, all of one width; texts to the left, numbers to the right."""
    column = table.columns[place]
    cells = [brush.text(column.heading), *(_told(row[place], column.kind, brush) for row in table.rows)]
    cells = [brush.clip(cell, room) for cell in cells]
    width = max(map(display_width, cells))
    return [pad(cell, width, right=column.kind != "text") for cell in cells]


def _told(value: str | float | None, kind: str, brush: Brush) -> str:
    if isinstance(value, str):
        return brush.text(value)
    if value is None:
        return "undefined"
    if kind == "count":
        return f"{value:,.0f}"
    return {"time": f"{value:.3f}", "share": f"{100 * value:.2f} %", "score": f"{100 * value:.2f}"}[kind]
