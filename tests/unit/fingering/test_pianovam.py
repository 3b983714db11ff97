# SPDX-License-Identifier: MIT
import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kammerton
from kammerton.errors import Diagnostic
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN, Fingering
from kammerton.fingering.formats import parse_fingering
from kammerton.fingering.formats.notes import FingeringOptions
from kammerton.fingering.task import TASK
from kammerton.model.task import ItemReadings, Reading

HEADER = "onset\tkey_offset\tframe_offset\tnote\tvelocity\tfinger\n"


def read(text: str, suffix: str = ".json", **options: object) -> Reading[Fingering]:
    chosen = FingeringOptions(**options)  # type: ignore[arg-type]
    return parse_fingering(text, name="a", suffix=suffix, options=chosen)


def only(text: str, suffix: str = ".json", **options: object) -> Fingering:
    reading = read(text, suffix, **options)
    assert [d.concise() for d in reading.diagnostics if d.code != "KT335"] == []
    ((annotator, fingering),) = reading.annotations
    assert annotator is None
    return fingering


def problem(text: str, suffix: str = ".json", **options: object) -> Diagnostic:
    reading = read(text, suffix, **options)
    (found,) = (d for d in reading.diagnostics if d.code != "KT335")
    assert (not reading.annotations) == (found.severity == "error")
    return found


def note(**changed: object) -> dict[str, object]:
    return {"onset": 0, "offset": 1, "pitch": 60, "velocity": 64, "finger": 1, "hand": "R"} | changed


def notes(*found: dict[str, object]) -> str:
    return json.dumps({"notes": found})


# --- tables --------------------------------------------------------------------------------


def test_a_table_of_small_numbers_without_hands_is_of_the_left_hand_with_a_warning() -> None:
    text = HEADER + "0\t1\t1\t60\t64\tNoinfo\n1\t2\t2\t62\t64\t3\n"
    found = problem(text, ".tsv")
    assert (found.code, found.line, read(text, ".tsv").annotations[0][1].labels) == ("KT334", 2, ("", "-3"))
    assert only(text, ".tsv", label_encoding="pig").labels == ("", "3")
    assert only(text, ".tsv", hand="right").labels == ("", "3")
    assert only(text.replace("\t3\n", "\t-3\n"), ".tsv").labels == ("", "-3")


BARE = HEADER.replace("\tfinger", "")


@pytest.mark.parametrize("mark", ["", "# "])
def test_a_transcription_has_notes_and_no_fingers(mark: str) -> None:
    text = mark + BARE + "0.5\t0.75\t0.8\t60\t64\n0.75\t1.0\t1.5\t62\t64\n"
    found = problem(text, ".tsv")
    assert (found.code, found.severity, found.line) == ("KT338", "warning", 1)
    fingering = read(text, ".tsv").annotations[0][1]
    assert (fingering.labels, fingering.pitches.tolist()) == (("", ""), [60, 62])
    assert fingering.offsets.tolist() == [0.75, 1.0]  # when keys are released, not when the sound ends
    assert fingering.lacking == {"fingers"}


# --- notes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fingers", "labels"),
    [
        ([{"finger": "L1"}, {"finger": "R5"}], ("-1", "5")),
        ([{"finger": 1}, {"finger": 10}], ("-1", "5")),
        ([{"finger": "1"}, {"finger": "10"}], ("-1", "5")),
        ([{"finger": -1}, {"finger": 5}], ("-1", "5")),
        ([{"finger": 1.0, "hand": "L"}, {"finger": 5.0, "hand": "R"}], ("-1", "5")),
        ([{"finger": 1, "hand": "left"}, {"finger": 10, "hand": "right"}], ("-1", "5")),
        ([{"finger": "R2"}, {"finger": 3}, {"finger": 8}], ("2", "-3", "3")),
        ([{"finger": 0}, {}, {"finger": ""}], ("", "", "")),
    ],
)
def test_fingers_are_named_or_numbered(fingers: list[dict[str, object]], labels: tuple[str, ...]) -> None:
    found = [{"onset": at, "duration": 1, "pitch": 60 + at} | finger for at, finger in enumerate(fingers)]
    for text in (notes(*found), json.dumps(found)):
        assert only(text).labels == labels


