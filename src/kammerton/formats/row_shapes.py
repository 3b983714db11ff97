# SPDX-License-Identifier: MIT
"""The shapes that rows of text come in: separator, decimal mark, number of columns.

Each shape is one regular expression, and a file has the shape that matches all of its lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from kammerton.formats.times import DecimalMark, number_pattern
from kammerton.model.annotations import Field

__all__ = ["Cell", "Shape", "shapes_of"]

Separator = Literal["blank", ",", ";"]

Cell = tuple[int, str]
"""A field of a line: its column, from 1, and its text."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One way to write rows.

    Parameters
    ----------
    separator : {"blank", ",", ";"}
        What stands between fields; *blank* is tabs and spaces.
    mark : {".", ","}
        Decimal mark.
    columns : int
        3 (start, end or duration, label) or 2 (time, label).
    pattern : re.Pattern
        Matches one line of a text. Groups ``start`` and ``end`` (empty where there are 2 columns),
        then ``label`` or, in its place, ``quoted``.
    """

    separator: Separator
    mark: DecimalMark
    columns: int
    pattern: re.Pattern[str]

    def cell(self, line: str, field: Field) -> Cell:
        """Return a field of a line that fits this shape, or the whole of one that does not."""
        match = self.pattern.match(line)
        if match is None:  # a time that stands alone
            text = line.lstrip(" \t")
            return len(line) - len(text) + 1, text.rstrip(" \t")
        group = "quoted" if field == "label" and match["label"] is None else field
        return match.start(group) + 1, match[group].rstrip(" \t")

    def text(self, quoted: str) -> str:
        """Return the label that group ``quoted`` stands for."""
        return quoted if self.separator == "blank" else quoted.replace('""', '"').strip(" \t")

    def cells(self, line: str) -> list[Cell]:
        """Cut a line that need not fit this shape into fields."""
        if self.separator != "blank":
            # a field may hold the separator within quotes or parentheses
            field = rf'(?:"(?:[^"]|"")*+"|\([^()]*+\)|[^{self.separator}])*+'
            return _stripped(re.finditer(rf"(?:^|(?<={self.separator})){field}", line))
        words = [(word.start() + 1, word.group()) for word in re.finditer(r"[^ \t]+", line)]
        by_tabs = _stripped(re.finditer(r"[^\t]+", line))
        return by_tabs if len(words) > len(by_tabs) == self.columns else words


def _stripped(found: Iterable[re.Match[str]]) -> list[Cell]:
    cells = []
    for match in found:
        text = match.group().lstrip(" \t")
        cells.append((match.end() - len(text) + 1, text.rstrip(" \t")))
    return cells


@lru_cache
def shapes_of(columns: int, mark: DecimalMark) -> tuple[Shape, ...]:
    """Return the shapes that rows of so many columns can have, the likeliest first.

    A decimal comma is understood between semicolons even where points are expected, as spreadsheets
    of many countries write that and nothing else can be meant.
    """
    if mark == ",":
        return _blank(columns, ","), _delimited(columns, ";", ",")
    delimited = tuple(_delimited(columns, *kind) for kind in ((",", "."), (";", "."), (";", ",")))
    return _blank(columns, "."), *delimited


def _blank(columns: int, mark: DecimalMark) -> Shape:
    time = number_pattern(mark)
    second = rf"[ \t]++(?P<end>{time})" if columns == 3 else "(?P<end>)"
    word = r"[ \t]++(?P<label>[^ \t\n]++)"
    spaced = r"[ ]*+\t[ ]*+(?P<quoted>[^\t\n]*[^ \t\n])"  # Audacity: after a tab, a label may have spaces
    return _shape("blank", mark, columns, rf"(?P<start>{time}){second}(?:{word}|{spaced})")


def _delimited(columns: int, separator: Literal[",", ";"], mark: DecimalMark) -> Shape:
    time = number_pattern(mark)
    between = rf"[ \t]*+{separator}[ \t]*+"
    second = rf'{between}"?+(?P<end>{time})"?+' if columns == 3 else "(?P<end>)"
    nested = rf'(?:[^{separator}"()\n]++|\([^()\n]*+\))++'  # C:(3,5) has no comma of the row's
    plain = rf'(?P<label>(?=[^ \t\n])(?:{nested}|[^{separator}"\n]++))'
    quoted = r'"(?P<quoted>(?:[^"\n]|"")++)"'
    line = rf'"?+(?P<start>{time})"?+{second}{between}(?:{plain}|{quoted})'
    return _shape(separator, mark, columns, line)


def _shape(separator: Separator, mark: DecimalMark, columns: int, line: str) -> Shape:
    return Shape(separator, mark, columns, re.compile(rf"^[ \t]*+{line}[ \t]*+$", re.MULTILINE))
