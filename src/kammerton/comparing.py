# SPDX-License-Identifier: MIT
"""Which of several systems is better, and whether the data can tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kammerton.api import score
from kammerton.errors import OptionError
from kammerton.formats.groups import group_items
from kammerton.model.corpus import ALL
from kammerton.statistics.compared import SystemComparison
from kammerton.statistics.comparing import compare as compare_scores

if TYPE_CHECKING:
    from kammerton.statistics.bootstrap import Method
    from kammerton.statistics.comparison import Test

__all__ = ["compare"]


def compare(  # noqa: PLR0913 - one per choice
    task: str,
    references: Any = None,
    estimates: Any = None,
    *,
    annotator: str = ALL,
    test: Test = "permutation",
    alpha: float = 0.05,
    ci: float = 0.95,
    interval: Method = "percentile",
    resamples: int = 10_000,
    permutations: int = 10_000,
    seed: int = 0,
    clusters: Mapping[str, str] | str | None = None,
    reliability: bool = False,
    **choices: Any,
) -> SystemComparison:
    """Compare systems on exactly the same items.

    Parameters
    ----------
    task, references, estimates, annotator
        As for :func:`kammerton.score`; two systems or more.
    test : {"permutation", "t", "wilcoxon", "friedman"}
        What tells pairs of systems apart: swapping their statistics item by item, Student's t or Wilcoxon's
        test on the values of items; adjusted over all pairs of a measure by Holm. Or Friedman's test on
        ranks, with Tukey's comparison of mean ranks, as MIREX has it.
    alpha : float
        Adjusted p-values below it tell systems apart.
    ci, interval, resamples, seed, clusters
        As for :func:`kammerton.score`; of figures and of differences.
    permutations : int
        How often systems are swapped, if not all swaps are tried.
    reliability : bool
        Add how far the items can be relied on: a generalizability study, the smallest detectable difference.
    **choices
        ``protocols``, ``measures``, ``annotators``, ``pairs``, ``missing``, ``strict``, ``split``,
        ``splits``, ``options`` of :func:`kammerton.score`.

    Returns
    -------
    SystemComparison

    Raises
    ------
    OptionError
        If there are fewer than two systems, or a choice is not possible.
    DataError
        If nothing can be scored.

    Examples
    --------
    >>> refs = {str(n): ([(0, 4)], ["C"]) for n in range(6)}
    >>> good = {str(n): ([(0, 3), (3, 4)], ["C", "G"]) for n in range(6)}
    >>> poor = {str(n): ([(0, 1), (1, 4)], ["C", "G"]) for n in range(6)}
    >>> found = compare("chords", refs, {"poor": poor, "good": good}, measures=["mirex2013/MajMin"])
    >>> [row.system for row in found.of("MajMin").ranking]
    ['good', 'poor']
    >>> found.of("MajMin").pairs[0].p  # 2 of the 64 ways to swap them are as far apart
    0.03125
    """
    scores = score(task, references, estimates, annotator=annotator, ci=None, **choices)
    if len(scores.systems) < 2:
        raise OptionError("a comparison needs two systems", "name the folder of each")
    names = sorted({item for _, item in scores.fingerprints})
    comparison = compare_scores(
        scores,
        annotator=None if annotator == ALL else annotator,
        test=test,
        alpha=alpha,
        level=ci,
        method=interval,
        resamples=resamples,
        permutations=permutations,
        seed=seed,
        clusters=None if clusters is None else group_items(clusters, names),
        reliability=reliability,
    )
    return SystemComparison(scores, comparison)
