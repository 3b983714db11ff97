# SPDX-License-Identifier: MIT
import json
import os
from pathlib import Path
from typing import Any

import mir_eval
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kammerton.chords.labels import Chord, absent_omissions, parse
from kammerton.chords.respelling import DEGREES, PITCH_CLASSES, QUALITIES, SHORTHAND_DEGREES, Degree
from kammerton.errors import Diagnostic, LabelError, OptionError
from strategies import harte_labels

ROOT_HINT = "a root is `A` to `G`, then only `b` or only `#`; no chord is `N`, an unknown one `X`"
DEGREE_HINT = "a degree is 1 to 13, with at most 4 `b` or `#` before it"
KNOWN = (
    "known qualities: maj min dim aug 1 5 sus2 sus4 maj6 min6 7 maj7 min7 dim7 hdim7 minmaj7 aug7"
    " 9 maj9 min9 11 maj11 min11 13 maj13 min13"
)


def fault(label: str) -> Diagnostic:
    with pytest.raises(LabelError) as caught:
        parse(label)
    return caught.value.diagnostic


# --- degrees -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spelling", "semitones"),
    [
        *(("1", 0), ("2", 2), ("3", 4), ("4", 5), ("5", 7), ("6", 9), ("7", 11), ("8", 12)),
        *(("9", 14), ("10", 16), ("11", 17), ("12", 19), ("13", 21)),
        *(("b1", -1), ("bb7", 9), ("#11", 18), ("bbbb1", -4), ("####13", 25), ("*b3", 3)),
    ],
)
def test_a_degree_knows_its_semitones_and_its_spelling(spelling: str, semitones: int) -> None:
    assert DEGREES[spelling].semitones == semitones
    assert str(DEGREES[spelling]) == spelling


def test_there_are_13_numbers_by_9_accidentals_each_omitted_or_not() -> None:
    assert len(DEGREES) == 13 * 9 * 2


@pytest.mark.parametrize(("number", "accidental"), [(0, 0), (14, 0), (-3, 0), (3, 5), (3, -5)])
def test_a_degree_out_of_range_cannot_be_made(number: int, accidental: int) -> None:
    with pytest.raises(OptionError):
        Degree(number, accidental)


# --- chords --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "chord"),
    [
        ("N", Chord("N")),
        ("X", Chord("X")),
        ("C", Chord("chord", "C", "maj")),
        ("F##", Chord("chord", "F##", "maj")),
        ("Bbbbb:min", Chord("chord", "Bbbbb", "min")),
        ("C:1", Chord("chord", "C", "1")),
        ("C/b7", Chord("chord", "C", "maj", (), Degree(7, -1))),
        ("C/1", Chord("chord", "C", "maj", (), Degree(1))),
        ("A:min7/b3", Chord("chord", "A", "min7", (), Degree(3, -1))),
        ("C:(3,5)", Chord("chord", "C", None, (Degree(3), Degree(5)))),
        (
            "C:7(b9,*5,9)/13",
            Chord("chord", "C", "7", (Degree(9, -1), Degree(5, 0, True), Degree(9)), Degree(13)),
        ),
        ("C:(*1)", Chord("chord", "C", None, (Degree(1, omitted=True),))),
        ("C:maj(3,3)", Chord("chord", "C", "maj", (Degree(3), Degree(3)))),
    ],
)
def test_labels_come_apart(label: str, chord: Chord) -> None:
    assert parse(label) == chord


@pytest.mark.parametrize(
    ("label", "written"),
    [
        ("C", "C:maj"),
        ("C/5", "C:maj/5"),
        ("C:(3)", "C:(3)"),
        ("Eb:7(b9,*5)/b7", "Eb:7(b9,*5)/b7"),
        ("X", "X"),
    ],
)
def test_a_chord_is_written_with_its_quality(label: str, written: str) -> None:
    assert str(parse(label)) == written


@pytest.mark.parametrize(
    ("label", "pitch_class"),
    [("C", 0), ("B#", 0), ("Cb", 11), ("F##:min", 7), ("Abbbb", 5), ("B####", 3), ("N", None), ("X", None)],
)
def test_the_root_has_a_pitch_class(label: str, pitch_class: int | None) -> None:
    assert parse(label).root_pitch_class == pitch_class


