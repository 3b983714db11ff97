# SPDX-License-Identifier: MIT
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kammerton
from fingering_strategies import fingerings
from kammerton.errors import Diagnostic, OptionError
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN, Fingering
from kammerton.fingering.formats import SUFFIXES, parse_fingering, read_fingering, unfold
from kammerton.fingering.formats.named_notes import render_csv
from kammerton.fingering.formats.notes import FingeringOptions
from kammerton.model.task import Reading


def read(text: str, suffix: str = ".csv", **options: object) -> Reading[Fingering]:
    chosen = FingeringOptions(**options)  # type: ignore[arg-type]
    return parse_fingering(text, name="a.csv", suffix=suffix, options=chosen)


def only(text: str, suffix: str = ".csv", **options: object) -> Fingering:
    reading = read(text, suffix, **options)
    assert [d.concise() for d in reading.diagnostics if d.code != "KT337"] == []
    ((annotator, fingering),) = reading.annotations
    assert annotator is None
    return fingering


def problem(text: str, suffix: str = ".csv", **options: object) -> Diagnostic:
    reading = read(text, suffix, **options)
    (found,) = reading.diagnostics
    assert (not reading.annotations) == (found.severity == "error")
    return found


def same(one: Fingering, other: Fingering) -> bool:
    arrays = ("onsets", "offsets", "pitches", "hands")
    equal = [np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays]
    return all(equal) and one.labels == other.labels


PLAIN = "onset,offset,pitch,hand,finger\n0,1,60,R,1\n0.5,1.5,48,L,5\n"

PIG_NAMES = (
    "note_id onset_time offset_time spelled_pitch onset_velocity offset_velocity channel finger_number\n"
)

# --- columns -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        PLAIN.replace(",", "\t"),
        PLAIN.replace(",", ";"),
        PLAIN.replace(",", " , "),
        PLAIN.replace(",", " "),
        PLAIN.replace("60", "C4").replace("48", "B#2"),
        PLAIN.replace("60", "60.0"),
        PLAIN.replace("60", '"60"'),
        PLAIN.replace("R", "right").replace("L", "Left"),
        PLAIN.replace("R", "rh").replace("L", "LH"),
        PLAIN.replace("R", "0").replace("L", "1"),
        PLAIN.replace("5\n", "-5\n"),
        PLAIN.replace("1\n", "R1\n").replace("5\n", "L5\n"),
        PLAIN.replace("onset", "Start Time").replace("offset", "END (s)").replace("finger", "fingering"),
        PLAIN.replace("onset", "onset_sec").replace("offset", "end-time [s]").replace("pitch", "midi_pitch"),
        PLAIN.replace("offset", "duration").replace("1.5", "1.0"),
        "# by hand\n\n// twice\n" + PLAIN.replace("0.5,", "\n# a comment\n0.5,") + "\n",
        "velocity,onset,offset,pitch,hand,finger\n64,0,1,60,R,1\n,0.5,1.5,48,L,5\n",
        "id,onset,offset,pitch,hand,finger\na,0,1,60,R,1\nb,0.5,1.5,48,L,5\n",
        "onset,offset,pitch,note_name,hand,finger,label\n0,1,60,C,R,1,x\n0.5,1.5,48,C,L,5,y\n",
        "onset,offset,note_name,pitch,hand,label,finger\n0,1,C,60,R,x,1\n0.5,1.5,C,48,L,y,5\n",
        "onset,offset,duration,pitch,hand,finger\n0,1,9,60,R,1\n0.5,1.5,9,48,L,5\n",
        # a variant of PIG
        PIG_NAMES.replace(" ", "\t") + "0\t0\t1\tC4\t64\t80\t0\t1\n1\t0.5\t1.5\tC3\t64\t80\t1\t-5\n",
    ],
)
def test_variants_mean_the_same(text: str) -> None:
    assert same(only(text), only(PLAIN))


def test_durations_are_added_as_decimal_numbers() -> None:
    assert 0.1 + 0.2 != 0.3
    assert only("onset,duration,pitch,finger\n0.1,0.2,60,1\n").offsets.tolist() == [0.3]


