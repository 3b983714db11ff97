# SPDX-License-Identifier: MIT
"""What items are drawn with: columns, characters, colours."""

from __future__ import annotations

import math
import textwrap
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Literal, TypeVar

from kammerton.errors import OptionError, cut_lines, quote
from kammerton.model.views import ItemView
from kammerton.reporting.escaping import display_width, for_terminal, pad

if TYPE_CHECKING:
    from kammerton.model.views import Cell, Grid, Line, Mark, Span, Table, Track

Role = Literal["wrong", "partly", "excluded", "flagged", "faint", "title"]
_COLOURS: dict[Role, str] = {
    "wrong": "31",
    "partly": "31",
    "excluded": "33",
    "flagged": "35",
    "faint": "2",
    "title": "1",
}
NAME = 16
"""Columns that the name of a track may fill."""


@dataclass(frozen=True, slots=True)
class Glyphs:
    """Characters of bars and marks."""

    bar: str
    continued: str
    wrong: str
    partly: str
    excluded: str
    flagged: str
    cut: str


_BLOCKS = Glyphs("│", "┊", "▀", "▔", "░", "!", "…")
_ASCII = Glyphs("|", ":", "x", "'", "~", "!", ">")


def glyphs_in(encoding: str) -> Glyphs:
    """Return the characters that can be written in an encoding."""
    try:
        "".join(getattr(_BLOCKS, field.name) for field in fields(Glyphs)).encode(encoding)
    except UnicodeEncodeError:
        return _ASCII
    return _BLOCKS


@dataclass(frozen=True, slots=True)
class Brush:
    """What is drawn with."""

    width: int  # columns to fill
    glyphs: Glyphs  # characters
    encoding: str  # what will be written
    colour: bool  # whether the reader understands colours

    def text(self, text: str) -> str:
        """Return a text as it can be shown."""
        return for_terminal(text, self.encoding)

    def paint(self, text: str, role: Role | None) -> str:
        """Return printable text in the colour of its role, if there is colour."""
        if role is None or not self.colour or not text.strip():
            return text
        return f"\x1b[{_COLOURS[role]}m{text}\x1b[0m"

    def clip(self, text: str, room: int) -> str:
        """Cut printable text to ``room`` columns; that it was cut is seen."""
        if display_width(text) <= room:
            return text
        shortened = text
        while shortened and display_width(shortened) >= room:
            shortened = shortened[:-1]
        return shortened + self.glyphs.cut if room > 0 else ""

    def wrapped(self, text: str) -> list[str]:
        """Fill printable text into lines."""
        return textwrap.wrap(text, self.width, subsequent_indent="  ", break_on_hyphens=False)


_GAP = 2
"""Columns between two tracks."""


