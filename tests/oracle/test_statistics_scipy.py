# SPDX-License-Identifier: MIT
"""Tests and intervals agree with SciPy."""

import numpy as np
import pytest
from scipy import stats

from kammerton.statistics.intervals import bca, percentile
from kammerton.statistics.paired import friedman, midranks, t_test, wilcoxon
from tabled_scores import permutation_test

SEEDS = range(5)

Values = np.ndarray[tuple[int], np.dtype[np.float64]]


def differences(seed: int, items: int, *, rounded: bool = False) -> Values:
    found = np.random.default_rng(seed).normal(0.2, 1.0, items)
    return found.round(1) if rounded else found


@pytest.mark.parametrize("seed", SEEDS)
def test_t(seed: int) -> None:
    data = differences(seed, 12)
    expected = stats.ttest_1samp(data, 0)
    assert t_test(data).statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert t_test(data).p == pytest.approx(expected.pvalue, rel=1e-12)


@pytest.mark.parametrize("rounded", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_wilcoxon(seed: int, rounded: bool) -> None:
    data = differences(seed, 40, rounded=rounded)
    expected = stats.wilcoxon(data, correction=True, method="approx")
    assert wilcoxon(data).p == pytest.approx(expected.pvalue, rel=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_all_patterns_of_signs(seed: int) -> None:
    data = differences(seed, 9, rounded=True)
    # SciPy doubles the smaller tail; for signs both tails are the same
    expected = stats.permutation_test((data,), np.mean, permutation_type="samples", n_resamples=np.inf)
    assert permutation_test(data).p == pytest.approx(expected.pvalue, rel=1e-12)


@pytest.mark.parametrize("rounded", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_friedman(seed: int, rounded: bool) -> None:
    values = np.random.default_rng(seed).normal(size=(20, 4)) + np.arange(4) * 0.3
    values = values.round() if rounded else values
    expected = stats.friedmanchisquare(*values.T)
    found = friedman(values)
    assert found.chi_squared == pytest.approx(expected.statistic, rel=1e-12)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-12)


def test_tukey_on_ranks() -> None:
    values = np.random.default_rng(7).normal(size=(20, 4)) + np.arange(4) * 0.3
    found = friedman(values)
    for one in range(4):
        for other in range(one):
            # the variance of a rank among 4 is (4**2 - 1) / 12
            range_ = abs(found.ranks[one] - found.ranks[other]) / np.sqrt(4 * 5 / 12 / 20)
            expected = stats.studentized_range.sf(range_, 4, np.inf)
            assert found.pairs[one, other] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_midranks(seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, 5, (30, 6)).astype(float)
    assert (midranks(values)[0] == stats.rankdata(values, axis=1)).all()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("statistic", [np.mean, np.median])
def test_intervals(seed: int, statistic: np.ufunc) -> None:
    data = np.random.default_rng(seed).exponential(size=15)
    found = {
        method: stats.bootstrap(
            (data,), statistic, n_resamples=2000, method=method, random_state=seed, confidence_level=0.9
        )
        for method in ("percentile", "BCa")
    }
    low, high = percentile(found["percentile"].bootstrap_distribution, 0.9)
    assert (low, high) == pytest.approx(tuple(found["percentile"].confidence_interval), rel=1e-12)
    jackknifed = np.array([statistic(np.delete(data, place)) for place in range(len(data))])
    low, high = bca(statistic(data), found["BCa"].bootstrap_distribution, jackknifed, 0.9)
    assert (low, high) == pytest.approx(tuple(found["BCa"].confidence_interval), rel=1e-9)
