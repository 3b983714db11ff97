# SPDX-License-Identifier: MIT
"""A file of another kind is called what it is, and the hint says what to do with it."""

import json
from pathlib import Path
from typing import Any

import pytest

import kammerton as kt
from kammerton.errors import Diagnostic, OptionError
from kammerton.formats.source import bytes_kind, suffix_kind, text_kind

BINARY = {
    "a.mid": (b"MThd\0\0\0\6\0\1", "a MIDI file, which has notes, but neither chords nor fingers"),
    "a.wav": (b"RIFF\x24\0\0\0WAVEfmt ", "an audio file"),
    "a.aiff": (b"FORM\0\0\0\0AIFF", "an audio file"),
    "a.mp3": (b"ID3\3\0\0\0\0\0\0", "an audio file"),
    "b.mp3": (b"\xff\xfb\x90\0", "an audio file"),
    "a.flac": (b"fLaC\0\0\0\x22", "an audio file"),
    "a.ogg": (b"OggS\0\2", "an audio file"),
    "a.m4a": (b"\0\0\0\x20ftypM4A ", "an audio or video file"),
    "a.mkv": (b"\x1aE\xdf\xa3\1\0", "an audio or video file"),
    "a.pdf": (b"%PDF-1.4\n%\xe2\xe3\n", "a PDF document"),
    "ascii.pdf": (b"%PDF-1.4\n1 0 obj\n", "a PDF document"),
    "a.png": (b"\x89PNG\r\n\x1a\n", "an image"),
    "a.jpg": (b"\xff\xd8\xff\xe0", "an image"),
    "a.zip": (b"PK\5\6" + bytes(18), "a zip archive"),
    "a.xlsx": (b"PK\3\4" + bytes(26), "a document of an office program"),
    "a.mscz": (b"PK\3\4" + bytes(26), "a score in MuseScore's own format"),
    "a.gz": (b"\x1f\x8b\10\0", "a compressed file"),
    "a.npy": (b"\x93NUMPY\1\0", "a file of NumPy arrays"),
    "a.pkl": (b"\x80\4\x95", "a file of Python objects (pickle)"),
    "a.h5": (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    "a.db": (b"SQLite format 3\0", "a SQLite database"),
}


def problem_of(task: Any, path: Path) -> Diagnostic:
    (problem,) = kt.check(task, path).diagnostics
    assert (problem.code, problem.severity) == ("KT109", "error")
    assert problem.file == str(path)
    return problem


@pytest.mark.parametrize("task", ["chords", "fingering", "instruments"])
@pytest.mark.parametrize("name", BINARY)
def test_files_that_are_no_text_are_named(task: str, name: str, tmp_path: Path) -> None:
    data, what = BINARY[name]
    path = tmp_path / name.replace(".", "-of-", 1)  # whatever the name
    path.write_bytes(data)
    kinds = {name: bytes_kind(data, name), path.name: bytes_kind(data, path.name)}
    assert kinds[name].what == what
    assert problem_of(task, path).message in {f"this is {kind.what}" for kind in kinds.values()}


@pytest.mark.parametrize("task", ["chords", "fingering"])
def test_a_midi_file_has_notes_but_no_fingers(task: str, tmp_path: Path) -> None:
    path = tmp_path / "song.mid"
    path.write_bytes(BINARY["a.mid"][0])
    problem = problem_of(task, path)
    assert problem.message == "this is a MIDI file, which has notes, but neither chords nor fingers"
    assert problem.hint == (
        "fingers are read from PIG, tables, JSON, MusicXML and abcDF,"
        " chords from rows of start, end and label; programs of MIDI files are instruments"
    )


CHORDS = "0.0 1.5 C:maj\n1.5 2.0 N\n2 3 Bb:min7/b3\n"
PIG = "//Version: PianoFingering_v170101\n0\t0.0\t0.5\tC#4\t64\t80\t0\t1\n1\t0.5\t1.0\tD4\t64\t80\t0\t4_1\n"
NOTES = '{"notes": [{"onset": 0, "offset": 1, "pitch": 60, "finger": 1}]}'
SCORE = '<?xml version="1.0"?>\n<!DOCTYPE score-partwise>\n<score-partwise><part id="P"/></score-partwise>'
ABC = "% abcD fingering 1: 123\nX:1\nK:C\nCDE\n"
TABLE = "onset,offset,pitch,finger\n0,1,60,1\n"
LISTS = "item,instrument\na,violin\n"

OF_A_TASK = {
    "a.lab": (CHORDS, "chords", "a list of chords, in rows of start, end and label"),
    "pig.txt": (PIG, "fingering", "a PIG file, which has notes and fingers"),
    "notes.json": (NOTES, "fingering", "a list of notes with fingers"),
    "score.xml": (SCORE, "fingering", "a score in MusicXML"),
    "tune.txt": (ABC, "fingering", "music in ABC"),
}


@pytest.mark.parametrize("task", ["chords", "fingering", "instruments"])
@pytest.mark.parametrize("name", OF_A_TASK)
def test_files_of_another_task_are_named_with_it(task: Any, name: str, tmp_path: Path) -> None:
    text, reader, what = OF_A_TASK[name]
    path = tmp_path / name
    path.write_text(text)
    if task == reader:
        assert "KT109" not in {problem.code for problem in kt.check(task, path).diagnostics}
        return
    problem = problem_of(task, path)
    assert problem.message == f"this is {what}"
    assert problem.hint == f"the task `{reader}` reads it: `kammerton check {reader}`"


@pytest.mark.parametrize(
    ("text", "what"), [(TABLE, "a list of notes with fingers"), (LISTS, "a list of instruments")]
)
def test_tables_of_another_task_are_named_by_their_columns(text: str, what: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text)
    assert problem_of("chords", path).message == f"this is {what}"


@pytest.mark.parametrize(
    ("space", "hint"),
    [
        ("chord", "the task `chords` reads it: `kammerton check chords`"),
        ("tag_open", "the task `instruments` reads it: `kammerton check instruments`"),
        ("beat", "of JAMS, chords and tags of instruments are read"),
    ],
)
def test_jams_has_no_fingers(space: str, hint: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jams"
    path.write_text(json.dumps({"annotations": [{"namespace": space, "data": []}]}))
    problem = problem_of("fingering", path)
    assert (problem.message, problem.hint) == (f"this is a JAMS file of `{space}`", hint)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("<html><head></head></html>", "a web page"),
        ("<!doctype html>\n<HTML>", "a web page"),
        ("<sv><data></data></sv>", "a layer or session of Sonic Visualiser"),
        ('<museScore version="3.0"></museScore>', "a score in MuseScore's own format"),
        ('<mei xmlns="x"></mei>', "a score in MEI"),
        ('<?xml version="1.0"?><x/>', "an XML document"),
        ("<x></x>", "an XML document"),
    ],
)
def test_xml_is_named_by_its_root(text: str, what: str) -> None:
    kind = text_kind(text)
    assert kind is not None
    assert kind.what == what


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "\n",
            "violin\nviola\n",
            "<unknown>\nviolin\n",
            "{",
            "[1, 2]",
            '{"a": ["violin"]}',
            '{"notes": []}',
        ),
        *("0 1 solo\n1 2 tutti\n", "0 1 C\n1 2 solo\n2 3 tutti\n", "0\t1\t2\t3\t4\t5\t6\t7\n", "[" * 100_000),
        *("start,end,label\n0,1,C\n", "X: a chord\n", "12 0 0 1\n", "# comment\n", "\\\t1\t2\n"),
    ],
)
def test_texts_that_may_be_anything_have_no_name(text: str) -> None:
    assert text_kind(text) is None


def test_a_folder_of_other_files_says_what_they_are(tmp_path: Path) -> None:
    for name in ("a.mid", "b.mid", "c.wav"):
        (tmp_path / name).write_bytes(b"MThd")
    with pytest.raises(OptionError) as caught:
        kt.check("fingering", tmp_path)
    assert caught.value.hint is not None
    assert "; there: 2 files ending in `.mid`, each a MIDI file, which has notes, but" in caught.value.hint


def test_suffixes_that_are_read_everywhere_say_nothing() -> None:
    assert [suffix_kind(suffix) for suffix in (".txt", ".csv", ".json", ".lab", "")] == [None] * 5
