# SPDX-License-Identifier: MIT
"""Objects of other packages score as the files that they were read from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kammerton as kt
from kammerton.chords import ChordAnnotation
from kammerton.fingering import Fingering

DEMO = Path(kt.__file__).parent / "demo"
SONGS = ("Amazing Grace", "Frère Jacques", "Greensleeves", "When the Saints Go Marching In")
Folder = dict[str, Any]


def values(task: Any, references: Any, estimates: Any) -> dict[tuple[str, ...], float | None]:
    """Return the scores of items, by item and measure."""
    scores = kt.score(task, references, estimates, protocols="all", ci=None)
    rows = scores.items.select("item", "protocol", "measure", "value").rows()
    return {row[:-1]: row[-1] for row in rows}


def same(task: str, files: tuple[Any, Any], objects: tuple[Any, Any], without: str = "") -> bool:
    expected, scored = values(task, *files), values(task, *objects)
    for scores in (expected, scored):
        for key in [key for key in scores if key[-1] == without]:
            del scores[key]
    return len(expected) > 20 and scores == pytest.approx(expected, nan_ok=True)


# --- chords ------------------------------------------------------------------------------------


def chord_files(system: str) -> dict[str, str]:
    paths = {path.stem: str(path) for path in (DEMO / "chords" / system).iterdir()}
    return {song: paths[song] for song in SONGS}


def as_chords(make: Callable[[ChordAnnotation], Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    sides = chord_files("reference"), chord_files("hasty")
    made = [{song: make(kt.chords.read(path)) for song, path in side.items()} for side in sides]
    return made[0], made[1]


def by_jams(song: ChordAnnotation) -> Any:
    jams = pytest.importorskip("jams")
    annotation = jams.Annotation("chord")
    for (start, end), label in zip(song.intervals.tolist(), song.labels, strict=True):
        annotation.append(time=start, duration=end - start, value=label)
    return annotation


def by_jams_document(song: ChordAnnotation) -> Any:
    jams = pytest.importorskip("jams")
    document = jams.JAMS()
    document.file_metadata.duration = float(song.intervals[-1, 1]) + 1
    document.annotations.append(by_jams(song))
    return document


def by_mirdata(song: ChordAnnotation) -> Any:
    annotations = pytest.importorskip("mirdata.annotations")
    return annotations.ChordData(song.intervals, "s", list(song.labels), "harte")


def by_mir_eval(song: ChordAnnotation) -> Any:
    return song.intervals, list(song.labels)


def columns_of(song: ChordAnnotation) -> dict[str, Any]:
    return {"start": song.intervals[:, 0], "end": song.intervals[:, 1], "label": list(song.labels)}


def by_pandas(song: ChordAnnotation) -> Any:
    return pytest.importorskip("pandas").DataFrame(columns_of(song))


def by_polars(song: ChordAnnotation) -> Any:
    return pytest.importorskip("polars").DataFrame(columns_of(song))


@pytest.mark.parametrize(
    "make", [by_jams, by_jams_document, by_mirdata, by_mir_eval, by_pandas, by_polars, lambda song: song]
)
def test_chords(make: Callable[[ChordAnnotation], Any]) -> None:
    objects = as_chords(make)
    assert same("chords", (chord_files("reference"), chord_files("hasty")), objects)


def test_jams_has_its_annotators() -> None:
    document = by_jams_document(kt.chords.read(chord_files("reference")["Greensleeves"]))
    second = by_jams(kt.chords.read(chord_files("second")["Greensleeves"]))
    second.annotation_metadata.annotator.name = "second"
    document.annotations.append(second)
    scores = kt.score("chords", document, chord_files("hasty")["Greensleeves"], ci=None)
    assert scores.annotators == ("1", "second", "all")


def test_tracks_of_mirdata(tmp_path: Path) -> None:
    beatles = pytest.importorskip("mirdata.datasets.beatles")
    files = chord_files("reference") | {"Greensleeves": chord_files("second")["Greensleeves"]}
    index = {
        song: {"chords": (path, ""), "beat": (None, ""), "keys": (None, ""), "sections": (path, "")}
        | {"audio": (None, "")}
        for song, path in files.items()
    }
    tracks = {song: beatles.Track(song, str(tmp_path), "beatles", {"tracks": index}, dict) for song in files}
    assert same("chords", (files, chord_files("hasty")), (tracks, chord_files("hasty")))


def test_several_chord_annotations_of_a_track_are_named() -> None:
    class Track:
        chords_path = "here"
        leadsheet_chords = inferred_chords = None

    with pytest.raises(kt.DataError, match=r"its annotations are .inferred_chords, .leadsheet_chords: take"):
        kt.score("chords", Track(), Track())


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_of_many_songs(library: str) -> None:
    rows: dict[str, list[Any]] = {"item": [], "start": [], "end": [], "label": []}
    for song, path in chord_files("hasty").items():
        annotation = kt.chords.read(path)
        rows["item"] += [song] * len(annotation)
        for name, column in columns_of(annotation).items():
            rows[name] += list(column)
    frame = pytest.importorskip(library).DataFrame(rows)
    files = chord_files("reference"), chord_files("hasty")
    assert same("chords", files, (files[0], {"hasty": frame}))
    if library == "pandas":
        assert same("chords", files, (files[0], {"hasty": frame.set_index("item")}))


def test_lists_of_paths_and_of_annotations() -> None:
    files = chord_files("reference"), chord_files("hasty")
    paths = [*files[0].values()], [*files[1].values()]
    assert same("chords", files, paths)
    with pytest.raises(kt.OptionError, match="4 references, and 3 estimates"):
        kt.score("chords", paths[0], paths[1][:3])
    annotations = [[kt.chords.read(path) for path in side] for side in paths]
    numbered = [{str(number): path for number, path in enumerate(side)} for side in paths]
    assert same("chords", (numbered[0], numbered[1]), (annotations[0], annotations[1]))
    assert same("chords", (numbered[0], numbered[1]), (annotations[0], {"hasty": annotations[1]}))
    two = [(song.intervals, song.labels) for song in annotations[0][:2]]  # not taken for intervals and labels
    assert kt.score("chords", two, two, ci=None).value("MajMin") == 1.0


# --- fingerings --------------------------------------------------------------------------------


def fingering_files(system: str) -> dict[str, str]:
    ending = {"reference": "-1_fingering.txt"}.get(system, "_est_fingering.txt")
    paths = (DEMO / "fingering" / system).glob(f"*{ending}")
    return {path.name.removesuffix(ending): str(path) for path in paths}


def note_columns(piece: Fingering) -> dict[str, Any]:
    hands = [("right", "left", "")[hand] for hand in piece.hands.tolist()]
    columns = {"onset": piece.onsets, "offset": piece.offsets, "pitch": piece.pitches}
    return {**columns, "hand": hands, "finger": list(piece.labels)}


def by_staff(piece: Fingering) -> Any:
    """Make an array of notes as partitura has them, with a field for fingers."""
    fields = [("onset_sec", "f8"), ("duration_sec", "f8"), ("pitch", "i4"), ("staff", "i4"), ("finger", "U8")]
    rows = [
        (onset, offset - onset, pitch, hand + 1, label)
        for onset, offset, pitch, hand, label in zip(
            piece.onsets, piece.offsets, piece.pitches, piece.hands, piece.labels, strict=True
        )
    ]
    return np.array(rows, dtype=fields)


@pytest.mark.parametrize(
    "make",
    [
        lambda piece: pytest.importorskip("pandas").DataFrame(note_columns(piece)),
        lambda piece: pytest.importorskip("polars").DataFrame(note_columns(piece)),
        by_staff,
    ],
    ids=["pandas", "polars", "array"],
)
def test_fingerings(make: Callable[[Fingering], Any]) -> None:
    files = fingering_files("reference"), fingering_files("hasty")
    objects = [{name: make(kt.fingering.read(path)) for name, path in side.items()} for side in files]
    assert same("fingering", files, (objects[0], objects[1]))


def test_a_missing_finger_is_a_note_without_one() -> None:
    """A frame has NaN there, and so numbers with points; an array of hands needs no staff."""
    pandas = pytest.importorskip("pandas")
    columns = {"onset": [0.0, 1.0], "duration": [1.0, 1.0], "pitch": [60, 62], "hand": ["right", "right"]}
    frame = pandas.DataFrame(columns | {"finger": [1, None]})
    rows = [(0, 1, 60, "right", "1"), (1, 1, 62, "right", "")]
    fields = [
        ("onset_beat", "f8"),
        ("duration_beat", "f8"),
        ("pitch", "i4"),
        ("hand", "U8"),
        ("finger", "U8"),
    ]
    array = np.array(rows, dtype=fields)
    one = kt.fingering.evaluate(frame, array, protocol="strike")
    assert (one["strike/accuracy"], one["coverage"]) == (1.0, 1.0)


def test_what_is_no_annotation_stays_none() -> None:
    piece = pytest.importorskip("pretty_midi").PrettyMIDI()
    with pytest.raises(kt.DataError, match="KT114 not a chord annotation: PrettyMIDI"):
        kt.score("chords", piece, piece)
    with pytest.raises(kt.DataError):
        kt.score("instruments", (TRUTH, CLASSES[:2]), (TRUTH, CLASSES))


def music21_stream(path: str) -> Any:
    return pytest.importorskip("music21").converter.parse(path)


def partitura_score(path: str) -> Any:
    return pytest.importorskip("partitura").load_musicxml(path)


@pytest.mark.slow
@pytest.mark.parametrize("load", [music21_stream, partitura_score])
def test_scores_of_music(load: Callable[[str], Any], tmp_path: Path) -> None:
    folders = []
    for system in ("reference", "hasty"):
        folders.append(tmp_path / system)
        folders[-1].mkdir()
        for name, path in fingering_files(system).items():
            kt.convert("fingering", path, folders[-1] / f"{name}.musicxml")
    files = [{path.stem: str(path) for path in sorted(folder.iterdir())} for folder in folders]
    objects = [{name: load(path) for name, path in side.items()} for side in files]
    # partitura writes the notes of a chord from the highest down, and IFR goes from note to note
    order = "IFR" if load is partitura_score else ""
    assert same("fingering", (files[0], files[1]), (objects[0], objects[1]), without=order)


# --- instruments -------------------------------------------------------------------------------

CLASSES = ("flute", "piano", "violin", "voice")
TRUTH = np.array([[0, 1, 1, 0], [1, 0, 0, 0], [0, 0, 1, 1]])
SCORED = np.array([[0.125, 0.9, 0.55, 0.3], [0.75, 0.2, 0.1, 0.6], [0.25, 0.3, 0.2, 1e-05]])


@pytest.fixture
def tables(tmp_path: Path) -> tuple[str, str]:
    paths = []
    for name, matrix in (("reference", TRUTH), ("estimate", SCORED)):
        rows = [f"{number},{','.join(map(repr, row))}" for number, row in enumerate(matrix.tolist())]
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join((f"item,{','.join(CLASSES)}", *rows, "")))
        paths.append(str(path))
    return paths[0], paths[1]


def wide_pandas(matrix: Any) -> Any:
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(matrix, columns=list(CLASSES), index=list(map(str, range(len(matrix)))))


def wide_polars(matrix: Any) -> Any:
    polars = pytest.importorskip("polars")
    return polars.DataFrame({"item": ["0", "1", "2"]} | dict(zip(CLASSES, matrix.T, strict=True)))


@pytest.mark.parametrize("make", [wide_pandas, wide_polars, lambda matrix: (matrix, CLASSES)])
def test_matrices_of_instruments(make: Callable[[Any], Any], tables: tuple[str, str]) -> None:
    assert same("instruments", tables, (make(TRUTH), make(SCORED)))
    assert same("instruments", tables, (make(TRUTH.astype(bool)), make(SCORED)))


def test_matrices_and_their_names_at_once(tables: tuple[str, str]) -> None:
    assert same("instruments", tables, ((TRUTH, SCORED, CLASSES), None))


def test_midi_of_pretty_midi(tmp_path: Path) -> None:
    pretty_midi = pytest.importorskip("pretty_midi")
    piece = pretty_midi.PrettyMIDI()
    for program in (0, 40):
        instrument = pretty_midi.Instrument(program)
        instrument.notes.append(pretty_midi.Note(64, 60, 0.0, 1.0))
        piece.instruments.append(instrument)
    piece.write(str(tmp_path / "song.mid"))
    estimate = {"song": ["violin", "flute"]}
    objects = {"song": piece}, estimate
    assert same("instruments", (tmp_path, estimate), objects)


def test_instruments_of_jams() -> None:
    jams = pytest.importorskip("jams")
    annotation = jams.Annotation("tag_open")
    for label in ("piano", "violin"):
        annotation.append(time=0, duration=1, value=label, confidence=1)
    assert kt.score("instruments", {"song": annotation}, {"song": ["piano"]}, ci=None).value("R") == 0.5
