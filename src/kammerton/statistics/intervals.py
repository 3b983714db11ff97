# SPDX-License-Identifier: MIT
"""An interval for every corpus figure, by resampling the items."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

from kammerton.model.corpus import ALL
from kammerton.model.measure import Estimate, Measure
from kammerton.model.scores import Scores
from kammerton.model.timing import Timing
from kammerton.statistics.bootstrap import Interval, Method, check_method, interval, tail_of
from kammerton.statistics.figures import Key
from kammerton.statistics.resampling import Resampling
from kammerton.statistics.sample import Kept, Sample, names_of, split_resampled

__all__ = ["Intervals", "estimated", "intervals"]

_TOGETHER = 1 << 24
"""Resampled figures that are held at once: 128 MB."""


class _Part(NamedTuple):
    """Figures whose intervals are made at once, and those beside which their sums are the same always."""

    wanted: list[Key]
    beside: list[Key]


class Intervals(Mapping[Key, Interval]):
    """Intervals by system, annotator, measure and aggregate: each is made once it is looked at.

    It is made with others that are likely to be looked at too: those of other headline figures, which are
    against all annotators, or else those of all figures.

    Parameters
    ----------
    sample : Sample
        All figures.
    level : float
        Share of such intervals that are to hold the figure of all items there could be.
    resamples, seed : int
        Number of resamples, and the seed of the draws.
    method : {"percentile", "bca"}
    timing : Timing
        Is told how long it takes.

    Attributes
    ----------
    gathered_resamples : int
        Number of resamples of measures that are made anew from all items, which may be smaller.
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
        self._made: dict[Key, tuple[Estimate, Interval]] = {}
        self.gathered_resamples = sample.gathered_draws(resamples)
        self.units = sample.units_count
        self.clustered = sample.clusters is not None

    def __getitem__(self, key: Key) -> Interval:
        """Return low and high end, NaN where undefined; any tuple of the four will do."""
        return self._of(key)[1]

    def figure(self, key: Key) -> float:
        """Return the figure that an interval is of."""
        return self._of(key)[0].value

    def _of(self, key: Key) -> tuple[Estimate, Interval]:
        if key not in self._made:
            with self._timing.during("intervals"):
                self._made |= self._make(*self._part_of[key])
        return self._made[key]

    def __iter__(self) -> Iterator[Key]:
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
    with all of them. Of a measure that averages classes, such as queries or instruments, these are drawn. All
    systems get the same draws.

    Parameters
    ----------
    scores : Scores
    level : float
        Between 0 and 1.
    resamples : int
        How often. Measures that are made anew from all items are computed less often where their rows times
        this number would be many; see :attr:`Intervals.gathered_resamples`.
    seed : int
        Of the draws.
    clusters : mapping of str to str, optional
        Cluster of each item, such as the album of a song; clusters are then drawn whole, where items are.
    method : {"percentile", "bca"}
        Which interval; both expanded, see :func:`kammerton.statistics.bootstrap.expanded`. BCa computes each
        figure once more without each item, or each of 10,000 groups of neighbours.
    measures : sequence of Measure, optional
        Some of the measures.
    items : collection of str, optional
        Some of the items, such as those of one genre; figures and intervals are then of these.

    Returns
    -------
    Intervals
        Undefined where the figure is, and where less than two items (or clusters) have a value.

    Raises
    ------
    OptionError
        If a choice is not possible, or an item has no cluster.
    """
    tail_of(level)
    Resampling(0, resamples, seed)  # refuses what cannot be drawn
    check_method(method)
    chosen = scores.measures if measures is None else tuple(measures)
    keys = [
        Key(system, annotator, measure, how)
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
        keys = (Key(*group, measure, measure.aggregate) for group in groups)
        every = frozenset().union(*(names_of(scores, key) for key in keys))
        kept[measure] = every if wanted is None else every & wanted
    return kept


def estimated(
    sample: Sample, *, level: float, resamples: int, seed: int, method: Method
) -> dict[Key, tuple[Estimate, Interval]]:
    """Return the figures of a sample with their intervals; choices are as for :func:`intervals`."""
    found: dict[Key, tuple[Estimate, Interval]] = {}
    for part in _parts(sample.keys, sample, resamples):
        found |= _estimated(sample, part, part, level=level, resamples=resamples, seed=seed, method=method)
    return found


def _looked_at(sample: Sample, resamples: int) -> Iterator[tuple[Key, _Part]]:
    """Give what is made when a figure is looked at."""
    several = any(key.annotator == ALL for key in sample.keys if key.measure.needs == "pair")
    for beside in _parts(sample.keys, sample, resamples):
        whole = _Part(beside, beside)
        headline = _Part([key for key in beside if key.annotator == ALL], beside) if several else whole
        yield from ((key, headline if key.annotator == ALL else whole) for key in beside)


def _parts(keys: Sequence[Key], sample: Sample, resamples: int) -> Iterator[list[Key]]:
    """Cut figures up: all of a part are resampled alike, and they can be held at once."""
    for part in split_resampled(keys):
        together = max(_TOGETHER // sample.draws_for(part, resamples), 1)
        yield from (part[at : at + together] for at in range(0, len(part), together))


def _estimated(
    sample: Sample,
    wanted: Sequence[Key],
    beside: Sequence[Key],
    *,
    level: float,
    resamples: int,
    seed: int,
    method: Method,
) -> dict[Key, tuple[Estimate, Interval]]:
    """Return figures with their intervals; all of them are resampled alike."""
    of_items = sample.found(beside)
    draws = sample.draws_for(wanted, resamples)
    resampled = sample.resampled(of_items, draws, seed, wanted)
    without = sample.without_each(of_items, draws, wanted) if method == "bca" else {}
    found: dict[Key, tuple[Estimate, Interval]] = {}
    for key in wanted:
        figure = of_items[key].estimate(key.aggregate)
        units = sample.units_behind(key, of_items[key], resampled[key])
        found[key] = figure, interval(figure.value, resampled[key], without.get(key), level, units)
    return found
