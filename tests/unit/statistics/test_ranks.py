# SPDX-License-Identifier: MIT
"""Ties: scores that only rounding tells apart are equal, in every test and wherever systems are ranked."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kammerton as kt
from kammerton.api.gating import Threshold
from kammerton.reporting.documents import item_losses
from kammerton.reporting.html.page import Source
from kammerton.reporting.html.summary import judges_of
from kammerton.results.comparison import compare
from kammerton.results.scores import Scores
from kammerton.statistics.paired import (
    cohens_d,
    differences,
    differences_of_items,
    friedman,
    is_tie,
    level,
    t_test,
    wilcoxon,
)
from tabled_scores import LOSS, MEAN, MIDDLE, OTHER, POOLED, WEIGHTED, names, tabled, valued
from unit.reporting.pages import section, text_of

MAJMIN = "mirex2013/MajMin"
ENDS = (29, 30, 31, 32, 33, 34, 41, 42, 43, 44, 45, 46)
"""Hundredths of a second up to which both systems are right, in songs of one second."""


def songs(*, cut: bool) -> dict[str, Any]:
    """Return twelve songs that are right up to an end, in one row or in two that are cut at 0.03 s."""
    whole = {f"{end}": ([(0, end / 100), (end / 100, 1.0)], ["C", "G"]) for end in ENDS}
    two = {f"{end}": ([(0, 0.03), (0.03, end / 100), (end / 100, 1.0)], ["C", "C:7", "G"]) for end in ENDS}
    return two if cut else whole


def rounded(*order: str) -> Scores:
    references = {f"{end}": ([(0, 1.0)], ["C"]) for end in ENDS}
    systems = {"whole": songs(cut=False), "cut": songs(cut=True)}
    return kt.score("chords", references, {name: systems[name] for name in order}, measures=[MAJMIN], ci=None)


def test_the_sums_of_more_rows_are_rounded_otherwise() -> None:
    scores = rounded("whole", "cut")
    (measure,) = scores.measures
    one, other = (scores.of_items(measure, name, "reference").values for name in scores.systems)
    assert (other - one).tolist() == [2.0**-54] * 12  # 5.6e-17: what follows is of ties that rounding hides


@pytest.mark.parametrize("order", [("whole", "cut"), ("cut", "whole")])
@pytest.mark.parametrize("test", ["permutation", "t", "wilcoxon", "friedman"])
def test_systems_that_are_right_for_the_same_seconds_are_not_different(
    test: Any, order: tuple[str, str]
) -> None:
    (found,) = compare(rounded(*order), test=test, method="bca", reliability=True).measures
    (pair,) = found.pairs
    assert (pair.p, pair.adjusted, pair.significant) == (1, 1, False)
    assert (pair.superiority, pair.wins, pair.ties, pair.losses) == (0.5, 0, 12, 0)
    assert (pair.difference, pair.low, pair.high, pair.detectable) == (0, 0, 0, 0)
    assert math.isnan(pair.d_z)  # differences do not vary
    assert [(row.system, row.letters) for row in found.ranking] == [(order[0], "a"), (order[1], "a")]
    assert found.places == {"whole": 1, "cut": 1}
    assert found.reliability is not None
    assert found.reliability.components.systems == found.reliability.components.interaction == 0
    if found.friedman is not None:
        assert found.friedman.ranks.tolist() == [1.5, 1.5]
        assert (found.friedman.chi_squared, found.friedman.p) == (0, 1)


def test_both_of_two_equal_systems_are_the_best_in_tables() -> None:
    scores = rounded("whole", "cut")
    assert scores.to_markdown(digits=2).count("**37.50**") == 2  # 4.5 of 12 s


def test_a_report_says_that_they_score_the_same() -> None:
    assert "cut and whole score the same: " in text_of(section(rounded("whole", "cut"), "summary"))


def test_runs_of_equal_systems_do_not_differ() -> None:
    found = kt.diff(rounded("whole"), rounded("cut"))
    assert not found.changed
    assert not found.items
    assert not any(each.changed for each in found.scores)
    # 1e-9 s more are a change, unless they are told to be none
    longer = {**songs(cut=False), "29": ([(0, 0.29 + 1e-9), (0.29 + 1e-9, 1.0)], ["C", "G"])}
    references = {f"{end}": ([(0, 1.0)], ["C"]) for end in ENDS}
    more = kt.score("chords", references, {"more": longer}, measures=[MAJMIN], ci=None)
    assert [each.item for each in kt.diff(rounded("whole"), more).items] == ["29"]
    assert not kt.diff(rounded("whole"), more, tolerance=1e-8).changed


def test_gates_and_losses_do_not_go_by_rounding() -> None:
    scores = tabled(valued({"a": [0.1 + 0.2, 0.3], "b": [1 - 2**-53, 1.0]}), (MEAN,))
    for limit, is_worse in ((0.3 + 2**-52, False), (0.3 + 1e-9, True)):
        outcomes = Threshold(MEAN, limit).outcomes(tabled(valued({"a": [0.3]}), (MEAN,)))
        assert [outcome.passed for outcome in outcomes] == [not is_worse]
    only_b = tabled(valued({"b": [1 - 2**-53, 0.5]}), (MEAN,))
    assert [cost.item for cost in item_losses(only_b, MEAN)] == [names(2)[1]]
    assert len(item_losses(scores, MEAN)) == 2


def test_the_worst_items_tie_on_a_page() -> None:
    scores = tabled(valued({"a": [0.9, 0.1 + 0.2, 0.3, 0.3]}), (MEAN,))
    text = text_of(section(scores, "summary"))
    assert "item 00001: 30.0 % for a. 2 other items scored the same." in text


def test_the_first_of_annotators_that_are_as_hard_judges() -> None:
    table = {"a": {"ann": [(0.1 + 0.2, 1)], "bob": [(0.3, 1)], "cem": [(0.9, 1)]}}
    found = judges_of(Source(key="c1", scores=tabled(table, (MEAN,))))
    assert found == {names(1)[0]: "ann"}


# --- by each measure -----------------------------------------------------------------------


@pytest.mark.parametrize("measure", [POOLED, MEAN, MIDDLE, WEIGHTED, LOSS])
@pytest.mark.parametrize("test", ["permutation", "t", "wilcoxon", "friedman"])
def test_no_measure_goes_by_rounding(measure: Any, test: Any) -> None:
    exact = np.array([0.3, 0.6, 0.7, 0.2])
    noise = exact + np.array([2**-54, 2**-53, 2**-53, 0.0])
    assert (noise - exact > 0).sum() == 3
    (pair,) = compare(tabled(valued({"a": noise, "b": exact}), (measure,)), test=test).measures[0].pairs
    assert (pair.p, pair.wins, pair.losses, pair.difference) == (1, 0, 0, 0)


def test_means_of_clusters_tie_too() -> None:
    # (0.1 + 0.2 + 0) / 3 and (0.3 + 0 + 0) / 3 are equal but for rounding, in each of two clusters
    table = valued({"a": [0.1, 0.2, 0.0] * 2, "b": [0.3, 0.0, 0.0] * 2})
    clusters = dict(zip(names(6), "xxxyyy", strict=True))
    for test in ("t", "wilcoxon", "friedman", "permutation"):
        chosen: Any = test
        (pair,) = compare(tabled(table, (MEAN,)), test=chosen, clusters=clusters).measures[0].pairs
        assert pair.p == 1
        assert (pair.wins, pair.ties, pair.losses) == (2, 2, 2)  # items do differ


def test_protocols_do_not_disagree_by_rounding() -> None:
    one, other = {"a": [[0.3, 1]], "b": [[0.1 + 0.2, 1]]}, {"a": [[0.1 + 0.2, 1]], "b": [[0.3, 1]]}
    assert not compare(tabled(one, (POOLED, OTHER), others=other)).disagreements


def test_a_real_difference_is_one_however_small() -> None:
    base = np.full(12, 0.5)
    (pair,) = (
        compare(tabled(valued({"a": base + 1e-9, "b": base}), (MEAN,)), test="wilcoxon").measures[0].pairs
    )
    assert (pair.wins, pair.ties) == (12, 0)
    assert pair.difference == pytest.approx(1e-9)
    assert pair.significant


# --- the helpers ---------------------------------------------------------------------------


def test_differences_within_rounding_are_zero() -> None:
    first = np.array([0.3 + 2**-54, 0.3, 0.3, math.nan, 1e-20, -0.3])
    second = np.array([0.3, 0.3 + 1e-12, 0.1, 0.3, 0.0, -0.3 - 2**-54])
    found = differences(first, second)
    assert found[[0, 5]].tolist() == [0, 0]
    assert found[1] == pytest.approx(-1e-12, rel=1e-3)
    assert found[2] == 0.3 - 0.1
    assert math.isnan(found[3])
    assert found[4] == 1e-20  # of values without a scale, however small
    assert differences(first, second, 1.0)[4] == 0  # of shares, which may be 1 less another
    assert differences(np.array([1e6 + 1e-10]), np.array([1e6])).tolist() == [0]


def test_equal_distances_share_a_rank_and_do_not_vary() -> None:
    first, second = np.array([1.0, 0.2, 0.4, 0.3]), np.array([0.9, 0.3, 0.3, 0.3])
    raw = first - second
    assert len(set(np.abs(raw))) > 2  # 0.09999999999999998, 0.1, ... and 0
    found = differences_of_items(first, second)
    assert len(set(np.abs(found))) == 2
    assert np.sign(found).tolist() == [1, -1, 1, 0]
    # three equal ranks of 2: (4 - 3 - 0.5) / sqrt(3 * 4 * 7 / 24 - 24 / 48)
    assert wilcoxon(found).statistic == pytest.approx(0.5 / math.sqrt(3.0))
    same = differences_of_items(np.array([0.2, 0.3, 0.9]), np.array([0.1, 0.2, 0.8]))
    assert math.isnan(cohens_d(same))
    assert (t_test(same).statistic, t_test(same).p) == (math.inf, 0)


def test_values_of_a_row_are_levelled() -> None:
    rows = np.array([[0.3 + 2**-54, 0.3, 0.5, math.nan], [0.1, 0.2, 0.1 + 1e-9, 0.2 - 2**-55]])
    found = level(rows)
    assert found[0, :3].tolist() == [0.3, 0.3, 0.5]
    assert math.isnan(found[0, 3])
    assert found[1].tolist() == [0.1, 0.2 - 2**-55, 0.1 + 1e-9, 0.2 - 2**-55]
    assert level(np.empty((0, 3))).shape == (0, 3)
    assert is_tie(0.1 + 0.2, 0.3)
    assert not is_tie(0.3 + 1e-12, 0.3)
    assert not is_tie(math.nan, math.nan)


def test_ranks_of_a_table_do_not_go_by_rounding() -> None:
    values = np.array([[0.3, 0.3 + 2**-54, 0.1]] * 12)
    found = friedman(values)
    assert found.ranks.tolist() == [1.5, 1.5, 3]
    assert found.pairs[0, 1] == 1


def test_a_run_on_disk_keeps_ties(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("whole", "cut")]
    for path, name in zip(paths, ("whole", "cut"), strict=True):
        kt.write_run(rounded(name), path)
    (pair,) = kt.compare("chords", runs=paths, test="t").of(MAJMIN).pairs
    assert (pair.p, pair.ties) == (1, 12)
