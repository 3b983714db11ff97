# SPDX-License-Identifier: MIT
"""Comma-, semicolon- and tab-separated files whose first row names the columns.

One line is one row: a quoted field that runs over a line end is an unclosed quote far more often
than a label of two lines, and would swallow the rows in between.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from kammerton.errors import Diagnostic, quote
from kammerton.formats.budgets import keeps_lines, say_exceeded
from kammerton.formats.columns import Column
from kammerton.formats.csv_header import Header, cells_of, field_at
from kammerton.formats.finishing import finish
from kammerton.formats.hygiene import Rows
from kammerton.formats.layouts import Columns
from kammerton.formats.options import IntervalOptions, RowLayout
from kammerton.formats.reading import Problems, Reading
from kammerton.formats.row_problems import NumberedLine
from kammerton.formats.times import (
    DecimalMark,
    are_times,
    diagnose_mark,
    diagnose_time,
    other_mark,
    parse_time,
)
from kammerton.model.annotations import Field, Place

__all__ = ["read_csv"]

Records = Sequence[list[str] | None]
"""Rows cut into fields; None where the quotes do not allow it."""


def read_csv(text: str, header: Header, problems: Problems, options: IntervalOptions) -> Reading:
    r"""Read rows below a header.

    Parameters
    ----------
    text : str
        The file, lines ended by ``\n``.
    header : Header
        Its first row.
    problems : Problems
        Takes every problem found.
    options : IntervalOptions
        Names of columns, layout and decimal mark.

    Returns
    -------
    Reading
        One track.
    """
    if not keeps_lines(text, problems, options.limits, headers=1):
        return problems.reading(())
    columns = header.columns(options, problems)
    if problems.has_errors:
        return problems.reading(())
    lines = _lines_below(text, header, columns)
    records = _cut(lines, header.separator)
    table = _Table.of(header, columns, records, options)
    if not table.fits(records):
        if table.say_other_mark(lines, records, problems):
            return problems.reading(())
        bad = {row for row, line in enumerate(lines) if table.diagnose(line, records[row], problems)}
        lines = [line for row, line in enumerate(lines) if row not in bad]
        records = [record for row, record in enumerate(records) if row not in bad]
    return finish([table.rows(lines, records, problems)], problems, options)


def _lines_below(text: str, header: Header, columns: dict[Column, int]) -> list[NumberedLine]:
    """Leave out blank rows, which spreadsheets write as separators only, and comments."""
    empty = " \t" + header.separator
    comment = "#" if columns["label"] > 0 else "\n"  # where labels come first, one may begin with it
    return [
        (number, line)
        for number, line in enumerate(text.split("\n"), 1)
        if number > header.line and line.strip(empty) and not line.startswith(comment)
    ]


def _cut(lines: list[NumberedLine], separator: str) -> list[list[str] | None]:
    """Cut lines into fields, all at once, or singly if one of them has a quote too few."""
    texts = [line for _, line in lines]
    try:
        records = list(csv.reader(texts, delimiter=separator, skipinitialspace=True, strict=True))
    except csv.Error:
        records = []
    return list(records) if len(records) == len(lines) else [cells_of(text, separator) for text in texts]


@dataclass(frozen=True, slots=True)
class _Table:
    """What every row of a file has to be like."""

    separator: str
    width: int
    layout: RowLayout
    mark: DecimalMark
    columns: dict[Field, int]

    @classmethod
    def of(
        cls, header: Header, columns: dict[Column, int], records: Records, options: IntervalOptions
    ) -> _Table:
        """Put together what header and options say."""
        layout: RowLayout = "rows" if "end" in columns else "durations" if "duration" in columns else "points"
        places: dict[Field, int] = {"start": columns["start"], "label": columns["label"]}
        if layout != "points":
            places["end"] = columns["end" if layout == "rows" else "duration"]
        table = cls(header.separator, len(header.names), layout, options.decimal, places)
        return replace(table, mark=",") if table.has_decimal_commas(records) else table

    def has_decimal_commas(self, records: Records) -> bool:
        """Tell if times have commas and no points, which between semicolons means one thing."""
        if self.separator != ";":
            return False
        times = [
            record[self.columns[field]]
            for record in records
            if record is not None and len(record) == self.width
            for field in self.time_fields()
        ]
        return any("," in time for time in times) and not any("." in time for time in times)

    def time_fields(self) -> list[Field]:
        """Return the fields that are times."""
        return [field for field in self.columns if field != "label"]

    def fits(self, records: Records) -> bool:
        """Tell whether nothing is wrong with any row."""
        if not all(record is not None and len(record) == self.width for record in records):
            return False
        times = [self.texts(records, field) for field in self.time_fields()]
        labels = self.texts(records, "label")
        return all(are_times(texts, self.mark) for texts in times) and all(map(str.strip, labels))

    def say_other_mark(self, lines: list[NumberedLine], records: Records, problems: Problems) -> bool:
        """Report, once, that all rows would fit with the other decimal mark; tell whether they do."""
        if not replace(self, mark=other_mark(self.mark)).fits(records):
            return False
        times = {
            field: [text.strip(" \t") for text in self.texts(records, field)] for field in self.time_fields()
        }
        row, field = next(
            (row, field)
            for row in range(len(records))
            for field in times
            if parse_time(times[field][row], self.mark) is None
        )
        problem = diagnose_mark(times[field][row], self.mark, len(lines))
        problems.add(self._place(lines[row], field, problems.file).diagnose(problem))
        return True

    def texts(self, records: Records, field: Field) -> list[str]:
        """Return the texts of a field, blanks around them and all."""
        index = self.columns[field]
        return [record[index] for record in records if record is not None]

    def diagnose(self, line: NumberedLine, record: list[str] | None, problems: Problems) -> bool:
        """Report what is wrong with a row; tell whether anything was."""
        if record is None:
            self._say_unclosed(line, problems)
            return True
        if len(record) != self.width:
            self._say_width(line, record, problems)
            return True
        found = False
        for field in self.time_fields():
            time = record[self.columns[field]].strip(" \t")
            if parse_time(time, self.mark) is None:
                problem = diagnose_time(time, self.mark)
                problems.add_at(problem, partial(self._place, line, field, problems.file))
                found = True
        if not record[self.columns["label"]].strip(" \t"):
            problem = Diagnostic(code="KT111", severity="error", message="row has no label")
            problems.add_at(problem, partial(self._place, line, "label", problems.file))
            found = True
        return found

    def _say_unclosed(self, line: NumberedLine, problems: Problems) -> None:
        number, text = line
        if len(text) > csv.field_size_limit():
            say_exceeded(problems, f"field of more than {csv.field_size_limit():,} characters", number)
            return
        mark = re.escape(self.separator)
        opening = re.search(rf'(?:^|{mark})[ \t]*+(?P<quote>")(?!(?:[^"]|"")*+"(?:{mark}|$))', text)
        column = 1 if opening is None else opening.start("quote") + 1
        problem = Diagnostic(
            code="KT160",
            severity="error",
            message=f"quote is not closed: {quote(text[column - 1 :])}",
            hint="a quote within a quoted field is doubled",
        )
        problems.add(Place(problems.file, number, column, 1, text).diagnose(problem))

    def _say_width(self, line: NumberedLine, record: list[str], problems: Problems) -> None:
        number, text = line
        columns = f"{len(record)} column" + ("" if len(record) == 1 else "s")
        message = f"row has {columns}, the header {self.width}"
        column, surplus = 1, text
        if len(record) > self.width:
            column, surplus = field_at(text, self.separator, self.width)
        problem = Diagnostic(
            code="KT161", severity="error", message=message, hint="quote labels with separators"
        )
        problems.add(Place(problems.file, number, column, max(1, len(surplus)), text).diagnose(problem))

    def _place(self, line: NumberedLine, field: Field, file: str) -> Place:
        number, text = line
        column, token = field_at(text, self.separator, self.columns[field])
        return Place(file, number, column, max(1, len(token)), text)

    def rows(self, lines: list[NumberedLine], records: Records, problems: Problems) -> Rows:
        """Return rows that nothing is wrong with."""

        def locate(row: int, field: Field) -> Place:
            return self._place(lines[row], field, problems.file)

        seconds = self.texts(records, "end") if "end" in self.columns else []
        starts = self.texts(records, "start")
        labels = [label.strip(" \t") for label in self.texts(records, "label")]
        return Columns(self.layout, self.mark, starts, seconds, labels, locate).rows(problems)
