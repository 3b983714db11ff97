# SPDX-License-Identifier: MIT
"""Chords of a recording by a hidden Markov model, which is trained on anybody's recordings and chords.

A chord sounds alike from every root: what is learned of one root counts for all twelve. A quality is a
Gaussian of the chroma above the root; chords follow each other by qualities and the interval of roots.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kammerton.chords.annotation import ChordAnnotation
from kammerton.chords.templates import encode_label
from kammerton.errors import DataError, Diagnostic, OptionError
from kammerton.systems.chord_audio import CHORALES, bass_scores, change_times, check_choice, unit_rows
from kammerton.systems.chord_states import (
    QUALITIES,
    TONES,
    Grid,
    HeardChords,
    Matrix,
    States,
    hear,
    states_of,
)
from kammerton.systems.chroma import HOP, RATE, Chroma, read_chroma
from kammerton.systems.models import Model
from kammerton.systems.system import Input, System, SystemCard, TrainingItems

_QUALITIES = QUALITIES["sevenths"]
_NONE = len(_QUALITIES)
"""Number of no chord, after the qualities."""
_SIZE = 24
"""Numbers of a frame: chroma of the treble, and of the bass."""
_COMPRESSION = 0.5
"""Exponent of the chroma."""
_CORRELATED = 0.15
"""What log likelihoods are multiplied by, since neighbouring frames say much the same."""
_BASS = 6.0
"""Log score of what the bass adds, for the bass of inversions."""
_SAME_BASS = 0.8
"""Probability that a chord that stays keeps its bass."""
_SMOOTHING = 0.1
"""What is added to the count of each change."""
_FEW = 50
"""Frames of all qualities together that each quality's covariance is mixed with."""
_LEAST_VARIANCE = 1e-3
_UNHEARD = -3e3
"""Log likelihood of what the model has not learned: more than chords have in silence."""


@dataclass(frozen=True)
class AudioHmmSettings:
    """Settings of the system ``audio-hmm``.

    Parameters
    ----------
    grid : {"half-beats", "beats", "frames"}
        When chords may change; frames are 93 ms long. Where there are no beats, at frames.
    inversions : bool
        Name the bass of chords whose lowest tone is not the root.
    """

    grid: Grid = "half-beats"
    inversions: bool = True

    def __post_init__(self) -> None:
        check_choice("grid", self.grid, Grid)
        if not isinstance(self.inversions, bool):
            raise OptionError.of_type("inversions", self.inversions, "a bool")


def features(chroma: Chroma) -> Matrix:
    """Return the numbers of each frame."""
    return np.hstack([unit_rows(part**_COMPRESSION) for part in (chroma.treble, chroma.bass)])


def rotated(frames: Matrix, semitones: int) -> Matrix:
    """Return frames as they would be that many semitones lower."""
    return np.roll(frames.reshape(len(frames), 2, 12), -semitones, axis=2).reshape(frames.shape)


def root_and_quality(label: str) -> tuple[int, int] | None:
    """Return root and number of the largest quality whose tones a label has.

    >>> [root_and_quality(label) for label in ("D:9/3", "B:hdim7", "N", "C:sus4")]
    [(2, 3), (11, 2), (0, 6), None]
    """
    chord = encode_label(label)
    if chord.kind == "N":
        return 0, _NONE
    heard = {tone for tone in range(12) if chord.bits >> tone & 1}
    fitting = [quality for quality in _QUALITIES if heard.issuperset(TONES[quality])]
    if chord.kind != "chord" or not fitting:
        return None
    return chord.root, _QUALITIES.index(max(fitting, key=lambda quality: len(TONES[quality])))


class _Counts:
    """What is counted in recordings and their chords, item by item."""

    def __init__(self) -> None:
        self.frames = np.zeros(_NONE + 1)
        self.sums = np.zeros((_NONE + 1, _SIZE))
        self.products = np.zeros((_NONE + 1, _SIZE, _SIZE))
        self.changes = np.zeros((_NONE + 1, _NONE + 1, 12))
        self.rows, self.seconds = np.zeros(_NONE + 1), np.zeros(_NONE + 1)

    def add(self, chroma: Chroma, chords: ChordAnnotation) -> None:
        """Count one recording."""
        frames = features(chroma)
        middles = (chroma.times[1:] + chroma.times[:-1]) / 2
        codes = [root_and_quality(label) for label in chords.labels]
        for (start, end), code in zip(chords.intervals.tolist(), codes, strict=True):
            own = frames[np.searchsorted(middles, start) : np.searchsorted(middles, end)]
            if code is None or not len(own):
                continue
            root, quality = code
            for turn in range(12) if quality == _NONE else (root,):  # no chord has no root
                turned = rotated(own, turn)
                self.frames[quality] += len(turned)
                self.sums[quality] += turned.sum(axis=0)
                self.products[quality] += turned.T @ turned
            self.rows[quality] += 1
            self.seconds[quality] += end - start
        for before, after in pairwise(codes):
            if before is not None and after is not None and before != after:
                interval = 0 if _NONE in (before[1], after[1]) else (after[0] - before[0]) % 12
                self.changes[before[1], after[1], interval] += 1

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """Return the arrays of a model."""
        means = self.sums / np.maximum(self.frames, 1)[:, None]
        scatters = self.products - self.frames[:, None, None] * means[:, :, None] * means[:, None, :]
        mixed = scatters + _FEW * scatters[:_NONE].sum(axis=0) / max(self.frames[:_NONE].sum(), 1)
        covariances = mixed / (self.frames + _FEW)[:, None, None] + _LEAST_VARIANCE * np.eye(_SIZE)
        return {
            "mean": means,
            "covariance": covariances,
            "changes": self.changes,
            "rows": self.rows,
            "seconds": self.seconds,
        }


