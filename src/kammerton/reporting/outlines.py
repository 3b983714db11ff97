# SPDX-License-Identifier: MIT
"""Draw classes below each other, and beside each what annotators and systems say of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kammerton.reporting.brush import NAME, Brush
from kammerton.reporting.escaping import display_width, pad

if TYPE_CHECKING:
    from kammerton.model.views import Cell, ItemView

__all__ = ["draw_outline"]

_GAP = 2
"""Columns between two tracks."""


def draw_outline(view: ItemView, brush: Brush) -> Iterator[list[str]]:
    """Give the lines of an outline, once for as many tracks as fit beside the classes.

    Parameters
    ----------
    view : ItemView
        Has an outline.
    brush : Brush
        What it is drawn with.
    """
    outline = view.outline or ()
    labels = ["", *("  " * branch.depth + brush.text(branch.label) for branch in outline)]
    room = max(map(display_width, labels))
    labels = [pad(brush.clip(label, brush.width // 2), min(room, brush.width // 2)) for label in labels]
    tracks = [
        _column(track.name, [branch.cells[place] for branch in outline], brush)
        for place, track in enumerate(view.tracks)
        if not track.note
    ]
    for part in _parts(tracks, brush.width - display_width(labels[0])):
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


def _parts(tracks: Sequence[list[str]], room: int) -> Iterator[list[list[str]]]:
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
