# SPDX-License-Identifier: MIT
"""Tables that name items: lists of pairs, groups, splits."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path, PurePath

from kammerton.errors import DataError, Diagnostic, OptionError, close_match, inflected, out_of, quote, some
from kammerton.formats.folders import normal_form
from kammerton.formats.json_places import JsonPlaces, decode
from kammerton.formats.reading import Limits, Problems, read_making, within_line_limits
from kammerton.formats.source import read_text
from kammerton.formats.tables import (
    ITEM_KEYS,
    SEPARATORS,
    DelimitedTable,
    Header,
    ItemRow,
    declared_separator,
    first_row,
    item_rows,
    numbered_lines,
    read_table,
)
from kammerton.model.annotations import Place
from kammerton.model.corpus import ALL, Collection, Corpus, listed_as

_KEYS = ("item", "annotator", "reference", "candidate")
_CANDIDATES = "{item}.{candidate}"
"""What estimates of a list with candidates are called."""


def read_pairs(path: str | os.PathLike[str]) -> Corpus:
    """Read a list of pairs."""
    name = os.fspath(path)
    problems = Problems(name)
    text = read_text(path, name=name)
    header = first_row(text, lambda names: len({*_KEYS} & {*names}))
    if header is None:
        raise DataError([Place(name, 1).diagnose(Diagnostic("KT211", "error", "the list of pairs is empty"))])
    systems = [column for column in header.names if column not in _KEYS]
    _check_header(header, systems, problems)
    table = read_table(text, header, problems, Limits(), code="KT211")
    if table is None:
        raise DataError(problems.diagnostics())
    if not len(table) and not problems.has_errors:
        problems.report("KT211", "the list of pairs has no rows", header.place(name))
    sides = _read_sides(table, Path(path).parent, systems, problems)
    problems.raise_errors()
    references, estimates = (
        tuple(
            Collection(
                collection,
                {item: ((None, file),) for item, file in files.items()},
                name,
                made=_making_of(files.values()),
            )
            for collection, files in side.items()
        )
        for side in sides
    )
    return Corpus(references, estimates, _CANDIDATES if "candidate" in header.names else None)


def _check_header(header: Header, systems: Sequence[str], problems: Problems) -> None:
    names = header.names
    for key in ("item", "reference"):
        if key not in names:
            near = close_match(key, systems)
            hint = f"did you mean {quote(near)}?" if near else "columns: item,annotator,reference,SYSTEM,..."
            problems.report("KT211", f"column `{key}` is missing", header.place(problems.file), hint=hint)
    for index, name in enumerate(names):
        if name in names[:index]:
            problems.report("KT211", f"column {quote(name)} stands twice", header.place(problems.file, index))
    if not systems:
        problems.report("KT211", "no column of a system", header.place(problems.file))
    problems.raise_errors()


def _read_sides(
    table: DelimitedTable, folder: Path, systems: Sequence[str], problems: Problems
) -> tuple[dict[str, dict[str, Path]], dict[str, dict[str, Path]]]:
    """Return the files of each annotator and of each system by item; report rows that cannot be used."""
    references: dict[str, dict[str, Path]] = {}
    estimates: dict[str, dict[tuple[str, str], Path]] = {system: {} for system in systems}

    def report(row: int, column: str, message: str) -> None:
        problems.report("KT211", message, partial(table.locate, row, table.names.index(column)))

    for row in range(len(table)):
        cells = {name: column[row] for name, column in zip(table.names, table.columns, strict=True)}
        item, annotator = normal_form(cells["item"]), cells.get("annotator") or "reference"
        candidate = cells.get("candidate", "")
        if not item or not cells["reference"]:
            report(row, "reference" if item else "item", "item and reference must not be empty")
        elif annotator == ALL:
            report(row, "annotator", f"no annotator can be called `{ALL}`")
        elif not candidate and item in references.setdefault(annotator, {}):
            report(row, "item", f"item {quote(item)} stands twice for annotator {quote(annotator)}")
        else:
            file = folder / cells["reference"]
            if references.setdefault(annotator, {}).setdefault(item, file) != file:
                report(row, "reference", f"two references of {quote(item)} by {quote(annotator)}")
            for system, files in estimates.items():
                file = folder / cells[system]
                if cells[system] and files.setdefault((item, candidate), file) != file:
                    report(row, system, f"two estimates of {quote(item)} by {quote(system)}")
    return references, {system: _by_name(files) for system, files in estimates.items()}


def _making_of(files: Iterable[Path]) -> str:
    """Return how a system made files, by the records in the folders above them; nothing if they differ."""
    makings = {
        next(filter(None, map(read_making, (folder, *folder.parents))), "")
        for folder in {file.parent for file in files}
    }
    return makings.pop() if len(makings) == 1 else ""


def _by_name(files: Mapping[tuple[str, str], Path]) -> dict[str, Path]:
    """Return files by name of the estimate: of the item, if no item has several, else of the candidate."""
    of_item: dict[str, set[Path]] = {}
    for (item, _), file in files.items():
        of_item.setdefault(item, set()).add(file)
    if all(len(several) == 1 for several in of_item.values()):
        return {item: file for (item, _), file in files.items()}
    return {
        _CANDIDATES.format(item=item, candidate=candidate) if candidate else item: file
        for (item, candidate), file in files.items()
    }


_TABLE = re.compile(r"(?P<path>.+\.(?:csv|tsv|txt)):(?P<column>[^:/\\\\]+)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class ItemGroups:
    """The groups of items."""

    by: str  # name of the column, or ``"group"``
    of: Mapping[str, str]  # group of each item that has one
    lacking: tuple[str, ...]  # items that have none
    why: str  # why they have none
    unknown: tuple[str, ...] = ()  # what a table puts in groups, and is no item

    @property
    def count(self) -> str:
        """How many of the items have no group."""
        return out_of(len(self.lacking), len(self.of) + len(self.lacking), "item")

    @property
    def example(self) -> str:
        """An item without a group, and the reason."""
        return f"{quote(self.lacking[0])} {self.why}"


def find_groups(choice: Mapping[str, str] | str, items: Iterable[str]) -> ItemGroups:
    """Return the group of each item that has one."""
    known, by = list(items), "group"
    if isinstance(choice, str):
        table = _TABLE.fullmatch(choice)
        if table is None:
            return _matched(choice, known)
        by, choice = table["column"], read_groups(table["path"], table["column"])
    if not isinstance(choice, Mapping):
        raise OptionError.of_type("what items belong to", choice, "a mapping or a str")
    group_of = {normal_form(str(item)): str(group) for item, group in choice.items()}
    keys = {item: next((n for n in (item, item.rpartition("/")[2]) if n in group_of), None) for item in known}
    groups = {item: None if key is None else group_of[key] for item, key in keys.items()}
    unknown = group_of.keys() - keys.values()
    return _found(by, groups, "has none in the table", tuple(name for name in group_of if name in unknown))


_EXPRESSION = "a regular expression on names of items, such as '^(.*)/', or FILE.csv:COLUMN"


def _matched(pattern: str, items: Iterable[str], hint: str = _EXPRESSION) -> ItemGroups:
    try:
        expression = re.compile(pattern)
    except re.error as error:
        raise OptionError(f"not a regular expression: {quote(pattern)}: {error}", hint) from error
    group = 1 if expression.groups else 0
    groups = {item: match and match[group] for item in items for match in (expression.search(item),)}
    return _found("group", groups, f"does not match {quote(pattern)}")


def _found(by: str, groups: Mapping[str, str | None], why: str, unknown: tuple[str, ...] = ()) -> ItemGroups:
    lacking = tuple(item for item, group in groups.items() if group is None)
    return ItemGroups(
        by, {i: group for i, group in groups.items() if group is not None}, lacking, why, unknown
    )


def group_items(choice: Mapping[str, str] | str, items: Iterable[str]) -> Mapping[str, str]:
    """Return the group of each item: see :func:`find_groups`.

    Examples
    --------
    >>> group_items("^(.*)/", ["Help!/Yesterday", "Help!/Act Naturally"])
    {'Help!/Yesterday': 'Help!', 'Help!/Act Naturally': 'Help!'}
    """
    groups = find_groups(choice, items)
    if groups.lacking:
        raise OptionError(
            f"{groups.count} {inflected(len(groups.lacking), 'has', 'have')} no group: {groups.example}"
        )
    return groups.of


def read_groups(path: str | os.PathLike[str], column: str) -> dict[str, str]:
    """Read a column of a table of items."""
    name = os.fsdecode(path)
    problems = Problems(name)
    text = read_text(path, name=name, encoding="utf-8", limits=Limits())
    rows = item_rows(text, problems, Limits(), column, code="KT217", needs_header=True)
    groups = _one_each((row for row in rows if row[1]), "group", "KT217", problems)
    if not groups and not problems.has_errors:
        problems.report("KT217", f"no items in the column {quote(column)}")
    problems.raise_errors()
    return groups


_CONFIDENCES = ("item", "candidate", "confidence")


def read_confidences(path: str | os.PathLike[str]) -> dict[tuple[str, str], float]:
    """Read how sure a source is of each candidate of an item: columns ``item,candidate,confidence``."""
    name = os.fsdecode(path)
    problems = Problems(name)
    header = first_row(text := read_text(path, name=name), lambda names: {*_CONFIDENCES} <= {*names})
    hint = f"columns: {','.join(_CONFIDENCES)}"
    table = None
    if header is None or not {*_CONFIDENCES} <= {*header.names}:
        problems.report("KT225", "no header names item, candidate and confidence", Place(name, 1), hint=hint)
    else:
        table = read_table(text, header, problems, Limits(), code="KT225", hint=hint)
    confidences: dict[tuple[str, str], float] = {}
    if table is None:
        raise DataError(problems.diagnostics())
    for row in range(len(table)):
        places = [table.names.index(column) for column in _CONFIDENCES]
        item, candidate, number = (table.columns[place][row] for place in places)
        key = normal_form(item), candidate
        try:
            confidence = float(number)
        except ValueError:
            confidence = math.nan
        if not math.isfinite(confidence):
            message = f"confidence {quote(number)} is no number" if number else "a confidence is missing"
            problems.report("KT225", message, table.finder(row, places[2]), hint="a decimal number")
        elif confidences.setdefault(key, confidence) != confidence:
            message = f"candidate {quote(candidate)} of {quote(item)} has two confidences"
            problems.report("KT225", message, table.finder(row, places[1]))
    if not confidences and not problems.has_errors:
        problems.report("KT225", "the table of confidences has no rows", Place(name, 1))
    if problems.has_errors:
        raise DataError(problems.diagnostics())
    return confidences


def _one_each(rows: Iterable[ItemRow], what: str, code: str, problems: Problems) -> dict[str, str]:
    """Return the group or the split of each item; report items that have two."""
    groups: dict[str, str] = {}
    for item, group, place in rows:
        if groups.setdefault(item, group) != group:
            message = f"item {quote(item)} is in two {what}s: {quote(groups[item])}, {quote(group)}"
            problems.report(code, message, place())
    return groups


_LISTS = (".txt", ".csv", ".tsv", ".lst")
"""Suffixes of lists of items: what ends so is no regular expression."""
Items = str | os.PathLike[str] | Iterable[str]
"""A regular expression on names of items; a file with one a line; or names."""


def find_items(choice: Items, items: Iterable[str]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the items that are chosen, and the names in a list that no item has.

    Examples
    --------
    >>> chosen, unknown = find_items("^Help!/", ["Help!/Yesterday", "Revolver/Taxman"])
    >>> set(chosen), unknown
    ({'Help!/Yesterday'}, ())
    """
    known = sorted(items)
    hint = f"items are called by their path below the folder, without suffix, such as {some(known)}"
    if isinstance(choice, str) and not (choice.lower().endswith(_LISTS) or Path(choice).is_file()):
        groups = _matched(choice, known, "a regular expression on names of items, such as '^Help!/', or FILE")
        if not groups.of:
            raise OptionError(f"no item matches {quote(choice)}", hint)
        return frozenset(groups.of), ()
    if isinstance(choice, str | os.PathLike):
        text = read_text(choice, name=os.fsdecode(choice), limits=Limits())
        choice = [line.strip() for _, line in numbered_lines(text)]
    if not isinstance(choice, Iterable):
        raise OptionError.of_type("items", choice, "a str, a path or names")
    listed = {normal_form(str(name)): None for name in choice}
    entries = {item: listed_as(item, listed) for item in known}
    chosen = frozenset(item for item, entry in entries.items() if entry is not None)
    unknown = tuple(name for name in listed if name not in entries.values() and name not in ITEM_KEYS)
    if not chosen:
        raise OptionError(f"no item is called as listed: {some(unknown)}", hint)
    return chosen, unknown


