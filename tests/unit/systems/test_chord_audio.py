# SPDX-License-Identifier: MIT
"""Chords of recordings: tones that are known, beats that are known, and the sum over all paths."""

import itertools
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from mir_eval import chord as chord_measures
from mir_eval import util
from numpy.typing import NDArray

import kammerton as kt
from kammerton.errors import DataError, OptionError
from kammerton.systems.beats import beats_of, read_beats
from kammerton.systems.chord_states import best_path, posteriors, states_of
from kammerton.systems.chroma import estimate_tuning, note_spectra, read_chroma
from kammerton.systems.rendering import sound_of, wav_bytes
from unit.systems.chorales import QUARTET, chorales

RATE = 22050
C, D_MINOR, G7_ON_B, CMAJ7 = (36, 60, 64, 67), (38, 57, 62, 65), (35, 62, 65, 67), (36, 64, 67, 71)
Sound = NDArray[np.float64]
Write = Callable[[Sound], Path]


def chord(keys: Sequence[int], seconds: float, tuning: float = 0.0) -> Sound:
    """Return plucked tones with four harmonics."""
    times = np.arange(round(seconds * RATE)) / RATE
    pitches = 440 * 2 ** ((np.array(keys) + tuning - 69) / 12)
    waves = sum(
        0.5**number * np.sin(2 * np.pi * number * pitch * times)
        for pitch in pitches
        for number in (1, 2, 3, 4)
    )
    return np.asarray(0.05 * waves * np.exp(-times / seconds))


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(samples: Sound) -> Path:
        soundfile.write(tmp_path / "song.wav", samples, RATE)
        return tmp_path / "song.wav"

    return write


@pytest.mark.parametrize("tuning", [-0.4, 0.0, 0.3])
def test_chroma_has_what_sounds_however_it_is_tuned(write: Write, tuning: float) -> None:
    chroma = read_chroma(write(chord(C, 3, tuning)))
    assert chroma.tuning == pytest.approx(tuning, abs=0.06)
    middle = len(chroma.treble) // 2
    assert set(np.argsort(chroma.treble[middle])[-3:]) == {0, 4, 7}
    assert chroma.bass[middle].argmax() == 0
    assert chroma.times[0] == 0
    assert chroma.times[-1] == pytest.approx(3, abs=1e-3)


def test_a_note_is_its_own_spectrum() -> None:
    spectra = note_spectra(0.25)
    np.testing.assert_allclose(np.linalg.norm(spectra, axis=0), 1)
    assert estimate_tuning(spectra[:, 20:30].T) == pytest.approx(0.25, abs=0.01)


@pytest.mark.parametrize("settings", [{}, {"grid": "beats"}, {"grid": "frames"}])
def test_chords_are_heard_with_their_basses(write: Write, settings: dict[str, str]) -> None:
    chords = (C, D_MINOR, G7_ON_B, CMAJ7)
    labels = ("C:maj", "D:min", "G:7/3", "C:maj7")
    sound = np.concatenate([chord(keys, 0.6) for keys in chords for _ in range(4)])
    heard = kt.annotate("chords", {"song": write(sound)}, "audio", settings=settings)["song"]
    assert heard.labels == labels
    assert heard.intervals[0, 0] == 0
    edges = np.append(heard.intervals[:, 0], heard.intervals[-1, 1])
    np.testing.assert_allclose(edges, [0, 2.4, 4.8, 7.2, 9.6], atol=0.12)


def test_settings_leave_out_what_is_not_asked_for(write: Write) -> None:
    path = write(np.concatenate([chord(keys, 0.6) for keys in (G7_ON_B, CMAJ7) for _ in range(4)]))
    plain = kt.annotate(
        "chords", {"song": path}, "audio", settings={"vocabulary": "majmin", "inversions": False}
    )
    assert plain["song"].labels == ("G:maj", "C:maj")
    for settings in ({"grid": "bars"}, {"vocabulary": "all"}, {"inversions": "no"}):
        with pytest.raises(OptionError, match=next(iter(settings))):
            kt.annotate("chords", {"song": path}, "audio", settings=settings)


def test_silence_is_no_chord_and_rows_have_confidences(write: Write, tmp_path: Path) -> None:
    path = write(np.concatenate((np.zeros(2 * RATE), chord(C, 2), np.zeros(2 * RATE))))
    made = kt.annotate("chords", {"song": path}, "audio", settings={"grid": "frames"})
    assert made["song"].labels == ("N", "C:maj", "N")
    made.write(tmp_path / "out", to="jams")
    assert '"confidence": 0.9' in (tmp_path / "out/song.jams").read_text()


def test_a_silent_recording_is_no_chord_and_says_so(write: Write) -> None:
    made = kt.annotate("chords", {"song": write(np.zeros(3 * RATE))}, "audio")
    assert made["song"].labels == ("N",)
    assert [(noted.code, noted.item) for noted in made.diagnostics] == [("KT821", "song")]


def test_a_recording_that_cannot_be_used_is_an_item_that_failed(write: Write, tmp_path: Path) -> None:
    short = tmp_path / "short.wav"
    soundfile.write(short, np.zeros(1000), RATE)
    made = kt.annotate("chords", [write(chord(C, 3)), short], "audio")
    assert list(made) == ["song"]
    assert made.failed["short"].endswith("0.05 s are too short: 0.5 s is the least")
    with pytest.raises(DataError, match="KT820"):
        kt.annotate("chords", [short], "audio")


