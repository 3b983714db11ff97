# SPDX-License-Identifier: MIT
"""JAMS; numbers in ids are rows of the table of bad inputs."""

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from kammerton.chords.annotation import ChordOptions, read_chords
from kammerton.formats import Limits, parse_intervals
from kammerton.formats.jams import Observations
from kammerton.formats.json_places import JsonPlaces, decode, report_invalid
from kammerton.formats.reading import Problems
from kammerton.model.annotations import Place
from unit.formats.telling import parse, rows_of, tell, told

C = {"time": 0.0, "duration": 1.5, "value": "C", "confidence": None}
D = {"time": 1.5, "duration": 1.5, "value": "D", "confidence": 0.5}
CD = [(0.0, 1.5, "C"), (1.5, 3.0, "D")]
NAN = float("nan")


def annotation(*data: Any, namespace: str = "chord", **rest: Any) -> dict[str, Any]:
    return {"namespace": namespace, "data": list(data), **rest}


def jams(*annotations: Any, **rest: Any) -> str:
    return json.dumps({"annotations": list(annotations), **rest})


def by(**person: str) -> dict[str, Any]:
    return {"annotation_metadata": {"annotator": person}}


ACCEPTED = {
    "plain": jams(annotation(C, D)),
    "indented": json.dumps({"annotations": [annotation(C, D)]}, indent=4),
    "other namespace of the task": jams(annotation(C, D, namespace="chord_harte")),
    "beside other annotations": jams(annotation({"time": "x"}, namespace="beat"), annotation(C, D)),
    "old layout": jams(
        {"namespace": "chord", "data": {"time": [0, 1.5], "duration": [1.5, 1.5], "value": ["C", "D"]}}
    ),
    "46 no confidence": jams(annotation(*({**row, "confidence": 1} for row in (C, D)))).replace(
        ', "confidence": 1', ""
    ),
    "47 at the duration of the file": jams(annotation(C, D), file_metadata={"duration": 2.995}),
    "duration of the file unknown": jams(annotation(C, D), file_metadata={"duration": None}),
    "metadata of another kind": jams(annotation(C, D), file_metadata=[]),
    "50 odd keys": jams(annotation(C, D), sandbox={"__proto__": {"constructor": 1}}),
    "44 whole surrogate pair": jams(annotation(C, D), sandbox={"title": "𝄪"}),
    "depth within strings does not count": jams(annotation(C, D), sandbox={"x": "[" * 99}),
    "45 long integer elsewhere": jams(annotation(C, D)).replace("0.5", "5" * 5000),
}


@pytest.mark.parametrize("text", ACCEPTED.values(), ids=ACCEPTED)
def test_accepts_silently(text: str) -> None:
    reading = parse(text, "a.jams")
    assert told(reading) == ""
    assert rows_of(reading) == CD


def test_content_tells_jams_too() -> None:
    assert rows_of(parse("\n" + jams(annotation(C, D)), "a.lab")) == CD


def test_without_namespaces_all_annotations_count() -> None:
    reading = parse_intervals(jams(annotation(C, namespace="tag_open")), name="a.jams")
    assert rows_of(reading) == CD[:1]


def test_ends_are_decimal_sums() -> None:
    data = {"time": 0.1, "duration": 0.2, "value": "C"}
    assert rows_of(parse(jams(annotation(data)), "a.jams")) == [(0.1, 0.3, "C")]


def test_rounding_of_durations_is_no_overlap() -> None:
    text = jams(annotation({**C, "duration": 1.5000000000000002}, D))
    assert rows_of(parse(text, "a.jams")) == CD


ANNOTATORS = {
    "one without name": ([{}], [None]),
    "name": ([by(name="Ada", email="a@b.c")], ["Ada"]),
    "e-mail": ([by(name=" ", email="a@b.c")], ["a@b.c"]),
    "curator": ([{"annotation_metadata": {"annotator": {}, "curator": {"name": "Bo"}}}], ["Bo"]),
    "numbers": ([{}, by(name="Ada"), {"annotation_metadata": None}], ["1", "Ada", "3"]),
    "twice the same": ([by(name="Ada"), by(name="Ada"), by(name="Ada")], ["Ada", "Ada (2)", "Ada (3)"]),
    "a name that is a number": ([by(name="2"), {}], ["2", "2 (2)"]),
}


