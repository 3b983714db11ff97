# SPDX-License-Identifier: MIT
"""Standard MIDI files: notes, programs, tempos and meters.

Events are read to the byte, so that a message can say where a file is damaged, and no length that a
file claims is trusted.
"""

from __future__ import annotations

import struct
from itertools import chain

DRUMS = 9
"""Channel of percussion, counted from 0; its programs are drum kits."""
_DATA_LENGTHS = {0x8: 2, 0x9: 2, 0xA: 2, 0xB: 2, 0xC: 1, 0xD: 1, 0xE: 2}
"""Data bytes of an event of a channel, by the upper half of its status."""
_VARIABLE = 4
"""Bytes that a number of variable length has at most."""
_TRACK_NAME, _INSTRUMENT_NAME, _END_OF_TRACK, _PORT, _META = 0x03, 0x04, 0x2F, 0x21, 0xFF
_SYSEX = (0xF0, 0xF7)
CHANNELS = 16
"""Channels of a port."""
NOTE_OFF, NOTE_ON, PROGRAM, TEMPO, METER = 0x8, 0x9, 0xC, 0x51, 0x58
"""Kinds of events that are read: of a channel by the upper half of their status, and tempo and meter."""
_READ = (NOTE_OFF, NOTE_ON, PROGRAM)


class MidiError(Exception):
    """A file is damaged; says where, in bytes from its begin."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(f"{message} at byte {offset:,}")


Event = tuple[int, int, int, int, int, int, int]
"""Tick, track and number of an event, its kind and channel, and two numbers: the key and velocity of a
note, a program, the microseconds of a quarter note, or beats of a bar and beats of a whole note."""


class MidiFile:
    """Reads one file.

    Attributes
    ----------
    division : int
        Ticks of a quarter note; or, from 0x8000 on, the frames of a second and the ticks of a frame.
    names : dict of int to str
        Of tracks that have one: their name, and that of their instrument, as UTF-8 or Latin-1 has them.
    oddities : list of str
        What is not as the standard has it, but does not matter.
    """

    def __init__(self, data: bytes, limit: int) -> None:
        self._data = data
        self._limit = limit
        self._count = 0
        self.division: int = 0
        self.names: dict[int, str] = {}
        self.oddities: list[str] = []

    def read(self) -> list[list[Event]]:
        """Return the events in order of time; of a file of patterns, those of each track by themselves."""
        offset = self._begin()
        form, tracks, offset = self._header(offset)
        patterns: list[list[Event]] = []
        count = 0
        while offset < len(self._data) and count < tracks:
            name, body, end = self._chunk(offset)
            if name == b"MTrk":
                patterns.append(self._track(body, end, count))
                count += 1
            offset = end
        if count < tracks:
            raise MidiError(f"file ends: it has {count} of {tracks} tracks", len(self._data))
        if self._data[offset : offset + 4] == b"MTrk":
            raise MidiError(f"there are more tracks than the header says ({tracks})", offset)
        if offset < len(self._data):
            self._odd(f"{len(self._data) - offset:,} bytes after the last track")
        return patterns if form == 2 else [sorted(chain.from_iterable(patterns))]

    def _odd(self, message: str) -> None:
        if message not in self.oddities:
            self.oddities.append(message)

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
        self.division = division
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

    def _track(self, offset: int, end: int, track: int) -> list[Event]:
        """Return notes, programs, tempos and meters of a track."""
        events: list[Event] = []
        tick, running, port = 0, 0, 0
        while offset < end:
            self._count_event(offset)
            delta, offset = self._number(offset, end)
            tick, status = tick + delta, self._byte(offset, end)
            if status >= 0xF0:
                running = 0
                kind, body, offset = self._message(status, offset + 1, end)
                if kind == _END_OF_TRACK:
                    return events
                if kind == _PORT and offset > body:
                    port = self._data[body]
                self._take_name(kind, track, self._data[body:offset])
                timing = self._timing(kind, body, offset)
                if timing is not None:
                    events.append((tick, track, len(events), kind, 0, *timing))
                continue
            if status >= 0x80:
                running = status
                offset += 1
            elif not running:
                raise MidiError("data without a status", offset)
            body, offset = offset, offset + _DATA_LENGTHS[running >> 4]
            if offset > end:
                raise MidiError("track ends within an event", body)
            if running >> 4 in _READ:
                channel = port * CHANNELS + (running & 0xF)
                first, second = self._checked(running >> 4, body)
                events.append((tick, track, len(events), running >> 4, channel, first, second))
        self._odd("track without an end-of-track event")
        return events

    def _take_name(self, kind: int, track: int, data: bytes) -> None:
        if kind not in (_TRACK_NAME, _INSTRUMENT_NAME):
            return
        try:
            text = data.decode()
        except UnicodeDecodeError:
            text = data.decode("latin-1")
        self.names[track] = f"{self.names.get(track, '')} {text}".strip()

    def _timing(self, kind: int, body: int, end: int) -> tuple[int, int] | None:
        """Return the numbers of a tempo or a meter; None of what is neither, or has too few."""
        if kind == TEMPO and end > body:
            return int.from_bytes(self._data[body:end], "big"), 0
        if kind == METER and end > body + 1:
            return self._data[body], 1 << min(self._data[body + 1], 8)
        return None

    def _count_event(self, offset: int) -> None:
        self._count += 1
        if self._count > self._limit:
            raise MidiError(f"more than {self._limit:,} events", offset)

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

    def _checked(self, kind: int, body: int) -> tuple[int, int]:
        """Return the numbers of an event of a channel."""
        first = self._data[body]
        if kind == PROGRAM:
            if first > 0x7F:
                raise MidiError(f"program {first}, where 127 is the last one,", body)
            return first, 0
        second = self._data[body + 1]
        if kind == NOTE_ON and (first > 0x7F or second > 0x7F):
            self._odd("data byte over 127 in a note")
        return first, second
