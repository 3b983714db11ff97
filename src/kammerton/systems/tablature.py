# SPDX-License-Identifier: MIT
"""Guitar tablature: which lines it is, how the strings are tuned, and the chords of what sounds together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kammerton.arrays import Weights
from kammerton.chords.respelling import PITCH_CLASSES, QUALITIES, ROOTS, SHORTHAND_DEGREES, respell

STRINGS = (40, 45, 50, 55, 59, 64)
"""MIDI numbers of the open strings, the lowest first."""
_NAME = "[A-Ga-g][#b]?"
_STRUCK = r"[-\d|xXhpbrst/\\~^()<>*.=: ]*"
_LINE = re.compile(rf"\s*(?:{_NAME})?\s*[|:]*(?P<frets>{_STRUCK}-{_STRUCK})\Z")
_AFTER_BAR = re.compile(r"(?<=[-|])\s*\(?(?:[xX×]\s*\d+|\d+\s*[xX×])\)?\s*\Z")
_LEAST_LENGTH = 8
_FRET = re.compile(r"2[0-4]|1\d|\d")
_DOWN = re.compile(
    r"\b(?:(?P<half>half|1/2|½)|whole|full|one|1|a)\W*(?:step|tone)\W*(?:down|lower|flat)"
    r"|\b(?:down|lower)\W+(?:a\W+)?(?:(?P<half_behind>half|1/2|½)|whole|full|one|1)\b",
    re.IGNORECASE,
)
_DROP_D = re.compile(r"\bdrop(?:ped)?\W?D\b", re.IGNORECASE)
_SIX_NAMES = re.compile(r"(?<![A-Za-z#])" + r"[ ,-]*".join([f"({_NAME})"] * 6) + r"(?![A-Za-z#])")


class Tuning(NamedTuple):
    """Open strings, and by how much all of them differ from the usual ones.

    Shapes of chords are named as on a guitar of the usual tuning, so that the shift moves chord names, too.
    """

    strings: tuple[int, ...] = STRINGS
    shift: int = 0


class TabChord(NamedTuple):
    """What sounds together: the label, and the column where it is written, from 1 on."""

    label: str
    column: int


def is_tablature(line: str) -> bool:
    """Tell whether a line is a string of a tablature."""
    line = _AFTER_BAR.sub("", line.rstrip())
    match = _LINE.match(line)
    return (
        match is not None
        and len(line.strip()) >= _LEAST_LENGTH
        and match["frets"].count("-") > match["frets"].count(" ")
    )


def read_tuning(text: str) -> Tuning | None:
    """Return the tuning that a line names, None if it names none that is known.

    >>> read_tuning("Tuning: Eb Ab Db Gb Bb Eb").shift, read_tuning("DADGBE").strings[0]
    (-1, 38)
    """
    down = _DOWN.search(text)
    if down is not None:
        shift = -1 if down["half"] or down["half_behind"] else -2
        return Tuning(tuple(string + shift for string in STRINGS), shift)
    if _DROP_D.search(text):
        return Tuning((STRINGS[0] - 2, *STRINGS[1:]))
    if re.search(r"\bstandard\b", text, re.IGNORECASE):
        return Tuning()
    names = _SIX_NAMES.search(text)
    if names is None:
        return None
    apart = [
        (PITCH_CLASSES[name[0].upper() + name[1:]] - string + 6) % 12 - 6
        for name, string in zip(names.groups(), STRINGS, strict=True)
    ]
    strings = tuple(string + step for string, step in zip(STRINGS, apart, strict=True))
    return Tuning(strings, apart[0] if len(set(apart)) == 1 else 0)


def tab_chords(lines: Sequence[str], tuning: Tuning) -> Iterator[TabChord]:
    """Give the chords of six lines, the highest string first; equal neighbours once.

    A chord is at least three strings struck in one place, of at least two pitch classes. It is named as on
    strings of the usual tuning: the shift of the tuning is left to who knows the capo, too.
    """
    strings = [string - tuning.shift for string in reversed(tuning.strings)]
    frets = sorted(
        (match.start(), match.end(), string + int(match[0]))
        for line, string in zip(lines, strings, strict=True)
        for match in _FRET.finditer(_AFTER_BAR.sub("", line))
    )
    last = ""
    for column, pitches in _struck(frets):
        label = _label(pitches)
        if label and label != last:
            yield TabChord(label, column + 1)
            last = label


def _struck(frets: Sequence[tuple[int, int, int]]) -> Iterator[tuple[int, list[int]]]:
    """Give the column and the pitches of frets that stand above each other."""
    pitches: list[int] = []
    begin, until = 0, 0
    for start, end, pitch in frets:
        if start >= until and pitches:
            yield begin, pitches
            pitches = []
        if not pitches:
            begin, until = start, end
        pitches.append(pitch)
        until = max(until, end)
    if pitches:
        yield begin, pitches


def _label(pitches: Sequence[int]) -> str | None:
    """Return the chord whose tones are nearest to those that sound, on the lowest of them."""
    sounding = np.zeros(12)
    sounding[np.mod(pitches, 12)] = 1
    if len(pitches) < 3 or sounding.sum() < 2:
        return None
    names, tones = _templates()
    bass = min(pitches) % 12
    likeness = tones @ sounding / np.sqrt(tones.sum(axis=1) * sounding.sum())
    # among equally near ones that on the bass, as C:maj6 and A:min7 are
    likeness += 1e-6 * (np.arange(len(names)) % 12 == bass)
    root, quality = names[int(likeness.argmax())]
    return respell(f"{root}:{quality}" + ("" if root == ROOTS[bass] else f"/{ROOTS[bass]}"))


@lru_cache(maxsize=1)
def _templates() -> tuple[list[tuple[str, str]], Weights]:
    """Return roots and qualities, and the pitch classes of each; the common qualities first."""
    qualities = [quality for quality in QUALITIES if quality != "1"]
    names = [(root, quality) for quality in qualities for root in ROOTS]
    tones = np.zeros((len(names), 12))
    for row, (root, quality) in enumerate(names):
        degrees = [degree.semitones for degree in SHORTHAND_DEGREES[quality]]
        tones[row, np.mod(np.add(degrees, ROOTS.index(root)), 12)] = 1
    return names, tones
