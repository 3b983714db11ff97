# SPDX-License-Identifier: MIT
"""Chorales of Bach with the chords that people heard in them, both from music21's corpus; nothing is copied.

The pieces are those of 20 analyses whose score is there, and has the same measures: nearly all notes are
tones of the chord above them.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kammerton.chords.respelling import PITCH_CLASSES
from kammerton.chords.templates import map_label
from kammerton.systems.music import Music

TEMPO = 72
QUARTET = (40, 40, 41, 42)
WINDS = (73, 68, 71, 70)
_ALIGNED = 0.85


@dataclass(frozen=True)
class Chorale:
    """Notes, and their chords in seconds."""

    name: str
    score: Path
    analysis: Path
    music: Music
    intervals: NDArray[np.float64]
    labels: list[str]

    def played_by(self, *programs: int) -> Music:
        """Return the notes, each voice by another program."""
        return replace(self.music, programs=programs)


@cache
def chorales() -> dict[str, Chorale]:
    """Return the chorales by name; where music21 is not installed, skip the test that asks."""
    music21 = pytest.importorskip("music21")
    corpus = Path(music21.__file__).parent / "corpus" / "bach"
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for analysis in sorted(corpus.glob("choraleAnalyses/riemenschneider*.rntxt")):
            number = re.search(r"BWV: (\S+)", analysis.read_text(encoding="utf-8"))
            score = corpus / f"bwv{number[1] if number else ''}.mxl"
            if score.exists():
                chorale = _chorale(music21, analysis, score)
                if _share_of_chord_tones(chorale) >= _ALIGNED:
                    found[chorale.name] = chorale
    return found


def _chorale(music21: Any, analysis: Path, score: Path) -> Chorale:
    parts = list(music21.converter.parse(score).parts)
    analysed = music21.converter.parse(analysis)  # without which its numerals forget their measures
    numerals = list(analysed.recurse().getElementsByClass("RomanNumeral"))
    measures = list(parts[0].getElementsByClass("Measure"))
    begins = {measure.number: float(measure.offset) for measure in reversed(measures)}
    end = float(measures[-1].offset + measures[-1].quarterLength)
    last = max(numeral.measureNumber for numeral in numerals)
    repeat = re.search(r"(?m)^m(\d+)\b.*:\|\|", analysis.read_text(encoding="utf-8"))
    repeated = int(repeat[1]) if repeat and measures[-1].number - last == int(repeat[1]) else 0
    rows = [
        (float(note.offset), float(note.offset + note.quarterLength), pitch.midi, part)
        for part, voice in enumerate(parts)
        for note in voice.stripTies().flatten().notes
        for pitch in note.pitches
    ]
    onsets, offsets, pitches, voices = map(np.array, zip(*sorted(rows), strict=True))
    music = Music(
        onsets=onsets,
        offsets=offsets,
        pitches=pitches,
        velocities=np.full(len(pitches), 80),
        parts=voices,
        programs=(0,) * len(parts),
        tempo_beats=np.array([0.0, end]),
        tempo_seconds=np.array([0.0, end * 60 / TEMPO]),
        bars=np.append(sorted(begins.values()), end),
    )
    chords = {}
    for numeral in numerals:
        number = numeral.measureNumber
        twice = {number + repeated} if number else set()  # the score may write out what is repeated
        for measure in {number} | twice if number <= repeated else twice:
            if measure in begins:
                chords[begins[measure] + float(numeral.offset)] = label_of(numeral)
    times = np.array([*sorted(chords), end]) * 60 / TEMPO
    labels = [chords[beat] for beat in sorted(chords)]
    return Chorale(analysis.stem, score, analysis, music, np.stack((times[:-1], times[1:]), axis=1), labels)


_QUALITIES = {
    (0, 4, 7): ":maj",
    (0, 3, 7): ":min",
    (0, 3, 6): ":dim",
    (0, 4, 8): ":aug",
    (0, 4, 7, 10): ":7",
    (0, 4, 7, 11): ":maj7",
    (0, 3, 7, 10): ":min7",
    (0, 3, 6, 10): ":hdim7",
    (0, 3, 6, 9): ":dim7",
    (0, 3, 7, 11): ":minmaj7",
}
_DEGREES = ("1", "b2", "2", "b3", "3", "4", "b5", "5", "#5", "6", "b7", "7")


def label_of(numeral: Any) -> str:
    """Return a numeral of music21 in Harte syntax, by the pitches that music21 says it has."""
    root = numeral.root()
    tones = tuple(sorted({(pitch.pitchClass - root.pitchClass) % 12 for pitch in numeral.pitches}))
    degrees = ",".join(_DEGREES[tone] for tone in tones)
    name = root.name.replace("-", "b")
    assert PITCH_CLASSES[name] == root.pitchClass
    bass = _DEGREES[(numeral.bass().pitchClass - root.pitchClass) % 12]
    over = "" if bass == "1" else f"/{bass}"
    return f"{name}{_QUALITIES.get(tones, f':({degrees})')}{over}"


def _share_of_chord_tones(chorale: Chorale) -> float:
    """Return for which share of their time notes are tones of the chord above them."""
    starts, ends = (chorale.music.seconds(beats) for beats in (chorale.music.onsets, chorale.music.offsets))
    matching = 0.0
    for (start, end), label in zip(chorale.intervals.tolist(), chorale.labels, strict=True):
        overlaps = np.clip(np.minimum(ends, end) - np.maximum(starts, start), 0, None)
        matching += (overlaps * (map_label(label).chroma >> (chorale.music.pitches % 12) & 1)).sum()
    return matching / float((ends - starts).sum())
