# SPDX-License-Identifier: MIT
"""Text read line by line: labels, tags of MTG-Jamendo, segments of AudioSet, judgements and runs of TREC."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from kammerton.arrays import Codes
from kammerton.errors import plural, quote, some
from kammerton.formats.reading import report_exceeded, within_line_limits
from kammerton.formats.tables import (
    WORDS,
    DelimitedTable,
    Header,
    NumberedLine,
    TableCell,
    cells_of,
    first_row,
    numbered_lines,
    read_rows,
)
from kammerton.instruments.labels import (
    KEY_OF_ONE_LIST,
    Key,
    LabelRows,
    ListReader,
    ParsedLists,
    ReadingRules,
    assemble,
    coded,
    item_names,
)
from kammerton.model.annotations import Place
from kammerton.model.measure import Values


def _cell_place(reader: ListReader, line: NumberedLine, cell: TableCell, lead: int = 0) -> Place:
    """Return the place of a cell of a line, without so many characters at its begin."""
    number, text = line
    return Place(reader.problems.file, number, cell.column + lead, max(1, len(cell.text) - lead), text)


# --- one label a line ------------------------------------------------------------------------

_TIMES = re.compile(r"[ \t]*[0-9.]+[ \t]+[0-9.]+[ \t]+\S|[ \t]*[0-9.]+(?:,[0-9.]+)+[ \t]*$")
"""A row of times and a label, or of a time and activations."""


def read_label_lines(text: str, reader: ListReader) -> ParsedLists | None:
    """Read one label a line, and perhaps its score behind a tab: the test labels of IRMAS."""
    if not within_line_limits(text, reader.problems, reader.options.limits):
        return None
    lines = numbered_lines(text)
    if not lines:
        reader.report_empty()
        return None
    times = next((line for line in lines[:2] if _TIMES.match(line[1])), None)
    if times is not None:
        place = Place(reader.problems.file, times[0], 1, len(times[1]), times[1])
        hint = "one label a line, or a table with a header"
        reader.report_unrecognised(place, "rows of times", hint)
        return None
    rows = [cells_of(line, "\t") for _, line in lines]
    labels = [row[0].value for row in rows]
    scores = ["\t".join(cell.value for cell in row[1:]) for row in rows]
    entries = LabelRows.of(labels, lambda row: _cell_place(reader, lines[row], rows[row][0]))
    if any(map(str.strip, scores)):

        def locate(row: int) -> Place:
            return _cell_place(reader, lines[row], rows[row][1])

        entries.scores = reader.numbers(scores, entries.lists, locate)
    return reader.finish(entries, KEY_OF_ONE_LIST, ReadingRules(ordered=reader.options.ranked))


# --- MTG-Jamendo -----------------------------------------------------------------------------

_PREFIX = "instrument---"
_ITEM, _TAGS = "TRACK_ID", "TAGS"


def is_jamendo(header: Header) -> bool:
    """Return whether a header is one of MTG-Jamendo."""
    return header.separator == "\t" and _ITEM in header.names and header.names[-1:] == [_TAGS]


def read_jamendo(text: str, header: Header, reader: ListReader) -> ParsedLists | None:
    """Read tags of tracks; a row has as many cells at its end as the track has tags."""
    if not within_line_limits(text, reader.problems, reader.options.limits, headers=1):
        return None
    lines = [line for line in numbered_lines(text) if line[0] > header.line]
    if not lines:
        reader.report_empty()
        return None
    rows = [line.split("\t") for _, line in lines]
    names = _track_names(lines, rows, header, reader)
    first = len(header.names) - 1
    tags = [
        (row, cell, tag)
        for row, cells in enumerate(rows)
        for cell, tag in enumerate(map(str.strip, cells[first:]), first)
        if tag
    ]
    instruments = [(row, cell, tag) for row, cell, tag in tags if tag.startswith(_PREFIX)]
    others = [tag.partition("---")[0] for *_, tag in tags if not tag.startswith(_PREFIX)]
    if others:
        message = f"tags that are no instruments are left out: {some(sorted(set(others)))}"
        reader.note("KT627", message, len(others), what="")

    def locate(entry: int) -> Place:
        row, cell, _ = instruments[entry]
        return _cell_place(reader, lines[row], cells_of(lines[row][1], "\t")[cell], len(_PREFIX))

    lists = np.array([row for row, *_ in instruments], dtype=np.int64)
    closed = np.bincount(lists, minlength=len(rows)) > 0
    if not closed.all():
        rest = "none of theirs is there" if reader.options.assume_absent else "nobody judged theirs"
        reader.note("KT614", f"tracks without a tag of an instrument: {rest}", int((~closed).sum()), what="")
    entries = LabelRows.of([tag[len(_PREFIX) :] for *_, tag in instruments], locate, lists)
    rules = ReadingRules(closed=closed | reader.options.assume_absent, names_items=True)
    return reader.finish(entries, [(name, None) for name in names], rules)


def _track_names(
    lines: Sequence[NumberedLine], rows: Sequence[Sequence[str]], header: Header, reader: ListReader
) -> list[str]:
    """Return the tracks; those whose rows are too short, or that stood before, are broken."""
    item, width = header.names.index(_ITEM), len(header.names)

    def locate(row: int) -> Place:
        number, text = lines[row]
        return Place(reader.problems.file, number, 1, len(text), text)

    names = item_names([row[item] if item < len(row) else "" for row in rows])
    for row, cells in enumerate(rows):
        if len(cells) < width:
            message = f"row has {plural(len(cells), 'column')}, the header {width}"
            reader.fail(row, "KT161", message, locate(row))
    whole = [row for row in range(len(rows)) if row not in reader.broken]
    reader.report_unusable_names(names, locate, whole)
    return names


# --- AudioSet --------------------------------------------------------------------------------

_SEGMENT = ("ytid", "start_seconds", "end_seconds", "positive_labels")
_SEGMENT_ROW = re.compile(r'[\w-]+,[ ]*[0-9.]+,[ ]*[0-9.]+,[ ]*"?/[a-z]/', re.ASCII)
"""A row of AudioSet's: its labels are identifiers such as ``/m/0342h``."""
_LABEL = re.compile(r"[^,]*+")


