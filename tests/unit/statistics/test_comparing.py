# SPDX-License-Identifier: MIT
"""Systems compared: by hand, on tables of numbers."""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

import kammerton as kt
from kammerton.errors import OptionError
from kammerton.model.corpus import ALL
from kammerton.model.measure import Statistics
from kammerton.results.comparison import compare
from kammerton.statistics import sample
from kammerton.statistics.agreement import variance_components
from kammerton.statistics.comparison import MeasureComparison, Pair, detectable_differences
from kammerton.statistics.intervals import expanded, percentile
from kammerton.statistics.paired import friedman, holm, t_test, wilcoxon
from kammerton.statistics.resampling import Resampling
from tabled_scores import (
    CLASSES,
    LOSS,
    MEAN,
    MIDDLE,
    OTHER,
    POOLED,
    TOGETHER,
    WEIGHTED,
    lacking,
    names,
    permutation_test,
    tabled,
    valued,
)

NAN = math.nan
NONE = (NAN, NAN)


def only(table: Any, measure: Any = POOLED, **choices: Any) -> MeasureComparison:
    """Return the comparison by one measure."""
    (found,) = compare(tabled(table, (measure,)), **choices).measures
    return found


def pair_of(table: Any, measure: Any = POOLED, **choices: Any) -> Pair:
    (pair,) = only(table, measure, **choices).pairs
    return pair


