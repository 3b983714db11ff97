# SPDX-License-Identifier: MIT
"""Scores as music: their notes and tempos, and the chord symbols that stand in them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np

from kammerton.arrays import Weights
from kammerton.chords.labels import Chord
from kammerton.chords.respelling import MAX_ACCIDENTALS, PITCH_CLASSES, SHORTHAND_DEGREES, Degree
from kammerton.errors import DataError, Diagnostic, quote
from kammerton.fingering.formats.musicxml import decode_score, measure_starts
from kammerton.fingering.formats.musicxml_parts import Part, PartReader, ScoreTree
from kammerton.fingering.formats.notes import DEFAULT_OPTIONS
from kammerton.fingering.formats.xml_document import Element, XmlText
from kammerton.formats.midi import MidiError
from kammerton.formats.reading import Limits
from kammerton.formats.source import read_bytes
from kammerton.systems.chord_sheets import transposed
from kammerton.systems.midi_notes import SUFFIXES as MIDI_SUFFIXES
from kammerton.systems.music import LONGEST, Music, read_midi_music

_USUAL_TEMPO = 120.0
"""Quarter notes a minute where a score has no tempo."""
_VELOCITY = 80
_LETTERS = "CDEFGAB"
_SCALE = (0, 2, 4, 5, 7, 9, 11)
_KINDS: Mapping[str, str] = {
    "major": "maj",
    "minor": "min",
    "augmented": "aug",
    "diminished": "dim",
    "dominant": "7",
    "major-seventh": "maj7",
    "minor-seventh": "min7",
    "diminished-seventh": "dim7",
    "augmented-seventh": "aug7",
    "half-diminished": "hdim7",
    "minor-major": "minmaj7",
    "major-minor": "minmaj7",
    "major-sixth": "maj6",
    "minor-sixth": "min6",
    "power": "5",
    "dominant-ninth": "9",
    "major-ninth": "maj9",
    "minor-ninth": "min9",
    "dominant-11th": "11",
    "major-11th": "maj11",
    "minor-11th": "min11",
    "dominant-13th": "13",
    "major-13th": "maj13",
    "minor-13th": "min13",
    "suspended-second": "sus2",
    "suspended-fourth": "sus4",
}
"""Kinds of chords of MusicXML that have a shorthand; all others are ``X``."""
NO_CHORD, UNKNOWN = "N", "X"


@dataclass(frozen=True, slots=True, eq=False)
class ScoreMusic:
    """A score: its notes, its chord symbols by beat, and where its measures begin."""

    music: Music
    symbols: tuple[tuple[float, str], ...] = ()  # beat, and label in Harte syntax
    measures: tuple[tuple[str, float], ...] = ()  # number as the score calls it, and beat
    diagnostics: tuple[Diagnostic, ...] = ()


def read_music(path: str | os.PathLike[str], name: str | None = None) -> ScoreMusic:
    """Read a score in MusicXML or a MIDI file.

    Raises
    ------
    DataError
        If it cannot be read, or has no notes and no chord symbols.
    """
    shown = os.fsdecode(path) if name is None else name
    data = read_bytes(path, name=shown, limits=DEFAULT_OPTIONS.limits)
    if PurePath(os.fsdecode(path)).suffix.lower() not in MIDI_SUFFIXES:
        return _read_score(data, shown)
    try:
        music = read_midi_music(data, DEFAULT_OPTIONS.limits.rows)
    except MidiError as error:
        raise DataError.of("KT810", f"MIDI file cannot be read: {error}", shown) from error
    bars = enumerate(music.bars[:-1].tolist(), 1)
    return ScoreMusic(music, measures=tuple((str(number), beat) for number, beat in bars))


@dataclass(frozen=True, slots=True, eq=False)
class ScoreParts:
    """The parts of a score in MusicXML, and the beats at which its measures begin."""

    parts: tuple[Part, ...]
    starts: Weights
    source: XmlText
    limits: Limits
    diagnostics: tuple[Diagnostic, ...]


def read_parts(data: bytes, name: str, *, unpitched: int | None = None) -> ScoreParts:
    """Return the parts of a score; notes without pitch are left out, or given a key."""
    problems, limits = decode_score(data, name, DEFAULT_OPTIONS)
    reader = PartReader(problems, limits, unpitched=unpitched)
    ScoreTree(problems.source, reader, limits).parse()
    diagnostics = tuple(problems.diagnostics())
    if problems.has_errors:
        raise DataError(diagnostics)
    starts = np.array([float(start) for start in measure_starts(reader.parts)])
    if starts[-1] > LONGEST:
        message = f"score lasts {starts[-1]:,.0f} quarter notes, and {LONGEST:,} are read"
        raise DataError.of("KT810", message, name)
    return ScoreParts(reader.parts, starts, problems.source, limits, diagnostics)


def _read_score(data: bytes, name: str) -> ScoreMusic:
    score = read_parts(data, name)
    symbols = tuple(_symbols(score.parts, score.starts))
    music = music_of_parts(score.parts, score.starts)
    if not len(music.pitches) and not symbols:
        raise DataError.of("KT810", f"score has no notes and no chord symbols: {quote(name)}", name)
    numbers = max((part.measures for part in score.parts), key=len, default=[])
    measures = tuple((bar.number, float(score.starts[bar.index])) for bar in numbers)
    return ScoreMusic(music, symbols, measures, score.diagnostics)


def music_of_parts(parts: Sequence[Part], starts: Weights) -> Music:
    """Return the notes of all parts; grace notes, which last no time, are left out."""
    rows = sorted(
        (float(starts[note.bar.index] + note.offset), note.midi, float(note.length), number)
        for number, part in enumerate(parts)
        for note in part.notes
        if note.length
    )
    onsets, pitches, lengths, numbers = np.array(rows).reshape(-1, 4).T
    tempos = {
        float(starts[bar.index] + offset): tempo
        for part in reversed(parts)
        for bar, offset, tempo in part.tempos
    }
    end = max(float(starts[-1]), float((onsets + lengths).max(initial=0)), 1.0)
    changes = sorted({0.0: min(tempos.items(), default=(0, _USUAL_TEMPO))[1], **tempos}.items())
    changes = [(beat, tempo) for beat, tempo in changes if beat < end]
    beats = np.array([*(beat for beat, _ in changes), end])
    seconds = np.diff(beats) * 60 / np.array([tempo for _, tempo in changes])
    return Music(
        onsets=onsets,
        offsets=onsets + lengths,
        pitches=pitches.astype(np.int64),
        velocities=np.full(len(pitches), _VELOCITY),
        parts=numbers.astype(np.int64),
        programs=(0,) * len(parts),
        tempo_beats=beats,
        tempo_seconds=np.concatenate(([0.0], np.cumsum(seconds))),
        bars=np.unique(np.append(starts, end)),
    )


def _symbols(parts: Sequence[Part], starts: Weights) -> Iterator[tuple[float, str]]:
    """Give the chord symbols of the first part that has any, by time; of those of one time the last."""
    part = next((part for part in parts if part.harmonies), None)
    if part is None:
        return
    by_beat = {
        float(starts[bar.index] + offset): transposed(label_of_harmony(harmony), semitones)
        for bar, offset, semitones, harmony in part.harmonies
    }
    yield from sorted(by_beat.items())


# --- chord symbols ---------------------------------------------------------------------------


def label_of_harmony(harmony: Element) -> str:
    """Return a ``harmony`` of MusicXML in Harte syntax; what that cannot say is ``X``."""
    kind = _text(harmony, "kind")
    if kind == "none":
        return NO_CHORD
    root = _pitch_name(harmony, "root")
    quality = _KINDS.get(kind)
    if root is None or quality is None:
        return UNKNOWN
    bass = _pitch_name(harmony, "bass")
    over = None if bass is None or bass == root else degree_of(root, bass)
    if over is None and bass not in (None, root):
        return UNKNOWN
    return str(Chord("chord", root, quality, tuple(_degrees(harmony, quality)), over))


def degree_of(root: str, pitch: str) -> Degree | None:
    """Return the degree that a pitch is above a root, as they are spelled; None if that is beyond labels.

    >>> str(degree_of("C", "Eb")), str(degree_of("D", "C")), str(degree_of("F#", "E#"))
    ('b3', 'b7', '7')
    """
    step = (_LETTERS.index(pitch[0]) - _LETTERS.index(root[0])) % 7
    above = (PITCH_CLASSES[pitch] - PITCH_CLASSES[root] - _SCALE[step] + 6) % 12 - 6
    return Degree(step + 1, above) if abs(above) <= MAX_ACCIDENTALS else None


def _degrees(harmony: Element, quality: str) -> Iterator[Degree]:
    """Give the tones that a symbol adds, takes away or alters."""
    shorthand = {tone.number: tone for tone in SHORTHAND_DEGREES[quality]}
    for degree in harmony.all("degree"):
        number, alter = (_whole(_text(degree, f"degree-{name}")) for name in ("value", "alter"))
        if not 1 <= number <= 13 or abs(alter) > 3:
            continue
        kind, own = _text(degree, "degree-type"), shorthand.get(number)
        if kind == "add":  # counted from the dominant seventh chord
            yield Degree(number, alter - (number == 7))
        elif own is not None:
            yield Degree(number, own.accidental, omitted=True)
            if kind == "alter":
                yield Degree(number, own.accidental + alter)


def _text(element: Element, *path: str) -> str:
    return next((found.text.strip() for found in element.all(*path)), "")


def _whole(text: str) -> int:
    return int(float(text)) if text.removeprefix("-").replace(".", "", 1).isdigit() else 0


def _pitch_name(harmony: Element, kind: str) -> str | None:
    """Return the name of a root or bass; None if there is none that a label can have."""
    step, alter = _text(harmony, kind, f"{kind}-step"), _whole(_text(harmony, kind, f"{kind}-alter"))
    name = step + ("#" * alter if alter > 0 else "b" * -alter)
    return name if name in PITCH_CLASSES else None
