# SPDX-License-Identifier: MIT
"""The row that names the columns of a CSV file, and what the names mean."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kammerton.errors import Diagnostic, close_match, quote
from kammerton.formats.columns import NAMES, Column, column_of
from kammerton.formats.options import IntervalOptions, Layout
from kammerton.formats.reading import Problems
from kammerton.model.annotations import Place

__all__ = ["SEPARATOR_LINE", "Header", "HeaderRow", "cells_of", "field_at", "find_header", "open_quote"]

SEPARATOR_LINE = re.compile(r"sep=(.)[ \t]*", re.IGNORECASE)
"""First line that Excel writes and obeys."""

_SEPARATORS = ("\t", ",", ";")


def cells_of(line: str, separator: str) -> list[str] | None:
    """Cut one line into fields, or return None if its quotes do not allow it."""
    try:
        return next(csv.reader([line], delimiter=separator, skipinitialspace=True, strict=True), [])
    except csv.Error:
        return None


@dataclass(frozen=True, slots=True)
class HeaderRow:
    """The row that names the columns.

    Parameters
    ----------
    line : int
        Its number.
    text : str
        The row, as the file has it.
    separator : str
        What stands between its names.
    names : list of str
        As written.
    """

    line: int
    text: str
    separator: str
    names: list[str]


class Header(HeaderRow):
    """The header of a table of intervals."""

    __slots__ = ()

    def known(self, options: IntervalOptions) -> int:
        """Count the columns that the names tell."""
        return len({column_of(name, options.columns) for name in self.names} - {None})

    def columns(self, options: IntervalOptions, problems: Problems) -> dict[Column, int]:
        """Return where each column stands; report those that are missing or there twice.

        What the layout has no use for is left out; where the caller told none, an end makes a duration
        superfluous. Names that the caller gave rule out ours.
        """
        found: dict[Column, int] = {}
        given = {options.columns[name] for name in self.names if name in options.columns}
        for index, name in enumerate(self.names):
            column = column_of(name, options.columns)
            if column is None or (column in given and name not in options.columns):
                continue
            if column in found:
                self._say_double(column, index, self.names[found[column]], problems)
            found.setdefault(column, index)
        missing = self._missing(found, options)
        for column in _superfluous(found, options):
            found.pop(column, None)
        for column in missing:
            self._say_missing(column, options, problems)
        return found

    def _missing(self, found: dict[Column, int], options: IntervalOptions) -> list[Column]:
        second: dict[Layout, list[Column]] = {"points": [], "durations": ["duration"], "rows": ["end"]}
        either: list[Column] = ["duration"] if "duration" in found else ["end"]
        needed: list[Column] = ["start", *second.get(options.layout, either), "label"]
        return [column for column in needed if column not in found]

    def _say_double(self, column: Column, index: int, first: str, problems: Problems) -> None:
        message = f"columns {quote(first)} and {quote(self.names[index])} are both {column}"
        problem = Diagnostic(
            code="KT163", severity="error", message=message, hint=f"say which: --columns NAME={column}"
        )
        problems.add(self._place(index, problems.file).diagnose(problem))

    def _say_missing(self, column: Column, options: IntervalOptions, problems: Problems) -> None:
        unknown = [name for name in self.names if column_of(name, options.columns) is None and name.strip()]
        near = _nearest(unknown, column)
        hint = f"known names: {', '.join(NAMES[column][:5])}; or --columns NAME={column}"
        if column == "end" and self.known(options) == 2:
            hint = "a duration will do; or are these change points? --layout points"
        if self.names_other(column, options):
            hint = f"leave out --layout {options.layout}: the header says what the columns are"
        if near is not None:
            hint = f"did you mean {quote(near)}? --columns {near}={column}"
        named = ", ".join(quote(name) for name in self.names[:8])
        message = f"no column is the {column}: {named}"
        problem = Diagnostic(code="KT162", severity="error", message=message, hint=hint)
        place = Place(problems.file, self.line, 1, len(self.text), self.text)
        problems.add(place.diagnose(problem))

    def names_other(self, column: Column, options: IntervalOptions) -> bool:
        """Tell whether the layout asks for an end where there is a duration, or the other way round."""
        other: dict[Column, Column] = {"end": "duration", "duration": "end"}
        names = {column_of(name, options.columns) for name in self.names}
        return column in other and other[column] in names

    def _place(self, index: int, file: str) -> Place:
        column, text = field_at(self.text, self.separator, index)
        return Place(file, self.line, column, max(1, len(text)), self.text)


def _superfluous(found: Mapping[Column, int], options: IntervalOptions) -> tuple[Column, ...]:
    useless: dict[Layout, tuple[Column, ...]] = {
        "points": ("end", "duration"),
        "durations": ("end",),
        "rows": ("duration",),
        "auto": ("duration",) if "end" in found else (),
    }
    return useless[options.layout]


def _nearest(unknown: Sequence[str], column: Column) -> str | None:
    """Return the unknown header that resembles a known name most."""
    return next((name for name in unknown if close_match(name.strip().casefold(), NAMES[column])), None)


def field_at(line: str, separator: str, index: int) -> tuple[int, str]:
    """Return column and text of a field, without the quotes around it."""
    blank = " " if separator == "\t" else r"[ \t]"  # an empty cell must not swallow the next tab
    field = rf'{blank}*+(?:"((?:[^"]|"")*+)"|([^{re.escape(separator)}]*+))'
    fields = list(re.finditer(rf"(?:^|(?<={re.escape(separator)})){field}", line))
    found = fields[min(index, len(fields) - 1)]  # quotes that csv reads another way shift the count
    group = 1 if found[1] is not None else 2
    return found.start(group) + 1, found[group].rstrip(" \t")


def open_quote(line: str, separator: str) -> int:
    """Return the column of a quote that is not closed within its line.

    >>> open_quote('"a","b', ",")
    5
    """
    mark = re.escape(separator)
    opening = re.search(rf'(?:^|{mark})[ \t]*+(?P<quote>")(?!(?:[^"]|"")*+"(?:{mark}|$))', line)
    return 1 if opening is None else opening.start("quote") + 1


def find_header(text: str, options: IntervalOptions, *, expected: bool) -> Header | None:
    """Return the header if the first row is one.

    Parameters
    ----------
    text : str
        The file.
    options : IntervalOptions
        Has the caller's own names of columns.
    expected : bool
        Whether any first row that does not begin with a number counts as a header; else it must
        name two columns that are known.
    """
    separators: Sequence[str] = _SEPARATORS
    for number, found in enumerate(re.finditer(r"^.*$", text, re.MULTILINE), 1):
        line = found.group()
        if given := SEPARATOR_LINE.fullmatch(line):
            separators = (given[1],)
        elif line.strip(" \t") and not line.lstrip(" \t").startswith("#"):
            headers = [Header(number, line, mark, cells_of(line, mark) or [line]) for mark in separators]
            best = max(headers, key=lambda header: (header.known(options), len(header.names)))
            is_header = best.known(options) > 1 or (expected and not re.match(r"[+-]?\.?\d", best.names[0]))
            return best if is_header else None
    return None
