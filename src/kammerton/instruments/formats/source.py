# SPDX-License-Identifier: MIT
"""What a reader makes of one file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kammerton.errors import Diagnostic, plural
from kammerton.formats.reading import Problems
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.finishing import Lists
from kammerton.instruments.formats.items import Key
from kammerton.model.annotations import Metadata, Place
from kammerton.model.task import Reading, Sheet

__all__ = ["ONE", "Source", "as_reading", "as_sheet", "say_empty", "say_unrecognised"]

ONE: list[Key] = [("", None)]
"""Key of the only list of a file that is one item and has one annotator."""


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The lists of a file.

    Parameters
    ----------
    keys : sequence of (str, str or None)
        Item and annotator of each list.
    lists : Lists
    is_sheet : bool
        Whether the file names its items; else it is one, and keys tell annotators only.
    metadata : sequence of Metadata
        What a JAMS file says beside each list; empty if it is none.
    """

    keys: Sequence[Key]
    lists: Lists
    is_sheet: bool = False
    metadata: Sequence[Metadata] = ()


def as_sheet(source: Source, problems: Problems) -> Sheet[InstrumentList]:
    """Return the items of a file; an item is broken if one of its lists is, and what has no name is none."""
    lists = source.lists.found
    are_empty = all(each.closed and not len(each) and not each.absent for each in lists)
    if lists and are_empty and not source.lists.broken:
        message = "no item of the file has an instrument"
        problems.add(Diagnostic(code="KT622", severity="warning", message=message, file=problems.file))
    broken: dict[str, str] = {}
    for number, reason in sorted(source.lists.broken.items()):
        broken.setdefault(source.keys[number][0], reason)
    items: dict[str, tuple[tuple[str | None, InstrumentList], ...]] = {}
    for (item, annotator), found in zip(source.keys, source.lists.found, strict=True):
        if item and item not in broken:
            items[item] = (*items.get(item, ()), (annotator, found))
    broken.pop("", None)
    return Sheet(items, broken, problems.diagnostics())


def as_reading(source: Source | None, problems: Problems) -> Reading[InstrumentList]:
    """Return the lists of one item, or none if there was an error."""
    if source is not None and source.is_sheet:
        items = {item for item, _ in source.keys}
        if len(items) != 1:
            message = f"file of {plural(len(items), 'item')}, where one is expected"
            hint = "name the file itself as references or estimates"
            problem = Diagnostic(
                code="KT623", severity="error", message=message, file=problems.file, hint=hint
            )
            problems.add(problem)
    if source is None or problems.has_errors:
        return Reading((), problems.diagnostics())
    annotators = [annotator for _, annotator in source.keys]
    found = tuple(zip(annotators, source.lists.found, strict=True))
    return Reading(found, problems.diagnostics())


def say_empty(problems: Problems) -> None:
    """Report that a file has no rows."""
    message = "no annotation rows"
    problems.add(Diagnostic(code="KT110", severity="error", message=message, file=problems.file))


def say_unrecognised(problems: Problems, place: Place, message: str, hint: str) -> None:
    """Report that a file has none of the forms that are read."""
    problem = Diagnostic(
        code="KT624", severity="error", message=f"format not recognised: {message}", hint=hint
    )
    problems.add(place.diagnose(problem))
