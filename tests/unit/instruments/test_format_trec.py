# SPDX-License-Identifier: MIT
"""Judgements and runs of trec_eval."""

import pytest

from kammerton.formats import Limits
from unit.instruments.listing import SAMPLE, items, read, sheet, told

QRELS = "301 0 d1 0\n301 0 d2 1\n302 0 d1 2\n301 0 d3 -1\n"
RUN = "301\tQ0\td1\t1\t 0.5\tx\n302 Q0 d9 1 2e1 x\n301 Q0 d3 2 .25 x\n301 Q0 d2 3 0.5 x\n"


def test_judgements_have_grades_and_what_is_not_relevant_is_absent() -> None:
    found = sheet(QRELS, ".txt")
    assert items(found) == {"301": "q{d2:1 !d1 !d3}", "302": "q{d1:2}"}
    assert (found.broken, told(found.diagnostics)) == ({}, "")


def test_documents_of_a_run_are_sorted_by_score_then_by_name_from_the_last() -> None:
    found = sheet(RUN, ".txt")
    assert items(found) == {"301": "q<d2=0.5 d1=0.5 d3=0.25>", "302": "q<d9=20>"}
    assert told(found.diagnostics) == ""


@pytest.mark.parametrize("suffix", [".txt", ".qrels", ".run", ".test", ""])
def test_the_name_of_the_file_does_not_matter(suffix: str) -> None:
    assert set(items(sheet(QRELS, suffix))) == {"301", "302"}


def test_documents_belong_to_no_taxonomy() -> None:
    assert items(sheet(QRELS, ".txt", taxonomy=SAMPLE)) == items(sheet(QRELS, ".txt"))


def test_ranks_do_not_count_and_contradictions_are_noted() -> None:
    found = sheet("1 Q0 a 2 0.5 x\n1 Q0 b 1 0.25 x\n2 Q0 a 1 0.5 x\n2 Q0 b 2 0.5 x\n", ".run")
    assert items(found) == {"1": "q<a=0.5 b=0.25>", "2": "q<b=0.5 a=0.5>"}
    assert told(found.diagnostics) == ("note 2:8+1 KT613 rank contradicts the scores, which count")


def test_documents_that_stand_twice_break_their_topics() -> None:
    found = sheet(RUN + "301 Q0 d3 4 0.1 x\n", ".run")
    assert items(found) == {"302": "q<d9=20>"}
    assert told(found.diagnostics) == "error 5:8+2 KT626 document stands twice for topic `301`: `d3`"
    assert found.broken == {"301": "KT626 document stands twice for topic `301`: `d3`"}
    judged = sheet(QRELS + "302 0 d1 2\n", ".qrels")
    assert set(judged.items) == {"301"}


def test_rows_that_cannot_be_used_break_their_topics() -> None:
    found = sheet(QRELS + "303 0 d1\n304 0 d1 1.5\n302 0 d2 0 7\n305 0 d1 99999999999\n", ".qrels")
    assert set(found.items) == {"301"}
    assert told(found.diagnostics) == (
        "error 5:1+3 KT625 row has 3 columns instead of 4\n"
        "  help: a row is topic, iteration, document, relevance\n"
        "error 6:10+3 KT625 relevance is no integer: `1.5`\n"
        "error 7:1+3 KT625 row has 5 columns instead of 4\n"
        "  help: a row is topic, iteration, document, relevance\n"
        "error 8:10+11 KT625 relevance is no integer: `99999999999`"
    )
    run = sheet(RUN + "301 Q0 d4 4 high x\n303 Q0 d4 1 nan x\n", ".run")
    assert set(run.items) == {"302"}
    assert [(said.code, said.line, said.column) for said in run.diagnostics] == [
        ("KT609", 5, 13),
        ("KT609", 6, 13),
    ]


def test_ranks_may_be_anything() -> None:
    assert items(sheet("1 Q0 a 1 0.5 x\n1 Q0 b ? 0.25 x\n", ".run")) == {"1": "q<a=0.5 b=0.25>"}


def test_budgets() -> None:
    assert told(read(QRELS, ".qrels", limits=Limits(rows=2)).diagnostics) == (
        "error KT106 4 rows: over the limit of 2"
    )
    said = read("1 0 dddddd 1\n", ".qrels", limits=Limits(label=5)).diagnostics
    assert told(said) == "error KT106 name of 6 characters: over the limit of 5"
