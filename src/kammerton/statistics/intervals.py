# SPDX-License-Identifier: MIT
"""Confidence intervals of scores, by the bootstrap."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Literal, NamedTuple, get_args

import numpy as np

from kammerton.errors import OptionError
from kammerton.model.corpus import ALL
from kammerton.model.measure import Estimate, Measure, Values
from kammerton.results.scores import Scores
from kammerton.scoring.evaluating import Timing
from kammerton.statistics.resampling import Resampling, ScoreKey
from kammerton.statistics.sample import Kept, Sample, is_gathered, items_behind, split_gathered

__all__ = [
    "UNDEFINED",
    "Interval",
    "Intervals",
    "Method",
    "bca",
    "check_method",
    "estimated",
    "expanded",
    "interval",
    "intervals",
    "percentile",
    "quantile",
    "tail_of",
]


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
Method = Literal["percentile", "bca"]
UNDEFINED: Interval = (float("nan"), float("nan"))


def percentile(resampled: Values, level: float = 0.95) -> Interval:
    """Return the interval that holds the middle of the resampled figures.

    References
    ----------
    Efron and Tibshirani, *An Introduction to the Bootstrap*, 1993, chapter 13.

    Examples
    --------
    >>> percentile(np.arange(9.0), level=0.5)
    (2.0, 6.0)
    """
    tail = tail_of(level)
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

    tail = tail_of(level)
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
    tail_of(level)
    bound = math.sqrt(units / (units - 1)) * quantile(level, units - 1)
    return min(max(level, math.erf(bound / math.sqrt(2))), math.nextafter(1, 0))


def interval(
    value: float, resampled: Values, jackknifed: Values | None, level: float, units: int
) -> Interval:
    """Return the interval of a figure, expanded for the number of units that it is of."""
    if math.isnan(value) or units < 2:
        return UNDEFINED
    wide = expanded(level, units)
    return percentile(resampled, wide) if jackknifed is None else bca(value, resampled, jackknifed, wide)


def check_method(method: str) -> None:
    """Refuse an unknown kind of interval."""
    if method not in get_args(Method):
        raise OptionError.unknown("kind of interval", method, get_args(Method))


def tail_of(level: float) -> float:
    """Return what an interval leaves on each side."""
    if not 0 < level < 1:
        raise OptionError(f"the level of an interval is between 0 and 1, got {level}")
    return (1 - level) / 2


def _quantiles(resampled: Values, low: float, high: float) -> Interval:
    known = resampled[~np.isnan(resampled)]
    if not len(known):
        return UNDEFINED
    ends = np.quantile(known, [low, high])
    return float(ends[0]), float(ends[1])


_TOGETHER = 1 << 24
"""Resampled figures that are held at once: 128 MB."""


class _Part(NamedTuple):
    """Figures whose intervals are made at once, and those beside which their sums are the same always."""

    wanted: list[ScoreKey]
    beside: list[ScoreKey]


class Intervals(Mapping[ScoreKey, Interval]):
    """Intervals by system, annotator, measure and aggregate: each is made once it is looked at.

    It is made with others that are likely to be looked at too: those of other headline figures, which are
    against all annotators, or else those of all figures.

    Attributes
    ----------
    gathered_resamples : int
        Number of resamples of measures over classes, which may be smaller.
    units : int
        Items, or clusters, that were drawn from.
    clustered : bool
        Whether clusters were drawn.
    """

    def __init__(
        self, sample: Sample, *, level: float, resamples: int, seed: int, method: Method, timing: Timing
    ) -> None:
        self.level, self.resamples, self.seed, self.method = level, resamples, seed, method
        self._sample, self._timing = sample, timing
        self._make = partial(_estimated, sample, level=level, resamples=resamples, seed=seed, method=method)
        self._part_of = dict(_looked_at(sample, resamples))
        self._made: dict[ScoreKey, tuple[Estimate, Interval]] = {}
        self.gathered_resamples = sample.gathered_draws(resamples)
        self.units = sample.units_count
        self.clustered = sample.clusters is not None

    def __getitem__(self, key: ScoreKey) -> Interval:
        """Return low and high end, NaN where undefined; any tuple of the four will do."""
        return self._of(key)[1]

    def score(self, key: ScoreKey) -> float:
        """Return the score that an interval is of."""
        return self._of(key)[0].value

    def _of(self, key: ScoreKey) -> tuple[Estimate, Interval]:
        if key not in self._made:
            with self._timing.during("intervals"):
                self._made |= self._make(*self._part_of[key])
        return self._made[key]

    def __iter__(self) -> Iterator[ScoreKey]:
        """Give the figures in the order of the summary."""
        return iter(self._sample.keys)

    def __len__(self) -> int:
        """Return the number of figures."""
        return len(self._sample.keys)


def intervals(
    scores: Scores,
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    clusters: Mapping[str, str] | None = None,
    method: Method = "percentile",
    measures: Sequence[Measure] | None = None,
    items: Collection[str] | None = None,
) -> Intervals:
    """Return an interval for every corpus figure.

    Items are drawn with replacement, as many as there are, and each figure is computed from what was
    drawn: pooled ones from summed statistics, means from values. With several annotators an item is drawn
    with all of them. All systems get the same draws.
    """
    tail_of(level)
    Resampling(0, resamples, seed)  # refuses what cannot be drawn
    check_method(method)
    chosen = scores.measures if measures is None else tuple(measures)
    keys = [
        ScoreKey(system, annotator, measure, how)
        for system in scores.systems
        for measure in chosen
        for annotator in scores.annotators_of(measure)
        for how in measure.aggregates
    ]
    sample = Sample(scores, keys, _kept(scores, chosen, items), clusters)
    return Intervals(sample, level=level, resamples=resamples, seed=seed, method=method, timing=scores.timing)


def _kept(scores: Scores, measures: Sequence[Measure], items: Collection[str] | None) -> Kept:
    """Return the items that any system has; of them, those that were chosen."""
    wanted = None if items is None else frozenset(items)
    kept = {}
    for measure in measures:
        groups = product(scores.systems, scores.annotators_of(measure))
        keys = (ScoreKey(*group, measure, measure.aggregate) for group in groups)
        every = frozenset().union(*(items_behind(scores, key) for key in keys))
        kept[measure] = every if wanted is None else every & wanted
    return kept


def estimated(
    sample: Sample, *, level: float, resamples: int, seed: int, method: Method
) -> dict[ScoreKey, tuple[Estimate, Interval]]:
    """Return the figures of a sample with their intervals; choices are as for :func:`intervals`."""
    found: dict[ScoreKey, tuple[Estimate, Interval]] = {}
    for part in _parts(sample.keys, sample, resamples):
        found |= _estimated(sample, part, part, level=level, resamples=resamples, seed=seed, method=method)
    return found


def _looked_at(sample: Sample, resamples: int) -> Iterator[tuple[ScoreKey, _Part]]:
    """Give what is made when a figure is looked at."""
    several = any(key.annotator == ALL for key in sample.keys if key.measure.needs == "pair")
    for beside in _parts(sample.keys, sample, resamples):
        whole = _Part(beside, beside)
        headline = _Part([key for key in beside if key.annotator == ALL], beside) if several else whole
        yield from ((key, headline if key.annotator == ALL else whole) for key in beside)


def _parts(keys: Sequence[ScoreKey], sample: Sample, resamples: int) -> Iterator[list[ScoreKey]]:
    """Cut figures up: all of a part are gathered, or none, and they can be held at once."""
    for part in split_gathered(keys):
        together = max(_TOGETHER // _draws_of(part, sample, resamples), 1)
        yield from (part[at : at + together] for at in range(0, len(part), together))


def _draws_of(part: Sequence[ScoreKey], sample: Sample, resamples: int) -> int:
    return sample.gathered_draws(resamples) if is_gathered(part) else resamples


def _estimated(
    sample: Sample,
    wanted: Sequence[ScoreKey],
    beside: Sequence[ScoreKey],
    *,
    level: float,
    resamples: int,
    seed: int,
    method: Method,
) -> dict[ScoreKey, tuple[Estimate, Interval]]:
    """Return figures with their intervals: all of them gathered, or none."""
    of_items = sample.found(beside)
    draws = _draws_of(wanted, sample, resamples)
    resampled = sample.resampled(of_items, draws, seed, wanted)
    without = sample.without_each(of_items, draws, wanted) if method == "bca" else {}
    found: dict[ScoreKey, tuple[Estimate, Interval]] = {}
    for key in wanted:
        figure = of_items[key].estimate(key.aggregate)
        units = sample.units_behind(key, of_items[key], resampled[key])
        found[key] = figure, interval(figure.value, resampled[key], without.get(key), level, units)
    return found
