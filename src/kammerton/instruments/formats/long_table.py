# SPDX-License-Identifier: MIT
"""Tables with a row for each item and instrument, such as those of OpenMIC-2018."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic, close_match, quote
from kammerton.formats.reading import Problems, such_rows
from kammerton.formats.tables import Table
from kammerton.instruments.assembling import Manner
from kammerton.instruments.entries import Entries, coded, judge, note_unjudged
from kammerton.instruments.finishing import Lists, finish
from kammerton.instruments.formats.items import Key, add_uneven, item_names
from kammerton.instruments.formats.numbers import numbers_of
from kammerton.instruments.formats.source import Source
from kammerton.instruments.options import InstrumentOptions

__all__ = ["NAMES", "column_of", "columns_of", "read_long_table", "say_missing"]

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
    """Read a table of one row for each item and instrument.

    Parameters
    ----------
    table : Table
        Its header has a column of instruments.
    problems : Problems
        Takes every problem found.
    options : InstrumentOptions
        With the threshold of relevance.

    Returns
    -------
    Source or None
        Sets, unless there are scores or ranks, or the caller says that the order ranks; judged labels, if
        there is a column of relevance. Without a column of items the file is one. None if a name that counts
        stands twice in the header.
    """
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
        entries = Entries.of(labels, lists, table.locator(columns["label"]))
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
        manner = Manner(
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

    def _judged(self, entries: Entries) -> Entries:
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

    def _is_vector(self, entries: Entries, count: int) -> bool:
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

    def _by_rank(self, entries: Entries) -> Entries:
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