def random_values(items: int, *shifts: float, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    easy = rng.normal(0.5, 0.1, items)
    return {f"s{number}": easy + shift + rng.normal(0, 0.1, items) for number, shift in enumerate(shifts)}


# --- ranking and pairs ---------------------------------------------------------------------

# pooled 91/110 and 82/110; the first is better on the long item only
POOL = {"low": [[80, 100], [2, 10]], "high": [[90, 100], [1, 10]]}


def test_a_ranking_by_hand() -> None:
    found = only(POOL)
    assert [(each.system, each.letters) for each in found.ranking] == [("high", "a"), ("low", "a")]
    assert [each.value for each in found.ranking] == pytest.approx([91 / 110, 82 / 110])
    assert [(each.wins, each.ties, each.losses) for each in found.ranking] == [(0, 1, 0)] * 2
    (pair,) = found.pairs
    assert (pair.first, pair.second, pair.significant) == ("high", "low", False)
    assert pair.difference == pytest.approx(9 / 110)
    # swapped item by item the difference is 9, 11, -11 or -9 of 110
    assert (pair.p, pair.adjusted) == (1, 1)
    # items differ by 0.1 and -0.1
    assert (pair.wins, pair.ties, pair.losses, pair.superiority) == (1, 0, 1, 0.5)
    assert pair.d_z == pytest.approx(0, abs=1e-12)
    assert math.isnan(pair.detectable)
    assert (found.items, found.undefined, found.permutations, found.exact) == (2, 0, 4, True)
    assert found.reliability is None
    assert found.friedman is None


def test_lower_may_be_better() -> None:
    pair = pair_of(valued({"a": [0.1, 0.2, 0.3], "b": [0.5, 0.6, 0.2]}), LOSS)
    assert (pair.first, pair.second) == ("a", "b")
    assert pair.difference == pytest.approx(0.2 - 1.3 / 3)
    assert (pair.wins, pair.losses) == (2, 1)
    assert pair.superiority == pytest.approx(2 / 3)
    assert pair.d_z < 0


def test_groups_have_letters() -> None:
    # a is ahead of b on all 12 items, b of c by a little and not always
    values = {"c": [0.1, 0.3] * 6, "a": [0.8, 0.9] * 6, "b": [0.2, 0.3, 0.1, 0.3] * 3}
    found = only(valued(values), MEAN)
    assert [(each.system, each.letters) for each in found.ranking] == [("a", "a"), ("b", "b"), ("c", "b")]
    assert [(each.wins, each.ties, each.losses) for each in found.ranking] == [
        (2, 0, 0),
        (0, 1, 1),
        (0, 1, 1),
    ]
    assert [(pair.first, pair.second, pair.significant) for pair in found.pairs] == [
        ("a", "b", True),
        ("a", "c", True),
        ("b", "c", False),
    ]
    # two patterns of signs of 4096 have all differences on one side; three pairs
    assert found.pairs[0].p == 2 / 4096
    assert found.pairs[0].adjusted == 3 * 2 / 4096


def test_undefined_figures_come_last_and_are_not_told_apart() -> None:
    found = only(valued({"none": [NAN, NAN, NAN], "some": [0.1, 0.2, NAN], "more": [0.3, 0.5, NAN]}), MEAN)
    assert [each.system for each in found.ranking] == ["more", "some", "none"]
    assert math.isnan(found.ranking[2].value)
    assert math.isnan(found.ranking[2].low)
    assert math.isnan(found.pairs[1].p)
    assert math.isnan(found.pairs[1].superiority)
    assert not found.pairs[1].significant
    assert found.undefined == 3
    # one pair has a p, and is adjusted for itself alone
    assert found.pairs[0].adjusted == found.pairs[0].p == 1 / 2


def test_systems_of_the_same_value_share_a_place() -> None:
    values = {"none": [NAN, NAN], "d": [0.1, 0.2], "b": [0.2, 0.1], "a": [0.3, 0.3], "c": [0.0, 0.0]}
    found = only(valued(values), MEAN)
    assert found.places == {"a": 1, "d": 2, "b": 2, "c": 4}


# --- intervals -----------------------------------------------------------------------------


def test_intervals_of_differences_draw_both_systems_together() -> None:
    table = valued(random_values(20, 0.0, 0.05))
    found = only(table, POOLED, resamples=300, level=0.9)
    drawn = Resampling(20, 300).block(0)
    sums = {name: drawn @ rows for name, rows in table.items()}
    resampled = {name: each[:, 0] / each[:, 1] for name, each in sums.items()}
    (pair,) = found.pairs
    level = expanded(0.9, 20)
    expected = percentile(resampled[pair.first] - resampled[pair.second], level)
    assert (pair.low, pair.high) == pytest.approx(expected)
    best = found.ranking[0]
    assert (best.low, best.high) == pytest.approx(percentile(resampled[best.system], level))


def test_differences_are_of_the_items_on_which_both_have_a_value() -> None:
    table = random_values(20, 0.0, 0.05)
    first, second = table
    table[second][:5] = math.nan
    found = only(valued(table), MEAN, resamples=300, level=0.9)
    drawn = Resampling(20, 300).block(0)
    means = {
        first: drawn @ table[first] / drawn.sum(axis=1),
        second: drawn[:, 5:] @ table[second][5:] / drawn[:, 5:].sum(axis=1),
    }
    (pair,) = found.pairs
    expected = percentile(means[pair.first] - means[pair.second], expanded(0.9, 15))
    assert (pair.low, pair.high) == pytest.approx(expected)


def test_bca_intervals() -> None:
    table = valued(random_values(20, 0.0, 0.05))
    plain, corrected = (only(table, MEAN, method=method) for method in ("percentile", "bca"))
    assert plain.pairs[0].low == pytest.approx(corrected.pairs[0].low, abs=0.02)
    assert (plain.pairs[0].low, plain.ranking[0].low) != (corrected.pairs[0].low, corrected.ranking[0].low)


# --- tests ---------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", [POOLED, MEAN, WEIGHTED, MIDDLE, LOSS, CLASSES])
def test_permutations_swap_items(measure: Any) -> None:
    wholes = [2, 3, 2, 3, 3, 2]
    parts = {"a": [2, 1, 1, 3, 0, 2], "b": [0, 1, 0, 1, 1, 0]}
    table = {name: np.array([each, wholes], dtype=float).T for name, each in parts.items()}

    def difference(pattern: tuple[int, ...]) -> float:
        swap = np.array(pattern, dtype=bool)[:, None]
        sides = np.where(swap, table["b"], table["a"]), np.where(swap, table["a"], table["b"])
        return figure(sides[0], measure) - figure(sides[1], measure)

    permuted = [difference(pattern) for pattern in product((0, 1), repeat=6)]
    expected = np.mean([abs(each) >= abs(permuted[0]) - 1e-12 for each in permuted])
    found = only(table, measure)
    assert (found.exact, found.permutations) == (True, 64)
    assert found.pairs[0].p == pytest.approx(expected)
    assert 0 < expected < 1


def figure(rows: Statistics, measure: Any) -> float:
    """Return a figure of rows, of which classes are those with the same whole."""
    if measure is not CLASSES:
        return float(measure.corpus_score(rows, measure.aggregate).value)
    classes = [rows[rows[:, 1] == whole] for whole in np.unique(rows[:, 1])]
    return float(np.mean([np.mean(own[:, 0] > 0) for own in classes]))


def test_permutations_are_drawn_where_there_are_many() -> None:
    values = random_values(30, 0.0, 0.06)
    found = only(valued(values), MEAN, permutations=2000, seed=4)
    expected = permutation_test(values["s0"] - values["s1"], repetitions=2000, seed=4)
    assert (found.exact, found.permutations) == (False, 2000)
    assert found.pairs[0].p == expected.p


def test_classes_have_detectable_differences_beside_those_of_items() -> None:
    """Of figures that are drawn by classes, made anew from items, and sums: each on its own units."""
    rng = np.random.default_rng(4)
    found = np.stack((rng.integers(0, 2, 60), np.repeat(np.arange(1, 13), 5)), axis=1)
    table = {"a": found, "b": np.stack((found[:, 0] * rng.integers(0, 2, 60), found[:, 1]), axis=1)}
    choices: Any = {"reliability": True, "resamples": 50, "permutations": 50}
    whole = compare(tabled(table, (POOLED, CLASSES, TOGETHER)), **choices).measures
    for measure, together in zip((POOLED, CLASSES, TOGETHER), whole, strict=True):
        alone = only(table, measure, **choices)
        assert together.pairs[0].detectable == pytest.approx(alone.pairs[0].detectable, nan_ok=True)
    classes, anew = whole[1].pairs[0], whole[2].pairs[0]
    assert classes.difference == anew.difference
    assert classes.detectable > 0
    assert classes.detectable != pytest.approx(anew.detectable)


def test_there_are_fewer_permutations_of_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample, "_FEWEST", 20)
    monkeypatch.setattr(sample, "_DRAWN_ROWS", 0)
    monkeypatch.setattr(sample, "_SWAPPED_ROWS", 0)
    table = {"a": [[1, 1]] * 6, "b": [[0, 1]] * 6}
    found = only(table, CLASSES)
    assert (found.exact, found.permutations, found.resamples) == (False, 20, 10_000)
    anew = only(table, TOGETHER)
    assert (anew.exact, anew.permutations, anew.resamples) == (False, 20, 20)
    five = only({name: rows[:5] for name, rows in table.items()}, CLASSES)  # 32 patterns are too many
    assert (five.exact, five.permutations) == (False, 20)
    few = only({name: rows[:4] for name, rows in table.items()}, CLASSES)
    assert (few.exact, few.permutations, few.pairs[0].p) == (True, 16, 2 / 16)


