# SPDX-License-Identifier: MIT
"""What items belong to: an album, a composer, a genre; from a column of a table, or from their names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kammerton.errors import DataError, Diagnostic, OptionError, inflected, out_of, quote
from kammerton.formats.folders import normal_form
from kammerton.formats.options import Limits
from kammerton.formats.reading import Problems
from kammerton.formats.source import read_text
from kammerton.formats.tables import item_rows

__all__ = ["Found", "find_groups", "group_items", "read_groups"]

_TABLE = re.compile(r"(?P<path>.+\.(?:csv|tsv|txt)):(?P<column>[^:/\\\\]+)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Found:
    """What items belong to.

    Parameters
    ----------
    by : str
        Name of the column, or ``"group"``.
    of : mapping of str to str
        Group of each item that has one.
    lacking : tuple of str
        Items that have none.
    why : str
        Why they have none.
    unknown : tuple of str
        What a table puts in groups, and is no item.
    """

    by: str
    of: Mapping[str, str]
    lacking: tuple[str, ...]
    why: str
    unknown: tuple[str, ...] = ()

    @property
    def count(self) -> str:
        """How many items have none, of how many."""
        return out_of(len(self.lacking), len(self.of) + len(self.lacking), "item")

    @property
    def example(self) -> str:
        """One of them, and why."""
        return f"{quote(self.lacking[0])} {self.why}"


def find_groups(choice: Mapping[str, str] | str, items: Iterable[str]) -> Found:
    """Return what each item belongs to, if to anything.

    Parameters
    ----------
    choice : mapping of str to str, or str
        A group for each item; ``FILE.csv:COLUMN``; or a regular expression that is looked for in the name
        of each item: the group is what its first parentheses hold, or else all that it found.
    items : iterable of str
        Names of items. One without folders in a table also stands for items of that name in folders.

    Raises
    ------
    OptionError
        If the expression is none.
    DataError
        If the table cannot be read.
    """
    known, by = list(items), "group"
    if isinstance(choice, str):
        table = _TABLE.fullmatch(choice)
        if table is None:
            return _matched(choice, known)
        by, choice = table["column"], read_groups(table["path"], table["column"])
    if not isinstance(choice, Mapping):
        raise OptionError.of_type("what items belong to", choice, "a mapping or a str")
    named = {normal_form(str(item)): str(group) for item, group in choice.items()}
    keys = {item: next((n for n in (item, item.rpartition("/")[2]) if n in named), None) for item in known}
    found = {item: None if key is None else named[key] for item, key in keys.items()}
    unknown = named.keys() - keys.values()
    return _found(by, found, "has none in the table", tuple(name for name in named if name in unknown))


def _matched(pattern: str, items: Iterable[str]) -> Found:
    try:
        expression = re.compile(pattern)
    except re.error as error:
        hint = "a regular expression on names of items, such as '^(.*)/', or FILE.csv:COLUMN"
        raise OptionError(f"not a regular expression: {quote(pattern)}: {error}", hint) from error
    group = 1 if expression.groups else 0
    found = {item: match and match[group] for item in items for match in (expression.search(item),)}
    return _found("group", found, f"does not match {quote(pattern)}")


def _found(by: str, found: Mapping[str, str | None], why: str, unknown: tuple[str, ...] = ()) -> Found:
    lacking = tuple(item for item, group in found.items() if group is None)
    return Found(by, {i: group for i, group in found.items() if group is not None}, lacking, why, unknown)


def group_items(choice: Mapping[str, str] | str, items: Iterable[str]) -> Mapping[str, str]:
    """Return what each item belongs to: see :func:`find_groups`.

    Raises
    ------
    OptionError
        If the expression is none, or items belong to nothing.
    DataError
        If the table cannot be read.

    Examples
    --------
    >>> group_items("^(.*)/", ["Help!/Yesterday", "Help!/Act Naturally"])
    {'Help!/Yesterday': 'Help!', 'Help!/Act Naturally': 'Help!'}
    """
    found = find_groups(choice, items)
    if found.lacking:
        raise OptionError(
            f"{found.count} {inflected(len(found.lacking), 'has', 'have')} no group: {found.example}"
        )
    return found.of


def read_groups(path: str | os.PathLike[str], column: str) -> dict[str, str]:
    """Read a column of a table of items.

    Parameters
    ----------
    path : path
        CSV, or separated by semicolons, tabs or blanks, with a header.
    column : str
        Name of the column, in any case; where it is empty, an item has no group.

    Raises
    ------
    DataError
        If the file cannot be read (KT101 to KT108), has no such column, or puts an item in two groups
        (KT217).
    """
    name = os.fsdecode(path)
    problems = Problems(name)
    text = read_text(path, name=name, encoding="utf-8", limits=Limits())
    found: dict[str, str] = {}
    for item, group, place in item_rows(text, problems, Limits(), column, code="KT217", needs_header=True):
        if not group:
            continue
        if found.setdefault(item, group) != group:
            message = f"item {quote(item)} is in two groups: {quote(found[item])}, {quote(group)}"
            problems.add(place().diagnose(Diagnostic(code="KT217", severity="error", message=message)))
    if not found and not problems.has_errors:
        message = f"no items in the column {quote(column)}"
        problems.add(Diagnostic(code="KT217", severity="error", message=message, file=name))
    if problems.has_errors:
        raise DataError(problems.diagnostics())
    return found
