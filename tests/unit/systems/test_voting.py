# SPDX-License-Identifier: MIT
"""Votes, copies, accuracies and paths, on arrays."""

from itertools import pairwise, product

import numpy as np
import pytest
from numpy.typing import NDArray

from kammerton.systems.voting import (
    Copies,
    accuracies,
    ballots_of,
    best_path,
    class_order,
    find_copies,
    first_sayers,
    merge_ballots,
    posteriors,
    vote_shares,
    vote_weights,
)

Codes = NDArray[np.int64]


def matrix(*rows: list[int]) -> Codes:
    return np.array(rows, dtype=np.int64)


def test_ballots_of_items_add_up() -> None:
    first = ballots_of(matrix([3, 3, 5], [3, 4, -1]), np.array([1.0, 2.0]), 25)
    second = ballots_of(matrix([7, 7, 0]), np.array([4.0]), 25)
    merged = merge_ballots([first, second])
    assert merged.patterns.tolist() == [[0, 0, 2], [0, 1, -1]]
    assert merged.weights.tolist() == [5.0, 2.0]  # 1 + 4; 2
    assert merged.sizes.tolist() == [25, 25]


def test_posterior_of_three_votes() -> None:
    # odds 4 and 2 of the two that are said, 1 of each of the 3 others: 4 / 9, 2 / 9, 1 / 9
    likely, other = posteriors(matrix([0, 1, 0]), np.array([5]), np.log([2.0, 2.0, 2.0]))
    assert likely[0] == pytest.approx([4 / 9, 2 / 9, 0])
    assert other == pytest.approx([1 / 9])


def test_shares_leave_out_who_abstains() -> None:
    assert vote_shares(matrix([0, 1, -1], [-1, -1, -1]), np.array([1.0, 3.0, 5.0])).tolist() == [
        [0.25, 0.75, 0.0],
        [0.0, 0.0, 0.0],
    ]


def test_classes_are_ordered_by_votes_then_time_then_source() -> None:
    codes = matrix([8, 9], [1, 4], [1, 4], [2, 5])
    # 1 and 4 have two votes each, the others one; 8 is before 9 by its source, both are before 2 by time
    assert class_order(codes, np.ones(4), np.ones(2)).tolist() == [1, 4, 8, 9, 2, 5]


@pytest.mark.parametrize("seed", range(30))
def test_path_is_the_best_of_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores, cost = rng.random((5, 3)), 0.3
    chosen = best_path(scores, cost)

    def value(path: tuple[int, ...]) -> float:
        changes = sum(a != b for a, b in pairwise(path))
        return float(scores[range(5), path].sum()) - cost * changes

    assert value(tuple(chosen.tolist())) == pytest.approx(max(map(value, product(range(3), repeat=5))))


def test_path_stays_on_ties() -> None:
    assert best_path(np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]), 0.0).tolist() == [0, 0, 1]
    assert best_path(np.array([[0.5, 0.5]]), 0.1).tolist() == [0]
    assert best_path(np.empty((0, 2)), 0.1).tolist() == []


def planted(
    rng: np.random.Generator, rates: list[float], units: int = 20_000, classes: int = 25
) -> tuple[Codes, Codes]:
    """Independent sources that err alike on all classes."""
    truth = rng.integers(0, classes, units)
    columns = []
    for rate in rates:
        wrong = (truth + rng.integers(1, classes, units)) % classes
        columns.append(np.where(rng.random(units) < rate, truth, wrong))
    return np.column_stack(columns), truth


