# SPDX-License-Identifier: MIT
"""An interval for every corpus figure, by resampling the items."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from kammerton.model.measure import Estimate, Measure
from kammerton.model.scores import Scores
from kammerton.statistics.bootstrap import Interval, Method, check_method, interval, tail_of
from kammerton.statistics.figures import Key
from kammerton.statistics.resampling import Resampling
from kammerton.statistics.sample import Kept, Sample, is_gathered, names_of, split_gathered

__all__ = ["Intervals", "estimated", "intervals"]

_TOGETHER = 1 << 24
"""Resampled figures that are held at once: 128 MB."""


@dataclass(frozen=True, slots=True, eq=False)
class Intervals(Mapping[Key, Interval]):
    """Intervals by system, annotator, measure and aggregate, and how they were made.

    Parameters
    ----------
    of : mapping of Key to (float, float)
        Low and high end; NaN where undefined.
    figures : mapping of Key to float
        The figures.
    level : float
        Share of such intervals that are to hold the figure of all items there could be.
    method : {"percentile", "bca"}
    resamples, gathered_resamples : int
        Number of resamples; that of measures over classes may be smaller.
    seed : int
        Of the draws.
    units : int
        Items, or clusters, that were drawn from.
    clustered : bool
        Whether clusters were drawn.
    """

    of: Mapping[Key, Interval]
    figures: Mapping[Key, float]
    level: float
    method: Method
    resamples: int
    gathered_resamples: int
    seed: int
    units: int
    clustered: bool

    def __getitem__(self, key: Key) -> Interval:
        """Return the interval of a figure; any tuple of the four will do."""
        return self.of[key]

    def __iter__(self) -> Iterator[Key]:
        """Give the figures in the order of the summary."""
        return iter(self.of)

    def __len__(self) -> int:
        """Return the number of figures."""
        return len(self.of)


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

    Parameters
    ----------
    scores : Scores
    level : float
        Between 0 and 1.
    resamples : int
        How often. Measures over classes are computed less often where their rows times this number would
        be many; see :attr:`Intervals.gathered_resamples`.
    seed : int
        Of the draws.
    clusters : mapping of str to str, optional
        Cluster of each item, such as the album of a song; clusters are then drawn whole.
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
    made = estimated(sample, level=level, resamples=resamples, seed=seed, method=method)
    return Intervals(
        of={key: made[key][1] for key in keys},
        figures={key: made[key][0].value for key in keys},
        level=level,
        method=method,
        resamples=resamples,
        gathered_resamples=sample.gathered_draws(resamples),
        seed=seed,
        units=sample.units_count,
        clustered=clusters is not None,
    )


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
    for part in split_gathered(sample.keys):
        wanted = sample.gathered_draws(resamples) if is_gathered(part) else resamples
        together = max(_TOGETHER // wanted, 1)
        for at in range(0, len(part), together):
            found |= _estimated(sample, part[at : at + together], level, wanted, seed, method)
    return found


def _estimated(
    sample: Sample, keys: Sequence[Key], level: float, resamples: int, seed: int, method: Method
) -> dict[Key, tuple[Estimate, Interval]]:
    """Return figures with their intervals: all of them gathered, or none."""
    of_items = sample.found(keys)
    resampled = sample.resampled(of_items, resamples, seed)
    without = sample.without_each(of_items, resamples) if method == "bca" else {}
    found: dict[Key, tuple[Estimate, Interval]] = {}
    for key in keys:
        figure = of_items[key].estimate(key.aggregate)
        units = sample.units_behind(key, of_items[key], resampled[key])
        found[key] = figure, interval(figure.value, resampled[key], without.get(key), level, units)
    return found
