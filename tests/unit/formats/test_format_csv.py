# SPDX-License-Identifier: MIT
"""CSV and TSV with a header; numbers in ids are rows of the table of bad inputs."""

from textwrap import dedent
from typing import Any

import pytest

from kammerton.formats import Limits
from unit.formats.telling import parse, rows_of, told

CD = [(0.0, 1.5, "C"), (1.5, 3.0, "D:min7/b3")]

ACCEPTED = {
    "commas": ("start,end,label\n0,1.5,C\n1.5,3,D:min7/b3\n", {}, CD),
    "tabs": ("start\tend\tlabel\n0\t1.5\tC\n1.5\t3\tD:min7/b3\n", {}, CD),
    "semicolons": ("start;end;label\n0;1.5;C\n1.5;3;D:min7/b3\n", {}, CD),
    "other names": ("Onset,OFFSET,Chord\n0,1.5,C\n1.5,3,D:min7/b3\n", {}, CD),
    "names with units": ("start_time (s), end-time [s], label\n0,1.5,C\n1.5,3,D:min7/b3\n", {}, CD),
    "names with more units": ("start_s,end_in_seconds,value\n0,1.5,C\n1.5,3,D:min7/b3\n", {}, CD),
    "any order, other columns": (
        'label,x,end,start\nC,9,1.5,0\n"#D",,3,1.5\n',
        {},
        [CD[0], (1.5, 3.0, "#D")],
    ),
    "durations": ("time,duration,value\n0.1,0.2,C\n", {}, [(0.1, 0.3, "C")]),
    "an end beside a duration": ("start,duration,end,label\n0,x,1.5,C\n1.5,,3,D:min7/b3\n", {}, CD),
    "blanks around fields": ("start , end, label\n 0 ,1.5, C \n1.5, 3 ,D:min7/b3\t\n", {}, CD),
    "blank rows": ("\nstart,end,label\n\n0,1.5,C\n , ,\n1.5,3,D:min7/b3\n,,\n", {}, CD),
    "comments": ("# by me\nstart,end,label\n0,1.5,C\n# x, y, z, 1\n1.5,3,D:min7/b3\n", {}, CD),
    "quotes": (
        '"start","end","label"\n"0","1","C:(3,5)"\n1,2,"a ""b"""\n',
        {},
        [(0.0, 1.0, "C:(3,5)"), (1.0, 2.0, 'a "b"')],
    ),
    "quotes behind blanks": ('start, "end", label\n0, 1, "C:(3,5)"\n', {}, [(0.0, 1.0, "C:(3,5)")]),
    "53 labels that look like nothing": (
        "start,end,label\n0,1,NA\n1,2,None\n2,3,nan\n3,4,null\n4,5,N/A\n",
        {},
        [(float(n), n + 1.0, label) for n, label in enumerate(["NA", "None", "nan", "null", "N/A"])],
    ),
    "54 labels that look like numbers": (
        "start,end,label\n0,1,001\n1,2,1e5\n2,3,TRUE\n3,4,3-4\n",
        {},
        [(float(n), n + 1.0, label) for n, label in enumerate(["001", "1e5", "TRUE", "3-4"])],
    ),
    "56 own names": (
        "von,bis,Akkord\n0,1.5,C\n1.5,3,D:min7/b3\n",
        {"columns": {"von": "start", "bis": "end", "Akkord": "label"}},
        CD,
    ),
    "56 own name beside one of ours": (
        "start,onset,end,label\n9,0,1.5,C\n9,1.5,3,D:min7/b3\n",
        {"columns": {"onset": "start"}},
        CD,
    ),
    "57 unambiguous decimal commas": ("start;end;label\n0;1,5;C\n1,5;3;D:min7/b3\n", {}, CD),
    "57 declared decimal commas": ('start,end,label\n0,"1,5",C\n"1,5",3,D:min7/b3\n', {"decimal": ","}, CD),
    "58 sep= line": ("sep=;\nstart;end;label\n0;1,5;C\n1,5;3;D:min7/b3\n", {}, CD),
    "58 sep= line with another separator": ("SEP=|\nstart|end|label\n0|1.5|C\n1.5|3|D:min7/b3\n", {}, CD),
    "10 no header": ("0,1.5,C\n1.5,3,D:min7/b3\n", {}, CD),
    "10 neither header nor CSV": ("0 1.5 C\n1.5 3 D:min7/b3\n", {}, CD),
}


@pytest.mark.parametrize(("text", "options", "rows"), ACCEPTED.values(), ids=ACCEPTED)
def test_accepts_silently(text: str, options: dict[str, Any], rows: list[tuple[float, float, str]]) -> None:
    reading = parse(text, "a.csv", **options)
    assert told(reading) == ""
    assert rows_of(reading) == rows


