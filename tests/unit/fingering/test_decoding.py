# SPDX-License-Identifier: MIT
"""Constrained decoding: against all fingerings of short lines, judged by the rules of playability."""

from itertools import chain, combinations, pairwise, product
from typing import Any

import numpy as np
import pytest

import kammerton as kt
from kammerton.errors import OptionError
from kammerton.fingering import decode
from kammerton.fingering.annotation import LEFT, RIGHT
from kammerton.fingering.judging import judge_steps, limits_of


def is_legal(profile: str, hand: int, one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Tell whether two fingers can hold two keys, or follow each other there; each is key and finger."""
    keys, fingers = np.array([[one[0]], [other[0]]]), np.array([[one[1]], [other[1]]])
    rules, _ = judge_steps(limits_of(profile), fingers, keys, np.array([hand]))
    return not rules.any()


def best_by_trial(
    shares: Any, groups: list[list[int]], hand: int, legato: list[bool], profile: str, penalty: float
) -> tuple[float, set[tuple[int, ...]]]:
    """Return the best value of all fingerings, and the fingerings that have it; keys go from the thumb on."""
    values: dict[tuple[int, ...], float] = {}
    for path in product(range(1, 6), repeat=len(shares)):
        place, parts = 0, []
        for group in groups:
            parts.append(list(zip(group, path[place : place + len(group)], strict=True)))
            place += len(group)
        if any(one[1] > other[1] for part in parts for one, other in pairwise(part)):
            continue  # no fingers lie so
        value = sum(np.log(shares[note][finger - 1] + 1e-6) for note, finger in enumerate(path))
        for part in parts:
            value -= penalty * (not all(is_legal(profile, hand, *pair) for pair in combinations(part, 2)))
        for joined, (first, second) in zip(legato, pairwise(parts), strict=True):
            if joined and len(first) == len(second) == 1:
                value -= penalty * (not is_legal(profile, hand, first[0], second[0]))
        values[path] = value
    best = max(values.values())
    return best, {path for path, value in values.items() if value > best - 1e-9}


@pytest.mark.slow
@pytest.mark.parametrize("penalty", [1e6, 2.0])
@pytest.mark.parametrize("profile", ["parncutt1997", "balliauw2017-S", "pianovam"])
def test_the_best_of_all_fingerings(profile: str, penalty: float) -> None:
    rng = np.random.default_rng(5)
    for _ in range(8):
        hand = int(rng.integers(0, 2))
        groups: list[list[int]] = []
        while (size := sum(map(len, groups))) < 5:
            count = min(int(rng.choice([1, 1, 2, 3])), 5 - size)
            keys = (int(rng.integers(50, 70)) + np.cumsum(rng.integers(1, 8, count))).tolist()
            groups.append(keys if hand == RIGHT else keys[::-1])
        legato = [bool(rng.random() < 0.8) for _ in groups[1:]]
        onsets = np.repeat(0.5 * np.arange(len(groups)), list(map(len, groups)))
        lasts = np.repeat([0.5 if joined else 0.3 for joined in [*legato, True]], list(map(len, groups)))
        shares = rng.dirichlet(np.full(5, 0.5), 5)
        fingers = decode(
            shares,
            list(chain.from_iterable(groups)),
            [hand] * 5,
            onsets,
            onsets + lasts,
            profile=profile,
            penalty=penalty,
        )
        _, best = best_by_trial(shares, groups, hand, legato, profile, penalty)
        assert tuple(fingers.tolist()) in best


def test_a_playable_line_is_played() -> None:
    """Whatever a system says of two octaves of a scale and its chords, nothing is irrational."""
    rng = np.random.default_rng(6)
    scale = [60 + 12 * octave + step for octave in (0, 1) for step in (0, 2, 4, 5, 7, 9, 11)]
    keys = [*scale, *scale[::-1], 60, 64, 67, 60, 65, 69]
    onsets = np.concatenate((0.5 * np.arange(28), np.repeat([14.0, 14.5], 3)))
    both = {side: list(keys) for side in (RIGHT, LEFT)}
    shares = rng.dirichlet(np.full(5, 0.2), 2 * len(keys))
    hands = np.repeat([RIGHT, LEFT], len(keys))
    times = np.tile(onsets, 2)
    fingers = decode(shares, both[RIGHT] + both[LEFT], hands, times, times + 0.5)
    notes = {"onsets": times, "offsets": times + 0.5, "pitches": both[RIGHT] + both[LEFT]}
    piece = {**notes, "hands": ["L" if hand else "R" for hand in hands], "fingers": fingers.tolist()}
    scores = kt.score("fingering", None, {"mine": {"piece": piece}}, ci=None, protocols=["playability"])
    assert [scores.value(f"playability/ifr_{kind}") for kind in ("melodic", "chord")] == [0.0, 0.0]


@pytest.mark.parametrize(
    ("keys", "fixed", "fingers"),
    [
        ([60], [0], [1]),
        ([60, 64, 67], [0, 0, 0], [1, 2, 3]),  # an equal chance: the lowest fingers that reach
        ([60, 64, 67], [0, 3, 0], [1, 3, 4]),
        ([60, 64, 67], [5, 1, 0], [5, 1, 0]),  # as no hand lies: it stays, and the rest is filled in
        ([60, 61, 62, 63, 64, 65, 66, 67], [0] * 8, [1] * 8),  # more keys than are tried
        ([], [], []),
    ],
)
def test_chords(keys: list[int], fixed: list[int], fingers: list[int]) -> None:
    shares = np.full((len(keys), 5), 0.2)
    none = np.zeros(len(keys))
    decoded = decode(shares, keys, none, none, none + 1, fixed=fixed).tolist()
    expected = [finger or own for finger, own in zip(fingers, decoded, strict=True)]
    assert decoded == expected
    assert all(1 <= finger <= 5 for finger in decoded)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"probabilities": [[0.2] * 4]}, "one of five fingers"),
        ({"probabilities": [[-1, 0, 0, 0, 0]]}, "not negative"),
        ({"pitches": [200]}, "MIDI numbers"),
        ({"pitches": [60, 62]}, "pitches: one number for each of 1 notes"),
        ({"hands": [-1]}, "0 is right, 1 is left"),
        ({"fixed": [6]}, "fingers 1 to 5"),
        ({"onsets": [np.nan]}, "finite"),
        ({"profile": "nobody"}, "unknown profile"),
    ],
)
def test_what_is_refused(changed: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {
        "probabilities": [[0.2] * 5], "pitches": [60], "hands": [0], "onsets": [0], "offsets": [1], **changed
    }  # fmt: skip
    with pytest.raises(OptionError, match=message):
        decode(**arguments)
