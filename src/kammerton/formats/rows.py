# SPDX-License-Identifier: MIT
"""Rows of start, end and label: ``.lab`` files, exports of Audacity and Sonic Visualiser, CSV.

How a file is cut into cells is the rule of :mod:`kammerton.formats.tables`; here stands what its columns
are. A header says it, or the caller does; else the rows do, as far as nothing else can be meant. A clean
``.lab`` file, which most are, is read by one regular expression. The shapes of rows without a header, and
what is wrong with rows that have none in common, are in :mod:`kammerton.formats.row_problems`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import PurePath

import numpy as np

from kammerton.arrays import Seconds
from kammerton.errors import DataError, Diagnostic, quote
from kammerton.formats.intervals import (
    EXACT,
    DecimalMark,
    RawIntervals,
    are_times,
    diagnose_mark,
    diagnose_time,
    ends_from_durations,
    finish,
    number_pattern,
    other_mark,
    parse_time,
    rows_of_points,
    seconds,
)
from kammerton.formats.jams import read_jams
from kammerton.formats.reading import (
    DEFAULT_OPTIONS,
    IntervalColumn,
    IntervalOptions,
    Layout,
    Problems,
    RowLayout,
    TrackReading,
    within_line_limits,
)
from kammerton.formats.row_problems import RowShape, diagnose_rows, report_billboard, shapes_of
from kammerton.formats.source import explained, read_text, with_newlines
from kammerton.formats.tables import (
    BLANK,
    SEPARATORS,
    ColumnNames,
    DelimitedTable,
    Header,
    NumberedLine,
    composed,
    cut,
    declared_separator,
    first_row,
    numbered_lines,
    read_table,
)
from kammerton.model.annotations import Field, Place

_NUMBER = number_pattern(".")
_CLEAN_FILE = re.compile(rf'(?:[ \t\n]*+{_NUMBER}[ \t]++{_NUMBER}[ \t]++[^\s"]\S*+[ \t]*+\n)++[ \t\n]*+')
"""Rows of start, end and a label without spaces and quotes; possessive, so that it never backtracks."""

_FIRST_OF_TIME = frozenset("0123456789.+-")
"""No header begins with these, so that rows need not be searched for one."""

_NAMES = ColumnNames[IntervalColumn](
    {
        "start": (
            *("start", "onset", "begin", "time", "from", "t"),
            *("start_time", "onset_time", "begin_time", "t_start"),
        ),
        "end": ("end", "offset", "stop", "to", "until", "end_time", "offset_time", "stop_time", "t_end"),
        "duration": ("duration", "dur", "length"),
        "label": ("label", "chord", "value", "annotation", "text", "symbol", "name", "labels", "chords"),
        "annotator": ("annotator", "annotator_id", "worker_id", "worker", "rater", "annotated_by"),
        "item": ("item",),
    }
)

_LOOKED_AT = 1000
"""Rows that do not fit and are diagnosed; the others are counted."""

_MEETS_S = 0.01
"""Rows meet if one ends so close to where the next one starts."""

_PLAINLY_S = 1e-3
"""Durations that no option names must all meet the next start so closely."""

_OF_MANY = "name the table itself as REF or EST, or convert it to a folder of files"
_AROUND = " \t;,"
"""Characters that may surround a time on its own line."""


def read_intervals(
    path: str | os.PathLike[str],
    *,
    name: str | None = None,
    options: IntervalOptions = DEFAULT_OPTIONS,
    namespaces: Sequence[str] = (),
) -> TrackReading:
    """Read a file of labelled intervals, whichever format it has."""
    shown = os.fsdecode(path) if name is None else name
    try:
        text = read_text(path, name=shown, encoding=options.encoding, limits=options.limits)
    except DataError as error:
        return TrackReading((), error.diagnostics)
    return parse_intervals(text, name=shown, options=options, namespaces=namespaces)


def parse_intervals(
    text: str, *, name: str, options: IntervalOptions = DEFAULT_OPTIONS, namespaces: Sequence[str] = ()
) -> TrackReading:
    """Read the text of a file as :func:`read_intervals` does; the suffix of ``name`` counts."""
    text = with_newlines(text.removeprefix("\ufeff"))
    problems = Problems(name)
    suffix = PurePath(name).suffix.lower()
    if suffix in (".jams", ".json") or text.lstrip()[:1] == "{":
        reading = read_jams(text, problems, options, namespaces)
    else:
        reading = _read_delimited(text, problems, options, expected=suffix in (".csv", ".tsv"))
    if reading.tracks:
        return reading
    return replace(reading, diagnostics=explained(reading.diagnostics, text, "chords", name))


def read_items(
    path: str | os.PathLike[str], *, name: str, options: IntervalOptions = DEFAULT_OPTIONS
) -> dict[str, TrackReading] | None:
    """Read a table whose rows name their items; None if it has no such column.

    What is wrong with the whole table is among the diagnostics of the item that is called ``""``.
    """
    try:
        text = read_text(path, name=name, encoding=options.encoding, limits=options.limits)
    except DataError:
        return None
    text = with_newlines(text.removeprefix("\ufeff"))
    header = _header_of(text, options, expected=True)
    columns = set() if header is None else {_column_of(title, options.columns) for title in header.names}
    if header is None or not {"item", "start"} <= columns:
        return None
    problems = Problems(name)
    rows = None
    if within_line_limits(text, problems, options.limits, headers=1):
        rows = _below_header(text, header, problems, options)
    if rows is None:
        return {"": problems.reading(())}
    lines, at = text.split("\n"), rows.at["item"]
    reported: dict[str, list[Diagnostic]] = {"": []}
    for problem in problems.diagnostics():
        item = ""
        if problem.severity == "error" and problem.line is not None and len(rows.table):  # else of all rows
            cells = cut(lines[problem.line - 1], header.separator) or ()
            item = composed(cells[at]) if len(cells) == len(header.names) else ""
        reported.setdefault(item, []).append(problem)
    own_rows: dict[str, list[int]] = {}
    for item, same in rows.rows_by("item", range(len(rows.table))).items():
        own_rows.setdefault(composed(item), []).extend(same)
    return {
        item: _read_item(rows, own_rows.get(item, []), item, reported.get(item, ()), options)
        for item in dict.fromkeys((*reported, *own_rows))
    }


def _read_item(
    rows: _TimeRows, own: Sequence[int], item: str, reported: Iterable[Diagnostic], options: IntervalOptions
) -> TrackReading:
    """Read the rows of an item as a file of their own; some problems of them were reported before."""
    problems = Problems(rows.table.file)
    for problem in reported:
        problems.add(problem)
    if item:
        return finish(rows.tracks(problems, own) if own else [], problems, options)
    if own:
        problems.report("KT111", "row has no item", rows.table.finder(own[0], rows.at["item"]))
    return problems.reading(())


def _read_delimited(
    text: str, problems: Problems, options: IntervalOptions, *, expected: bool = False
) -> TrackReading:
    r"""Read rows of start, end and label."""
    header = None if text.lstrip()[:1] in _FIRST_OF_TIME else _header_of(text, options, expected=expected)
    if not within_line_limits(text, problems, options.limits, headers=int(header is not None)):
        return problems.reading(())
    if header is not None:
        rows = _below_header(text, header, problems, options)
    else:
        clean = _read_clean(text, problems.file, options)
        if clean is not None:
            return finish([clean], problems, options)
        rows = _without_header(text, problems, options)
    if rows is not None and "item" in rows.at and len(set(rows.column("item"))) > 1:
        count = len(set(rows.column("item")))
        problems.report("KT206", f"a table of {count:,} items, where one is read", hint=_OF_MANY)
        return problems.reading(())
    return finish([] if rows is None else rows.tracks(problems), problems, options)


def _read_clean(text: str, file: str, options: IntervalOptions) -> RawIntervals | None:
    """Read the text at once if it is a clean ``.lab`` file, or return None."""
    if options.layout not in ("auto", "rows") or options.decimal != ".":
        return None
    ended = text if text.endswith("\n") else text + "\n"
    if _CLEAN_FILE.fullmatch(ended) is None:
        return None
    words = ended.split()
    starts, ends, labels = seconds(words[0::3], "."), seconds(words[1::3], "."), words[2::3]
    if options.layout == "auto" and (ends[-1] == 0 or _are_durations(starts, ends)):
        return None
    table: list[DelimitedTable] = []

    def locate(row: int, field: Field) -> Place:
        if not table:
            table.append(_table_of(numbered_lines(text), BLANK, 3, file))
        return table[0].locate(row, ("start", "end", "label").index(field))

    return RawIntervals(starts, ends, labels, locate)


def _table_of(lines: Sequence[NumberedLine], separator: str, width: int, file: str) -> DelimitedTable:
    return DelimitedTable(
        file, separator, width, [line for _, line in lines], [number for number, _ in lines]
    )


# --- what the columns are -------------------------------------------------------------------------------


@dataclass(slots=True)
class _TimeRows:
    """Rows cut into cells, and what their columns are."""

    table: DelimitedTable
    at: Mapping[IntervalColumn, int]  # where each column stands
    layout: RowLayout
    mark: DecimalMark  # decimal mark of the times

    def column(self, name: IntervalColumn) -> list[str]:
        """Return the cells of a column."""
        return self.table.columns[self.at[name]]

    @property
    def times(self) -> list[IntervalColumn]:
        """The columns that are times."""
        second: dict[RowLayout, list[IntervalColumn]] = {
            "rows": ["end"],
            "durations": ["duration"],
            "points": [],
        }
        return ["start", *second[self.layout]]

    def are_sound(self, mark: DecimalMark) -> bool:
        """Return whether all times have a decimal mark, and all labels are there."""
        if not all(are_times(self.column(name), mark) for name in self.times):
            return False
        return self.layout == "points" or all(self.column("label"))  # of points, the last needs no label

    def report_mark(self, mark: DecimalMark, problems: Problems) -> bool:
        """Report, once, that times have another decimal mark, and drop all rows; return whether they have."""
        for row in range(len(self.table)):
            for name in self.times:
                time = self.column(name)[row]
                if parse_time(time, mark) is None:
                    place = self.table.locate(row, self.at[name])
                    problems.add(place.diagnose(diagnose_mark(time, mark, len(self.table))))
                    self.table.keep([])
                    return True
        return False

    def has_points(self) -> bool:
        """Return whether points in times cannot separate thousands, whose first group is never 0."""
        thousands = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+|[0-9]+")
        return not all(thousands.fullmatch(time) for name in self.times for time in self.column(name))

    def take_for(self, layout: RowLayout) -> None:
        """Read the second time as an end, or as a duration."""
        if layout != self.layout:
            second: IntervalColumn = "end" if layout == "rows" else "duration"
            self.at = {"start": self.at["start"], second: self.at[self.times[-1]], "label": self.at["label"]}
            self.layout = layout

    def close(self, closing: NumberedLine) -> None:
        """Add a last change point that has a time only."""
        number, line = closing
        self.table.lines.append(line)
        self.table.numbers = [*self.table.numbers, number]
        for index, column in enumerate(self.table.columns):
            column.append(line.strip(_AROUND) if index == self.at["start"] else "")

    def leave_out_bad(self, problems: Problems) -> None:
        """Report the rows that have no times or no label, and leave them out."""
        if self.are_sound(self.mark):
            return
        good, bad = [], 0
        for row in range(len(self.table)):
            wrong = list(self._wrong(row))
            bad += bool(wrong)
            if not wrong:
                good.append(row)
            for name, problem in wrong if bad <= _LOOKED_AT else ():
                problems.add_at(problem, self.table.finder(row, self.at[name]))
        problems.add_rest(bad - _LOOKED_AT)
        self.table.keep(good)

    def _wrong(self, row: int) -> Iterator[tuple[IntervalColumn, Diagnostic]]:
        for name in self.times:
            time = self.column(name)[row]
            if parse_time(time, self.mark) is None:
                yield name, diagnose_time(time, self.mark)
        if self.layout != "points" and not self.column("label")[row]:
            yield "label", Diagnostic("KT111", "error", "row has no label")

    def seconds(self) -> tuple[Seconds, Seconds]:
        """Return the first times and the second ones, of points the first ones again."""
        first, second = (seconds(self.column(name), self.mark) for name in (self.times[0], self.times[-1]))
        return first, second

    def rows_by(self, name: IntervalColumn, rows: Iterable[int]) -> dict[str, list[int]]:
        """Return those rows that have each value of a column, in the order of their first rows."""
        rows_by: dict[str, list[int]] = {}
        values = self.column(name)
        for row in rows:
            rows_by.setdefault(values[row], []).append(row)
        return rows_by

    def tracks(self, problems: Problems, rows: Sequence[int] | None = None) -> list[RawIntervals]:
        """Return the rows of each annotator, in the order of their first rows: of all rows, or of some."""
        chosen = range(len(self.table)) if rows is None else rows
        if "annotator" not in self.at or not chosen:
            return [self._track(chosen, problems)]
        tracks = []
        for annotator, own_rows in self.rows_by("annotator", chosen).items():
            tracks.append(self._track(own_rows, problems))
            tracks[-1].annotator = annotator or None
        return tracks

    def _track(self, rows: Sequence[int], problems: Problems) -> RawIntervals:
        table, at, last = self.table, self.at, self.times[-1]
        starts_of, second_of, labels_of = (self.column(name) for name in ("start", last, "label"))
        starts = seconds([starts_of[row] for row in rows], self.mark)
        second = [second_of[row] for row in rows]
        labels = [labels_of[row] for row in rows]

        def locate(row: int, field: Field) -> Place:
            return table.locate(rows[row], at[last if field == "end" else field])

        if self.layout == "points":
            return rows_of_points(RawIntervals(starts, starts, labels, locate), problems)
        ends = partial(seconds, second, self.mark)
        if self.layout == "rows":
            return RawIntervals(starts, ends(), labels, locate)
        exact = (EXACT.create_decimal(starts_of[row].replace(",", ".")) for row in rows)
        durations = (EXACT.create_decimal(text.replace(",", ".")) for text in second)
        return RawIntervals(
            starts, ends_from_durations(starts, exact, durations), labels, locate, durations=ends
        )


def _meet(ends: Seconds, starts: Seconds) -> bool:
    """Return whether nearly all rows end where the next one starts."""
    with np.errstate(invalid="ignore", over="ignore"):
        return len(starts) > 1 and bool((np.abs(ends[:-1] - starts[1:]) < _MEETS_S).mean() > 0.9)


def _are_durations(starts: Seconds, second: Seconds) -> bool:
    """Return whether second times, of four rows or more, are plainly durations, though they could be ends."""
    if len(starts) < 4 or second[1] == starts[2] or (second < starts).any():
        return False
    with np.errstate(invalid="ignore", over="ignore"):
        misses = np.abs(starts[:-1] + second[:-1] - starts[1:])
    return bool((misses < _PLAINLY_S).all()) and not _meet(second, starts)


_Note = tuple[str, str]
"""Code and message of a note."""


def _option_does_not_apply(option: str, value: str, why: str) -> _Note:
    return "KT133", f"--{option} {value} does not apply: {why}"


# --- with a header --------------------------------------------------------------------------------------


def _column_of(header: str, own: Mapping[str, IntervalColumn]) -> IntervalColumn | None:
    """Return which column a header names, or None."""
    return own.get(header) or _NAMES.column(header)


def _known(names: Iterable[str], options: IntervalOptions) -> int:
    """Count the columns that names stand for."""
    return len({_column_of(name, options.columns) for name in names} - {None})


def _header_of(text: str, options: IntervalOptions, *, expected: bool) -> Header | None:
    """Return the header if the first row is one."""
    separators = (*SEPARATORS, BLANK)
    first = first_row(text, lambda names: _known(names, options), separators=separators)
    if first is None:
        return None
    if _known(first.names, options) > 1 or options.columns.keys() & {*first.names}:
        return first
    first = first_row(text, lambda names: _known(names, options)) if expected else None
    is_header = first is not None and all(parse_time(name, ".") is None for name in first.names)
    return first if is_header else None


def _below_header(
    text: str, header: Header, problems: Problems, options: IntervalOptions
) -> _TimeRows | None:
    at = _columns_of(header, problems, options)
    table = None if problems.has_errors else read_table(text, header, problems, options.limits)
    if table is None:
        return None
    layout: RowLayout = "rows" if "end" in at else "durations" if "duration" in at else "points"
    rows = _TimeRows(table, at, layout, options.decimal)
    if table.has_decimal_commas(at[name] for name in rows.times):
        rows.mark = ","
    other_decimal = other_mark(rows.mark)
    if rows.are_sound(rows.mark) or not rows.are_sound(other_decimal):
        rows.leave_out_bad(problems)
    elif options.decimal == "," and rows.has_points():
        note = _option_does_not_apply("decimal", ",", "times have points")
        problems.report(*note, header.place(problems.file), severity="note")
        rows.mark = other_decimal
    else:
        rows.report_mark(rows.mark, problems)
    return rows


def _columns_of(header: Header, problems: Problems, options: IntervalOptions) -> dict[IntervalColumn, int]:
    """Return where each column stands; report those that are missing or there twice.

    Columns that the layout does not use are dropped; without a layout, an end makes a duration
    superfluous. Names that the caller gave rule out ours.
    """
    names, own = header.names, options.columns
    indices: dict[IntervalColumn, int] = {}
    chosen = {own[name] for name in names if name in own}
    labels = [index for index, name in enumerate(names) if _column_of(name, own) == "label"]
    for index, name in enumerate(names):
        column = _column_of(name, own)
        if column is None or (column in chosen and name not in own):
            continue
        if column == "label" and name.casefold() == "value" and len(labels) > 1 and name not in own:
            continue  # Sonic Visualiser has a number under this name, beside the label
        if column in indices and column != "annotator":
            message = f"columns {quote(names[indices[column]])} and {quote(name)} are both {column}"
            hint = f"say which: --columns NAME={column}"
            problems.report("KT163", message, header.place(problems.file, index), hint=hint)
        indices.setdefault(column, index)
    layout = options.layout
    if layout == "points" and indices.keys() & {"end", "duration"}:
        layout = "auto"
        note = _option_does_not_apply("layout", "points", "the header names an end or a duration")
        problems.report(*note, header.place(problems.file), severity="note")
    points = _are_points(header, indices, options)
    for column in _missing(indices, layout, points=points):
        _report_missing(header, column, problems, options)
    if points:
        note = _read_as("change points", "no column is an end or a duration")
        problems.report(*note, header.place(problems.file), severity="note")
    for column in _superfluous(indices, layout):
        indices.pop(column, None)
    return indices


def _read_as(what: str, why: str) -> _Note:
    return "KT132", f"read as {what}, since {why}"


def _are_points(header: Header, indices: Mapping[IntervalColumn, int], options: IntervalOptions) -> bool:
    """Return whether the names can only be those of change points: a time, a label, and nothing unknown."""
    needed = {"start", "label"}
    is_whole = all(_column_of(name, options.columns) is not None for name in header.names)
    return options.layout == "auto" and is_whole and indices.keys() - {"annotator", "item"} == needed


def _missing(indices: Mapping[IntervalColumn, int], layout: Layout, *, points: bool) -> list[IntervalColumn]:
    second: dict[Layout, list[IntervalColumn]] = {"points": [], "durations": ["duration"], "rows": ["end"]}
    either: list[IntervalColumn] = [] if points else ["duration"] if "duration" in indices else ["end"]
    needed: list[IntervalColumn] = ["start", *second.get(layout, either), "label"]
    return [column for column in needed if column not in indices]


def _superfluous(indices: Mapping[IntervalColumn, int], layout: Layout) -> tuple[IntervalColumn, ...]:
    useless: dict[Layout, tuple[IntervalColumn, ...]] = {
        "points": ("end", "duration"),
        "durations": ("end",),
        "rows": ("duration",),
        "auto": ("duration",) if "end" in indices else (),
    }
    return useless[layout]


def _report_missing(
    header: Header, column: IntervalColumn, problems: Problems, options: IntervalOptions
) -> None:
    columns = [_column_of(name, options.columns) for name in header.names]
    near = _NAMES.near(column, [name for name in header.names if name not in options.columns])
    hint = f"known names: {', '.join(_NAMES.of[column][:5])}; or --columns NAME={column}"
    if column == "end" and {"start", "label"} <= {*columns}:
        hint = "a duration will do; or are these change points? --layout points"
    alternatives: dict[IntervalColumn, IntervalColumn] = {"end": "duration", "duration": "end"}
    if column in alternatives and alternatives[column] in columns:
        hint = f"leave out --layout {options.layout}: the header says what the columns are"
    if near is not None:
        hint = f"did you mean {quote(near)}? --columns {near}={column}"
    listed = ", ".join(quote(name) for name in header.names[:8])
    message = f"no column is the {column}: {listed}"
    problems.report("KT162", message, header.place(problems.file), hint=hint)


# --- without a header -----------------------------------------------------------------------------------


def _without_header(text: str, problems: Problems, options: IntervalOptions) -> _TimeRows | None:
    """Read rows by the shape that all of them have, or report the rows that do not fit."""
    separator = declared_separator(text)
    lines = numbered_lines(text)[0 if separator is None else 1 :]
    if "\\" in text:  # Audacity keeps frequencies in lines of their own
        lines = [line for line in lines if not line[1].lstrip(" \t").startswith("\\")]
    if not lines or ("|" in text and separator != "|" and report_billboard(lines, problems)):
        return None
    layouts: list[Layout] = [options.layout, "rows"] if options.layout == "points" else [options.layout]
    marks: list[DecimalMark] = [",", "."] if options.decimal == "," else ["."]
    for layout, mark in product(layouts, marks):
        for shape in shapes_of(layout, mark, separator):
            rows = _in_shape(lines, shape, problems.file)
            if rows is not None and _is_settled(rows, shape, problems, options):
                return rows
    return _diagnosed(lines, separator, problems, options)


def _in_shape(lines: Sequence[NumberedLine], shape: RowShape, file: str) -> _TimeRows | None:
    """Return the rows if all of them have a shape."""
    lines, closing = _without_closing(lines, shape)
    if not lines or not shape.fits(lines[0][1]):
        return None
    table = _table_of(lines, shape.separator, shape.width, file)
    if table.fill():
        return None
    rows = _TimeRows(table, shape.at, shape.layout, shape.mark)
    if not rows.are_sound(shape.mark):
        return None
    if shape.extra == "value" and not are_times(table.columns[1], shape.mark):
        return None
    if shape.extra == "file" and len({*table.columns[0]} - {""}) != 1:
        return None
    if closing is not None:
        rows.close(closing)
    return rows


def _without_closing(
    lines: Sequence[NumberedLine], shape: RowShape
) -> tuple[Sequence[NumberedLine], NumberedLine | None]:
    """Take off a last change point that has a time only: its label would not be used."""
    if shape.layout != "points" or not lines:
        return lines, None
    is_time = parse_time(lines[-1][1].strip(_AROUND), shape.mark) is not None
    return (lines[:-1], lines[-1]) if is_time else (lines, None)


def _is_settled(rows: _TimeRows, shape: RowShape, problems: Problems, options: IntervalOptions) -> bool:
    """Return whether only one shape is possible, and note what was read that the options do not say."""
    first, second = rows.seconds()
    layout, *notes = _layout_shown(shape, options.layout, first, second)
    if layout is None:
        return False
    if options.decimal == "," and shape.mark == ".":
        if not rows.has_points():
            return False
        notes.append(_option_does_not_apply("decimal", ",", "times have points"))
    rows.take_for(layout)
    for note in notes:
        problems.report(*note, rows.table.locate(0, rows.at["start"]), severity="note")
    if options.layout == "auto" and layout == "rows" and _are_durations(first, second):
        message = "looks like start, duration, label: rows would end where the next starts"
        hint = "--layout durations reads them so, --layout rows takes the second time for the end"
        problems.report(
            "KT134", message, rows.table.locate(0, rows.at["end"]), hint=hint, count=len(rows.table)
        )
        rows.table.keep([])
    return True


def _layout_shown(
    shape: RowShape, asked: Layout, first: Seconds, second: Seconds
) -> tuple[RowLayout | None, *tuple[_Note, ...]]:
    """Return the layout that the times show, None if it is not plain; and a note if the options differ."""
    with np.errstate(over="ignore"):
        as_rows, as_durations = _meet(second, first), _meet(first + second, first)
    are_rows = _option_does_not_apply("layout", asked, "rows are start, end and label, and meet")
    if shape.extra == "value":
        note = _read_as("time, value, duration and label", "rows have 4 columns and meet so")
        return ("durations", note) if as_durations else (None,)
    if asked == "points" and shape.layout == "rows" and (first != second).any():
        return ("rows", are_rows) if as_rows else (None,)
    if asked == "durations" and as_rows and not as_durations:
        return "rows", are_rows
    if asked == "auto" and shape.layout == "points":
        return "points", _read_as("change points", "rows have a time and a label")
    if asked == "auto" and shape.extra == "file" and as_durations and not as_rows and second.any():
        return "durations", _read_as("start, duration and label", "rows meet so")
    return ("durations" if asked == "auto" and len(first) > 1 and not second.any() else shape.layout,)


def _diagnosed(
    lines: Sequence[NumberedLine], separator: str | None, problems: Problems, options: IntervalOptions
) -> _TimeRows:
    """Report rows that share no shape, and return the rows of the most common shape."""
    for shape in shapes_of(options.layout, other_mark(options.decimal), separator):
        rows = _in_shape(lines, shape, problems.file)
        if rows is not None and rows.report_mark(options.decimal, problems):
            return rows
    every = shapes_of(options.layout, options.decimal, separator)
    shapes = [shape for shape in every if shape.extra != "value"]  # what did not meet is none of these
    others, closing = _without_closing(lines, shapes[0])
    lines, closing = (others, closing) if others else (lines, None)
    shape, fitting = diagnose_rows(lines, shapes, problems, options)
    table = _table_of(fitting, shape.separator, shape.width, problems.file)
    for misfit in table.fill():  # a cell that is too long
        table.report_misfit(misfit, problems, "KT111")
    rows = _TimeRows(table, shape.at, shape.layout, shape.mark)
    if closing is not None:
        rows.close(closing)
    return rows
