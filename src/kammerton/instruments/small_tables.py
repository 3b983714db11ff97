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
        Names that each column may have in the header, the usual one first.
    more : bool
        Whether further cells of a row belong to its last column.
    """

    code: str
    columns: Sequence[Sequence[str]]
    more: bool = False

    @property
    def header(self) -> str:
        """The header as one writes it."""
        return ",".join(names[0] for names in self.columns)


@dataclass(frozen=True, slots=True)
class Row:
    """One row.

    Parameters
    ----------
    cells : list of str
        Without blanks around them, in composed form.
    file, number, line, separator
        Where it stands, and how it is written.
    """

    cells: list[str]
    file: str
    number: int
    line: str
    separator: str

    def place(self, index: int) -> Place:
        """Return the place of a cell."""
        column, text = field_at(self.line, self.separator, index)
        return Place(self.file, self.number, column, max(1, len(text)), self.line)

    def whole(self) -> Place:
        """Return the place of the row."""
        return Place(self.file, self.number, 1, max(1, len(self.line)), self.line)


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
    if not keeps_lines(text, problems, limits, headers=1):
        return
    separators: Sequence[str] = _SEPARATORS
    header: Row | None = None
    for number, line in enumerate(text.split("\n"), 1):
        if header is not None and line.strip(" \t" + header.separator):
            yield from _row(_cut(problems.file, number, line, header.separator), shape, problems)
        elif header is None and (given := SEPARATOR_LINE.fullmatch(line)):
            separators = (given[1],)
        elif header is None and line.strip() and not line.startswith("#"):
            found = [_cut(problems.file, number, line, separator) for separator in separators]
            header = max(found, key=lambda row: len(row.cells))
            if not _is_header(header.cells, shape):
                _say(problems, shape, header, f"header must be `{shape.header}`")
                return


def _cut(file: str, number: int, line: str, separator: str) -> Row:
    cells = cells_of(line, separator) or []
    return Row([composed(cell) for cell in cells], file, number, line, separator)


def _is_header(cells: list[str], shape: Shape) -> bool:
    names = [cell.casefold() for cell in cells]
    fits = all(name in known for name, known in zip(names, shape.columns, strict=False))
    return fits and (len(names) == len(shape.columns) or (shape.more and len(names) > len(shape.columns)))


def _row(row: Row, shape: Shape, problems: Problems) -> Iterator[Row]:
    if not row.cells:
        _say(problems, shape, row, "quotes do not match", "a quote within a quoted cell is written twice")
    elif len(row.cells) == len(shape.columns) or (shape.more and len(row.cells) > len(shape.columns)):
        yield row
    else:
        wanted, given = len(shape.columns), len(row.cells)
        hint = "a cell with a separator in it stands between double quotes" if given > wanted else None
        _say(problems, shape, row, f"row must have {wanted} cells, it has {given}: {quote(row.line)}", hint)


def _say(problems: Problems, shape: Shape, row: Row, message: str, hint: str | None = None) -> None:
    problem = Diagnostic(code=shape.code, severity="error", message=message, hint=hint)
    problems.add_at(problem, row.whole)
