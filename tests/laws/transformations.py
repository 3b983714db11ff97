# SPDX-License-Identifier: MIT
"""What can be done to an annotation: transpose, respell, shift and split it."""

import re
from collections.abc import Sequence

from kammerton.chords.respelling import PITCH_CLASSES
from strategies import Song

__all__ = ["respelled", "shifted", "split", "transposed"]

_ROOT = re.compile(r"([A-G])([b#]*)(.*)", re.DOTALL)
_FIFTHS = "FCGDAEB"
_NAMES = [[name for name, number in PITCH_CLASSES.items() if number == each] for each in range(12)]


def transposed(song: Song, fifths: int) -> Song:
    """Move every root by the same interval, so that distinct spellings stay distinct.

    >>> transposed(([(0.0, 1.0)] * 4, ["C#", "Db:min/b3", "B", "N"]), 2)[1]
    ['D#', 'Eb:min/b3', 'C#', 'N']
    """
    return song[0], [_transposed(label, fifths) for label in song[1]]


def _transposed(label: str, fifths: int) -> str:
    found = _ROOT.fullmatch(label)
    if found is None:
        return label
    letter, signs, rest = found.groups()
    place = _FIFTHS.index(letter) + 7 * (signs.count("#") - signs.count("b")) + fifths
    accidentals, moved = divmod(place, 7)
    return _FIFTHS[moved] + ("#" if accidentals > 0 else "b") * abs(accidentals) + rest


def respelled(song: Song, choices: Sequence[int]) -> Song:
    """Spell the root of each row as another name of the same pitch class.

    >>> respelled(([(0.0, 1.0)] * 2, ["C#:7", "X"]), [0, 0])[1]
    ['C#:7', 'X']
    >>> respelled(([(0.0, 1.0)], ["C#:7"]), [1])[1]
    ['Db:7']
    """
    labels = [_respelled(label, choice) for label, choice in zip(song[1], choices, strict=False)]
    return song[0], [*labels, *song[1][len(labels) :]]


def _respelled(label: str, choice: int) -> str:
    found = _ROOT.fullmatch(label)
    if found is None:
        return label
    letter, signs, rest = found.groups()
    names = _NAMES[PITCH_CLASSES[letter + signs]]
    return names[choice % len(names)] + rest


def shifted(song: Song, seconds: float) -> Song:
    """Let every row come later."""
    return [(start + seconds, end + seconds) for start, end in song[0]], song[1]


def split(song: Song, row: int, share: float) -> Song:
    """Split one row in two of the same label.

    >>> split(([(0.0, 1.0), (1.0, 3.0)], ["C", "G"]), 1, 0.25)
    ([(0.0, 1.0), (1.0, 1.5), (1.5, 3.0)], ['C', 'G', 'G'])
    """
    intervals, labels = song
    start, end = intervals[row]
    if start == end:
        return song
    middle = start + share * (end - start)
    halves = [(start, middle), (middle, end)]
    return [*intervals[:row], *halves, *intervals[row + 1 :]], [*labels[: row + 1], *labels[row:]]
