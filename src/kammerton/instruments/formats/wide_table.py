# SPDX-License-Identifier: MIT
"""Tables with a row for each item and a column for each instrument: 0 and 1, or scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic, quote
from kammerton.formats.reading import Problems, such_rows
from kammerton.formats.tables import Table
from kammerton.instruments.assembling import Manner
from kammerton.instruments.entries import Entries, note_unjudged
from kammerton.instruments.finishing import finish
from kammerton.instruments.formats.items import Key, add_uneven, item_names, twice
from kammerton.instruments.formats.long_table import column_of
from kammerton.instruments.formats.numbers import is_number, numbers_of
from kammerton.instruments.formats.source import Source
from kammerton.instruments.options import InstrumentOptions
from kammerton.model.annotations import Place

__all__ = ["read_wide_table"]

Matrix = NDArray[np.float64]

_CLASSES = ["index", "mid", "display_name"]
"""Header of the ``class_labels_indices.csv`` of AudioSet."""

_TIMES = frozenset(("time", "start", "start_time", "onset"))
"""Names of a first column of times, such as that of MedleyDB's activations."""

_ZERO_ONE = frozenset(("0", "1", "0.0", "1.0"))


def read_wide_table(table: Table, problems: Problems, options: InstrumentOptions) -> Source | None:
    """Read a table of one row for each item.

    Parameters
    ----------
    table : Table
        Its first column names the items; a column may name the annotator; the others are instruments.
    problems : Problems
        Takes every problem found.
    options : InstrumentOptions

    Returns
    -------
    Source or None
        Sets if all cells are 0 or 1, where an empty cell was not judged; else scores, and an empty cell
        has none. None if the header cannot be used.
    """
    reading = _WideTable(table, problems, options)
    return reading.read() if reading.has_columns() else None


@dataclass(slots=True)
class _Columns:
    item: int = 0
    annotator: int | None = None
    instruments: list[int] = field(default_factory=list)


