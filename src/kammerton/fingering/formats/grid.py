# SPDX-License-Identifier: MIT
"""A clean file of tab-separated rows, read without making a string of each cell.

Splitting a file into strings takes longer than all that is done with them; its bytes, seen as an array, give
up times and distinct cells a column at a time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from operator import add

import numpy as np
from numpy.typing import NDArray

from kammerton.fingering.formats.columns import Column
from kammerton.fingering.formats.digits import CELL_BYTES, Cells, cells_before, numbers_of, text_of
from kammerton.formats.options import Limits
from kammerton.formats.tables import NumberedLine, numbered_lines
from kammerton.model.annotations import Place

__all__ = ["Grid"]

_LEADING_COMMENTS = re.compile(r"(?:[ \t]*+(?:(?://|#)[^\n]*+)?\n)*+")
_NO_ROWS = re.compile(r"\n[ \t]*+(?:(?://|#)[^\n]*+)?(?=\n)")
_NOT_CLEAN = (" ", '"', "\r")

_BEFORE = b" " * CELL_BYTES

_SEPARATORS = ord("\n") + 1
"""Characters below this separate cells, or are in no clean file."""

_EXACT_DIGITS = 15
"""Up to so many digits make an integer that a double holds, as does the power of ten to divide by."""

_POWERS = np.array([float(f"1e{places}") for places in range(CELL_BYTES + 1)])

Indices = NDArray[np.int64]


class Grid:
    """Rows of cells as the bytes of a file."""

    def __init__(self, text: str, first: int | None, data: bytes, bounds: Indices, file: str) -> None:
        self._text = text
        self._first = first
        self._data = data
        self._codes = np.frombuffer(data, dtype=np.uint8, offset=CELL_BYTES)
        self._bounds = bounds
        self._file = file
        self._lines: list[NumberedLine] | None = None

    @classmethod
    def of(cls, text: str, width: int, limits: Limits, file: str, *, comments: bool = True) -> Grid | None:
        """Return the rows of a text, or None if it is not clean or exceeds a budget.

        Clean rows are of ``width`` cells between tabs, without blanks and quotes. Comments and blank
        lines are passed over, those between rows only if there may be ``comments``.
        """
        whole = text.rstrip("\n") + "\n"
        begin = next(_LEADING_COMMENTS.finditer(whole)).end()
        lines = whole[begin:] or "\n"
        body = _NO_ROWS.sub("", lines) if comments else lines
        cut = _cut(body, width)
        if cut is None:
            return None
        data, bounds = cut
        longest = np.diff(bounds[:, -1], prepend=-1).max() if len(body) > limits.line else 0
        if len(bounds) > limits.rows or longest > limits.line:
            return None
        first = text.count("\n", 0, begin) + 1 if len(body) == len(lines) else None
        return cls(text, first, data, bounds, file)

    def cells(self, column: int, rows: Indices | None = None) -> list[str]:
        """Return the cells of a column, or those of some rows."""
        some = slice(None) if rows is None else rows
        begins, ends = self._begins(column)[some].tolist(), self._bounds[some, column].tolist()
        body = self._data[CELL_BYTES:].decode()
        return [body[begin:end] for begin, end in zip(begins, ends, strict=True)]

    def short_cells(self, column: int) -> Cells | None:
        """Return the cells of a column as integers, or None if one is too wide."""
        widths = self._widths(column)
        if widths.max() > CELL_BYTES:
            return None
        return cells_before(self._data, self._bounds[:, column], widths)

    def column(self, column: int) -> Column[str]:
        """Return a column by its distinct cells."""
        short = self.short_cells(column)
        if short is None:
            return Column.of(self.cells(column))
        cells, codes = np.unique(short, return_inverse=True)
        return Column(list(map(text_of, cells.tolist())), codes)

    def rest(self, column: int) -> bytes:
        """Return the rows without a column."""
        begins, ends = self._begins(column), self._bounds[:, column]
        widths = ends - begins
        behind = np.cumsum(widths)
        left_out = np.arange(behind[-1])
        left_out += np.repeat(ends - behind, widths)
        kept = np.ones(len(self._codes), dtype=bool)
        kept[left_out] = False
        return self._codes[kept].tobytes()

    def plain_times(self, columns: Sequence[int]) -> NDArray[np.float64]:
        """Return times of at most eight digits, a point and eight more; NaN is anything else.

        Returns
        -------
        ndarray of float64, shape (columns, rows)
        """
        begins = np.concatenate([self._begins(column) for column in columns])
        ends = np.concatenate([self._bounds[:, column] for column in columns])
        points = np.append(np.flatnonzero(self._codes == ord(".")), len(self._codes))
        found = np.minimum(points[np.searchsorted(points, begins)], ends)
        behind = np.concatenate((found, ends))
        widths = np.concatenate((found - begins, np.maximum(ends - found - 1, 0)))
        numbers, plain = numbers_of(cells_before(self._data, behind, widths), widths)
        (whole, part), (digits, places) = numbers.reshape(2, -1), widths.reshape(2, -1)
        count = digits + places
        sound = plain.reshape(2, -1).all(axis=0) & (count > 0) & (count <= _EXACT_DIGITS)
        power = _POWERS[np.minimum(places, CELL_BYTES)]
        return np.where(sound, (whole * power + part) / power, np.nan).reshape(len(columns), -1)

    def place(self, row: int, column: int) -> Place:
        """Return where a cell stands."""
        if self._lines is None:
            self._lines = numbered_lines(self._text)
        number, line = self._lines[row]
        ends = [int(self._bounds[row - 1, -1]) if row else -1, *self._bounds[row].tolist()]
        begin, end = ends[column] + 1, ends[column + 1]
        return Place(self._file, number, begin - ends[0], max(1, end - begin), line)

    def line_of(self) -> Callable[[int], int]:
        """Return what finds the line of a row, and keeps no more of the file than that takes."""
        if self._first is not None:
            return partial(add, self._first)
        return [number for number, _ in numbered_lines(self._text)].__getitem__

    def locator(self, column: int) -> Callable[[int], Place]:
        """Return what finds the cells of a column."""
        return lambda row: self.place(row, column)

    def _begins(self, column: int) -> Indices:
        if column:
            return self._bounds[:, column - 1] + 1
        return np.concatenate(([0], self._bounds[:-1, -1] + 1))

    def _widths(self, column: int) -> Indices:
        return self._bounds[:, column] - self._begins(column)


def _cut(body: str, width: int) -> tuple[bytes, Indices] | None:
    """Return rows as bytes, eight more before them, and the ends of their cells, if they are clean."""
    if not body.isascii() or any(mark in body for mark in _NOT_CLEAN):
        return None
    data = _BEFORE + body.encode()
    codes = np.frombuffer(data, dtype=np.uint8, offset=CELL_BYTES)
    separators = np.flatnonzero(codes < _SEPARATORS)
    count, rest = divmod(len(separators), width)
    if rest or codes.take(separators).tobytes() != (b"\t" * (width - 1) + b"\n") * count:
        return None
    return data, separators.reshape(-1, width)
