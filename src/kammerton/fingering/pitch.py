# SPDX-License-Identifier: MIT
"""Spelled pitches, and the keys of the piano they are played on."""

from __future__ import annotations

import re

from kammerton.errors import Diagnostic, quote

__all__ = ["HIGHEST_KEY", "LOWEST_KEY", "diagnose_pitch", "midi_of", "parse_midi", "parse_pitch", "spell"]

LOWEST_KEY, HIGHEST_KEY = 21, 108
"""A0 and C8, the outer keys of a piano, as MIDI numbers."""

MAX_ACCIDENTALS = 4

_LETTERS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
_NAMES = ("C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B")
_SPELLED = re.compile(rf"([A-G])(#{{0,{MAX_ACCIDENTALS}}}|b{{0,{MAX_ACCIDENTALS}}})(-?)([0-9]{{1,2}})")
_MIDI = re.compile(r"([0-9]{1,3})(?:\.0*)?")

_HINT = "a pitch is a letter, `#` or `b`, and an octave, as in `C#4`; C4 is the middle C"


def midi_of(letter: str, alteration: int, octave: int) -> int:
    """Return the MIDI number of a pitch; the octave is that of the letter.

    Examples
    --------
    >>> midi_of("B", 1, 3), midi_of("C", -1, 4)
    (60, 59)
    """
    return 12 * (octave + 1) + _LETTERS[letter] + alteration


def parse_pitch(text: str, /) -> int | None:
    """Return the MIDI number of a spelled pitch, or None if the text is none.

    Examples
    --------
    >>> [parse_pitch(text) for text in ("C#4", "Db4", "C##5", "Bbb2", "E#4", "H4")]
    [61, 61, 74, 45, 65, None]
    """
    found = _SPELLED.fullmatch(text)
    if found is None:
        return None
    letter, signs, minus, digits = found.groups()
    alteration = -len(signs) if signs.startswith("b") else len(signs)
    midi = midi_of(letter, alteration, -int(digits) if minus else int(digits))
    return midi if 0 <= midi <= 127 else None


def parse_midi(text: str, /) -> int | None:
    """Return the MIDI number that a text is, or None.

    Examples
    --------
    >>> [parse_midi(text) for text in ("60", "60.0", "60.5", "128", "1_0")]
    [60, 60, None, None, None]
    """
    found = _MIDI.fullmatch(text)
    return int(found[1]) if found is not None and int(found[1]) <= 127 else None


def spell(midi: int, /) -> str:
    """Return the usual spelling of a MIDI number: two of the black keys sharp, three flat.

    Examples
    --------
    >>> spell(61), spell(63), spell(0)
    ('C#4', 'Eb4', 'C-1')
    """
    return f"{_NAMES[midi % 12]}{midi // 12 - 1}"


def diagnose_pitch(text: str, /) -> Diagnostic:
    """Say what is wrong with a text that is no pitch."""
    message = f"not a pitch: {quote(text)}"
    return Diagnostic(code="KT341", severity="error", message=message, hint=_hint(text))


def _hint(text: str) -> str:
    if text[:1] == "H":
        return "German `H` is `B`, `B` is `Bb`"
    if re.match(r"[a-g]", text) and parse_pitch(text[0].upper() + text[1:]) is not None:
        return f"letters are upper case: {quote(text[0].upper() + text[1:])}"
    ascii_spelling = text.replace("♯", "#").replace("♭", "b")
    if parse_pitch(ascii_spelling) is not None:
        return f"write {quote(ascii_spelling)}"
    return _HINT
