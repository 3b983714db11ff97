# SPDX-License-Identifier: MIT
"""Data that is part of the package, and how a caller's text names a file instead."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import PurePath

from kammerton.errors import DataError, Diagnostic, OptionError, quote
from kammerton.formats.reading import Limits, Problems
from kammerton.formats.source import read_text
from kammerton.formats.tables import TableRow, TableShape, first_row, named_rows


def is_path(name: str) -> bool:
    """Tell whether a text that is no built-in name means a path: it looks like one, or is that of a file."""
    is_file = os.path.lexists(name) and not os.path.isdir(name)  # noqa: PTH112 - a Path refuses NUL
    return bool(PurePath(name).suffix) or "/" in name or os.sep in name or is_file


def shipped(folder: str, name: str) -> str:
    """Return the text of a file of the package."""
    return files(__package__).joinpath(folder, name).read_text(encoding="utf-8")


LABEL_MAPS: Mapping[str, str] = {
    "audioset-to-openmic-2018": "names and identifiers of AudioSet to the 20 labels of OpenMIC-2018",
    "general-midi-to-openmic-2018": "programs of General MIDI to the 20 labels of OpenMIC-2018",
    "irmas-to-openmic-2018": "names and three-letter codes of IRMAS to the 20 labels of OpenMIC-2018",
    "medleydb-to-openmic-2018": "instruments of MedleyDB to the 20 labels of OpenMIC-2018",
}
"""Names of the built-in maps, and what they are."""
_SHAPE = TableShape("KT655", (("label", "from", "source"), ("instrument", "to", "target")))
_CLASSES = TableShape("KT655", (("mid",), ("display_name",), ("index",)))
"""The ``class_labels_indices.csv`` of AudioSet: names by identifier."""


@dataclass(frozen=True, eq=False)
class LabelMap:
    """What labels stand for.

    Parameters
    ----------
    name : str
        Name or path it was loaded by.
    entries : mapping of str to str or None
        Instrument of each label; None for a label that names none, and is left out on purpose.
    diagnostics : tuple of Diagnostic
        What was noticed in its file.

    Examples
    --------
    >>> codes = LabelMap("mine", {"pia": "piano", "nod": None})
    >>> codes.apply("pia"), codes.apply("nod"), codes.apply("violin")
    ('piano', None, 'violin')
    """

    name: str
    entries: Mapping[str, str | None]
    diagnostics: tuple[Diagnostic, ...] = ()

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.entries)

    def apply(self, label: str, casefold: bool = False) -> str | None:
        """Return what a label stands for: itself if the map does not have it.

        Parameters
        ----------
        label : str
            Without blanks around it.
        casefold : bool
            Whether an entry in another case will do, if there is none in this one; of several the first.

        Returns
        -------
        str or None
            None for what is no instrument.
        """
        if label in self.entries:
            return self.entries[label]
        return self._folded.get(label.casefold(), label) if casefold else label

    def has(self, label: str, casefold: bool = False) -> bool:
        """Tell whether the map has an entry for a label, perhaps in another case."""
        return label in self.entries or (casefold and label.casefold() in self._folded)

    @cached_property
    def _folded(self) -> dict[str, str | None]:
        folded: dict[str, str | None] = {}
        for label, instrument in self.entries.items():
            folded.setdefault(label.casefold(), instrument)
        return folded


def load_label_map(
    name: str | os.PathLike[str], *, encoding: str = "utf-8", limits: Limits | None = None
) -> LabelMap:
    """Read a label map.

    Parameters
    ----------
    name : str or path
        One of :data:`LABEL_MAPS`, or the path of a table with the header ``label,instrument``. A row
        without an instrument says that the label names none. Or the path of the
        ``class_labels_indices.csv`` of AudioSet, which gives identifiers their names.
    encoding : str
        Encoding of a file that has no byte order mark.
    limits : Limits, optional
        Budgets of the file.

    Returns
    -------
    LabelMap

    Raises
    ------
    OptionError
        If the name is neither a built-in map nor looks like a path.
    DataError
        If the file cannot be used (KT101 to KT108, KT655 to KT657).

    Examples
    --------
    >>> load_label_map("irmas-to-openmic-2018").apply("gel")
    'guitar'
    """
    path = os.fsdecode(name)
    if isinstance(name, str) and name in LABEL_MAPS:
        return _built_in(name)
    if isinstance(name, str) and not is_path(name):
        raise OptionError.unknown("label map", name, LABEL_MAPS)
    limits = limits or Limits()
    return _read(path, read_text(path, name=path, encoding=encoding, limits=limits), limits)


@lru_cache
def _built_in(name: str) -> LabelMap:
    return _read(name, shipped("maps", f"{name}.csv"), Limits())


def _read(name: str, text: str, limits: Limits) -> LabelMap:
    problems = Problems(name)
    entries: dict[str, str | None] = {}
    first = first_row(text, _CLASSES.known)
    shape = _SHAPE if first is None or _CLASSES.order(first.names) is None else _CLASSES
    for row in named_rows(text, shape, problems, limits):
        _take(entries, row, problems, limits)
    if not entries and not problems.has_errors:
        hint = f"a header `{_SHAPE.header}`, and a row for each label"
        problem = Diagnostic(
            code="KT657", severity="error", message="label map has no rows", file=name, hint=hint
        )
        problems.add(problem)
    if problems.has_errors:
        raise DataError(problems.diagnostics())
    return LabelMap(name, entries, problems.diagnostics())


def _take(entries: dict[str, str | None], row: TableRow, problems: Problems, limits: Limits) -> None:
    """Take up one row, or report it."""
    label, instrument = row.cells[0], row.cells[1] or None
    long = next((index for index, cell in enumerate(row.cells) if len(cell) > limits.label), None)
    if long is not None:
        message = f"label of {len(row.cells[long]):,} characters: over the limit of {limits.label:,}"
        problem = Diagnostic(code="KT106", severity="error", message=message)
        problems.add_at(problem, lambda: row.place(long))
    elif not label:
        problem = Diagnostic(code="KT655", severity="error", message="row has no label")
        problems.add_at(problem, lambda: row.place(0))
    elif label in entries:
        _say_again(label, entries[label], instrument, row, problems)
    else:
        entries[label] = instrument


def _say_again(label: str, first: str | None, second: str | None, row: TableRow, problems: Problems) -> None:
    """Report a label that stands twice: what it stands for may differ, and then nobody can tell which."""
    if first == second:
        problem = Diagnostic(
            code="KT656", severity="warning", message=f"row dropped: {quote(label)} stands in the map already"
        )
    else:
        both = " and ".join("no instrument" if each is None else quote(each) for each in (first, second))
        message = f"{quote(label)} stands for {both}"
        problem = Diagnostic(code="KT656", severity="error", message=message, hint="keep one of the rows")
    problems.add_at(problem, lambda: row.place(0))