def test_known_headers_count_whatever_the_suffix() -> None:
    assert rows_of(parse("onset,offset,chord\n0,1.5,C\n1.5,3,D:min7/b3\n", "a.txt")) == CD


def test_change_points() -> None:
    reading = parse("time,label\n0,C\n1.5,D:min7/b3\n3,N\n", "a.csv", layout="points")
    assert rows_of(reading) == CD
    assert told(reading) == "note 4:3+1 KT131 last change point has no end, and its label is not used: `N`"


REFUSED = {
    "9 header only": ("start,end,label\n", {}, "error KT110 no annotation rows"),
    "9 nothing": ("", {}, "error KT110 no annotation rows"),
    "12 decimal commas between commas": (
        'start,end,label\n0,"1,5",C\n"1,5",3,D\n',
        {},
        """
        error 2:4+3 KT121 time with a decimal comma: `1,5` (2 such rows) (2 in all)
          help: --decimal ,
        """,
    ),
    "12 one decimal comma": (
        "start;end;label\n0.0;1,5;C\n",
        {},
        """
        error 2:5+3 KT121 time with a decimal comma: `1,5`
          help: --decimal ,
        """,
    ),
    "13 thousands": (
        'start,end,label\n0,"1,000.0",C\n',
        {},
        """
        error 2:4+7 KT120 not a time in seconds: `1,000.0`
          help: write it without separators of thousands
        """,
    ),
    "51 unbalanced quote": (
        'start,end,label\n0,1,"C\n1,2,D\n2,3,"E"\n',
        {},
        """
        error 2:5+1 KT160 quote is not closed: `"C`
          help: a quote within a quoted field is doubled
        """,
    ),
    "51 quotes that would pair across lines": (
        'start,end,label\n0,1,"C\n1,2,D"\n',
        {},
        """
        error 2:5+1 KT160 quote is not closed: `"C`
          help: a quote within a quoted field is doubled
        """,
    ),
    "51 unbalanced quote beside a quote behind blanks": (
        'start,end,label\n0,1, "a, b"\n1,2,"C\n',
        {},
        """
        error 3:5+1 KT160 quote is not closed: `"C`
          help: a quote within a quoted field is doubled
        """,
    ),
    "51 text behind a quote": (
        'start,end,label\n0,1,"C"x\n',
        {},
        """
        error 2:5+1 KT160 quote is not closed: `"C"x`
          help: a quote within a quoted field is doubled
        """,
    ),
    "52 long field": (
        f"start,end,x,label\n0,1,{'x' * 140_000},C\n",
        {},
        "error 2 KT106 field of more than 131,072 characters",
    ),
    "55 row longer than the header": (
        "start,end,label\n0,1,C,x\n1,2\n5\n",
        {},
        """
        error 2:7+1 KT161 row has 4 columns, the header 3
          help: a cell with a separator in it stands between double quotes
        error 3:1+3 KT161 row has 2 columns, the header 3
          help: a cell that is empty still needs its separator
        error 4:1+1 KT161 row has 1 column, the header 3
          help: a cell that is empty still needs its separator
        """,
    ),
    "56 misspelt column": (
        "strat,end,label\n0,1,C\n",
        {},
        """
        error 1:1+15 KT162 no column is the start: `strat`, `end`, `label`
          help: did you mean `strat`? --columns strat=start
        """,
    ),
    "56 no known column": (
        "a,b,c\n0,1,C\n",
        {},
        """
        error 1:1+5 KT162 no column is the start: `a`, `b`, `c`
          help: known names: start, onset, begin, time, from; or --columns NAME=start
        error 1:1+5 KT162 no column is the end: `a`, `b`, `c`
          help: known names: end, offset, stop, to, until; or --columns NAME=end
        error 1:1+5 KT162 no column is the label: `a`, `b`, `c`
          help: known names: label, chord, value, annotation, text; or --columns NAME=label
        """,
    ),
    "56 header with a quote too few": (
        'start,end,"label\n0,1,C\n',
        {},
        """
        error 1:1+16 KT162 no column is the start: `start,end,"label`
          help: known names: start, onset, begin, time, from; or --columns NAME=start
        error 1:1+16 KT162 no column is the end: `start,end,"label`
          help: known names: end, offset, stop, to, until; or --columns NAME=end
        error 1:1+16 KT162 no column is the label: `start,end,"label`
          help: known names: label, chord, value, annotation, text; or --columns NAME=label
        """,
    ),
    "10 perhaps change points": (
        "time,label,x\n0,C,1\n",
        {},
        """
        error 1:1+12 KT162 no column is the end: `time`, `label`, `x`
          help: a duration will do; or are these change points? --layout points
        """,
    ),
    "56 column twice": (
        "start,end,start,label\n0,1,0,C\n",
        {},
        """
        error 1:11+5 KT163 columns `start` and `start` are both start
          help: say which: --columns NAME=start
        """,
    ),
    "56 two names for one column": (
        "start,onset,end,label\n0,0,1,C\n",
        {},
        """
        error 1:7+5 KT163 columns `start` and `onset` are both start
          help: say which: --columns NAME=start
        """,
    ),
    "every problem of a file": (
        'start,end,label\n0,x,\n1,2,"D\n-1,3,E\n4,5,F,G\n6,5,A\n',
        {},
        """
        error 2:3+1 KT120 not a time in seconds: `x`
          help: a time looks like 12.34
        error 2:5+1 KT111 row has no label
        error 3:5+1 KT160 quote is not closed: `"D`
          help: a quote within a quoted field is doubled
        error 4:1+2 KT123 negative time: `-1`
        error 5:7+1 KT161 row has 4 columns, the header 3
          help: a cell with a separator in it stands between double quotes
        error 6:3+1 KT124 segment ends before it starts: end `5`, start `6`
          help: start and end swapped? 1 of 2 rows ends before it starts
        """,
    ),
    "24 rows": (
        "start,end,label\n0,1,C\n1,2,D\n2,3,E\n",
        {"limits": Limits(rows=2)},
        "error KT106 3 rows: over the limit of 2",
    ),
}


