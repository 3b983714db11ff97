# SPDX-License-Identifier: MIT
"""Systems compared: ranking, tests, effect sizes, letters."""

from __future__ import annotations

import math
import string
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple, get_args

import numpy as np

from kammerton.arrays import Codes, Flags, mean, median, ratio
from kammerton.errors import OptionError
from kammerton.model.item_scores import ItemScores
from kammerton.model.measure import Measure, Values
from kammerton.statistics.agreement import VarianceComponents, variance_components
from kammerton.statistics.intervals import (
    UNDEFINED,
    Interval,
    Method,
    check_method,
    interval,
    quantile,
    tail_of,
)
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
from kammerton.statistics.resampling import Permutations, Resampling, ScoreKey, each_block
from kammerton.statistics.sample import Sample, is_gathered

__all__ = [
    "Basis",
    "Comparison",
    "Disagreement",
    "Drawn",
    "MeasureComparison",
    "Pair",
    "Ranked",
    "Reliability",
    "Rules",
    "Test",
    "detectable_differences",
    "groups",
    "judge",
    "letters",
]

Test = Literal["permutation", "t", "wilcoxon", "friedman"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
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
    told_apart : bool
        Whether the adjusted p is below alpha, and the test in favour of the first: one of values of items
        need not be, where the figure is pooled.
    d_z : float
        Mean difference of items in standard deviations of the differences.
    superiority : float
        Share of items on which the first is better, ties counting half.
    wins, ties, losses : int
        Items on which the first is better, as good, worse. Of measures over classes, classes.
    detectable : float
        Difference of figures that would be detected with power 0.8; NaN if it was not asked for.
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
    told_apart: bool
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
    """How far a collection can be relied on to compare systems like these."""

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
    ranking : tuple of Ranked
        The best first; undefined ones last. Where systems have different items, it follows the pairs:
        the system that is better than most others on the items of each pair comes first.
    pairs : tuple of Pair
        In the order of the ranking.
    resamples, permutations : int
        Draws behind intervals, and behind tests; the latter 0 for tests without. Fewest and most, where
        they are not the same for all.
    exact : bool
        Whether the permutations of every pair are all there are.
    friedman : Friedman, optional
        Systems in the order of the comparison, if that was the test.
    reliability : Reliability, optional
        If it was asked for.
    """

    measure: Measure
    annotator: str
    items: int
    undefined: int
    ranking: tuple[Ranked, ...]
    pairs: tuple[Pair, ...]
    resamples: int
    permutations: int
    exact: bool
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
    told_apart: bool  # whether both measures tell them apart


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
        Systems that have too few items in common with any other for a significant difference, although
        others have more; and how many at most.
    against : str or None
        The system that all others were compared with; None if all pairs were compared.
    items, units : int
        Items that pairs were compared on, and what was drawn of them: items, or clusters.
    clustered : bool
        Whether clusters were drawn.
    test : {"permutation", "t", "wilcoxon", "friedman"}
    alpha, level : float
        Of tests, and of intervals.
    method : {"percentile", "bca"}
        Of intervals.
    seed : int
        Of all draws.
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


def detectable_differences(
    differences: Values,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    draws: int = 10_000,
    seed: int = 0,
) -> Values:
    """Return the smallest mean difference of each pair that a test on so many items detects often enough.

    The differences of two systems are shifted so that their mean is 0, and drawn with replacement: what
    collections of this size would say of systems that do not differ. To each collection any difference can
    be added, and from some size on Student's t rejects in its favour. The answer is the size at which it
    does so in the wanted share of collections.

    Examples
    --------
    By the normal distribution, (1.96 + 0.84) / sqrt(400) = 0.14 standard deviations:

    >>> differences = np.random.default_rng(0).normal(0.05, 1.0, (400, 1))
    >>> detectable_differences(differences).round(2)
    array([0.14])
    """
    for name, share in (("power", power), ("alpha", alpha)):
        if not 0 < share < 1:
            raise OptionError(f"{name} is between 0 and 1, got {share}")
    items, pairs = differences.shape
    defined = ~np.isnan(differences)
    count = defined.sum(axis=0)
    columns = np.concatenate((_centred(differences), _centred(differences) ** 2, defined), axis=1)
    resampling = Resampling(items, draws, seed)
    blocks = each_block(lambda start: resampling.block(start) @ columns, resampling.starts)
    sums, squares, drawn = np.split(np.concatenate(list(blocks)), [pairs, 2 * pairs], axis=1)
    means = ratio(sums, drawn)
    errors = np.sqrt(np.maximum(ratio(ratio(squares, drawn) - means**2, drawn - 1), 0.0))
    found = np.full(pairs, np.nan)
    for pair in np.flatnonzero(count > 1).tolist():
        needed = quantile(1 - alpha, int(count[pair]) - 1) * errors[:, pair] - means[:, pair]
        found[pair] = max(float(np.nanquantile(needed, power)), 0.0)
    return found


def _centred(differences: Values) -> Values:
    """Return differences with mean 0 that vary, if drawn from, as a sample of them does; 0 for undefined."""
    made = np.zeros_like(differences)
    for pair, column in enumerate(differences.T):
        known = ~np.isnan(column)
        count = np.count_nonzero(known)
        if count > 1:
            stretch = math.sqrt(count / (count - 1))
            made[known, pair] = (column[known] - mean(column[known])) * stretch
    return made


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
    found = [frozenset(range(systems))] if systems else []
    for one, other in apart:
        halves = [group - {each} for group in found if {one, other} <= group for each in (one, other)]
        kept = [group for group in found if not {one, other} <= group]
        found = _absorbed([*kept, *halves])
    return tuple(sorted(tuple(sorted(group)) for group in _swept(found)))


def _absorbed(found: list[frozenset[int]]) -> list[frozenset[int]]:
    """Leave out groups that lie within another."""
    distinct = list(dict.fromkeys(found))
    return [group for group in distinct if not any(group < other for other in distinct)]


def _swept(found: list[frozenset[int]]) -> list[frozenset[int]]:
    """Leave out groups all of whose pairs are in another; the last ones first, and small ones before."""
    kept = sorted(found, key=lambda group: (-len(group), sorted(group)))
    for group in reversed(kept.copy()):
        others = [other for other in kept if other != group]
        pairs = [{one, other} for one, other in combinations(sorted(group), 2)] or [set(group)]
        if all(any(pair <= other for other in others) for pair in pairs):
            kept = others
    return kept


def letters(differs: Flags) -> tuple[str, ...]:
    """Return the letters of each system: one for each of its groups.

    Examples
    --------
    >>> letters(np.array([[False, False, True], [False, False, False], [True, False, False]]))
    ('a', 'ab', 'b')
    """
    found = groups(differs)
    names = [_NAMES[place] if place < len(_NAMES) else f"[{place + 1}]" for place in range(len(found))]
    return tuple(
        "".join(name for name, group in zip(names, found, strict=True) if system in group)
        for system in range(len(differs))
    )


_TARGET = 0.95
"""Reliability that is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How a comparison is judged; see :func:`kammerton.results.comparison.compare`."""

    test: Test
    alpha: float
    level: float
    method: Method
    resamples: int
    permutations: int
    seed: int
    reliability: bool

    def __post_init__(self) -> None:
        """Refuse what cannot be judged by."""
        check_method(self.method)
        tail_of(self.level)
        if self.test not in get_args(Test):
            raise OptionError.unknown("test", self.test, get_args(Test))
        if not 0 < self.alpha < 1:
            raise OptionError(f"alpha is between 0 and 1, got {self.alpha}")
        for draws in (self.resamples, self.permutations):
            Resampling(0, draws, self.seed)  # refuses what cannot be drawn


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drawn:
    """What draws of some items gave."""

    sample: Sample  # the items
    found: Mapping[ScoreKey, ItemScores]  # what the items bring to each figure
    # resampled, without: each figure of each resample, and without each unit; empty if nothing needs it
    resampled: Mapping[ScoreKey, Values]
    without: Mapping[ScoreKey, Values]
    tests: Mapping[PermutationTest, PairedTest]  # permutation tests; empty if they were not asked for
    # differences that would be detected; empty if they were not asked for
    detectable: Mapping[PermutationTest, float]
    resamples: int
    swaps: Permutations

    def value(self, key: ScoreKey) -> float:
        """Return a figure of these items."""
        return self.found[key].estimate(key.aggregate).value

    def count(self, measure: Measure) -> int:
        """Return how many items are in for a measure."""
        return len(self.sample.kept(measure))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Basis:
    """What systems are compared by, by one measure."""

    keys: Sequence[ScoreKey]  # the figure of each system
    contests: Sequence[PermutationTest]  # the pairs that are compared
    own: Mapping[ScoreKey, Drawn]  # of all items that a system has; nothing for a system without any
    # of the items that both systems of a pair have; nothing for a pair without any
    shared: Mapping[PermutationTest, Drawn]
    common: Drawn | None  # of the items that all systems have, if there are any
    few: Collection[str]  # systems that share too few items with others to be ranked among them

    @property
    def is_alike(self) -> bool:
        """Whether all systems have the same items."""
        measure = self.keys[0].measure
        kept = [self.own[key].sample.kept(measure) if key in self.own else frozenset() for key in self.keys]
        return all(names == kept[0] for names in kept)


def judge(basis: Basis, rules: Rules, against: str | None = None) -> MeasureComparison:
    """Rank systems by one measure, and tell them apart."""
    return _Judging(basis, rules, against).comparison()


class _Match(NamedTuple):
    """A pair of systems, by their numbers: the better one first, or that which all are compared with last."""

    one: int
    other: int
    contest: PermutationTest


class _Judging:
    """One measure of a comparison; systems are numbers."""

    def __init__(self, basis: Basis, rules: Rules, against: str | None) -> None:
        self._basis, self._rules, self._keys = basis, rules, basis.keys
        self._measure = basis.keys[0].measure
        self._sign = 1.0 if self._measure.direction == "higher" else -1.0
        self._scale = scale_of(self._measure)
        self._number = {key: number for number, key in enumerate(basis.keys)}
        self._against = next((n for n, key in enumerate(basis.keys) if key.system == against), None)
        self._tables: dict[int, tuple[Values, Codes]] = {}
        self._values = [basis.own[key].value(key) if key in basis.own else math.nan for key in basis.keys]
        self._better = {contest: self._sign * self._difference(contest) for contest in basis.contests}
        self._order, self._places = self._ranked()

    def _difference(self, contest: PermutationTest) -> float:
        """Return the difference of the scores of a pair on its items."""
        drawn = self._basis.shared.get(contest)
        if drawn is None:
            return math.nan
        one, other = map(drawn.value, contest)
        return float(differences(one, other, self._scale))

    def _table(self, drawn: Drawn) -> tuple[Values, Codes]:
        """Return what each item, or class, counts for each system; and the unit that it belongs to."""
        if id(drawn) not in self._tables:
            found = {number: drawn.found[key] for key, number in self._number.items() if key in drawn.found}
            names = sorted(frozenset().union(*(each.names for each in found.values())))
            place = {name: number for number, name in enumerate(names)}
            values = np.full((len(names), len(self._keys)), np.nan)
            for system, each in found.items():
                values[[place[name] for name in each.names], system] = each.counted
            units = np.arange(len(names))
            if not is_gathered(self._keys):
                units = np.array([drawn.sample.unit_of[name] for name in names], dtype=np.int64)
            self._tables[id(drawn)] = values, units
        return self._tables[id(drawn)]

    def comparison(self) -> MeasureComparison:
        """Return what was found."""
        rules, common = self._rules, self._basis.common
        table, undefined = self._complete()
        ranks = friedman(self._sign * table, rules.alpha) if rules.test == "friedman" else None
        matches = self._matches()
        tests = [self._test(match, ranks) for match in matches]
        p = np.array([p for p, _ in tests])
        adjusted = p if ranks is not None and self._against is None else holm(p)
        apart = [bool(each < rules.alpha and same) for each, (_, same) in zip(adjusted, tests, strict=True)]
        pairs = tuple(map(self._pair, matches, p, adjusted, apart))
        return MeasureComparison(
            measure=self._measure,
            annotator=self._keys[0].annotator,
            items=0 if common is None else common.count(self._measure),
            undefined=undefined,
            ranking=self._ranking(matches, pairs),
            pairs=pairs,
            resamples=self._resamples(),
            permutations=max(pair.permutations for pair in pairs),
            exact=all(pair.exact for pair in pairs),
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

    def _resamples(self) -> int:
        """Return how many resamples are behind every interval at least."""
        drawn = [self._basis.own.get(key) for key in self._keys]
        drawn += [self._basis.shared.get(contest) for contest in self._basis.contests]
        return min(each.resamples for each in drawn if each is not None)

    # --- pairs -------------------------------------------------------------------------------

    def _matches(self) -> list[_Match]:
        """Return the pairs in the order of the ranking."""
        place = {system: place for place, system in enumerate(self._order)}
        found: dict[tuple[int, int], _Match] = {}
        for contest, better in self._better.items():
            ahead, behind = sorted((self._number[key] for key in contest), key=place.__getitem__)
            first, second = (self._number[key] for key in (contest if better > 0 else contest[::-1]))
            if math.isnan(better) or better == 0:
                first, second = ahead, behind
            if self._against == first:
                first, second = second, first
            found[place[ahead], place[behind]] = _Match(first, second, contest)
        return [found[places] for places in sorted(found)]

    def _test(self, match: _Match, ranks: Friedman | None) -> tuple[float, bool]:
        """Return p, and whether the test favours the system that the scores favour."""
        one, other, contest = match
        drawn = self._basis.shared.get(contest)
        if drawn is None:
            return math.nan, False
        if self._rules.test == "permutation":
            return drawn.tests[contest].p, True
        if ranks is not None:
            p = ranks.pairs if self._against is None else ranks.unadjusted
            return float(p[one, other]), self._favours(match, float(ranks.ranks[other] - ranks.ranks[one]))
        values, units = self._table(drawn)
        both = values[:, [one, other]]
        defined = ~np.isnan(both).any(axis=1)
        first, second = _of_units(both[defined], units[defined]).T
        test = t_test if self._rules.test == "t" else wilcoxon
        found = test(self._sign * differences_of_items(first, second, self._scale))
        return found.p, self._favours(match, found.statistic)

    def _favours(self, match: _Match, statistic: float) -> bool:
        """Tell whether a statistic that is above 0 for the first system says what the scores say."""
        is_turned = self._number[match.contest.one] != match.one
        return statistic * self._better[match.contest] * (-1 if is_turned else 1) > 0

    def _pair(self, match: _Match, p: float, adjusted: float, apart: bool) -> Pair:
        one, other, contest = match
        drawn = self._basis.shared.get(contest)
        keys = self._keys[one], self._keys[other]
        values = np.empty((0, len(self._keys))) if drawn is None else self._table(drawn)[0]
        of_items = differences_of_items(values[:, one], values[:, other], self._scale)
        better = self._sign * of_items
        first, second = (math.nan if drawn is None else drawn.value(key) for key in keys)
        low, high = UNDEFINED if drawn is None else self._interval(drawn, *keys)
        is_swapped = drawn is not None and self._rules.test == "permutation"
        return Pair(
            first=keys[0].system,
            second=keys[1].system,
            difference=float(differences(first, second, self._scale)),
            low=low,
            high=high,
            p=float(p),
            adjusted=float(adjusted),
            told_apart=apart,
            d_z=cohens_d(of_items),
            superiority=superiority(better),
            wins=int(np.count_nonzero(better > 0)),
            ties=int(np.count_nonzero(better == 0)),
            losses=int(np.count_nonzero(better < 0)),
            detectable=math.nan if drawn is None else drawn.detectable.get(contest, math.nan),
            items=0 if drawn is None else drawn.count(self._measure),
            first_value=first,
            second_value=second,
            permutations=drawn.swaps.total if drawn is not None and is_swapped else 0,
            exact=drawn is not None and is_swapped and drawn.swaps.exact,
        )

    def _interval(self, drawn: Drawn, one: ScoreKey, other: ScoreKey | None = None) -> Interval:
        """Return the interval of a score, or of the difference of two."""
        keys = [one] if other is None else [one, other]
        resampled = [drawn.resampled[key] for key in keys]
        values = [drawn.value(key) for key in keys]
        units = min(map(drawn.sample.units_behind, keys, [drawn.found[key] for key in keys], resampled))
        without = None
        if self._rules.method == "bca":
            without = self._subtracted([drawn.without[key] for key in keys])
        value = values[0] if other is None else float(differences(values[0], values[1], self._scale))
        return interval(value, self._subtracted(resampled), without, self._rules.level, units)

    def _subtracted(self, values: Sequence[Values]) -> Values:
        """Return scores of draws, or the differences of those of two systems."""
        return values[0] if len(values) == 1 else differences(values[0], values[1], self._scale, OF_SUMS)

    # --- ranking -----------------------------------------------------------------------------

    def _ranked(self) -> tuple[list[int], dict[int, int]]:
        """Return the systems, the best first, and the place of each that has a score.

        Where all have the same items the score says which is better, else the pairs do.
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

        Without such a system, than how many others it is better, less how many are better than it.
        """
        ahead = np.zeros(len(self._keys))
        for contest, better in self._better.items():
            one, other = (self._number[key] for key in contest)
            if self._against is None:
                ahead[[one, other]] += np.sign(np.nan_to_num([better, -better]))
            elif other == self._against:
                ahead[one] = better
            else:
                ahead[other] = -better
        return list(np.nan_to_num(ahead, nan=-math.inf).tolist())

    def _ranking(self, matches: Sequence[_Match], pairs: Sequence[Pair]) -> tuple[Ranked, ...]:
        systems = range(len(self._keys))
        beats: Flags = np.zeros((len(systems), len(systems)), dtype=bool)
        for (one, other, _), pair in zip(matches, pairs, strict=True):
            if pair.told_apart:
                better, worse = (one, other) if self._sign * pair.difference > 0 else (other, one)
                beats[better, worse] = True
        compared = Counter(system for one, other, _ in matches for system in (one, other))
        apart = (beats | beats.T)[np.ix_(self._order, self._order)]
        named = letters(apart) if self._against is None else [""] * len(systems)
        ranking = []
        for name, system in zip(named, self._order, strict=True):
            key = self._keys[system]
            drawn = self._basis.own.get(key)
            low, high = UNDEFINED if drawn is None else self._interval(drawn, key)
            wins, losses = int(beats[system].sum()), int(beats[:, system].sum())
            ranking.append(
                Ranked(
                    system=key.system,
                    value=self._values[system],
                    low=low,
                    high=high,
                    letters=name,
                    wins=wins,
                    ties=compared[system] - wins - losses,
                    losses=losses,
                    items=0 if drawn is None else drawn.count(self._measure),
                    place=self._places.get(system),
                )
            )
        return tuple(ranking)

    def _reliability(self, table: Values, pairs: Sequence[Pair]) -> Reliability:
        found = variance_components(table)
        studied = max(found.studied, 1)
        return Reliability(
            components=found,
            e_rho2=found.e_rho2(studied),
            phi=found.phi(studied),
            items_for_e_rho2=found.items_for_e_rho2(_TARGET),
            items_for_phi=found.items_for_phi(_TARGET),
            detectable=median(np.array([pair.detectable for pair in pairs])),
        )


def _of_units(values: Values, units: Codes) -> Values:
    """Return the mean of each unit that has items; all values are defined."""
    used, unit = np.unique(units, return_inverse=True)
    sums = np.zeros((len(used), values.shape[1]))
    np.add.at(sums, unit, values)
    return ratio(sums, np.bincount(unit, minlength=len(used)).astype(np.float64)[:, None])
