# SPDX-License-Identifier: MIT
"""Tags in JAMS."""

import json
from typing import Any

import pytest

from kammerton.formats import Limits
from kammerton.model.task import Reading
from unit.instruments.listing import lists, only, read, told


def tag(value: object, confidence: object = None, **other: object) -> dict[str, object]:
    return {"time": 0, "duration": 10.0, "value": value, "confidence": confidence} | other


def annotation(*data: object, namespace: str = "tag_open", **other: object) -> dict[str, object]:
    return {"namespace": namespace, "data": list(data)} | other


def jams(*annotations: object, suffix: str = ".jams", **options: Any) -> Reading[Any]:
    return read(json.dumps({"annotations": annotations, "file_metadata": {}}), suffix, **options)


def test_confidence_ranks() -> None:
    assert only(jams(annotation(tag("E", 0.25), tag("F", 0.75), tag("G", 3.7)))) == "<G=3.7 F=0.75 E=0.25>"


def test_the_suffix_may_be_that_of_json_and_files_may_lack_one() -> None:
    assert only(jams(annotation(tag("E", 1)), suffix=".json")) == "<E=1>"
    assert only(jams(annotation(tag("E", 1)), suffix="")) == "<E=1>"


def test_an_annotation_may_say_that_there_is_nothing() -> None:
    assert only(jams(annotation())) == "<>"


def test_without_confidence_nothing_is_ranked() -> None:
    reading = jams(annotation(tag("E"), tag("F")))
    assert lists(reading) == {None: "{E F}"}
    assert told(reading.diagnostics) == (
        "note 1:93+1 KT611 labels without confidence: they are not ranked\n"
        "  help: --ranked takes their order for their rank"
    )
    bare = read('{"annotations": [{"namespace": "tag_open", "data": [{"value": "E"}]}]}', ".jams")
    assert lists(bare) == {None: "{E}"}


def test_labels_without_confidence_are_ranked_by_their_order_if_the_caller_says_so() -> None:
    assert only(jams(annotation(tag("F"), tag("E")), ranked=True)) == "<F E>"
    assert only(jams(annotation(tag("F", 0.25), tag("E", 0.5)), ranked=True)) == "<E=0.5 F=0.25>"


@pytest.mark.parametrize(
    ("said", "expected"),
    [({"ranked": True}, "<F E>"), ({"ranked": "yes"}, "{F E}"), ({"ranked": False}, "{F E}"), (3, "{F E}")],
)
def test_labels_without_confidence_are_ranked_by_their_order_if_the_file_says_so(
    said: object, expected: str
) -> None:
    other = annotation(tag("G"), tag("F"))
    reading = jams(annotation(tag("F"), tag("E"), sandbox=said), other)
    assert lists(reading) == {"1": expected, "2": "{G F}"}
    whole = {"annotations": [annotation(tag("F"), tag("E")), other], "sandbox": said}
    ranked = lists(read(json.dumps(whole), ".jams"))
    assert ranked == {"1": expected, "2": expected.replace("F E", "G F")}


def test_nan_counts_as_none() -> None:
    reading = jams(annotation(tag("E", float("nan")), tag("F", float("nan"))))
    assert lists(reading) == {None: "{E F}"}
    assert [(each.code, each.count) for each in reading.diagnostics] == [("KT611", 1), ("KT612", 2)]


@pytest.mark.parametrize(
    ("confidence", "shown"),
    [
        ("high", "the string `high`"),
        ("0.5", "the string `0.5`"),
        (True, "true or false"),
        ([0.5], "a list"),
        ({}, "an object"),
        (float("inf"), "`Infinity`"),
    ],
)
def test_confidence_is_a_number_or_null(confidence: object, shown: str) -> None:
    reading = jams(annotation(tag("E", confidence), tag("F", 0.5)))
    assert reading.annotations == ()
    assert "KT609" in [each.code for each in reading.diagnostics]
    said = next(each for each in reading.diagnostics if each.code == "KT609")
    assert said.message == f"confidence must be a finite number or null, not {shown}"
    assert said.line == 1