_SPLITS = {
    **dict.fromkeys(("train", "training"), "train"),
    **dict.fromkeys(("validation", "valid", "val", "dev"), "validation"),
    **dict.fromkeys(("test", "testing"), "test"),
}


def read_splits(
    path: str | os.PathLike[str], *, encoding: str = "utf-8", limits: Limits | None = None
) -> dict[str, str]:
    """Read which split each item belongs to."""
    name = os.fsdecode(path)
    limits = limits or Limits()
    text = read_text(path, name=name, encoding=encoding, limits=limits)
    problems = Problems(name)
    is_json = PurePath(name).suffix.lower() == ".json" or text.lstrip()[:1] in ("{", "[")
    if is_json:
        rows = _from_json(text, problems, limits)
    elif _is_list(text, name):
        rows = _listed(text, problems, limits)
    else:
        rows = item_rows(text, problems, limits, "split", code="KT213")
    split_rows = ((item, split_name(split), place) for item, split, place in rows)
    splits = _one_each(split_rows, "split", "KT213", problems)
    if not splits and not problems.has_errors:
        problems.report(
            "KT213", "no items", Place(name), hint="JSON with a field `split`, or rows of item and split"
        )
    problems.raise_errors()
    return splits


def split_name(name: object) -> str:
    """Return the one name that a split has here: ``"train"``, ``"validation"``, ``"test"``, or its own."""
    if not isinstance(name, str):
        raise OptionError.of_type("split", name, "a str")
    return _SPLITS.get(name.casefold(), name)


