# SPDX-License-Identifier: MIT
"""The shapes that rows of intervals have without a header, and what is wrong where none is common to all."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from kammerton.errors import Diagnostic, plural, quote, some
from kammerton.formats.options import Column, IntervalOptions, Layout, RowLayout
from kammerton.formats.reading import Problems
from kammerton.formats.tables import BLANK, Cell, NumberedLine, cells_of, open_quote
from kammerton.formats.times import DecimalMark, diagnose_time, number_pattern, parse_time
from kammerton.model.annotations import Place

__all__ = ["Shape", "diagnose_rows", "is_of_billboard", "say_billboard", "shapes_of"]

_TIMELIKE = re.compile(r"[+-]?\.?\d|[+-]?(?:nan|inf)", re.IGNORECASE)

_LOOKED_AT = 1000
"""Lines that do not fit whose problems are told apart; the rest is counted. As many tell a shape."""

_BARS = re.compile(rf"[ \t]*{number_pattern('.')}\t(?!{number_pattern('.')}\s).*\|")
_NAMES = {BLANK: "blanks", "\t": "tabs", ",": "commas", ";": "semicolons"}


@dataclass(frozen=True, slots=True)
class Shape:
    """One way to write rows.

    Parameters
    ----------
    at : mapping of str to int
        Where each column stands.
    layout : {"rows", "durations", "points"}
    before : {"", "file", "value"}
        What else a row has: the name of the recording, first, or a number behind the time.
    separator : str
    mark : {".", ","}
        Decimal mark.
    """

    at: Mapping[Column, int]
    layout: RowLayout
    extra: Literal["", "file", "value"] = ""
    separator: str = BLANK
    mark: DecimalMark = "."

    @property
    def width(self) -> int:
        """Cells of a row; the label is the last one."""
        return self.at["label"] + 1

    @property
    def times(self) -> list[int]:
        """Which cells are times."""
        return [index for column, index in self.at.items() if column != "label"]

    @property
    def expected(self) -> str:
        """What a row holds, for messages."""
        names = sorted(self.at, key=self.at.__getitem__)
        return ", ".join(names).replace("start", "time" if self.layout == "points" else "start")

    def cells(self, line: str) -> list[Cell]:
        """Cut a line, which need not have this shape."""
        return cells_of(line, self.separator, self.width)

    def fits(self, line: str) -> bool:
        """Tell whether a line has this shape."""
        cells = self.cells(line)
        if len(cells) != self.width or open_quote(cells) is not None:
            return False
        numbers = [*self.times, *([1] if self.extra == "value" else [])]
        if any(parse_time(cells[index].value, self.mark) is None for index in numbers):
            return False
        if self.extra == "file" and _TIMELIKE.match(cells[0].text):
            return False
        label = cells[-1].value
        return bool(label) and not (self.layout == "points" and _TIMELIKE.match(label))


_ROWS = Shape({"start": 0, "end": 1, "label": 2}, "rows")
_DURATIONS = Shape({"start": 0, "duration": 1, "label": 2}, "durations")
_POINTS = Shape({"start": 0, "label": 1}, "points")
_REGIONS = Shape({"start": 0, "duration": 2, "label": 3}, "durations", "value")


def _of_file(shape: Shape) -> Shape:
    return Shape({name: index + 1 for name, index in shape.at.items()}, shape.layout, "file")


_SHAPES: dict[Layout, tuple[Shape, ...]] = {
    "auto": (_ROWS, _POINTS, _of_file(_ROWS), _of_file(_POINTS), _REGIONS),
    "rows": (_ROWS, _of_file(_ROWS)),
    "durations": (_DURATIONS, _of_file(_DURATIONS)),
    "points": (_POINTS, _of_file(_POINTS)),
}


@lru_cache
def shapes_of(layout: Layout, mark: DecimalMark, separator: str | None = None) -> tuple[Shape, ...]:
    """Return the shapes that rows can have, the likeliest first.

    A decimal comma is understood between semicolons even where points are expected, as spreadsheets
    of many countries write that and nothing else can be meant.
    """
    separators = (BLANK, ";", "\t") if mark == "," else (BLANK, ",", ";", "\t")
    ways = [(each, mark) for each in ((separator,) if separator else separators)]
    ways += [(each, ",") for each, _ in ways if each == ";" and mark == "."]
    return tuple(replace(shape, separator=each, mark=of) for each, of in ways for shape in _SHAPES[layout])


# --- files of another kind ------------------------------------------------------------------------------


def is_of_billboard(lines: Sequence[NumberedLine]) -> bool:
    """Tell whether rows are those of Billboard's ``salami_chords.txt``: a time, and bars between ``|``."""
    return any(_BARS.match(line) for _, line in lines[:_LOOKED_AT])


