# SPDX-License-Identifier: MIT
"""Chords as states that follow each other: which there are, and the best way through them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic
from kammerton.systems.chroma import Chroma

Matrix = NDArray[np.float64]
Codes = NDArray[np.int64]
Grid = Literal["frames", "beats", "half-beats"]
Vocabulary = Literal["majmin", "sevenths"]

_ROOTS = ("C", "Db", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B")
_DEGREES = {0: "", 3: "/b3", 4: "/3", 6: "/b5", 7: "/5", 10: "/b7", 11: "/7"}
TONES: Mapping[str, tuple[int, ...]] = {
    "maj": (0, 4, 7),
    "min": (0, 3, 7),
    "dim": (0, 3, 6),
    "7": (0, 4, 7, 10),
    "min7": (0, 3, 7, 10),
    "maj7": (0, 4, 7, 11),
}
"""Semitones above the root, by quality."""
QUALITIES: Mapping[Vocabulary, tuple[str, ...]] = {"majmin": ("maj", "min"), "sevenths": tuple(TONES)}
"""Qualities of each vocabulary."""
_SILENT = 0.003
"""Loudness of silence, by the loudest frame: 50 dB less."""


@dataclass(frozen=True, eq=False)
class States:
    """Every chord of a vocabulary, once for each tone that may be its bass; and last, no chord."""

    labels: tuple[str, ...]
    roots: Codes  # pitch classes; a state per place, but none for no chord
    qualities: Codes  # numbers of qualities
    basses: Codes  # pitch classes

    @property
    def are_inverted(self) -> NDArray[np.bool_]:
        """Which states have another bass than the root."""
        return np.not_equal(self.roots, self.basses)


def states_of(qualities: Sequence[str], *, inversions: bool) -> States:
    """Return the states of qualities, with their inversions or without."""
    chords = [
        (root, number, tone)
        for number, quality in enumerate(qualities)
        for tone in TONES[quality][: None if inversions else 1]
        for root in range(12)
    ]
    roots, numbers, tones = np.array(chords).T
    labels = [f"{_ROOTS[root]}:{qualities[number]}{_DEGREES[tone]}" for root, number, tone in chords]
    return States((*labels, "N"), roots, numbers, (roots + tones) % 12)


@dataclass(frozen=True, eq=False)
class HeardChords:
    """Chords of a recording, as a system hears them."""

    intervals: Matrix
    labels: tuple[str, ...]
    confidence: NDArray[np.float64]
    diagnostics: tuple[Diagnostic, ...]


def hear(
    chroma: Chroma,
    beats: NDArray[np.float64],
    states: States,
    scores: Matrix,
    transitions: Matrix,
    *,
    certainty: float,
) -> HeardChords:
    """Return the best sequence of chords, given the log score of each state in each frame.

    Chords change on beats alone if there are any. The confidence of a row is the mean probability of its
    state, for which scores are multiplied by ``certainty``: what neighbouring frames say is half the same.
    """
    scores, times = by_step(chroma, beats, scores)
    path = best_path(scores, transitions)
    shares = posteriors(certainty * scores, transitions)[np.arange(len(path)), path]
    return joined(times, [states.labels[state] for state in path], shares, chroma.diagnostics)


def by_step(chroma: Chroma, beats: NDArray[np.float64], scores: Matrix) -> tuple[Matrix, NDArray[np.float64]]:
    """Return the log scores of steps, and the times between these: beats, or frames where there are none."""
    scores = scores.copy()
    scores[chroma.loudness < _SILENT, :-1] -= 1e3  # nothing but no chord
    if not len(beats):
        return scores, chroma.times
    times = np.concatenate((chroma.times[:1], beats[beats > chroma.times[0]], chroma.times[-1:]))
    middles = (chroma.times[1:] + chroma.times[:-1]) / 2
    steps, starts = np.unique(np.searchsorted(times, middles, side="right") - 1, return_index=True)
    edges = np.append(times[steps], times[-1])
    edges[0] = times[0]  # whatever is before the first frame's middle
    return np.add.reduceat(scores, starts), edges


def joined(
    times: NDArray[np.float64],
    labels: Sequence[str],
    shares: NDArray[np.float64],
    diagnostics: tuple[Diagnostic, ...],
) -> HeardChords:
    """Return the rows of steps, equal neighbours as one, with the mean of their shares as confidence."""
    starts = np.flatnonzero([True, *map(str.__ne__, labels[1:], labels[:-1])])
    durations = np.diff(times)
    return HeardChords(
        np.column_stack((times[starts], np.append(times[starts[1:]], times[-1]))),
        tuple(labels[start] for start in starts.tolist()),
        np.minimum(np.add.reduceat(shares * durations, starts) / np.add.reduceat(durations, starts), 1.0),
        diagnostics,
    )


def stay_or_switch(count: int, stay: float) -> Matrix:
    """Return log probabilities of states after each other, where all others are as probable."""
    transitions = np.full((count, count), np.log((1 - stay) / (count - 1)))
    np.fill_diagonal(transitions, np.log(stay))
    return transitions


def best_path(scores: Matrix, transitions: Matrix) -> Codes:
    """Return the state of each step on the path of the highest sum of log scores and transitions."""
    before = np.empty(scores.shape, dtype=np.int64)
    totals = scores[0]
    for step in range(1, len(scores)):
        ways = totals[:, None] + transitions
        before[step] = ways.argmax(axis=0)
        totals = ways.max(axis=0) + scores[step]
    path = [int(totals.argmax())]
    for step in range(len(scores) - 1, 0, -1):
        path.append(int(before[step, path[-1]]))
    return np.array(path[::-1])


def posteriors(scores: Matrix, transitions: Matrix) -> Matrix:
    """Return the probability of each state in each step, by sums forward and backward."""
    likelihoods = np.exp(scores - scores.max(axis=1, keepdims=True))
    follows = np.exp(transitions)
    forward, backward = likelihoods.copy(), np.ones_like(likelihoods)
    forward[0] /= forward[0].sum()
    for step in range(1, len(scores)):
        forward[step] *= forward[step - 1] @ follows
        forward[step] /= forward[step].sum()
    for step in range(len(scores) - 1, 0, -1):
        backward[step - 1] = follows @ (likelihoods[step] * backward[step])
        backward[step - 1] /= backward[step - 1].sum()
    shares = forward * backward
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))