def segments_header(text: str) -> Header | None:
    """Return the header of AudioSet's segments, which is a comment, or their first row, if there are any."""
    first = first_row(text, _known_of_segments, separators=(",",), commented=True)
    if first is None:
        return None
    has_names = _known_of_segments(first.names) == len(_SEGMENT)
    return first if has_names or _SEGMENT_ROW.match(first.text.lstrip(" \t")) else None


def _known_of_segments(names: list[str]) -> int:
    return sum(name.strip().casefold() in _SEGMENT for name in names)


def read_segments(text: str, first: Header, reader: ListReader) -> ParsedLists | None:
    """Read segments of AudioSet."""
    below = first.line if _known_of_segments(first.names) else 0
    hint = "a row is the id of a video, start, end, and its labels between quotes"
    table = read_rows(
        text, ",", len(_SEGMENT), reader.problems, reader.options.limits, code="KT161", hint=hint, below=below
    )
    if table is None:
        return None
    if not len(table) and not table.uneven:
        reader.report_empty()
        return None
    names = item_names(table.columns[0])
    reader.report_unusable_names(names, table.locator(0))
    labels = [
        (row, label)
        for row, cell in enumerate(table.columns[-1])
        for label in _LABEL.finditer(cell)
        if label[0].strip()
    ]
    rows = np.array([row for row, _ in labels], dtype=np.int64)
    bare = np.setdiff1d(np.arange(len(table)), rows).tolist()
    if bare:
        place = table.finder(bare[0], table.width - 1)
        reader.note("KT622", "row without a label: its item has none", len(bare), place)
    keys: list[Key] = [(name, None) for name in names]
    reader.add_uneven(keys, table.uneven)

    def locate(entry: int) -> Place:
        row, label = labels[entry]
        cell, text = table.locate(row, table.width - 1), label[0]
        column = (cell.column or 1) + label.start() + len(text) - len(text.lstrip())
        return replace(cell, column=column, length=len(text.strip()))

    entries = LabelRows.of([label[0] for _, label in labels], locate, rows)
    return reader.finish(entries, keys, ReadingRules(names_items=True))


