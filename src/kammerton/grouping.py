# SPDX-License-Identifier: MIT
"""Which groups a caller wants the items of scores told by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kammerton.errors import Diagnostic, OptionError, inflected, plural, quote
from kammerton.formats.groups import Found, find_groups
from kammerton.model.grouping import Grouping
from kammerton.model.scores import Scores

__all__ = ["GroupBy", "grouping_of"]

GroupBy = Mapping[str, str] | str
"""A group for each item; ``FILE.csv:COLUMN``; or a regular expression on names of items."""


def grouping_of(choice: GroupBy, items: Iterable[str]) -> tuple[Grouping, tuple[Diagnostic, ...]]:
    """Return the grouping that a caller of :func:`kammerton.score` asked for, and what is odd about it.

    Raises
    ------
    OptionError
        If a regular expression is none, or no item has a group.
    DataError
        If a table cannot be read.
    """
    found = find_groups(choice, items)
    if not found.of:
        raise OptionError(f"no item has a group: {found.example}")
    return Grouping(found.by, found.of, _divide), tuple(_odd(found))


def _divide(scores: Scores) -> object:
    from kammerton.statistics.groups import divide  # noqa: PLC0415 - few look at groups

    return divide(scores)


def _odd(found: Found) -> Iterator[Diagnostic]:
    if found.lacking:
        verb = inflected(len(found.lacking), "is", "are")
        message = f"{found.count} {verb} in no group, told as a group of their own: {found.example}"
        yield Diagnostic(code="KT219", severity="warning", message=message)
    if found.unknown:
        names = plural(len(found.unknown), "name")
        message = f"table of groups has {names} that no item has, such as {quote(found.unknown[0])}"
        hint = "items are called by their path below the folder, without suffix"
        yield Diagnostic(code="KT220", severity="note", message=message, hint=hint)