@pytest.mark.parametrize(("metadata", "names"), ANNOTATORS.values(), ids=ANNOTATORS)
def test_annotators(metadata: list[dict[str, Any]], names: list[str | None]) -> None:
    reading = parse(jams(*(annotation(C, D, **about) for about in metadata)), "a.jams")
    assert [track.annotator for track in reading.tracks] == names


WARNED = {
    "40 NaN confidences": (
        jams(annotation({**C, "confidence": NAN}, {**D, "confidence": float("inf")})),
        "note 1:109+3 KT144 confidence is not a number, and counts as none (2 such rows) (2 in all)",
    ),
    "40 NaN confidences, old layout": (
        (
            '{"annotations": [{"namespace": "chord", "data": {"time": [0, 1.5], "duration": [1.5, 1.5],\n'
            '"value": ["C", "D"], "confidence": [1, NaN]}}]}'
        ),
        "note 2:40+3 KT144 confidence is not a number, and counts as none",
    ),
    "40 NaN elsewhere": (jams(annotation(C, D), sandbox=NAN), ""),
    "40 NaN elsewhere, old layout": (
        (
            '{"annotations": [{"namespace": "chord", "data": {"time": [0, 1.5], "duration": [1.5, 1.5],\n'
            '"value": ["C", "D"]}}], "sandbox": NaN}'
        ),
        "",
    ),
    "47 beyond the file": (
        jams(annotation(C, D), file_metadata={"duration": 1.2}),
        "warning 1:76+3 KT147 observation ends at 1.5 s, after the file (1.2 s) (2 such rows) (2 in all)",
    ),
    "an annotation without observations": (
        jams(annotation(), annotation(C, D)),
        "warning KT110 annotation without observations skipped: annotator `1`",
    ),
}


@pytest.mark.parametrize(("text", "message"), WARNED.values(), ids=WARNED)
def test_warns(text: str, message: str) -> None:
    reading = parse(text, "a.jams")
    assert told(reading) == message
    assert rows_of(reading) == CD


