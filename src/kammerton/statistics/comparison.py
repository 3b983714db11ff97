# SPDX-License-Identifier: MIT
"""Systems compared: ranking, tests, effect sizes, letters."""

from __future__ import annotations

import math
import string
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist
from typing import Literal, NamedTuple, get_args

import numpy as np

from kammerton.arrays import Codes, Flags, mean, median, ratio
from kammerton.errors import OptionError, plural
from kammerton.model.measure import Measure, Values
from kammerton.scoring.scored_corpus import ItemScores
from kammerton.statistics.agreement import VarianceComponents, variance_components
from kammerton.statistics.intervals import UNDEFINED, Interval, interval, quantile
from kammerton.statistics.paired import (
    OF_SUMS,
    Friedman,
    PairedTest,
    PermutationTest,
    cohens_d,
    differences,
    differences_of_items,
    friedman,
    holm,
    level,
    scale_of,
    superiority,
    t_test,
    wilcoxon,
)
from kammerton.statistics.resampling import (
    BootstrapSettings,
    Method,
    Permutations,
    Resampling,
    ScoreKey,
    check_share,
    each_block,
)
from kammerton.statistics.sample import Sample, is_gathered

POWER = 0.8
"""Power at which differences are detectable."""
Test = Literal["permutation", "t", "wilcoxon", "friedman"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedSystem:
    """A system in the ranking by one measure."""

    system: str
    value: float  # its score on all items that it has; NaN if undefined
    # low, high: confidence interval of the score
    low: float
    high: float
    # systems that share a letter are not significantly different; empty if only pairs with one system were
    # compared
    letters: str
    # wins, ties, losses: other systems that it was compared with and is significantly better than, not
    # significantly different from, significantly worse than
    wins: int
    ties: int
    losses: int
    items: int  # items that it has: other systems may have others
    # its place, 1 the best; systems that are as good share one. None if the score is undefined.
    place: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two systems compared by one measure, on the items that both have.

    Parameters
    ----------
    first, second : str
        Systems, the better one first; where all are compared with one system, that is second.
    difference : float
        Of the scores on these items, first minus second: negative where lower is better.
    low, high : float
        Its confidence interval.
    p : float
        Of the test, two-sided; NaN if there is none.
    adjusted : float
        p adjusted for all pairs that were compared by the measure.
    significant : bool
        Whether the two are significantly different: the adjusted p is below alpha, and the test in favour of
        the first. A test of values of items need not be, where the score is pooled.
    d_z : float
        Mean difference of items in standard deviations of the differences.
    superiority : float
        Share of items on which the first is better, ties counting half.
    wins, ties, losses : int
        Items on which the first is better, as good, worse. Of measures over classes, classes.
    detectable : float
        Difference of scores that would be detected with power 0.8; NaN if it was not asked for.
    items : int
        Items that both systems have.
    first_value, second_value : float
        Scores of the two on these items.
    permutations : int
        Swaps behind the test; 0 for tests without.
    exact : bool
        Whether these are all there are.
    """

    first: str
    second: str
    difference: float
    low: float
    high: float
    p: float
    adjusted: float
    significant: bool
    d_z: float
    superiority: float
    wins: int
    ties: int
    losses: int
    detectable: float
    items: int
    first_value: float
    second_value: float
    permutations: int
    exact: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """Reliability of a collection for comparing systems like these."""

    # of the values of all systems on all items, or means of clusters, on which each has one
    components: VarianceComponents
    # e_rho2, phi: stability of differences, and of values
    e_rho2: float
    phi: float
    # items_for_e_rho2, items_for_phi: how many items, or clusters, would bring them to 0.95
    items_for_e_rho2: float
    items_for_phi: float
    detectable: float  # median over pairs of the difference that would be detected with power 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureComparison:
    """Systems compared by one measure, in its headline aggregate.

    Parameters
    ----------
    measure : Measure
    annotator : str
        Whose references: one, or all.
    items : int
        Items that all systems have. Pairs have those that both have.
    undefined : int
        Of these, items, or classes, on which a system has no value of its own.
    ranking : tuple of RankedSystem
        The best first; undefined ones last. Where systems have different items, it follows the pairs:
        the system that is better than most others on the items of each pair comes first.
    pairs : tuple of Pair
        In the order of the ranking.
    resamples, permutations : int
        Draws behind intervals, and behind tests; the latter 0 for tests without. Fewest and most, where
        they are not the same for all.
    exact : bool
        Whether the permutations of every pair are all there are.
    smallest_p : float
        Smallest adjusted p-value that the tests allow on items that differ: of few items, no difference can
        be significant. 0 of tests that have no such limit.
    friedman : Friedman, optional
        Systems in the order of the comparison, if that was the test.
    reliability : Reliability, optional
        If it was asked for.
    """

    measure: Measure
    annotator: str
    items: int
    undefined: int
    ranking: tuple[RankedSystem, ...]
    pairs: tuple[Pair, ...]
    resamples: int
    permutations: int
    exact: bool
    smallest_p: float = 0.0
    friedman: Friedman | None = None
    reliability: Reliability | None = None

    @property
    def places(self) -> dict[str, int]:
        """Place of each system, 1 the best, in the order of the ranking; systems that are as good share one.

        Systems without a value have no place.
        """
        return {row.system: row.place for row in self.ranking if row.place is not None}

    @property
    def item_counts(self) -> tuple[int, int]:
        """Fewest and most items that a system has."""
        counts = [row.items for row in self.ranking]
        return min(counts), max(counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """Two protocols that rank two systems differently by measures of the same name."""

    # first, second: of two protocols
    first: Measure
    second: Measure
    # better, worse: systems, as the first measure ranks them
    better: str
    worse: str
    significant: bool  # whether they are significantly different by both measures


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Systems compared, each pair on the items that both have.

    Parameters
    ----------
    systems : tuple of str
        In the order of the scores.
    measures : tuple of MeasureComparison
        In the order of output.
    disagreements : tuple of Disagreement
    left_out : tuple of str
        Items that only one system has, and so no pair.
    few : mapping of str to int
        Systems that share too few items with any other for a significant difference, although others share
        more; and how many at most.
    against : str or None
        The system that all others were compared with; None if all pairs were compared.
    items, units : int
        Items that pairs were compared on, and what was resampled of them: items, or clusters.
    clustered : bool
        Whether clusters were resampled.
    test : {"permutation", "t", "wilcoxon", "friedman"}
    alpha, level : float
        Of tests, and of intervals.
    method : {"percentile", "bca"}
        Of intervals.
    seed : int
        Of bootstrap samples and permutations.
    """

    systems: tuple[str, ...]
    measures: tuple[MeasureComparison, ...]
    disagreements: tuple[Disagreement, ...]
    left_out: tuple[str, ...]
    few: Mapping[str, int]
    against: str | None
    items: int
    units: int
    clustered: bool
    test: Test
    alpha: float
    level: float
    method: Method
    seed: int

    def why_few(self) -> Iterator[tuple[str, str]]:
        """Yield systems that share too few items with others, and the reason."""
        for system, items in self.few.items():
            shared = f"at most {plural(items, 'item')}" if items else "no item"
            yield system, f"has {shared} in common with any other: too few to be compared"

    def items_needed(self, pair: Pair) -> int:
        """Return how many items would detect a difference that is not significant; 0 if it is not known."""
        if pair.significant or pair.difference == 0 or math.isnan(pair.low):
            return 0
        normal = NormalDist()
        error = (pair.high - pair.low) / (2 * normal.inv_cdf((1 + self.level) / 2))
        distance = normal.inv_cdf(1 - self.alpha / 2) + normal.inv_cdf(POWER)
        needed = math.ceil(pair.items * (distance * error / pair.difference) ** 2)
        return needed if needed > pair.items else 0


def detectable_differences(
    differences: Values,
    *,
    power: float = POWER,
    alpha: float = 0.05,
    resamples: int = 10_000,
    seed: int = 0,
) -> Values:
    """Return the smallest mean difference of each pair that a test on so many items detects often enough.

    The differences of two systems are shifted so that their mean is 0, and resampled: these are collections
    of this size on which the systems do not differ. To each collection any difference can be added, and from
    some size on Student's t rejects in its favour. The result is the size at which it does so in the wanted
    share of collections.

    Examples
    --------
    By the normal distribution, (1.96 + 0.84) / sqrt(400) = 0.14 standard deviations:

    >>> differences = np.random.default_rng(0).normal(0.05, 1.0, (400, 1))
    >>> detectable_differences(differences).round(2)
    array([0.14])
    """
    check_share("power", power)
    check_share("alpha", alpha)
    items, pairs = differences.shape
    defined = ~np.isnan(differences)
    count = defined.sum(axis=0)
    columns = np.concatenate((_centred(differences), _centred(differences) ** 2, defined), axis=1)
    resampling = Resampling(items, resamples, seed)
    blocks = each_block(lambda start: resampling.block(start) @ columns, resampling.starts)
    sums, squares, sizes = np.split(np.concatenate(list(blocks)), [pairs, 2 * pairs], axis=1)
    means = ratio(sums, sizes)
    errors = np.sqrt(np.maximum(ratio(ratio(squares, sizes) - means**2, sizes - 1), 0.0))
    detectable = np.full(pairs, np.nan)
    for pair in np.flatnonzero(count > 1).tolist():
        needed = quantile(1 - alpha, int(count[pair]) - 1) * errors[:, pair] - means[:, pair]
        detectable[pair] = max(float(np.nanquantile(needed, power)), 0.0)
    return detectable


def _centred(differences: Values) -> Values:
    """Return differences with mean 0 whose resamples vary as a sample of them does; 0 for undefined."""
    centred = np.zeros_like(differences)
    for pair, column in enumerate(differences.T):
        known = ~np.isnan(column)
        count = np.count_nonzero(known)
        if count > 1:
            stretch = math.sqrt(count / (count - 1))
            centred[known, pair] = (column[known] - mean(column[known])) * stretch
    return centred


_NAMES = string.ascii_lowercase + string.ascii_uppercase


def groups(differs: Flags) -> tuple[tuple[int, ...], ...]:
    """Return groups of systems so that two share one if and only if they do not differ.

    References
    ----------
    Piepho, An algorithm for a letter-based representation of all-pairwise comparisons,
    *J. Comput. Graph. Stat.* 13, 2004: insert and absorb, then sweep.

    Examples
    --------
    The first and the last of three differ, and the one between from neither:

    >>> groups(np.array([[False, False, True], [False, False, False], [True, False, False]]))
    ((0, 1), (1, 2))
    """
    systems = len(differs)
    apart = np.argwhere(np.triu(differs, 1)).tolist()
    sharing = [frozenset(range(systems))] if systems else []
    for pair in apart:
        halves = [group - {system} for group in sharing if group.issuperset(pair) for system in pair]
        sharing = [*(group for group in sharing if not group.issuperset(pair)), *halves]
        sharing = [group for group in dict.fromkeys(sharing) if not any(group < other for other in sharing)]
    return tuple(sorted(tuple(sorted(group)) for group in _swept(sharing)))


def _swept(groups: list[frozenset[int]]) -> list[frozenset[int]]:
    """Exclude groups all of whose pairs are in others; the last ones first, and small ones before."""
    needed = sorted(groups, key=lambda group: (-len(group), sorted(group)))
    for group in reversed(needed.copy()):
        others = [other for other in needed if other != group]
        pairs = [set(pair) for pair in combinations(sorted(group), 2)] or [set(group)]
        if all(any(pair <= other for other in others) for pair in pairs):
            needed = others
    return needed


def letters(differs: Flags) -> tuple[str, ...]:
    """Return the letters of each system: one for each of its groups.

    Examples
    --------
    >>> letters(np.array([[False, False, True], [False, False, False], [True, False, False]]))
    ('a', 'ab', 'b')
    """
    sharing = groups(differs)
    names = [_NAMES[place] if place < len(_NAMES) else f"[{place + 1}]" for place in range(len(sharing))]
    return tuple(
        "".join(name for name, group in zip(names, sharing, strict=True) if system in group)
        for system in range(len(differs))
    )


_TARGET = 0.95
"""Reliability that is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Settings of a comparison; see :func:`kammerton.results.comparison.compare`."""

    test: Test
    alpha: float
    permutations: int
    reliability: bool
    bootstrap: BootstrapSettings

    def __post_init__(self) -> None:
        """Refuse impossible settings."""
        if self.test not in get_args(Test):
            raise OptionError.unknown("test", self.test, get_args(Test))
        check_share("alpha", self.alpha)
        Resampling(0, self.permutations, self.bootstrap.seed)  # refuses a number that is not possible


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Resampled:
    """Scores on some items, on bootstrap samples of them, and tests of their differences."""

    sample: Sample  # the items
    item_scores: Mapping[ScoreKey, ItemScores]  # scores of the items, by corpus score
    # resampled, without: scores on each bootstrap sample, and without each unit; empty if nothing needs them
    resampled: Mapping[ScoreKey, Values]
    without: Mapping[ScoreKey, Values]
    outcomes: Mapping[PermutationTest, PairedTest]  # empty if another test was asked for
    detectable: Mapping[PermutationTest, float]  # detectable differences; empty if not asked for
    resamples: Mapping[Measure, int]
    permutations: Permutations

    def value(self, key: ScoreKey) -> float:
        """Return a score."""
        return self.item_scores[key].corpus_score(key.aggregate).value

    def count(self, measure: Measure) -> int:
        """Return the number of items that a measure is computed on."""
        return len(self.sample.items_of(measure))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Basis:
    """Everything that systems are compared by, by one measure."""

    keys: Sequence[ScoreKey]  # the score of each system
    tests: Sequence[PermutationTest]  # the pairs that are compared
    own: Mapping[ScoreKey, Resampled]  # on all items that a system has; nothing for a system without any
    # on the items that both systems of a pair have; nothing for a pair without any
    shared: Mapping[PermutationTest, Resampled]
    common: Resampled | None  # on the items that all systems have, if there are any
    few: Collection[str]  # systems that share too few items with others to be ranked among them

    @property
    def is_alike(self) -> bool:
        """Whether all systems have the same items."""
        measure = self.keys[0].measure
        items = [
            self.own[key].sample.items_of(measure) if key in self.own else frozenset() for key in self.keys
        ]
        return all(names == items[0] for names in items)


class _Match(NamedTuple):
    """Two systems, by number: the better one first, or the one that all are compared with second."""

    first: int
    second: int
    test: PermutationTest


class MeasureComparer:
    """Ranks systems by one measure, and finds pairs that are significantly different; systems are numbers."""

    def __init__(self, basis: Basis, rules: Rules, against: str | None) -> None:
        self._basis, self._rules, self._keys = basis, rules, basis.keys
        self._measure = basis.keys[0].measure
        self._sign = 1.0 if self._measure.direction == "higher" else -1.0
        self._scale = scale_of(self._measure)
        self._number = {key: number for number, key in enumerate(basis.keys)}
        self._against = next((n for n, key in enumerate(basis.keys) if key.system == against), None)
        self._tables: dict[int, tuple[Values, Codes]] = {}
        self._values = [basis.own[key].value(key) if key in basis.own else math.nan for key in basis.keys]
        self._better = {test: self._sign * self._difference(test) for test in basis.tests}
        self._order, self._places = self._ranked()

    def _difference(self, test: PermutationTest) -> float:
        """Return the difference of the scores of a pair on its items."""
        shared = self._basis.shared.get(test)
        if shared is None:
            return math.nan
        first, second = map(shared.value, test)
        return float(differences(first, second, self._scale))

    def _table(self, resampled: Resampled) -> tuple[Values, Codes]:
        """Return what each item, or class, counts for each system; and the unit that it belongs to."""
        if id(resampled) not in self._tables:
            scores = resampled.item_scores
            columns = {number: scores[key] for key, number in self._number.items() if key in scores}
            names = sorted(frozenset().union(*(column.names for column in columns.values())))
            place = {name: number for number, name in enumerate(names)}
            values = np.full((len(names), len(self._keys)), np.nan)
            for system, column in columns.items():
                values[[place[name] for name in column.names], system] = column.counted
            units = np.arange(len(names))
            if not is_gathered(self._keys):
                units = np.array([resampled.sample.unit_of[name] for name in names], dtype=np.int64)
            self._tables[id(resampled)] = values, units
        return self._tables[id(resampled)]

    def comparison(self) -> MeasureComparison:
        """Return the ranking and the tests."""
        rules, common = self._rules, self._basis.common
        table, undefined = self._complete()
        ranks = friedman(self._sign * table, rules.alpha) if rules.test == "friedman" else None
        matches = self._matches()
        tested = [self._test(match, ranks) for match in matches]
        p_values = np.array([test.p for test, _ in tested])
        allowed = [test.smallest_p for test, _ in tested if not math.isnan(test.p)]
        adjusted = p_values if ranks is not None and self._against is None else holm(p_values)
        pairs = tuple(
            self._pair(match, test.p, p_adjusted, significant=p_adjusted < rules.alpha and agrees)
            for match, (test, agrees), p_adjusted in zip(matches, tested, adjusted.tolist(), strict=True)
        )
        every = [*map(self._basis.own.get, self._keys), *map(self._basis.shared.get, self._basis.tests)]
        return MeasureComparison(
            measure=self._measure,
            annotator=self._keys[0].annotator,
            items=0 if common is None else common.count(self._measure),
            undefined=undefined,
            ranking=self._ranking(matches, pairs),
            pairs=pairs,
            resamples=min(part.resamples[self._measure] for part in every if part is not None),
            permutations=max(pair.permutations for pair in pairs),
            exact=all(pair.exact for pair in pairs),
            smallest_p=min(len(allowed) * min(allowed, default=0.0), 1.0),
            friedman=ranks,
            reliability=self._reliability(table, pairs) if rules.reliability else None,
        )

    def _complete(self) -> tuple[Values, int]:
        """Return the values of units on which all systems have one; and how many items are without."""
        if self._basis.common is None:
            return np.empty((0, len(self._keys))), 0
        values, units = self._table(self._basis.common)
        complete = ~np.isnan(values).any(axis=1)
        table = level(_of_units(values[complete], units[complete]), self._scale)
        return table, int(np.count_nonzero(~complete))

    # --- pairs -------------------------------------------------------------------------------

    def _matches(self) -> list[_Match]:
        """Return the pairs in the order of the ranking."""
        place = {system: place for place, system in enumerate(self._order)}
        matches: dict[tuple[int, int], _Match] = {}
        for test, better in self._better.items():
            ahead, behind = sorted((self._number[key] for key in test), key=place.__getitem__)
            first, second = (self._number[key] for key in (test if better > 0 else test[::-1]))
            if math.isnan(better) or better == 0:
                first, second = ahead, behind
            if self._against == first:
                first, second = second, first
            matches[place[ahead], place[behind]] = _Match(first, second, test)
        return [matches[places] for places in sorted(matches)]

    def _test(self, match: _Match, ranks: Friedman | None) -> tuple[PairedTest, bool]:
        """Return the test of a pair, and whether it favours the system that the scores favour."""
        first, second, test = match
        shared = self._basis.shared.get(test)
        if shared is None:
            return PairedTest(math.nan, math.nan, 0), False
        if self._rules.test == "permutation":
            return shared.outcomes[test], True
        if ranks is not None:
            p_values = ranks.pairs if self._against is None else ranks.unadjusted
            ahead, p = float(ranks.ranks[second] - ranks.ranks[first]), float(p_values[first, second])
            return PairedTest(ahead, p, ranks.items), self._favours(match, ahead)
        values, units = self._table(shared)
        both = values[:, [first, second]]
        defined = ~np.isnan(both).any(axis=1)
        means = _of_units(both[defined], units[defined]).T
        test_values = t_test if self._rules.test == "t" else wilcoxon
        result = test_values(self._sign * differences_of_items(means[0], means[1], self._scale))
        return result, self._favours(match, result.statistic)

    def _favours(self, match: _Match, statistic: float) -> bool:
        """Return whether a statistic, above 0 for the first system, favours that with the better score."""
        is_turned = self._number[match.test.first] != match.first
        return statistic * self._better[match.test] * (-1 if is_turned else 1) > 0

    def _pair(self, match: _Match, p: float, adjusted: float, *, significant: bool) -> Pair:
        first, second = self._keys[match.first], self._keys[match.second]
        shared = self._basis.shared.get(match.test)
        scores, ends = (math.nan, math.nan), UNDEFINED
        of_items = np.empty(0)
        if shared is not None:
            scores, ends = (shared.value(first), shared.value(second)), self._interval(shared, first, second)
            values = self._table(shared)[0]
            of_items = differences_of_items(values[:, match.first], values[:, match.second], self._scale)
        better = self._sign * of_items
        permutations = None
        if shared is not None and self._rules.test == "permutation":
            permutations = shared.permutations
        return Pair(
            first=first.system,
            second=second.system,
            difference=float(differences(*scores, self._scale)),
            low=ends[0],
            high=ends[1],
            p=p,
            adjusted=adjusted,
            significant=significant,
            d_z=cohens_d(of_items),
            superiority=superiority(better),
            wins=int(np.count_nonzero(better > 0)),
            ties=int(np.count_nonzero(better == 0)),
            losses=int(np.count_nonzero(better < 0)),
            detectable=math.nan if shared is None else shared.detectable.get(match.test, math.nan),
            items=0 if shared is None else shared.count(self._measure),
            first_value=scores[0],
            second_value=scores[1],
            permutations=0 if permutations is None else permutations.total,
            exact=permutations is not None and permutations.exact,
        )

    def _interval(self, resampled: Resampled, *keys: ScoreKey) -> Interval:
        """Return the confidence interval of a score, or of the difference of two."""
        values = [resampled.value(key) for key in keys]
        value = values[0] if len(keys) == 1 else float(differences(values[0], values[1], self._scale))
        of_samples = [resampled.resampled[key] for key in keys]
        scores = [resampled.item_scores[key] for key in keys]
        units = min(map(resampled.sample.units_behind, keys, scores, of_samples))
        without = None
        if self._rules.bootstrap.method == "bca":
            without = self._subtracted([resampled.without[key] for key in keys])
        return interval(value, self._subtracted(of_samples), without, self._rules.bootstrap.level, units)

    def _subtracted(self, values: Sequence[Values]) -> Values:
        """Return scores of samples, or the differences of those of two systems."""
        return values[0] if len(values) == 1 else differences(values[0], values[1], self._scale, OF_SUMS)

    # --- ranking -----------------------------------------------------------------------------

    def _ranked(self) -> tuple[list[int], dict[int, int]]:
        """Return the systems, the best first, and the place of each that has a score.

        Where all have the same items the score decides which is better, else the pairs do.
        """
        levelled: list[float]
        (levelled,) = level(self._sign * np.array([self._values]), self._scale).tolist()
        merits = levelled if self._basis.is_alike else self._advantages()
        few = [key.system in self._basis.few for key in self._keys]
        known = [number for number, value in enumerate(self._values) if not math.isnan(value)]
        order = sorted(known, key=lambda number: (few[number], -merits[number], -levelled[number]))
        places: dict[int, int] = {}
        first: dict[tuple[bool, float], int] = {}
        for place, number in enumerate(order, 1):
            places[number] = first.setdefault((few[number], merits[number]), place)
        return [*order, *(number for number in range(len(self._keys)) if number not in places)], places

    def _advantages(self) -> list[float]:
        """Return how far each system is ahead of the one that all are compared with.

        Without such a system: the number of others that it is better than, less those that are better.
        """
        ahead = np.zeros(len(self._keys))
        for test, better in self._better.items():
            first, second = (self._number[key] for key in test)
            if self._against is None:
                ahead[[first, second]] += np.sign(np.nan_to_num([better, -better]))
            elif second == self._against:
                ahead[first] = better
            else:
                ahead[second] = -better
        return list(np.nan_to_num(ahead, nan=-math.inf).tolist())

    def _ranking(self, matches: Sequence[_Match], pairs: Sequence[Pair]) -> tuple[RankedSystem, ...]:
        systems = range(len(self._keys))
        beats: Flags = np.zeros((len(systems), len(systems)), dtype=bool)
        for (first, second, _), pair in zip(matches, pairs, strict=True):
            if pair.significant:
                is_better = self._sign * pair.difference > 0
                beats[(first, second) if is_better else (second, first)] = True
        compared = Counter(system for first, second, _ in matches for system in (first, second))
        differs = (beats | beats.T)[np.ix_(self._order, self._order)]
        of_systems = letters(differs) if self._against is None else [""] * len(systems)
        ranking = []
        for name, system in zip(of_systems, self._order, strict=True):
            key = self._keys[system]
            own = self._basis.own.get(key)
            low, high = UNDEFINED if own is None else self._interval(own, key)
            wins, losses = int(beats[system].sum()), int(beats[:, system].sum())
            ranking.append(
                RankedSystem(
                    system=key.system,
                    value=self._values[system],
                    low=low,
                    high=high,
                    letters=name,
                    wins=wins,
                    ties=compared[system] - wins - losses,
                    losses=losses,
                    items=0 if own is None else own.count(self._measure),
                    place=self._places.get(system),
                )
            )
        return tuple(ranking)

    def _reliability(self, table: Values, pairs: Sequence[Pair]) -> Reliability:
        components = variance_components(table)
        studied = max(components.studied, 1)
        return Reliability(
            components=components,
            e_rho2=components.e_rho2(studied),
            phi=components.phi(studied),
            items_for_e_rho2=components.items_for_e_rho2(_TARGET),
            items_for_phi=components.items_for_phi(_TARGET),
            detectable=median(np.array([pair.detectable for pair in pairs])),
        )


def _of_units(values: Values, units: Codes) -> Values:
    """Return the mean of each unit that has items; all values are defined."""
    used, unit = np.unique(units, return_inverse=True)
    sums = np.zeros((len(used), values.shape[1]))
    np.add.at(sums, unit, values)
    return ratio(sums, np.bincount(unit, minlength=len(used)).astype(np.float64)[:, None])
