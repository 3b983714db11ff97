# SPDX-License-Identifier: MIT
"""Rows of text; numbers in ids are rows of the table of bad inputs."""

from textwrap import dedent
from typing import Any

import pytest

from kammerton.errors import Diagnostic
from kammerton.formats import Limits
from unit.formats.telling import parse, rows_of, tell, told

CD = [(0.0, 1.5, "C"), (1.5, 3.0, "D:min7/b3")]

ACCEPTED = {
    "6 lone CR": ("0 1.5 C\r1.5 3 D:min7/b3\r", {}, CD),
    "6 mixed ends of lines": ("0 1.5 C\r\n1.5 3 D:min7/b3\n", {}, CD),
    "1 byte order mark": ("\ufeff0 1.5 C\n1.5 3 D:min7/b3\n", {}, CD),
    "7 blank line inside": ("0 1.5 C\n\n \t\n1.5 3 D:min7/b3\n", {}, CD),
    "7 blank line at the end": ("0 1.5 C\n1.5 3 D:min7/b3\n\n", {}, CD),
    "8 leading spaces": ("  0 1.5 C\n\t1.5 3 D:min7/b3\n", {}, CD),
    "8 tab and space": ("0\t 1.5 \tC\n1.5 \t 3\tD:min7/b3\n", {}, CD),
    "8 trailing blanks": ("0 1.5 C \n1.5 3 D:min7/b3\t\n", {}, CD),
    "8 no final newline": ("0 1.5 C\n1.5 3 D:min7/b3", {}, CD),
    "comments": ("# by me\n0 1.5 C\n  # x\n1.5 3 D:min7/b3\n", {}, CD),
    "sharp label is no comment": ("0 1.5 #x\n", {}, [(0.0, 1.5, "#x")]),
    "signs and exponents": ("+0. 15e-1 C\n1.5E0 .3e+1 D:min7/b3\n", {}, CD),
    "minus zero is zero": ("-0.0 1.5 C\n1.5 3 D:min7/b3\n", {}, CD),
    "19 gap": ("0 1 C\n2 3 D\n", {}, [(0.0, 1.0, "C"), (2.0, 3.0, "D")]),
    "21 late start": ("5.87 6 C\n", {}, [(5.87, 6.0, "C")]),
    "25 music symbols are labels": ("0 1 B♭\n1 2 𝄪Δ\n", {}, [(0.0, 1.0, "B♭"), (1.0, 2.0, "𝄪Δ")]),
    "26 NBSP is no blank": ("0 1 C\u00a0\n", {}, [(0.0, 1.0, "C\u00a0")]),
    "30 Audacity label with spaces": ("0\t1\tC maj\n1\t2\tD\n", {}, [(0.0, 1.0, "C maj"), (1.0, 2.0, "D")]),
    "Audacity frequencies": ("0\t1.5\tC\n\\\t100.0\t200.0\n1.5\t3\tD:min7/b3\n", {}, CD),
    "11 commas": ("0,1.5,C\n1.5,3,D:min7/b3\n", {}, CD),
    "11 commas and blanks": ("0, 1.5, C\n1.5 ,3 , D:min7/b3 \n", {}, CD),
    "11 commas within parentheses": ("0,1,C:(3,5)\n", {}, [(0.0, 1.0, "C:(3,5)")]),
    "11 open parenthesis": ("0,1,C:(3\n", {}, [(0.0, 1.0, "C:(3")]),
    "11 quotes": ('"0","1","C ""x"", y"\n1,2,D\n', {}, [(0.0, 1.0, 'C "x", y'), (1.0, 2.0, "D")]),
    "11 semicolons": ("0;1.5;C\n1.5;3;D:min7/b3\n", {}, CD),
    "57 semicolons and decimal commas": ("0;1,5;C\n1,5;3;D:min7/b3\n", {}, CD),
    "58 sep= line": ("sep=;\n0;1,5;C\n1,5;3;D:min7/b3\n", {}, CD),
    "12 declared decimal comma": ("0 1,5 C\n1,5 3,0 D:min7/b3\n", {"decimal": ","}, CD),
    "10 known header": ("start end label\n0 1.5 C\n1.5 3 D:min7/b3\n", {}, CD),
    "10 known header, durations": ("onset duration chord\n0 1.5 C\n1.5 1.5 D:min7/b3\n", {}, CD),
    "durations": ("0 1.5 C\n1.5 1.5 D:min7/b3\n", {"layout": "durations"}, CD),
    "durations are added as decimals": ("0.1 0.2 C\n", {"layout": "durations"}, [(0.1, 0.3, "C")]),
    "durations rounded in binary": (
        "0 1.5000000000000002 C\n1.5 1.5 D:min7/b3\n",
        {"layout": "durations"},
        CD,
    ),
    "durations with commas": ("0 1,5 C\n", {"layout": "durations", "decimal": ","}, [(0.0, 1.5, "C")]),
}


