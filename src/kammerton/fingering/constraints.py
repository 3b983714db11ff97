# SPDX-License-Identifier: MIT
"""What one hand cannot do from one key to the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kammerton.arrays import Codes
from kammerton.errors import OptionError
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN
from kammerton.fingering.judging import (
    LARGE_SPAN,
    ORDER,
    SAME_FINGER,
    Limits,
    SkillLevel,
    consecutive_notes,
    judge_steps,
    limits_of,
)
from kammerton.fingering.labels import Hand
from kammerton.fingering.match_rates import hands_of_labels
from kammerton.fingering.metrics import Hands, Integers, as_fingers, as_hands, as_pitches, check_lengths
from kammerton.fingering.profiles import Profile

Rule = Literal["same_finger", "crossing", "stretch"]


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
    """Check columns; without hands, signs of fingers are those of hands, if there are any."""
    numbers, keys = as_fingers(fingers), as_pitches(pitches)
    if hands is not None:
        of_hand = as_hands(hands)
    else:
        of_hand = hands_of_labels(numbers) if (numbers < 0).any() else np.full(len(numbers), UNKNOWN)
    check_lengths({"fingers": len(numbers), "pitches": len(keys), "hands": len(of_hand)})
    return numbers, keys, of_hand


def _steps(numbers: Codes, of_hand: Codes) -> Codes:
    return consecutive_notes(numbers, of_hand, np.array([0, len(numbers)]))
