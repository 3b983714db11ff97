# SPDX-License-Identifier: MIT
"""Notes of MIDI files, as systems of fingering take them: keys, seconds, hands by track or channel."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import PurePath
from typing import Any

import numpy as np

from kammerton.errors import Diagnostic
from kammerton.fingering.annotation import LEFT, MISSING, RIGHT, UNKNOWN, Fingering
from kammerton.fingering.task import TASK
from kammerton.formats.midi import CHANNELS, DRUMS, NOTE_OFF, NOTE_ON, TEMPO, Event, MidiError, MidiFile
from kammerton.formats.source import read_bytes
from kammerton.model.task import Reading, Task

SUFFIXES = frozenset((".mid", ".midi"))
_USUAL_TEMPO = 500_000
"""Microseconds of a quarter note where a file has no tempo."""


def notes_task(task: Task) -> Task:
    """Return the task that reads notes, of which fingering reads MIDI files too."""
    if task is not TASK:
        return task
    return replace(task, suffixes=TASK.suffixes | SUFFIXES, read=_read)


def _read(path: str | os.PathLike[str], name: str | None = None, options: Any = None) -> Reading[Fingering]:
    shown = os.fsdecode(path) if name is None else name
    if PurePath(os.fsdecode(path)).suffix.lower() not in SUFFIXES:
        reading: Reading[Fingering] = TASK.read(path, shown, options)
        return reading
    data = read_bytes(path, name=shown, limits=options.limits)
    try:
        return Reading(((None, read_midi(data, options.limits.rows)),), ())
    except MidiError as error:
        message = f"MIDI file cannot be read: {error}"
        return Reading((), (Diagnostic(code="KT810", severity="error", message=message, file=shown),))


@dataclass(frozen=True, slots=True)
class _Note:
    """A note of a file, in ticks."""

    onset: int
    offset: int
    pitch: int
    voice: tuple[int, int]  # track and channel


def read_midi(data: bytes, limit: int = 1_000_000) -> Fingering:
    """Return the notes of a MIDI file, without fingers.

    Where exactly two tracks have notes, or else exactly two channels, the one that is higher on average is
    the right hand's. Otherwise nothing tells the hand. Drums are left out.

    Raises
    ------
    MidiError
        If it is no MIDI file of notes.
    """
    file = MidiFile(data, limit)
    (events, *others) = file.read()
    if others:
        raise MidiError("tracks are pieces of their own (format 2)", 8)
    tempos = {0: _USUAL_TEMPO} | {tick: tempo for tick, _, _, kind, _, tempo, _ in events if kind == TEMPO}
    notes = sorted(_notes(events), key=lambda note: (note.onset, note.pitch))
    if not notes:
        raise MidiError("no notes", len(data))
    onsets, offsets = (
        _seconds([getattr(note, name) for note in notes], tempos, file.division)
        for name in ("onset", "offset")
    )
    pitches = np.array([note.pitch for note in notes], dtype=np.int64)
    return Fingering(onsets, offsets, pitches, _hands(notes, pitches), (MISSING,) * len(notes))


def _notes(events: Iterable[Event]) -> Iterator[_Note]:
    """Give the notes; a key that is struck twice is let go in the same order."""
    held: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    last = 0
    for last, track, _, kind, channel, pitch, velocity in events:
        if kind == NOTE_ON and velocity and channel % CHANNELS != DRUMS:
            held[track, channel, pitch].append(last)
        elif kind in (NOTE_ON, NOTE_OFF) and held[track, channel, pitch]:
            yield _Note(held[track, channel, pitch].pop(0), last, pitch, (track, channel))
    for (track, channel, pitch), onsets in held.items():
        for onset in onsets:  # never let go: to the end
            yield _Note(onset, last, pitch, (track, channel))


def _seconds(ticks: list[int], tempos: dict[int, int], division: int) -> Any:
    """Return ticks in seconds; where the division is one of seconds, there is no tempo."""
    if division >= 0x8000:
        return np.array(ticks) / ((256 - (division >> 8)) * max(division & 0xFF, 1))
    changes = sorted(tempos)
    begins = [0.0]
    for change, following in pairwise(changes):
        begins.append(begins[-1] + (following - change) * tempos[change])
    micros = []
    for tick in ticks:
        at = bisect_right(changes, tick) - 1
        micros.append(begins[at] + (tick - changes[at]) * tempos[changes[at]])
    return np.array(micros) / (1e6 * division)


def _hands(notes: list[_Note], pitches: Any) -> Any:
    """Return the hand of each note by track, or by channel."""
    for voices in zip(*(note.voice for note in notes), strict=True):
        names = sorted(set(voices))
        if len(names) == 2:
            of_first = np.array(voices) == names[0]
            first_is_right = pitches[of_first].mean() >= pitches[~of_first].mean()
            return np.where(of_first == first_is_right, RIGHT, LEFT)
    return np.full(len(notes), UNKNOWN)
