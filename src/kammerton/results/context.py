# SPDX-License-Identifier: MIT
"""The context of scores: baselines, and human agreement.

A baseline is a trivial answer that is made from the references. The oracle takes of each part of an item what
is right, if one of several systems has it: an upper bound of what can be chosen or fused from them. Human
agreement is what annotators reach as systems do: each is scored against the others of an item. As K - 1
references are another yardstick than K, systems are scored again against the same sets, all annotators but
one, for each that is left out; the share of a system is its score there over that of the annotators. Pooled
scores sum the statistics of all sets of an item; means average within an item first, then over items. Items
with one annotator have no such sets.

Scores beside each other are of the same items: those that all systems have. A system that shares too few with
any other has scores on what it has of these.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kammerton.arrays import ratio
from kammerton.errors import plural
from kammerton.model.corpus import ALL
from kammerton.model.evidence import Evidence
from kammerton.model.measure import CorpusScore, Measure, Values
from kammerton.results.signature import Origin
from kammerton.results.tables import columns_of, frame, plain_score, with_interval
from kammerton.scoring.evaluating import ORACLE, ContextEvidence
from kammerton.scoring.scored_corpus import ScoredCorpus
from kammerton.statistics.intervals import UNDEFINED, Interval, interval
from kammerton.statistics.resampling import BootstrapSettings, ScoreKey
from kammerton.statistics.sample import (
    Sample,
    headline_keys,
    items_behind,
    split_resampled,
    systems_with_enough,
)

if TYPE_CHECKING:
    import polars as pl

Role = Literal["baseline", "oracle", "system", "others", "annotators"]
OTHERS = "others"
"""The annotator column of scores against all annotators but one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextScore:
    """A score of the context."""

    measure: Measure  # its headline aggregate is meant
    # a baseline, the oracle of the systems, or a system, against all annotators; a system against all
    # annotators but one, for each that is left out; or the annotators who were left out against the others,
    # which is human agreement
    role: Role
    name: str  # of the baseline or the system
    annotator: str  # against whom: the only annotator, ``"all"``, or ``"others"``
    # value, low, high: the score and the ends of its interval; NaN where undefined
    value: float
    low: float
    high: float
    # items, undefined: items that count, and those of them without a value
    items: int
    undefined: int
    # share, share_low, share_high: of a system against the others: the score over human agreement, with its
    # interval. NaN where there is none, as of measures that are better if they are lower.
    share: float = float("nan")
    share_low: float = float("nan")
    share_high: float = float("nan")


