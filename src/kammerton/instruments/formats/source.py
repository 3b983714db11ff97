# SPDX-License-Identifier: MIT
"""What the items of a sheet are called, so that they pair with files and with other sheets."""

from __future__ import annotations

import math
import os.path
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic, Severity, plural, quote
from kammerton.formats.folders import normal_form
from kammerton.formats.intervals import number_pattern
from kammerton.formats.reading import Problems, such_rows
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.finishing import Lists
from kammerton.model.annotations import Metadata, Place
from kammerton.model.task import ItemReadings, Reading

__all__ = [
    "ONE",
    "Key",
    "Numbers",
    "Source",
    "add_uneven",
    "as_reading",
    "as_sheet",
    "diagnose_number",
    "identify",
    "is_number",
    "item_names",
    "numbers_of",
    "say_empty",
    "say_unrecognised",
    "twice",
]

Key = tuple[str, str | None]
"""Item and annotator of a list."""
_AUDIO = re.compile(
    r"\.(?:wav|wave|mp3|flac|ogg|oga|opus|aiff?|m4a|aac|wma|mid|midi|au|npz|jams)$", re.IGNORECASE
)
"""Suffixes of recordings, of their features, and of annotations, which are no part of their names."""
_ENDING = re.compile(r"_METADATA$|(?<=[^/])/metadata$")
"""What the names of metadata files of MedleyDB, Mixing Secrets and Slakh2100 end in."""


def identify(name: str) -> tuple[str, str | None]:
    """Take the name of a file apart into item and annotator.

    Examples
    --------
    >>> identify("AHa_TakeOnMe_METADATA")
    ('AHa_TakeOnMe', None)
    >>> identify("Track00001/metadata")
    ('Track00001', None)
    """
    return _ENDING.sub("", name), None


def item_names(written: Sequence[str]) -> list[str]:
    """Return what the items of a sheet are called.

    Examples
    --------
    >>> item_names(["data/a/1.wav", "data/b/1.wav"])
    ['a/1', 'b/1']
    >>> item_names(["AC/DC"])
    ['AC/DC']
    """
    names = [normal_form(name.strip()) for name in written]
    bare = [_AUDIO.sub("", name) or name for name in names]
    if not names or any(len(name) == len(cut) for name, cut in zip(names, bare, strict=True)):
        return bare
    paths = [name.replace("\\", "/") for name in bare]
    folders = {path.rpartition("/")[0] for path in paths}
    if folders == {""}:
        return paths
    try:
        common = os.path.commonpath(folders)
    except ValueError:  # some begin at the root and some do not
        return paths
    return [path[len(common) :].lstrip("/") for path in paths] if common else paths


def twice(message: str, first: Place, severity: Severity = "error") -> Diagnostic:
    """Return the problem that an item stands twice, with the place where it stood first."""
    column = f", column {first.column}" if (first.column or 1) > 1 else ""
    hint = f"it stands first in line {first.line}{column}: take one of the two out"
    return Diagnostic(code="KT618", severity=severity, message=message, hint=hint)


def add_uneven(
    keys: list[Key], broken: dict[int, str], uneven: Sequence[tuple[Sequence[str], str]], index: int
) -> None:
    """Take up the items of rows that could not be cut into cells, as broken."""
    known = {item: number for number, (item, _) in enumerate(keys)}
    for record, reason in uneven:
        if index < len(record) and record[index].strip():
            (item,) = item_names([record[index]])
            if item not in known:
                known[item] = len(keys)
                keys.append((item, None))
            broken.setdefault(known[item], reason)


ONE: list[Key] = [("", None)]
"""Key of the only list of a file that is one item and has one annotator."""


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The lists of a file."""

    keys: Sequence[Key]  # item and annotator of each list
    lists: Lists
    is_sheet: bool = False  # whether the file names its items; else it is one, and keys tell annotators only
    metadata: Sequence[Metadata] = ()  # what a JAMS file says beside each list; empty if it is none


def as_sheet(source: Source, problems: Problems) -> ItemReadings[InstrumentList]:
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
    return ItemReadings(items, broken, problems.diagnostics())


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


_CHARACTERS = b"0123456789.e-+E"
"""Of these, ``float`` reads what numbers are and nothing else: no ``1_0``, no ``nan``."""
_NUMBER = re.compile(number_pattern("."))
_COMMA = re.compile(number_pattern(","))
_TRUTH = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """What cells mean."""

    values: NDArray[np.float64]  # naN where there is none
    wrong: dict[int, str] = field(default_factory=dict)  # rows whose cell is no number, and the reason


def numbers_of(
    cells: Sequence[str],
    locate: Callable[[int], Place],
    problems: Problems,
    *,
    what: str = "score",
    commas: bool = False,
    required: bool = False,
) -> Numbers:
    """Return cells as numbers."""
    if commas:
        cells = [cell.replace(",", ".") for cell in cells]
    fast = _plain(cells)
    if fast is not None and not (required and np.isnan(fast).any()):
        return Numbers(fast)
    values = np.full(len(cells), np.nan)
    wrong: dict[int, str] = {}
    unknown: list[int] = []
    known: dict[str, float | None] = {}
    for row, written in enumerate(cells):
        if written not in known:
            known[written] = _number(written.strip())
        value = known[written]
        if value is not None and not (required and math.isnan(value)):
            values[row] = value
            if math.isnan(value) and written.strip():
                unknown.append(row)
            continue
        problem = diagnose_number(written.strip(), what)
        problems.add_at(problem, lambda row=row: locate(row))  # type: ignore[misc]
        wrong[row] = f"{problem.code} {problem.message}"
    if unknown:
        message = f"{what} is not a number, and counts as none{such_rows(len(unknown))}"
        note = Diagnostic(code="KT612", severity="note", message=message, count=len(unknown))
        problems.add_at(note, lambda: locate(unknown[0]))
    return Numbers(values, wrong)


def _plain(cells: Sequence[str]) -> NDArray[np.float64] | None:
    """Return cells that are all numbers, or empty; None if one of them is not."""
    if "".join(cells).encode("utf-8", "surrogatepass").translate(None, _CHARACTERS):
        return None
    try:
        values = np.fromiter(
            map(float, cells if all(cells) else [cell or "nan" for cell in cells]), np.float64
        )
    except ValueError:
        return None
    return None if np.isinf(values).any() else values


def is_number(cell: str) -> bool:
    """Tell whether a cell is a number, and not empty.

    >>> [is_number(cell) for cell in ("0.5", "TRUE", "nan", "high", " ")]
    [True, True, False, False, False]
    """
    value = _number(cell.strip())
    return value is not None and not math.isnan(value)


def _number(cell: str) -> float | None:
    """Return what a cell means, NaN if it stands for nothing, None if it is no finite number."""
    if _NUMBER.fullmatch(cell):
        value = float(cell)
        return None if math.isinf(value) else value
    folded = cell.casefold()
    if folded in ("", "nan"):
        return math.nan
    return _TRUTH.get(folded)


def diagnose_number(written: str, what: str = "score") -> Diagnostic:
    """Say that a text is no finite number."""
    hint = f"a {what} looks like {'1' if what == 'rank' else '0.75'}"
    if "," in written and _COMMA.fullmatch(written):
        hint = "write it with a decimal point"
    message = f"{what} is no finite number: {quote(written)}" if written else f"row has no {what}"
    return Diagnostic(code="KT609", severity="error", message=message, hint=hint)
