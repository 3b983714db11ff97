# SPDX-License-Identifier: MIT
"""A record for each node, by number or by code.

Programs of General MIDI are listed so, each with its name and its class; and the classes of Hornbostel and
Sachs, whose decimal codes say what is below what: a class is below the one whose code its own begins with.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from kammerton.errors import quote
from kammerton.instruments.taxonomy_links import Links
from kammerton.instruments.taxonomy_readers.sources import FORMS, Source

__all__ = ["has_records", "read_records"]

_NAME, _CLASS = "name", "class"
_LABEL, _INSTRUMENTS = "Label", "Instruments"


def has_records(value: object) -> bool:
    """Tell whether a value is a mapping to records of one of the two kinds."""
    if not isinstance(value, dict) or not value:
        return False
    first = next(iter(value.values()))
    return isinstance(first, dict) and any(
        isinstance(first.get(key), str) and other in first
        for key, other in ((_NAME, _CLASS), (_LABEL, _INSTRUMENTS))
    )


def read_records(source: Source, links: Links) -> None:
    """Read a mapping of numbers to names and classes, or of codes to labels and instruments.

    Parameters
    ----------
    source : Source
        Its value is a mapping that :func:`has_records`.
    links : Links
        Takes the nodes.
    """
    records: Any = source.value
    by_code = _LABEL in next(iter(records.values()))
    usable = {key: record for key, record in records.items() if _is_record(record, by_code=by_code)}
    wanted = f"`{_LABEL}` and a list `{_INSTRUMENTS}`" if by_code else f"`{_NAME}` and `{_CLASS}`"
    for key in records:
        if key not in usable:
            message = f"not a record: expected {wanted}, all of it text"
            links.say("error", "KT647", message, partial(source.key, (key,)), FORMS)
    (_put_codes if by_code else _put_numbers)(source, usable, links)


def _is_record(record: Any, *, by_code: bool) -> bool:
    if not isinstance(record, dict):
        return False
    if not by_code:
        return all(isinstance(record.get(field), str) for field in (_NAME, _CLASS))
    instruments = record.get(_INSTRUMENTS)
    return (
        isinstance(record.get(_LABEL), str)
        and isinstance(instruments, list)
        and all(isinstance(each, str) for each in instruments)
    )


def _put_numbers(source: Source, records: Mapping[str, Any], links: Links) -> None:
    for key, record in records.items():
        locate = partial(source.of, (key, _NAME))
        name = links.name(record[_NAME], locate)
        above = links.name(record[_CLASS], partial(source.of, (key, _CLASS)))
        if name is None or above is None:
            continue
        if name == above:  # the drums are a class of their own
            links.node(name, locate)
        else:
            links.put(name, above, locate)


def _class_names(source: Source, records: Mapping[str, Any], links: Links) -> dict[str, str]:
    """Return the name of each class by its code, and take it up as a node."""
    codes: dict[str, str] = {}
    for code, record in records.items():
        locate = partial(source.of, (code, _LABEL))
        name = links.name(record[_LABEL], locate)
        if name is None:
            continue
        if codes.setdefault(name, code) != code:
            links.say("error", "KT642", f"two classes of one name: {quote(name)}", locate)
        links.node(name, locate)
    return {code: name for name, code in codes.items()}


def _put_codes(source: Source, records: Mapping[str, Any], links: Links) -> None:
    """Put classes below classes, and instruments below theirs, unless a class has their name."""
    names = _class_names(source, records, links)
    for code, name in names.items():
        parent = next((code[:end] for end in range(len(code) - 1, 0, -1) if code[:end] in names), None)
        if parent is not None:
            links.put(name, names[parent], partial(source.of, (code, _LABEL)))
    labels = frozenset(names.values())
    for code, name in names.items():
        for place, text in enumerate(records[code][_INSTRUMENTS]):
            locate = partial(source.of, (code, _INSTRUMENTS, place))
            instrument = links.name(text, locate)
            if instrument is None or instrument == name:
                continue
            if instrument in labels:
                message = f"instrument left out: {quote(instrument)} is a class of its own"
                links.say("note", "KT648", message, locate)
            else:
                links.put(instrument, name, locate)
