# SPDX-License-Identifier: MIT
"""Laws of corpora, for measures of every task; and examples in which a measure breaks a law."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import pytest

import kammerton as kt
from kammerton.model.measure import Measure

__all__ = [
    "ROUNDING",
    "Counterexample",
    "best_or_undefined",
    "cases_of",
    "fails",
    "merging_changes_nothing",
    "named",
    "order_changes_nothing",
    "shown_by",
]

ROUNDING = 1e-12
"""What a sum in another order may differ by."""

Item = TypeVar("Item")
Case = TypeVar("Case")
Score = Callable[[Mapping[str, Item]], kt.Scores]


def best_or_undefined(values: Mapping[Measure, float], measures: Iterable[Measure]) -> None:
    """Assert that measures have their largest value, or none."""
    wrong = {str(m): values[m] for m in measures if not (math.isnan(values[m]) or values[m] == m.range[1])}
    assert not wrong


def order_changes_nothing(score: Score[Item], items: Mapping[str, Item], random: Any) -> None:
    """Assert that items can be scored in any order."""
    names = list(items)
    random.shuffle(names)
    shuffled, whole = score({name: items[name] for name in names}), score(items)
    assert shuffled.to_dict()["scores"] == whole.to_dict()["scores"]
    assert shuffled.items.equals(whole.items)


def merging_changes_nothing(
    score: Score[Item], items: Mapping[str, Item], cut: int, *, later_first: bool, within: float = 0.0
) -> tuple[kt.Scores, kt.Scores]:
    """Assert that evidence of two parts merges into that of the whole; return the scores of both."""
    names = list(items)
    cut = 1 + cut % (len(names) - 1) if len(names) > 2 else 1
    parts = [score({name: items[name] for name in part}) for part in (names[:cut], names[cut:])]
    one, other = reversed(parts) if later_first else parts
    merged, whole = one.remade(evidence=one.origin.evidence.merged(other.origin.evidence)), score(items)
    for measure in whole.origin.evidence.statistics:
        assert _rows(merged, measure) == _rows(whole, measure), str(measure)
    assert _figures(merged) == _figures(whole)
    for name in whole.tables:
        assert _cells(merged, name) == pytest.approx(_cells(whole, name), abs=within, rel=within)
    return merged, whole


def _rows(scores: kt.Scores, measure: Measure) -> dict[tuple[str, str], bytes]:
    """Return the statistics of each item, bit for bit."""
    evidence = scores.origin.evidence
    rows, statistics = evidence.rows[measure.needs], evidence.statistics[measure]
    return {(row.item, row.annotator): each.tobytes() for row, each in zip(rows, statistics, strict=True)}


def _figures(scores: kt.Scores) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Return the figures by what they are of: a part may lack the first annotators."""
    key = ("system", "annotator", "protocol", "measure", "aggregate")
    return {tuple(figure[name] for name in key): figure for figure in scores.to_dict()["scores"]}


def _cells(scores: kt.Scores, table: str) -> dict[tuple[Any, ...], float]:
    return {row[:-1]: row[-1] for row in scores.table(table).iter_rows()}


@dataclass(frozen=True)
class Counterexample(Generic[Case]):
    """A case whose value should not change from ``before`` to ``after``, but does."""

    law: str
    measures: tuple[str, ...]
    case: Case
    change: Callable[[Case], Case]
    before: float
    after: float


def named(protocol: str, *names: str) -> tuple[str, ...]:
    """Return the addresses of measures."""
    return tuple(f"{protocol}/{name}" for name in names)


def cases_of(examples: Iterable[Counterexample[Case]]) -> list[Any]:
    """Return each measure with each of its examples, for a test."""
    return [
        pytest.param(measure, example, id=f"{measure}-{example.law}")
        for example in examples
        for measure in example.measures
    ]


def fails(
    measure: str, example: Counterexample[Case], values_of: Callable[[Case], Mapping[Measure, float]]
) -> None:
    """Assert that a measure has the values of an example, which differ."""
    for case, value in ((example.case, example.before), (example.change(example.case), example.after)):
        found = {str(measure): value for measure, value in values_of(case).items()}
        assert found[measure] == pytest.approx(value, abs=1e-12)
    assert example.before != example.after


def shown_by(examples: Iterable[Counterexample[Case]], no_identity: Iterable[str]) -> set[tuple[str, str]]:
    """Return measures with the laws that they are shown to break."""
    shown = {(measure, example.law) for example in examples for measure in example.measures}
    return shown | {(measure, "identity") for measure in no_identity}
