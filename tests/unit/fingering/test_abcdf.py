# SPDX-License-Identifier: MIT
"""Fingerings in abcDF, above music in ABC."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effort import effort
from explained import codes, example
from kammerton.fingering.annotation import Fingering
from kammerton.fingering.formats import read_fingering
from kammerton.fingering.formats.abc_music import parse_meter, parse_signature, parse_staves, parse_unit
from kammerton.fingering.formats.abcdf import (
    FingerError,
    parse_abcdf,
    parse_fingers,
)
from kammerton.fingering.formats.notes import FingeringOptions
from kammerton.formats import Limits
from kammerton.formats.reading import Problems
from kammerton.model.task import Reading
from unit.fingering.scores import rows
from unit.formats.telling import tell


def parsed(text: str, **limits: int) -> Reading[Fingering]:
    return parse_abcdf(text, Problems("a.abcd"), FingeringOptions(limits=Limits(**limits)))


def told(reading: Reading[Fingering]) -> str:
    return "\n".join(map(tell, reading.diagnostics))


def only(text: str) -> list[tuple[float, float, int, str, str]]:
    """The notes of a file that there is nothing to say about, but that it may have no fingering."""
    reading = parsed(text)
    assert [d for d in reading.diagnostics if d.code != "KT360"] == []
    ((_, found),) = reading.annotations
    return rows(found)


def tune(music: str, *fields: str, key: str = "C", unit: str = "1/4") -> str:
    header = "".join(f"{field}\n" for field in fields)
    return f"X:1\n{header}L:{unit}\nK:{key}\n{music}"


def pitches(music: str, *fields: str, key: str = "C") -> list[int]:
    return [row[2] for row in only(tune(music, *fields, key=key))]


def times(music: str, *fields: str, unit: str = "1/4") -> list[tuple[float, float]]:
    return [row[:2] for row in only(tune(music, *fields, unit=unit))]


def labels(fingers: str, music: str, *fields: str) -> list[list[str]]:
    reading = parsed(f"% abcD fingering 1: {fingers}\n" + tune(music, *fields))
    assert told(reading) == ""
    return [list(found.labels) for _, found in reading.annotations]


TWO_STAVES = """\
% abcDidactyl v5
% abcD fingering 1: 12&3@5&>4x
% Authority:  A. Pianist (1900)
% Transcriber: B. Scribe
% These are complete.
% abcD fingering 2: x@x
% abcDidactyl END
X:1
T:title with 100 % of it
%%score { ( 1 ) | ( 2 ) }
M:4/4
K:G
V:1 treble
V:2 bass octave=-1
V:1
L:1/4
C F | % a comment
G2 |]
V:2
L:1/2
C | [K: clef=treble octave=-1]C
c |]
"""


def test_a_file_of_two_staves() -> None:
    reading = parsed(TWO_STAVES)
    assert told(reading) == ""
    assert [name for name, _ in reading.annotations] == ["1", "2"]
    assert rows(reading.annotations[0][1]) == [
        (0, 1, 60, "R", "1"),
        (0, 2, 48, "L", "-5"),
        (1, 2, 66, "R", "2"),
        (2, 4, 67, "R", "3"),
        (2, 4, 48, "R", "4"),
        (4, 6, 60, "R", ""),
    ]
    assert rows(reading.annotations[1][1])[-2:] == [(2, 4, 48, "L", ""), (4, 6, 60, "L", "")]


# --- fingers ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fingers", "expected"),
    [
        ("12345", ["1", "2", "3", "4", "5"]),
        ("1x,x;x.5", ["1", "", "", "", "5"]),
        ("1<23>45", ["1", "-2", "-3", "4", "5"]),
        ("1-23-1-45>1-<2", None),
        ("1-2 3-1\t4 5 >1-<2", ["1_2", "3_1", "4", "5", "1_-2"]),
        ("1-<2345>1", ["1_-2", "-3", "-4", "-5", "1"]),
        ("p1_f2^pfx_x4^_5", ["1", "2", "", "", "4", "5"]),
    ],
)
def test_fingers(fingers: str, expected: list[str] | None) -> None:
    if expected is None:
        with pytest.raises(FingerError):
            parse_fingers(fingers)
    else:
        upper, lower = parse_fingers(fingers)
        assert [token.label for token in upper.tokens] == expected
        assert lower.is_blank


@pytest.mark.parametrize(
    ("fingers", "expected"),
    [
        ("1263", "error 1:23+1 KT361 not part of a fingering in abcDF: `6`"),
        ("12 a", "error 1:24+1 KT361 not part of a fingering in abcDF: `a`"),
        ("1@2@3", "error 1:24+1 KT361 third staff\n  help: there is an upper and a lower staff"),
        ("1(23", "error 1:22+1 KT361 ornament that is not closed"),
        ("1()", "error 1:22+2 KT361 ornament without a finger"),
        ("1/", "error 1:23+1 KT361 a finger is missing at the end"),
        ("1/@2", "error 1:23+1 KT361 a finger is missing at the end"),
        ("(1/2)", "error 1:23+1 KT361 not part of a fingering in abcDF: `/`"),
    ],
)
def test_fingers_that_are_none(fingers: str, expected: str) -> None:
    reading = parsed(f"% abcD fingering 1: {fingers}\n" + tune("CDEF"))
    assert reading.annotations == ()
    hint = "\n  help: fingers are 1 to 5, `x` is a note without finger"
    assert told(reading) == expected + (hint if "not part" in expected else "")


def test_alternatives_are_an_annotator() -> None:
    reading = parsed("% abcD fingering 7: 12/34-5/<1-25\n" + tune("CDEF"))
    assert [(name, list(found.labels)) for name, found in reading.annotations] == [
        ("7", ["1", "2", "4_5", "5"]),
        ("7-alternate", ["1", "3", "-1_-2", "5"]),
    ]
    assert [found.hands.tolist() for _, found in reading.annotations] == [[0, 0, 0, 0], [0, 0, 1, 0]]


def test_of_an_ornament_the_first_finger_strikes() -> None:
    reading = parsed("% abcD fingering 1: 1(3-12)/(43)5\n" + tune("CDE"))
    assert told(reading) == "note 1:22+11 KT366 fingers of an ornament: the first one strikes the note"
    assert [list(found.labels) for _, found in reading.annotations] == [["1", "3_1", "5"], ["1", "4", "5"]]


def test_chords_are_fingered_from_the_bottom() -> None:
    assert labels("135", "[GCE]") == [["1", "3", "5"]]
    reading = parsed("% abcD fingering 1: 135\n" + tune("[GCE]"))
    assert reading.annotations[0][1].pitches.tolist() == [60, 64, 67]


def test_grace_notes_come_first_and_voices_in_the_order_of_the_score() -> None:
    music = tune("V:1\nc d\nV:2\n{E}G {FB}A", "%%score ( 2 1 )", "V:1", "V:2")
    reading = parsed("% abcD fingering 1: 1234512\n" + music)
    assert told(reading) == ""
    assert rows(reading.annotations[0][1]) == [
        (0, 0, 64, "R", "1"),
        (0, 1, 67, "R", "2"),
        (0, 1, 72, "R", "3"),
        (1, 1, 65, "R", "4"),
        (1, 1, 71, "R", "5"),
        (1, 2, 69, "R", "1"),
        (1, 2, 74, "R", "2"),
    ]


def test_continuations_of_ties_may_count_or_not() -> None:
    assert labels("12", "C-C D") == [["1", "2"]]
    assert labels("112", "C-C D") == [["1", "2"]]
    assert labels("132", "C-C D") == [["1_3", "2"]]
    assert labels("1-332", "C-C D") == [["1_3", "2"]]
    assert labels("13-42", "C-C D") == [["1_3_4", "2"]]
    assert labels("x32", "C-C D") == [["3", "2"]]
    assert labels("3x2", "C-C D") == [["3", "2"]]


def test_a_single_staff_may_be_for_the_left_hand() -> None:
    assert labels("@12", "C D") == [["-1", "-2"]]
    assert labels("x@12", "C D") == [["-1", "-2"]]


@pytest.mark.parametrize(
    ("fingers", "expected"),
    [
        ("123&123", "1:21+7 KT362 6 fingers for the 5 notes of the upper staff"),
        ("12&3&4", "1:24+1 KT362 1 fingers for the 2 notes of line 2 of the upper staff"),
        ("12&34&@12", "1:27+1 KT362 0 fingers for the 1 notes of line 3 of the upper staff"),
        ("12345@12", "1:27+2 KT362 2 fingers for the 0 notes of the lower staff"),
    ],
)
def test_there_is_a_finger_for_each_note(fingers: str, expected: str) -> None:
    reading = parsed(f"% abcD fingering 1: {fingers}\n" + tune("C D\nE F\nG"))
    assert reading.annotations == ()
    assert expected in [tell(d).removeprefix("error ") for d in reading.diagnostics]


def test_lines_that_break_elsewhere_are_no_problem() -> None:
    assert labels("1&2345", "C D\nE F\nG") == [["1", "2", "3", "4", "5"]]
    assert labels("1&2345&", "C D\nE F\nG") == [["1", "2", "3", "4", "5"]]
    assert labels("12&34", "C \\\nD\nE F") == [["1", "2", "3", "4"]]


def test_a_number_stands_once() -> None:
    reading = parsed("% abcD fingering 1: 1\n% abcD fingering 1: 2\n" + tune("C"))
    assert told(reading) == "error 2:21+1 KT361 fingering 1 stands twice"


# --- pitches ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "letters"),
    [
        ("C", ""),
        ("G", "F#"),
        ("F#maj", "F# C# G# D# A# E#"),
        ("Cb", "Cb Db Eb Fb Gb Ab Bb"),
        ("G#", "F## C# G# D# A# E# B#"),
        ("Am", ""),
        ("Bbmin", "Bb Eb Ab Db Gb"),
        ("D dorian", ""),
        ("E Phrygian", ""),
        ("G mix", ""),
        ("F LYDIAN", ""),
        ("B locrian", ""),
        ("D dor ^c", "C#"),
        ("A exp ^g _b =c", "G# Bb"),
        ("D major exp", "F# C#"),
        ("C clef=bass", ""),
        ("G bass", "F#"),
        ("none", ""),
        ("", ""),
        ("HP", ""),
        ("Hp", "F# C#"),
    ],
)
def test_keys(key: str, letters: str) -> None:
    expected = {"C": 60, "D": 62, "E": 64, "F": 65, "G": 67, "A": 69, "B": 71}
    for each in letters.split():
        expected[each[0]] += each.count("#") - each.count("b")
    assert pitches("CDEFGAB", key=key) == list(expected.values())


def test_accidentals_hold_for_their_octave_until_the_bar() -> None:
    assert pitches("^F F f | F _F =F __F ^^F", key="G") == [66, 66, 78, 66, 64, 65, 63, 67]
    assert pitches("{^F}G F | F") == [66, 67, 66, 65]
    assert pitches("^F-|F F | F") == [66, 65, 65]


@pytest.mark.parametrize(
    ("field", "shift"),
    [
        ("K:C octave=-1", -12),
        ("K:C octave=+2 bass", 24),
        ("K:C treble-8", -12),
        ("K:C clef=treble+8", 12),
        ("K:C clef=bass", 0),
        ("K:C transpose=-2", -2),
        ("K:C t=3", 3),
    ],
)
def test_octaves_of_clefs_and_transpositions(field: str, shift: int) -> None:
    assert pitches("C", key=field[2:]) == [60 + shift]
    assert pitches(f"[{field}]C") == [60 + shift]
    assert pitches(f"{field}\nC") == [60 + shift]
    assert pitches("V:1\nC", f"V:1 {field[4:]}") == [60 + shift]


def test_a_change_of_clef_keeps_what_it_does_not_say() -> None:
    assert pitches("[K: clef=treble octave=-1]F [K: clef=bass]F [K:C]F [K:G octave=0]F", key="G") == [
        54, 54, 53, 66,
    ]  # fmt: skip
    assert pitches("[K:treble-8]C [K:bass]C") == [48, 60]
    assert pitches("V:1\nF\nV:1 octave=-1\nF", 'V:1 nm="Piano"', key="G") == [66, 54]


@pytest.mark.parametrize("music", ["C,,,,,,", "c''''''", "[Cc'''''']"])
def test_pitches_beyond_all_keys(music: str) -> None:
    reading = parsed(tune(music))
    assert tell(reading.diagnostics[0]) == (
        f"error 4:1+{len(music)} KT363 pitch beyond the range of MIDI: `{music}`"
    )


# --- times -----------------------------------------------------------------------------------


def test_lengths() -> None:
    assert times("C C2 C/ C// C/4 C3/2 C0") == [
        (0, 1), (1, 3), (3, 3.5), (3.5, 3.75), (3.75, 4), (4, 5.5), (5.5, 5.5),
    ]  # fmt: skip
    assert times("C", unit="1/8") == [(0, 0.5)]
    assert times("C L:1/8\n".replace(" ", "\n") + "C") == [(0, 1), (1, 1.5)]
    assert times("C[L:1/8]C") == [(0, 1), (1, 1.5)]


@pytest.mark.parametrize(
    ("meter", "unit"),
    [("M:C", 0.5), ("M:4/4", 0.5), ("M:3/4", 0.5), ("M:2/4", 0.25), ("M:6/8", 0.5), ("M:", 0.5)],
)
def test_the_unit_depends_on_the_meter(meter: str, unit: float) -> None:
    assert only(f"X:1\n{meter}\nK:C\nC")[0][1] == unit


def test_rests_pass() -> None:
    assert times("z C x2 C z/ C", "M:4/4") == [(1, 2), (4, 5), (5.5, 6.5)]
    assert times("Z C X2 C", "M:3/4") == [(3, 4), (10, 11)]


def test_chords_have_the_length_of_their_first_note() -> None:
    assert times("[CE]2 C") == [(0, 2), (0, 2), (2, 3)]
    assert times("[C2E4]3/2 C") == [(0, 3), (0, 3), (3, 4)]


def test_rhythms_may_be_broken() -> None:
    assert times("C>C C<C C>>C C<<<C") == [
        (0, 1.5), (1.5, 2), (2, 2.5), (2.5, 4), (4, 5.75), (5.75, 6), (6, 6.125), (6.125, 8),
    ]  # fmt: skip
    assert times("z>C C") == [(1.5, 2), (2, 3)]
    assert times("C-C>C") == [(0, 2.5), (2.5, 3)]


def test_tuplets() -> None:
    third = pytest.approx(1 / 3)
    assert [end - begin for begin, end in times("(3CCC C", unit="1/8")] == [third, third, third, 0.5]
    assert times("(2CC C", unit="1/8") == [(0, 0.75), (0.75, 1.5), (1.5, 2)]
    assert times("(5CCCCC C", "M:6/8", unit="1/8")[-1] == (1.5, 2)
    assert times("(5CCCCC C", "M:2/4", unit="1/8")[-1] == (1, 1.5)
    assert times("(3:2:2 C2C C", unit="1/8")[-1] == (1, 1.5)
    assert times("(3::4 CCCC C", unit="1/8")[-1] == pytest.approx((4 / 3, 11 / 6))


def test_ties() -> None:
    assert times("C-C C") == [(0, 2), (2, 3)]
    assert times("C- | C - C") == [(0, 3)]
    assert times("C-D C") == [(0, 1), (1, 2), (2, 3)]
    assert times("C-zC") == [(0, 1), (2, 3)]
    assert times("C-{D}C") == [(0, 2), (1, 1)]
    assert times("C-^C") == [(0, 1), (1, 2)]
    assert times("[CE]-[CE]") == [(0, 2), (0, 2)]
    assert times("[C-E][CE]") == [(0, 2), (0, 1), (1, 2)]


def test_bars_repeats_and_marks_are_passed_over() -> None:
    assert times('|:"Am"C!f!D::.E ~F:|[1 (G2)|]: [2 +trill+T A |] y $ ` B||', "M:4/4")[-1] == (7, 8)
    assert pitches("C|1D:|2E|]F[|G|::|A") == [60, 62, 64, 65, 67, 69]


def test_voices_may_go_back_to_the_start_of_the_bar() -> None:
    assert times("C D & E3 | F & | G") == [(0, 1), (0, 3), (1, 2), (3, 4), (4, 5)]


def test_lines_that_are_no_music() -> None:
    text = "free text\n" + tune('CD\nw: la la\n%%text C\n%comment C\nP:A\nr:rem\n\nE "100 %" F % G')
    assert [row[2] for row in only(text)] == [60, 62, 64, 65]
    assert pitches("C: |\nE:|D") == [64, 62]


def test_music_before_any_voice_belongs_to_the_first() -> None:
    assert [row[3] for row in only(tune("C\nV:2\nD\nV:1\nE", "V:1", "V:2"))] == ["R", "L", "R"]


# --- problems --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X:1\nL:0/4\nK:C\nC", "2:3+3 KT363 not a length of a unit: `0/4`"),
        ("X:1\nL:x\nK:C\nC", "2:3+1 KT363 not a length of a unit: `x`"),
        ("X:1\nM:4/0\nK:C\nC", "2:3+3 KT363 not a meter: `4/0`"),
        ("X:1\nM:x\nK:C\nC", "2:3+1 KT363 not a meter: `x`"),
        ("X:1\nK:Cfoo\nC", "2:3+4 KT363 not a key: `Cfoo`"),
        ("X:1\nK:H\nC", "2:3+1 KT363 not a key: `H`"),
        ("X:1\nK:Cx\nC", "2:3+2 KT363 not a key: `Cx`"),
        ("X:1\nK:C\nC/0", "3:2+2 KT363 not a length: `/0`"),
        ("X:1\nK:C\nC12345", "3:2+5 KT363 not a length: `12345`"),
        ("X:1\nK:C\nC//2", "3:2+3 KT363 not a length: `//2`"),
        ("X:1\nK:C\nC/////////", "3:2+9 KT363 not a length: `/////////`"),
        ("X:1\nK:C\n[CE", "3:1+1 KT363 chord that is not closed"),
        ("X:1\nK:C\n[C|E]", "3:3+1 KT363 not part of a chord: `|`"),
        ("X:1\nK:C\n[-C]", "3:2+1 KT363 not part of a chord: `-`"),
        ("X:1\nK:C\n{CE", "3:3+1 KT363 grace notes that are not closed"),
        ("X:1\nT:x", " KT363 no music: there is no field `K:`"),
    ],
)
def test_music_that_cannot_be_read(text: str, expected: str) -> None:
    reading = parsed(text)
    assert reading.annotations == ()
    assert tell(reading.diagnostics[0]).removeprefix("error").lstrip() == expected.lstrip()


def test_what_is_unknown_is_passed_over() -> None:
    reading = parsed("% abcD fingering 1: 12\n" + tune('C?#D"'))
    assert told(reading) == (
        "warning 5:2+1 KT364 not part of ABC music, passed over: `?`\n"
        "warning 5:3+1 KT364 not part of ABC music, passed over: `#`\n"
        'warning 5:5+1 KT364 not part of ABC music, passed over: `"`'
    )
    many = parsed("% abcD fingering 1: 1\n" + tune("C" + "?" * 30))
    assert many.diagnostics[-1].message == "and 10 more like these"


def test_of_several_tunes_the_first_is_read() -> None:
    reading = parsed("% abcD fingering 1: 1\nX:0\n" + tune("C\nX:2\nK:D\nD"))
    assert told(reading) == "warning 7:1+2 KT364 further tune left out: one file holds one"
    assert len(reading.annotations[0][1]) == 1


def test_voices_that_the_score_does_not_list_are_left_out() -> None:
    reading = parsed("% abcD fingering 1: 1\n" + tune("V:1\nC\nV:2\nD", "%%score 1 3", "V:1", "V:2", "V:4"))
    assert told(reading) == "warning KT364 voice `2` left out: the score does not list it"
    assert labels("12", "C\n%%score 2\nD") == [["1", "2"]]  # too late: the music has begun


def test_a_file_without_notes_is_an_error() -> None:
    assert told(parsed("% abcD fingering 1: x@x\n" + tune("z"))) == "error KT110 no notes"


def test_notes_pass_the_checks_of_all_fingerings() -> None:
    reading = parsed("% abcD fingering 1: 12\n" + tune("[CC]"))
    assert told(reading) == "warning 5:3+1 KT345 same onset and pitch as the note of line 5; both are kept"


def test_budgets_are_kept() -> None:
    text = "% abcD fingering 1: 123\n" + tune("C D E")
    assert told(parsed(text, rows=2)) == "error KT106 5 rows: over the limit of 2"
    many = "% abcD fingering 1: 123\nX:1\nK:C\nCDEFG"
    assert told(parsed(many, rows=4)) == "error 4:5+1 KT106 more than 4 notes"
    assert told(parsed(text, line=10)) == "error 1 KT106 line of 23 characters: over the limit of 10"
    twice = "% abcD fingering 1: 1234\n% abcD fingering 2: 1234\n" + tune("C D E F")
    assert told(parsed(twice, rows=7)) == "error KT106 2 fingerings of 4 notes: over the limit of 7 labels"


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", ["[K:", '"', "!a", "(1", "[C", "C,", "C/", "{", "&", "(9:9:9", "\\", "%", "+", "[V:a] "]
)
def test_time_is_linear(piece: str) -> None:
    text = "% abcD fingering 1: 1\n" + tune(piece * 20_000)
    assert effort(lambda: parsed(text))[0] < 400


@given(st.text("CDEcde^_=,'/23|:[]{}()<>-&z \n\\%\"!?KVLX:1", max_size=60))
def test_any_music_is_read_or_said_to_be_wrong(music: str) -> None:
    reading = parsed("% abcD fingering 1: x@x\n" + tune(music))
    assert bool(reading.annotations) != any(d.severity == "error" for d in reading.diagnostics)


def test_fields_in_parts() -> None:
    assert parse_signature("") is not None
    assert parse_signature(" name=x") is None
    assert parse_unit("1/0") is None
    assert parse_meter("0/4") is None
    assert parse_staves("[(1 2)] {3} | (  ) *4") == [["1", "2"], ["3"], ["4"]]


# --- real files ------------------------------------------------------------------------------

SHARED = os.environ.get("KAMMERTON_SHARED")
PIECES = {
    "arpeggios_dom7_fsharp": "047",
    "broken_chords_a_major": "049",
    "scales_c_major": "062",
    "scales_f_major": "066",
}


@pytest.mark.skipif(SHARED is None, reason="KAMMERTON_SHARED is not set")
@pytest.mark.parametrize(("stem", "piece"), PIECES.items())
def test_real_files_are_what_was_converted_from_them(stem: str, piece: str) -> None:
    folder = Path(SHARED or "") / "data" / "fingering"
    reading = read_fingering(folder / "pydactyl_abcd_raw" / f"{stem}.abcd")
    assert told(reading) == ""
    assert len(reading.annotations) == len(list((folder / "beringer_pig").glob(f"{piece}-*")))
    for annotator, found in reading.annotations:
        ((_, converted),) = read_fingering(
            folder / "beringer_pig" / f"{piece}-{annotator}_fingering.txt"
        ).annotations
        ours = [
            (onset / 2, offset / 2, *rest) for onset, offset, *rest in rows(found)
        ]  # two quarters a second
        assert sorted(ours) == sorted(rows(converted))


# --- pages -----------------------------------------------------------------------------------


@pytest.mark.parametrize("code", codes(r"KT36[0-6]"))
def test_the_file_on_a_page_triggers_its_code(code: str) -> None:
    assert {problem.code for problem in parsed(example(code)).diagnostics} == {code}
