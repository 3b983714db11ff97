# SPDX-License-Identifier: MIT
"""Chords of notes, and chord symbols of scores."""

from pathlib import Path

import numpy as np
import pytest

import kammerton as kt
from kammerton.systems.chord_symbolic import SymbolicSettings, _sound, chords_of_music
from kammerton.systems.music import Music, read_midi_music, write_midi
from kammerton.systems.roman_text import key_of, label_of_figure, roman_chords
from kammerton.systems.score_music import read_music
from unit.systems.chorales import chorales

NOTES = {"C": 48, "D": 50, "E": 52, "F": 53, "G": 55, "A": 57, "B": 59}


def music_of(*chords: tuple[float, str], programs: tuple[int, ...] = (0,), bars: float = 4) -> Music:
    """Return chords of so many beats, their notes upwards from the first one; a part each, or one for all."""
    rows, begin = [], 0.0
    for number, (length, letters) in enumerate(chords):
        lowest = 0
        for letter in letters:
            pitch = NOTES[letter] + (12 if NOTES[letter] < lowest else 0)
            lowest = max(lowest, pitch)
            rows.append((begin, begin + length, pitch, number % len(programs)))
        begin += length
    onsets, offsets, pitches, parts = np.array(rows).T
    return Music(
        onsets=onsets,
        offsets=offsets,
        pitches=pitches.astype(int),
        velocities=np.full(len(rows), 64),
        parts=parts.astype(int),
        programs=programs,
        tempo_beats=np.array([0.0, begin]),
        tempo_seconds=np.array([0.0, begin / 2]),
        bars=np.append(np.arange(0, begin, bars), begin),
    )


def test_chords_change_where_notes_do() -> None:
    chords = chords_of_music(music_of((4, "CEG"), (2, "BDG"), (1, "ACE"), (1, "GBDF")))
    assert chords.labels == ("C:maj", "G:maj/3", "A:min", "G:7")
    assert chords.intervals.tolist() == [[0, 2], [2, 3], [3, 3.5], [3.5, 4]]
    assert chords.confidence.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("settings", "labels"),
    [
        ({}, ("C:maj", "G:7/3")),
        ({"vocabulary": "majmin"}, ("C:maj", "G:maj/3")),
        ({"inversions": False}, ("C:maj", "G:7")),
        ({"vocabulary": "majmin", "inversions": False}, ("C:maj", "G:maj")),
        ({"change_cost": 100}, ("C:maj",)),
        ({"grid": "bars"}, ("C:maj", "G:7/3")),
    ],
)
def test_settings(settings: dict[str, object], labels: tuple[str, ...]) -> None:
    chords = chords_of_music(music_of((8, "CEG"), (4, "BDFG")), SymbolicSettings(**settings))  # type: ignore[arg-type]
    assert chords.labels == labels


def test_confidence_is_the_share_of_sound_on_tones() -> None:
    """A fourth note lasts half as long as the three of the chord: 3 of 3.5."""
    music = music_of((2, "CEG"), (2, "CEG"))
    louder = np.append(music.velocities, 64)
    with_b = Music(
        **{name: getattr(music, name) for name in ("programs", "tempo_beats", "tempo_seconds", "bars")},
        onsets=np.append(music.onsets, 0),
        offsets=np.append(music.offsets, 2),
        pitches=np.append(music.pitches, 62),
        velocities=louder,
        parts=np.append(music.parts, 0),
    )
    chords = chords_of_music(with_b, SymbolicSettings(vocabulary="majmin"))
    assert chords.labels == ("C:maj",)
    assert chords.confidence[0] == pytest.approx((3 / 4 + 1) / 2)


def test_percussion_and_silence_are_no_chords() -> None:
    music = music_of((2, "CEG"), (2, "DFA"), (2, "CEG"), programs=(0, -1))
    assert chords_of_music(music).labels == ("C:maj", "N", "C:maj")
    effects = music_of((2, "CEG"), (2, "DFA"), programs=(0, 117))
    assert chords_of_music(effects).labels == ("C:maj", "N")


