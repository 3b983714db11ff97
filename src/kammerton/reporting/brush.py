# SPDX-License-Identifier: MIT
"""What items are drawn with: columns, characters, colours."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, fields
from typing import Literal

from kammerton.reporting.escaping import display_width, for_terminal

__all__ = ["NAME", "Brush", "Glyphs", "Role", "glyphs_in"]

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
    """What is drawn with.

    Parameters
    ----------
    width : int
        Columns to fill.
    glyphs : Glyphs
        Characters.
    encoding : str
        What will be written.
    colour : bool
        Whether the reader understands colours.
    """

    width: int
    glyphs: Glyphs
    encoding: str
    colour: bool

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
        kept = text
        while kept and display_width(kept) >= room:
            kept = kept[:-1]
        return kept + self.glyphs.cut if room > 0 else ""

    def wrapped(self, text: str) -> list[str]:
        """Fill printable text into lines."""
        return textwrap.wrap(text, self.width, subsequent_indent="  ", break_on_hyphens=False)
