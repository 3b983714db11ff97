# SPDX-License-Identifier: MIT
"""Fingerings as abcDF writes them: a character for a note, staff by staff, line by line.

The grammar is that of David Randolph's Didactyl::

    fingering = staff [ "@" staff ]                  upper, lower
    staff     = line { "&" line }
    line      = { note }
    note      = ( ornament | single ) [ "/" ( ornament | single ) ] [ "," | ";" | "." ]
    ornament  = "(" single { single } ")"
    single    = { "p" | "f" } ( finger [ "-" finger ] | "x" ) { "_" | "^" }
    finger    = [ "<" | ">" ] ( "1" | "2" | "3" | "4" | "5" )

``<`` and ``>`` are the left and the right hand, and hold until the next one within their staff; ``-``
is a substitution, ``x`` a note without finger, ``/`` sets an alternative apart. Pedals and the ends of
phrases are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from kammerton.errors import quote
from kammerton.fingering.annotation import LEFT, MISSING, RIGHT
from kammerton.fingering.labels import FingerLabel

__all__ = ["FingerError", "FingerToken", "Line", "Staff", "parse_fingers"]

_SINGLE = re.compile(r"[pf]*+(?:(?P<strike>[<>]?[1-5])(?:-(?P<release>[<>]?[1-5]))?+|x)[_^]*+")
_HANDS = {">": RIGHT, "<": LEFT}


@dataclass(frozen=True, slots=True)
class FingerToken:
    """What is written for one note.

    Parameters
    ----------
    label, alternate : str
        In the notation of PIG; the alternative is the label itself where there is none.
    hand : int
        The hand that holds from here on, and here if the note has no finger.
    begin, end : int
        Offsets in the text.
    has_alternate, is_ornament : bool
    """

    label: str
    alternate: str
    hand: int
    begin: int
    end: int
    has_alternate: bool
    is_ornament: bool


@dataclass(frozen=True, slots=True)
class Line:
    """The notes of a line of music."""

    tokens: tuple[FingerToken, ...]
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Staff:
    """The lines of a staff."""

    lines: tuple[Line, ...]

    @property
    def tokens(self) -> list[FingerToken]:
        """All notes of the staff."""
        return [token for line in self.lines for token in line.tokens]

    @property
    def is_blank(self) -> bool:
        """Tell whether the staff is not fingered: nothing stands there, or an ``x`` for all of it."""
        return [token.label for token in self.tokens] in ([], [MISSING])


class FingerError(Exception):
    """Something in a fingering is not part of abcDF."""

    def __init__(self, message: str, begin: int, length: int = 1, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.begin = begin
        self.length = length
        self.hint = hint


def parse_fingers(text: str) -> tuple[Staff, Staff]:
    """Read a fingering.

    Parameters
    ----------
    text : str
        What stands behind ``% abcD fingering 1:``.

    Returns
    -------
    tuple of Staff
        Upper and lower staff.

    Raises
    ------
    FingerError
        With the offset in the text.

    Examples
    --------
    >>> upper, lower = parse_fingers("12<3-1x&>4@5")
    >>> [[token.label for token in line.tokens] for line in upper.lines]
    [['1', '2', '-3_-1', ''], ['4']]
    >>> [token.label for token in lower.tokens]
    ['-5']
    """
    staves = []
    begin = 0
    for written, hand in zip([*text.split("@"), ""], (RIGHT, LEFT), strict=False):
        staves.append(_staff(text, begin, min(begin + len(written), len(text)), hand))
        begin += len(written) + 1
    if begin <= len(text):
        raise FingerError("third staff", begin - 1, 1, "there is an upper and a lower staff")
    return staves[0], staves[1]


def _staff(text: str, begin: int, end: int, hand: int) -> Staff:
    scanner = _Scanner(text, end, hand)
    lines = []
    for written in text[begin:end].split("&"):
        tokens = tuple(scanner.tokens(begin, begin + len(written)))
        lines.append(Line(tokens, begin, begin + len(written)))
        begin += len(written) + 1
    return Staff(tuple(lines))


class _Scanner:
    """Reads the notes of a staff and keeps the hand that holds."""

    def __init__(self, text: str, end: int, hand: int) -> None:
        self._text = text
        self._end = end
        self._hand = hand

    def tokens(self, begin: int, end: int) -> Iterator[FingerToken]:
        """Give the notes of a line."""
        self._end = end
        offset = self._after_blanks(begin)
        while offset < end:
            start, hand = offset, self._hand
            label, offset, is_ornament = self._note(offset)
            alternate = label
            has_alternate = offset < end and self._text[offset] == "/"
            if has_alternate:
                after, self._hand = self._hand, hand
                alternate, offset, _ = self._note(offset + 1)
                self._hand = after  # the music goes on from the main fingering
            yield FingerToken(label, alternate, self._hand, start, offset, has_alternate, is_ornament)
            if offset < end and self._text[offset] in ",;.":
                offset += 1
            offset = self._after_blanks(offset)

    def _after_blanks(self, offset: int) -> int:
        while offset < self._end and self._text[offset] in " \t":
            offset += 1
        return offset

    def _note(self, offset: int) -> tuple[str, int, bool]:
        """Return a label, the offset behind it, and whether it is the first one of an ornament."""
        if self._text[offset : offset + 1] != "(":
            return *self._single(offset), False
        closing = self._text.find(")", offset, self._end)
        if closing < 0:
            raise FingerError("ornament that is not closed", offset, 1)
        if closing == offset + 1:
            raise FingerError("ornament without a finger", offset, 2)
        label, offset = self._single(offset + 1)
        while offset < closing:
            _, offset = self._single(offset)
        return label, closing + 1, True

    def _single(self, offset: int) -> tuple[str, int]:
        found = _SINGLE.match(self._text, offset, self._end)
        if found is None:
            self._fail(offset)
        fingers = [self._finger(finger) for finger in found.group("strike", "release") if finger]
        return str(FingerLabel(tuple(fingers))) if fingers else MISSING, found.end()

    def _finger(self, written: str) -> int:
        """Return a signed finger, and let its hand hold from here on."""
        mark, digit = written[:-1], int(written[-1])
        self._hand = _HANDS.get(mark, self._hand)
        return digit if self._hand == RIGHT else -digit

    def _fail(self, offset: int) -> NoReturn:
        written = self._text[offset] if offset < self._end else ""
        if not written:
            raise FingerError("a finger is missing at the end", offset)
        raise FingerError(f"not part of a fingering in abcDF: {quote(written)}", offset, 1, _HINT)


_HINT = "fingers are 1 to 5, `x` is a note without finger"
