# SPDX-License-Identifier: MIT
"""Places of a fingering that no hand can play: which notes, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Literal

import numpy as np

from kammerton.errors import Diagnostic, out_of, plural, quote
from kammerton.fingering.annotation import LEFT, MISSING, RIGHT, Fingering, spell
from kammerton.fingering.formats.notes import FingeringOptions
from kammerton.fingering.judging import (
    PROFILES,
    RULES,
    Judgement,
    KeyPresses,
    Playability,
    SpanLimits,
    judge_steps,
    key_presses,
    limits_of,
)
from kammerton.fingering.match_rates import FingerColumns
from kammerton.formats.reading import MOST_LISTED
from kammerton.model.task import ClassKey, ClassTable, class_table

Kind = Literal["step", "chord"]
_LETTERS = {RIGHT: "R", LEFT: "L"}


@dataclass(frozen=True, slots=True)
class Spot:
    """Two notes of a hand that cannot be played as they are fingered."""

    kind: Kind  # whether one leads to the other, or both are struck together
    # first, second: indices of the notes
    first: int
    second: int
    fingers: tuple[str, str]  # such as ``"R3"``
    rule: str  # one of :data:`~kammerton.fingering.judging.RULES`
    reason: str  # what is wrong, in words

    @property
    def place(self) -> tuple[Kind, int, int]:
        """Where it is."""
        return self.kind, self.first, self.second


@dataclass(frozen=True, slots=True)
class Findings:
    """What a profile says of a fingering."""

    spots: tuple[Spot, ...]  # in order of time
    # steps, chords: how many were judged
    steps: int
    chords: int
    unjudged: int  # notes that are of neither

    def count(self, kind: Kind) -> int:
        """Return how many steps or chords cannot be played."""
        return sum(spot.kind == kind for spot in self.spots)


def find_spots(fingering: Fingering, limits: SpanLimits) -> Findings:
    """Judge a fingering as the protocol ``playability`` does, and notes of no known hand as those of one."""
    presses = key_presses([fingering])
    judge = Playability(presses, one_hand=True)
    steps, chords = judge.melodic(limits), judge.chords(limits)
    spots = [*_spots("step", steps, presses, limits), *_spots("chord", chords, presses, limits)]
    spots.sort(key=lambda spot: (fingering.onsets[spot.second], spot.second, spot.first))
    unjudged = len(fingering) - int(judge.judged.sum())
    return Findings(tuple(spots), len(steps.rules), len(chords.rules), unjudged)


def _spots(kind: Kind, judgement: Judgement, presses: KeyPresses, limits: SpanLimits) -> Iterator[Spot]:
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


def _reason(kind: Kind, rule: str, span: int, fingers: list[int], limits: SpanLimits) -> str:
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
    """Say what no hand can play, twenty places of each kind."""
    profile, listed = options.span_table(), MOST_LISTED.get()
    counts: Counter[str] = Counter()
    diagnostics = []
    findings = find_spots(fingering, limits_of(profile))
    elsewhere = {
        name: {spot.place for spot in find_spots(fingering, limits_of(name)).spots}
        for name in (PROFILES if findings.spots else ())
    }
    for spot in findings.spots:
        code = "KT391" if spot.kind == "step" else "KT390" if spot.rule == "same_finger" else "KT392"
        counts[code] += 1
        if counts[code] <= listed:
            allowing = [name for name, places in elsewhere.items() if spot.place not in places]
            diagnostics.append(_diagnose(code, spot, fingering, _hint(code, profile.name, allowing)))
    for code, count in counts.items():
        if count > listed:
            message, rest = f"and {count - listed:,} more like these", count - listed
            diagnostics.append(Diagnostic(code=code, severity="warning", message=message, count=rest))
    if findings.unjudged:
        diagnostics.append(_unjudged(findings.unjudged, fingering))
    return tuple(diagnostics)


def _unjudged(count: int, fingering: Fingering) -> Diagnostic:
    bare = fingering.labels.count(MISSING)
    keyless = int(((fingering.pitches < 0) & (fingering.codes != 0)).sum())
    why = (
        (bare, "without finger"),
        (keyless, "without pitch"),
        (count - bare - keyless, "between rests, chords or notes without finger"),
    )
    reasons = " and ".join(f"{notes:,} {what}" for notes, what in why if notes)
    message = f"{out_of(count, len(fingering), 'note')} not judged: {reasons}"
    return Diagnostic(code="KT393", severity="note", message=message, count=count)


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


_SILENT = "without any finger, left out of every protocol"
_LEFT_OUT = "left out for notes without a finger"
_AS_THEY_ARE = "scored with notes without a finger, as nobody labelled every note"
_UNPREDICTED = "no finger from the system"
_RISE = 0.25
"""By how much an accuracy must rise before it is no accident."""
_LEAST = 0.5
"""Accuracy from which on labels are taken for those that were meant."""
_ENOUGH = 20
"""Notes below which labels may fit otherwise by chance."""
_HANDS = {"R": "L", "L": "R"}


def unlabelled_table(columns: FingerColumns, *, complete: bool) -> ClassTable:
    """Count annotators who left notes unlabelled, and notes that estimates left so, and their items."""
    counts = {_UNPREDICTED: columns.unpredicted, _SILENT: columns.silent}
    if complete:
        counts |= {_LEFT_OUT: columns.left_out, _AS_THEY_ARE: columns.lacking}
    rows: list[tuple[int, ClassKey, float]] = []
    for group in np.unique(columns.groups).tolist():
        for fate, notes in counts.items():
            of_group = notes[columns.groups == group]
            if of_group.any():
                what = "notes" if fate == _UNPREDICTED else "annotators"
                rows.append((group, (fate, what), float(of_group.sum())))
                rows.append((group, (fate, "items"), float(np.count_nonzero(of_group))))
    return class_table("unlabelled", ("fate", "what"), "count", rows)


def remark(tables: Mapping[str, Mapping[ClassKey, float]]) -> Iterator[Diagnostic]:
    """Say what the class tables of a system tell."""
    yield from _unlabelled(tables.get("unlabelled", {}))
    yield from _misread(tables.get("confusion", {}))


def _unlabelled(cells: Mapping[ClassKey, float]) -> Iterator[Diagnostic]:
    for fate in dict.fromkeys(fate for fate, _ in cells):
        items = plural(round(cells[fate, "items"]), "item")
        if fate == _UNPREDICTED:
            notes = plural(round(cells[fate, "notes"]), "note")
            message = f"{fate}: {notes} of {items}, which count as wrong"
            yield Diagnostic(code="KT379", severity="note", message=message)
            continue
        message = f"{plural(round(cells[fate, 'annotators']), 'fingering')} of {items} {fate}"
        if fate == _SILENT:
            yield Diagnostic(code="KT374", severity="warning", message=message)
        else:
            yield Diagnostic(code="KT374", severity="note", message=f"nakamura2020: {message}")


def _misread(cells: Mapping[ClassKey, float]) -> Iterator[Diagnostic]:
    """Tell an estimate whose hands are swapped, or whose fingers are counted from elsewhere."""
    labelled = {(str(ref), str(est)): notes for (ref, est), notes in cells.items() if ref != "missing"}
    total = sum(labelled.values())
    if total < _ENOUGH:
        return
    rates = {
        what: sum(notes for (ref, est), notes in labelled.items() if meant(est) == ref) / total
        for what, meant in _MEANT.items()
    }
    real = rates.pop("")
    what, best = max(rates.items(), key=itemgetter(1))
    if best >= max(_LEAST, real + _RISE):
        message = f"accuracy rises from {real:.2f} to {best:.2f} {what}"
        hint = "channels, signs and numbers of fingers may be those of another encoding"
        yield Diagnostic(code="KT378", severity="warning", message=message, hint=hint)


def _swapped(label: str) -> str:
    return _HANDS.get(label[0], "") + label[1:]


def _moved(label: str, step: int) -> str:
    """Return the finger that is ``step`` further from the thumb."""
    return f"{label[0]}{int(label[1]) + step}" if label[0] in _HANDS else label


_MEANT: Mapping[str, Callable[[str], str]] = {
    "": str,
    "if the hands of the estimate are swapped": _swapped,
    "if every finger of the estimate is one higher": partial(_moved, step=1),
    "if every finger of the estimate is one lower": partial(_moved, step=-1),
}
"""What labels of an estimate may have been meant as."""
