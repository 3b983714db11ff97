# SPDX-License-Identifier: MIT
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingering_strategies import fingerings
from kammerton.errors import DataError, Diagnostic
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN, Fingering
from kammerton.fingering.formats import read_fingering
from kammerton.fingering.formats.notes import FingeringOptions
from kammerton.fingering.formats.pig import identify, parse_pig, render_pig
from kammerton.formats import Limits
from kammerton.formats.reading import Problems
from kammerton.model.task import Reading

HEAD = "//Version: PianoFingering_v170101\n"
ROWS = (
    "0\t0.000000\t0.125000\tA2\t64\t80\t1\t-5\n"
    "1\t0.000000\t0.125000\tC#4\t64\t80\t0\t1\n"
    "2\t0.125000\t0.250000\tBbb3\t64\t80\t1\t-2_-1\n"
)
CHANNELS = "fingers of the left hand are negative; channel 0 is the right hand, 1 the left"


def parsed(text: str, **options: object) -> Reading[Fingering]:
    """Read twice: of a file without remarks, the second time finds the notes in use; both must agree."""
    first = parsed_once(text, **options)
    second = parsed_once(text, **options)
    assert first.diagnostics == second.diagnostics
    assert len(first.annotations) == len(second.annotations)
    for (_, one), (_, other) in zip(first.annotations, second.annotations, strict=True):
        assert same(one, other)
        assert one.line_of is not None
        assert other.line_of is not None
        assert [one.line_of(note) for note in range(len(one))] == [other.line_of(n) for n in range(len(one))]
    return first


def parsed_once(text: str, **options: object) -> Reading[Fingering]:
    return parse_pig(text, Problems("a.txt"), FingeringOptions(**options))  # type: ignore[arg-type]


def only(text: str, **options: object) -> Fingering:
    reading = parsed(text, **options)
    assert [d.concise() for d in reading.diagnostics] == []
    ((annotator, fingering),) = reading.annotations
    assert annotator is None
    return fingering


def row(finger: str = "1", **changed: str) -> str:
    cells = {"id": "0", "onset": "0", "offset": "1", "pitch": "C4", "v": "64", "w": "80", "channel": "0"}
    return "\t".join([*(cells | changed).values(), finger]) + "\n"


def problems(text: str, **options: object) -> list[Diagnostic]:
    reading = parsed(text, **options)
    assert (not reading.annotations) == any(d.severity == "error" for d in reading.diagnostics)
    return list(reading.diagnostics)


def problem(text: str, **options: object) -> Diagnostic:
    (found,) = problems(text, **options)
    return found


def same(one: Fingering, other: Fingering) -> bool:
    arrays = ("onsets", "offsets", "pitches", "hands")
    equal = [np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays]
    return all(equal) and one.labels == other.labels


# --- a clean file --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        ROWS,  # no head
        HEAD + ROWS.rstrip("\n"),
        HEAD + ROWS + "\n\n",
        HEAD + "\n" + ROWS.replace("\n", "\n\n"),
        HEAD + "# by hand\n" + ROWS,
        HEAD + ROWS.replace("1\t0.000000", "# a comment\n//another\n1\t0.000000"),
        HEAD + ROWS + "# the end\n",
        HEAD + ROWS + "#3\t0.2\t0.3\tC4\t64\t80\t0\t1\n",
        HEAD + ROWS.replace("\t", " "),
        HEAD + ROWS.replace("\t", "  ").replace("\n", " \n"),
        HEAD + ROWS.replace("\t", ","),
        HEAD + ROWS.replace("\t", ";"),
        HEAD + ROWS.replace("\t", " \t"),
        HEAD + ROWS.replace("C#4", '"C#4"'),
        HEAD + ROWS.replace("0.125000", "1.25e-1").replace("0.000000", "+.0"),
        HEAD + ROWS.replace("0.125000", "0.1250000000000000000"),
        HEAD + ROWS.replace("0\t0.0", "-1\t0.0").replace("0.000000", "-0"),
    ],
)
def test_variants_mean_the_same(text: str) -> None:  # A21
    assert same(only(text), only(HEAD + ROWS))