def test_there_are_7_letters_by_9_accidentals() -> None:
    assert len(PITCH_CLASSES) == 7 * 9


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "chord"},
        {"kind": "chord", "root": "H", "quality": "maj"},
        {"kind": "chord", "root": "C", "quality": "major"},
        {"kind": "chord", "root": "C"},
        {"kind": "chord", "root": "C", "quality": "maj", "bass": Degree(5, omitted=True)},
        {"kind": "N", "root": "C"},
        {"kind": "X", "bass": Degree(5)},
        {"kind": "N", "quality": "maj"},
        {"kind": "N", "degrees": (Degree(5),)},
    ],
)
def test_fields_that_make_no_label_make_no_chord(fields: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="make no chord label"):
        Chord(**fields)


@pytest.mark.parametrize(
    ("quality", "tones"),
    [
        ("maj", "1 3 5"),
        ("dim7", "1 b3 b5 bb7"),
        ("1", "1"),
        ("5", "1 5"),
        ("aug7", "1 3 #5 b7"),
        ("min13", "1 b3 5 b7 9 11 13"),
    ],
)
def test_shorthands_have_their_spelled_tones(quality: str, tones: str) -> None:
    assert " ".join(map(str, SHORTHAND_DEGREES[quality])) == tones


def test_the_triads_and_sevenths_sound_as_mir_eval_has_them() -> None:
    shared = [q for q in QUALITIES if q in mir_eval.chord.QUALITIES and not q.endswith(("9", "11", "13"))]
    assert len(shared) == 16
    for quality in shared:
        bitmap = [0] * 12
        for tone in SHORTHAND_DEGREES[quality]:
            bitmap[tone.semitones % 12] = 1
        assert bitmap == list(mir_eval.chord.QUALITIES[quality]), quality


@pytest.mark.parametrize(
    ("label", "absent"),
    [
        ("C:maj(*3)", []),
        ("C:maj(*b3,*5)", ["*b3"]),
        ("C:min(*3)", ["*3"]),
        ("C:maj(9,*9)", []),
        ("C:(*1)", ["*1"]),
        ("C:9(*9,*2)", ["*2"]),
        ("C", []),
        ("N", []),
    ],
)
def test_omissions_of_what_is_absent_are_listed(label: str, absent: list[str]) -> None:
    assert [str(degree) for degree in absent_omissions(parse(label))] == absent


# --- messages ------------------------------------------------------------------------------

