# SPDX-License-Identifier: MIT
"""Which of several systems is better, and whether the data can tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from inspect import signature
from typing import TYPE_CHECKING, Any

from kammerton.api import score
from kammerton.arguments import check_system
from kammerton.errors import Diagnostic, OptionError, quote
from kammerton.formats.groups import group_items
from kammerton.grouping import GroupBy, grouping_of
from kammerton.model.corpus import ALL
from kammerton.model.measure import Measure
from kammerton.model.registry import find_task
from kammerton.model.scores import Scores
from kammerton.runs.joining import Runs, join_runs
from kammerton.statistics.compared import SystemComparison
from kammerton.statistics.comparing import compare as compare_scores
from kammerton.statistics.groups import Groups, groups_of
from kammerton.statistics.judging import Rules
from kammerton.uncertainty import few_resamples, likely_clusters

if TYPE_CHECKING:
    from kammerton.model.task import Task
    from kammerton.statistics.bootstrap import Method
    from kammerton.statistics.comparison import Comparison, Test

__all__ = ["compare"]

_OF_RUNS = ("task", "protocols", "measures")
"""Choices of scoring that can still be made of runs."""


def compare(  # noqa: PLR0913 - one per choice
    task: str | Task,
    references: Any = None,
    estimates: Any = None,
    *,
    runs: Runs | None = None,
    annotator: str = ALL,
    against: str | None = None,
    test: Test = "permutation",
    alpha: float = 0.05,
    ci: float = 0.95,
    interval: Method = "percentile",
    resamples: int = 10_000,
    permutations: int = 10_000,
    seed: int = 0,
    clusters: Mapping[str, str] | str | None = None,
    reliability: bool = False,
    context: bool = False,
    group_by: GroupBy | None = None,
    **choices: Any,
) -> SystemComparison:
    """Compare systems, each pair on exactly the items that both have.

    Parameters
    ----------
    task, references, estimates, annotator
        As for :func:`kammerton.score`; two systems or more.
    runs : sequence of path or Scores, or mapping, optional
        In place of references and estimates: runs against the same references, scored alike, of two systems
        or more in all. A mapping names the system of each run.
    against : str, optional
        A system, such as the baseline or last year's best: all others are compared with it, and not with each
        other. That is one test less than there are systems for each measure, and p-values are adjusted over
        these.
    test : {"permutation", "t", "wilcoxon", "friedman"}
        What tells pairs of systems apart: swapping their statistics item by item, Student's t or Wilcoxon's
        test on the values of items; adjusted over the pairs of a measure that are compared by Holm. Or
        Friedman's test on ranks of the items that all systems have, with Tukey's comparison of mean ranks, as
        MIREX has it.
    alpha : float
        Adjusted p-values below it tell systems apart.
    ci, interval, resamples, seed, clusters
        As for :func:`kammerton.score`; of figures and of differences.
    permutations : int
        How often systems are swapped, if not all swaps are tried.
    reliability : bool
        Add how far the items can be relied on: a generalizability study, the smallest detectable difference.
    context : bool
        Add what the systems stand between, as for :func:`kammerton.score`; runs must have it.
    group_by : mapping of str to str, or str, optional
        What figures are told by, as for :func:`kammerton.score`: of the items that all systems have, but
        for those that have too few.
    **choices
        ``protocols``, ``measures``, ``annotators``, ``estimate_annotator``, ``pairs``, ``missing``,
        ``strict``, ``split``, ``splits``, ``options``, ``jobs``, ``executor``, ``shard_size`` of
        :func:`kammerton.score`; with runs the first two, which choose among the measures that all runs have.

    Returns
    -------
    SystemComparison

    Raises
    ------
    OptionError
        If there are fewer than two systems, or a choice is not possible, such as a name that no system has.
    DataError
        If nothing can be scored; of runs, if one cannot be read (KT700 to KT706), they have different
        references (KT708), or were not scored alike (KT709).

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
    drawn: dict[str, Any] = {"level": ci, "method": interval, "resamples": resamples, "seed": seed}
    tested: dict[str, Any] = {
        "test": test,
        "alpha": alpha,
        "permutations": permutations,
        "reliability": reliability,
    }
    Rules(**drawn, **tested)  # refuses before any work what is not possible
    if runs is None:
        check_system(against, estimates, references)
        scores = score(task, references, estimates, annotator=annotator, ci=None, context=context, **choices)
    else:
        scores = _of_runs(task, runs, (references, estimates), choices, context=context)
        if context and annotator != ALL and len(scores.annotators) > 1:
            raise OptionError(
                "runs have the context of all annotators together", "choose no annotator, or compare folders"
            )
    if len(scores.systems) < 2:
        raise OptionError("a comparison needs two systems", "name the folder of each")
    names = sorted({item for _, item in scores.fingerprints})
    drawn["clusters"] = None if clusters is None else group_items(clusters, names)
    chosen: dict[str, Any] = {
        "measures": _comparable(scores, annotator),
        "annotator": None if annotator == ALL else annotator,
    }
    comparison = compare_scores(scores, **tested, **drawn, **chosen, against=against)
    noticed = (*_few(comparison), *few_resamples(ci, resamples))
    if clusters is None:
        noticed = (*noticed, *likely_clusters(names))
    groups: Groups | None = None
    if group_by is not None:
        grouping, odd = grouping_of(group_by, names)
        groups, noticed = groups_of(scores, grouping, drawn, **chosen, shared=True), (*noticed, *odd)
    return SystemComparison(_noticing(scores, noticed), comparison, groups)


def _of_runs(
    task: str | Task, runs: Runs, sides: tuple[Any, Any], choices: Mapping[str, Any], *, context: bool
) -> Scores:
    """Return the scores of all systems of runs, of which only measures can still be chosen."""
    if sides != (None, None):
        raise OptionError("runs stand in place of references and estimates")
    of_scoring = signature(score)
    for name, value in of_scoring.bind(task, **choices).arguments.items():
        default = find_task(task).options() if name == "options" else of_scoring.parameters[name].default
        if name not in _OF_RUNS and value not in (None, default):
            raise OptionError(f"runs are scored already: {quote(name)} is a choice of scoring")
    named = {name: choices.get(name) for name in ("protocols", "measures")}
    scores = join_runs(runs, **named, context=context)
    if scores.task != find_task(task).name:
        raise OptionError(f"runs are of another task: {scores.task}")
    return scores


def _comparable(scores: Scores, annotator: str) -> tuple[Measure, ...]:
    """Return the measures by which systems are compared against one annotator: not those against several."""
    several = len(scores.annotators) > 1 and annotator != ALL
    return tuple(m for m in scores.measures if not several or m.needs in ("pair", "estimate"))


def _few(comparison: Comparison) -> Iterator[Diagnostic]:
    """Say which systems lack so many items that they cannot be compared."""
    from kammerton.reporting.comparisons import few_items  # noqa: PLC0415 - most comparisons have none

    for system, told in few_items(comparison) if comparison.few else ():
        message = f"system {quote(system)} {told}"
        hint = "score all systems on the same items, or let a missing estimate count as the worst"
        yield Diagnostic(code="KT221", severity="warning", message=message, system=system, hint=hint)


def _noticing(scores: Scores, more: Iterable[Diagnostic]) -> Scores:
    """Return scores with what was noticed in one order, whether files were read or runs: by system."""
    origin, place = scores.origin, {name: number for number, name in enumerate(scores.systems)}
    noticed = sorted(scores.diagnostics, key=lambda each: place.get(each.system or "", -1))
    return scores.remade(evidence=replace(origin.evidence, diagnostics=(*noticed, *more)))
