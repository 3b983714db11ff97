# SPDX-License-Identifier: MIT
"""Lines cut into cells: what PIG files and tables with a header have in common."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kammerton.errors import Diagnostic, plural, quote
from kammerton.fingering.formats.notes import NoteField
from kammerton.formats.csv_header import cells_of
from kammerton.formats.reading import Problems
from kammerton.formats.row_problems import NumberedLine
from kammerton.model.annotations import Place

__all__ = ["SEPARATORS", "Table", "lines_with_data", "split_cells"]

SEPARATORS = ("\t", ",", ";", " ")
"""What may stand between cells, the usual one first; a space stands for any blanks."""


def _cell_pattern(separator: str) -> re.Pattern[str]:
    if separator == " ":
        return re.compile(r"(?P<plain>[^ \t]++)")
    blanks = " " if separator == "\t" else " \t"
    quoted = r'"(?P<quoted>(?:[^"]|"")*+)"'
    return re.compile(rf"(?:^|(?<={separator}))[{blanks}]*+(?:{quoted}|(?P<plain>[^{separator}]*+))")


_CELLS = {separator: _cell_pattern(separator) for separator in SEPARATORS}


def lines_with_data(text: str) -> list[NumberedLine]:
    """Leave out blank lines, and comments that begin with ``//`` or ``#``."""
    return [
        (number, line)
        for number, line in enumerate(text.split("\n"), 1)
        if (begin := line.lstrip(" \t")) and begin[0] != "#" and not begin.startswith("//")
    ]


def split_cells(line: str, separator: str) -> list[str] | None:
    """Cut one line into cells, or return None if its quotes do not allow it."""
    if separator == " ":
        return line.split()
    cells = cells_of(line, separator)
    return None if cells is None else [cell.strip(" \t") for cell in cells]


@dataclass(slots=True)
class Table:
    """The lines of a file that are rows, and where their fields stand.

    Parameters
    ----------
    file : str
        What diagnostics call the file.
    separator : str
        One of :data:`SEPARATORS`.
    width : int
        Number of cells of a row.
    columns : dict of field to int
        Index of the cell that a field is.
    lines : list of (int, str)
        The rows, each with the number of its line.
    """

    file: str
    separator: str
    width: int
    columns: dict[NoteField, int]
    lines: list[NumberedLine]

    def records(self, problems: Problems, expected: str) -> list[list[str]]:
        """Return the cells of each row; rows of another width are reported and left out."""
        records = _cut(self.lines, self.separator)
        if all(record is not None and len(record) == self.width for record in records):
            return [record for record in records if record is not None]
        kept = []
        rows = []
        for line, record in zip(self.lines, records, strict=True):
            if record is None:
                self._say_quote(line, problems)
            elif len(record) != self.width:
                self._say_width(line, record, problems, expected)
            else:
                kept.append(line)
                rows.append(record)
        self.lines = kept
        return rows

    def locate(self, row: int, field: NoteField) -> Place:
        """Return the place of a field, which is its row alone if the file has no such column."""
        number, line = self.lines[row]
        if field not in self.columns:
            return Place(self.file, number, excerpt=line)
        column, text = self._cell(line, self.columns[field])
        return Place(self.file, number, column, max(1, len(text)), line)

    def locator(self, field: NoteField) -> Callable[[int], Place]:
        """Return what finds the cells of a field."""
        return lambda row: self.locate(row, field)

    def _cell(self, line: str, index: int) -> tuple[int, str]:
        """Return column and text of a cell, without the quotes around it."""
        cell = list(_CELLS[self.separator].finditer(line))[index]
        group = "plain" if cell["plain"] is not None else "quoted"
        return cell.start(group) + 1, cell[group].rstrip(" \t")

    def _say_width(
        self, line: NumberedLine, record: Sequence[str], problems: Problems, expected: str
    ) -> None:
        number, text = line
        message = f"row has {plural(len(record), 'column')} instead of {self.width}"
        column, surplus = self._cell(text, self.width) if len(record) > self.width else (1, text)
        problem = Diagnostic(code="KT340", severity="error", message=message, hint=f"a row is {expected}")
        problems.add(Place(self.file, number, column, max(1, len(surplus)), text).diagnose(problem))

    def _say_quote(self, line: NumberedLine, problems: Problems) -> None:
        number, text = line
        column = text.index('"') + 1 if '"' in text else 1
        problem = Diagnostic(
            code="KT160",
            severity="error",
            message=f"quote is not closed: {quote(text[column - 1 :])}",
            hint="a quote within a quoted field is doubled",
        )
        problems.add(Place(self.file, number, column, 1, text).diagnose(problem))


def _cut(lines: Sequence[NumberedLine], separator: str) -> list[list[str] | None]:
    """Cut lines into cells, all at once, or singly if one of them has a quote too few."""
    texts = [line for _, line in lines]
    if separator != " ":
        try:
            records = list(csv.reader(texts, delimiter=separator, skipinitialspace=True, strict=True))
        except csv.Error:
            records = []
        if len(records) == len(lines):
            blanks = any(blank in text for blank in " \t" if blank != separator for text in texts)
            return [[cell.strip(" \t") for cell in record] for record in records] if blanks else list(records)
    return [split_cells(text, separator) for text in texts]
