# SPDX-License-Identifier: MIT
"""Shapes of rows without a header, and diagnostics of rows that share no shape."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from kammerton.errors import plural, quote, some
from kammerton.formats.intervals import DecimalMark, diagnose_time, number_pattern, parse_time
from kammerton.formats.reading import IntervalColumn, IntervalOptions, Layout, Problems, RowLayout
from kammerton.formats.tables import BLANK, NumberedLine, TableCell, cells_of, open_quote
from kammerton.model.annotations import Place

_TIMELIKE = re.compile(r"[+-]?\.?\d|[+-]?(?:nan|inf)", re.IGNORECASE)

_LOOKED_AT = 1000
"""Lines that do not fit and are diagnosed; the others are counted. As many lines decide on a shape."""

_BARS = re.compile(rf"[ \t]*{number_pattern('.')}\t(?!{number_pattern('.')}\s).*\|")
_NAMES = {BLANK: "blanks", "\t": "tabs", ",": "commas", ";": "semicolons"}


@dataclass(frozen=True, slots=True)
class RowShape:
    """The shape of a row: its columns, separator and decimal mark."""

    at: Mapping[IntervalColumn, int]  # where each column stands
    layout: RowLayout
    extra: Literal["", "file", "value"] = ""
    separator: str = BLANK
    mark: DecimalMark = "."  # decimal mark

    @property
    def width(self) -> int:
        """Cells of a row; the label is the last one."""
        return self.at["label"] + 1

    @property
    def times(self) -> list[int]:
        """The cells that are times."""
        return [index for column, index in self.at.items() if column != "label"]

    @property
    def expected(self) -> str:
        """The columns of a row, for messages."""
        names = sorted(self.at, key=self.at.__getitem__)
        return ", ".join(names).replace("start", "time" if self.layout == "points" else "start")

    def cells(self, line: str) -> list[TableCell]:
        """Cut a line, which need not have this shape."""
        return cells_of(line, self.separator, self.width)

    def fits(self, line: str) -> bool:
        """Return whether a line has this shape."""
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


_ROWS = RowShape({"start": 0, "end": 1, "label": 2}, "rows")
_DURATIONS = RowShape({"start": 0, "duration": 1, "label": 2}, "durations")
_POINTS = RowShape({"start": 0, "label": 1}, "points")
_REGIONS = RowShape({"start": 0, "duration": 2, "label": 3}, "durations", "value")
_FILE_ROWS, _FILE_DURATIONS, _FILE_POINTS = (
    RowShape({name: index + 1 for name, index in shape.at.items()}, shape.layout, "file")
    for shape in (_ROWS, _DURATIONS, _POINTS)
)


_SHAPES: dict[Layout, tuple[RowShape, ...]] = {
    "auto": (_ROWS, _POINTS, _FILE_ROWS, _FILE_POINTS, _REGIONS),
    "rows": (_ROWS, _FILE_ROWS),
    "durations": (_DURATIONS, _FILE_DURATIONS),
    "points": (_POINTS, _FILE_POINTS),
}


@lru_cache
def shapes_of(layout: Layout, mark: DecimalMark, separator: str | None = None) -> tuple[RowShape, ...]:
    """Return the shapes that rows can have, the likeliest first.

    A decimal comma is understood between semicolons even where points are expected, as spreadsheets
    of many countries write that and nothing else can be meant.
    """
    separators = (BLANK, ";", "\t") if mark == "," else (BLANK, ",", ";", "\t")
    separators_and_marks = [(cell_mark, mark) for cell_mark in ((separator,) if separator else separators)]
    separators_and_marks += [
        (cell_mark, ",") for cell_mark, _ in separators_and_marks if cell_mark == ";" and mark == "."
    ]
    return tuple(
        replace(shape, separator=cell_mark, mark=decimal)
        for cell_mark, decimal in separators_and_marks
        for shape in _SHAPES[layout]
    )


# --- files of another kind ------------------------------------------------------------------------------


def report_billboard(lines: Sequence[NumberedLine], problems: Problems) -> bool:
    """Report rows of Billboard's ``salami_chords.txt``, a time and bars between ``|``, if these are such."""
    if not any(_BARS.match(line) for _, line in lines[:_LOOKED_AT]):
        return False
    message = "format not recognised: bars of chords, as in Billboard's salami_chords.txt"
    hint = "the data set has the same chords with times in .lab files: majmin.lab, full.lab and others"
    numbered = next(line for line in lines if "|" in line[1])
    _report(problems, numbered, _whole(numbered[1]), "KT113", message, hint)
    return True