@pytest.mark.parametrize(("text", "options", "rows"), ACCEPTED.values(), ids=ACCEPTED)
def test_accepts_silently(text: str, options: dict[str, Any], rows: list[tuple[float, float, str]]) -> None:
    reading = parse(text, **options)
    assert told(reading) == ""
    assert rows_of(reading) == rows


LAST = "last change point has no end, and its label is not used"

POINTS = {
    "blanks": "0 C\n1.5 D:min7/b3\n3 N\n",
    "tabs and a label with spaces": "0\tC\n1.5\tD:min7/b3\n3\tN\n",
    "commas": '0,"C"\n1.5,D:min7/b3\n3,N\n',
    "header": "time label\n0 C\n1.5 D:min7/b3\n3 N\n",
}


@pytest.mark.parametrize("text", POINTS.values(), ids=POINTS)
def test_change_points_end_where_the_next_starts(text: str) -> None:
    reading = parse(text, layout="points")
    assert rows_of(reading) == CD
    (note,) = reading.diagnostics
    assert (note.code, note.severity, note.message) == ("KT131", "note", f"{LAST}: `N`")


def test_change_points_out_of_order() -> None:
    reading = parse("1.5 D:min7/b3\n0 C\n3 N\n", layout="points")
    assert rows_of(reading) == CD
    assert [diagnostic.code for diagnostic in reading.diagnostics] == ["KT128", "KT131"]
    ((place, end),) = [(track.locate(0, "label"), track.locate(0, "end")) for track in reading.tracks]
    assert (place.line, place.token(), end.line, end.token()) == (2, "C", 1, "1.5")


