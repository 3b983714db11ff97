# SPDX-License-Identifier: MIT
import math

import numpy as np
import pytest

from kammerton.statistics.paired import (
    Tails,
    cohens_d,
    holm,
    midranks,
    superiority,
    t_test,
    wilcoxon,
)
from tabled_scores import permutation_test, swapped

NAN, INF = math.nan, math.inf

Array = np.ndarray[tuple[int], np.dtype[np.float64]]


def array(*values: float) -> Array:
    return np.array(values, dtype=float)


# --- permutation ---------------------------------------------------------------------------


def test_every_pattern_of_signs_of_few_items() -> None:
    # sums of +-1 +-2 +-4 +-8: 15 at the top, 13 behind it, and the same from below
    found = permutation_test(array(1, 2, 4, 8))
    assert (found.statistic, found.p) == (15 / 4, 2 / 16)
    found = permutation_test(array(-1, 2, 4, 8))
    assert (found.statistic, found.p) == (13 / 4, 4 / 16)


def test_nothing_is_as_likely_as_no_difference() -> None:
    assert permutation_test(np.zeros(5)).p == 1
    assert permutation_test(np.zeros(50)).p == 1


def test_undefined_differences_are_left_out() -> None:
    assert permutation_test(array(1, NAN, 2, 4)).p == permutation_test(array(1, 2, 4)).p
    assert math.isnan(permutation_test(array(NAN, NAN)).p)


def test_differences_of_a_cluster_change_signs_together() -> None:
    # two clusters with sums 3 and 4: 7, 1, -1, -7
    clusters = ["x", "x", "?", "y"]
    found = permutation_test(array(1, 2, NAN, 4), clusters=clusters)
    assert (found.p, found.items) == (2 / 4, 4)


def test_drawn_patterns_come_near_all_of_them() -> None:
    differences = np.arange(1.0, 13.0) - 4.0
    exact = permutation_test(differences)
    drawn = permutation_test(differences, exact_up_to=0, repetitions=40_000)
    # the standard error is below sqrt(0.25 / 40,000) = 0.0025
    assert drawn.p == pytest.approx(exact.p, abs=0.01)
    assert drawn.p != exact.p


def test_a_drawn_p_is_never_zero() -> None:
    assert permutation_test(np.ones(60), repetitions=99).p == 1 / 100


def test_rounding_makes_no_difference_of_a_tie() -> None:
    # 0.1 + 0.2 - 0.3 is not 0 in floats; the sums +-0.1 +-0.2 +-0.3 reach 0 in two of eight patterns
    assert permutation_test(array(0.1, 0.2, -0.3)).p == 1


def test_pooled_figures_swap_whole_rows() -> None:
    # first 1/1 and 0/9, second 0/9 and 1/1: pooled 1/10 each, and so whatever is swapped:
    # 1/1 with 1/1 against 0/9 with 0/9 is the only other split, which differs by 1
    first, second = np.array([[1.0, 1.0], [0.0, 9.0]]), np.array([[0.0, 9.0], [1.0, 1.0]])
    found = swapped({"first": first, "second": second})
    assert (found.statistic, found.p) == (0, 1)


def test_up_to_16_differences_all_signs_are_tried() -> None:
    # that all are the same sign is 2 of 2**16 patterns; one of 10,000 drawn and the observed one are more
    assert permutation_test(np.ones(16)).p == 2 / 65_536
    assert permutation_test(np.ones(17)).p >= 1 / 10_001


def test_a_pooled_test_is_not_one_of_means() -> None:
    # pooled: (90 + 1) / 110 - (80 + 2) / 110 = 9/110; swapped song by song: 9, 11, -11, -9 of 110
    first, second = np.array([[90.0, 100.0], [1.0, 10.0]]), np.array([[80.0, 100.0], [2.0, 10.0]])
    found = swapped({"first": first, "second": second})
    assert found.statistic == pytest.approx(9 / 110)
    assert found.p == 1
    # means of songs: 0.1 and -0.1 cancel
    assert permutation_test(array(0.1, -0.1)).statistic == 0


def test_an_undefined_figure_has_no_test() -> None:
    found = swapped({"first": np.zeros((2, 2)), "second": np.ones((2, 2))})
    assert math.isnan(found.p)
    assert math.isnan(found.statistic)


def test_undefined_permutations_count_against_a_difference() -> None:
    tails = Tails(0.5, size=1.0)
    tails.add(array(0.5, 0.1, NAN, -0.6))
    assert tails.result(exact=True, items=2, units=2).p == 3 / 4


# --- t and Wilcoxon ------------------------------------------------------------------------


