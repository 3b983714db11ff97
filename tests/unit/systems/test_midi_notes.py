# SPDX-License-Identifier: MIT
"""Notes of MIDI files, byte by byte."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import kammerton as kt
from kammerton.errors import DataError
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN
from kammerton.systems.midi_notes import read_midi


def chunk(name: bytes, data: bytes) -> bytes:
    return name + len(data).to_bytes(4, "big") + data


def midi(*tracks: bytes, form: int = 1, division: int = 100) -> bytes:
    head = b"".join(number.to_bytes(2, "big") for number in (form, len(tracks), division))
    return chunk(b"MThd", head) + b"".join(chunk(b"MTrk", track) for track in tracks)


def note(pitch: int, channel: int = 0, wait: int = 0) -> bytes:
    """Return a note of 100 ticks."""
    return bytes([wait, 0x90 | channel, pitch, 64, 100, 0x80 | channel, pitch, 0])


def test_times_follow_the_tempo() -> None:
    # 50 ticks at 500,000 us a quarter of 100 ticks; then a tempo of a million: 0.01 s a tick
    track = bytes([50, 0xFF, 0x51, 3, 0x0F, 0x42, 0x40]) + note(60) + bytes([0, 0xF0, 1, 0xF7]) + note(62)
    read = read_midi(midi(track))
    assert read.onsets == pytest.approx([0.25, 1.25])
    assert read.offsets == pytest.approx([1.25, 2.25])
    assert read.pitches.tolist() == [60, 62]
    assert read.labels == ("", "")
    assert read.hands.tolist() == [UNKNOWN, UNKNOWN]
    # 25 frames of 40 ticks a second
    assert read_midi(midi(note(60), division=0xE728)).offsets == pytest.approx([0.1])


def test_running_status_and_notes_never_let_go() -> None:
    # the second note and both ends have no status of their own; a velocity of 0 lets go
    track = bytes([0, 0x90, 60, 64, 0, 64, 64, 100, 60, 0, 0, 0xC0, 5])
    read = read_midi(midi(track))
    assert read.pitches.tolist() == [60, 64]
    assert read.offsets == pytest.approx([0.5, 0.5])  # to the end


@pytest.mark.parametrize(
    ("tracks", "hands"),
    [
        ([note(60), note(72)], [LEFT, RIGHT]),
        ([note(72), note(60)], [LEFT, RIGHT]),  # by pitch, whichever track is first
        ([note(72, 3) + note(60, 5)], [RIGHT, LEFT]),
        ([note(72), note(60), note(50)], [UNKNOWN] * 3),
        ([note(72), note(60, 9)], [UNKNOWN]),  # drums are no notes
    ],
)
def test_hands(tracks: list[bytes], hands: list[int]) -> None:
    assert read_midi(midi(b"", *tracks)).hands.tolist() == hands


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"RIFF", "`MThd` is expected"),
        (midi(note(60), note(62), form=2), "pieces of their own"),
        (midi(b""), "no notes"),
        (midi(note(60, 9)), "no notes"),  # but drums
        (midi(note(60)[:-2]), "track ends within an event"),
    ],
)
def test_what_cannot_be_read(data: bytes, reason: str, tmp_path: Path) -> None:
    (tmp_path / "piece.mid").write_bytes(data)
    with pytest.raises(DataError, match=f"KT810 .*{reason}"):
        kt.annotate("fingering", tmp_path, "rules")


def test_files_are_fingered_beside_others(tmp_path: Path) -> None:
    (tmp_path / "five.mid").write_bytes(midi(b"".join(map(note, (60, 62, 64, 65, 67)))))
    (tmp_path / "one.csv").write_text("onset,offset,pitch,hand,finger\n0,1,60,left,\n")
    made = kt.annotate("fingering", tmp_path, "rules")
    assert {item: fingering.labels for item, fingering in made.items()} == {
        "five": ("1", "2", "3", "4", "5"),
        "one": ("-1",),
    }
    assert np.array_equal(made["five"].hands, [RIGHT] * 5)


def test_notes_of_the_caller_need_no_fingers() -> None:
    notes = {"onsets": [0, 1, 2], "offsets": [1, 2, 3], "pitches": [60, 62, 64]}
    taken = [notes, SimpleNamespace(**notes), {**notes, "fingers": None}, {**notes, "fingers": ["", "", ""]}]
    labels = [kt.annotate("fingering", {"song": own}, "rules")["song"].labels for own in taken]
    assert labels == [("1", "2", "3")] * 4
    with pytest.raises(kt.DataError, match="dict has no offsets"):
        kt.annotate("fingering", {"song": {"onsets": [0]}}, "rules")