MESSAGES = [
    ("", 1, 1, "KT317 label is empty", "no chord is written `N`"),
    ("C" * 5000, 4097, 904, "KT317 label has 5,000 characters; at most 4,096 are read", None),
    ("H:maj", 1, 1, "KT310 `H` is not a chord root", "German `H` is `B`: `B:maj`"),
    ("c:maj", 1, 1, "KT310 `c` is not a chord root", "roots are upper case: `C:maj`"),
    ("am7/c", 1, 1, "KT310 `a` is not a chord root", "roots are upper case: `A:min7/b3`"),
    ("NC", 1, 2, "KT310 `NC` is not a chord root", "no chord is written `N`"),
    ("x", 1, 1, "KT310 `x` is not a chord root", "an unknown chord is written `X`"),
    ("&pause", 1, 6, "KT310 `&pause` is not a chord root", ROOT_HINT),
    ("?", 1, 1, "KT310 `?` is not a chord root", ROOT_HINT),
    (":maj", 1, 1, "KT310 no root before `:maj`", ROOT_HINT),
    ("C#b:maj", 2, 2, "KT310 root `C#b` mixes sharps and flats", ROOT_HINT),
    ("C#####", 2, 5, "KT310 more than 4 accidentals on root `C#####`", ROOT_HINT),
    (
        "Cm",
        2,
        1,
        "KT311 missing colon before the quality `m`",
        "Harte syntax puts a colon before the quality: `C:min`; --lenient respells it",
    ),
    (
        "Emin/4",
        *(2, 3, "KT311 missing colon before the quality `min`"),
        "Harte syntax puts a colon before the quality: `E:min/4`; --lenient respells it",
    ),
    ("Cmja7", 2, 4, "KT311 missing colon before the quality `mja7`", "did you mean `C:maj7`?"),
    ("C7alt", 2, 4, "KT311 missing colon before the quality `7alt`", KNOWN),
    (
        "C(9)",
        *(2, 1, "KT311 missing colon before the degree list"),
        "`C:(9)` has these tones only, `C:maj(9)` adds them to the triad",
    ),
    ("B:mja7/3", 3, 4, "KT312 unknown chord quality `mja7`", "did you mean `maj7`?"),
    ("C:hdim/b5", 3, 4, "KT312 unknown chord quality `hdim`", "write `C:hdim7/b5`"),
    ("C:mjor", 3, 4, "KT312 unknown chord quality `mjor`", "did you mean `maj`?"),
    ("C:dimnished", 3, 9, "KT312 unknown chord quality `dimnished`", "did you mean `dim`?"),
    ("C:MAJ", 3, 3, "KT312 unknown chord quality `MAJ`", "write `C:maj`"),
    ("C:4", 3, 1, "KT312 unknown chord quality `4`", KNOWN),
    ("C:", 2, 1, "KT312 no chord quality after the colon", KNOWN),
    ("C:/3", 2, 1, "KT312 no chord quality after the colon", KNOWN),
    ("G:9(113)", 5, 3, "KT313 scale degree `113` is outside 1 to 13", "write `G:9(11,13)`"),
    ("C:maj(9,0)", 9, 1, "KT313 scale degree `0` is outside 1 to 13", DEGREE_HINT),
    ("C:maj(,9)", 7, 1, "KT313 no scale degree beside the comma", DEGREE_HINT),
    ("C:maj(9,)", 8, 1, "KT313 no scale degree beside the comma", DEGREE_HINT),
    ("C:maj(*)", 7, 1, "KT313 scale degree `*` has no number", DEGREE_HINT),
    ("C:maj(#b3)", 7, 3, "KT313 scale degree `#b3` mixes sharps and flats", DEGREE_HINT),
    ("C:(5,bbbbb3)", 6, 6, "KT313 more than 4 accidentals on scale degree `bbbbb3`", DEGREE_HINT),
    ("C:maj(03)", 7, 2, "KT313 `03` is not a scale degree", DEGREE_HINT),
    ("C:maj(3(5)", 7, 3, "KT313 `3(5` is not a scale degree", DEGREE_HINT),
    ("C/E", 3, 1, "KT314 `E` is not a bass degree", "the bass is a degree of the scale on the root: `C/3`"),
    ("C/", 2, 1, "KT314 no bass degree after the slash", DEGREE_HINT),
    ("C/0", 3, 1, "KT314 bass degree `0` is outside 1 to 13", DEGREE_HINT),
    ("C/14", 3, 2, "KT314 bass degree `14` is outside 1 to 13", DEGREE_HINT),
    ("C/b99", 3, 3, "KT314 bass degree `b99` is outside 1 to 13", DEGREE_HINT),
    ("C/*5", 3, 2, "KT314 a bass degree takes no `*`: `*5`", None),
    ("C:maj(", 6, 1, "KT315 parenthesis is never closed", "end the degree list with `)`"),
    ("C:maj()", 6, 2, "KT315 degree list is empty", "leave out `()`"),
    ("C)", 2, 1, "KT315 left over after `C`: `)`", None),
    ("C/3/5", 4, 2, "KT315 left over after `C/3`: `/5`", None),
    ("C:maj(9)x", 9, 1, "KT315 left over after `C:maj(9)`: `x`", None),
    ("N:maj", 2, 4, "KT315 `N` takes no quality, degrees or bass", None),
    (
        "\u0421:maj",
        *(1, 1, "KT316 `\u0421` is U+0421 CYRILLIC CAPITAL LETTER ES; labels are printable ASCII"),
        "write `C:maj`",
    ),
    ("C\u200b", 2, 1, r"KT316 `\u200b` is U+200B ZERO WIDTH SPACE; labels are printable ASCII", "write `C`"),
    (
        "\u202eC",
        1,
        1,
        r"KT316 `\u202e` is U+202E RIGHT-TO-LEFT OVERRIDE; labels are printable ASCII",
        "delete it",
    ),
    ("\x1b[31mC", 1, 1, r"KT316 `\x1b` is U+001B CONTROL CHARACTER; labels are printable ASCII", "delete it"),
    ("C\ue000", 2, 1, r"KT316 `\ue000` is U+E000 UNNAMED CHARACTER; labels are printable ASCII", "delete it"),
    ("C\ud800", 2, 1, r"KT316 `\ud800` is U+D800 LONE SURROGATE; labels are printable ASCII", "delete it"),
    (
        "C♭♭foo",
        2,
        1,
        "KT316 `♭` is U+266D MUSIC FLAT SIGN; labels are printable ASCII",
        "write `b` in its place",
    ),
    ("Cé", 2, 1, "KT316 `é` is U+00E9 LATIN SMALL LETTER E WITH ACUTE; labels are printable ASCII", None),
    ("C:maj(3, 5)", 9, 1, "KT320 white space ` ` in the label", "write `C:maj(3,5)`"),
    ("C:maj\r\n", 6, 2, r"KT320 white space `\x0d\x0a` around the label", "write `C:maj`"),
    ("no chord", 3, 1, "KT320 white space ` ` in the label", "no chord is written `N`"),
    ("C:maj extra", 6, 1, "KT320 white space ` ` in the label", None),
]


