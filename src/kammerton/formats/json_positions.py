# SPDX-License-Identifier: MIT
"""Where things stand in a JSON text; asked only once something is wrong with them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace

from kammerton.model.annotations import Place

__all__ = [
    "JsonPlaces",
    "Pointer",
    "Span",
    "begin_of_level",
    "element_offsets",
    "offset_of",
    "repeated_keys",
    "unwritable_strings",
    "within_quotes",
]

Pointer = tuple[str | int, ...]
"""Path from the top of a JSON text: keys of objects and indices of arrays."""

Span = tuple[int, int]
"""Offsets of the first character and of the one behind the last."""

_BLANK = re.compile(r"[ \t\n\r]*+")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"(?P<colon>[ \t\n\r]*+:)?+|[\[\]{}]', re.DOTALL)
_CHARACTER = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|.")
"""One character within a string, as it is written."""
_SKIPPER = json.JSONDecoder(parse_float=len, parse_int=len)
"""Passes over values; numbers of any length cost it nothing."""


def offset_of(text: str, pointer: Pointer, begin: int = 0) -> int | None:
    """Return where a value of a valid JSON text begins, or None if there is no such value.

    Parameters
    ----------
    text : str
        A valid JSON text.
    pointer : tuple of str and int
        Which value, from the one that begins at ``begin``.
    begin : int
        Offset of a value, blanks before it allowed.
    """
    begin = _after_blank(text, begin)
    for step in pointer:
        found = next((value for name, value in _members(text, begin) if name == step), None)
        if found is None:
            return None
        begin = found
    return begin


def element_offsets(text: str, begin: int) -> list[int]:
    """Return where the elements of the array at ``begin`` begin."""
    return [value for _, value in _members(text, begin)]


def _after_blank(text: str, offset: int) -> int:
    blank = _BLANK.match(text, offset)
    return offset if blank is None else blank.end()


def _end(text: str, begin: int) -> int:
    return _SKIPPER.raw_decode(text, begin)[1]


def _members(text: str, begin: int) -> Iterator[tuple[str | int, int]]:
    """Give name or index, and offset, of each member of an object or array; of another value, none."""
    opening = text[begin]
    if opening not in "[{":
        return
    offset = _after_blank(text, begin + 1)
    index = 0
    while text[offset] not in "]}":
        name: str | int = index
        if opening == "{":
            name, offset = _SKIPPER.raw_decode(text, offset)
            offset = _after_blank(text, _after_blank(text, offset) + 1)  # behind the colon
        yield name, offset
        offset = _after_blank(text, _end(text, offset))
        if text[offset] == ",":
            offset = _after_blank(text, offset + 1)
        index += 1


def repeated_keys(text: str) -> Iterator[tuple[str, Span]]:
    """Give each key that stands in an object for another time, with its place."""
    seen: list[set[str]] = []
    for token in _TOKEN.finditer(text):
        first = text[token.start()]
        if first == '"':
            if token["colon"] is None:
                continue
            end = token.start("colon")
            key = json.loads(text[token.start() : end])
            if key in seen[-1]:
                yield key, (token.start(), end)
            seen[-1].add(key)
        elif first in "[{":
            seen.append(set())
        else:
            seen.pop()


def unwritable_strings(text: str) -> Iterator[Span]:
    """Give the place of each string that has half a surrogate pair, which no encoding can hold."""
    for token in _TOKEN.finditer(text):
        end = token.end() if token["colon"] is None else token.start("colon")
        if text[token.start()] == '"' and "\\u" in token.group():
            value = json.loads(text[token.start() : end])
            if any("\ud800" <= character <= "\udfff" for character in value):
                yield token.start(), end


def begin_of_level(text: str, level: int) -> int | None:
    """Return where a text, valid or not, first opens so many levels, or None if it never does."""
    depth = 0
    for token in _TOKEN.finditer(text):
        first = text[token.start()]
        if first in "[{":
            depth += 1
            if depth == level:
                return token.start()
        elif first in "]}":
            depth -= 1
    return None


def within_quotes(place: Place) -> Place:
    """Return the place of what a string holds, in which columns of the value can be found."""
    inner = replace(place, column=(place.column or 0) + 1, length=max(1, place.length - 2))
    written = inner.token() or ""
    if "\\" not in written:
        return inner
    ends = [match.end() for match in _CHARACTER.finditer(written)]
    return replace(inner, offsets=(0, *ends))


class JsonPlaces:
    """Turns offsets of a JSON text into places."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self._line: tuple[int, int, str] | None = None

    def at(self, span: Span) -> Place:
        """Return the place of a span, as far as its first line goes."""
        begin = self.text.rfind("\n", 0, span[0]) + 1
        # a whole file may stand on one line: do not copy it for each place
        if self._line is None or self._line[0] != begin:
            end = self.text.find("\n", begin)
            line = self.text[begin : end if end >= 0 else len(self.text)]
            self._line = (begin, self.text.count("\n", 0, begin) + 1, line)
        _, number, line = self._line
        column = span[0] - begin + 1
        length = max(1, min(span[1] - span[0], len(line) - column + 1))
        return Place(self.file, number, column, length, line)

    def value(self, begin: int) -> Place:
        """Return the place of the value that begins at an offset."""
        return self.at((begin, _end(self.text, begin)))

    def of(self, pointer: Pointer) -> Place:
        """Return the place of a value, or of the nearest one around it if it is not there."""
        begin = offset_of(self.text, pointer)
        return self.of(pointer[:-1]) if begin is None else self.value(begin)
