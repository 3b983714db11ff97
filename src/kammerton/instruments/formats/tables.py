# SPDX-License-Identifier: MIT
"""Tables of instruments: a row per entry, or a column per instrument."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Codes, Flags
from kammerton.errors import quote
from kammerton.formats.reading import Problems
from kammerton.formats.tables import ColumnNames, DelimitedTable
from kammerton.instruments.labels import (
    Key,
    LabelRows,
    ListReader,
    ParsedLists,
    ReadingRules,
    coded,
    first_place,
    is_number,
    item_names,
    judge,
)
from kammerton.model.annotations import Place
from kammerton.model.measure import Values

Column = Literal["item", "label", "score", "rank", "relevance", "annotator"]
_ONE_NAME = "names are compared without suffixes, and composed (NFC): call both alike, or take one out"
NAMES = ColumnNames[Column](
    {
        "item": (
            *("item", "file", "filename", "file_name", "sample_key", "track_id", "track", "clip_id", "clip"),
            *("audio", "recording", "song", "path", "file_id", "song_id", "segment_id", "ytid", "id"),
        ),
        "label": ("instrument", "label", "tag", "class", "instrument_name", "label_name", "class_name"),
        "score": ("score", "confidence", "probability", "prob", "likelihood", "activation"),
        "rank": ("rank", "position"),
        "relevance": ("relevance", "response"),
        "annotator": ("annotator", "annotator_id", "worker_id", "worker", "rater", "annotated_by"),
    }
)
"""Names that are understood; where a table has several for one column, the first one counts."""
_NUMERIC: frozenset[Column] = frozenset(("score", "rank", "relevance"))


def report_missing(table: DelimitedTable, problems: Problems, column: Column) -> None:
    """Report that no name of a header is one of a column."""
    near = NAMES.near(column, table.names)
    hint = f"known names: {', '.join(NAMES.of[column][:5])}"
    if near is not None:
        hint = f"is it {quote(near)}? {hint}"
    problems.report("KT616", f"no column is the {column}", table.header_place(), hint=hint)


# --- a row per entry -----------------------------------------------------------------------


def read_long_table(table: DelimitedTable, reader: ListReader) -> ParsedLists | None:
    """Read a table of one row for each item and instrument."""
    return _LongTable(reader.problems, reader.options, table).read()


@dataclass(eq=False)
class _LongTable(ListReader):
    """Reads one table."""

    table: DelimitedTable
    _ambiguous: dict[str, str] = field(default_factory=dict, init=False)

    @cached_property
    def _columns(self) -> dict[Column, int]:
        return NAMES.columns(self.table.names)[0]

    @cached_property
    def _names_items(self) -> bool:
        return "item" in self._columns

    def _note_row(self, code: str, message: str, row: int, column: Column, count: int, what: str) -> None:
        self.note(code, message, count, self.table.finder(row, self._columns[column]), what)

    def read(self) -> ParsedLists | None:
        """Return the lists; None if two columns that count are called the same."""
        _, repeated = NAMES.columns(self.table.names)
        for index, first in repeated.items():
            name = self.table.names[index].strip().casefold()
            message = f"columns {first + 1} and {index + 1} are both {quote(name)}"
            self.problems.report("KT617", message, self.table.header_place(index))
        if repeated:
            return None
        keys, lists = self._owners()
        return self._lists(keys, self._without_blanks(lists))

    # --- whose rows they are -----------------------------------------------------------------

    def _owners(self) -> tuple[list[Key], Codes]:
        """Return item and annotator of each list, and the list of each row."""
        items, of_row = [""], np.zeros(len(self.table), dtype=np.int64)
        if self._names_items:
            self._leave_out_nameless()
            items, of_row = self._items()
        annotators: list[str | None] = [None]
        by = np.zeros_like(of_row)
        if "annotator" in self._columns:
            cells, by = coded([cell.strip() for cell in self.table.columns[self._columns["annotator"]]])
            annotators = [cell or None for cell in cells]
        pairs, lists = np.unique(of_row * len(annotators) + by, return_inverse=True)
        numbers = [divmod(pair, len(annotators)) for pair in pairs.tolist()]
        keys = [(items[item], annotators[annotator]) for item, annotator in numbers]
        for number, (item, _) in enumerate(keys):
            if item in self._ambiguous:
                self.broken[number] = self._ambiguous[item]
        if self._names_items:
            self.add_uneven(keys, self.table.uneven, self._columns["item"])
        return keys, lists

    def _leave_out_nameless(self) -> None:
        column = self._columns["item"]
        cells = self.table.columns[column]
        named = [row for row, cell in enumerate(cells) if cell.strip()]
        if len(named) < len(cells):
            for row in sorted({*range(len(cells))} - {*named}):
                self.problems.report("KT621", "row names no item", self.table.finder(row, column))
            self.table.keep(named)

    def _items(self) -> tuple[list[str], Codes]:
        """Return the names of items, and the one of each row."""
        written, codes = coded(self.table.columns[self._columns["item"]])
        items, merged = coded(item_names(written))
        if len(items) < len(written):
            self._report_ambiguous(written, codes, [items[code] for code in merged.tolist()])
        return items, merged[codes]

    def _report_ambiguous(self, written: Sequence[str], codes: Codes, items: Sequence[str]) -> None:
        """Report names that are one item; whether their rows belong together is not guessed."""
        _, rows = np.unique(codes, return_index=True)
        firsts: dict[str, tuple[str, int]] = {}
        column = self._columns["item"]
        for name, item, row in zip(map(str.strip, written), items, rows.tolist(), strict=True):
            first, first_row = firsts.setdefault(item, (name, row))
            if first != name:
                message = f"{quote(first)} and {quote(name)} are both item {quote(item)}"
                hint = (
                    f"{quote(first)} stands in line {self.table.locate(first_row, column).line}; {_ONE_NAME}"
                )
                place = self.table.finder(row, column)
                self.problems.report("KT618", message, place, hint=hint)
                self._ambiguous.setdefault(item, f"KT618 {message}")

    # --- what they list ----------------------------------------------------------------------

    def _lists(self, keys: Sequence[Key], lists: Codes) -> ParsedLists:
        columns, label = self._columns, self._columns["label"]
        entries = LabelRows.of(self.table.columns[label], self.table.locator(label), lists)
        closed = None
        ordered = self.options.ranked and "relevance" not in columns
        if "relevance" in columns:
            relevance = self._numbers("relevance", lists)
            judged = np.flatnonzero(~np.isnan(relevance))
            entries = entries.take(judged)
            entries.present = judge(entries, relevance[judged], self.options)
            closed = np.full(len(keys), self.options.assume_absent)
            pairs = entries.lists * max(1, len(entries.spellings)) + entries.codes
            whole = len(keys) * len(entries.spellings)
            self.note_unjudged(len(np.unique(pairs)), whole)
        elif "score" in columns:
            entries.scores = self._numbers("score", lists)
            if "rank" in columns:
                locate = self.table.locator(columns["rank"])
                ranks = self._numbers("rank", lists)
                self.compare_ranks(ranks, entries.scores, lists, locate, "such items")
        elif "rank" in columns:
            entries = self._by_rank(entries)
            ordered = True
        # where rows are parts of items, a label comes again
        repeats = any(name.casefold().startswith(("start", "onset")) for name in self.table.names)
        vector = self._is_vector(entries, len(keys))
        rules = ReadingRules(
            ordered=ordered, vector=vector, closed=closed, repeats=repeats, names_items=self._names_items
        )
        return self.finish(entries, keys, rules)

    def _without_blanks(self, lists: Codes) -> Codes:
        """Leave out rows without an instrument that are the only ones of their list, which then has none."""
        labels = self.table.columns[self._columns["label"]]
        blank = np.array([not label.strip() for label in labels], dtype=bool)
        alone = np.flatnonzero(blank & (np.bincount(lists)[lists] == 1))
        if not len(alone):
            return lists
        message = f"row without an instrument: its item has none ({len(alone):,} in all)"
        self._note_row("KT622", message, int(alone[0]), "label", len(alone), "")
        others = np.delete(np.arange(len(lists)), alone)
        self.table.keep(others.tolist())
        return lists[others]

    def _numbers(self, column: Column, lists: Codes, *, required: bool = False) -> Values:
        index = self._columns[column]
        commas = self.table.has_decimal_commas(
            self._columns[name] for name in _NUMERIC & self._columns.keys()
        )
        cells, locate = self.table.columns[index], self.table.locator(index)
        return self.numbers(cells, lists, locate, what=column, commas=commas, required=required)

    def _is_vector(self, entries: LabelRows, count: int) -> bool:
        """Return whether each item has the same labels in the same order, which is not that of the scores."""
        rows = len(entries.codes)
        scores = entries.scores
        if scores is None or count < 2 or rows % count or rows == count or not self._names_items:
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
        is_cut = self.options.threshold or self.options.top_k
        hint = None if is_cut else "--threshold or --top-k makes lists of them"
        self.problems.report("KT615", message, severity="note", hint=hint)
        return True

    def _by_rank(self, entries: LabelRows) -> LabelRows:
        """Return the rows in the order of their ranks."""
        ranks = self._numbers("rank", entries.lists, required=True)
        order = np.lexsort((ranks, entries.lists))
        tied = np.flatnonzero((np.diff(ranks[order]) == 0) & (np.diff(entries.lists[order]) == 0))
        if len(tied):
            message = "two labels of a list have one rank, and stay in order"
            self._note_row("KT613", message, int(order[tied[0] + 1]), "rank", len(tied), "times")
        return entries.take(order)


# --- a column per instrument ---------------------------------------------------------------

_CLASSES = ["index", "mid", "display_name"]
"""Header of the ``class_labels_indices.csv`` of AudioSet."""
_TIMES = frozenset(("time", "start", "start_time", "onset"))
"""Names of a first column of times, such as that of MedleyDB's activations."""
_ZERO_ONE = frozenset(("0", "1", "0.0", "1.0"))


