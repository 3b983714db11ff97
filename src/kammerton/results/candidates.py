# SPDX-License-Identifier: MIT
"""Scores of a system's candidates: the worst, the mean, the selected and the best of each item."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from kammerton.arrays import Values
from kammerton.model.measure import Measure, average
from kammerton.model.task import Task
from kammerton.results.tables import null
from kammerton.scoring.candidates import BEST, SELECTED, WORST, CandidateEvidence, CandidateSystem
from kammerton.scoring.scored_corpus import ItemScores, ScoredCorpus
from kammerton.statistics.paired import midranks

CHOSEN = (WORST, "mean", SELECTED, BEST)
"""What stands for the candidates of an item."""
CANDIDATES = (
    *("system", "annotator", "protocol", "measure", "aggregate"),
    *("items", "candidates", *CHOSEN, "rank_correlation", "with_confidence"),
)
CANDIDATE_ITEMS = (
    *("system", "item", "candidate", "annotator", "protocol", "measure"),
    *("value", "confidence", "selected"),
)
CANDIDATE_TYPES = {
    **dict.fromkeys((*CHOSEN, "rank_correlation"), "Float64"),
    **dict.fromkeys(("items", "candidates", "with_confidence"), "Int64"),
}
CANDIDATE_ITEM_TYPES = {"value": "Float64", "confidence": "Float64", SELECTED: "Boolean"}


@dataclass(frozen=True, slots=True, eq=False)
class _Scored:
    """The candidates of one system by one measure, against one annotator."""

    system: CandidateSystem
    measure: Measure
    annotator: str
    scores: Mapping[str, ItemScores]  # by candidate

    def values(self) -> Iterator[tuple[str, str, float]]:
        """Yield item, candidate and value of the candidates that there are."""
        for candidate, of_candidate in self.scores.items():
            for item, value in zip(of_candidate.names, of_candidate.values.tolist(), strict=True):
                if item in self.system.candidates[candidate]:
                    yield item, candidate, value

    def means(self) -> Values:
        """Return values, what they count, weights and statistics of items, averaged over their candidates."""
        rows: dict[str, list[Values]] = {}
        for candidate, scored in self.scores.items():
            columns = scored.values, scored.counted, scored.weights, scored.statistics
            for item, *row in zip(scored.names, *columns, strict=True):
                if item in self.system.candidates[candidate] or item not in self.system.by_item:
                    rows.setdefault(item, []).append(np.hstack(row))
        return np.array([_defined_mean(np.array(of_item)) for of_item in rows.values()])


def _scored(
    scores: ScoredCorpus, task: Task, options: object, candidates: CandidateEvidence
) -> Iterator[_Scored]:
    every = ScoredCorpus(task, candidates.evidence, options)
    for system, measure in product(candidates.systems, scores.measures):
        if measure.aggregate != "gathered":  # such a measure is of classes, not of items
            for annotator in scores.annotators_of(measure):
                of_candidates = {
                    candidate: every.of_items(measure, name, annotator)
                    for candidate, name in system.names.items()
                }
                yield _Scored(system, measure, annotator, of_candidates)


def candidate_rows(
    scores: ScoredCorpus, task: Task, options: object, candidates: CandidateEvidence
) -> Iterator[tuple[object, ...]]:
    """Yield the rows of the table ``CANDIDATES``."""
    for scored in _scored(scores, task, options, candidates):
        system, measure, annotator, how = (
            scored.system,
            scored.measure,
            scored.annotator,
            scored.measure.aggregate,
        )
        means = scored.means()
        values = {
            which: scores.corpus_score(measure, f"{system.name}:{which}", annotator, how).value
            for which in (WORST, SELECTED, BEST)
            if f"{system.name}:{which}" in scores.systems
        }
        of_candidates = list(scored.values())
        pairs = [
            (system.confidences[item, candidate], value)
            for item, candidate, value in of_candidates
            if (item, candidate) in system.confidences and not math.isnan(value)
        ]
        yield (
            *(system.name, annotator, measure.protocol, measure.name, how),
            *(len(means), len(of_candidates)),
            *map(null, (values[WORST], _mean(measure, means), values.get(SELECTED, math.nan), values[BEST])),
            *(null(_spearman(pairs)), len(pairs)),
        )


def candidate_item_rows(
    scores: ScoredCorpus, task: Task, options: object, candidates: CandidateEvidence
) -> Iterator[tuple[object, ...]]:
    """Yield the rows of the table ``CANDIDATE_ITEMS``."""
    for scored in _scored(scores, task, options, candidates):
        system, measure = scored.system, scored.measure
        selected = system.selected or {}
        for item, candidate, value in scored.values():
            yield (
                *(system.name, item, candidate, scored.annotator, measure.protocol, measure.name),
                *(null(value), system.confidences.get((item, candidate)), selected.get(item) == candidate),
            )


def _mean(measure: Measure, means: Values) -> float:
    """Return the corpus score in which each item counts what its candidates score on average."""
    if measure.aggregate == "pooled":
        return measure.corpus_score(means[:, 3:], "pooled").value
    values, counted, weights = means[:, :3].T
    return average(values, counted, weights, measure.aggregate).value


def _defined_mean(rows: Values) -> Values:
    """Return the mean of each column over the rows in which it is defined."""
    defined = ~np.isnan(rows)
    count = defined.sum(axis=0)
    with np.errstate(invalid="ignore"):
        means: Values = np.where(defined, rows, 0.0).sum(axis=0) / count
    return means


def _spearman(pairs: Sequence[tuple[float, float]]) -> float:
    """Return the rank correlation of pairs, NaN of fewer than two."""
    if len(pairs) < 2:
        return math.nan
    ranks, _ = midranks(np.array(pairs).T)
    deviations = ranks - ranks.mean(axis=1, keepdims=True)
    size = math.sqrt(float(np.prod((deviations**2).sum(axis=1))))
    return float((deviations[0] * deviations[1]).sum()) / size if size else math.nan
