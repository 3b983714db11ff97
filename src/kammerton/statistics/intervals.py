# SPDX-License-Identifier: MIT
"""Confidence intervals of scores, by the bootstrap."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from kammerton.model.corpus import ALL
from kammerton.model.measure import CorpusScore, Measure, Values
from kammerton.scoring.evaluating import Timing
from kammerton.scoring.scored_corpus import ScoredCorpus
from kammerton.statistics.resampling import BootstrapSettings, ScoreKey, check_share
from kammerton.statistics.sample import Sample, items_behind, split_resampled


def quantile(share: float, freedom: int) -> float:
    """Return how far from 0 values are at most that make up a share of Student's distribution.

    Examples
    --------
    >>> round(quantile(0.95, freedom=9), 3)
    2.262
    """
    from scipy.special import betaincinv  # noqa: PLC0415 - slow to import

    # stdtrit is exact to 1e-11 only before scipy 1.17
    beta = float(betaincinv(freedom / 2, 0.5, 1 - share))  # freedom / (freedom + t^2)
    return math.sqrt(freedom * (1 - beta) / beta) if beta else math.inf


Interval = tuple[float, float]
"""Low and high end; NaN where undefined."""
_ROUNDING = 1e-13
"""By which scores of equal items may differ, of bootstrap samples and of all."""
UNDEFINED: Interval = (float("nan"), float("nan"))


def percentile(resampled: Values, level: float = 0.95) -> Interval:
    """Return the interval that holds the middle of the resampled scores.

    References
    ----------
    Efron and Tibshirani, *An Introduction to the Bootstrap*, 1993, chapter 13.

    Examples
    --------
    >>> percentile(np.arange(9.0), level=0.5)
    (2.0, 6.0)
    """
    check_share("the level of an interval", level)
    tail = (1 - level) / 2
    return _quantiles(resampled, tail, 1 - tail)


def bca(value: float, resampled: Values, jackknifed: Values, level: float = 0.95) -> Interval:
    """Return the bias-corrected and accelerated interval.

    References
    ----------
    Efron, Better bootstrap confidence intervals, *JASA* 82, 1987.

    Examples
    --------
    >>> values = np.array([1.0, 2.0, 4.0, 9.0])
    >>> means = values[np.random.default_rng(0).integers(0, 4, (9999, 4))].mean(axis=1)
    >>> bca(4.0, means, (16 - values) / 3)
    (1.75, 7.75)
    """
    from scipy.special import ndtr, ndtri  # noqa: PLC0415 - slow to import

    check_share("the level of an interval", level)
    tail = (1 - level) / 2
    known, left_out = resampled[~np.isnan(resampled)], jackknifed[~np.isnan(jackknifed)]
    if np.isnan(value) or not len(known) or not len(left_out):
        return UNDEFINED
    below = (np.count_nonzero(known < value) + np.count_nonzero(known <= value)) / (2 * len(known))
    bias = ndtri(np.clip(below, 0.5 / len(known), 1 - 0.5 / len(known)))
    deviations = left_out.mean() - left_out
    spread = float((deviations**2).sum()) ** 1.5
    acceleration = float((deviations**3).sum()) / (6 * spread) if spread > 0 else 0.0
    # Efron's equation for the ends; beyond its pole, the end is the last resample on that side
    shifted = bias + float(ndtri(tail)) * np.array([1, -1])
    shrunk = 1 - acceleration * shifted
    stretched = np.copysign(np.inf, shifted)
    np.divide(shifted, shrunk, out=stretched, where=shrunk > 0)
    low, high = ndtr(bias + stretched)
    return _quantiles(known, float(low), float(high))


def expanded(level: float, units: int) -> float:
    """Return the level at which an interval of resamples covers as often as it is to.

    Resamples of n units vary with n where samples of them vary with n - 1, and take the spread for known:
    their quantiles are those of Student's interval of a mean if they are taken at ``Phi(+-z)``, with ``z``
    ``sqrt(n / (n - 1))`` times the quantile of Student's distribution with n - 1 degrees of freedom.

    References
    ----------
    Hesterberg, What teachers should know about the bootstrap, *The American Statistician* 69, 2015: the
    expanded percentile interval.

    Examples
    --------
    >>> [round(expanded(0.95, units), 4) for units in (5, 50, 5000)]
    [0.9981, 0.9576, 0.9501]
    """
    check_share("the level of an interval", level)
    bound = math.sqrt(units / (units - 1)) * quantile(level, units - 1)
    return min(max(level, math.erf(bound / math.sqrt(2))), math.nextafter(1, 0))


def interval(
    value: float, resampled: Values, jackknifed: Values | None, level: float, units: int
) -> Interval:
    """Return the interval of a score, expanded for the number of units behind it."""
    if math.isnan(value) or units < 2:
        return UNDEFINED
    wide = expanded(level, units)
    ends = percentile(resampled, wide) if jackknifed is None else bca(value, resampled, jackknifed, wide)
    slack = _ROUNDING * max(1.0, abs(value))
    low, high = (value if abs(end - value) <= slack else end for end in ends)
    return low, high


def _quantiles(resampled: Values, low: float, high: float) -> Interval:
    known = resampled[~np.isnan(resampled)]
    if not len(known):
        return UNDEFINED
    ends = np.quantile(known, [low, high])
    return float(ends[0]), float(ends[1])


_TOGETHER = 1 << 24
"""Resampled scores that are held at once: 128 MB."""


class Intervals(Mapping[ScoreKey, Interval]):
    """Confidence intervals of scores: each is computed when it is first looked at.

    It is computed with others that are likely to be looked at too: those of other headline scores, which are
    against all annotators, or else those of all scores.

    Attributes
    ----------
    gathered_resamples : int
        Number of bootstrap samples for gathered measures, which may be smaller.
    """

    def __init__(self, sample: Sample, settings: BootstrapSettings, timing: Timing) -> None:
        self._sample, self._settings, self._timing = sample, settings, timing
        self._part_of: dict[ScoreKey, tuple[list[ScoreKey], list[ScoreKey]]] = {}
        several = any(key.annotator == ALL for key in sample.keys if key.measure.needs == "pair")
        for beside in _parts(sample, settings.resamples):
            headline = [key for key in beside if key.annotator == ALL] if several else beside
            self._part_of |= {key: (headline if key.annotator == ALL else beside, beside) for key in beside}
        self._computed: dict[ScoreKey, tuple[CorpusScore, Interval]] = {}
        self.gathered_resamples: int = sample.gathered_resamples(settings.resamples)

    def __getitem__(self, key: ScoreKey) -> Interval:
        """Return low and high end, NaN where undefined."""
        if key not in self._computed:
            with self._timing.during("intervals"):
                self._computed |= _with_intervals(self._sample, *self._part_of[key], self._settings)
        return self._computed[key][1]

    def __iter__(self) -> Iterator[ScoreKey]:
        """Yield the scores in the order of the summary."""
        return iter(self._sample.keys)

    def __len__(self) -> int:
        """Return the number of scores."""
        return len(self._sample.keys)


def intervals(
    corpus: ScoredCorpus,
    settings: BootstrapSettings | None = None,
    *,
    timing: Timing | None = None,
) -> Intervals:
    """Return the confidence interval of every corpus score.

    Items are resampled with replacement, as many as there are, and each score is computed from the bootstrap
    sample: pooled ones from summed statistics, means from values. With several annotators an item is in a
    sample with all of them. For a measure that averages classes, such as queries or instruments, classes are
    resampled.
    All systems get the same bootstrap samples.
    """
    settings = settings or BootstrapSettings()
    keys = [
        ScoreKey(system, annotator, measure, how)
        for system in corpus.systems
        for measure in corpus.measures
        for annotator in corpus.annotators_of(measure)
        for how in measure.aggregates
    ]
    items_by_measure: dict[Measure, frozenset[str]] = {}
    for measure in corpus.measures:
        groups = product(corpus.systems, corpus.annotators_of(measure))
        headlines = (ScoreKey(*group, measure, measure.aggregate) for group in groups)
        items_by_measure[measure] = frozenset[str]().union(*(items_behind(corpus, key) for key in headlines))
    return Intervals(Sample(corpus, keys, items_by_measure, settings.clusters), settings, timing or Timing())


def scores_with_intervals(
    sample: Sample, settings: BootstrapSettings
) -> dict[ScoreKey, tuple[CorpusScore, Interval]]:
    """Return the scores of a sample with their confidence intervals."""
    scores: dict[ScoreKey, tuple[CorpusScore, Interval]] = {}
    for part in _parts(sample, settings.resamples):
        scores |= _with_intervals(sample, part, part, settings)
    return scores


def _parts(sample: Sample, resamples: int) -> Iterator[list[ScoreKey]]:
    """Cut scores up: all of a part are resampled alike, and they can be held at once."""
    for part in split_resampled(sample.keys):
        together = max(_TOGETHER // sample.resamples_of(part, resamples), 1)
        yield from (part[at : at + together] for at in range(0, len(part), together))


def _with_intervals(
    sample: Sample, wanted: Sequence[ScoreKey], beside: Sequence[ScoreKey], settings: BootstrapSettings
) -> dict[ScoreKey, tuple[CorpusScore, Interval]]:
    """Return scores with their intervals; all are resampled alike.

    Scores beside them are not computed, but take part in the sums: so these are the same, to the last bit,
    whichever scores are wanted.
    """
    item_scores = sample.item_scores(beside)
    resamples = sample.resamples_of(wanted, settings.resamples)
    resampled = sample.resampled(item_scores, resamples, settings.seed, wanted)
    without = sample.without_each(item_scores, resamples, wanted) if settings.method == "bca" else {}
    scores: dict[ScoreKey, tuple[CorpusScore, Interval]] = {}
    for key in wanted:
        score = item_scores[key].corpus_score(key.aggregate)
        units = sample.units_behind(key, item_scores[key], resampled[key])
        ends = interval(score.value, resampled[key], without.get(key), settings.level, units)
        scores[key] = score, ends
    return scores
