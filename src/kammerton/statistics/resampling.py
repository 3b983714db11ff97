# SPDX-License-Identifier: MIT
"""Bootstrap samples of items, and the scores of each sample."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral, Real
from typing import Literal, NamedTuple, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Codes, Flags, ratio
from kammerton.errors import OptionError
from kammerton.model.measure import Aggregate, Measure, Statistics, Values
from kammerton.scoring.scored_corpus import ItemScores

B = TypeVar("B")
T = TypeVar("T")
_MOST_WORKERS = 4
"""Each holds a block of samples and what is made of it."""


def each_block(work: Callable[[B], T], blocks: Iterable[B]) -> Iterator[T]:
    """Yield the result of ``work`` on each block, in order.

    Blocks are worked on side by side, each on one thread of the linear algebra library: how it cuts a
    product up among threads decides in which order numbers are added.
    """
    from threadpoolctl import threadpool_limits  # noqa: PLC0415 - only who resamples needs it

    workers = min(_MOST_WORKERS, os.cpu_count() or 1)
    with threadpool_limits(limits=1, user_api="blas"), ThreadPoolExecutor(workers) as pool:
        yield from pool.map(work, blocks)


ItemFactors = NDArray[np.float64]
"""How often each item is in each sample, or whether it is swapped: shape (samples, items).