@pytest.mark.parametrize(("test", "function"), [("t", t_test), ("wilcoxon", wilcoxon)])
def test_tests_of_values(test: Any, function: Any) -> None:
    values = random_values(25, 0.0, 0.05, 0.07)
    found = only(valued(values), POOLED, test=test)
    p = [function(values[pair.first] - values[pair.second]).p for pair in found.pairs]
    assert [pair.p for pair in found.pairs] == pytest.approx(p)
    assert [pair.adjusted for pair in found.pairs] == pytest.approx(holm(np.array(p)).tolist())
    assert (found.permutations, found.exact) == (0, False)


def test_friedman_and_tukey() -> None:
    values = random_values(25, 0.0, 0.05, 0.1)
    values["s1"][3] = NAN
    found = only(valued(values), MEAN, test="friedman")
    expected = friedman(np.stack(list(values.values()), axis=1))
    assert found.friedman is not None
    assert found.friedman.items == 24
    assert found.friedman.ranks.tolist() == expected.ranks.tolist()
    for pair in found.pairs:
        one, other = int(pair.first[1:]), int(pair.second[1:])
        assert pair.p == pair.adjusted == pytest.approx(expected.pairs[one, other])


def test_ranks_follow_the_better_direction() -> None:
    found = only(valued({"good": [0.1, 0.2, 0.1], "bad": [0.5, 0.4, 0.3]}), LOSS, test="friedman")
    assert found.friedman is not None
    assert found.friedman.ranks.tolist() == [1, 2]


@pytest.mark.parametrize("test", ["t", "wilcoxon", "friedman"])
def test_a_test_against_the_figures_tells_nothing_apart(test: Any) -> None:
    # pooled, a is ahead by one long item; on the other 30 items b is
    table = {"a": [[900, 1000], *[[1, 10]] * 30], "b": [[100, 1000], *[[5 + n % 3, 10] for n in range(30)]]}
    pair = pair_of(table, POOLED, test=test)
    assert (pair.first, pair.wins, pair.losses) == ("a", 1, 30)
    assert pair.adjusted < 0.05
    assert not pair.significant


