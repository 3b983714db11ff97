# SPDX-License-Identifier: MIT
"""Which items are for training, validation and test: metadata of data sets, and plain lists."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import PurePath

from kammerton.errors import DataError, Diagnostic, OptionError, quote
from kammerton.formats.item_tables import ITEM_KEYS, ItemRow, item_rows
from kammerton.formats.json_positions import JsonPlaces
from kammerton.formats.json_text import decode
from kammerton.formats.options import Limits
from kammerton.formats.reading import Problems
from kammerton.formats.source import read_text
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
        list of items for each split. Or a table of items and splits, with or without a header.
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
    rows = _from_json(text, problems, limits) if is_json else item_rows(text, problems, "split", code="KT213")
    found: dict[str, str] = {}
    for item, split, place in rows:
        named = split_name(split)
        if found.setdefault(item, named) != named:
            _say(
                problems, place, f"item {quote(item)} is in two splits: {quote(found[item])}, {quote(named)}"
            )
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
                yield str(listed), key, places.of((key, index))
            else:
                _say(problems, places.of((key, index)), "not the name of an item")
        return
    item: object = key
    split = member
    if isinstance(member, Mapping):
        item = next((member[name] for name in ITEM_KEYS if name in member), key)
        split = member.get("split")
    if isinstance(split, str) and split and isinstance(item, str | Decimal):
        yield str(item), split, places.of((key,))
    else:
        named = isinstance(split, str) and split
        keys = ", ".join(map(quote, ITEM_KEYS))
        message = f"recording has no name, none of {keys}" if named else "recording has no `split`"
        _say(problems, places.of((key,)), message)
