# SPDX-License-Identifier: MIT
import math
from statistics import NormalDist, stdev

import numpy as np
import pytest

from kammerton.errors import OptionError
from kammerton.model.measure import Values
from kammerton.statistics.agreement import VarianceComponents, variance_components
from kammerton.statistics.comparison import detectable_differences

# Three items, two systems: means of systems 2 and 4, of items 2, 3 and 4, of all 3. Residuals, for the
# first system 1 - 2 - 2 + 3 = 0, 1 - 3 - 2 + 3 = -1, 4 - 4 - 2 + 3 = 1, and the reverse for the second.
# Mean squares: rest (2 * (0 + 1 + 1)) / 2 = 2, systems 3 * 2 / 1 = 6, items 2 * 2 / 2 = 2.
TABLE = np.array([[1.0, 3.0], [1.0, 5.0], [4.0, 4.0]])


def test_components_by_hand() -> None:
    # systems (6 - 2) / 3, items (2 - 2) / 2, interaction 2
    found = variance_components(TABLE)
    assert (found.systems, found.items, found.interaction) == pytest.approx((4 / 3, 0, 2))
    assert found.studied == 3
    assert found.shares == pytest.approx((2 / 5, 0, 3 / 5))


def test_stability_by_hand() -> None:
    found = VarianceComponents(systems=1.0, items=3.0, interaction=2.0, studied=5)
    assert found.e_rho2(8) == pytest.approx(1 / (1 + 2 / 8))
    assert found.phi(5) == pytest.approx(1 / (1 + 5 / 5))
    # 0.95 / 0.05 = 19 times 2, and 19 times 5
    assert found.items_for_e_rho2() == 38
    assert found.items_for_phi() == 95
    assert found.items_for_phi(0.5) == 5
    assert found.items_for_e_rho2(0.51) == 3  # 1.04 * 2, rounded up
    assert found.e_rho2(38) == pytest.approx(0.95)


def test_one_item_is_enough_where_nothing_else_varies() -> None:
    found = variance_components(np.array([[0.0, 2.0], [1.0, 3.0]]))
    assert (found.items_for_e_rho2(), found.e_rho2(1)) == (1, 1)


def test_negative_components_are_zero() -> None:
    # every system has the same mean, and every item: all variance is between
    found = variance_components(np.array([[1.0, 0.0], [0.0, 1.0]]))
    assert (found.systems, found.items) == (0, 0)
    assert found.interaction == pytest.approx(1)
    assert found.items_for_e_rho2() == math.inf
    assert found.phi(10) == 0


def test_only_items_with_all_systems_count() -> None:
    gaps = np.array([[1.0, 3.0], [9.0, math.nan], [1.0, 5.0], [4.0, 4.0]])
    assert variance_components(gaps) == variance_components(TABLE)


@pytest.mark.parametrize("shape", [(1, 4), (4, 1), (0, 2)])
def test_a_table_needs_two_ways_to_vary(shape: tuple[int, int]) -> None:
    found = variance_components(np.ones(shape))
    assert math.isnan(found.systems)
    assert math.isnan(found.items_for_phi())
    assert math.isnan(found.e_rho2(5))


def test_nothing_varies() -> None:
    found = variance_components(np.ones((3, 3)))
    assert all(math.isnan(each) for each in found.shares)
    assert math.isnan(found.phi(3))


def test_what_is_out_of_range_is_refused() -> None:
    found = variance_components(TABLE)
    with pytest.raises(OptionError, match="a collection has at least one item, got 0"):
        found.phi(0)
    with pytest.raises(OptionError, match=r"a target of reliability is between 0 and 1, got 95"):
        found.items_for_phi(95)


# --- power ---------------------------------------------------------------------------------


def detectable_difference(
    differences: Values, *, power: float = 0.8, alpha: float = 0.05, resamples: int = 10_000
) -> float:
    (found,) = detectable_differences(differences[:, None], power=power, alpha=alpha, resamples=resamples)
    return float(found)


def test_the_detectable_difference_of_normal_differences() -> None:
    # tables of power for paired t, level 0.05, power 0.8: 25 pairs detect 0.5840 deviations, 100 pairs 0.2829
    for items, expected in ((25, 0.5840), (100, 0.2829)):
        quantiles = [NormalDist(0.2, 0.1).inv_cdf((place + 0.5) / items) for place in range(items)]
        deviation = stdev(quantiles)
        found = detectable_difference(np.array(quantiles), resamples=40_000)
        assert found / deviation == pytest.approx(expected, rel=0.02)


def test_more_items_more_power_or_a_laxer_test_detect_less() -> None:
    few, many = np.tile([0.0, 1.0, -1.0, 0.5], 5), np.tile([0.0, 1.0, -1.0, 0.5], 20)
    plain = detectable_difference(few)
    # four times the items halve it, and t has more degrees of freedom: its .975 and .8 quantiles for 19 of
    # them are 2.093 + 0.861, for 79 of them 1.990 + 0.846
    assert detectable_difference(many) == pytest.approx(plain / 2 * 2.836 / 2.954, rel=0.08)
    assert detectable_difference(few, power=0.9) > plain > detectable_difference(few, alpha=0.1)


def test_a_shift_does_not_matter() -> None:
    differences = np.array([0.0, 1.0, -1.0, 0.5, 0.25])
    assert detectable_difference(differences + 5) == pytest.approx(detectable_difference(differences))


def test_undefined_differences_are_left_out() -> None:
    # half of 400 items are undefined: near what 200 detect, as draws of them vary in number
    differences = np.random.default_rng(0).normal(size=400)
    differences[::2] = math.nan
    expected = detectable_difference(differences[1::2])
    assert detectable_difference(differences) == pytest.approx(expected, rel=0.03)
    assert math.isnan(detectable_difference(np.array([1.0, math.nan])))


def test_two_items_by_hand() -> None:
    # centred and stretched: -+ sqrt(1/2). Half of the draws have both: mean 0, standard error sqrt(1/2); the
    # others do not vary, and t with one degree of freedom needs 12.7062 standard errors
    assert detectable_difference(np.array([3.0, 4.0])) == pytest.approx(12.7062 * math.sqrt(0.5), rel=1e-5)


def test_pairs_do_not_depend_on_each_other() -> None:
    table = np.random.default_rng(0).normal(size=(30, 3)) * [1.0, 2.0, 3.0]
    table[3, 1] = math.nan
    found = detectable_differences(table)
    assert found.tolist() == pytest.approx([detectable_difference(column) for column in table.T])
    assert found[0] < found[1] < found[2]


def test_any_difference_is_detected_where_nothing_varies() -> None:
    assert detectable_difference(np.full(9, 0.3)) == pytest.approx(0, abs=1e-12)


def test_power_and_level_are_shares() -> None:
    with pytest.raises(OptionError, match=r"power is between 0 and 1, got 80"):
        detectable_difference(TABLE[0], power=80)
    with pytest.raises(OptionError, match=r"alpha is between 0 and 1, got 5"):
        detectable_difference(TABLE[0], alpha=5)
