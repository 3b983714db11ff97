# SPDX-License-Identifier: MIT
"""How items become the figure of a corpus, and formulas their values: by hand."""

import math
from typing import Any

import numpy as np
import pytest

from kammerton.chords.kernels import (
    OUTCOMES,
    ClassAverage,
    Recall,
    Segmentation,
)
from kammerton.model.measure import Aggregate, Card, CorpusScore, Formula, Measure, average

NAN = math.nan
CARD = Card(summary="s", equation="e", undefined_when="u", source="s", agrees_with="a")


def measure(formula: Formula, aggregate: Aggregate = "pooled", *beside: Aggregate) -> Measure:
    return Measure(protocol="test", name="M", formula=formula, aggregate=aggregate, beside=beside, card=CARD)


def outcomes(right: float, wrong: float, excluded: float = 0.0) -> list[float]:
    """Return seconds by outcome: right chords, deleted chords, and what is not scored."""
    found = dict.fromkeys(OUTCOMES, 0.0) | {"correct_chord": right, "deleted": wrong, "excluded": excluded}
    return list(found.values())


# Recalls 3/4, 1/6 and undefined; scored 4, 6, 0 s; total 4, 10, 100 s.
ITEMS = np.array([outcomes(3, 1), outcomes(1, 5, 4), outcomes(0, 0, 100)])


@pytest.mark.parametrize(
    ("weigh", "how", "value", "weight"),
    [
        ("scored", "pooled", (3 + 1) / (4 + 6), 10),
        ("scored", "mean", (3 / 4 + 1 / 6) / 2, 2),
        ("scored", "median", (3 / 4 + 1 / 6) / 2, 2),
        # weighted by scored time, a mean is the pooled figure
        ("scored", "weighted_mean", (3 / 4 * 4 + 1 / 6 * 6) / 10, 10),
        ("total", "weighted_mean", (3 / 4 * 4 + 1 / 6 * 10) / 14, 14),
        ("total", "pooled", (3 + 1) / (4 + 6), 14),
    ],
)
def test_items_become_a_figure(weigh: str, how: Aggregate, value: float, weight: float) -> None:
    found = measure(Recall(weigh=weigh)).corpus_score(ITEMS, how)
    assert found.value == pytest.approx(value)
    assert found.weight == pytest.approx(weight)
    assert (found.items, found.undefined) == (3, 1)


@pytest.mark.parametrize("how", ["pooled", "mean", "median", "weighted_mean"])
def test_nothing_has_no_figure(how: Aggregate) -> None:
    found = measure(Recall()).corpus_score(ITEMS[2:], how)
    assert math.isnan(found.value)
    assert (found.weight, found.items, found.undefined) == (0.0, 1, 1)
    none = measure(Recall()).corpus_score(np.empty((0, len(OUTCOMES))), how)
    assert math.isnan(none.value)
    assert (none.weight, none.items, none.undefined) == (0.0, 0, 0)


def test_the_median_is_that_of_the_middle() -> None:
    values = np.array([0.9, NAN, 0.1, 0.2])
    assert average(values, values, np.ones(4), "median") == CorpusScore(0.2, weight=3.0, items=4, undefined=1)


def test_a_measure_is_called_by_its_address() -> None:
    found = measure(Recall(), "mean", "median")
    assert str(found) == "test/M"
    assert found.aggregates == ("mean", "median")
    assert found == measure(Recall(), "mean", "median")
    assert len({found, measure(Recall(), "mean", "median")}) == 1


# --- formulas ------------------------------------------------------------------------------


def finalised(formula: Formula, *rows: Any) -> list[float]:
    values: list[float] = formula.finalise(np.array(rows, dtype=float)).tolist()
    return values


def test_recall_is_right_time_over_scored_time() -> None:
    # excluded, correct chord, correct no-chord, substituted, deleted, inserted
    row = (50, 3, 2, 1, 1, 3)
    assert finalised(Recall(), row) == [pytest.approx(5 / 10)]
    assert Recall().weight(np.array([row], dtype=float)).tolist() == [10.0]
    assert Recall(weigh="total").weight(np.array([row], dtype=float)).tolist() == [60.0]
    assert Recall().worst(np.array([row], dtype=float)).tolist() == [[50, 0, 0, 1 + 2, 1 + 3, 3]]


@pytest.mark.parametrize(
    ("under", "over", "duration", "expected"),
    [
        # under, over, smaller of both, harmonic mean
        (2, 5, 10, (0.8, 0.5, 0.5, 2 * 0.8 * 0.5 / 1.3)),
        (5, 2, 10, (0.5, 0.8, 0.5, 2 * 0.8 * 0.5 / 1.3)),
        (0, 0, 10, (1, 1, 1, 1)),
        (10, 10, 10, (0, 0, 0, 0)),
        (10, 0, 10, (0, 1, 0, 0)),
        (0, 0, 0, (NAN, NAN, NAN, NAN)),
    ],
)
def test_segmentation_is_what_is_not_lost(
    under: float, over: float, duration: float, expected: tuple[float, ...]
) -> None:
    formulas: list[Formula] = [
        Segmentation("under"),
        Segmentation("over"),
        Segmentation("minimum"),
        Segmentation("harmonic"),
    ]
    row = (under, over, duration)
    values = [finalised(formula, row)[0] for formula in formulas]
    assert values == pytest.approx(expected, nan_ok=True)
    for formula in formulas:
        assert formula.weight(np.array([row], dtype=float)).tolist() == [duration]
        worst = formula.worst(np.array([row], dtype=float))
        assert worst.tolist() == [[duration] * 3]
        assert formula.finalise(worst).tolist() == pytest.approx([0 if duration else NAN], nan_ok=True)


def test_a_class_average_is_the_mean_over_the_classes_that_occur() -> None:
    formula = ClassAverage(("maj", "min", "N"))
    assert formula.statistics == (
        *("correct:maj", "correct:min", "correct:N"),
        *("total:maj", "total:min", "total:N"),
    )
    rows = np.array([(1, 3, 0, 4, 3, 0), (0, 0, 0, 0, 0, 0), (0, 0, 0, 5, 0, 5)], dtype=float)
    assert formula.finalise(rows).tolist() == pytest.approx([(1 / 4 + 1) / 2, NAN, 0], nan_ok=True)
    assert formula.recalls(rows).tolist()[0] == pytest.approx([1 / 4, 1, NAN], nan_ok=True)
    assert formula.weight(rows).tolist() == [7, 0, 10]
    assert formula.worst(rows).tolist() == [[0, 0, 0, 4, 3, 0], [0] * 6, [0, 0, 0, 5, 0, 5]]
    # pooled: maj 1 of 9, min 3 of 3, N 0 of 5
    assert measure(formula).corpus_score(rows, "pooled").value == pytest.approx((1 / 9 + 1 + 0) / 3)
