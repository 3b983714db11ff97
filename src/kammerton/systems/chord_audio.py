# SPDX-License-Identifier: MIT
"""Chords of a recording by templates: which chord's tones sound, beat by beat."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import OptionError
from kammerton.systems.beats import read_beats
from kammerton.systems.chord_states import (
    QUALITIES,
    TONES,
    Grid,
    HeardChords,
    Matrix,
    States,
    Vocabulary,
    hear,
    states_of,
    stay_or_switch,
)
from kammerton.systems.chroma import Chroma, read_chroma
from kammerton.systems.system import Input, System, SystemCard

_BASS_AMONG_TONES = 0.3
"""How much the chroma of the bass counts among the tones of a chord."""
_COMPRESSION = 0.7
"""Exponent of the chroma: loud tones count less than their loudness."""
_ROOT = 1.15
"""Weight of the root in a template, by that of other tones."""
_BASS = 0.1
"""What the strongest bass adds to the similarity of chords upon it."""
_INVERTED = 0.03
"""What an inversion takes off the similarity."""
_NO_CHORD = 0.68
"""Similarity of no chord."""
_SHARPNESS = 20.0
"""Log score of a similarity of 1."""
_CERTAINTY = 0.5
"""What log scores are multiplied by for probabilities, which are about shares of right rows then."""
_STAY = 0.99
"""Probability that a chord stays from one step to the next."""


@dataclass(frozen=True)
class AudioSettings:
    """Settings of the system ``audio``.

    Parameters
    ----------
    grid : {"half-beats", "beats", "frames"}
        When chords may change; frames are 93 ms long. Where there are no beats, at frames.
    vocabulary : {"sevenths", "majmin"}
        Chords that there are: major and minor, or also dim, 7, min7 and maj7.
    inversions : bool
        Name the bass of chords whose lowest tone is not the root.
    """

    grid: Grid = "half-beats"
    vocabulary: Vocabulary = "sevenths"
    inversions: bool = True

    def __post_init__(self) -> None:
        check_choice("grid", self.grid, Grid)
        check_choice("vocabulary", self.vocabulary, Vocabulary)
        if not isinstance(self.inversions, bool):
            raise OptionError.of_type("inversions", self.inversions, "a bool")


def check_choice(setting: str, value: str, literal: Any) -> None:
    """Refuse a value that is not among those of a literal."""
    if value not in get_args(literal):
        raise OptionError.unknown(setting, value, get_args(literal))


def tone_similarities(chroma: Chroma, states: States) -> Matrix:
    """Return the similarity of each frame to each state, the last no chord."""
    tones = unit_rows((chroma.treble + _BASS_AMONG_TONES * chroma.bass) ** _COMPRESSION)
    tables = tuple(TONES.values())
    templates = np.zeros((len(states.roots), 12))
    for row, root, quality in zip(templates, states.roots, states.qualities, strict=True):
        row[np.add(root, tables[quality]) % 12] = 1.0
        row[root] = _ROOT
    similarities = tones @ unit_rows(templates).T + bass_scores(chroma, states)
    return np.column_stack((similarities, np.full(len(tones), _NO_CHORD)))


def bass_scores(chroma: Chroma, states: States) -> Matrix:
    """Return what the bass of each frame adds to the similarity of each chord."""
    loudest = chroma.bass.max(axis=1, keepdims=True)
    basses = np.divide(chroma.bass, loudest, out=np.zeros_like(chroma.bass), where=loudest > 0)
    return np.asarray(_BASS * basses[:, states.basses] - _INVERTED * states.are_inverted)


def unit_rows(rows: Matrix) -> Matrix:
    """Return rows of length 1, but those of zeros."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0))


def change_times(path: str | os.PathLike[str], grid: Grid) -> NDArray[np.float64]:
    """Return the times when chords may change; none if they may at every frame."""
    beats = np.zeros(0) if grid == "frames" else read_beats(path)
    if len(beats) < 2:
        return np.zeros(0)
    if grid == "beats":
        return beats
    return np.sort(np.concatenate((beats, (beats[1:] + beats[:-1]) / 2)))


def _annotate(source: Input, _: object, settings: AudioSettings) -> HeardChords:
    path = source.files["audio"]
    chroma = read_chroma(path)
    states = states_of(QUALITIES[settings.vocabulary], inversions=settings.inversions)
    transitions = stay_or_switch(len(states.labels), _STAY)
    scores = _SHARPNESS * tone_similarities(chroma, states)
    return hear(chroma, change_times(path, settings.grid), states, scores, transitions, certainty=_CERTAINTY)


CHORALES = "16 chorales of Bach (music21) played by TimGM6mb, MajMin of mirex2013"
_LEVELS = (
    f"{CHORALES}: piano 85.0 [81.6, 88.2], strings 89.1 [86.9, 91.3], winds 88.1 [85.6, 90.5]",
    "on the grid of frames 80.0 [77.0, 82.8], 87.7 [85.3, 90.0], 86.4 [83.6, 89.0]",
    "best triad of each song 29.8 [26.2, 34.6]",
    "100 medium scenes (seed 1, TimGM6mb) 88.1 [86.4, 89.7], hard ones 79.6 [77.8, 81.4]",
)

AUDIO = System(
    name="audio",
    task="chords",
    takes=frozenset(("audio",)),
    card=SystemCard(
        summary="Chords by templates of their tones, and a path of few changes.",
        source="after Mauch & Dixon, ISMIR 2010; beats after Ellis 2007, doi:10.1080/09298210701653344",
        licence="MIT",
        levels=_LEVELS,
        limits="Six qualities; one tempo and one tuning throughout. Its numbers were chosen by the chorales, "
        "that of no chord by other hard scenes; real recordings are harder.",
        cost="10 minutes of sound in about 5 s, 200 MB",
    ),
    options=AudioSettings,
    annotate=_annotate,
    extra="audio",
)
