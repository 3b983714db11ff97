# SPDX-License-Identifier: MIT
"""What no hand can play: which notes, why, and how ``check`` says it. Spans: Parncutt's, by hand."""

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kammerton as kt
from kammerton.fingering import Fingering, FingeringOptions
from kammerton.fingering.formats import read_fingering
from kammerton.fingering.lint import lint

OPTIONS = FingeringOptions()


def played(*notes: tuple[str, int, float]) -> Fingering:
    """A fingering of labels, pitches and onsets; each note lasts until the next second."""
    labels, pitches, onsets = zip(*notes, strict=True)
    hands = [1 if label.startswith("-") else 0 for label in labels]
    starts = np.array(onsets, dtype=float)
    return Fingering(starts, np.floor(starts) + 1, np.array(pitches), np.array(hands), labels)


def said(fingering: Fingering, **options: str) -> list[str]:
    found = lint(fingering, replace(OPTIONS, **options))  # type: ignore[arg-type]
    return [f"{each.code} {each.message}" for each in found if each.severity == "warning"]


@pytest.mark.parametrize(
    ("notes", "place", "reason"),
    [
        # I20, I18, I19: crossed chord; thumb on C4 and E4; thumb on two neighbours
        (
            (("3", 60, 0), ("1", 64, 0)),
            "KT392 note 1 (C4, R3) with note 2 (E4, R1) at 0 s",
            "1 and 3 are crossed",
        ),
        (
            (("1", 60, 0), ("1", 64, 0)),
            "KT390 note 1 (C4, R1) with note 2 (E4, R1) at 0 s",
            "1 spans 4 semitones, at most 2",
        ),
        ((("1", 60, 0), ("1", 62, 0), ("4", 67, 0)), "", ""),
        # I13, I12: 2-3 over the limit of 5, and on it
        (
            (("2", 60, 0), ("3", 66, 1)),
            "KT391 note 1 (C4, R2) to note 2 (F#4, R3) at 1 s",
            "2 and 3 span 6 semitones, at most 5",
        ),
        ((("2", 60, 0), ("3", 65, 1)), "", ""),
        # I06: the thumb passes under the fourth finger by 9, at most 3
        (
            (("4", 60, 0), ("1", 69, 1)),
            "KT391 note 1 (C4, R4) to note 2 (A4, R1) at 1 s",
            "1 and 4 cross by 9 semitones, at most 3",
        ),
        # I05: 3 over 4
        (
            (("3", 64, 0), ("4", 62, 1)),
            "KT391 note 1 (E4, R3) to note 2 (D4, R4) at 1 s",
            "3 and 4 are crossed",
        ),
        # I10, I09: one finger 3 semitones on, and 2
        (
            (("-2", 63, 0), ("-2", 60, 1)),
            "KT391 note 1 (Eb4, L2) to note 2 (C4, L2) at 1 s",
            "2 moves 3 semitones, at most 2",
        ),
        ((("-2", 62, 0), ("-2", 60, 1)), "", ""),
        # 2-5 spans 2 at least
        (
            (("-5", 60, 0), ("-2", 61, 0)),
            "KT392 note 1 (C4, L5) with note 2 (C#4, L2) at 0 s",
            "2 and 5 span 1 semitone, at least 2",
        ),
    ],
)
def test_places_are_named(notes: tuple[tuple[str, int, float], ...], place: str, reason: str) -> None:
    fingers = "fingers" if " and " in reason else "finger"
    assert said(played(*notes)) == ([f"{place}: {fingers} {reason}"] if place else [])


def test_places_are_in_order_of_time_and_beyond_twenty_are_counted() -> None:
    leaps = played(*(("2", 60 + 6 * (note % 2), note) for note in range(30)))
    found = lint(leaps, OPTIONS)
    assert len(found) == 21
    assert [each.message.split(" (")[0] for each in found[:2]] == ["note 1", "note 2"]
    assert found[-1].message == "and 9 more like these"
    assert sum(each.count for each in found) == 29


@pytest.mark.parametrize(
    ("fingering", "message"),
    [
        # a rest of a second before the third note
        (
            played(("1", 60, 0), ("2", 62, 1), ("3", 64, 3)),
            "1 of 3 notes not judged: 1 between rests, chords or notes without finger",
        ),
        # a step is judged from C to D; then nobody says with what E is struck, nor where F comes from
        (
            played(("1", 60, 0), ("2", 62, 1), ("", 64, 2), ("4", 65, 3)),
            "2 of 4 notes not judged: 1 without finger and 1 between rests, chords or notes without finger",
        ),
        # a chord of which two notes have a finger is judged, but not the way to it
        (
            played(("1", 60, 0), ("1", 60, 1), ("", 64, 1), ("5", 67, 1)),
            "2 of 4 notes not judged: 1 without finger and 1 between rests, chords or notes without finger",
        ),
        (played(("", 60, 0), ("", 62, 1)), "2 of 2 notes not judged: 2 without finger"),
        (played(("1", 60, 0), ("-1", 48, 1)), "2 of 2 notes not judged: 2 between rests, chords or"),
        # each hand on its own
        (played(("1", 60, 0), ("-1", 48, 0), ("2", 62, 1), ("-2", 47, 1)), None),
    ],
)
def test_notes_that_are_not_judged_are_counted(fingering: Fingering, message: str | None) -> None:
    notes = [each for each in lint(fingering, OPTIONS) if each.severity == "note"]
    if message is None:
        assert notes == []
    else:
        (note,) = notes
        assert note.code == "KT393"
        assert note.message.startswith(message)
        assert note.count == int(message.split()[0])


def test_a_place_in_a_score_is_that_of_its_measure() -> None:
    leap = played(("2", 60, 0), ("3", 66, 1))
    (found,) = said(replace(leap, place_of=lambda note: f"measure {note + 4}, beat 2"))
    assert found.startswith("KT391 note 1 (C4, R2) to note 2 (F#4, R3) at measure 5, beat 2: fingers")
    (found,) = said(replace(leap, unit="quarters"))
    assert " at 1 quarters: " in found


JSON_NOTE = '{"onset": %d, "offset": %d, "pitch": %d, "finger": %d}'
STEP = "0\t0\t1\tC4\t64\t80\t0\t2\n1\t1\t2\tF#4\t64\t80\t0\t3\n"


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.txt", "//head\n" + STEP, 3),
        ("a.txt", STEP.replace("\n1", "\n# remark\n1"), 3),
        ("a.txt", STEP.replace("\t", " "), 2),
        ("a.csv", "onset,offset,pitch,finger\n\n0,1,60,2\n1,2,66,3\n", 4),
        (
            "a.json",
            "[" + ",\n".join((JSON_NOTE % (0, 1, 60, 2), JSON_NOTE % (1, 2, 66, 3))) + "]",
            2,
        ),
    ],
)
def test_a_place_has_the_line_of_its_second_note(tmp_path: Path, name: str, text: str, line: int) -> None:
    (tmp_path / name).write_text(text)
    (found,) = (d for d in kt.check("fingering", tmp_path).diagnostics if d.code == "KT391")
    assert (found.file, found.line) == (str(tmp_path / name), line)


def test_lines_do_not_go_along_to_other_processes(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(STEP)
    ((_, fingering),) = read_fingering(tmp_path / "a.txt").annotations
    assert fingering.line_of is not None
    assert fingering.line_of(1) == 2
    again = pickle.loads(pickle.dumps(fingering))
    assert (again.labels, again.line_of) == (("2", "3"), None)
