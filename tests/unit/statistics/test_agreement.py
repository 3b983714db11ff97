# SPDX-License-Identifier: MIT
import math

import numpy as np
import pytest

from kammerton.errors import OptionError
from kammerton.statistics.agreement import coincidences, fleiss_kappa, krippendorff_alpha, reliability_of


def ratings(*raters: str) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Return ratings from one line per rater; a dot is no rating."""
    rows = [[-1 if cell == "." else int(cell, 36) for cell in rater.split()] for rater in raters]
    return np.array(rows, dtype=np.int64).T


# Krippendorff, Computing Krippendorff's alpha-reliability, 2011: sections A, B and C
BINARY = ratings("0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0")
NOMINAL = ratings("1 1 2 2 4 3 3 3 5 4 4 1", "2 1 2 2 2 3 3 3 5 4 4 4")
WITH_GAPS = ratings(
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)


@pytest.mark.parametrize(
    ("data", "expected", "units", "count"),
    [(BINARY, 0.095, 10, 20), (NOMINAL, 0.692, 12, 24), (WITH_GAPS, 0.743, 11, 40)],
)
def test_alpha_of_published_examples(
    data: np.ndarray[tuple[int, int], np.dtype[np.int64]], expected: float, units: int, count: float
) -> None:
    found = krippendorff_alpha(data)
    assert found.value == pytest.approx(expected, abs=5e-4)
    assert found.units == units
    assert found.ratings == pytest.approx(count)


def test_coincidences_of_a_published_example() -> None:
    # Krippendorff 2011, section C
    expected = [[7, 4 / 3, 1 / 3, 1 / 3, 0], [4 / 3, 10, 4 / 3, 1 / 3, 0], [1 / 3, 4 / 3, 8, 1 / 3, 0],
                [1 / 3, 1 / 3, 1 / 3, 4, 0], [0, 0, 0, 0, 3]]  # fmt: skip
    found = coincidences(WITH_GAPS, categories=6)
    assert found[1:, 1:].tolist() == [pytest.approx(row) for row in expected]
    assert not found[0].any()


def test_alpha_by_hand() -> None:
    # coincidences: 2 of 00, 2 of 11, 1 of 01 and of 10; Do = 2/6, De = 2 * 3 * 3 / (6 * 5)
    found = krippendorff_alpha(ratings("0 1 0", "0 1 1"))
    assert (found.observed, found.expected) == pytest.approx((1 / 3, 3 / 5))
    assert found.value == pytest.approx(1 - 5 / 9)


def test_coincidences_add_up() -> None:
    whole = coincidences(WITH_GAPS, 6)
    parts = coincidences(WITH_GAPS[:5], 6) + coincidences(WITH_GAPS[5:], 6)
    assert parts.tolist() == [pytest.approx(row) for row in whole.tolist()]


def test_seconds_weigh_and_their_unit_does_not() -> None:
    data, seconds = ratings("0 1 0", "0 1 1"), np.array([3.0, 1.0, 4.0])
    # 8 s: half of them differ; labels 0 for 3 + 2 = 5 of 8 parts, 1 for 3
    found = krippendorff_alpha(data, seconds)
    assert (found.observed, found.expected) == pytest.approx((1 / 2, 1 - 25 / 64 - 9 / 64))
    assert found.value == pytest.approx(1 - 32 / 30)
    assert found.ratings == 16
    assert krippendorff_alpha(data, seconds * 1000).value == pytest.approx(found.value)


def test_splitting_a_segment_changes_nothing() -> None:
    whole = krippendorff_alpha(ratings("0 1 0", "0 1 1"), np.array([3.0, 1.0, 4.0]))
    parts = krippendorff_alpha(ratings("0 1 0 0", "0 1 1 1"), np.array([3.0, 1.0, 2.5, 1.5]))
    assert parts.value == pytest.approx(whole.value)


def test_a_unit_with_more_raters_counts_by_its_ratings() -> None:
    # three raters 0 0 1: pairs 00 twice and 01 four times, over 2; one unit, and a lone rating beside it
    found = coincidences(ratings("0 0", "0 .", "1 ."), categories=2)
    assert found.tolist() == [[1, 1], [1, 0]]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (ratings("0 1 .", ". . 2"), "no unit has two ratings"),
        (ratings(". .", ". ."), "no unit has two ratings"),
        (np.zeros((0, 3), dtype=np.int64), "no unit has two ratings"),
        (ratings("1 1", "1 1"), "all ratings are the same"),
    ],
)
def test_alpha_says_why_it_is_undefined(
    data: np.ndarray[tuple[int, int], np.dtype[np.int64]], reason: str
) -> None:
    found = krippendorff_alpha(data)
    assert math.isnan(found.value)
    assert found.reason == reason


def test_a_single_rating_has_no_chance() -> None:
    assert all(math.isnan(each) for each in reliability_of(np.array([[1.0]])))
    assert reliability_of(np.array([[1.0]]), continuous=True) == (0, 0)


def test_wrong_shapes_are_refused() -> None:
    with pytest.raises(OptionError, match="there are 2 labels, got the code 5"):
        coincidences(WITH_GAPS, categories=2)
    with pytest.raises(OptionError, match="12 units need a weight each, got 3"):
        coincidences(WITH_GAPS, 6, np.ones(3))
    with pytest.raises(OptionError, match="12 units need a weight each, got 3"):
        fleiss_kappa(NOMINAL, np.ones(3))


# --- Fleiss --------------------------------------------------------------------------------

# Fleiss' kappa as worked through in textbooks: 10 subjects, 14 raters, 5 categories
SUBJECTS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


def test_kappa_of_a_published_example() -> None:
    data = np.array([np.repeat(np.arange(5), row) for row in SUBJECTS])
    found = fleiss_kappa(data)
    assert (found.observed, found.expected) == pytest.approx((0.378, 0.213), abs=5e-4)
    assert found.value == pytest.approx(0.210, abs=5e-4)
    assert (found.units, found.ratings) == (10, 140)


def test_kappa_by_hand() -> None:
    # two of three pairs equal; labels half and half
    found = fleiss_kappa(ratings("0 1 0", "0 1 1"))
    assert (found.observed, found.expected, found.value) == pytest.approx((2 / 3, 1 / 2, 1 / 3))


def test_kappa_with_weights() -> None:
    # weights 1, 1, 2: half of the pairs equal; label 0 has (1 + 2 / 2) / 4 of all
    found = fleiss_kappa(ratings("0 1 0", "0 1 1"), np.array([1.0, 1.0, 2.0]))
    assert (found.observed, found.expected, found.value) == pytest.approx((1 / 2, 1 / 2, 0))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (WITH_GAPS, "units have 1 to 4 ratings, and Fleiss' kappa needs equally many"),
        (ratings("0 1", ". ."), "no unit has two ratings"),
        (np.zeros((0, 2), dtype=np.int64), "no unit has two ratings"),
        (ratings("1 1", "1 1"), "all ratings are the same"),
    ],
)
def test_kappa_says_why_it_is_undefined(
    data: np.ndarray[tuple[int, int], np.dtype[np.int64]], reason: str
) -> None:
    found = fleiss_kappa(data)
    assert math.isnan(found.value)
    assert found.reason == reason


def test_gaps_do_not_matter_where_all_units_have_equally_many_ratings() -> None:
    assert fleiss_kappa(ratings("0 1 .", "0 . 0", ". 1 1")) == fleiss_kappa(ratings("0 1 0", "0 1 1"))