@pytest.mark.parametrize(
    ("found", "code", "token", "message"),
    [
        (note(onset="0"), "KT348", '"0"', "onset must be a number, not the string `0`"),
        (note(onset=None), "KT348", "null", "onset must be a number, not null"),
        (note(offset=True), "KT348", "true", "offset must be a number, not true or false"),
        (note(pitch=[60]), "KT348", "[60]", "pitch must be a number or a string, not a list"),
        (note(finger={}), "KT348", "{}", "finger must be a number or a string, not an object"),
        (note(pitch=None), "KT348", "null", "pitch must be a number or a string, not null"),
        (note(onset=float("nan")), "KT122", "NaN", "time is not finite: `NaN`"),
        (note(offset=float("inf")), "KT122", "Infinity", "time is not finite: `Infinity`"),
        (note(onset=-1), "KT123", "-1", "negative time: `-1`"),
        (note(offset=-1.5), "KT123", "-1.5", "negative time: `-1.5`"),
        (note(pitch=60.5), "KT341", "60.5", "not a pitch: `60.5`"),
        (note(pitch="H4"), "KT341", "H4", "not a pitch: `H4`"),
        (note(finger=11), "KT330", "11", "`11` is not a finger"),
        (note(finger=1.5), "KT330", "1.5", "`1.5` is not a finger"),
        (note(finger="R6"), "KT330", "R6", "`R6` is not a finger"),
        (note(finger="4_7"), "KT330", "7", "`7` is not a finger"),
        (note(hand="both"), "KT342", "both", "not a hand: `both`"),
        (
            note(finger="L1"),
            "KT343",
            "L1",
            "finger `L1` is of the left hand, the note of the right one (`R`)",
        ),
    ],
)
def test_errors_of_notes(found: dict[str, object], code: str, token: str, message: str) -> None:
    text = notes(found)
    given = problem(text)
    assert (given.code, given.message) == (code, message)
    if code != "KT343":
        assert given.column is not None
        token = token if code != "KT348" else token.strip('"')
        assert text[given.column - 1 : given.column - 1 + given.length] == token


@pytest.mark.parametrize(
    ("found", "message", "hint"),
    [
        (
            {"offset": 1, "pitch": 60},
            "note has no onset",
            "known names: onset, onset_time, start, start_time, time, begin",
        ),
        (
            {"onst": 0, "offset": 1, "pitch": 60},
            "note has no onset",
            "is it `onst`? known names: onset, onset_time, start, start_time, time, begin",
        ),
        (
            {"onset": 0, "pitch": 60},
            "note has no offset",
            (
                "known names: offset, offset_time, key_offset, end, end_time, stop"
                "; or, as a duration: duration, dur, length"
            ),
        ),
    ],
)
def test_a_missing_field_is_named(found: dict[str, object], message: str, hint: str) -> None:
    text = json.dumps({"notes": [note(), found]}, indent=1)
    given = problem(text)
    assert (given.code, given.message, given.hint) == ("KT348", message, hint)
    assert given.line == 11


def test_every_problem_is_listed_at_once() -> None:
    text = json.dumps([note(onset="0", hand=[]), 4, {"pitch": 60}, note(finger=99)])
    codes = [d.code for d in read(text).diagnostics]
    assert codes == ["KT348", "KT348", "KT348", "KT348", "KT348", "KT330"]


# --- labels alone --------------------------------------------------------------------------


# --- documents -----------------------------------------------------------------------------


def test_a_list_of_labels_has_notes_that_are_not_known() -> None:
    reading = read('[9, 10, 1, 0, "Noinfo", null]')
    ((annotator, fingering),) = reading.annotations
    assert annotator is None
    assert fingering.labels == ("4", "5", "-1", "", "", "")
    assert fingering.hands.tolist() == [RIGHT, RIGHT, LEFT, UNKNOWN, UNKNOWN, UNKNOWN]
    assert fingering.pitches.tolist() == [-1] * 6
    assert fingering.onsets.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert fingering.offsets.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    (found,) = reading.diagnostics
    assert (found.code, found.severity) == ("KT335", "note")


def test_errors_of_labels() -> None:
    found = problem("[6, 11]")
    assert (found.concise(), found.severity) == ("a:1:5: KT330 `11` is not a finger", "error")
    found = problem('[7, "R6"]')
    assert (found.concise(), found.length) == ("a:1:6: KT330 `R6` is not a finger", 2)
    found = problem("[6, true]")
    assert found.concise() == "a:1:5: KT348 label must be a number or a string, not true or false"


def test_recordings_are_scored(tmp_path: Path) -> None:
    folders = []
    for name, labels in (("refs", [1, 6, 7, 8]), ("ests", [1, 6, 7, 9])):
        (tmp_path / name).mkdir()
        (tmp_path / name / "gt.json").write_text(
            lists(("first", "2024-02", labels), ("second", "2024-03", [6]))
        )
        folders.append(tmp_path / name)
    scores = kammerton.score("fingering", *folders, protocols="all")
    assert scores.value("strike/M_gen") == (3 / 4 + 1) / 2


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *(("", "KT110"), ("[]", "KT110"), ('{"notes": []}', "KT110"), ('{"Ann": []}', "KT110")),
        *(("4", "KT113"), ("{}", "KT113"), ('{"notes": 4}', "KT113"), ('"x"', "KT113")),
        *(("{", "KT141"), ('{"notes": [], "notes": []}', "KT142"), ("[" * 100_000, "KT106")),
    ],
)
def test_documents_that_hold_no_fingering(text: str, code: str) -> None:
    assert problem(text).code == code


