# SPDX-License-Identifier: MIT
"""Text with a label on each line."""

import pytest

from kammerton.formats import Limits
from kammerton.formats.reading import Problems
from kammerton.instruments import InstrumentOptions
from kammerton.instruments.formats.label_lines import read_label_lines
from kammerton.instruments.labels import ListReader
from unit.instruments.listing import SAMPLE, lists, only, read, told


@pytest.mark.parametrize(
    "text",
    ["gel\t\nvoi\t\n", "gel\nvoi", "\n# no label\n  gel \n\nvoi\n", "gel\t \r\n".replace("\r", "") + "voi\n"],
)
def test_lines_are_a_set(text: str) -> None:
    assert only(read(text)) == "{gel voi}"
    assert only(read(text, ranked=True)) == "<gel voi>"


def test_a_score_may_stand_behind_a_tab() -> None:
    assert only(read("acoustic guitar\t0.25\nvoice\t 0.5 \n")) == "<voice=0.5 acoustic guitar=0.25>"


def test_places_of_labels_and_scores() -> None:
    reading = read("F\n  Z\t\n", taxonomy=SAMPLE)
    assert [(said.code, said.line, said.column, said.length) for said in reading.diagnostics] == [
        ("KT600", 2, 3, 1)
    ]
    reading = read("F\thigh\nG\t0.5\n")
    assert told(reading.diagnostics) == (
        "error 1:3+4 KT609 score is no finite number: `high`\n  help: a score looks like 0.75"
    )
    assert reading.annotations == ()


def test_a_label_that_stands_twice() -> None:
    reading = read("F\nF\n")
    assert lists(reading) == {None: "{F}"}
    assert told(reading.diagnostics) == "warning 2:1+1 KT603 listed twice, counted once: `F`"


def test_another_form_is_recognised() -> None:
    assert told(read("0.0 1.5 solo\n1.5 2.0 tutti\n").diagnostics) == (
        "error 1:1+12 KT624 format not recognised: rows of times\n"
        "  help: one label a line, or a table with a header"
    )


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("0.0 1.5 C:maj\n1.5 2.0 N\n", "a list of chords, in rows of start, end and label"),
        ("<html><body>no such page</body></html>", "a web page"),
        ("<score-partwise><part/></score-partwise>", "a score in MusicXML"),
        ('<?xml version="1.0"?><x/>', "an XML document"),
        ("X:1\nK:C\nCDE\n", "music in ABC"),
        ("0\t0\t1\tC4\t64\t80\t0\t1\n", "a PIG file, which has notes and fingers"),
    ],
)
def test_what_is_plainly_something_else_is_named(text: str, what: str) -> None:
    (problem,) = read(text).diagnostics
    assert (problem.code, problem.severity, problem.message) == ("KT109", "error", f"this is {what}")


def test_a_label_may_begin_like_a_tag() -> None:
    assert lists(read("<unknown>\nF\n")) == {None: "{<unknown> F}"}


@pytest.mark.parametrize("text", ["", " \n\n", "# F\n", "\x0b\n"])
def test_no_labels(text: str) -> None:
    assert told(read(text).diagnostics) == "error KT110 no annotation rows"


def test_activations_of_medleydb_are_no_labels() -> None:
    text = "time,S01,S02\n0.0,0.12,0.9\n0.046,0.1,0.2\n"
    assert told(read(text, ".lab").diagnostics).startswith(
        "error 2:1+12 KT624 format not recognised: rows of times"
    )
    assert told(read(text, ".csv").diagnostics).startswith("error 1:1+12 KT616 no column names the items")


def test_budgets() -> None:
    assert (
        told(read("F\nG\nE\n", limits=Limits(rows=2)).diagnostics)
        == "error KT106 3 rows: over the limit of 2"
    )


def test_comments_alone_are_no_labels() -> None:
    problems = Problems("a.txt")
    assert read_label_lines("# no label\n", ListReader(problems, InstrumentOptions())) is None
    assert [problem.code for problem in problems.diagnostics()] == ["KT110"]
