# SPDX-License-Identifier: MIT
"""Small tables that callers write by hand, such as label maps: a header, and one row per line."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kammerton.errors import Diagnostic, quote
from kammerton.formats.budgets import keeps_lines
from kammerton.formats.csv_header import SEPARATOR_LINE, cells_of, field_at
from kammerton.formats.options import Limits
from kammerton.formats.reading import Problems
from kammerton.model.annotations import Place

__all__ = ["Row", "Shape", "composed", "read_rows"]

_SEPARATORS = (",", ";", "\t")


@dataclass(frozen=True, slots=True)
class Shape:
    """What a table must look like.

    Parameters
    ----------
    code : str
        Code of the diagnostic that says it does not.
    columns : sequence of collection of str
        Names that each column may have in the header, the usual one first; columns have any order.
    repeats : bool
        Whether there may be several columns of the last kind.
    """

    code: str
    columns: Sequence[Sequence[str]]
    repeats: bool = False

    @property
    def header(self) -> str:
        """The header as one writes it."""
        return ",".join(names[0] for names in self.columns)

    def order(self, names: Sequence[str]) -> list[int] | None:
        """Return which cells of a header are the columns, in our order; None if it does not fit."""
        kinds = [
            next((kind for kind, known in enumerate(self.columns) if name in known), -1) for name in names
        ]
        last = len(self.columns) - 1
        expected = [*range(last), *[last] * (max(1, kinds.count(last)) if self.repeats else 1)]
        return sorted(range(len(kinds)), key=kinds.__getitem__) if sorted(kinds) == expected else None


@dataclass(frozen=True, slots=True)
class Row:
    """One row.

    Parameters
    ----------
    cells : list of str
        Without blanks around them, in composed form, in the order of the shape.
    order : list of int
        Which cell of the line each is.
    file, number, line, separator
        Where it stands, and how it is written.
    """

    cells: list[str]
    order: list[int]
    file: str
    number: int
    line: str
    separator: str

    def place(self, index: int) -> Place:
        """Return the place of a cell."""
        column, text = field_at(self.line, self.separator, self.order[index])
        return Place(self.file, self.number, column, max(1, len(text)), self.line)


def composed(label: str) -> str:
    """Return a label as all labels are compared: without blanks around it, in composed form."""
    label = label.strip()
    return label if label.isascii() else unicodedata.normalize("NFC", label)


def read_rows(text: str, shape: Shape, problems: Problems, limits: Limits) -> Iterator[Row]:
    r"""Give the rows of a table.

    Parameters
    ----------
    text : str
        The file, lines ended by ``\n``. Lines before the header that begin with ``#`` are comments.
    shape : Shape
        Columns it must have.
    problems : Problems
        Takes what is wrong with header or rows.
    limits : Limits
        Budgets of the file.
    """
    if keeps_lines(text, problems, limits, headers=1):
        lines = enumerate(text.split("\n"), 1)
        header = _header(lines, shape, problems)
        if header is not None:
            separator, order = header
            for number, line in lines:
                if line.strip(" \t" + separator):
                    yield from _row(line, number, separator, order, shape, problems)


def _header(
    lines: Iterator[tuple[int, str]], shape: Shape, problems: Problems
) -> tuple[str, list[int]] | None:
    """Return the separator and the order of columns; None if there is no header, or another one."""
    separators: Sequence[str] = _SEPARATORS
    for number, line in lines:
        if given := SEPARATOR_LINE.fullmatch(line):
            separators = (given[1],)
        elif line.strip() and not line.startswith("#"):
            found = [(cells_of(line, separator) or [], separator) for separator in separators]
            names, separator = max(found, key=lambda each: len(each[0]))
            order = shape.order([name.strip().casefold() for name in names])
            if order is None:
                _say(problems, shape, number, line, f"header must be `{shape.header}`")
            return None if order is None else (separator, order)
    return None


def _row(
    line: str, number: int, separator: str, order: list[int], shape: Shape, problems: Problems
) -> Iterator[Row]:
    cells = cells_of(line, separator)
    if cells is None:
        doubled = "a quote within a quoted cell is written twice"
        _say(problems, shape, number, line, "quotes do not match", doubled)
    elif len(cells) == len(order):
        yield Row([composed(cells[index]) for index in order], order, problems.file, number, line, separator)
    else:
        given, wanted = len(cells), len(order)
        hint = "a cell with a separator in it stands between double quotes" if given > wanted else None
        message = f"row must have {wanted} cells, it has {given}: {quote(line)}"
        _say(problems, shape, number, line, message, hint)


def _say(
    problems: Problems, shape: Shape, number: int, line: str, message: str, hint: str | None = None
) -> None:
    problem = Diagnostic(code=shape.code, severity="error", message=message, hint=hint)
    problems.add_at(problem, lambda: Place(problems.file, number, 1, max(1, len(line)), line))
