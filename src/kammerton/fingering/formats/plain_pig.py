# SPDX-License-Identifier: MIT
"""PIG files of which there is nothing to say: their columns are read without a look at any row.

Annotators of one piece finger the same notes. Where another fingering of them is in use, its notes are
taken, and only the last column is read.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN, Fingering, number_of_label
from kammerton.fingering.formats.columns import plain_times
from kammerton.fingering.formats.digits import Cells, text_of
from kammerton.fingering.formats.grid import Grid
from kammerton.fingering.labels import Encoding, inspect
from kammerton.fingering.pitch import HIGHEST_KEY, LOWEST_KEY, parse_pitch

__all__ = ["FINGER", "HAND", "ID", "OFFSET", "ONSET", "PITCH", "plain_fingering"]

ID, ONSET, OFFSET, PITCH, HAND, FINGER = 0, 1, 2, 3, 6, 7
"""Columns of a PIG file; between them are velocities."""

_in_use: WeakValueDictionary[bytes, Fingering] = WeakValueDictionary()
"""Fingerings that something refers to, by the digest of the columns that their notes are in."""


def plain_fingering(grid: Grid, encoding: Encoding) -> Fingering | None:
    """Return the fingering that a file holds, or None if there is anything to say about it."""
    labels = _labels(encoding).find(grid.short_cells(FINGER))
    if labels is None:
        return None
    key = sha256(grid.rest(FINGER)).digest()
    known = _in_use.get(key) or _notes(grid)
    codes, hands = labels
    if known is None or ((hands != UNKNOWN) & (hands != known.hands)).any():
        return None
    fingering = known.labelled(codes, grid.line_of())
    _in_use.setdefault(key, fingering)
    return fingering


def _notes(grid: Grid) -> Fingering | None:
    """Read the notes alone; their labels are to follow."""
    ids, *plain = grid.plain_times((ID, ONSET, OFFSET))
    onsets, offsets = (_times(grid, *each) for each in zip((ONSET, OFFSET), plain, strict=True))
    keys, channels = _pitches.find(grid.short_cells(PITCH)), _hands.find(grid.short_cells(HAND))
    if onsets is None or offsets is None or keys is None or channels is None:
        return None
    (pitches,), (hands,) = keys, channels
    if not (_count_upwards(ids) and _in_order(onsets, offsets)):
        return None
    moments = np.append(0, np.cumsum(onsets[1:] > onsets[:-1]))
    if not _count_upwards(np.sort(moments * (HIGHEST_KEY + 1) + pitches)):
        return None
    for column in (onsets, offsets, pitches, hands):
        column.flags.writeable = False  # several fingerings share it
    return Fingering(onsets, offsets, pitches, hands, ("",) * len(pitches))


def _times(grid: Grid, column: int, times: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return times of which those that are not plain have yet to be read."""
    rest = np.flatnonzero(np.isnan(times))
    found = plain_times(grid.cells(column, rest)) if len(rest) else times[rest]
    if found is None:
        return None
    times = times.copy()  # a column of its own
    times[rest] = found + 0.0  # makes -0.0 a 0.0
    return times


def _count_upwards(numbers: NDArray[np.number]) -> bool:
    return bool((numbers[1:] > numbers[:-1]).all())


def _in_order(onsets: NDArray[np.float64], offsets: NDArray[np.float64]) -> bool:
    return bool(
        onsets[0] >= 0
        and (onsets[1:] >= onsets[:-1]).all()
        and (offsets >= onsets).all()
        and offsets.max() < np.inf
    )


class _Meanings:
    """What short cells mean, in numbers; each distinct one is looked at once.

    Parameters
    ----------
    read : callable
        From a cell to its numbers, or to None if there is anything to say about it. Of cells that have
        numbers there are few.
    count : int
        How many numbers.
    """

    def __init__(self, read: Callable[[str], tuple[int, ...] | None], count: int = 1) -> None:
        self._read = read
        last = np.array([2**64 - 1], dtype=np.uint64)  # is above any cell
        self._known = last, np.full((count, 1), -1)

    def find(self, cells: Cells | None) -> NDArray[np.int64] | None:
        """Return the numbers of each cell, shape (numbers, cells), or None if one of them has none."""
        if cells is None:
            return None
        known, numbers = self._known
        at = np.searchsorted(known, cells)
        if (known.take(at) == cells).all():
            return numbers.take(at, axis=1)
        new = np.unique(cells[known.take(at) != cells])
        found = []
        for cell in new.tolist():
            meaning = self._read(text_of(cell))
            if meaning is None:
                return None
            found.append(meaning)
        places = np.searchsorted(known, new)
        self._known = np.insert(known, places, new), np.insert(numbers, places, np.transpose(found), axis=1)
        return self.find(cells)


def _pitch(text: str) -> tuple[int] | None:
    midi = parse_pitch(text)
    return (midi,) if midi is not None and LOWEST_KEY <= midi <= HIGHEST_KEY else None


_pitches = _Meanings(_pitch)
_hands = _Meanings({"0": (RIGHT,), "1": (LEFT,)}.get)


@cache
def _labels(encoding: Encoding) -> _Meanings:
    """Return what tells the number of a label, and its hand."""

    def read(text: str) -> tuple[int, int] | None:
        found = inspect(text, encoding)
        if found.diagnostic is not None:
            return None
        return number_of_label(found.canonical), UNKNOWN if found.label is None else found.label.hand_code

    return _Meanings(read, 2)
