# SPDX-License-Identifier: MIT
"""The one reader of delimited tables: chords, notes, instruments, and the lists that go with them.

Every reader of text in rows follows this rule, which ``docs/formats.md`` says to users:

- A line is a row. A quoted cell does not go on in the next line: one missing quote would swallow the rows
  up to the next one.
- Lines without content do not count, nor do those of separators only, which spreadsheets write.
- A line that begins with ``#`` or ``//`` is a comment, wherever it stands. One that is cut into as many
  cells as a row is noted (KT164), since nothing is passed over in silence; a cell that does begin with ``#``
  is quoted.
- Cells stand between tabs, commas or semicolons; in files without a header, and in those of notes, also
  between blanks: any run of spaces and tabs. The first row tells which: that by which it names most columns,
  then that by which it has most cells. ``sep=;`` as first line, which Excel writes, says it.
- Blanks around a cell do not count. A cell that begins with a double quote goes on to the next one, whatever
  is between; a quote within is doubled. Only a separator may follow (KT160).
- A row is as wide as the header. Empty cells beyond it do not count. Of a row that is too long, a separator
  within parentheses is part of the cell, and between blanks the last cell may have spaces behind a tab. Any
  other row of another length is an error, and is never filled up or cut.
- The header names the columns, in any case; columns may have any order. Names that nobody knows are left
  aside in tables of chords, notes and instruments; small tables that are written by hand have no others.
- Between semicolons, numbers with commas and without points have decimal commas.
- Every cell has a place: line and column, counted in characters.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Generic, NamedTuple, TypeVar

from kammerton.errors import close_match, plural, quote
from kammerton.formats.reading import Limits, Problems, report_exceeded, such_rows, within_line_limits
from kammerton.model.annotations import Place

BLANK = " "
"""The separator that stands for any run of spaces and tabs."""

WORDS = "words"
"""The same without quotes: the separator of TREC, whose names may hold any character but blanks."""

SEPARATORS = ("\t", ",", ";")
"""What may stand between cells, besides blanks."""

IGNORE: re.Pattern[str] = re.compile(r"kammerton:[ \t]*ignore", re.IGNORECASE)
"""Words of a comment that names codes which are not to be reported of the file."""

NumberedLine = tuple[int, str]
"""A line with its number, from 1."""

_SEPARATOR_LINE = re.compile(r"sep=([^\w\"])[ \t]*", re.IGNORECASE)
_LINE = re.compile(r"^[^\n]*+", re.MULTILINE)
_WORD = re.compile(r"[^ \t]+")
_LONGEST_CELL = csv.field_size_limit()
_BLANKS = " \t\v\f"


# --- lines and cells ------------------------------------------------------------------------------------


def numbered_lines(text: str) -> list[NumberedLine]:
    """Return the lines that are rows: neither without content nor comments."""
    lines = enumerate(text.split("\n"), 1)
    return [(number, line) for number, line in lines if line[:1].isalnum() or _is_row(line)]


def _is_row(line: str, blank: str = f"{_BLANKS},;") -> bool:
    row = line.lstrip(" \t")
    return bool(row.strip(blank)) and row[0] != "#" and not row.startswith("//")


class TableCell(NamedTuple):
    """A cell as a line has it: its column, from 1, its text without the quotes around it, if it has any."""

    column: int
    text: str
    is_quoted: bool = False

    @property
    def value(self) -> str:
        """What the cell means."""
        return self.text.replace('""', '"').strip(" \t") if self.is_quoted else self.text


@lru_cache
def _pattern(separator: str, *, nested: bool) -> re.Pattern[str]:
    """Return the pattern of a cell, which never backtracks."""
    quoted = r'"(?P<quoted>(?:[^"]|"")*+)"'
    if separator == WORDS:
        return re.compile(r"(?P<quoted>(?!))|(?P<plain>[^ \t]++)")
    if separator == BLANK:
        return re.compile(rf"{quoted}(?=[ \t]|\Z)|(?P<plain>[^ \t]++)")
    mark = re.escape(separator)
    blanks = "[ ]*+" if separator == "\t" else r"[ \t]*+"
    plain = rf"(?:\([^()]*+\)|[^{mark}])*+" if nested else rf"[^{mark}]*+"
    return re.compile(rf"(?:^|(?<={mark})){blanks}(?:{quoted}{blanks}(?={mark}|\Z)|(?P<plain>{plain}))")


def cells_of(line: str, separator: str, width: int = 0) -> list[TableCell]:
    """Cut a line into cells."""
    cells = _cut(line, separator, nested=False)
    if not width or len(cells) <= width:
        return cells
    if separator in (BLANK, WORDS):
        return _with_spaces(line, cells, width)
    short = _without_empty(cells, width)
    if len(short) == width or "(" not in line:
        return short
    nested = _without_empty(_cut(line, separator, nested=True), width)
    return nested if len(nested) == width else short


def _cut(line: str, separator: str, *, nested: bool) -> list[TableCell]:
    cells = []
    for match in _pattern(separator, nested=nested).finditer(line):
        group = "plain" if match["plain"] is not None else "quoted"
        cells.append(TableCell(match.start(group) + 1, match[group].rstrip(" \t"), group == "quoted"))
    return cells


def _without_empty(cells: list[TableCell], width: int) -> list[TableCell]:
    """Leave out empty cells beyond the width of a row."""
    while len(cells) > width and not cells[-1].text:
        cells = cells[:-1]
    return cells


def _with_spaces(line: str, cells: list[TableCell], width: int) -> list[TableCell]:
    """Read the text behind the last tab of a row as one cell with spaces."""
    last = cells[width - 1].column - 1
    between = line[cells[width - 2].column - 1 : last] if width > 1 else line[:last]
    rest = line[last:].rstrip(" \t")
    if "\t" not in between or "\t" in rest:
        return cells
    return [*cells[: width - 1], TableCell(last + 1, rest)]


def cut(line: str, separator: str, width: int = 0) -> list[str] | None:
    """Cut a line into the values of its cells; return None if a quote is not closed."""
    cells = _pattern(separator, nested=False).findall(line)
    if width and len(cells) > width:
        long = cells_of(line, separator, width)
        return None if separator != WORDS and open_quote(long) else [cell.value for cell in long]
    if separator != WORDS and any(plain[:1] == '"' for _, plain in cells):
        return None
    return [(quoted.replace('""', '"') or plain).strip(" \t") for quoted, plain in cells]


def open_quote(cells: Sequence[TableCell]) -> TableCell | None:
    """Return the first cell whose quote is not closed."""
    return next((cell for cell in cells if cell.text[:1] == '"' and not cell.is_quoted), None)


def declared_separator(text: str) -> str | None:
    """Return the separator that the first line of a text declares, if it does."""
    match = re.match(rf"\s*+{_SEPARATOR_LINE.pattern}(?:\n|\Z)", text, re.IGNORECASE)
    return None if match is None else match[1]


# --- the header -----------------------------------------------------------------------------------------

_UNIT = re.compile(r"_(?:in_)?(?:s|sec|secs|seconds)$|[([](?:s|sec|secs|seconds)[)\]]$")
_NEAR = 0.75
"""How alike a name is to that of a column if it is a slip: `strat` of `start`, not `title` of `time`."""
C = TypeVar("C", bound=str)


class ColumnNames(Generic[C]):
    """Names that columns of a table, or fields of a record, may have, the usual ones first."""

    def __init__(self, names: Mapping[C, tuple[str, ...]]) -> None:
        self.of = names
        self._known: dict[str, tuple[C | None, int]] = {
            name: (column, rank) for column in names for rank, name in enumerate(names[column])
        }

    def _find(self, name: str) -> tuple[C | None, int]:
        """Return the column that a name stands for, perhaps with a unit, and how usual the name is."""
        folded = re.sub(r"[\s-]+", "_", name.strip().casefold())
        return self._known.get(folded) or self._known.get(_UNIT.sub("", folded).rstrip("_"), (None, 0))

    def column(self, name: str) -> C | None:
        """Return the column that a name stands for, or None."""
        return self._find(name)[0]

    def columns(self, names: Sequence[str]) -> tuple[dict[C, int], dict[int, int]]:
        """Return where each column stands, by its most usual name; and where that is repeated, and whose."""
        ranked: dict[C, list[tuple[int, int]]] = {}
        for index, name in enumerate(names):
            column, rank = self._find(name)
            if column is not None:
                ranked.setdefault(column, []).append((rank, index))
        best = {column: min(places) for column, places in ranked.items()}
        repeated = {
            index: first
            for column, (least, first) in best.items()
            for rank, index in ranked[column]
            if rank == least and index != first
        }
        return {column: first for column, (_, first) in best.items()}, repeated

    def near(self, column: C, names: Iterable[str]) -> str | None:
        """Return the one of some names that may be meant for a column that none of them stands for."""
        unknown = (name for name in names if name and self.column(name) is None)
        like = (name for name in unknown if close_match(name.casefold(), self.of[column], cutoff=_NEAR))
        return next(like, None)


@dataclass(frozen=True, slots=True)
class Header:
    """The first row of a table."""

    line: int  # its number
    text: str  # the row, as the file has it
    separator: str  # what stands between its cells
    names: list[str]  # its cells; without empty ones at the end

    def place(self, file: str, index: int | None = None) -> Place:
        """Return the place of a name, or of the row."""
        if index is None:
            return Place(file, self.line, 1, max(1, len(self.text)), self.text)
        row = self.text.replace("#", " ", 1) if self.text.lstrip(" \t").startswith("#") else self.text
        cells = cells_of(row, self.separator)
        column, text, _ = cells[min(index, len(cells) - 1)]
        return Place(file, self.line, column, max(1, len(text)), self.text)


def first_row(
    text: str,
    known: Callable[[list[str]], int],
    *,
    separators: Sequence[str] = SEPARATORS,
    commented: bool = False,
) -> Header | None:
    """Return the first row of a text, as a header; the caller decides whether it is one."""
    for number, match in enumerate(_LINE.finditer(text), 1):
        line = match[0]
        if declared := _SEPARATOR_LINE.fullmatch(line):
            separators = (declared[1],)
        elif _is_row(line):
            return _best_header(number, line, line, known, separators)
        elif commented and (row := line.lstrip(" \t")).startswith("#"):
            header = _best_header(number, line, row.lstrip("#"), known, separators)
            if known(header.names) > 2:
                return header
    return None


def _best_header(
    number: int, line: str, row: str, known: Callable[[list[str]], int], separators: Sequence[str]
) -> Header:
    rows = [Header(number, line, mark, _names(row, mark)) for mark in separators]
    # a separator that is no blank goes first: blanks may stand within names too
    return max(
        rows,
        key=lambda row: (known(row.names), row.separator != BLANK and len(row.names) > 1, len(row.names)),
    )


def _names(row: str, separator: str) -> list[str]:
    names = cut(row, separator) or [row]
    while len(names) > 1 and not names[-1]:
        del names[-1]
    return names


# --- the table ------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class DelimitedTable:
    """Rows cut into cells, and where the cells stand."""

    file: str  # what diagnostics call the file
    separator: str
    width: int  # cells of a row
    lines: list[str]  # the rows that can be used, as written
    numbers: Sequence[int]  # numbers of their lines
    header: Header | None = None
    columns: list[list[str]] = field(default_factory=list)  # what their cells mean, one list for each column
    # cells of rows of another length, and what is wrong with them
    uneven: list[tuple[list[str], str]] = field(default_factory=list)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.lines)

    @property
    def names(self) -> list[str]:
        """The names of the columns; none without a header."""
        return [] if self.header is None else self.header.names

    def header_place(self, index: int | None = None) -> Place:
        """Return the place of a name of the header, or of the header."""
        assert self.header is not None, "names come from a header"
        return self.header.place(self.file, index)

    def keep(self, rows: Sequence[int]) -> None:
        """Drop all other rows."""
        self.lines = [self.lines[row] for row in rows]
        self.numbers = [self.numbers[row] for row in rows]
        self.columns = [[column[row] for row in rows] for column in self.columns]

    def locator(self, index: int) -> Callable[[int], Place]:
        """Return the function that locates the cells of a column."""
        return lambda row: self.locate(row, index)

    def finder(self, row: int, index: int) -> Callable[[], Place]:
        """Return the function that locates one cell."""
        return lambda: self.locate(row, index)

    def locate(self, row: int, index: int | None) -> Place:
        """Return the place of a cell, or of a row that has no such cell."""
        line = self.lines[row]
        if index is None:
            return Place(self.file, self.numbers[row], excerpt=line)
        cells = cells_of(line, self.separator, self.width)
        column, text, _ = cells[min(index, len(cells) - 1)]
        return Place(self.file, self.numbers[row], column, max(1, len(text)), line)

    def has_decimal_commas(self, columns: Iterable[int]) -> bool:
        """Return whether numbers have commas and no points, which between semicolons means one thing."""
        if self.separator != ";":
            return False
        numbers = "".join(cell for index in columns for cell in self.columns[index])
        return "," in numbers and "." not in numbers

    def fill(self) -> list[NumberedLine]:
        """Cut the lines into cells; drop and return those of another length or with an open quote."""
        cells = self._plain_cells()
        if cells is not None:
            self.columns = [cells[index :: self.width] for index in range(self.width)]
            return []
        even: list[int] = []
        records: list[list[str]] = []
        misfits: list[NumberedLine] = []
        for row, record in enumerate(map(self._record, self.lines)):
            if record is not None and len(record) == self.width:
                even.append(row)
                records.append(record)
            else:
                misfits.append((self.numbers[row], self.lines[row]))
        if misfits:
            self.keep(even)
        cells = list(chain.from_iterable(records))
        self.columns = [cells[index :: self.width] for index in range(self.width)]
        return misfits

    def _plain_cells(self) -> list[str] | None:
        """Return the cells of all rows in one list, if each line is cut at each of its separators."""
        mark = "\t" if self.separator in (BLANK, WORDS) else self.separator
        joined = mark.join(self.lines)
        marks = self.width - 1
        if '"' in joined or {line.count(mark) for line in self.lines} != {marks}:
            return None
        if len(joined) > _LONGEST_CELL and max(map(len, self.lines)) > _LONGEST_CELL:
            return None
        cells = joined.split(mark)  # one list, not one for each row
        if " " in joined or (mark != "\t" and "\t" in joined):
            cells = [cell.strip(" \t") for cell in cells]
        if mark == self.separator:
            return cells
        # between blanks, a cell is never empty, and only the last one may have spaces
        words = [cell for column in range(marks) for cell in cells[column :: self.width]]
        return cells if all(cells) and " " not in "".join(words) else None

    def _record(self, line: str) -> list[str] | None:
        """Return the cells of a row; None where a quote is not closed, or a cell is too long."""
        if self.separator == WORDS or (self.separator == BLANK and '"' not in line):
            words = _WORD.findall(line)
            if len(words) == self.width:
                return words
        record = cut(line, self.separator, self.width)
        return None if record and len(line) > _LONGEST_CELL < max(map(len, record)) else record

    def report_misfit(
        self, misfit: NumberedLine, problems: Problems, code: str, hint: str | None = None
    ) -> None:
        """Report a line that cannot be a row."""
        number, line = misfit
        if len(line) > _LONGEST_CELL:
            message = f"field of more than {_LONGEST_CELL:,} characters"
            report_exceeded(problems, message, number)
            self.uneven.append(([], f"KT106 {message}"))
            return
        cells = cells_of(line, self.separator, self.width)
        column, text, _ = cells[0] if cells else TableCell(1, line)
        unclosed = None if self.separator == WORDS else open_quote(cells)
        if unclosed is not None:
            column, text, _ = unclosed
            message, code = f"quote is not closed: {quote(line[column - 1 :])}", "KT160"
            hint, text = "a quote within a quoted field is doubled", " "
        else:
            columns = plural(len(cells), "column")
            message = f"row has {columns}, the header {self.width}"
            if self.header is None:
                message = f"row has {columns} instead of {self.width}"
            if len(cells) > self.width:
                column, text, _ = cells[self.width]
                hint = hint or "a cell with a separator in it stands between double quotes"
            else:
                column, text = 1, line
                hint = hint or "a cell that is empty still needs its separator"

        length = max(1, len(text))
        problems.report(code, message, lambda: Place(self.file, number, column, length, line), hint=hint)
        closed = cells if unclosed is None else cells[: cells.index(unclosed)]
        self.uneven.append(([cell.value for cell in closed], f"{code} {message}"))


def read_table(
    text: str,
    header: Header,
    problems: Problems,
    limits: Limits,
    *,
    code: str = "KT161",
    hint: str | None = None,
) -> DelimitedTable | None:
    r"""Cut the rows below a header into cells."""
    if not within_line_limits(text, problems, limits, headers=1):
        return None
    table = DelimitedTable(
        problems.file, header.separator, len(header.names), *_lines_below(text, header.line), header
    )
    return _filled(table, problems, code, hint)


def read_rows(
    text: str,
    separator: str,
    width: int,
    problems: Problems,
    limits: Limits,
    *,
    code: str,
    hint: str | None = None,
    below: int = 0,
) -> DelimitedTable | None:
    """Cut the rows of a file without a header into cells, as :func:`read_table` does."""
    if not within_line_limits(text, problems, limits):
        return None
    table = DelimitedTable(problems.file, separator, width, *_lines_below(text, below))
    return _filled(table, problems, code, hint)


def _lines_below(text: str, line: int) -> tuple[list[str], Sequence[int]]:
    """Return the lines below one, and their numbers."""
    lines = text.split("\n")[line:]
    while lines and not lines[-1]:
        del lines[-1]
    return lines, range(line + 1, line + 1 + len(lines))


def _filled(table: DelimitedTable, problems: Problems, code: str, hint: str | None) -> DelimitedTable:
    """Drop lines that are not rows, and cut the others into cells."""
    blank = _BLANKS + table.separator
    if not all(line.strip(blank) and line[0] not in " \t#/" for line in table.lines):
        _note_comments(table, problems)
        table.keep([row for row, line in enumerate(table.lines) if _is_row(line, blank)])
    for misfit in table.fill():
        table.report_misfit(misfit, problems, code, hint)
    return table


def _note_comments(table: DelimitedTable, problems: Problems) -> None:
    """Note comments that are cut into as many cells as a row."""
    marks = table.width - 1
    if table.separator == BLANK or not marks:
        return
    alike = [
        row
        for row, line in enumerate(table.lines)
        if line.lstrip(" \t").startswith(("#", "//"))
        and line.count(table.separator) == marks
        and IGNORE.search(line) is None
    ]
    if alike:
        first = table.lines[alike[0]].lstrip(" \t")
        what = such_rows(len(alike), "such lines")
        message = f"comment skipped that is cut like a row: {quote(first)}{what}"
        hint = 'a cell that begins with # or // stands between double quotes: "#1"'
        problems.report(
            "KT164", message, table.locate(alike[0], 0), severity="note", hint=hint, count=len(alike)
        )


def render_rows(rows: Iterable[Sequence[object]]) -> str:
    """Write comma-separated rows that this reader gives back: no first cell looks like a comment."""
    text = io.StringIO()
    plain = csv.writer(text, lineterminator="\n")
    quoted = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in rows:
        (quoted if str(row[0]).startswith(("#", "//")) else plain).writerow(row)
    return text.getvalue()


# --- small tables that callers write by hand ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TableShape:
    """What a small table must look like, such as a label map."""

    code: str  # code of the diagnostic if it does not
    # names that each column may have in the header, the usual one first; columns have any order
    columns: Sequence[Sequence[str]]
    repeats: bool = False  # whether there may be several columns of the last kind
    numbers: Sequence[int] = ()  # columns of numbers, which are given with decimal points
    others: frozenset[str] = frozenset()  # names of columns that may stand beside them, and are not read

    @property
    def header(self) -> str:
        """The header as one writes it."""
        return ",".join(names[0] for names in self.columns)

    def order(self, names: Sequence[str]) -> list[int] | None:
        """Return which cells of a header are the columns, in our order; None if it does not fit."""
        kinds = self._kinds(names)
        last = len(self.columns) - 1
        expected = [*range(last), *[last] * (max(1, kinds.count(last)) if self.repeats else 1)]
        read = [place for place, name in enumerate(names) if name.casefold() not in self.others]
        order = sorted(read, key=kinds.__getitem__)
        return order if [kinds[place] for place in order] == expected else None

    def known(self, names: Sequence[str]) -> int:
        """Count the names that are columns."""
        return sum(kind >= 0 for kind in self._kinds(names))

    def _kinds(self, names: Sequence[str]) -> list[int]:
        folded = [name.casefold() for name in names]
        return [
            next((kind for kind, known in enumerate(self.columns) if name in known), -1) for name in folded
        ]


def composed(label: str) -> str:
    """Return a label as all labels are compared: without blanks around it, in composed form (NFC)."""
    label = label.strip()
    return label if label.isascii() else unicodedata.normalize("NFC", label)


class TableRow(NamedTuple):
    """A row of a small table: its cells, composed, in the order of the shape, and their places."""

    cells: list[str]
    place: Callable[[int], Place]


def named_rows(text: str, shape: TableShape, problems: Problems, limits: Limits) -> Iterator[TableRow]:
    r"""Yield the rows of a small table."""
    if not within_line_limits(text, problems, limits, headers=1):  # before anything is made of it
        return
    header = first_row(text, shape.known)
    if header is None:
        return
    order = shape.order(header.names)
    if order is None:
        message = f"header must be `{shape.header}`"
        problems.report(shape.code, message, header.place(problems.file))
        return
    table = read_table(text, header, problems, limits, code=shape.code)
    assert table is not None, "budgets were kept above"
    numbers = [order[index] for index in shape.numbers]
    for index in numbers if table.has_decimal_commas(numbers) else ():
        table.columns[index] = [cell.replace(",", ".") for cell in table.columns[index]]
    for row in range(len(table)):
        yield TableRow([composed(table.columns[index][row]) for index in order], _places(table, row, order))


def _places(table: DelimitedTable, row: int, order: Sequence[int]) -> Callable[[int], Place]:
    return lambda index: table.locate(row, order[index])


ITEM_KEYS = ("item", "record_time", "recording", "file", "track", "id", "name")
"""What tables and metadata call an item; PianoVAM names its files by the time of recording."""

ItemRow = tuple[str, str, Callable[[], Place]]
"""The item, the value of the other column, and the function that locates the item."""


def item_rows(
    text: str, problems: Problems, limits: Limits, column: str, *, code: str, needs_header: bool = False
) -> Iterator[ItemRow]:
    r"""Yield the rows of a table of items and one more column, such as the split or the album."""
    separators = (*SEPARATORS, BLANK)
    first = first_row(text, lambda names: _item_columns(names, column) is not None, separators=separators)
    if first is None:
        return
    columns, hint = _item_columns(first.names, column), f"a row is item and {column}"
    if columns is not None:
        table = read_table(text, first, problems, limits, code=code, hint=hint)
    elif needs_header:
        names = ", ".join(map(quote, first.names))
        hint = f"a header names the items ({', '.join(ITEM_KEYS)}) and the column"
        message = f"no column {quote(column)} beside that of the items; columns: {names}"
        problems.report(code, message, first.place(problems.file), hint=hint)
        return
    else:
        columns, width, below = (0, 1), max(2, len(first.names)), first.line - 1
        table = read_rows(text, first.separator, width, problems, limits, code=code, hint=hint, below=below)
    if table is None:
        return
    for row in range(len(table)):
        item, value = (table.columns[index][row] for index in columns)
        if item and (value or needs_header):
            yield item, value, table.finder(row, columns[0])
        else:
            message = f"row has no {column}" if item else "row has no item"
            problems.report(code, message, table.finder(row, columns[1 if item else 0]), hint=hint)


def _item_columns(names: Sequence[str], column: str) -> tuple[int, int] | None:
    folded, wanted = [name.casefold() for name in names], column.casefold()
    item = next((folded.index(key) for key in ITEM_KEYS if key in folded and key != wanted), None)
    return None if item is None or wanted not in folded else (item, folded.index(wanted))