REFUSED = {
    "9 empty": ("", {}, "error KT110 no annotation rows"),
    "9 comments only": ("# x\n\n", {}, "error KT110 no annotation rows"),
    "9 spaces only": (" \n\t\n", {}, "error KT110 no annotation rows"),
    "9 header only": ("start end label\n", {}, "error KT110 no annotation rows"),
    "9 one change point": (
        "0 C\n",
        {"layout": "points"},
        """
        error KT110 no annotation rows
        note 1:3+1 KT131 last change point has no end, and its label is not used: `C`
        """,
    ),
    "10 change points where ends are declared": (
        "0 C\n1 D\n",
        {"layout": "rows"},
        """
        error 1:1+3 KT111 rows have 2 columns, time and label (2 in all)
          help: leave out --layout rows
        """,
    ),
    "10 no labels": (
        "0 1\n1 2\n",
        {},
        """
        error 1:1+3 KT111 rows have 2 columns, start and end without label (2 in all)
          help: rows are start, end and label
        """,
    ),
    "10 not change points": (
        "0 1 C\n2 3 D\n",
        {"layout": "points"},
        """
        error 1:1+5 KT111 rows have 3 columns, not change points (2 in all)
          help: leave out --layout points
        """,
    ),
    "10 a row without label": (
        "0 1 C\n1 2\n2 3 D\n",
        {},
        "error 2:1+1 KT111 2 columns instead of 3: a row is start, end, label",
    ),
    "10 a row with one column": (
        "0 1 C\n5\n",
        {"layout": "durations"},
        "error 2:1+1 KT111 1 column instead of 3: a row is start, duration, label",
    ),
    "10 fourth column": (
        "0 1 C\n1 2 D extra\n",
        {},
        """
        error 2:7+5 KT111 4 columns instead of 3: a row is start, end, label
          help: a label with spaces needs tabs between the columns
        """,
    ),
    "10 fourth column after a comma": (
        "0,1,C\n1,2,D,0.9\n",
        {},
        "error 2:7+3 KT111 4 columns instead of 3: a row is start, end, label",
    ),
    "10 unknown header": (
        "von bis Akkord\n0 1 C\n",
        {},
        """
        error 1:1+3 KT111 looks like a header row, with names that are not known: `von`, `bis`, `Akkord`
          help: columns are called start, end and label, or start, duration and label
        """,
    ),
    "11 mixed": (
        "0 1 C\n1,2,D\n2 3 E\n3;4;F\n",
        {},
        """
        error 2:1+5 KT112 row is separated by commas, most others by blanks
          help: use one separator
        error 4:1+5 KT112 row is separated by semicolons, most others by blanks
          help: use one separator
        """,
    ),
    "11 a time that is none between commas and blanks": (
        "0, 1, C\n1, x, D\n",
        {},
        """
        error 2:4+1 KT120 not a time in seconds: `x`
          help: a time looks like 12.34
        """,
    ),
    "11 label missing": ("0,1,C\n1,2,\n", {}, "error 2:5+1 KT111 row has no label"),
    "51 unbalanced quote": (
        '0,1,"C\n1,2,D\n',
        {},
        """
        error 1:5+2 KT160 quote is not closed: `"C`
          help: a quote within a quoted field is doubled
        """,
    ),
    "12 decimal comma": (
        "0,5 1,0 C\n1,0 2,0 D\n",
        {},
        """
        error 1:1+3 KT121 time with a decimal comma: `0,5` (2 such rows) (2 in all)
          help: --decimal ,
        """,
    ),
    "12 decimal comma in the second column": (
        "0 1,5 C\n",
        {},
        """
        error 1:3+3 KT121 time with a decimal comma: `1,5`
          help: --decimal ,
        """,
    ),
    "12 points that may separate thousands where commas are declared": (
        "1.500 2.000 C\n",
        {"decimal": ","},
        """
        error 1:1+5 KT121 time with a decimal point: `1.500`
          help: --decimal .
        """,
    ),
    "12 one decimal comma": (
        "0.5 1.0 C\n1,0 2.0 D\n",
        {},
        """
        error 2:1+3 KT121 time with a decimal comma: `1,0`
          help: --decimal ,
        """,
    ),
    "12 commas as separators where they are declared decimal": (
        "0,1,C\n",
        {"decimal": ","},
        "error 1:1+5 KT111 1 column instead of 3: a row is start, end, label",
    ),
    "13 thousands": (
        "0 1,000.0 C\n1000 2000 D\n",
        {},
        """
        error 1:3+7 KT120 not a time in seconds: `1,000.0`
          help: write it without separators of thousands
        """,
    ),
    "13 underscore": (
        "1_0 11 C\n",
        {},
        """
        error 1:1+3 KT120 not a time in seconds: `1_0`
          help: a time looks like 12.34
        """,
    ),
    "13 hexadecimal": (
        "0 0x10 C\n",
        {},
        """
        error 1:3+4 KT120 not a time in seconds: `0x10`
          help: a time looks like 12.34
        """,
    ),
    "13 Arabic digits": (
        "0 ١.٠ C\n",
        {},
        """
        error 1:3+3 KT120 not a time in seconds: `١.٠`
          help: times are written with the digits 0 to 9
        """,
    ),
    "13 full-width digits": (
        "０ 1 C\n",
        {},
        """
        error 1:1+1 KT120 not a time in seconds: `０`
          help: times are written with the digits 0 to 9
        """,
    ),
    "13 minutes and seconds": (
        "0 1:23.5 C\n",
        {},
        """
        error 1:3+6 KT120 not a time in seconds: `1:23.5`
          help: write minutes and seconds as seconds
        """,
    ),
    "14 nan and inf": (
        "nan inf C\n",
        {},
        """
        error 1:1+3 KT122 time is not finite: `nan`
        error 1:5+3 KT122 time is not finite: `inf`
        """,
    ),
    "14 1e400": ("0 1e400 C\n", {}, "error 1:3+5 KT122 time is not finite: `1e400`"),
    "14 1e400 as a change point": (
        "0 C\n1e400 D\n",
        {"layout": "points"},
        "error 2:1+5 KT122 time is not finite: `1e400`",
    ),
    "14 sum that is not finite": (
        "1e308 1e308 C\n",
        {"layout": "durations"},
        """
        error 1:1+5 KT122 time is over 1e+15 s: `1e308`
        error 1:7+5 KT122 time is over 1e+15 s: `1e308`
        """,
    ),
    "15 negative": ("-0.5 1 C\n1 2 D\n", {}, "error 1:1+4 KT123 negative time: `-0.5`"),
    "15 negative duration": (
        "0 -1 C\n",
        {"layout": "durations"},
        "error 1:3+2 KT123 negative duration: `-1`",
    ),
    "15 negative change point": (
        "-1 C\n0 D\n1 E\n",
        {"layout": "points"},
        """
        error 1:1+2 KT123 negative time: `-1`
        note 3:3+1 KT131 last change point has no end, and its label is not used: `E`
        """,
    ),
    "27 XML": (
        "<?xml version='1.0'?>\n",
        {},
        """
        error 1:1+21 KT113 format not recognised: looks like XML
          help: export the layer as text or CSV
        """,
    ),
    "27 prose": (
        "Dear all,\nhere\n",
        {},
        """
        error 1:1+9 KT113 format not recognised: no line begins with a time
          help: rows are start, end and label
        """,
    ),
    "every problem of a file": (
        "x 1 C\n-1 0 D\n2 1 E\n0 5 F\n1 2 G\n",
        {},
        """
        error 1:1+1 KT120 not a time in seconds: `x`
          help: a time looks like 12.34
        error 2:1+2 KT123 negative time: `-1`
        error 3:3+1 KT124 segment ends before it starts: end `1`, start `2`
          help: start and end swapped? 1 of 4 rows ends before it starts
        error 5:1+1 KT126 segment overlaps the one of line 4 by 1 s
          help: --overlap trim cuts the earlier one where the later one starts
        """,
    ),
}


