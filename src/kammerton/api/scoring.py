# SPDX-License-Identifier: MIT
"""Score systems: from what callers hand over to scores."""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal

from kammerton.api.candidates import Selection, find_candidates
from kammerton.errors import Diagnostic, OptionError, inflected, plural, quote, some
from kammerton.formats.collecting import collect, name_of
from kammerton.formats.folders import normal_form
from kammerton.formats.lists import ItemGroups, Items, find_groups, find_items, group_items, read_pairs
from kammerton.formats.objects import adopt, numbered, unfold
from kammerton.formats.packs import is_pack, read_packed_pairs
from kammerton.formats.reading import SIDES, SidedOptions, options_of, signed_choices, signed_file
from kammerton.model.corpus import (
    ALL,
    Collection,
    Corpus,
    Missing,
    check_names,
    choose_split,
    warn_of_learned,
)
from kammerton.model.evidence import Evidence
from kammerton.model.measure import EVERY, Measure
from kammerton.model.registry import TaskName, find_task
from kammerton.model.task import Options, Task
from kammerton.results.scores import Scores
from kammerton.results.signature import Grouping, Origin
from kammerton.runs import is_run
from kammerton.runs.joining import named_runs, narrow_items, narrow_run
from kammerton.scoring.candidates import report_candidates, with_lacking
from kammerton.scoring.evaluating import ContextEvidence, Timing, evaluate_context
from kammerton.scoring.keeping import Store, keeping
from kammerton.scoring.loading import ScoringJob, choose_estimates, load_sides
from kammerton.scoring.running import SHARD, Execution, Watch, score_corpus
from kammerton.statistics.resampling import BootstrapSettings, Method, check_share

if TYPE_CHECKING:
    from concurrent.futures import Executor


def split_of(
    corpus: Corpus, splits: Mapping[str, str] | str | os.PathLike[str] | None, split: str | None
) -> tuple[Corpus, dict[str, str]]:
    """Return the items of a split, and its entry in the signature."""
    if splits is None:
        if split is not None:
            raise OptionError("which items are in a split?", "name the table of splits: --splits FILE")
        return corpus, {}
    from kammerton.formats.lists import read_splits, split_name  # noqa: PLC0415 - most runs have none

    if not isinstance(splits, Mapping) and not _is_path(splits):
        raise OptionError.of_type("splits", splits, "a mapping or a path")
    if isinstance(splits, Mapping):
        split_by_item = {str(item): split_name(name) for item, name in splits.items()}
    else:
        split_by_item = read_splits(splits)
    split_by_item = {normal_form(item): name for item, name in split_by_item.items()}
    chosen = None if split is None else split_name(split)
    return choose_split(corpus, split_by_item, chosen), {} if chosen is None else {"split": chosen}


def items_chosen(corpus: Corpus, items: Items | None) -> Corpus:
    """Return the chosen items of a corpus, with a warning on names that no item has."""
    if items is None:
        return corpus
    corpus = corpus.paired()
    chosen, unknown = find_items(items, corpus.items)
    return corpus.only(chosen.__contains__).with_warnings(unknown_items(unknown))


def unknown_items(names: Sequence[str]) -> tuple[Diagnostic, ...]:
    """Report names in a list of items that no item has."""
    if not names:
        return ()
    message = f"{plural(len(names), 'name')} in the list of items that no item has ({some(names)})"
    hint = "items are called by their path below the folder, without suffix"
    return (Diagnostic(code="KT223", severity="warning", message=message, hint=hint, count=len(names)),)


def measures_without_references(
    task: Task, measures: Sequence[Measure], annotator: str = ALL, *, context: bool = False
) -> tuple[Measure, ...]:
    """Return the measures that are reported of estimates without references."""
    if annotator != ALL:
        raise OptionError("without references there is no annotator to choose")
    if context:
        raise OptionError("context is made from references, and there are none")
    if not any(measure.needs == "estimate" for measure in measures):
        known = [str(measure) for measure in task.measures if measure.needs == "estimate"]
        if known:
            raise OptionError("all of these measures need references", f"these need none: {', '.join(known)}")
        message = f"references and estimates are needed: no measure of {task.name} does without references"
        raise OptionError(message, "name the folder or file of the references too")
    return tuple(measure for measure in measures if measure.aggregate != "gathered")


