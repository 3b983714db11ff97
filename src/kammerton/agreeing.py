# SPDX-License-Identifier: MIT
"""How far annotators agree: each against each other by every measure, and all together beyond chance."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from kammerton.arguments import collected, options_of, read_as_said
from kammerton.errors import DataError, Diagnostic, OptionError, quote
from kammerton.formats.collecting import name_of
from kammerton.model.corpus import Corpus
from kammerton.model.evaluating import evaluate_loaded
from kammerton.model.loading import Estimates, References, load_references
from kammerton.model.matching import match_references
from kammerton.model.measure import Measure
from kammerton.model.origin import Origin
from kammerton.model.protocol import choose
from kammerton.model.ratings import Ratings
from kammerton.model.registry import find_task
from kammerton.model.scores import Scores
from kammerton.model.scoring import applicable_to
from kammerton.model.sharing import items_shared, remarks_on_sharing, those_who_share
from kammerton.model.signature import signed_choices
from kammerton.model.task import Case, Evaluation, Task
from kammerton.runs import is_run
from kammerton.runs.agreements import read_agreement
from kammerton.statistics.annotators import AnnotatorAgreement

__all__ = ["agree"]


def agree(
    task: str | Task,
    annotators: Any,
    *,
    protocols: Iterable[str] | None = None,
    measures: Iterable[str] | None = None,
    options: object | None = None,
) -> AnnotatorAgreement:
    """Measure how far annotators agree.

    Parameters
    ----------
    task : str or Task
        ``"chords"``, ``"fingering"``, ``"instruments"``, or the name of a third party's task, which its
        package declares; or the :class:`kammerton.tasks.Task` record of one.
    annotators : mapping of str to path or mapping, list of paths, or path
        The annotations of each annotator, as :func:`kammerton.score` takes references; or one folder or
        file that holds several annotators of each item; or a run that :func:`kammerton.write_run` wrote of
        an agreement, of which only measures can still be chosen.
    protocols, measures : iterable of str, optional
        As for :func:`kammerton.score`. Measures of the estimate alone, and of classes, are left out.
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
        return _of_run(kind, annotators, protocols, measures, reading)
    chosen = _comparing(choose(kind.protocols, protocols, measures))
    collections = tuple(
        collected(source, name, "reference", kind, reading) for name, source in _named(annotators)
    )
    corpus = read_as_said(Corpus(collections, ()), reading).paired()
    everyone = match_references(kind, load_references(kind, corpus.references, reading), reading)
    if len(everyone.annotations) < 2:
        found = ", ".join(map(quote, everyone.annotations)) or "none"
        hint = f"found: {found}; name several, as NAME=PATH or in a mapping"
        raise OptionError("agreement needs two annotators", hint)
    shared = items_shared(everyone)
    if not shared:
        raise DataError([*everyone.diagnostics, _nothing_shared(everyone.annotations)])
    persons = len(collections) > 1 or not all(name.isdecimal() for name in everyone.annotations)
    loaded = those_who_share(everyone)
    names = tuple(loaded.annotations)
    annotations = [[own.get(item) for own in loaded.annotations.values()] for item in shared]
    compared = _by_what_both_judged(kind, annotations, reading)
    measured, notes = _applicable(kind, loaded, chosen, reading)
    ratings = None if kind.ratings is None else kind.ratings(annotations, reading)
    remarks = [*remarks_on_sharing(everyone, measured, persons=persons), *_unrated(ratings)]
    return AnnotatorAgreement(
        task=kind.name,
        annotators=names,
        measures=measured,
        scores={name: _against(compared, loaded, name, measured, reading) for name in names},
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
    options: object,
) -> AnnotatorAgreement:
    if options != task.options():
        raise OptionError("a run has read its files already: there are no options of reading")
    found = read_agreement(run)
    if found.task != task.name:
        raise OptionError(f"the run is of another task: {found.task}")
    if protocols is None and measures is None:
        return found
    own = dict.fromkeys(measure.protocol for measure in found.measures) if protocols is None else protocols
    chosen = [each for each in choose(task.protocols, own, measures) if each in found.measures]
    return replace(found, measures=tuple(_comparing(chosen)))


def _named(annotators: Any) -> list[tuple[str | None, Any]]:
    """Return the annotators with their names; of a lone source, the files tell them."""
    if isinstance(annotators, Mapping):
        return [(str(name), source) for name, source in annotators.items()]
    if isinstance(annotators, list | tuple):
        return [(name_of(path), path) for path in annotators]
    if isinstance(annotators, str | os.PathLike):
        return [(None, annotators)]
    raise OptionError.of_type("annotators", annotators, "a mapping of names to annotations, or paths")


def _nothing_shared(annotations: Mapping[str, Mapping[str, object]]) -> Diagnostic:
    message = f"no item has annotations of two of {', '.join(map(quote, annotations))}"
    first = (f"{quote(min(items))} of {quote(name)}" for name, items in annotations.items() if items)
    found = " and ".join(islice(first, 2)) or "none that can be used"
    hint = f"items are paired by path below the folder, without suffix; found: {found}"
    return Diagnostic(code="KT200", severity="error", message=message, hint=hint)


def _applicable(
    task: Task, references: References, measures: Sequence[Measure], options: object
) -> tuple[tuple[Measure, ...], tuple[Diagnostic, ...]]:
    everyone = {name: Estimates(items, {}, ()) for name, items in references.annotations.items()}
    found, notes = applicable_to(task, references, everyone, measures, options)
    if not found:
        raise DataError([*references.diagnostics, *notes])
    return found, notes


def _unrated(ratings: Ratings | None) -> Iterator[Diagnostic]:
    """Say why annotations tell nothing of agreement, if they do not."""
    if ratings is not None and ratings.reason:
        yield Diagnostic(code="KT233", severity="warning", message=ratings.reason)


def _by_what_both_judged(task: Task, annotations: Sequence[Sequence[Any | None]], options: object) -> Task:
    """Return a task that leaves of a reference what the estimate, another annotator, judged too."""
    restrict = None if task.judged_by_both is None else task.judged_by_both(annotations, options)
    if restrict is None:
        return task

    def evaluate(cases: Sequence[Case[Any]], measures: Sequence[Measure], options: Any) -> Evaluation:
        restricted = [
            replace(case, references=tuple(restrict(each, case.estimate) for each in case.references))
            for case in cases
        ]
        return task.evaluate(restricted, measures, options)

    return replace(task, evaluate=evaluate)


def _against(
    task: Task, references: References, name: str, measures: Sequence[Measure], options: object
) -> Scores:
    """Score the other annotators who share items with one against it, on the items that both have."""
    own = references.annotations[name]
    one = References({name: own}, {name: {}}, ())
    others = {
        other: Estimates({item: found for item, found in items.items() if item in own}, {}, ())
        for other, items in references.annotations.items()
        if other != name and not items.keys().isdisjoint(own)
    }
    evidence = evaluate_loaded(task, one, others, measures, options=options, missing="skip")
    return Scores(Origin(task=task, evidence=evidence, missing="skip", options=options, choices={}))