REFUSED: dict[str, tuple[str, str]] = {
    "9 nothing": ("\n", "error KT110 no annotation rows"),
    "9 no observations": (jams(annotation(), annotation()), "error KT110 no annotation rows"),
    "9 no annotation": (
        jams(),
        """
        error KT145 no annotation of namespace `chord` or `chord_harte`
          help: namespaces in this file: none
        """,
    ),
    "48 other namespaces": (
        jams(annotation(C, namespace="segment_open"), annotation(namespace="beat")),
        """
        error KT145 no annotation of namespace `chord` or `chord_harte`
          help: namespaces in this file: `beat`, `segment_open`
        """,
    ),
    "no JAMS: a list": ("[]", "error 1:1+2 KT143 not a JAMS file: it has no list of `annotations`"),
    "no JAMS: annotations of another kind": (
        '{"annotations": {}}',
        "error 1:1+19 KT143 not a JAMS file: it has no list of `annotations`",
    ),
    "annotation without namespace": (
        '{"annotations": [{}, 3]}',
        """
        error 1:18+2 KT143 annotation has no `namespace`
        error 1:22+1 KT143 annotation has no `namespace`
        """,
    ),
    "data over several lines": (
        '{"annotations": [{"namespace": "chord", "data": {\n"time": 0}}]}',
        "error 1:49+1 KT143 `data` must have lists `time`, `duration` and `value` of one length",
    ),
    "data of another kind": (
        '{"annotations": [{"namespace": "chord", "data": 5}, {"namespace": "chord"}]}',
        """
        error 1:49+1 KT143 `data` must be a list of observations
        error 1:53+22 KT143 `data` must be a list of observations
        """,
    ),
    "columns of other lengths": (
        '{"annotations": [{"namespace": "chord",\n"data": {"time":[0], "duration":[1, 2], "value": ["C"]}}]}',
        "error 2:9+47 KT143 `data` must have lists `time`, `duration` and `value` of one length",
    ),
    "46 values of other kinds": (
        (
            '{"annotations": [{"namespace": "chord", "data": [\n'
            '{"time": "0", "duration": null, "value": 3},\n{"time": true, "duration": {}, "value": null},\n'
            '{"duration": [], "value": "E"},\n7]}]}'
        ),
        """
        error 2:10+3 KT143 `time` must be a number, not the string `0`
        error 2:27+4 KT143 `duration` must be a number, not null
        error 2:42+1 KT143 `value` must be a string, not a number
        error 3:10+4 KT143 `time` must be a number, not true or false
        error 3:28+2 KT143 `duration` must be a number, not an object
        error 3:41+4 KT143 `value` must be a string, not null
        error 4:1+30 KT143 observation has no `time`
        error 4:14+2 KT143 `duration` must be a number, not a list
        error 5:1+1 KT143 observation has no `time`
        error 5:1+1 KT143 observation has no `duration`
        error 5:1+1 KT143 observation has no `value`
        """,
    ),
    "good rows beside bad ones are checked": (
        '{"annotations": [{"namespace":"chord", "data": [\n7,\n{"time": -1, "duration": 3, "value": "C"}]}]}',
        """
        error 2:1+1 KT143 observation has no `time`
        error 2:1+1 KT143 observation has no `duration`
        error 2:1+1 KT143 observation has no `value`
        error 3:10+2 KT123 negative time: `-1`
        """,
    ),
    "40 times that are not finite": (
        (
            '{"annotations": [{"namespace": "chord", "data": [\n'
            '{"time": NaN, "duration": 1, "value": "C"},\n{"time": 1, "duration": -Infinity, "value": "C"},\n'
            '{"time": 2, "duration": 1e400, "value": "C"}, '
            '{"time": 1e9999999999999999999999, "duration": 1, "value": "D"}]}]}'
        ),
        """
        error 2:10+3 KT122 time is not finite: `NaN`
        error 3:25+9 KT122 time is not finite: `-Infinity`
        error 4:25+5 KT122 time is not finite: `1e400`
        error 4:56+24 KT122 time is not finite: `1e9999999999999999999999`
        """,
    ),
    "40 duration of the file": (
        jams(annotation(C, D), file_metadata={"duration": NAN}),
        "error 1:214+3 KT122 time is not finite: `NaN`",
    ),
    "46 duration of the file": (
        jams(annotation(C, D), file_metadata={"duration": "3"}),
        "error 1:214+3 KT143 `duration` must be a number, not the string `3`",
    ),
    "45 long integer": (
        '{"annotations": [{"namespace": "chord", "data": [{"time": 0, "duration": %s, "value": "C"}]}]}'
        % ("9" * 5000),
        "error 1:74+327 KT122 time is not finite: `999999999999999999999999999999999999999…`",
    ),
    "47 overlap": (
        (
            '{"annotations": [{"namespace": "chord", "data": [\n{"time": 0, "duration": 2, "value": "C"},\n'
            '{"time": 1, "duration": 2, "value": "D"}]}]}'
        ),
        """
        error 3:10+1 KT126 segment overlaps the one of line 2 by 1 s
          help: --overlap trim cuts the earlier one where the later one starts
        """,
    ),
    "15 negative duration": (
        jams(annotation({**C, "duration": -1})),
        "error 1:76+2 KT123 negative duration: `-1`",
    ),
    "41 repeated keys": (
        (
            '{"annotations": [{"namespace": "chord", "namespace": "beat", "data": [\n'
            '{"time": 0, "duration": 1, "time": 3, "v\\u0061lue": "x", "value": "C"}]}]}'
        ),
        """
        error 1:41+11 KT142 key stands twice in one object: `namespace`
        error 2:28+6 KT142 key stands twice in one object: `time`
        error 2:58+7 KT142 key stands twice in one object: `value`
        """,
    ),
    "41 nothing but a repeated key": (
        '{"a": 1, "a": 2}',
        "error 1:10+3 KT142 key stands twice in one object: `a`",
    ),
    "42 nested too deep": ("[" * 200_000, "error 1:65+1 KT106 JSON nested more than 64 levels deep"),
    "43 trailing comma": (
        '{"annotations": [],}',
        """
        error 1:19+1 KT141 comma with nothing after it
          help: take the comma out
        """,
    ),
    "43 trailing comma in a list": (
        "[1,\n ]",
        """
        error 1:3+1 KT141 comma with nothing after it
          help: take the comma out
        """,
    ),
    "43 bracket at the beginning, comma at the end": (
        "},",
        "error 1:1+1 KT141 not valid JSON: unexpected `}`",
    ),
    "43 two commas": ("[1,,2]", "error 1:4+1 KT141 not valid JSON: unexpected `,`"),
    "43 comment": (
        '{"annotations": // none\n[]}',
        """
        error 1:17+1 KT141 JSON has no comments
          help: take the comment out
        """,
    ),
    "43 truncated": (
        '{"annotations": [\n',
        """
        error 1:18+1 KT141 JSON ends too early
          help: was the file cut off?
        """,
    ),
    "43 truncated within a string": (
        '{"annotations": [], "sand',
        """
        error 1:21+1 KT141 JSON ends too early
          help: was the file cut off?
        """,
    ),
    "43 concatenated": (
        '{"annotations": []}\n{"annotations": []}',
        """
        error 2:1+1 KT141 text after the end of the JSON value
          help: one file holds one value
        """,
    ),
    "43 single quotes": (
        "{'annotations': []}",
        """
        error 1:2+1 KT141 not valid JSON: unexpected `'`
          help: strings stand between double quotes
        """,
    ),
    "43 a word": ('{"annotations": nul}', "error 1:17+3 KT141 not valid JSON: unexpected `nul`"),
    "43 control character": ('{"a": "\x1b"}', "error 1:8+1 KT141 not valid JSON: unexpected `\\x1b`"),
    "44 half a surrogate pair": (
        '{"annotations": [],\n"\\udc00": ["\\ud834\\udd2a", "a\\udfff", 1]}',
        """
        error 2:1+8 KT146 half a surrogate pair: `"\\udc00"`
        error 2:28+9 KT146 half a surrogate pair: `"a\\udfff"`
        """,
    ),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_refuses(text: str, message: str) -> None:
    reading = parse(text, "a.jams")
    assert told(reading) == dedent(message).strip()
    assert reading.tracks == ()


def test_without_namespaces_an_empty_file_says_so() -> None:
    reading = parse_intervals('{"annotations": []}', name="a.jams")
    assert told(reading) == "error KT145 no annotation\n  help: namespaces in this file: none"


def test_depth_that_strings_hide_is_found() -> None:
    reading = parse('["' + "]" * 20_000 + '",' + "[" * 20_000, "a.jams")
    assert told(reading) == f"error 1:{2 + 20_000 + 2 + 64}+1 KT106 JSON nested more than 64 levels deep"


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits(rows=1), "error KT106 2 rows: over the limit of 1"),
        (Limits(label=0), "error 1:91+1 KT106 label of 1 characters, over the limit of 0: `C`"),
        (Limits(depth=3), "error 1:49+1 KT106 JSON nested more than 3 levels deep"),
    ],
    ids=["rows", "label", "depth"],
)
def test_budgets(limits: Limits, message: str) -> None:
    reading = parse(jams(annotation(C, D)), "a.jams", limits=limits)
    assert told(reading).split("\n")[0] == message
    assert reading.tracks == ()