@pytest.mark.parametrize(
    ("rows", "labels", "hands"),
    [
        # unsigned numbers are fingers of the hand that plays
        ("60,R,4_1\n48,L,4_1\n", ("4_1", "-4_-1"), [RIGHT, LEFT]),
        # a sign anywhere: all of them are signed
        ("60,,3\n48,,-3\n", ("3", "-3"), [RIGHT, LEFT]),
        # nothing tells the hand: fingers of the right one, and the hand stays unknown
        ("60,,3\n48,,2\n", ("3", "2"), [UNKNOWN, UNKNOWN]),
        ("60,R,Noinfo\n48,Noinfo,Noinfo\n", ("", ""), [RIGHT, UNKNOWN]),
        ("60,R,0\n48,L,x\n", ("", ""), [RIGHT, LEFT]),
        ("60,,R3\n48,,\n", ("3", ""), [RIGHT, UNKNOWN]),
        ("60,,(L3)\n48,,3\n", ("-3", "3"), [LEFT, UNKNOWN]),
    ],
)
def test_hands_and_fingers(rows: str, labels: tuple[str, ...], hands: list[int]) -> None:
    onsets = iter(("0,1,", "1,2,"))
    text = "onset,offset,pitch,hand,finger\n" + "".join(f"{next(onsets)}{row}\n" for row in rows.split())
    fingering = only(text)
    assert (fingering.labels, fingering.hands.tolist()) == (labels, hands)


def test_each_annotator_has_an_annotation() -> None:
    text = "onset,offset,pitch,finger,annotator,id\n0,1,60,1,Ann,0\n0,1,60,2,Bob,0\n"
    text += "1,2,62,3,Ann,1\n1,2,62,4,,0\n"
    reading = read(text)
    assert [d.code for d in reading.diagnostics] == ["KT337"] * 3  # of each annotator
    named = {name: (fingering.onsets.tolist(), fingering.labels) for name, fingering in reading.annotations}
    assert named == {"Ann": ([0.0, 1.0], ("1", "3")), "Bob": ([0.0], ("2",)), None: ([1.0], ("4",))}
    found = problem(text.replace("1,2,62,3,Ann,1", "2,1,62,3,Ann,1"))
    assert found.concise() == "a.csv:4:3: KT124 note ends before it starts: offset `1`, onset `2`"


OFFSETS = "known names: offset, offset_time, key_offset, end, end_time, stop"

# --- headers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "message", "hint"),
    [
        (
            "onst,offset,pitch,finger",
            "no column is the onset: `onst`, `offset`, `pitch`, `finger`",
            "is it `onst`? known names: onset, onset_time, start, start_time, time, begin",
        ),
        (
            "onset,ende,pitch,finger",
            "no column is the offset: `onset`, `ende`, `pitch`, `finger`",
            f"is it `ende`? {OFFSETS}; or, as a duration: duration, dur, length",
        ),
        (
            "onset,offset,pitch,hand",
            "no column is the finger: `onset`, `offset`, `pitch`, `hand`",
            "known names: finger, finger_number, fingering, finger_label, label",
        ),
    ],
)
def test_a_missing_column_is_named(header: str, message: str, hint: str) -> None:
    found = problem(header + "\n0,1,60,1\n")
    assert (found.code, found.message, found.hint) == ("KT162", message, hint)
    assert (found.line, found.column, found.length) == (1, 1, len(header))


def test_a_column_stands_once() -> None:
    found = problem("onset,offset,pitch,finger,Finger\n0,1,60,1,2\n")
    assert found.concise() == "a.csv:1:27: KT163 column `Finger` stands twice"


@pytest.mark.parametrize(
    ("text", "suffix", "code"),
    [
        ("a,b\n", ".csv", "KT162"),
        ("a,b\n", ".txt", "KT340"),
        ("onset,offset\n", ".txt", "KT162"),
        ("#onset,offset\n", ".csv", "KT110"),
        ("#onset,offset,pitch,finger\n", ".csv", "KT110"),
        ("onset,offset,pitch,finger\n", ".csv", "KT110"),
        ("", ".csv", "KT110"),
    ],
)
def test_what_a_header_is(text: str, suffix: str, code: str) -> None:
    assert {d.code for d in read(text, suffix).diagnostics} == {code}


