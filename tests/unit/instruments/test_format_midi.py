# SPDX-License-Identifier: MIT
"""MIDI files: the programs that sound."""

import io
import random
from pathlib import Path
from typing import Any

import mido
import pytest

from effort import effort
from kammerton.formats import Limits
from kammerton.formats.midi import MidiError
from kammerton.instruments.formats.binary import read_midi
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.reading import read_instruments, unfold
from unit.instruments.listing import SAMPLE, lists, only, told, write

NOTE = bytes((0, 0x90, 60, 64))
END = b"\x00\xff\x2f\x00"


def chunk(name: bytes, content: bytes) -> bytes:
    return name + len(content).to_bytes(4, "big") + content


def header(tracks: int = 1, form: int = 1, division: int = 480) -> bytes:
    return chunk(b"MThd", b"".join(number.to_bytes(2, "big") for number in (form, tracks, division)))


def midi(*tracks: bytes, form: int = 1) -> bytes:
    return header(len(tracks), form) + b"".join(chunk(b"MTrk", track) for track in tracks)


def program(number: int, channel: int = 0, delta: int = 0) -> bytes:
    return bytes((delta, 0xC0 | channel, number))


def note(channel: int = 0, delta: int = 0, velocity: int = 64) -> bytes:
    return bytes((delta, 0x90 | channel, 60, velocity))


def listed(folder: Path, content: bytes, **options: Any) -> str:
    return only(read_instruments(write(folder, "a.mid", content), "a", InstrumentOptions(**options)))


def said(folder: Path, content: bytes, **options: Any) -> str:
    path = write(folder, "a.mid", content)
    assert unfold(path) is None
    return told(read_instruments(path, "a", InstrumentOptions(**options)).diagnostics)


def test_programs_that_sound_are_a_set(tmp_path: Path) -> None:
    content = midi(program(40) + note() + END, program(0, 1) + note(1) + program(73, 1, 9) + note(1) + END)
    for options in ({}, {"taxonomy": "general-midi"}):
        assert listed(tmp_path, content, **options) == "{Violin Acoustic Grand Piano Flute}"
    path = write(tmp_path, "a.MIDI", content)
    assert only(read_instruments(path)) == "{Violin Acoustic Grand Piano Flute}"


def test_a_program_that_plays_no_note_is_not_there(tmp_path: Path) -> None:
    content = midi(program(40) + program(41) + note() + program(42, 0, 5) + note(velocity=0) + END)
    assert listed(tmp_path, content) == "{Viola}"


def test_programs_count_in_all_tracks_from_their_time_on(tmp_path: Path) -> None:
    programs = program(40) + program(41, 0, 100) + END
    notes = note(0, 99) + END
    assert listed(tmp_path, midi(programs, notes)) == "{Violin}"
    assert listed(tmp_path, midi(programs, note(0, 101) + END)) == "{Viola}"
    assert listed(tmp_path, midi(programs, note(0, 100) + END)) == "{Viola}"


def test_tracks_of_format_2_and_other_ports_are_apart(tmp_path: Path) -> None:
    content = midi(program(40) + note() + END, note() + END, form=2)
    reading = read_instruments(write(tmp_path, "a.mid", content))
    assert lists(reading) == {None: "{Violin Acoustic Grand Piano}"}
    port = b"\x00\xff\x21\x01\x01"
    content = midi(program(40) + note() + END, port + program(41) + note() + END)
    assert listed(tmp_path, content) == "{Violin Viola}"


def test_notes_before_any_program_are_of_program_0(tmp_path: Path) -> None:
    reading = read_instruments(write(tmp_path, "a.mid", midi(NOTE + END)), "a")
    assert lists(reading) == {None: "{Acoustic Grand Piano}"}
    assert told(reading.diagnostics) == (
        "note KT633 notes before any program: played by program 0, Acoustic Grand Piano"
    )


