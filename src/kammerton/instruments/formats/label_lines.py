# SPDX-License-Identifier: MIT
"""Text with a label on each line, and perhaps its score behind a tab: the test labels of IRMAS."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from kammerton.errors import Diagnostic, plural, quote, some
from kammerton.formats.reading import Problems, keeps_lines, such_rows
from kammerton.formats.tables import (
    Header,
    NumberedLine,
    Table,
    cells_of,
    first_row,
    numbered_lines,
    read_rows,
)
from kammerton.instruments.finishing import LabelList, ReadingRules, finish
from kammerton.instruments.formats.source import (
    ONE,
    Key,
    Source,
    add_uneven,
    item_names,
    numbers_of,
    say_empty,
    say_unrecognised,
    twice,
)
from kammerton.instruments.options import InstrumentOptions
from kammerton.model.annotations import Place

__all__ = ["is_jamendo", "read_jamendo", "read_label_lines", "read_segments", "segments_header"]

_TIMES = re.compile(r"[ \t]*[0-9.]+[ \t]+[0-9.]+[ \t]+\S|[ \t]*[0-9.]+(?:,[0-9.]+)+[ \t]*$")
"""A row of times and a label, or of a time and activations."""


def read_label_lines(text: str, problems: Problems, options: InstrumentOptions) -> Source | None:
    r"""Read one label a line."""
    if not keeps_lines(text, problems, options.limits):
        return None
    lines = numbered_lines(text)
    if not lines:
        say_empty(problems)
        return None
    times = next((row for row in lines[:2] if _TIMES.match(row[1])), None)
    if times is not None:
        number, line = times
        place = Place(problems.file, number, 1, len(line), line)
        say_unrecognised(problems, place, "rows of times", "one label a line, or a table with a header")
        return None
    rows = [cells_of(line, "\t") for _, line in lines]
    labels = [row[0].value for row in rows]
    scores = ["\t".join(cell.value for cell in row[1:]) for row in rows]

    def locate(row: int, index: int) -> Place:
        number, line = lines[row]
        column, cell, _ = rows[row][index]
        return Place(problems.file, number, column, max(1, len(cell)), line)

    entries = LabelList.of(labels, np.zeros(len(labels), dtype=np.int64), lambda row: locate(row, 0))
    broken = {}
    if any(map(str.strip, scores)):
        found = numbers_of(scores, lambda row: locate(row, 1), problems)
        entries.scores = found.values
        broken = dict.fromkeys((0,) if found.wrong else (), "score is no finite number")
    return Source(ONE, finish(entries, 1, problems, options, ReadingRules(ordered=options.ranked), broken))


_PREFIX = "instrument---"
_ITEM, _TAGS = "TRACK_ID", "TAGS"
_SEGMENT = ("ytid", "start_seconds", "end_seconds", "positive_labels")
_SEGMENT_ROW = re.compile(r'[\w-]+,[ ]*[0-9.]+,[ ]*[0-9.]+,[ ]*"?/[a-z]/', re.ASCII)
"""A row of AudioSet's: its labels are identifiers such as ``/m/0342h``."""
_LABEL = re.compile(r"[^,]*+")


class _Items:
    """The rows of a table, each of which is an item that stands once."""

    def __init__(self, names: Sequence[str], locate: Callable[[int], Place], problems: Problems) -> None:
        self.names = names
        self.broken: dict[int, str] = {}
        self._locate = locate
        self._problems = problems
        self._seen: dict[str, int] = {}

    def check(self, row: int) -> None:
        """Report a row that names no item, or one that stood before."""
        name = self.names[row]
        if not name:
            self.fail(row, Diagnostic(code="KT621", severity="error", message="row names no item"))
        elif name in self._seen:
            self.fail(row, twice(f"item stands twice: {quote(name)}", self._locate(self._seen[name])))
        self._seen.setdefault(name, row)

    def fail(self, row: int, problem: Diagnostic) -> None:
        """Report what is wrong with a row, which cannot be used."""
        self._problems.add_at(problem, lambda: self._locate(row))
        self.broken[row] = f"{problem.code} {problem.message}"


# --- MTG-Jamendo ----------------------------------------------------------------------------------------


def is_jamendo(header: Header) -> bool:
    """Tell whether a header is one of MTG-Jamendo."""
    return header.separator == "\t" and _ITEM in header.names and header.names[-1:] == [_TAGS]


def read_jamendo(text: str, header: Header, problems: Problems, options: InstrumentOptions) -> Source | None:
    r"""Read tags of tracks; a row has as many cells at its end as the track has tags."""
    if not keeps_lines(text, problems, options.limits, headers=1):
        return None
    return _Jamendo(text, header, problems, options).read()


