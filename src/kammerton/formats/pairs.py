# SPDX-License-Identifier: MIT
"""The list of pairs: a CSV file that says which files belong together."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from kammerton.errors import DataError, Diagnostic, close_match, quote
from kammerton.formats.folders import normal_form
from kammerton.formats.options import Limits
from kammerton.formats.reading import Problems
from kammerton.formats.source import read_text
from kammerton.formats.tables import Header, Table, first_row, read_table
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
    problems = Problems(name)
    text = read_text(path, name=name)
    header = first_row(text, lambda names: len({*_KEYS} & {*names}))
    if header is None:
        raise DataError([_problem("the list of pairs is empty").at(file=name, line=1)])
    systems = [column for column in header.names if column not in _KEYS]
    _check_header(header, systems, problems)
    table = read_table(text, header, problems, Limits(), code="KT211")
    pairs = None if table is None else _Pairs(table, Path(path).parent, systems, problems)
    if pairs is not None:
        pairs.read()
    if pairs is None or problems.has_errors:
        raise DataError(problems.diagnostics())
    return pairs.corpus()


def _check_header(header: Header, systems: Sequence[str], problems: Problems) -> None:
    names = header.names
    for key in ("item", "reference"):
        if key not in names:
            near = close_match(key, systems)
            hint = f"did you mean {quote(near)}?" if near else "columns: item,annotator,reference,SYSTEM,..."
            problems.add(header.place(problems.file).diagnose(_problem(f"column `{key}` is missing", hint)))
    for index, name in enumerate(names):
        if name in names[:index]:
            place = header.place(problems.file, index)
            problems.add(place.diagnose(_problem(f"column {quote(name)} stands twice")))
    if not systems:
        problems.add(header.place(problems.file).diagnose(_problem("no column of a system")))
    if problems.has_errors:
        raise DataError(problems.diagnostics())


class _Pairs:
    """Collects the sources of a list, and what is wrong with it."""

    def __init__(self, table: Table, folder: Path, systems: Sequence[str], problems: Problems) -> None:
        self._table = table
        self._folder = folder
        self._problems = problems
        self._references: dict[str, dict[str, object]] = {}
        self._systems: dict[str, dict[str, object]] = {system: {} for system in systems}

    def read(self) -> None:
        """Take up every row."""
        for row in range(len(self._table)):
            self._take(row)
        if not len(self._table) and not self._problems.has_errors:
            problem = _problem("the list of pairs has no rows")
            self._problems.add(self._table.header_place().diagnose(problem))

    def corpus(self) -> Corpus:
        """Return what the rows name."""
        return Corpus(
            tuple(self._collection(name, items) for name, items in self._references.items()),
            tuple(self._collection(name, items) for name, items in self._systems.items()),
        )

    def _collection(self, name: str, items: dict[str, object]) -> Collection:
        return Collection(name, {item: ((None, path),) for item, path in items.items()}, self._table.file)

    def _take(self, row: int) -> None:
        names = self._table.names
        cells = {name: column[row] for name, column in zip(names, self._table.columns, strict=True)}
        item, annotator = normal_form(cells["item"]), cells.get("annotator") or "reference"
        if not item or not cells["reference"]:
            self._say(row, "item" if not item else "reference", "item and reference must not be empty")
            return
        if annotator == ALL:
            self._say(row, "annotator", f"no annotator can be called `{ALL}`")
            return
        references = self._references.setdefault(annotator, {})
        if item in references:
            message = f"item {quote(item)} stands twice for annotator {quote(annotator)}"
            self._say(row, "item", message)
            return
        references[item] = self._folder / cells["reference"]
        for system, sources in self._systems.items():
            if not cells[system]:
                continue
            source = self._folder / cells[system]
            if sources.setdefault(item, source) != source:
                self._say(row, system, f"two estimates of {quote(item)} by {quote(system)}")

    def _say(self, row: int, column: str, message: str) -> None:
        find = self._table.finder(row, self._table.names.index(column))
        self._problems.add_at(_problem(message), find)


def _problem(message: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic(code="KT211", severity="error", message=message, hint=hint)
