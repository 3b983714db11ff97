# SPDX-License-Identifier: MIT
"""Every interval holds the score that it is of: of each measure of the registry, on small random corpora."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kammerton as kt
from kammerton.fingering import Fingering
from kammerton.instruments import InstrumentList, InstrumentOptions
from kammerton.model.registry import TASKS, find_task
from kammerton.statistics.resampling import Method
from unit.instruments.scored import FIGURE, options

SEEDS = range(8)
OPENMIC = InstrumentOptions(taxonomy="openmic-2018", threshold=">=0.5")
GENERAL_MIDI = InstrumentOptions(taxonomy="general-midi", threshold=">=0.5")

Corpus = tuple[dict[str, Any], dict[str, Any], dict[str, Any]]
"""References, estimates, and further choices."""


def songs(rng: random.Random) -> Corpus:
    """Songs of few chords, some of them beyond all vocabularies, which a system finds more or less."""
    labels = rng.sample(["C", "G", "A:min", "F", "D:min7", "N", "B:dim", "E:sus4", "X"], rng.randint(2, 9))
    faithful = rng.random()

    def song(like: list[str] | None = None) -> tuple[list[tuple[float, float]], list[str]]:
        times = np.cumsum([0.0, *(rng.choice([0.5, 1.0, 4.0, 20.0]) for _ in range(rng.randint(1, 9)))])
        chosen = [rng.choice(labels) for _ in times[1:]]
        if like is not None:
            chosen = [rng.choice(like) if rng.random() < faithful else each for each in chosen]
        return list(zip(times[:-1].tolist(), times[1:].tolist(), strict=True)), chosen

    refs = {str(number): song() for number in range(rng.randint(2, 14))}
    ests = {
        name: ref if rng.random() < faithful / 3 else song(like=ref[1])
        for name, ref in refs.items()
        if rng.random() < 0.9
    }
    return refs, {"s": ests or refs}, {"protocols": [each.name for each in find_task("chords").protocols]}


def pieces(rng: random.Random) -> Corpus:
    """Pieces that several annotators fingered, in part, and a system like one of them."""
    faithful = rng.random()
    annotators: dict[str, dict[str, Fingering]] = {name: {} for name in "abc"[: rng.randint(2, 3)]}
    ests = {}
    for piece in range(rng.randint(2, 9)):
        notes = rng.randint(2, 12)
        onsets = np.repeat(np.arange(notes), 3)[:notes] / 4 if rng.random() < 0.3 else np.arange(notes) / 4
        pitches = np.array(rng.sample(range(55, 76), notes))

        def fingered(labels: list[str], onsets: Any = onsets, pitches: Any = pitches) -> Fingering:
            hands = np.zeros(len(labels), dtype=np.int64)
            return Fingering(onsets, onsets + 0.25, pitches, hands, tuple(labels))

        base = [rng.choice("12345") for _ in range(notes)]
        for fingerings in annotators.values():
            own = [rng.choice("12345") if rng.random() < 0.3 else label for label in base]
            fingerings[str(piece)] = fingered([label if rng.random() < 0.95 else "" for label in own])
        ests[str(piece)] = fingered(
            [each if rng.random() < faithful else rng.choice("12345") for each in base]
        )
    return {}, {"s": ests}, {"annotators": annotators}


def lists(rng: random.Random) -> Corpus:
    """Instruments of files, and a score of each in each file; some files are judged in part.

    Many instruments are rare: items that are drawn often have none of their files, or not the one in which
    they are found.
    """
    chosen = rng.choice([options(FIGURE, threshold=">=0.5"), OPENMIC, *[GENERAL_MIDI] * 2])
    assert chosen.tree is not None
    leaves = [node for node in chosen.tree.nodes if not chosen.tree.children(node)]
    nodes = rng.sample(leaves, rng.randint(3, min(len(leaves), 50)))
    files = rng.choice([3, 8, 2 * len(nodes)])
    common = {node: rng.choice([0.0, 0.0, 0.1, 0.4]) for node in nodes}
    found, noise = rng.choice([0.3, 0.6]), rng.choice([0.0, 0.0, 0.3, 0.9])
    refs, ests = {}, {}
    for number in range(files):
        there = [
            node for place, node in enumerate(nodes) if place == number // 2 or rng.random() < common[node]
        ]
        absent = [node for node in nodes if node not in there and rng.random() < 0.5]
        partly: dict[str, Any] = {"absent": tuple(absent), "closed": False} if rng.random() < 0.1 else {}
        refs[str(number)] = InstrumentList(tuple(there), **partly)
        right = {node: rng.choice([0.9, 0.1] if rng.random() > found else [0.9]) for node in there}
        scores = [(1 - noise) * right.get(node, 0.4) + noise * rng.random() for node in nodes]
        ests[str(number)] = InstrumentList(tuple(nodes), np.round(scores, 2), ranked=True, vector=True)
    return refs, {"s": ests}, {"options": chosen}


CORPORA: dict[str, Callable[[random.Random], Corpus]] = {
    "chords": songs,
    "fingering": pieces,
    "instruments": lists,
}


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("task", TASKS)
def test_every_interval_holds_its_score(task: Any, method: Method) -> None:
    tried = set()
    for seed in SEEDS:
        refs, ests, choices = CORPORA[task](random.Random(seed))
        scores = kt.score(
            task, refs or None, ests, interval=method, resamples=300, **{"protocols": "all", **choices}
        )
        for row in scores.summary.to_dicts():
            if row["ci_low"] is not None:
                tried.add(f"{row['protocol']}/{row['measure']}")
                assert row["ci_low"] <= row["value"] <= row["ci_high"], (seed, row)
    # a measure that never has an interval would have to say why on its card
    assert tried == set(map(str, find_task(task).measures))
