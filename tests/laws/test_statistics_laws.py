# SPDX-License-Identifier: MIT
"""What holds for every comparison, every interval and every coefficient of agreement."""

import math
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from itertools import combinations
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import kammerton as kt
from kammerton.model.measure import Aggregate, Measure, Statistics, Values
from kammerton.results.comparison import compare
from kammerton.results.context import ContextScore
from kammerton.results.groups import Groups, groups_of
from kammerton.results.signature import Grouping
from kammerton.statistics.agreement import fleiss_kappa, krippendorff_alpha, variance_components
from kammerton.statistics.comparison import Comparison, Pair, Test, letters
from kammerton.statistics.intervals import intervals
from kammerton.statistics.paired import holm, t_test, wilcoxon
from kammerton.statistics.resampling import BootstrapSettings
from tabled_scores import (
    CLASSES,
    LOSS,
    MEAN,
    MIDDLE,
    POOLED,
    WEIGHTED,
    context_of,
    names,
    permutation_test,
    swapped,
    tabled,
)

MEASURES = (POOLED, MEAN, MIDDLE, WEIGHTED, LOSS, CLASSES)
TESTS = ("permutation", "t", "wilcoxon", "friedman")
FEW: Any = {"resamples": 40, "permutations": 40}
"""Draws: laws hold for any number."""


@st.composite
def tables(draw: st.DrawFn, systems: int = 3, least: int = 2) -> dict[str, Statistics]:
    """Return parts of wholes, which are the same for all systems; perhaps nothing at all of an item."""
    items = draw(st.integers(least, 20))
    wholes = draw(st.lists(st.sampled_from((0, 1, 2, 8)), min_size=items, max_size=items))
    return {
        f"s{number}": np.array([(draw(st.integers(0, whole)), whole) for whole in wholes], dtype=float)
        for number in range(systems)
    }


def pairs_of(found: Comparison) -> dict[tuple[str, frozenset[str]], Pair]:
    """Return the pairs by measure and systems."""
    return {
        (each.measure.name, frozenset((pair.first, pair.second))): pair
        for each in found.measures
        for pair in each.pairs
    }


def same(one: Any, other: Any) -> None:
    """Assert that records are equal, but for rounding."""
    for name in (field.name for field in fields(one)):
        value, expected = getattr(one, name), getattr(other, name)
        if isinstance(value, float):
            assert value == pytest.approx(expected, abs=1e-12, nan_ok=True), name
        else:
            assert value == expected, name


# --- comparisons ---------------------------------------------------------------------------


@given(tables(systems=2), st.sampled_from(TESTS))
def test_identical_systems_never_differ(table: dict[str, Statistics], test: Any) -> None:
    table["copy"] = table["s0"].copy()
    found = compare(tabled(table, MEASURES), test=test, reliability=True, **FEW)
    for (_, systems), pair in pairs_of(found).items():
        if systems == {"s0", "copy"}:
            assert not pair.significant
            assert (pair.wins, pair.losses) == (0, 0)
            if not math.isnan(pair.difference):
                assert pair.difference == 0
                assert pair.p == 1 or math.isnan(pair.p)
                assert (pair.low, pair.high) == (0, 0) or math.isnan(pair.low)
    for each in found.measures:
        named = {ranked.system: ranked for ranked in each.ranking}
        assert set(named["s0"].letters) & set(named["copy"].letters)


@given(tables(), st.permutations(range(3)), st.sampled_from(TESTS))
def test_relabelling_systems_permutes_the_table(
    table: dict[str, Statistics], order: Sequence[int], test: Any
) -> None:
    called = {f"s{number}": f"t{place}" for place, number in enumerate(order)}
    renamed = {called[f"s{number}"]: table[f"s{number}"] for number in order}
    before, after = (compare(tabled(each, MEASURES), test=test, **FEW) for each in (table, renamed))
    found = pairs_of(after)
    for (measure, systems), pair in pairs_of(before).items():
        other = found[measure, frozenset(called[system] for system in systems)]
        sign = 1 if other.first == called[pair.first] else -1
        assert sign == 1 or abs(pair.difference) < 1e-12 or math.isnan(pair.difference)
        assert other.difference == pytest.approx(sign * pair.difference, abs=1e-12, nan_ok=True)
        assert other.p == pytest.approx(pair.p, abs=1e-12, nan_ok=True)
        assert other.adjusted == pytest.approx(pair.adjusted, abs=1e-12, nan_ok=True)
        assert other.d_z == pytest.approx(sign * pair.d_z, rel=1e-6, nan_ok=True)
    for one, other_measure in zip(before.measures, after.measures, strict=True):
        values = {called[ranked.system]: ranked.value for ranked in one.ranking}
        assert {each.system: each.value for each in other_measure.ranking} == pytest.approx(
            values, abs=1e-12, nan_ok=True
        )


