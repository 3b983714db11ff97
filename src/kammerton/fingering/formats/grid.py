# SPDX-License-Identifier: MIT
"""A clean file of tab-separated rows, read without making a string of each cell.

Splitting a long file into strings takes longer than all that is done with them; its bytes, seen as
an array, give up times and distinct cells a column at a time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from operator import add

import numpy as np
from numpy.typing import NDArray

from kammerton.fingering.formats.columns import Column
from kammerton.fingering.formats.tables import lines_with_data
from kammerton.formats.options import Limits
from kammerton.formats.row_problems import NumberedLine
from kammerton.model.annotations import Place

__all__ = ["LEADING_COMMENTS", "Grid"]

LEADING_COMMENTS = re.compile(r"(?:[ \t]*+(?:(?://|#)[^\n]*+)?\n)*+")
_NO_ROWS = re.compile(r"(?<=\n)[ \t]*+(?:(?://|#)[^\n]*+)?\n")
_NOT_CLEAN = (" ", '"', "\r")

_KEY_BYTES = 8
_PLAIN_DIGITS = 15
"""Up to so many digits make an integer that a double holds, as does the power of ten to divide by."""

_POWERS = np.array([float(f"1e{places}") for places in range(_PLAIN_DIGITS + 1)])
_POINT = (ord(".") - ord("0")) % 256

_NO_ROW_BEGINS = np.frombuffer(b"#/\n \t", dtype=np.uint8)

Indices = NDArray[np.int64]


class Grid:
    """Rows of cells as the bytes of a file."""

    def __init__(self, text: str, body: str, codes: NDArray[np.uint8], bounds: Indices, file: str) -> None:
        self._text = text
        self._body = body
        self._codes = codes
        self._bounds = bounds
        self._file = file
        self._lines: list[NumberedLine] | None = None

    @classmethod
    def of(cls, text: str, width: int, limits: Limits, file: str) -> Grid | None:
        """Return the rows of a text, or None if it is not clean or exceeds a budget.

        Clean rows are of ``width`` cells between tabs, without blanks and quotes. Comments and blank
        lines are passed over.
        """
        body = text[next(LEADING_COMMENTS.finditer(text)).end() :].rstrip("\n") + "\n"
        codes = _codes(body)
        if np.isin(codes[np.flatnonzero(codes == ord("\n")) + 1], _NO_ROW_BEGINS).any():
            body = _NO_ROWS.sub("", "\n" + body)[1:]
            codes = _codes(body)
        if not body.isascii() or any(mark in body for mark in _NOT_CLEAN):
            return None
        separators = np.flatnonzero((codes == ord("\t")) | (codes == ord("\n")))
        if len(separators) % width:
            return None
        bounds = separators.reshape(-1, width)
        is_end = codes[separators].reshape(-1, width) == ord("\n")
        if is_end[:, :-1].any() or not is_end[:, -1].all():
            return None
        longest = np.diff(bounds[:, -1], prepend=-1).max()
        if len(bounds) > limits.rows or longest > limits.line:
            return None
        return cls(text, body, codes, bounds, file)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._bounds)

    def cell(self, row: int, column: int) -> str:
        """Return one cell."""
        begin, end = self._span(row, column)
        return self._body[begin:end]

    def cells(self, column: int) -> list[str]:
        """Return all cells of a column."""
        return [self.cell(row, column) for row in range(len(self))]

    def column(self, column: int) -> Column[str]:
        """Return a column by its distinct cells."""
        begins, widths = self._begins(column), self._widths(column)
        if widths.max() > _KEY_BYTES:
            return Column.of(self.cells(column))
        keys = np.zeros(len(self), dtype=np.uint64)
        for place in range(int(widths.max())):
            code = np.where(place < widths, self._codes[begins + place], 0)
            keys |= code.astype(np.uint64) << np.uint64(8 * place)
        _, first, codes = np.unique(keys, return_index=True, return_inverse=True)
        return Column([self.cell(row, column) for row in first.tolist()], codes)

    def plain_times(self, column: int) -> NDArray[np.float64]:
        """Return times that are at most 15 digits and a point; NaN is anything else."""
        at, widths = self._begins(column), self._widths(column)
        number = np.zeros(len(self))
        digits, places = np.zeros((2, len(self)), dtype=np.int8)
        behind_point = np.zeros(len(self), dtype=bool)
        plain = widths <= _PLAIN_DIGITS + 1
        for place in range(min(_PLAIN_DIGITS + 1, int(widths.max()))):
            inside = place < widths
            digit = self._codes[at] - np.uint8(ord("0"))
            counts = inside & (digit < 10)
            point = inside & (digit == _POINT)
            np.multiply(number, 10, out=number, where=counts)
            np.add(number, digit, out=number, where=counts)
            digits += counts
            places += counts & behind_point
            plain &= counts | (point & ~behind_point) | ~inside
            behind_point |= point
            at += 1
        plain &= (digits > 0) & (digits <= _PLAIN_DIGITS)
        return np.where(plain, number / _POWERS[np.minimum(places, _PLAIN_DIGITS)], np.nan)

    def place(self, row: int, column: int) -> Place:
        """Return where a cell stands."""
        if self._lines is None:
            self._lines = lines_with_data(self._text)
        number, line = self._lines[row]
        begin, end = self._span(row, column)
        return Place(self._file, number, begin - self._span(row, 0)[0] + 1, max(1, end - begin), line)

    def line_of(self) -> Callable[[int], int]:
        """Return what finds the line of a row, and keeps no more of the file than that takes."""
        first = self._text.count("\n", 0, next(LEADING_COMMENTS.finditer(self._text)).end()) + 1
        if self._text.rstrip("\n").count("\n") == first + len(self) - 2:
            return partial(add, first)
        return [number for number, _ in lines_with_data(self._text)].__getitem__

    def locator(self, column: int) -> Callable[[int], Place]:
        """Return what finds the cells of a column."""
        return lambda row: self.place(row, column)

    def _span(self, row: int, column: int) -> tuple[int, int]:
        before = self._bounds[row, column - 1] if column else self._bounds[row - 1, -1] if row else -1
        return int(before) + 1, int(self._bounds[row, column])

    def _begins(self, column: int) -> Indices:
        if column:
            return self._bounds[:, column - 1] + 1
        return np.concatenate((np.zeros(1, dtype=np.int64), self._bounds[:-1, -1] + 1))

    def _widths(self, column: int) -> Indices:
        return self._bounds[:, column] - self._begins(column)


def _codes(body: str) -> NDArray[np.uint8]:
    """Return characters as bytes.

    Zeros follow the last cell, so that all cells can be read as far as the longest one goes.
    """
    return np.frombuffer(body.encode("ascii", "replace") + bytes(_PLAIN_DIGITS + 1), dtype=np.uint8)