def _split_in(name: str) -> str | None:
    """Return the split in the name of a file, such as ``split01_test.csv``."""
    words = re.findall("[a-z]+", PurePath(name).stem.casefold())
    splits = {_SPLITS[word] for word in words if word in _SPLITS}
    return splits.pop() if len(splits) == 1 else None


def _is_list(text: str, name: str) -> bool:
    """Return whether a row is an item, and not item and split."""
    rows = [line.split() for _, line in numbered_lines(text)]
    if not rows or declared_separator(text) or any(mark in text for mark in SEPARATORS):
        return False
    without_split = not any(row[-1].casefold() in _SPLITS for row in rows)
    return all(len(row) == 1 for row in rows) or (without_split and _split_in(name) is not None)


def _listed(text: str, problems: Problems, limits: Limits) -> Iterator[ItemRow]:
    """Yield the items of a list, one a line, with the split in the name of its file."""
    if not within_line_limits(text, problems, limits):
        return
    split = _split_in(problems.file)
    for number, line in numbered_lines(text):
        place = partial(Place, problems.file, number, 1, len(line), line)
        if split is None:
            hint = "call a list of items like its split, such as split01_test.csv; or a row is item and split"
            problems.report(
                "KT213", "row has no split, and the name of the file does not name one", place(), hint=hint
            )
            return
        if line.strip().casefold() not in ITEM_KEYS:
            yield line.strip(), split, place


