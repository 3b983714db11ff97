# SPDX-License-Identifier: MIT
"""Hidden Markov models of fingering: against the sum over all paths, and against a model that is known."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kammerton as kt
from kammerton.errors import OptionError
from kammerton.fingering import Fingering
from kammerton.fingering.annotation import LEFT, RIGHT
from kammerton.fingering.lines import hand_lines
from kammerton.systems import read_model
from kammerton.systems.fingering_hmm import count_fingers, log_scores, shapes
from kammerton.systems.fingering_paths import best_paths, keep_fixed, marginals, sample_path

WHITE = (0, 0, 1, 1, 2, 3, 3, 4, 4, 5, 5, 6)


def interval(begin: int, end: int, sign: int) -> int:
    """Return the number of an interval: white keys apart, and the change of colour, mirrored at D4 = 62."""
    if sign < 0:
        begin, end = 124 - begin, 124 - end
    apart = 7 * (end // 12 - begin // 12) + WHITE[end % 12] - WHITE[begin % 12]
    black = (end % 12 in (1, 3, 6, 8, 10)) - (begin % 12 in (1, 3, 6, 8, 10))
    return 3 * (max(-15, min(15, apart)) + 15) + black + 1


def path_score(
    keys: list[int], chords: list[int], sign: int, tables: Mapping[str, Any], path: tuple[int, ...]
) -> float:
    """Return the log score of a path by Nakamura's formulas, note by note."""
    order = 2 if "next_of_two" in tables else 1
    weights = {1: (0.964,), 2: (0.556, 0.407)}[order]
    score = math.log(tables["first"][path[0]])
    for note in range(1, len(path)):
        last, this = path[note - 1], path[note]
        made = tables["interval"][last, this, interval(keys[note - 1], keys[note], sign)]
        if order == 2 and note >= 2:
            before = path[note - 2]
            score += math.log(
                0.526 * tables["next_of_two"][before, last, this] + 0.474 * tables["next"][last, this]
            )
            farther = tables["interval_of_two"][before, this, interval(keys[note - 2], keys[note], sign)]
            score += weights[0] * math.log(made) + weights[1] * math.log(farther)
        else:
            weight = weights[0] if order == 1 else 1.0
            score += math.log(tables["next"][last, this]) + weight * math.log(made)
        for apart in range(1, min(order, note) + 1):
            way = sign * (keys[note] - keys[note - apart])
            if chords[note] == chords[note - apart] and way * (path[note] - path[note - apart]) < 0:
                score -= 5
    return score


@pytest.mark.parametrize(
    ("order", "hand", "keys", "chords"),
    [
        (1, RIGHT, [60, 62, 61, 72, 65, 40], [0, 1, 2, 3, 4, 5]),
        (1, LEFT, [64, 60, 57, 57, 55, 50], [0, 0, 0, 1, 2, 2]),
        (2, RIGHT, [60, 64, 67, 66, 62, 71], [0, 0, 0, 1, 2, 2]),
        (2, LEFT, [48, 47, 36, 50, 49, 45], [0, 1, 2, 3, 4, 4]),
        (2, RIGHT, [60], [0]),
        (2, RIGHT, [60, 63], [0, 1]),
    ],
)
def test_all_paths_are_weighed(order: int, hand: int, keys: list[int], chords: list[int]) -> None:
    rng = np.random.default_rng(4)
    counts = {name: rng.integers(0, 9, shape).astype(float) for name, shape in shapes(order).items()}
    times = 0.5 * np.array(chords, dtype=float)
    piece = Fingering(times, times + 0.5, np.array(keys), np.full(len(keys), hand), ("",) * len(keys))
    (line,) = hand_lines(piece)
    assert line.notes.tolist() == list(range(len(keys)))
    scores = log_scores(line, counts, 0.1)
    tables = {
        name: (table + 0.1) / (table + 0.1).sum(axis=-1, keepdims=True) for name, table in counts.items()
    }
    sign = -1 if hand == LEFT else 1
    paths = list(product(range(5), repeat=len(keys)))
    known = np.array([path_score(keys, chords, sign, tables, path) for path in paths])
    best, costs = best_paths(-scores, 3)
    assert -costs == pytest.approx(np.sort(known)[::-1][:3])
    assert known[paths.index(tuple((best[0] - 1).tolist()))] == pytest.approx(known.max())
    shares = np.exp(known - known.max())
    shares /= shares.sum()
    expected = [
        [shares[[path[note] == f for path in paths]].sum() for f in range(5)] for note in range(len(keys))
    ]
    assert marginals(scores) == pytest.approx(np.array(expected))
    # fingers that are fixed leave the paths that have them
    holds = np.array([path[-1] == 3 for path in paths])
    fixed = Fingering(
        piece.onsets, piece.offsets, piece.pitches, piece.hands, (*piece.labels[:-1], f"{4 * sign}")
    )
    (line,) = hand_lines(fixed)
    first = [shares[holds & np.array([path[0] == f for path in paths])].sum() for f in range(5)]
    assert marginals(keep_fixed(scores, line, -np.inf))[0] == pytest.approx(np.array(first) / sum(first))


def test_samples_are_as_probable_as_paths() -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(3, 5, 5, 5))
    known = {
        path: math.exp(scores[0, 0, 0, path[0]] + scores[1, 0, path[0], path[1]] + scores[2][path])
        for path in product(range(5), repeat=3)
    }
    scores[0], scores[1] = scores[0, 0, 0], scores[1, 0]
    drawn = Counter(tuple((sample_path(scores, rng) - 1).tolist()) for _ in range(20_000))
    whole = sum(known.values())
    errors = [drawn[path] / 20_000 - share / whole for path, share in known.items()]
    assert max(map(abs, errors)) < 0.006  # 4 standard errors of a share of 5 %