def corpus_of(
    task: Task,
    references: Any,
    estimates: Any,
    annotators: Mapping[str, Any],
    pairs: Any,
    options: object,
    estimate_annotator: str | int | None = None,
    *,
    without_references: bool = False,
) -> Corpus:
    """Return what references and estimates, or a list of pairs, name.

    ``without_references`` says that there may be estimates only.
    """
    if not isinstance(estimate_annotator, str | int | None) or isinstance(estimate_annotator, bool):
        raise OptionError.of_type("estimate_annotator", estimate_annotator, "a str or an int")
    if pairs is None:
        corpus = _corpus_of_sides(
            task, references, estimates, annotators, options, without_references=without_references
        )
    elif references is not None or estimates is not None or annotators:
        raise OptionError("a list of pairs stands in place of references, estimates and annotators")
    elif not _is_path(pairs):
        raise OptionError.of_type("pairs", pairs, "a path")
    elif is_pack(pairs):
        corpus = read_packed_pairs(pairs, task=task, options=options)
    else:
        corpus = read_pairs(pairs)
    corpus = with_options_by_side(corpus, options)
    if estimate_annotator is None:
        return corpus
    chosen = str(estimate_annotator)
    systems = tuple(choose_estimates(task, system, chosen, options) for system in corpus.systems)
    return replace(corpus, systems=systems)


def _corpus_of_sides(
    task: Task,
    references: Any,
    estimates: Any,
    annotators: Mapping[str, Any],
    options: object,
    *,
    without_references: bool,
) -> Corpus:
    if not isinstance(annotators, Mapping):
        raise OptionError.of_type("annotators", annotators, "a mapping of names to references")
    if estimates is None and isinstance(references, tuple) and len(references) == 3:
        truth, scores, columns = references  # two matrices, and the names of their columns
        references, estimates = (truth, columns), (scores, columns)
    references, estimates = _of_items(references), _of_items(estimates)
    if isinstance(references, list):
        references, estimates = _by_item(references, estimates, task, options)
    if isinstance(estimates, Mapping):
        estimates = {name: _of_items(source) for name, source in estimates.items()}
    if estimates is None or (references is None and not annotators and not without_references):
        raise OptionError("references and estimates are needed", "or a list of pairs")
    for kind, source in (("reference", references), ("estimate", estimates)):
        if isinstance(source, Mapping | list | tuple) and not source:
            raise OptionError(f"there is no {kind}", "a path, an annotation, or a mapping that is not empty")
    first: list[tuple[str | None, Any]] = [] if references is None else [(None, references)]
    is_annotation = partial(_can_be_adopted, task, options) if references is None else None
    systems = _systems(estimates, references, is_annotation, partial(_holds_items, task, options))
    return Corpus(
        tuple(
            collection_of(_of_items(source), name, "reference", task, options)
            for name, source in [*first, *annotators.items()]
        ),
        tuple(collection_of(source, name, "estimate", task, options) for name, source in systems),
    )


def _by_item(references: list[Any], estimates: Any, task: Task, options: object) -> tuple[Any, Any]:
    """Return the items of lists, which are paired by their positions and called by the references' files."""
    names = _names_of_listed(references, task, options)
    if names is None:
        return references, estimates
    called = partial(_called, names)
    systems = isinstance(estimates, Mapping) and {name: called(source) for name, source in estimates.items()}
    return called(references), systems or called(estimates)


def _called(names: Sequence[str], source: Any) -> Any:
    if not isinstance(source, list):
        return source
    if len(source) != len(names):
        raise OptionError(f"{plural(len(names), 'reference')}, and {plural(len(source), 'estimate')}")
    return dict(zip(names, source, strict=True))


def _names_of_listed(source: list[Any], task: Task, options: object) -> list[str] | None:
    """Return the names of the items of a list of paths, or of annotations; None of anything else."""
    if not source:
        return None
    if all(_is_path(value) and os.fspath(value).lower().endswith(tuple(task.suffixes)) for value in source):
        names = [name_of(path) for path in source]
        return names if len(set(names)) == len(names) else numbered(len(names))
    can_be_adopted = partial(_can_be_adopted, task, options)
    return None if can_be_adopted(source) or not all(map(can_be_adopted, source)) else numbered(len(source))


def _of_items(source: Any) -> Any:
    """Return the annotations by item of a result that has them, as that of :func:`kammerton.fuse`."""
    annotations = getattr(source, "annotations", None)
    return annotations if isinstance(annotations, Mapping) else source


