# SPDX-License-Identifier: MIT
"""Draw events in columns, as music is written: staves below each other, lines of a staff note by note."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kammerton.reporting.brush import NAME, Brush, Role
from kammerton.reporting.escaping import display_width, pad

if TYPE_CHECKING:
    from kammerton.model.views import Cell, Grid, ItemView, Line

__all__ = ["draw_grid"]

_GAP = 2
"""Columns between two columns of the grid; one is between events of the same column."""


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the grid as it is drawn.

    Parameters
    ----------
    number : int
        Which one.
    cells : tuple of tuple of int
        Width of each cell, staff by staff.
    """

    number: int
    cells: tuple[tuple[int, ...], ...]

    @property
    def width(self) -> int:
        """Columns that the widest staff needs."""
        return max(sum(widths) + len(widths) - 1 for widths in self.cells)


def draw_grid(view: ItemView, first: float, last: float, brush: Brush) -> Iterator[list[str]]:
    """Give what a grid has from ``first`` to before ``last``: a list of lines for each line of music.

    Parameters
    ----------
    view : ItemView
        Has a grid.
    first, last : float
        Times.
    brush : Brush
        What it is drawn with.
    """
    grid = view.grid
    assert grid is not None, "only views with a grid are drawn as one"
    absent = [(track.name, track.note) for track in view.tracks if track.note]
    told = [*(line.name for staff in grid.staves for line in staff.lines), *(name for name, _ in absent)]
    names = {name: brush.clip(brush.text(name), NAME) for name in told}
    gutter = max(map(display_width, (view.unit, *names.values()))) + 1
    room = brush.width - gutter
    columns = [
        _measured(grid, number, brush) for number, time in enumerate(grid.times) if first <= time < last
    ]
    for part in _parts(columns, room):
        lines = [pad(view.unit, gutter - 1, right=True) + " " + _axis(grid, part, room)]
        for place, staff in enumerate(grid.staves):
            for line in staff.lines if any(column.cells[place] for column in part) else ():
                row, marks = (_row(line, place, part, room, brush, marks=marks) for marks in (False, True))
                lines.append(pad(names[line.name], gutter) + row)
                if marks.strip():
                    lines.append(" " * gutter + marks)
        for name, why in absent:
            lines.append(pad(names[name], gutter) + brush.clip(f"({brush.text(why)})", room))
        yield [line.rstrip() for line in lines]


def _measured(grid: Grid, number: int, brush: Brush) -> _Column:
    """Return how wide the cells of a column are, so that every line and its marks fit."""
    return _Column(
        number,
        tuple(
            tuple(
                max(max(display_width(brush.text(cell.text)), len(_mark(cell, brush))) for cell in same)
                for same in zip(*(line.columns[number] for line in staff.lines), strict=True)
            )
            for staff in grid.staves
        ),
    )


def _parts(columns: Sequence[_Column], room: int) -> Iterator[list[_Column]]:
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


def _axis(grid: Grid, part: Sequence[_Column], room: int) -> str:
    """Return the times of those columns that there is room for."""
    text, begin = "", 0
    for column in part:
        told = f"{grid.times[column.number]:.6g}"
        if (not text or begin > len(text)) and begin + len(told) <= room:
            text = text.ljust(begin) + told
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
            text = _mark(cell, brush) if marks else brush.text(cell.text)
            row += brush.paint(text, _role(cell)) + " " * (width + 1 - display_width(text))
            used += width + 1
        begin += column.width + _GAP
        row += " " * (begin - used)
    return row


def _mark(cell: Cell, brush: Brush) -> str:
    state = "" if cell.state is None else str(getattr(brush.glyphs, cell.state))
    return state + (brush.glyphs.flagged if cell.flagged else "")


def _role(cell: Cell) -> Role | None:
    return "flagged" if cell.flagged and cell.state is None else cell.state
