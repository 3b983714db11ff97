# SPDX-License-Identifier: MIT
"""Ranked answers to queries: the cases of the specification."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from kammerton.instruments.columns import build_columns, lists_of
from kammerton.instruments.retrieval import Answers, Parts, Queries, gather_rows
from kammerton.model.measure import name_items
from kammerton.model.task import Case
from unit.instruments.scored import DEEP, FIGURE, Pair, by_class, equals, figures, listed, options

TASK2 = "open-mic-task2"


def answers(grades: list[int], missed: list[int] | None = None, **given: Any) -> Answers:
    """Return the answers to one query, by their grades in the order returned."""
    count = len(grades)
    wanted = np.array([grade for grade in (*grades, *(missed or [])) if grade], dtype=np.int64)
    return Answers(
        **{
            "listed": lists_of(np.array([count]), np.arange(count), -np.arange(count, dtype=float)),
            "relevant": np.array(grades, dtype=np.int64) > 0,
            "grades": np.array(grades, dtype=np.int64),
            "wanted": lists_of(np.array([len(wanted)]), wanted),
            "total": np.array([len(wanted)]),
            "ties": "expected",
            "results": 1000,
            "names": np.arange(count),
            **given,
        }
    )


def value(parts: Parts) -> float:
    (part,), (whole,) = (each.tolist() for each in parts)
    return part / whole if whole else math.nan


BINARY = """
R01 | 101        | 2 | 1   | 2/5 | 5/6   | 0.919721
R02 | 000        | 2 | 0   | 0   | 0     | 0
R03 |            | 2 | 0   | 0   | 0     | 0
R04 | 11         | 2 | 1   | 2/5 | 1     | 1
R05 | 11         | 4 | 1   | 2/5 | 1/2   | 0.636682
R06 | 01101      | 3 | 1/2 | 3/5 | 53/90 | 0.712263
R07 | 00         | 0 | 0   | 0   | u     | u
R08 | 0001       | 1 | 1/4 | 1/5 | 1/4   | 0.430677
R09 | 1110000000 | 3 | 1   | 3/5 | 1     | 1
"""
ROWS = [[cell.strip() for cell in line.split("|")] for line in BINARY.strip().split("\n")]


@pytest.mark.parametrize(
    ("case", "order", "total", "rr", "p5", "ap", "ndcg"), ROWS, ids=[row[0] for row in ROWS]
)
def test_binary_cases(case: str, order: str, total: str, rr: str, p5: str, ap: str, ndcg: str) -> None:
    grades = [int(digit) for digit in order]
    found = answers(grades, [1] * (int(total) - sum(grades)))
    assert value(found.reciprocal_rank()) == equals(rr)
    assert value(found.precision_at(5)) == equals(p5)
    assert value(found.average_precision()) == equals(ap)
    expected = math.nan if ndcg == "u" else float(ndcg)
    assert value(found.discounted_gain()) == pytest.approx(expected, abs=5e-7, nan_ok=True)


def test_r01_gain_in_closed_form() -> None:
    expected = 1.5 / (1 + 1 / math.log2(3))
    assert value(answers([1, 0, 1]).discounted_gain()) == pytest.approx(expected, abs=1e-15)


def test_r09_precision_divides_by_the_place() -> None:
    assert value(answers([1, 1, 1, *[0] * 7]).precision_at(10)) == 3 / 10


def test_r10_a_list_has_an_end() -> None:
    found = answers([1, 1, 1, 1, 1], results=2)
    assert value(found.reciprocal_rank()) == 1.0
    assert value(found.precision_at(5)) == 2 / 5
    assert value(found.average_precision()) == 2 / 5
    assert value(found.discounted_gain()) == pytest.approx(0.553146, abs=5e-7)
    assert found.as_set().tolist() == [[2.0, 2.0, 5.0]]
    late = answers([0, 0, 1, 2], results=2)
    assert value(late.reciprocal_rank()) == 0.0
    assert value(late.reciprocal_rank_of_satisfaction("campaign")) == 0.0
    assert value(late.graded_average_precision()) == 0.0
    assert value(late.expected_precision_at(4)) == 0.0


GRADED = """
R11 | 1202 |   | 3/4 | 145/256 | 2/3 | 19/28
R12 | 1202 | 2 | 3/4 | 145/256 | 2/3 | 19/40
R13 | 200  |   | 1   | 3/4     | 1/2 | 1
R14 | 100  |   | 1/2 | 1/4     | 1/6 | 1
R15 | 02   |   | 1/2 | 3/8     | 1/2 | 1/2
R16 | 111  |   | 2/3 | 25/64   | 1/3 | 1
R17 | 22   |   | 1   | 27/32   | 1   | 1
R18 | 12   |   | 3/4 | 17/32   | 2/3 | 3/4
R18b | 21  |   | 1   | 25/32   | 2/3 | 1
R19 | 000  |   | 0   | 0       | 0   | u
"""
GRADED_ROWS = [[cell.strip() for cell in line.split("|")] for line in GRADED.strip().split("\n")]


@pytest.mark.parametrize(
    ("case", "order", "missed", "err", "chapelle", "ep2", "gap"),
    GRADED_ROWS,
    ids=[row[0] for row in GRADED_ROWS],
)
def test_graded_cases(
    case: str, order: str, missed: str, err: str, chapelle: str, ep2: str, gap: str
) -> None:
    found = answers([int(digit) for digit in order], [int(digit) for digit in missed])
    assert value(found.reciprocal_rank_of_satisfaction("campaign")) == equals(err)
    assert value(found.reciprocal_rank_of_satisfaction("chapelle")) == equals(chapelle)
    assert value(found.expected_precision_at(2)) == equals(ep2)
    assert value(found.graded_average_precision()) == equals(gap)


def test_r11_further_figures() -> None:
    found = answers([1, 2, 0, 2])
    assert value(found.expected_precision_at(5)) == equals("7/15")
    assert value(found.discounted_gain()) == pytest.approx(0.830231, abs=5e-7)


def test_graded_measures_keep_the_order_of_ties() -> None:
    tied = lists_of(np.array([2]), np.arange(2), np.zeros(2))
    for ties in ("expected", "grouped", "given"):
        found = answers([1, 2], listed=tied, ties=ties)
        assert value(found.graded_average_precision()) == equals("3/4")
    best = answers([1, 2], listed=tied, ties="best")
    assert value(best.graded_average_precision()) == 1.0
    by_name = answers([1, 2], listed=tied, ties="trec", names=np.array([0, 1]))
    assert value(by_name.reciprocal_rank_of_satisfaction("campaign")) == 1.0


def test_ties_of_gains_are_averaged() -> None:
    tied = lists_of(np.array([3]), np.arange(3), np.array([1.0, 0.0, 0.0]))
    found = answers([0, 2, 0], listed=tied)
    discounts = (1 / math.log2(3) + 1 / math.log2(4)) / 2
    assert value(found.discounted_gain()) == pytest.approx(discounts)
    assert value(found.precision_at(2)) == equals("1/4")


def test_a_tie_across_the_end_of_the_list() -> None:
    tied = lists_of(np.array([4]), np.arange(4), np.zeros(4))
    found = answers([1, 0, 0, 0], listed=tied, results=2)
    assert found.as_set().tolist() == [[0.5, 2.0, 1.0]]
    assert value(found.reciprocal_rank()) == equals("3/8")  # first or second with chance 1/4 each


# --- from files ----------------------------------------------------------------------------


def queries(pairs: list[Pair], tree: Any = None, **choices: Any) -> Queries:
    chosen = options(tree, **choices)
    rows = gather_rows(build_columns([Case((ref,), est) for ref, est in pairs], chosen))
    items = [f"file {number}" for number in range(len(pairs))]
    return Queries(name_items(rows, np.arange(len(pairs)), items), chosen)


def grades_of(pairs: list[Pair], query: str, tree: Any) -> list[int]:
    """Return the grade of each file for a query that all files have a score for."""
    found = queries(pairs, tree)
    whole = found.answers()
    own = slice(*whole.listed.offsets[found.names.index(query) :][:2].tolist())
    by_file = dict(zip(whole.listed.codes[own].tolist(), whole.grades[own].tolist(), strict=True))
    assert len(by_file) == len(pairs)
    return [by_file[unit] for unit in sorted(by_file)]


def graded(annotations: list[str], query: str, tree: Any = FIGURE) -> list[int]:
    pairs = [(listed(text.split(",") if text else []), listed({query: 0.5})) for text in annotations]
    return grades_of(pairs, query, tree)


def test_r20_the_grade_of_a_file_is_that_of_its_best_annotation() -> None:
    assert graded(["G", "E", "H", "H,E", "G,E", ""], "G") == [2, 1, 0, 1, 2, 0]


def test_grades_of_families() -> None:
    assert graded(["B", "F", "C", "H", "A"], "B") == [2, 2, 0, 0, 0]  # families are no siblings
    assert graded(["violin", "bowed", "plucked", "guitar", "strings"], "bowed", DEEP) == [2, 2, 1, 0, 0]


def test_labels_outside_of_the_taxonomy_have_no_siblings() -> None:
    pairs = [(listed([label]), listed({"Z": 0.5})) for label in ("Z", "E")]
    assert grades_of(pairs, "Z", FIGURE) == [2, 0]


def test_without_a_taxonomy_there_are_no_siblings() -> None:
    assert graded(["G", "E"], "G", tree=None) == [2, 0]


def test_siblings_of_what_nobody_judged_are_left_out() -> None:
    pairs = [
        (listed("E", absent="G"), listed({"G": 0.9})),  # a sibling, and known to be no more
        (listed("E", absent="H"), listed({"G": 0.8})),  # perhaps more
        (listed("G", absent=""), listed({"G": 0.7})),
        (listed("E", absent=""), listed({"J": 0.6})),  # nobody knows whether G is missed here
    ]
    found = queries(pairs, FIGURE)
    whole, at = found.answers(), found.names.index("G")
    begin, end = whole.listed.offsets[[at, at + 1]].tolist()
    assert whole.listed.codes[begin:end].tolist() == [0, 2]
    assert whole.grades[begin:end].tolist() == [1, 2]
    begin, end = whole.wanted.offsets[[at, at + 1]].tolist()
    assert sorted(whole.wanted.codes[begin:end].tolist()) == [1, 2]


def gap_of(pairs: list[Pair], query: str) -> float:
    name = f"{TASK2}/GAP"
    classes, found = by_class(pairs, options(FIGURE), [name])
    return found[name][classes.index(query)]


def test_siblings_that_were_not_returned_are_missed() -> None:
    pairs = [(listed("G"), listed({"G": 0.9})), (listed("E"), listed({"E": 0.9}))]
    assert gap_of(pairs, "G") == equals("3/4")  # (1/3 + 2/3) / (2 * 1/3 + 2/3)


def test_siblings_are_known_from_any_row_of_the_instrument() -> None:
    pairs = [(listed("G", absent=""), listed({"G": 0.9})), (listed("E", absent="G"), listed({"G": 0.8}))]
    assert gap_of(pairs, "G") == 1.0
    assert gap_of([pairs[0], (pairs[1][0], listed({"E": 0.8}))], "G") == equals("3/4")


@pytest.mark.parametrize("whole_first", [True, False])
def test_what_was_judged_absent_is_wrong_beside_files_judged_in_whole(whole_first: bool) -> None:
    # F is there at 0.5; at 0.9 it is not, whoever says so; nobody judged the file at 0.8
    whole = [(listed("F"), listed({"F": 0.5})), (listed("E"), listed({"F": 0.9}))]
    partly = [(listed("", absent="F"), listed({"F": 0.9})), (listed("E", absent=""), listed({"F": 0.8}))]
    pairs = [*whole, *partly] if whole_first else [*partly, *whole]
    classes, found = by_class(pairs, options(), [f"{TASK2}/AP", f"{TASK2}/RR"])
    assert [each[classes.index("F")] for each in found.values()] == [equals("1/3"), equals("1/3")]
    classes, found = by_class(pairs, options(assume_absent=True), [f"{TASK2}/AP"])
    assert found[f"{TASK2}/AP"][classes.index("F")] == equals("1/4")


def test_trec_eval_knows_a_topic_by_its_judgements() -> None:
    nothing_relevant = listed((), absent=["d1"], closed=True, query=True), listed(("d1",))
    nothing_judged = listed((), query=True), listed(())
    found = topic({"d1": 1}, ("d1",))
    name = f"{TASK2}/AP"
    chosen = options(undefined="trec")
    assert figures([found, nothing_relevant], chosen, [name])[name] == 0.5
    assert figures([found, nothing_judged], chosen, [name])[name] == 1.0


def test_descendants_count_where_the_family_was_not_judged() -> None:
    pairs = [(listed("F", absent="J"), listed({"B": 0.5}))]
    found = queries(pairs, FIGURE)
    whole, at = found.answers(), found.names.index("B")
    begin, end = whole.listed.offsets[[at, at + 1]].tolist()
    assert whole.grades[begin:end].tolist() == [2]


CORPUS: list[Pair] = [
    (listed("EH"), listed({"E": 0.9, "F": 0.1})),
    (listed("F"), listed({"E": 0.8, "F": 0.3})),
    (listed("E"), listed({"H": 0.7, "E": 0.2})),
    (listed("J"), listed({"E": 0.6})),
]


def test_figures_of_instruments_over_files() -> None:
    names = [
        f"{TASK2}/{name}" for name in ("RR", "P@5", "AP", "ERR", "EP@5", "GAP", "nDCG", "set_P", "set_R")
    ]
    classes, found = by_class(CORPUS, options(FIGURE), names)
    assert classes == ("E", "F", "H", "J")
    # E: files 1 (2), 2 (1: F), 4 (0), 3 (2)
    rr, p5, ap, err, ep5, gap, ndcg, set_p, set_r = (each[0] for each in found.values())
    assert (rr, p5, ap) == (1.0, 2 / 5, equals("3/4"))
    assert err == 1.0
    assert ep5 == equals("7/15")  # 1/3 * 3/5 + 2/3 * 2/5
    assert gap == pytest.approx((1 / 3 * (1 + 1 + 3 / 4) + 2 / 3 * (1 + 2 / 4)) / (7 / 3))
    ideal = 2 + 2 / math.log2(3) + 1 / 2
    assert ndcg == pytest.approx((2 + 1 / math.log2(3) + 2 / math.log2(5)) / ideal)
    assert (set_p, set_r) == (1 / 2, 1.0)
    # J: nobody said it; H: file 3 was said, file 1 is right
    assert [each[3] for each in found.values()][:3] == [0.0, 0.0, 0.0]
    assert found[f"{TASK2}/AP"][2] == 0.0
    assert math.isnan(found[f"{TASK2}/set_P"][3])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("EP@5", "4/15"),  # (1 + 1/3) / 5
        ("EP@10", "7/30"),  # (2 + 1/3) / 10
        ("EP@15", "10/45"),
        ("EP@20", "13/60"),
        ("EP@50", "16/150"),
        ("EP@100", "19/300"),
    ],
)
def test_a_sibling_counts_a_third_up_to_each_place(name: str, expected: str) -> None:
    there = {1: "E", 2: "F", 6: "E", 11: "E", 16: "E", 21: "E", 51: "E"}  # F: the sibling
    pairs = [(listed(there.get(place, "J")), listed({"E": 1 - place / 100})) for place in range(1, 61)]
    classes, found = by_class(pairs, options(FIGURE), [f"{TASK2}/{name}"])
    assert found[f"{TASK2}/{name}"][classes.index("E")] == equals(expected)


def test_means_over_instruments_that_some_file_has() -> None:
    pairs = [*CORPUS, (listed(""), listed({"K": 0.9}))]
    names = [f"{TASK2}/{name}" for name in ("RR", "P@5", "AP", "set_P", "set_F")]
    found = figures(pairs, options(), names)
    assert found == figures(CORPUS, options(), names)  # K is in no mean, J counts 0
    assert found[f"{TASK2}/RR"] == pytest.approx((1 + 1 + 0 + 0) / 4)
    assert found[f"{TASK2}/AP"] == pytest.approx((3 / 4 + 1 + 0 + 0) / 4)
    assert found[f"{TASK2}/set_P"] == pytest.approx((1 / 2 + 1 / 2 + 0 + 0) / 4)
    zero = figures(pairs, options(undefined="zero"), names)
    assert zero[f"{TASK2}/AP"] == pytest.approx((3 / 4 + 1) / 5)
    skip = figures(pairs, options(undefined="skip"), names)
    assert skip[f"{TASK2}/RR"] == pytest.approx((1 + 1 + 0 + 0 + 0) / 5)  # K: nothing found
    assert skip[f"{TASK2}/set_P"] == pytest.approx((1 / 2 + 1 / 2 + 0 + 0) / 4)  # J undefined, K wrong


def test_rare_instruments_can_be_left_out() -> None:
    name = f"{TASK2}/AP"
    assert figures(CORPUS, options(min_support=2), [name])[name] == equals("3/4")  # E alone
    assert math.isnan(figures(CORPUS, options(min_support=3), [name])[name])
    topics = [topic({"d1": 1}, ("d1",))]
    assert figures(topics, options(min_support=2), [name])[name] == 1.0


def test_equal_scores_are_in_the_order_of_the_names_of_files() -> None:
    tied: list[Pair] = [(listed("x" if right else ""), listed({"x": 0.5})) for right in (True, False, False)]
    name = f"{TASK2}/AP"
    found = {ties: figures(tied, options(ties=ties), [name])[name] for ties in ("given", "trec", "expected")}
    assert found == {
        "given": 1.0,
        "trec": equals("1/3"),
        "expected": equals(str((1 + Fraction(1, 2) + Fraction(1, 3)) / 3)),
    }


def test_labels_without_a_score_come_last() -> None:
    pairs = [(listed("x"), listed("x", ranked=False)), (listed(""), listed({"x": 0.1}))]
    name = f"{TASK2}/RR"
    assert figures(pairs, options(), [name])[name] == 1 / 2


# --- topics --------------------------------------------------------------------------------


def topic(grades: dict[str, int], returned: dict[str, float] | tuple[str, ...]) -> Pair:
    given = np.array(list(grades.values()), dtype=np.int64)
    truth = listed(tuple(grades), grades=given, query=True, ranked=False)
    assert truth.closed
    return truth, listed(returned)


def test_topics_are_queries_of_their_own() -> None:
    pairs = [
        topic({"d1": 2, "d2": 1, "d9": 1}, {"d3": 0.5, "d2": 0.75, "d1": 0.25}),
        topic({"d1": 1}, {"d1": 1.0}),
    ]
    names = [f"{TASK2}/{name}" for name in ("RR", "AP", "nDCG", "ERR", "set_R")]
    classes, found = by_class(pairs, options(FIGURE), names)
    assert classes == ("file 000", "file 001")
    assert found[f"{TASK2}/RR"] == [1.0, 1.0]
    assert found[f"{TASK2}/AP"] == [equals("5/9"), 1.0]
    ideal = 2 + 1 / math.log2(3) + 1 / 2
    assert found[f"{TASK2}/nDCG"][0] == pytest.approx((1 + 2 / 2) / ideal)
    assert found[f"{TASK2}/ERR"][0] == equals("2/3")  # 1/2 + 1/3 * 1/2 * 1
    assert found[f"{TASK2}/set_R"][0] == equals("2/3")


def test_a_topic_may_list_its_documents_in_order_alone() -> None:
    pairs = [topic({"d1": 1}, ("d2", "d1"))]
    assert figures(pairs, options(), [f"{TASK2}/RR"]) == {f"{TASK2}/RR": 1 / 2}


def test_documents_of_topics_belong_to_no_taxonomy() -> None:
    pairs = [topic({"E": 1}, {"F": 0.5})]
    found = figures(pairs, options(FIGURE, level=1, leaves=True), [f"{TASK2}/nDCG", f"{TASK2}/RR"])
    assert list(found.values()) == [0.0, 0.0]
