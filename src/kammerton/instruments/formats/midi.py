# SPDX-License-Identifier: MIT
"""Standard MIDI files, as far as they tell which programs sound.

Events are read to the byte, so that a message can say where a file is damaged, and no length that a
file claims is trusted.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from kammerton.instruments.labels import ONE, LabelList, ListReader, ParsedLists, ReadingRules
from kammerton.instruments.options import PROGRAMS, look_up
from kammerton.instruments.taxonomy_files import load_taxonomy
from kammerton.model.annotations import Place

DRUMS = 9
"""Channel of percussion, counted from 0; its programs are drum kits."""
_DATA_LENGTHS = {0x8: 2, 0x9: 2, 0xA: 2, 0xB: 2, 0xC: 1, 0xD: 1, 0xE: 2}
"""Data bytes of an event of a channel, by the upper half of its status."""
_VARIABLE = 4
"""Bytes that a number of variable length has at most."""
_END_OF_TRACK, _PORT, _META = 0x2F, 0x21, 0xFF
_SYSEX = (0xF0, 0xF7)
_CHANNELS = 16


class MidiError(Exception):
    """A file is damaged; says where, in bytes from its begin."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(f"{message} at byte {offset:,}")


@dataclass(slots=True)
class Performance:
    """What sounds in a file."""

    # programs that play a note, 0 to 127, in the order in which they begin
    programs: list[int] = field(default_factory=list)
    percussion: bool = False  # whether the channel of percussion plays a note
    defaulted: bool = False  # whether a channel plays a note before it is given a program, which is then 0
    # what is not as the standard has it, but does not matter
    oddities: list[str] = field(default_factory=list)


_Event = tuple[int, int, int, int, int]
"""Tick, track and number of an event, its channel, and the program that it gives to it; -1 for a note."""


def read_midi(data: bytes, limit: int) -> Performance:
    """Return what sounds in a file."""
    return _Midi(data, limit).read()


