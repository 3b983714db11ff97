# SPDX-License-Identifier: MIT
"""From what callers hand over to scores: what the command line and notebooks call."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kammerton.arguments import corpus_of, measures_alone, options_of, split_of
from kammerton.engine import SHARD, Means, Store, Watch, score_corpus
from kammerton.errors import OptionError
from kammerton.grouping import GroupBy, grouping_of
from kammerton.model.corpus import ALL, Missing
from kammerton.model.origin import Origin
from kammerton.model.protocol import choose
from kammerton.model.registry import find_task
from kammerton.model.scores import Scores
from kammerton.model.scoring import Order
from kammerton.model.signature import signed_choices
from kammerton.model.surroundings import Surroundings
from kammerton.model.timing import Timing
from kammerton.uncertainty import (
    check_drawing,
    drawing_of,
    few_resamples,
    items_of,
    likely_clusters,
    surroundings_of,
)

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from kammerton.model.task import Task
    from kammerton.statistics.bootstrap import Method

__all__ = ["score"]

_POLICIES = ("worst", "skip", "error")


def score(  # noqa: PLR0913 - one per choice
    task: str | Task,
    references: Any = None,
    estimates: Any = None,
    *,
    protocols: Iterable[str] | None = None,
    measures: Iterable[str] | None = None,
    annotators: Mapping[str, Any] | None = None,
    annotator: str = ALL,
    estimate_annotator: str | int | None = None,
    pairs: str | os.PathLike[str] | None = None,
    missing: Missing = "worst",
    strict: bool = False,
    split: str | None = None,
    splits: Mapping[str, str] | str | os.PathLike[str] | None = None,
    options: object | None = None,
    ci: float | None = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    interval: Method = "percentile",
    clusters: Mapping[str, str] | str | None = None,
    context: bool = False,
    group_by: GroupBy | None = None,
    jobs: int = 1,
    executor: Executor | str | None = None,
    shard_size: int = SHARD,
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
        labels, best first, a set, or a mapping of labels to scores. None if there are no references: then
        measures that need none have values (of fingering ``pianovam/IFR``, ``playability/ifr_melodic`` and
        ``ifr_chord``), and the others are undefined, with the reason ``no_reference``.
    estimates : the same, or several of them
        A mapping of names to any of these is one system per name; a list of paths is one system per
        path, called by its last component without suffix. A mapping of items is one system, called
        ``estimate``.
    protocols : iterable of str, optional
        Protocols to run; by default all that do not run on request only.
    measures : iterable of str, optional
        Measures to compute, as ``protocol/measure``, also ``protocol/*``, or by a name that only one has; by
        default all.
    annotators : mapping of str to the same as ``references``, optional
        Further annotators by name.
    annotator : str
        Score against this annotator only.
    estimate_annotator : str or int, optional
        Which annotation is the estimate where a file of a system holds several of an item: by the annotator's
        name, or by number from 1.
    pairs : path, optional
        A CSV file ``item,annotator,reference,SYSTEM,...`` in place of references and estimates.
    missing : {"worst", "skip", "error"}
        What a missing or unusable estimate counts: the worst score, nothing, or an end to the run.
    strict : bool
        End the run before scoring if there is any error or repair.
    split : str, optional
        Score the items of this split only, such as ``"test"``; needs ``splits``.
    splits : mapping or path, optional
        Split of each item: a mapping, or a file that :func:`kammerton.formats.splits.read_splits` reads.
        Without ``split`` all items are scored, with a warning if some are for training.
    options : object, optional
        How files are read, and choices of scoring: a :class:`kammerton.chords.ChordOptions`,
        :class:`kammerton.fingering.FingeringOptions` or :class:`kammerton.instruments.InstrumentOptions`.
    ci : float, optional
        Level of the intervals, made once they are looked at; None for none.
    resamples, seed : int
        How often items are drawn for the intervals, and the seed of the draws.
    interval : {"percentile", "bca"}
        Which interval; both expanded, see :func:`kammerton.statistics.bootstrap.expanded`.
    clusters : mapping of str to str, or str, optional
        What items are drawn together with, such as the album of a song: a mapping, ``FILE.csv:COLUMN``, or a
        regular expression on their names, such as ``"^(.*)/"``.
    context : bool
        Whether to score trivial answers too, and annotators against each other as systems are scored: see
        :attr:`Scores.context`.
    group_by : mapping of str to str, or str, optional
        What figures are told by, such as the genre of each song, in the form of ``clusters``: see
        :attr:`Scores.groups`.
    jobs : int
        Processes that score side by side; figures do not depend on it.
    executor : Executor or str, optional
        Scores in their place: any executor of :mod:`concurrent.futures`; ``"dask"`` for a new Dask cluster on
        this machine, ``"dask://host:port"`` for one that is there.
    shard_size : int
        Items that are scored together, in steps of 200; more of them need more memory, and lose more if a
        worker is lost.
    store : Store, optional
        From :func:`kammerton.keeping`: has what was finished before, and gets what is.
    progress : callable, optional
        Called with how far it is after each shard: ``done``, ``items``, ``found`` and ``failed``.

    Returns
    -------
    Scores
        ``value`` has a figure, ``summary`` all figures, ``items`` those of each item, ``table`` what became
        of each label, ``diagnostics`` what was noticed; printed, it names the headline figures.

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
    found = find_task(task)
    means = Means(size=shard_size, jobs=jobs, executor=executor)
    chosen = choose(found.protocols, protocols, measures)
    check_drawing(ci, resamples, seed, interval, clusters)
    if missing not in _POLICIES:
        raise OptionError.unknown("policy for missing estimates", missing, _POLICIES)
    if not isinstance(annotator, str):
        raise OptionError.of_type("annotator", annotator, "a str")
    reading = options_of(found, options)
    alone = references is None and not annotators and pairs is None and estimates is not None
    if alone:
        chosen = measures_alone(found, chosen, annotator, context=context)
    timing = Timing()
    with timing.during("collecting"):
        corpus = corpus_of(
            found, references, estimates, annotators or {}, pairs, reading, estimate_annotator, alone=alone
        )
        corpus, part = split_of(corpus, splits, split)
    order = Order(
        task=found,
        measures=chosen,
        options=reading,
        missing=missing,
        annotator=annotator,
        strict=strict,
    )
    evidence = score_corpus(order, corpus, means, store, progress, timing)
    choices = signed_choices(reading) | part | ({"references": "none"} if alone else {})
    if estimate_annotator is not None:
        choices["estimate_annotator"] = str(estimate_annotator)
    items = items_of(evidence)
    drawing = drawing_of(ci, resamples, seed, interval, clusters, items)
    grouping, noticed = (None, ()) if group_by is None else grouping_of(group_by, items)
    if ci is not None:
        noticed = (*few_resamples(ci, resamples), *noticed)
    if ci is not None and clusters is None:
        noticed = (*likely_clusters(items), *noticed)
    surroundings: Surroundings | None = None
    if context:
        with timing.during("context"):
            surroundings = surroundings_of(order, corpus, evidence.measures)
    origin = Origin(
        task=found,
        evidence=replace(evidence, diagnostics=(*evidence.diagnostics, *noticed)),
        missing=missing,
        options=reading,
        choices=choices,
        drawing=drawing,
        corpus=corpus,
        surroundings=surroundings,
        grouping=grouping,
    )
    return Scores(origin, timing)
