# SPDX-License-Identifier: MIT
"""MIDI files, as far as they tell which programs sound."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from kammerton.formats.midi import CHANNELS, DRUMS, NOTE_ON, PROGRAM, Event, MidiError, MidiFile
from kammerton.instruments.labels import KEY_OF_ONE_LIST, LabelRows, ListReader, ParsedLists, ReadingRules
from kammerton.instruments.options import PROGRAMS, look_up
from kammerton.instruments.taxonomy_files import load_taxonomy
from kammerton.model.annotations import Place


@dataclass(slots=True)
class Performance:
    """What sounds in a file."""

    # programs that play a note, 0 to 127, in the order in which they begin
    programs: list[int] = field(default_factory=list)
    percussion: bool = False  # whether the channel of percussion plays a note
    defaulted: bool = False  # whether a channel plays a note before it is given a program, which is then 0
    # what is not as the standard has it, but does not matter
    oddities: list[str] = field(default_factory=list)


def read_midi(data: bytes, limit: int) -> Performance:
    """Return what sounds in a file."""
    file = MidiFile(data, limit)
    patterns = file.read()  # which finds the oddities
    sound = Performance(oddities=file.oddities)
    for events in patterns:
        _play(events, sound)
    return sound


def _play(events: Iterable[Event], sound: Performance) -> None:
    """Note what sounds, each note with the program that its channel has at its time."""
    programs: dict[int, int] = {}
    sounding = dict.fromkeys(sound.programs)
    for _, _, _, kind, channel, first, second in events:
        if kind == PROGRAM:
            programs[channel] = first
        elif kind == NOTE_ON and second:
            if channel % CHANNELS == DRUMS:
                sound.percussion = True
            else:
                sound.defaulted |= channel not in programs
                sounding[programs.get(channel, 0)] = None
    sound.programs = list(sounding)


PERCUSSION = "drums"
"""Label of the channel of percussion, which has no program."""


def read_midi_programs(data: bytes, reader: ListReader) -> ParsedLists | None:
    """Read which instruments sound in a MIDI file."""
    problems = reader.problems
    if not data:
        reader.report_empty()
        return None
    try:
        sound = read_midi(data, reader.options.limits.rows)
    except MidiError as error:
        problems.report("KT630", f"MIDI file is damaged: {error}")
        return None
    for oddity in sound.oddities:
        problems.report("KT631", f"MIDI file is not as the standard has it: {oddity}", severity="warning")
    names = load_taxonomy(PROGRAMS).leaves
    labels = [names[program] for program in sound.programs]
    if sound.defaulted:
        message = f"notes before any program: played by program 0, {names[0]}"
        problems.report("KT633", message, severity="note")
    if sound.percussion:
        if look_up([PERCUSSION], reader.options)[0].fate in ("known", "kept", "left out"):
            labels.append(PERCUSSION)
        else:
            message = f"channel of percussion left out: the taxonomy has no `{PERCUSSION}`"
            hint = f"a label map can say what `{PERCUSSION}` is"
            problems.report("KT632", message, severity="note", hint=hint)
    if not labels and not sound.percussion:
        reader.report_empty()
        return None
    entries = LabelRows.of(labels, lambda _: Place(problems.file))
    return reader.finish(entries, KEY_OF_ONE_LIST, ReadingRules())
