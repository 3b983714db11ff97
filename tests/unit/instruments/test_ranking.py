# SPDX-License-Identifier: MIT
"""Ranked lists and their ties: the cases of the specification, and every order counted by hand."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import groupby, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kammerton.instruments.columns import Lists, at_places, first_hits, precision_at_hits, rank
from kammerton.instruments.options import Ties
from kammerton.model.measure import Values
from unit.instruments.scored import Pair, equals, listed, options, values

AP, LRAP = "open-mic-task1/AP", "scores/LRAP"

T01: Pair = listed("a"), listed({"a": 0.5, "b": 0.5})
T02: Pair = listed("ac"), listed({"a": 0.5, "b": 0.5, "c": 0.5, "d": 0.25})
T03: Pair = listed("ad"), listed({"a": 0.5, "b": 0.5, "c": 0.5, "d": 0.25})


@pytest.mark.parametrize(
    ("pair", "ties", "expected"),
    [
        (T01, "expected", "3/4"),
        (T01, "grouped", "1/2"),
        (T01, "given", "1"),
        ((listed("b"), T01[1]), "given", "1/2"),
        (T01, "trec", "1/2"),
        ((listed("b"), T01[1]), "trec", "1"),
        (T01, "best", "1"),
        (T01, "worst", "1/2"),
        (T02, "expected", "29/36"),
        (T02, "grouped", "2/3"),
        (T02, "best", "1"),
        (T02, "worst", "7/12"),
        (T03, "expected", "5/9"),
        (T03, "grouped", "5/12"),
        ((listed("ab"), listed("a")), "expected", "1/2"),
    ],
)
def test_ties_of_a_file(pair: Pair, ties: Ties, expected: str) -> None:
    assert values(pair, options(ties=ties), [AP])[AP] == equals(expected)


def test_t04_what_is_not_listed_is_missed_and_what_is_scored_zero_is_tied() -> None:
    zeros = {"a": 1.0, "b": 0.0, "c": 0.0, "d": 0.0, "e": 0.0}
    assert values((listed("ab"), listed("a")), options(), [AP])[AP] == 0.5
    assert values((listed("ab"), listed(zeros, vector=True)), options(), [LRAP])[LRAP] == equals("7/10")


def test_t05_all_classes_annotated() -> None:
    scores = {label: place / 5 for place, label in enumerate("dbeac")}
    pair = listed("abcde"), listed(scores, vector=True)
    assert values(pair, options(), [AP, LRAP]) == {AP: 1.0, LRAP: 1.0}


def test_scores_decide_and_not_the_order_in_which_they_stand() -> None:
    pair = listed("b"), listed({"a": 0.25, "b": 0.75})
    assert values(pair, options(), [AP])[AP] == 1.0


def test_a_set_is_one_tie() -> None:
    pair = listed("a"), listed("ab", ranked=False)
    assert values(pair, options(), [AP])[AP] == equals("3/4")


def test_trec_eval_ties_what_single_precision_cannot_tell_apart() -> None:
    pair = listed("a"), listed({"a": 0.5 + 1e-12, "b": 0.5})
    assert values(pair, options(ties="trec"), [AP])[AP] == 0.5
    assert values(pair, options(), [AP])[AP] == 1.0


# --- closed forms against all orders -------------------------------------------------------

TIED = st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=6)


def orders(entries: list[tuple[int, bool]]) -> list[list[bool]]:
    """Return all orders in which no entry is ahead of a stronger one."""
    strongest_first = sorted(entries, key=lambda entry: -entry[0])
    found: list[list[bool]] = [[]]
    for _, tie in groupby(strongest_first, key=lambda entry: entry[0]):
        inside = list(permutations([hit for _, hit in tie]))
        found = [[*order, *more] for order in found for more in inside]
    return found


def average(found: list[list[bool]], measure: Callable[[list[bool]], Fraction]) -> float:
    return float(sum(map(measure, found), Fraction(0)) / len(found))


def sum_of_precision(order: list[bool]) -> Fraction:
    places = [place for place, hit in enumerate(order, 1) if hit]
    return sum((Fraction(nth, place) for nth, place in enumerate(places, 1)), Fraction(0))


def reciprocal_rank(order: list[bool]) -> Fraction:
    return Fraction(1, order.index(True) + 1) if any(order) else Fraction(0)


def ranked(entries: list[tuple[int, bool]], ties: Ties) -> tuple[Lists, Values]:
    strengths = np.array([strength for strength, _ in entries], dtype=float)
    lists = Lists(np.array([0, len(entries)]), np.arange(len(entries)), strengths)
    return lists, np.array([hit for _, hit in entries], dtype=float)


@given(TIED, st.integers(1, 7))
def test_expectations_are_means_over_all_orders(entries: list[tuple[int, bool]], places: int) -> None:
    lists, worth = ranked(entries, "expected")
    hits = worth > 0
    ranking = rank(lists, "expected", hits)
    expected: list[tuple[Values, Callable[[list[bool]], Fraction]]] = [
        (precision_at_hits(lists, ranking, hits), sum_of_precision),
        (precision_at_hits(lists, ranking, hits, results=places), lambda o: sum_of_precision(o[:places])),
        (first_hits(lists, ranking, hits), reciprocal_rank),
        (first_hits(lists, ranking, hits, results=places), lambda o: reciprocal_rank(o[:places])),
    ]
    every = orders(entries)
    for found, measure in expected:
        assert found[0] == pytest.approx(average(every, measure), abs=1e-12)
    chances = [sum(column) / len(every) for column in zip(*every, strict=True)]
    assert at_places(ranking, hits).tolist() == pytest.approx(chances, abs=1e-12)


@given(TIED)
def test_best_and_worst_are_the_ends_of_all_orders(entries: list[tuple[int, bool]]) -> None:
    lists, worth = ranked(entries, "best")
    hits = worth > 0
    steps: tuple[Ties, ...] = ("worst", "expected", "best")
    found = [precision_at_hits(lists, rank(lists, ties, worth), hits)[0] for ties in steps]
    assert found[1] == pytest.approx(average(orders(entries), sum_of_precision), abs=1e-12)
    every = [float(sum_of_precision(order)) for order in orders(entries)]
    assert [found[0], found[2]] == pytest.approx([min(every), max(every)], abs=1e-12)


def test_a_tie_is_one_step_if_grouped() -> None:
    lists, worth = ranked([(1, False), (1, True), (0, True)], "grouped")
    hits = worth > 0
    ranking = rank(lists, "grouped", hits)
    assert first_hits(lists, ranking, hits, grouped=True).tolist() == [0.5]
    assert first_hits(lists, ranking, hits, grouped=True, results=1).tolist() == [0.0]
    assert precision_at_hits(lists, ranking, hits, grouped=True)[0] == pytest.approx(1 / 2 + 2 / 3)


def test_lists_that_are_tied_are_told_however_ties_are_broken() -> None:
    lists = Lists(np.array([0, 2, 4, 5]), np.arange(5), np.array([1.0, 1.0, 1.0, 0.0, 1.0]))
    steps: tuple[Ties, ...] = ("expected", "given", "best")
    for ties in steps:
        assert rank(lists, ties, np.zeros(5)).tied.tolist() == [True, False, False]


def test_large_ties_stay_finite() -> None:
    lists, worth = ranked([(0, place % 1000 == 0) for place in range(20_000)], "expected")
    found = first_hits(lists, rank(lists, "expected", worth > 0), worth > 0)[0]
    chances = [math.comb(20_000 - place, 19) / math.comb(20_000, 20) for place in range(1, 19_982)]
    assert found == pytest.approx(sum(c / p for p, c in enumerate(chances, 1)), rel=1e-12)
