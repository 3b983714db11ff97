# SPDX-License-Identifier: MIT
"""Tags of MTG-Jamendo: tab-separated, with as many cells at the end of a row as the track has tags."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kammerton.errors import Diagnostic, plural, quote
from kammerton.formats.budgets import keeps_lines
from kammerton.formats.csv_header import HeaderRow
from kammerton.formats.reading import Problems
from kammerton.formats.row_problems import NumberedLine
from kammerton.instruments.assembling import Manner
from kammerton.instruments.entries import Entries
from kammerton.instruments.finishing import finish
from kammerton.instruments.formats.items import item_names, twice
from kammerton.instruments.formats.source import Source, say_empty
from kammerton.instruments.options import InstrumentOptions
from kammerton.model.annotations import Place

__all__ = ["is_jamendo", "read_jamendo"]

_PREFIX = "instrument---"
_ITEM, _TAGS = "TRACK_ID", "TAGS"


def is_jamendo(header: HeaderRow) -> bool:
    """Tell whether a header is one of MTG-Jamendo."""
    return header.separator == "\t" and _ITEM in header.names and header.names[-1:] == [_TAGS]


def read_jamendo(
    text: str, header: HeaderRow, problems: Problems, options: InstrumentOptions
) -> Source | None:
    r"""Read tags of tracks.

    Parameters
    ----------
    text : str
        The file, lines ended by ``\n``.
    header : HeaderRow
        Its first row.
    problems : Problems
        Takes every problem found.
    options : InstrumentOptions

    Returns
    -------
    Source or None
        Sets of the tags that begin with ``instrument---``, without it. A track without such a tag was
        judged by nobody.
    """
    if not keeps_lines(text, problems, options.limits, headers=1):
        return None
    return _Jamendo(text, header, problems, options).read()


class _Jamendo:
    """Reads one file."""

    def __init__(self, text: str, header: HeaderRow, problems: Problems, options: InstrumentOptions) -> None:
        self._header = header
        self._problems = problems
        self._options = options
        self._broken: dict[int, str] = {}
        lines = enumerate(text.split("\n"), 1)
        self._lines = [(number, line) for number, line in lines if number > header.line and line.strip()]

    def read(self) -> Source | None:
        """Return the sets of all tracks."""
        if not self._lines:
            say_empty(self._problems)
            return None
        item, first = self._header.names.index(_ITEM), len(self._header.names) - 1
        rows = [line.split("\t") for _, line in self._lines]
        names = item_names([row[item] if item < len(row) else "" for row in rows])
        self._check(rows, names, first)
        every = [(row, cell) for row, cells in enumerate(rows) for cell in range(first, len(cells))]
        tags = [rows[row][cell].strip() for row, cell in every]
        kept = [place for place, tag in enumerate(tags) if tag.startswith(_PREFIX)]
        self._note_others(sum(map(bool, tags)) - len(kept))

        def locate(entry: int) -> Place:
            row, cell = every[kept[entry]]
            return self._place(self._lines[row], cell, len(_PREFIX))

        lists = np.array([every[place][0] for place in kept], dtype=np.int64)
        labels = [tags[place][len(_PREFIX) :] for place in kept]
        closed = np.bincount(lists, minlength=len(rows)) > 0
        self._note_untagged(int((~closed).sum()))
        manner = Manner(closed=closed | self._options.assume_absent, sheet=True)
        entries = Entries.of(labels, lists, locate)
        found = finish(entries, len(rows), self._problems, self._options, manner, self._broken)
        return Source([(name, None) for name in names], found, is_sheet=True)

    def _place(self, line: NumberedLine, cell: int, lead: int = 0) -> Place:
        number, text = line
        cells = text.split("\t")
        column = sum(len(each) + 1 for each in cells[:cell]) + lead + 1
        return Place(self._problems.file, number, column, max(1, len(cells[cell]) - lead), text)

    def _check(self, rows: Sequence[Sequence[str]], names: Sequence[str], first: int) -> None:
        """Report rows that are too short, or whose track stood before."""
        seen: dict[str, int] = {}
        for row, (cells, name) in enumerate(zip(rows, names, strict=True)):
            if len(cells) <= first:
                message = f"row has {plural(len(cells), 'column')}, the header {first + 1}"
                self._break(row, Diagnostic(code="KT161", severity="error", message=message))
            elif not name:
                self._break(row, Diagnostic(code="KT621", severity="error", message="row names no item"))
            elif name in seen:
                before = self._place(self._lines[seen[name]], 0)
                self._break(row, twice(f"item stands twice: {quote(name)}", before))
            seen.setdefault(name, row)

    def _break(self, row: int, problem: Diagnostic) -> None:
        number, text = self._lines[row]
        self._problems.add_at(problem, lambda: Place(self._problems.file, number, 1, len(text), text))
        self._broken[row] = f"{problem.code} {problem.message}"

    def _note(self, code: str, message: str, count: int) -> None:
        self._problems.add(
            Diagnostic(code=code, severity="note", message=message, file=self._problems.file, count=count)
        )

    def _note_others(self, count: int) -> None:
        if count:
            self._note("KT627", f"tags that are no instruments left out ({count:,} in all)", count)

    def _note_untagged(self, count: int) -> None:
        if count:
            what = "none of theirs is there" if self._options.assume_absent else "nobody judged theirs"
            message = f"tracks without a tag of an instrument: {what} ({count:,} in all)"
            self._note("KT614", message, count)