@pytest.mark.parametrize(
    ("label", "column", "length", "message", "hint"), MESSAGES, ids=[ascii(row[0][:12]) for row in MESSAGES]
)
def test_messages(label: str, column: int, length: int, message: str, hint: str | None) -> None:
    diagnostic = fault(label)
    assert f"{diagnostic.code} {diagnostic.message}" == message
    assert (diagnostic.column, diagnostic.length, diagnostic.hint) == (column, length, hint)
    assert diagnostic.severity == "error"


def test_lenient_respells_and_else_raises_the_strict_error() -> None:
    assert parse("Cm7b5", lenient=True) == parse("C:hdim7")
    assert parse("C:min", lenient=True) == parse("C:min")
    with pytest.raises(LabelError, match="KT311"):
        parse("C7alt", lenient=True)


@pytest.mark.parametrize("unit", ["#", "(", "9,", " ", "\u0421"])
def test_a_label_of_a_megabyte_is_refused_by_its_length(unit: str) -> None:
    diagnostic = fault("C:(" + unit * 10**6)
    assert diagnostic.code == "KT317"
    assert len(diagnostic.message) < 100


# --- laws ----------------------------------------------------------------------------------


@given(harte_labels())
def test_what_is_written_parses_to_the_same_chord(label: str) -> None:
    chord = parse(label)
    assert parse(str(chord)) == chord
    assert chord.kind != "chord" or label.startswith(chord.root)


def accepted(label: str) -> bool:
    try:
        parse(label)
    except LabelError as error:
        diagnostic = error.diagnostic
        assert diagnostic.column is not None
        assert 1 <= diagnostic.column <= max(len(label), 1)
        assert 1 <= diagnostic.length <= max(len(label), 1) - diagnostic.column + 1
        assert "\n" not in diagnostic.message
        return False
    return True


def accepted_by_mir_eval(label: str) -> bool:
    # Its `$` passes a final newline, and it sets no limit to accidentals.
    if label.endswith("\n") or "bbbbb" in label or "#####" in label:
        return False
    try:
        mir_eval.chord.validate_chord_label(label)
    except mir_eval.chord.InvalidChordException:
        return False
    return True


@given(st.text("ABCDEFGNX#b:()/,*1234567890majindugs ", max_size=12))
def test_random_text_is_accepted_iff_mir_eval_accepts_it(label: str) -> None:
    assert accepted(label) == accepted_by_mir_eval(label)


@given(
    harte_labels(), st.integers(0, 20), st.integers(0, 2), st.text("ABCGNX#b:()/,*1340majinsu \n", max_size=2)
)
@example("C:maj", 5, 0, "\n")
@example("C", 1, 0, "#####")
def test_a_label_with_a_slip_is_accepted_iff_mir_eval_accepts_it(
    label: str, at: int, cut: int, put: str
) -> None:
    slipped = label[:at] + put + label[at + cut :]
    assert accepted(slipped) == accepted_by_mir_eval(slipped)


@given(st.text(max_size=8))
def test_any_text_parses_or_has_a_place_within_the_label(label: str) -> None:
    accepted(label)


# --- real labels ---------------------------------------------------------------------------

SHARED = os.environ.get("KAMMERTON_SHARED")


@pytest.mark.skipif(SHARED is None, reason="KAMMERTON_SHARED names no folder with the label counts")
def test_the_labels_of_a_large_corpus() -> None:
    counts = json.loads((Path(str(SHARED)) / "cases/chords_label_counts.json").read_text("utf-8"))
    assert len(counts) == 8064
    assert sum(map(accepted, counts)) == 7792
    refused = [fault(label) for label in counts if not accepted(label)]
    assert len(refused) == 272
    assert {diagnostic.code for diagnostic in refused} == {"KT312", "KT313"}


def test_labels_are_text() -> None:
    with pytest.raises(OptionError, match="label must be a str, not int"):
        parse(3)  # type: ignore[arg-type]