def test_says_the_same_of_a_trailing_comma_as_later_pythons_point_to_it() -> None:
    text = '{"annotations": [],\n}'
    problems = Problems("a.jams")
    for offset in (text.index("}"), text.index("\n") - 1):
        error = json.JSONDecodeError("Illegal trailing comma before end of object", text, offset)
        report_invalid(error, JsonPlaces(text, "a.jams"), problems)
    (problem,) = problems.diagnostics()
    assert tell(problem) == "error 1:19+1 KT141 comma with nothing after it\n  help: take the comma out"


def test_long_lines_are_no_trouble() -> None:
    data = [{**C, "time": float(number), "duration": 1} for number in range(50)]
    text = jams(annotation(*data), annotation({**C, "time": -1}))
    reading = parse(text, "a.jams", limits=Limits(line=100))
    (problem,) = reading.diagnostics
    assert problem.column == text.index("-1") + 1
    assert problem.excerpt is not None
    assert len(problem.excerpt) <= 400
    assert problem.excerpt[200:202] == "-1"


def test_locates_observations() -> None:
    text = json.dumps({"annotations": [annotation(namespace="beat"), annotation(C, D)]}, indent=1)
    (track,) = parse(text, "a.jams").tracks
    places = [track.locate(row, field) for row in (1, 0) for field in ("start", "end", "label")]
    assert [place.token() for place in places] == ["1.5", "1.5", "D", "0.0", "1.5", "C"]
    assert [place.line for place in places] == [17, 18, 19, 11, 12, 13]


