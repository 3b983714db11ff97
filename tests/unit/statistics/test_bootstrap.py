# SPDX-License-Identifier: MIT
import math

import numpy as np
import pytest
from scipy import stats

from kammerton.errors import OptionError
from kammerton.statistics.bootstrap import bca, expanded, interval, percentile

NAN = math.nan
COUNTED = np.arange(1001.0)


def undefined(interval: tuple[float, float]) -> bool:
    return math.isnan(interval[0]) and math.isnan(interval[1])


def test_the_percentile_interval_leaves_half_of_the_rest_on_each_side() -> None:
    assert percentile(COUNTED, 0.95) == pytest.approx((25, 975))
    assert percentile(COUNTED, 0.5) == pytest.approx((250, 750))


def test_undefined_resamples_are_left_out() -> None:
    assert percentile(np.concatenate((COUNTED, [NAN] * 9)), 0.95) == pytest.approx((25, 975))
    assert undefined(percentile(np.array([NAN, NAN])))
    assert undefined(percentile(np.array([])))


def test_without_bias_and_acceleration_bca_is_the_percentile_interval() -> None:
    # half of the resamples lie below 500, and the figures without one unit are symmetric
    jackknifed = np.array([499.0, 500.0, 501.0])
    assert bca(500, COUNTED, jackknifed, 0.95) == pytest.approx((25, 975))
    assert bca(500, COUNTED, np.full(3, 500.0), 0.95) == pytest.approx((25, 975))


def test_bias_moves_both_ends() -> None:
    # 69.15 % of the resamples lie below: z0 = 0.5; ends at Phi(2 * 0.5 -+ 1.95996) = 16.85 %, 99.85 %
    low, high = bca(691.5 - 0.037539, COUNTED, np.full(3, 0.0), 0.95)
    assert (low, high) == pytest.approx((168.5, 998.5), abs=1.0)


def test_acceleration_moves_both_ends() -> None:
    # deviations 2, -1, -1: sum of cubes 6, of squares 6; a = 6 / (6 * 6**1.5) = 0.0680414
    # ends at Phi(z / (1 - a z)) with z = -+1.95996: Phi(-1.72935) = 4.187 %, Phi(2.26156) = 98.814 %
    low, high = bca(500, COUNTED, np.array([-2.0, 1.0, 1.0]), 0.95)
    assert (low, high) == pytest.approx((41.87, 988.14), abs=0.02)


def test_resamples_equal_to_the_figure_count_half() -> None:
    # 2 below and 4 equal of 8: z0 = Phi^-1(4/8) = 0
    resampled = np.array([0.0, 0.0, 5.0, 5.0, 5.0, 5.0, 9.0, 9.0])
    assert bca(5, resampled, np.full(3, 5.0), 0.5) == percentile(resampled, 0.5)


def test_a_figure_outside_all_resamples_is_half_a_resample_out() -> None:
    # z0 = Phi^-1(1 - 0.5/1001) = 3.29: both ends beyond 99.99 %
    low, high = bca(2000, COUNTED, np.full(3, 0.0), 0.95)
    assert 999 < low <= high == 1000
    # of 11: z0 = Phi^-1(1 - 0.5/11) = 1.69062; ends at Phi(2 * 1.69062 -+ 0.67449) = 99.6603 %, 99.9975 %
    eleven = np.arange(11.0)
    assert bca(100, eleven, np.zeros(3), 0.5) == pytest.approx((9.96603, 9.99975), abs=1e-5)
    assert bca(-100, eleven, np.zeros(3), 0.5) == pytest.approx((0.00025, 0.03397), abs=1e-5)


def test_beyond_the_pole_of_the_acceleration_the_end_is_the_last_resample() -> None:
    # one unit makes all the difference: a = 0.16; and z0 = 3.29, so that 1 - a (z0 + 1.96) > 0 only at the
    # lower end of a wider level
    jackknifed = np.array([-100.0, *[1.0] * 100])
    assert bca(2000, COUNTED, jackknifed, 0.9999)[1] == 1000


