# SPDX-License-Identifier: MIT
"""JSON with the place of each value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial

import numpy as np

from kammerton.errors import quote
from kammerton.formats.intervals import EXACT
from kammerton.formats.reading import Limits, Problems
from kammerton.model.annotations import Place

Pointer = tuple[str | int, ...]
"""Path from the top of a JSON text: keys of objects and indices of arrays."""
TextSpan = tuple[int, int]
"""Offsets of the first character and of the one behind the last."""
_BLANK = re.compile(r"[ \t\n\r]*+")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"(?P<colon>[ \t\n\r]*+:)?+|[\[\]{}]', re.DOTALL)
_CHARACTER = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|.")
"""One character within a string, as it is written."""
_SKIPPER = json.JSONDecoder(parse_float=len, parse_int=len)
"""Passes over values; numbers of any length cost it nothing."""


def offset_of(text: str, pointer: Pointer, begin: int = 0) -> int | None:
    """Return where a value of a valid JSON text begins, or None if there is no such value."""
    begin = _after_blank(text, begin)
    for step in pointer:
        inner = next((value for name, value in _members(text, begin) if name == step), None)
        if inner is None:
            return None
        begin = inner
    return begin


def _after_blank(text: str, offset: int) -> int:
    blank = _BLANK.match(text, offset)
    return offset if blank is None else blank.end()


def _end(text: str, begin: int) -> int:
    return _SKIPPER.raw_decode(text, begin)[1]


def _members(text: str, begin: int) -> Iterator[tuple[str | int, int]]:
    """Yield name or index, and offset, of each member of an object or array; of another value, none."""
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


def _repeated_keys(text: str) -> Iterator[tuple[str, TextSpan]]:
    """Yield each key that an object repeats, with its place."""
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


def _unwritable_strings(text: str) -> Iterator[TextSpan]:
    """Yield the place of each string that has half a surrogate pair, which no encoding can hold."""
    for token in _TOKEN.finditer(text):
        end = token.end() if token["colon"] is None else token.start("colon")
        if text[token.start()] == '"' and "\\u" in token.group():
            value = json.loads(text[token.start() : end])
            if any("\ud800" <= character <= "\udfff" for character in value):
                yield token.start(), end


def _begin_of_level(text: str, level: int) -> int | None:
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
    """Return the place of the content of a string, so that columns count within the value."""
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
        self._elements: dict[Pointer | int, list[int]] = {}

    def at(self, span: TextSpan) -> Place:
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

    def elements(self, array: Pointer | int) -> list[int]:
        """Return where the elements of an array or object, which is at a pointer or an offset, begin."""
        if array not in self._elements:
            begin = array if isinstance(array, int) else offset_of(self.text, array) or 0
            self._elements[array] = [value for _, value in _members(self.text, begin)]
        return self._elements[array]

    def content(self, begin: int) -> Place:
        """Return the place of the value that begins at an offset; of a string, without its quotes."""
        return within_quotes(self.value(begin)) if self.text[begin] == '"' else self.value(begin)

    def of(self, pointer: Pointer) -> Place:
        """Return the place of a value, or of the nearest one around it if it is not there."""
        begin = offset_of(self.text, pointer)
        return self.of(pointer[:-1]) if begin is None else self.value(begin)


_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON value."""

    value: object  # its numbers are ``Decimal``, ``NaN`` and ``Infinity`` among them, for exact sums


def decode(places: JsonPlaces, problems: Problems, limits: Limits) -> Document | None:
    """Parse JSON, or report why it cannot be."""
    text = places.text
    if not _keeps_depth(places, problems, limits):
        return None
    repeats: list[list[tuple[str, object]]] = []

    def members(pairs: list[tuple[str, object]]) -> dict[str, object]:
        by_name = dict(pairs)
        if len(by_name) != len(pairs):
            repeats.append(pairs)
        return by_name

    number = EXACT.create_decimal  # as it is written; this is no slower
    decoder = json.JSONDecoder(
        parse_float=number, parse_int=number, parse_constant=Decimal, object_pairs_hook=members
    )
    try:
        value = decoder.decode(text)
    except json.JSONDecodeError as error:
        report_invalid(error, places, problems)
        return None
    except RecursionError:  # brackets within strings can hide a depth
        _report_depth(_begin_of_level(text, limits.depth + 1) or 0, places, problems, limits)
        return None
    if repeats:
        for key, span in _repeated_keys(text):
            problems.report(
                "KT142", f"key stands twice in one object: {quote(key)}", partial(places.at, span)
            )
    if _SURROGATE.search(text):
        for span in _unwritable_strings(text):
            message = f"half a surrogate pair: {quote(text[span[0] : span[1]])}"
            problems.report("KT146", message, partial(places.at, span))
    return None if problems.has_errors else Document(value)


def _keeps_depth(places: JsonPlaces, problems: Problems, limits: Limits) -> bool:
    """Bound the depth by counting brackets, and measure it only if the bound is too high."""
    brackets = places.text.encode("utf-8", "surrogatepass").translate(None, _NO_BRACKETS)
    # of the codes of brackets, bit 1 is set in the opening ones only
    steps = (np.frombuffer(brackets, dtype=np.int8) & 2) - 1
    levels = np.cumsum(steps, dtype=np.int32)
    if levels.max(initial=0) <= limits.depth:
        return True
    where = _begin_of_level(places.text, limits.depth + 1)
    if where is not None:
        _report_depth(where, places, problems, limits)
    return where is None


def _report_depth(where: int, places: JsonPlaces, problems: Problems, limits: Limits) -> None:
    message = f"JSON nested more than {limits.depth} levels deep"
    problems.report("KT106", message, partial(places.at, (where, where + 1)))


def report_invalid(error: json.JSONDecodeError, places: JsonPlaces, problems: Problems) -> None:
    """Report invalid JSON in our words: Python's own differ between its versions."""
    text, offset = places.text, error.pos
    before = len(text[:offset].rstrip())
    hint = None
    length = 1
    if error.msg.startswith("Extra data"):
        message, hint = "text after the end of the JSON value", "one file holds one value"
    elif error.msg.startswith("Unterminated string") or not text[offset:].strip():
        offset = offset if text[offset:].strip() else before
        message, hint = "JSON ends too early", "was the file cut off?"
    elif error.msg.startswith("Illegal trailing comma") or (
        text[offset] in "]}" and text[:before].endswith(",")
    ):
        offset = text.rindex(",", 0, offset + 1)
        message, hint = "comma with nothing after it", "take the comma out"
    elif text[offset] in "/#":
        message, hint = "JSON has no comments", "take the comment out"
    else:
        token = re.match(r"[\w.]+|.", text[offset:], re.DOTALL)
        word = token.group() if token else ""
        length = len(word)
        message = f"not valid JSON: unexpected {quote(word)}"
        if word == "'":
            hint = "strings stand between double quotes"
    problems.report("KT141", message, partial(places.at, (offset, offset + length)), hint=hint)


def described(value: object) -> str:
    """Return the description of a JSON value for messages."""
    if isinstance(value, str):
        return f"the string {quote(value)}"
    kinds = {
        type(None): "null",
        bool: "true or false",
        Decimal: "a number",
        dict: "an object",
        list: "a list",
    }
    return kinds[type(value)]
