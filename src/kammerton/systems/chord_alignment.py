# SPDX-License-Identifier: MIT
"""Jump alignment: when the chords of a sheet sound in a recording.

After M. McVicar, Y. Ni, R. Santos-Rodriguez, T. De Bie, ISMIR 2011. The states of a hidden Markov model are
the chords of the sheet in their order: it stays in one, goes on to the next, or jumps from the end of a row
to the beginning of any. Besides it may leave the sheet for the chords that the system ``audio`` has, and come
back: what a bad sheet becomes is what is heard without it. Of the twelve keys, the one that fits best is
taken.

Chords are numbers here: ``12 * kind + root``, and last of all no chord.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kammerton.chords.templates import encode_label
from kammerton.errors import Diagnostic, OptionError
from kammerton.systems.chord_audio import change_times, tone_similarities
from kammerton.systems.chord_sheets import read_sheet, transposed
from kammerton.systems.chord_states import (
    QUALITIES,
    TONES,
    HeardChords,
    States,
    by_step,
    joined,
    posteriors,
    states_of,
    stay_or_switch,
)
from kammerton.systems.chroma import read_chroma
from kammerton.systems.system import Input, System, SystemCard

Matrix = NDArray[np.float64]
Codes = NDArray[np.int64]

_SHARPNESS = 6.0
"""Log score of a similarity of 1: less than that of the system `audio`, for the sheet has a say, too."""
_LITTLE = 0.5
"""Share of the time below which a sheet is followed too little to be of this recording."""


@dataclass(frozen=True)
class SheetSettings:
    """Settings of the system ``sheet``.

    Parameters
    ----------
    stay : float
        Probability that a chord stays from one half beat to the next.
    jump : float
        Probability of a jump where a row ends, if the chord does not stay.
    leave : float
        Probability of leaving the sheet, if the chord does not stay.
    enter : float
        Probability of coming back to the sheet, if the chord does not stay.
    """

    stay: float = 0.97
    jump: float = 0.05
    leave: float = 0.03
    enter: float = 0.1

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
                raise OptionError(f"{name} is a probability between 0 and 1, not {value}")
        if self.jump + self.leave >= 1:
            raise OptionError("jump and leave are 1 or more together")


@dataclass(frozen=True, eq=False)
class Alignment:
    """The most probable way through a sheet.

    Parameters
    ----------
    states : ndarray of int64, shape (steps,)
        State at each step: a position in the sheet, or behind all of them the number of a chord in the key of
        the sheet.
    key : int
        Semitones, 0 to 11, by which the recording is above the sheet.
    log_likelihood : float
        Of this way.
    """

    states: Codes
    key: int
    log_likelihood: float


class SheetModel:
    """The hidden Markov model of a sheet: positions in the sheet, and behind them all chords outside of it.

    Parameters
    ----------
    chords : ndarray of int64, shape (n,)
        Number of each chord of the sheet.
    rows : ndarray of int64, shape (n,)
        Number of the row in which each stands.
    size : int
        Number of all chords.
    settings : SheetSettings
    """

    def __init__(self, chords: Codes, rows: Codes, size: int, settings: SheetSettings) -> None:
        count = len(chords)
        self._chords, self._count, self._size = chords, count, size
        self._ends = np.append(np.flatnonzero(np.diff(rows)), count - 1)
        self._starts = np.append(0, self._ends[:-1] + 1)
        move, at_end = 1 - settings.stay, np.isin(np.arange(count), self._ends)
        self._stay = np.log(settings.stay)
        self._next = np.log(move * (1 - settings.leave - np.where(at_end, settings.jump, 0)))[:-1]
        self._jump = np.log(move * settings.jump / len(self._starts))
        self._leave = np.log(move * settings.leave / size)
        self._enter = np.log(move * settings.enter / count)
        self._switch = np.log(move * (1 - settings.enter) / size)
        self._first = -np.log(np.repeat((2.0 * count, 2.0 * size), (count, size)))

    def log_weights(self) -> Matrix:
        """Return the log probability of each state after each, the best where there are several ways."""
        inside, outside = slice(self._count), slice(self._count, None)
        weights: Matrix = np.full((self._count + self._size,) * 2, -np.inf)
        weights[inside, outside], weights[outside, inside] = self._leave, self._enter
        weights[outside, outside] = self._switch
        weights[np.ix_(self._ends, self._starts)] = self._jump
        places = np.arange(self._count - 1)
        weights[places, places + 1] = np.maximum(weights[places, places + 1], self._next)
        np.fill_diagonal(weights, self._stay)
        return weights

    def align(self, scores: Matrix) -> Alignment:
        """Return the most probable way through the sheet, in the key that fits best.

        ``scores`` are the log likelihoods of all chords at each step, shape (steps, chords).
        """
        keys = transpositions(self._size)
        key = int(self._forward(scores, keys)[-1].max(axis=1).argmax())
        history = self._forward(scores, keys[key : key + 1])
        weights = self.log_weights()
        states = [int(history[-1][0].argmax())]
        for best in history[-2::-1]:
            states.append(int((best[0] + weights[:, states[-1]]).argmax()))
        return Alignment(np.array(states[::-1]), key, float(history[-1].max()))

    def _forward(self, scores: Matrix, keys: Codes) -> list[Matrix]:
        """Return the log likelihood of the best way to each state, shape (keys, states).

        Of each step for a single key; of the last one for several.
        """
        history: list[Matrix] = []
        for step in scores:
            outside = step[keys]
            emission = np.concatenate((outside[:, self._chords], outside), axis=1)
            best = (self._onward(history[-1]) if history else self._first) + emission
            if len(keys) > 1:
                history.clear()
            history.append(best)
        return history

    def _onward(self, best: Matrix) -> Matrix:
        """Return the best way to each next state: the form of the weights saves most of the work."""
        after: Matrix = best + self._stay
        inside, outside = best[:, : self._count], best[:, self._count :]
        within, without = after[:, : self._count], after[:, self._count :]
        entering = outside.max(axis=1, keepdims=True)
        np.maximum(within[:, 1:], inside[:, :-1] + self._next, out=within[:, 1:])
        np.maximum(within, entering + self._enter, out=within)
        jumping = inside[:, self._ends].max(axis=1, keepdims=True) + self._jump
        within[:, self._starts] = np.maximum(within[:, self._starts], jumping)
        leaving = inside.max(axis=1, keepdims=True) + self._leave
        np.maximum(without, np.maximum(entering + self._switch, leaving), out=without)
        return after


def transpositions(size: int) -> Codes:
    """Return the number of each chord so many semitones higher, shape (12, size); no chord stays."""
    codes = np.arange(size - 1)
    higher = codes // 12 * 12 + (codes + np.arange(12)[:, None]) % 12
    return np.column_stack((higher, np.full(12, size - 1)))


def number_of(label: str, states: States) -> int:
    """Return the number of the chord whose tones are nearest to a label's, on its bass if that is a tone."""
    chord = encode_label(label)
    if chord.root < 0:
        return len(states.labels) - 1
    tones = np.array([[float(tone in chords) for tone in range(12)] for chords in TONES.values()])
    sounding = np.array([chord.bits >> tone & 1 for tone in range(12)])
    quality = (tones @ sounding / np.sqrt(tones.sum(axis=1))).argmax()
    alike = (states.roots == chord.root) & (states.qualities == quality)
    on_bass = alike & (states.basses == (chord.root + chord.bass) % 12)
    return int(np.flatnonzero(on_bass if on_bass.any() else alike & ~states.are_inverted)[0])


