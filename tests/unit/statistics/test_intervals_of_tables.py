# SPDX-License-Identifier: MIT
"""Intervals of figures of tables of numbers, by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest

from kammerton.arrays import ratio
from kammerton.model.corpus import ALL
from kammerton.model.measure import Statistics, Values
from kammerton.results.comparison import compare
from kammerton.scoring.evaluating import Timing
from kammerton.statistics import resampling as products
from kammerton.statistics.intervals import bca, expanded, intervals, percentile
from kammerton.statistics.resampling import BootstrapSettings, LeaveOneOut, Resampling, ScoreKey
from kammerton.statistics.sample import Sample
from tabled_scores import CLASSES, MEAN, MIDDLE, POOLED, TOGETHER, WEIGHTED, Share, names, tabled

NONE = (math.nan, math.nan)
HALF = 0.2
"""Level of an interval that is of the middle half of the draws of two items, in which each is drawn once:
tan(0.1 pi) = 0.3249 by Student's distribution, sqrt(2) times that is 0.4595, and below that lie 32 %."""

# Values 1 and 0, on 1 and on 3. Drawn twice, once each, twice: a quarter, a half, a quarter of the time.
TWO = {"s": [[1, 1], [0, 3]]}


def shares(items: int) -> Statistics:
    """Return parts of 1 or 2."""
    rng = np.random.default_rng(0)
    return np.stack((rng.random(items), rng.integers(1, 3, items)), axis=1)


class Inverse(Share):
    """The second column over the first."""

    def finalise(self, statistics: Statistics, /) -> Values:
        return ratio(statistics[:, 1], statistics[:, 0])


def undefined(interval: tuple[float, float]) -> bool:
    return math.isnan(interval[0]) and math.isnan(interval[1])


@pytest.mark.parametrize(
    ("measure", "how", "middle"),
    [
        (POOLED, "pooled", 1 / 4),
        (POOLED, "mean", 1 / 2),
        (POOLED, "median", 1 / 2),
        (POOLED, "weighted_mean", 1 / 4),
        (MEAN, "mean", 1 / 2),
        (MIDDLE, "median", 1 / 2),
        (WEIGHTED, "weighted_mean", 1 / 4),
    ],
)
def test_two_items(measure: object, how: str, middle: float) -> None:
    scores = tabled(TWO, (POOLED, MEAN, MIDDLE, WEIGHTED))
    narrow, wide = (
        intervals(scores, BootstrapSettings(level=HALF)),
        intervals(scores, BootstrapSettings(level=0.9)),
    )
    key: ScoreKey = ("s", "reference", measure, how)  # type: ignore[assignment]
    assert narrow[key] == (middle, middle)
    assert wide[key] == (0, 1)


def test_every_figure_of_the_summary_has_one() -> None:
    rows = shares(6)
    table = {name: {"one": rows * [1 - number / 2, 1], "two": rows} for number, name in enumerate("ab")}
    scores = tabled(table, (POOLED, MEAN, CLASSES))
    found = intervals(scores, BootstrapSettings(resamples=50))
    summary = scores.summary.select("system", "annotator", "protocol", "measure", "aggregate").rows()
    assert {(key.system, key.annotator, "one", key.measure.name, key.aggregate) for key in found} == set(
        summary
    )
    for key in found:
        low, high = found[key]
        assert (0 <= low <= high <= 1) == (key.measure != CLASSES)  # one class tells nothing of others
    assert len(found) == len(summary)


