# SPDX-License-Identifier: MIT
"""Fingerings carried over from format to format: no finger, substitution or hand is lost."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kammerton as kt
from kammerton.errors import DataError
from kammerton.fingering import TASK, Fingering, FingeringOptions
from kammerton.fingering.task import CONVERSION

FORMS = tuple(CONVERSION.forms)
NOTES = (
    "0\t0.0\t0.5\tC4\t64\t80\t0\t1\n"
    "1\t0.0\t0.5\tE4\t64\t80\t0\t3_1\n"
    "2\t0.0\t1.0\tC3\t64\t80\t1\t-5\n"
    "3\t0.5\t1.0\tBb4\t64\t80\t0\t0\n"
    "4\t1.0\t1.5\tF#3\t64\t80\t1\t-2_-1\n"
    "5\t1.0\t1.5\tF#4\t64\t80\t0\t4_\n"
)
PIG = "//Version: PianoFingering_v170101\n" + NOTES


def read(path: Path) -> dict[str | None, Fingering]:
    reading = TASK.read(path, str(path), FingeringOptions())
    assert not [each for each in reading.diagnostics if each.severity == "error"]
    return dict(reading.annotations)


def test_annotators_get_a_file_each(tmp_path: Path) -> None:
    source = tmp_path / "scale.csv"
    source.write_text(
        "onset,offset,pitch,hand,finger,annotator\n"
        "0,1,60,right,1,Ann\n1,2,62,right,2,Ann\n0,1,60,right,2,Bob\n1,2,62,right,3_1,Bob\n"
    )
    done = kt.convert("fingering", source, tmp_path / "pig", to="pig")
    assert [each.code for each in done.diagnostics] == ["KT206"]
    assert "as `out/`, is a folder for all; annotators: `Ann`, `Bob`" in str(done.diagnostics[0].hint)
    done = kt.convert("fingering", source, f"{tmp_path / 'csv'}/", to="csv")
    assert [Path(each).name for each in done.written] == ["Ann.csv", "Bob.csv"]
    done = kt.convert("fingering", source, f"{tmp_path / 'pig'}/", to="pig")
    assert [Path(each).name for each in done.written] == ["scale-1_fingering.txt", "scale-2_fingering.txt"]
    (note,) = done.diagnostics
    files = "`Ann` in `scale-1_fingering.txt`, `Bob` in `scale-2_fingering.txt`"
    assert (note.code, note.message) == ("KT395", f"2 annotators: {files}")
    assert read(tmp_path / "pig/scale-2_fingering.txt")[None].labels == ("2", "3_1")
    done = kt.convert("fingering", source, tmp_path / "bob.musicxml", annotator="Bob")
    assert read(tmp_path / "bob.musicxml")[None].labels == ("2", "3_1")


def test_a_folder_of_pig_keeps_its_names(tmp_path: Path) -> None:
    for name in ("001-1_fingering.txt", "sub/002-2_fingering.txt"):
        path = tmp_path / "pig" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PIG)
    done = kt.convert("fingering", tmp_path / "pig", tmp_path / "out", to="csv")
    assert sorted(Path(each).relative_to(tmp_path).as_posix() for each in done.written) == [
        "out/001-1_fingering.csv",
        "out/sub/002-2_fingering.csv",
    ]
    scores = kt.score("fingering", tmp_path / "pig", tmp_path / "out", measures=["strike/accuracy"])
    assert scores.value("accuracy") == 1


def test_what_becomes_of_time_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "pig").mkdir()
    for name in ("a", "b"):
        (tmp_path / f"pig/{name}.txt").write_text(PIG)
    (note,) = kt.convert("fingering", tmp_path / "pig", tmp_path / "scores", to="musicxml").diagnostics
    assert (note.code, note.count) == ("KT394", 2)
    assert note.message == "times are seconds: a second is written as a quarter note (2 files)"
    assert kt.convert("fingering", tmp_path / "pig", tmp_path / "tables", to="csv").diagnostics == ()
    again = kt.convert("fingering", tmp_path / "scores/a.musicxml", tmp_path / "again.musicxml")
    assert again.diagnostics == ()
    (note,) = kt.convert("fingering", tmp_path / "scores/a.musicxml", tmp_path / "back.csv").diagnostics
    message = "times are quarter notes, as the score has them: a quarter note counts as a second"
    assert (note.code, note.message) == ("KT394", message)


ONE = Fingering(np.zeros(1), np.ones(1), np.array([60]), np.array([0]), ("1",))


@pytest.mark.parametrize(
    ("form", "changes", "message"),
    [
        ("pig", {"hands": np.array([-1])}, "note index 0 cannot be written as PIG: its hand is not known"),
        ("pig", {"pitches": np.array([-1])}, "note index 0 cannot be written as PIG: its pitch is not known"),
        ("csv", {"pitches": np.array([-1])}, "note index 0 cannot be written as CSV: its pitch is not known"),
        (
            "musicxml",
            {"pitches": np.array([-1])},
            "cannot be written as MusicXML: a score has no pitches outside of C0 to G9",
        ),
        (
            "musicxml",
            {"offsets": np.array([1e12])},
            "cannot be written as MusicXML: a score has no times outside of 0 to 1e+09",
        ),
    ],
)
def test_what_a_format_cannot_hold_is_refused(form: str, changes: dict[str, object], message: str) -> None:
    with pytest.raises(DataError) as caught:
        CONVERSION.render([replace(ONE, **changes)], form)  # type: ignore[arg-type]
    (problem,) = caught.value.diagnostics
    assert (problem.code, problem.message) == ("KT151", message)


ALONE = "labels without notes cannot become a score: nothing tells their pitches and times"
LISTS = '{"lists": {"one": {"recording": "r1", "labels_1to10": [9, 10, 7]}}}'


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", ["[9, 10, 7]", '{"Ann": [9, 10], "Bob": [9, 7]}', LISTS])
def test_labels_without_notes_become_no_score(tmp_path: Path, form: str, text: str) -> None:
    source = tmp_path / "labels.json"
    source.write_text(text)
    done = kt.convert("fingering", source, tmp_path / "out/", to=form)
    (problem,) = (each for each in done.diagnostics if each.severity == "error")
    assert (problem.code, problem.message, problem.file) == ("KT151", ALONE, str(source))
    assert (
        problem.hint
        == "put each label beside its note: a table with the columns onset, offset, pitch and finger"
    )
    assert (done.written, done.failed) == ((), (str(source),))
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif("KAMMERTON_SHARED" not in os.environ, reason="KAMMERTON_SHARED names no folder")
def test_real_scores_convert_and_come_back(tmp_path: Path) -> None:
    shared_fingering = Path(os.environ["KAMMERTON_SHARED"]) / "data/fingering"
    sources = [*shared_fingering.glob("musicxml/*"), *shared_fingering.glob("pydactyl_abcd_raw/*.abcd")]
    assert len(sources) >= 8
    for source in sources:
        options = FingeringOptions(hand="right") if "scales_all_keys" in source.name else FingeringOptions()
        annotations = TASK.read(source, str(source), options).annotations
        assert annotations
        for form, suffix in CONVERSION.forms.items():
            for place, (_, annotation) in enumerate(annotations):
                path = tmp_path / f"{source.stem}-{place}{suffix}"
                path.write_text(CONVERSION.render([annotation], form))
                (found,) = read(path).values()
                assert found.hands.tolist() == annotation.hands.tolist()
                assert found.pitches.tolist() == annotation.pitches.tolist()
                assert found.labels == annotation.labels
