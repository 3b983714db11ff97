# SPDX-License-Identifier: MIT
"""Chords of notes: templates of chords on a grid of beats, and a path of few changes.

The score of a chord is that of CASSETTE: the share of the sound that is on tones of the chord, less the share
that is not, less the number of tones that are missing. Here the bass counts too.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal

import numpy as np

from kammerton.arrays import Codes, Weights
from kammerton.errors import DataError, Diagnostic, OptionError
from kammerton.formats.source import read_text
from kammerton.systems.chord_audio import check_choice
from kammerton.systems.chord_states import QUALITIES, TONES, HeardChords, States, Vocabulary, states_of
from kammerton.systems.music import Music
from kammerton.systems.roman_text import roman_chords
from kammerton.systems.score_music import NO_CHORD, ScoreMusic, read_music
from kammerton.systems.system import Input, System, SystemCard
from kammerton.systems.voting import best_path

ANALYSIS = ".rntxt"
"""Suffix of Roman numerals beside a score of the same name."""
Symbols = tuple[tuple[float, str], ...]
"""Chords by beat."""
NoteGrid = Literal["beats", "half-beats", "bars"]
Origin = Literal["auto", "notes", "written"]
_STEPS = {"beats": 1.0, "half-beats": 0.5}
_MISSING = 1.0
"""What a tone of the chord that does not sound costs, in shares of the sound."""
_BASS = 0.5
"""What the bass counts, if all the lowest notes are of its pitch class."""
_UNHEARD = -9.0
"""Score of no chord while there are notes, and of chords while there are none."""
_NO_TUNE = range(112, 128)
"""Programs of percussion and of effects."""


@dataclass(frozen=True)
class SymbolicSettings:
    """How chords are found in notes.

    Parameters
    ----------
    grid : {"half-beats", "beats", "bars"}
        Where chords may change; beats are quarter notes.
    vocabulary : {"sevenths", "majmin"}
        Six qualities, or major and minor triads alone.
    inversions : bool
        Name basses other than the root.
    change_cost : float
        What a change of chord costs, in beats of a chord that fits better by the whole sound.
    origin : {"auto", "written", "notes"}
        Take chord symbols of the score, or Roman numerals in a file beside it, called alike but ``.rntxt``;
        or estimate chords from its notes; or the latter where there is nothing written.
    tempo : float
        Quarter notes a minute, in place of what the score says; 0 leaves that.
    """

    grid: NoteGrid = "half-beats"
    vocabulary: Vocabulary = "sevenths"
    inversions: bool = True
    change_cost: float = 0.8
    origin: Origin = "auto"
    tempo: float = 0

    def __post_init__(self) -> None:
        check_choice("grid", self.grid, NoteGrid)
        check_choice("vocabulary", self.vocabulary, Vocabulary)
        check_choice("origin", self.origin, Origin)
        if not (0 <= self.change_cost < np.inf and 0 <= self.tempo < np.inf):
            raise OptionError("change_cost and tempo are finite numbers, 0 or more")


def chords_of_music(music: Music, settings: SymbolicSettings | None = None) -> HeardChords:
    """Return the chords of notes, by time in seconds; percussion and effects are left out.

    The confidence of a row is the share of its sound that is on tones of the chord.
    """
    settings = settings or SymbolicSettings()
    bounds = _grid(music, settings.grid)
    states = states_of(QUALITIES[settings.vocabulary], inversions=True)
    sound, lowest = _sound(music, bounds)
    total = sound.sum(axis=1)
    shares = sound / np.where(total > 0, total, 1)[:, None]
    tones = _tones(states, settings.vocabulary)
    on = shares @ tones.T
    scores = np.full((len(total), len(states.labels)), _UNHEARD)
    heard = total > 0
    fits = 2 * on - 1 - _MISSING * ((shares <= 0) @ tones.T) + _BASS * lowest[:, states.basses]
    scores[heard, :-1] = fits[heard]
    scores[~heard, -1] = 0
    lengths = np.diff(bounds)
    path = best_path(scores * lengths[:, None], settings.change_cost)
    on = np.column_stack((on, np.ones(len(on))))[np.arange(len(path)), path]
    labels = [states.labels[state] for state in path]
    if not settings.inversions:
        labels = [label.partition("/")[0] for label in labels]
    starts = np.array([0, *(at for at, (one, other) in enumerate(pairwise(labels), 1) if one != other)])
    times = music.seconds(bounds)
    return HeardChords(
        np.column_stack((times[starts], np.append(times[starts[1:]], times[-1]))),
        tuple(labels[start] for start in starts),
        np.minimum(np.add.reduceat(on * lengths, starts) / np.add.reduceat(lengths, starts), 1.0),
        (),
    )


def _grid(music: Music, grid: NoteGrid) -> Weights:
    """Return the beats at which chords may change, from the first to the end of the last note."""
    end = float(music.offsets.max())
    beats = music.bars if grid == "bars" else np.arange(0, end, _STEPS[grid])
    return np.append(beats[beats < end - 1e-6], end)


def _tones(states: States, vocabulary: Vocabulary) -> Weights:
    """Return for each chord 1 at the pitch classes of its tones."""
    tones = np.zeros((len(states.roots), 12))
    names = QUALITIES[vocabulary]
    for chord, (root, quality) in enumerate(zip(states.roots, states.qualities, strict=True)):
        tones[chord, (root + np.array(TONES[names[quality]])) % 12] = 1
    return tones


def _sound(music: Music, bounds: Weights) -> tuple[Weights, Weights]:
    """Return how much each pitch class sounds in each cell of the grid, and the share that is the bass."""
    programs = np.array(music.programs)[music.parts]
    tuned = (programs >= 0) & ~np.isin(programs, _NO_TUNE)
    onsets, offsets, pitches = music.onsets[tuned], music.offsets[tuned], music.pitches[tuned]
    sound = np.empty((len(bounds) - 1, 12))
    for tone in range(12):
        own = pitches % 12 == tone
        loud = music.velocities[tuned][own].astype(np.float64)
        begun = _since(onsets[own], loud, bounds) - _since(offsets[own], loud, bounds)
        sound[:, tone] = np.diff(begun)
    sound[sound < 1e-6] = 0  # what is left of differences
    return sound, _lowest(onsets, offsets, pitches, bounds)


def _since(times: Weights, weights: Weights, bounds: Weights) -> Weights:
    """Return for each bound the sum over earlier times of what has passed since, by weight."""
    order = np.argsort(times)
    amounts = np.concatenate(([0.0], np.cumsum(weights[order])))
    moments = np.concatenate(([0.0], np.cumsum((weights * times)[order])))
    at = np.searchsorted(times[order], bounds)
    return np.asarray(bounds * amounts[at] - moments[at])


def _lowest(onsets: Weights, offsets: Weights, pitches: Codes, bounds: Weights) -> Weights:
    """Return for each cell the share of its sounding time in which each pitch class is the lowest."""
    knots = np.unique(np.concatenate((onsets, offsets, bounds)))
    lowest = np.full(len(knots) - 1, -1)
    begins, ends = np.searchsorted(knots, onsets), np.searchsorted(knots, offsets)
    for note in np.argsort(-pitches, kind="stable").tolist():
        lowest[begins[note] : ends[note]] = pitches[note]
    cells = np.searchsorted(bounds, knots[:-1], side="right") - 1
    sounding = (lowest >= 0) & (cells >= 0) & (cells < len(bounds) - 1)
    amounts = np.zeros((len(bounds) - 1, 12))
    np.add.at(amounts, (cells[sounding], lowest[sounding] % 12), np.diff(knots)[sounding])
    return np.asarray(amounts / np.maximum(amounts.sum(axis=1, keepdims=True), 1e-9))


# --- the system ------------------------------------------------------------------------------


def _annotate(source: Input, _: object, settings: SymbolicSettings) -> HeardChords:
    path = source.files["score"]
    score = read_music(path)
    music = score.music.at_tempo(settings.tempo) if settings.tempo else score.music
    if settings.origin != "notes":
        symbols, diagnostics = _symbols(path, score)
        if symbols:
            return _written(music, symbols, diagnostics)
    if settings.origin == "written":
        raise DataError.of("KT810", "there are no chord symbols", str(path))
    if music.is_percussion.all():
        raise DataError.of("KT810", "score has no notes but those of percussion", str(path))
    return chords_of_music(music, settings)


def _symbols(path: Path, score: ScoreMusic) -> tuple[Symbols, tuple[Diagnostic, ...]]:
    """Return the chords of an analysis beside a score, or else of symbols in it."""
    analysis = path.with_suffix(ANALYSIS)
    if not analysis.exists():
        return score.symbols, score.diagnostics
    text = read_text(analysis, name=str(analysis))
    symbols, problems = roman_chords(text, score.measures, str(analysis))
    return symbols, (*score.diagnostics, *problems)


def _written(music: Music, symbols: Symbols, diagnostics: tuple[Diagnostic, ...]) -> HeardChords:
    """Return chords as they are written; each lasts until the next, before the first one there is none."""
    if symbols[0][0] > 0:
        symbols = ((0.0, NO_CHORD), *symbols)
    changes = [symbols[0]]
    changes += [later for earlier, later in pairwise(symbols) if earlier[1] != later[1]]
    end = max(float(music.bars[-1]), changes[-1][0] + 1)
    times = music.seconds(np.array([*(beat for beat, _ in changes), end]))
    labels = tuple(label for _, label in changes)
    return HeardChords(np.column_stack((times[:-1], times[1:])), labels, np.ones(len(labels)), diagnostics)


SYMBOLIC: System = System(
    name="symbolic",
    task="chords",
    takes=frozenset(("score",)),
    card=SystemCard(
        summary="Chords of the notes of a score or MIDI file; chord symbols and Roman numerals as they are.",
        source="after CASSETTE (DECIBEL: Odekerken et al., TISMIR 4, 2021), with a path, basses, half beats",
        licence="MIT",
        levels=(
            "92.5 [90.2, 95.0] MajMin, 87.3 [84.5, 90.1] Sevenths on 16 chorales by Bach, tuned on them",
            "84.2 [81.2, 86.8] SeventhsBass on the same (mirex2013, %)",
            "96.3 [95.4, 97.1] MajMin, 90.6 [89.3, 92.0] SeventhsBass on 100 scenes (hard, seed 1)",
        ),
        limits="Six qualities. Repeats are not played; beats are quarter notes. The key is not looked at.",
        cost="a score of 10 minutes in less than a second",
    ),
    options=SymbolicSettings,
    annotate=_annotate,
)