def diagnose_rows(
    lines: Sequence[NumberedLine], shapes: Sequence[RowShape], problems: Problems, options: IntervalOptions
) -> tuple[RowShape, list[NumberedLine]]:
    """Report every line that does not fit the shape most lines have."""
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
        line, cells = numbered[1], shape.cells(numbered[1])
        own_shape = next((rival for rival in shapes if rival.fits(line)), shape)
        if own_shape.separator != shape.separator:
            own, usual = _NAMES[own_shape.separator], _NAMES[shape.separator]
            message = f"row is separated by {own}, most others by {usual}"
            _report(
                problems, numbered, TableCell(1, line.rstrip(" \t")), "KT112", message, "use one separator"
            )
        elif numbered == lines[0] and fitting and not any(_TIMELIKE.match(cell.text) for cell in cells):
            names = ", ".join(quote(cell.value) for cell in cells[:5])
            message = f"looks like a header row, with names that are not known: {names}"
            hint = "columns are called start, end and label, or start, duration and label"
            _report(problems, numbered, cells[0], "KT111", message, hint)
        else:
            _report_line(numbered, cells, shape, problems)
    problems.add_rest(len(bad) - _LOOKED_AT)
    if not bad and _has_files(shape, lines, problems):
        return shape, []
    return shape, fitting


def _likeness(shape: RowShape, sample: Sequence[NumberedLine]) -> tuple[int, int]:
    """Count lines that could have this shape but for how times are spelled, and those that are cut at all."""
    is_other = {"points": -1, "file": 0}  # cells that are no times
    others = [is_other[kind] for kind in (shape.layout, shape.extra) if kind in is_other]
    cut = [cells for _, line in sample if _begins(shape, cells := shape.cells(line))]
    alike = sum(
        len(cells) == shape.width and not any(_TIMELIKE.match(cells[index].text) for index in others)
        for cells in cut
    )
    return alike, sum(len(cells) > 1 for cells in cut)


def _begins(shape: RowShape, cells: Sequence[TableCell]) -> bool:
    """Return whether the first time of a row looks like one."""
    first = shape.at["start"]
    return len(cells) > first and _TIMELIKE.match(cells[first].value) is not None


def _is_another_kind(
    shape: RowShape, sample: Sequence[NumberedLine], count: int, problems: Problems, options: IntervalOptions
) -> bool:
    """Report a file that is wrong as a whole, once."""
    cut = [(numbered, shape.cells(numbered[1])) for numbered in sample]
    timed = [(numbered, cells) for numbered, cells in cut if _begins(shape, cells)]
    if not timed:
        first, line = sample[0], sample[0][1]
        message, hint = "format not recognised: no line begins with a time", "rows are start, end and label"
        if line.lstrip(" \t").startswith("<"):
            message, hint = "format not recognised: looks like XML", "export the layer as text or CSV"
        _report(problems, first, _whole(line), "KT113", message, hint)
        return True
    width, most = Counter(len(cells) for _, cells in timed).most_common(1)[0]
    if width in (1, shape.width) or most <= len(sample) / 2:
        return False
    numbered = next(numbered for numbered, cells in cut if len(cells) == width)
    _report_columns(numbered, shape, count, problems, options)
    return True