def draw_outline(view: ItemView, brush: Brush) -> Iterator[list[str]]:
    """Give the lines of an outline, once for as many tracks as fit beside the classes."""
    outline = view.outline or ()
    labels = ["", *("  " * branch.depth + brush.text(branch.label) for branch in outline)]
    room = max(map(display_width, labels))
    labels = [pad(brush.clip(label, brush.width // 2), min(room, brush.width // 2)) for label in labels]
    tracks = [
        _column(track.name, [branch.cells[place] for branch in outline], brush)
        for place, track in enumerate(view.tracks)
        if not track.note
    ]
    for part in _outline_parts(tracks, brush.width - display_width(labels[0])):
        yield ["".join(cells).rstrip() for cells in zip(labels, *part, strict=True)]
    absent = [f"{brush.text(track.name)}: {brush.text(track.note)}" for track in view.tracks if track.note]
    if absent:
        yield [line for each in absent for line in brush.wrapped(each)]


def _column(name: str, cells: Sequence[Cell], brush: Brush) -> list[str]:
    """Return the name of a track and its cells, each in its colour and with its mark, all of one width."""
    texts = [brush.text(cell.text) + _mark(cell, brush) for cell in cells]
    heading = brush.clip(brush.text(name), NAME)
    width = max(map(display_width, [heading, *texts]))
    painted = [
        brush.paint(text, cell.state) + " " * (width - display_width(text))
        for text, cell in zip(texts, cells, strict=True)
    ]
    return [" " * _GAP + cell for cell in (pad(heading, width), *painted)]


def _mark(cell: Cell, brush: Brush) -> str:
    return "" if cell.state is None else f" {getattr(brush.glyphs, cell.state)}"


def _outline_parts(tracks: Sequence[list[str]], room: int) -> Iterator[list[list[str]]]:
    """Deal tracks out to blocks that fill ``room``; one that is wider stands alone."""
    part: list[list[str]] = []
    used = 0
    for track in tracks:
        width = display_width(track[0])
        if part and used + width > room:
            yield part
            part, used = [], 0
        part.append(track)
        used += width
    if part:
        yield part


"""Columns between two columns of the grid; one is between events of the same column."""


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the grid as it is drawn."""

    number: int  # which one
    cells: tuple[tuple[int, ...], ...]  # width of each cell, staff by staff

    @property
    def width(self) -> int:
        """Columns that the widest staff needs."""
        return max(sum(widths) + len(widths) - 1 for widths in self.cells)


def draw_grid(view: ItemView, first: float, last: float, brush: Brush) -> Iterator[_Drawn]:
    """Give what a grid has from ``first`` to before ``last``: a part for each line of music."""
    grid = view.grid
    assert grid is not None, "only views with a grid are drawn as one"
    absent = [(track.name, track.note) for track in view.tracks if track.note]
    all_names = [*(line.name for staff in grid.staves for line in staff.lines), *(name for name, _ in absent)]
    names = {name: brush.clip(brush.text(name), NAME) for name in all_names}
    gutter = max(map(display_width, (view.unit, *names.values()))) + 1
    room = brush.width - gutter
    columns = [
        _measured(grid, number, brush) for number, time in enumerate(grid.times) if first <= time < last
    ]
    for part in _grid_parts(columns, room):
        lines = [pad(view.unit, gutter - 1, right=True) + " " + _grid_axis(grid, part, room)]
        for place, staff in enumerate(grid.staves):
            for line in staff.lines if any(column.cells[place] for column in part) else ():
                row, marks = (_row(line, place, part, room, brush, marks=marks) for marks in (False, True))
                lines.append(pad(names[line.name], gutter) + row)
                if marks.strip():
                    lines.append(" " * gutter + marks)
        for name, why in absent:
            lines.append(pad(names[name], gutter) + brush.clip(f"({brush.text(why)})", room))
        cells = [
            cell
            for staff in grid.staves
            for line in staff.lines
            for column in part
            for cell in line.columns[column.number]
        ]
        wrong = sum(cell.flagged or cell.state in ("wrong", "partly") for cell in cells)
        yield _Drawn([line.rstrip() for line in lines], wrong)


def _measured(grid: Grid, number: int, brush: Brush) -> _Column:
    """Return how wide the cells of a column are, so that every line and its marks fit."""
    return _Column(
        number,
        tuple(
            tuple(
                max(max(display_width(brush.text(cell.text)), len(_cell_marks(cell, brush))) for cell in same)
                for same in zip(*(line.columns[number] for line in staff.lines), strict=True)
            )
            for staff in grid.staves
        ),
    )


def _grid_parts(columns: Sequence[_Column], room: int) -> Iterator[list[_Column]]:
    """Deal columns out to lines that fill ``room``; one that is wider stands alone, and will be cut."""
    part: list[_Column] = []
    used = 0
    for column in columns:
        if part and used + column.width > room:
            yield part
            part, used = [], 0
        part.append(column)
        used += column.width + _GAP
    if part:
        yield part


def _grid_axis(grid: Grid, part: Sequence[_Column], room: int) -> str:
    """Return the times of those columns that there is room for."""
    text, begin = "", 0
    for column in part:
        label = f"{grid.times[column.number]:.6g}"
        if (not text or begin > len(text)) and begin + len(label) <= room:
            text = text.ljust(begin) + label
        begin += column.width + _GAP
    return text


def _row(line: Line, place: int, part: Sequence[_Column], room: int, brush: Brush, *, marks: bool) -> str:
    """Return the cells of a line, or their marks, each in its colour; what does not fit is cut off."""
    row, begin = "", 0
    for column in part:
        used = begin
        for cell, width in zip(line.columns[column.number], column.cells[place], strict=True):
            if used + width > room:
                return row[:-1] + ("" if marks else brush.glyphs.cut)  # for the blank before
            text = _cell_marks(cell, brush) if marks else brush.text(cell.text)
            row += brush.paint(text, _role(cell)) + " " * (width + 1 - display_width(text))
            used += width + 1
        begin += column.width + _GAP
        row += " " * (begin - used)
    return row


def _cell_marks(cell: Cell, brush: Brush) -> str:
    state = "" if cell.state is None else str(getattr(brush.glyphs, cell.state))
    return state + (brush.glyphs.flagged if cell.flagged else "")


def _role(cell: Cell) -> Role | None:
    return "flagged" if cell.flagged and cell.state is None else cell.state


_Row = TypeVar("_Row", "Span", "Mark")
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
_SHORT_OUTLINE = 30
"""Classes of an outline that is drawn whole where there is little room."""
_LINES_OF_LOSSES, _AROUND_ROWS = 30, 4
"""Lines of all tables of losses where there is little room, and of each but its rows."""
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
    most: int | None = None,
) -> str:
    """Return the whole as text, each line at most ``width`` columns: losses, the drawing, scores.

    With ``most``, only as many lines as that: the largest losses, and of the drawing what is wrong most.
    """
    if not NARROWEST <= width <= WIDEST:
        raise OptionError(f"width must be {NARROWEST} to {WIDEST} columns, got {width}")
    brush = Brush(width, glyphs_in(encoding), encoding, colour)
    if most is not None and view.outline is not None and len(view.outline) > _SHORT_OUTLINE:
        view = _with_errors_alone(view)
    is_score = [table.columns[0].heading == "measure" for table in view.tables]
    place = is_score.index(True) if any(is_score) else len(is_score)
    rows = None if most is None else max(1, _LINES_OF_LOSSES // max(len(is_score), 1) - _AROUND_ROWS)
    tables = [
        _table(table, brush, None if scores else rows)
        for table, scores in zip(view.tables, is_score, strict=True)
    ]
    heading, drawn = _drawing(view, start, end, brush)
    notes = [line for note in view.notes for line in brush.wrapped(f"note: {brush.text(note)}")]
    around = [heading, *tables[:place], *tables[place:], *([notes] if notes else [])]
    parts = [part.lines for part in drawn]
    if most is not None:
        parts = _most_wrong(drawn, most - sum(len(part) + 1 for part in around), brush)
    whole = [*around[: 1 + place], *parts, *around[1 + place :]]
    return "\n\n".join("\n".join(part) for part in whole) + "\n"


def _with_errors_alone(view: ItemView) -> ItemView:
    """Return a view whose outline has the classes that are wrong, as many as there is room for."""
    outline = view.outline or ()
    wrong = [branch for branch in outline if any(cell.state is not None for cell in branch.cells)]
    shown = wrong[:_SHORT_OUTLINE]
    listed = f"{len(shown):,} of {len(wrong):,} classes with errors are drawn, of {len(outline):,}"
    note = f"{listed}: --all draws every one"
    return replace(view, outline=tuple(shown), notes=(*view.notes, note))


@dataclass(frozen=True, slots=True)
class _Drawn:
    """Lines of a drawing that belong together, and how much is wrong in them."""

    lines: list[str]
    wrong: float


def _most_wrong(drawn: Sequence[_Drawn], room: int, brush: Brush) -> list[list[str]]:
    """Return the parts in which most is wrong, at least one if any is, in their order."""
    by_wrong = sorted((part for part in drawn if part.wrong > 0), key=lambda part: -part.wrong)
    chosen: list[_Drawn] = []
    used = 2  # the line below them
    for part in by_wrong:
        used += len(part.lines) + 1
        if chosen and used > room:
            break
        chosen.append(part)
    lines = [part.lines for part in drawn if any(part is other for other in chosen)]
    if len(chosen) == len(drawn):
        return lines
    listed = f"{len(chosen):,} of {len(by_wrong):,} parts with errors are drawn, of {len(drawn):,}"
    return [*lines, brush.wrapped(f"{listed}: --all draws every one")]


def _drawing(
    view: ItemView, start: float | None, end: float | None, brush: Brush
) -> tuple[list[str], list[_Drawn]]:
    """Return the lines of the heading, and the parts of what is drawn."""
    if view.outline is not None:
        if start is not None or end is not None:
            raise OptionError(f"{quote(view.item)} has no time to show a part of")
        wrong = sum(cell.state is not None for branch in view.outline for cell in branch.cells)
        return _heading(view, "", brush), [_Drawn(lines, wrong) for lines in draw_outline(view, brush)]
    first, last = _window(view, start, end)
    draw = _systems if view.grid is None else draw_grid
    return _heading(view, _part_text(view, first, last), brush), list(draw(view, first, last, brush))


def _window(view: ItemView, start: float | None, end: float | None) -> tuple[float, float]:
    first, last = start or 0.0, view.end if end is None else min(end, view.end)
    if not (first >= 0 and last - first >= _SHORTEST_PART):
        raise OptionError(
            f"nothing to show from {first:g} to {last:g} {view.unit}",
            f"{quote(view.item)} goes from 0 to {view.end:.3f} {view.unit}",
        )
    return first, last


def _part_text(view: ItemView, first: float, last: float) -> str:
    whole = (first, last) == (0.0, view.end)
    return f", {first:.7g} to {last:.7g}{'' if whole else f' of {view.end:.7g}'} {view.unit}"


def _heading(view: ItemView, part: str, brush: Brush) -> list[str]:
    names = [brush.text(track.name) for track in view.tracks]
    references, others = (", ".join(part) for part in (names[: view.references], names[view.references :]))
    lines = brush.wrapped(f"{brush.text(view.item)}{part}: {others} against {references}")
    signs = ", ".join(f"{brush.text(sign)} {meaning}" for sign, meaning in view.signs.items())
    legend = ", ".join(f"{getattr(brush.glyphs, state)} {meaning}" for state, meaning in view.legend.items())
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


def _systems(view: ItemView, first: float, last: float, brush: Brush) -> Iterator[_Drawn]:
    """Give the lines of the score."""
    names = [brush.clip(brush.text(track.name), NAME) for track in view.tracks]
    gutter = max(map(display_width, names)) + 1
    columns = brush.width - gutter
    length = _time_per_line(view.tracks[0], first, last, columns)
    needed = math.ceil((last - first) / length - _EPSILON)
    for number in range(min(needed, _MOST_LINES)):
        scale = _Scale(first + number * length, length / columns, columns)
        until = min(last, scale.end)
        lines = [pad(view.unit, gutter - 1, right=True) + " " + _time_axis(scale, until)]
        for name, track in zip(names, view.tracks, strict=True):
            lines += _drawn(track, pad(name, gutter), scale, until, brush)
        wrong = sum(_wrong_time(track.marks, scale.start, until) for track in view.tracks)
        yield _Drawn([line.rstrip() for line in lines], wrong)
    if needed > _MOST_LINES:
        rest = f"{first + _MOST_LINES * length:.7g} to {last:.7g} {view.unit}"
        yield _Drawn(brush.wrapped(f"{rest} not drawn; --from and --to choose a part"), 0.0)


def _wrong_time(marks: Sequence[Mark], start: float, until: float) -> float:
    """Return for how long marks say that something is wrong between two times."""
    own = (mark for mark in _within(marks, start, until) if mark.state == "wrong")
    return sum(min(mark.end, until) - max(mark.start, start) for mark in own)


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


def _time_axis(scale: _Scale, until: float) -> str:
    step = min(time for time in _round_times(_TICK * scale.cell, (1, 2, 5)) if time >= _TICK * scale.cell)
    text = ""
    for number in range(math.ceil(scale.start / step - _EPSILON), math.floor(until / step + _EPSILON) + 1):
        column, label = scale.column(number * step), f"{number * step:.6g}"
        if column + len(label) <= scale.columns:
            text = text.ljust(column) + label
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
        _column_mark(wrong, excluded, glyphs)
        for wrong, excluded in zip(shares["wrong"], shares["excluded"], strict=True)
    ]


def _column_mark(wrong: float, excluded: float, glyphs: Glyphs) -> str:
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


def _table(table: Table, brush: Brush, most: int | None = None) -> list[str]:
    """Return title, headings and rows; columns of numbers that do not fit beside the texts stand below.

    Of more rows than ``most`` the first are shown.
    """
    if most is not None and len(table.rows) > most:
        *lines, last = _table(replace(table, rows=table.rows[:most]), brush)
        return [*lines, brush.clip(f"{last}  {brush.glyphs.cut}", brush.width)]
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
    cells = [brush.text(column.heading), *(_value_text(row[place], column.kind, brush) for row in table.rows)]
    cells = [brush.clip(cell, room) for cell in cells]
    width = max(map(display_width, cells))
    return [pad(cell, width, right=column.kind != "text") for cell in cells]


def _value_text(value: str | float | None, kind: str, brush: Brush) -> str:
    if isinstance(value, str):
        return brush.text(value)
    if value is None:
        return "undefined"
    if kind == "count":
        return f"{value:,.0f}"
    return {"time": f"{value:.3f}", "share": f"{100 * value:.2f} %", "score": f"{100 * value:.2f}"}[kind]


@dataclass(frozen=True, slots=True, repr=False)
class DrawnItem(ItemView):
    """An :class:`kammerton.model.views.ItemView` whose text is its drawing, 80 columns wide."""

    @classmethod
    def of(cls, view: ItemView) -> DrawnItem:
        """Return the same item, to be drawn."""
        return cls(**{field.name: getattr(view, field.name) for field in fields(ItemView)})

    def __str__(self) -> str:
        """Return the drawing."""
        return render_item(self)

    def __repr__(self) -> str:
        """Return what fits a screen of the drawing, or the name of an item too short to be drawn."""
        try:
            return cut_lines(render_item(self), "`print` shows them")
        except OptionError:
            return f"<{self.item}: nothing to draw>"

    def _repr_html_(self) -> str:
        """Return the drawing as a notebook shows it."""
        return f"<pre>{escape(render_item(self))}</pre>"
