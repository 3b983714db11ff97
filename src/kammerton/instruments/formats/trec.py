# SPDX-License-Identifier: MIT
"""Relevance judgements (qrels) and runs as ``trec_eval`` reads them: items are topics, labels documents."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic, plural, quote
from kammerton.formats.budgets import keeps_lines, say_exceeded
from kammerton.formats.reading import Problems, such_rows
from kammerton.formats.row_problems import NumberedLine
from kammerton.instruments.assembling import ListedLabels, Manner, assemble
from kammerton.instruments.entries import coded
from kammerton.instruments.finishing import Lists
from kammerton.instruments.formats.numbers import numbers_of
from kammerton.instruments.formats.source import Source
from kammerton.instruments.options import InstrumentOptions
from kammerton.model.annotations import Place

__all__ = ["Form", "read_trec", "trec_form"]

Form = Literal["qrels", "run"]
Integers = NDArray[np.int64]

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


def read_trec(text: str, form: Form, problems: Problems, options: InstrumentOptions) -> Source | None:
    r"""Read judgements or a run.

    Parameters
    ----------
    text : str
        The file, lines ended by ``\n``, in any order.
    form : {"qrels", "run"}
    problems : Problems
        Takes every problem found.
    options : InstrumentOptions
        Has the budgets.

    Returns
    -------
    Source or None
        A list for each topic. Of a run, documents by score, equal ones by name from the last, as
        ``trec_eval`` sorts them; ranks do not count. Of judgements, documents of a relevance of 1 or more,
        with it as their grade; the others are absent, and so is what was not judged.
    """
    if not keeps_lines(text, problems, options.limits):
        return None
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    return _Trec(lines, form, problems, options).read()


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """Cells of rows; their distinct topics, and the one of each row; the same of documents."""

    cells: list[list[str]]
    topics: list[str]
    of_topic: Integers
    names: list[str]
    documents: Integers


class _Trec:
    """Reads one file."""

    def __init__(
        self, lines: list[NumberedLine], form: Form, problems: Problems, options: InstrumentOptions
    ) -> None:
        self._lines = lines
        self._form = form
        self._problems = problems
        self._options = options
        self._broken: dict[str, str] = {}

    def read(self) -> Source | None:
        """Return a list for each topic."""
        found = self._columns()
        longest = max(map(len, found.names), default=0)
        if longest > self._options.limits.label:
            limit = self._options.limits.label
            say_exceeded(self._problems, f"name of {longest:,} characters: over the limit of {limit:,}")
            return None
        self._say_twice(found)
        rows = self._judged(found) if self._form == "qrels" else self._run(found)
        number = {topic: code for code, topic in enumerate(dict.fromkeys((*found.topics, *self._broken)))}
        lists, _ = assemble(rows, found.names, len(number), Manner(query=True))
        broken = {number[topic]: reason for topic, reason in self._broken.items()}
        return Source([(topic, None) for topic in number], Lists(lists, broken), is_sheet=True)

    def _place(self, row: int, index: int) -> Place:
        number, line = self._lines[row]
        cell = list(re.finditer(r"\S+", line))[index]
        return Place(self._problems.file, number, cell.start() + 1, len(cell.group()), line)

    def _break(
        self, topic: str, code: str, message: str, place: Callable[[], Place], hint: str | None = None
    ) -> None:
        problem = Diagnostic(code=code, severity="error", message=message, hint=hint)
        self._problems.add_at(problem, place)
        self._broken.setdefault(topic, f"{code} {message}")

    def _cells(self) -> list[list[str]]:
        """Cut lines into cells; those of another length are reported, and their topics broken."""
        width = _WIDTHS[self._form]
        cells = [line.split() for _, line in self._lines]
        if all(len(row) == width for row in cells):
            return cells
        kept = []
        for number, row in enumerate(cells):
            if len(row) == width:
                kept.append(number)
            else:
                message = f"row has {plural(len(row), 'column')} instead of {width}"
                hint = f"a row is {_EXPECTED[self._form]}"
                self._break(row[0], "KT625", message, partial(self._place, number, 0), hint)
        self._lines = [self._lines[number] for number in kept]
        return [cells[number] for number in kept]

    def _columns(self) -> _Columns:
        cells = self._cells()
        topics, of_topic = coded([row[0] for row in cells])
        names, documents = coded([row[2] for row in cells])
        return _Columns(cells, topics, of_topic, names, documents)

    def _say_twice(self, found: _Columns) -> None:
        _, first = np.unique(found.of_topic * max(1, len(found.names)) + found.documents, return_index=True)
        for row in np.delete(np.arange(len(found.cells)), first).tolist():
            topic, _, document = found.cells[row][:3]
            message = f"document stands twice for topic {quote(topic)}: {quote(document)}"
            self._break(topic, "KT626", message, partial(self._place, row, 2))

    def _judged(self, found: _Columns) -> ListedLabels:
        """Return judgements as grades."""
        written, codes = coded([row[3] for row in found.cells])
        sound = [_RELEVANCE.fullmatch(each) is not None for each in written]
        for row in np.flatnonzero(~np.array(sound, dtype=bool)[codes]).tolist():
            message = f"relevance is no integer: {quote(found.cells[row][3])}"
            self._break(found.cells[row][0], "KT625", message, partial(self._place, row, 3))
        values = [int(each) if is_sound else 0 for each, is_sound in zip(written, sound, strict=True)]
        grades = np.array(values, dtype=np.int64)[codes]
        return ListedLabels(found.of_topic, found.documents, present=grades > 0, grades=grades)

    def _run(self, found: _Columns) -> ListedLabels:
        """Return the rows of a run in the order in which they count."""
        written = [row[4] for row in found.cells]
        scores = numbers_of(written, lambda row: self._place(row, 4), self._problems, required=True)
        for row, reason in scores.wrong.items():
            self._broken.setdefault(found.cells[row][0], reason)
        names = np.argsort(sorted(range(len(found.names)), key=found.names.__getitem__))
        order = np.lexsort((-names[found.documents], -scores.values, found.of_topic))
        self._note_ranks(found, order, scores.values)
        return ListedLabels(found.of_topic, found.documents, scores.values).take(order)

    def _note_ranks(self, found: _Columns, order: NDArray[np.intp], scores: NDArray[np.float64]) -> None:
        """Note that ranks say another order than scores, which alone count."""
        ranks = np.array([float(row[3]) if row[3].isdecimal() else np.nan for row in found.cells])[order]
        topics = found.of_topic[order]
        against = np.flatnonzero((np.diff(topics) == 0) & (np.diff(scores[order]) < 0) & (np.diff(ranks) < 0))
        if len(against):
            count = len(np.unique(topics[against]))
            message = f"rank contradicts the scores, which count{such_rows(count, 'such topics')}"
            note = Diagnostic(code="KT613", severity="note", message=message, count=count)
            self._problems.add(self._place(int(order[against[0] + 1]), 3).diagnose(note))