def test_an_undefined_figure_has_no_interval() -> None:
    assert undefined(bca(NAN, COUNTED, COUNTED))
    assert undefined(bca(1, np.array([NAN]), COUNTED))
    assert undefined(bca(1, COUNTED, np.array([NAN])))


def test_figures_without_a_unit_may_be_undefined() -> None:
    without = np.array([-2.0, 1.0, 1.0, NAN])
    assert bca(500, COUNTED, without) == bca(500, COUNTED, without[:3])


def test_of_two_units_the_level_is_an_error_function() -> None:
    # Student's distribution with one degree of freedom has 1 as its upper quartile; Phi(+-sqrt(2) * 1)
    assert expanded(0.5, 2) == pytest.approx(math.erf(1), rel=1e-12)


@pytest.mark.parametrize(("units", "quantile"), [(5, 2.776), (10, 2.262), (30, 2.045), (61, 2.000)])
def test_levels_are_expanded_by_tables_of_students_distribution(units: int, quantile: float) -> None:
    # two-sided quantiles with n - 1 degrees of freedom; a normal value is within z by erf(z / sqrt(2))
    held = math.erf(quantile * math.sqrt(units / (units - 1)) / math.sqrt(2))
    assert expanded(0.95, units) == pytest.approx(held, abs=5e-5)


def test_levels_stay_below_one_and_come_down_to_what_was_asked_for() -> None:
    levels = [expanded(0.95, units) for units in (2, 3, 4, 10, 100, 10_000, 1_000_000)]
    assert all(0.95 < each < 1 for each in levels)
    assert levels == sorted(levels, reverse=True)
    assert levels[-1] == pytest.approx(0.95, abs=1e-6)


def test_levels_too_small_to_be_told_from_a_median_stay_levels() -> None:
    # half of 1 + 1e-17 is half of 1 to a machine, and 0 is no level
    assert expanded(1e-17, 5) == 1e-17
    assert interval(500.0, COUNTED, None, 1e-17, 5) == (500, 500)


@pytest.mark.parametrize("units", [5, 20])
def test_of_means_that_are_normal_it_is_the_interval_of_student(units: int) -> None:
    # resamples of n values have the variance with n, and not n - 1, below the fraction line
    values = np.random.default_rng(0).normal(3.0, 2.0, units)
    normal = stats.norm.ppf((np.arange(1_000_000) + 0.5) / 1_000_000)
    means = values.mean() + normal * values.std() / math.sqrt(units)
    expected = stats.t.interval(0.95, units - 1, values.mean(), stats.sem(values))
    assert interval(values.mean(), means, None, 0.95, units) == pytest.approx(expected, abs=1e-4)
    without = (values.sum() - values) / (units - 1)
    level = expanded(0.95, units)
    assert interval(values.mean(), means, without, 0.95, units) == bca(values.mean(), means, without, level)


def test_figures_of_one_unit_have_no_interval() -> None:
    assert undefined(interval(500.0, COUNTED, None, 0.95, 1))
    assert undefined(interval(NAN, COUNTED, None, 0.95, 9))
    # of two, the level is as good as 1
    for without in (None, np.array([499.0, 501.0])):
        assert interval(500.0, COUNTED, without, 0.95, 2) == pytest.approx((0, 1000))


def test_ends_that_differ_from_the_figure_by_rounding_are_the_figure() -> None:
    """Three times 0.1, summed and divided by three, is not 0.1 in every last digit."""
    value, drawn = 0.1, np.full(50, (0.1 + 0.1 + 0.1) / 3)
    assert drawn[0] > value
    assert interval(value, drawn, None, 0.95, 3) == (value, value)
    assert interval(value, -drawn + 2 * value, np.full(3, value), 0.95, 3) == (value, value)
    apart = value + 1e-9
    assert interval(apart, drawn, None, 0.95, 3) == (drawn[0], drawn[0])  # such a figure is another


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0, 95.0, NAN])
def test_a_level_is_a_share(level: float) -> None:
    with pytest.raises(OptionError, match="the level of an interval is between 0 and 1, got"):
        percentile(COUNTED, level)
    with pytest.raises(OptionError, match="the level of an interval"):
        bca(1.0, COUNTED, COUNTED, level)