@pytest.mark.parametrize("measure", [MEAN, MIDDLE])
def test_ties_and_undefined_items_make_no_p_smaller(measure: Any) -> None:
    # seven items, of which three differ: 2 of 8 patterns are as far apart as can be
    values = {"a": [0.9, 0.8, 0.7, 0.5, 0.5, NAN, NAN], "b": [0.8, 0.7, 0.5, 0.5, 0.5, NAN, NAN]}
    for test in ({}, {"permutations": 100}):
        compared = only(valued(values), measure, **test)
        assert (compared.permutations, compared.smallest_p) == (2**7, 2 / 8)
    assert compared.pairs[0].p >= compared.smallest_p
    assert only(POOL).smallest_p == 2 / 4
    alike = {"a": [0.9, NAN], "b": [0.9, NAN]}
    assert only(valued(alike), measure).smallest_p == 1
    assert only(valued(values), measure, test="t").smallest_p == 0


def test_the_smallest_p_is_adjusted_for_all_pairs_and_of_units() -> None:
    values = random_values(20, 0.0, 0.1, 0.2)
    assert only(valued(values), MEAN, permutations=99).smallest_p == pytest.approx(3 / 100)
    clusters = dict(zip(names(20), "vvvvvwwwwwxxxxxyyyyy", strict=True))
    assert only(valued(values), MEAN, clusters=clusters).smallest_p == pytest.approx(3 * 2 / 16)


@pytest.mark.parametrize(
    ("items", "smallest"),
    [
        (5, 0.0591),  # (15/2 - 1/2) / sqrt(5 * 6 * 11 / 24) = 1.888
        (6, 0.0360),  # (21/2 - 1/2) / sqrt(6 * 7 * 13 / 24) = 2.097
    ],
)
def test_wilcoxon_of_few_items_has_no_small_p(items: int, smallest: float) -> None:
    better = [0.5 + 0.01 * number for number in range(items)]
    compared = only(valued({"a": better, "b": [0.4] * items}), MEAN, test="wilcoxon")
    assert compared.smallest_p == pytest.approx(smallest, abs=5e-5)
    assert compared.pairs[0].p == pytest.approx(compared.smallest_p)
    tied = only(valued({"a": [*better, 0.4], "b": [0.4] * (items + 1)}), MEAN, test="wilcoxon")
    assert tied.smallest_p == pytest.approx(compared.smallest_p)


def test_clusters_change_places_together() -> None:
    values = {"a": [0.5, 0.6, 0.9, 0.9], "b": [0.4, 0.5, 0.8, 0.8]}
    clusters = dict(zip(names(4), "xxyy", strict=True))
    assert pair_of(valued(values), MEAN).p == 2 / 16
    assert pair_of(valued(values), MEAN, clusters=clusters).p == 2 / 4
    found = compare(tabled(valued(values), (MEAN,)), clusters=clusters)
    assert (found.units, found.items, found.clustered) == (2, 4, True)


