# SPDX-License-Identifier: MIT
"""Places of a fingering that no hand can play: which notes, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from kammerton.errors import Diagnostic, out_of, plural, quote
from kammerton.fingering.annotation import LEFT, MISSING, RIGHT, Fingering
from kammerton.fingering.columns import key_presses
from kammerton.fingering.constraints import RULES, Limits, judge_steps, limits_of
from kammerton.fingering.options import FingeringOptions
from kammerton.fingering.pitch import spell
from kammerton.fingering.playability import Judgement, KeyPresses, Playability
from kammerton.fingering.profiles import PROFILES

__all__ = ["Findings", "Spot", "find_spots", "finger_name", "key_name", "lint"]

LISTED = 20
"""Places of one kind that are listed one by one; the rest is counted."""

Kind = Literal["step", "chord"]

_LETTERS = {RIGHT: "R", LEFT: "L"}


@dataclass(frozen=True, slots=True)
class Spot:
    """Two notes of a hand that cannot be played as they are fingered.

    Parameters
    ----------
    kind : {"step", "chord"}
        Whether one leads to the other, or both are struck together.
    first, second : int
        Indices of the notes.
    fingers : (str, str)
        Such as ``"R3"``.
    rule : str
        One of :data:`~kammerton.fingering.constraints.RULES`.
    reason : str
        What is wrong, in words.
    """

    kind: Kind
    first: int
    second: int
    fingers: tuple[str, str]
    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class Findings:
    """What a profile says of a fingering.

    Parameters
    ----------
    spots : tuple of Spot
        In order of time.
    steps, chords : int
        How many were judged.
    unjudged : int
        Notes that are of neither.
    """

    spots: tuple[Spot, ...]
    steps: int
    chords: int
    unjudged: int

    def count(self, kind: Kind) -> int:
        """Return how many steps or chords cannot be played."""
        return sum(spot.kind == kind for spot in self.spots)


def find_spots(fingering: Fingering, limits: Limits) -> Findings:
    """Judge a fingering as the protocol ``playability`` does, and notes of no known hand as those of one.

    Parameters
    ----------
    fingering : Fingering
        The notes and their fingers.
    limits : Limits
        What a hand can do.
    """
    presses = key_presses([fingering])
    judge = Playability(presses, one_hand=True)
    steps, chords = judge.melodic(limits), judge.chords(limits)
    spots = [*_spots("step", steps, presses, limits), *_spots("chord", chords, presses, limits)]
    spots.sort(key=lambda spot: (fingering.onsets[spot.second], spot.second, spot.first))
    unjudged = len(fingering) - int(judge.judged.sum())
    return Findings(tuple(spots), len(steps.rules), len(chords.rules), unjudged)


def _spots(kind: Kind, judgement: Judgement, presses: KeyPresses, limits: Limits) -> Iterator[Spot]:
    pairs, rules = judgement.places, judgement.rules[judgement.rules > 0]
    played = judgement.fingers[:, judgement.rules > 0]
    hands = presses.hands[pairs[1]]
    _, spans = judge_steps(limits, played, presses.pitches[pairs], hands)
    columns = (pairs.T.tolist(), played.T.tolist(), hands.tolist(), rules.tolist(), spans.tolist())
    for notes, fingers, hand, rule, span in zip(*columns, strict=True):
        if kind == "chord" and notes[0] > notes[1]:
            notes.reverse()
            fingers.reverse()
        letter = _LETTERS.get(hand, "")
        first, second = (f"{letter}{finger}" for finger in fingers)
        name = RULES[rule - 1]
        if name == "same_finger":
            way = abs(int(presses.pitches[notes[1]] - presses.pitches[notes[0]]))
            what = "spans" if kind == "chord" else "moves"
            reason = f"finger {fingers[0]} {what} {way} semitones, at most {limits.slide}"
        else:
            reason = _reason(kind, name, span, sorted(fingers), limits)
        yield Spot(kind, notes[0], notes[1], (first, second), name, reason)


def _reason(kind: Kind, rule: str, span: int, fingers: list[int], limits: Limits) -> str:
    low, high = fingers
    unit = "semitone" if limits.profile.distance == "semitones" else "unit"
    far = plural(abs(span), unit)
    if rule == "order":
        least = int(limits.least[low, high])
        if kind == "chord" or least > 0:
            return f"fingers {low} and {high} are crossed"
        return f"fingers {low} and {high} cross by {far}, at most {-least}"
    if rule == "large_span":
        return f"fingers {low} and {high} span {far}, at most {limits.most[low, high]}"
    return f"fingers {low} and {high} span {far}, at least {limits.least[low, high]}"


def key_name(fingering: Fingering, note: int) -> str:
    """Return the spelled pitch of a note, or ``"?"`` if it is not known."""
    pitch = int(fingering.pitches[note])
    return "?" if pitch < 0 else spell(pitch)


def finger_name(label: str) -> str:
    """Return a label as people read it, with its hand: ``"R3"``, ``"L4-1"``, or ``"none"``.

    Examples
    --------
    >>> finger_name("4_1"), finger_name("-2_-1"), finger_name("-2_1"), finger_name("")
    ('R4-1', 'L2-1', 'L2-R1', 'none')
    """
    if not label:
        return "none"
    parts, before = [], ""
    for part in label.split("_"):
        hand = "L" if part.startswith("-") else "R"
        parts.append((hand if hand != before and part else "") + part.removeprefix("-"))
        before = hand if part else before
    return "-".join(parts)


def lint(fingering: Fingering, options: FingeringOptions) -> tuple[Diagnostic, ...]:
    """Say what no hand can play, twenty places of each kind.

    Parameters
    ----------
    fingering : Fingering
        What is looked through.
    options : FingeringOptions
        Its profile decides.

    Returns
    -------
    tuple of Diagnostic
        Warnings, at the line of the second note if there is a file: KT390 one finger on two keys of a
        chord, KT391 a step, KT392 a chord; and a note, KT393, of how much could not be judged.
    """
    profile = options.span_table()
    said: Counter[str] = Counter()
    found = []
    findings = find_spots(fingering, limits_of(profile))
    elsewhere = _places_by_profile(fingering) if findings.spots else {}
    for spot in findings.spots:
        code = "KT391" if spot.kind == "step" else "KT390" if spot.rule == "same_finger" else "KT392"
        said[code] += 1
        if said[code] <= LISTED:
            allowing = [name for name, places in elsewhere.items() if _place(spot) not in places]
            found.append(_diagnose(code, spot, fingering, _hint(code, profile.name, allowing)))
    for code, count in said.items():
        if count > LISTED:
            rest = count - LISTED
            message = f"and {rest:,} more like these"
            found.append(Diagnostic(code=code, severity="warning", message=message, count=rest))
    if findings.unjudged:
        found.append(_unjudged(findings.unjudged, fingering))
    return tuple(found)


def _unjudged(count: int, fingering: Fingering) -> Diagnostic:
    bare = fingering.labels.count(MISSING)
    keyless = int(((fingering.pitches < 0) & (fingering.codes != 0)).sum())
    why = (
        (bare, "without finger"),
        (keyless, "without pitch"),
        (count - bare - keyless, "between rests, chords or notes without finger"),
    )
    told = " and ".join(f"{each:,} {what}" for each, what in why if each)
    message = f"{out_of(count, len(fingering), 'note')} not judged: {told}"
    return Diagnostic(code="KT393", severity="note", message=message, count=count)


def _places_by_profile(fingering: Fingering) -> dict[str, set[tuple[Kind, int, int]]]:
    """Return where a hand cannot play, by the name of each profile."""
    return {
        name: {_place(spot) for spot in find_spots(fingering, limits_of(name)).spots} for name in PROFILES
    }


def _place(spot: Spot) -> tuple[Kind, int, int]:
    return spot.kind, spot.first, spot.second


def _hint(code: str, profile: str, allowing: Sequence[str]) -> str:
    """Return by what is judged, and a profile that allows it, if one does."""
    if code == "KT390":
        return "one finger can hold two keys if they are neighbours"
    if allowing:
        return f"by the profile {quote(profile)}; --profile {allowing[0]} allows it"
    return f"by the profile {quote(profile)}, as by the others"


def _diagnose(code: str, spot: Spot, fingering: Fingering, hint: str) -> Diagnostic:
    first, second = (
        f"note {note + 1} ({key_name(fingering, note)}, {finger})"
        for note, finger in zip((spot.first, spot.second), spot.fingers, strict=True)
    )
    joint = "to" if spot.kind == "step" else "with"
    return Diagnostic(
        code=code,
        severity="warning",
        message=f"{first} {joint} {second} at {fingering.moment(spot.second)}: {spot.reason}",
        line=None if fingering.line_of is None else fingering.line_of(spot.second),
        hint=hint,
    )
