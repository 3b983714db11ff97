# SPDX-License-Identifier: MIT
"""Hidden Markov models of fingering: fingers follow fingers, and two fingers make an interval.

The models of E. Nakamura et al. of the first and second order, trained by counting. The left hand is
mirrored, so that both hands count together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain

import numpy as np

from kammerton.arrays import Codes
from kammerton.errors import DataError, Diagnostic
from kammerton.fingering.annotation import Fingering
from kammerton.fingering.lines import INTERVALS, HandLine, Table, hand_lines
from kammerton.systems.fingering_paths import BERINGER, Decoding, PathSettings, fingered
from kammerton.systems.models import Model
from kammerton.systems.system import Input, System, SystemCard

_SMOOTHING: Mapping[Decoding, float] = {"marginals": 0.1, "path": 1e-3, "sample": 0.1}
"""What is added to each count."""
_CROSSED = -5.0
"""Log score of two notes of a chord whose fingers are not in the order of their keys."""
_WEIGHTS = {1: (0.964,), 2: (0.556, 0.407)}
"""Weights of the interval from the last note, and from the note before it, by order."""
_SHORTER = 0.474
"""Weight of the first order within the transitions of the second."""


def shapes(order: int) -> dict[str, tuple[int, ...]]:
    """Return the tables of counts of a model, the last axis what is counted, and their shapes."""
    known: dict[str, tuple[int, ...]] = {"first": (5,), "next": (5, 5), "interval": (5, 5, INTERVALS)}
    if order == 2:
        known |= {"next_of_two": (5, 5, 5), "interval_of_two": (5, 5, INTERVALS)}
    return known


def count_fingers(fingerings: Mapping[str, Sequence[Fingering]], order: int) -> dict[str, Table]:
    """Return how often each finger follows others, and makes each interval with them.

    Where a note has no finger, nothing is counted that it takes part in.
    """
    counts = {name: np.zeros(shape) for name, shape in shapes(order).items()}
    for line in chain.from_iterable(map(hand_lines, chain.from_iterable(fingerings.values()))):
        for name, cells in _cells(line, order):
            places = np.stack(cells)
            np.add.at(counts[name], tuple(places[:, (places >= 0).all(axis=0)]), 1)
    return counts


def _cells(line: HandLine, order: int) -> Iterator[tuple[str, tuple[Codes, ...]]]:
    """Give the cells of each table that a line counts in; negative where a finger is missing."""
    fingers = line.fixed - 1
    yield "first", (fingers[:1],)
    yield "next", (fingers[:-1], fingers[1:])
    yield "interval", (fingers[:-1], fingers[1:], line.intervals(1)[1:])
    if order == 2:
        yield "next_of_two", (fingers[:-2], fingers[1:-1], fingers[2:])
        yield "interval_of_two", (fingers[:-2], fingers[2:], line.intervals(2)[2:])


def log_scores(line: HandLine, counts: Mapping[str, Table], smoothing: float) -> Table:
    """Return the log score of each note with each three last fingers, shape (notes, 5, 5, 5)."""
    shares = {}
    for name, table in counts.items():
        smooth = table + smoothing
        shares[name] = smooth / smooth.sum(axis=-1, keepdims=True)
    scores = np.zeros((len(line), 5, 5, 5))
    scores[0] = np.log(shares["first"])
    if len(line) == 1:
        return scores
    order = 2 if "next_of_two" in counts else 1
    follows, makes = np.log(shares["next"]), np.log(shares["interval"]).transpose(2, 0, 1)
    scores[1:] = (follows + _WEIGHTS[order][0] * makes[line.intervals(1)[1:]])[:, None]
    if order == 2:
        scores[1] = follows + makes[line.intervals(1)[1]]  # not weighted, at the beginning
        transitions = (1 - _SHORTER) * shares["next_of_two"] + _SHORTER * shares["next"]
        scores[2:] += np.log(transitions) - follows
        farther = np.log(shares["interval_of_two"]).transpose(2, 0, 1)[line.intervals(2)[2:]]
        scores[2:] += _WEIGHTS[2][1] * farther[:, :, None, :]
    for apart in range(1, order + 1):
        scores[apart:] += _crossings(line, apart)
    return scores


def _crossings(line: HandLine, apart: int) -> Table:
    """Return the log score of fingers that contradict the order of the keys of a chord."""
    together = line.chords[apart:] == line.chords[:-apart]
    together &= line.pitches[apart:] != line.pitches[:-apart]
    crossed = (
        np.subtract.outer(np.arange(5), np.arange(5)) > 0
    )  # by the lower note's finger, and the higher's
    by_fingers = crossed[None] if apart == 1 else crossed[:, None]
    return np.asarray(_CROSSED * (together[:, None, None, None] & by_fingers))


def _annotate(source: Input, model: Model, settings: PathSettings) -> Fingering:
    def scores_of(fingering: Fingering, lines: Sequence[HandLine]) -> Iterator[Table]:  # noqa: ARG001
        return (log_scores(line, model.arrays, _SMOOTHING[settings.decoding]) for line in lines)

    return fingered(source, settings, scores_of)


def _train(fingerings: Mapping[str, Sequence[Fingering]], _: PathSettings, order: int) -> dict[str, Table]:
    counts = count_fingers(fingerings, order)
    if not any(table.any() for table in counts.values()):
        message = "there is nothing to learn: no note has a finger"
        raise DataError((Diagnostic(code="KT809", severity="error", message=message),))
    return counts


_LEVELS = {
    1: f"{BERINGER}: M_gen 67.3 [63.0, 71.6]; playable by parncutt1997 65.7 [61.7, 69.6]",
    2: f"{BERINGER}: M_gen 70.5 [66.0, 74.8]; by the best path 71.5 [66.9, 75.8]; playable 67.5 [63.2, 71.5]",
}
HMMS = tuple(
    System(
        name=f"hmm{order}",
        task="fingering",
        takes=frozenset(("notes",)),
        card=SystemCard(
            summary=f"A hidden Markov model of fingers by the last {before}, trained by counting.",
            source="Nakamura et al. 2020, doi:10.1016/j.ins.2019.12.068",
            licence="MIT",
            trained_on="what its model was trained on",
            levels=(_LEVELS[order],),
            limits="Fingers depend on the last notes alone; both hands are one, mirrored.",
            cost="10,000 notes a second",
        ),
        options=PathSettings,
        annotate=_annotate,
        train=partial(_train, order=order),
        arrays=shapes(order),
        version=2,  # the first had intervals of the left hand to and from black keys otherwise
    )
    for order, before in ((1, "finger"), (2, "two fingers"))
)
