# SPDX-License-Identifier: MIT
"""What a caller may say about the files it hands over."""

from __future__ import annotations

import codecs
import os
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any, ClassVar, Literal, Self

from kammerton.errors import OptionError, quote

__all__ = [
    "DEFAULT_OPTIONS",
    "SIDES",
    "Column",
    "IntervalOptions",
    "Layout",
    "Limits",
    "RowLayout",
    "SidedOptions",
    "check_encoding",
    "file_of",
]

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


SIDES = ("references", "estimates")
"""What options of one side are said of, besides names of annotators and systems."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SidedOptions:
    """Options of which some may be said of one side alone: ``layout={"estimates": "points"}``.

    Parameters
    ----------
    sides : mapping of str to mapping of str to object
        What differs for the ``references``, the ``estimates``, or the annotator or system of a name, which
        goes before its side: values by option. Options that take a mapping of sides end up here; in such a
        mapping, ``all`` is whatever it does not name.
    """

    by_side: ClassVar[frozenset[str]] = frozenset()
    sides: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.sides, Mapping) or not all(
            isinstance(of, Mapping) for of in self.sides.values()
        ):
            raise OptionError.of_type("sides", self.sides, "a mapping of sides to mappings of options")
        sides = {str(side): dict(values) for side, values in self.sides.items()}
        plain = _defaults(type(self))
        for name in sorted(self.by_side):
            value = getattr(self, name)
            if not isinstance(value, Mapping) or (isinstance(plain[name], Mapping) and not _is_nested(value)):
                continue
            for side, chosen in value.items():
                sides.setdefault(str(side), {})[name] = chosen
            object.__setattr__(self, name, plain[name])
        for name, value in sides.pop("all", {}).items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "sides", sides)
        for values in sides.values():
            for name in values:
                if name not in self.by_side:
                    raise OptionError.unknown("option of one side", name, self.by_side)
            replace(self, sides={}, **values)  # refuses what is not possible

    def of(self, side: str, name: str) -> Self:
        """Return the options of one side, and of an annotator or system on it."""
        if not self.sides:
            return self
        return replace(self, sides={}, **{**self.sides.get(side, {}), **self.sides.get(name, {})})


def _defaults(options: type[SidedOptions]) -> dict[str, Any]:
    return {
        each.name: each.default if each.default_factory is MISSING else each.default_factory()
        for each in fields(options)
    }


def _is_nested(value: Mapping[str, object]) -> bool:
    """Tell whether a mapping is of sides, and not itself a choice."""
    return any(map(_is_mapping, value.values()))


def _is_mapping(value: object) -> bool:
    return isinstance(value, Mapping)


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalOptions(SidedOptions):
    """How files of labelled intervals are read.

    All but budgets may be said of one side alone: ``layout={"estimates": "points"}``.

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

    by_side: ClassVar[frozenset[str]] = frozenset(("encoding", "layout", "decimal", "columns", "overlap"))
    encoding: str = "utf-8"
    layout: Layout = "auto"
    decimal: Literal[".", ","] = "."
    columns: Mapping[str, Column] = field(default_factory=dict)
    overlap: Literal["error", "trim"] = "error"
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        SidedOptions.__post_init__(self)
        check_encoding(self.encoding)
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


def check_encoding(name: str) -> None:
    """Refuse what is no encoding of files."""
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
