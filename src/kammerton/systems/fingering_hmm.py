# SPDX-License-Identifier: MIT
"""Hidden Markov models of fingering: fingers follow fingers, and two fingers make an interval.

The models of E. Nakamura et al. of the first and second order, trained by counting. The left hand is
mirrored, so that both hands count together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Literal, get_args

import numpy as np

from kammerton.arrays import Codes
from kammerton.errors import DataError, Diagnostic, OptionError
from kammerton.fingering.annotation import Fingering
from kammerton.fingering.decoding import decode
from kammerton.fingering.judging import profile_named
from kammerton.fingering.lines import (
    INTERVALS,
    MIDDLE_C,
    HandLine,
    Table,
    hand_lines,
    played_hands,
    with_fingers,
)
from kammerton.systems.fingering_paths import best_paths, check_settings, keep_fixed, marginals, sample_path
from kammerton.systems.models import Model
from kammerton.systems.system import Input, System, SystemCard

Decoding = Literal["marginals", "path", "sample"]

_SMOOTHING: Mapping[Decoding, float] = {"marginals": 0.1, "path": 1e-3, "sample": 0.1}
"""What is added to each count."""
_CROSSED = -5.0
"""Log score of two notes of a chord whose fingers are not in the order of their keys."""
_WEIGHTS = {1: (0.964,), 2: (0.556, 0.407)}
"""Weights of the interval from the last note, and from the note before it, by order."""
_SHORTER = 0.474
"""Weight of the first order within the transitions of the second."""


@dataclass(frozen=True)
class HmmSettings:
    """Settings of the systems ``hmm1`` and ``hmm2``.

    Parameters
    ----------
    decoding : {"marginals", "path", "sample"}
        The most probable finger of each note; the most probable fingers of a whole hand; or fingers drawn
        at random, as probable as the model takes them to be.
    seed : int
        Seed of ``sample``.
    profile : str
        Span table by which ``marginals`` have to be playable, such as ``parncutt1997``; by default none.
    keep : bool
        Keep the fingers that the notes have, and find the others.
    split : int
        The lowest key, as a MIDI number, that goes to the right hand where nothing tells the hand.
    """

    decoding: Decoding = "marginals"
    seed: int = 0
    profile: str = ""
    keep: bool = False
    split: int = MIDDLE_C

    def __post_init__(self) -> None:
        if self.decoding not in get_args(Decoding):
            raise OptionError.unknown("decoding", str(self.decoding), get_args(Decoding))
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise OptionError(f"a seed is a whole number from 0 on, not {self.seed}")
        if self.profile:
            profile_named(self.profile)
            if self.decoding != "marginals":
                raise OptionError(f"a profile needs marginals, not {self.decoding}")
        check_settings(self.keep, self.split)


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


def _scores(line: HandLine, model: Model, settings: HmmSettings) -> Table:
    scores = log_scores(line, model.arrays, _SMOOTHING[settings.decoding])
    return keep_fixed(scores, line, -np.inf) if settings.keep else scores


def _annotate(source: Input, model: Model, settings: HmmSettings) -> Fingering:
    fingering = next(iter(source.annotations.values()))
    lines = list(hand_lines(fingering, settings.split))
    digest = hashlib.sha256(source.item.encode("utf-8", "surrogateescape")).digest()
    rng = np.random.default_rng([settings.seed, int.from_bytes(digest[:8], "little")])
    if settings.profile:
        return _playable(fingering, lines, model, settings)
    fingers = (_decoded(_scores(line, model, settings), settings.decoding, rng) for line in lines)
    return with_fingers(fingering, lines, fingers, settings.split, keep=settings.keep)


def _playable(
    fingering: Fingering, lines: Sequence[HandLine], model: Model, settings: HmmSettings
) -> Fingering:
    """Finger notes as probably as a hand can play them."""
    shares = np.zeros((len(fingering), 5))
    fixed = np.zeros(len(fingering), dtype=np.int64)
    for line in lines:
        shares[line.notes] = marginals(_scores(line, model, settings))
        fixed[line.notes] = line.fixed if settings.keep else 0
    hands = played_hands(fingering, settings.split)
    fingers = decode(
        shares,
        fingering.pitches,
        hands,
        fingering.onsets,
        fingering.offsets,
        profile=settings.profile,
        fixed=fixed,
    )
    of_lines = [fingers[line.notes] for line in lines]
    return with_fingers(fingering, lines, of_lines, settings.split, keep=settings.keep)


def _decoded(scores: Table, decoding: Decoding, rng: np.random.Generator) -> Codes:
    if decoding == "marginals":
        return np.asarray(marginals(scores).argmax(axis=1) + 1)
    return best_paths(-scores)[0][0] if decoding == "path" else sample_path(scores, rng)


def _train(fingerings: Mapping[str, Sequence[Fingering]], _: HmmSettings, order: int) -> dict[str, Table]:
    counts = count_fingers(fingerings, order)
    if not any(table.any() for table in counts.values()):
        message = "there is nothing to learn: no note has a finger"
        raise DataError((Diagnostic(code="KT809", severity="error", message=message),))
    return counts


_FOLDS = "68 scales and arpeggios of Beringer (pydactyl, MIT) in five folds, the n-th by name in fold n mod 5"
_LEVELS = {
    1: f"{_FOLDS}: M_gen 64.7 [60.5, 68.8]; playable by parncutt1997 63.6 [59.8, 67.3]",
    2: f"{_FOLDS}: M_gen 67.6 [62.9, 72.1]; by the best path 68.5 [63.8, 72.9]; playable 65.2 [61.0, 69.3]",
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
        options=HmmSettings,
        annotate=_annotate,
        train=partial(_train, order=order),
        arrays=shapes(order),
    )
    for order, before in ((1, "finger"), (2, "two fingers"))
)
