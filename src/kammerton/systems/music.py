# SPDX-License-Identifier: MIT
"""Notes of a piece in beats, when its beats are, and how MIDI files are read and written as such."""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from kammerton.arrays import Codes, Flags, Seconds, Weights
from kammerton.formats.midi import (
    CHANNELS,
    DRUMS,
    METER,
    NOTE_OFF,
    NOTE_ON,
    PROGRAM,
    TEMPO,
    Event,
    MidiError,
    MidiFile,
)

PERCUSSION = -1
"""In place of a program: the channel of drums."""
_DIVISION = 480
_OFF, _ON, _PROGRAM, _BEND = 0x80, 0x90, 0xC0, 0xE0
_CENTRE, _CENTS_OF_BEND = 8192, 200
_RANK = {_BEND: 0, _PROGRAM: 0, _OFF: 1, _ON: 2}
"""Order of events of one tick: what ends before what begins."""
_USUAL_TEMPO = 500_000
"""Microseconds of a quarter note where a file has no tempo."""
_USUAL_METER = 4.0
"""Quarter notes of a bar where a file has no meter."""
LONGEST = 100_000
"""Beats that a piece may last: half a day. Damaged files may say anything."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Music:
    """Notes and their times; beats are quarter notes.

    Parameters
    ----------
    onsets, offsets : ndarray of float64
        Of each note, in beats.
    pitches, velocities, parts : ndarray of int64
        MIDI numbers of each note, and the number of its part.
    programs : tuple of int
        Program of each part as MIDI files have it, from 0; -1 for drums.
    tempo_beats, tempo_seconds : ndarray of float64
        Beats, and the seconds at which they are; the tempo between two of them is constant. At least two.
    bars : ndarray of float64
        Beats at which bars begin, and at last the end.
    voices : tuple of pair of int
        Track and channel of each part, if it is of a file.
    names : tuple of str
        What each part is called, if that is known: of a file, its track if that has no other part.
    """

    onsets: Weights
    offsets: Weights
    pitches: Codes
    velocities: Codes
    parts: Codes
    programs: tuple[int, ...]
    tempo_beats: Weights
    tempo_seconds: Seconds
    bars: Weights
    voices: tuple[tuple[int, int], ...] = ()
    names: tuple[str, ...] = ()

    def seconds(self, beats: Weights) -> Seconds:
        """Return when beats are; the last tempo goes on."""
        slopes = np.diff(self.tempo_seconds) / np.diff(self.tempo_beats)
        at = np.clip(np.searchsorted(self.tempo_beats, beats, side="right") - 1, 0, len(slopes) - 1)
        seconds: Seconds = self.tempo_seconds[at] + (beats - self.tempo_beats[at]) * slopes[at]
        return seconds

    def at_tempo(self, tempo: float) -> Music:
        """Return the same with so many beats a minute throughout."""
        return replace(self, tempo_seconds=self.tempo_beats * 60 / tempo)

    @property
    def is_percussion(self) -> Flags:
        """Whether each note is one of drums."""
        drums: Flags = np.isin(self.parts, [part for part, own in enumerate(self.programs) if own < 0])
        return drums


def write_midi(music: Music, *, cents: float = 0.0) -> bytes:
    """Return music as a MIDI file with a track for each part, all of it tuned higher by some cents."""
    tracks = [b"".join(_timeline(music))]
    channels = [channel for channel in range(16) if channel != DRUMS]
    melodic = iter(channels * (len(music.programs) // len(channels) + 1))
    for part, program in enumerate(music.programs):
        channel = DRUMS if program == PERCUSSION else next(melodic)
        tracks.append(b"".join(_encoded(_events(music, part, program, channel, cents))))
    chunks = (struct.pack(">4sI", b"MTrk", len(track) + 4) + track + b"\0\xff\x2f\0" for track in tracks)
    return struct.pack(">4sIHHH", b"MThd", 6, 1, len(tracks), _DIVISION) + b"".join(chunks)


def _timeline(music: Music) -> Iterator[bytes]:
    """Give the meter and the tempos."""
    meter = round(music.bars[1] - music.bars[0]) if len(music.bars) > 1 else 4
    yield bytes((0, 0xFF, 0x58, 4, min(max(meter, 1), 255), 2, 24, 8))
    micros = np.rint(1e6 * np.diff(music.tempo_seconds) / np.diff(music.tempo_beats)).astype(int)
    ticks, now, before = np.rint(_DIVISION * music.tempo_beats).astype(int), 0, 0
    for tick, micro in zip(ticks.tolist(), micros.tolist(), strict=False):
        if micro != before:
            yield _number(tick - now) + b"\xff\x51\x03" + micro.to_bytes(3, "big")
            now, before = tick, micro


_Event = tuple[int, int, bytes]


def _events(music: Music, part: int, program: int, channel: int, cents: float) -> list[_Event]:
    """Return the events of a part: tick, rank among those of one tick, bytes."""
    events = []
    if program != PERCUSSION:
        events.append((0, _RANK[_PROGRAM], bytes((_PROGRAM | channel, program))))
        bend = _CENTRE + round(cents / _CENTS_OF_BEND * _CENTRE)
        if bend != _CENTRE:
            events.append((0, _RANK[_BEND], bytes((_BEND | channel, bend & 0x7F, bend >> 7))))
    of_part = np.flatnonzero(music.parts == part)
    onsets, offsets = (
        np.rint(_DIVISION * beats[of_part]).astype(int) for beats in (music.onsets, music.offsets)
    )
    columns = (onsets, offsets, music.pitches[of_part], music.velocities[of_part])
    for onset, offset, pitch, velocity in zip(*(column.tolist() for column in columns), strict=True):
        events.append((onset, _RANK[_ON], bytes((_ON | channel, pitch, velocity))))
        events.append((max(offset, onset + 1), _RANK[_OFF], bytes((_OFF | channel, pitch, 0))))
    return sorted(events)


def _encoded(events: list[_Event]) -> Iterator[bytes]:
    now = 0
    for tick, _, message in events:
        yield _number(tick - now) + message
        now = tick


def _number(value: int) -> bytes:
    """Return a number of variable length: seven bits a byte, all but the last marked."""
    digits = [value & 0x7F]
    while value := value >> 7:
        digits.append(value & 0x7F | 0x80)
    return bytes(reversed(digits))


def sounding(onsets: Seconds, offsets: Seconds, *, gap: float = 0.5) -> Seconds:
    """Return the intervals in which any of some notes sounds; gaps that are shorter do not end one.

    >>> sounding(np.array([0.0, 1.25, 3.0]), np.array([1.0, 2.0, 4.0])).tolist()
    [[0.0, 2.0], [3.0, 4.0]]
    """
    order = np.argsort(onsets, kind="stable")
    onsets, offsets = onsets[order], np.maximum.accumulate(offsets[order])
    ends = np.append(onsets[1:] - offsets[:-1] >= gap, True)
    begins = np.append(True, ends[:-1])
    return np.stack((onsets[begins], offsets[ends]), axis=1)


# --- reading ---------------------------------------------------------------------------------


def read_midi_music(data: bytes, limit: int = 1_000_000) -> Music:
    """Return the notes of a MIDI file; a part is a track, channel and program, its channel of drums -1.

    Raises
    ------
    MidiError
        If it is no MIDI file of notes.
    """
    file = MidiFile(data, limit)
    (events, *others) = file.read()
    if others:
        raise MidiError("tracks are pieces of their own (format 2)", 8)
    notes = sorted(_notes(events), key=lambda note: note[:2])
    if not notes:
        raise MidiError("no notes", len(data))
    onsets, pitches, offsets, velocities, parts = zip(*notes, strict=True)
    numbers = {part: number for number, part in enumerate(dict.fromkeys(parts))}
    tracks = [track for track, _, _ in numbers]
    tempos = {0: _USUAL_TEMPO} | {tick: tempo for tick, _, _, kind, _, tempo, _ in events if kind == TEMPO}
    last = max(*offsets, max(tempos) + 1)
    beats, seconds = _clock(tempos, file.division, last)
    if beats[-1] > LONGEST:
        raise MidiError(f"it lasts {beats[-1]:,.0f} beats, and {LONGEST:,} are read", len(data))
    ticks = last / beats[-1]  # of a beat
    meters = {
        tick / ticks: 4 * count / unit
        for tick, _, _, kind, _, count, unit in events
        if kind == METER and count
    }
    return Music(
        onsets=np.array(onsets) / ticks,
        offsets=np.array(offsets) / ticks,
        pitches=np.array(pitches, dtype=np.int64),
        velocities=np.array(velocities, dtype=np.int64),
        parts=np.array([numbers[part] for part in parts], dtype=np.int64),
        programs=tuple(program for _, _, program in numbers),
        tempo_beats=beats,
        tempo_seconds=seconds,
        bars=bars_of(meters, max(offsets) / ticks),
        voices=tuple((track, channel) for track, channel, _ in numbers),
        names=tuple(file.names.get(track, "") if tracks.count(track) == 1 else "" for track in tracks),
    )


_Note = tuple[int, int, int, int, tuple[int, int, int]]
"""Onset, pitch, offset in ticks, velocity; track, channel and program."""


def _notes(events: Iterable[Event]) -> Iterator[_Note]:
    """Give the notes; a key that is struck twice is let go in the same order."""
    held: dict[tuple[int, int, int], list[tuple[int, int, int]]] = defaultdict(list)
    programs: dict[int, int] = {}
    last = 0
    for last, track, _, kind, channel, first, second in events:
        key = (track, channel, first)
        if kind == PROGRAM:
            programs[channel] = first
        elif kind == NOTE_ON and second:
            is_drum = channel % CHANNELS == DRUMS
            held[key].append((last, second, PERCUSSION if is_drum else programs.get(channel, 0)))
        elif kind in (NOTE_ON, NOTE_OFF) and held[key]:
            onset, velocity, program = held[key].pop(0)
            yield onset, first, last, velocity, (track, channel, program)
    for (track, channel, pitch), struck in held.items():
        for onset, velocity, program in struck:  # never let go: to the end
            yield onset, pitch, last, velocity, (track, channel, program)


def _clock(tempos: Mapping[int, int], division: int, last: int) -> tuple[Weights, Seconds]:
    """Return beats and seconds at which tempos change, and of the end."""
    changes = [*sorted(tempos), last]
    if division >= 0x8000:  # ticks are parts of seconds, and beats of no meaning
        seconds = last / ((256 - (division >> 8)) * max(division & 0xFF, 1))
        return np.array([0.0, 1e6 * seconds / _USUAL_TEMPO]), np.array([0.0, seconds])
    times = [0.0]
    for change, following in pairwise(changes):
        times.append(times[-1] + (following - change) * tempos[change])
    return np.array(changes) / division, np.array(times) / (1e6 * division)


def bars_of(meters: Mapping[float, float], end: float) -> Weights:
    """Return the beats at which bars begin, and the end; a meter is the quarter notes of a bar.

    >>> bars_of({0: 3, 6: 4}, 12).tolist()
    [0.0, 3.0, 6.0, 10.0, 12.0]
    """
    changes = sorted({0.0: _USUAL_METER, **meters}.items())
    begins = [beat for beat, _ in changes[1:] if beat < end]
    bars = [
        np.arange(begin, stop - 1e-6, meter)
        for (begin, meter), stop in zip(changes, [*begins, end], strict=False)
        if begin < end
    ]
    return np.append(np.concatenate(bars), end)
