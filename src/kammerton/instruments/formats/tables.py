# SPDX-License-Identifier: MIT
"""Tables of instruments: a row per entry, or a column per instrument."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic, close_match, quote
from kammerton.formats.reading import Problems, such_rows
from kammerton.formats.tables import Table
from kammerton.instruments.finishing import (
    LabelList,
    Lists,
    ReadingRules,
    coded,
    finish,
    judge,
    note_unjudged,
)
from kammerton.instruments.formats.source import (
    Key,
    Source,
    add_uneven,
    is_number,
    item_names,
    numbers_of,
    twice,
)
from kammerton.instruments.options import InstrumentOptions
from kammerton.model.annotations import Place

__all__ = ["NAMES", "column_of", "columns_of", "read_long_table", "read_wide_table", "say_missing"]

Column = Literal["item", "label", "score", "rank", "relevance", "annotator"]
Integers = NDArray[np.int64]
_ONE_NAME = "names are compared without suffixes, and composed (NFC): call both alike, or take one out"
NAMES: dict[Column, tuple[str, ...]] = {
    "item": (
        "item",
        "file",
        "filename",
        "file_name",
        "sample_key",
        "track_id",
        "track",
        "clip_id",
        "clip",
        "audio",
        "recording",
        "song",
        "path",
        "file_id",
        "song_id",
        "segment_id",
        "ytid",
        "id",
    ),
    "label": ("instrument", "label", "tag", "class", "instrument_name", "label_name", "class_name"),
    "score": ("score", "confidence", "probability", "prob", "likelihood", "activation"),
    "rank": ("rank", "position"),
    "relevance": ("relevance", "response"),
    "annotator": ("annotator", "annotator_id", "worker_id", "worker", "rater", "annotated_by"),
}
"""Names that are understood; where a table has several for one column, the first one counts."""
_COLUMNS: dict[str, Column] = {name: column for column, names in NAMES.items() for name in names}


def column_of(header: str) -> Column | None:
    """Return the column that a header names, or None."""
    return _COLUMNS.get(_folded(header))


def _folded(header: str) -> str:
    return re.sub(r"[\s-]+", "_", header.strip().casefold())


def columns_of(names: Sequence[str]) -> dict[Column, int]:
    """Return the place of each column that the names of a header tell."""
    best: dict[Column, tuple[int, int]] = {}
    for index, name in enumerate(names):
        column = column_of(name)
        if column is not None:
            rank = NAMES[column].index(_folded(name))
            best[column] = min(best.get(column, (rank, index)), (rank, index))
    return {column: index for column, (_, index) in best.items()}


def read_long_table(table: Table, problems: Problems, options: InstrumentOptions) -> Source | None:
    """Read a table of one row for each item and instrument."""
    reading = _LongTable(table, problems, options)
    if reading.has_column_twice():
        return None
    keys, lists = reading.owners()
    return Source(keys, reading.read(keys, lists), is_sheet=reading.is_sheet)


class _LongTable:
    """Reads one table."""

    def __init__(self, table: Table, problems: Problems, options: InstrumentOptions) -> None:
        self._table = table
        self._problems = problems
        self._options = options
        self._columns = columns_of(table.names)
        numbers: tuple[Column, ...] = ("score", "rank", "relevance")
        self._commas = table.has_decimal_commas(
            self._columns[each] for each in numbers if each in self._columns
        )
        self._broken: dict[int, str] = {}
        self._ambiguous: dict[str, str] = {}
        self.is_sheet = "item" in self._columns

    def _add(self, problem: Diagnostic, row: int, column: Column) -> None:
        self._problems.add_at(problem, lambda: self._table.locate(row, self._columns[column]))

    def has_column_twice(self) -> bool:
        """Report columns that count and are called the same."""
        names = [_folded(name) for name in self._table.names]
        again = [
            (index, name)
            for index, name in enumerate(names)
            if names.index(name) < index and names.index(name) in self._columns.values()
        ]
        for index, name in again:
            message = f"columns {names.index(name) + 1} and {index + 1} are both {quote(name)}"
            problem = Diagnostic(code="KT617", severity="error", message=message)
            self._problems.add(self._table.header_place(index).diagnose(problem))
        return bool(again)

    # --- whose rows they are -----------------------------------------------------------------

    def owners(self) -> tuple[list[Key], Integers]:
        """Return item and annotator of each list, and the list of each row."""
        rows = len(self._table)
        items, of_row = [""], np.zeros(rows, dtype=np.int64)
        if self.is_sheet:
            self._leave_out_nameless()
            items, of_row = self._items()
        annotators: list[str | None] = [None]
        by = np.zeros(len(of_row), dtype=np.int64)
        if "annotator" in self._columns:
            cells, by = coded([cell.strip() for cell in self._table.columns[self._columns["annotator"]]])
            annotators = [cell or None for cell in cells]
        pairs, lists = np.unique(of_row * len(annotators) + by, return_inverse=True)
        keys = [
            (items[pair // len(annotators)], annotators[pair % len(annotators)]) for pair in pairs.tolist()
        ]
        for number, (item, _) in enumerate(keys):
            if item in self._ambiguous:
                self._broken[number] = self._ambiguous[item]
        if self.is_sheet:
            add_uneven(keys, self._broken, self._table.uneven, self._columns["item"])
        return keys, lists

    def _items(self) -> tuple[list[str], Integers]:
        """Return the names of items, and the one of each row."""
        written, codes = coded(self._table.columns[self._columns["item"]])
        distinct, merged = coded(item_names(written))
        if len(distinct) < len(written):
            self._say_ambiguous(written, codes, distinct, merged.tolist())
        return distinct, merged[codes]

    def _say_ambiguous(
        self, written: Sequence[str], codes: Integers, distinct: Sequence[str], merged: Sequence[int]
    ) -> None:
        """Report names that are one item; whether their rows belong together is not guessed."""
        _, rows = np.unique(codes, return_index=True)
        first: dict[int, tuple[str, int]] = {}
        for name, item, row in zip(written, merged, rows.tolist(), strict=True):
            before, earlier = first.setdefault(item, (name.strip(), row))
            if before != name.strip():
                message = f"{quote(before)} and {quote(name.strip())} are both item {quote(distinct[item])}"
                line = self._table.locate(earlier, self._columns["item"]).line
                hint = f"{quote(before)} stands in line {line}; {_ONE_NAME}"
                self._add(Diagnostic(code="KT618", severity="error", message=message, hint=hint), row, "item")
                self._ambiguous.setdefault(distinct[item], f"KT618 {message}")

    def _leave_out_nameless(self) -> None:
        cells = self._table.columns[self._columns["item"]]
        named = [row for row, cell in enumerate(cells) if cell.strip()]
        if len(named) == len(cells):
            return
        for row in sorted({*range(len(cells))} - {*named}):
            self._add(Diagnostic(code="KT621", severity="error", message="row names no item"), row, "item")
        self._table.keep(named)

    # --- what they say -----------------------------------------------------------------------

    def read(self, keys: Sequence[Key], lists: Integers) -> Lists:
        """Return the lists."""
        table, columns = self._table, self._columns
        lists = self._without_blanks(lists)
        labels = table.columns[columns["label"]]
        entries = LabelList.of(labels, lists, table.locator(columns["label"]))
        closed = None
        ordered = self._options.ranked and "relevance" not in columns
        if "relevance" in columns:
            entries = self._judged(entries)
            closed = np.full(len(keys), self._options.assume_absent)
            pairs = entries.lists * max(1, len(entries.spellings)) + entries.codes
            whole = len(keys) * len(entries.spellings)
            note_unjudged(len(np.unique(pairs)), whole, self._problems, self._options)
        elif "score" in columns:
            entries.scores = self._numbers("score", lists)
            if "rank" in columns:
                self._compare_ranks(self._numbers("rank", lists), entries.scores, lists)
        elif "rank" in columns:
            entries = self._by_rank(entries)
            ordered = True
        vector = self._is_vector(entries, len(keys))
        manner = ReadingRules(
            ordered=ordered, vector=vector, closed=closed, repeats=self._has_times(), sheet=self.is_sheet
        )
        return finish(entries, len(keys), self._problems, self._options, manner, self._broken)

    def _has_times(self) -> bool:
        """Tell whether rows are parts of items, in which a label comes again."""
        return any(_folded(name).startswith(("start", "onset")) for name in self._table.names)

    def _numbers(self, column: Column, lists: Integers, *, required: bool = False) -> NDArray[np.float64]:
        index = self._columns[column]
        found = numbers_of(
            self._table.columns[index],
            self._table.locator(index),
            self._problems,
            what=column,
            commas=self._commas,
            required=required,
        )
        for row, reason in found.wrong.items():
            self._broken.setdefault(int(lists[row]), reason)
        return found.values

    def _judged(self, entries: LabelList) -> LabelList:
        """Return labels as present or absent, without those that have no relevance."""
        relevance = self._numbers("relevance", entries.lists)
        given = entries.take(np.flatnonzero(~np.isnan(relevance)))
        given.present = judge(given, relevance[~np.isnan(relevance)], self._options)
        return given

    def _without_blanks(self, lists: Integers) -> Integers:
        """Leave out rows without an instrument that are the only ones of their list, which then has none."""
        labels = self._table.columns[self._columns["label"]]
        blank = np.array([not label.strip() for label in labels], dtype=bool)
        if not blank.any():
            return lists
        alone = np.flatnonzero(blank & (np.bincount(lists)[lists] == 1))
        if not len(alone):
            return lists
        message = f"row without an instrument: its item has none ({len(alone):,} in all)"
        note = Diagnostic(code="KT622", severity="note", message=message, count=len(alone))
        self._add(note, int(alone[0]), "label")
        kept = np.delete(np.arange(len(lists)), alone)
        self._table.keep(kept.tolist())
        return lists[kept]

    def _is_vector(self, entries: LabelList, count: int) -> bool:
        """Tell whether each item has the same labels in the same order, which is not that of the scores."""
        rows = len(entries.codes)
        scores = entries.scores
        if scores is None or count < 2 or rows % count or rows == count or not self.is_sheet:
            return False
        order = np.argsort(entries.lists, kind="stable")
        width = rows // count
        lists, codes = (column[order].reshape(count, width) for column in (entries.lists, entries.codes))
        if not ((lists == np.arange(count)[:, None]).all() and (codes == codes[0]).all()):
            return False
        table = scores[order].reshape(count, width)
        if len(set(codes[0].tolist())) < width or not (table[:, 1:] > table[:, :-1]).any():
            return False
        message = (
            f"all items have the same {width:,} labels in the same order: read as scores of a vocabulary"
        )
        is_cut = self._options.threshold or self._options.top_k
        hint = None if is_cut else "--threshold or --top-k makes lists of them"
        note = Diagnostic(code="KT615", severity="note", message=message, hint=hint, file=self._problems.file)
        self._problems.add(note)
        return True

    # --- ranks -------------------------------------------------------------------------------

    def _by_rank(self, entries: LabelList) -> LabelList:
        """Return the rows in the order of their ranks."""
        ranks = self._numbers("rank", entries.lists, required=True)
        order = np.lexsort((ranks, entries.lists))
        tied = np.flatnonzero((np.diff(ranks[order]) == 0) & (np.diff(entries.lists[order]) == 0))
        if len(tied):
            message = f"two labels of a list have one rank, and stay in order{such_rows(len(tied), 'times')}"
            note = Diagnostic(code="KT613", severity="note", message=message, count=len(tied))
            self._add(note, int(order[tied[0] + 1]), "rank")
        return entries.take(order)

    def _compare_ranks(
        self, ranks: NDArray[np.float64], scores: NDArray[np.float64], lists: Integers
    ) -> None:
        """Note that ranks say another order than scores."""
        order = np.lexsort((ranks, -scores, lists))
        same = np.diff(lists[order]) == 0
        against = np.flatnonzero(same & (np.diff(scores[order]) < 0) & (np.diff(ranks[order]) < 0))
        if len(against):
            row = int(order[against[0] + 1])
            count = len(np.unique(lists[order[against]]))
            message = f"rank contradicts the scores, which count{such_rows(count, 'such items')}"
            self._add(Diagnostic(code="KT613", severity="note", message=message, count=count), row, "rank")


def say_missing(table: Table, problems: Problems, column: Column) -> None:
    """Report that no name of a header is one of a column."""
    unknown = [name for name in table.names if column_of(name) is None]
    near = next((name for name in unknown if close_match(name.casefold(), NAMES[column])), None)
    hint = f"known names: {', '.join(NAMES[column][:5])}"
    if near is not None:
        hint = f"is it {quote(near)}? {hint}"
    problem = Diagnostic(code="KT616", severity="error", message=f"no column is the {column}", hint=hint)
    problems.add(table.header_place().diagnose(problem))


Matrix = NDArray[np.float64]
_CLASSES = ["index", "mid", "display_name"]
"""Header of the ``class_labels_indices.csv`` of AudioSet."""
_TIMES = frozenset(("time", "start", "start_time", "onset"))
"""Names of a first column of times, such as that of MedleyDB's activations."""
_ZERO_ONE = frozenset(("0", "1", "0.0", "1.0"))


