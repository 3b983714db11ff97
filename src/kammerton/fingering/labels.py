# SPDX-License-Identifier: MIT
"""Finger labels: which finger of which hand strikes a key, and which ones relieve it.

The grammar, in the notation of PIG and what is near to it::

    label   = list | "(" list ")"
    list    = finger { joint finger } [ "_" ]
    joint   = "_" | "-"
    finger  = [ "-" | "L" | "R" ] number

Numbers are never handed to ``int``: Python reads ``"4_1"`` as 41.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic, LabelError, OptionError, Severity, quote
from kammerton.fingering.annotation import LEFT, MISSING, RIGHT

Encoding = Literal["pig", "1-10", "0-9", "L1/R5"]
ENCODINGS: tuple[Encoding, ...] = get_args(Encoding)
"""Ways in which numbers mean fingers."""

Hand = Literal["right", "left"]

_BY_HAND: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "right": {str(finger): finger for finger in range(1, 6)},
        "left": {str(finger): -finger for finger in range(1, 6)},
    }
)

_CODES: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "1-10": {str(code): -code if code < 6 else code - 5 for code in range(1, 11)},
        "0-9": {str(code): code + 1 if code < 5 else 4 - code for code in range(10)},
    }
)
"""Signed finger of each number where the number alone tells the hand."""

CODED_NUMBERS = frozenset(_CODES["1-10"])
"""Numbers that are fingers where they count through both hands from 1."""

_NUMBER = r"[0-9]++(?:\.[0-9]*+)?+(?:[eE][+-]?+[0-9]++)?+"
_LIST = re.compile(rf"(?:[LRlr]|-)?+{_NUMBER}(?:[_-](?:[LRlr]|-)?+{_NUMBER})*+_?+")
_FINGER = re.compile(rf"(?P<hand>[LRlr]|-)?+(?P<number>{_NUMBER})")
_PIG = re.compile(r"-?[1-5](?:_-?[1-5])*+_?")

_NOTHING = frozenset(("", "0", ".", "x", "noinfo"))
"""What tools write for a note without finger, in any case."""

_WHOLE = re.compile(r"(?<=[0-9])\.0*+(?![0-9eE.])")
"""What a number may end in that is whole: scores have `1.`, tables in which fingers are missing `1.0`."""

_DASHES = str.maketrans({"\N{MINUS SIGN}": "-", "\N{EN DASH}": "-", "\N{HYPHEN}": "-"})

_HINTS: Mapping[str, str] = MappingProxyType(
    {
        "pig": "fingers are 1 to 5, of the left hand -1 to -5; no finger is `0` or `x`",
        "1-10": "1 to 5 are the left hand from the thumb on, 6 to 10 the right; no finger is `0`",
        "0-9": "0 to 4 are the right hand from the thumb on, 5 to 9 the left; no finger is `x`",
        "L1/R5": "fingers are `L1` to `L5` and `R1` to `R5`; no finger is `0` or `x`",
    }
)


@dataclass(frozen=True, slots=True)
class FingerLabel:
    """The fingers of one note.

    Examples
    --------
    >>> label = parse_label("-2_-1")
    >>> label.fingers, label.strike, label.hand
    ((-2, -1), -2, 'left')
    >>> str(parse_label("7-8", encoding="1-10"))
    '2_3'
    """

    # 1 to 5 of the right hand, -1 to -5 of the left, thumbs first; the first one strikes the key, each
    # further one takes it over from the one before
    fingers: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.fingers or not all(1 <= abs(finger) <= 5 for finger in self.fingers):
            raise OptionError(f"no fingers of a note: {self.fingers}", "1 to 5, of the left hand -1 to -5")

    @property
    def strike(self) -> int:
        """The finger that strikes the key."""
        return self.fingers[0]

    @property
    def hand(self) -> Hand:
        """The hand that strikes the key."""
        return "right" if self.strike > 0 else "left"

    @property
    def hand_code(self) -> int:
        """The hand that strikes the key, as :class:`~kammerton.fingering.annotation.Fingering` has it."""
        return RIGHT if self.strike > 0 else LEFT

    def __str__(self) -> str:
        return "_".join(map(str, self.fingers))


@dataclass(frozen=True, slots=True)
class Finding:
    """What a text was found to mean."""

    label: FingerLabel | None  # none if the note has no finger, or the text is none
    # the label in the notation of PIG, as it is kept and compared; empty where missing
    canonical: str = MISSING
    # what is wrong or odd about the text; its column lies within the text
    diagnostic: Diagnostic | None = None


def parse_label(text: str, /, *, encoding: Encoding = "pig", hand: Hand | None = None) -> FingerLabel | None:
    """Read one finger label.

    Examples
    --------
    >>> str(parse_label("4-1")), str(parse_label("4-1", hand="left"))
    ('4_1', '-4_-1')
    >>> parse_label("7", encoding="1-10").fingers, parse_label("7", encoding="0-9").fingers
    ((2,), (-3,))
    >>> parse_label("Noinfo") is None
    True
    >>> parse_label("4_6")
    Traceback (most recent call last):
    kammerton.errors.LabelError: 3: KT330 `6` is not a finger
      help: numbers that count through both hands: --label-encoding 1-10 or 0-9
    """
    return _sound(text, encoding, hand).label


def canonical(text: str, /, *, encoding: Encoding = "pig", hand: Hand | None = None) -> str:
    """Return the notation of PIG for a label, which is what annotations keep and compare.

    Text that is in this notation already stays as it is written.

    Examples
    --------
    >>> canonical("4_"), canonical("(1)"), canonical("L2"), canonical("x")
    ('4_', '1', '-2', '')
    """
    return _sound(text, encoding, hand).canonical


def strike_codes(labels: Sequence[str], /) -> NDArray[np.int64]:
    """Return the signed finger that strikes each note, 0 where it is missing.

    Examples
    --------
    >>> strike_codes(["4_1", "-2_1", "", "5"]).tolist()
    [4, -2, 0, 5]
    """
    codes = {}
    for text in set(labels):
        label = parse_label(text)
        codes[text] = 0 if label is None else label.strike
    return np.fromiter(map(codes.__getitem__, labels), np.int64, len(labels))


def _sound(text: str, encoding: Encoding, hand: Hand | None) -> Finding:
    found = inspect(text, encoding, hand)
    if found.diagnostic is not None and found.diagnostic.severity == "error":
        raise LabelError(found.diagnostic)
    return found


@lru_cache(maxsize=1 << 14)
def inspect(text: str, encoding: Encoding = "pig", hand: Hand | None = None) -> Finding:
    """Find out what a text means, without raising; parameters as in :func:`parse_label`."""
    if encoding not in ENCODINGS:
        raise OptionError.unknown("encoding of finger labels", encoding, ENCODINGS)
    stripped = text.strip(" \t")
    if stripped.casefold() in _NOTHING and (encoding, stripped) != ("0-9", "0"):
        return Finding(None)
    begin = text.index(stripped)
    if len(stripped) > 2 and stripped[0] == "(" and stripped[-1] == ")":
        stripped, begin = stripped[1:-1], begin + 1
    listed = _listed(stripped, begin, encoding, hand) if _LIST.fullmatch(stripped) else None
    if listed is not None and listed.diagnostic is None:
        return listed
    respelled = _WHOLE.sub("", unicodedata.normalize("NFKC", text).translate(_DASHES))
    if respelled != text:
        found = inspect(respelled, encoding, hand)
        if found.diagnostic is None:
            message = f"{quote(text)} read as {quote(respelled)}"
            return Finding(found.label, found.canonical, _about("KT332", "warning", message, 0, len(text)))
        if listed is None and found.diagnostic.severity == "error":
            return Finding(None, MISSING, found.diagnostic.at(column=1, length=len(text)))
    if listed is not None:
        return listed
    message = f"not a finger label, the note counts as without finger: {quote(text)}"
    return Finding(None, MISSING, _about("KT331", "warning", message, 0, len(text), _HINTS[encoding]))


def _about(
    code: str, severity: Severity, message: str, begin: int, length: int, hint: str | None = None
) -> Diagnostic:
    return Diagnostic(
        code=code, severity=severity, message=message, column=begin + 1, length=length, hint=hint
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """A finger as written: its hand or that of the one before it, its number, and where it begins."""

    hand: Hand | None
    minus: bool
    number: str
    begin: int
    length: int


def _parts(text: str) -> Iterator[_Part]:
    begin = 0
    hand: Hand | None = None
    while found := _FINGER.match(text, begin):
        mark = found["hand"]
        if mark is not None:
            hand = "right" if mark in "Rr" else "left"
        elif text[begin - 1 : begin] == "_" and not text[0].isalpha():
            hand = None  # PIG repeats the sign: `-2_1` hands over to the right thumb
        yield _Part(hand, mark == "-", found["number"], begin, len(found[0]))
        begin = found.end() + 1


def _listed(text: str, begin: int, encoding: Encoding, hand: Hand | None) -> Finding:
    parts = list(_parts(text))
    signed = any(part.hand is not None for part in parts)
    fingers = []
    for part in parts:
        finger = _finger_of(part, encoding, part.hand if signed else hand)
        if finger is None:
            diagnostic = _not_a_finger(text, part, begin, encoding)
            return Finding(None, MISSING, diagnostic)
        fingers.append(finger)
    label = FingerLabel(tuple(fingers))
    as_written = encoding == "pig" and (signed or hand != "left") and _PIG.fullmatch(text)
    return Finding(label, text if as_written else str(label))


def _finger_of(part: _Part, encoding: Encoding, hand: Hand | None) -> int | None:
    """Return the signed finger, or None if there is no such finger, or no hand that has it."""
    if encoding in _CODES and (part.minus or part.hand is None):
        return None if part.minus else _CODES[encoding].get(part.number)
    if hand is None and encoding == "L1/R5":
        return None
    return _BY_HAND[hand or "right"].get(part.number)


def _not_a_finger(text: str, part: _Part, begin: int, encoding: Encoding) -> Diagnostic:
    written = text[part.begin : part.begin + part.length]
    start = begin + part.begin
    if part.number in _BY_HAND["right"] and encoding == "L1/R5":
        message = f"{quote(written)} has no hand"
        return _about("KT333", "error", message, start, part.length, _HINTS[encoding])
    hint = _HINTS[encoding]
    if encoding == "pig" and part.hand is None and part.number in _CODES["1-10"]:
        hint = "numbers that count through both hands: --label-encoding 1-10 or 0-9"
    return _about("KT330", "error", f"{quote(written)} is not a finger", start, part.length, hint)
