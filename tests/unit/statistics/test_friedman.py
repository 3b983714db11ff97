# SPDX-License-Identifier: MIT
import math

import numpy as np
import pytest

from kammerton.errors import OptionError
from kammerton.statistics.paired import friedman

# Demšar 2006, table 5: two-tailed Nemenyi test at 0.05, for 2 to 10 classifiers
Q_05 = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
# the same at 0.10
Q_10 = [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]


def critical_difference(systems: int, items: int, alpha: float = 0.05) -> float:
    """Return the difference of mean ranks from which on systems differ, if no values are equal."""
    return friedman(np.tile(np.arange(systems, dtype=np.float64), (items, 1)), alpha).critical


def nemenyi_q(systems: int, alpha: float) -> float:
    """Return the quantile of Nemenyi's test: the critical difference is that, by the error of a mean rank."""
    return critical_difference(systems, 6, alpha) / math.sqrt(systems * (systems + 1) / 36)


@pytest.mark.parametrize(("alpha", "expected"), [(0.05, Q_05), (0.10, Q_10)])
def test_quantiles_are_those_of_the_published_table(alpha: float, expected: list[float]) -> None:
    found = [nemenyi_q(systems, alpha) for systems in range(2, 11)]
    assert found == pytest.approx(expected, abs=0.00102)  # the table rounds, and is one off in places


def test_critical_differences_that_were_published() -> None:
    assert critical_difference(5, 50) == pytest.approx(0.8626, abs=5e-5)
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)  # Demšar 2006, p. 14


def test_mean_ranks_by_hand() -> None:
    # ranks 1 2 3, 1 2 3, 1 3 2, 2 1 3: means 5/4, 2, 11/4
    # chi2 = 12 * 4 / (3 * 4) * (9/16 + 0 + 9/16) = 4.5
    values = np.array([[0.9, 0.5, 0.1], [0.8, 0.7, 0.6], [0.9, 0.1, 0.2], [0.5, 0.6, 0.4]])
    found = friedman(values)
    assert found.items == 4
    assert found.ranks.tolist() == [1.25, 2, 2.75]
    assert found.chi_squared == pytest.approx(4.5)
    assert found.p == pytest.approx(math.exp(-4.5 / 2))  # two degrees of freedom
    assert found.critical == pytest.approx(critical_difference(3, 4))


def test_equal_values_leave_less_variance() -> None:
    # ranks 1.5 1.5 3 on both items: variance of a rank (1 + 1 - 6/24/... ) by hand:
    # squares of deviations from 2: 0.25 + 0.25 + 1 = 1.5, over k - 1 = 2: 0.75 instead of 1
    found = friedman(np.array([[1.0, 1.0, 0.0], [5.0, 5.0, 4.0]]))
    assert found.ranks.tolist() == [1.5, 1.5, 3]
    # chi2 = items / variance * sum of squared deviations = 2 / 0.75 * 1.5
    assert found.chi_squared == pytest.approx(4)
    assert found.critical == pytest.approx(critical_difference(3, 2) * math.sqrt(0.75))


def test_two_systems_are_a_normal_approximation_of_the_sign_test() -> None:
    # 8 of 10: ranks 1.2 and 1.8; chi2 = (8 - 2)**2 / 10; and the p of the pair is the same p
    found = friedman(np.array([[2.0, 1.0]] * 8 + [[1.0, 2.0]] * 2))
    assert found.chi_squared == pytest.approx(3.6)
    assert found.p == pytest.approx(math.erfc(math.sqrt(1.8)))
    assert found.pairs[0, 1] == pytest.approx(found.p, abs=1e-9)
    assert found.pairs[0, 0] == 1


def test_pairs_are_told_apart_from_the_critical_difference_on() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40, 6)) + np.arange(6) * 0.3
    found = friedman(values, alpha=0.1)
    apart = np.abs(found.ranks[:, None] - found.ranks[None, :]) > found.critical
    assert apart.any()
    assert not apart.all()
    assert (apart == (found.pairs < 0.1)).all()


def test_items_without_a_value_are_left_out() -> None:
    values = np.array([[0.9, 0.5], [0.8, math.nan], [0.1, 0.2]])
    assert friedman(values).items == 2
    assert friedman(values).ranks.tolist() == [1.5, 1.5]


def test_systems_that_never_differ() -> None:
    found = friedman(np.ones((5, 3)))
    assert (found.chi_squared, found.p, found.critical) == (0, 1, 0)
    assert found.pairs.tolist() == np.ones((3, 3)).tolist()


@pytest.mark.parametrize("shape", [(3, 1), (0, 3)])
def test_nothing_to_compare(shape: tuple[int, int]) -> None:
    found = friedman(np.ones(shape))
    assert math.isnan(found.p)
    assert np.isnan(found.ranks).all()
    assert np.isnan(found.pairs).all()
    assert math.isnan(found.critical)


def test_a_level_that_is_none_is_refused() -> None:
    with pytest.raises(OptionError, match="alpha is between 0 and 1"):
        critical_difference(2, 5, 5.0)