def test_sound_is_what_a_fine_grid_of_moments_has() -> None:
    """Brute force: at each hundredth of a beat, who sounds, and who is lowest."""
    chances = np.random.default_rng(1)
    onsets = chances.integers(0, 300, 40) / 100
    music = Music(
        onsets=onsets,
        offsets=onsets + chances.integers(1, 150, 40) / 100,
        pitches=chances.integers(40, 80, 40),
        velocities=chances.integers(1, 127, 40),
        parts=np.zeros(40, dtype=np.int64),
        programs=(0,),
        tempo_beats=np.array([0.0, 4.5]),
        tempo_seconds=np.array([0.0, 4.5]),
        bars=np.array([0.0, 4.5]),
    )
    bounds = np.array([0.0, 0.5, 1.25, 4.5])
    sound, lowest = _sound(music, bounds)
    expected, basses = np.zeros((3, 12)), np.zeros((3, 12))
    for moment in np.arange(0.005, 4.5, 0.01):
        cell = np.searchsorted(bounds, moment) - 1
        on = (music.onsets < moment) & (music.offsets > moment)
        np.add.at(expected[cell], music.pitches[on] % 12, 0.01 * music.velocities[on])
        if on.any():
            basses[cell, music.pitches[on].min() % 12] += 1
    np.testing.assert_allclose(sound, expected, atol=1e-6)
    np.testing.assert_allclose(lowest, basses / basses.sum(axis=1, keepdims=True), atol=1e-6)


def test_midi_files_are_read_with_their_meters() -> None:
    music = music_of((3, "CEG"), (3, "FAC"), bars=3)
    read = read_midi_music(write_midi(music))
    assert read.bars.tolist() == [0, 3, 6]
    assert read.seconds(np.array([6.0])) == pytest.approx(3)
    assert chords_of_music(read, SymbolicSettings(grid="bars")).labels == ("C:maj", "F:maj")
    damaged = write_midi(music).replace(b"\xff\x58\x04\x03", b"\xff\x58\x04\x00")  # a bar of no beats
    assert read_midi_music(damaged).bars.tolist() == [0, 4, 6]
    short = b"MThd\0\0\0\6\0\0\0\1\0\x60MTrk\0\0\0\x11\0\xff\x58\1\3\0\x90\x3c\x40\x60\x80\x3c\0\0\xff\x2f\0"
    assert read_midi_music(short).bars.tolist() == [0, 1]  # a meter of one number is none


def test_scenes_are_heard_as_they_were_made(tmp_path: Path) -> None:
    kt.scenes(items=5, difficulty="easy", out=tmp_path / "corpus")
    heard = kt.annotate("chords", tmp_path / "corpus/midi", "symbolic")
    scores = kt.score("chords", tmp_path / "corpus/reference", heard)
    assert scores.value("mirex2013/SeventhsBass") == pytest.approx(1)


# --- scores ----------------------------------------------------------------------------------


def score_of(*measures: str, attributes: str = "") -> str:
    body = "".join(
        f'<measure number="{number}">{measure}</measure>' for number, measure in enumerate(measures, 1)
    )
    begin = f"<attributes><divisions>2</divisions>{attributes}</attributes>"
    body = body.replace('<measure number="1">', f'<measure number="1">{begin}', 1)
    return f'<score-partwise><part id="P1">{body}</part></score-partwise>'


def note(step: str, duration: int = 8) -> str:
    return f"<note><pitch><step>{step}</step><octave>4</octave></pitch><duration>{duration}</duration></note>"


def symbol(root: str, kind: str = "major", more: str = "") -> str:
    step, alter = root[0], {"": 0, "b": -1, "#": 1}[root[1:]]
    return (
        f"<harmony><root><root-step>{step}</root-step><root-alter>{alter}</root-alter></root>"
        f"<kind>{kind}</kind>{more}</harmony>"
    )


def bass(step: str, alter: int = 0) -> str:
    return f"<bass><bass-step>{step}</bass-step><bass-alter>{alter}</bass-alter></bass>"


def degree(value: int, kind: str, alter: int = 0) -> str:
    parts = (("value", value), ("alter", alter), ("type", kind))
    return f"<degree>{''.join(f'<degree-{name}>{part}</degree-{name}>' for name, part in parts)}</degree>"


