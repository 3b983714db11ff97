# SPDX-License-Identifier: MIT
"""Notes of a piece in beats, when its beats are, and how they are written as a MIDI file."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kammerton.arrays import Codes, Flags, Seconds, Weights
from kammerton.formats.midi import DRUMS

PERCUSSION = -1
"""In place of a program: the channel of drums."""
_DIVISION = 480
_OFF, _ON, _PROGRAM, _BEND = 0x80, 0x90, 0xC0, 0xE0
_CENTRE, _CENTS_OF_BEND = 8192, 200
_RANK = {_BEND: 0, _PROGRAM: 0, _OFF: 1, _ON: 2}
"""Order of events of one tick: what ends before what begins."""


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

    def seconds(self, beats: Weights) -> Seconds:
        """Return when beats are; the last tempo goes on."""
        slopes = np.diff(self.tempo_seconds) / np.diff(self.tempo_beats)
        at = np.clip(np.searchsorted(self.tempo_beats, beats, side="right") - 1, 0, len(slopes) - 1)
        seconds: Seconds = self.tempo_seconds[at] + (beats - self.tempo_beats[at]) * slopes[at]
        return seconds

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
