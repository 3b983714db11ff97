# SPDX-License-Identifier: MIT
"""Sources of a scene as one finds them: MIDI files and chord sheets with mistakes of a known share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from kammerton.chords.labels import parse
from kammerton.chords.respelling import PITCH_CLASSES
from kammerton.systems.music import write_midi
from kammerton.systems.scenes import NO_CHORD, Scene, root_name

_SHIFT_S = 0.3
_SUFFIXES = {"maj": "", "min": "m", "7": "7", "maj7": "maj7", "min7": "m7", "dim": "dim", "hdim7": "m7b5"}
_WRONG = ("maj", "min", "7", "min7")
_SECTIONS = {"A": "Verse", "B": "Chorus"}
_SYLLABLES = ("la", "da", "dee", "ba", "doo", "na", "oh", "ah", "hey", "yeah")
_MIDI, _SHEETS = 100, 200
"""Purposes of the random numbers of versions."""


def bad_midi(scene: Scene, version: int = 0) -> bytes:
    """Return the notes as a MIDI file with wrong notes under a share of its chords, which begins too late."""
    chances, music, errors = scene.chances(_MIDI + version), scene.music, scene.options.errors
    seconds = music.seconds(music.onsets)
    of_chord = np.searchsorted(scene.intervals[:, 0], seconds + 1e-9, side="right") - 1
    steps = chances.choice((-5, -4, -3, -2, -1, 1, 2, 3, 4, 5), len(scene.labels))
    steps = np.where(chances.random(len(scene.labels)) < errors, steps, 0)
    pitches = np.clip(music.pitches + np.where(music.is_percussion, 0, steps[of_chord]), 0, 127)
    late = abs(chances.normal(0, errors)) * _SHIFT_S
    if late < 0.001:
        return write_midi(replace(music, pitches=pitches))
    shifted = replace(
        music,
        pitches=pitches,
        onsets=music.onsets + 1,
        offsets=music.offsets + 1,
        tempo_beats=np.concatenate(([0], music.tempo_beats + 1)),
        tempo_seconds=np.concatenate(([0], music.tempo_seconds + late)),
        bars=music.bars + 1,
    )
    return write_midi(shifted)


def sheet(scene: Scene, version: int = 0) -> str:
    """Return a chord sheet: half of the errors are chords left out, half wrong ones.

    Versions are chords over words, ChordPro, and bars, in turn; from the fourth on they are in another key.
    """
    chances = scene.chances(_SHEETS + version)
    steps = int(chances.integers(1, 12)) if version > 2 else 0
    style = (_over_words, _chord_pro, _bars)[version % 3]
    lines = [f"{{title: {scene.item}}}" if style is _chord_pro else scene.item, ""]
    for name, begin, end in scene.sections:
        bounds = scene.music.seconds(np.array([begin, end]))
        labels = [
            label
            for label, (start, stop) in zip(scene.labels, scene.intervals.tolist(), strict=True)
            if bounds[0] - 1e-6 <= start < bounds[1] - 1e-6 or start < bounds[0] < stop - 1e-6
        ]
        written = list(_written(labels, steps, scene.options.errors, chances))
        lines += [f"[{_SECTIONS[name]}]" if style is not _chord_pro else f"{{comment: {_SECTIONS[name]}}}"]
        lines += [*style(written, chances), ""]
    return "\n".join(lines)


def _written(labels: Sequence[str], steps: int, errors: float, chances: Generator) -> Iterator[str]:
    """Give chords as sheets have them, some of them wrong."""
    for label in labels:
        fate = chances.random()
        if fate < errors / 2:
            continue
        if fate < errors:
            wrong = f"{root_name(int(chances.integers(-4, 7)))}:{chances.choice(_WRONG)}"
            yield popular(wrong if wrong != label else f"{wrong}/5")
        else:
            yield popular(label, steps)


def popular(label: str, steps: int = 0) -> str:
    """Return a chord as sheets write it, some semitones higher.

    >>> popular("A:min7/b3"), popular("F#:maj", 1), popular("N")
    ('Am7/C', 'G', 'N.C.')
    """
    if label == NO_CHORD:
        return "N.C."
    chord = parse(label)
    root = _higher(chord.root, 0, steps)
    bass = "" if chord.bass is None else f"/{_higher(chord.root, chord.bass.semitones, steps)}"
    return f"{root}{_SUFFIXES[chord.quality or 'maj']}{bass}"


def _higher(root: str, semitones: int, steps: int) -> str:
    """Return the name of a pitch that is so far above a root, in an easy spelling."""
    if not semitones and not steps:
        return root
    pitch = (PITCH_CLASSES[root] + semitones + steps) % 12
    return root_name((7 * pitch + 4) % 12 - 4)  # from Ab to C#


def _lines(chords: Sequence[str], most: int = 4) -> Iterator[Sequence[str]]:
    count = max(math.ceil(len(chords) / most), 1)
    for part in np.array_split(np.arange(len(chords)), count):
        yield [chords[place] for place in part.tolist()]


def _words(chances: Generator) -> str:
    return " ".join(chances.choice(_SYLLABLES, int(chances.integers(2, 5))).tolist())


def _over_words(chords: Sequence[str], chances: Generator) -> Iterator[str]:
    for line in _lines(chords):
        above, below = "", ""
        for chord in line:
            words = _words(chances)
            width = max(len(chord), len(words)) + 1
            above, below = above + chord.ljust(width), below + words.ljust(width)
        yield above.rstrip()
        yield below.rstrip()


def _chord_pro(chords: Sequence[str], chances: Generator) -> Iterator[str]:
    for line in _lines(chords):
        yield " ".join(f"[{chord}]{_words(chances)}" for chord in line)


def _bars(chords: Sequence[str], _: Generator) -> Iterator[str]:
    for line in _lines(chords):
        yield f"| {' | '.join(line)} |"