def collection_of(
    source: Any, name: str | None, role: Literal["reference", "estimate"], task: Task, options: object
) -> Collection:
    """Return the items of a source, found with the reading options of its side."""
    if isinstance(options, SidedOptions):
        options = options.of(f"{role}s", name or (name_of(source) if _is_path(source) else role))
    return collect(source, name=name, default_name=role, task=task, options=options)


def with_options_by_side(corpus: Corpus, options: object) -> Corpus:
    """Return the corpus with the reading options of its side and name in each collection."""
    if not isinstance(options, SidedOptions) or not options.sides:
        return corpus
    sides = dict(zip(SIDES, (corpus.references, corpus.systems), strict=True))
    known = {side for side, collections in sides.items() if collections}
    for side, collections in sides.items():
        for name in (collection.name for collection in collections):
            if name in (ALL, *SIDES) and name != side:  # `references` is an option of the other side
                kind = "an annotator" if side == "references" else "a system"
                message = f"{kind} cannot be called {quote(name)} where options differ by side"
                raise OptionError(message, "name it otherwise: NAME=PATH")
            known.add(name)
    for side in options.sides:
        if side not in known:
            raise OptionError.unknown("side, annotator or system", side, known)
    references, systems = (
        tuple(replace(collection, options=options.of(side, collection.name)) for collection in collections)
        for side, collections in sides.items()
    )
    return Corpus(references, systems)


def check_system(name: str | None, estimates: Any, references: Any) -> None:
    """Refuse before any work a name that no system has, as far as the names of systems are known yet."""
    systems = [] if estimates is None else [system for system, _ in _systems(estimates, references)]
    known = [system for system in systems if system is not None]
    if name is not None and known and name not in known:
        raise OptionError.unknown("system", name, known)


def _can_be_adopted(task: Task, options: object, value: object) -> bool:
    return bool(adopt(task, value, "", options).annotations)


def _holds_items(task: Task, options: object, value: object) -> bool:
    return unfold(task, value, "", options) is not None


def _systems(
    estimates: Any,
    references: Any,
    is_annotation: Callable[[object], bool] | None = None,
    holds_items: Callable[[object], bool] = lambda _: False,
) -> list[tuple[str | None, Any]]:
    """Return each system with its name, which is None where there is one system without a name.

    A mapping of items and a mapping of systems look alike if the values are paths, or mappings, which may be
    annotations. It is of items if it shares a key with references that are a mapping too.
    """
    if isinstance(estimates, list | tuple) and all(map(_is_path, estimates)):
        names = [name_of(path) for path in estimates]
        check_names("system", names)
        return list(zip(names, estimates, strict=True))
    if not isinstance(estimates, Mapping):
        return [(None, estimates)]
    shares_items = isinstance(references, Mapping) and not references.keys().isdisjoint(estimates)
    whole = not shares_items and all(
        _is_path(value) or isinstance(value, Mapping) or holds_items(value) for value in estimates.values()
    )
    mappings = (value for value in estimates.values() if isinstance(value, Mapping))
    if not whole or (is_annotation is not None and any(map(is_annotation, mappings))):
        return [(None, estimates)]
    check_names("system", map(str, estimates))
    return [(str(name), source) for name, source in estimates.items()]


def _is_path(value: object) -> bool:
    return isinstance(value, str | os.PathLike)


_LIKELY = ("^(.*)/", r"^(.*)[-_. ]\d+$")
"""Parts of names that items which belong together share: a folder, a name in front of a number."""

_TWO_PAIRS = 4
"""Fewest items that can form two groups of two."""
_ROUNDING = 1e-6
"""Tolerance for rounding: 1 - 0.9998 is not exactly 0.0002."""


def likely_clusters(items: Sequence[str]) -> tuple[Diagnostic, ...]:
    """Report items whose names suggest that some of them belong together."""
    for pattern in _LIKELY if len(items) >= _TWO_PAIRS else ():
        matches = [re.search(pattern, item) for item in items]
        groups = Counter(match[1] for match in matches if match is not None)
        if len(groups) > 1 and groups.total() == len(items) >= 2 * len(groups):
            message = (
                f"intervals take {len(items):,} items for independent, but by their names they belong to "
                f"{len(groups):,} groups, such as {quote(next(iter(groups)))}"
            )
            hint = f"if items of a group are alike, as songs of an album are, take `--cluster '{pattern}'`"
            return (Diagnostic("KT218", "note", message, hint=hint),)
    return ()


