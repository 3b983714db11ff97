# SPDX-License-Identifier: MIT
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kammerton.fingering.annotation import Fingering
from kammerton.fingering.judging import (
    JUDGED,
    ORDER,
    PROFILES,
    Judgement,
    KeyPresses,
    Playability,
    SpanLimits,
    key_presses,
    limits_of,
)

CASES = json.loads((Path(__file__).parents[2] / "cases" / "fingering.json").read_text())["ifr"]

PARNCUTT = limits_of("parncutt1997")


class Note(NamedTuple):
    hand: int
    finger: int
    pitch: int
    onset: float
    end: float


def parsed(text: str) -> list[Note]:
    """Read `R1:60@0-0.5`: hand, finger, pitch, onset and end, which is else a second later."""
    notes = []
    for token in text.split():
        hand, finger, pitch, onset, end = re.fullmatch(
            r"([RL])(\d):(\d+)@([\d.]+)(?:-([\d.]+))?", token
        ).groups()  # type: ignore[union-attr]
        start = float(onset)
        notes.append(Note("RL".index(hand), int(finger), int(pitch), start, float(end or start + 1)))
    return notes


def presses(*pieces: Sequence[Note]) -> KeyPresses:
    notes = [note for piece in pieces for note in piece]
    columns = list(zip(*notes, strict=True)) or [()] * 5
    hands, fingers, pitches = (np.array(column, dtype=np.int64) for column in columns[:3])
    onsets, ends = (np.array(column, dtype=np.float64) for column in columns[3:])
    offsets = np.concatenate(([0], np.cumsum([len(piece) for piece in pieces], dtype=np.int64)))
    return KeyPresses(fingers, fingers, hands, pitches, onsets, ends, offsets)


def play(text: str) -> Playability:
    return Playability(presses(parsed(text)))


def quotient(judged: Judgement) -> str:
    total, *broken = judged.statistics[0].astype(int)
    return f"{sum(broken)}/{total}"


def broken(judged: Judgement) -> dict[str, int]:
    return {name: int(count) for name, count in zip(JUDGED, judged.statistics[0], strict=True) if count}


# --- the cases of the specification ----------------------------------------------------------

