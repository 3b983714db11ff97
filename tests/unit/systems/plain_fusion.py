# SPDX-License-Identifier: MIT
"""The fusion of chords, as its specification says it, without arrays: for tests alone."""

import itertools
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

from kammerton.chords.templates import map_label

Rows = list[tuple[float, float, str]]
Triad = tuple[int, str]
Chord = tuple[int, str, str, int]


def triad_of(label: str | None) -> Triad | None:
    mapped = map_label(label) if label else None
    return None if mapped is None or mapped.kind == "X" else (mapped.root, mapped.triad)


def chord_of(label: str) -> Chord:
    mapped = map_label(label)
    return mapped.root, mapped.triad, mapped.tetrad, max(mapped.bass, 0)


def units(song: Sequence[Rows]) -> list[tuple[float, float, list[str | None]]]:
    times = sorted({time for rows in song for start, end, _ in rows for time in (start, end)})
    between = []
    for start, end in itertools.pairwise(times):
        labels = [next((label for a, b, label in rows if a <= start < b), None) for rows in song]
        between.append((start, end, labels))
    return between


def probabilities(
    triads: Sequence[Triad | None], weights: Sequence[float], number: int
) -> dict[Triad, float]:
    """Return the probability of each class that is said; the rest is of all others alike."""
    log_odds: dict[Triad, float] = defaultdict(float)
    for triad, weight in zip(triads, weights, strict=True):
        if triad is not None:
            log_odds[triad] += weight
    whole = sum(math.exp(value) for value in log_odds.values()) + max(25, number) - len(log_odds)
    return {triad: math.exp(value) / whole for triad, value in log_odds.items()}


def accuracies(corpus: Mapping[str, Sequence[Rows]], votes: Sequence[float]) -> list[float]:
    estimates = [0.7] * len(votes)
    for _ in range(20):
        weights = [vote * math.log(24 * a / (1 - a)) for vote, a in zip(votes, estimates, strict=True)]
        right, whole = [0.0] * len(votes), [0.0] * len(votes)
        for song in corpus.values():
            cut = units(song)
            number = len({triad_of(label) for _, _, labels in cut for label in labels} - {None})
            for start, end, labels in cut:
                triads = [triad_of(label) for label in labels]
                likely = probabilities(triads, weights, number)
                for source, triad in enumerate(triads):
                    if triad is not None:
                        right[source] += (end - start) * likely[triad]
                        whole[source] += end - start
        new = [min(max(r / w if w else 0.7, 0.05), 0.99) for r, w in zip(right, whole, strict=True)]
        still = all(abs(a - b) < 1e-4 for a, b in zip(new, estimates, strict=True))
        estimates = new
        if still:
            break
    return estimates


def fused_triads(song: Sequence[Rows], weights: Sequence[float], cost: float) -> list[Triad | None]:
    """Return the best triad of each unit: the best of all ways to each class, unit after unit."""
    cut = units(song)
    named = {triad_of(label) for _, _, labels in cut for label in labels}
    classes = sorted(triad for triad in named if triad is not None)
    ways: dict[Triad, tuple[float, list[Triad | None]]] = {}
    silent: list[Triad | None] = []
    for start, end, labels in cut:
        said = [triad_of(label) for label in labels]
        if not any(said):
            ways = {triad: (value, [*way, None]) for triad, (value, way) in ways.items()}
            silent.append(None)
            continue
        likely = probabilities(said, weights, len(classes))
        other = (1 - sum(likely.values())) / (max(25, len(classes)) - len(likely))
        possible = [next(iter(likely))] if len(likely) == 1 else classes
        new: dict[Triad, tuple[float, list[Triad | None]]] = {}
        for triad in possible:
            value, way = max(
                ((v - cost * (before != triad), w) for before, (v, w) in ways.items()),
                key=lambda pair: pair[0],
                default=(0.0, silent),
            )
            new[triad] = (value + (end - start) * likely.get(triad, other), [*way, triad])
        ways = new
    return max(ways.values(), key=lambda pair: pair[0], default=(0.0, silent))[1]


def worth(
    song: Sequence[Rows], triads: Sequence[Triad | None], weights: Sequence[float], cost: float
) -> float:
    """Return what a way through the units is worth: expected right seconds, less its changes."""
    cut = units(song)
    number = len({triad_of(label) for _, _, labels in cut for label in labels} - {None})
    value, before = 0.0, None
    for (start, end, labels), triad in zip(cut, triads, strict=True):
        if triad is not None:
            likely = probabilities([triad_of(label) for label in labels], weights, number)
            other = (1 - sum(likely.values())) / (max(25, number) - len(likely))
            value += (end - start) * likely.get(triad, other) - cost * (before not in (None, triad))
            before = triad
    return value