def test_decoded_numbers_are_as_written() -> None:
    places = JsonPlaces('{"a": [0.10, -0, 1E2, Infinity]}', "a.json")
    document = decode(places, Problems("a.json"), Limits())
    assert document is not None
    assert str(document.value) == (
        "{'a': [Decimal('0.10'), Decimal('-0'), Decimal('1E+2'), Decimal('Infinity')]}"
    )


DATA = '"namespace": "chord", "data": [{"time": 0, "duration": 9, "value": "C"'
WITHOUT_END: dict[str, str] = {
    "no namespace": '{"data": []}',
    "no list of data": '{"namespace": "chord", "data": 5}',
    "a key twice": '{"namespace": "chord", "namespace": "chord", "data": []}',
    "half a pair": r'{"namespace": "chord", "data": [], "x": "\ud800"}',
    "a confidence": f'{{{DATA}, "confidence": NaN}}]}}',
    "the end": f"{{{DATA}}}]}}",
}


@pytest.mark.parametrize("one", WITHOUT_END.values(), ids=WITHOUT_END)
def test_no_more_places_are_looked_up_than_are_said(monkeypatch: pytest.MonkeyPatch, one: str) -> None:
    looked_up = []
    at = JsonPlaces.at

    def counted(places: JsonPlaces, span: tuple[int, int]) -> Place:
        looked_up.append(span)
        return at(places, span)

    monkeypatch.setattr(JsonPlaces, "at", counted)
    text = f'{{"annotations": [{", ".join([one] * 300)}], "file_metadata": {{"duration": 1}}}}'
    assert "and 280 more like these" in [problem.message for problem in parse(text, "a.jams").diagnostics]
    assert len(looked_up) <= 40


def test_annotators_of_one_name_are_numbered() -> None:
    text = jams(*(annotation(C, **by(name=name)) for name in ("a", "a (2)", "a", "a")))
    assert [track.annotator for track in parse(text, "a.jams").tracks] == ["a", "a (2)", "a (3)", "a (4)"]


@pytest.mark.parametrize(
    ("written", "column", "length"),
    [
        (r"C:mja7", 3, 4),
        (r"\u0043:mja7", 8, 4),
        (r"C\u003amj\u00617", 8, 9),
        (r"\ud834\udd2a:maj", 1, 12),
        (r"C\u266f:maj", 2, 6),
        (r"C:\"", 3, 2),
    ],
)
def test_columns_of_a_label_count_its_escapes(tmp_path: Path, written: str, column: int, length: int) -> None:
    before = '{"annotations": [{"namespace": "chord", "data": [{"time": 0, "duration": 1, "value": "'
    path = tmp_path / "a.jams"
    path.write_text(f'{before}{written}"}}]}}]}}')
    (problem,) = read_chords(path, "a.jams", ChordOptions()).diagnostics
    assert problem.column is not None
    assert (problem.column - len(before), problem.length) == (column, length)


