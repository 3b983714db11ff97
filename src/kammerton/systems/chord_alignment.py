# SPDX-License-Identifier: MIT
"""Jump alignment: when the chords of a sheet sound in a recording.

After M. McVicar, Y. Ni, R. Santos-Rodriguez, T. De Bie, ISMIR 2011. The states of a hidden Markov model are
the chords of the sheet in their order: it stays in one, goes on to the next, or jumps from the end of a row
to the beginning of another one. Besides it may leave the sheet for a model of any chords, and come back: what
a bad sheet becomes is what is heard without it. Of the twelve keys, the one that fits best is taken.

Chords are numbers here: ``12 * quality + root``, and last of all ``N``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import OptionError

Matrix = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class SheetSettings:
    """Settings of the system ``sheet``.

    Parameters
    ----------
    jump : float
        Probability of a jump from the end of a row to the beginning of another, by that of going on.
    leave : float
        Probability of leaving the sheet, by that of going on.
    enter : float
        Probability of coming back to a chord of the sheet, by that of staying outside.
    """

    jump: float = 0.05
    leave: float = 1e-3
    enter: float = 1e-2

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
                raise OptionError(f"{name} is a probability from 0 to 1, not {value}")


@dataclass(frozen=True, eq=False)
class Alignment:
    """The most probable way through a sheet.

    Parameters
    ----------
    states : ndarray of int64, shape (frames,)
        State at each frame: a position in the sheet, or behind all of them the number of a chord in the key
        of the sheet.
    transposition : int
        Semitones, 0 to 11, by which the recording is above the sheet.
    log_likelihood : float
        Of this way.
    """

    states: Codes
    transposition: int
    log_likelihood: float


class SheetModel:
    """The hidden Markov model of a sheet.

    Its states are the positions in the sheet, and behind them the chords outside of it.

    Parameters
    ----------
    chords : ndarray of int64, shape (n,)
        Number of each chord of the sheet.
    rows : ndarray of int64, shape (n,)
        Number of the row in which each stands.
    transitions : ndarray of float64, shape (chords, chords)
        Probability that a chord follows another; the same in every key.
    settings : SheetSettings
    """

    def __init__(self, chords: Codes, rows: Codes, transitions: Matrix, settings: SheetSettings) -> None:
        self._chords, self._count = chords, len(chords)
        ends = np.append(np.flatnonzero(np.diff(rows)), len(rows) - 1)
        starts = np.append(0, ends[:-1] + 1)
        weights = np.zeros((self._count + len(transitions),) * 2)
        inside, outside = slice(self._count), slice(self._count, None)
        between = transitions[np.ix_(chords, chords)]
        weights[np.ix_(ends, starts)] = settings.jump * between[np.ix_(ends, starts)]
        for apart in (0, 1):
            places = np.arange(self._count - apart)
            weights[places, places + apart] = between[places, places + apart]
        weights[inside, outside] = settings.leave * transitions[chords]
        weights[outside, inside] = settings.enter * transitions[:, chords]
        weights[outside, outside] = transitions
        totals = weights.sum(axis=1)
        with np.errstate(divide="ignore"):
            self.log_weights: Matrix = np.log(weights / totals[:, None])
            self._transitions, self._totals = np.log(transitions), np.log(totals)
            self._jump, self._leave, self._enter = np.log((settings.jump, settings.leave, settings.enter))
        self._ends, self._starts = _Grouped(chords, ends), starts
        self._all = _Grouped(chords, np.arange(self._count))

    def align(self, scores: Matrix) -> Alignment:
        """Return the most probable way through the sheet, in the key that fits best.

        ``scores`` are the log likelihoods of all chords at each frame, shape (frames, chords).
        """
        keys = transpositions(scores.shape[1])
        key = int(self._forward(scores, keys)[-1].max(axis=1).argmax())
        history = self._forward(scores, keys[key : key + 1])
        states = np.empty(len(scores), dtype=np.int64)
        states[-1] = history[-1][0].argmax()
        for frame in range(len(scores) - 2, -1, -1):
            states[frame] = (history[frame][0] + self.log_weights[:, states[frame + 1]]).argmax()
        return Alignment(states, key, float(history[-1].max()))

    def _forward(self, scores: Matrix, keys: Codes) -> list[Matrix]:
        """Return the log likelihood of the best way to each state, shape (keys, states).

        Of each frame for a single key; of the last one for several.
        """
        history: list[Matrix] = []
        for frame in scores:
            outside = frame[keys]
            emission = np.concatenate((outside[:, self._chords], outside), axis=1)
            start = -np.log(emission.shape[1])
            best = (self._step(history[-1]) if history else start) + emission
            if len(keys) > 1:
                history.clear()
            history.append(best)
        return history

    def _step(self, best: Matrix) -> Matrix:
        """Return the best way to each next state: the form of the weights saves most of the work."""
        best = best - self._totals
        inside, outside = best[:, : self._count], best[:, self._count :]
        size = len(self._transitions)
        from_all, from_ends = self._all.best(inside, size), self._ends.best(inside, size)
        sources = np.stack((outside, from_all, from_ends))
        entered, left, jumped = (sources[:, :, :, None] + self._transitions).max(axis=2)
        after = inside + np.diagonal(self._transitions)[self._chords]
        onward = inside[:, :-1] + self._transitions[self._chords[:-1], self._chords[1:]]
        after[:, 1:] = np.maximum(after[:, 1:], onward)
        after[:, self._starts] = np.maximum(
            after[:, self._starts], jumped[:, self._chords[self._starts]] + self._jump
        )
        after = np.maximum(after, entered[:, self._chords] + self._enter)
        return np.concatenate((after, np.maximum(entered, left + self._leave)), axis=1)


class _Grouped:
    """Positions by their chord."""

    def __init__(self, chords: Codes, positions: Codes) -> None:
        self._order = positions[np.argsort(chords[positions], kind="stable")]
        self._chords, self._firsts = np.unique(chords[self._order], return_index=True)

    def best(self, values: Matrix, size: int) -> Matrix:
        """Return the largest value of each chord, shape (keys, size)."""
        largest = np.full((len(values), size), -np.inf)
        largest[:, self._chords] = np.maximum.reduceat(values[:, self._order], self._firsts, axis=1)
        return largest


def transpositions(size: int) -> Codes:
    """Return the number of each chord so many semitones higher, shape (12, size); ``N`` stays."""
    codes = np.arange(size - 1)
    higher = codes // 12 * 12 + (codes + np.arange(12)[:, None]) % 12
    return np.pad(higher, ((0, 0), (0, 1)), constant_values=size - 1)
