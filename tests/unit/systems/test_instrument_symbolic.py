# SPDX-License-Identifier: MIT
"""What plays the parts of scores and MIDI files."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest

import kammerton as kt
from kammerton.errors import DataError, OptionError
from kammerton.systems.instrument_names import instrument_named, instrument_of_sound
from kammerton.systems.instrument_symbolic import (
    SymbolicInstrumentSettings,
    instruments_of,
    read_evidence,
)
from kammerton.systems.scenes import make_scene


@pytest.mark.parametrize(
    ("name", "instrument"),
    [
        ("Violine II", "Violin"),
        ("1st Violins", "Violin"),
        ("Violoncelli", "Cello"),
        ("Vc.", "Cello"),
        ("Clarinetto in Bb", "Clarinet"),
        ("Flöte", "Flute"),
        ("Cor anglais", "English Horn"),
        ("Cor 2", "French Horn"),
        ("Soprano Saxophone", "Soprano Sax"),
        ("Soprano", "Choir Aahs"),
        ("Baß", "Electric Bass (finger)"),
        ("Synth Bass 2", "Synth Bass 1"),
        ("Piano (right hand)", "Acoustic Grand Piano"),
        ("E-Gitarre", "Electric Guitar (clean)"),
        ("Flûte à bec", "Recorder"),
        ("Große Trommel, Becken", "drums"),
        ("Mandolins", "mandolin"),
        ("Cl", "Clarinet"),
        ("Cl for rehearsal", None),  # an abbreviation must stand alone
        ("Staff 1", None),
        ("", None),
    ],
)
def test_names_stand_for_instruments(name: str, instrument: str | None) -> None:
    assert instrument_named(name) == instrument


@pytest.mark.parametrize(
    ("sound", "instrument"),
    [
        ("strings.violin", "Violin"),
        ("strings.group", "String Ensemble 1"),
        ("wind.reed.saxophone.baritone", "Baritone Sax"),
        ("wind.flutes.flute.piccolo", "Piccolo"),
        ("keyboard.piano.grand", "Acoustic Grand Piano"),
        ("keyboard.organ.pipe", "Church Organ"),
        ("voice.bass", "Choir Aahs"),
        ("drum.timpani", "Timpani"),
        ("drum.apentemma", "drums"),
        ("metal.cymbal.crash", "drums"),
        ("effect.aeolian-harp", "Orchestral Harp"),
        ("effect.bird", None),
    ],
)
def test_sounds_of_musicxml_stand_for_instruments(sound: str, instrument: str | None) -> None:
    assert instrument_of_sound(sound) == instrument


# --- MIDI ------------------------------------------------------------------------------------


def midi(*tracks: tuple[str, int, int | None, float]) -> bytes:
    """Return tracks of one note: name, channel from 0, program, length in quarter notes."""
    chunks = []
    for name, channel, program, length in tracks:
        text = name.encode()
        body = bytes((0, 0xFF, 0x03, len(text))) + text
        body += b"" if program is None else bytes((0, 0xC0 | channel, program))
        ticks = round(96 * length)
        body += bytes((0, 0x90 | channel, 60, 64, 0x80 | ticks >> 7, ticks & 0x7F, 0x80 | channel, 60, 0))
        body += b"\0\xff\x2f\0"
        chunks.append(struct.pack(">4sI", b"MTrk", len(body)) + body)
    return struct.pack(">4sIHHH", b"MThd", 6, 1, len(tracks), 96) + b"".join(chunks)


MIDI_CASES: dict[str, tuple[list[tuple[str, int, int | None, float]], list[str | None], list[str]]] = {
    "programs": ([("", 0, 40, 4), ("", 1, 42, 4)], ["Violin", "Cello"], ["program", "program"]),
    "equal programs": ([("Violin", 0, 0, 4), ("Cello", 1, 0, 4)], ["Violin", "Cello"], ["name", "name"]),
    "no programs": ([("Fl.", 0, None, 4), ("Ob.", 1, None, 4)], ["Flute", "Oboe"], ["name", "name"]),
    "nothing but equal programs": (
        [("Track 1", 0, 40, 4), ("Track 2", 1, 40, 4)],
        ["Violin", "Violin"],
        ["program", "program"],
    ),
    "drums": ([("Violin", 9, 40, 4), ("", 0, 0, 4)], ["drums", "Acoustic Grand Piano"], ["drums", "program"]),
    "a program decides": (
        [("Cello", 0, 40, 4), ("", 1, 0, 4)],
        ["Violin", "Acoustic Grand Piano"],
        ["program"] * 2,
    ),
    "effects": ([("", 0, 125, 4), ("", 1, 0, 4)], [None, "Acoustic Grand Piano"], ["", "program"]),
}


@pytest.mark.parametrize("case", MIDI_CASES)
def test_evidence_of_midi(case: str, tmp_path: Path) -> None:
    tracks, labels, origins = MIDI_CASES[case]
    path = tmp_path / "song.mid"
    path.write_bytes(midi(*tracks))
    evidence = read_evidence(path)
    assert [own.label for own in evidence] == labels
    assert [own.origin for own in evidence] == origins


def test_names_of_tracks_may_be_latin_1(tmp_path: Path) -> None:
    path = tmp_path / "song.mid"
    two = midi(("Fl\u00f6te", 0, 0, 4), ("Oboe", 1, 0, 4))
    path.write_bytes(two.replace("\u00f6".encode() + b"te", b"\xf6te ", 1))  # of the same length
    assert [own.label for own in read_evidence(path)] == ["Flute", "Oboe"]


def test_what_disagrees_is_said(tmp_path: Path) -> None:
    path = tmp_path / "song.mid"
    path.write_bytes(midi(("Cello", 0, 40, 4), ("Bird", 1, 123, 1)))
    heard = instruments_of(path)
    assert heard.labels == ("Violin",)
    assert {(problem.severity, problem.message) for problem in heard.diagnostics} == {
        ("note", "part `Cello` is Violin by its program, by its name Cello"),
        ("warning", "nothing tells what plays part `Bird`, which is left out"),
    }


def test_instruments_are_ranked_by_how_long_they_sound(tmp_path: Path) -> None:
    path = tmp_path / "song.mid"
    path.write_bytes(midi(("", 0, 40, 1), ("", 1, 42, 4), ("", 2, 41, 2)))
    heard = instruments_of(path)
    assert (heard.labels, heard.scores.tolist()) == (("Cello", "Viola", "Violin"), [1, 0.5, 0.25])
    assert heard.segments == ((0, 2, "Cello"), (0, 1, "Viola"), (0, 0.5, "Violin"))
    assert instruments_of(path, SymbolicInstrumentSettings(least=0.5)).labels == ("Cello", "Viola")
    with pytest.raises(OptionError, match="least is a share"):
        SymbolicInstrumentSettings(least=2)


def test_instruments_of_scenes_are_met_exactly(tmp_path: Path) -> None:
    for number in range(5):
        scene = make_scene(number)
        path = tmp_path / f"{scene.item}.mid"
        path.write_bytes(scene.midi())
        spans = {own.label: own.intervals for own in read_evidence(path)}
        assert spans.keys() == scene.instruments.keys()
        for label, intervals in scene.instruments.items():
            np.testing.assert_allclose(spans[label], intervals, atol=2e-3)  # ticks


# --- scores ----------------------------------------------------------------------------------

NOTE = "<note>{} <duration>4</duration>{}</note>"
PITCH = "<pitch><step>C</step><octave>4</octave></pitch>"


def score(*parts: tuple[str, str, str]) -> str:
    """Return a score of parts: name, what declares its instruments, and notes."""
    listed = "".join(
        f'<score-part id="P{number}"><part-name>{name}</part-name>{declared}</score-part>'
        for number, (name, declared, _) in enumerate(parts)
    )
    music = "".join(
        f'<part id="P{number}"><measure number="1"><attributes><divisions>1</divisions></attributes>'
        f"{notes}</measure></part>"
        for number, (_, _, notes) in enumerate(parts)
    )
    return f"<score-partwise><part-list>{listed}</part-list>{music}</score-partwise>"


def declared(identifier: str, name: str, sound: str = "", channel: int = 1, program: int = 1) -> str:
    """Return the declaration of an instrument; channels and programs count from 1."""
    of_sound = f"<instrument-sound>{sound}</instrument-sound>" if sound else ""
    return (
        f'<score-instrument id="{identifier}"><instrument-name>{name}</instrument-name>{of_sound}'
        f'</score-instrument><midi-instrument id="{identifier}"><midi-channel>{channel}</midi-channel>'
        f"<midi-program>{program}</midi-program></midi-instrument>"
    )


PLAIN = NOTE.format(PITCH, "")
HIT = "<unpitched><display-step>C</display-step><display-octave>4</display-octave></unpitched>"
SCORE_CASES = {
    "a quartet of pianos": (
        [(name, declared(name[0], "Piano"), PLAIN) for name in ("Violino I", "Violino II", "Viola", "Basso")],
        [("Violin", "name"), ("Violin", "name"), ("Viola", "name"), ("Electric Bass (finger)", "name")],
    ),
    "a sound decides": (
        [("Cello", declared("a", "Viola", "strings.violin", program=43), PLAIN), ("Pno", "", PLAIN)],
        [("Violin", "sound"), ("Acoustic Grand Piano", "name")],
    ),
    "a bass that sings": (
        [("Soprano", "", PLAIN), ("Bass", "", PLAIN)],
        [("Choir Aahs", "name"), ("Choir Aahs", "name")],
    ),
    "a program": (
        [("Staff 1", declared("a", "Staff", program=74), PLAIN), ("", declared("b", "", program=1), PLAIN)],
        [("Flute", "program"), ("Acoustic Grand Piano", "program")],
    ),
    "drums": ([("Part 1", declared("a", "", channel=10), NOTE.format(HIT, ""))], [("drums", "drums")]),
    "a player of two": (
        [
            (
                "Woodwind",
                declared("a", "Flute", program=74) + declared("b", "Piccolo", program=73),
                NOTE.format(PITCH, '<instrument id="b"/>') + NOTE.format(PITCH, '<instrument id="a"/>'),
            )
        ],
        [("Flute", "name"), ("Piccolo", "name")],
    ),
    "nothing": ([("Part 1", "", PLAIN)], [(None, "")]),
}


@pytest.mark.parametrize("case", SCORE_CASES)
def test_evidence_of_scores(case: str, tmp_path: Path) -> None:
    parts, expected = SCORE_CASES[case]
    path = tmp_path / "score.musicxml"
    path.write_text(score(*parts), encoding="utf-8")
    assert [(own.label, own.origin) for own in read_evidence(path)] == expected


def test_a_score_without_notes_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "score.musicxml"
    path.write_text(score(("Violin", "", "")), encoding="utf-8")
    with pytest.raises(DataError, match="score has no notes"):
        read_evidence(path)


def test_labels_are_mapped_onto_a_taxonomy(tmp_path: Path) -> None:
    (tmp_path / "songs").mkdir()
    path = tmp_path / "songs" / "band.mid"
    path.write_bytes(midi(("", 0, 24, 4), ("", 1, 27, 2), ("", 9, None, 1)))
    options = kt.instruments.InstrumentOptions(map="general-midi-to-openmic-2018")
    heard = kt.annotate("instruments", path.parent, "symbolic", options=options)
    assert heard["band"].labels == ("guitar", "drums")
    heard.write(tmp_path / "heard")
    (jams,) = (tmp_path / "heard").glob("*.jams")
    tags = [row for part in json.loads(jams.read_text())["annotations"] for row in part["data"]]
    assert [(tag["value"], tag["time"], tag["duration"]) for tag in tags] == [
        ("guitar", 0, 2),
        ("guitar", 0, 1),
        ("drums", 0, 0.5),
    ]
    # times are not scored
    assert kt.instruments.read(jams).labels == ("guitar", "drums")


@pytest.mark.slow
def test_quartets_are_quartets_whatever_their_programs() -> None:
    music21 = pytest.importorskip("music21")
    corpus = Path(music21.__file__).parent / "corpus"
    pieces = [
        "mozart/k155",
        "mozart/k458",
        "haydn/opus74no1",
        "beethoven/opus18no1",
        "schumann_robert/opus41no1",
    ]
    for piece in pieces:
        evidence = read_evidence(corpus / piece / "movement1.mxl")
        assert [own.label for own in evidence] == ["Violin", "Violin", "Viola", "Cello"], piece