Floats, as factors of products.
"""
_BLOCK_CELLS, _BLOCK_ROWS = 1 << 21, 1 << 12
"""Most cells of a block, which are 16 MB, and most rows: what is made of a row may be longer than it."""


def number_units(clusters: Sequence[Hashable]) -> Codes:
    """Return the number of each item's cluster, counted in the order in which they first occur.

    >>> number_units(["b", "b", "a", "b"])
    array([0, 0, 1, 0])
    """
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in clusters], dtype=np.int64)


def check_share(name: str, share: float) -> None:
    """Refuse what is no number between 0 and 1."""
    if not isinstance(share, Real):
        raise OptionError.of_type(name, share, "a number between 0 and 1")
    if not 0 < share < 1:
        raise OptionError(f"{name} is between 0 and 1, got {share}")


Method = Literal["percentile", "bca"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapSettings:
    """How confidence intervals are made."""

    level: float = 0.95
    resamples: int = 10_000  # number of bootstrap samples; measures over classes may have fewer
    seed: int = 0
    method: Method = "percentile"
    clusters: Mapping[str, str] | None = None  # cluster of each item, if clusters are resampled
    signed: Mapping[str, str] = field(default_factory=dict)  # what signatures say of them

    def __post_init__(self) -> None:
        """Refuse impossible settings."""
        check_share("the level of an interval", self.level)
        Resampling(0, self.resamples, self.seed)  # refuses a number or a seed that is not possible
        if self.method not in get_args(Method):
            raise OptionError.unknown("kind of interval", self.method, get_args(Method))


@dataclass(frozen=True)
class _Blocks:
    """What all kinds of resampling share: the units that items belong to, and the cut into blocks."""

    items: int  # number of items
    repetitions: int = 10_000  # number of bootstrap samples, or of permutations, at least 1
    seed: int = 0  # seed of the generator, at least 0
    # cluster of each item; items of one stay together. By default each item is on its own.
    clusters: Sequence[Hashable] | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be resampled."""
        if self.clusters is not None and len(self.clusters) != self.items:
            raise OptionError(f"{self.items:,} items need a cluster each, got {len(self.clusters):,}")
        for name, value in (("the number of resamples", self.repetitions), ("a seed", self.seed)):
            if not isinstance(value, Integral) or isinstance(value, bool):
                raise OptionError.of_type(name, value, "a whole number")
        if self.repetitions < 1:
            raise OptionError(f"at least one resample is needed, got {self.repetitions}")
        if self.seed < 0:
            raise OptionError(f"a seed is 0 or more, got {self.seed}")

    @cached_property
    def unit_of(self) -> Codes:
        """Number of the unit that each item belongs to."""
        return np.arange(self.items) if self.clusters is None else number_units(self.clusters)

    @property
    def units(self) -> int:
        """Number of units: of clusters, or of items."""
        return int(self.unit_of.max()) + 1 if self.items else 0

    @property
    def total(self) -> int:
        """Number of rows of all blocks together."""
        return self.repetitions

    @property
    def _height(self) -> int:
        return max(1, min(self.total, _BLOCK_ROWS, _BLOCK_CELLS // max(self.items, 1)))

    @property
    def starts(self) -> range:
        """Number of the first sample of each block."""
        return range(0, self.total, self._height)

    def _rows(self, start: int) -> int:
        return min(self._height, self.total - start)

    def _generator(self, start: int) -> np.random.Generator:
        return np.random.Generator(np.random.PCG64([self.seed, start]))

    def _counts_of_items(self, of_units: ItemFactors) -> ItemFactors:
        return of_units if self.clusters is None else np.take(of_units, self.unit_of, axis=1)


class Resampling(_Blocks):
    """Bootstrap samples: items drawn with replacement, as many units as there are.

    Examples
    --------
    >>> counts = Resampling(items=4, repetitions=3).block(0)
    >>> counts.sum(axis=1)
    array([4., 4., 4.])
    """

    def block(self, start: int) -> ItemFactors:
        """Return how often each item is in each sample of the block that begins with ``start``."""
        rows, units = self._rows(start), self.units
        chosen = self._generator(start).integers(0, max(units, 1), (rows, units))
        chosen += np.arange(rows)[:, None] * units
        counts = np.bincount(chosen.ravel(), minlength=rows * units)
        return self._counts_of_items(counts.reshape(rows, units).astype(np.float64))


class LeaveOneOut(_Blocks):
    """All items but those of one unit, for each unit; at most ``repetitions`` of them.

    If there are more units, neighbours are left out together.

    Examples
    --------
    >>> LeaveOneOut(items=3).block(0)
    array([[0., 1., 1.],
           [1., 0., 1.],
           [1., 1., 0.]])
    """

    @property
    def total(self) -> int:
        """Number of rows of all blocks together."""
        return min(self.units, self.repetitions)

    def block(self, start: int) -> ItemFactors:
        """Return 0 for items that are left out and 1 for others, in the block that begins with ``start``."""
        out = self.unit_of * self.total // max(self.units, 1)
        rows = np.arange(start, start + self._rows(start))
        return np.asarray(out[None, :] != rows[:, None], dtype=np.float64)


@dataclass(frozen=True)
class Permutations(_Blocks):
    """For which items two systems change places: every pattern there is, or some by chance."""

    exact_up_to: int = 16  # number of units up to which every pattern is tried

    @property
    def exact(self) -> bool:
        """Whether all patterns are tried."""
        return self.units <= self.exact_up_to

    @property
    def total(self) -> int:
        """Number of rows of all blocks together."""
        return 1 << self.units if self.exact else self.repetitions

    def block(self, start: int) -> ItemFactors:
        """Return 1 where an item is swapped and 0 elsewhere, in the block that begins with ``start``."""
        rows = self._rows(start)
        if self.exact:
            patterns = np.arange(start, start + rows)[:, None] >> np.arange(self.units)
            return self._counts_of_items((patterns & 1).astype(np.float64))
        bits = self._generator(start).integers(0, 2, (rows, self.units), dtype=np.uint8)
        return self._counts_of_items(bits.astype(np.float64))


_SPREADS = 2.0
"""Half-width of the window in units of ``spread``.

Two of these are four standard deviations of how often half of the items are in a sample.
"""


class ResampledMedian:
    """The median as a function of how often each item is in a sample.

    The median of a sample is near the median of all: only values in a window around that are counted one
    by one, those below it are a sum. A sample whose median is outside is counted whole.

    Attributes
    ----------
    values : ndarray, shape (items,)
    """

    def __init__(self, values: Values, add: Callable[[Values], int], spread: float) -> None:
        self.values = values
        defined = ~np.isnan(values)
        self._order = np.argsort(values, kind="stable")[: np.count_nonzero(defined)]
        self._sorted = values[self._order]
        half, width = len(self._order) / 2, _SPREADS * spread
        self._low, self._high = max(math.floor(half - width), 0), math.ceil(half + width)
        below = np.zeros(len(values))
        below[self._order[: self._low]] = 1.0
        self._defined, self._below = add(defined.astype(np.float64)), add(below)

    def evaluate(self, counts: ItemFactors, sums: Statistics) -> Values:
        """Return the median of each sample; NaN if none of its items has a value."""
        sizes, before = sums[:, self._defined], sums[:, self._below]
        middle = np.stack(((sizes - 1) // 2, sizes // 2))
        medians, inside = self._middles(counts, before, middle, slice(self._low, self._high))
        outside = np.flatnonzero(~inside & (sizes > 0))
        if len(outside):
            nothing = np.zeros(len(outside))
            medians[outside], _ = self._middles(counts[outside], nothing, middle[:, outside], slice(None))
        return np.where(sizes > 0, medians, np.nan)

    def _middles(
        self, counts: ItemFactors, before: Values, middle: Values, window: slice
    ) -> tuple[Values, Flags]:
        """Return the middle of each sample, and whether it is in the window."""
        values = self._sorted[window]
        if not len(values):
            return np.full(len(counts), np.nan), np.zeros(len(counts), dtype=bool)
        upto = counts.T[self._order[window]]
        upto[0] += before
        np.cumsum(upto, axis=0, out=upto)
        inside = (before <= middle[0]) & (middle[1] < upto[-1])
        places = [np.count_nonzero(upto <= rank, axis=0) for rank in middle]
        low, high = (values[np.minimum(place, len(values) - 1)] for place in places)
        return (low + high) / 2, inside


def median_of_rows(rows: Values) -> Values:
    """Return the median of the defined values of each row; NaN where there are none.

    >>> median_of_rows(np.array([[3.0, 1.0, np.nan], [np.nan, np.nan, np.nan]]))
    array([ 2., nan])
    """
    ordered = np.sort(rows, axis=1)
    count = np.count_nonzero(~np.isnan(rows), axis=1)
    at = np.arange(len(rows))
    low, high = (ordered[at, np.maximum(place, 0)] for place in ((count - 1) // 2, count // 2))
    return np.where(count > 0, (low + high) / 2, np.nan)


class ScoreKey(NamedTuple):
    """Which corpus score: a row of :attr:`kammerton.results.scores.Scores.summary`."""

    system: str
    annotator: str
    measure: Measure
    aggregate: Aggregate


def _sums_of(scores: ItemScores, key: ScoreKey) -> tuple[Statistics, Callable[[Statistics], Values]]:
    """Return what each item adds to a score that is no median, and the function from sums to scores."""
    if key.aggregate == "pooled":
        return scores.statistics, key.measure.formula.finalise
    defined = ~np.isnan(scores.counted)
    weight = np.where(defined, scores.weights if key.aggregate == "weighted_mean" else 1.0, 0.0)
    counted = np.where(defined, scores.counted, 0.0)
    return np.stack((counted * weight, weight), axis=1), lambda sums: ratio(sums[:, 0], sums[:, 1])


class ResampledScores:
    """Scores of one collection of items, as functions of how often each item is in a sample."""

    def __init__(
        self, item_scores: Mapping[ScoreKey, ItemScores], items: Sequence[str], spread: float
    ) -> None:
        self._columns = _Columns(items)
        self._sums: dict[ScoreKey, tuple[Codes, Callable[[Statistics], Values]]] = {}
        self._medians: dict[ScoreKey, ResampledMedian] = {}
        for key, scores in item_scores.items():
            at = self._columns.places(scores.names)
            if key.aggregate == "median":
                values = np.full(len(items), np.nan)
                values[at] = scores.counted
                self._medians[key] = ResampledMedian(values, self._columns.add, spread)
            else:
                columns, finalise = _sums_of(scores, key)
                self._sums[key] = self._columns.add_rows(columns, at), finalise
        self._matrix = self._columns.matrix()

    def sums(self, counts: ItemFactors) -> Statistics:
        """Return the sums that all scores are made of, shape (samples, sums)."""
        return counts @ self._matrix

    def permuted_difference(
        self, first: ScoreKey, second: ScoreKey, patterns: ItemFactors, sums: tuple[Statistics, Statistics]
    ) -> Values:
        """Return the difference of two scores for each pattern of items that are swapped between them."""
        if first in self._medians:
            values = self._medians[first].values, self._medians[second].values
            medians = [median_of_rows(np.where(patterns > 0, *side)) for side in (values[::-1], values)]
            return medians[0] - medians[1]
        (columns, finalise), (others, _) = self._sums[first], self._sums[second]
        whole, moved = sums
        change = moved[:, others] - moved[:, columns]
        return finalise(whole[:, columns] + change) - finalise(whole[:, others] - change)

    def differing_items(self, first: ScoreKey, second: ScoreKey) -> Flags:
        """Return which items change two scores if they are swapped: no ties, nothing undefined for both."""
        if first in self._medians:
            values, others = self._medians[first].values, self._medians[second].values
            return np.asarray(~((values == others) | (np.isnan(values) & np.isnan(others))))
        columns, of_second = self._sums[first][0], self._sums[second][0]
        return np.asarray((self._matrix[:, columns] != self._matrix[:, of_second]).any(axis=1))

    def evaluate(self, counts: ItemFactors, wanted: Sequence[ScoreKey]) -> Values:
        """Return the scores of each sample."""
        sums = self.sums(counts)
        values = np.empty((len(counts), len(wanted)), order="F")
        by_item = np.asfortranarray(counts) if self._medians else counts
        for place, key in enumerate(wanted):
            if key in self._medians:
                values[:, place] = self._medians[key].evaluate(by_item, sums)
            else:
                columns, finalise = self._sums[key]
                values[:, place] = finalise(sums[:, columns])
        return values


class _Columns:
    """Columns that are added up, each of them once however many scores have it."""

    def __init__(self, items: Sequence[str]) -> None:
        self._place = {name: place for place, name in enumerate(items)}
        self._number: dict[bytes, int] = {}
        self._columns: list[Values] = []

    def places(self, names: Sequence[str]) -> Codes:
        return np.array([self._place[name] for name in names], dtype=np.int64)

    def add(self, column: Values) -> int:
        number = self._number.setdefault(column.tobytes(), len(self._columns))
        if number == len(self._columns):
            self._columns.append(column)
        return number

    def add_rows(self, rows: Statistics, at: Codes) -> Codes:
        whole = np.zeros((rows.shape[1], len(self._place)))
        whole[:, at] = rows.T
        return np.array([self.add(column) for column in whole], dtype=np.int64)

    def matrix(self) -> Statistics:
        columns = self._columns or [np.zeros(len(self._place))]
        return np.ascontiguousarray(np.stack(columns, axis=1))