def test_no_zero_is_negative() -> None:
    ((_, found),) = parsed("0\t-0\t-0\tC4\t64\t80\t0\t1\n").annotations
    assert not np.signbit([found.onsets, found.offsets]).any()


# --- what may be wrong ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected", "hint"),
    [
        (
            row("6"),
            "1:18: KT330 `6` is not a finger",
            "fingers are 1 to 5; if numbers count through both hands: --label-encoding 1-10 or 0-9",
        ),
        (
            row("-0"),
            "1:18: KT330 `-0` is not a finger",
            "fingers are 1 to 5, of the left hand -1 to -5; no finger is `0` or `x`",
        ),
        (
            row("4_9"),
            "1:20: KT330 `9` is not a finger",
            "fingers are 1 to 5; if numbers count through both hands: --label-encoding 1-10 or 0-9",
        ),
        (row("-3"), "1:18: KT343 finger `-3` is of the left hand, the note of the right one (`0`)", CHANNELS),
        (
            row("3", channel="1"),
            "1:18: KT343 finger `3` is of the right hand, the note of the left one (`1`)",
            "no finger has a sign: those of the left hand are negative",
        ),
        (row(channel="2"), "1:16: KT342 not a channel: `2`", "channel 0 is the right hand, 1 the left"),
        (row(pitch="H4"), "1:7: KT341 not a pitch: `H4`", "German `H` is `B`, `B` is `Bb`"),
        (
            row(pitch="60"),
            "1:7: KT341 not a pitch: `60`",
            "a pitch is a letter, `#` or `b`, and an octave, as in `C#4`; C4 is the middle C",
        ),
        (row(onset="nan"), "1:3: KT122 time is not finite: `nan`", None),
        (row(offset="inf"), "1:5: KT122 time is not finite: `inf`", None),
        (row(offset="1e400"), "1:5: KT122 time is not finite: `1e400`", None),
        (row(onset="-1"), "1:3: KT123 negative time: `-1`", None),
        (row(onset="1_0"), "1:3: KT120 not a time in seconds: `1_0`", "a time looks like 12.34"),
        (row(offset="0x10"), "1:5: KT120 not a time in seconds: `0x10`", "a time looks like 12.34"),
        (row(offset="1-0"), "1:5: KT120 not a time in seconds: `1-0`", "a time looks like 12.34"),
        (row(offset="."), "1:5: KT120 not a time in seconds: `.`", "a time looks like 12.34"),
        (row(offset="1.2.3"), "1:5: KT120 not a time in seconds: `1.2.3`", "a time looks like 12.34"),
        (row(onset=""), "1:3: KT120 not a time in seconds: ``", "a time looks like 12.34"),
        (row(onset="0,5"), "1:3: KT121 time with a decimal comma: `0,5`", "write times with a decimal point"),
        (row(onset="2"), "1:5: KT124 note ends before it starts: offset `1`, onset `2`", None),
    ],
)
def test_errors_of_cells(text: str, expected: str, hint: str | None) -> None:  # row 63
    found = problem(text)
    assert (found.concise(), found.hint, found.severity) == (f"a.txt:{expected}", hint, "error")


def test_a_finger_that_the_channel_contradicts_everywhere_is_of_swapped_hands() -> None:  # row 65
    text = row("-1") + row("2", id="1", onset="1", offset="2", channel="1")
    assert {found.hint for found in problems(text)} == {"so it is with every note: are the hands swapped?"}
    text += row("3", id="2", onset="2", offset="3")
    assert {found.hint for found in problems(text)} == {CHANNELS}


def test_warnings_leave_the_file_usable() -> None:
    (found,) = parsed(
        row("undecided")
        + row("thumb", id="1", onset="1", offset="2")
        + row("thumb", id="2", onset="3", offset="4")
    ).diagnostics[1:]
    assert found.message == "not a finger label, the note counts as without finger: `thumb` (2 such rows)"
    assert (found.code, found.severity, found.line, found.count) == ("KT331", "warning", 2, 2)
    (found,) = parsed(row("⑤")).diagnostics
    assert (found.code, parsed(row("⑤")).annotations[0][1].labels) == ("KT332", ("5",))