def test_a_tag_counts_for_the_whole_and_once_with_its_best_confidence() -> None:
    data = (tag("E", 0.25), tag("E", 0.75, time=5), tag("F", 0.5, time="later"), tag("E", 0.5))
    assert only(jams(annotation(*data))) == "<E=0.75 F=0.5>"


def test_annotations_are_annotators() -> None:
    named = annotation(tag("E", 1), annotation_metadata={"annotator": {"name": "Ann"}})
    other = annotation(tag("F", 1), annotation_metadata={"annotator": {"name": "Ann"}})
    assert lists(jams(named, other, annotation(tag("G", 1)))) == {
        "Ann": "<E=1>",
        "Ann (2)": "<F=1>",
        "3": "<G=1>",
    }


def test_other_namespaces() -> None:
    medleydb = annotation(tag("E", 1), namespace="tag_medleydb_instruments")
    genre = annotation(tag("rock", 1), namespace="tag_gtzan")
    beat = annotation(tag(1), namespace="beat")
    reading = jams(genre, beat, medleydb, annotation(tag("F", 1)))
    assert lists(reading) == {None: "<E=1>"}
    assert told(reading.diagnostics) == (
        "note KT628 tags of `tag_medleydb_instruments` are read, those of `tag_gtzan`, `tag_open` are not"
    )
    assert lists(jams(genre)) == {None: "<rock=1>"}
    assert told(jams(beat).diagnostics) == (
        "error KT145 no annotation of tags\n  help: namespaces in this file: `beat`"
    )
    assert told(read('{"annotations": []}', ".jams").diagnostics) == (
        "error KT145 no annotation of tags\n  help: namespaces in this file: none"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[]", "error 1:1+2 KT143 not a JAMS file: it has no list of `annotations`"),
        ('{"a": 1}', "error 1:1+8 KT143 not a JAMS file: it has no list of `annotations`"),
        ('{"annotations": [3]}', "error 1:18+1 KT143 annotation has no `namespace`"),
        (
            '{"annotations": [{"namespace": "tag_open", "data": 3}]}',
            "error 1:52+1 KT143 `data` must be a list of observations",
        ),
        (
            '{"annotations": [{"namespace": "tag_open"}]}',
            "error 1:18+25 KT143 `data` must be a list of observations",
        ),
        (
            '{"annotations": [{"namespace": "tag_open", "data": {"value": ["E", "F"], "confidence": [1]}}]}',
            "error 1:52+40 KT143 `data` must be a list of observations",
        ),
        (
            '{"annotations": [{"namespace": "tag_open", "data": [{"value": 3}]}]}',
            "error 1:63+1 KT143 `value` must be a string, not a number",
        ),
        (
            '{"annotations": [{"namespace": "tag_open", "data": [{"time": 3}, 5]}]}',
            (
                "error 1:53+11 KT143 `value` must be a string, and is missing\n"
                "error 1:66+1 KT143 `value` must be a string, and is missing"
            ),
        ),
    ],
)
def test_files_that_are_not_built_like_jams(text: str, expected: str) -> None:
    assert told(read(text, ".jams").diagnostics) == expected


def test_old_files_have_columns() -> None:
    begin = '{"annotations": [{"namespace": "tag_open", "data": {"value": ["E", "F"]'
    assert lists(read(begin + "}}]}", ".jams")) == {None: "{E F}"}
    assert only(read(begin + ', "confidence": [0.25, 0.5]}}]}', ".jams")) == "<F=0.5 E=0.25>"


def test_budgets() -> None:
    reading = jams(annotation(tag("E"), tag("F")), limits=Limits(rows=1))
    assert told(reading.diagnostics) == "error KT106 2 rows: over the limit of 1"