def written(
    tmp_path: Path, *measures: str, attributes: str = "", **settings: object
) -> list[tuple[float, float, str]]:
    place = tmp_path / "piece.musicxml"
    place.write_text(score_of(*measures, attributes=attributes))
    made = kt.annotate("chords", place, "symbolic", settings=settings)["piece"]
    return [(*span, label) for span, label in zip(made.intervals.tolist(), made.labels, strict=True)]


def test_symbols_of_a_score_are_its_chords(tmp_path: Path) -> None:
    """At 60 a minute; the second symbol stands on the third quarter of its measure."""
    tempo = '<direction><sound tempo="60"/></direction><sound tempo="fast"/>'
    first = tempo + symbol("C") + note("C", 4) + symbol("G", "dominant") + note("D", 4)
    assert written(tmp_path, first, symbol("C") + note("C")) == [
        (0, 2, "C:maj"),
        (2, 4, "G:7"),
        (4, 8, "C:maj"),
    ]


@pytest.mark.parametrize(
    ("harmony", "label"),
    [
        (symbol("Bb", "minor-seventh"), "Bb:min7"),
        (symbol("F#", "half-diminished"), "F#:hdim7"),
        (symbol("C", "major", bass("E")), "C:maj/3"),
        (symbol("C", "minor", bass("E", -1)), "C:min/b3"),
        (symbol("D", "dominant", bass("C")), "D:7/b7"),
        (symbol("C", "major", bass("C")), "C:maj"),
        (symbol("C", "major", degree(9, "add")), "C:maj(9)"),
        (symbol("C", "major", degree(7, "add")), "C:maj(b7)"),
        (symbol("C", "dominant", degree(5, "alter", -1)), "C:7(*5,b5)"),
        (symbol("C", "dominant", degree(3, "subtract")), "C:7(*3)"),
        (symbol("C", "dominant", degree(99, "add")), "C:7"),
        (symbol("C", "major", degree(11, "alter", 1)), "C:maj"),
        (symbol("Cb", "major", bass("C", 2)), "Cb:maj/###1"),
        (symbol("Gb", "major", bass("B", 4)), "X"),
        (symbol("C", "none"), "N"),
        (symbol("C", "Tristan"), "X"),
        ("<harmony><function>V</function><kind>major</kind></harmony>", "X"),
    ],
)
def test_a_symbol_in_harte_syntax(tmp_path: Path, harmony: str, label: str) -> None:
    assert [row[2] for row in written(tmp_path, harmony + note("C"))] == [label]


def test_symbols_of_a_transposing_part_are_as_they_sound(tmp_path: Path) -> None:
    lower = "<transpose><chromatic>-2</chromatic></transpose>"
    assert written(tmp_path, symbol("D") + note("D"), attributes=lower) == [(0, 2, "C:maj")]


def test_an_offset_moves_a_symbol_and_before_the_first_there_is_none(tmp_path: Path) -> None:
    late = symbol("C", more="<offset>4</offset>")
    assert written(tmp_path, late + note("C"), tempo=60) == [(0, 2, "N"), (2, 4, "C:maj")]


