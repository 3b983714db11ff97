# SPDX-License-Identifier: MIT
"""Judge what each hand is asked to do, for many pieces at once: from key to key, and within chords.

Within a hand, notes that begin within 30 ms of the first one are a group; a grace note, which lasts no
time, is a group of its own, before the note it belongs to. Of one note, a group leads on to the next
one if no more than 50 ms of silence lie between; groups of several notes are chords.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kammerton.core.intervals import Codes, Flags, sequence_of_rows
from kammerton.fingering.annotation import LEFT, UNKNOWN
from kammerton.fingering.constraints import ORDER, RULES, Limits, consecutive_notes, judge_steps

__all__ = ["CHORD_S", "JUDGED", "LEGATO_S", "Judgement", "KeyPresses", "Playability"]

Seconds = NDArray[np.float64]
Statistics = NDArray[np.float64]

CHORD_S = 0.03
"""Seconds after the first note of a chord within which its others begin."""

LEGATO_S = 0.05
"""Longest silence between two notes that a hand plays as one motion."""

EXACT_S = 1e-9
"""Rounding that times go through on their way."""

_PLACES = 128
"""More than the pairs of one chord: what it holds by one finger, by two nearest, and by two farthest."""

JUDGED = ("judged", *RULES)
"""Columns of a judgement: what was judged, and how much of it broke each rule."""


@dataclass(frozen=True, slots=True, eq=False)
class KeyPresses:
    """Notes of pieces, one piece after the other.

    Parameters
    ----------
    fingers : ndarray of int64, shape (notes,)
        Struck fingers 1 to 5, 0 where missing.
    releases : ndarray of int64, shape (notes,)
        Fingers on the keys when these are let go, 0 where missing or of the other hand.
    hands : ndarray of int64, shape (notes,)
        0 right, 1 left, -1 unknown.
    pitches : ndarray of int64, shape (notes,)
        MIDI numbers.
    onsets, ends : ndarray of float64, shape (notes,)
        Seconds. After an end that is NaN nothing is legato.
    offsets : ndarray of int64, shape (pieces + 1,)
        Note at which each piece begins.
    """

    fingers: Codes
    releases: Codes
    hands: Codes
    pitches: Codes
    onsets: Seconds
    ends: Seconds
    offsets: Codes

    def __len__(self) -> int:
        """Return the number of pieces."""
        return len(self.offsets) - 1


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """What was judged, and what is wrong with it.

    Parameters
    ----------
    pieces : int
        Number of pieces.
    piece : ndarray of int64, shape (judged,)
        Piece of each step or chord.
    notes : ndarray of int64, shape (2, judged)
        From and to; of a chord, the two notes that are wrong, or any two.
    fingers : ndarray of int64, shape (2, judged)
        Fingers of these notes; of a step, the one that lets the first key go, and that which strikes.
    rules : ndarray of int64, shape (judged,)
        0, or 1 to 4 for the first of :data:`RULES` that is broken.
    """

    pieces: int
    piece: Codes
    notes: Codes
    fingers: Codes
    rules: Codes

    @property
    def statistics(self) -> Statistics:
        """Counts of each piece, shape (pieces, 5): :data:`JUDGED`."""
        cells = self.piece * len(JUDGED) + self.rules
        counts = np.bincount(cells, minlength=self.pieces * len(JUDGED)).reshape(self.pieces, len(JUDGED))
        counts[:, 0] = counts.sum(axis=1)  # the column of rule 0 held what is right
        return counts.astype(float)

    @property
    def places(self) -> Codes:
        """The pairs of notes that break a rule, shape (2, violations)."""
        return np.asarray(self.notes[:, self.rules > 0])


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """Groups of notes, hand by hand.

    Parameters
    ----------
    notes : ndarray of int64
        Note numbers: all of one hand of one piece in order of time, then the next hand.
    starts : ndarray of int64, shape (groups + 1,)
        Where in ``notes`` each group begins, and the end.
    lanes : ndarray of int64, shape (groups,)
        Twice the number of the piece, plus the hand.
    """

    notes: Codes
    starts: Codes
    lanes: Codes

    @property
    def sizes(self) -> Codes:
        """Number of notes of each group."""
        return np.diff(self.starts)


class Playability:
    """Judges pieces under any number of profiles.

    Parameters
    ----------
    presses : KeyPresses
        The notes. One whose hand is not known is left out, except from :meth:`in_order`.
    """

    def __init__(self, presses: KeyPresses) -> None:
        self._presses = presses
        self._pieces = sequence_of_rows(presses.offsets)

    def in_order(self, limits: Limits) -> Judgement:
        """Judge consecutive notes of a hand in the order given, whatever their onsets."""
        steps = self._in_order
        return self._judged(steps, self._presses.fingers[steps], limits)

    def melodic(self, limits: Limits) -> Judgement:
        """Judge steps from one note to one note, legato, where both are fingered.

        Where fingers change on the first key, the last one is what the hand goes on from.
        """
        return self._judged(*self._melodic, limits)

    def chords(self, limits: Limits) -> Judgement:
        """Judge chords of which at least two notes are fingered.

        Any two fingers must lie in the order of their keys and within their span, their farthest keys
        as well as their nearest; one finger may hold keys no more than 2 semitones apart. Two fingers
        on one key are not judged.
        """
        pairs, begins = self._chords
        if len(begins) == 0:
            return Judgement(len(self._presses), begins, pairs, pairs, begins)
        fingers = self._presses.fingers[pairs]
        rules, spans = self._rules(pairs, fingers, limits)
        rules[(fingers[0] != fingers[1]) & (spans < 0)] = ORDER
        ranks = np.where(rules == 0, len(JUDGED), rules) * len(rules) + np.arange(len(rules))
        worst = np.minimum.reduceat(ranks, begins) % len(rules)
        notes = pairs[:, worst]
        return Judgement(len(self._presses), self._pieces[notes[0]], notes, fingers[:, worst], rules[worst])

    @property
    def judged(self) -> Flags:
        """Whether each note is of a step or a chord that is judged, shape (notes,)."""
        judged = np.zeros(len(self._presses.pitches), dtype=bool)
        judged[self._melodic[0]] = True
        judged[self._held[0]] = True
        return judged

    def hand_shifts(self) -> Codes:
        """Count moves of a hand from or to a chord, which are not judged, shape (pieces,)."""
        groups = self._groups
        chordal = groups.sizes > 1
        moves = (groups.lanes[1:] == groups.lanes[:-1]) & (chordal[1:] | chordal[:-1])
        return np.bincount(groups.lanes[1:][moves] // 2, minlength=len(self._presses))

    def _judged(self, steps: Codes, fingers: Codes, limits: Limits) -> Judgement:
        rules, _ = self._rules(steps, fingers, limits)
        return Judgement(len(self._presses), self._pieces[steps[1]], steps, fingers, rules)

    def _rules(self, pairs: Codes, fingers: Codes, limits: Limits) -> tuple[Codes, Codes]:
        presses = self._presses
        return judge_steps(limits, fingers, presses.pitches[pairs], presses.hands[pairs[1]])

    @cached_property
    def _in_order(self) -> Codes:
        presses = self._presses
        return consecutive_notes(presses.fingers, presses.hands, presses.offsets)

    @cached_property
    def _groups(self) -> _Groups:
        presses = self._presses
        played = np.flatnonzero(presses.hands != UNKNOWN)
        lanes = 2 * self._pieces[played] + presses.hands[played]
        onsets = presses.onsets[played]
        lasting = ~(presses.ends[played] <= onsets)  # the end may be NaN
        order = np.argsort(lanes, kind="stable")
        if not (lasting.all() and _in_order(lanes[order], onsets[order])):
            order = np.lexsort((lasting, onsets, lanes))
        lanes, starts = lanes[order], _group_starts(lanes[order], onsets[order], ~lasting[order])
        return _Groups(played[order], np.append(starts, len(order)), lanes[starts])

    @cached_property
    def _melodic(self) -> tuple[Codes, Codes]:
        """Pairs of notes, and the fingers between which the hand moves."""
        presses, groups = self._presses, self._groups
        single = groups.sizes == 1
        follows = (groups.lanes[1:] == groups.lanes[:-1]) & single[1:] & single[:-1]
        notes = groups.notes[groups.starts[:-1]]
        steps = np.stack((notes[:-1], notes[1:]))[:, follows]
        silence = presses.onsets[steps[1]] - presses.ends[steps[0]]
        fingers = np.stack((presses.releases[steps[0]], presses.fingers[steps[1]]))
        judged = (silence <= LEGATO_S + EXACT_S) & (fingers > 0).all(axis=0)
        return steps[:, judged], fingers[:, judged]

    @cached_property
    def _held(self) -> tuple[Codes, Codes, Codes]:
        """Fingered notes of chords of which at least two notes are fingered, their chords and fingers."""
        groups, presses = self._groups, self._presses
        group = np.repeat(np.arange(len(groups.sizes)), groups.sizes)
        fingers = presses.fingers[groups.notes]
        held = fingers > 0
        chordal = held & (np.bincount(group[held], minlength=len(groups.sizes)) > 1)[group]
        return groups.notes[chordal], group[chordal], fingers[chordal]

    @cached_property
    def _chords(self) -> tuple[Codes, Codes]:
        """Pairs of notes that tell whether a chord can be held, and where those of each chord begin.

        For two fingers their nearest and their farthest keys, for one finger its outermost.
        """
        presses = self._presses
        notes, group, fingers = self._held
        keys = np.where(presses.hands[notes] == LEFT, -presses.pitches[notes], presses.pitches[notes])
        order = np.argsort((6 * group + fingers) * 512 + keys, kind="stable")  # keys are -127 to 127
        return _telling_pairs(notes[order], fingers[order], group[order])


def _in_order(lanes: Codes, onsets: Seconds) -> bool:
    """Tell whether the notes of each lane are in order of time, where the lanes are sorted."""
    return bool(((np.diff(onsets) >= 0) | (np.diff(lanes) > 0)).all())


def _changes(numbers: Codes) -> Flags:
    changed = np.ones(len(numbers), dtype=bool)
    changed[1:] = numbers[1:] != numbers[:-1]
    return changed


def _group_starts(lanes: Codes, onsets: Seconds, grace: Flags) -> Codes:
    """Return where each group begins among notes sorted by lane and onset."""
    limit = CHORD_S + EXACT_S
    starts = _changes(lanes) | grace
    starts[1:] |= grace[:-1] | (np.diff(onsets) > limit)
    heads = np.flatnonzero(starts)
    ends = np.append(heads, len(starts))[1:]
    for run in np.flatnonzero(onsets[ends - 1] - onsets[heads] > limit):  # rolled on and on: rare
        head = int(heads[run])
        times = onsets[head : ends[run]].tolist()
        anchor = times[0]
        for note, time in enumerate(times, head):
            if time - anchor > limit:
                starts[note] = True
                anchor = time
    return np.flatnonzero(starts)


def _telling_pairs(notes: Codes, fingers: Codes, chords: Codes) -> tuple[Codes, Codes]:
    """Return pairs of notes, chord by chord, and where those of each chord begin.

    Notes are sorted by chord, finger and key. Of a chord, pairs of one finger come first, then the nearest
    keys of two fingers, then their farthest where these are others.
    """
    starts = _changes(6 * chords + fingers)
    lowest, highest = notes[starts], notes[np.append(starts[1:], True)[: len(starts)]]
    chords, fingers = chords[starts], fingers[starts]
    several = lowest != highest
    found = [(lowest[several], highest[several], _PLACES * chords[several] + fingers[several])]
    for apart in range(1, 5):
        one = np.flatnonzero(chords[apart:] == chords[:-apart])
        other = one + apart
        place = _PLACES * chords[one] + 6 * fingers[one] + fingers[other]
        found.append((highest[one], lowest[other], place + 6))
        farther = np.flatnonzero(several[one] | several[other])
        found.append((lowest[one[farther]], highest[other[farther]], place[farther] + _PLACES // 2))
    begin, end, place = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.argsort(place)
    return np.stack((begin, end))[:, order], np.flatnonzero(_changes(place[order] // _PLACES))