@pytest.mark.parametrize("seed", range(5))
def test_planted_accuracies_are_recovered(seed: int) -> None:
    rates = [0.85, 0.75, 0.65, 0.55, 0.9]
    codes, _ = planted(np.random.default_rng(seed), rates)
    one = ballots_of(codes, np.ones(len(codes)), 25)
    assert np.abs(accuracies(one, np.ones(5), 25) - rates).max() <= 0.03


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rates", [[0.8, 0.7, 0.75, 0.6], [0.8, 0.7], [0.9, 0.9, 0.85]])
def test_independent_sources_are_no_copies(seed: int, rates: list[float]) -> None:
    codes, _ = planted(np.random.default_rng(seed), rates, 3000)
    copies = find_copies(ballots_of(codes, np.ones(len(codes)), 25))
    assert copies.groups.tolist() == list(range(len(rates)))
    assert not copies.shares


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("others", [0, 1, 4])
def test_planted_copies_are_found(seed: int, others: int) -> None:
    rng = np.random.default_rng(seed)
    codes, _ = planted(rng, [0.7, 0.75, 0.8, 0.65, 0.72][: others + 1], 3000)
    copy = np.where(rng.random(3000) < 0.03, (codes[:, 0] + 1) % 25, codes[:, 0])
    copies = find_copies(ballots_of(np.column_stack((codes, copy)), np.ones(3000), 25))
    assert copies.groups.tolist() == [*range(others + 1), 0]
    assert copies.votes().tolist() == [0.5, *[1.0] * others, 0.5]
    assert list(copies.shares) == [(0, others + 1)]


def test_an_exact_copy_takes_its_vote_from_what_it_copies() -> None:
    copies = Copies(np.array([0, 0, 0, 3]), {})
    assert copies.votes().tolist() == [1 / 3, 1 / 3, 1 / 3, 1]
    assert copies.votes(np.array([0, 1, 1, 0])).tolist() == [1 / 2, 1 / 4, 1 / 4, 1]


def test_sources_that_are_equal_throughout_are_copies_however_short() -> None:
    copies = find_copies(ballots_of(matrix([1, 2, 1], [3, 3, 3]), np.ones(2), 25))
    assert copies.groups.tolist() == [0, 1, 0]
    assert copies.shares == {(0, 2): 1.0}


def test_little_evidence_groups_nothing() -> None:
    codes = np.column_stack([np.arange(100), np.where(np.arange(100) == 50, 7, np.arange(100))])
    assert find_copies(ballots_of(codes, np.full(100, 0.59), 25)).groups.tolist() == [0, 1]  # 59 s
    assert find_copies(ballots_of(codes, np.full(100, 0.61), 25)).groups.tolist() == [
        0,
        0,
    ]  # 61 s


def test_copies_of_copies_are_one_group() -> None:
    rng = np.random.default_rng(0)
    codes, _ = planted(rng, [0.5, 0.8, 0.8, 0.8], 5000)
    near = codes[:, 0].copy()
    near[:350] = (near[:350] + 1) % 25
    nearer = near.copy()
    nearer[350:700] = (nearer[350:700] + 1) % 25
    copies = find_copies(ballots_of(np.column_stack((codes, near, nearer)), np.ones(5000), 25))
    assert copies.groups.tolist() == [0, 1, 2, 3, 0, 0]


def test_sources_that_say_nothing_are_no_copies_and_no_voices() -> None:
    codes, _ = planted(np.random.default_rng(0), [0.7, 0.75], 3000)
    near = np.where(np.arange(3000) < 100, (codes[:, 0] + 1) % 25, codes[:, 0])
    silent = np.full(3000, -1)
    columns = np.column_stack((codes, near, silent, silent))
    copies = find_copies(ballots_of(columns, np.ones(3000), 25))  # by agreement: three voices
    assert copies.groups.tolist() == [0, 1, 0, 3, 4]
    assert copies.shares == {(0, 2): pytest.approx(2900 / 3000)}


def test_source_that_says_nothing_keeps_the_first_guess() -> None:
    one = ballots_of(matrix([1, -1], [2, -1]), np.ones(2), 25)
    assert accuracies(one, np.ones(2), 25)[1] == 0.7


def test_weights_are_log_odds() -> None:
    # 24 * .8 / .2 = 96
    assert vote_weights(np.array([0.8]), np.array([0.5]), 25) == pytest.approx([0.5 * np.log(96)])


def test_first_sayers_of_nobody() -> None:
    assert first_sayers(np.empty((0, 3), dtype=np.int64)).shape == (0, 3)