FIELDS = ("onset", "offset", "pitch", "finger")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-20, 200) | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(("notes", "onset", "offset", "pitch", "finger", "hand", "x")), inner
        )
    ),
    max_leaves=10,
)


@given(JSON | st.lists(st.fixed_dictionaries(dict.fromkeys(FIELDS, JSON))))
def test_any_document_is_read_or_said_to_be_wrong(value: object) -> None:
    reading = read(json.dumps(value))
    assert bool(reading.annotations) != any(d.severity == "error" for d in reading.diagnostics)


# --- labels of several recordings ----------------------------------------------------------


def lists(*found: tuple[str, str | None, Sequence[int]]) -> str:
    return json.dumps(
        {
            "encoding": "1-5 left, 6-10 right",
            "lists": {
                name: {"labels_1to10": labels} | ({} if recording is None else {"recording": recording})
                for name, recording, labels in found
            },
        }
    )


def unfolded(tmp_path: Path, text: str) -> ItemReadings[Fingering]:
    path = tmp_path / "gt.json"
    path.write_text(text)
    sheet = TASK.unfold and TASK.unfold(path, "gt.json", TASK.options())
    assert sheet is not None
    return sheet


def test_lists_are_items_called_by_their_recording(tmp_path: Path) -> None:
    sheet = unfolded(tmp_path, lists(("a_3", "2024", [1, 6, 0]), ("b_1", None, [10])))
    assert {item: found[0][1].labels for item, found in sheet.items.items()} == {
        "2024": ("-1", "1", ""),
        "b_1": ("5",),
    }
    assert [(said.code, said.item, said.severity) for said in sheet.diagnostics] == [
        ("KT335", "2024", "note"),
        ("KT335", "b_1", "note"),
    ]
    assert sheet.broken == {}


def test_a_list_that_cannot_be_used_leaves_the_others(tmp_path: Path) -> None:
    sheet = unfolded(tmp_path, lists(("a", None, [1, 11]), ("b", None, []), ("c", None, [2])))
    assert list(sheet.items) == ["c"]
    assert sheet.broken == {"a": "KT330 `11` is not a finger", "b": "KT110 no notes"}
    said = next(each for each in sheet.diagnostics if each.code == "KT330")
    assert (said.file, said.line, said.item) == ("gt.json", 1, "a")
    assert said.excerpt is not None
    assert said.column is not None
    assert said.excerpt[said.column - 1 :].startswith("11]")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '{"lists": {"a": [1, 2]}}'),
        ("a.json", '{"lists": [1]}'),
        ("a.json", '["lists"]'),
        ("a.json", '{"lists": '),
        ("a.json", "[1, 2]"),
        ("a.json", None),
        ("a.txt", lists(("a", None, [1]))),
    ],
)
def test_other_files_are_of_one_piece(tmp_path: Path, name: str, text: str | None) -> None:
    path = tmp_path / name
    if text is not None:
        path.write_text(text)
    assert TASK.unfold is not None
    assert TASK.unfold(path, "a", TASK.options()) is None


def test_a_file_that_lists_nothing_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"lists": {}}')
    reading = kammerton.check("fingering", path)
    (problem,) = reading.diagnostics
    assert (problem.code, problem.severity, problem.message) == (
        "KT110",
        "error",
        "no list of labels in `lists`",
    )
    assert (problem.line, problem.column) == (1, 11)


# --- real labels ---------------------------------------------------------------------------

SHARED = os.environ.get("KAMMERTON_SHARED")


@pytest.mark.skipif(SHARED is None, reason="KAMMERTON_SHARED is not set")
def test_human_labels_of_recordings() -> None:
    path = Path(SHARED or "") / "data" / "fingering" / "pianovam_gt" / "pianovam_fingergt.json"
    lists = json.loads(path.read_text())["lists"]
    assert sum(len(found["labels_1to10"]) for found in lists.values()) == 1800
    for found in lists.values():
        numbers = found["labels_1to10"]
        fingering = only(json.dumps(numbers))
        assert fingering.labels == tuple(str(-n if n < 6 else n - 5) for n in numbers)
        assert np.array_equal(fingering.hands, [LEFT if n < 6 else RIGHT for n in numbers])
    assert TASK.unfold is not None
    sheet = TASK.unfold(path, "a", TASK.options())
    assert sheet is not None
    assert list(sheet.items) == [found["recording"] for found in lists.values()]
    assert sum(len(fingering) for ((_, fingering),) in sheet.items.values()) == 1800