def test_notes_are_taken_where_one_says_so_or_there_are_no_symbols(tmp_path: Path) -> None:
    chord = "".join(
        note(step) if step == "D" else note(step).replace("<pitch>", "<chord/><pitch>") for step in "DFA"
    )
    assert written(tmp_path, symbol("G") + chord, origin="notes") == [(0, 2, "D:min")]
    assert written(tmp_path, chord) == [(0, 2, "D:min")]
    with pytest.raises(kt.DataError, match="no chord symbols"):
        written(tmp_path, chord, origin="written")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"grid": "bar"}, "did you mean `bars`"),
        ({"origin": "note"}, "did you mean `notes`"),
        ({"vocabulary": "all"}, "unknown vocabulary"),
        ({"change_cost": -1}, "finite numbers, 0 or more"),
        ({"tempo": float("nan")}, "finite numbers, 0 or more"),
    ],
)
def test_settings_that_are_not_possible(settings: dict[str, object], message: str) -> None:
    with pytest.raises(kt.OptionError, match=message):
        SymbolicSettings(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.mid", b"MThd", "KT810 MIDI file cannot be read"),
        ("a.musicxml", b"<score-partwise/>", "KT810 score has no notes"),
        ("a.xml", b"<opus/>", "KT352"),
        ("a.musicxml", score_of(note("H")).encode(), "KT354"),
        ("a.musicxml", score_of(note("C", 1_000_000)).encode(), "KT810 score lasts 500,000 quarter notes"),
        ("a.mid", write_midi(music_of((400_000, "CEG"))), "lasts 400,000 beats"),
        ("a.mid", write_midi(music_of((2, "CEG"), programs=(-1,))), "no notes but those of percussion"),
    ],
)
def test_scores_that_cannot_be_used(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(kt.DataError, match=message):
        kt.annotate("chords", tmp_path / name, "symbolic")


# --- Roman numerals --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("figure", "key", "label"),
    [
        ("I", "C", "C:maj"),
        ("vi", "Eb", "C:min"),
        ("V6/5", "D", "A:7/3"),
        ("V4/3", "d", "A:7/5"),
        ("V2", "F", "C:7/b7"),
        ("IV7", "C", "F:maj7"),
        ("iv7", "C", "F:min7"),
        ("ii6/5", "G", "A:min7/b3"),
        ("viio6", "a", "G#:dim/b3"),
        ("viio7", "a", "G#:dim7"),
        ("vii/o7", "C", "B:hdim7"),
        ("iiø6/5", "c", "D:hdim7/b3"),
        ("VII", "a", "G:maj"),
        ("VI", "a", "F:maj"),
        ("vi", "a", "F#:min"),
        ("#vi", "a", "F#:min"),
        ("bVI", "C", "Ab:maj"),
        ("III+", "a", "C:aug"),
        ("III+7", "a", "C:aug(7)"),
        ("V7/ii", "C", "A:7"),
        ("viio7/V/V", "C", "C#:dim7"),
        ("V/iv", "c", "C:maj"),
        ("N6", "c", "Db:maj/3"),
        ("bII6", "C", "Db:maj/3"),
        ("Cad6/4", "c", "C:min/5"),
        ("It6", "c", "Ab:(1,3,#6)"),
        ("Fr4/3", "C", "Ab:(1,3,#4,#6)"),
        ("Ger6/5", "c", "Ab:(1,3,5,#6)"),
        ("V9", "C", "G:9"),
        ("i[no3][no5]", "c", "C:min(*b3,*5)"),
        ("V[add4]", "C", "G:maj(4)"),
        ("I[#5]", "C", "C:maj(*5,#5)"),
        ("V9", "c", "G:7(b9)"),
        ("V/V/V/V", "C", "E:maj"),
        ("V/", "C", "G:maj"),
        ("V/V/x", "C", None),
        ("/", "C", None),
        ("It6", "bbbbbb", None),
        ("bbbbII", "Cb", None),
        ("##VII7", "C", None),
        ("I4", "C", None),
        ("VIII", "C", None),
        ("V/N", "C", None),
        ("V[x]", "C", None),
        ("io2", "C", "C:dim7/bb7"),
        ("I/o7", "a", "A:hdim7"),
    ],
)
def test_a_roman_numeral_in_harte_syntax(figure: str, key: str, label: str | None) -> None:
    """By the tones of the key: in a minor, vi and vii stand on F# and G#, VI and VII on F and G."""
    assert label_of_figure(figure, key_of(key)) == label


ANALYSIS = """Composer: nobody
Time Signature: 3/4

m0 b3 C: I
m1 V b2.5 G:V7 || b3 I
m2var1 VI
m2 b2 ?(a: ii ?)a b3 V/ V :||
m3 = m1
m4 d: i b1.33 VIII
Time Signature: 6/8
m5 b2 V
m9 i
"""