def test_a_note_id_stands_once() -> None:
    found = problem(row() + row(onset="1", offset="2"))
    assert found.concise() == "a.txt:2:1: KT344 note id `0` stands twice: first in line 1"
    named = row(id="a") + row(id="b", onset="1", offset="2")
    assert len(only(named)) == 2
    assert len(only(row(id="5") + row(id="3", onset="1", offset="2"))) == 2


def test_notes_may_start_together_with_one_key_and_are_kept_with_a_warning() -> None:
    text = row() + row(id="1", pitch="D4") + row("2", id="2") + row("3", id="3")
    found = problem(text)
    assert found.concise() == (
        "a.txt:3:7: KT345 same onset and pitch as the note of line 1; both are kept (2 such rows)"
    )
    assert (found.severity, found.count) == ("warning", 2)
    assert parsed(text).annotations[0][1].labels == ("1", "1", "2", "3")


@pytest.mark.parametrize(
    ("text", "expected", "length"),
    [
        (row() + "1\t2\n", "2:1: KT340 row has 2 columns instead of 8", 3),
        (row() + row("1\textra", id="1"), "2:20: KT340 row has 9 columns instead of 8", 5),
        (
            row().replace("\t", " ") + "1 2 3 C4 64 80 0 1 more\n",
            "2:20: KT340 row has 9 columns instead of 8",
            4,
        ),
    ],
)
def test_rows_have_eight_columns(text: str, expected: str, length: int) -> None:
    found = problem(text)
    assert (found.concise(), found.length) == (f"a.txt:{expected}", length)
    assert found.hint == "a row is id, onset, offset, pitch, onset velocity, offset velocity, channel, finger"


WIDER = "rows of {} columns, as PianoPlayer writes them: those behind the finger are not read"


@pytest.mark.parametrize("surplus", ["\t10.97818090199044", "\t-1\t0"])
def test_rows_as_wide_as_those_of_pianoplayer_are_read(surplus: str) -> None:
    rows = ("0\t0.1250\t0.2500\t60\tNone\tNone\t0\t1", "1\t0.1250\t0.2500\t48\tNone\tNone\t1\t-5")
    reading = parsed("".join(f"{row}{surplus}\n" for row in rows))
    ((_, found),) = reading.annotations
    assert (found.onsets.tolist(), found.offsets.tolist()) == ([0.125, 0.125], [0.25, 0.25])
    assert (found.pitches.tolist(), found.hands.tolist()) == ([60, 48], [RIGHT, LEFT])
    assert found.labels == ("1", "-5")
    (note,) = reading.diagnostics
    width = 8 + surplus.count("\t")
    assert (note.concise(), note.severity) == (f"a.txt:1: KT340 {WIDER.format(width)}", "note")


@pytest.mark.parametrize("limits", [Limits(rows=2), Limits(line=30)])
def test_budgets_are_kept(limits: Limits) -> None:
    assert [d.code for d in problems(HEAD + ROWS, limits=limits)] == ["KT106"]


def test_a_file_that_cannot_be_read_has_no_annotation(tmp_path: Path) -> None:
    reading = read_fingering(tmp_path / "none.txt", name="none")
    assert [d.code for d in reading.diagnostics] == ["KT101"]
    assert (reading.annotations, reading.diagnostics[0].file) == ((), "none")


# --- length --------------------------------------------------------------------------------


# --- names ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stem", "expected"),
    [
        ("001-1_fingering", ("001", "1")),  # A22
        ("011-3_fingering", ("011", "3")),
        ("001_fingering", ("001", None)),
        ("020_est_fingering", ("020", None)),
        ("test/001-1_fingering", ("test/001", "1")),
        ("a-1_fingering/b", ("a-1_fingering/b", None)),
        ("op10-4-12_fingering", ("op10-4", "12")),
        ("fur-elise_fingering", ("fur-elise", None)),
        *(
            ("001-1", ("001-1", None)),
            ("_fingering", ("_fingering", None)),
            ("x/_fingering", ("x/_fingering", None)),
        ),
        *(("etude", ("etude", None)), ("", ("", None)), ("-1_fingering", ("-1", None))),
    ],
)
def test_names_tell_item_and_annotator(stem: str, expected: tuple[str, str | None]) -> None:
    assert identify(stem) == expected


# --- writing -------------------------------------------------------------------------------


