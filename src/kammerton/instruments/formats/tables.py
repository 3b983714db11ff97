# SPDX-License-Identifier: MIT
"""Comma-, semicolon- and tab-separated tables: a header, and a row for each line below it."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kammerton.errors import Diagnostic, plural, quote
from kammerton.formats.budgets import keeps_lines, say_exceeded
from kammerton.formats.csv_header import SEPARATOR_LINE, HeaderRow, cells_of, field_at, open_quote
from kammerton.formats.options import Limits
from kammerton.formats.reading import Problems
from kammerton.model.annotations import Place

__all__ = ["Table", "header_of", "read_table"]

_SEPARATORS = ("\t", ",", ";")


def header_of(text: str) -> HeaderRow | None:
    """Return the first row of a text that has one; the separator is the one it has most of."""
    separators: Sequence[str] = _SEPARATORS
    for number, found in enumerate(re.finditer(r"^.*$", text, re.MULTILINE), 1):
        line = found.group()
        if given := SEPARATOR_LINE.fullmatch(line):
            separators = (given[1],)
        elif line.strip(" \t") and not line.lstrip(" \t").startswith("#"):
            cut = [(mark, cells_of(line, mark) or [line]) for mark in separators]
            separator, cells = max(cut, key=lambda each: len(each[1]))
            names = [cell.strip() for cell in cells]
            while names and not names[-1]:
                del names[-1]
            return HeaderRow(number, line, separator, names)
    return None


@dataclass(slots=True, eq=False)
class Table:
    """A table, and where its cells stand.

    Parameters
    ----------
    file : str
        What diagnostics call the file.
    header : HeaderRow
    lines : list of str
        The rows that can be used, as written.
    numbers : sequence of int
        Numbers of their lines.
    columns : list of list of str
        Their cells, one list for each name of the header.
    uneven : list of (list of str, str)
        Cells of rows of another length, and what is wrong with them.
    """

    file: str
    header: HeaderRow
    lines: list[str]
    numbers: Sequence[int]
    columns: list[list[str]] = field(default_factory=list)
    uneven: list[tuple[list[str], str]] = field(default_factory=list)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.lines)

    def keep(self, rows: Sequence[int]) -> None:
        """Leave all other rows out."""
        self.lines = [self.lines[row] for row in rows]
        self.numbers = [self.numbers[row] for row in rows]
        self.columns = [[column[row] for row in rows] for column in self.columns]

    def locator(self, index: int) -> Callable[[int], Place]:
        """Return what finds the cells of a column."""
        return lambda row: self.locate(row, index)

    def locate(self, row: int, index: int) -> Place:
        """Return the place of a cell."""
        line = self.lines[row]
        column, text = field_at(line, self.header.separator, index)
        return Place(self.file, self.numbers[row], column, max(1, len(text)), line)

    def name_place(self, index: int) -> Place:
        """Return the place of a name of the header."""
        column, text = field_at(self.header.text, self.header.separator, index)
        return Place(self.file, self.header.line, column, max(1, len(text)), self.header.text)

    @property
    def header_place(self) -> Place:
        """The place of the header."""
        return Place(self.file, self.header.line, 1, max(1, len(self.header.text)), self.header.text)


def read_table(text: str, header: HeaderRow, problems: Problems, limits: Limits) -> Table | None:
    r"""Cut the rows below a header into cells.

    Parameters
    ----------
    text : str
        The file, lines ended by ``\n``.
    header : HeaderRow
        Its first row.
    problems : Problems
        Takes KT106, KT160 and KT161.
    limits : Limits
        Budgets of rows and lines.

    Returns
    -------
    Table or None
        None if the file is over a budget. One line is one row, whatever quotes there are.
    """
    if not keeps_lines(text, problems, limits, headers=1):
        return None
    lines = text.split("\n")[header.line :]
    while lines and not lines[-1]:
        del lines[-1]
    numbers: Sequence[int] = range(header.line + 1, header.line + 1 + len(lines))
    blank = " \t" + header.separator
    if not all(line.strip(blank) for line in lines):
        numbers = [number for number, line in zip(numbers, lines, strict=True) if line.strip(blank)]
        lines = [line for line in lines if line.strip(blank)]
    table = Table(problems.file, header, lines, numbers)
    separator, width = header.separator, len(header.names)
    if '"' not in text and all(line.count(separator) == width - 1 for line in lines):
        cells = separator.join(lines).split(separator)  # one list, not one for each row
        table.columns = [cells[index::width] if lines else [] for index in range(width)]
    else:
        _even_out(table, _cut(lines, separator), problems)
    return table


def _cut(lines: list[str], separator: str) -> list[list[str] | None]:
    """Cut lines into cells; None where quotes do not allow it."""
    try:
        records = list(csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True))
    except csv.Error:
        records = []
    return list(records) if len(records) == len(lines) else [cells_of(line, separator) for line in lines]


def _even_out(table: Table, records: Sequence[list[str] | None], problems: Problems) -> None:
    """Leave out rows of another length than the header, and report them; cells without content may follow."""
    width = len(table.header.names)
    rows, kept = [], []
    for row, record in enumerate(records):
        if record is None:
            table.uneven.append(([], _say_unclosed(table, row, problems)))
        elif len(record) < width or any(cell.strip() for cell in record[width:]):
            table.uneven.append((record, _say_width(table, row, record, problems)))
        else:
            rows.append(row)
            kept.append(record[:width])
    if len(rows) < len(records):
        table.keep(rows)
    table.columns = [list(column) for column in zip(*kept, strict=True)] or [[] for _ in range(width)]


def _say_width(table: Table, row: int, record: list[str], problems: Problems) -> str:
    number, text = table.numbers[row], table.lines[row]
    width = len(table.header.names)
    message = f"row has {plural(len(record), 'column')}, the header {width}"
    column, surplus = 1, text
    if len(record) > width:
        column, surplus = field_at(text, table.header.separator, width)
    problem = Diagnostic(
        code="KT161", severity="error", message=message, hint="quote what has separators in it"
    )
    problems.add_at(problem, lambda: Place(table.file, number, column, max(1, len(surplus)), text))
    return f"KT161 {message}"


def _say_unclosed(table: Table, row: int, problems: Problems) -> str:
    number, text = table.numbers[row], table.lines[row]
    if len(text) > csv.field_size_limit():
        message = f"field of more than {csv.field_size_limit():,} characters"
        say_exceeded(problems, message, number)
        return f"KT106 {message}"
    column = open_quote(text, table.header.separator)
    message = f"quote is not closed: {quote(text[column - 1 :])}"
    hint = "a quote within a quoted field is doubled"
    problem = Diagnostic(code="KT160", severity="error", message=message, hint=hint)
    problems.add_at(problem, lambda: Place(table.file, number, column, 1, text))
    return f"KT160 {message}"
