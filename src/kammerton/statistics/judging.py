# SPDX-License-Identifier: MIT
"""From draws and tests to a ranking: one measure, all systems."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import get_args

import numpy as np

from kammerton.core.intervals import Codes, Flags
from kammerton.core.ratios import median, ratio
from kammerton.errors import OptionError
from kammerton.model.item_figures import ItemFigures
from kammerton.model.measure import Values
from kammerton.statistics.bootstrap import Interval, Method, check_method, interval, tail_of
from kammerton.statistics.comparison import MeasureComparison, Pair, Ranked, Reliability, Test
from kammerton.statistics.figures import Key
from kammerton.statistics.friedman import Friedman, friedman
from kammerton.statistics.generalizability import variance_components
from kammerton.statistics.letters import letters
from kammerton.statistics.paired import PairedTest, cohens_d, holm, superiority, t_test, wilcoxon
from kammerton.statistics.resampling import Resampling, Swaps
from kammerton.statistics.sample import Sample, is_gathered
from kammerton.statistics.swapping import Contest

__all__ = ["Drawn", "Rules", "judge"]

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
    """What draws of the items gave.

    Parameters
    ----------
    found : mapping of Key to ItemFigures
        What the items bring to each figure.
    resampled, without : mapping of Key to ndarray
        Each figure of each resample, and without each unit; the latter empty if nothing needs it.
    tests : mapping of Contest to PairedTest
        Permutation tests; empty if they were not asked for.
    detectable : mapping of Contest to float
        Differences that would be detected; empty if they were not asked for.
    resamples : int
    swaps : Swaps
    """

    found: Mapping[Key, ItemFigures]
    resampled: Mapping[Key, Values]
    without: Mapping[Key, Values]
    tests: Mapping[Contest, PairedTest]
    detectable: Mapping[Contest, float]
    resamples: int
    swaps: Swaps


def judge(keys: Sequence[Key], drawn: Drawn, sample: Sample, rules: Rules) -> MeasureComparison:
    """Rank systems by one measure, and tell them apart.

    Parameters
    ----------
    keys : sequence of Key
        The figure of each system.
    drawn : Drawn
        Has these figures and others.
    sample : Sample
        The items.
    rules : Rules
        The choices of the caller.
    """
    return _Judging(keys, drawn, sample, rules).comparison()


class _Judging:
    """One measure of a comparison; systems are numbers."""

    def __init__(self, keys: Sequence[Key], drawn: Drawn, sample: Sample, rules: Rules) -> None:
        self._keys, self._drawn, self._sample, self._rules = keys, drawn, sample, rules
        self._measure = keys[0].measure
        self._sign = 1.0 if self._measure.direction == "higher" else -1.0
        self._figures = np.array([drawn.found[key].estimate(key.aggregate).value for key in keys])
        ranks = np.argsort(np.nan_to_num(-self._sign * self._figures, nan=np.inf), kind="stable")
        self._order: list[int] = ranks.tolist()
        self._contests = list(combinations(self._order, 2))
        self._values, self._units = self._table()

    def _table(self) -> tuple[Values, Codes]:
        """Return what each item, or class, counts for each system; and the unit that it belongs to."""
        found = [self._drawn.found[key] for key in self._keys]
        names = sorted(frozenset().union(*(each.names for each in found)))
        place = {name: number for number, name in enumerate(names)}
        values = np.full((len(names), len(found)), np.nan)
        for system, each in enumerate(found):
            values[[place[name] for name in each.names], system] = each.counted
        if is_gathered(self._keys):
            return values, np.arange(len(names))
        return values, np.array([self._sample.unit_of[name] for name in names], dtype=np.int64)

    def comparison(self) -> MeasureComparison:
        """Return what was found."""
        rules, drawn = self._rules, self._drawn
        complete = ~np.isnan(self._values).any(axis=1)
        table = _of_units(self._values[complete], self._units[complete])
        ranks = friedman(self._sign * table, rules.alpha) if rules.test == "friedman" else None
        tests = [self._test(one, other, ranks) for one, other in self._contests]
        p = np.array([p for p, _ in tests])
        adjusted = holm(p) if ranks is None else p
        apart = [bool(each < rules.alpha and same) for each, (_, same) in zip(adjusted, tests, strict=True)]
        pairs = tuple(map(self._pair, self._contests, p, adjusted, apart))
        reliability = self._reliability(table, pairs) if rules.reliability else None
        tested = rules.test == "permutation"
        return MeasureComparison(
            measure=self._measure,
            annotator=self._keys[0].annotator,
            items=len(self._sample.kept(self._measure)),
            undefined=int(np.count_nonzero(~complete)),
            ranking=self._ranking(pairs),
            pairs=pairs,
            resamples=drawn.resamples,
            permutations=drawn.swaps.total if tested else 0,
            exact=tested and drawn.swaps.exact,
            friedman=ranks,
            reliability=reliability,
        )

    # --- pairs -------------------------------------------------------------------------------

    def _test(self, one: int, other: int, ranks: Friedman | None) -> tuple[float, bool]:
        """Return p, and whether the test is in favour of the first, as the figures are."""
        if ranks is not None:
            return float(ranks.pairs[one, other]), bool(ranks.ranks[one] < ranks.ranks[other])
        if self._rules.test == "permutation":
            return self._drawn.tests[self._contest(one, other)].p, True
        differences = self._sign * (self._values[:, one] - self._values[:, other])
        defined = ~np.isnan(differences)
        of_units = _of_units(differences[defined, None], self._units[defined])[:, 0]
        found = (t_test if self._rules.test == "t" else wilcoxon)(of_units)
        return found.p, found.statistic > 0

    def _contest(self, one: int, other: int) -> Contest:
        first, second = sorted((one, other))
        return Contest(self._keys[first], self._keys[second])

    def _pair(self, systems: tuple[int, int], p: float, adjusted: float, apart: bool) -> Pair:
        one, other = systems
        differences = self._values[:, one] - self._values[:, other]
        better = self._sign * differences
        low, high = self._interval(one, other)
        return Pair(
            first=self._keys[one].system,
            second=self._keys[other].system,
            difference=float(self._figures[one] - self._figures[other]),
            low=low,
            high=high,
            p=float(p),
            adjusted=float(adjusted),
            told_apart=apart,
            d_z=cohens_d(differences),
            superiority=superiority(better),
            wins=int(np.count_nonzero(better > 0)),
            ties=int(np.count_nonzero(better == 0)),
            losses=int(np.count_nonzero(better < 0)),
            detectable=self._drawn.detectable.get(self._contest(one, other), math.nan),
        )

    def _interval(self, one: int, other: int | None = None) -> Interval:
        """Return the interval of a figure, or of the difference of two."""
        systems = [one] if other is None else [one, other]
        keys = [self._keys[system] for system in systems]
        resampled = [self._drawn.resampled[key] for key in keys]
        value = float(self._figures[one] if other is None else self._figures[one] - self._figures[other])
        units = min(map(self._sample.units_behind, keys, [self._drawn.found[key] for key in keys], resampled))
        without = None
        if self._rules.method == "bca":
            without = _difference([self._drawn.without[key] for key in keys])
        return interval(value, _difference(resampled), without, self._rules.level, units)

    # --- ranking -----------------------------------------------------------------------------

    def _ranking(self, pairs: Sequence[Pair]) -> tuple[Ranked, ...]:
        apart: Flags = np.zeros((len(self._order), len(self._order)), dtype=bool)
        for (better, worse), pair in zip(combinations(range(len(self._order)), 2), pairs, strict=True):
            apart[better, worse] = apart[worse, better] = pair.told_apart
        named = letters(apart)
        ranking = []
        for place, system in enumerate(self._order):
            low, high = self._interval(system)
            wins, losses = (int(np.count_nonzero(each)) for each in np.split(apart[place], [place])[::-1])
            ranking.append(
                Ranked(
                    system=self._keys[system].system,
                    value=float(self._figures[system]),
                    low=low,
                    high=high,
                    letters=named[place],
                    wins=wins,
                    ties=len(self._order) - 1 - wins - losses,
                    losses=losses,
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


def _difference(values: Sequence[Values]) -> Values:
    return values[0] if len(values) == 1 else values[0] - values[1]


def _of_units(values: Values, units: Codes) -> Values:
    """Return the mean of each unit that has items; all values are defined."""
    used, unit = np.unique(units, return_inverse=True)
    sums = np.zeros((len(used), values.shape[1]))
    np.add.at(sums, unit, values)
    return ratio(sums, np.bincount(unit, minlength=len(used)).astype(np.float64)[:, None])