def test_percussion_is_drums_where_that_is_known(tmp_path: Path) -> None:
    content = midi(program(40) + note() + note(9) + END)
    assert listed(tmp_path, content) == "{Violin drums}"
    table = write(tmp_path, "map.csv", "label,instrument\nViolin,violin\n")
    mapped = read_instruments(
        write(tmp_path, "a.mid", content), "a", InstrumentOptions(taxonomy="openmic-2018", map=str(table))
    )
    assert lists(mapped) == {None: "{violin drums}"}
    reading = read_instruments(tmp_path / "a.mid", "a", InstrumentOptions(taxonomy="general-midi"))
    assert lists(reading) == {None: "{Violin}"}
    assert told(reading.diagnostics) == (
        "note KT632 channel of percussion left out: the taxonomy has no `drums`\n"
        "  help: a label map can say what `drums` is"
    )
    alone = read_instruments(
        write(tmp_path, "b.mid", midi(note(9) + END)), "b", InstrumentOptions(taxonomy="general-midi")
    )
    assert lists(alone) == {None: "{}"}


def test_unknown_programs_are_said_like_any_label(tmp_path: Path) -> None:
    expected = "error KT600 taxonomy `campaign-sample` has no `Violin`"
    assert said(tmp_path, midi(program(40) + note() + END), taxonomy=SAMPLE).startswith(expected)


def test_what_else_a_track_may_hold(tmp_path: Path) -> None:
    track = (
        b"\x00\xff\x03\x04name"  # a name
        b"\x00\xf0\x03\x01\x02\xf7"  # exclusive, and its continuation
        b"\x00\xf7\x01\x01" + program(40) + b"\x81\x80\x80\x00"  # a long delta
        b"\x90\x3c\x40\x00\x3e\x40"  # two notes with one status
        b"\x00\xb0\x07\x7f\x00\xd0\x05\x00\xe0\x00\x40\x00\xa0\x3c\x05\x00\x80\x3c\x00"
    )
    content = header() + chunk(b"XFIH", b"text") + chunk(b"MTrk", track + END)
    assert listed(tmp_path, content) == "{Violin}"


def test_a_riff_file_holds_one(tmp_path: Path) -> None:
    content = midi(program(40) + note() + END)
    size = len(content).to_bytes(4, "little")
    data = b"RMID" + b"disp\x03\x00\x00\x00abc\x00" + b"data" + size + content + b"more"
    riff = b"RIFF" + len(data).to_bytes(4, "little") + data
    assert listed(tmp_path, riff) == "{Violin}"


def test_it_hears_what_mido_hears(tmp_path: Path) -> None:
    """Random files written by mido, and the programs of its merged messages."""
    rng = random.Random(5)
    for _ in range(50):
        song = mido.MidiFile(type=1)
        for _ in range(3):
            track = mido.MidiTrack()
            for _ in range(40):
                channel, delta = rng.choice((0, 1, 9, 15)), rng.choice((0, 1, 300))
                if rng.random() < 0.3:
                    track.append(
                        mido.Message(
                            "program_change", channel=channel, program=rng.randrange(128), time=delta
                        )
                    )
                else:
                    velocity = rng.choice((0, 90))
                    track.append(mido.Message("note_on", channel=channel, velocity=velocity, time=delta))
            song.tracks.append(track)
        stream = io.BytesIO()
        song.save(file=stream)
        heard, current = set(), dict.fromkeys(range(16), 0)
        for message in mido.merge_tracks(song.tracks):
            if message.type == "program_change":
                current[message.channel] = message.program
            elif message.type == "note_on" and message.velocity and message.channel != 9:
                heard.add(current[message.channel])
        found = read_midi(stream.getvalue(), 10**6)
        assert set(found.programs) == heard


# --- files that are not as they should be --------------------------------------------------


@pytest.mark.parametrize(
    ("content", "oddity"),
    [
        (midi(program(40) + note()), "track without an end-of-track event"),
        (midi(program(40) + note() + END) + b"\x00\x00", "2 bytes after the last track"),
        (midi(program(40) + note(velocity=0x85) + END), "data byte over 127 in a note"),
    ],
)
def test_what_does_not_matter_is_warned_of(tmp_path: Path, content: bytes, oddity: str) -> None:
    reading = read_instruments(write(tmp_path, "a.mid", content), "a")
    assert lists(reading) == {None: "{Violin}"}
    assert told(reading.diagnostics) == f"warning KT631 MIDI file is not as the standard has it: {oddity}"


