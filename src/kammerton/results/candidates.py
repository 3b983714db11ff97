# SPDX-License-Identifier: MIT
"""Scores of a system's candidates: the worst, the mean, the selected and the best of each item."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kammerton.arrays import Values
from kammerton.model.evidence import Evidence
from kammerton.model.measure import Aggregate, Measure, average
from kammerton.model.task import Task
from kammerton.results.tables import null
from kammerton.scoring.candidates import BEST, SELECTED, WORST, CandidateSystem
from kammerton.scoring.scored_corpus import ItemScores, ScoredCorpus
from kammerton.statistics.paired import midranks

CHOSEN = (WORST, "mean", SELECTED, BEST)
"""What stands for the candidates of an item."""
CANDIDATES = (
    *("system", "annotator", "protocol", "measure", "aggregate"),
    *("items", "candidates", *CHOSEN, "rank_correlation", "with_confidence"),
)
CANDIDATE_TYPES = {
    **dict.fromkeys((*CHOSEN, "rank_correlation"), "Float64"),
    **dict.fromkeys(("items", "candidates", "with_confidence"), "Int64"),
}
Confidences = Mapping[tuple[str, str], float]
"""Scores that a source gives itself, by item and candidate."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CandidateEvidence:
    """What scores of candidates are made from."""

    systems: tuple[CandidateSystem, ...]
    evidence: Evidence  # of each candidate as a system
    confidences: Mapping[str, Confidences] = field(default_factory=dict)  # by system


def candidate_rows(
    scores: ScoredCorpus, task: Task, options: object, candidates: CandidateEvidence
) -> Iterator[tuple[object, ...]]:
    """Yield the rows of the table ``CANDIDATES``."""
    every = ScoredCorpus(task, candidates.evidence, options)
    for system in candidates.systems:
        confidences = candidates.confidences.get(system.name, {})
        for measure in scores.measures:
            if measure.aggregate == "gathered":  # is of classes, not of items
                continue
            for annotator in scores.annotators_of(measure):
                of_candidates = {
                    candidate: every.of_items(measure, name, annotator)
                    for candidate, name in system.names.items()
                }
                items = len(next(iter(of_candidates.values())).names)
                values = {
                    which: scores.estimate(
                        measure, f"{system.name}:{which}", annotator, measure.aggregate
                    ).value
                    for which in (WORST, SELECTED, BEST)
                    if f"{system.name}:{which}" in scores.systems
                }
                mean = _mean(measure, system, of_candidates, measure.aggregate)
                correlation, pairs = _correlation(of_candidates, confidences)
                yield (
                    *(system.name, annotator, measure.protocol, measure.name, measure.aggregate),
                    *(items, sum(map(len, system.candidates.values()))),
                    *map(null, (values[WORST], mean, values.get(SELECTED, math.nan), values[BEST])),
                    *(null(correlation), pairs),
                )


def _mean(
    measure: Measure, system: CandidateSystem, scores: Mapping[str, ItemScores], how: Aggregate
) -> float:
    """Return the corpus score in which each item counts what its candidates score on average."""
    sums: dict[str, list[Values]] = {}
    for candidate, of_candidate in scores.items():
        columns = of_candidate.values, of_candidate.counted, of_candidate.weights, of_candidate.statistics
        for name, *row in zip(of_candidate.names, *columns, strict=True):
            if name in system.candidates[candidate] or name not in system.by_item:
                sums.setdefault(name, []).append(np.hstack(row))
    means = np.array([_defined_mean(np.array(rows)) for rows in sums.values()]).reshape(len(sums), -1)
    if how == "pooled":
        return measure.estimate(means[:, 3:], how).value
    values, counted, weights = means[:, :3].T
    return average(values, counted, weights, how).value


def _defined_mean(rows: Values) -> Values:
    """Return the mean of each column over the rows in which it is defined."""
    defined = ~np.isnan(rows)
    count = defined.sum(axis=0)
    with np.errstate(invalid="ignore"):
        means: Values = np.where(defined, rows, 0.0).sum(axis=0) / count
    return means


def _correlation(scores: Mapping[str, ItemScores], confidences: Confidences) -> tuple[float, int]:
    """Return Spearman's correlation of confidences and scores, and of how many candidates it is."""
    pairs: list[tuple[float, float]] = []
    for candidate, of_candidate in scores.items():
        for item, value in zip(of_candidate.names, of_candidate.values.tolist(), strict=True):
            if (item, candidate) in confidences and not math.isnan(value):
                pairs.append((confidences[item, candidate], value))
    return _spearman(pairs), len(pairs)


def _spearman(pairs: Sequence[tuple[float, float]]) -> float:
    if len(pairs) < 2:
        return math.nan
    ranks, _ = midranks(np.array(pairs).T)
    deviations = ranks - ranks.mean(axis=1, keepdims=True)
    size = math.sqrt(float(np.prod((deviations**2).sum(axis=1))))
    return float((deviations[0] * deviations[1]).sum()) / size if size else math.nan
