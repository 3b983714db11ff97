# SPDX-License-Identifier: MIT
"""Relevance judgements (qrels) and runs as ``trec_eval`` reads them: items are topics, labels documents."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic, quote
from kammerton.formats.reading import Problems, keeps_lines, report_exceeded, such_rows
from kammerton.formats.tables import WORDS, Table
from kammerton.instruments.finishing import ListedLabels, Lists, ReadingRules, assemble, coded
from kammerton.instruments.formats.source import Source, numbers_of
from kammerton.instruments.options import InstrumentOptions

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
    r"""Read judgements or a run."""
    hint = f"a row is {_EXPECTED[form]}"
    if not keeps_lines(text, problems, options.limits):
        return None
    numbered = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    lines, numbers = [line for _, line in numbered], [number for number, _ in numbered]
    table = Table(problems.file, WORDS, _WIDTHS[form], lines, numbers)
    for misfit in table.fill():
        table.report_misfit(misfit, problems, "KT625", hint)
    return _Trec(table, form, problems, options).read()


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """Distinct topics, and the one of each row; the same of documents."""

    topics: list[str]
    of_topic: Integers
    names: list[str]
    documents: Integers


class _Trec:
    """Reads one file."""

    def __init__(self, table: Table, form: Form, problems: Problems, options: InstrumentOptions) -> None:
        self._table = table
        self._form = form
        self._problems = problems
        self._options = options
        self._broken: dict[str, str] = {}
        for cells, reason in table.uneven:
            if cells:
                self._broken.setdefault(cells[0], reason)

    def read(self) -> Source | None:
        """Return a list for each topic."""
        found = self._columns()
        longest = max(map(len, found.names), default=0)
        if longest > self._options.limits.label:
            limit = self._options.limits.label
            report_exceeded(self._problems, f"name of {longest:,} characters: over the limit of {limit:,}")
            return None
        self._say_twice(found)
        rows = self._judged(found) if self._form == "qrels" else self._run(found)
        number = {topic: code for code, topic in enumerate(dict.fromkeys((*found.topics, *self._broken)))}
        lists, _ = assemble(rows, found.names, len(number), ReadingRules(query=True))
        broken = {number[topic]: reason for topic, reason in self._broken.items()}
        return Source([(topic, None) for topic in number], Lists(lists, broken), is_sheet=True)

    def _break(self, row: int, code: str, message: str, index: int) -> None:
        problem = Diagnostic(code=code, severity="error", message=message)
        self._problems.add_at(problem, self._table.finder(row, index))
        self._broken.setdefault(self._table.columns[0][row], f"{code} {message}")

    def _columns(self) -> _Columns:
        return _Columns(*coded(self._table.columns[0]), *coded(self._table.columns[2]))

    def _say_twice(self, found: _Columns) -> None:
        _, first = np.unique(found.of_topic * max(1, len(found.names)) + found.documents, return_index=True)
        topics, _, documents = self._table.columns[:3]
        for row in np.delete(np.arange(len(topics)), first).tolist():
            message = f"document stands twice for topic {quote(topics[row])}: {quote(documents[row])}"
            self._break(row, "KT626", message, 2)

    def _judged(self, found: _Columns) -> ListedLabels:
        """Return judgements as grades."""
        written, codes = coded(self._table.columns[3])
        sound = [_RELEVANCE.fullmatch(each) is not None for each in written]
        for row in np.flatnonzero(~np.array(sound, dtype=bool)[codes]).tolist():
            message = f"relevance is no integer: {quote(self._table.columns[3][row])}"
            self._break(row, "KT625", message, 3)
        values = [int(each) if is_sound else 0 for each, is_sound in zip(written, sound, strict=True)]
        grades = np.array(values, dtype=np.int64)[codes]
        return ListedLabels(found.of_topic, found.documents, present=grades > 0, grades=grades)

    def _run(self, found: _Columns) -> ListedLabels:
        """Return the documents of a run with their scores, which alone rank them."""
        table = self._table
        scores = numbers_of(table.columns[4], table.locator(4), self._problems, required=True)
        for row, reason in scores.wrong.items():
            self._broken.setdefault(table.columns[0][row], reason)
        self._note_ranks(found, scores.values)
        return ListedLabels(found.of_topic, found.documents, scores.values)

    def _note_ranks(self, found: _Columns, scores: NDArray[np.float64]) -> None:
        """Note that ranks say another order than scores, which alone count."""
        written = self._table.columns[3]
        ranks = np.array([float(rank) if rank.isdecimal() else np.nan for rank in written])
        order = np.lexsort((ranks, -scores, found.of_topic))
        topics, falling = found.of_topic[order], np.diff(scores[order]) < 0
        against = np.flatnonzero((np.diff(topics) == 0) & falling & (np.diff(ranks[order]) < 0))
        if len(against):
            count = len(np.unique(topics[against]))
            message = f"rank contradicts the scores, which count{such_rows(count, 'such topics')}"
            note = Diagnostic(code="KT613", severity="note", message=message, count=count)
            self._problems.add(self._table.locate(int(order[against[0] + 1]), 3).diagnose(note))