@pytest.mark.parametrize(("text", "options", "message"), REFUSED.values(), ids=REFUSED)
def test_refuses(text: str, options: dict[str, Any], message: str) -> None:
    reading = parse(text, **options)
    assert told(reading) == dedent(message).strip()
    assert reading.tracks == ()
    assert {diagnostic.file for diagnostic in reading.diagnostics} == {"a.lab"}


def test_lists_twenty_problems_of_a_code_and_counts_the_rest() -> None:
    lines = [f"{number} x C" for number in range(451)]
    reading = parse("\n".join(lines))
    listed, last = reading.diagnostics[:-1], reading.diagnostics[-1]
    assert [(problem.line, problem.count) for problem in listed] == [(number, 1) for number in range(1, 21)]
    assert tell(last) == "error KT120 and 431 more like these (431 in all)"


def test_columns_count_code_points_and_a_tab_is_one() -> None:
    reading = parse("0\t1\t𝄪é\n1\t\tx\tD\n")
    assert told(reading).startswith("error 2:4+1 KT120")
    assert reading.diagnostics[0].excerpt == "1\t\tx\tD"


def test_locates_fields_of_a_clean_file() -> None:
    (track,) = parse("\n  0\t1.25 C:maj \n").tracks
    places = [track.locate(0, field) for field in ("start", "end", "label")]
    assert [(place.line, place.column, place.length, place.token()) for place in places] == [
        (2, 3, 1, "0"),
        (2, 5, 4, "1.25"),
        (2, 10, 5, "C:maj"),
    ]
    assert {(place.file, place.excerpt) for place in places} == {("a.lab", "  0\t1.25 C:maj ")}