# --- what may be wrong ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("0,1,60,R,6", "2:10: KT330 `6` is not a finger"),
        ("0,1,60,R,4_6", "2:12: KT330 `6` is not a finger"),
        ("0,1,60,X,1", "2:8: KT342 not a hand: `X`"),
        ("0,1,H4,R,1", "2:5: KT341 not a pitch: `H4`"),
        ("0,1,128,R,1", "2:5: KT341 not a pitch: `128`"),
        ("0,1,60,R,-1", "2:10: KT343 finger `-1` is of the left hand, the note of the right one (`R`)"),
        ("nan,1,60,R,1", "2:1: KT122 time is not finite: `nan`"),
        (",1,60,R,1", "2:1: KT120 not a time in seconds: ``"),
        ("0,-1,60,R,1", "2:3: KT123 negative time: `-1`"),
        ("2,1,60,R,1", "2:3: KT124 note ends before it starts: offset `1`, onset `2`"),
        ("0,1,60,R", "2:1: KT340 row has 4 columns, the header 5"),
        ("0,1,60,R,1,2", "2:12: KT340 row has 6 columns, the header 5"),
        ('0,1,60,R,"1', '2:10: KT160 quote is not closed: `"1`'),
    ],
)
def test_errors_of_rows(row: str, expected: str) -> None:
    found = problem(f"onset,offset,pitch,hand,finger\n{row}\n")
    assert (found.concise(), found.severity) == (f"a.csv:{expected}", "error")


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("0,-1,60,1", "2:3: KT123 negative duration: `-1`"),
        ("0,1e400,60,1", "2:3: KT122 time is not finite: `1e400`"),
        ("0,x,60,1", "2:3: KT120 not a time in seconds: `x`"),
    ],
)
def test_errors_of_durations(row: str, expected: str) -> None:
    assert problem(f"onset,duration,pitch,finger\n{row}\n").concise() == f"a.csv:{expected}"


# --- files ---------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".musicxml", ".xml", ".mxl", ".txt"])
def test_scores_go_to_their_reader(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"score{suffix}"
    path.write_text("<score-timewise/>")
    assert {d.code for d in read_fingering(path).diagnostics}.isdisjoint(("KT162", "KT340"))
    assert suffix in SUFFIXES


@pytest.mark.parametrize("name", ["a.abcd", "a.txt"])
def test_abc_goes_to_its_reader(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(
        "X:1\nL:1/4\nM:4/4\n%%staves {1 2}\nK:C\nV:1\nC D\nV:2\nC, D,\n% abcD fingering 1: 12@54\n"
    )
    reading = read_fingering(path)
    assert [fingering.labels for _, fingering in reading.annotations] == [("1", "-5", "2", "-4")]
    assert Path(name).suffix in SUFFIXES


@pytest.mark.parametrize("options", [{"encoding": "klingon"}, {"label_encoding": "2-11"}, {"hand": "third"}])
def test_options_are_checked(options: dict[str, str]) -> None:
    with pytest.raises(OptionError):
        FingeringOptions(**options)  # type: ignore[arg-type]


# --- writing -------------------------------------------------------------------------------


def test_a_fingering_is_written_below_a_header() -> None:
    text = "onset,offset,pitch,hand,finger\n0.0,1.0,60,right,1\n0.5,1.5,48,left,-5\n"
    assert render_csv(only(PLAIN)) == text


@given(fingerings())
def test_what_is_written_is_read_back_exactly(fingering: Fingering) -> None:
    reading = read(render_csv(fingering))
    assert {d.severity for d in reading.diagnostics} <= {"warning"}
    assert same(reading.annotations[0][1], fingering)


# --- by chance -----------------------------------------------------------------------------


@given(
    st.one_of(
        st.text(),
        st.text('onsetfidgrpch,;\t \n#"0123456789.-', max_size=200),
        st.lists(st.text('0129.-,"CRLx ⑤', max_size=12), max_size=5).map(
            lambda rows: "\n".join(["onset,offset,pitch,hand,finger", *rows])
        ),
    ),
    st.sampled_from(("", ".csv", ".json")),
)
def test_any_text_is_read_or_said_to_be_wrong(text: str, suffix: str) -> None:
    reading = read(text, suffix)
    assert bool(reading.annotations) != any(d.severity == "error" for d in reading.diagnostics)


# --- tables that list pieces ---------------------------------------------------------------


def test_a_list_of_pieces_beside_the_fingerings_is_ignored(tmp_path: Path) -> None:
    refs = tmp_path / "refs"
    refs.mkdir()
    (refs / "LIST.tsv").write_text("id\tsource\tnotes\tannotations\n001\ta.abcd\t1\t2\n")
    (refs / "001.csv").write_text("onset,offset,pitch,finger\n0,1,60,1\n")
    scores = kammerton.score("fingering", refs, refs)
    assert scores.counts == {"refs": {"total": 1, "ok": 1, "missing": 0, "failed": 0}}
    said = next(each for each in scores.diagnostics if each.code == "KT205")
    assert said.severity == "note"
    assert said.message == "ignored: it lists pieces, and has no column of notes"
    assert said.file == str(refs / "LIST.tsv")


@pytest.mark.parametrize(
    "header",
    [
        "id,onset,notes",  # something of notes, though not enough
        "begins,ends,key",  # nothing that names a piece
        "0,1,60,1",  # no header
    ],
)
def test_other_tables_are_meant_to_have_notes(tmp_path: Path, header: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{header}\n0,1,60\n")
    assert unfold(path) is None