def few_resamples(ci: float, resamples: int) -> tuple[Diagnostic, ...]:
    """Report too few resamples for a level: less than one lies beyond each end of an interval."""
    needed = math.ceil(2 / (1 - ci) - _ROUNDING)
    if resamples >= needed:
        return ()
    message = (
        f"{resamples:,} resamples are too few for intervals of {100 * ci:.10g} %: "
        "these end at the lowest and highest of them"
    )
    hint = f"--resamples {needed}, or a lower level"
    return (Diagnostic("KT222", "note", message, hint=hint),)


def items_of(evidence: Evidence) -> list[str]:
    """Return the names of all items, sorted."""
    return sorted(set().union(*(rows.items for rows in evidence.rows.values())))


def bootstrap_settings(
    ci: float | None,
    resamples: int,
    seed: int,
    interval: Method,
    clusters: Mapping[str, str] | str | None = None,
    items: Iterable[str] | None = None,
) -> BootstrapSettings | None:
    """Return the settings of confidence intervals; None for none. Without items, they are only checked."""
    if ci is None:
        if clusters is not None:
            raise OptionError("clusters are for intervals, and there are to be none")
        return None
    check_share("the level of an interval", ci)
    signed = {"ci": f"{ci:g},expanded-{interval},{resamples},{seed}"}
    grouped: Mapping[str, str] | None = None
    if clusters is not None and items is not None:
        grouped = group_items(clusters, items)
        signed["clusters"] = _signed(clusters)
    return BootstrapSettings(
        level=ci, resamples=resamples, seed=seed, method=interval, clusters=grouped, signed=signed
    )


def _signed(clusters: Mapping[str, str] | str) -> str:
    if not isinstance(clusters, str):
        return "given"
    path, colon, column = clusters.rpartition(":")
    return f"{signed_file(path)}{colon}{column}" if colon else clusters


GroupBy = Mapping[str, str] | str
"""A group for each item; ``FILE.csv:COLUMN``; or a regular expression on names of items."""


def grouping_of(choice: GroupBy, items: Iterable[str]) -> tuple[Grouping, tuple[Diagnostic, ...]]:
    """Return the grouping that ``group_by`` chooses, with diagnostics on items and names without a match."""
    groups = find_groups(choice, items)
    if not groups.of:
        raise OptionError(f"no item has a group: {groups.example}")
    return Grouping(groups.by, groups.of), tuple(_unmatched(groups))


def _unmatched(groups: ItemGroups) -> Iterator[Diagnostic]:
    if groups.lacking:
        verb = inflected(len(groups.lacking), "is", "are")
        message = f"{groups.count} {verb} in no group, shown as a group of their own: {groups.example}"
        yield Diagnostic("KT219", "warning", message)
    if groups.unknown:
        names = plural(len(groups.unknown), "name")
        message = f"table of groups has {names} that no item has, such as {quote(groups.unknown[0])}"
        hint = "items are called by their path below the folder, without suffix"
        yield Diagnostic("KT220", "note", message, hint=hint)


_POLICIES = ("worst", "skip", "error")
_OF_INTERVALS = ("ci", "resamples", "seed", "interval", "clusters")
_OF_RUNS = ("task", "references", "protocols", "measures", "items", "context", "group_by")
"""Choices that can still be made of a run, besides those of intervals."""
_OF_WORK = ("resume", "store", "progress")


def refuse_choices_of_runs(task: Task, choices: Mapping[str, Any], allowed: Container[str]) -> None:
    """Refuse choices of :func:`score` that a run cannot have any more."""
    for name, parameter in signature(score).parameters.items():
        default = task.options() if name == "options" else parameter.default
        if name not in allowed and choices.get(name) not in (None, default):
            raise OptionError(f"runs are scored already: {quote(name)} is a choice of scoring")


def is_lone_run(references: Any) -> bool:
    """Return whether references are the path of a run, perhaps behind the name of its system."""
    path = references[1] if isinstance(references, tuple) and len(references) == 2 else references
    return _is_path(path) and is_run(path)


