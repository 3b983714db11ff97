# SPDX-License-Identifier: MIT
"""Fingerings as people who work with them have them; the files are in ``tests/cases/reported/fingering``."""

from pathlib import Path

import pytest

import kammerton as kt
from kammerton.fingering.formats import read_fingering

CASES = Path(__file__).parents[2] / "cases" / "reported" / "fingering"


@pytest.mark.parametrize(
    ("finger", "code", "last"), [("1.", "KT332", "1"), ("6", "KT330", ""), ("12", "KT330", "")]
)
def test_one_odd_finger_does_not_cost_the_score(finger: str, code: str, last: str, tmp_path: Path) -> None:
    path = tmp_path / "song.musicxml"
    written = (CASES / "one_bad_finger.musicxml").read_text()
    path.write_text(written.replace("<fingering>1.<", f"<fingering>{finger}<"))
    reading = read_fingering(path, "song")
    ((_, found),) = reading.annotations
    assert found.labels == ("1", "2", "3", last)
    (problem,) = reading.diagnostics
    assert (problem.code, problem.severity, problem.line, problem.length) == (code, "warning", 1, len(finger))
    # a fingering of 1 2 3 4 agrees with 1 2 3 1 on three notes of four, and with 1 2 3 on all
    estimate = {**{name: getattr(found, name) for name in ("onsets", "offsets", "pitches", "hands")}}
    scores = kt.score(
        "fingering", path, {"mine": {"song": {**estimate, "fingers": [1, 2, 3, 4]}}}, protocols="all"
    )
    assert scores.value("strike/accuracy") == (0.75 if last else 1.0)


def test_rows_of_pianoplayer_are_read_up_to_the_finger() -> None:
    reading = read_fingering(CASES / "pianoplayer_fingering.txt")
    ((_, found),) = reading.annotations
    assert [(each.code, each.severity, each.line) for each in reading.diagnostics] == [("KT340", "note", 1)]
    assert found.onsets.tolist() == [0, 0.5, 0.5, 1]
    assert found.offsets.tolist() == [0.5, 1, 1, 1.5]
    assert found.pitches.tolist() == [60, 62, 48, 64]
    assert found.labels == ("1", "2", "-5", "")


def test_a_voice_that_goes_on_in_the_other_staff_stays_with_its_hand() -> None:
    cross = CASES / "cross-staff"
    scores = kt.score("fingering", cross / "ref", cross / "est", protocols="all")
    for measure in ("nakamura2020/M_gen", "strike/M_gen", "strike/hand_accuracy", "pianovam/M_gen"):
        assert scores.value(measure) == 1
    # the reference is the estimate, note by note, so no crossing or span is of the reading
    reference = scores.value("playability/ifr_melodic_references")
    assert reference == scores.value("playability/ifr_melodic")
    told = [each for each in scores.diagnostics if each.code == "KT367"]
    assert [(each.severity, each.count, each.line) for each in told] == [("note", 3, 1)]
    reading = read_fingering(cross / "ref" / "p.musicxml")
    ((_, found),) = reading.annotations
    # right: C5 D5 E5, then A3 B3 C4 below; left: C3, then F2
    right = found.hands == 0
    assert found.pitches[right].tolist() == [72, 74, 76, 57, 59, 60]
    assert found.pitches[~right].tolist() == [48, 41]