BEGIN = len(header()) + 8
"""Where the content of the first track begins."""


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no MIDI file at all", "no MIDI file: `MThd` is expected at byte 0"),
        (b"MThd", "file ends within the head of a chunk at byte 0"),
        (chunk(b"MThd", b"\x00\x01"), "header is too short at byte 8"),
        (header(form=3), "format 3 is not known at byte 8"),
        (header(division=0), "division is 0: time stands still at byte 12"),
        (header(2) + chunk(b"MTrk", END), f"file ends: it has 1 of 2 tracks at byte {BEGIN + 4}"),
        (
            header(1) + 2 * chunk(b"MTrk", END),
            f"there are more tracks than the header says (1) at byte {BEGIN + 4}",
        ),
        (
            header() + b"MTrk\xff\xff\xff\xff" + END,
            f"chunk of 4,294,967,295 bytes, but only 4 are left at byte {BEGIN - 8}",
        ),
        (midi(b"\x00"), f"track ends within an event at byte {BEGIN + 1}"),
        (midi(b"\x00\x90\x3c"), f"track ends within an event at byte {BEGIN + 2}"),
        (midi(b"\x81"), f"track ends within a number at byte {BEGIN}"),
        (midi(b"\x81\x82\x83\x84\x00"), f"number of more than four bytes at byte {BEGIN}"),
        (midi(b"\x00\x3c\x40"), f"data without a status at byte {BEGIN + 1}"),
        (midi(b"\x00\xff\x01\x00\x00\x3c"), f"data without a status at byte {BEGIN + 5}"),
        (midi(b"\x00\xf4"), f"status 0xF4 has no place in a file at byte {BEGIN + 1}"),
        (midi(b"\x00\xff"), f"track ends within an event at byte {BEGIN + 2}"),
        (midi(b"\x00\xff\x01\x09abc"), f"event of 9 bytes, but only 3 are left at byte {BEGIN + 3}"),
        (midi(program(0x85)), f"program 133, where 127 is the last one, at byte {BEGIN + 2}"),
        (b"RIFF\x00\x00\x00\x00RMIDlist\x04\x00\x00\x00", "RIFF file without data at byte 24"),
    ],
)
def test_damage_is_said_with_its_place(tmp_path: Path, content: bytes, message: str) -> None:
    assert said(tmp_path, content) == f"error KT630 MIDI file is damaged: {message}"


def test_files_without_notes(tmp_path: Path) -> None:
    for content in (b"", midi(END), midi(program(40) + END), header(0)):
        assert said(tmp_path, content) == "error KT110 no annotation rows"


def test_a_number_that_never_ends_costs_nothing(tmp_path: Path) -> None:
    data = midi(b"\xff" * 5_000_000)

    def read() -> None:
        with pytest.raises(MidiError):
            read_midi(data, 10**6)

    assert effort(read)[0] < 100


def test_budget_of_events(tmp_path: Path) -> None:
    expected = f"error KT630 MIDI file is damaged: more than 2 events at byte {BEGIN + 8}"
    assert said(tmp_path, midi(3 * NOTE + END), limits=Limits(rows=2)) == expected


def test_any_bytes_are_read_or_refused() -> None:
    rng = random.Random(7)
    whole = midi(program(40) + 5 * NOTE + END, program(3, 1) + note(1) + END)
    for _ in range(3000):
        content = bytearray(whole)
        for _ in range(rng.randrange(1, 4)):
            content[rng.randrange(len(content))] = rng.randrange(256)
        try:
            found = read_midi(bytes(content[: rng.randrange(len(content) + 1)]), 1000)
        except MidiError:
            continue
        assert all(0 <= each < 128 for each in found.programs)
