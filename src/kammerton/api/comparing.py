# SPDX-License-Identifier: MIT
"""Compare systems, and annotators with each other."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from typing import Any

from kammerton.api.scoring import (
    GroupBy,
    bootstrap_settings,
    check_system,
    collection_of,
    few_resamples,
    grouping_of,
    items_chosen,
    items_of_run,
    likely_clusters,
    refuse_choices_of_runs,
    score,
    with_options_by_side,
)
from kammerton.errors import DataError, Diagnostic, OptionError, quote
from kammerton.formats.collecting import name_of
from kammerton.formats.lists import Items
from kammerton.formats.reading import options_of, signed_choices
from kammerton.model.corpus import ALL, Corpus
from kammerton.model.measure import Measure, choose
from kammerton.model.registry import TaskName, find_task
from kammerton.model.task import Case, Evaluation, Options, Task
from kammerton.results.agreement import AnnotatorAgreement
from kammerton.results.comparison import SystemComparison
from kammerton.results.comparison import compare as compare_scores
from kammerton.results.groups import Groups, groups_of
from kammerton.results.scores import Scores
from kammerton.results.signature import Origin
from kammerton.runs import is_run, read_run
from kammerton.runs.files import holds_scores, read_agreement
from kammerton.runs.joining import Runs, join_runs, named_runs, shared_clusters
from kammerton.scoring.evaluating import evaluate_loaded, items_shared, notes_on_sharing, sharing_annotators
from kammerton.scoring.loading import Estimates, References, applicable_to, load_references
from kammerton.statistics.comparison import Comparison, Rules, Test
from kammerton.statistics.resampling import BootstrapSettings, Method, check_share

_OF_RUNS = ("task", "protocols", "measures", "items")
"""Choices of scoring that can still be made of runs."""


def compare(  # noqa: PLR0913 - one per choice
    task: TaskName | Task,
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
        As for :func:`kammerton.score`; two systems or more. Or a run as ``references``, and further runs as
        ``estimates``.
    runs : sequence of path or Scores, or mapping, optional
        In place of references and estimates: runs against the same references, scored alike, of two systems
        or more in all. A mapping names the system of each run.
    against : str, optional
        Compare all other systems with this system only; a baseline, or last year's best; p-values are
        adjusted over these pairs. That is one test fewer than there are systems for each measure.
    test : {"permutation", "t", "wilcoxon", "friedman"}
        Test of each pair of systems; a permutation test on their statistics (permutation), Student's t test
        or Wilcoxon's test on the values of items (t, wilcoxon), each with p-values adjusted by Holm's method;
        or Friedman's test of all systems, as in MIREX (friedman). Friedman's test ranks the items that all
        systems have; Tukey's comparison of the mean ranks follows it.
    alpha : float
        Significance level: systems whose adjusted p-value is below it are significantly different.
    ci, interval, resamples, seed, clusters
        As for :func:`kammerton.score`; for scores and for differences. The clusters of runs are taken where
        all have the same and none are given.
    permutations : int
        Number of permutations, where not all are tried.
    reliability : bool
        Add the reliability of the items: a generalizability study, and the smallest detectable difference.
    context : bool
        Add the scores of baselines and human agreement. Runs must have them.
    group_by : str or mapping of str to str, optional
        As for :func:`kammerton.score`. Groups have the items that all systems have, except systems with too
        few items.
    **choices
        ``protocols``, ``measures``, ``items``, ``annotators``, ``estimate_annotator``, ``pairs``,
        ``missing``, ``strict``, ``split``, ``splits``, ``options``, ``jobs``, ``executor``, ``shard_size`` of
        :func:`kammerton.score`; with runs the first three, which choose among what all runs have.

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
    tested: dict[str, Any] = {
        "test": test,
        "alpha": alpha,
        "permutations": permutations,
        "reliability": reliability,
    }
    check_share("the level of an interval", ci)
    bootstrap = bootstrap_settings(ci, resamples, seed, interval)
    assert bootstrap is not None, "a comparison has intervals"
    Rules(**tested, bootstrap=bootstrap)  # refuses before any work what is not possible
    if runs is None and isinstance(references, str | os.PathLike) and is_run(references):
        runs, references, estimates = _as_runs(references, estimates), None, None
    of_runs: BootstrapSettings | None = None
    if runs is None:
        check_system(against, estimates, references)
        scores = score(task, references, estimates, annotator=annotator, ci=None, context=context, **choices)
    else:
        scores, of_runs = _of_runs(task, runs, (references, estimates), choices, context=context)
        if context and annotator != ALL and len(scores.annotators) > 1:
            raise OptionError(
                "runs have the context of all annotators together", "choose no annotator, or compare folders"
            )
    if len(scores.systems) < 2:
        raise OptionError("a comparison needs two systems", "name the folder of each")
    names = sorted({item for _, item in scores.fingerprints})
    if clusters is not None:
        bootstrap = bootstrap_settings(ci, resamples, seed, interval, clusters, names) or bootstrap
    elif of_runs is not None:
        signed = {**bootstrap.signed, "clusters": of_runs.signed["clusters"]}
        bootstrap = replace(bootstrap, clusters=of_runs.clusters, signed=signed)
    chosen: dict[str, Any] = {
        "measures": _comparable(scores, annotator),
        "annotator": None if annotator == ALL else annotator,
    }
    comparison = compare_scores(
        scores,
        **tested,
        **chosen,
        level=ci,
        method=interval,
        resamples=resamples,
        seed=seed,
        clusters=bootstrap.clusters,
        against=against,
    )
    notes = (*_few(comparison), *few_resamples(ci, resamples))
    if bootstrap.clusters is None:
        notes = (*notes, *likely_clusters(names))
    groups: Groups | None = None
    if group_by is not None:
        grouping, unmatched = grouping_of(group_by, names)
        groups = groups_of(scores, scores.origin, grouping, bootstrap, **chosen, shared=True)
        notes = (*notes, *unmatched)
    scores = _with_diagnostics(scores, notes).remade(compared_by=bootstrap)
    return SystemComparison(scores, comparison, groups)


def _as_runs(first: str | os.PathLike[str], further: Any) -> list[tuple[str | None, Any]]:
    """Return runs that stand in place of references and estimates, with the names that a mapping gives."""
    if isinstance(further, Mapping):
        return [(None, first), *((str(name), run) for name, run in further.items())]
    runs = further if isinstance(further, list | tuple) else [further]
    return [(None, first), *((None, run) for run in runs if run is not None)]


def _of_runs(
    task: TaskName | Task, runs: Runs, sides: tuple[Any, Any], choices: Mapping[str, Any], *, context: bool
) -> tuple[Scores, BootstrapSettings | None]:
    """Return the scores of all systems of runs, of which measures can still be chosen, and their clusters."""
    if sides != (None, None):
        raise OptionError("runs stand in place of references and estimates")
    refuse_choices_of_runs(find_task(task), signature(score).bind(task, **choices).arguments, _OF_RUNS)
    opened = named_runs(runs)
    scores = join_runs(
        opened, protocols=choices.get("protocols"), measures=choices.get("measures"), context=context
    )
    if scores.task != find_task(task).name:
        raise OptionError(f"runs are of another task: {scores.task}")
    return items_of_run(scores, choices.get("items")), shared_clusters(opened)


def _comparable(scores: Scores, annotator: str) -> tuple[Measure, ...]:
    """Return the measures by which systems are compared against one annotator: not those against several."""
    several = len(scores.annotators) > 1 and annotator != ALL
    return tuple(m for m in scores.measures if not several or m.needs in ("pair", "estimate"))


def _few(comparison: Comparison) -> Iterator[Diagnostic]:
    """Report systems that lack so many items that they cannot be compared."""
    for system, reason in comparison.why_few():
        message = f"system {quote(system)} {reason}"
        hint = "score all systems on the same items, or let a missing estimate count as the worst"
        yield Diagnostic("KT221", "warning", message, system=system, hint=hint)


def _with_diagnostics(scores: Scores, more: Iterable[Diagnostic]) -> Scores:
    """Return scores with more diagnostics, sorted by system, so that files and runs have one order."""
    place = {name: number for number, name in enumerate(scores.systems)}
    diagnostics = sorted(scores.diagnostics, key=lambda diagnostic: place.get(diagnostic.system or "", -1))
    return scores.remade(evidence=replace(scores.origin.evidence, diagnostics=(*diagnostics, *more)))


def agree(
    task: TaskName | Task,
    annotators: Any,
    *,
    protocols: Iterable[str] | None = None,
    measures: Iterable[str] | None = None,
    items: Items | None = None,
    options: Options | None = None,
) -> AnnotatorAgreement:
    """Measure inter-annotator agreement.

    Parameters
    ----------
    task : str or Task
        ``"chords"``, ``"fingering"``, ``"instruments"``, or the name of a third party's task, which its
        package declares; or the :class:`kammerton.tasks.Task` record of one.
    annotators : mapping of str to path or mapping, list of paths, or path
        The annotations of each annotator, as :func:`kammerton.score` takes references; or one folder or
        file that holds several annotators of each item; or a run that :func:`kammerton.write_run` wrote of
        scores, which keeps its annotators, or of an agreement, of which only measures can still be chosen.
    protocols, measures : iterable of str, optional
        As for :func:`kammerton.score`. Measures of the estimate alone, and of classes, are left out.
    items : str, path or iterable of str, optional
        As for :func:`kammerton.score`.
    options : object, optional
        How files are read.

    Returns
    -------
    AnnotatorAgreement

    Raises
    ------
    OptionError
        If there is no such task, protocol, measure or path, an option is not possible, two annotators have
        one name, there are not two annotators, or no measure compares them; or if a run is given, and
        options of reading, or another task.
    DataError
        If no item has annotations of two annotators that can be used (KT200), or no measure applies to
        them; KT700 to KT706, KT711 if a run cannot be read. ``diagnostics`` says what is wrong, file by file.

    Examples
    --------
    >>> one = {"song": ([(0, 2), (2, 4)], ["C", "G:7"])}
    >>> other = {"song": ([(0, 3), (3, 4)], ["C", "G"])}
    >>> found = agree("chords", {"one": one, "other": other}, measures=["mirex2013/MajMin"])
    >>> found.value("MajMin"), round(found.alpha.value, 3)
    (0.75, 0.467)
    """
    kind = find_task(task)
    reading = options_of(kind, options)
    if isinstance(annotators, str | os.PathLike) and is_run(annotators):
        if reading != kind.options():
            raise OptionError("a run has read its files already: there are no options of reading")
        if not holds_scores(annotators):
            if items is not None:
                raise OptionError(
                    "a run of an agreement is of all its items", "name the annotators to choose some"
                )
            return _of_run(kind, annotators, protocols, measures)
        corpus, reading = _annotators_of_run(kind, annotators)
    else:
        collections = tuple(
            collection_of(source, name, "reference", kind, reading)
            for name, source in _with_names(annotators)
        )
        corpus = with_options_by_side(Corpus(collections, ()), reading)
    chosen = _comparing(kind.choose(protocols, measures))
    corpus = items_chosen(corpus.paired(), items)
    references = load_references(kind, corpus.references, reading)
    if len(references.annotations) < 2:
        names = ", ".join(map(quote, references.annotations)) or "none"
        hint = f"found: {names}; name several, as NAME=PATH or in a mapping"
        raise OptionError("agreement needs two annotators", hint)
    shared = items_shared(references)
    if not shared:
        raise DataError([*references.diagnostics, _nothing_shared(references.annotations)])
    persons = len(corpus.references) > 1 or not all(name.isdecimal() for name in references.annotations)
    loaded = sharing_annotators(references)
    annotations = [[items.get(item) for items in loaded.annotations.values()] for item in shared]
    restricted = _restricted_to_judged_by_both(kind, annotations, reading)
    everyone = {name: Estimates(items, {}, ()) for name, items in loaded.annotations.items()}
    applicable, notes = applicable_to(kind, loaded, everyone, chosen, reading)
    if not applicable:
        raise DataError([*loaded.diagnostics, *notes])
    ratings = None if kind.ratings is None else kind.ratings(annotations, reading)
    remarks = [*notes_on_sharing(references, applicable, persons=persons)]
    if ratings is not None and ratings.reason:
        remarks.append(Diagnostic("KT233", "warning", ratings.reason))
    return AnnotatorAgreement(
        task=kind.name,
        annotators=tuple(loaded.annotations),
        measures=applicable,
        scores={name: _against(restricted, loaded, name, applicable, reading) for name in loaded.annotations},
        items=tuple(shared),
        persons=persons,
        ratings=ratings,
        rated=kind.rated,
        revisions={protocol.name: protocol.revision for protocol in kind.protocols},
        choices=signed_choices(reading),
        diagnostics=(*loaded.diagnostics, *notes, *remarks),
    )


def _comparing(measures: Iterable[Measure]) -> list[Measure]:
    """Return the measures by which one annotator can be compared with another."""
    needs = ("pair", "references+estimate")
    chosen = [measure for measure in measures if measure.needs in needs and measure.aggregate != "gathered"]
    if not chosen:
        hint = "those that judge an estimate alone, or are of classes, do not"
        raise OptionError("no measure compares one annotator with another", hint)
    return chosen


def _of_run(
    task: Task,
    run: str | os.PathLike[str],
    protocols: Iterable[str] | None,
    measures: Iterable[str] | None,
) -> AnnotatorAgreement:
    agreement = read_agreement(run)
    if agreement.task != task.name:
        raise OptionError(f"the run is of another task: {agreement.task}")
    if protocols is None and measures is None:
        return agreement
    own = (
        dict.fromkeys(measure.protocol for measure in agreement.measures) if protocols is None else protocols
    )
    chosen = [measure for measure in choose(task.protocols, own, measures) if measure in agreement.measures]
    return replace(agreement, measures=tuple(_comparing(chosen)))


def _annotators_of_run(task: Task, run: str | os.PathLike[str]) -> tuple[Corpus, Any]:
    """Return the references of a run of scores, and the options by which they were read."""
    origin = read_run(run).origin
    if origin.task.name != task.name:
        raise OptionError(f"the run is of another task: {origin.task.name}")
    if origin.corpus is None:
        raise OptionError(f"{quote(os.fsdecode(run))} keeps no annotations", "name those of the annotators")
    return Corpus(origin.corpus.references, ()), origin.options


def _with_names(annotators: Any) -> list[tuple[str | None, Any]]:
    """Return the annotators with their names; the files of a lone source have them."""
    if isinstance(annotators, Mapping):
        return [(str(name), source) for name, source in annotators.items()]
    if isinstance(annotators, list | tuple):
        for path in annotators:
            if not isinstance(path, str | os.PathLike):
                message = f"annotators in a list must be paths, not {type(path).__name__}"
                raise OptionError(message, "give annotations names in a mapping")
        return [(name_of(path), path) for path in annotators]
    if isinstance(annotators, str | os.PathLike):
        return [(None, annotators)]
    raise OptionError.of_type("annotators", annotators, "a mapping of names to annotations, or paths")


def _nothing_shared(annotations: Mapping[str, Mapping[str, object]]) -> Diagnostic:
    message = f"no item has annotations of two of {', '.join(map(quote, annotations))}"
    examples = [f"{quote(min(items))} of {quote(name)}" for name, items in annotations.items() if items]
    listed = " and ".join(examples[:2]) or "none that can be used"
    hint = f"items are paired by path below the folder, without suffix; found: {listed}"
    return Diagnostic("KT200", "error", message, hint=hint)


def _restricted_to_judged_by_both(
    task: Task, annotations: Sequence[Sequence[Any | None]], options: object
) -> Task:
    """Return a task that scores only those parts of a reference that the other annotator judged too."""
    restrict = None if task.judged_by_both is None else task.judged_by_both(annotations, options)
    if restrict is None:
        return task

    def evaluate(cases: Sequence[Case[Any]], measures: Sequence[Measure], options: Any) -> Evaluation:
        restricted = [
            replace(
                case, references=tuple(restrict(reference, case.estimate) for reference in case.references)
            )
            for case in cases
        ]
        return task.evaluate(restricted, measures, options)

    return replace(task, evaluate=evaluate)


def _against(
    task: Task, references: References, name: str, measures: Sequence[Measure], options: object
) -> Scores:
    """Score the annotators who share items with one annotator against it, on the items that both have."""
    own = references.annotations[name]
    reference = References({name: own}, {name: {}}, ())
    others = {
        other: Estimates({item: annotation for item, annotation in items.items() if item in own}, {}, ())
        for other, items in references.annotations.items()
        if other != name and not items.keys().isdisjoint(own)
    }
    evidence = evaluate_loaded(task, reference, others, measures, options=options, missing="skip")
    return Scores(Origin(task=task, evidence=evidence, missing="skip", options=options, choices={}))
