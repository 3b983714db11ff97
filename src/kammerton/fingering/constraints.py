# SPDX-License-Identifier: MIT
"""What one hand cannot do from one key to the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Codes, sequence_of_rows
from kammerton.errors import OptionError
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN
from kammerton.fingering.arguments import Hands, as_fingers, as_hands, as_pitches, check_lengths
from kammerton.fingering.labels import Hand
from kammerton.fingering.match_rates import hands_of_labels
from kammerton.fingering.profiles import Profile, profile_named

__all__ = [
    "RULES",
    "BiomechanicalConstraints",
    "Limits",
    "Rule",
    "SkillLevel",
    "Violation",
    "consecutive_notes",
    "hands_or_signs",
    "judge_steps",
    "limits_of",
]

Integers = Sequence[int] | Sequence[int | None] | NDArray[np.integer]

RULES = ("same_finger", "order", "large_span", "small_span")
"""Rules that a step or a chord may break, the first that applies first; 0 is none, 1 to 4 are these."""

SAME_FINGER, ORDER, LARGE_SPAN, SMALL_SPAN = range(1, 5)

Rule = Literal["same_finger", "crossing", "stretch"]

SkillLevel = Literal["beginner", "intermediate", "advanced"]
SKILL_LEVELS: tuple[SkillLevel, ...] = get_args(SkillLevel)

_TENTHS: Mapping[SkillLevel, int] = MappingProxyType({"beginner": 8, "intermediate": 10, "advanced": 12})

SLIDE = 2
"""Semitones that one finger may move from key to key."""


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


@dataclass(frozen=True, slots=True)
class Violation:
    """A step from one note to the next that a hand cannot make."""

    note_index: int  # index of the second note
    rule: Rule  # what is wrong
    description: str  # the same in words
    # above 0, at most 1: of a stretch the semitones beyond the limit / 12, of one finger its way in semitones
    # / 12, of a crossing 1
    severity: float
    hand: Hand | None  # which hand, if known


def hands_or_signs(fingers: Codes, hands: Hands | None) -> Codes:
    """Return the hands given, else those that signs tell, else -1 for all.

    Without a negative finger there are no signs: all notes are of one hand that is not known.
    """
    if hands is not None:
        return as_hands(hands)
    return hands_of_labels(fingers) if (fingers < 0).any() else np.full(len(fingers), UNKNOWN)


class BiomechanicalConstraints:
    """Rules that consecutive notes of a hand obey, in the order given.

    Parameters
    ----------
    profile : str or Profile
        Span table: ``"pianovam"`` or another of :data:`~kammerton.fingering.profiles.PROFILES`, or one
        of your own.
    skill_level : {"beginner", "intermediate", "advanced"}
        Multiplies the largest spans by 0.8, 1.0 or 1.2; fractions are cut off.
    strict : bool
        Whether one finger on another key is always wrong, not only beyond 2 semitones.

    Raises
    ------
    OptionError
        If there is no such profile or skill level.

    Notes
    -----
    Fingers are 1 to 5, or signed (negative in the left hand), or 0 or None where missing. Hands are
    ``"R"`` and ``"L"``, ``"right"`` and ``"left"``, or 0 and 1. Without hands the signs of the fingers
    decide; without signs one hand is assumed, and crossings are not judged.

    Examples
    --------
    >>> constraints = BiomechanicalConstraints()
    >>> violations = constraints.validate_sequence([1, 3, 4], [60, 64, 62], ["R", "R", "R"])
    >>> [(found.note_index, found.rule) for found in violations]
    [(2, 'crossing')]
    >>> constraints.suggest_correction([1, 3, 4], [60, 64, 62], 2, ["R", "R", "R"])
    2
    """

    def __init__(
        self,
        profile: str | Profile = "pianovam",
        skill_level: SkillLevel = "intermediate",
        strict: bool = False,
    ) -> None:
        self.limits: Limits = limits_of(profile, skill_level, strict=strict)

    def validate_sequence(
        self, fingers: Integers, pitches: Integers, hands: Hands | None = None
    ) -> list[Violation]:
        """Return what is wrong, at most one violation for each note.

        Parameters
        ----------
        fingers, pitches : sequence of int
            Fingers, and MIDI numbers.
        hands : sequence, optional
            Hands.

        Raises
        ------
        DataError
            If they are not what they should be, or differ in length (KT380 to KT383).
        """
        numbers, keys, of_hand = _columns(fingers, pitches, hands)
        steps = _steps(numbers, of_hand)
        rules, spans = judge_steps(self.limits, np.abs(numbers[steps]), keys[steps], of_hand[steps[1]])
        return [
            self._violation(int(rules[step]), int(spans[step]), steps[:, step], numbers, keys, of_hand)
            for step in np.flatnonzero(rules)
        ]

    def valid_fingers(
        self, finger: int, pitch: int, next_pitch: int, hand: str | int | None = None
    ) -> list[int]:
        """Return the fingers that may follow on another note of the same hand.

        Parameters
        ----------
        finger, pitch : int
            What was played.
        next_pitch : int
            What is to be played.
        hand : {"R", "L", "right", "left", 0, 1}, optional
            The hand; without it the sign of ``finger``, if negative.

        Returns
        -------
        list of int
            Of 1 to 5, without sign.

        Raises
        ------
        OptionError
            If ``finger`` is 0.
        DataError
            As :meth:`validate_sequence`.
        """
        numbers, keys, of_hand = _columns([finger], [pitch], None if hand is None else [hand])
        if numbers[0] == 0:
            raise OptionError("no finger to go on from")
        fingers = np.stack((np.repeat(np.abs(numbers), 5), np.arange(1, 6)))
        keys = np.stack((keys, as_pitches([next_pitch])))
        rules, _ = judge_steps(self.limits, fingers, np.repeat(keys, 5, axis=1), np.repeat(of_hand, 5))
        return [int(finger) for finger in fingers[1, rules == 0]]

    def suggest_correction(
        self, fingers: Integers, pitches: Integers, note_index: int, hands: Hands | None = None
    ) -> int | None:
        """Return the finger nearest to the one given that makes both steps of a note legal.

        One that need not slide to another key or from it goes before one that must.

        Parameters
        ----------
        fingers, pitches, hands
            As in :meth:`validate_sequence`.
        note_index : int
            The note.

        Returns
        -------
        int or None
            With the sign of the finger given; None if no finger will do.

        Raises
        ------
        OptionError
            If there is no such note.
        DataError
            As :meth:`validate_sequence`.
        """
        numbers, keys, of_hand = _columns(fingers, pitches, hands)
        if not 0 <= note_index < len(numbers):
            raise OptionError(f"no note {note_index} among {len(numbers)}")
        given = int(numbers[note_index])
        legal = []
        for finger in range(1, 6):
            numbers[note_index] = finger
            steps = _steps(numbers, of_hand)
            steps = steps[:, (steps == note_index).any(axis=0)]
            fingers_of, keys_of = np.abs(numbers[steps]), keys[steps]
            rules, _ = judge_steps(self.limits, fingers_of, keys_of, of_hand[steps[1]])
            slides = bool(((fingers_of[0] == fingers_of[1]) & (keys_of[0] != keys_of[1])).any())
            if not rules.any():
                legal.append((slides, abs(finger - abs(given)), finger))
        return min(legal)[2] * (-1 if given < 0 else 1) if legal else None

    def _violation(
        self, rule: int, span: int, step: Codes, numbers: Codes, keys: Codes, of_hand: Codes
    ) -> Violation:
        low, high = sorted(np.abs(numbers[step]).tolist())
        limits = self.limits
        unit = "semitones" if limits.profile.distance == "semitones" else "steps"
        least, most = int(limits.least[low, high]), int(limits.most[low, high])
        name: Rule = "stretch"
        if rule == SAME_FINGER:
            way = abs(int(keys[step[1]] - keys[step[0]]))
            name, severity = "same_finger", way / 12
            description = f"finger {low} goes {way} semitones to another key"
        elif rule == ORDER:
            name, severity = "crossing", 1.0
            allowed = f"by more than {-least}" if least < 0 else "at all"
            description = f"fingers {low} and {high} may not cross {allowed}: {-span} {unit}"
        elif rule == LARGE_SPAN:
            severity = (span - most) / 12
            description = f"fingers {low} and {high} span at most {most} {unit}, not {span}"
        else:
            severity = (least - span) / 12
            description = f"fingers {low} and {high} span at least {least} {unit}, not {span}"
        hands: Mapping[int, Hand] = {RIGHT: "right", LEFT: "left"}
        return Violation(
            int(step[1]), name, description, min(1.0, severity), hands.get(int(of_hand[step[1]]))
        )


def _columns(fingers: Integers, pitches: Integers, hands: Hands | None) -> tuple[Codes, Codes, Codes]:
    numbers, keys = as_fingers(fingers), as_pitches(pitches)
    of_hand = hands_or_signs(numbers, hands)
    check_lengths({"fingers": len(numbers), "pitches": len(keys), "hands": len(of_hand)})
    return numbers, keys, of_hand


def _steps(numbers: Codes, of_hand: Codes) -> Codes:
    return consecutive_notes(numbers, of_hand, np.array([0, len(numbers)]))