def test_without_soundfile_nothing_is_begun(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(chord(C, 1))
    monkeypatch.setitem(sys.modules, "soundfile", None)
    with pytest.raises(OptionError, match="audio needs soundfile") as caught:
        kt.annotate("chords", {"song": path}, "audio")
    assert caught.value.hint == "pip install 'kammerton[audio]'"


@pytest.mark.parametrize("period", [0.4, 0.6, 0.9])
def test_beats_are_on_clicks_that_are_nearly_even(write: Write, period: float) -> None:
    rng = np.random.default_rng(3)
    times = 0.3 + period * (np.arange(30) + rng.uniform(-0.03, 0.03, 30))
    sound = 0.001 * rng.standard_normal(round((times[-1] + 1) * RATE))
    for start in (times * RATE).astype(int):
        sound[start : start + 400] += 0.5 * rng.standard_normal(400)
    beats = read_beats(write(np.clip(sound, -1, 1)))
    np.testing.assert_allclose(beats[: len(times)], times, atol=0.045)  # and go on in the noise


def test_beats_begin_with_the_recording() -> None:
    onsets = np.zeros(2000)
    onsets[1000::20] = 1.0
    beats = beats_of(onsets)
    assert beats[0] <= 20
    assert set(np.diff(beats).round()) == {20.0}


def test_no_beats_without_onsets() -> None:
    assert beats_of(np.ones(1000)).size == beats_of(np.zeros(10)).size == 0


def test_states_are_every_bass_of_every_chord() -> None:
    states = states_of(("maj", "min7"), inversions=True)
    assert len(states.labels) == 12 * (3 + 4) + 1
    number = states.labels.index("D:min7/b7")
    assert (states.roots[number], states.qualities[number], states.basses[number]) == (2, 1, 0)
    plain = states_of(("maj", "min"), inversions=False)
    assert plain.labels[12 + 9] == "A:min"
    assert not plain.are_inverted.any()
    assert plain.labels[-1] == "N"


def test_paths_are_the_best_of_all_and_shares_sum_over_all() -> None:
    rng = np.random.default_rng(5)
    scores, transitions = rng.normal(0, 2, (5, 3)), np.log(rng.dirichlet(np.ones(3), 3))
    totals: dict[tuple[int, ...], Any] = {
        path: sum(scores[step, state] for step, state in enumerate(path))
        + sum(transitions[pair] for pair in itertools.pairwise(path))
        for path in itertools.product(range(3), repeat=5)
    }
    assert tuple(best_path(scores, transitions)) == max(totals, key=lambda path: totals[path])
    whole = sum(map(np.exp, totals.values()))
    shares = posteriors(scores, transitions)
    for step, state in itertools.product(range(5), range(3)):
        part = sum(np.exp(total) for path, total in totals.items() if path[step] == state)
        assert shares[step, state] == pytest.approx(part / whole)


FLOORS = {"piano": ((0, 0, 0, 0), 75.0), "strings": (QUARTET, 82.0)}
"""Programs of the voices, and the least MajMin: that of all 16 chorales by the specification, less 3."""


@pytest.mark.slow
@pytest.mark.parametrize("timbre", FLOORS)
def test_chorales_are_heard_as_people_read_them(tmp_path: Path, timbre: str) -> None:
    soundfont = Path(pytest.importorskip("pretty_midi").__file__).parent / "TimGM6mb.sf2"
    programs, floor = FLOORS[timbre]
    names = [f"riemenschneider{number}" for number in ("006", "010", "018")]
    recordings, references = {}, {}
    for name in names:
        chorale = chorales()[name]
        recordings[name] = tmp_path / f"{name}.wav"
        recordings[name].write_bytes(wav_bytes(sound_of(chorale.played_by(*programs), soundfont=soundfont)))
        references[name] = (chorale.intervals, chorale.labels)
    for grid in ("half-beats", "frames"):
        heard = kt.annotate("chords", recordings, "audio", settings={"grid": grid}, jobs=2)
        assert levels(references, heard) > floor
    learned: dict[str, Any] = {}
    for name in names:  # by a model that was trained on the two others
        others = {other: references[other] for other in names if other != name}
        model = kt.train("chords", others, "audio-hmm", audio=recordings)
        learned |= kt.annotate("chords", {name: recordings[name]}, "audio-hmm", model=model)
    assert levels(references, learned) > floor


def levels(references: Mapping[str, Any], heard: Mapping[str, Any]) -> float:
    """Return MajMin in per cent, by mir_eval, all chorales together."""
    right = whole = 0.0
    for name, (intervals, labels) in references.items():
        own, names = heard[name].intervals, list(heard[name].labels)
        own, names = util.adjust_intervals(own, names, 0.0, intervals.max(), "N", "N")
        merged, reference, estimate = util.merge_labeled_intervals(intervals, labels, own, names)
        durations, equal = np.diff(merged)[:, 0], chord_measures.majmin(reference, estimate)
        right += float(durations[equal > 0].sum())
        whole += float(durations[equal >= 0].sum())
    return 100 * right / whole
