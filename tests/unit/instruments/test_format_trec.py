# SPDX-License-Identifier: MIT
"""Judgements and runs of trec_eval."""

from math import log2
from pathlib import Path

import pytest

import kammerton as kt
from kammerton.formats import Limits
from kammerton.instruments import InstrumentOptions
from kammerton.instruments.options import Ties
from unit.instruments.listing import SAMPLE, items, read, sheet, told

QRELS = "301 0 d1 0\n301 0 d2 1\n302 0 d1 2\n301 0 d3 -1\n"
RUN = "301\tQ0\td1\t1\t 0.5\tx\n302 Q0 d9 1 2e1 x\n301 Q0 d3 3 .25 x\n301 Q0 d2 2 0.5 x\n"


def test_judgements_have_grades_and_what_is_not_relevant_is_absent() -> None:
    found = sheet(QRELS, ".txt")
    assert items(found) == {"301": "q{d2:1 !d1 !d3}", "302": "q{d1:2}"}
    assert (found.broken, told(found.diagnostics)) == ({}, "")


def test_documents_of_a_run_are_sorted_by_score_then_as_the_file_has_them() -> None:
    found = sheet(RUN, ".txt")
    assert items(found) == {"301": "q<d1=0.5 d2=0.5 d3=0.25>", "302": "q<d9=20>"}
    assert told(found.diagnostics) == ""


@pytest.mark.parametrize("suffix", [".txt", ".qrels", ".run", ".test", ""])
def test_the_name_of_the_file_does_not_matter(suffix: str) -> None:
    assert set(items(sheet(QRELS, suffix))) == {"301", "302"}


def test_documents_belong_to_no_taxonomy() -> None:
    assert items(sheet(QRELS, ".txt", taxonomy=SAMPLE)) == items(sheet(QRELS, ".txt"))


def test_ranks_do_not_count_and_contradictions_are_noted() -> None:
    found = sheet("1 Q0 a 2 0.5 x\n1 Q0 b 1 0.25 x\n2 Q0 a 1 0.5 x\n2 Q0 b 2 0.5 x\n", ".run")
    assert items(found) == {"1": "q<a=0.5 b=0.25>", "2": "q<a=0.5 b=0.5>"}
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
        "error 5:1+8 KT625 row has 3 columns instead of 4\n"
        "  help: a row is topic, iteration, document, relevance\n"
        "error 6:10+3 KT625 relevance is no integer: `1.5`\n"
        "error 7:12+1 KT625 row has 5 columns instead of 4\n"
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


TIES = Path(__file__).parents[2] / "cases" / "reported" / "instruments"


@pytest.mark.parametrize(
    ("ties", "value"),
    [
        # b, the relevant one, and c have one score; the file has b first
        ("given", 1),
        ("trec", 1 / log2(3)),  # .6309: c comes before b, as the later name
        ("expected", (1 + 1 / log2(3)) / 2),
        ("best", 1),
        ("worst", 1 / log2(3)),
    ],
)
def test_ties_of_a_run_as_the_file_has_them_or_by_name(ties: Ties, value: float) -> None:
    options = InstrumentOptions(ties=ties)
    found = kt.score(
        "instruments", TIES / "ties.qrels", TIES / "ties.run", options=options, ci=None, protocols="all"
    )
    assert found.value("open-mic-task2/nDCG") == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(("ties", "value"), [("expected", 1), ("given", 1), ("trec", 1 / 2)])
def test_graded_measures_without_a_closed_form_keep_the_order_of_the_file(
    tmp_path: Path, ties: Ties, value: float
) -> None:
    (tmp_path / "qrels").write_text("1 0 a 0\n1 0 b 2\n")
    (tmp_path / "run").write_text("1 Q0 b 1 1.0 x\n1 Q0 c 2 1.0 x\n")
    options = InstrumentOptions(ties=ties)
    found = kt.score(
        "instruments", tmp_path / "qrels", tmp_path / "run", options=options, ci=None, protocols="all"
    )
    assert found.value("ERR") == value  # p = 2/2 at the first or the second place


def test_the_best_documents_of_a_tie_are_the_first_ones_of_the_file() -> None:
    options = InstrumentOptions(ties="given", top_k=1)
    found = kt.score(
        "instruments", TIES / "ties.qrels", TIES / "ties.run", options=options, ci=None, protocols="all"
    )
    assert found.value("open-mic-task2/set_R") == 1.0


def test_a_field_that_is_too_long_breaks_no_topic() -> None:
    found = sheet(f"301 Q0 d1 1 0.5 x\n301 Q0 {'d' * 200_000}\n", ".run")
    assert found.broken == {}
    assert "KT106" in told(found.diagnostics)
