# SPDX-License-Identifier: MIT
"""What readers of lists share: names of items, numbers in cells, and what a file of lists comes to."""

from __future__ import annotations

import math
import os.path
import re
from collections.abc import Callable, Iterable, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from kammerton.errors import quote
from kammerton.formats.folders import normal_form
from kammerton.formats.intervals import number_pattern
from kammerton.formats.reading import NO_ROWS, Problems, such_rows
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.labels import Key, LabelList, ParsedLists, ReadingRules, finish
from kammerton.instruments.options import InstrumentOptions
from kammerton.model.annotations import Place
from kammerton.model.measure import Values
from kammerton.model.task import ItemReadings, Reading

ONE: list[Key] = [("", None)]
"""Key of the only list of a file that is one item and has one annotator."""
_AUDIO = re.compile(
    r"\.(?:wav|wave|mp3|flac|ogg|oga|opus|aiff?|m4a|aac|wma|mid|midi|au|npz|jams)$", re.IGNORECASE
)
"""Suffixes of recordings, of their features, and of annotations, which are no part of their names."""
_ENDING = re.compile(r"_METADATA$|(?<=[^/])/metadata$")
"""What the names of metadata files of MedleyDB, Mixing Secrets and Slakh2100 end in."""
_K = TypeVar("_K", int, str)


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


# --- problems of items ---------------------------------------------------------------------


def fail(
    problems: Problems,
    broken: MutableMapping[_K, str],
    key: _K,
    code: str,
    message: str,
    place: Place | Callable[[], Place] | None,
    hint: str | None = None,
) -> None:
    """Report an error, and mark the list or item it is in as broken."""
    problems.report(code, message, place, hint=hint)
    broken.setdefault(key, f"{code} {message}")


def first_place(first: Place) -> str:
    """Return the hint for an item that stands twice: where it stands first."""
    column = f", column {first.column}" if (first.column or 1) > 1 else ""
    where = f"in line {first.line}{column}" if first.row is None else f"at row index {first.row}"
    return f"it stands first {where}: take one of the two out"


@dataclass(eq=False)
class ListReader:
    """What every reader of lists needs, and which lists of its source are broken."""

    problems: Problems
    options: InstrumentOptions
    broken: dict[int, str] = field(default_factory=dict, init=False)

    def fail(
        self,
        number: int,
        code: str,
        message: str,
        place: Place | Callable[[], Place] | None,
        hint: str | None = None,
    ) -> None:
        """Report an error, and mark the list that it is in as broken."""
        fail(self.problems, self.broken, number, code, message, place, hint)

    def note(
        self,
        code: str,
        message: str,
        count: int,
        place: Place | Callable[[], Place] | None = None,
        what: str = "such rows",
    ) -> None:
        """Note what holds of several rows, or of something else, at the first of them."""
        message += such_rows(count, what) if what else ""
        self.problems.report(code, message, place, severity="note", count=count)

    def finish(self, entries: LabelList, keys: Sequence[Key], rules: ReadingRules) -> ParsedLists:
        """Make lists of the rows of the source."""
        return finish(entries, keys, self.problems, self.options, rules, self.broken)


def report_unusable_names(
    names: Sequence[str],
    locate: Callable[[int], Place],
    problems: Problems,
    broken: dict[int, str],
    *,
    rows: Iterable[int] | None = None,
    what: str = "row",
) -> None:
    """Report each row or key, by default of all, that names no item, or one that stood before."""
    firsts: dict[str, int] = {}
    for row in range(len(names)) if rows is None else rows:
        name = names[row]
        first = firsts.setdefault(name, row)
        if not name:
            fail(problems, broken, row, "KT621", f"{what} names no item", locate(row))
        elif first < row:
            hint = first_place(locate(first))
            fail(problems, broken, row, "KT618", f"item stands twice: {quote(name)}", locate(row), hint)


def add_uneven(
    keys: list[Key], broken: dict[int, str], uneven: Iterable[tuple[Sequence[str], str]], index: int
) -> None:
    """Add the items of rows that could not be cut into cells, as broken."""
    numbers = {item: number for number, (item, _) in enumerate(keys)}
    for record, reason in uneven:
        if index < len(record) and record[index].strip():
            (item,) = item_names([record[index]])
            if item not in numbers:
                numbers[item] = len(keys)
                keys.append((item, None))
            broken.setdefault(numbers[item], reason)


def report_empty(problems: Problems) -> None:
    """Report that a file has no rows."""
    problems.report(NO_ROWS, "no annotation rows")