def _train(items: TrainingItems, _: AudioHmmSettings) -> dict[str, NDArray[np.float64]]:
    counts = _Counts()
    for number, item in enumerate(list(items), 1):
        try:
            chroma = read_chroma(items.files[item]["audio"])
        except DataError as error:
            items.leave_out(item, error.diagnostics)
            continue
        for chords in items[item]:
            counts.add(chroma, chords)
        items.report(f"{number} recordings")
    if not counts.rows[:_NONE].any():
        message = "there is nothing to learn: no label is a chord that the system knows"
        raise DataError((*items.diagnostics, Diagnostic(code="KT809", severity="error", message=message)))
    return counts.arrays()


def likelihoods(frames: Matrix, states: States, arrays: Mapping[str, Any]) -> Matrix:
    """Return the log likelihood of each frame by each state."""
    from scipy.linalg import solve_triangular  # noqa: PLC0415 - scipy takes long to load

    scores = np.full((len(frames), len(states.labels)), _UNHEARD)
    qualities = np.append(states.qualities, _NONE)
    roots = np.append(states.roots, 0)
    for quality in np.flatnonzero(arrays["rows"]):
        lower = np.linalg.cholesky(arrays["covariance"][quality])
        constant = np.log(np.diag(lower)).sum() + _SIZE / 2 * np.log(2 * np.pi)
        for root in np.unique(roots[qualities == quality]):
            apart = rotated(frames, root) - arrays["mean"][quality]
            squares = (solve_triangular(lower, apart.T, lower=True) ** 2).sum(axis=0)
            scores[:, (qualities == quality) & (roots == root)] = (-squares / 2 - constant)[:, None]
    return scores


def transitions(states: States, arrays: Mapping[str, Any], step: float) -> Matrix:
    """Return the log probability of each state after each other one, ``step`` seconds later."""
    qualities = np.append(states.qualities, _NONE)
    roots = np.append(states.roots, 0)
    counts = arrays["changes"] + _SMOOTHING
    counts[:, _NONE, 0] *= 12  # smoothed as much as a quality with all its roots
    counts[_NONE, :_NONE] = counts[_NONE, :_NONE, :1] / 12
    interval = np.where(qualities == _NONE, 0, (roots - roots[:, None]) % 12)
    basses = np.bincount(qualities)[qualities] / np.where(qualities == _NONE, 1, 12)
    changes = counts[qualities[:, None], qualities, interval] / basses
    same = (qualities == qualities[:, None]) & (roots == roots[:, None])
    changes[same] = 0
    changes /= changes.sum(axis=1, keepdims=True)
    others = np.maximum(basses - 1, 1)[:, None]
    stays = np.where(np.eye(len(roots), dtype=bool), _SAME_BASS, same * (1 - _SAME_BASS) / others)
    stays /= stays.sum(axis=1, keepdims=True)
    rows, seconds = arrays["rows"], arrays["seconds"]
    usual = seconds.sum() / rows.sum()
    lengths = np.where(rows > 0, seconds / np.maximum(rows, 1), usual)
    stay = np.exp(-step / np.maximum(lengths, 1e-3))[qualities][:, None]
    return np.asarray(np.log(np.maximum(stay * stays + (1 - stay) * changes, 1e-30)))


def _annotate(source: Input, model: Model, settings: AudioHmmSettings) -> HeardChords:
    return _hear(source.files["audio"], model.arrays, settings)


def _hear(path: Path, arrays: Mapping[str, Any], settings: AudioHmmSettings) -> HeardChords:
    chroma, beats = read_chroma(path), change_times(path, settings.grid)
    states = states_of(_QUALITIES, inversions=settings.inversions)
    scores = _CORRELATED * likelihoods(features(chroma), states, arrays)
    if settings.inversions:
        scores[:, :-1] += _BASS * bass_scores(chroma, states)
    step = float(np.median(np.diff(beats))) if len(beats) > 1 else HOP / RATE
    return hear(chroma, beats, states, scores, transitions(states, arrays, step), certainty=1.0)


_LEVELS = (
    f"{CHORALES}, each by a model of the 15 others: piano 87.6 [84.3, 90.6], strings 90.4 [87.7, 92.8]",
    "winds 91.3 [89.2, 93.3]",
    "where the system audio has 85.0 [81.6, 88.2], 89.1 [86.9, 91.3], 88.1 [85.6, 90.5]",
    "by a model of 30 medium scenes: piano 82.3 [78.3, 86.2], strings 84.5 [81.1, 87.3]",
)

AUDIO_HMM = System(
    name="audio-hmm",
    task="chords",
    takes=frozenset(("audio",)),
    card=SystemCard(
        summary="A hidden Markov model of chords, trained on recordings and their chords.",
        source="Sheh & Ellis, ISMIR 2003; chroma and beats of the system audio",
        licence="MIT",
        trained_on="what its model was trained on",
        levels=_LEVELS,
        limits="Six qualities; one tempo and one tuning throughout. Music unlike what it was trained on it "
        "hears worse than the system audio does.",
        cost="10 minutes of sound in about 5 s, to train or to annotate",
    ),
    options=AudioHmmSettings,
    annotate=_annotate,
    extra="audio",
    train=_train,
    arrays={
        "mean": (_NONE + 1, _SIZE),
        "covariance": (_NONE + 1, _SIZE, _SIZE),
        "changes": (_NONE + 1, _NONE + 1, 12),
        "rows": (_NONE + 1,),
        "seconds": (_NONE + 1,),
    },
)
