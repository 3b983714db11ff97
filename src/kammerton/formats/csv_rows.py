# SPDX-License-Identifier: MIT
"""Comma-, semicolon- and tab-separated files whose first row names the columns.

One line is one row: a quoted field that runs over a line end is an unclosed quote far more often
than a label of two lines, and would swallow the rows in between.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from kammerton.errors import Diagnostic, plural, quote
from kammerton.formats.budgets import keeps_lines, say_exceeded
from kammerton.formats.columns import Column
from kammerton.formats.csv_header import Header, cells_of, field_at, open_quote
from kammerton.formats.finishing import finish
from kammerton.formats.hygiene import RawIntervals
from kammerton.formats.layouts import Columns
from kammerton.formats.options import IntervalOptions, RowLayout
from kammerton.formats.reading import Problems, TrackReading
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

Cells = Sequence[Sequence[str]]
"""Texts of the columns of a file, one per row; blanks around them do not count."""

_LONGEST_FIELD = csv.field_size_limit()

_LOOKED_AT = 1000
"""Rows that do not fit whose problems are told apart; the rest is counted."""


def read_csv(text: str, header: Header, problems: Problems, options: IntervalOptions) -> TrackReading:
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
    TrackReading
        One track.
    """
    if not keeps_lines(text, problems, options.limits, headers=1):
        return problems.reading(())
    columns = header.columns(options, problems)
    if problems.has_errors:
        return problems.reading(())
    lines = _lines_below(text, header, columns)
    table = _Table.of(header, columns, options)
    cells = table.cut(lines)
    if table.has_decimal_commas(lines, cells):
        table = replace(table, mark=",")
    if cells is None or not table.fits(cells):
        if cells is not None and table.say_other_mark(lines, cells, problems):
            return problems.reading(())
        lines = table.without_bad(lines, problems)
        cells = table.cut(lines)
    return finish([table.rows(lines, cells or (), problems)], problems, options)


def _lines_below(text: str, header: Header, columns: dict[Column, int]) -> list[NumberedLine]:
    """Leave out blank rows, which spreadsheets write as separators only, and comments."""
    empty = " \t" + header.separator
    comment = "#" if columns["label"] > 0 else "\n"  # where labels come first, one may begin with it
    return [
        (number, line)
        for number, line in enumerate(text.split("\n"), 1)
        if number > header.line and line.strip(empty) and not line.startswith(comment)
    ]


