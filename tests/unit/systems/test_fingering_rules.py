# SPDX-License-Identifier: MIT
"""Fingering by rules: against trying all fingers, with rules written down one note at a time."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import kammerton as kt
from kammerton.errors import DataError, OptionError
from kammerton.fingering import Fingering
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN
from kammerton.fingering.lines import hand_lines
from kammerton.systems.fingering_paths import best_paths, least_costs
from kammerton.systems.fingering_rules import (
    PROFILES,
    RuleSettings,
    best_fingerings,
    explain,
    explain_notes,
    line_costs,
)

# (MinPrac, MinComf, MinRel, MaxRel, MaxComf, MaxPrac), as the papers have them
SPANS = {
    "parncutt1997": {
        12: (-5, -3, 1, 5, 8, 10), 13: (-4, -2, 3, 7, 10, 12), 14: (-3, -1, 5, 9, 12, 14),
        15: (-1, 1, 7, 10, 13, 15), 23: (1, 1, 1, 2, 3, 5), 24: (1, 1, 3, 4, 5, 7), 25: (2, 2, 5, 6, 8, 10),
        34: (1, 1, 1, 2, 2, 4), 35: (1, 1, 3, 4, 5, 7), 45: (1, 1, 1, 2, 3, 5),
    },
    "balliauw2017-S": {
        12: (-7, -5, 1, 3, 8, 10), 13: (-6, -4, 3, 6, 10, 12), 14: (-4, -2, 5, 8, 11, 13),
        15: (-2, 0, 7, 10, 12, 14), 23: (1, 1, 1, 2, 4, 6), 24: (1, 1, 3, 4, 6, 8), 25: (2, 2, 5, 6, 8, 10),
        34: (1, 1, 1, 2, 2, 4), 35: (1, 1, 3, 4, 4, 6), 45: (1, 1, 1, 2, 4, 6),
    },
    "balliauw2017-M": {
        12: (-8, -6, 1, 5, 8, 10), 13: (-7, -5, 3, 9, 12, 14), 14: (-5, -3, 5, 11, 13, 15),
        15: (-2, 0, 7, 12, 14, 16), 23: (1, 1, 1, 2, 5, 7), 24: (1, 1, 3, 4, 6, 8), 25: (2, 2, 5, 6, 10, 12),
        34: (1, 1, 1, 2, 2, 4), 35: (1, 1, 3, 4, 6, 8), 45: (1, 1, 1, 2, 4, 6),
    },
    "balliauw2017-L": {
        12: (-10, -8, 1, 6, 9, 11), 13: (-8, -6, 3, 9, 13, 15), 14: (-6, -4, 5, 11, 14, 16),
        15: (-2, 0, 7, 12, 16, 18), 23: (1, 1, 1, 2, 5, 7), 24: (1, 1, 3, 4, 6, 8), 25: (2, 2, 5, 6, 10, 12),
        34: (1, 1, 1, 2, 2, 4), 35: (1, 1, 3, 4, 6, 8), 45: (1, 1, 1, 2, 4, 6),
    },
}  # fmt: skip
SPANS["balliauw2017-S"][35] = (1, 1, 3, 4, 6, 8)
SPANS["jacobs2001"] = SPANS["parncutt1997"]
FOURTEENTHS = (0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12)
MILLIMETRES = (0, 9.5, 23.5, 37.5, 47, 70.5, 78.5, 94, 105.5, 117, 132.5, 140.5)


def distance(profile: str, begin: int, end: int) -> int:
    if profile == "parncutt1997":
        return end - begin
    (low, one), (high, other) = divmod(begin, 12), divmod(end, 12)
    if profile == "jacobs2001":
        way = 164 * (high - low) + MILLIMETRES[other] - MILLIMETRES[one]
        return int(np.rint(way * (12 / 164)))
    return 14 * (high - low) + FOURTEENTHS[other] - FOURTEENTHS[one]


def outside(profile: str, kind: str, first: int, second: int, way: int) -> int:
    """Return by how many units a way is outside the span of two fingers."""
    if first == second:
        return abs(way)
    if first > second:
        first, second, way = second, first, -way
    span = SPANS[profile][10 * first + second]
    least, most = {"rest": span[2:4], "comfort": span[1:5:3], "hand": span[0:6:5]}[kind]
    return max(least - way, way - most, 0)


def is_black(key: int) -> bool:
    return key % 12 in (1, 3, 6, 8, 10)


def step_cost(profile: str, one: tuple[int, int], other: tuple[int, int], way: int, chord: bool) -> float:
    """Return what it costs to go from key and finger to key and finger, or to hold both."""
    (key, finger), (next_key, next_finger) = one, other
    rest, comfort, hand = (
        outside(profile, kind, finger, next_finger, way) for kind in ("rest", "comfort", "hand")
    )
    if chord:
        return 2 * rest + 4 * comfort + 10 * hand + 1000 * (finger == next_finger and key != next_key)
    cost: float = rest + 2 * comfort + 10 * hand
    if {finger, next_finger} == {3, 4}:
        cost += 1
        on_third, on_fourth = (key, next_key) if finger == 3 else (next_key, key)
        cost += not is_black(on_third) and is_black(on_fourth)
    for end in (1, 5):
        cost += next_finger == end and is_black(next_key) and not is_black(key)
        cost += finger == end and is_black(key) and not is_black(next_key)
    under, over = way > 0 and next_finger == 1 != finger, way < 0 and finger == 1 != next_finger
    if under or over:
        thumb, passed = (next_key, key) if under else (key, next_key)
        cost += 1 if is_black(thumb) == is_black(passed) else 2 * is_black(thumb)
    return cost + (key == next_key and finger != next_finger)


def triple_cost(profile: str, keys: list[int], fingers: tuple[int, ...], way: int) -> float:
    """Return what three notes cost by the position of the hand."""
    cost = 0.0
    first, middle, last = keys
    between = first < middle < last or first > middle > last
    far = outside(profile, "comfort", fingers[0], fingers[2], way)
    if far:
        cost += 1 + far
        cost += between and fingers[1] == 1 and outside(profile, "hand", fingers[0], fingers[2], way) > 0
    cost += first == last and fingers[0] != fingers[2]
    return cost + (first != last and between and fingers[0] == fingers[2])


def note_cost(profile: str, notes: list[dict[str, Any]], number: int, sign: int, *fingers: int) -> float:
    """Return what the rules cost at a note whose two predecessors and itself have these fingers."""
    keys = [note["key"] for note in notes]
    way = {
        back: sign * distance(profile, keys[number - back], keys[number])
        for back in range(1, min(number, 2) + 1)
    }
    cost = (fingers[2] == 4) + 0.5 * (fingers[2] == 1 and is_black(keys[number]))
    joined = [number >= back and not notes[number - back + 1]["rest"] for back in (1, 2)]
    if joined[0]:
        one, other = (keys[number - 1], fingers[1]), (keys[number], fingers[2])
        chord = notes[number]["chord"] == notes[number - 1]["chord"]
        cost += step_cost(profile, one, other, way[1], chord)
        if joined[1] and notes[number]["chord"] != notes[number - 2]["chord"]:
            cost += triple_cost(profile, keys[number - 2 : number + 1], fingers, way[2])
    return float(cost)


def all_costs(profile: str, notes: list[dict[str, Any]], sign: int) -> tuple[list[Any], np.ndarray]:
    """Return every possible fingering, and its cost."""
    paths = list(product(range(1, 6), repeat=len(notes)))
    table = np.array(paths)
    costs = np.zeros(len(paths))
    for number in range(len(notes)):
        first, second = (max(number - back, 0) for back in (2, 1))
        known = np.array(
            [note_cost(profile, notes, number, sign, *fingers) for fingers in product(range(1, 6), repeat=3)]
        )
        costs += known[25 * table[:, first] + 5 * table[:, second] + table[:, number] - 31]
    return paths, costs


def phrase(rng: np.random.Generator, longest: int) -> tuple[list[dict[str, Any]], Fingering, int]:
    """Return a random phrase with chords and rests: as plain notes, and as a fingering."""
    hand = int(rng.integers(0, 2))
    sign = -1 if hand == LEFT else 1
    notes: list[dict[str, Any]] = []
    time, chord, key = 0.0, 0, 60
    while len(notes) < longest:
        rest = bool(notes) and rng.random() < 0.15
        time += 0.4 + 0.6 * rest
        key = int(np.clip(key + rng.integers(-9, 10), 36, 84))
        size = min(int(rng.choice([1, 1, 1, 2, 3])), longest - len(notes))
        keys = sorted(
            (key + np.cumsum([0, *rng.integers(1, 8, size - 1)])).tolist(), key=lambda one: sign * one
        )
        for place, one in enumerate(keys):
            notes.append({"key": one, "chord": chord, "rest": rest and place == 0, "time": time})
        chord += 1
    times = np.array([note["time"] for note in notes])
    struck = np.array([note["key"] for note in notes])
    piece = Fingering(times, times + 0.4, struck, np.full(len(notes), hand), ("",) * len(notes))
    return notes, piece, sign


@pytest.mark.slow
@pytest.mark.parametrize("profile", PROFILES)
def test_the_best_of_all_fingerings(profile: str) -> None:
    rng = np.random.default_rng(17)
    for _ in range(300):
        notes, piece, sign = phrase(rng, int(rng.integers(1, 8)))
        (line,) = hand_lines(piece)
        paths, costs = best_paths(line_costs(line, RuleSettings(profile=profile))[1], 4)
        known, every = all_costs(profile, notes, sign)
        assert costs.tolist() == np.sort(every)[: len(costs)].tolist()
        assert len(set(map(tuple, paths.tolist()))) == len(paths) == min(4, len(known))
        for path, cost in zip(paths.tolist(), costs.tolist(), strict=True):
            assert every[known.index(tuple(path))] == cost


def test_the_least_cost_with_each_finger_of_all_fingerings() -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        notes, piece, sign = phrase(rng, int(rng.integers(1, 6)))
        (line,) = hand_lines(piece)
        least, ties = least_costs(line_costs(line, RuleSettings())[1])
        known, every = all_costs("balliauw2017-M", notes, sign)
        fingers = np.array(known)
        for note in range(len(notes)):
            by_finger = [every[fingers[:, note] == finger].min() for finger in range(1, 6)]
            assert least[note].tolist() == by_finger
        assert ties == (every == every.min()).sum()


def fingered(
    keys: list[int], hand: int = RIGHT, labels: tuple[str, ...] | None = None, **settings: Any
) -> Any:
    times: Any = 0.4 * np.arange(len(keys))
    labels = labels or ("",) * len(keys)
    piece = Fingering(times, times + 0.4, np.array(keys), np.full(len(keys), hand), labels)
    return kt.annotate("fingering", {"piece": piece}, "rules", settings=settings)["piece"]


@pytest.mark.parametrize(
    ("keys", "hand", "labels"),
    [
        ([60, 62, 64, 65, 67], RIGHT, "1 2 3 4 5"),
        ([60, 62, 64, 65, 67], LEFT, "-5 -4 -3 -2 -1"),
        ([60, 62, 64, 65, 67, 69, 71, 72], RIGHT, "1 2 3 1 2 3 4 5"),
        ([60], RIGHT, "1"),
        ([72, 72, 72], RIGHT, "1 1 1"),
    ],
)
def test_what_everybody_plays(keys: list[int], hand: int, labels: str) -> None:
    assert " ".join(fingered(keys, hand).labels) == labels


def test_fingers_that_notes_have_are_kept_if_asked() -> None:
    labels = ("", "4", "", "", "")
    assert fingered([60, 62, 64, 65, 67], labels=labels).labels == ("1", "2", "3", "4", "5")
    kept = fingered([60, 62, 64, 65, 67], labels=labels, keep=True)
    assert kept.labels[1] == "4"
    assert all(kept.labels)


def test_what_follows_a_substitution_is_fingered_from_the_finger_that_lets_go() -> None:
    # from the thumb on C, D to F were 2 to 4; with 5 on C, the thumb passes under
    assert fingered([60, 62, 64, 65], labels=("1_5", "", "", ""), keep=True).labels == ("1_5", "1", "2", "3")
    both = Fingering(
        np.arange(2.0), np.arange(2.0) + 1, np.array([60, 62]), np.zeros(2, dtype=np.int64), ("1_4", "1")
    )
    assert explain(both) == [{}, explain(fingered([60, 62], labels=("4", "1"), keep=True))[1]]


def test_a_source_without_hands_is_split_at_a_key() -> None:
    piece = fingered([48, 59, 60, 72], UNKNOWN)
    assert piece.hands.tolist() == [LEFT, LEFT, RIGHT, RIGHT]
    assert [label.startswith("-") for label in piece.labels] == [True, True, False, False]
    assert fingered([48, 59, 60, 72], UNKNOWN, split=72).hands.tolist() == [LEFT, LEFT, LEFT, RIGHT]


def test_the_best_fingerings_of_both_hands_are_put_together() -> None:
    rng = np.random.default_rng(3)
    parts = []
    for hand in (RIGHT, LEFT):
        times: Any = 0.4 * np.arange(3)
        keys = rng.integers(55, 70, 3)
        parts.append(Fingering(times, times + 0.4, keys, np.full(3, hand), ("",) * 3))
    columns = ("onsets", "offsets", "pitches", "hands")
    joined: Any = {name: np.concatenate([getattr(part, name) for part in parts]) for name in columns}
    whole = best_fingerings(Fingering(**joined, labels=("",) * 6), 5)
    alone = [[cost for _, cost in best_fingerings(part, 5)] for part in parts]
    assert [cost for _, cost in whole] == sorted(map(sum, product(*alone)))[:5]
    assert len({piece.labels for piece, _ in whole}) == 5


def test_why_a_note_has_its_finger() -> None:
    times: Any = 0.4 * np.arange(3)
    piece = Fingering(times, times + 0.4, np.array([64, 66, 65]), np.zeros(3, dtype=int), ("3", "4", "1"))
    # E to F#: 3 units of Balliauw, 1 beyond rest (2), 1 beyond comfort (2): 1 + 2. F# to F: one down for
    # 4-1, at rest from -11 to -5: 4 beyond; E to F, third to first finger: 2 up, within comfort
    assert explain(piece) == [
        {},
        {
            "stretch beyond rest": 1.0,
            "stretch beyond comfort": 2.0,
            "fourth finger": 1.0,
            "fingers 3 and 4": 1.0,
            "finger 3 on white, 4 on black": 1.0,
        },
        {"stretch beyond rest": 4.0},
    ]


def test_what_else_a_note_could_have() -> None:
    times: Any = 0.4 * np.arange(2)
    # C to F lies 6 units up, at rest for 1 to 3 (3-9) and 2 to 5 (5-6), and for 1 to 4 (5-11), which costs 1
    piece = Fingering(times, times + 0.4, np.array([60, 65]), np.zeros(2, dtype=int), ("", "4"))
    table = explain_notes(piece, RuleSettings())
    assert table.title == "costs 1 by rules; the least is 0, which 2 fingerings have"
    assert table.rows == (
        ("0 s", "C4", "(R1)", "0", "2 (+0)", ""),
        ("0.4 s", "F4", "R4", "1", "3 (-1)", "fourth finger: 1"),
    )
    assert explain_notes(piece, RuleSettings(), 0.4, 0.4).rows == ()


def test_a_fingering_that_costs_more() -> None:
    assert [fingered([60, 65], rank=rank).labels for rank in (1, 2, 3, 4)] == [
        piece.labels for piece, _ in best_fingerings(fingered([60, 65]), 4)
    ]
    assert fingered([60], rank=9).labels == fingered([60], rank=5).labels  # there are no more


def test_what_cannot_be_fingered() -> None:
    for setting, message in (
        ({"rank": 0}, "rank is a whole number from 1 to 1,000, not `0`"),
        ({"rank": 10**9}, "rank is a whole number"),
        ({"profile": "pianovam"}, "profile of rules"),
        ({"keep": "yes"}, "keep is true or false"),
        ({"split": 200}, "a key is a MIDI number"),
    ):
        with pytest.raises(OptionError, match=message):
            fingered([60], **setting)
    times = np.zeros(1)
    with pytest.raises(DataError, match="labels without notes"):
        list(hand_lines(Fingering(times, times, np.array([-1]), np.zeros(1, dtype=int), ("1",))))
