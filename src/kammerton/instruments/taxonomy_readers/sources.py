# SPDX-License-Identifier: MIT
"""JSON and YAML as one thing: a value, and where its parts stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from kammerton.formats.json_positions import JsonPlaces, Pointer, offset_of
from kammerton.formats.json_text import decode
from kammerton.formats.options import Limits
from kammerton.formats.reading import Problems
from kammerton.model.annotations import Place

__all__ = ["FORMS", "Source", "part", "read_json"]

FORMS = "`kammerton explain KT647` shows the forms that are read"


class Source(Protocol):
    """A value, and where its parts stand."""

    @property
    def value(self) -> object:
        """Mappings, lists and text; what JSON has beside them."""

    def of(self, pointer: Pointer) -> Place:
        """Return the place of a part."""

    def key(self, pointer: Pointer) -> Place:
        """Return the place of the key of a part; of an element of a list, its own."""


def part(source: Source, pointer: Pointer) -> object:
    """Return a part that is there."""
    value: Any = source.value
    for step in pointer:
        value = value[step]
    return value


@dataclass(frozen=True, slots=True)
class _Json:
    value: object
    places: JsonPlaces

    def of(self, pointer: Pointer) -> Place:
        return self.places.of(pointer)

    def key(self, pointer: Pointer) -> Place:
        value = offset_of(self.places.text, pointer)
        if value is None or not isinstance(pointer[-1], str):
            return self.of(pointer)
        text = self.places.text
        end = text.rindex('"', 0, text.rindex(":", 0, value))
        begin = text.rindex('"', 0, end)
        while _is_escaped(text, begin):
            begin = text.rindex('"', 0, begin)
        return self.places.at((begin, end + 1))


def _is_escaped(text: str, offset: int) -> bool:
    before = offset
    while text[before - 1] == "\\":
        before -= 1
    return (offset - before) % 2 == 1


def read_json(text: str, problems: Problems, limits: Limits) -> Source | None:
    """Return a JSON text as a source, or report why it is none."""
    places = JsonPlaces(text, problems.file)
    document = decode(places, problems, limits)
    return None if document is None else _Json(document.value, places)