class _Jamendo:
    """Reads one file."""

    def __init__(self, text: str, header: Header, problems: Problems, options: InstrumentOptions) -> None:
        self._header = header
        self._problems = problems
        self._options = options
        self._lines = [line for line in numbered_lines(text) if line[0] > header.line]

    def read(self) -> Source | None:
        """Return the sets of all tracks."""
        if not self._lines:
            say_empty(self._problems)
            return None
        item, first = self._header.names.index(_ITEM), len(self._header.names) - 1
        rows = [line.split("\t") for _, line in self._lines]
        tracks = self._tracks(rows, item, first)
        every = [(row, cell) for row, cells in enumerate(rows) for cell in range(first, len(cells))]
        tags = [rows[row][cell].strip() for row, cell in every]
        kept = [place for place, tag in enumerate(tags) if tag.startswith(_PREFIX)]
        self._note_others([tag for tag in tags if tag and not tag.startswith(_PREFIX)])

        def locate(entry: int) -> Place:
            row, cell = every[kept[entry]]
            return self._place(self._lines[row], cell, len(_PREFIX))

        lists = np.array([every[place][0] for place in kept], dtype=np.int64)
        labels = [tags[place][len(_PREFIX) :] for place in kept]
        closed = np.bincount(lists, minlength=len(rows)) > 0
        self._note_untagged(int((~closed).sum()))
        manner = ReadingRules(closed=closed | self._options.assume_absent, sheet=True)
        entries = LabelList.of(labels, lists, locate)
        found = finish(entries, len(rows), self._problems, self._options, manner, tracks.broken)
        return Source([(name, None) for name in tracks.names], found, is_sheet=True)

    def _tracks(self, rows: Sequence[Sequence[str]], item: int, first: int) -> _Items:
        """Return the tracks; report rows that are too short, or whose track stood before."""
        names = item_names([row[item] if item < len(row) else "" for row in rows])
        tracks = _Items(names, self._row, self._problems)
        for row, cells in enumerate(rows):
            if len(cells) <= first:
                message = f"row has {plural(len(cells), 'column')}, the header {first + 1}"
                tracks.fail(row, Diagnostic(code="KT161", severity="error", message=message))
            else:
                tracks.check(row)
        return tracks

    def _row(self, row: int) -> Place:
        number, text = self._lines[row]
        return Place(self._problems.file, number, 1, len(text), text)

    def _place(self, line: NumberedLine, cell: int, lead: int = 0) -> Place:
        number, text = line
        column, tag, _ = cells_of(text, "\t")[cell]
        return Place(self._problems.file, number, column + lead, max(1, len(tag) - lead), text)

    def _note(self, code: str, message: str, count: int) -> None:
        self._problems.add(
            Diagnostic(code=code, severity="note", message=message, file=self._problems.file, count=count)
        )

    def _note_others(self, tags: Sequence[str]) -> None:
        """Say of which kinds the tags are that are left out."""
        if tags:
            kinds = sorted({tag.partition("---")[0] for tag in tags})
            self._note("KT627", f"tags that are no instruments are left out: {some(kinds)}", len(tags))

    def _note_untagged(self, count: int) -> None:
        if count:
            what = "none of theirs is there" if self._options.assume_absent else "nobody judged theirs"
            self._note("KT614", f"tracks without a tag of an instrument: {what}", count)


# --- AudioSet -------------------------------------------------------------------------------------------


def segments_header(text: str) -> Header | None:
    """Return the header of AudioSet's segments, which is a comment, or their first row, if there are any."""
    first = first_row(text, _known_of_segments, separators=(",",), commented=True)
    if first is None:
        return None
    has_names = _known_of_segments(first.names) == len(_SEGMENT)
    return first if has_names or _SEGMENT_ROW.match(first.text.lstrip(" \t")) else None


def _known_of_segments(names: list[str]) -> int:
    return sum(name.strip().casefold() in _SEGMENT for name in names)


def read_segments(text: str, first: Header, problems: Problems, options: InstrumentOptions) -> Source | None:
    r"""Read segments of AudioSet."""
    below = first.line if _known_of_segments(first.names) else 0
    hint = "a row is the id of a video, start, end, and its labels between quotes"
    table = read_rows(
        text, ",", len(_SEGMENT), problems, options.limits, code="KT161", hint=hint, below=below
    )
    if table is None:
        return None
    if not len(table) and not table.uneven:
        say_empty(problems)
        return None
    videos = _Items(item_names(table.columns[0]), lambda row: table.locate(row, 0), problems)
    for row in range(len(table)):
        videos.check(row)
    labels = list(_labels(table))
    _note_unlabelled(table, {row for row, *_ in labels}, problems)
    keys: list[Key] = [(name, None) for name in videos.names]
    add_uneven(keys, videos.broken, table.uneven, 0)
    entries = LabelList.of(
        [label for *_, label in labels],
        np.array([row for row, *_ in labels], dtype=np.int64),
        lambda entry: _place(table, *labels[entry]),
    )
    found = finish(entries, len(keys), problems, options, ReadingRules(sheet=True), videos.broken)
    return Source(keys, found, is_sheet=True)


def _labels(table: Table) -> Iterator[tuple[int, int, str]]:
    """Give the row of each label, where in its cell it begins, and the label."""
    for row, cell in enumerate(table.columns[-1]):
        for label in _LABEL.finditer(cell):
            if label[0].strip():
                yield row, label.start(), label[0]


def _place(table: Table, row: int, offset: int, label: str) -> Place:
    cell = table.locate(row, table.width - 1)
    lead = offset + len(label) - len(label.lstrip())
    return Place(cell.file, cell.line, (cell.column or 1) + lead, len(label.strip()), cell.excerpt)


def _note_unlabelled(table: Table, labelled: set[int], problems: Problems) -> None:
    """Note rows without a label, whose item then has none."""
    bare = [row for row in range(len(table)) if row not in labelled]
    if bare:
        message = f"row without a label: its item has none{such_rows(len(bare))}"
        note = Diagnostic(code="KT622", severity="note", message=message, count=len(bare))
        problems.add_at(note, table.finder(bare[0], table.width - 1))