def test_columns_within_a_label_add_to_its_place() -> None:
    (track,) = parse("0 1 C:mja7/3\n").tracks
    within = Diagnostic(code="KT312", severity="error", message="unknown", column=3, length=4)
    placed = track.locate(0, "label").diagnose(within)
    assert (placed.line, placed.column, placed.length, placed.excerpt) == (1, 7, 4, "0 1 C:mja7/3")


def test_locates_fields_in_quotes() -> None:
    (track,) = parse('0,"1",  "C ""x"""\n').tracks
    assert [track.locate(0, field).token() for field in ("start", "end", "label")] == ["0", "1", 'C ""x""']


def test_long_excerpts_are_cut_around_the_token() -> None:
    text = f"0 1 {'x' * 300}\n2 3 {'y' * 1000} z\n"
    (problem,) = parse(text).diagnostics
    assert (problem.line, problem.column) == (2, 1006)
    assert problem.excerpt is not None
    assert problem.excerpt == "…" + "y" * 198 + " z"
    assert problem.excerpt[200] == "z"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 1 C\n" * 4, "error KT106 4 rows: over the limit of 3"),
        ("\n0 1 C\n1 2 " + "D" * 41, "error 3 KT106 line of 45 characters: over the limit of 40"),
        ("0 1 C\n1 2 " + "D" * 6, "error 2:5+6 KT106 label of 6 characters, over the limit of 5: `DDDDDD`"),
    ],
    ids=["rows", "line", "label"],
)
def test_24_budgets(text: str, message: str) -> None:
    reading = parse(text, limits=Limits(rows=3, line=40, label=5))
    assert told(reading) == message
    assert reading.tracks == ()


def test_24_blank_lines_and_comments_are_no_rows() -> None:
    reading = parse("0 1 C\n\n# x\n \n1 2 D\n", limits=Limits(rows=2, line=5))
    assert rows_of(reading) == [(0.0, 1.0, "C"), (1.0, 2.0, "D")]


@pytest.mark.parametrize(
    ("good", "bad", "code"),
    [
        ("0 1 C\n", "0 x C\n", "KT120"),
        ("start,end,label\n", "0,x,C\n", "KT120"),
        ("start,end,label\n", "0,1,C,4\n", "KT161"),
        ("start,end,label\n", '0,1,"C\n', "KT160"),
    ],
)
def test_problems_beyond_the_first_thousand_rows_are_only_counted(good: str, bad: str, code: str) -> None:
    *listed, last = parse(good + bad * 1500).diagnostics
    assert {problem.code for problem in listed} == {code}
    assert (len(listed), tell(last)) == (20, f"error {code} and 1,480 more like these (1480 in all)")


def test_rows_are_counted_with_the_problem_that_most_have() -> None:
    *_, seven, rest = parse("0 x C\n" * 900 + "0 C\n" * 99 + "0 1 C\n" * 1400 + "0\n" * 41).diagnostics
    # of 1,040 bad rows, the first 1,000 are 900 of KT120 and 100 of KT111; 40 remain
    assert tell(seven) == "error KT120 and 920 more like these (920 in all)"
    assert tell(rest) == "error KT111 and 80 more like these (80 in all)"


@pytest.mark.parametrize(
    ("blank", "name"), [("\u00a0", "U+00A0 NO-BREAK SPACE"), ("\u200b", "U+200B ZERO WIDTH SPACE")]
)
def test_26_blanks_that_separate_nothing_are_named(blank: str, name: str) -> None:
    reading = parse(f"0{blank}2{blank}C\n2 4 D\n")
    assert told(reading) == f"error 1:2+1 KT111 {name} does not separate columns\n  help: use blanks or tabs"


# --- what the rows can only be ----------------------------------------------------------------------------

NGE = [(0.0, 2.5, "N"), (2.5, 6.0, "G"), (6.0, 9.0, "E:min")]
POINTS_SHOWN = "note 1:1+1 KT132 read as change points, since rows have a time and a label"
UNUSED = "KT131 last change point has no end, and its label is not used: `N`"

