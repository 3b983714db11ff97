# SPDX-License-Identifier: MIT
"""Notes of MIDI files, as systems of fingering take them: keys, seconds, hands by track or channel."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sized
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import numpy as np

from kammerton.arrays import Codes
from kammerton.errors import Diagnostic
from kammerton.fingering.annotation import LEFT, MISSING, RIGHT, UNKNOWN, Fingering
from kammerton.fingering.task import TASK
from kammerton.formats.midi import MidiError
from kammerton.formats.source import read_bytes
from kammerton.model.task import Reading, Task
from kammerton.systems.music import read_midi_music

SUFFIXES = frozenset((".mid", ".midi"))


def notes_task(task: Task) -> Task:
    """Return the task that reads notes, of which fingering reads MIDI files too."""
    if task is not TASK:
        return task
    return replace(task, suffixes=TASK.suffixes | SUFFIXES, read=_read, adopt=_adopt)


def _adopt(value: Any, name: str, options: Any) -> Reading[Fingering]:
    """Take notes of the caller's, as a fingering is taken, but that they need no fingers."""
    if not isinstance(value, Fingering):
        names = ("onsets", "offsets", "pitches", "hands", "fingers", "labels")
        columns = value if isinstance(value, Mapping) else {key: getattr(value, key, None) for key in names}
        onsets = columns.get("onsets")
        has_fingers = any(columns.get(key) is not None for key in ("fingers", "labels"))
        if isinstance(onsets, Sized) and not has_fingers:
            value = {**columns, "fingers": [MISSING] * len(onsets)}
    reading: Reading[Fingering] = TASK.adopt(value, name, options)
    return reading


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


def read_midi(data: bytes, limit: int = 1_000_000) -> Fingering:
    """Return the notes of a MIDI file, without fingers.

    Where exactly two tracks have notes, or else exactly two channels, the one that is higher on average is
    the right hand's. Otherwise nothing tells the hand. Drums are left out.

    Raises
    ------
    MidiError
        If it is no MIDI file of notes.
    """
    music = read_midi_music(data, limit)
    melodic = ~music.is_percussion
    if not melodic.any():
        raise MidiError("no notes", len(data))
    pitches = music.pitches[melodic]
    onsets, offsets = (music.seconds(beats[melodic]) for beats in (music.onsets, music.offsets))
    hands = _hands(np.array(music.voices)[music.parts[melodic]], pitches)
    return Fingering(onsets, offsets, pitches, hands, (MISSING,) * len(pitches))


def _hands(voices: Codes, pitches: Codes) -> Codes:
    """Return the hand of each note by track, or by channel."""
    for numbers in voices.T:
        names = np.unique(numbers)
        if len(names) == 2:
            of_first = numbers == names[0]
            first_is_right = pitches[of_first].mean() >= pitches[~of_first].mean()
            return np.where(of_first == first_is_right, RIGHT, LEFT)
    return np.full(len(pitches), UNKNOWN)