def _score_run(task: Task, run: Any, choices: Mapping[str, Any]) -> Scores:
    """Read a run, and choose among its measures, intervals and groups."""
    refuse_choices_of_runs(task, choices, (*_OF_RUNS, *_OF_INTERVALS, *_OF_WORK))
    (scores,) = named_runs([run])
    if scores.task != task.name:
        raise OptionError(f"the run is of another task: {scores.task}")
    if choices["context"] and scores.origin.context_evidence is None:
        raise OptionError("the run has no context", "score it with --context")
    scores = narrow_run(items_of_run(scores, choices["items"]), choices["protocols"], choices["measures"])
    items = items_of(scores.origin.evidence)
    notes: tuple[Diagnostic, ...] = ()
    scores = scores.remade(bootstrap=_bootstrap_of_run(scores.origin.bootstrap, choices, items))
    if choices["group_by"] is not None:
        grouping, notes = grouping_of(choices["group_by"], items)
        scores = scores.remade(grouping=grouping)
    evidence = scores.origin.evidence
    return scores.remade(evidence=replace(evidence, diagnostics=(*evidence.diagnostics, *notes)))


def _bootstrap_of_run(
    own: BootstrapSettings | None, choices: Mapping[str, Any], items: Sequence[str]
) -> BootstrapSettings | None:
    """Return the settings of a run, in which those are replaced that were chosen anew."""
    chosen = {name: choices[name] for name in _OF_INTERVALS}
    anew = {k: v for k, v in chosen.items() if v != signature(score).parameters[k].default}
    if not anew:
        return own
    if own is not None:
        kept = {"ci": own.level, "resamples": own.resamples, "seed": own.seed, "interval": own.method}
        chosen |= {name: value for name, value in kept.items() if name not in anew}
    settings = bootstrap_settings(**chosen, items=items)
    if own is None or own.clusters is None or settings is None or settings.clusters is not None:
        return settings
    return replace(
        settings, clusters=own.clusters, signed={**settings.signed, "clusters": own.signed["clusters"]}
    )


def items_of_run(run: Scores, items: Items | None) -> Scores:
    """Return the scores of the chosen items of a run, with a warning on names that no item has."""
    if items is None:
        return run
    chosen, unknown = find_items(items, items_of(run.origin.evidence))
    return narrow_items(run, chosen, unknown_items(unknown))