@pytest.mark.parametrize(("text", "options", "message"), REFUSED.values(), ids=REFUSED)
def test_refuses(text: str, options: dict[str, Any], message: str) -> None:
    reading = parse(text, "a.csv", **options)
    assert told(reading) == dedent(message).strip()
    assert reading.tracks == ()


def test_24_the_header_is_no_row() -> None:
    reading = parse("start,end,label\n0,1,C\n1,2,D\n", "a.csv", limits=Limits(rows=2))
    assert len(rows_of(reading)) == 2


def test_locates_fields_in_quotes() -> None:
    (track,) = parse('label,start,end\n"C ""x""", 0 ,"1"\n', "a.csv").tracks
    places = [track.locate(0, field) for field in ("start", "end", "label")]
    assert [(place.line, place.column, place.token()) for place in places] == [
        (2, 12, "0"),
        (2, 16, "1"),
        (2, 2, 'C ""x""'),
    ]


def test_a_label_of_nothing_but_odd_blanks_is_kept() -> None:
    assert rows_of(parse("start,end,label\n0,1,\u00a0\n", "a.csv")) == [(0.0, 1.0, "\u00a0")]


def test_decimal_commas_are_seen_beside_a_row_that_does_not_fit() -> None:
    reading = parse("start;end;label\n0,5;1,0;C\n1,0;2,0\n", "a.csv")
    assert [problem.code for problem in reading.diagnostics] == ["KT161"]


END, DURATION = "start,end,label\n0,2,C\n2,5,D\n", "start,duration,label\n0,2,C\n2,3,D\n"


@pytest.mark.parametrize(
    ("text", "layout", "column"),
    [(DURATION, "rows", "end"), (END, "durations", "duration"), ("time,label\n0,C\n", "rows", "end")],
)
def test_a_layout_that_the_header_does_not_have_is_an_error(text: str, layout: str, column: str) -> None:
    (problem,) = parse(text, "a.csv", layout=layout).diagnostics
    assert (problem.code, problem.message.partition(":")[0]) == ("KT162", f"no column is the {column}")
    if text != "time,label\n0,C\n":
        assert problem.hint == f"leave out --layout {layout}: the header says what the columns are"
    (problem,) = parse(text.replace(",", " "), "a.lab", layout=layout).diagnostics[:1]
    assert problem.code == "KT162"


def test_a_layout_chooses_between_end_and_duration() -> None:
    text = "start,end,duration,label\n0,2,3,C\n"
    ends = {
        layout: rows_of(parse(text, "a.csv", layout=layout))[0][1] for layout in ("auto", "rows", "durations")
    }
    assert ends == {"auto": 2.0, "rows": 2.0, "durations": 3.0}


@pytest.mark.parametrize(
    "text", ["time,label\n0,C\n2,D\n5,\n", "0\tC\n2\tD\n5\n", "0,C\n2,D\n5,\n", "0 C\n2 D\n 5 \n"]
)
def test_the_last_change_point_needs_no_label(text: str) -> None:
    reading = parse(text, "a.csv" if text.startswith("time") else "a.lab", layout="points")
    assert rows_of(reading) == [(0.0, 2.0, "C"), (2.0, 5.0, "D")]
    assert reading.diagnostics == ()