def say_billboard(lines: Sequence[NumberedLine], problems: Problems) -> None:
    """Report a ``salami_chords.txt``."""
    message = "format not recognised: bars of chords, as in Billboard's salami_chords.txt"
    hint = "the data set has the same chords with times in .lab files: majmin.lab, full.lab and others"
    numbered = next(each for each in lines if "|" in each[1])
    _say(problems, numbered, _whole(numbered[1]), _error("KT113", message, hint))


def diagnose_rows(
    lines: Sequence[NumberedLine], shapes: Sequence[Shape], problems: Problems, options: IntervalOptions
) -> tuple[Shape, list[NumberedLine]]:
    """Report every line that does not fit the shape most lines have.

    Parameters
    ----------
    lines : sequence of (int, str)
        Lines that are neither blank nor comments; at least one.
    shapes : sequence of Shape
        Shapes that rows may have.
    problems : Problems
        Takes at least one error.
    options : IntervalOptions
        Has the layout that was asked for.

    Returns
    -------
    shape : Shape
    fitting : list of (int, str)
        The lines that do fit it, whose times can be checked further.
    """
    sample = lines[:: len(lines) // _LOOKED_AT + 1]
    fits = [(sum(shape.fits(line) for _, line in sample), *_likeness(shape, sample)) for shape in shapes]
    shape = shapes[max(range(len(shapes)), key=fits.__getitem__)]
    if _is_another_kind(shape, sample, len(lines), problems, options):
        return shape, []
    fitting: list[NumberedLine] = []
    bad: list[NumberedLine] = []
    for numbered in lines:
        (fitting if shape.fits(numbered[1]) else bad).append(numbered)
    for numbered in bad[:_LOOKED_AT]:
        other = next((rival for rival in shapes if rival.fits(numbered[1])), shape)
        if other.separator != shape.separator:
            _say_mixed(numbered, shape, other, problems)
        elif numbered == lines[0] and fitting and _is_header(shape, numbered[1]):
            _say_header(numbered, shape, problems)
        else:
            _say_line(numbered, shape, problems)
    problems.add_rest(len(bad) - _LOOKED_AT)
    if not bad and _has_files(shape, lines, problems):
        return shape, []
    return shape, fitting


def _likeness(shape: Shape, sample: Sequence[NumberedLine]) -> tuple[int, int]:
    """Count lines that could have this shape but for how times are spelled, and those that are cut at all."""
    is_other = {"points": -1, "file": 0}  # cells that are no times
    others = [is_other[kind] for kind in (shape.layout, shape.extra) if kind in is_other]
    cut = [cells for _, line in sample if _begins(shape, cells := shape.cells(line))]
    alike = sum(
        len(cells) == shape.width and not any(_TIMELIKE.match(cells[index].text) for index in others)
        for cells in cut
    )
    return alike, sum(len(cells) > 1 for cells in cut)


def _begins(shape: Shape, cells: Sequence[Cell]) -> bool:
    """Tell whether the first time of a row looks like one."""
    first = shape.at["start"]
    return len(cells) > first and _TIMELIKE.match(cells[first].value) is not None


def _is_another_kind(
    shape: Shape, sample: Sequence[NumberedLine], count: int, problems: Problems, options: IntervalOptions
) -> bool:
    """Report a file that is wrong as a whole, once."""
    if not any(_begins(shape, shape.cells(line)) for _, line in sample):
        _say_foreign(sample[0], problems)
        return True
    widths = Counter(len(cells) for _, line in sample if _begins(shape, cells := shape.cells(line)))
    width, most = widths.most_common(1)[0]
    if width in (1, shape.width) or most <= len(sample) / 2:
        return False
    numbered = next(each for each in sample if len(shape.cells(each[1])) == width)
    _say_columns(numbered, shape, count, problems, options)
    return True


def _say_foreign(numbered: NumberedLine, problems: Problems) -> None:
    message, hint = "format not recognised: no line begins with a time", "rows are start, end and label"
    if numbered[1].lstrip(" \t").startswith("<"):
        message, hint = "format not recognised: looks like XML", "export the layer as text or CSV"
    _say(problems, numbered, _whole(numbered[1]), _error("KT113", message, hint))


def _say_columns(
    numbered: NumberedLine, shape: Shape, count: int, problems: Problems, options: IntervalOptions
) -> None:
    """Report that the rows have other columns than the layout."""
    cells = shape.cells(numbered[1])
    columns, asked = plural(len(cells), "column"), options.layout
    named = ",".join(("start", "end", "x", "label", "y", "z")[: len(cells)])
    message, hint = f"rows have {columns}: a row is {shape.expected}", f"leave out --layout {asked}"
    if len(cells) == 2 and parse_time(cells[1].value, shape.mark) is None:
        message = f"rows have {columns}, time and label"
    elif len(cells) == 2:
        message, hint = f"rows have {columns}, start and end without label", "rows are start, end and label"
    elif asked == "points":
        message = f"rows have {columns}, not change points"
    else:
        hint = f"say what they are in a first line, such as {named}"
    problem = Diagnostic(code="KT111", severity="error", message=message, hint=hint, count=count)
    begin, end = cells[0].column, cells[-1].column + len(cells[-1].text)
    _say(problems, numbered, Cell(begin, " " * (end - begin)), problem)


def _has_files(shape: Shape, lines: Sequence[NumberedLine], problems: Problems) -> bool:
    """Report rows of several recordings, which are fine one by one."""
    named = lines if shape.extra == "file" else ()
    names = list(dict.fromkeys(name for _, line in named if (name := shape.cells(line)[0].value)))
    message = f"rows of {plural(len(names), 'recording')} in one file: {some(names)}"
    hint = "write a file for each recording"
    if len(names) < 2:
        return False
    second = next(each for each in named if shape.cells(each[1])[0].value == names[1])
    _say(problems, second, shape.cells(second[1])[0], _error("KT111", message, hint))
    return True


# --- single lines ---------------------------------------------------------------------------------------


def _error(code: str, message: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic(code=code, severity="error", message=message, hint=hint)


def _say(problems: Problems, numbered: NumberedLine, cell: Cell, problem: Diagnostic) -> None:
    number, line = numbered
    problems.add_at(problem, lambda: Place(problems.file, number, cell.column, max(1, len(cell.text)), line))


def _whole(line: str) -> Cell:
    text = line.lstrip(" \t")
    return Cell(len(line) - len(text) + 1, text.rstrip(" \t"))


def _is_header(shape: Shape, line: str) -> bool:
    return not any(_TIMELIKE.match(cell.text) for cell in shape.cells(line))


def _say_mixed(numbered: NumberedLine, shape: Shape, other: Shape, problems: Problems) -> None:
    used, usual = _NAMES[other.separator], _NAMES[shape.separator]
    message = f"row is separated by {used}, most others by {usual}"
    line = numbered[1].rstrip(" \t")
    _say(problems, numbered, Cell(1, line), _error("KT112", message, "use one separator"))


def _say_header(numbered: NumberedLine, shape: Shape, problems: Problems) -> None:
    cells = shape.cells(numbered[1])
    names = ", ".join(quote(cell.value) for cell in cells[:5])
    message = f"looks like a header row, with names that are not known: {names}"
    hint = "columns are called start, end and label, or start, duration and label"
    _say(problems, numbered, cells[0], _error("KT111", message, hint))


def _say_line(numbered: NumberedLine, shape: Shape, problems: Problems) -> None:
    cells = shape.cells(numbered[1])
    unclosed = open_quote(cells)
    if unclosed is not None:
        hint = "a quote within a quoted field is doubled"
        _say(
            problems,
            numbered,
            unclosed,
            _error("KT160", f"quote is not closed: {quote(unclosed.text)}", hint),
        )
        return
    if len(cells) != shape.width:
        _say_count(numbered, cells, shape, problems)
        return
    wrong = [cells[index] for index in shape.times if parse_time(cells[index].value, shape.mark) is None]
    for cell in wrong:
        _say(problems, numbered, cell, diagnose_time(cell.value, shape.mark))
    if not wrong:
        message = f"not a row of {shape.expected}" if cells[-1].value else "row has no label"
        _say(problems, numbered, cells[-1], _error("KT111", message))


def _is_odd_blank(character: str) -> bool:
    return not character.isascii() and unicodedata.category(character) in ("Zs", "Cf")


def _named(character: str) -> str:
    return f"U+{ord(character):04X} {unicodedata.name(character, 'of no name')}"


def _say_count(numbered: NumberedLine, cells: list[Cell], shape: Shape, problems: Problems) -> None:
    odd = next((at for at, character in enumerate(numbered[1]) if _is_odd_blank(character)), None)
    if odd is not None and len(cells) < shape.width:
        message = f"{_named(numbered[1][odd])} does not separate columns"
        _say(problems, numbered, Cell(odd + 1, " "), _error("KT111", message, "use blanks or tabs"))
        return
    message = f"{plural(len(cells), 'column')} instead of {shape.width}: a row is {shape.expected}"
    hint = None
    surplus = cells[0]
    if len(cells) > shape.width:
        surplus = cells[shape.width]
        if shape.separator == BLANK:
            hint = "a label with spaces needs tabs between the columns"
    _say(problems, numbered, surplus, _error("KT111", message, hint))
