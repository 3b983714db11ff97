# SPDX-License-Identifier: MIT
"""What a comparison of systems found, as plain records."""

from __future__ import annotations

import math
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
        The figure, NaN if undefined.
    low, high : float
        Its interval.
    letters : str
        Systems that share a letter cannot be told apart.
    wins, ties, losses : int
        Other systems that it is told apart from as better, not told apart from, told apart from as worse.
    """

    system: str
    value: float
    low: float
    high: float
    letters: str
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two systems compared by one measure; the one that ranks higher first.

    Parameters
    ----------
    first, second : str
        Systems.
    difference : float
        Of the figures, first minus second: negative where lower is better.
    low, high : float
        Its interval.
    p : float
        Of the test, two-sided; NaN if there is none.
    adjusted : float
        p adjusted for all pairs of the measure.
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
        Items that all systems were compared on.
    undefined : int
        Items, or classes, on which a system has no value of its own.
    ranking : tuple of Ranked
        The best first; undefined ones last.
    pairs : tuple of Pair
        In the order of the ranking.
    resamples, permutations : int
        Draws behind intervals, and behind tests; the latter 0 for tests without.
    exact : bool
        Whether the permutations are all there are.
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
        """Place of each system, 1 the best, in the order of the ranking; those of the same value share one.

        Systems without a value have none.
        """
        places: dict[str, int] = {}
        first: dict[float, int] = {}
        for number, row in enumerate(self.ranking, 1):
            if not math.isnan(row.value):
                places[row.system] = first.setdefault(row.value, number)
        return places


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
    """Systems compared on the same items.

    Parameters
    ----------
    systems : tuple of str
        In the order of the scores.
    measures : tuple of MeasureComparison
        In the order of output.
    disagreements : tuple of Disagreement
    left_out : tuple of str
        Items that count for some systems only, and so for none here.
    items, units : int
        Items that were compared on, and what was drawn of them: items, or clusters.
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
    items: int
    units: int
    clustered: bool
    test: Test
    alpha: float
    level: float
    method: Method
    seed: int