CHANGED = {"I05": "1/1", "I06": "1/1", "I15": "0/2"}
"""Crossings are judged, and each hand by itself."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_cases(case: dict[str, str]) -> None:
    played = play(case["notes"])
    assert quotient(played.melodic(PARNCUTT)) == case["melodic"]
    assert quotient(played.chords(PARNCUTT)) == case["chord"]
    expected = CHANGED.get(case["id"], case["original_snippet"])
    assert quotient(played.in_order(limits_of("pianovam"))) == expected


# --- rules -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("notes", "rule"),
    [
        ("R2:60@0 R2:63@1", "same_finger"),
        ("R3:64@0 R4:62@1", "order"),
        ("L4:62@0 L3:60@1", "order"),
        ("R1:60@0 R2:54@1", "order"),  # thumb passed by 6, at most 5
        ("R2:60@0 R5:61@1", "small_span"),  # at least 2
        ("L5:60@0 L2:61@1", "small_span"),
        ("R4:60@0 R5:66@1", "large_span"),
        ("L5:60@0 L4:66@1", "large_span"),
    ],
)
def test_rules_of_steps(notes: str, rule: str) -> None:
    judged = play(notes).melodic(PARNCUTT)
    assert broken(judged) == {"judged": 1, rule: 1}
    assert judged.places.tolist() == [[0], [1]]


@pytest.mark.parametrize(
    ("notes", "rule", "places"),
    [
        ("R1:60@0 R4:67@0 R1:63@0", "same_finger", [0, 2]),
        ("R3:60@0 R5:67@0 R1:64@0", "order", [0, 2]),
        ("L1:60@0 L5:67@0", "order", [0, 1]),  # seen by the right hand: finger 1 above finger 5
        ("R2:60@0 R3:66@0 R5:67@0", "large_span", [0, 1]),
        ("R2:60@0 R5:61@0", "small_span", [0, 1]),
        # of several pairs that break it, the lower fingers, and the nearest keys of two
        ("R2:60@0 R3:66@0 R4:72@0", "large_span", [0, 1]),
        ("R1:60@0 R1:62@0 R2:80@0", "large_span", [1, 2]),
        # one thumb on two keys: 2 is near enough to the upper one, 11 above the lower one
        ("R1:60@0 R1:62@0 R2:71@0", "large_span", [0, 2]),
        # the order of rules, whatever the fingers
        ("R1:60@0 R2:71@0 R3:73@0 R3:76@0", "same_finger", [2, 3]),
    ],
)
def test_rules_of_chords(notes: str, rule: str, places: list[int]) -> None:
    judged = play(notes).chords(PARNCUTT)
    assert broken(judged) == {"judged": 1, rule: 1}
    assert sorted(judged.places[:, 0].tolist()) == places


# --- groups ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("onsets", "chords"),
    [
        ((0, 0.03), 1),
        ((1.0, 1.03), 1),  # 1.03 - 1.0 > 0.03 in binary
        ((0, 0.0301), 0),
        ((0, 0.02, 0.04), 1),  # 0.04 begins anew: the anchor is the first note
        ((0, 0.02, 0.04, 0.06), 2),
        ((0, 0.02, 0.04, 0.06, 0.08, 0.1), 3),
    ],
)
def test_groups_are_anchored_at_their_first_note(onsets: tuple[float, ...], chords: int) -> None:
    notes = " ".join(f"R1:60@{onset}" for onset in onsets)
    assert play(notes).chords(PARNCUTT).statistics[0, 0] == chords


def test_silence_and_legato() -> None:
    assert quotient(play("R1:60@0-1 R2:62@1.05").melodic(PARNCUTT)) == "0/1"
    assert quotient(play("R1:60@0-1 R2:62@1.06").melodic(PARNCUTT)) == "0/0"
    assert quotient(play("R1:60@0-9 R2:62@1").melodic(PARNCUTT)) == "0/1"  # held on
    unknown = replace(presses(parsed("R1:60@0 R2:62@1 R3:64@2")), ends=np.array([np.nan, 2, 3]))
    assert Playability(unknown).melodic(PARNCUTT).notes.tolist() == [[1], [2]]


def test_notes_without_finger() -> None:
    played = play("R1:60@0 R0:62@1 R3:64@2 R4:65@3")
    assert played.melodic(PARNCUTT).notes.tolist() == [[2], [3]]
    assert played.in_order(PARNCUTT).notes.tolist() == [[2], [3]]
    # of a chord, what is fingered is judged
    assert quotient(play("R3:60@0 R0:62@0 R1:64@0").chords(PARNCUTT)) == "1/1"
    assert quotient(play("R3:60@0 R0:62@0").chords(PARNCUTT)) == "0/0"
    assert quotient(play("R3:60@0 R0:62@0 R3:61@1").melodic(PARNCUTT)) == "0/0"


# --- many pieces -----------------------------------------------------------------------------

notes_of_a_piece = st.lists(
    st.builds(
        Note,
        st.integers(0, 1),
        st.integers(0, 5),
        st.integers(55, 72),
        st.sampled_from([0, 0.02, 0.04, 1, 1.02, 2, 3]),
        st.sampled_from([0, 1, 2, 2.9, 4]),
    ).filter(lambda note: note.end >= note.onset),
    max_size=9,
    unique_by=lambda note: (note.hand, note.pitch),
)

LIMITS = [limits_of(profile) for profile in PROFILES.values()]
KERNELS = (Playability.in_order, Playability.melodic, Playability.chords)


@given(st.lists(notes_of_a_piece, max_size=4), st.sampled_from(LIMITS))
def test_a_batch_is_its_pieces(pieces: list[list[Note]], limits: SpanLimits) -> None:
    together = Playability(presses(*pieces))
    alone = [Playability(presses(piece)) for piece in pieces]
    for kernel in KERNELS:
        expected = [kernel(piece, limits).statistics[0].tolist() for piece in alone]
        assert kernel(together, limits).statistics.tolist() == expected


def groups_of(notes: list[Note]) -> list[list[Note]]:
    groups: list[list[Note]] = []
    for note in sorted(notes, key=lambda note: (note.onset, note.end > note.onset)):
        grace = note.end == note.onset
        anchor = groups[-1][0] if groups else None
        if anchor is None or grace or anchor.end == anchor.onset or note.onset - anchor.onset > 0.0300001:
            groups.append([])
        groups[-1].append(note)
    return groups


def span(first: Note, second: Note) -> int:
    low, high = sorted((first, second), key=lambda note: note.finger)
    return (high.pitch - low.pitch) * (-1 if first.hand else 1)


def breaks(first: Note, second: Note, *, chord: bool) -> bool:
    if first.finger == second.finger:
        return abs(first.pitch - second.pitch) > 2
    pair = tuple(sorted((first.finger, second.finger)))
    least, most = PARNCUTT.least[pair], PARNCUTT.most[pair]
    if first.pitch == second.pitch:
        return False
    return bool(not least <= span(first, second) <= most or (chord and span(first, second) < 0))


@given(notes_of_a_piece)
def test_against_note_by_note(notes: list[Note]) -> None:
    steps, chords = [], []
    for hand in (0, 1):
        groups = groups_of([note for note in notes if note.hand == hand])
        for before, after in pairwise(groups):
            legato = after[0].onset - before[0].end <= 0.0500001
            if legato and len(before) == len(after) == 1 and before[0].finger and after[0].finger:
                steps.append(breaks(before[0], after[0], chord=False))
        for group in groups:
            held = [note for note in group if note.finger]
            if len(held) > 1:
                chords.append(any(breaks(a, b, chord=True) for a in held for b in held if a != b))
    played = Playability(presses(notes))
    assert quotient(played.melodic(PARNCUTT)) == f"{sum(steps)}/{len(steps)}"
    assert quotient(played.chords(PARNCUTT)) == f"{sum(chords)}/{len(chords)}"


# --- laws ------------------------------------------------------------------------------------


# --- changes of fingers ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "rules"),
    [
        ("4", [ORDER]),  # 4 to 3 up: crossed
        ("4_1", [0]),  # the thumb holds the key by then, and 1 to 3 goes up
        ("4_1_5", [ORDER]),
        ("4_", [ORDER]),
        ("4_-1", []),  # the other hand holds it: no step of this one
    ],
)
def test_a_step_leads_from_the_finger_that_lets_the_key_go(label: str, rules: list[int]) -> None:
    fingering = Fingering(
        np.array([0.0, 1.0]), np.array([1.0, 2.0]), np.array([60, 64]), np.zeros(2, dtype=int), (label, "3")
    )
    judged = Playability(key_presses([fingering])).melodic(PARNCUTT)
    assert judged.rules.tolist() == rules
