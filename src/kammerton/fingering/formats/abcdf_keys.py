# SPDX-License-Identifier: MIT
"""Fields of ABC music that say what notes mean: keys, clefs, octaves, lengths, meters, staves."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["Signature", "parse_length", "parse_meter", "parse_signature", "parse_staves", "parse_unit"]

_SHARPS = "FCGDAEB"
_FIFTHS = {"F": -1, "C": 0, "G": 1, "D": 2, "A": 3, "E": 4, "B": 5}
_MODES = {
    "maj": 0,
    "ion": 0,
    "lyd": 1,
    "mix": -1,
    "dor": -2,
    "m": -3,
    "min": -3,
    "aeo": -3,
    "phr": -4,
    "loc": -5,
}
_KEY = re.compile(r"\s*([A-G][#b]?)([A-Za-z]*)(?:\s+([A-Za-z]+)(?=\s|$))?")
_NO_KEY = {"": {}, "none": {}, "HP": {}, "Hp": {"F": 1, "C": 1}}
_ALTERATIONS = {"^^": 2, "^": 1, "=": 0, "_": -1, "__": -2}
_ALTERED = re.compile(r"(?<=\s)(\^\^|\^|=|__|_)([A-Ga-g])(?=\s|$)")
_OCTAVE = re.compile(r"(?:^|(?<=\s))octave\s*=\s*([+-]?[0-9])(?=\s|$)")
_TRANSPOSE = re.compile(r"(?:^|(?<=\s))(?:transpose|t)\s*=\s*([+-]?[0-9]{1,2})(?=\s|$)")
_CLEF = re.compile(
    r"(?:^|(?<=\s))(?:clef\s*=\s*\S*?|(?:treble|bass|alto|tenor)[1-5]?)(?P<shift>[+-]8)?(?=\s|$)"
)
_LENGTH = re.compile(r"([0-9]*+)(/*+)([0-9]*+)")
_FRACTION = re.compile(r"\s*([0-9]{1,4})\s*/\s*([0-9]{1,4})\s*")
_METER = re.compile(r"\s*\(?([0-9]{1,3}(?:\s*\+\s*[0-9]{1,3})*)\)?\s*/\s*([0-9]{1,3})\s*")
_STAVES = re.compile(r"[()]|[^\s(){}\[\]|*]+")

LONGEST_NUMBER = 4
"""Digits of a number in a length; half as many slashes stand for a number."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What a ``K:`` or ``V:`` field says; None where it does not say it.

    Parameters
    ----------
    key : mapping of str to int, optional
        Alteration of each letter that has one.
    octave : int, optional
        Octaves to add to the written pitches.
    clef_octave : int, optional
        Octaves of an ``8`` above or below the clef.
    transpose : int, optional
        Semitones to add.
    """

    key: Mapping[str, int] | None = None
    octave: int | None = None
    clef_octave: int | None = None
    transpose: int | None = None

    def over(self, other: Signature) -> Signature:
        """Return what holds if this is said after ``other``."""
        return Signature(
            other.key if self.key is None else self.key,
            other.octave if self.octave is None else self.octave,
            other.clef_octave if self.clef_octave is None else self.clef_octave,
            other.transpose if self.transpose is None else self.transpose,
        )


def parse_signature(text: str) -> Signature | None:
    """Read what stands behind ``K:``, or behind the name in ``V:``.

    Returns
    -------
    Signature or None
        None if it says nothing that has a meaning here.

    Examples
    --------
    >>> parse_signature("F#maj").key["E"]
    1
    >>> parse_signature(" clef=treble octave=-1")
    Signature(key=None, octave=-1, clef_octave=0, transpose=None)
    """
    octave, transpose, clef = _OCTAVE.search(text), _TRANSPOSE.search(text), _CLEF.search(text)
    clef_octave = None
    if clef is not None:
        clef_octave = 0 if clef["shift"] is None else int(clef["shift"][0] + "1")
    found = Signature(
        _key(text),
        None if octave is None else int(octave[1]),
        clef_octave,
        None if transpose is None else int(transpose[1]),
    )
    return None if found == Signature() else found


def _key(text: str) -> Mapping[str, int] | None:
    if text.strip() in _NO_KEY:
        return _NO_KEY[text.strip()]
    found = _KEY.match(text)
    if found is None:
        return None
    tonic, mode, word = found.groups()
    if not mode and word is not None and _mode(word) is not None:
        mode = word
    shift = _mode(mode)
    if shift is None:
        return None
    key: dict[str, int] = {}
    if word != "exp":
        fifths = _FIFTHS[tonic[0]] + 7 * (tonic.count("#") - tonic.count("b")) + shift
        step = 1 if fifths > 0 else -1
        for index in range(abs(fifths)):
            letter = _SHARPS[index % 7] if fifths > 0 else _SHARPS[-1 - index % 7]
            key[letter] = key.get(letter, 0) + step
    return key | {letter.upper(): _ALTERATIONS[sign] for sign, letter in _ALTERED.findall(text)}


def _mode(written: str) -> int | None:
    """Return by how many fifths a mode lies from major, or None if it is no mode."""
    if len(written) < 3:
        return {"": 0, "m": -3}.get(written)
    return _MODES.get(written[:3].lower())


def parse_length(text: str, offset: int) -> tuple[Fraction | None, int]:
    """Read a length such as ``3/2`` or ``//``.

    Returns
    -------
    tuple of Fraction or None, int
        The length, in units; None if it is none. And the offset behind it.

    Examples
    --------
    >>> parse_length("C3/2", 1), parse_length("C//", 1), parse_length("C", 1)
    ((Fraction(3, 2), 4), (Fraction(1, 4), 3), (Fraction(1, 1), 1))
    """
    found = _LENGTH.match(text, offset)
    assert found is not None, "it matches nothing as well"
    above, slashes, below = found.groups()
    if (
        max(len(above), len(below), 2 * len(slashes)) > 2 * LONGEST_NUMBER
        or max(len(above), len(below)) > LONGEST_NUMBER
    ):
        return None, found.end()
    divisor = int(below) if below else 2 ** len(slashes)
    if divisor == 0 or (below and len(slashes) != 1):
        return None, found.end()
    return Fraction(int(above or 1), divisor), found.end()


def parse_unit(text: str) -> Fraction | None:
    """Read a unit of length, such as ``1/16``, in whole notes; None if it is none."""
    found = _FRACTION.fullmatch(text)
    if found is None or 0 in (above := int(found[1]), below := int(found[2])):
        return None
    return Fraction(above, below)


def parse_meter(text: str) -> tuple[Fraction, bool] | None:
    """Read a meter as the length of a bar in whole notes, and whether it is compound; None if it is none.

    Examples
    --------
    >>> parse_meter("C|"), parse_meter("6/8"), parse_meter("(2+3)/8")
    ((Fraction(1, 1), False), (Fraction(3, 4), True), (Fraction(5, 8), False))
    """
    if text.strip() in ("C", "C|", "none", ""):
        return Fraction(1), False
    found = _METER.fullmatch(text)
    if found is None:
        return None
    beats, beat = sum(int(each) for each in found[1].split("+")), int(found[2])
    if 0 in (beats, beat):
        return None
    return Fraction(beats, beat), beat == 8 and beats in (6, 9, 12)


def parse_staves(text: str) -> list[list[str]]:
    """Return the voices of each staff that ``%%score`` or ``%%staves`` lists.

    Examples
    --------
    >>> parse_staves("{ ( 1 2 ) | 3 }")
    [['1', '2'], ['3']]
    """
    staves: list[list[str]] = []
    is_shared = False
    for each in _STAVES.findall(text):
        if each in "()":
            is_shared = each == "("
            if is_shared:
                staves.append([])
        elif is_shared:
            staves[-1].append(each)
        else:
            staves.append([each])
    return [staff for staff in staves if staff]