def _annotate(source: Input, _: object, settings: SheetSettings) -> HeardChords:
    sheet, audio = read_sheet(source.files["sheet"]), source.files["audio"]
    chroma = read_chroma(audio)
    states = states_of(QUALITIES["sevenths"], inversions=True)
    size = len(states.labels)
    scores = _SHARPNESS * tone_similarities(chroma, states)
    scores, times = by_step(chroma, change_times(audio, "half-beats"), scores)
    chords = [chord for chord in sheet.chords if chord.label != "X"]
    written = ["N", *(chord.label for chord in chords), "N"]  # before the music begins, and after it
    rows = np.array([-1, *(chord.row for chord in chords), sheet.chords[-1].row + 1])
    numbers = np.array([number_of(label, states) for label in written])
    alignment = SheetModel(numbers, rows, size, settings).align(scores)
    labels = [transposed(label, alignment.key) for label in (*written, *states.labels)]
    sounding = transpositions(size)[alignment.key][np.append(numbers, np.arange(size))]
    shares = posteriors(scores, stay_or_switch(size, settings.stay))
    return joined(
        times,
        [labels[state] for state in alignment.states],
        shares[np.arange(len(scores)), sounding[alignment.states]],
        (*chroma.diagnostics, *sheet.diagnostics, *_noticed(alignment, times, len(written))),
    )


def _noticed(alignment: Alignment, times: Matrix, count: int) -> Iterator[Diagnostic]:
    """Report a sheet in another key, or of which little fits."""
    share = float(np.diff(times) @ (alignment.states < count) / (times[-1] - times[0]))
    if share < _LITTLE:
        message = f"the sheet is followed {share:.0%} of the time only: the rest is what is heard without it"
        yield Diagnostic("KT833", "warning", message)
    elif alignment.key:
        yield Diagnostic("KT834", "note", f"the recording is {alignment.key} semitones above the sheet")


_LEVELS = (
    "16 chorales (music21), piano / strings: MajMin of right sheets 94.0 [91.7, 96.2] / 96.7 [95.8, 97.6]",
    "20 % of the chords wrong or left out, in another key: 88.5 [84.4, 92.6] / 92.5 [90.4, 94.7]",
    "sheets of another chorale: 81.8 [77.0, 86.3] / 89.2 [86.2, 92.0]",
    "the system audio, without sheets: 85.0 [81.6, 88.2] / 89.1 [86.9, 91.3]",
    "20 hard scenes, 40 % wrong or left out: 93.2 [90.8, 95.4]; the system audio 87.1 [82.4, 91.5]",
)
SHEET = System(
    name="sheet",
    task="chords",
    takes=frozenset(("sheet", "audio")),
    card=SystemCard(
        summary="Chords of a chord sheet, at the times when they sound in a recording.",
        source="after McVicar, Ni, Santos-Rodriguez & De Bie, ISMIR 2011, and DECIBEL",
        licence="MIT",
        levels=_LEVELS,
        limits="One key from beginning to end; what sheets have wrong is often heard as they have it.",
        cost="as the system audio, and half a second for 10 minutes",
    ),
    options=SheetSettings,
    annotate=_annotate,
    extra="audio",
)
