# SPDX-License-Identifier: MIT
"""What a comparison of systems found, as plain records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from kammerton.model.measure import Measure
from kammerton.statistics.bootstrap import Method
from kammerton.statistics.friedman import Friedman
from kammerton.statistics.generalizability import VarianceComponents

__all__ = ["Comparison", "Disagreement", "MeasureComparison", "Pair", "Ranked", "Reliability", "Test"]

Test = Literal["permutation", "t", "wilcoxon", "friedman"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A system in the ranking by one measure.

    Parameters
    ----------
    system : str
    value : float
        Its score on all items that it has; NaN if undefined.
    low, high : float
        Confidence interval of the score.
    letters : str
        Systems that share a letter are not significantly different; empty if only pairs with one system
        were compared.
    wins, ties, losses : int
        Other systems that it was compared with and is significantly better than, not significantly
        different from, significantly worse than.
    items : int
        Items that it has: other systems may have others.
    place : int, optional
        Its place, 1 the best; systems that are as good share one. None if the score is undefined.
    """

    system: str
    value: float
    low: float
    high: float
    letters: str
    wins: int
    ties: int
    losses: int
    items: int
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
    """How far a collection can be relied on to compare systems like these.

    Parameters
    ----------
    components : VarianceComponents
        Of the values of all systems on all items, or means of clusters, on which each has one.
    e_rho2, phi : float
        Stability of differences, and of values.
    items_for_e_rho2, items_for_phi : float
        How many items, or clusters, would bring them to 0.95.
    detectable : float
        Median over pairs of the difference that would be detected with power 0.8.
    """

    components: VarianceComponents
    e_rho2: float
    phi: float
    items_for_e_rho2: float
    items_for_phi: float
    detectable: float


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
    """Two protocols that rank two systems differently by measures of the same name.

    Parameters
    ----------
    first, second : Measure
        Of two protocols.
    better, worse : str
        Systems, as the first measure ranks them.
    told_apart : bool
        Whether both measures tell them apart.
    """

    first: Measure
    second: Measure
    better: str
    worse: str
    told_apart: bool


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
