# SPDX-License-Identifier: MIT
"""Scenes: that what is said of them is what sounds."""

import io
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pretty_midi
import pytest
import soundfile

import kammerton as kt
from kammerton.chords.templates import map_label
from kammerton.systems.bad_sources import bad_midi, popular, sheet
from kammerton.systems.music import PERCUSSION, Music, write_midi
from kammerton.systems.rendering import RATE, degraded, sound_of, wav_bytes
from kammerton.systems.scenes import DIFFICULTIES, SceneOptions, make_scene

PLAIN = replace(DIFFICULTIES["medium"], passing=0, arpeggios=0, inversions=0.5, sevenths=0.5, silence=0.3)
FONT = Path(pretty_midi.__file__).parent / "TimGM6mb.sf2"


def one_note(pitch: int = 69, program: int = 0, beats: float = 1) -> Music:
    return Music(
        onsets=np.array([0.0]),
        offsets=np.array([beats]),
        pitches=np.array([pitch]),
        velocities=np.array([100]),
        parts=np.array([0]),
        programs=(program,),
        tempo_beats=np.array([0.0, 1.0, beats]),
        tempo_seconds=np.array([0.0, 0.5, 0.5 + (beats - 1)]),
        bars=np.array([0.0, beats]),
    )


def test_a_file_has_these_bytes() -> None:
    """A quarter note A4 at 120: tempo 0x07A120; the key is down for 480 ticks, 0x83 0x60."""
    header = bytes.fromhex("4d546864 00000006 0001 0002 01e0")
    timeline = bytes.fromhex("00ff580401021808 00ff510307a120 00ff2f00")
    notes = bytes.fromhex("00c000 00904564 8360804500 00ff2f00")
    tracks = (b"MTrk" + len(track).to_bytes(4, "big") + track for track in (timeline, notes))
    music = replace(one_note(), tempo_beats=np.array([0.0, 1.0]), tempo_seconds=np.array([0.0, 0.5]))
    assert write_midi(music) == header + b"".join(tracks)


def test_a_tempo_holds_from_its_beat_on() -> None:
    music = one_note(beats=3)  # half a second for the first beat, then a second each
    assert music.seconds(np.array([0, 0.5, 1, 2.5, 4])).tolist() == [0, 0.25, 0.5, 2, 3.5]


@pytest.mark.parametrize("number", range(4))
def test_other_readers_hear_the_same_notes(number: int) -> None:
    scene = make_scene(number, options=DIFFICULTIES["hard"])
    read = pretty_midi.PrettyMIDI(io.BytesIO(scene.midi()))
    heard = sorted(
        (round(note.start, 4), round(note.end, 4), note.pitch, -1 if part.is_drum else part.program)
        for part in read.instruments
        for note in part.notes
    )
    music = scene.music
    starts, ends = music.seconds(music.onsets), music.seconds(music.offsets)
    programs = np.array(music.programs)[music.parts]
    expected = sorted(zip(starts.round(4), ends.round(4), music.pitches, programs, strict=True))
    np.testing.assert_allclose(heard, expected, atol=0.002)
    np.testing.assert_allclose(read.get_beats()[: len(scene.beats[0])], scene.beats[0], atol=1e-6)


@pytest.mark.parametrize("number", range(6))
def test_chords_are_what_sounds(number: int) -> None:
    """Without passing notes, all that sounds is in the chord, and the lowest note is its bass."""
    scene = make_scene(number, options=PLAIN)
    music = scene.music
    starts, ends = music.seconds(music.onsets), music.seconds(music.offsets)
    for (start, end), label in zip(scene.intervals.tolist(), scene.labels, strict=True):
        inside = (starts < end - 1e-6) & (ends > start + 1e-6) & ~music.is_percussion
        pitches = music.pitches[inside]
        if label == "N":
            assert not len(pitches)
            continue
        chord = map_label(label)
        assert {int(pitch) % 12 for pitch in pitches} == {
            tone for tone in range(12) if chord.chroma >> tone & 1
        }
        assert pitches.min() % 12 == (chord.root + max(chord.bass, 0)) % 12
    np.testing.assert_allclose(scene.intervals[1:, 0], scene.intervals[:-1, 1])


