# SPDX-License-Identifier: MIT
"""Systems compared, each pair on the items that both have: which are significantly different."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations

import numpy as np

from kammerton.errors import OptionError
from kammerton.model.corpus import ALL
from kammerton.model.item_figures import ItemFigures
from kammerton.model.measure import Measure, Values
from kammerton.model.scores import Scores
from kammerton.statistics.bootstrap import Method
from kammerton.statistics.comparison import Comparison, Disagreement, MeasureComparison, Pair, Test
from kammerton.statistics.figures import Key
from kammerton.statistics.judging import Basis, Drawn, Rules, judge
from kammerton.statistics.paired import PairedTest
from kammerton.statistics.power import detectable_differences
from kammerton.statistics.ranks import OF_SUMS, differences, scale_of
from kammerton.statistics.resampling import Swaps
from kammerton.statistics.sample import (
    Kept,
    Sample,
    few_systems,
    headlines,
    names_of,
    split_gathered,
    split_resampled,
)
from kammerton.statistics.swapping import Contest, swap_figures

__all__ = ["compare"]

_TOGETHER = 256
"""Pairs whose detectable differences are simulated at once."""


def compare(  # noqa: PLR0913 - one per choice
    scores: Scores,
    *,
    measures: Sequence[Measure] | None = None,
    annotator: str | None = None,
    against: str | None = None,
    test: Test = "permutation",
    alpha: float = 0.05,
    level: float = 0.95,
    method: Method = "percentile",
    resamples: int = 10_000,
    permutations: int = 10_000,
    seed: int = 0,
    clusters: Mapping[str, str] | None = None,
    reliability: bool = False,
) -> Comparison:
    """Compare systems by the headline figures of measures.

    Every pair is compared on the items that count for both, whatever others have; Friedman's test and the
    study of reliability are of the items that all systems have. Tests of pooled figures swap the statistics
    of two systems item by item and pool them anew; Student's t, Wilcoxon, Friedman and effect sizes look at
    the values of items. With clusters, all items of one are drawn and swapped together, and the values of
    its items are averaged for tests of values.

    Parameters
    ----------
    scores : Scores
        Of two systems or more.
    measures : sequence of Measure, optional
        Some of the measures. Those that look at references alone are left out.
    annotator : str, optional
        Whose references: by default the only one, or all.
    against : str, optional
        A system: only pairs with it are compared.
    test : {"permutation", "t", "wilcoxon", "friedman"}
        With Friedman, pairs are told apart by Tukey's comparison of mean ranks, and those with one system by
        the normal distribution of their difference. But for Tukey's, p-values are adjusted over the pairs
        of a measure that are compared by Holm's method.
    alpha : float
        Adjusted p-values below it tell systems apart.
    level : float
        Of intervals.
    method : {"percentile", "bca"}
        Kind of intervals.
    resamples, permutations : int
        Draws for intervals and for the permutation test; fewer for measures over classes that take long.
        Up to 16 items, or clusters, all permutations are tried.
    seed : int
        Of all draws.
    clusters : mapping of str to str, optional
        Cluster of each item, such as the album of a song.
    reliability : bool
        Add a generalizability study, and the smallest differences that would be detected.

    Returns
    -------
    Comparison

    Raises
    ------
    OptionError
        If there are fewer than two systems, or no pair has an item in common, or a choice is not possible.
    """
    rules = Rules(
        test=test,
        alpha=alpha,
        level=level,
        method=method,
        resamples=resamples,
        permutations=permutations,
        seed=seed,
        reliability=reliability,
    )
    if len(scores.systems) < 2:
        raise OptionError("a comparison needs two systems")
    if annotator is not None and annotator not in (*scores.annotators, ALL):
        raise OptionError.unknown("annotator", annotator, (*scores.annotators, ALL))
    if against is not None and against not in scores.systems:
        raise OptionError.unknown("system", against, scores.systems)
    chosen = [
        measure
        for measure in (scores.measures if measures is None else measures)
        if measure.needs != "annotators" and scores.is_evaluated(measure)
    ]
    if not chosen:
        raise OptionError("there is no measure to compare by", "some look at the references alone")
    items = _Items(scores, {measure: headlines(scores, measure, annotator) for measure in chosen})
    asked = [pair for pair in combinations(scores.systems, 2) if against is None or against in pair]
    compared_items = items.in_pairs(asked)
    if not compared_items:
        raise OptionError("the systems have no item in common", "score them on the same references")
    made = _Made(scores, items, asked, rules, clusters)
    compared = tuple(judge(made.basis(measure), rules, against) for measure in chosen)
    return Comparison(
        systems=scores.systems,
        measures=compared,
        disagreements=tuple(_disagreements(compared)),
        left_out=tuple(sorted(items.every - compared_items)),
        few=items.few(rules.alpha),
        against=against,
        items=len(compared_items),
        units=len(compared_items if clusters is None else {clusters[item] for item in compared_items}),
        clustered=clusters is not None,
        test=test,
        alpha=alpha,
        level=level,
        method=method,
        seed=seed,
    )


@dataclass(eq=False)
class _Part:
    """What is computed on the same items: scores of systems that have these, and pairs that share these.

    Parameters
    ----------
    kept : Kept
    systems : list of str
    pairs : list of (str, str)
    is_common : bool
        Whether these are the items that all systems have.
    """

    kept: Kept
    systems: list[str] = field(default_factory=list)
    pairs: list[tuple[str, str]] = field(default_factory=list)
    is_common: bool = False


class _Items:
    """Which items systems have by each measure; equal sets of items are one object."""

    def __init__(self, scores: Scores, keys: Mapping[Measure, Sequence[Key]]) -> None:
        self.keys = keys
        self._sets: dict[frozenset[str], frozenset[str]] = {}
        self._shared: dict[tuple[int, int], frozenset[str]] = {}
        self.of = {
            measure: {key.system: self._one(names_of(scores, key)) for key in of_measure}
            for measure, of_measure in keys.items()
        }

    def _one(self, names: frozenset[str]) -> frozenset[str]:
        return self._sets.setdefault(names, names)

    @property
    def every(self) -> frozenset[str]:
        """Items that any system has."""
        return frozenset().union(*self._sets)

    def in_pairs(self, pairs: Iterable[tuple[str, str]]) -> frozenset[str]:
        """Return items that any of the pairs shares."""
        shared = (self._kept(pair).values() for pair in pairs)
        return frozenset().union(*(names for each in shared for names in each))

    def parts(self, pairs: Iterable[tuple[str, str]]) -> list[_Part]:
        """Return what is to be computed on which items; all of it on the same where systems have the same."""
        found: dict[tuple[int, ...], _Part] = {}
        systems = list(next(iter(self.of.values())))
        for pair in pairs:
            self._part(found, pair).pairs.append(pair)
        for system in systems:
            self._part(found, (system,)).systems.append(system)
        self._part(found, systems).is_common = True
        return list(found.values())

    def _part(self, found: dict[tuple[int, ...], _Part], systems: Sequence[str]) -> _Part:
        kept = self._kept(systems)
        return found.setdefault(tuple(map(id, kept.values())), _Part(kept))

    def _kept(self, systems: Sequence[str]) -> Kept:
        """Return the items that all of some systems have."""
        return {
            measure: reduce(self._both, (of_measure[system] for system in systems))
            for measure, of_measure in self.of.items()
        }

    def _both(self, one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
        if one is other:
            return one
        key = id(one), id(other)
        if key not in self._shared:
            self._shared[key] = self._one(one & other)
        return self._shared[key]

    def few(self, alpha: float) -> dict[str, int]:
        """Return systems that share too few items by some measure, with how many at most."""
        found: dict[str, int] = {}
        for of_measure in {tuple(map(id, each.values())): each for each in self.of.values()}.values():
            found = {**few_systems(of_measure, alpha), **found}
        return found


class _Made:
    """What all measures are judged by, computed part by part."""

    def __init__(
        self,
        scores: Scores,
        items: _Items,
        pairs: Sequence[tuple[str, str]],
        rules: Rules,
        clusters: Mapping[str, str] | None,
    ) -> None:
        self._items, self._pairs, self._rules = items, pairs, rules
        parts = items.parts(pairs)
        self._own: dict[Key, Drawn] = {}
        self._shared: dict[Contest, Drawn] = {}
        self._common: dict[Measure, Drawn] = {}
        for part in parts:
            chosen = {*part.systems, *(system for pair in part.pairs for system in pair)}
            keys = [
                key for each in items.keys.values() for key in each if part.is_common or key.system in chosen
            ]
            sample = Sample(scores, keys, part.kept, clusters, len(parts))
            for some in split_gathered(keys) if sample.items else ():
                self._draw(some, part, sample)

    def _draw(self, keys: Sequence[Key], part: _Part, sample: Sample) -> None:
        """Compute what some of the keys of a part need, which are all gathered, or none of them."""
        by_measure: dict[Measure, dict[str, Key]] = {}
        for key in keys:
            by_measure.setdefault(key.measure, {})[key.system] = key
        contests = [Contest(own[one], own[other]) for own in by_measure.values() for one, other in part.pairs]
        drawn = _drawn(keys, contests, sample, self._rules, needs_draws=bool(part.systems or part.pairs))
        self._shared |= {contest: drawn for contest in contests if part.kept[contest.one.measure]}
        self._own |= {key: drawn for key in keys if key.system in part.systems}
        if part.is_common:
            self._common |= dict.fromkeys(by_measure, drawn)

    def basis(self, measure: Measure) -> Basis:
        """Return what one measure is judged by."""
        own = {key.system: key for key in self._items.keys[measure]}
        return Basis(
            keys=tuple(own.values()),
            contests=[Contest(own[one], own[other]) for one, other in self._pairs],
            own=self._own,
            shared=self._shared,
            common=self._common.get(measure),
            few=few_systems(self._items.of[measure], self._rules.alpha),
        )


def _drawn(
    keys: Sequence[Key], contests: Sequence[Contest], sample: Sample, rules: Rules, *, needs_draws: bool
) -> Drawn:
    """Return what draws of the items give: of figures that are all gathered, or none of them."""
    found = sample.found(keys)
    needs_all = needs_draws and (rules.method == "bca" or rules.reliability)
    swaps = Swaps(len(sample.items), rules.permutations, rules.seed, sample.clusters)
    tests: dict[Contest, PairedTest] = {}
    if rules.test == "permutation" and contests:
        tests, swaps = swap_figures(sample, found, contests, swaps)
    resampled: dict[Key, Values] = {}
    without: dict[Key, Values] = {}
    detectable: dict[Contest, float] = {}
    for alike in split_resampled(keys):
        own = {key: found[key] for key in alike}
        draws = sample.draws_for(alike, rules.resamples)
        resampled |= sample.resampled(own, draws, rules.seed) if needs_draws else {}
        without |= sample.without_each(own, draws) if needs_all else {}
        if rules.reliability:
            some = [contest for contest in contests if contest.one in own]
            detectable |= _detectable(some, found, without, rules)
    return Drawn(
        sample=sample,
        found=found,
        resampled=resampled,
        without=without,
        tests=tests,
        detectable=detectable,
        resamples={key.measure: sample.draws_for([key], rules.resamples) for key in keys},
        swaps=swaps,
    )


def _detectable(
    contests: Sequence[Contest], found: Mapping[Key, ItemFigures], without: Mapping[Key, Values], rules: Rules
) -> dict[Contest, float]:
    """Return the difference that would be detected between two figures.

    The share of a unit in a difference of figures is its jackknife pseudo-value: for a mean the
    difference of its values, for a pooled figure what it adds to that.
    """
    detected: dict[Contest, float] = {}
    for at in range(0, len(contests), _TOGETHER):
        some = contests[at : at + _TOGETHER]
        shares = [_shares(each, found, without) for each in some]
        differences = detectable_differences(
            np.stack(shares, axis=1), alpha=rules.alpha, draws=rules.resamples, seed=rules.seed
        )
        detected |= zip(some, differences.tolist(), strict=True)
    return detected


def _shares(contest: Contest, found: Mapping[Key, ItemFigures], without: Mapping[Key, Values]) -> Values:
    """Return the share of each unit in the difference, in favour of the better system."""
    one, other = (found[key].estimate(key.aggregate).value for key in contest)
    scale = scale_of(contest.one.measure)
    whole = differences(one, other, scale)
    left = differences(without[contest.one], without[contest.other], scale, OF_SUMS)
    shares = len(left) * whole - (len(left) - 1) * left
    is_ahead = (one < other) if contest.one.measure.direction == "lower" else (one >= other)
    return shares if is_ahead else -shares


def _disagreements(compared: Sequence[MeasureComparison]) -> Iterator[Disagreement]:
    """Give pairs of systems that measures of one name, in two protocols, rank differently."""
    for one, other in combinations(compared, 2):
        if one.measure.name.casefold() != other.measure.name.casefold():
            continue
        reverse = {(worse, better): pair for better, worse, pair in _decided(other)}
        for better, worse, pair in _decided(one):
            opposite = reverse.get((better, worse))
            if opposite is not None:
                yield Disagreement(
                    first=one.measure,
                    second=other.measure,
                    better=better,
                    worse=worse,
                    told_apart=pair.told_apart and opposite.told_apart,
                )


def _decided(compared: MeasureComparison) -> Iterator[tuple[str, str, Pair]]:
    """Give the better and the worse system of each pair that does not score the same."""
    sign = -1 if compared.measure.direction == "lower" else 1
    for pair in compared.pairs:
        if sign * pair.difference > 0:
            yield pair.first, pair.second, pair
        elif sign * pair.difference < 0:
            yield pair.second, pair.first, pair
