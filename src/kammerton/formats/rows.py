# SPDX-License-Identifier: MIT
"""Rows of text: ``.lab`` files, Audacity label tracks, Sonic Visualiser exports, plain columns.

Reading tries three ways, each slower and more patient than the one before: one regular expression
for a clean ``.lab`` file; one per shape of row (:mod:`~kammerton.formats.row_shapes`); and line by
line to say what is wrong (:mod:`~kammerton.formats.row_problems`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kammerton.errors import Diagnostic, quote
from kammerton.formats.budgets import keeps_lines
from kammerton.formats.columns import column_of
from kammerton.formats.csv_header import SEPARATOR_LINE
from kammerton.formats.finishing import finish
from kammerton.formats.hygiene import RawIntervals
from kammerton.formats.layouts import Columns
from kammerton.formats.options import IntervalOptions, Layout, RowLayout
from kammerton.formats.reading import Problems, TrackReading
from kammerton.formats.row_problems import NumberedLine, diagnose_rows
from kammerton.formats.row_shapes import Shape, shapes_of
from kammerton.formats.times import number_pattern, parse_time, seconds
from kammerton.model.annotations import Field, Place

__all__ = ["read_rows"]

_NUMBER = number_pattern(".")
_CLEAN_FILE = re.compile(rf"(?:[ \t\n]*+{_NUMBER}[ \t]++{_NUMBER}[ \t]++\S++[ \t]*+\n)++[ \t\n]*+")
"""Rows of start, end and a label without spaces; possessive, so that it never backtracks."""

_HEADERS: dict[tuple[str | None, ...], Layout] = {
    ("start", "end", "label"): "rows",
    ("start", "duration", "label"): "durations",
    ("start", "label"): "auto",  # whether these are change points, the caller says
}

_AROUND = " \t;,"
"""What may stand around a time that stands alone."""

_Fields = tuple[str, str, str, str]

_EXPECTED = {
    "rows": "start, end, label",
    "durations": "start, duration, label",
    "points": "time, label",
}


def read_rows(text: str, problems: Problems, options: IntervalOptions) -> TrackReading:
    r"""Read rows of start, end and label.

    Parameters
    ----------
    text : str
        The file, lines ended by ``\n``.
    problems : Problems
        Takes every problem found.
    options : IntervalOptions
        Layout and decimal mark.

    Returns
    -------
    TrackReading
        One track.
    """
    if not keeps_lines(text, problems, options.limits):
        return problems.reading(())
    rows = _read_clean(text, problems.file, options) or _read_shaped(text, problems, options)
    return finish([rows], problems, options)


def _read_clean(text: str, file: str, options: IntervalOptions) -> RawIntervals | None:
    """Read the text at once if it is a clean ``.lab`` file, or return None."""
    if options.layout not in ("auto", "rows") or options.decimal != ".":
        return None
    ended = text if text.endswith("\n") else text + "\n"
    if _CLEAN_FILE.fullmatch(ended) is None:
        return None
    words = ended.split()
    locate = _Locator(file, shapes_of(3, ".")[0], text)
    return RawIntervals(seconds(words[0::3], "."), seconds(words[1::3], "."), words[2::3], locate)


def _read_shaped(text: str, problems: Problems, options: IntervalOptions) -> RawIntervals:
    """Read the text by the shape its lines have in common, or say what is wrong."""
    lines = _lines_with_data(text)
    if lines and SEPARATOR_LINE.fullmatch(lines[0][1]):
        lines = lines[1:]
    layout: RowLayout = "rows" if options.layout == "auto" else options.layout
    if lines and (named := _layout_of_header(lines[0][1], options)) is not None:
        if options.layout not in ("auto", named) and named != "auto":
            _say_other_layout(lines[0], options.layout, problems)
        layout = layout if named == "auto" else named
        lines = lines[1:]
    shapes = shapes_of(2 if layout == "points" else 3, options.decimal)
    closing = lines[-1] if layout == "points" and _is_closing(lines, options) else None
    if closing is not None:
        lines = lines[:-1]
    fit = _common_shape(lines, shapes)
    if fit is None:
        shape, lines = diagnose_rows(lines, shapes, _EXPECTED[layout], problems)
        fit = shape, _fields(lines, shape)
    shape, fields = fit
    starts, ends, words, others = zip(*fields, strict=True) if fields else ((), (), (), ())
    labels = [word.rstrip(" \t") or shape.text(other) for word, other in zip(words, others, strict=True)]
    if closing is not None:
        lines, starts, labels = [*lines, closing], (*starts, closing[1].strip(_AROUND)), [*labels, ""]
    return Columns(layout, shape.mark, starts, ends, labels, _Locator(problems.file, shape, lines)).rows(
        problems
    )


def _lines_with_data(text: str) -> list[NumberedLine]:
    """Leave out blank lines, comments, and the lines in which Audacity keeps frequencies."""
    return [
        (number, line)
        for number, line in enumerate(text.split("\n"), 1)
        if (begin := line.lstrip(" \t")) and begin[0] not in "#\\"
    ]


def _is_closing(lines: Sequence[NumberedLine], options: IntervalOptions) -> bool:
    """Tell whether the last change point has a time only: its label would not be used."""
    return bool(lines) and parse_time(lines[-1][1].strip(_AROUND), options.decimal) is not None


def _layout_of_header(line: str, options: IntervalOptions) -> Layout | None:
    """Return the layout that a header between blanks tells, or None if the line is no header."""
    return _HEADERS.get(tuple(column_of(name, options.columns) for name in line.split()))


def _say_other_layout(header: NumberedLine, layout: Layout, problems: Problems) -> None:
    number, line = header
    problem = Diagnostic(
        code="KT162",
        severity="error",
        message=f"not the columns of --layout {layout}: {', '.join(map(quote, line.split()))}",
        hint=f"leave out --layout {layout}: the header says what the columns are",
    )
    problems.add(Place(problems.file, number, 1, len(line), line).diagnose(problem))


def _common_shape(
    lines: Sequence[NumberedLine], shapes: tuple[Shape, ...]
) -> tuple[Shape, list[_Fields]] | None:
    """Return the shape that all lines have, and their fields."""
    for shape in shapes:
        if not lines or shape.pattern.match(lines[0][1]):
            fields = _fields(lines, shape)
            if len(fields) == len(lines):
                return shape, fields
    return None


def _fields(lines: Sequence[NumberedLine], shape: Shape) -> list[_Fields]:
    """Return start, end, label and quoted label of each line that has the shape."""
    found: list[_Fields] = shape.pattern.findall("\n".join(line for _, line in lines))
    return found


class _Locator:
    """Finds the fields of rows in the file, once a problem asks for them."""

    def __init__(self, file: str, shape: Shape, source: str | list[NumberedLine]) -> None:
        self._file = file
        self._shape = shape
        self._source = source

    def __call__(self, row: int, field: Field) -> Place:
        if isinstance(self._source, str):
            self._source = _lines_with_data(self._source)
        number, line = self._source[row]
        column, text = self._shape.cell(line, field)
        return Place(self._file, number, column, len(text), line)