def test_a_seed_makes_the_same_scenes_whatever_their_number() -> None:
    few, many = (kt.scenes(items=items, seed=7) for items in (2, 3))
    assert list(few) == ["scene_0001", "scene_0002"]
    assert few["scene_0002"].midi() == many["scene_0002"].midi()
    assert many["scene_0002"].options == DIFFICULTIES["medium"]
    easy = kt.scenes(items=1, settings=DIFFICULTIES["easy"])
    assert easy["scene_0001"].midi() == kt.scenes(items=1, difficulty="easy")["scene_0001"].midi()
    assert few["scene_0002"].midi() != kt.scenes(items=2, seed=8)["scene_0002"].midi()
    np.testing.assert_array_equal(few["scene_0001"].sound(), many["scene_0001"].sound())


def test_instruments_sound_when_they_are_said_to() -> None:
    scene = make_scene(1, options=PLAIN)
    music = scene.music
    for part, program in enumerate(music.programs):
        name = "drums" if program == PERCUSSION else pretty_midi.program_to_instrument_name(program)
        times = scene.instruments[name]
        own = music.parts == part
        assert times[0, 0] == pytest.approx(music.seconds(music.onsets[own]).min())
        assert times[-1, 1] == pytest.approx(music.seconds(music.offsets[own]).max())
        assert (times[1:, 0] - times[:-1, 1] >= 0.5).all()


@pytest.mark.parametrize("program", [0, 13, 19, 24, 33, 40, 48, 56, 71, 73, 80])
def test_each_timbre_has_its_pitch(program: int) -> None:
    """An octave is a factor of two: A4 is 440 Hz, its harmonics are whole multiples."""
    sound = sound_of(one_note(69, program, beats=3))
    spectrum = np.abs(np.fft.rfft(sound * np.hanning(len(sound))))
    strongest = np.argmax(spectrum) * RATE / len(sound)
    assert strongest / 440 == pytest.approx(round(strongest / 440), abs=0.01)
    assert abs(sound).max() == pytest.approx(0.9)


def test_a_soundfont_has_the_pitch_and_the_tuning() -> None:
    frequencies = []
    for cents in (0, 40):
        sound = sound_of(one_note(69, 73, beats=3), soundfont=FONT, cents=cents)
        spectrum = np.abs(np.fft.rfft(sound * np.hanning(len(sound)), 8 * len(sound)))
        frequencies.append(np.argmax(spectrum) * RATE / (8 * len(sound)))
    assert frequencies[0] == pytest.approx(440, rel=0.01)
    assert 1200 * np.log2(frequencies[1] / frequencies[0]) == pytest.approx(40, abs=3)


def test_noise_is_as_far_below_as_said() -> None:
    clean = sound_of(one_note(beats=3))
    noisy = degraded(clean, np.random.default_rng(0), noise_db=20, eq_db=0, rate=RATE)
    scale = np.dot(noisy, clean) / np.dot(clean, clean)
    rest = noisy - scale * clean
    assert 10 * np.log10((scale * clean).var() / rest.var()) == pytest.approx(20, abs=0.1)


def test_a_wav_file_is_read_by_others() -> None:
    samples, rate = soundfile.read(io.BytesIO(wav_bytes(np.array([0, 0.5, -1], dtype=np.float32))))
    assert rate == RATE
    np.testing.assert_allclose(samples, [0, 0.5, -1], atol=1e-4)


def test_bad_midi_has_wrong_notes_under_its_share_of_chords() -> None:
    scene = make_scene(0, options=replace(PLAIN, errors=1))
    read = pretty_midi.PrettyMIDI(io.BytesIO(bad_midi(scene)))
    pitches = sorted(note.pitch for part in read.instruments if not part.is_drum for note in part.notes)
    assert pitches != sorted(scene.music.pitches[~scene.music.is_percussion].tolist())
    assert min(note.start for part in read.instruments for note in part.notes) > 0
    assert bad_midi(replace(scene, options=replace(PLAIN, errors=0))) == scene.midi()
    assert bad_midi(scene, 1) != bad_midi(scene)


@pytest.mark.parametrize(
    ("label", "steps", "written"),
    [
        ("C:maj", 0, "C"),
        ("F#:min7/b3", 0, "F#m7/A"),
        ("Eb:7/b7", 0, "Eb7/C#"),
        ("B:hdim7", 0, "Bm7b5"),
        ("B:dim", 1, "Cdim"),
        ("A:maj7/5", 3, "Cmaj7/G"),
        ("N", 5, "N.C."),
    ],
)
def test_chords_are_written_as_sheets_have_them(label: str, steps: int, written: str) -> None:
    assert popular(label, steps) == written