class _WideTable:
    """Reads one table."""

    def __init__(self, table: Table, problems: Problems, options: InstrumentOptions) -> None:
        self._table = table
        self._problems = problems
        self._options = options
        self._columns = _Columns()
        self._broken: dict[int, str] = {}

    def _say(self, code: str, place: Place, message: str, hint: str | None = None) -> None:
        self._problems.add(
            place.diagnose(Diagnostic(code=code, severity="error", message=message, hint=hint))
        )

    # --- the header --------------------------------------------------------------------------

    def has_columns(self) -> bool:
        """Find out what the columns are; report a header that cannot be used."""
        table, columns = self._table, self._columns
        seen: dict[str, int] = {}
        for index, name in enumerate(table.names[1:], 1):
            if column_of(name) == "annotator" and columns.annotator is None:
                columns.annotator = index
                continue
            columns.instruments.append(index)
            if not name:
                self._say("KT616", table.header_place(index), "column has no name")
            elif name in seen:
                first = f"columns {seen[name] + 1} and {index + 1}"
                self._say("KT617", table.header_place(index), f"{first} are both {quote(name)}")
            seen.setdefault(name, index)
        if not columns.instruments:
            hint = "the first column names the item; give the others the names of instruments"
            self._say("KT616", table.header_place(), "no column is an instrument", hint)
        elif self._lacks_items():
            hint = "put a column such as `file` before the instruments"
            self._say("KT616", table.header_place(), "no column names the items", hint)
        elif table.names == _CLASSES:
            hint = "--map FILE reads it, and gives identifiers of AudioSet their names"
            self._say("KT616", table.header_place(), "a list of classes, and no annotations", hint)
        elif self._is_text():
            hint = "name the columns of a table of item and instrument `file,instrument`"
            message = "the first row is no header, or no column is `instrument`"
            self._say("KT616", table.header_place(), message, hint)
        return not self._problems.has_errors or not self._is_refused()

    def _is_refused(self) -> bool:
        return any(each.code in ("KT616", "KT617") for each in self._problems.diagnostics())

    def _lacks_items(self) -> bool:
        """Tell if the first column is of times, or of 0 and 1 under a name that is none for items."""
        cells = {cell.strip() for cell in self._table.columns[0]}
        name = self._table.names[0]
        if name.casefold() in _TIMES:
            return True
        return len(self._table) > len(cells) and cells <= _ZERO_ONE and column_of(name) != "item"

    def _is_text(self) -> bool:
        """Tell if no cell is a number, so that this is a table of another kind."""
        cells = [cell for index in self._columns.instruments for cell in self._table.columns[index]]
        return any(map(str.strip, cells)) and not any(is_number(cell.replace(",", ".")) for cell in cells)

    # --- the rows ----------------------------------------------------------------------------

    def read(self) -> Source:
        """Return the lists."""
        table = self._table
        matrix = self._matrix()
        keys = self._keys()
        matrix = self._without_repeats(keys, matrix)
        add_uneven(keys, self._broken, table.uneven, 0)
        judged = ~np.isnan(matrix)
        if np.isin(matrix[judged], (0.0, 1.0)).all():
            entries, manner = self._as_sets(matrix, judged, len(keys))
        else:
            entries, manner = self._as_scores(matrix, judged)
        lists = finish(entries, len(keys), self._problems, self._options, manner, self._broken)
        return Source(keys, lists, is_sheet=True)

    def _keys(self) -> list[Key]:
        """Return item and annotator of each row; rows without an item are reported."""
        table, annotator = self._table, self._columns.annotator
        names = item_names(table.columns[0])
        by: list[str | None] = [None] * len(names)
        if annotator is not None:
            by = [cell.strip() or None for cell in table.columns[annotator]]
        for row in [row for row, name in enumerate(names) if not name]:
            self._break(row, Diagnostic(code="KT621", severity="error", message="row names no item"))
        return list(zip(names, by, strict=True))

    def _break(self, row: int, problem: Diagnostic) -> None:
        self._problems.add_at(problem, partial(self._table.locate, row, 0))
        self._broken.setdefault(row, f"{problem.code} {problem.message}")

    def _without_repeats(self, keys: list[Key], matrix: Matrix) -> Matrix:
        """Leave out rows that say the same of an item once more; if they say another thing, it is broken."""
        if len(set(keys)) == len(keys):
            return matrix
        first: dict[Key, int] = {}
        again: set[int] = set()
        for row, key in enumerate(keys):
            before = first.setdefault(key, row)
            if before == row or not key[0]:
                continue
            if np.array_equal(matrix[before], matrix[row], equal_nan=True):
                message = f"row dropped: item stands twice, and the rows are alike: {quote(key[0])}"
                problem = twice(message, self._table.locate(before, 0), "warning")
                self._problems.add_at(problem, partial(self._table.locate, row, 0))
                again.add(row)
            else:
                message = f"item stands twice, with different instruments: {quote(key[0])}"
                self._break(row, twice(message, self._table.locate(before, 0)))
        if again:
            kept = [row for row in range(len(keys)) if row not in again]
            self._broken = {new: self._broken[row] for new, row in enumerate(kept) if row in self._broken}
            keys[:] = [keys[row] for row in kept]
            self._table.keep(kept)
            matrix = matrix[kept]
        return matrix

    def _matrix(self) -> Matrix:
        """Return the cells of all instruments; rows with a cell that is no number are broken."""
        table = self._table
        matrix = np.empty((len(table), len(self._columns.instruments)))
        commas = table.has_decimal_commas(self._columns.instruments)
        for column, index in enumerate(self._columns.instruments):
            cells = table.columns[index]
            found = numbers_of(cells, table.locator(index), self._problems, commas=commas)
            matrix[:, column] = found.values
            for row, reason in found.wrong.items():
                self._broken.setdefault(row, reason)
        return matrix

    def _entries(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Entries:
        table, instruments = self._table, self._columns.instruments

        def locate(entry: int) -> Place:
            return table.locate(int(rows[entry]), instruments[int(columns[entry])])

        names = [table.names[index] for index in instruments]
        return Entries(names, columns.astype(np.int64), rows.astype(np.int64), locate)

    def _as_sets(self, matrix: Matrix, judged: NDArray[np.bool_], count: int) -> tuple[Entries, Manner]:
        """Take 1 for present; and 0 for absent where a row has empty cells, which nobody judged."""
        complete: NDArray[np.bool_] = np.asarray(judged.all(axis=1))
        rows, columns = np.nonzero((matrix == 1) | (judged & ~complete[:, None]))
        entries = self._entries(rows, columns)
        entries.present = matrix[rows, columns] == 1
        of_use = judged[self._sound(len(judged))]
        note_unjudged(int(of_use.sum()), of_use.size, self._problems, self._options)
        closed = np.ones(count, dtype=bool)
        closed[: len(complete)] = complete | self._options.assume_absent
        return entries, Manner(closed=closed, sheet=True)

    def _sound(self, rows: int) -> NDArray[np.bool_]:
        """Tell which rows can be used."""
        return ~np.isin(np.arange(rows), list(self._broken))

    def _as_scores(self, matrix: Matrix, judged: NDArray[np.bool_]) -> tuple[Entries, Manner]:
        rows, columns = np.nonzero(judged)
        entries = self._entries(rows, columns)
        entries.scores = matrix[rows, columns]
        lacking, where = np.nonzero(~judged & self._sound(len(judged))[:, None])
        if len(lacking):
            row, column, count = int(lacking[0]), int(where[0]), len(lacking)
            message = (
                f"cell without a score: its instrument has none in this item{such_rows(count, 'such cells')}"
            )
            note = Diagnostic(code="KT612", severity="note", message=message, count=count)
            self._problems.add(self._table.locate(row, self._columns.instruments[column]).diagnose(note))
        return entries, Manner(vector=True, sheet=True)