def test_other_change_points_need_one() -> None:
    assert told(parse("time,label\n0,C\n2,\n5,D\n", "a.csv", layout="points")) == (
        "error 3:3+1 KT111 row has no label\n"
        "note 4:3+1 KT131 last change point has no end, and its label is not used: `D`"
    )
    assert "error 2:1+1 KT111 1 column instead of 2" in told(parse("0 C\n2\n5 D\n", layout="points"))


def test_a_lone_time_that_is_not_the_last_is_located() -> None:
    assert told(parse("0 C\n2 D\n  1\n", layout="points")) == (
        "note 2:3+1 KT131 last change point has no end, and its label is not used: `D`\n"
        "error 3:3+1 KT111 row has no label"
    )


# --- what names tell ---------------------------------------------------------------------------------------


def test_a_time_and_a_label_alone_are_change_points() -> None:
    reading = parse("t;chord\n0;C\n1,5;D:min7/b3\n3;N\n", "a.csv")
    assert rows_of(reading) == CD
    assert told(reading) == (
        "note 1:1+7 KT132 read as change points, since no column is an end or a duration\n"
        "note 4:3+1 KT131 last change point has no end, and its label is not used: `N`"
    )


def test_a_value_beside_a_label_is_none() -> None:
    reading = parse("TIME,VALUE,DURATION,LABEL\n0,5,1.5,C\n1.5,7,1.5,D:min7/b3\n", "a.csv")
    assert (rows_of(reading), reading.diagnostics) == (CD, ())
    assert rows_of(parse("time,duration,value\n0,1.5,C\n1.5,1.5,D:min7/b3\n", "a.csv")) == CD


def test_columns_without_length_are_change_points() -> None:
    for text in (
        "start,end,label\n0,0,C\n1.5,1.5,D:min7/b3\n3,3,N\n",
        "time,duration,label\n0,0,C\n1.5,0,D:min7/b3\n3,0,N\n",
    ):
        reading = parse(text, "a.csv")
        assert rows_of(reading) == CD
        assert [problem.code for problem in reading.diagnostics] == ["KT132", "KT131"]


ANNOTATORS = "annotator,start,end,label\nA,0,1,C\nB,0,2,D\nA,1,2,E\n,0,2,F\n"


@pytest.mark.parametrize("name", ["annotator", "Annotator ID", "rater", "worker_id"])
def test_annotators_have_rows_of_their_own(name: str) -> None:
    reading = parse(ANNOTATORS.replace("annotator", name), "a.csv")
    assert reading.diagnostics == ()
    found = {
        track.annotator: list(zip(track.starts.tolist(), track.ends.tolist(), track.labels, strict=True))
        for track in reading.tracks
    }
    assert found == {"A": [(0, 1, "C"), (1, 2, "E")], "B": [(0, 2, "D")], None: [(0, 2, "F")]}
    place = reading.tracks[0].locate(1, "label")
    assert (place.line, place.column) == (4, 7)


def test_a_column_of_annotators_may_have_any_name() -> None:
    text = ANNOTATORS.replace("annotator", "wer")
    tracks = parse(text, "a.csv", columns={"wer": "annotator"}).tracks
    assert [track.annotator for track in tracks] == ["A", "B", None]


@pytest.mark.parametrize(
    ("header", "near"),
    [
        ("strat,end,label", "strat"),
        ("tiem,end,label", "tiem"),
        ("title,end,label", None),
        ("id,artist,chord", None),
    ],
)
def test_a_name_is_offered_for_a_column_only_if_it_is_a_slip_of_one(header: str, near: str | None) -> None:
    reading = parse(f"{header}\n0,1,C\n", "a.csv")
    hints = [str(said.hint) for said in reading.diagnostics if "is the start" in said.message]
    assert [hint.startswith("did you mean") for hint in hints] == [near is not None]
    assert near is None or hints == [f"did you mean `{near}`? --columns {near}=start"]


def test_what_a_header_says_goes_before_options_that_do_not_fit() -> None:
    points = parse("start,end,label\n0,1.5,C\n1.5,3,D:min7/b3\n", "a.csv", layout="points")
    assert rows_of(points) == CD
    assert told(points) == (
        "note 1:1+15 KT133 --layout points does not apply: the header names an end or a duration"
    )
    commas = parse("start,end,label\n0.0,1.5,C\n1.5,3,D:min7/b3\n", "a.csv", decimal=",")
    assert rows_of(commas) == CD
    assert told(commas) == "note 1:1+15 KT133 --decimal , does not apply: times have points"
    thousands = parse("start,end,label\n0,1.500,C\n1.500,3.000,D\n", "a.csv", decimal=",")
    assert [problem.code for problem in thousands.diagnostics] == ["KT121"]