def read_wide_table(table: Table, problems: Problems, options: InstrumentOptions) -> Source | None:
    """Read a table of one row for each item."""
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

    def _entries(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> LabelList:
        table, instruments = self._table, self._columns.instruments

        def locate(entry: int) -> Place:
            return table.locate(int(rows[entry]), instruments[int(columns[entry])])

        names = [table.names[index] for index in instruments]
        return LabelList(names, columns.astype(np.int64), rows.astype(np.int64), locate)

    def _as_sets(
        self, matrix: Matrix, judged: NDArray[np.bool_], count: int
    ) -> tuple[LabelList, ReadingRules]:
        """Take 1 for present; and 0 for absent where a row has empty cells, which nobody judged."""
        complete: NDArray[np.bool_] = np.asarray(judged.all(axis=1))
        rows, columns = np.nonzero((matrix == 1) | (judged & ~complete[:, None]))
        entries = self._entries(rows, columns)
        entries.present = matrix[rows, columns] == 1
        of_use = judged[self._sound(len(judged))]
        note_unjudged(int(of_use.sum()), of_use.size, self._problems, self._options)
        closed = np.ones(count, dtype=bool)
        closed[: len(complete)] = complete | self._options.assume_absent
        return entries, ReadingRules(closed=closed, sheet=True)

    def _sound(self, rows: int) -> NDArray[np.bool_]:
        """Tell which rows can be used."""
        return ~np.isin(np.arange(rows), list(self._broken))

    def _as_scores(self, matrix: Matrix, judged: NDArray[np.bool_]) -> tuple[LabelList, ReadingRules]:
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
        return entries, ReadingRules(vector=True, sheet=True)
