# SPDX-License-Identifier: MIT
"""The list of pairs: a CSV file that says which files belong together."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path

from kammerton.errors import DataError, Diagnostic, close_match, plural, quote
from kammerton.formats.folders import normal_form
from kammerton.formats.source import read_text
from kammerton.model.corpus import ALL, Collection, Corpus

__all__ = ["read_pairs"]

_KEYS = ("item", "annotator", "reference")


def read_pairs(path: str | os.PathLike[str]) -> Corpus:
    """Read a list of pairs.

    Parameters
    ----------
    path : path
        CSV file with the columns ``item``, ``reference``, optionally ``annotator``, and one column per
        system. Paths are relative to the folder of the list. An estimate is of an item, whoever annotated
        it: of the rows of an item, one has to name it, and none another. If none does, it is missing.

    Raises
    ------
    DataError
        If the list cannot be used, with every reason.
    """
    name = os.fspath(path)
    lines = _rows(name, read_text(path, name=name))
    if not lines:
        raise DataError([_problem(name, 1, "the list of pairs is empty")])
    header = [cell.strip() for cell in lines[0][1]]
    systems = [column for column in header if column not in _KEYS]
    _check_header(name, lines[0][0], header, systems)
    return _Pairs(name, Path(path).parent, header, systems).read(lines[1:])


def _rows(name: str, text: str) -> list[tuple[int, list[str]]]:
    """Return the rows that are not blank, each with its line; empty columns at the end are cut off."""
    head = text.partition("\n")[0]
    reader = csv.reader(
        io.StringIO(text), strict=True, delimiter=";" if ";" in head and "," not in head else ","
    )
    lines: list[tuple[int, list[str]]] = []
    begun = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                lines.append((begun, row))
            begun = reader.line_num + 1
    except csv.Error as error:
        raise DataError([_problem(name, begun, f"not a row of CSV: {error}", "close its quote")]) from None
    width = max((len(row) for _, row in lines), default=0)
    while width and not any(len(row) >= width and row[width - 1].strip() for _, row in lines):
        width -= 1
    return [(number, row[:width]) for number, row in lines]


def _check_header(name: str, line: int, header: Sequence[str], systems: Sequence[str]) -> None:
    problems = []
    for key in ("item", "reference"):
        if key not in header:
            near = close_match(key, systems)
            hint = f"did you mean {quote(near)}?" if near else "columns: item,annotator,reference,SYSTEM,..."
            problems.append(_problem(name, line, f"column `{key}` is missing", hint))
    twice = sorted({column for column in header if header.count(column) > 1})
    problems += [_problem(name, line, f"column {quote(column)} stands twice") for column in twice]
    if not systems:
        problems.append(_problem(name, line, "no column of a system"))
    if problems:
        raise DataError(problems)


class _Pairs:
    """Collects the sources of a list, and what is wrong with it."""

    def __init__(self, name: str, folder: Path, header: Sequence[str], systems: Sequence[str]) -> None:
        self._name = name
        self._folder = folder
        self._header = header
        self._references: dict[str, dict[str, object]] = {}
        self._systems: dict[str, dict[str, object]] = {system: {} for system in systems}
        self._problems: list[Diagnostic] = []

    def read(self, lines: Sequence[tuple[int, Sequence[str]]]) -> Corpus:
        for number, row in lines:
            if len(row) != len(self._header):
                self._say(number, f"{plural(len(row), 'cell')} in a list of {len(self._header)} columns")
                continue
            self._take(number, dict(zip(self._header, map(str.strip, row), strict=True)))
        if not lines:
            self._say(1, "the list of pairs has no rows")
        if self._problems:
            raise DataError(self._problems)
        return Corpus(
            tuple(self._collection(name, items) for name, items in self._references.items()),
            tuple(self._collection(name, items) for name, items in self._systems.items()),
        )

    def _collection(self, name: str, items: dict[str, object]) -> Collection:
        return Collection(name, {item: ((None, path),) for item, path in items.items()}, self._name)

    def _take(self, number: int, cells: dict[str, str]) -> None:
        item, annotator = normal_form(cells["item"]), cells.get("annotator") or "reference"
        if not item or not cells["reference"]:
            self._say(number, "item and reference must not be empty")
            return
        if annotator == ALL:
            self._say(number, f"no annotator can be called `{ALL}`")
            return
        references = self._references.setdefault(annotator, {})
        if item in references:
            self._say(number, f"item {quote(item)} stands twice for annotator {quote(annotator)}")
            return
        references[item] = self._folder / cells["reference"]
        for system, sources in self._systems.items():
            if not cells[system]:
                continue
            source = self._folder / cells[system]
            if sources.setdefault(item, source) != source:
                self._say(number, f"two estimates of {quote(item)} by {quote(system)}")

    def _say(self, line: int, message: str) -> None:
        self._problems.append(_problem(self._name, line, message))


def _problem(name: str, line: int, message: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic(code="KT211", severity="error", message=message, file=name, line=line, hint=hint)
