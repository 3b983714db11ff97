# SPDX-License-Identifier: MIT
"""Statistics of rates and counts: values, what they count, weights, and the worst."""

import numpy as np
import pytest

from kammerton.instruments.formulas import Counts, Rate, rates
from kammerton.instruments.options import Undefined

#            part, whole, annotated: a value, an undefined one, a false alarm, nothing on either side
PART, WHOLE = np.array([1.0, 0.0, 0.0, 0.0]), np.array([4.0, 0.0, 2.0, 0.0])
ANNOTATED = np.array([True, True, False, False])


@pytest.mark.parametrize(
    ("undefined", "counted"),
    [
        ("campaign", [0.25, 0.0, np.nan, np.nan]),
        ("skip", [0.25, np.nan, 0.0, np.nan]),
        ("zero", [0.25, 0.0, 0.0, 0.0]),
        ("one", [0.25, 1.0, 0.0, 1.0]),
        ("sklearn", [0.25, 0.0, 0.0, 0.0]),
        ("trec", [0.25, 0.0, np.nan, np.nan]),
    ],
)
def test_what_rates_count(undefined: Undefined, counted: list[float]) -> None:
    found = rates(PART, WHOLE, undefined=undefined, annotated=ANNOTATED)
    assert Rate().finalise(found) == pytest.approx([0.25, np.nan, 0.0, np.nan], nan_ok=True)
    assert Rate().counted(found) == pytest.approx(counted, nan_ok=True)
    assert Rate().weight(found).tolist() == [1, 1, 0, 0]
    assert np.isfinite(found).all()


@pytest.mark.parametrize("undefined", ["campaign", "skip", "zero", "one", "sklearn", "trec"])
def test_the_worst_of_a_rate_counts_0_wherever_something_was_to_be_found(undefined: Undefined) -> None:
    found = rates(PART, WHOLE, undefined=undefined, annotated=ANNOTATED)
    worst = Rate().worst(found)
    assert Rate().counted(worst)[:2].tolist() == [0.0, 0.0]
    assert Rate().finalise(worst) == pytest.approx([0.0, np.nan, 0.0, np.nan], nan_ok=True)


def test_what_trec_eval_knows_of_and_what_scikit_learn_makes_of_nothing() -> None:
    known = np.array([True, True, True, False])
    found = rates(PART, WHOLE, undefined="trec", annotated=ANNOTATED, known=known)
    assert Rate().counted(found) == pytest.approx([0.25, 0.0, 0.0, np.nan], nan_ok=True)
    found = rates(PART, WHOLE, undefined="sklearn", annotated=ANNOTATED, of_nothing=1.0)
    assert Rate().counted(found).tolist() == [0.25, 1.0, 0.0, 1.0]


def test_counts_taken_together() -> None:
    counts = np.array([[1.0, 4.0, 2.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]])
    precision, recall, balance = (Counts(which) for which in ("P", "R", "F"))
    assert precision.finalise(counts) == pytest.approx([1 / 4, np.nan, np.nan], nan_ok=True)
    assert recall.finalise(counts) == pytest.approx([1 / 2, 0.0, np.nan], nan_ok=True)
    assert balance.finalise(counts) == pytest.approx([1 / 3, 0.0, np.nan], nan_ok=True)
    assert balance.weight(counts).tolist() == [2, 3, 0]
    assert balance.worst(counts).tolist() == [[0, 4, 2], [0, 3, 3], [0, 0, 0]]