def _report_columns(
    numbered: NumberedLine, shape: RowShape, count: int, problems: Problems, options: IntervalOptions
) -> None:
    """Report that the rows have other columns than the layout."""
    cells = shape.cells(numbered[1])
    columns, layout = plural(len(cells), "column"), options.layout
    example = ",".join(("start", "end", "x", "label", "y", "z")[: len(cells)])
    message, hint = f"rows have {columns}: a row is {shape.expected}", f"leave out --layout {layout}"
    if len(cells) == 2 and parse_time(cells[1].value, shape.mark) is None:
        message = f"rows have {columns}, time and label"
    elif len(cells) == 2:
        message, hint = f"rows have {columns}, start and end without label", "rows are start, end and label"
    elif layout == "points":
        message = f"rows have {columns}, not change points"
    else:
        hint = f"say what they are in a first line, such as {example}"
    begin, end = cells[0].column, cells[-1].column + len(cells[-1].text)
    _report(problems, numbered, TableCell(begin, " " * (end - begin)), "KT111", message, hint, count)


def _has_files(shape: RowShape, lines: Sequence[NumberedLine], problems: Problems) -> bool:
    """Report rows of several recordings, which are fine one by one."""
    rows = lines if shape.extra == "file" else ()
    names = list(dict.fromkeys(name for _, line in rows if (name := shape.cells(line)[0].value)))
    message = f"rows of {plural(len(names), 'recording')} in one file: {some(names)}"
    hint = "write a file for each recording"
    if len(names) < 2:
        return False
    second = next(line for line in rows if shape.cells(line[1])[0].value == names[1])
    _report(problems, second, shape.cells(second[1])[0], "KT111", message, hint)
    return True


# --- single lines ---------------------------------------------------------------------------------------


def _report(
    problems: Problems,
    numbered: NumberedLine,
    cell: TableCell,
    code: str,
    message: str,
    hint: str | None = None,
    count: int = 1,
) -> None:
    """Report what is wrong with a cell of a line."""
    number, line = numbered
    place = Place(problems.file, number, cell.column, max(1, len(cell.text)), line)
    problems.report(code, message, place, hint=hint, count=count)


def _whole(line: str) -> TableCell:
    text = line.lstrip(" \t")
    return TableCell(len(line) - len(text) + 1, text.rstrip(" \t"))


def _report_line(
    numbered: NumberedLine, cells: Sequence[TableCell], shape: RowShape, problems: Problems
) -> None:
    unclosed = open_quote(cells)
    if unclosed is not None:
        hint = "a quote within a quoted field is doubled"
        _report(problems, numbered, unclosed, "KT160", f"quote is not closed: {quote(unclosed.text)}", hint)
        return
    if len(cells) != shape.width:
        _report_width(numbered, cells, shape, problems)
        return
    wrong = [cells[index] for index in shape.times if parse_time(cells[index].value, shape.mark) is None]
    for cell in wrong:
        problem = diagnose_time(cell.value, shape.mark)
        _report(problems, numbered, cell, problem.code, problem.message, problem.hint)
    if not wrong:
        message = f"not a row of {shape.expected}" if cells[-1].value else "row has no label"
        _report(problems, numbered, cells[-1], "KT111", message)


def _report_width(
    numbered: NumberedLine, cells: Sequence[TableCell], shape: RowShape, problems: Problems
) -> None:
    odd = next(
        (
            (column, character)
            for column, character in enumerate(numbered[1], 1)
            if not character.isascii() and unicodedata.category(character) in ("Zs", "Cf")
        ),
        None,
    )
    if odd is not None and len(cells) < shape.width:
        column, character = odd
        name = f"U+{ord(character):04X} {unicodedata.name(character, 'of no name')}"
        message = f"{name} does not separate columns"
        _report(problems, numbered, TableCell(column, " "), "KT111", message, "use blanks or tabs")
        return
    message = f"{plural(len(cells), 'column')} instead of {shape.width}: a row is {shape.expected}"
    is_long = len(cells) > shape.width
    hint = "a label with spaces needs tabs between the columns"
    surplus = cells[shape.width] if is_long else cells[0]
    _report(
        problems, numbered, surplus, "KT111", message, hint if is_long and shape.separator == BLANK else None
    )
