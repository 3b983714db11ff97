# SPDX-License-Identifier: MIT
"""Text with a label on each line, and perhaps its score behind a tab: the test labels of IRMAS."""

from __future__ import annotations

import re

import numpy as np

from kammerton.formats.budgets import keeps_lines
from kammerton.formats.reading import Problems
from kammerton.formats.tables import cells_of, numbered_lines
from kammerton.instruments.assembling import Manner
from kammerton.instruments.entries import Entries
from kammerton.instruments.finishing import finish
from kammerton.instruments.formats.numbers import numbers_of
from kammerton.instruments.formats.source import ONE, Source, say_empty, say_unrecognised
from kammerton.instruments.options import InstrumentOptions
from kammerton.model.annotations import Place

__all__ = ["read_label_lines"]

_TIMES = re.compile(r"[ \t]*[0-9.]+[ \t]+[0-9.]+[ \t]+\S|[ \t]*[0-9.]+(?:,[0-9.]+)+[ \t]*$")
"""A row of times and a label, or of a time and activations."""


def read_label_lines(text: str, problems: Problems, options: InstrumentOptions) -> Source | None:
    r"""Read one label a line.

    Parameters
    ----------
    text : str
        The file, lines ended by ``\n``. Blank lines and comments do not count.
    problems : Problems
        Takes every problem found.
    options : InstrumentOptions

    Returns
    -------
    Source or None
        A set, unless there are scores, or the caller says that the order ranks.
    """
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

    entries = Entries.of(labels, np.zeros(len(labels), dtype=np.int64), lambda row: locate(row, 0))
    broken = {}
    if any(map(str.strip, scores)):
        found = numbers_of(scores, lambda row: locate(row, 1), problems)
        entries.scores = found.values
        broken = dict.fromkeys((0,) if found.wrong else (), "score is no finite number")
    return Source(ONE, finish(entries, 1, problems, options, Manner(ordered=options.ranked), broken))
