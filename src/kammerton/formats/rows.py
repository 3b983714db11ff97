# SPDX-License-Identifier: MIT
"""Rows of text: ``.lab`` files, Audacity label tracks, Sonic Visualiser exports, plain columns.

A clean file is checked by one regular expression and cut by ``str.split``; whatever that
expression does not match is read again, line by line, by :mod:`kammerton.formats.row_shapes`.
"""

from __future__ import annotations

import re

import numpy as np

from kammerton.errors import Diagnostic
from kammerton.formats.hygiene import Rows, tidy
from kammerton.formats.options import IntervalOptions
from kammerton.formats.reading import Problems, Reading
from kammerton.model.annotations import Field, Place

__all__ = ["read_rows"]

_NUMBER = r"[+-]?+(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?+"
_CLEAN_FILE = re.compile(rf"(?:[ \t\n]*+{_NUMBER}[ \t]++{_NUMBER}[ \t]++\S++[ \t]*+\n)++[ \t\n]*+")
"""Rows of start, end and a label without spaces; possessive, so that it never backtracks."""

_PASSED_OVER = re.compile(r"^[ \t]*[#\\].*$", re.MULTILINE)
"""Comments, and the lines in which Audacity keeps the frequencies of a spectral selection."""


def read_rows(text: str, problems: Problems, options: IntervalOptions) -> Reading:
    r"""Read rows of start, end and label.

    Parameters
    ----------
    text : str
        The file, lines ended by ``\n``.
    problems : Problems
        Takes every problem found.
    options : IntervalOptions
        Layout and decimal mark.

    Returns
    -------
    Reading
        One track.
    """
    lines = _PASSED_OVER.sub("", text) if "#" in text or "\\" in text else text
    if not lines.endswith("\n"):
        lines += "\n"
    if options.layout in ("auto", "rows") and options.decimal == "." and _CLEAN_FILE.fullmatch(lines):
        words = lines.split()
        count = len(words) // 3
        rows = Rows(
            np.fromiter(map(float, words[0::3]), np.float64, count),
            np.fromiter(map(float, words[1::3]), np.float64, count),
            words[2::3],
            _Locator(problems.file, text, lines),
        )
        return problems.reading((tidy(rows, problems, options),))
    if not lines.strip():
        problems.add(
            Diagnostic(code="KT110", severity="error", message="no annotation rows", file=problems.file)
        )
        return problems.reading(())
    problems.add(
        Diagnostic(code="KT113", severity="error", message="format not recognised", file=problems.file)
    )
    return problems.reading(())


class _Locator:
    """Finds the places of a clean file's fields when a problem asks for them."""

    def __init__(self, file: str, text: str, lines: str) -> None:
        self._file = file
        self._text = text
        self._lines = lines
        self._numbered: list[tuple[int, str]] | None = None

    def __call__(self, row: int, field: Field) -> Place:
        if self._numbered is None:
            self._numbered = [
                (number, line) for number, line in enumerate(self._lines.split("\n"), 1) if line.strip()
            ]
        number, line = self._numbered[row]
        words = list(re.finditer(r"[^ \t]+", line))
        word = words[("start", "end", "label").index(field)]
        return Place(self._file, number, word.start() + 1, len(word.group()), line)
