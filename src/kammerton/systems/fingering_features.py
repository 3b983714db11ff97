# SPDX-License-Identifier: MIT
"""What networks know of each note: its neighbours, its key, its chord, and how long all lasts.

Both hands are right hands here: keys of the left one are mirrored.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Codes, Seconds
from kammerton.fingering.annotation import Fingering
from kammerton.fingering.judging import LEGATO_S
from kammerton.fingering.lines import INTERVALS, HandLine, Table

FEATURES = 76
"""Numbers of each note."""
HEIGHT = 55
"""The number among them that says how high a note lies, in units of two octaves from D4."""
PAIRS = 2 * INTERVALS
"""Intervals that tables of a network tell apart: within a chord, and from one to the next."""

_NEIGHBOURS = (-4, -3, -2, -1, 1, 2, 3, 4)
_FAR = 24
"""Semitones beyond which all keys are alike."""
_LONG_S = 4.0
"""Seconds beyond which all times are alike; before the first note and after the last there are as many."""
_SHORT_S = 0.1


def note_features(fingering: Fingering, line: HandLine) -> NDArray[np.float32]:
    """Return the numbers of each note of a hand, shape (notes, 76)."""
    starts = np.flatnonzero(np.diff(line.chords, prepend=-1))
    parts = (*_neighbours(line), *_keys(line), *_chords(line, starts), *_times(fingering, line, starts))
    return np.stack(parts, axis=1, dtype=np.float32, casting="same_kind")


def _octaves(semitones: Codes) -> Table:
    return np.asarray(np.clip(semitones, -_FAR, _FAR) / 12)


def _neighbours(line: HandLine) -> list[Table]:
    """Return of each neighbour in the line how far it is, its colour, whether it is there, and the like."""
    places, pitches = np.arange(len(line)), line.mirrored
    columns: list[Table] = []
    for apart in _NEIGHBOURS:
        other = np.clip(places + apart, 0, len(line) - 1)
        exists = other == places + apart
        way = pitches[other] - pitches
        in_chord = line.chords[other] == line.chords
        of_neighbour = [_octaves(way), line.black[other], exists, np.sign(way), in_chord]
        if abs(apart) == 1:
            of_neighbour.append(way == 0)
        columns += [column * exists.astype(np.float64) for column in of_neighbour]
    return columns


def _keys(line: HandLine) -> list[Table]:
    """Return the colour of each key, its pitch class, and how high it is."""
    pitches = line.mirrored
    classes = (pitches % 12)[:, None] == np.arange(12)
    return [*np.stack((line.black, *classes.T)).astype(np.float64), (pitches - 62) / 24]


def _chords(line: HandLine, starts: Codes) -> list[Table]:
    """Return how each note lies in its chord, and where the chords before and after it lie."""
    pitches, chords = line.mirrored, line.chords
    sizes = np.diff(starts, append=len(line))[chords]
    below = np.arange(len(line)) - starts[chords]
    lowest, highest = np.minimum.reduceat(pitches, starts), np.maximum.reduceat(pitches, starts)
    columns = [
        np.clip(sizes, 1, 5) / 5,
        np.clip(below, 0, 4) / 4,
        np.clip(sizes - 1 - below, 0, 4) / 4,
        (sizes > 1).astype(np.float64),
        _octaves(pitches - lowest[chords]),
        _octaves(highest[chords] - pitches),
    ]
    for apart in (-2, -1, 1, 2):
        other = np.clip(chords + apart, 0, len(starts) - 1)
        exists = other == chords + apart
        columns += [_octaves(ends[other] - pitches) * exists for ends in (lowest, highest)]
    return columns


def _times(fingering: Fingering, line: HandLine, starts: Codes) -> list[Table]:
    """Return steps and silences between chords, how long each note is, and whether it is held on."""
    onsets, offsets = fingering.onsets[line.notes], fingering.offsets[line.notes]
    begins, ends = np.minimum.reduceat(onsets, starts), np.maximum.reduceat(offsets, starts)
    steps, silences = np.diff(begins), begins[1:] - ends[:-1]
    spans: list[Seconds] = [
        np.append(steps, _LONG_S)[line.chords],
        np.insert(steps, 0, _LONG_S)[line.chords],
        offsets - onsets,
        np.append(silences, _LONG_S)[line.chords],
        np.insert(silences, 0, _LONG_S)[line.chords],
    ]
    scaled = [np.log1p(np.clip(span, 0, _LONG_S) / _SHORT_S) / np.log1p(_LONG_S / _SHORT_S) for span in spans]
    following = np.append(begins[1:], np.inf)[line.chords]
    return [*scaled, (offsets - following > LEGATO_S).astype(np.float64)]


def pair_numbers(line: HandLine, apart: int) -> Codes:
    """Return the number of the interval from the note ``apart`` before each: 1 to 186, 0 without such a note.

    Intervals within a chord are others than those from one chord to the next.
    """
    numbers = 1 + line.intervals(apart)
    numbers[apart:] += INTERVALS * (line.chords[apart:] == line.chords[:-apart])
    numbers[:apart] = 0
    return numbers
