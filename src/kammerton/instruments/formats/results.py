# SPDX-License-Identifier: MIT
"""From finished lists to what the task hands on: a sheet of items, or the reading of one."""

from __future__ import annotations

from collections.abc import Sequence

from kammerton.formats.reading import Problems
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.finishing import Lists
from kammerton.instruments.formats.items import Key
from kammerton.model.task import Reading, Sheet

__all__ = ["as_reading", "as_sheet", "refused"]


def as_sheet(keys: Sequence[Key], lists: Lists, problems: Problems) -> Sheet[InstrumentList]:
    """Return the items of a source; one of several annotators is broken if one of its lists is."""
    broken: dict[str, str] = {}
    for number, reason in sorted(lists.broken.items()):
        broken.setdefault(keys[number][0], reason)
    items: dict[str, tuple[tuple[str | None, InstrumentList], ...]] = {}
    for (item, annotator), found in zip(keys, lists.found, strict=True):
        if item not in broken:
            items[item] = (*items[item], (annotator, found)) if item in items else ((annotator, found),)
    return Sheet(items, broken, problems.diagnostics())


def as_reading(annotators: Sequence[str | None], lists: Lists, problems: Problems) -> Reading[InstrumentList]:
    """Return the lists of one item, or none if there was an error."""
    found = () if problems.has_errors else tuple(zip(annotators, lists.found, strict=True))
    return Reading(found, problems.diagnostics())


def refused(problems: Problems) -> Sheet[InstrumentList]:
    """Return the sheet of a source that cannot be used at all."""
    return Sheet({}, {}, problems.diagnostics())
