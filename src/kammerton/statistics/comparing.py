# SPDX-License-Identifier: MIT
"""Systems compared on the same items: which are told apart, and how far the answer can be relied on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from kammerton.errors import OptionError
from kammerton.model.corpus import ALL
from kammerton.model.item_figures import ItemFigures
from kammerton.model.measure import Measure, Values
from kammerton.model.scores import Scores
from kammerton.statistics.bootstrap import Method
from kammerton.statistics.comparison import Comparison, Disagreement, MeasureComparison, Test
from kammerton.statistics.figures import Key
from kammerton.statistics.judging import Drawn, Rules, judge
from kammerton.statistics.paired import PairedTest
from kammerton.statistics.power import detectable_differences
from kammerton.statistics.resampling import Swaps
from kammerton.statistics.sample import Kept, Sample, headlines, is_gathered, names_of, split_gathered
from kammerton.statistics.swapping import Contest, swap_figures

__all__ = ["compare"]

_TOGETHER = 256
"""Pairs whose detectable differences are simulated at once."""


def compare(  # noqa: PLR0913 - one per choice
    scores: Scores,
    *,
    measures: Sequence[Measure] | None = None,
    annotator: str | None = None,
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

    Every system is compared on the items that count for all of them. Tests of pooled figures swap the
    statistics of two systems item by item and pool them anew; Student's t, Wilcoxon, Friedman and effect
    sizes look at the values of items. With clusters, all items of one are drawn and swapped together, and
    the values of its items are averaged for tests of values.

    Parameters
    ----------
    scores : Scores
        Of two systems or more.
    measures : sequence of Measure, optional
        Some of the measures. Those that look at references alone are left out.
    annotator : str, optional
        Whose references: by default the only one, or all.
    test : {"permutation", "t", "wilcoxon", "friedman"}
        With Friedman, pairs are told apart by Tukey's comparison of mean ranks. Otherwise p-values are
        adjusted over the pairs of a measure by Holm's method.
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
        If there are fewer than two systems, or they have no item in common, or a choice is not possible.
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
    chosen = [
        measure
        for measure in (scores.measures if measures is None else measures)
        if measure.needs != "annotators"
    ]
    if not chosen:
        raise OptionError("there is no measure to compare by", "some look at the references alone")
    contestants = {measure: headlines(scores, measure, annotator) for measure in chosen}
    kept, left_out = _common(scores, contestants)
    keys = [key for each in contestants.values() for key in each]
    sample = Sample(scores, keys, kept, clusters)
    made = {each.measure: each for part in split_gathered(keys) for each in _compared(part, sample, rules)}
    compared = tuple(made[measure] for measure in chosen)
    return Comparison(
        systems=scores.systems,
        measures=compared,
        disagreements=tuple(_disagreements(compared)),
        left_out=tuple(sorted(left_out)),
        items=len(sample.items),
        units=sample.units_count,
        clustered=clusters is not None,
        test=test,
        alpha=alpha,
        level=level,
        method=method,
        seed=seed,
    )


def _common(scores: Scores, contestants: Mapping[Measure, Sequence[Key]]) -> tuple[Kept, frozenset[str]]:
    """Return the items that count for all systems, and those that count for some only."""
    kept: dict[Measure, frozenset[str]] = {}
    left_out: frozenset[str] = frozenset()
    for measure, keys in contestants.items():
        names = [names_of(scores, key) for key in keys]
        kept[measure] = frozenset.intersection(*names)
        left_out |= frozenset.union(*names) - kept[measure]
    if not any(kept.values()):
        raise OptionError("the systems have no item in common", "score them on the same references")
    return kept, left_out


def _compared(keys: Sequence[Key], sample: Sample, rules: Rules) -> Iterator[MeasureComparison]:
    """Give what is found by each measure: all of them gathered, or none."""
    found = sample.found(keys)
    wanted = sample.gathered_draws(rules.resamples) if is_gathered(keys) else rules.resamples
    needs_all = rules.method == "bca" or rules.reliability
    without = sample.without_each(found, wanted) if needs_all else {}
    by_measure: dict[Measure, list[Key]] = {}
    for key in keys:
        by_measure.setdefault(key.measure, []).append(key)
    contests = [Contest(*pair) for each in by_measure.values() for pair in combinations(each, 2)]
    swaps = Swaps(len(sample.items), rules.permutations, rules.seed, sample.clusters)
    tests: dict[Contest, PairedTest] = {}
    if rules.test == "permutation":
        tests, swaps = swap_figures(sample, found, contests, swaps)
    drawn = Drawn(
        found=found,
        resampled=sample.resampled(found, wanted, rules.seed),
        without=without,
        tests=tests,
        detectable=_detectable(contests, found, without, rules) if rules.reliability else {},
        resamples=wanted,
        swaps=swaps,
    )
    for each in by_measure.values():
        yield judge(each, drawn, sample, rules)


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
    left = without[contest.one] - without[contest.other]
    shares = len(left) * (one - other) - (len(left) - 1) * left
    is_ahead = (one < other) if contest.one.measure.direction == "lower" else (one >= other)
    return shares if is_ahead else -shares


def _disagreements(compared: Sequence[MeasureComparison]) -> Iterator[Disagreement]:
    """Give pairs of systems that measures of one name, in two protocols, rank differently."""
    for one, other in combinations(compared, 2):
        if one.measure.name.casefold() != other.measure.name.casefold():
            continue
        reverse = {(pair.second, pair.first): pair for pair in other.pairs if abs(pair.difference) > 0}
        for pair in one.pairs:
            against = reverse.get((pair.first, pair.second))
            if against is not None and abs(pair.difference) > 0:
                yield Disagreement(
                    first=one.measure,
                    second=other.measure,
                    better=pair.first,
                    worse=pair.second,
                    told_apart=pair.told_apart and against.told_apart,
                )