class _Midi:
    """Reads one file."""

    def __init__(self, data: bytes, limit: int) -> None:
        self._data = data
        self._limit = limit
        self._count = 0
        self._sound = Performance()

    def read(self) -> Performance:
        """Return what sounds."""
        offset = self._begin()
        form, tracks, offset = self._header(offset)
        events: list[_Event] = []
        count = 0
        while offset < len(self._data) and count < tracks:
            name, body, end = self._chunk(offset)
            if name == b"MTrk":
                track = self._track(body, end, count)
                if form == 2:  # tracks are pieces of their own
                    self._play(track)
                else:
                    events += track
                count += 1
            offset = end
        if count < tracks:
            raise MidiError(f"file ends: it has {count} of {tracks} tracks", len(self._data))
        if self._data[offset : offset + 4] == b"MTrk":
            raise MidiError(f"there are more tracks than the header says ({tracks})", offset)
        if offset < len(self._data):
            self._odd(f"{len(self._data) - offset:,} bytes after the last track")
        self._play(sorted(events))
        return self._sound

    def _odd(self, message: str) -> None:
        if message not in self._sound.oddities:
            self._sound.oddities.append(message)

    # --- chunks ------------------------------------------------------------------------------

    def _begin(self) -> int:
        """Return where the MIDI file begins, which is the data of a RIFF file if it is in one."""
        data = self._data
        if data[:4] != b"RIFF" or data[8:12] != b"RMID":
            return 0
        offset = 12
        while data[offset : offset + 4] != b"data":
            if offset + 8 > len(data):
                raise MidiError("RIFF file without data", offset)
            length = int.from_bytes(data[offset + 4 : offset + 8], "little")
            offset += 8 + length + length % 2
        length = int.from_bytes(data[offset + 4 : offset + 8], "little")
        self._data = data[: offset + 8 + length]
        return offset + 8

    def _header(self, offset: int) -> tuple[int, int, int]:
        """Return format, number of tracks, and where the first chunk begins."""
        if self._data[offset : offset + 4] != b"MThd":
            raise MidiError("no MIDI file: `MThd` is expected", offset)
        _, body, end = self._chunk(offset)
        if end - body < 6:
            raise MidiError("header is too short", body)
        form, tracks, division = struct.unpack_from(">HHH", self._data, body)
        if form > 2:
            raise MidiError(f"format {form} is not known", body)
        if division == 0:
            raise MidiError("division is 0: time stands still", body + 4)
        return form, tracks, end

    def _chunk(self, offset: int) -> tuple[bytes, int, int]:
        """Return name, begin and end of a chunk."""
        head = self._data[offset : offset + 8]
        if len(head) < 8:
            raise MidiError("file ends within the head of a chunk", offset)
        length = int.from_bytes(head[4:], "big")
        end = offset + 8 + length
        if end > len(self._data):
            left = len(self._data) - offset - 8
            raise MidiError(f"chunk of {length:,} bytes, but only {left:,} are left", offset)
        return head[:4], offset + 8, end

    # --- events ------------------------------------------------------------------------------

    def _number(self, offset: int, end: int) -> tuple[int, int]:
        """Return a number of variable length, and where it ends."""
        value = 0
        for at in range(offset, min(offset + _VARIABLE, end)):
            byte = self._data[at]
            value = value << 7 | byte & 0x7F
            if byte < 0x80:
                return value, at + 1
        if end - offset >= _VARIABLE:
            raise MidiError("number of more than four bytes", offset)
        raise MidiError("track ends within a number", offset)

    def _track(self, offset: int, end: int, track: int) -> list[_Event]:
        """Return notes and programs of a track."""
        events: list[_Event] = []
        tick, running, port = 0, 0, 0
        while offset < end:
            self._count += 1
            if self._count > self._limit:
                raise MidiError(f"more than {self._limit:,} events", offset)
            delta, offset = self._number(offset, end)
            tick, status = tick + delta, self._byte(offset, end)
            if status >= 0xF0:
                running = 0
                kind, body, offset = self._message(status, offset + 1, end)
                if kind == _END_OF_TRACK:
                    return events
                if kind == _PORT and offset > body:
                    port = self._data[body]
                continue
            if status >= 0x80:
                running = status
                offset += 1
            elif not running:
                raise MidiError("data without a status", offset)
            body, offset = offset, offset + _DATA_LENGTHS[running >> 4]
            if offset > end:
                raise MidiError("track ends within an event", body)
            program = self._program(running, body)
            if program is not None:
                channel = port * _CHANNELS + (running & 0xF)
                events.append((tick, track, len(events), channel, program))
        self._odd("track without an end-of-track event")
        return events

    def _byte(self, offset: int, end: int) -> int:
        if offset >= end:
            raise MidiError("track ends within an event", offset)
        return self._data[offset]

    def _message(self, status: int, offset: int, end: int) -> tuple[int, int, int]:
        """Return the kind of a meta event, or of another -1; begin and end of its content."""
        kind = -1
        if status == _META:
            kind = self._byte(offset, end)
            offset += 1
        elif status not in _SYSEX:
            raise MidiError(f"status 0x{status:02X} has no place in a file", offset - 1)
        length, body = self._number(offset, end)
        if body + length > end:
            raise MidiError(f"event of {length:,} bytes, but only {end - body:,} are left", offset)
        return kind, body, body + length

    def _program(self, status: int, body: int) -> int | None:
        """Return the program of a change, -1 for a note that begins, None for anything else."""
        first = self._data[body]
        if status >> 4 == 0xC:
            if first > 0x7F:
                raise MidiError(f"program {first}, where 127 is the last one,", body)
            return first
        if status >> 4 != 0x9:
            return None
        velocity = self._data[body + 1]
        if first > 0x7F or velocity > 0x7F:
            self._odd("data byte over 127 in a note")
        return -1 if velocity else None

    def _play(self, events: list[_Event]) -> None:
        """Note what sounds, each note with the program that its channel has at its time."""
        programs: dict[int, int] = {}
        sounding = dict.fromkeys(self._sound.programs)
        for *_, channel, program in events:
            if program >= 0:
                programs[channel] = program
            elif channel % _CHANNELS == DRUMS:
                self._sound.percussion = True
            else:
                self._sound.defaulted |= channel not in programs
                sounding[programs.get(channel, 0)] = None
        self._sound.programs = list(sounding)


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
    entries = LabelList.of(labels, lambda _: Place(problems.file))
    return reader.finish(entries, ONE, ReadingRules())