SHOWN = {
    "time and label": ("0 N\n2.5 G\n6 E:min\n9\n", {}, POINTS_SHOWN),
    "time and label, and one that is not used": (
        "0\tN\n2.5\tG\n6\tE:min\n9\tN\n",
        {},
        f"{POINTS_SHOWN}\nnote 4:3+1 {UNUSED}",
    ),
    "time and label between semicolons, with decimal commas": (
        "0;N\n2,5;G\n6,0;E:min\n9;\n",
        {},
        POINTS_SHOWN,
    ),
    "no length": (
        "0 0 N\n2.5 2.5 G\n6 6.0 E:min\n9 9 N\n",
        {},
        """
        note 1:3+1 KT132 read as change points, since no row has a length (4 rows)
        note 4:5+1 KT131 last change point has no end, and its label is not used: `N`
        """,
    ),
    "no duration": (
        "0 0 N\n2.5 0 G\n6 0 E:min\n9 0.0 N\n",
        {},
        """
        note 1:3+1 KT132 read as change points, since no row has a length (4 rows)
        note 4:7+1 KT131 last change point has no end, and its label is not used: `N`
        """,
    ),
    "no length, declared to be points": (
        "0 0 N\n2.5 2.5 G\n6 6 E:min\n9 9 N\n",
        {"layout": "points"},
        """
        note 1:3+1 KT132 read as change points, since no row has a length (4 rows)
        note 4:5+1 KT131 last change point has no end, and its label is not used: `N`
        """,
    ),
    "name of the recording, once": ('"a, b.wav",0,2.5,"N"\n,2.5,6,"G"\n,6,9,"E:min"\n', {}, ""),
    "name of the recording, always": ("a.wav\t0\t2.5\tN\na.wav\t2.5\t6\tG\na.wav\t6\t9\tE:min\n", {}, ""),
    "name of the recording, with durations": (
        "a.wav,0,2.5,N\n,2.5,3.5,G\n,6,3,E:min\n",
        {},
        "note 1:7+1 KT132 read as start, duration and label, since rows meet so",
    ),
    "name of the recording, change points": (
        'a.wav,0,"N"\n,2.5,"G"\n,6,"E:min"\n,9,"N"\n',
        {},
        f"note 1:7+1 KT132 read as change points, since rows have a time and a label\nnote 4:5+1 {UNUSED}",
    ),
    "regions": (
        "0 5 2.5 N\n2.5 5 3.5 G\n6 6 3 E:min\n",
        {},
        "note 1:1+1 KT132 read as time, value, duration and label, since rows have 4 columns and meet so",
    ),
    "rows where points are declared": (
        "0 2.5 N\n2.5 6 G\n6 9 E:min\n",
        {"layout": "points"},
        "note 1:1+1 KT133 --layout points does not apply: rows are start, end and label, and meet",
    ),
    "rows where durations are declared": (
        "0 2.5 N\n2.5 6 G\n6 9 E:min\n",
        {"layout": "durations"},
        "note 1:1+1 KT133 --layout durations does not apply: rows are start, end and label, and meet",
    ),
    "points where commas are declared": (
        "0.000 2.5 N\n2.5 6.0 G\n6.0 9 E:min\n",
        {"decimal": ","},
        "note 1:1+5 KT133 --decimal , does not apply: times have points",
    ),
    "quoted labels": ('0 2.5 "N"\n2.5 6 G\n6 9 "E:min"\n', {}, ""),
    "comments of both kinds": ("# x\n0 2.5 N\n// y\n2.5 6 G\n  #6 9 C\n6 9 E:min\n", {}, ""),
}


@pytest.mark.parametrize(("text", "options", "message"), SHOWN.values(), ids=SHOWN)
def test_reads_what_rows_can_only_be(text: str, options: dict[str, Any], message: str) -> None:
    reading = parse(text, **options)
    assert told(reading) == dedent(message).strip()
    assert rows_of(reading) == NGE