def test_a_fingering_is_written_as_published_files_are() -> None:
    assert render_pig(only(HEAD + ROWS)) == HEAD + (
        "0\t0.0\t0.125\tA2\t64\t80\t1\t-5\n"
        "1\t0.0\t0.125\tC#4\t64\t80\t0\t1\n"
        "2\t0.125\t0.25\tA3\t64\t80\t1\t-2_-1\n"
    )


@given(fingerings())
def test_what_is_written_is_read_back_exactly(fingering: Fingering) -> None:
    reading = parsed(render_pig(fingering))
    assert {d.severity for d in reading.diagnostics} <= {"warning"}
    assert same(reading.annotations[0][1], fingering)


@pytest.mark.parametrize(("field", "kind"), [("pitches", "pitch"), ("hands", "hand")])
def test_notes_without_pitch_or_hand_cannot_be_written(field: str, kind: str) -> None:
    fingering = only(HEAD + ROWS)
    values = getattr(fingering, field).copy()
    values[1] = UNKNOWN
    with pytest.raises(
        DataError, match=f"KT151 note index 1 cannot be written as PIG: its {kind} is not known"
    ):
        render_pig(replace(fingering, **{field: values}))


# --- notes that several files have ---------------------------------------------------------


@pytest.mark.parametrize(("finger", "code"), [("6", "KT330"), ("5", "KT343"), ("?", "KT331"), ("", None)])
def test_fingers_on_notes_in_use_are_judged_like_others(finger: str, code: str | None) -> None:
    first = parsed_once(HEAD + ROWS).annotations[0][1]
    found = problems(HEAD + ROWS.replace("-5", finger))
    assert len(first) == 3
    assert [d.code for d in found] == ([] if code is None else [code])


def test_notes_are_shared_only_if_all_of_them_are_the_same() -> None:
    first = parsed_once(HEAD + ROWS).annotations[0][1]
    other = parsed_once(HEAD + ROWS.replace("C#4", "D4")).annotations[0][1]
    assert first.pitches.tolist() == [45, 61, 57]
    assert other.pitches.tolist() == [45, 62, 57]


# --- by chance -----------------------------------------------------------------------------


@given(fingerings(), st.data())
def test_notes_in_use_and_new_ones_are_read_alike(fingering: Fingering, data: st.DataObject) -> None:
    text = render_pig(fingering)
    lines = text.splitlines()
    number = data.draw(st.integers(0, len(lines) - 1))
    cells = lines[number].split("\t")
    cell = data.draw(st.integers(0, len(cells) - 1))
    cells[cell] = data.draw(
        st.sampled_from(["", "6", "0", "x", "nan", "1e5", "-1", "C##9", "2.5.1", "12345678901234567"])
    )
    lines[number] = "\t".join(cells)
    in_use = parsed_once(text)
    parsed("\n".join(lines))
    assert in_use.annotations


@given(st.one_of(st.text(), st.text('0123456789.-_\t \nCb#/x,;"', max_size=200)))
def test_any_text_is_read_or_said_to_be_wrong(text: str) -> None:
    reading = parsed(text)
    assert bool(reading.annotations) != any(d.severity == "error" for d in reading.diagnostics)


# --- real files ----------------------------------------------------------------------------

SHARED = os.environ.get("KAMMERTON_SHARED")


@pytest.mark.skipif(SHARED is None, reason="KAMMERTON_SHARED is not set")
@pytest.mark.parametrize("folder", ["beringer_pig", "beringer_est_CHMM", "beringer_est_FHMM1"])
def test_real_files_are_clean_and_read_as_they_stand(folder: str) -> None:
    paths = sorted((Path(SHARED or "") / "data" / "fingering" / folder).glob("*.txt"))
    assert paths
    for path in paths:
        reading = read_fingering(path)
        assert reading.diagnostics == ()
        fingering = reading.annotations[0][1]
        rows = [line.split("\t") for line in path.read_text().splitlines()[1:]]
        assert fingering.onsets.tolist() == [float(cells[1]) for cells in rows]
        assert fingering.labels == tuple("" if cells[7] == "0" else cells[7] for cells in rows)
        assert same(parsed(render_pig(fingering)).annotations[0][1], fingering)