# --- scores, whose times are no seconds -----------------------------------------------------


def beats(*rows: tuple[float, float], **rest: Any) -> str:
    """Return a file of rows with these times and durations."""
    data = [{"time": time, "duration": duration, "value": "C"} for time, duration in rows]
    return jams(annotation(*data), **rest)


OF_SCORES = {
    "says so": beats((0, 1), (1, 1), sandbox={"type": "score"}),
    "says so in capitals": beats((0, 1), (1, 1), sandbox={"type": " Score"}),
    "annotation says so": jams(annotation(C, D, sandbox={"type": "score"})),
    "beats from 1, several in a measure": beats((16.1, 2), (16.3, 2), (17.1, 4), (18.1, 2), (18.3, 2)),
    "beats from 0": beats((0.0, 2), (0.2, 2), (1.0, 2), (1.2, 2)),
    # 2.15 and 2.175 are beats 1.5 and 1.75 of measure 2
    "parts of beats": beats((1.1, 1.5), (1.25, 0.5), (2.1, 0.5), (2.15, 0.25), (2.175, 1.25), (3.1, 2)),
    "a duration that is wrong": beats((1.1, 2), (1.3, 2), (2.1, 4), (2.3, 2), (3.1, 2), (3.3, 2)),
    "one chord a measure": beats((28.0, 4), (29.0, 4), (30.0, 4), (31.0, 4)),
    "chords of several measures": beats((1.1, 3), (2.1, 6), (4.1, 3), (5.1, 3)),
}


@pytest.mark.parametrize("text", OF_SCORES.values(), ids=OF_SCORES)
def test_times_of_a_score_are_no_seconds(text: str) -> None:
    reading = parse(text, "a.jams")
    assert reading.tracks == ()
    (said,) = reading.diagnostics
    assert (said.code, said.severity) == ("KT148", "error")
    assert "of a score, not seconds" in said.message
    assert "--overlap" not in str(said.hint)


OF_RECORDINGS = {
    "says so": beats((0, 1.5), (1, 2), sandbox={"type": "audio"}),
    "type is no text": beats((0, 1.5), (1, 2), sandbox={"type": ["score"]}),
    "type elsewhere": beats((0, 1.5), (1, 2), file_metadata={"type": "score"}),
    "one row": beats((0, 1.5), (0.5, 1)),
    "one overlap of many rows": beats((0, 1), (0.5, 0.5), (1, 1), (2, 1)),
    "ends in place of durations": beats((0, 4), (4, 8), (8, 12)),
    "durations that differ": beats((0, 2), (1, 3), (2, 2), (3, 4)),
    "all rows too long by half": beats((0, 1.5), (1, 1.5), (2, 1.5)),
    "out of order": beats((1.3, 2), (1.1, 2), (2.1, 2)),
}


@pytest.mark.parametrize("text", OF_RECORDINGS.values(), ids=OF_RECORDINGS)
def test_overlaps_of_seconds_are_overlaps(text: str) -> None:
    assert {said.code for said in parse(text, "a.jams").diagnostics} - {"KT128"} == {"KT126"}


def test_a_score_that_does_not_say_so_is_trimmed_if_asked_with_a_warning() -> None:
    rows = ((16.1, 1), (16.2, 1), (17.1, 2))
    reading = parse(beats(*rows), "a.jams", overlap="trim")
    assert [(said.code, said.severity) for said in reading.diagnostics if said.code == "KT148"] == [
        ("KT148", "warning")
    ]
    assert len(reading.tracks) == 1
    told_so = parse(beats(*rows, sandbox={"type": "score"}), "a.jams", overlap="trim")
    assert [(said.code, said.severity) for said in told_so.diagnostics] == [("KT148", "error")]


def test_values_of_columns() -> None:
    """Old files have an object of columns in place of a list of observations."""
    places = JsonPlaces("{}", "a.jams")
    observations = Observations({"value": ["C", "G"], "confidence": [0.5]}, (), places)
    assert observations.value(1, "value") == "G"
    assert observations.value(1, "confidence") is None
    assert observations.value(0, "time") is None