def score(  # noqa: PLR0913 - one per choice
    task: TaskName | Task,
    references: Any = None,
    estimates: Any = None,
    *,
    protocols: Iterable[str] | None = None,
    measures: Iterable[str] | None = None,
    annotators: Mapping[str, Any] | None = None,
    annotator: str = ALL,
    estimate_annotator: str | int | None = None,
    pairs: str | os.PathLike[str] | None = None,
    candidates: str | None = None,
    select_by: Selection | None = None,
    missing: Missing = "worst",
    strict: bool = False,
    items: Items | None = None,
    split: str | None = None,
    splits: Mapping[str, str] | str | os.PathLike[str] | None = None,
    options: Options | None = None,
    ci: float | None = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    interval: Method = "percentile",
    clusters: Mapping[str, str] | str | None = None,
    context: bool = False,
    oracle: bool = False,
    group_by: GroupBy | None = None,
    jobs: int = 1,
    executor: Executor | str | None = None,
    shard_size: int = SHARD,
    resume: str | os.PathLike[str] | None = None,
    store: Store | None = None,
    progress: Watch | None = None,
) -> Scores:
    """Score one or several systems.

    Parameters
    ----------
    task : str or Task
        ``"chords"``, ``"fingering"``, ``"instruments"``, or the name of a third party's task, which its
        package declares; or the :class:`kammerton.tasks.Task` record of one.
    references : path, mapping or annotation
        A folder, in which an item is called by its path without suffix; a single file, or a pack that
        :func:`kammerton.pack` wrote; a mapping of items to paths or annotations; or a single annotation.
        That is, of chords, anything with ``intervals`` and ``labels``, or a pair of both; of fingerings,
        anything with ``onsets``, ``offsets``, ``pitches`` and ``fingers``; of instruments, a list of
        labels, best first, a set, or a mapping of labels to scores. Objects of jams, mirdata, pandas, polars,
        music21, partitura and pretty_midi are read as the files that they would be written to; a frame, or a
        matrix with the names of its columns, may hold many items. A list of paths or annotations is paired
        with another by position. None if there are no references: then
        measures that need none have values (of fingering ``pianovam/IFR``, ``playability/ifr_melodic`` and
        ``ifr_chord``), and the others are undefined, with the reason ``no_reference``. Or a run alone, which
        is read: of its measures, intervals and groups can still be chosen.
    estimates : the same, or several of them
        A mapping of names to any of these, or to what :func:`kammerton.fuse` returns, is one system per
        name; a list of paths is one system per path, called by its last component without suffix. A mapping
        of items is one system, called ``estimate``.
    protocols : iterable of str, optional
        Protocols to run; by default those of the main measures, ``all`` for every one. The main measures are
        ``mirex2013`` of chords; ``nakamura2020``, ``strike/accuracy``, ``pianovam/Accuracy`` and
        ``playability`` of fingerings; ``open-mic-task1`` of instruments. ``"all"`` leaves out protocols that
        run on request only; it is the default without references.
    measures : iterable of str, optional
        Measures to compute, as ``PROTOCOL/MEASURE`` or ``PROTOCOL/*``; by a name alone, where several have
        it, that of the main measures; case matters; by default all of the protocols that run.
    annotators : mapping of str to the same as ``references``, optional
        Further annotators by name.
    annotator : str
        Score against this annotator only.
    estimate_annotator : str or int, optional
        Annotation that is the estimate where a file of a system holds several of an item: the annotator's
        name, or a number from 1.
    pairs : path, optional
        CSV file with columns ``item,annotator,reference,SYSTEM,...`` in place of references and estimates.
    candidates : str, optional
        What estimates are called of systems that have several of an item, such as ``{item}.{candidate}`` for
        ``song.midi1.lab`` and ``song.midi2.lab``; or ``annotations`` for those of a file with several, such
        as JAMS. A list of pairs has a column ``candidate`` instead. The worst and the best candidate of each
        item are scored as systems ``NAME:worst`` and ``NAME:best``, by each measure for itself; see
        :attr:`Scores.candidates`.
    select_by : path, str or mapping, optional
        Which candidate of an item is scored as ``NAME:selected``: that of the highest confidence, by a table
        ``item,candidate,confidence`` or a mapping of pairs of item and candidate to confidences; that which
        agrees most with all other sources of the item (``agreement``), by the first measure; or the candidate
        of a name.
    missing : {"worst", "skip", "error"}
        What a missing or unusable estimate counts as; the worst score (worst), or nothing, so that its item
        is left out (skip), or an error that ends the run (error).
    strict : bool
        End the run before scoring if there is any error or repair.
    items : str, path or iterable of str, optional
        Score these items only, such as ``^Help!/``; those whose names match a regular expression, or a file
        with the name of one a line. Or their names. A list may have the names without their folders.
    split : str, optional
        Score the items of this split only, such as ``test``; needs ``splits``.
    splits : path or mapping, optional
        File that names the split of each item, a table or JSON; without ``split`` all items are scored, with
        a warning if some are for training. :func:`kammerton.formats.lists.read_splits` reads the file; a
        mapping of items to splits does as well.
    options : object, optional
        How files are read, and choices of scoring: a :class:`kammerton.chords.ChordOptions`,
        :class:`kammerton.fingering.FingeringOptions` or :class:`kammerton.instruments.InstrumentOptions`.
    ci : float, optional
        Level of the confidence intervals. They are computed when they are first read; None computes none.
    resamples : int
        Number of bootstrap samples.
    seed : int
        Seed of the random numbers.
    interval : {"percentile", "bca"}
        Kind of confidence interval: quantiles of the bootstrap samples (percentile), or quantiles corrected
        for bias and skew (bca); both are wider the fewer the items. See
        :func:`kammerton.statistics.intervals.expanded`.
    clusters : str or mapping of str to str, optional
        Resample items together that belong together, such as the songs of an album: ``FILE.csv:COLUMN``, or a
        regular expression on the names of items, such as ``^(.*)/``. Or a mapping of items to clusters.
    context : bool
        Score baselines and human agreement too; in the same way as systems.
        See :attr:`Scores.context`.
    oracle : bool
        Add an upper bound to the context: the answer that has of each part what is right, if one of several
        systems has it.
    group_by : str or mapping of str to str, optional
        Compute the scores of each group of items, such as each genre: ``FILE.csv:COLUMN``, or a regular
        expression on the names of items. Or a mapping of items to groups. See :attr:`Scores.groups`.
    jobs : int
        Number of processes that score in parallel; scores do not depend on it.
    executor : str or Executor, optional
        Score on a Dask cluster: ``dask`` starts one on this machine, with ``jobs`` workers, and
        ``dask://HOST:PORT`` uses one that runs. Or any executor of :mod:`concurrent.futures`.
    shard_size : int
        Number of items that are scored together, in steps of 200; more items need more memory, and a lost
        worker loses more of them.
    resume : path, optional
        Keep what is finished beside this path until all is scored: after an interruption, the same call goes
        on where it was. Mostly where the run is to be written.
    store : Store, optional
        In place of ``resume``, where more than scoring must be done before it may be forgotten. From
        :func:`kammerton.keeping`: has what was finished before, and gets what is.
    progress : callable, optional
        Called with how far it is after each shard: ``done``, ``items``, ``found`` and ``failed``.

    Returns
    -------
    Scores
        ``value`` returns a score; ``summary`` has all scores, ``items`` those of each item, ``table`` a class
        table, ``diagnostics`` what was noticed. Printed, it shows the headline scores.

    Raises
    ------
    OptionError
        If a name or combination is not possible; its hint has the names that are.
    DataError
        If nothing can be scored, or ``strict`` or ``missing="error"`` ended the run.

    Examples
    --------
    >>> ref = {"song": ([(0, 2), (2, 4)], ["C", "G:7"])}
    >>> est = {"song": ([(0, 3), (3, 4)], ["C", "G"])}
    >>> score("chords", ref, {"mine": est}, protocols=["mirex2013"]).value("MajMin")
    0.75
    """
    choices_made = dict(locals())
    kind = find_task(task)
    if estimates is None and is_lone_run(references):
        return _score_run(kind, references, choices_made)
    execution = Execution(size=shard_size, jobs=jobs, executor=executor)
    without_references = references is None and not annotators and pairs is None and estimates is not None
    every = without_references and protocols is None and measures is None
    chosen = kind.choose(EVERY if every else protocols, measures)
    bootstrap_settings(ci, resamples, seed, interval, clusters)  # refuses before any work
    if missing not in _POLICIES:
        raise OptionError.unknown("policy for missing estimates", missing, _POLICIES)
    if not isinstance(annotator, str):
        raise OptionError.of_type("annotator", annotator, "a str")
    reading = options_of(kind, options)
    if without_references:
        chosen = measures_without_references(kind, chosen, annotator, context=context or oracle)
    timing = Timing()
    with timing.during("collecting"):
        corpus = corpus_of(
            kind,
            references,
            estimates,
            annotators or {},
            pairs,
            reading,
            estimate_annotator,
            without_references=without_references,
        )
        job = ScoringJob(
            task=kind,
            measures=chosen,
            options=reading,
            missing=missing,
            annotator=annotator,
            strict=strict,
        )
        corpus, of_candidates, signed_candidates = find_candidates(
            job, corpus, candidates, select_by, execution
        )
        corpus, signed_split = split_of(items_chosen(corpus, items), splits, split)
        corpus = warn_of_learned(with_lacking(corpus, of_candidates, missing))
    with nullcontext() if resume is None else keeping(resume) as kept:
        evidence = score_corpus(job, corpus, execution, store or kept, progress, timing)
    corpus, evidence, candidate_evidence = report_candidates(corpus, evidence, of_candidates)
    choices = (
        signed_choices(reading)
        | signed_split
        | signed_candidates
        | ({"references": "none"} if without_references else {})
    )
    if estimate_annotator is not None:
        choices["estimate_annotator"] = str(estimate_annotator)
    scored = items_of(evidence)
    bootstrap = bootstrap_settings(ci, resamples, seed, interval, clusters, scored)
    grouping, notes = (None, ()) if group_by is None else grouping_of(group_by, scored)
    if ci is not None:
        notes = (*few_resamples(ci, resamples), *notes)
    if ci is not None and clusters is None:
        notes = (*likely_clusters(scored), *notes)
    context_evidence: ContextEvidence | None = None
    if context or oracle:
        with timing.during("context"):  # the corpus is read again, as a whole: baselines depend on all of it
            sides = load_sides(job, corpus.paired())
            context_evidence = evaluate_context(kind, sides, options=reading, missing=missing, oracle=oracle)
    origin = Origin(
        task=kind,
        evidence=replace(evidence, diagnostics=(*evidence.diagnostics, *notes)),
        missing=missing,
        options=reading,
        choices=choices,
        bootstrap=bootstrap,
        corpus=corpus,
        context_evidence=context_evidence,
        grouping=grouping,
        candidates=candidate_evidence,
        made={system.name: system.made for system in corpus.systems if system.made},
    )
    return Scores(origin, timing)
