# SPDX-License-Identifier: MIT
"""The notes of one hand in the order in which it plays them, chord by chord."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Codes, Flags, Seconds
from kammerton.errors import DataError, Diagnostic
from kammerton.fingering.annotation import LEFT, MISSING, RIGHT, UNKNOWN, Fingering, label_table
from kammerton.fingering.judging import CHORD_S, EXACT_S, Profile

MIDDLE_C = 60
"""The lowest key that goes to the right hand where nothing tells the hand."""
_TWICE_D = 124
_IS_BLACK = np.array([False, True, False, True, False, False, True, False, True, False, True, False])
_WHITE_KEY = np.array([0, 0, 1, 1, 2, 3, 3, 4, 4, 5, 5, 6])


@dataclass(frozen=True, slots=True, eq=False)
class HandLine:
    """Notes of a hand by onset; those of a chord from the thumb's side to the other."""

    hand: int
    notes: Codes  # their numbers in the fingering
    pitches: Codes
    chords: Codes  # number of the chord, or single note, that each belongs to
    silences: Seconds  # from the last end before each note to its onset; negative where keys are held
    fixed: Codes  # the finger that strikes by the source, 0 where it has none
    releases: Codes  # the finger of the same hand that lets the key go, likewise

    def __len__(self) -> int:
        """Return the number of notes."""
        return len(self.notes)

    @property
    def black(self) -> Flags:
        """Whether each key is black."""
        return np.asarray(_IS_BLACK[self.pitches % 12])

    @property
    def mirrored(self) -> Codes:
        """The keys as the right hand has them: those of the left one are mirrored at D, white and black."""
        return self.pitches if self.hand == RIGHT else _TWICE_D - self.pitches

    def ways(self, apart: int, profile: Profile) -> Codes:
        """Return the distance to each note from the one ``apart`` before it, as the right hand sees it."""
        begin, end = self.pitches[:-apart], self.pitches[apart:]
        ways = profile.measure(begin, end) if self.hand == RIGHT else profile.measure(end, begin)
        return np.concatenate((np.zeros(min(apart, len(self)), dtype=np.int64), ways))

    def intervals(self, apart: int) -> Codes:
        """Return the number of the interval from the note ``apart`` before each, one of :data:`INTERVALS`.

        It has the way in white keys, up to 15, and whether it leads to a black key or from one.
        """
        pitches = self.mirrored
        white = 7 * (pitches // 12) + _WHITE_KEY[pitches % 12]
        way = white[apart:] - white[:-apart]
        black = self.black.astype(np.int64)
        numbers = 3 * (np.clip(way, -15, 15) + 15) + black[apart:] - black[:-apart] + 1
        return np.concatenate((np.zeros(min(apart, len(self)), dtype=np.int64), numbers))


INTERVALS = 93
"""Intervals that models tell apart."""


def hand_lines(fingering: Fingering, split: int = MIDDLE_C) -> Iterator[HandLine]:
    """Give the notes of the right hand, and of the left, where it has any.

    A hand is that of the label or of the source; where neither tells it, keys below ``split`` are the left
    hand's.

    >>> times, keys = np.arange(3.0), np.array([48, 60, 64])
    >>> piece = Fingering(times, times + 1, keys, np.full(3, UNKNOWN), ("", "", "3"))
    >>> [(line.hand, line.notes.tolist(), line.fixed.tolist()) for line in hand_lines(piece)]
    [(0, [1, 2], [0, 3]), (1, [0], [0])]
    """
    if (fingering.pitches < 0).any():
        message = "labels without notes cannot be fingered: nothing tells their pitches"
        raise DataError((Diagnostic(code="KT151", severity="error", message=message),))
    hands = played_hands(fingering, split)
    grace = fingering.offsets <= fingering.onsets
    for hand in (RIGHT, LEFT):
        notes = np.flatnonzero(hands == hand)
        if len(notes):
            yield _line(fingering, hand, notes[np.lexsort((~grace[notes], fingering.onsets[notes]))])


def played_hands(fingering: Fingering, split: int) -> Codes:
    """Return the hand of each note, by its key where nothing else tells it."""
    hands = fingering.played_hands
    return np.where(hands == UNKNOWN, np.where(fingering.pitches < split, LEFT, RIGHT), hands)


def _line(fingering: Fingering, hand: int, notes: Codes) -> HandLine:
    chords = chord_numbers(fingering.onsets[notes], fingering.offsets[notes])
    pitches = fingering.pitches[notes]
    order = np.lexsort((pitches if hand == RIGHT else -pitches, chords))
    notes, chords = notes[order], chords[order]
    latest_end = np.maximum.accumulate(np.append(-np.inf, fingering.offsets[notes]))[:-1]
    return HandLine(
        hand,
        notes,
        fingering.pitches[notes],
        chords,
        fingering.onsets[notes] - latest_end,
        np.abs(fingering.strikes[notes]),
        np.abs(label_table().releases[fingering.codes[notes]]),
    )


def chord_numbers(onsets: Seconds, offsets: Seconds) -> Codes:
    """Return the chord of each note by onset: its first note begins 30 ms before at most.

    A grace note, which lasts no time, is alone.

    >>> onsets = np.array([0.0, 0.02, 0.04, 1.0, 1.0])
    >>> chord_numbers(onsets, np.array([1.0, 1.0, 1.0, 1.0, 2.0])).tolist()
    [0, 0, 1, 2, 3]
    """
    numbers = np.zeros(len(onsets), dtype=np.int64)
    first, number = -np.inf, -1
    for note, (onset, offset) in enumerate(zip(onsets.tolist(), offsets.tolist(), strict=True)):
        if onset - first > CHORD_S + EXACT_S or offset <= onset:
            first, number = onset, number + 1
        numbers[note] = number
        if offset <= onset:
            first = -np.inf
    return numbers


def with_fingers(
    fingering: Fingering,
    lines: Sequence[HandLine],
    fingers: Iterable[Codes],
    split: int,
    *,
    keep: bool = False,
) -> Fingering:
    """Return the notes with these fingers, and the hands that they were given to.

    With ``keep``, labels stay whole: a substitution has more than the finger that strikes.
    """
    labels = list(fingering.labels) if keep else [MISSING] * len(fingering)
    for line, of_line in zip(lines, fingers, strict=True):
        sign = -1 if line.hand == LEFT else 1
        for note, finger in zip(line.notes.tolist(), (sign * of_line).tolist(), strict=True):
            labels[note] = labels[note] or str(finger)
    return replace(fingering, labels=tuple(labels), hands=played_hands(fingering, split), line_of=None)


Table = NDArray[np.float64]
"""Numbers by fingers: of a note, and of those before it."""