@given(tables(), st.sampled_from((0.0, 0.5, 1.0)), st.sampled_from(TESTS[:3]))
def test_a_constant_system_changes_no_other_pair_before_correction(
    table: dict[str, Statistics], share: float, test: Any
) -> None:
    more = table | {"constant": table["s0"][:, 1:] * [share, 1]}
    before, after = (compare(tabled(each, MEASURES), test=test, **FEW) for each in (table, more))
    found = pairs_of(after)
    for key, pair in pairs_of(before).items():
        untouched = {"adjusted": 0.0, "significant": False}
        one, other = (Pair(**(asdict(each) | untouched)) for each in (pair, found[key]))
        same(one, other)


@given(tables(systems=2), st.sampled_from(TESTS))
def test_clusters_of_one_are_no_clusters(table: dict[str, Statistics], test: Any) -> None:
    scores = tabled(table, MEASURES)
    alone = {name: f"cluster of {name}" for name in names(len(table["s0"]))}
    choices: dict[str, Any] = {"test": test, "reliability": True, **FEW}
    plain, clustered = compare(scores, **choices), compare(scores, clusters=alone, **choices)
    assert clustered.clustered
    assert clustered.units == plain.units
    for one, other in zip(plain.measures, clustered.measures, strict=True):
        for pair, again in zip(one.pairs, other.pairs, strict=True):
            same(pair, again)
        for ranked, again_ranked in zip(one.ranking, other.ranking, strict=True):
            same(ranked, again_ranked)


@given(tables(systems=2), st.randoms(use_true_random=False))
def test_the_order_of_items_does_not_show(table: dict[str, Statistics], random: Any) -> None:
    order = list(range(len(table["s0"])))
    random.shuffle(order)
    before, after = (compare(tabled(table, MEASURES, order=each), **FEW) for each in (None, order))
    for one, other in zip(before.measures, after.measures, strict=True):
        assert [repr(pair) for pair in one.pairs] == [repr(pair) for pair in other.pairs]
        assert [repr(ranked) for ranked in one.ranking] == [repr(ranked) for ranked in other.ranking]


# --- intervals -----------------------------------------------------------------------------