def test_a_planted_model_is_recovered() -> None:
    rng = np.random.default_rng(2)
    first, following = rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(5), 5)
    steps = rng.dirichlet(np.ones(9), (5, 5))  # -4 to 4 white keys
    whites = [key for key in range(128) if key % 12 in (0, 2, 4, 5, 7, 9, 11)]
    phrases = {}
    for phrase in range(3000):
        fingers, place = [int(rng.choice(5, p=first))], [37]
        for _ in range(8):
            fingers.append(int(rng.choice(5, p=following[fingers[-1]])))
            place.append(place[-1] + int(rng.choice(9, p=steps[fingers[-2], fingers[-1]])) - 4)
        times: Any = 0.5 * np.arange(9)
        keys = np.array(whites)[place]
        labels = tuple(str(finger + 1) for finger in fingers)
        hand, sign = (RIGHT, "") if phrase % 2 else (LEFT, "-")
        if hand == LEFT:
            keys = 124 - keys  # mirrored at D
        phrases[str(phrase)] = [
            Fingering(times, times + 0.5, keys, np.full(9, hand), tuple(sign + label for label in labels))
        ]
    counts = count_fingers(phrases, 2)
    assert counts["first"] / 3000 == pytest.approx(first, abs=0.03)
    assert counts["next"] / counts["next"].sum(axis=1, keepdims=True) == pytest.approx(following, abs=0.03)
    by_step = counts["interval"].reshape(5, 5, 31, 3)
    assert by_step[..., (0, 2)].sum() == by_step[:, :, :11].sum() == by_step[:, :, 20:].sum() == 0
    learned = by_step[:, :, 11:20, 1]
    often = counts["next"] > 500
    shares = learned / np.maximum(learned.sum(axis=2, keepdims=True), 1)
    assert shares[often] == pytest.approx(steps[often], abs=0.08)
    assert counts["next_of_two"].sum() == 3000 * 7


def test_notes_without_finger_are_not_counted() -> None:
    times: Any = 0.5 * np.arange(4)
    piece = Fingering(
        times, times + 0.5, np.array([60, 62, 64, 65]), np.zeros(4, dtype=int), ("1", "", "3", "4")
    )
    counts = count_fingers({"piece": [piece]}, 2)
    assert {name: float(table.sum()) for name, table in counts.items()} == {
        "first": 1.0, "next": 1.0, "interval": 1.0, "next_of_two": 0.0, "interval_of_two": 1.0,
    }  # fmt: skip
    assert counts["next"][2, 3] == 1
    assert counts["interval"][2, 3, interval(64, 65, 1)] == 1


def piece_of(labels: tuple[str, ...]) -> Fingering:
    times: Any = 0.5 * np.arange(len(labels))
    keys = 60 + np.array([0, 2, 4, 5, 7])[: len(labels)]
    return Fingering(times, times + 0.5, keys, np.zeros(len(labels), dtype=int), labels)


def test_a_model_is_trained_written_and_run(tmp_path: Path) -> None:
    corpus = {"five": piece_of(("1", "2", "3", "4", "5")), "other": piece_of(("2", "3", "4"))}
    model = kt.train("fingering", corpus, "hmm2", splits={"five": "train", "other": "test"})
    assert model.header["items"] == ["five"]
    path = tmp_path / "model.npz"
    model.write(path)
    assert read_model(path).digest == model.digest
    notes = {"new": piece_of(("",) * 5)}
    for decoding in ("marginals", "path"):
        made = kt.annotate("fingering", notes, "hmm2", model=path, settings={"decoding": decoding})
        assert made["new"].labels == ("1", "2", "3", "4", "5")
    assert f"|model:{model.digest}|" in made.made
    kept = kt.annotate(
        "fingering", {"new": piece_of(("", "", "4", "", ""))}, "hmm2", model=model, settings={"keep": True}
    )
    assert kept["new"].labels[2] == "4"
    leaps: Any = np.array([60, 71, 50, 73, 61])  # that nobody has fingered
    unknown = {"new": replace(notes["new"], pitches=leaps)}
    drawn = [
        kt.annotate("fingering", unknown, "hmm2", model=model, settings={"decoding": "sample", "seed": seed})
        for seed in (0, 0, 1, 2, 3)
    ]
    labels = [each["new"].labels for each in drawn]
    assert labels[0] == labels[1]
    assert len(set(labels)) > 1
    assert not made.diagnostics
    leaps = np.array([60, 61, 60, 64, 60])
    unknown = {"new": replace(unknown["new"], pitches=leaps, labels=("5", "", "", "", ""))}
    settings = {"profile": "parncutt1997", "keep": True}
    playable = kt.annotate("fingering", unknown, "hmm2", model=model, settings=settings)
    assert playable["new"].labels[0] == "5"
    rate = kt.score("fingering", None, {"mine": playable}, ci=None, measures=["playability/ifr_melodic"])
    assert rate.value("ifr_melodic") == 0
    learned = kt.annotate("fingering", {"five": notes["new"]}, "hmm2", model=model)
    assert [problem.code for problem in learned.diagnostics] == ["KT215"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"decoding": "best"}, "unknown decoding"),
        ({"profile": "nobody"}, "unknown profile"),
        ({"seed": -1}, "a seed is a whole number"),
        ({"keep": 1}, "keep is true or false"),
    ],
)
def test_settings_are_checked(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        kt.annotate("fingering", {"a": piece_of(("1",))}, "hmm1", settings=settings)