@pytest.mark.parametrize(("test", "function"), [("t", t_test), ("wilcoxon", wilcoxon)])
def test_values_of_a_cluster_are_averaged_for_tests_of_values(test: Any, function: Any) -> None:
    values = random_values(12, 0.0, 0.05)
    values["s0"][0] = NAN
    clusters = {name: str(number // 3) for number, name in enumerate(names(12))}
    pair = pair_of(valued(values), MEAN, test=test, clusters=clusters)
    differences = values[pair.first] - values[pair.second]
    means = [differences[1:3].mean(), *(differences[at : at + 3].mean() for at in (3, 6, 9))]
    assert pair.p == pytest.approx(function(np.array(means)).p)


# --- items ---------------------------------------------------------------------------------


def test_each_pair_is_compared_on_the_items_that_both_have() -> None:
    table: dict[str, Any] = {
        "a": [(1, 1), (0, 1), (1, 1), NONE],
        "b": [(1, 1), NONE, (0, 1), NONE],
        "c": [(1, 1), (1, 1), (0, 1), (1, 1)],
    }
    found = compare(tabled(table, (POOLED, CLASSES)))
    assert (found.items, found.left_out) == (3, (names(4)[3],))  # which c alone has
    for each in found.measures:  # of the only class, as many units as items
        assert each.items == 2  # that all have
        pairs = {(pair.first, pair.second): pair for pair in each.pairs}
        assert [
            (pair.items, pair.first_value, pair.second_value, pair.permutations, pair.exact)
            for pair in (pairs["a", "b"], pairs["a", "c"], pairs["c", "b"])
        ] == [(2, 1, 0.5, 4, True), (3, 2 / 3, 2 / 3, 8, True), (2, 0.5, 0.5, 4, True)]
        assert [pair.difference for pair in each.pairs] == [0, 0.5, 0]
        assert (each.permutations, each.exact) == (8, True)
        # scores are of all items of a system; a is better than b, and no other pair differs
        ranked = [(row.system, row.items, row.place) for row in each.ranking]
        assert ranked == [("a", 3, 1), ("c", 4, 2), ("b", 2, 3)]
        assert [row.value for row in each.ranking] == [2 / 3, 3 / 4, 1 / 2]


LACKING = [(1.0, 1.0), *[NONE] * 19]
"""Statistics of a system that has one item of twenty."""


@pytest.mark.parametrize("measure", [POOLED, MEAN, MIDDLE, LOSS, CLASSES])
@pytest.mark.parametrize("test", ["permutation", "t", "wilcoxon"])
@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_a_system_with_one_item_changes_nothing_of_the_other_pairs(
    measure: Any, test: Any, method: Any
) -> None:
    counts = np.random.default_rng(3).integers(0, 11, (2, 20))
    wholes = np.repeat([10, 20, 30, 40], 5)
    table: dict[str, Any] = {
        name: np.stack((own, wholes), axis=1).astype(float) for name, own in zip("ab", counts, strict=True)
    }
    choices: dict[str, Any] = {"test": test, "method": method, "resamples": 300, "permutations": 300}
    alone = only(table, measure, **choices)
    (pair,) = alone.pairs
    found = only({**table, "sub": LACKING}, measure, **choices)
    (same,) = [each for each in found.pairs if "sub" not in (each.first, each.second)]
    if measure is not CLASSES:  # of which more samples have fewer draws
        for name in ("difference", "low", "high", "p", "d_z", "superiority", "items", "wins", "permutations"):
            assert getattr(same, name) == pytest.approx(getattr(pair, name)), name
    assert (same.first, same.second, same.items) == (pair.first, pair.second, 20)
    assert same.difference == pytest.approx(pair.difference)
    assert {each.items for each in found.pairs if each is not same} == {1}
    ranking = {row.system: row for row in found.ranking}
    assert (ranking["sub"].items, ranking["a"].items, ranking["b"].items) == (1, 20, 20)
    for row in alone.ranking:
        assert ranking[row.system].value == row.value
        if measure is not CLASSES:
            assert (ranking[row.system].low, ranking[row.system].high) == pytest.approx((row.low, row.high))


def test_holm_is_over_the_pairs_that_have_a_test() -> None:
    # of ten items a is better on all, p 2/1024; with one item there is no t, and p of the swaps is 1
    table = lacking({"a": [0.5] * 10, "b": [0.25] * 10, "sub": [0.75, *[NAN] * 9]})
    found = only(table, MEAN)
    by_pair = {(pair.first, pair.second): pair for pair in found.pairs}
    assert (by_pair["a", "b"].p, by_pair["a", "b"].adjusted) == (2 / 1024, 3 * 2 / 1024)
    assert (by_pair["sub", "a"].p, by_pair["sub", "a"].permutations) == (1, 2)
    assert [(row.system, row.letters) for row in found.ranking] == [("a", "a"), ("b", "b"), ("sub", "ab")]
    by_t = {(pair.first, pair.second): pair for pair in only(table, MEAN, test="t").pairs}
    assert by_t["a", "b"].adjusted == by_t["a", "b"].p == 0
    assert math.isnan(by_t["sub", "a"].p)


def test_systems_without_a_common_item_have_no_test() -> None:
    table: dict[str, Any] = {
        "c": [*[NONE] * 6, *[(1, 4)] * 6],
        "b": [*[(1, 2)] * 12],
        "a": [*[(1, 1)] * 6, *[NONE] * 6],
    }
    for test in ("permutation", "t", "wilcoxon", "friedman"):
        found = only(table, MEAN, test=test)
        (pair,) = [each for each in found.pairs if "b" not in (each.first, each.second)]
        assert (pair.items, pair.significant, pair.permutations) == (0, False, 0)
        for value in (pair.p, pair.difference, pair.low, pair.superiority, pair.first_value, pair.d_z):
            assert math.isnan(value)
        assert [row.system for row in found.ranking] == ["a", "b", "c"]  # a before b, b before c
        assert found.items == 0
    assert found.friedman is not None
    assert math.isnan(found.friedman.p)
    assert found.friedman.items == 0


def test_pairs_decide_the_ranking_where_systems_have_different_items() -> None:
    # on the six items of a, b is better; b scores less on the hard ones that a lacks
    table = lacking({"a": [0.8] * 6 + [NAN] * 6, "b": [0.9] * 6 + [0.1] * 6})
    found = only(table, MEAN)
    assert [(row.system, row.place) for row in found.ranking] == [("b", 1), ("a", 2)]
    assert [row.value for row in found.ranking] == pytest.approx([0.5, 0.8])
    (pair,) = found.pairs
    assert (pair.first, pair.items) == ("b", 6)
    assert (pair.first_value, pair.second_value) == pytest.approx((0.9, 0.8))
    assert found.item_counts == (6, 12)


def test_systems_that_share_too_few_items_are_named_and_ranked_behind() -> None:
    table = lacking({"sub": [1.0, *[NAN] * 19], "a": [0.5] * 20, "b": [0.4] * 20})
    found = compare(tabled(table, (MEAN,)))
    assert found.few == {"sub": 1}
    assert [row.system for row in found.measures[0].ranking] == ["a", "b", "sub"]
    # five items have a smallest p of 2/32, six of 2/64
    for shared, alpha, few in ((5, 0.05, True), (6, 0.05, False), (5, 0.1, False), (6, 0.01, True)):
        table["sub"][:shared] = (1, 1)
        table["sub"][shared:] = NAN
        assert (compare(tabled(table, (MEAN,)), alpha=alpha).few == {"sub": shared}) == few
    # where all have few, none lacks any
    assert not compare(tabled({name: rows[:4] for name, rows in table.items() if name != "sub"}, (MEAN,))).few


def test_friedman_is_of_the_items_that_all_have() -> None:
    values = random_values(25, 0.0, 0.05, 0.1)
    table = valued(values)
    table["s2"][20:] = NAN
    found = only(table, MEAN, test="friedman", reliability=True)
    expected = friedman(np.stack(list(values.values()), axis=1)[:20])
    assert found.friedman is not None
    assert (found.items, found.friedman.items) == (20, 20)
    assert found.friedman.ranks.tolist() == expected.ranks.tolist()
    assert {pair.items for pair in found.pairs} == {20, 25}
    assert found.reliability is not None
    assert found.reliability.components.studied == 20


# --- against one system --------------------------------------------------------------------


@pytest.mark.parametrize("test", ["permutation", "t", "wilcoxon"])
def test_all_against_one(test: Any) -> None:
    values = random_values(25, 0.0, 0.05, 0.07, -0.03)
    every = {(pair.first, pair.second): pair for pair in only(valued(values), MEAN, test=test).pairs}
    found = only(valued(values), MEAN, test=test, against="s1")
    assert [(pair.first, pair.second) for pair in found.pairs] == [("s2", "s1"), ("s0", "s1"), ("s3", "s1")]
    p = []
    for pair in found.pairs:
        same = every.get(("s1", pair.first)) or every[pair.first, "s1"]
        sign = 1 if same.first == pair.first else -1
        assert pair.difference == sign * same.difference
        assert (pair.low, pair.high) == pytest.approx(
            (same.low, same.high) if sign == 1 else (-same.high, -same.low)
        )
        assert pair.p == same.p
        p.append(pair.p)
    assert [pair.adjusted for pair in found.pairs] == pytest.approx(holm(np.array(p)).tolist())
    assert {row.letters for row in found.ranking} == {""}
    assert [row.system for row in found.ranking] == ["s2", "s1", "s0", "s3"]


def test_counts_against_one() -> None:
    # of ten items one is better on all and one worse on all than the middle: 2 * 2/1024 by Holm
    found = compare(
        tabled(valued({"lo": [0.1] * 10, "mid": [0.2] * 10, "hi": [0.3] * 10}), (MEAN,)), against="mid"
    )
    assert found.against == "mid"
    (each,) = found.measures
    assert [(pair.first, pair.p, pair.adjusted, pair.significant) for pair in each.pairs] == [
        ("hi", 2 / 1024, 4 / 1024, True),
        ("lo", 2 / 1024, 4 / 1024, True),
    ]
    assert [pair.superiority for pair in each.pairs] == [1, 0]
    assert [(row.system, row.wins, row.ties, row.losses) for row in each.ranking] == [
        ("hi", 1, 0, 0),
        ("mid", 1, 0, 1),
        ("lo", 0, 0, 1),
    ]
    loss = only(valued({"lo": [0.1] * 10, "mid": [0.2] * 10}), LOSS, against="mid")
    assert [(row.system, row.wins, row.losses) for row in loss.ranking] == [("lo", 1, 0), ("mid", 0, 1)]
    assert loss.pairs[0].difference == pytest.approx(-0.1)


def test_friedman_against_one_is_by_the_normal_distribution() -> None:
    # of 12 items the ranks are 1, 2, 3: z = 1 / sqrt(3 * 4 / (6 * 12)) = sqrt(6); p of +-2.449 is .0143
    found = only(
        valued({"a": [0.3] * 12, "b": [0.2] * 12, "c": [0.1] * 12}), MEAN, test="friedman", against="b"
    )
    assert [pair.p for pair in found.pairs] == pytest.approx([0.014305878] * 2, rel=1e-6)
    assert [pair.adjusted for pair in found.pairs] == pytest.approx([2 * 0.014305878] * 2, rel=1e-6)
    assert [(pair.first, pair.significant) for pair in found.pairs] == [("a", True), ("c", True)]


@pytest.mark.parametrize("order", ["abc", "cba", "bac"])
def test_against_a_system_with_other_items(order: str) -> None:
    # a lacks six items; b is ahead of it by 0.1 on its own, c behind by 0.2
    table = lacking({"a": [0.5] * 6 + [NAN] * 6, "b": [0.6] * 6 + [0.0] * 6, "c": [0.3] * 12})
    found = only({name: table[name] for name in order}, MEAN, against="a")
    assert [(row.system, row.items) for row in found.ranking] == [("b", 12), ("a", 6), ("c", 12)]
    assert [pair.difference for pair in found.pairs] == pytest.approx([0.1, -0.2])
    assert {pair.items for pair in found.pairs} == {6}


def test_no_system_of_the_name() -> None:
    with pytest.raises(OptionError, match="unknown system `hihg`") as error:
        compare(tabled(POOL), against="hihg")
    assert "did you mean `high`?" in str(error.value.hint)


def test_an_annotator_or_all() -> None:
    right, wrong = np.array([[1, 1], [1, 1]]), np.array([[0, 1], [0, 1]])
    table = {"a": {"one": right, "two": wrong}, "b": {"one": wrong, "two": right}}
    scores = tabled(table, (POOLED, CLASSES))
    for annotator, expected in ((None, [0.5, 0.5]), (ALL, [0.5, 0.5]), ("one", [1, 0]), ("two", [1, 0])):
        found = compare(scores, annotator=annotator)
        for each in found.measures:
            assert each.annotator == (annotator or ALL)
            assert [ranked.value for ranked in each.ranking] == expected
    assert compare(scores, annotator="two").measures[0].ranking[0].system == "b"


def test_values_of_classes_are_compared_class_by_class() -> None:
    # three classes, 1 2 3: a finds 1/1 1/1 0/1, b 0/1 1/1 0/1
    table = {"a": [[1, 1], [1, 2], [0, 3]], "b": [[0, 1], [1, 2], [0, 3]]}
    pair = pair_of(table, CLASSES, test="t")
    assert (pair.wins, pair.ties, pair.losses) == (1, 2, 0)
    assert pair.p == pytest.approx(t_test(np.array([1.0, 0, 0])).p)


# --- reliability ---------------------------------------------------------------------------


def test_reliability_of_a_mean() -> None:
    values = random_values(40, 0.0, 0.05, 0.1)
    values["s2"][7] = NAN
    found = only(valued(values), MEAN, reliability=True)
    table = np.stack(list(values.values()), axis=1)
    expected = variance_components(table)
    assert found.reliability is not None
    assert found.reliability.components.shares == pytest.approx(expected.shares)
    assert found.reliability.components.studied == 39
    assert found.reliability.e_rho2 == pytest.approx(expected.e_rho2(39))
    assert found.reliability.phi == pytest.approx(expected.phi(39))
    assert found.reliability.items_for_e_rho2 == expected.items_for_e_rho2()
    assert found.reliability.items_for_phi == expected.items_for_phi()
    detectable = [pair.detectable for pair in found.pairs]
    assert found.reliability.detectable == pytest.approx(np.median(detectable))
    (pair,) = [pair for pair in found.pairs if {pair.first, pair.second} == {"s0", "s1"}]
    (alone,) = detectable_differences((values[pair.first] - values[pair.second])[:, None])
    assert pair.detectable == pytest.approx(float(alone))


def test_detectable_differences_of_pooled_figures_are_on_their_scale() -> None:
    # one item in ten has almost all the weight: as few as that count
    rng = np.random.default_rng(2)
    wholes = np.where(np.arange(100) % 10 == 0, 1000.0, 1.0)
    shares = {name: rng.random(100) for name in "ab"}
    table = {name: np.stack((share * wholes, wholes), axis=1) for name, share in shares.items()}
    pooled = pair_of(table, POOLED, reliability=True).detectable
    mean = pair_of(table, MEAN, reliability=True).detectable
    assert 2 < pooled / mean < 4.5  # sqrt(10), less precisely


def test_clusters_are_the_units_of_reliability() -> None:
    values = random_values(40, 0.0, 0.05)
    clusters = {name: str(number // 4) for number, name in enumerate(names(40))}
    found = only(valued(values), MEAN, reliability=True, clusters=clusters)
    means = np.stack([each.reshape(10, 4).mean(axis=1) for each in values.values()], axis=1)
    assert found.reliability is not None
    assert found.reliability.components.studied == 10
    assert found.reliability.e_rho2 == pytest.approx(variance_components(means).e_rho2(10))


# --- protocols that disagree ---------------------------------------------------------------


def test_protocols_that_rank_differently_are_told() -> None:
    values = random_values(30, 0.3, 0.0)
    scores = tabled(
        valued(values), (POOLED, MEAN, OTHER), others=valued({"s0": values["s1"], "s1": values["s0"]})
    )
    (found,) = compare(scores).disagreements
    assert (found.first, found.second, found.better, found.worse) == (POOLED, OTHER, "s0", "s1")
    assert found.significant
    # against a system, the better one may be the second of a pair
    for system in ("s0", "s1"):
        (found,) = compare(scores, against=system).disagreements
        assert (found.better, found.worse) == ("s0", "s1")


def test_protocols_that_agree_or_tie_are_not() -> None:
    assert not compare(tabled(POOL, (POOLED, OTHER))).disagreements
    equal = {"low": [[1, 2]], "high": [[1, 2]]}
    assert not compare(
        tabled(equal, (POOLED, OTHER), others={"low": [[2, 2]], "high": [[1, 2]]})
    ).disagreements
    undefined = {"low": [[0, 0]], "high": [[1, 2]]}
    assert not compare(
        tabled(undefined, (POOLED, OTHER), others={"low": [[2, 2]], "high": [[1, 2]]})
    ).disagreements


def test_a_disagreement_may_be_within_the_noise() -> None:
    others = {"low": [[90, 100], [1, 10]], "high": [[80, 100], [2, 10]]}
    (found,) = compare(tabled(POOL, (POOLED, OTHER), others=others)).disagreements
    assert (found.better, found.significant) == ("high", False)


# --- what is refused -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"test": "sign"}, "unknown test `sign`"),
        ({"method": "normal"}, "unknown kind of interval `normal`"),
        ({"alpha": 5}, "alpha is between 0 and 1, got 5"),
        ({"level": 0}, "the level of an interval is between 0 and 1, got 0"),
        ({"annotator": "third"}, "unknown annotator `third`"),
        ({"clusters": {}}, "2 of 2 items have no cluster"),
        ({"resamples": 0}, "at least one resample is needed, got 0"),
        ({"permutations": 0}, "at least one resample is needed, got 0"),
        ({"measures": ()}, "there is no measure to compare by"),
    ],
)
def test_choices_that_are_not_possible(choices: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        compare(tabled(POOL), **choices)


@pytest.mark.parametrize("choice", ["resamples", "permutations"])
def test_what_cannot_be_drawn_is_refused_before_anything_is_read(choice: str) -> None:
    choices: dict[str, Any] = {choice: 0}
    with pytest.raises(OptionError, match="at least one resample is needed, got 0"):
        kt.compare("chords", "nowhere", ["neither here"], **choices)


def test_one_system_or_no_common_item_is_no_comparison() -> None:
    with pytest.raises(OptionError, match="a comparison needs two systems"):
        compare(tabled({"a": [[1, 1]]}))
    with pytest.raises(OptionError, match="the systems have no item in common"):
        compare(tabled({"a": [(1, 1), NONE], "b": [NONE, (1, 1)]}))