def test_an_analysis_stands_on_beats_of_its_score() -> None:
    """The upbeat is a quarter long; in 6/8 the second beat begins after three eighths."""
    measures = [("0", 0.0), ("1", 1.0), ("2", 4.0), ("3", 7.0), ("4", 10.0), ("5", 13.0), ("6", 16.0)]
    chords, problems = roman_chords(ANALYSIS, measures, "a.rntxt")
    assert [(round(beat, 3), label) for beat, label in chords] == [
        *((0, "C:maj"), (1, "G:maj"), (2.5, "D:7"), (3, "G:maj"), (5, "A:min"), (6, "A:maj")),
        *((7, "G:maj"), (8.5, "D:7"), (9, "G:maj"), (10, "D:min"), (10.333, "X"), (14.5, "A:maj")),
    ]
    assert [problem.concise() for problem in problems] == [
        "a.rntxt:9:15: KT840 not a Roman numeral that can be read: `VIII`, taken as `X`",
        "a.rntxt: KT840 measures that the score does not have: 9",
    ]


def test_an_analysis_beside_a_score_goes_with_it(tmp_path: Path) -> None:
    (tmp_path / "piece.rntxt").write_text("m1 C: I b3 IV\nm2 V")
    assert written(tmp_path, note("C"), note("G")) == [(0, 1, "C:maj"), (1, 2, "F:maj"), (2, 4, "G:maj")]
    kt.scenes(items=1, settings={"bars": 2}, out=tmp_path / "corpus")
    (tmp_path / "corpus/midi/scene_0001.rntxt").write_text("m1 C: I\nm2 V")
    heard = kt.annotate("chords", tmp_path / "corpus/midi", "symbolic")
    assert heard["scene_0001"].labels == ("C:maj", "G:maj")


# --- people's analyses -----------------------------------------------------------------------


@pytest.mark.slow
def test_chorales_as_people_analysed_them() -> None:
    """The specification demands 90 % MajMin of 16 chorales by notes."""
    pieces = chorales()
    assert len(pieces) == 16
    heard = {name: chords_of_music(piece.music) for name, piece in pieces.items()}
    truth = {name: (piece.intervals, piece.labels) for name, piece in pieces.items()}
    scores = kt.score("chords", truth, heard)
    assert scores.value("mirex2013/MajMin") >= 0.90
    assert scores.value("mirex2013/Sevenths") >= 0.85


@pytest.mark.slow
def test_numerals_of_chorales_are_the_chords_that_music21_makes_of_them(tmp_path: Path) -> None:
    pieces = {name: piece for name, piece in chorales().items() if not name.endswith("015")}  # has a repeat
    for name, piece in pieces.items():
        (tmp_path / f"{name}.mxl").symlink_to(piece.score)
        (tmp_path / f"{name}.rntxt").symlink_to(piece.analysis)
    made = kt.annotate("chords", tmp_path, "symbolic", settings={"tempo": 72})
    truth = {name: (piece.intervals, piece.labels) for name, piece in pieces.items()}
    scores = kt.score("chords", truth, made)
    assert scores.value("mirex2013/SeventhsBass") > 0.995
    assert not [problem for problem in made.diagnostics if problem.code == "KT840"]


@pytest.mark.slow
def test_files_of_chorales_are_read_as_music21_reads_them() -> None:
    for piece in list(chorales().values())[:4]:
        music = read_music(piece.score).music
        for name in ("onsets", "pitches"):
            assert sorted(getattr(music, name).tolist()) == sorted(getattr(piece.music, name).tolist())
        assert set(piece.music.bars.tolist()) <= set(
            music.bars.tolist()
        )  # measures of one number are one there


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fosterBrownHair", "berlinAlexandersRagtime"])
@pytest.mark.filterwarnings("ignore")
def test_symbols_of_lead_sheets_are_those_of_music21(name: str) -> None:
    music21 = pytest.importorskip("music21")
    place = Path(music21.__file__).parent / f"corpus/leadSheet/{name}.mxl"
    symbols = music21.converter.parse(place).flatten().getElementsByClass("ChordSymbol")
    kinds = {"major": "maj", "minor": "min", "dominant-seventh": "7"}
    expected = [
        (float(symbol.offset), f"{symbol.root().name.replace('-', 'b')}:{kinds[symbol.chordKind]}")
        for symbol in symbols
    ]
    assert list(read_music(place).symbols) == expected