def test_a_sheet_without_errors_has_every_chord() -> None:
    scene = make_scene(3, options=replace(PLAIN, errors=0, silence=0))
    bars = sheet(scene, 2)
    assert bars.split()[0] == "scene_0004"
    assert [word for word in bars.split() if word[0] not in "|[s"] == [
        popular(label) for label in scene.labels
    ]
    assert bars.count("[Verse]") == 3
    pro = sheet(scene, 1)
    assert pro.startswith("{title: scene_0004}")
    assert pro.count("[") == len(scene.labels)


def test_folders_are_what_verbs_take(tmp_path: Path) -> None:
    place = tmp_path / "corpus"
    made = kt.scenes(items=5, settings={"bars": 4}, out=place, audio=True, bad_midis=1, sheets=2)
    names = ("reference", "midi", "beats", "audio", "bad_midi_1", "sheets_1", "sheets_2")
    assert {path.name for path in place.iterdir()} == {*names, "splits.csv", "kammerton.json"}
    assert all(len(list((place / name).iterdir())) == 5 for name in names)
    scores = kt.score("chords", place / "reference", {item: scene.chords for item, scene in made.items()})
    assert scores.value("mirex2013/MajMinBass") == 1
    guess = kt.annotate("chords", place / "reference", "baseline:all-N")
    assert len(guess) == 5
    assert (place / "splits.csv").read_text().count(",train\n") == 3
    with pytest.raises(kt.OutputError, match="KT503"):
        kt.scenes(items=1, out=place)
    kt.scenes(items=1, out=place, force=True)
    assert len(list((place / "midi").iterdir())) == 1


def test_scenes_of_instruments_name_what_sounds(tmp_path: Path) -> None:
    kt.scenes("instruments", items=3, out=tmp_path / "corpus")
    options = kt.instruments.InstrumentOptions(
        taxonomy="openmic-2018", map="general-midi-to-openmic-2018", unknown="drop"
    )
    scores = kt.score("instruments", tmp_path / "corpus/reference", tmp_path / "corpus/midi", options=options)
    assert scores.value("open-mic-task1/F") == 1


def test_scenes_of_fingering_have_the_fingers_of_books(tmp_path: Path) -> None:
    made = kt.scenes("fingering", items=49, out=tmp_path / "corpus")
    assert len(made) == 49
    piece = made["C major scale"]
    assert piece.fingering is not None
    assert piece.fingering.labels[:6:2] == ("1", "2", "3")
    scores = kt.score(
        "fingering", tmp_path / "corpus/reference", {item: scene.fingering for item, scene in made.items()}
    )
    assert not [problem for problem in scores.diagnostics if problem.severity == "error"]


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"task": "keys"}, "unknown task of scenes `keys`"),
        ({"items": 0}, "items is 1 or more"),
        ({"task": "fingering", "sheets": 1}, "no chords to get wrong"),
        ({"difficulty": "hrad"}, "did you mean `hard`"),
        ({"settings": {"inversion": 1}}, "did you mean `inversions`"),
        ({"settings": {"inversions": 2}}, "from 0 to 1"),
        ({"settings": {"bars": 0}}, "scenes need 1 bar"),
        ({"settings": {"bars": "three"}}, "bars is a whole number, not `three`"),
        ({"settings": {"noise_db": "loud"}}, "noise_db is a number, not `loud`"),
        ({"settings": {"ensemble": "choir"}}, "unknown ensemble `choir`"),
    ],
)
def test_choices_that_are_not_possible(choices: dict[str, object], message: str) -> None:
    with pytest.raises(kt.OptionError, match=message):
        kt.scenes(**choices)  # type: ignore[arg-type]


def test_what_is_no_soundfont_is_called_so(tmp_path: Path) -> None:
    (tmp_path / "font.sf2").write_bytes(b"RIFF")
    scene = make_scene(0, options=SceneOptions(bars=1))
    with pytest.raises(kt.OptionError, match="no soundfont"):
        scene.sound(soundfont=tmp_path / "font.sf2")
    with pytest.raises(kt.OptionError, match="cannot be read"):
        scene.sound(soundfont=tmp_path / "none.sf2")


def test_without_a_renderer_the_error_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "midirenderer", None)
    with pytest.raises(kt.OptionError, match=r"soundfonts need midirenderer[\s\S]*kammerton\[audio\]"):
        make_scene(0, options=SceneOptions(bars=1)).sound(soundfont=FONT)
