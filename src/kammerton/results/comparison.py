# SPDX-License-Identifier: MIT
"""Systems compared, each pair on the items that both have: which are significantly different."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property, reduce
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from kammerton.errors import OptionError
from kammerton.model.annotations import carried
from kammerton.model.corpus import ALL
from kammerton.model.measure import Measure, Values, find
from kammerton.results.groups import Groups
from kammerton.results.scores import Scores, Shown
from kammerton.results.tables import frame, plain
from kammerton.scoring.scored_corpus import ItemScores, ScoredCorpus
from kammerton.statistics.comparison import (
    Basis,
    Comparison,
    Disagreement,
    MeasureComparer,
    MeasureComparison,
    Pair,
    RankedSystem,
    Resampled,
    Rules,
    Test,
    detectable_differences,
)
from kammerton.statistics.paired import (
    OF_SUMS,
    PairedTest,
    PermutationTest,
    differences,
    permutation_tests,
    scale_of,
)
from kammerton.statistics.resampling import BootstrapSettings, Method, Permutations, ScoreKey
from kammerton.statistics.sample import (
    ItemsByMeasure,
    Sample,
    few_systems,
    headline_keys,
    items_behind,
    split_gathered,
    split_resampled,
)
from kammerton.version import __version__

if TYPE_CHECKING:
    import polars as pl

_SIGNIFICANT, _SIGNIFICANT_IN_TABLES = "significant", "told_apart"
"""The field of a pair that is significantly different, and its name in tables and JSON."""
_TOGETHER = 256
"""Pairs whose detectable differences are simulated at once."""


def compare(  # noqa: PLR0913 - one per choice
    scores: ScoredCorpus,
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
    """Compare systems by the headline scores of measures.

    Every pair is compared on the items that count for both, whatever others have; Friedman's test and the
    study of reliability are of the items that all systems have. Permutation tests swap the statistics of two
    systems item by item and compute the scores again; Student's t, Wilcoxon, Friedman and effect sizes look
    at the values of items. With clusters, all items of one are resampled and swapped together, and the values
    of its items are averaged for tests of values.

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
        With Friedman, pairs are tested by Tukey's comparison of mean ranks, and pairs with one system by the
        normal distribution of their difference. Except for Tukey's, p-values are adjusted by Holm's method
        over the pairs of a measure that are compared.
    alpha : float
        Significance level of adjusted p-values.
    level : float
        Level of confidence intervals.
    method : {"percentile", "bca"}
        Kind of confidence intervals.
    resamples, permutations : int
        Number of bootstrap samples, and of permutations; fewer for measures over classes that take long. All
        permutations are tried for up to 16 items, or clusters.
    seed : int
        Seed of the random numbers.
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
        permutations=permutations,
        reliability=reliability,
        bootstrap=BootstrapSettings(
            level=level, method=method, resamples=resamples, seed=seed, clusters=clusters
        ),
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
    items = _Items(scores, {measure: headline_keys(scores, measure, annotator) for measure in chosen})
    pairs = [pair for pair in combinations(scores.systems, 2) if against is None or against in pair]
    compared_items = items.in_pairs(pairs)
    if not compared_items:
        raise OptionError("the systems have no item in common", "estimates of the same items are needed")
    bases = _bases(scores, items, pairs, rules)
    comparisons = tuple(MeasureComparer(bases[measure], rules, against).comparison() for measure in chosen)
    return Comparison(
        systems=scores.systems,
        measures=comparisons,
        disagreements=tuple(_disagreements(comparisons)),
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
    """What is computed on the same items: scores of systems that have these, and pairs that share these."""

    items_by_measure: ItemsByMeasure
    systems: list[str] = field(default_factory=list)
    pairs: list[tuple[str, str]] = field(default_factory=list)
    is_common: bool = False  # whether these are the items that all systems have


class _Items:
    """The items that systems have by each measure; equal sets of items are one object."""

    def __init__(self, corpus: ScoredCorpus, keys: Mapping[Measure, Sequence[ScoreKey]]) -> None:
        self.keys = keys
        self._sets: dict[frozenset[str], frozenset[str]] = {}
        self._shared: dict[tuple[int, int], frozenset[str]] = {}
        self.of = {
            measure: {key.system: self._unique(items_behind(corpus, key)) for key in of_measure}
            for measure, of_measure in keys.items()
        }

    def _unique(self, names: frozenset[str]) -> frozenset[str]:
        return self._sets.setdefault(names, names)

    @property
    def every(self) -> frozenset[str]:
        """Items that any system has."""
        return frozenset().union(*self._sets)

    def in_pairs(self, pairs: Iterable[tuple[str, str]]) -> frozenset[str]:
        """Return items that any of the pairs shares."""
        return frozenset().union(*(names for pair in pairs for names in self._items_of(pair).values()))

    def parts(self, pairs: Iterable[tuple[str, str]]) -> list[_Part]:
        """Return what is to be computed on which items; all of it on the same where systems have the same."""
        parts: dict[tuple[int, ...], _Part] = {}
        systems = list(next(iter(self.of.values())))
        for pair in pairs:
            self._part(parts, pair).pairs.append(pair)
        for system in systems:
            self._part(parts, (system,)).systems.append(system)
        self._part(parts, systems).is_common = True
        return list(parts.values())

    def _part(self, parts: dict[tuple[int, ...], _Part], systems: Sequence[str]) -> _Part:
        items_by_measure = self._items_of(systems)
        return parts.setdefault(tuple(map(id, items_by_measure.values())), _Part(items_by_measure))

    def _items_of(self, systems: Sequence[str]) -> ItemsByMeasure:
        """Return the items that all of some systems have."""
        return {
            measure: reduce(self._both, (of_measure[system] for system in systems))
            for measure, of_measure in self.of.items()
        }

    def _both(self, first: frozenset[str], second: frozenset[str]) -> frozenset[str]:
        if first is second:
            return first
        key = id(first), id(second)
        if key not in self._shared:
            self._shared[key] = self._unique(first & second)
        return self._shared[key]

    def few(self, alpha: float) -> dict[str, int]:
        """Return systems that share too few items by some measure, with how many at most."""
        few: dict[str, int] = {}
        for of_measure in {tuple(map(id, names.values())): names for names in self.of.values()}.values():
            few = {**few_systems(of_measure, alpha), **few}
        return few


def _bases(
    corpus: ScoredCorpus, items: _Items, pairs: Sequence[tuple[str, str]], rules: Rules
) -> dict[Measure, Basis]:
    """Return the basis of the comparison by each measure, computed part by part."""
    own: dict[ScoreKey, Resampled] = {}
    shared: dict[PermutationTest, Resampled] = {}
    common: dict[Measure, Resampled] = {}
    parts = items.parts(pairs)
    for part in parts:
        chosen = {*part.systems, *(system for pair in part.pairs for system in pair)}
        keys = [
            key
            for of_measure in items.keys.values()
            for key in of_measure
            if part.is_common or key.system in chosen
        ]
        sample = Sample(corpus, keys, part.items_by_measure, rules.bootstrap.clusters, len(parts))
        for alike in split_gathered(keys) if sample.items else ():
            tests = _tests(alike, part.pairs)
            resampled = _resampled(
                alike, tests, sample, rules, needs_resamples=bool(part.systems or part.pairs)
            )
            shared |= {test: resampled for test in tests if part.items_by_measure[test.first.measure]}
            own |= {key: resampled for key in alike if key.system in part.systems}
            if part.is_common:
                common |= {key.measure: resampled for key in alike}
    return {
        measure: Basis(
            keys=tuple(keys),
            tests=_tests(keys, pairs),
            own=own,
            shared=shared,
            common=common.get(measure),
            few=few_systems(items.of[measure], rules.alpha),
        )
        for measure, keys in items.keys.items()
    }


def _tests(keys: Sequence[ScoreKey], pairs: Sequence[tuple[str, str]]) -> list[PermutationTest]:
    """Return the tests of pairs of systems, measure by measure."""
    by_measure: dict[Measure, dict[str, ScoreKey]] = {}
    for key in keys:
        by_measure.setdefault(key.measure, {})[key.system] = key
    return [PermutationTest(own[pair[0]], own[pair[1]]) for own in by_measure.values() for pair in pairs]


def _resampled(
    keys: Sequence[ScoreKey],
    tests: Sequence[PermutationTest],
    sample: Sample,
    rules: Rules,
    *,
    needs_resamples: bool,
) -> Resampled:
    """Compute scores, all gathered or none, on bootstrap samples of the items, and test their differences."""
    bootstrap = rules.bootstrap
    item_scores = sample.item_scores(keys)
    needs_all = needs_resamples and (bootstrap.method == "bca" or rules.reliability)
    permutations = Permutations(len(sample.items), rules.permutations, bootstrap.seed, sample.clusters)
    outcomes: dict[PermutationTest, PairedTest] = {}
    if rules.test == "permutation" and tests:
        outcomes, permutations = permutation_tests(sample, item_scores, tests, permutations)
    resampled: dict[ScoreKey, Values] = {}
    without: dict[ScoreKey, Values] = {}
    detectable: dict[PermutationTest, float] = {}
    for alike in split_resampled(keys):
        own = {key: item_scores[key] for key in alike}
        resamples = sample.resamples_of(alike, bootstrap.resamples)
        resampled |= sample.resampled(own, resamples, bootstrap.seed) if needs_resamples else {}
        without |= sample.without_each(own, resamples) if needs_all else {}
        if rules.reliability:
            own_tests = [test for test in tests if test.first in own]
            detectable |= _detectable(own_tests, item_scores, without, rules)
    return Resampled(
        sample=sample,
        item_scores=item_scores,
        resampled=resampled,
        without=without,
        outcomes=outcomes,
        detectable=detectable,
        resamples={key.measure: sample.resamples_of([key], bootstrap.resamples) for key in keys},
        permutations=permutations,
    )


def _detectable(
    tests: Sequence[PermutationTest],
    item_scores: Mapping[ScoreKey, ItemScores],
    without: Mapping[ScoreKey, Values],
    rules: Rules,
) -> dict[PermutationTest, float]:
    """Return the detectable difference between the two scores of each test.

    The share of a unit in a difference of scores is its jackknife pseudo-value: for a mean the
    difference of its values, for a pooled score what it adds to that.
    """
    detectable: dict[PermutationTest, float] = {}
    for at in range(0, len(tests), _TOGETHER):
        some = tests[at : at + _TOGETHER]
        shares = [_shares(test, item_scores, without) for test in some]
        of_some = detectable_differences(
            np.stack(shares, axis=1),
            alpha=rules.alpha,
            resamples=rules.bootstrap.resamples,
            seed=rules.bootstrap.seed,
        )
        detectable |= zip(some, of_some.tolist(), strict=True)
    return detectable


def _shares(
    test: PermutationTest, item_scores: Mapping[ScoreKey, ItemScores], without: Mapping[ScoreKey, Values]
) -> Values:
    """Return the share of each unit in the difference, in favour of the better system."""
    first, second = (item_scores[key].corpus_score(key.aggregate).value for key in test)
    scale = scale_of(test.first.measure)
    whole = differences(first, second, scale)
    left = differences(without[test.first], without[test.second], scale, OF_SUMS)
    shares = len(left) * whole - (len(left) - 1) * left
    is_ahead = (first < second) if test.first.measure.direction == "lower" else (first >= second)
    return shares if is_ahead else -shares


def _disagreements(comparisons: Sequence[MeasureComparison]) -> Iterator[Disagreement]:
    """Yield pairs of systems that measures of one name, in two protocols, rank differently."""
    for first, second in combinations(comparisons, 2):
        if first.measure.name.casefold() != second.measure.name.casefold():
            continue
        reverse = {(worse, better): pair for better, worse, pair in _decided(second)}
        for better, worse, pair in _decided(first):
            opposite = reverse.get((better, worse))
            if opposite is not None:
                yield Disagreement(
                    first=first.measure,
                    second=second.measure,
                    better=better,
                    worse=worse,
                    significant=pair.significant and opposite.significant,
                )


def _decided(comparison: MeasureComparison) -> Iterator[tuple[str, str, Pair]]:
    """Yield the better and the worse system of each pair that does not score the same."""
    sign = -1 if comparison.measure.direction == "lower" else 1
    for pair in comparison.pairs:
        if sign * pair.difference > 0:
            yield pair.first, pair.second, pair
        elif sign * pair.difference < 0:
            yield pair.second, pair.first, pair


@dataclass(frozen=True, eq=False, repr=False)
class SystemComparison(Shown):
    """Systems compared, each pair on the items that both have.

    Made by :func:`kammerton.compare`.

    Examples
    --------
    >>> import kammerton
    >>> comparison = kammerton.compare("chords", *kammerton.example("chords"), measures=["MajMin"])
    >>> print(repr(comparison).splitlines()[0])
    careful is not significantly better than hasty: +33.5 percentage points of
    """

    scores: Scores  # of all systems
    comparison: Comparison  # rankings and tests
    # scores of each group, if they were asked for: on the items that all systems have, except systems with
    # too few items
    groups: Groups | None = None

    @cached_property
    def ranking(self) -> pl.DataFrame:
        """A row for each system by each measure, the best first.

        ``protocol``, ``measure``, ``annotator``, ``system``, ``value``, ``low``, ``high``, ``letters``
        (systems that share one are not significantly different), ``wins``, ``ties``, ``losses``, ``items``,
        ``place``.
        """
        return self._frame("ranking", RankedSystem)

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """A row for each pair of systems by each measure: see :class:`.comparison.Pair`."""
        return self._frame("pairs", Pair)

    def _frame(self, name: str, kind: type[Any]) -> pl.DataFrame:
        rows = [
            {
                "protocol": comparison.measure.protocol,
                "measure": comparison.measure.name,
                "annotator": comparison.annotator,
                **plain(asdict(row)),
            }
            for comparison in self.comparison.measures
            for row in getattr(comparison, name)
        ]
        own = [field.name for field in fields(kind)]
        whole = frame(rows, ("protocol", "measure", "annotator", *own), kind)
        return whole.rename({_SIGNIFICANT: _SIGNIFICANT_IN_TABLES}, strict=False)

    def of(self, measure: str) -> MeasureComparison:
        """Return the comparison by one measure, named ``protocol/measure`` or by a unique name."""
        by_measure = {comparison.measure: comparison for comparison in self.comparison.measures}
        return by_measure[find(measure, list(by_measure))]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, undefined ones as None."""
        comparison, scores = self.comparison, self.scores
        choices = ("against", "test", "alpha", "level", "method", "seed", "items", "units", "clustered")
        return {
            "kammerton": __version__,
            "task": scores.task,
            "systems": list(comparison.systems),
            **{name: getattr(comparison, name) for name in choices},
            "left_out": list(comparison.left_out),
            "few": dict(comparison.few),
            "measures": [_plain_measure(by_measure, scores) for by_measure in comparison.measures],
            "disagreements": [
                {
                    "first": str(disagreement.first),
                    "second": str(disagreement.second),
                    "better": disagreement.better,
                    "worse": disagreement.worse,
                    _SIGNIFICANT_IN_TABLES: disagreement.significant,
                }
                for disagreement in comparison.disagreements
            ],
            **({} if scores.context is None else {"context": scores.context.to_dict()}),
            **({} if self.groups is None else {"groups": self.groups.to_dict()}),
            "diagnostics": [
                diagnostic.to_dict() for diagnostic in carried(scores.diagnostics, scores.origin.roots)
            ],
        }


def _plain_measure(comparison: MeasureComparison, scores: Scores) -> dict[str, Any]:
    def signature(systems: Sequence[str]) -> str:
        return scores.signatures(comparison.annotator, systems=systems)[comparison.measure]

    values = {
        "protocol": comparison.measure.protocol,
        "measure": comparison.measure.name,
        "aggregate": comparison.measure.aggregate,
        "annotator": comparison.annotator,
        "signature": signature(scores.systems),
        "items": comparison.items,
        "undefined": comparison.undefined,
        "resamples": comparison.resamples,
        "permutations": comparison.permutations,
        "exact": comparison.exact,
        "ranking": [
            {**plain(asdict(row)), "signature": signature((row.system,))} for row in comparison.ranking
        ],
        "pairs": [
            {_SIGNIFICANT_IN_TABLES if name == _SIGNIFICANT else name: value for name, value in row.items()}
            for row in (plain(asdict(pair)) for pair in comparison.pairs)
        ],
    }
    if comparison.friedman is not None:
        values["friedman"] = plain(asdict(comparison.friedman))
    if comparison.reliability is not None:
        values["reliability"] = plain(asdict(comparison.reliability))
    return values
