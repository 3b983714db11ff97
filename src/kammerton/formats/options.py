# SPDX-License-Identifier: MIT
"""What a caller may say about the files it hands over."""

from __future__ import annotations

import codecs
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from kammerton.errors import OptionError, quote

__all__ = ["DEFAULT_OPTIONS", "Column", "IntervalOptions", "Layout", "Limits", "RowLayout", "file_of"]

Column = Literal["start", "end", "duration", "label", "annotator"]
"""A column of labelled intervals."""

RowLayout = Literal["rows", "durations", "points"]
Layout = Literal["auto", RowLayout]

_ESCAPING_ENCODINGS = frozenset({"unicode-escape", "raw-unicode-escape", "idna", "punycode", "undefined"})
"""Codecs that are text to Python but no encoding of files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Budgets of one file; what exceeds them is refused before memory is taken.

    Parameters
    ----------
    bytes : int
        Size of the file.
    rows : int
        Rows of annotation.
    line : int
        Characters of a line (of rows and CSV; JSON may stand on one line).
    label : int
        Characters of a label.
    depth : int
        Levels of nesting in JSON.
    """

    bytes: int = 64 * 2**20
    rows: int = 1_000_000
    line: int = 2**20
    label: int = 4 * 2**10
    depth: int = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalOptions:
    """How files of labelled intervals are read.

    Parameters
    ----------
    encoding : str
        Character encoding of text files; a byte order mark always wins over it.
    layout : {"auto", "rows", "durations", "points"}
        What stands in a row: *rows* is start, end, label; *durations* is start, duration, label;
        *points* is time, label, and each row ends where the next one starts (Sonic Visualiser).
        *auto* goes by what a header says, and by what rows can only be.
    decimal : {".", ","}
        Decimal mark of times.
    columns : mapping of str to str
        Own column names of CSV files, each with the column it stands for
        (``start``, ``end``, ``duration``, ``label`` or ``annotator``).
    overlap : {"error", "trim"}
        What to do with rows that overlap by more than a microsecond: refuse the file, or cut the
        earlier row where the later one starts.
    limits : Limits
        Budgets of one file.
    """

    encoding: str = "utf-8"
    layout: Layout = "auto"
    decimal: Literal[".", ","] = "."
    columns: Mapping[str, Column] = field(default_factory=dict)
    overlap: Literal["error", "trim"] = "error"
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        _check_encoding(self.encoding)
        _check_choice("layout", self.layout, ("auto", "rows", "durations", "points"))
        _check_choice("decimal mark", self.decimal, (".", ","))
        _check_choice("way with overlaps", self.overlap, ("error", "trim"))
        if not isinstance(self.columns, Mapping):
            raise OptionError.of_type("columns", self.columns, "a mapping of names")
        for ours in self.columns.values():
            _check_choice("column", ours, ("start", "end", "duration", "label", "annotator"))


def file_of(choice: str) -> tuple[str | None, str]:
    """Return the file that an option names, if it names one, and the part of it that is meant.

    Parameters
    ----------
    choice : str
        A path, or a path and a part of the file: ``PATH#PART``.

    Examples
    --------
    >>> file_of("openmic-2018")
    (None, '')
    """
    path, mark, part = choice.rpartition("#")
    for name, rest in ((choice, ""), (path, mark + part)):
        if os.path.isfile(name):  # noqa: PTH113 - a path may be too long, or hold what no path has
            return name, rest
    return None, ""


def _check_choice(kind: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise OptionError.unknown(kind, value, known)


def _check_encoding(name: str) -> None:
    if not isinstance(name, str):
        raise OptionError.of_type("encoding", name, "a str")
    try:
        found = codecs.lookup(name)
        "x".encode(name)  # refuses codecs that are not between text and bytes
    except (LookupError, ValueError) as error:
        raise OptionError(
            f"unknown encoding {quote(name)}", "common: utf-8, latin-1, cp1252, mac-roman"
        ) from error
    if found.name.replace("_", "-") in _ESCAPING_ENCODINGS:
        raise OptionError(
            f"{quote(name)} is not an encoding of files", "common: utf-8, latin-1, cp1252, mac-roman"
        )


DEFAULT_OPTIONS = IntervalOptions()