@dataclass(frozen=True, slots=True)
class _Table:
    """What every row of a file has to be like."""

    separator: str
    width: int
    layout: RowLayout
    mark: DecimalMark
    columns: dict[Field, int]

    @classmethod
    def of(cls, header: Header, columns: dict[Column, int], options: IntervalOptions) -> _Table:
        """Put together what header and options say."""
        layout: RowLayout = "rows" if "end" in columns else "durations" if "duration" in columns else "points"
        places: dict[Field, int] = {"start": columns["start"], "label": columns["label"]}
        if layout != "points":
            places["end"] = columns["end" if layout == "rows" else "duration"]
        return cls(header.separator, len(header.names), layout, options.decimal, places)

    def has_decimal_commas(self, lines: Sequence[NumberedLine], cells: Cells | None) -> bool:
        """Tell if times have commas and no points, which between semicolons means one thing."""
        if self.separator != ";":
            return False
        if cells is None:
            records = (cells_of(line, self.separator) or () for _, line in lines)
            cells = list(zip(*(record for record in records if len(record) == self.width), strict=True))
        times = "".join(text for field in self.time_fields() if cells for text in cells[self.columns[field]])
        return "," in times and "." not in times

    def time_fields(self) -> list[Field]:
        """Return the fields that are times."""
        return [field for field in self.columns if field != "label"]

    def cut(self, lines: Sequence[NumberedLine]) -> Cells | None:
        """Cut lines into columns, or return None if one of them has other cells than the header."""
        texts = [line for _, line in lines]
        text = "\n".join(texts)
        if '"' in text or self.separator not in ",;\t" or max(map(len, texts), default=0) > _LONGEST_FIELD:
            return self._cut_quoted(texts)
        marks = self.width - 1
        if not all(line.count(self.separator) == marks for line in texts):
            return None
        cells = text.replace("\n", self.separator).split(self.separator) if texts else []
        return [cells[index :: self.width] for index in range(self.width)]

    def _cut_quoted(self, texts: Sequence[str]) -> Cells | None:
        try:
            records = list(csv.reader(texts, delimiter=self.separator, skipinitialspace=True, strict=True))
        except csv.Error:
            return None
        fit = len(records) == len(texts) and all(len(record) == self.width for record in records)
        return [[record[index] for record in records] for index in range(self.width)] if fit else None

    def fits(self, cells: Cells) -> bool:
        """Tell whether nothing is wrong with any row."""
        times = [cells[self.columns[field]] for field in self.time_fields()]
        labels = cells[self.columns["label"]]
        if not all(are_times(texts, self.mark) for texts in times):
            return False
        if self.layout == "points":  # the last in time needs no label
            return True
        return all(map(str.strip, labels)) or all(label.strip(" \t") for label in labels)

    def say_other_mark(self, lines: Sequence[NumberedLine], cells: Cells, problems: Problems) -> bool:
        """Report, once, that all rows would fit with the other decimal mark; tell whether they do."""
        if not replace(self, mark=other_mark(self.mark)).fits(cells):
            return False
        row, field, time = next(
            (row, field, time)
            for row in range(len(lines))
            for field in self.time_fields()
            if parse_time(time := cells[self.columns[field]][row].strip(" \t"), self.mark) is None
        )
        problem = diagnose_mark(time, self.mark, len(lines))
        problems.add(self._place(lines[row], field, problems.file).diagnose(problem))
        return True

    def without_bad(self, lines: Sequence[NumberedLine], problems: Problems) -> list[NumberedLine]:
        """Report the rows that something is wrong with, and return the others."""
        good, bad = [], 0
        for line in lines:
            if self._is_good(line[1]):
                good.append(line)
                continue
            bad += 1
            if bad <= _LOOKED_AT:
                self._diagnose(line, problems)
        problems.add_rest(bad - _LOOKED_AT)
        return good

    def _is_good(self, line: str) -> bool:
        record = cells_of(line, self.separator)
        if record is None or len(record) != self.width:
            return False
        return self.fits([(cell,) for cell in record])

    def _diagnose(self, line: NumberedLine, problems: Problems) -> None:
        record = cells_of(line[1], self.separator)
        if record is None:
            self._say_unclosed(line, problems)
            return
        if len(record) != self.width:
            self._say_width(line, record, problems)
            return
        for field in self.time_fields():
            time = record[self.columns[field]].strip(" \t")
            if parse_time(time, self.mark) is None:
                problem = diagnose_time(time, self.mark)
                problems.add_at(problem, partial(self._place, line, field, problems.file))
        if self.layout != "points" and not record[self.columns["label"]].strip(" \t"):
            problem = Diagnostic(code="KT111", severity="error", message="row has no label")
            problems.add_at(problem, partial(self._place, line, "label", problems.file))

    def _say_unclosed(self, line: NumberedLine, problems: Problems) -> None:
        number, text = line
        if len(text) > _LONGEST_FIELD:
            say_exceeded(problems, f"field of more than {_LONGEST_FIELD:,} characters", number)
            return
        column = open_quote(text, self.separator)
        problem = Diagnostic(
            code="KT160",
            severity="error",
            message=f"quote is not closed: {quote(text[column - 1 :])}",
            hint="a quote within a quoted field is doubled",
        )
        problems.add(Place(problems.file, number, column, 1, text).diagnose(problem))

    def _say_width(self, line: NumberedLine, record: list[str], problems: Problems) -> None:
        number, text = line
        message = f"row has {plural(len(record), 'column')}, the header {self.width}"
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

    def rows(self, lines: Sequence[NumberedLine], cells: Cells, problems: Problems) -> RawIntervals:
        """Return rows that nothing is wrong with."""

        def locate(row: int, field: Field) -> Place:
            return self._place(lines[row], field, problems.file)

        texts = {field: cells[index] if cells else () for field, index in self.columns.items()}
        labels = [label.strip(" \t") for label in texts["label"]]
        seconds = texts.get("end", ())
        return Columns(self.layout, self.mark, texts["start"], seconds, labels, locate).rows(problems)