def test_students_t() -> None:
    # mean 2, standard error 1, two degrees of freedom: p = 1 - t / sqrt(t**2 + 2)
    found = t_test(array(1, 1, 4, NAN))
    assert (found.statistic, found.items) == (2, 3)
    assert found.p == pytest.approx(1 - 2 / math.sqrt(6))


@pytest.mark.parametrize(
    ("differences", "statistic", "p"),
    [
        ((0, 0, 0), 0, 1),
        ((2, 2), INF, 0),
        ((-2, -2), -INF, 0),
        ((2,), NAN, NAN),
        ((0,), NAN, NAN),
        ((), NAN, NAN),
    ],
)
def test_t_where_nothing_varies(differences: tuple[float, ...], statistic: float, p: float) -> None:
    found = t_test(array(*differences))
    assert (found.statistic, found.p) == pytest.approx((statistic, p), nan_ok=True)
    assert found.items == len(differences)


def test_t_with_a_difference_of_0_among_others() -> None:
    # mean and standard error 1/2: t = 1 with one degree of freedom, beyond which is half of Cauchy's curve
    found = t_test(array(0, 1))
    assert [found.statistic, found.p] == pytest.approx([1, 0.5])
    # mean 2, standard error 2 / sqrt(3), two degrees of freedom: p = 1 - t / sqrt(t**2 + 2)
    found = t_test(array(0, 2, 4))
    assert found.statistic == pytest.approx(math.sqrt(3))
    assert found.p == pytest.approx(1 - math.sqrt(3 / 5))


def test_wilcoxon_by_hand() -> None:
    # without 0: ranks of 1 1 2 3 are 1.5 1.5 3 4; above 0 are 1.5 + 3 + 4 = 8.5, expected 5;
    # variance 4*5*9/24 - (2**3 - 2)/48 = 7.375; z = (3.5 - 0.5) / 2.7157
    found = wilcoxon(array(-1, 1, 0, 2, 3, NAN))
    assert found.items == 4
    assert found.statistic == pytest.approx(3 / math.sqrt(7.375))
    assert found.p == pytest.approx(math.erfc(3 / math.sqrt(2 * 7.375)))
    other = wilcoxon(array(1, -1, 0, -2, -3, NAN))
    assert (other.statistic, other.p) == (-found.statistic, found.p)


def test_wilcoxon_of_a_balance() -> None:
    found = wilcoxon(array(1, -1))
    assert (found.statistic, found.p) == (0, 1)


def test_wilcoxon_where_nothing_differs() -> None:
    found = wilcoxon(np.zeros(4))
    assert (found.statistic, found.p, found.items) == (0, 1, 0)
    assert math.isnan(wilcoxon(array(NAN)).p)


def test_ranks_share_the_mean_of_their_places() -> None:
    rows = np.array([[3.0, 1.0, 3.0, 3.0], [2.0, 2.0, 9.0, 9.0], [4.0, 3.0, 2.0, 1.0]])
    ranks, ties = midranks(rows)
    assert ranks.tolist() == [[3, 1, 3, 3], [1.5, 1.5, 3.5, 3.5], [4, 3, 2, 1]]
    assert ties.tolist() == [27 - 3, 2 * (8 - 2), 0]
    ranks, ties = midranks(np.zeros((0, 3)))
    assert (ranks.shape, ties.shape) == ((0, 3), (0,))


# --- adjustment and size -------------------------------------------------------------------


def test_holm_steps_down() -> None:
    # 4 * 0.01, 3 * 0.02, 2 * 0.03 = 0.06, 0.05 but not below 0.06
    assert holm(array(0.05, 0.01, 0.03, 0.02)).tolist() == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm(array(0.9, 0.6)).tolist() == [1, 1]
    assert holm(array()).tolist() == []


def test_holm_does_not_count_what_is_undefined() -> None:
    assert holm(array(0.03, NAN, 0.01)).tolist() == pytest.approx([0.03, NAN, 0.02], nan_ok=True)


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ((1, 2, 3), 2),
        ((1, 2, 3, NAN), 2),
        ((-1, -2, -3), -2),
        ((0, 0), NAN),
        ((0.1, 0.1, 0.1), NAN),
        ((1,), NAN),
    ],
)
def test_the_difference_in_deviations(differences: tuple[float, ...], expected: float) -> None:
    assert cohens_d(array(*differences)) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    ("differences", "expected"),
    [((1, 0, -2, 5), 0.625), ((NAN, 1), 1), ((0,), 0.5), ((-1, -1), 0), ((), NAN)],
)
def test_superiority_counts_ties_half(differences: tuple[float, ...], expected: float) -> None:
    assert superiority(array(*differences)) == pytest.approx(expected, nan_ok=True)
