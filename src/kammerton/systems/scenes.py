# SPDX-License-Identifier: MIT
"""Scenes: made-up music of which everything is known, to test and train systems on.

A progression of chords in a key is voiced by the instruments of a little band, whose notes are written as
MIDI and as sound; what was chosen is the truth. The same seed gives the same scenes, whatever their number.

``make_scene(number, seed, options)`` makes one; it has

- ``intervals``, ``labels``: its chords in Harte syntax, and ``chords``, the same as an annotation;
- ``instruments``: by name of General MIDI, or ``drums``, the intervals in which each sounds;
- ``beats``: their times, and the number of each in its bar, from 1;
- ``music``: its notes (:class:`kammerton.systems.music.Music`); ``midi()``: a file of them; ``sound()``: mono
  samples, ``rendering.RATE`` a second;
- ``fingering``: for scenes of the task fingering, scales and arpeggios with the fingers that books have.

``bad_sources`` has ``bad_midi(scene, version)`` and ``sheet(scene, version)``: sources with mistakes, as one
finds them. ``kammerton.scenes`` makes many scenes, and writes folders that ``score``, ``annotate`` and
``train`` take: ``reference``, ``midi``, ``beats``, ``audio``, ``bad_midi_1``, ``sheets_1`` and so on.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.random import Generator

from kammerton.arrays import Seconds
from kammerton.chords.annotation import ChordAnnotation
from kammerton.chords.respelling import SHORTHAND_DEGREES
from kammerton.errors import OptionError
from kammerton.fingering.annotation import Fingering
from kammerton.instruments.options import PROGRAMS
from kammerton.instruments.taxonomy_files import load_taxonomy
from kammerton.systems.music import PERCUSSION, Music, sounding, write_midi
from kammerton.systems.rendering import RATE, Sound, degraded, sound_of

NO_CHORD = "N"
DRUMS = "drums"
_PHRASE_BARS = 4
_FORM = "AABA"


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneOptions:
    """How hard scenes are; chances are from 0 to 1.

    Parameters
    ----------
    bars, meter : int
        Length in bars, and quarter notes of a bar.
    slowest, fastest : float
        Tempos to choose from, in beats a minute.
    drift : float
        How far the tempo wanders from bar to bar: standard deviation as a share of it.
    changes : float
        Chance of a bar to have two chords.
    sevenths, inversions : float
        Chance of a chord to have a seventh, or another bass than its root.
    passing : float
        Chance of a beat to have a note that is not in its chord.
    arpeggios : float
        Chance of a phrase to have its chords broken.
    silence : float
        Chance of a phrase to end with a bar without chord.
    ensemble : {"band", "piano", "mixed"}
        Who plays: a band whose instruments change from phrase to phrase; a piano alone; or in each phrase one
        to four instruments of any kind, to train systems on.
    noise_db : float, optional
        How far below the music white noise is; by default there is none.
    detune : float
        Cents by which the tuning may differ from 440 Hz, in either direction.
    eq_db : float
        Standard deviation of a random equalizer.
    errors : float
        Share of chords that bad sources have wrong.
    """

    bars: int = 16
    meter: int = 4
    slowest: float = 72
    fastest: float = 132
    drift: float = 0.01
    changes: float = 0.35
    sevenths: float = 0.25
    inversions: float = 0.2
    passing: float = 0.25
    arpeggios: float = 0.3
    silence: float = 0.05
    ensemble: Literal["band", "piano", "mixed"] = "band"
    noise_db: float | None = None
    detune: float = 10
    eq_db: float = 2
    errors: float = 0.2

    def __post_init__(self) -> None:
        shares = [self.drift, self.changes, self.sevenths, self.inversions, self.passing]
        shares += [self.arpeggios, self.silence, self.errors]
        if not all(0 <= share <= 1 for share in shares):
            raise OptionError("chances in scenes are numbers from 0 to 1")
        if self.bars < 1 or not 1 <= self.meter <= 12 or not 0 < self.slowest <= self.fastest <= 1000:
            raise OptionError(
                "scenes need 1 bar or more, a meter from 1 to 12, and 0 < slowest <= fastest <= 1,000"
            )
        if self.ensemble not in (known := ("band", "piano", "mixed")):
            raise OptionError.unknown("ensemble", self.ensemble, known)


DIFFICULTIES: Mapping[str, SceneOptions] = {
    "easy": SceneOptions(
        drift=0, changes=0, sevenths=0, inversions=0, passing=0, arpeggios=0, silence=0,
        ensemble="piano", detune=0, eq_db=0, errors=0.1,
    ),
    "medium": SceneOptions(),
    "hard": SceneOptions(
        drift=0.03, changes=0.6, sevenths=0.5, inversions=0.4, passing=0.5, arpeggios=0.5, silence=0.1,
        noise_db=20, detune=30, eq_db=5, errors=0.3,
    ),
}  # fmt: skip


class _Degree(NamedTuple):
    """A degree of a key: root in fifths from the tonic, triad, chord of the seventh, and what may follow."""

    fifths: int
    triad: str
    seventh: str
    followers: str


_MODES: Mapping[str, Mapping[str, _Degree]] = {
    "major": {
        "I": _Degree(0, "maj", "maj7", "ii iii IV IV V V vi"),
        "ii": _Degree(2, "min", "min7", "V V IV vii"),
        "II": _Degree(2, "maj", "7", "V"),
        "iii": _Degree(4, "min", "min7", "vi IV"),
        "IV": _Degree(-1, "maj", "maj7", "I V V ii"),
        "V": _Degree(1, "maj", "7", "I I vi IV"),
        "vi": _Degree(3, "min", "min7", "ii IV V II iii"),
        "vii": _Degree(5, "dim", "hdim7", "I iii"),
    },
    "minor": {
        "I": _Degree(0, "min", "min7", "iv iv V VI VII III"),
        "ii": _Degree(2, "dim", "hdim7", "V"),
        "III": _Degree(-3, "maj", "maj7", "VI iv"),
        "iv": _Degree(-1, "min", "min7", "V I VII ii"),
        "V": _Degree(1, "maj", "7", "I I VI"),
        "VI": _Degree(-4, "maj", "maj7", "iv VII III ii"),
        "VII": _Degree(-2, "maj", "7", "III I"),
    },
}
_SCALES = {"major": (0, 2, 4, 5, 7, 9, 11), "minor": (0, 2, 3, 5, 7, 8, 10)}
_LETTERS = "FCGDAEB"
_BASSES = (32, 33, 34, 35, 43)
_ALL_BASSES = (*_BASSES, 36, 37, 38, 39)
_ACCOMPANIMENTS = (0, 0, 1, 4, 6, 16, 19, 21, 24, 25, 27, 46, 48, 52)
_MELODIES = (11, 12, 22, 40, 41, 42, 56, 57, 60, 64, 65, 68, 71, 73, 105)
_CHORDAL = (
    (0, 1, 2, 3, 4, 5),
    (16, 17, 18, 19, 20),
    (21, 23),
    (24, 25, 26, 27, 29, 30),
    (52, 53),
    (48, 46, 6),
)
_TUNEFUL = (
    *((9, 11, 12, 13), (40, 110), (42,), (56, 59), (57,), (64, 65, 66, 67), (71,), (73,), (105,)),
    *((80, 81, 87, 90), (41, 60, 68, 69, 70, 72, 74, 22)),
)
"""Programs of each kind of instrument that a mixed ensemble may have: those that play chords, and tunes."""
_LOW = frozenset((42, 57, 66, 67, 70, 60))
"""Programs that play tunes an octave lower."""
_MOST_MIXED = 4
_KICK, _SNARE, _HAT = 36, 38, 42


class _Span(NamedTuple):
    """A chord in time; without a label there is none."""

    begin: float  # in beats, as the end
    end: float
    label: str
    tones: tuple[int, ...] = ()  # pitch classes, the root first
    bass: int = 0  # pitch class


class _Key(NamedTuple):
    tonic: int  # on the line of fifths, C is 0
    mode: str


def root_name(fifths: int) -> str:
    """Return the name of a place on the line of fifths, on which C is 0.

    >>> root_name(2), root_name(-2), root_name(6)
    ('D', 'Bb', 'F#')
    """
    signs, letter = divmod(fifths + 1, 7)
    return _LETTERS[letter] + ("#" * signs if signs > 0 else "b" * -signs)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene:
    """A made-up piece and what is known of it; see the module."""

    item: str
    music: Music
    intervals: Seconds
    labels: tuple[str, ...]
    instruments: Mapping[str, Seconds] = field(default_factory=dict)
    sections: tuple[tuple[str, float, float], ...] = ()  # name, begin and end in beats
    fingering: Fingering | None = None
    options: SceneOptions = SceneOptions()
    seeds: tuple[int, int] = (0, 0)

    @property
    def chords(self) -> ChordAnnotation:
        """Its chords as an annotation."""
        return ChordAnnotation(self.intervals, self.labels)

    @property
    def beats(self) -> tuple[Seconds, tuple[int, ...]]:
        """Times of beats, and the number of each in its bar."""
        meter = self.options.meter
        beats = np.arange(self.music.bars[0], self.music.bars[-1])
        return self.music.seconds(beats), tuple(int(beat) % meter + 1 for beat in beats)

    def chances(self, purpose: int) -> Generator:
        """Return random numbers of its own for each purpose."""
        return np.random.default_rng((*self.seeds, purpose))

    def midi(self) -> bytes:
        """Return its notes as a MIDI file."""
        return write_midi(self.music)

    def sound(self, *, soundfont: str | os.PathLike[str] | None = None, rate: int = RATE) -> Sound:
        """Return its sound: mono samples, by a soundfont or else of sines."""
        chances, options = self.chances(1), self.options
        cents = float(chances.uniform(-options.detune, options.detune))
        sound = sound_of(self.music, soundfont=soundfont, cents=cents, rate=rate)
        return degraded(sound, chances, noise_db=options.noise_db, eq_db=options.eq_db, rate=rate)


def make_scene(number: int, seed: int = 0, options: SceneOptions = DIFFICULTIES["medium"]) -> Scene:
    """Return the scene of a number, counted from 0; others need not be made for it.

    >>> scene = make_scene(0, options=DIFFICULTIES["easy"])
    >>> len(scene.labels), scene.intervals[0].tolist()[0], list(scene.instruments)
    (16, 0.0, ['Acoustic Grand Piano'])
    """
    chances = np.random.default_rng((seed, number, 0))
    key = _Key(int(chances.integers(-5, 7)), str(chances.choice(list(_MODES))))
    spans, sections = _progression(key, chances, options)
    beats = np.arange(options.bars * options.meter + 1.0)
    clock = _clock(len(beats) - 1, chances, options)
    notes = _Notes()
    for _, begin, end in sections:
        within = [span for span in spans if begin <= span.begin < end]
        _play_phrase(notes, within, key, chances, options)
    music = notes.music(beats, clock, beats[:: options.meter])
    bounds = music.seconds(np.array([[span.begin, span.end] for span in spans]))
    return Scene(
        item=f"scene_{number + 1:04}",
        music=music,
        intervals=bounds,
        labels=tuple(span.label for span in spans),
        instruments=_sounding(music),
        sections=tuple(sections),
        options=options,
        seeds=(seed, number),
    )


# --- harmony ---------------------------------------------------------------------------------


def _progression(
    key: _Key, chances: Generator, options: SceneOptions
) -> tuple[list[_Span], list[tuple[str, float, float]]]:
    """Return chords in time, and the phrases: those of one letter have the same chords."""
    phrases: dict[str, list[_Span]] = {}
    spans: list[_Span] = []
    sections = []
    for number, first in enumerate(range(0, options.bars, _PHRASE_BARS)):
        letter = _FORM[number % len(_FORM)]
        if letter not in phrases:
            phrases[letter] = _phrase(key, chances, options)
        begin = float(first * options.meter)
        end = float(min(first + _PHRASE_BARS, options.bars) * options.meter)
        for span in phrases[letter]:
            if begin + span.begin < end:
                moved = span._replace(begin=begin + span.begin, end=min(begin + span.end, end))
                if spans and spans[-1].label == moved.label:
                    moved = spans.pop()._replace(end=moved.end)
                spans.append(moved)
        sections.append((letter, begin, end))
    return spans, sections


def _phrase(key: _Key, chances: Generator, options: SceneOptions) -> list[_Span]:
    """Return the chords of a phrase, which begins with the tonic."""
    degrees = _MODES[key.mode]
    name, spans, meter = "I", [], options.meter
    for bar in range(_PHRASE_BARS):
        begin, end = float(bar * meter), float((bar + 1) * meter)
        if bar == _PHRASE_BARS - 1 and chances.random() < options.silence:
            spans.append(_Span(begin, end, NO_CHORD))
            break
        middle = begin + (meter + 1) // 2
        bounds = [begin, middle, end] if meter > 1 and chances.random() < options.changes else [begin, end]
        for start, stop in pairwise(bounds):
            spans.append(_chord(key, degrees[name], start, stop, chances, options))
            name = str(chances.choice(degrees[name].followers.split()))
    return spans


def _chord(
    key: _Key, degree: _Degree, begin: float, end: float, chances: Generator, options: SceneOptions
) -> _Span:
    quality = degree.seventh if chances.random() < options.sevenths else degree.triad
    place = key.tonic + degree.fifths
    tones = SHORTHAND_DEGREES[quality]
    over = int(chances.integers(1, len(tones))) if chances.random() < options.inversions else 0
    label = f"{root_name(place)}:{quality}" + (f"/{tones[over]}" if over else "")
    classes = tuple((7 * place + tone.semitones) % 12 for tone in tones)
    return _Span(begin, end, label, classes, classes[over])


def _clock(beats: int, chances: Generator, options: SceneOptions) -> Seconds:
    """Return the time of each beat; whole microseconds, as MIDI files have them."""
    tempo = chances.uniform(options.slowest, options.fastest)
    bars = np.cumsum(chances.normal(0, options.drift, beats // options.meter + 1))
    tempos = tempo * np.exp(np.clip(bars, -0.3, 0.3))
    micros = np.rint(60e6 / np.repeat(tempos, options.meter)[:beats])
    return np.concatenate(([0], np.cumsum(micros))) / 1e6


# --- voices ----------------------------------------------------------------------------------


class _Notes:
    """Collects notes, by the program that plays them."""

    def __init__(self) -> None:
        self._rows: list[tuple[float, float, int, int, int]] = []
        self._parts: dict[int, int] = {}

    def add(
        self, program: int, pitches: int | Iterable[int], begin: float, end: float, velocity: int
    ) -> None:
        part = self._parts.setdefault(program, len(self._parts))
        for pitch in (pitches,) if isinstance(pitches, int) else pitches:
            self._rows.append((begin, end, pitch, velocity, part))

    def music(self, beats: Seconds, clock: Seconds, bars: Seconds) -> Music:
        """Return all notes; of a key that one part strikes twice at a time, one is struck."""
        rows = {(begin, part, pitch): (end, velocity) for begin, end, pitch, velocity, part in self._rows}
        keys = sorted(rows)
        return Music(
            onsets=np.array([begin for begin, _, _ in keys]),
            offsets=np.array([rows[key][0] for key in keys]),
            pitches=np.array([pitch for _, _, pitch in keys]),
            velocities=np.array([rows[key][1] for key in keys]),
            parts=np.array([part for _, part, _ in keys]),
            programs=tuple(self._parts),
            tempo_beats=beats,
            tempo_seconds=clock,
            bars=bars,
        )


def _play_phrase(
    notes: _Notes, spans: Sequence[_Span], key: _Key, chances: Generator, options: SceneOptions
) -> None:
    """Play the chords of a phrase by instruments of its own."""
    if options.ensemble == "mixed":
        _play_mixed(notes, spans, key, chances, options)
        return
    is_band = options.ensemble == "band"
    basses, chords, tunes = (_BASSES, _ACCOMPANIMENTS, _MELODIES) if is_band else ((0,), (0,), (0,))
    bass, chord, tune = (int(chances.choice(programs)) for programs in (basses, chords, tunes))
    has_tune, has_drums = chances.random() < 0.8, is_band and chances.random() < 0.5
    is_broken = chances.random() < options.arpeggios
    voicing: tuple[int, ...] = (60,)
    line = 72
    for span, following in zip(spans, [*spans[1:], None], strict=True):
        if span.tones:
            voicing = _close_position(span.tones, voicing)
            _accompany(notes, chord, span, voicing, is_broken=is_broken)
            _walk(notes, bass, span, following, chances, options)
            if has_tune:
                line = _sing(notes, tune, span, key, line, chances, options)
        if has_drums:
            _drum(notes, span, options.meter)


def _play_mixed(
    notes: _Notes, spans: Sequence[_Span], key: _Key, chances: Generator, options: SceneOptions
) -> None:
    """Play the chords of a phrase by one to four kinds of instruments."""
    kinds = [*_CHORDAL, *_TUNEFUL, _ALL_BASSES, (PERCUSSION,)]
    count = int(chances.integers(1, _MOST_MIXED + 1))
    for kind in chances.permutation(len(kinds))[:count].tolist():
        program, line = int(chances.choice(kinds[kind])), 72
        voicing: tuple[int, ...] = (60,)
        plays_chords = kind < len(_CHORDAL) and chances.random() < 0.7
        is_broken = chances.random() < options.arpeggios
        for span, following in zip(spans, [*spans[1:], None], strict=True):
            if program == PERCUSSION:
                _drum(notes, span, options.meter)
            elif program in _ALL_BASSES and span.tones:
                _walk(notes, program, span, following, chances, options)
            elif plays_chords and span.tones:
                voicing = _close_position(span.tones, voicing)
                _accompany(notes, program, span, voicing, is_broken=is_broken)
            elif span.tones:
                down = 12 * (program in _LOW)
                line = _sing(notes, program, span, key, line, chances, options, down=down)


def _close_position(tones: Sequence[int], before: Sequence[int]) -> tuple[int, ...]:
    """Return the voicing, all tones within an octave, that lies nearest to the one before."""
    voicings = []
    for lowest in range(52, 64):
        if lowest % 12 in tones:
            voicings.append(tuple(sorted(lowest + (tone - lowest) % 12 for tone in tones)))
    return min(voicings, key=lambda voicing: abs(np.mean(voicing) - (np.mean(before) + 61) / 2))


def _accompany(notes: _Notes, program: int, span: _Span, voicing: Sequence[int], *, is_broken: bool) -> None:
    """Play a chord, struck once or broken in eighths that are held."""
    if not is_broken:
        notes.add(program, voicing, span.begin, span.end, 74)
        return
    for step, begin in enumerate(np.arange(span.begin, span.end, 0.5).tolist()):
        pitch = voicing[step % len(voicing)]
        notes.add(program, pitch, begin, min(begin + 0.5 * len(voicing), span.end), 74)


def _walk(
    notes: _Notes,
    program: int,
    span: _Span,
    following: _Span | None,
    chances: Generator,
    options: SceneOptions,
) -> None:
    """Play the bass on every other beat, perhaps with a step to the next one."""
    pitch = 36 + (span.bass - 36) % 12
    begins = np.arange(span.begin, span.end, 2).tolist()
    for begin, end in zip(begins, [*begins[1:], span.end], strict=True):
        is_last = end == span.end and following is not None and following.tones
        if is_last and end - begin > 1 and chances.random() < options.passing:
            target = 36 + (following.bass - 36) % 12  # type: ignore[union-attr]
            notes.add(program, pitch, begin, end - 0.5, 84)
            notes.add(program, target + (1 if target <= pitch else -1), end - 0.5, end, 70)
        else:
            notes.add(program, pitch, begin, end, 84)


def _sing(
    notes: _Notes,
    program: int,
    span: _Span,
    key: _Key,
    line: int,
    chances: Generator,
    options: SceneOptions,
    *,
    down: int = 0,
) -> int:
    """Play a melody of tones of the chord, with passing notes of the key, and return its last note.

    All of it is some semitones lower.
    """
    scale = [(7 * key.tonic + step) % 12 for step in _SCALES[key.mode]]
    own = [pitch for pitch in range(64, 85) if pitch % 12 in span.tones]
    for begin in np.arange(span.begin, span.end).tolist():
        near = [pitch for pitch in own if abs(pitch - line) <= 7]
        line = int(chances.choice(near or own))
        end = min(begin + 1, span.end)
        kind = chances.random()
        if kind < options.passing:
            steps = [line + step for step in (-2, -1, 1, 2) if (line + step) % 12 in scale]
            notes.add(program, line - down, begin, begin + (end - begin) / 2, 88)
            notes.add(program, int(chances.choice(steps)) - down, begin + (end - begin) / 2, end, 80)
        elif kind < 0.9:
            notes.add(program, line - down, begin, end, 88)
    return line


def _drum(notes: _Notes, span: _Span, meter: int) -> None:
    for half in np.arange(2 * span.begin, 2 * span.end).tolist():
        beat, is_off = divmod(half / 2 % meter, 1)
        notes.add(PERCUSSION, _HAT, half / 2, half / 2 + 0.25, 60)
        if not is_off:
            notes.add(PERCUSSION, _SNARE if beat % 2 else _KICK, half / 2, half / 2 + 0.25, 90)


# --- instruments -----------------------------------------------------------------------------


@cache
def _program_names() -> tuple[str, ...]:
    return tuple(load_taxonomy(PROGRAMS).leaves)


def program_name(program: int) -> str:
    """Return the name of a program as General MIDI has it, or ``drums``."""
    return DRUMS if program == PERCUSSION else _program_names()[program]


def _sounding(music: Music) -> dict[str, Seconds]:
    """Return when each instrument sounds, without gaps that are short."""
    times: dict[str, Seconds] = {}
    for part, program in enumerate(music.programs):
        own = np.flatnonzero(music.parts == part)
        spans = [music.seconds(beats[own]) for beats in (music.onsets, music.offsets)]
        times[program_name(program)] = sounding(*spans)
    return times