NOT_PLAIN = {
    "four columns that do not meet": (
        "0 5 2 N\n2.5 5 3 G\n6 6 3 E:min\n",
        {},
        """
        error 1:1+7 KT111 rows have 4 columns: a row is start, end, label (3 in all)
          help: say what they are in a first line, such as start,end,x,label
        """,
    ),
    "four columns, of which the second is no number": (
        "0 5 2.5 N\n2.5 x 3.5 G\n6 6 3 E:min\n",
        {},
        """
        error 1:1+9 KT111 rows have 4 columns: a row is start, end, label (3 in all)
          help: say what they are in a first line, such as start,end,x,label
        """,
    ),
    "a region alone": (
        "0,10,0.9,N\n",
        {},
        """
        error 1:1+10 KT111 rows have 4 columns: a row is start, end, label
          help: say what they are in a first line, such as start,end,x,label
        """,
    ),
    "rows of two recordings": (
        "a.wav,0,2.5,N\n,2.5,6,G\nb.wav,0,9,E:min\n",
        {},
        """
        error 3:1+5 KT111 rows of 2 recordings in one file: `a.wav`, `b.wav`
          help: write a file for each recording
        """,
    ),
    "durations that could be ends": (
        "0 2 N\n2 3 C\n5 6 F\n11 12 G\n",
        {},
        """
        error 1:3+1 KT134 looks like start, duration, label: rows would end where the next starts (4 in all)
          help: --layout durations reads them so, --layout rows takes the second time for the end
        """,
    ),
    "bars of Billboard": (
        "# title: T\n\n0.0\tsilence\n0.5\tA, intro, | C:maj | F:maj |\n8.5\tend\n",
        {},
        """
        error 4:1+31 KT113 format not recognised: bars of chords, as in Billboard's salami_chords.txt
          help: the data set has the same chords with times in .lab files: majmin.lab, full.lab and others
        """,
    ),
    "no labels, declared to be points": (
        "0 1\n1 2\n",
        {"layout": "points"},
        """
        error 1:3+1 KT111 not a row of time, label
        error 2:3+1 KT111 not a row of time, label
        """,
    ),
    "a bad row before a time that closes change points": (
        "0 C\nx D\n5\n",
        {"layout": "points"},
        """
        error 2:1+1 KT120 not a time in seconds: `x`
          help: a time looks like 12.34
        """,
    ),
    "52 long field": (
        f"0,1,C\n1,2,{'x' * 140_000}\n",
        {},
        "error 2 KT106 field of more than 131,072 characters",
    ),
    "only a time, declared to be points": (
        "0\n",
        {"layout": "points"},
        "error 1:1+1 KT111 1 column instead of 2: a row is time, label",
    ),
}


@pytest.mark.parametrize(("text", "options", "message"), NOT_PLAIN.values(), ids=NOT_PLAIN)
def test_does_not_guess(text: str, options: dict[str, Any], message: str) -> None:
    reading = parse(text, **options)
    assert told(reading) == dedent(message).strip()
    assert reading.tracks == ()


def test_what_looks_like_durations_is_read_as_the_caller_says() -> None:
    text = "0 2 N\n2 3 C\n5 6 F\n11 12 G\n"
    ends = {
        layout: [row[1] for row in rows_of(parse(text, layout=layout))] for layout in ("rows", "durations")
    }
    assert ends == {"rows": [2.0, 3.0, 6.0, 12.0], "durations": [2.0, 5.0, 11.0, 23.0]}


def test_rows_without_length_stay_rows_on_request() -> None:
    reading = parse("0 0 C\n1 1 D\n", layout="rows")
    assert rows_of(reading) == [(0.0, 0.0, "C"), (1.0, 1.0, "D")]
    assert [problem.code for problem in reading.diagnostics] == ["KT125"]


def test_rows_without_length_beside_others_stay_rows() -> None:
    assert rows_of(parse("0 0 C\n0 1 C\n1 1 D\n")) == [(0.0, 0.0, "C"), (0.0, 1.0, "C"), (1.0, 1.0, "D")]
