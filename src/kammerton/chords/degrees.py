# SPDX-License-Identifier: MIT
"""What chord labels are spelled with: pitch names, scale degrees, shorthands and their tones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from kammerton.errors import OptionError

__all__ = ["DEGREES", "MAX_ACCIDENTALS", "PITCH_CLASSES", "QUALITIES", "ROOTS", "SHORTHAND_DEGREES", "Degree"]

MAX_ACCIDENTALS = 4
"""Accidentals that one root or degree may carry; Harte's grammar sets no limit."""

_MAJOR_SCALE = (0, 2, 4, 5, 7, 9, 11)
_ACCIDENTALS = range(-MAX_ACCIDENTALS, MAX_ACCIDENTALS + 1)


@dataclass(frozen=True, slots=True)
class Degree:
    """A degree of the major scale on the root, as spelled.

    Parameters
    ----------
    number : int
        1 to 13; 8 is the octave, 9 the second above it.
    accidental : int
        -1 for each flat, +1 for each sharp; at most four of either.
    omitted : bool
        Whether a ``*`` takes the degree away from the chord.

    Raises
    ------
    OptionError
        If number or accidental is out of range.

    Examples
    --------
    >>> str(Degree(3, -1)), Degree(3, -1).semitones
    ('b3', 3)
    >>> str(Degree(5, 0, omitted=True)), Degree(9).semitones
    ('*5', 14)
    """

    number: int
    accidental: int = 0
    omitted: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.number <= 13:
            raise OptionError(f"degree number {self.number} is outside 1 to 13")
        if abs(self.accidental) > MAX_ACCIDENTALS:
            raise OptionError(f"{abs(self.accidental)} accidentals on a degree; at most {MAX_ACCIDENTALS}")

    @property
    def semitones(self) -> int:
        """Semitones above the root: negative for ``b1``, 12 and more from ``8`` on."""
        octave, step = divmod(self.number - 1, 7)
        return 12 * octave + _MAJOR_SCALE[step] + self.accidental

    def __str__(self) -> str:
        return f"{'*' if self.omitted else ''}{_signs(self.accidental)}{self.number}"


def _signs(accidental: int) -> str:
    return ("b" if accidental < 0 else "#") * abs(accidental)


def _every_degree() -> dict[str, Degree]:
    degrees = (
        Degree(number, accidental, omitted)
        for omitted in (False, True)
        for accidental in _ACCIDENTALS
        for number in range(1, 14)
    )
    return {str(degree): degree for degree in degrees}


DEGREES: Mapping[str, Degree] = MappingProxyType(_every_degree())
"""Every degree that a label can spell, by its spelling."""

PITCH_CLASSES: Mapping[str, int] = MappingProxyType(
    {
        letter + _signs(accidental): (step + accidental) % 12
        for letter, step in zip("CDEFGAB", _MAJOR_SCALE, strict=True)
        for accidental in _ACCIDENTALS
    }
)
"""Every root that a label can spell, with its semitones above C."""

ROOTS = ("C", "Db", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B")
"""A root of each pitch class."""

_TONES = {
    "maj": "1 3 5",
    "min": "1 b3 5",
    "dim": "1 b3 b5",
    "aug": "1 3 #5",
    "1": "1",
    "5": "1 5",
    "sus2": "1 2 5",
    "sus4": "1 4 5",
    "maj6": "1 3 5 6",
    "min6": "1 b3 5 6",
    "7": "1 3 5 b7",
    "maj7": "1 3 5 7",
    "min7": "1 b3 5 b7",
    "dim7": "1 b3 b5 bb7",
    "hdim7": "1 b3 b5 b7",
    "minmaj7": "1 b3 5 7",
    "aug7": "1 3 #5 b7",
    "9": "1 3 5 b7 9",
    "maj9": "1 3 5 7 9",
    "min9": "1 b3 5 b7 9",
    "11": "1 3 5 b7 9 11",
    "maj11": "1 3 5 7 9 11",
    "min11": "1 b3 5 b7 9 11",
    "13": "1 3 5 b7 9 11 13",
    "maj13": "1 3 5 7 9 11 13",
    "min13": "1 b3 5 b7 9 11 13",
}

SHORTHAND_DEGREES: Mapping[str, tuple[Degree, ...]] = MappingProxyType(
    {name: tuple(DEGREES[tone] for tone in tones.split()) for name, tones in _TONES.items()}
)
"""The tones of each shorthand as spelled, the 1 included."""

QUALITIES: tuple[str, ...] = tuple(SHORTHAND_DEGREES)
"""The shorthands of the grammar, in its order."""