def test_figures_against_all_annotators_are_made_without_the_others_if_they_are_looked_at_first() -> None:
    rows = shares(9)
    table = {name: {"one": rows * [1 - at / 3, 1], "two": rows} for at, name in enumerate("ab")}
    scores = tabled(table, (POOLED, CLASSES))
    looks: list[float] = []
    scores.timing = Timing(lambda: looks.append(0.0) or 0.0)  # type: ignore[func-returns-value]
    found = intervals(scores, BootstrapSettings(resamples=50), timing=scores.timing)
    made = []
    for system, who, measure in [
        ("a", ALL, POOLED),
        ("b", ALL, POOLED),
        ("b", "one", POOLED),
        ("a", "two", POOLED),
    ]:
        _ = found[ScoreKey(system, who, measure, "pooled")]
        made.append(len(looks) // 2)  # begin and end
    assert made == [1, 1, 2, 2]
    _ = found[ScoreKey("a", ALL, CLASSES, "gathered")]
    assert len(looks) // 2 == 3
    # where all are looked at one after the other, those of sums are made at once, and those of classes
    in_order = intervals(scores, BootstrapSettings(resamples=50), timing=scores.timing)
    assert dict(in_order) == dict(found)
    assert len(looks) // 2 == 3 + 1 + 2
    # whatever is looked at first, they are the same
    again = intervals(scores, BootstrapSettings(resamples=50))
    assert {key: again[key] for key in reversed(list(again))} == dict(found)
    assert again.get(("a", "three", POOLED, "pooled")) is None  # type: ignore[call-overload]


def test_all_annotators_of_an_item_are_drawn_with_it() -> None:
    # item 1: 1/1 and 0/1, item 2: 0/3 and 3/3; pooled over annotators 1/2 and 3/6; means 1/2 and 1/2
    scores = tabled({"s": {"one": [[1, 1], [0, 3]], "two": [[0, 1], [3, 3]]}})
    found = intervals(scores, BootstrapSettings(level=0.9))
    assert found[ScoreKey("s", ALL, POOLED, "pooled")] == (0.5, 0.5)
    assert found[ScoreKey("s", ALL, POOLED, "mean")] == (0.5, 0.5)
    assert found[ScoreKey("s", "one", POOLED, "mean")] == (0, 1)


def test_an_item_may_lack_an_annotator() -> None:
    # the second item has one annotation; drawn alone, 0/3
    scores = tabled({"s": {"one": [(1, 1), (0, 3)], "two": [(1, 1), NONE]}})
    found = intervals(scores, BootstrapSettings(level=HALF))
    assert found[ScoreKey("s", ALL, POOLED, "pooled")] == (2 / 5, 2 / 5)
    assert found[ScoreKey("s", ALL, POOLED, "mean")] == (1 / 2, 1 / 2)
    assert undefined(found[ScoreKey("s", "two", POOLED, "pooled")])  # of one item


def test_clusters_are_drawn_whole() -> None:
    scores = tabled({"s": [[1, 1], [1, 1], [0, 3], [0, 3]]})
    clusters = dict(zip(names(4), "xxyy", strict=True))
    found = intervals(scores, BootstrapSettings(level=HALF, clusters=clusters))
    assert found[ScoreKey("s", "reference", POOLED, "pooled")] == (1 / 4, 1 / 4)
    assert intervals(scores, BootstrapSettings(level=0.9, clusters=clusters))[
        ScoreKey("s", "reference", POOLED, "pooled")
    ] == (
        0,
        1,
    )
    # an item on its own: 5 of 16 draws of four have at most one of the first kind, 11 at most two. Ends of a
    # level of 0.4, by Student's distribution 0.584 * sqrt(4 / 3) out, are at 25 % and 75 %
    alone = intervals(scores, BootstrapSettings(level=0.4))[ScoreKey("s", "reference", POOLED, "pooled")]
    assert alone == (1 / 10, 1 / 2)


@pytest.mark.parametrize(
    "rows",
    [
        [[1, 2]],  # one item
        [[1, 2], [0, 0]],  # one item with a value
        [[0, 0], [0, 0]],  # none
    ],
)
def test_one_value_has_no_interval(rows: list[list[float]]) -> None:
    found = intervals(tabled({"s": rows}))
    assert all(undefined(each) for each in found.values())


def test_an_item_without_a_value_of_its_own_may_add_to_a_pooled_one() -> None:
    # 3/0 is undefined, (3 + 1) / (0 + 2) is 2; the second item alone is 1/2
    found = intervals(tabled({"s": [[3, 0], [1, 2]]}))
    assert found[ScoreKey("s", "reference", POOLED, "pooled")] == (0.5, 2)
    assert undefined(found[ScoreKey("s", "reference", POOLED, "mean")])


def test_items_that_never_differ_have_a_narrow_one() -> None:
    found = intervals(tabled({"s": [[2, 2], [3, 3]]}))
    assert found[ScoreKey("s", "reference", POOLED, "pooled")] == (1, 1)


def test_neighbours_are_left_out_together_if_there_are_many() -> None:
    assert LeaveOneOut(4, repetitions=2).block(0).tolist() == [[0, 0, 1, 1], [1, 1, 0, 0]]
    assert LeaveOneOut(0).block(0).shape == (0, 0)
    clusters = ["x", "y", "x"]
    assert LeaveOneOut(3, clusters=clusters).block(0).tolist() == [[0, 1, 0], [1, 0, 1]]


# --- measures over classes -----------------------------------------------------------------


def test_classes_are_made_anew_where_they_are_not_averaged() -> None:
    # units of one class: found in the first, not in the second; drawn twice it is two units
    found = intervals(
        tabled({"s": [[2, 2], [0, 2]]}, (TOGETHER,)), BootstrapSettings(level=0.1)
    )  # 250 draws only
    assert found[ScoreKey("s", "reference", TOGETHER, "gathered")] == (1 / 2, 1 / 2)


def test_classes_that_are_averaged_are_drawn() -> None:
    # classes 1, 2, 3 are found in 1/1, 1/2 and 0/3 of their units, whatever items there are
    table = {"s": [[1, 1], [1, 2], [0, 2], [0, 3], [0, 3], [0, 3]]}
    scores = tabled(table, (CLASSES, TOGETHER))
    key = ScoreKey("s", "reference", CLASSES, "gathered")
    found = intervals(scores, BootstrapSettings(level=0.9, resamples=400))
    draws = np.concatenate([Resampling(3, 400).block(start) for start in Resampling(3, 400).starts])
    means = draws @ np.array([1, 1 / 2, 0]) / 3
    assert found[key] == pytest.approx(percentile(means, expanded(0.9, 3)), abs=1e-12)
    assert found[key] == (0, 1)
    bias_corrected = intervals(scores, BootstrapSettings(level=0.6, resamples=400, method="bca"))[key]
    without = np.array([1 / 4, 1 / 2, 3 / 4])
    assert bias_corrected == pytest.approx(bca(1 / 2, means, without, expanded(0.6, 3)), abs=1e-12)


def test_all_systems_get_the_same_classes() -> None:
    # two classes, found in 1/4 of their units by a, and in 2/4 by b: so is the difference of every draw
    rows = np.array([[1, 4], [0, 4], [0, 4], [0, 4], [1, 5], [0, 5], [0, 5], [0, 5]])
    better = rows + [[0, 0], [1, 0], [0, 0], [0, 0]] * 2
    found = compare(tabled({"a": rows, "b": better}, (CLASSES,)), resamples=50).measures[0]
    (pair,) = found.pairs
    assert (pair.difference, pair.low, pair.high) == (1 / 4, 1 / 4, 1 / 4)


def test_a_class_without_a_value_is_drawn_for_nothing() -> None:
    # units over those that were found: class 1 has 2/1, class 3 has 1/1, class 2 has none
    measure = replace(CLASSES, formula=Inverse(), range=(1.0, 9.0))
    found = intervals(
        tabled({"s": [[1, 1], [0, 1], [0, 2], [1, 3]]}, (measure,)),
        BootstrapSettings(level=0.9, resamples=200),
    )
    key = ScoreKey("s", "reference", measure, "gathered")
    assert found[key] == (1, 2)
    alone = intervals(tabled({"s": [[0, 2], [1, 3]]}, (measure,)), BootstrapSettings(resamples=200))
    assert undefined(alone[key])


def test_clusters_of_items_are_those_of_classes_that_are_items() -> None:
    clusters = dict(zip(names(4), "xxyy", strict=True))
    key = ScoreKey("s", "reference", CLASSES, "gathered")
    queries = tabled({"s": [[1, 1], [1, 1], [0, 1], [0, 1]]}, (CLASSES,), by_item=True)
    assert intervals(queries, BootstrapSettings(level=0.9, clusters=clusters))[key] == (0, 1)
    # two clusters may be the same one in half of the draws, of four queries that is rare
    assert intervals(queries, BootstrapSettings(level=0.4, clusters=clusters))[key] == (0, 1)
    assert intervals(queries, BootstrapSettings(level=0.4))[key] == (1 / 4, 3 / 4)
    # classes that are no items are on their own
    classes = tabled({"s": [[1, 1], [1, 2], [0, 3], [0, 4]]}, (CLASSES,))
    assert intervals(classes, BootstrapSettings(level=0.4, clusters=clusters))[key] == (1 / 4, 3 / 4)


def test_items_that_are_classes_are_drawn_as_classes() -> None:
    # found in 1, 0 and 0; the mean over the three classes drawn is 1/3 * how often the first is
    scores = tabled({"s": [[2, 2], [0, 2], [0, 2]]}, (CLASSES,), by_item=True)
    key = ScoreKey("s", "reference", CLASSES, "gathered")
    part = Sample(scores, [key], {CLASSES: frozenset(names(3))})
    draws = Resampling(3, 40)
    found = part.evaluate(draws, part.item_scores([key]))[key]
    assert found.tolist() == pytest.approx((draws.block(0)[:, 0] / 3).tolist())


def test_classes_of_several_annotators_are_averaged_first() -> None:
    # class 2: found by 1 of 1 and 0 of 1; class 3: not by the first; of the second there is none
    scores = tabled({"s": {"one": [(1, 2), (0, 3)], "two": [(0, 2), NONE]}}, (CLASSES,))
    found = intervals(scores, BootstrapSettings(level=0.9))
    assert scores.value("classes") == (1 / 2 + 0) / 2
    assert found[ScoreKey("s", ALL, CLASSES, "gathered")] == (0, 1 / 2)


# --- the same bytes ------------------------------------------------------------------------


@pytest.mark.slow
def test_neither_order_nor_workers_show(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = shares(700)
    table = {"a": rows, "b": rows[::-1]}
    first = intervals(tabled(table, (POOLED, CLASSES)), BootstrapSettings(resamples=3000))
    monkeypatch.setattr(products, "_MOST_WORKERS", 1)
    shuffled = np.random.default_rng(1).permutation(700).tolist()
    again = intervals(tabled(table, (POOLED, CLASSES), order=shuffled), BootstrapSettings(resamples=3000))
    assert dict(first) == dict(again)


def test_figures_may_be_made_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = shares(20)
    whole = intervals(tabled({"a": rows}, (POOLED, MEAN)), BootstrapSettings(resamples=100))
    monkeypatch.setattr("kammerton.statistics.intervals._TOGETHER", 150)
    parts = intervals(tabled({"a": rows}, (POOLED, MEAN)), BootstrapSettings(resamples=100))
    assert list(whole) == list(parts)
    for key in whole:
        assert parts[key] == pytest.approx(whole[key], abs=1e-14)
