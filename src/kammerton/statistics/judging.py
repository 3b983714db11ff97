# SPDX-License-Identifier: MIT
"""From draws and tests to pairs and a ranking: one measure, all systems."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, get_args

import numpy as np

from kammerton.core.intervals import Codes, Flags
from kammerton.core.ratios import median, ratio
from kammerton.errors import OptionError
from kammerton.model.item_figures import ItemFigures
from kammerton.model.measure import Measure, Values
from kammerton.statistics.bootstrap import UNDEFINED, Interval, Method, check_method, interval, tail_of
from kammerton.statistics.comparison import MeasureComparison, Pair, Ranked, Reliability, Test
from kammerton.statistics.figures import Key
from kammerton.statistics.friedman import Friedman, friedman
from kammerton.statistics.generalizability import variance_components
from kammerton.statistics.letters import letters
from kammerton.statistics.paired import PairedTest, cohens_d, holm, superiority, t_test, wilcoxon
from kammerton.statistics.ranks import OF_SUMS, differences, differences_of_items, level, scale_of
from kammerton.statistics.resampling import Resampling, Swaps
from kammerton.statistics.sample import Sample, is_gathered
from kammerton.statistics.swapping import Contest

__all__ = ["Basis", "Drawn", "Rules", "judge"]

_TARGET = 0.95
"""Reliability that is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How a comparison is judged; see :func:`kammerton.statistics.comparing.compare`.

    Raises
    ------
    OptionError
        If a choice is not possible.
    """

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
    """What draws of some items gave.

    Parameters
    ----------
    sample : Sample
        The items.
    found : mapping of Key to ItemFigures
        What the items bring to each figure.
    resampled, without : mapping of Key to ndarray
        Each figure of each resample, and without each unit; empty if nothing needs it.
    tests : mapping of Contest to PairedTest
        Permutation tests; empty if they were not asked for.
    detectable : mapping of Contest to float
        Differences that would be detected; empty if they were not asked for.
    resamples : mapping of Measure to int
    swaps : Swaps
    """

    sample: Sample
    found: Mapping[Key, ItemFigures]
    resampled: Mapping[Key, Values]
    without: Mapping[Key, Values]
    tests: Mapping[Contest, PairedTest]
    detectable: Mapping[Contest, float]
    resamples: Mapping[Measure, int]
    swaps: Swaps

    def value(self, key: Key) -> float:
        """Return a figure of these items."""
        return self.found[key].estimate(key.aggregate).value

    def count(self, measure: Measure) -> int:
        """Return how many items are in for a measure."""
        return len(self.sample.kept(measure))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Basis:
    """What systems are compared by, by one measure.

    Parameters
    ----------
    keys : sequence of Key
        The figure of each system.
    contests : sequence of Contest
        The pairs that are compared.
    own : mapping of Key to Drawn
        Of all items that a system has; nothing for a system without any.
    shared : mapping of Contest to Drawn
        Of the items that both systems of a pair have; nothing for a pair without any.
    common : Drawn, optional
        Of the items that all systems have, if there are any.
    few : collection of str
        Systems that share too few items with others to be ranked among them.
    """

    keys: Sequence[Key]
    contests: Sequence[Contest]
    own: Mapping[Key, Drawn]
    shared: Mapping[Contest, Drawn]
    common: Drawn | None
    few: Collection[str]

    @property
    def is_alike(self) -> bool:
        """Whether all systems have the same items."""
        measure = self.keys[0].measure
        kept = [self.own[key].sample.kept(measure) if key in self.own else frozenset() for key in self.keys]
        return all(names == kept[0] for names in kept)


def judge(basis: Basis, rules: Rules, against: str | None = None) -> MeasureComparison:
    """Rank systems by one measure, and tell them apart.

    Parameters
    ----------
    basis : Basis
        What draws gave.
    rules : Rules
        The choices of the caller.
    against : str, optional
        A system that is second in all pairs.
    """
    return _Judging(basis, rules, against).comparison()


class _Match(NamedTuple):
    """A pair of systems, by their numbers: the better one first, or that which all are compared with last."""

    one: int
    other: int
    contest: Contest


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

    def _difference(self, contest: Contest) -> float:
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
        return min(each.resamples[self._measure] for each in drawn if each is not None)

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

    def _interval(self, drawn: Drawn, one: Key, other: Key | None = None) -> Interval:
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
