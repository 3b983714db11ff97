# SPDX-License-Identifier: MIT
"""JSON as data: what the standard parser lets through, reported with its place."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import partial

import numpy as np

from kammerton.errors import Diagnostic, quote
from kammerton.formats.json_positions import (
    JsonPlaces,
    Span,
    begin_of_level,
    repeated_keys,
    unwritable_strings,
)
from kammerton.formats.options import Limits
from kammerton.formats.reading import Problems
from kammerton.formats.times import EXACT

__all__ = ["Document", "decode", "say_invalid"]

_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON value.

    Parameters
    ----------
    value : object
        Its numbers are ``Decimal``, ``NaN`` and ``Infinity`` among them.
    has_constants : bool
        Whether there are any such.
    """

    value: object
    has_constants: bool


class _Hooks:
    """What the parser meets on its way."""

    def __init__(self) -> None:
        self.has_constants = False
        self.has_repeated_keys = False

    def decoder(self) -> json.JSONDecoder:
        """Return a parser that keeps numbers as they are written, for exact sums; it is no slower."""
        return json.JSONDecoder(
            parse_float=EXACT.create_decimal,
            parse_int=EXACT.create_decimal,
            parse_constant=self.constant,
            object_pairs_hook=self.members,
        )

    def constant(self, name: str) -> Decimal:
        self.has_constants = True
        return Decimal(name)

    def members(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) != len(pairs):
            self.has_repeated_keys = True
        return found


def decode(places: JsonPlaces, problems: Problems, limits: Limits) -> Document | None:
    """Parse JSON, or report why it cannot be.

    Parameters
    ----------
    places : JsonPlaces
        Has the text.
    problems : Problems
        Takes KT106 (depth), KT141, KT142 and KT146.
    limits : Limits
        Says how deep the text may be nested.

    Returns
    -------
    Document or None
        None if there was an error.
    """
    text = places.text
    if not _keeps_depth(places, problems, limits):
        return None
    hooks = _Hooks()
    try:
        value = hooks.decoder().decode(text)
    except json.JSONDecodeError as error:
        say_invalid(error, places, problems)
        return None
    except RecursionError:  # brackets within strings can hide a depth
        _say_depth(begin_of_level(text, limits.depth + 1) or 0, places, problems, limits)
        return None
    if hooks.has_repeated_keys:
        for key, span in repeated_keys(text):
            _say(places, span, problems, "KT142", f"key stands twice in one object: {quote(key)}")
    if _SURROGATE.search(text):
        for span in unwritable_strings(text):
            message = f"half a surrogate pair: {quote(text[span[0] : span[1]])}"
            _say(places, span, problems, "KT146", message)
    return None if problems.has_errors else Document(value, hooks.has_constants)


def _say(
    places: JsonPlaces, span: Span, problems: Problems, code: str, message: str, hint: str | None = None
) -> None:
    problem = Diagnostic(code=code, severity="error", message=message, hint=hint)
    problems.add_at(problem, partial(places.at, span))


def _keeps_depth(places: JsonPlaces, problems: Problems, limits: Limits) -> bool:
    """Bound the depth by counting brackets, and measure it only if the bound is too high."""
    brackets = places.text.encode("utf-8", "surrogatepass").translate(None, _NO_BRACKETS)
    # of the codes of brackets, bit 1 is set in the opening ones only
    steps = (np.frombuffer(brackets, dtype=np.int8) & 2) - 1
    levels = np.cumsum(steps, dtype=np.int32)
    if levels.max(initial=0) <= limits.depth:
        return True
    where = begin_of_level(places.text, limits.depth + 1)
    if where is not None:
        _say_depth(where, places, problems, limits)
    return where is None


def _say_depth(where: int, places: JsonPlaces, problems: Problems, limits: Limits) -> None:
    message = f"JSON nested more than {limits.depth} levels deep"
    _say(places, (where, where + 1), problems, "KT106", message)


def say_invalid(error: json.JSONDecodeError, places: JsonPlaces, problems: Problems) -> None:
    """Say it in our words: Python's own differ between its versions."""
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
    _say(places, (offset, offset + length), problems, "KT141", message, hint)
