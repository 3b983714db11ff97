# SPDX-License-Identifier: MIT
"""Which items are for training, validation and test: metadata of data sets, and plain lists."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import partial
from pathlib import PurePath

from kammerton.errors import DataError, Diagnostic, OptionError, quote
from kammerton.formats.budgets import keeps_lines
from kammerton.formats.json_positions import JsonPlaces
from kammerton.formats.json_text import decode
from kammerton.formats.options import Limits
from kammerton.formats.reading import Problems
from kammerton.formats.source import read_text
from kammerton.formats.tables import ITEM_KEYS, SEPARATORS, ItemRow, item_rows, numbered_lines, told_separator
from kammerton.model.annotations import Place

__all__ = ["read_splits", "split_name"]

_SPLITS = {
    **dict.fromkeys(("train", "training"), "train"),
    **dict.fromkeys(("validation", "valid", "val", "dev"), "validation"),
    **dict.fromkeys(("test", "testing"), "test"),
}


def read_splits(
    path: str | os.PathLike[str], *, encoding: str = "utf-8", limits: Limits | None = None
) -> dict[str, str]:
    """Read which split each item belongs to.

    Parameters
    ----------
    path : path
        JSON: recordings with a field ``split``, in a list or by name; a split for each item; or a
        list of items for each split. Or a table of items and splits, with or without a header. Or a
        list of items, one a line, whose file's name tells the split: ``split01_test.csv``.
    encoding : str
        Its encoding where it has no byte order mark.
    limits : Limits, optional
        Budgets of the file.

    Returns
    -------
    dict of str to str
        Split of each item: ``"train"``, ``"validation"``, ``"test"``, or another name as it is
        written.

    Raises
    ------
    DataError
        If the file cannot be read (KT101 to KT108, KT141, KT142) or tells no splits (KT213).
    """
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
    found: dict[str, str] = {}
    for item, split, place in rows:
        named = split_name(split)
        if found.setdefault(item, named) != named:
            message = f"item {quote(item)} is in two splits: {quote(found[item])}, {quote(named)}"
            _say(problems, place(), message)
    if not found and not problems.has_errors:
        _say(problems, Place(name), "no items", "JSON with a field `split`, or rows of item and split")
    if problems.has_errors:
        raise DataError(problems.diagnostics())
    return found


def split_name(name: object) -> str:
    """Return the one name that a split has here: ``"train"``, ``"validation"``, ``"test"``, or its own."""
    if not isinstance(name, str):
        raise OptionError.of_type("split", name, "a str")
    return _SPLITS.get(name.casefold(), name)


def _split_in(name: str) -> str | None:
    """Return the split that the name of a file tells, such as ``split01_test.csv``."""
    words = re.findall("[a-z]+", PurePath(name).stem.casefold())
    named = {_SPLITS[word] for word in words if word in _SPLITS}
    return named.pop() if len(named) == 1 else None


def _is_list(text: str, name: str) -> bool:
    """Tell whether a row is an item, and not item and split."""
    rows = [line.split() for _, line in numbered_lines(text)]
    if not rows or told_separator(text) or any(mark in text for mark in SEPARATORS):
        return False
    without_split = not any(row[-1].casefold() in _SPLITS for row in rows)
    return all(len(row) == 1 for row in rows) or (without_split and _split_in(name) is not None)


def _listed(text: str, problems: Problems, limits: Limits) -> Iterator[ItemRow]:
    """Give the items of a list, one a line, of the split that the name of its file tells."""
    if not keeps_lines(text, problems, limits):
        return
    split = _split_in(problems.file)
    for number, line in numbered_lines(text):
        place = partial(Place, problems.file, number, 1, len(line), line)
        if split is None:
            hint = "call a list of items like its split, such as split01_test.csv; or a row is item and split"
            _say(problems, place(), "row has no split, and the name of the file does not tell one", hint)
            return
        if line.strip().casefold() not in ITEM_KEYS:
            yield line.strip(), split, place


def _say(problems: Problems, place: Place, message: str, hint: str | None = None) -> None:
    problems.add(place.diagnose(Diagnostic(code="KT213", severity="error", message=message, hint=hint)))


def _from_json(text: str, problems: Problems, limits: Limits) -> Iterator[ItemRow]:
    places = JsonPlaces(text, problems.file)
    document = decode(places, problems, limits)
    if document is None:
        return
    value = document.value
    members: Iterator[tuple[str | int, object]] = iter(())
    if isinstance(value, list):
        members = iter(enumerate(value))
    elif isinstance(value, dict):
        members = iter(value.items())
    else:
        _say(problems, places.of(()), "no list and no object of recordings")
    for key, member in members:
        yield from _rows(key, member, places, problems)


def _rows(key: str | int, member: object, places: JsonPlaces, problems: Problems) -> Iterator[ItemRow]:
    if isinstance(member, list) and isinstance(key, str):
        for index, listed in enumerate(member):
            if isinstance(listed, str | Decimal):
                yield str(listed), key, partial(places.of, (key, index))
            else:
                _say(problems, places.of((key, index)), "not the name of an item")
        return
    item: object = key
    split = member
    if isinstance(member, Mapping):
        item = next((member[name] for name in ITEM_KEYS if name in member), key)
        split = member.get("split")
    if isinstance(split, str) and split and isinstance(item, str | Decimal):
        yield str(item), split, partial(places.of, (key,))
    else:
        named = isinstance(split, str) and split
        keys = ", ".join(map(quote, ITEM_KEYS))
        message = f"recording has no name, none of {keys}" if named else "recording has no `split`"
        _say(problems, places.of((key,)), message)
