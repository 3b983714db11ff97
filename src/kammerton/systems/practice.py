# SPDX-License-Identifier: MIT
"""Practice material: scales and arpeggios in all keys with their usual fingers, to train and test systems on.

The fingers are those of any book of scales: thumbs on white keys, third and fourth fingers over them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from kammerton.arrays import Codes
from kammerton.fingering.annotation import LEFT, RIGHT, Fingering
from kammerton.fingering.formats.pig import render_pig

_KEYS = ("C", "Db", "D", "Eb", "E", "F", "Gb", "G", "Ab", "A", "Bb", "B")
_STEPS = {
    ("scale", "major"): (0, 2, 4, 5, 7, 9, 11),
    ("scale", "minor"): (0, 2, 3, 5, 7, 8, 11),  # harmonic
    ("arpeggio", "major"): (0, 4, 7),
    ("arpeggio", "minor"): (0, 3, 7),
}
_BY_WHITE = ("1 231234 5", "5 432132 1")
"""Scales of most white keys: the first note, those within an octave, the last note; right and left."""
_SCALES: Mapping[str, tuple[str, str]] = {
    "F major": ("1 234123 4", "5 432132 1"),
    "Bb major": ("4 123123 4", "3 214321 3"),
    "Eb major": ("3 123412 3", "3 214321 3"),
    "Ab major": ("3 412312 3", "3 214321 3"),
    "Db major": ("2 312341 2", "3 214321 3"),
    "Gb major": ("2 341231 2", "4 321321 4"),
    "B major": ("1 231234 5", "4 321432 1"),
    "F minor": ("1 234123 4", "5 432132 1"),
    "Bb minor": ("4 123123 4", "2 132143 2"),
    "Eb minor": ("3 123412 3", "2 143213 2"),
    "Ab minor": ("3 412312 3", "3 213214 3"),
    "Db minor": ("3 412312 3", "3 214321 3"),
    "Gb minor": ("3 412312 3", "4 321321 4"),
    "B minor": ("1 231234 5", "4 321432 1"),
}
_ARPEGGIOS: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("D major", "A major", "E major", "B major", "Gb major"), ("1 23 5", "5 32 1")),
    **dict.fromkeys(("Eb major", "Ab major", "Db major"), ("4 12 4", "2 14 2")),
    **dict.fromkeys(("Db minor", "Gb minor", "Ab minor"), ("4 12 4", "2 14 2")),
    "Bb major": ("4 12 4", "3 21 3"),
    "Bb minor": ("2 31 2", "3 21 3"),
}
_BY_TRIAD = ("1 23 5", "5 42 1")
_OCTAVES = 2
_NOTE_S = 0.25
_LOWEST = {RIGHT: 60, LEFT: 48}


def practice_pieces() -> dict[str, Fingering]:
    """Return the 24 scales and 24 arpeggios, two octaves up and down by both hands, by name.

    >>> pieces = practice_pieces()
    >>> len(pieces), pieces["D major scale"].labels[:6]
    (48, ('1', '-5', '2', '-4', '3', '-3'))
    """
    return {
        f"{key} {mode} {kind}": _piece(kind, place, f"{key} {mode}", steps)
        for (kind, mode), steps in _STEPS.items()
        for place, key in enumerate(_KEYS)
    }


def _piece(kind: str, place: int, key: str, steps: tuple[int, ...]) -> Fingering:
    usual, others = (_BY_WHITE, _SCALES) if kind == "scale" else (_BY_TRIAD, _ARPEGGIOS)
    way = np.array([12 * octave + step for octave in range(_OCTAVES) for step in steps] + [12 * _OCTAVES])
    keys, signed = [], []
    for hand, pattern in zip((RIGHT, LEFT), others.get(key, usual), strict=True):
        fingers = _up(pattern, hand)
        keys.append(_LOWEST[hand] + place + np.concatenate((way, way[-2::-1])))
        signed.append((-1 if hand == LEFT else 1) * np.concatenate((fingers, fingers[-2::-1])))
    count = len(keys[0])
    onsets = np.repeat(_NOTE_S * np.arange(count), 2)
    labels = tuple(map(str, np.stack(signed, axis=1).ravel().tolist()))
    hands = np.tile([RIGHT, LEFT], count)
    return Fingering(onsets, onsets + _NOTE_S, np.stack(keys, axis=1).ravel(), hands, labels)


def _up(pattern: str, hand: int) -> Codes:
    """Return the fingers upwards; between octaves a hand passes its thumb as on its way."""
    first, within, last = ([int(finger) for finger in part] for part in pattern.split())
    joint = last if hand == LEFT else first
    return np.array([*first, *within, *joint, *within, *last])


def write_practice(folder: Path) -> None:
    """Write a file for each piece, and beside the folder a table of splits: each fourth is for tests."""
    folder.mkdir(parents=True, exist_ok=True)
    splits = ["item,split"]
    for number, (item, piece) in enumerate(practice_pieces().items()):
        (folder / f"{item}.txt").write_text(render_pig(piece), encoding="utf-8")
        splits.append(f"{item},{'test' if number % 4 == 3 else 'train'}")
    folder.with_name(f"{folder.name}_splits.csv").write_text("\n".join(splits) + "\n", encoding="utf-8")