@dataclass(frozen=True, eq=False, kw_only=True)
class Context:
    """Baselines, systems and human agreement.

    The attribute ``context`` of scores that :func:`kammerton.score` made with ``context=True``.
    """

    # by measure: baselines, systems, systems against all annotators but one, annotators
    rows: tuple[ContextScore, ...]
    items: int  # items of human agreement
    single: int  # items that have one annotator only, and are not among them
    # shared, left_out: items that baselines and systems are scored on, and those that only some of them have
    shared: int
    left_out: int
    signatures: Mapping[tuple[Role, str], Mapping[Measure, str]]  # of each role and name
    # behind an interval: measures over classes may have fewer than others. 0 if there are no intervals.
    fewest_resamples: int = 0

    def __repr__(self) -> str:
        """Return what there is."""
        names = dict.fromkeys(row.name for row in self.rows if row.role == "baseline")
        parts = (plural(len(names), "baseline"), f"human agreement of {plural(self.items, 'item')}")
        return f"<Context: {', '.join(parts)}; `table` has the scores>"

    def of(self, measure: Measure, role: Role) -> tuple[ContextScore, ...]:
        """Return the scores of a measure in one role, in the order of output."""
        return tuple(row for row in self.rows if row.measure == measure and row.role == role)

    @cached_property
    def table(self) -> pl.DataFrame:
        """The rows: measure in three columns, fields of :class:`ContextScore`, ``signature``."""
        return frame(self._plain(), columns_of(ContextScore), ContextScore)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, undefined ones as None."""
        counts = {name: getattr(self, name) for name in ("items", "single", "shared", "left_out")}
        return {**counts, "rows": list(self._plain())}

    def _plain(self) -> Iterator[dict[str, Any]]:
        for row in self.rows:
            yield plain_score(row, self.signatures[row.role, row.name][row.measure])


def context_of(
    corpus: ScoredCorpus, origin: Origin, evidence: ContextEvidence, intervals: Mapping[ScoreKey, Interval]
) -> Context:
    """Return the context of scores, which have these intervals."""
    maker = _ContextMaker(corpus, origin, evidence, intervals)
    rows: list[ContextScore] = []
    for measure in maker.measures:
        rows += [*maker.baselines(measure), *maker.systems(measure), *maker.others(measure)]
    signatures: dict[tuple[Role, str], Mapping[Measure, str]] = {}
    for row in rows:
        own = (row.name,) if row.role in ("system", "others") else ()
        signatures[row.role, row.name] = origin.signatures(
            ALL, systems=tuple(dict.fromkeys((*maker.together, *own)))
        )
    return Context(
        rows=tuple(rows),
        items=maker.items,
        single=evidence.single,
        shared=len(maker.shared),
        left_out=len(maker.every - maker.shared),
        signatures=signatures,
        fewest_resamples=maker.fewest_resamples,
    )


class _ContextMaker:
    """Computes scores of systems, baselines and annotators on the same items."""

    def __init__(
        self,
        corpus: ScoredCorpus,
        origin: Origin,
        evidence: ContextEvidence,
        intervals: Mapping[ScoreKey, Interval],
    ) -> None:
        self._corpus, self._origin, self._intervals = corpus, origin, intervals
        self.measures = [measure for measure in corpus.measures if measure.needs != "annotators"]
        self._names = {measure: _names(corpus, measure) for measure in self.measures}
        self.together = systems_with_enough(self._names.values())
        self._items_by_measure = {
            measure: frozenset.intersection(*(names[system] for system in self.together))
            for measure, names in self._names.items()
        }
        differ = any(
            names != self._items_by_measure[measure]
            for measure, own in self._names.items()
            for names in own.values()
        )
        self._systems = self._resampled(corpus) if differ else []
        baselines = self._scored(evidence.baselines)
        self._baselines = self._resampled(baselines)
        self._left_out = self._resampled(self._scored(evidence.others), self._scored(evidence.annotators))
        self.shared = frozenset[str]().union(*self._items_by_measure.values())
        known = list(self._names.values())
        if baselines is not None:
            known += [_names(baselines, m) for m in self.measures if m in baselines.measures]
        self.every = frozenset[str]().union(*(names for own in known for names in own.values()))

    def _scored(self, evidence: Evidence | None) -> ScoredCorpus | None:
        return None if evidence is None else ScoredCorpus(self._origin.task, evidence, self._origin.options)

    def _resampled(self, *parts: ScoredCorpus | None) -> list[_Resampled]:
        """Return scores of all parts, resampled alike, on the items that count in all of them."""
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return []
        few = set(self._corpus.systems) - set(self.together)
        items_by_measure: dict[Measure, frozenset[str]] = {}
        for measure in self.measures:
            if all(measure in part.measures for part in known):
                own = [names for part in known for names in _names(part, measure, without=few).values()]
                items_by_measure[measure] = frozenset.intersection(self._items_by_measure[measure], *own)
        shared = [measure for measure, names in items_by_measure.items() if names]
        if not shared:
            return []
        samples = [
            Sample(
                part,
                [key for measure in shared for key in headline_keys(part, measure)],
                items_by_measure,
                self._origin.clusters,
            )
            for part in known
        ]
        return [_Resampled(sample, samples, self._origin.bootstrap) for sample in samples]

    @property
    def items(self) -> int:
        """Items of human agreement."""
        return len(self._left_out[0].sample.items) if self._left_out else 0

    @property
    def fewest_resamples(self) -> int:
        """Fewest bootstrap samples behind an interval."""
        return min((part.fewest_resamples for part in (*self._baselines, *self._left_out)), default=0)

    def baselines(self, measure: Measure) -> Iterator[ContextScore]:
        for scores in self._baselines:
            for key in scores.of(measure):
                role: Role = "oracle" if key.system == ORACLE else "baseline"
                yield _context_score(key, role, key.annotator, scores.corpus_score(key), scores.interval(key))

    def systems(self, measure: Measure) -> Iterator[ContextScore]:
        for key in headline_keys(self._corpus, measure):
            score = self._corpus.corpus_score(measure, key.system, key.annotator, key.aggregate)
            ends = self._intervals.get(key, UNDEFINED)
            for scores in (
                self._systems if self._names[measure][key.system] != self._items_by_measure[measure] else ()
            ):
                score, ends = scores.corpus_score(key), scores.interval(key)
            yield _context_score(key, "system", key.annotator, score, ends)

    def others(self, measure: Measure) -> Iterator[ContextScore]:
        """Yield the systems against all annotators but one, and human agreement."""
        if not self._left_out or not self._left_out[1].of(measure):
            return
        systems, annotators = self._left_out
        (top,) = annotators.of(measure)
        for key in systems.of(measure):
            share, ends = systems.share(key, annotators, top)
            score = _context_score(key, "others", OTHERS, systems.corpus_score(key), systems.interval(key))
            yield replace(score, share=share, share_low=ends[0], share_high=ends[1])
        yield _context_score(
            top, "annotators", OTHERS, annotators.corpus_score(top), annotators.interval(top)
        )


def _names(corpus: ScoredCorpus, measure: Measure, without: Container[str] = ()) -> dict[str, frozenset[str]]:
    """Return the items of each system, or of each baseline."""
    keys = headline_keys(corpus, measure)
    return {key.system: items_behind(corpus, key) for key in keys if key.system not in without}


def _context_score(
    key: ScoreKey, role: Role, annotator: str, score: CorpusScore, ends: Interval
) -> ContextScore:
    ends_and_counts = with_interval(score, ends)
    return ContextScore(
        measure=key.measure, role=role, name=key.system, annotator=annotator, **ends_and_counts
    )


class _Resampled:
    """Scores of a sample, and of bootstrap samples of it if there are to be intervals."""

    def __init__(
        self, sample: Sample, together: Sequence[Sample], bootstrap: BootstrapSettings | None
    ) -> None:
        self.sample, self._bootstrap = sample, bootstrap
        self._item_scores = sample.item_scores(sample.keys)
        self._resampled: dict[ScoreKey, Values] = {}
        self._without: dict[ScoreKey, Values] = {}
        self.fewest_resamples = 0 if bootstrap is None else bootstrap.resamples
        if bootstrap is not None:
            for keys in split_resampled(sample.keys):
                self._resample(keys, together, bootstrap)

    def _resample(
        self, keys: Sequence[ScoreKey], together: Sequence[Sample], bootstrap: BootstrapSettings
    ) -> None:
        measures = {key.measure for key in keys}
        resamples, beside = bootstrap.resamples, []
        for sample in together:
            own = [key for key in sample.keys if key.measure in measures]
            resamples = min(resamples, sample.resamples_of(own, bootstrap.resamples))
            beside.append(sample.item_scores(own))
        item_scores = {key: self._item_scores[key] for key in keys}
        self.fewest_resamples = min(self.fewest_resamples, resamples)
        self._resampled |= self.sample.resampled(item_scores, resamples, bootstrap.seed, beside=beside)
        if bootstrap.method == "bca":
            self._without |= self.sample.without_each(item_scores, resamples, beside=beside)

    def of(self, measure: Measure) -> list[ScoreKey]:
        """Return the scores of a measure."""
        return [key for key in self.sample.keys if key.measure == measure]

    def corpus_score(self, key: ScoreKey) -> CorpusScore:
        return self._item_scores[key].corpus_score(key.aggregate)

    def interval(self, key: ScoreKey) -> Interval:
        if self._bootstrap is None:
            return UNDEFINED
        value, without = self.corpus_score(key).value, self._without.get(key)
        return interval(value, self._resampled[key], without, self._bootstrap.level, self._units(key))

    def _units(self, key: ScoreKey) -> int:
        return self.sample.units_behind(key, self._item_scores[key], self._resampled[key])

    def share(self, key: ScoreKey, annotators: _Resampled, top: ScoreKey) -> tuple[float, Interval]:
        """Return the score over that of the annotators, and the interval of this share."""
        if key.measure.direction == "lower":
            return float("nan"), UNDEFINED
        agreement = annotators.corpus_score(top).value
        share = float(_over(np.array([self.corpus_score(key).value]), np.array([agreement]))[0])
        if self._bootstrap is None:
            return share, UNDEFINED
        without = _over(self._without[key], annotators._without[top]) if self._without else None
        resampled = _over(self._resampled[key], annotators._resampled[top])
        units = min(self._units(key), annotators._units(top))
        return share, interval(share, resampled, without, self._bootstrap.level, units)


def _over(values: Values, agreements: Values) -> Values:
    """Return the share of each, NaN where human agreement is not above 0."""
    return ratio(values, np.where(agreements > 0, agreements, np.nan))