@given(tables(systems=1), st.integers(2, 3), st.sampled_from(("percentile", "bca")))
def test_items_that_stand_several_times_in_a_cluster_with_themselves_change_nothing(
    table: dict[str, Statistics], times: int, method: Any
) -> None:
    rows = table["s0"]
    copies = tabled({"s0": np.repeat(rows, times, axis=0)}, MEASURES[:5])
    clusters = {name: str(number // times) for number, name in enumerate(names(len(rows) * times))}
    once = intervals(tabled(table, MEASURES[:5]), BootstrapSettings(method=method, resamples=60))
    again = intervals(copies, BootstrapSettings(clusters=clusters, method=method, resamples=60))
    for key, interval in once.items():
        assert again[key] == pytest.approx(interval, abs=1e-12, nan_ok=True)


@given(tables(systems=1, least=3))
def test_a_higher_level_has_a_wider_interval(table: dict[str, Statistics]) -> None:
    scores = tabled(table, MEASURES)
    narrow, wide = (intervals(scores, BootstrapSettings(level=level, resamples=60)) for level in (0.5, 0.9))
    for key, (low, high) in narrow.items():
        assert math.isnan(low) or wide[key][0] <= low <= high <= wide[key][1]


# --- groups of items -----------------------------------------------------------------------


def divided(
    table: dict[str, Statistics], of: dict[str, str], measures: Sequence[Measure] = MEASURES, **choices: Any
) -> Groups:
    scores = tabled(table, measures)
    return groups_of(scores, scores.origin, Grouping("letter", of), None, **choices)


@st.composite
def grouped_tables(draw: st.DrawFn) -> tuple[dict[str, Statistics], dict[str, str]]:
    """Return a table, and the group of each item that has one."""
    table = draw(tables(systems=2))
    items = names(len(table["s0"]))
    letter = st.sampled_from("xyz-")
    letters_of = draw(st.lists(letter, min_size=len(items), max_size=len(items)))
    return table, {name: each for name, each in zip(items, letters_of, strict=True) if each != "-"}


@given(grouped_tables())
def test_groups_add_up_to_the_whole(case: tuple[dict[str, Statistics], dict[str, str]]) -> None:
    table, of = case
    found = divided(table, of)
    assert sum(found.sizes.values()) == len(table["s0"])
    for key, whole in found.whole.items():
        rows = found.of(key.measure, key.system)
        if key.measure.aggregate in ("pooled", "mean"):
            assert sum(row.items for row in rows) == whole.items
            assert sum(row.undefined for row in rows) == whole.undefined
            values = [row.value for row in rows if not math.isnan(row.value)]
            assert not values or min(values) - 1e-12 <= whole.value <= max(values) + 1e-12


@given(grouped_tables())
def test_the_group_that_costs_most_is_behind_the_rest(
    case: tuple[dict[str, Statistics], dict[str, str]],
) -> None:
    table, of = case
    found = divided(table, of)
    for key, whole in found.whole.items():
        rows = found.of(key.measure, key.system)
        most_costly = [row for row in rows if row.costs_most]
        assert len(most_costly) <= 1
        for row in most_costly:
            assert row.cost == max(each.cost for each in rows if not math.isnan(each.cost)) > 0
            if key.measure.aggregate in ("pooled", "mean", "weighted_mean"):
                worse = row.value > whole.value if key.measure is LOSS else row.value < whole.value
                assert worse


@given(grouped_tables(), st.permutations("xyz"))
def test_names_of_groups_do_not_matter(
    case: tuple[dict[str, Statistics], dict[str, str]], order: Sequence[str]
) -> None:
    table, of = case
    called = dict(zip("xyz", order, strict=True))
    before, after = divided(table, of), divided(table, {item: called[each] for item, each in of.items()})
    for key in before.whole:
        renamed = {row.group: row for row in after.of(key.measure, key.system)}
        for row in before.of(key.measure, key.system):
            other = renamed[row.group if row.group is None else called[row.group]]
            same(replace(other, group=row.group), row)


@given(tables(systems=2))
def test_one_group_is_the_whole(table: dict[str, Statistics]) -> None:
    found = divided(table, dict.fromkeys(names(len(table["s0"])), "all"))
    for row in found.rows:
        whole = next(
            each for key, each in found.whole.items() if key[:3] == (row.system, row.annotator, row.measure)
        )
        assert row.value == pytest.approx(whole.value, nan_ok=True)
        assert math.isnan(row.cost)
        assert not row.costs_most


# --- baselines and the ceiling ----------------------------------------------------------------

SONGS = st.lists(st.sampled_from(("C", "G", "A:min", "N", "X")), min_size=4, max_size=4).map(
    lambda labels: ([(second, second + 1) for second in range(4)], labels)
)


@st.composite
def annotated(draw: st.DrawFn, annotators: int = 3) -> dict[str, dict[str, Any]]:
    """Return songs by annotator; not all annotators have all of them."""
    people: dict[str, dict[str, Any]] = {f"a{number}": {} for number in range(annotators)}
    for number in range(draw(st.integers(1, 4))):
        has = draw(st.sets(st.integers(0, annotators - 1), min_size=1))
        for person in has:
            people[f"a{person}"][f"song{number}"] = draw(SONGS)
    return {name: songs for name, songs in people.items() if songs}


def standing(
    people: dict[str, dict[str, Any]], system: dict[str, Any]
) -> dict[tuple[str, ...], ContextScore]:
    choices: Any = {"measures": ["mirex2013/MajMin", "mirex2013/MeanSeg"], "ci": None, "context": True}
    scores = kt.score("chords", None, {"s": system}, annotators=people, **choices)
    return {(str(row.measure), row.role, row.name): row for row in context_of(scores).rows}


def first_of_each(people: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {item: song for songs in reversed(people.values()) for item, song in songs.items()}


@given(annotated(), SONGS)
def test_floors_and_ceiling_do_not_depend_on_systems(people: dict[str, dict[str, Any]], said: Any) -> None:
    one = standing(people, first_of_each(people))
    other = standing(people, dict.fromkeys(first_of_each(people), said))
    for key, row in one.items():
        if key[1] in ("baseline", "annotators"):
            same(row, other[key])


@given(annotated(), st.permutations(range(3)))
def test_names_of_annotators_do_not_matter(people: dict[str, dict[str, Any]], order: Sequence[int]) -> None:
    system = first_of_each(people)
    listed = list(people.items())
    other = dict(listed[place] for place in order if place < len(listed))
    before, after = standing(people, system), standing(other, system)
    assert before.keys() == after.keys()
    for key, row in before.items():
        assert row.value == pytest.approx(after[key].value, abs=1e-12, nan_ok=True)
        assert row.share == pytest.approx(after[key].share, abs=1e-12, nan_ok=True)


@given(st.lists(SONGS, min_size=1, max_size=3), st.lists(SONGS, min_size=3, max_size=3))
def test_of_two_annotators_a_copy_of_one_reaches_half_of_what_is_left(firsts: Any, seconds: Any) -> None:
    people = {
        "one": {f"song{number}": song for number, song in enumerate(firsts)},
        "other": {f"song{number}": song for number, song in enumerate(seconds[: len(firsts)])},
    }
    found = standing(people, people["one"])
    ceiling = found.get(("mirex2013/MeanSeg", "annotators", "annotators"))
    own = found.get(("mirex2013/MeanSeg", "others", "s"))
    assert ceiling is not None
    assert own is not None
    # against the other it has what annotators have, against itself all; MeanSeg is symmetric
    assert own.value == pytest.approx((ceiling.value + 1) / 2)


# --- tests of differences ------------------------------------------------------------------

DIFFERENCES = st.lists(st.integers(-8, 8).map(lambda each: each / 8), min_size=2, max_size=12).map(np.array)


@given(DIFFERENCES)
def test_exchanging_systems_turns_the_statistic(differences: Values) -> None:
    for test in (permutation_test, t_test, wilcoxon):
        one, other = test(differences), test(-differences)
        assert other.p == pytest.approx(one.p, abs=1e-12)
        assert other.statistic == pytest.approx(-one.statistic, abs=1e-12)


@given(DIFFERENCES, st.sampled_from((0.25, 3.0, 1000.0)))
def test_the_unit_of_a_measure_does_not_show(differences: Values, factor: float) -> None:
    for test in (permutation_test, t_test, wilcoxon):
        assert test(differences * factor).p == pytest.approx(test(differences).p, abs=1e-9)


@given(
    st.lists(st.floats(0, 1) | st.just(math.nan), max_size=8).map(lambda each: np.array(each, dtype=float))
)
def test_adjusting_keeps_the_order_and_never_lowers(p_values: Values) -> None:
    adjusted = holm(p_values)
    defined = ~np.isnan(p_values)
    assert (np.isnan(adjusted) == ~defined).all()
    assert (adjusted[defined] >= p_values[defined]).all()
    assert (adjusted[defined] <= np.minimum(1, p_values[defined] * defined.sum())).all()
    order = np.argsort(p_values[defined], kind="stable")
    assert (np.diff(adjusted[defined][order]) >= 0).all()


def _mean_p(rng: np.random.Generator, seed: int) -> float:
    return permutation_test(rng.standard_t(3, 40), repetitions=999, seed=seed).p


def _pooled_p(rng: np.random.Generator, seed: int) -> float:
    wholes = rng.exponential(1, 40)
    first, second = (np.stack((rng.beta(8, 2, 40) * wholes, wholes), axis=1) for _ in "ab")
    return swapped({"first": first, "second": second}, repetitions=999, seed=seed).p


def _t_p(rng: np.random.Generator, seed: int) -> float:
    return t_test(rng.normal(size=40)).p


def _wilcoxon_p(rng: np.random.Generator, seed: int) -> float:
    return wilcoxon(rng.laplace(size=40)).p


@pytest.mark.slow
@pytest.mark.parametrize("simulate", [_mean_p, _pooled_p, _t_p, _wilcoxon_p])
def test_p_is_uniform_if_there_is_no_difference(simulate: Any) -> None:
    rng = np.random.default_rng(2013)
    found = [simulate(rng, seed) for seed in range(1500)]
    assert stats.kstest(found, "uniform").pvalue > 0.001
    for level in (0.05, 0.2, 0.5):
        # four standard errors
        share = float(np.mean(np.array(found) <= level))
        assert share == pytest.approx(level, abs=4 * math.sqrt(level * (1 - level) / 1500))


@pytest.mark.slow
def test_exact_p_is_never_too_small_if_there_is_no_difference() -> None:
    rng = np.random.default_rng(7)
    found = np.array([permutation_test(rng.integers(-3, 4, 8).astype(float)).p for _ in range(2000)])
    for level in (0.05, 0.1, 0.5):
        assert np.mean(found <= level) < level + 4 * math.sqrt(level * (1 - level) / 2000)


# --- groups, agreement, reliability --------------------------------------------------------


@st.composite
def ratings(draw: st.DrawFn) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    units, raters = draw(st.integers(1, 12)), draw(st.integers(2, 4))
    cell = st.integers(-1, 3)
    rows = draw(st.lists(st.lists(cell, min_size=raters, max_size=raters), min_size=units, max_size=units))
    return np.array(rows, dtype=np.int64)


@given(ratings(), st.permutations(range(4)), st.randoms(use_true_random=False))
def test_neither_names_of_labels_nor_of_raters_matter(
    data: np.ndarray[tuple[int, int], np.dtype[np.int64]], items_behind: Sequence[int], random: Any
) -> None:
    raters, units = list(range(data.shape[1])), list(range(len(data)))
    random.shuffle(raters)
    random.shuffle(units)
    renamed = np.where(data < 0, -1, np.array(items_behind)[data])[units][:, raters]
    for coefficient in (krippendorff_alpha, fleiss_kappa):
        one, other = coefficient(data), coefficient(renamed)
        assert other.value == pytest.approx(one.value, abs=1e-9, nan_ok=True)
        assert other.reason == one.reason


@given(ratings(), st.lists(st.sampled_from((0.5, 1.0, 3.0)), min_size=12, max_size=12))
def test_alpha_of_a_continuum_does_not_depend_on_cuts_nor_on_the_unit(
    data: np.ndarray[tuple[int, int], np.dtype[np.int64]], weights: list[float]
) -> None:
    size = np.array(weights[: len(data)])
    whole = krippendorff_alpha(data, size)
    halves = krippendorff_alpha(np.repeat(data, 2, axis=0), np.repeat(size / 2, 2))
    assert halves.value == pytest.approx(whole.value, abs=1e-9, nan_ok=True)
    assert krippendorff_alpha(data, size * 1000).value == pytest.approx(whole.value, abs=1e-9, nan_ok=True)


@given(ratings())
def test_perfect_agreement_is_one_and_none_is_more(
    data: np.ndarray[tuple[int, int], np.dtype[np.int64]],
) -> None:
    found = krippendorff_alpha(data)
    assert math.isnan(found.value) == bool(found.reason)
    assert not found.value > 1
    same_everywhere = np.where(data < 0, -1, data[:, :1].clip(min=0))
    assert krippendorff_alpha(same_everywhere).value in (1, pytest.approx(math.nan, nan_ok=True))


@given(st.integers(0, 10_000), st.floats(-5, 5), st.sampled_from((0.5, 4.0)))
def test_a_shift_changes_no_component_and_a_factor_no_share(seed: int, shift: float, factor: float) -> None:
    values = np.random.default_rng(seed).random((8, 4))
    one, other = variance_components(values), variance_components(values * factor + shift)
    assert other.shares == pytest.approx(one.shares, abs=1e-9)
    assert other.systems == pytest.approx(one.systems * factor**2, abs=1e-9)


@given(st.integers(2, 6).flatmap(lambda k: st.tuples(st.just(k), st.sets(st.integers(0, k * k - 1)))))
def test_letters_are_shared_by_those_that_do_not_differ(case: tuple[int, set[int]]) -> None:
    systems, cells = case
    differs = np.zeros((systems, systems), dtype=bool)
    for cell in cells:
        one, other = divmod(cell, systems)
        differs[one, other] = differs[other, one] = one != other
    named = letters(differs)
    for one, other in combinations(range(systems), 2):
        assert bool(set(named[one]) & set(named[other])) != differs[one, other]


def test_every_aggregate_is_tried() -> None:
    assert {measure.aggregate for measure in MEASURES} == set(get_args(Aggregate))
    assert set(TESTS) == set(get_args(Test))