def report_unrecognised(problems: Problems, place: Place, message: str, hint: str) -> None:
    """Report that a file has none of the forms that are read."""
    problems.report("KT624", f"format not recognised: {message}", place, hint=hint)


# --- readings ------------------------------------------------------------------------------


def as_sheet(parsed: ParsedLists, problems: Problems) -> ItemReadings[InstrumentList]:
    """Return the items of a file; an item is broken if one of its lists is, and what has no name is none."""
    are_empty = all(each.closed and not len(each) and not each.absent for each in parsed.lists)
    if parsed.lists and are_empty and not parsed.broken:
        problems.report("KT622", "no item of the file has an instrument", severity="warning")
    broken: dict[str, str] = {}
    for number, reason in sorted(parsed.broken.items()):
        broken.setdefault(parsed.keys[number][0], reason)
    items: dict[str, tuple[tuple[str | None, InstrumentList], ...]] = {}
    for (item, annotator), annotation in zip(parsed.keys, parsed.lists, strict=True):
        if item and item not in broken:
            items[item] = (*items.get(item, ()), (annotator, annotation))
    broken.pop("", None)
    return ItemReadings(items, broken, problems.diagnostics())


def as_reading(parsed: ParsedLists | None, problems: Problems) -> Reading[InstrumentList]:
    """Return the lists of one item, or none if there was an error."""
    if parsed is not None and parsed.is_sheet:
        items = {item for item, _ in parsed.keys}
        if len(items) != 1:
            message = f"file of {len(items):,} items, where one is expected"
            hint = "name the file itself as references or estimates"
            problems.report("KT623", message, hint=hint)
    if parsed is None or problems.has_errors:
        return Reading((), problems.diagnostics())
    annotators = (annotator for _, annotator in parsed.keys)
    return Reading(tuple(zip(annotators, parsed.lists, strict=True)), problems.diagnostics())


# --- numbers -------------------------------------------------------------------------------

_CHARACTERS = b"0123456789.e-+E"
"""Of these, ``float`` reads what numbers are and nothing else: no ``1_0``, no ``nan``."""
_NUMBER = re.compile(number_pattern("."))
_COMMA = re.compile(number_pattern(","))
_TRUTH = {"true": 1.0, "false": 0.0}


def numbers_of(
    cells: Sequence[str],
    locate: Callable[[int], Place],
    problems: Problems,
    *,
    what: str = "score",
    commas: bool = False,
    required: bool = False,
) -> tuple[Values, dict[int, str]]:
    """Return cells as numbers, NaN where there is none; and of rows whose cell is no number, the reason."""
    if commas:
        cells = [cell.replace(",", ".") for cell in cells]
    plain = _plain(cells)
    if plain is not None and not (required and np.isnan(plain).any()):
        return plain, {}
    values = np.full(len(cells), np.nan)
    wrong: dict[int, str] = {}
    undefined: list[int] = []
    numbers = {cell: _number(cell.strip()) for cell in set(cells)}
    for row, cell in enumerate(cells):
        value, written = numbers[cell], cell.strip()
        if value is None or (required and math.isnan(value)):
            message = f"{what} is no finite number: {quote(written)}" if written else f"row has no {what}"
            hint = f"a {what} looks like {'1' if what == 'rank' else '0.75'}"
            if "," in written and _COMMA.fullmatch(written):
                hint = "write it with a decimal point"
            fail(problems, wrong, row, "KT609", message, lambda row=row: locate(row), hint)  # type: ignore[misc]
            continue
        values[row] = value
        if math.isnan(value) and written:
            undefined.append(row)
    if undefined:
        message = f"{what} is not a number, and counts as none{such_rows(len(undefined))}"
        problems.report("KT612", message, lambda: locate(undefined[0]), severity="note", count=len(undefined))
    return values, wrong


def _plain(cells: Sequence[str]) -> Values | None:
    """Return cells that are all numbers, or empty; None if one of them is not."""
    if "".join(cells).encode("utf-8", "surrogatepass").translate(None, _CHARACTERS):
        return None
    try:
        values = np.array([float(cell) if cell else math.nan for cell in cells], dtype=np.float64)
    except ValueError:
        return None
    return None if np.isinf(values).any() else values


def is_number(cell: str) -> bool:
    """Return whether a cell is a number, and not empty.

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
    return math.nan if folded in ("", "nan") else _TRUTH.get(folded)
