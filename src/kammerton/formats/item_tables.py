# SPDX-License-Identifier: MIT
"""Tables of items, and one thing that is said of each: its split, its album, its genre."""

from __future__ import annotations

from collections.abc import Iterator

from kammerton.errors import Diagnostic, quote
from kammerton.formats.csv_header import cells_of
from kammerton.formats.reading import Problems
from kammerton.model.annotations import Place

__all__ = ["ITEM_KEYS", "ItemRow", "item_rows"]

ITEM_KEYS = ("item", "record_time", "recording", "file", "track", "id", "name")
"""What tables and metadata call an item; PianoVAM names its files by the time of recording."""

_SEPARATORS = ("\t", ",", ";", " ")
"""What may stand between cells; a space stands for any blanks."""

ItemRow = tuple[str, str, Place]
"""Item, what is said of it, and where it stands."""


def item_rows(
    text: str,
    problems: Problems,
    column: str,
    *,
    code: str,
    needs_header: bool = False,
    may_be_empty: bool = False,
) -> Iterator[ItemRow]:
    r"""Give the rows of a table.

    Parameters
    ----------
    text : str
        Lines ended by ``\n``.
    problems : Problems
        Takes every problem found.
    column : str
        The column that is wanted, in any case.
    code : str
        Code of the problems.
    needs_header : bool
        Whether there must be a header; without one, a row is item and ``column``.
    may_be_empty : bool
        Whether a row may say nothing of its item.
    """
    lines = [
        (number, line)
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip(" \t") and not line.lstrip(" \t").startswith(("#", "//"))
    ]
    columns = (0, 1)
    separator = ","
    for index, (number, line) in enumerate(lines):
        place = Place(problems.file, number, 1, len(line), line)
        if index == 0:
            separator = max(_SEPARATORS, key=lambda mark: len(_cells(line, mark)))
        cells = _cells(line, separator)
        if index == 0 and (header := _header(cells, column)) is not None:
            columns = header
        elif index == 0 and needs_header:
            names = ", ".join(map(quote, cells))
            hint = f"a header names the items ({', '.join(ITEM_KEYS)}) and the column"
            message = f"no column {quote(column)} beside that of the items; columns: {names}"
            _say(problems, place, code, message, hint)
            return
        elif len(cells) <= max(columns) or not (cells[columns[0]] and (may_be_empty or cells[columns[1]])):
            _say(problems, place, code, f"row has no item and {column}", f"a row is item and {column}")
        else:
            yield cells[columns[0]], cells[columns[1]], place


def _say(problems: Problems, place: Place, code: str, message: str, hint: str) -> None:
    problems.add(place.diagnose(Diagnostic(code=code, severity="error", message=message, hint=hint)))


def _cells(line: str, separator: str) -> list[str]:
    """Cut a line into cells; none if its quotes do not allow it."""
    if separator == " ":
        return line.split()
    return [cell.strip(" \t") for cell in cells_of(line, separator) or ()]


def _header(cells: list[str], column: str) -> tuple[int, int] | None:
    names, wanted = [cell.casefold() for cell in cells], column.casefold()
    item = next((names.index(key) for key in ITEM_KEYS if key in names and key != wanted), None)
    return None if item is None or wanted not in names else (item, names.index(wanted))