# --- TREC ------------------------------------------------------------------------------------

Form = Literal["qrels", "run"]

_WIDTHS: dict[Form, int] = {"qrels": 4, "run": 6}
_EXPECTED: dict[Form, str] = {
    "qrels": "topic, iteration, document, relevance",
    "run": "topic, Q0, document, rank, score, name of the run",
}
_RELEVANCE = re.compile(r"[+-]?[0-9]{1,9}")
_NUMBER = re.compile(r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?")


def trec_form(line: str) -> Form | None:
    """Return which of the two a line belongs to, or None."""
    cells = line.split()
    if len(cells) == _WIDTHS["qrels"] and _RELEVANCE.fullmatch(cells[3]):
        return "qrels"
    if len(cells) == _WIDTHS["run"] and cells[3].isdigit() and _NUMBER.fullmatch(cells[4]):
        return "run"
    return None


def read_trec(text: str, form: Form, reader: ListReader) -> ParsedLists | None:
    """Read judgements (qrels) or a run as ``trec_eval`` does: items are topics, labels documents."""
    if not within_line_limits(text, reader.problems, reader.options.limits):
        return None
    numbered = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    lines, numbers = [line for _, line in numbered], [number for number, _ in numbered]
    table = DelimitedTable(reader.problems.file, WORDS, _WIDTHS[form], lines, numbers)
    for misfit in table.fill():
        table.report_misfit(misfit, reader.problems, "KT625", f"a row is {_EXPECTED[form]}")
    return _Trec(reader.problems, reader.options, table).read(form)


@dataclass(eq=False)
class _Trec(ListReader):
    """Reads one file."""

    table: DelimitedTable

    def read(self, form: Form) -> ParsedLists | None:
        """Return a list for each topic."""
        uneven = [(cells[0], reason) for cells, reason in self.table.uneven if cells]
        topics, numbers = coded([*self.table.columns[0], *(topic for topic, _ in uneven)])
        rows = len(self.table)
        for number, (_, reason) in zip(numbers[rows:].tolist(), uneven, strict=True):
            self.broken.setdefault(number, reason)
        entries = LabelRows.of(self.table.columns[2], self.table.locator(2), numbers[:rows])
        longest, limit = max(map(len, entries.spellings), default=0), self.options.limits.label
        if longest > limit:
            report_exceeded(self.problems, f"name of {longest:,} characters: over the limit of {limit:,}")
            return None
        self._report_repeats(entries)
        if form == "qrels":
            entries.grades = self._grades(entries.lists)
            entries.present = entries.grades > 0
        else:
            entries.scores = self._scores(entries.lists)
        lists, _ = assemble(entries, len(topics), ReadingRules(query=True))
        return ParsedLists([(topic, None) for topic in topics], lists, self.broken, names_items=True)

    def _report_repeats(self, entries: LabelRows) -> None:
        keys = entries.lists * max(1, len(entries.spellings)) + entries.codes
        _, first = np.unique(keys, return_index=True)
        names, _, documents = self.table.columns[:3]
        for row in np.delete(np.arange(len(names)), first).tolist():
            message = f"document stands twice for topic {quote(names[row])}: {quote(documents[row])}"
            self.fail(int(entries.lists[row]), "KT626", message, self.table.finder(row, 2))

    def _grades(self, topics: Codes) -> Codes:
        """Return judgements as grades."""
        cells = self.table.columns[3]
        grades = np.zeros(len(cells), dtype=np.int64)
        for row, cell in enumerate(cells):
            if _RELEVANCE.fullmatch(cell):
                grades[row] = int(cell)
            else:
                message = f"relevance is no integer: {quote(cell)}"
                self.fail(int(topics[row]), "KT625", message, self.table.finder(row, 3))
        return grades

    def _scores(self, topics: Codes) -> Values:
        """Return the scores of a run, which alone rank it; note ranks that give another order."""
        table = self.table
        scores = self.numbers(table.columns[4], topics, table.locator(4), required=True)
        ranks = np.array([float(rank) if rank.isdecimal() else np.nan for rank in table.columns[3]])
        self.compare_ranks(ranks, scores, topics, table.locator(3), "such topics")
        return scores