def read_wide_table(table: DelimitedTable, reader: ListReader) -> ParsedLists | None:
    """Read a table of one row for each item."""
    return _WideTable(reader.problems, reader.options, table).read()


@dataclass(eq=False)
class _WideTable(ListReader):
    """Reads one table."""

    table: DelimitedTable

    @cached_property
    def _annotator(self) -> int | None:
        columns = map(NAMES.column, self.table.names)
        return next((index for index, column in enumerate(columns) if index and column == "annotator"), None)

    @cached_property
    def _instruments(self) -> list[int]:
        return [index for index in range(1, len(self.table.names)) if index != self._annotator]

    def read(self) -> ParsedLists | None:
        """Return the lists; None if the header cannot be used."""
        bad = list(self._header_problems())
        for code, message, column, hint in bad:
            self.problems.report(code, message, self.table.header_place(column), hint=hint)
        if bad:
            return None
        matrix = self._matrix()
        keys = self._keys()
        matrix = self._without_repeats(keys, matrix)
        self.add_uneven(keys, self.table.uneven)
        judged = ~np.isnan(matrix)
        as_sets = bool(np.isin(matrix[judged], (0.0, 1.0)).all())
        read = self._as_sets if as_sets else self._as_scores
        entries, rules = read(matrix, judged, len(keys))
        return self.finish(entries, keys, rules)

    def _header_problems(self) -> Iterator[tuple[str, str, int | None, str | None]]:
        """Give columns without a name or with the same one, and what makes it a table of another kind."""
        names = self.table.names
        firsts: dict[str, int] = {}
        for index in self._instruments:
            first = firsts.setdefault(names[index], index)
            if not names[index]:
                yield "KT616", "column has no name", index, None
            elif first < index:
                message = f"columns {first + 1} and {index + 1} are both {quote(names[index])}"
                yield "KT617", message, index, None
        if not self._instruments:
            hint = "the first column names the item; give the others the names of instruments"
            yield "KT616", "no column is an instrument", None, hint
        elif self._lacks_items():
            hint = "put a column such as `file` before the instruments"
            yield "KT616", "no column names the items", None, hint
        elif names == _CLASSES:
            hint = "--map FILE reads it, and gives identifiers of AudioSet their names"
            yield "KT616", "a list of classes, and no annotations", None, hint
        elif self._is_text():
            hint = "name the columns of a table of item and instrument `file,instrument`"
            yield "KT616", "the first row is no header, or no column is `instrument`", None, hint

    def _lacks_items(self) -> bool:
        """Return whether the first column is of times, or of 0 and 1 under a name that is none for items."""
        cells = {cell.strip() for cell in self.table.columns[0]}
        name = self.table.names[0]
        if name.casefold() in _TIMES:
            return True
        return len(self.table) > len(cells) and cells <= _ZERO_ONE and NAMES.column(name) != "item"

    def _is_text(self) -> bool:
        """Return whether no cell is a number, so that this is a table of another kind."""
        cells = [cell for index in self._instruments for cell in self.table.columns[index]]
        return any(map(str.strip, cells)) and not any(is_number(cell.replace(",", ".")) for cell in cells)

    def _matrix(self) -> Values:
        """Return the cells of all instruments; rows with a cell that is no number are broken."""
        table = self.table
        matrix = np.empty((len(table), len(self._instruments)))
        commas = table.has_decimal_commas(self._instruments)
        rows = np.arange(len(table))
        for column, index in enumerate(self._instruments):
            matrix[:, column] = self.numbers(table.columns[index], rows, table.locator(index), commas=commas)
        return matrix

    def _keys(self) -> list[Key]:
        """Return item and annotator of each row; rows without an item are reported."""
        table = self.table
        names = item_names(table.columns[0])
        by: list[str | None] = [None] * len(names)
        if self._annotator is not None:
            by = [cell.strip() or None for cell in table.columns[self._annotator]]
        for row, name in enumerate(names):
            if not name:
                self.fail(row, "KT621", "row names no item", table.finder(row, 0))
        return list(zip(names, by, strict=True))

    def _without_repeats(self, keys: list[Key], matrix: Values) -> Values:
        """Leave out rows that repeat an item and its cells; an item with several rows of cells is broken."""
        firsts: dict[Key, int] = {}
        again: set[int] = set()
        for row, key in enumerate(keys):
            first = firsts.setdefault(key, row)
            if first == row or not key[0]:
                continue
            hint, place = first_place(self.table.locate(first, 0)), self.table.finder(row, 0)
            if np.array_equal(matrix[first], matrix[row], equal_nan=True):
                message = f"row dropped: item stands twice, and the rows are alike: {quote(key[0])}"
                self.problems.report("KT618", message, place, severity="warning", hint=hint)
                again.add(row)
            else:
                message = f"item stands twice, with different instruments: {quote(key[0])}"
                self.fail(row, "KT618", message, place, hint)
        if again:
            distinct = [row for row in range(len(keys)) if row not in again]
            self.broken = {new: self.broken[row] for new, row in enumerate(distinct) if row in self.broken}
            keys[:] = [keys[row] for row in distinct]
            self.table.keep(distinct)
            matrix = matrix[distinct]
        return matrix

    def _entries(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> LabelRows:
        names = [self.table.names[index] for index in self._instruments]

        def locate(entry: int) -> Place:
            return self.table.locate(int(rows[entry]), self._instruments[int(columns[entry])])

        return LabelRows(names, columns.astype(np.int64), rows.astype(np.int64), locate)

    def _as_sets(self, matrix: Values, judged: Flags, count: int) -> tuple[LabelRows, ReadingRules]:
        """Take 1 for present; and 0 for absent where a row has empty cells, which nobody judged."""
        complete: Flags = np.asarray(judged.all(axis=1))
        rows, columns = np.nonzero((matrix == 1) | (judged & ~complete[:, None]))
        entries = self._entries(rows, columns)
        entries.present = matrix[rows, columns] == 1
        usable = judged[self._is_sound(len(judged))]
        self.note_unjudged(int(usable.sum()), usable.size)
        closed = np.ones(count, dtype=bool)
        closed[: len(complete)] = complete | self.options.assume_absent
        return entries, ReadingRules(closed=closed, names_items=True)

    def _as_scores(self, matrix: Values, judged: Flags, _: int) -> tuple[LabelRows, ReadingRules]:
        rows, columns = np.nonzero(judged)
        entries = self._entries(rows, columns)
        entries.scores = matrix[rows, columns]
        lacking = np.argwhere(~judged & self._is_sound(len(judged))[:, None]).tolist()
        if lacking:
            row, column = lacking[0]
            message = "cell without a score: its instrument has none in this item"
            place = self.table.finder(row, self._instruments[column])
            self.note("KT612", message, len(lacking), place, "such cells")
        return entries, ReadingRules(vector=True, names_items=True)

    def _is_sound(self, rows: int) -> Flags:
        """Return which rows can be used."""
        return ~np.isin(np.arange(rows), list(self.broken))
