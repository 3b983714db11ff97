# SPDX-License-Identifier: MIT
"""Judge what each hand is asked to do, for many pieces at once: from key to key, and within chords.

Within a hand, notes that begin within 30 ms of the first one are a group; a grace note, which lasts no
time, is a group of its own, before the note it belongs to. Of one note, a group leads on to the next
one if no more than 50 ms of silence lie between; groups of several notes are chords.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Codes, Flags, Seconds, ratio, sequence_of_rows
from kammerton.errors import OptionError
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN, Fingering, label_table
from kammerton.fingering.profiles import Profile, profile_named
from kammerton.model.measure import Statistics

RULES = ("same_finger", "order", "large_span", "small_span")
"""Rules that a step or a chord may break, the first that applies first; 0 is none, 1 to 4 are these."""

SAME_FINGER, ORDER, LARGE_SPAN, SMALL_SPAN = range(1, 5)

SkillLevel = Literal["beginner", "intermediate", "advanced"]
SKILL_LEVELS: tuple[SkillLevel, ...] = get_args(SkillLevel)

_TENTHS: Mapping[SkillLevel, int] = MappingProxyType({"beginner": 8, "intermediate": 10, "advanced": 12})

SLIDE = 2
"""Semitones that one finger may move from key to key."""


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

_NO_RANK = (len(JUDGED) + 1) * _PLACES
"""More than the rank of any pair of a chord."""


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """What a hand can do."""

    profile: Profile  # where the spans come from; measures distances
    # least, most: least and largest span by finger and finger
    least: Codes
    most: Codes
    slide: int = SLIDE  # semitones that one finger may move from key to key


def limits_of(
    profile: str | Profile, skill_level: SkillLevel = "intermediate", *, strict: bool = False
) -> Limits:
    """Return the limits of a profile."""
    profile = profile_named(profile)
    if skill_level not in SKILL_LEVELS:
        raise OptionError.unknown("skill level", skill_level, SKILL_LEVELS)
    least, most = profile.limits()
    return Limits(profile, least, most * _TENTHS[skill_level] // 10, 0 if strict else SLIDE)


def consecutive_notes(fingers: Codes, hands: Codes, offsets: Codes) -> Codes:
    """Pair each note with the next one of its hand, in the order given."""
    pieces, fingered = sequence_of_rows(offsets), fingers != 0
    anywhere = ~fingered & (hands == UNKNOWN)
    before = np.full(len(fingers), -1)
    for hand in (RIGHT, LEFT, UNKNOWN):
        notes = np.flatnonzero((hands == hand) | anywhere)
        begin, end = notes[:-1], notes[1:]
        judged = np.flatnonzero((pieces[begin] == pieces[end]) & fingered[begin] & fingered[end])
        before[end[judged]] = begin[judged]
    ends = np.flatnonzero(before >= 0)
    return np.stack((before[ends], ends))


def judge_steps(limits: Limits, fingers: Codes, pitches: Codes, hands: Codes) -> tuple[Codes, Codes]:
    """Tell which rule each step from key to key breaks."""
    (begin, end), (first, second) = pitches, fingers
    way = limits.profile.measure(begin, end)
    spans = np.where((first > second) != (hands == LEFT), -way, way)
    known = hands != UNKNOWN
    if not known.all():
        spans = np.where(known, spans, np.abs(way))
    same = first == second
    apart = (begin != end) & ~same
    pairs = len(limits.most) * first + second
    too_large = apart & (spans > limits.most.ravel()[pairs])
    too_small = apart & known & (spans < limits.least.ravel()[pairs])
    rules = np.where(too_small, np.where(spans < 0, ORDER, SMALL_SPAN), too_large * LARGE_SPAN)
    rules[same & (np.abs(end - begin) > limits.slide)] = SAME_FINGER
    return rules, spans


@dataclass(frozen=True, slots=True, eq=False)
class KeyPresses:
    """Notes of pieces, one piece after the other."""

    fingers: Codes  # struck fingers 1 to 5, 0 where missing, or where the pitch is not known
    releases: Codes  # fingers on the keys when these are let go, 0 where missing or of the other hand
    hands: Codes  # 0 right, 1 left, -1 unknown
    pitches: Codes  # MIDI numbers; -1 unknown
    # onsets, ends: seconds, NaN where not known. After an end that is NaN nothing is legato.
    onsets: Seconds
    ends: Seconds
    offsets: Codes  # note at which each piece begins

    def __len__(self) -> int:
        """Return the number of pieces."""
        return len(self.offsets) - 1


def key_presses(fingerings: Iterable[Fingering]) -> KeyPresses:
    """Put fingerings one after the other.

    The hand is that of the struck finger; where that tells none, what the source says. A note whose pitch is
    not known is as one without finger: no step from it or to it is judged.
    """
    pieces = list(fingerings)
    codes = np.concatenate([np.empty(0, dtype=np.int64), *(p.codes for p in pieces)])
    table = label_table()  # a label is known once its code was asked for
    pitches = np.concatenate([np.empty(0, dtype=np.int64), *(p.pitches for p in pieces)])
    known = pitches >= 0
    return KeyPresses(
        fingers=np.abs(table.strikes)[codes] * known,
        releases=np.abs(table.releases)[codes] * known,
        hands=np.concatenate([np.empty(0, dtype=np.int64), *(p.played_hands for p in pieces)]),
        pitches=pitches,
        onsets=_times(pieces, "onsets"),
        ends=_times(pieces, "durations"),
        offsets=np.concatenate(([0], np.cumsum([len(p) for p in pieces], dtype=np.int64))),
    )


def _times(pieces: Sequence[Fingering], what: Literal["onsets", "durations"]) -> NDArray[np.float64]:
    """Return onsets, or when notes end: NaN where a piece has placeholders only."""
    times = [p.onsets if what == "onsets" else p.offsets for p in pieces]
    known = [np.full(len(p), np.nan) if what in p.lacking else t for p, t in zip(pieces, times, strict=True)]
    return np.concatenate([np.empty(0), *known])


@dataclass(frozen=True, slots=True)
class ViolationRate:
    """What breaks a rule, over what was judged."""

    @property
    def statistics(self) -> tuple[str, ...]:
        """Name the columns: what was judged, and how much broke each rule first."""
        return JUDGED

    def finalise(self, statistics: Statistics, /) -> Statistics:
        """Divide violations by what was judged."""
        return ratio(statistics[:, 1:].sum(axis=1), statistics[:, 0])

    def weight(self, statistics: Statistics, /) -> Statistics:
        """Return how much was judged."""
        return np.asarray(statistics[:, 0])

    def worst(self, statistics: Statistics, /) -> Statistics:
        """Break a rule with everything that is judged; the rules do not matter."""
        worst = np.zeros_like(statistics)
        worst[:, :2] = statistics[:, :1]
        return worst


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """What was judged, and what is wrong with it."""

    pieces: int  # number of pieces
    piece: Codes  # piece of each step or chord
    notes: Codes  # from and to; of a chord, the two notes that are wrong, or any two
    # fingers of these notes; of a step, the one that lets the first key go, and that which strikes
    fingers: Codes
    rules: Codes  # 0, or 1 to 4 for the first of :data:`RULES` that is broken

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
class _Lanes:
    """Notes hand by hand: all of one hand of one piece in order of time, then the next lane."""

    notes: Codes  # note numbers
    joined: Flags  # whether a note and the next one are of one lane
    heads: Flags  # whether a note begins a group
    single: Flags  # whether it is a group of its own


class Playability:
    """Judges pieces under any number of profiles."""

    def __init__(self, presses: KeyPresses, *, one_hand: bool = False) -> None:
        self._presses = presses
        self._hands = (RIGHT, LEFT, UNKNOWN) if one_hand else (RIGHT, LEFT)
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
        pairs, chords, places = self._chords
        fingers = self._presses.fingers[pairs]
        rules, spans = self._rules(pairs, fingers, limits)
        rules[(fingers[0] != fingers[1]) & (spans < 0)] = ORDER
        ranks = np.where(rules == 0, len(JUDGED), rules) * _PLACES + places
        worst = np.full(chords.max(initial=-1) + 1, _NO_RANK)
        np.minimum.at(worst, chords, ranks)
        found = np.flatnonzero(ranks == worst[chords])
        of_chord = np.empty_like(worst)
        of_chord[chords[found]] = found
        told = of_chord[worst < _NO_RANK]
        return self._judgement(pairs[:, told], fingers[:, told], rules[told])

    @property
    def judged(self) -> Flags:
        """Whether each note is of a step or a chord that is judged, shape (notes,)."""
        judged = np.zeros(len(self._presses.pitches), dtype=bool)
        judged[self._melodic[0]] = True
        judged[self._held[0]] = True
        return judged

    def _judged(self, steps: Codes, fingers: Codes, limits: Limits) -> Judgement:
        rules, _ = self._rules(steps, fingers, limits)
        return self._judgement(steps, fingers, rules)

    def _judgement(self, notes: Codes, fingers: Codes, rules: Codes) -> Judgement:
        return Judgement(len(self._presses), self._pieces[notes[1]], notes, fingers, rules)

    def _rules(self, pairs: Codes, fingers: Codes, limits: Limits) -> tuple[Codes, Codes]:
        presses = self._presses
        return judge_steps(limits, fingers, presses.pitches[pairs], presses.hands[pairs[1]])

    @cached_property
    def _in_order(self) -> Codes:
        presses = self._presses
        return consecutive_notes(presses.fingers, presses.hands, presses.offsets)

    @cached_property
    def _lanes(self) -> _Lanes:
        presses = self._presses
        timed = ~np.isnan(presses.onsets)
        of_hands = [np.flatnonzero(timed & (presses.hands == hand)) for hand in self._hands]
        notes = np.concatenate(of_hands)
        behind = np.repeat(np.arange(len(of_hands)) * len(presses), list(map(len, of_hands)))
        lanes = self._pieces[notes] + behind
        onsets = presses.onsets[notes]
        grace = presses.ends[notes] <= onsets  # an end that is NaN lasts
        joined = lanes[1:] == lanes[:-1]
        if grace.any() or (joined & (onsets[1:] < onsets[:-1])).any():
            order = np.lexsort((~grace, onsets, lanes))
            notes, onsets, grace = notes[order], onsets[order], grace[order]
        heads = _heads(joined, onsets, grace)
        return _Lanes(notes, joined, heads, heads & np.append(heads[1:], True)[: len(heads)])

    @cached_property
    def _melodic(self) -> tuple[Codes, Codes]:
        """Pairs of notes, and the fingers between which the hand moves."""
        presses, lanes = self._presses, self._lanes
        steps = np.flatnonzero(lanes.joined & lanes.single[1:] & lanes.single[:-1])
        begin, end = lanes.notes[steps], lanes.notes[steps + 1]
        released, struck = presses.releases[begin], presses.fingers[end]
        silence = presses.onsets[end] - presses.ends[begin]
        judged = np.flatnonzero((silence <= LEGATO_S + EXACT_S) & (released > 0) & (struck > 0))
        return np.stack((begin, end))[:, judged], np.stack((released, struck))[:, judged]

    @cached_property
    def _held(self) -> tuple[Codes, Codes, Codes]:
        """Fingered notes of chords of which at least two notes are fingered, their chords and fingers."""
        lanes = self._lanes
        together = np.flatnonzero(~lanes.single)
        notes, chords = lanes.notes[together], np.cumsum(lanes.heads[together]) - 1
        fingers = self._presses.fingers[notes]
        fingered = np.bincount(chords, weights=fingers > 0)
        held = np.flatnonzero((fingers > 0) & (fingered > 1)[chords])
        return notes[held], chords[held], fingers[held]

    @cached_property
    def _chords(self) -> tuple[Codes, Codes, Codes]:
        """Pairs of notes that tell whether a chord can be held, their chords, and the place of each there.

        For two fingers their nearest and their farthest keys, for one finger its outermost.
        """
        presses = self._presses
        notes, chords, fingers = self._held
        keys = np.where(presses.hands[notes] == LEFT, -presses.pitches[notes], presses.pitches[notes])
        order = np.argsort((6 * chords + fingers) * 512 + keys, kind="stable")  # keys are -127 to 127
        return _telling_pairs(notes[order], fingers[order], chords[order])


def _changes(numbers: Codes) -> Flags:
    changed = np.ones(len(numbers), dtype=bool)
    changed[1:] = numbers[1:] != numbers[:-1]
    return changed


def _heads(joined: Flags, onsets: Seconds, grace: Flags) -> Flags:
    """Tell which notes begin a group, of notes sorted by lane and onset."""
    limit = CHORD_S + EXACT_S
    heads = np.ones(len(onsets), dtype=bool)
    heads[1:] = ~joined | grace[1:] | grace[:-1] | (np.diff(onsets) > limit)
    begins = np.flatnonzero(heads)
    ends = np.append(begins, len(heads))[1:]
    for run in np.flatnonzero(onsets[ends - 1] - onsets[begins] > limit):  # rolled on and on: rare
        begin = int(begins[run])
        times = onsets[begin : ends[run]].tolist()
        anchor = times[0]
        for note, time in enumerate(times, begin):
            if time - anchor > limit:
                heads[note] = True
                anchor = time
    return heads


def _telling_pairs(notes: Codes, fingers: Codes, chords: Codes) -> tuple[Codes, Codes, Codes]:
    """Return pairs of notes, their chords, and their places within these.

    Notes are sorted by chord, finger and key. Of a chord, pairs of one finger have the first places, then the
    nearest keys of two fingers, then their farthest where these are others.
    """
    starts = np.flatnonzero(_changes(6 * chords + fingers))
    lowest, highest = notes[starts], notes[np.append(starts, len(notes))[1:] - 1]
    chords, fingers = chords[starts], fingers[starts]
    several = lowest != highest
    both = np.flatnonzero(several)
    found = [(lowest[both], highest[both], chords[both], fingers[both])]
    for apart in range(1, 5):
        one = np.flatnonzero(chords[apart:] == chords[:-apart])
        other = one + apart
        place = 6 * fingers[one] + fingers[other]
        found.append((highest[one], lowest[other], chords[one], place + 6))
        farther = np.flatnonzero(several[one] | several[other])
        one, other, place = one[farther], other[farther], place[farther]
        found.append((lowest[one], highest[other], chords[one], place + _PLACES // 2))
    begin, end, chord, place = (np.concatenate(column) for column in zip(*found, strict=True))
    return np.stack((begin, end)), chord, place
