# SPDX-License-Identifier: MIT
"""What items belong to: an album, a composer, a genre; from a column of a table, or from their names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

from kammerton.errors import DataError, Diagnostic, OptionError, inflected, plural, quote
from kammerton.formats.folders import normal_form
from kammerton.formats.item_tables import item_rows
from kammerton.formats.options import Limits
from kammerton.formats.reading import Problems
from kammerton.formats.source import read_text

__all__ = ["group_items", "read_groups"]

_TABLE = re.compile(r"(?P<path>.+\.(?:csv|tsv|txt)):(?P<column>[^:/\\\\]+)", re.IGNORECASE | re.DOTALL)


def group_items(choice: Mapping[str, str] | str, items: Iterable[str]) -> dict[str, str]:
    """Return what each item belongs to.

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
        If the expression is none, or items belong to nothing.
    DataError
        If the table cannot be read.

    Examples
    --------
    >>> group_items("^(.*)/", ["Help!/Yesterday", "Help!/Act Naturally"])
    {'Help!/Yesterday': 'Help!', 'Help!/Act Naturally': 'Help!'}
    """
    known = list(items)
    if isinstance(choice, str):
        table = _TABLE.fullmatch(choice)
        if table is None:
            return _matched(choice, known)
        choice = read_groups(table["path"], table["column"])
    named = {normal_form(str(item)): str(group) for item, group in choice.items()}
    found = {
        item: next((named[name] for name in (item, item.rpartition("/")[2]) if name in named), None)
        for item in known
    }
    return _all_of(found, "is in no row of the table")


def _matched(pattern: str, items: Iterable[str]) -> dict[str, str]:
    try:
        expression = re.compile(pattern)
    except re.error as error:
        hint = "a regular expression on names of items, such as '^(.*)/', or FILE.csv:COLUMN"
        raise OptionError(f"not a regular expression: {quote(pattern)}: {error}", hint) from error
    group = 1 if expression.groups else 0
    found = {item: match and match[group] for item in items for match in (expression.search(item),)}
    return _all_of(found, f"does not match {quote(pattern)}")


def _all_of(found: Mapping[str, str | None], why: str) -> dict[str, str]:
    lacking = [item for item, group in found.items() if group is None]
    if lacking:
        verb = inflected(len(lacking), "has", "have")
        count = f"{len(lacking):,} of {plural(len(found), 'item')}"
        raise OptionError(f"{count} {verb} no group: {quote(lacking[0])} {why}")
    return {item: group for item, group in found.items() if group is not None}


def read_groups(path: str | os.PathLike[str], column: str) -> dict[str, str]:
    """Read a column of a table of items.

    Parameters
    ----------
    path : path
        CSV, or separated by semicolons, tabs or blanks, with a header.
    column : str
        Name of the column, in any case.

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
    for item, group, place in item_rows(text, problems, column, code="KT217", needs_header=True):
        if found.setdefault(item, group) != group:
            message = f"item {quote(item)} is in two groups: {quote(found[item])}, {quote(group)}"
            problems.add(place.diagnose(Diagnostic(code="KT217", severity="error", message=message)))
    if not found and not problems.has_errors:
        message = f"no items in the column {quote(column)}"
        problems.add(Diagnostic(code="KT217", severity="error", message=message, file=name))
    if problems.has_errors:
        raise DataError(problems.diagnostics())
    return found