def _from_json(text: str, problems: Problems, limits: Limits) -> Iterator[ItemRow]:
    places = JsonPlaces(text, problems.file)
    document = decode(places, problems, limits)
    if document is None:
        return
    value = document.value
    if not isinstance(value, list | dict):
        problems.report("KT213", "no list and no object of recordings", places.of(()))
        return
    for key, member in enumerate(value) if isinstance(value, list) else value.items():
        yield from _rows(key, member, places, problems)


def _rows(key: str | int, member: object, places: JsonPlaces, problems: Problems) -> Iterator[ItemRow]:
    if isinstance(member, list) and isinstance(key, str):
        for index, listed in enumerate(member):
            if isinstance(listed, str | Decimal):
                yield str(listed), key, partial(places.of, (key, index))
            else:
                problems.report("KT213", "not the name of an item", places.of((key, index)))
        return
    item: object = key
    split = member
    if isinstance(member, Mapping):
        item = next((member[name] for name in ITEM_KEYS if name in member), key)
        split = member.get("split")
    if isinstance(split, str) and split and isinstance(item, str | Decimal):
        yield str(item), split, partial(places.of, (key,))
    else:
        has_split = isinstance(split, str) and split
        keys = ", ".join(map(quote, ITEM_KEYS))
        message = f"recording has no name, none of {keys}" if has_split else "recording has no `split`"
        problems.report("KT213", message, places.of((key,)))
