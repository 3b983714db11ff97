# SPDX-License-Identifier: MIT
"""What is wrong with rows that have no shape in common, said line by line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from kammerton.errors import Diagnostic, plural, quote
from kammerton.formats.reading import Problems
from kammerton.formats.row_shapes import Cell, Shape, shapes_of
from kammerton.formats.times import diagnose_mark, diagnose_time, other_mark, parse_time
from kammerton.model.annotations import Place

__all__ = ["NumberedLine", "diagnose_rows"]

NumberedLine = tuple[int, str]
"""A line with its number, from 1."""

_TIMELIKE = re.compile(r"[+-]?\.?\d|[+-]?(?:nan|inf)", re.IGNORECASE)

_LOOKED_AT = 1000
"""Lines that do not fit whose problems are told apart; the rest is counted."""

_NAMES = {"blank": "blanks", ",": "commas", ";": "semicolons"}


def diagnose_rows(
    lines: Sequence[NumberedLine], shapes: tuple[Shape, ...], expected: str, problems: Problems
) -> tuple[Shape, list[NumberedLine]]:
    """Report every line that does not fit the shape most lines have.

    Parameters
    ----------
    lines : sequence of (int, str)
        Lines that are neither blank nor comments; at least one.
    shapes : tuple of Shape
        Shapes that rows may have.
    expected : str
        What a row should hold, for messages.
    problems : Problems
        Takes at least one error.

    Returns
    -------
    shape : Shape
    fitting : list of (int, str)
        The lines that do fit it, whose times can be checked further.
    """
    fits = [[shape.pattern.match(line) is not None for _, line in lines] for shape in shapes]
    best = max(range(len(shapes)), key=lambda index: sum(fits[index]))
    if not any(fits[best]):
        best = max(range(len(shapes)), key=lambda index: _likeness(shapes[index], lines))
    shape = shapes[best]
    if _is_another_kind(shape, fits[best], lines, problems):
        return shape, []
    fitting = [numbered for index, numbered in enumerate(lines) if fits[best][index]]
    bad = [index for index, fit in enumerate(fits[best]) if not fit]
    for index in bad[:_LOOKED_AT]:
        numbered = lines[index]
        other = next((shapes[rival] for rival in range(len(shapes)) if fits[rival][index]), shape)
        if other.separator != shape.separator:
            _say_mixed(numbered, shape, other, problems)
        elif index == 0 and fitting and _is_header(shape, numbered[1]):
            _say_header(numbered, shape, problems)
        else:
            _say_line(numbered, shape, expected, problems)
    problems.add_rest(len(bad) - _LOOKED_AT)
    return shape, fitting


def _is_another_kind(
    shape: Shape, fits: Sequence[bool], lines: Sequence[NumberedLine], problems: Problems
) -> bool:
    """Report a file that is wrong as a whole, once."""
    return (
        _is_foreign(shape, lines, problems)
        or _has_other_mark(shape, lines, problems)
        or _has_other_columns(shape, fits, lines, problems)
    )


def _first(shape: Shape, line: str) -> str:
    return shape.cells(line)[0][1]


def _is_header(shape: Shape, line: str) -> bool:
    return not any(_TIMELIKE.match(text) for _, text in shape.cells(line))


def _likeness(shape: Shape, lines: Sequence[NumberedLine]) -> int:
    """Count lines, of the first thousand, that could have this shape but for how times are spelled."""
    cut = (shape.cells(line) for _, line in lines[:1000])
    return sum(len(cells) == shape.columns and _TIMELIKE.match(cells[0][1]) is not None for cells in cut)


def _say(
    problems: Problems, numbered: NumberedLine, cell: Cell, problem: Diagnostic, length: int | None = None
) -> None:
    number, line = numbered
    column, text = cell
    width = max(1, len(text) if length is None else length)
    problems.add_at(problem, lambda: Place(problems.file, number, column, width, line))


def _error(code: str, message: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic(code=code, severity="error", message=message, hint=hint)


def _is_foreign(shape: Shape, lines: Sequence[NumberedLine], problems: Problems) -> bool:
    """Report a file of another kind: no line begins with a time."""
    if any(_TIMELIKE.match(_first(shape, line)) for _, line in lines):
        return False
    stripped = lines[0][1].strip(" \t")
    message, hint = "format not recognised: no line begins with a time", "rows are start, end and label"
    if stripped.startswith("<"):
        message, hint = "format not recognised: looks like XML", "export the layer as text or CSV"
    _say(problems, lines[0], (lines[0][1].index(stripped) + 1, stripped), _error("KT113", message, hint))
    return True


def _has_other_mark(shape: Shape, lines: Sequence[NumberedLine], problems: Problems) -> bool:
    """Report a file whose rows would all fit with the other decimal mark, once."""
    for rival in shapes_of(shape.columns, other_mark(shape.mark)):
        if all(rival.pattern.match(line) for _, line in lines):
            times = ((numbered, cell) for numbered in lines for cell in rival.cells(numbered[1])[:-1])
            wrong = next((time for time in times if parse_time(time[1][1], shape.mark) is None), None)
            if wrong is not None:
                _say(problems, *wrong, diagnose_mark(wrong[1][1], shape.mark, len(lines)))
                return True
    return False


def _has_other_columns(
    shape: Shape, fits: Sequence[bool], lines: Sequence[NumberedLine], problems: Problems
) -> bool:
    """Report a file whose rows have the columns of another layout, once."""
    columns = 2 if shape.columns == 3 else 3
    other = next(
        (
            rival
            for rival in shapes_of(columns, shape.mark)
            if sum(rival.pattern.match(line) is not None for _, line in lines)
            > max(sum(fits), len(lines) / 2)
        ),
        None,
    )
    if other is None:
        return False
    numbered = next(numbered for numbered in lines if other.pattern.match(numbered[1]))
    cells = other.cells(numbered[1])
    if columns == 2:
        found = "2 columns, start and end without label"
        hint = "rows are start, end and label"
        if len(cells) > 1 and parse_time(cells[1][1], other.mark) is None:
            found, hint = "2 columns, time and label", "looks like change points: use --layout points"
    else:
        found, hint = "3 columns, not change points", "leave out --layout points"
    message = f"rows have {found}"
    problem = Diagnostic(code="KT111", severity="error", message=message, hint=hint, count=len(lines))
    begin, end = cells[0][0], cells[-1][0] + len(cells[-1][1])
    _say(problems, numbered, cells[0], problem, end - begin)
    return True


def _say_mixed(numbered: NumberedLine, shape: Shape, other: Shape, problems: Problems) -> None:
    used, usual = _NAMES[other.separator], _NAMES[shape.separator]
    message = f"row is separated by {used}, most others by {usual}"
    _say(problems, numbered, (1, numbered[1].rstrip(" \t")), _error("KT112", message, "use one separator"))


def _say_header(numbered: NumberedLine, shape: Shape, problems: Problems) -> None:
    names = ", ".join(quote(text) for _, text in shape.cells(numbered[1])[:5])
    message = f"looks like a header row, with names that are not known: {names}"
    hint = "use start, end and label, or --columns NAME=start"
    _say(problems, numbered, shape.cells(numbered[1])[0], _error("KT111", message, hint))


def _say_line(numbered: NumberedLine, shape: Shape, expected: str, problems: Problems) -> None:
    cells = shape.cells(numbered[1])
    if len(cells) != shape.columns:
        _say_count(numbered, cells, shape, expected, problems)
        return
    wrong = [cell for cell in cells[:-1] if parse_time(cell[1].strip('"'), shape.mark) is None]
    for cell in wrong:
        _say(problems, numbered, cell, diagnose_time(cell[1], shape.mark))
    if not wrong:
        column, label = cells[-1]
        problem = _error("KT111", "row has no label")
        if label.strip('"'):
            hint = "a quote within a quoted field is doubled"
            problem = _error("KT160", f"quote is not closed: {quote(label)}", hint)
        _say(problems, numbered, (column, label), problem)


def _is_odd_blank(character: str) -> bool:
    return not character.isascii() and unicodedata.category(character) in ("Zs", "Cf")


def _named(character: str) -> str:
    return f"U+{ord(character):04X} {unicodedata.name(character, 'of no name')}"


def _say_count(
    numbered: NumberedLine, cells: list[Cell], shape: Shape, expected: str, problems: Problems
) -> None:
    odd = next((at for at, character in enumerate(numbered[1]) if _is_odd_blank(character)), None)
    if odd is not None and len(cells) < shape.columns:
        message = f"{_named(numbered[1][odd])} does not separate columns"
        _say(problems, numbered, (odd + 1, " "), _error("KT111", message, "use blanks or tabs"))
        return
    message = f"{plural(len(cells), 'column')} instead of {shape.columns}: a row is {expected}"
    hint = None
    surplus = cells[0]
    if len(cells) > shape.columns:
        surplus = cells[shape.columns]
        if shape.separator == "blank":
            hint = "a label with spaces needs tabs between the columns"
    _say(problems, numbered, surplus, _error("KT111", message, hint))
