# SPDX-License-Identifier: MIT
"""Read references and estimates, each source once, and match them to each other."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, repeat
from typing import Any

from kammerton.errors import Diagnostic, merge_repeated, quote
from kammerton.formats.objects import adopt
from kammerton.formats.reading import NO_ROWS
from kammerton.model.corpus import (
    ALL,
    Collection,
    Corpus,
    Missing,
    StoredSource,
    check_annotators,
    name_of_source,
)
from kammerton.model.measure import Measure
from kammerton.model.registry import failure_of
from kammerton.model.task import OF_BLOCKS, Match, Reading, Survey, Task

_NAMED = 10
"""Annotators that a message names."""
Section = tuple[str, str]
"""What diagnostics are about: the step that they come from, and the collection or annotator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringJob:
    """What is done with every part of a corpus."""

    task: Task  # reads the sources and runs the kernels
    measures: tuple[Measure, ...]  # what to compute
    options: Any  # the task's options
    missing: Missing = "worst"  # what a missing or unusable estimate counts; ``error`` ends the run
    annotator: str = ALL  # one annotator's name, or ``"all"``
    strict: bool = False  # whether an error or a repair keeps anything from being scored


@dataclass(frozen=True, slots=True)
class References:
    """Annotations by annotator and item, and the items of each annotator that failed.

    ``without_references`` has the items that are scored without any reference; then there are no annotators.
    """

    annotations: Mapping[str, Mapping[str, Any]]
    failed: Mapping[str, Mapping[str, str]]
    diagnostics: tuple[Diagnostic, ...]
    without_references: frozenset[str] = frozenset()

    def annotators_of_items(self) -> Counter[str]:
        """Return how many annotators have a usable annotation of each item."""
        return Counter(chain.from_iterable(self.annotations.values()))

    def failed_everywhere(self) -> dict[str, str]:
        """Return the items that no annotator has a usable annotation of, and why."""
        usable = frozenset().union(*self.annotations.values())
        failed: dict[str, str] = {}
        for items in self.failed.values():
            for item, reason in items.items():
                if item not in usable:
                    failed[item] = reason
        return failed

    def every_item(self) -> frozenset[str]:
        """Return the items of all annotators, or of all systems where there are none."""
        return self.without_references.union(*self.annotations.values(), *self.failed.values())

    def of_annotator(self, name: str) -> References:
        """Return the references of one annotator; none, if other parts of the corpus have them, or nobody."""
        known = name in self.annotations
        return References(
            {name: self.annotations[name]} if known else {},
            {name: self.failed[name]} if known else {},
            self.diagnostics,
        )


@dataclass(frozen=True, slots=True)
class Estimates:
    """Annotations of a system by item, None where the estimate is empty, and the items that failed."""

    annotations: Mapping[str, Any]
    failed: Mapping[str, str]
    diagnostics: tuple[Diagnostic, ...]  # of reading
    match_diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class AnnotatorNames:
    """What the items of a collection tell of its annotators; the names of parts merge."""

    crowded: bool = False  # whether an item has several annotations
    several: bool = False  # whether an item has several, of which none is called ``all``
    names: frozenset[str] = frozenset()  # annotators of the items that have none of that name

    def merge(self, other: AnnotatorNames) -> AnnotatorNames:
        """Return what the items of both tell."""
        return AnnotatorNames(
            self.crowded or other.crowded, self.several or other.several, self.names | other.names
        )

    def annotators(self, collection: str) -> list[str]:
        """Return the annotators of a collection, those that are numbers by number."""
        return sorted(self.names, key=_by_number) if self.several else [collection]


def _by_number(name: str) -> tuple[bool, int, str]:
    """Sort names that are numbers by number, and before the others."""
    is_number = name.isdecimal()
    return not is_number, int(name) if is_number else 0, name


@dataclass(frozen=True, slots=True)
class CorpusSurvey:
    """What must be known of a whole corpus before a part of it can be scored; surveys of parts merge."""

    annotators: tuple[AnnotatorNames, ...]  # of each collection of references
    # what the task counts in annotations; see :attr:`.Task.survey`
    counts: Mapping[str, int] = field(default_factory=dict)

    def merge(self, other: CorpusSurvey) -> CorpusSurvey:
        """Return the survey of both parts."""
        counts = dict(self.counts)
        for name, count in other.counts.items():
            counts[name] = counts.get(name, 0) + count
        return CorpusSurvey(tuple(map(AnnotatorNames.merge, self.annotators, other.annotators)), counts)

    def with_rest(self, known: CorpusSurvey | None, *, complete: bool) -> CorpusSurvey:
        """Return the survey of the whole: ``known`` is that of other parts, or of all if it is complete."""
        if known is None:
            return self
        return known if complete else known.merge(self)


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What of a survey a part was scored with; the scores hold as long as the whole has the same."""

    measures: tuple[Measure, ...]
    # of each collection; with names only if there are several annotators, and items failed for all of them
    annotators: tuple[AnnotatorNames, ...]
    fails_for_all: bool  # whether items failed for all annotators

    @classmethod
    def of(cls, measures: Sequence[Measure], survey: CorpusSurvey, *, fails_for_all: bool) -> Assumptions:
        """Return what matters of a survey."""
        annotators = []
        for names in survey.annotators:
            relevant = names.names if fails_for_all and names.several else frozenset[str]()
            annotators.append(replace(names, names=relevant))
        return cls(tuple(measures), tuple(annotators), fails_for_all)

    def hold(self, measures: Sequence[Measure] | None, survey: CorpusSurvey) -> bool:
        """Return whether a survey, and the measures if there are any, agree with them."""
        return self == Assumptions.of(
            self.measures if measures is None else measures, survey, fails_for_all=self.fails_for_all
        )


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """References and estimates of some items, read and matched."""

    references: References  # by annotator
    systems: Mapping[str, Estimates]  # by system
    survey: CorpusSurvey  # of these items alone
    assumptions: Assumptions  # on the whole
    diagnostics: Mapping[Section, Sequence[Diagnostic]]


def load_sides(
    job: ScoringJob, corpus: Corpus, known: CorpusSurvey | None = None, *, complete: bool = False
) -> Sides:
    """Read and match the references and the systems of a corpus, or of a part of it.

    ``known`` is the survey of other parts, or of the whole corpus if it is ``complete``.
    """
    task, options = job.task, job.options
    readings, names = [], []
    for collection in corpus.references:
        reading = _read_references(task, collection, options)
        readings.append(reading)
        names.append(reading.names)
    own = CorpusSurvey(tuple(names))
    annotators = own.with_rest(known, complete=complete).annotators
    references, diagnostics = _name_references(task, readings, annotators)
    if job.annotator != ALL:
        references = references.of_annotator(job.annotator)
    if task.match is not None:
        references, matched = _match_references(task.match, references, options)
        diagnostics |= matched
    if not corpus.references:
        references = replace(references, without_references=corpus.items)
    systems: dict[str, Estimates] = {}
    for system in corpus.systems:
        estimates = systems[system.name] = load_estimates(task, system, references, options)
        diagnostics["estimates", system.name] = estimates.diagnostics
        diagnostics["matched estimates", system.name] = estimates.match_diagnostics
    if task.survey is not None:
        own = replace(own, counts=_count(task.survey, references, systems, options))
    survey = own.with_rest(known, complete=complete)
    measures = applicable_measures(task, survey.counts, job.measures, options)[0]
    fails_for_all = False
    for reading in readings:  # an item that failed did so for every annotator there may be in other parts
        fails_for_all = fails_for_all or bool(reading.failed or reading.called_all)
    assumptions = Assumptions.of(measures, survey, fails_for_all=fails_for_all)
    return Sides(references, systems, own, assumptions, diagnostics)


@dataclass(frozen=True, slots=True)
class _ReferenceReading:
    """What a collection of references holds."""

    collection: str  # name of the collection
    annotations: Mapping[str, list[tuple[str, Any]]]  # by item: the annotator, and the annotation
    failed: list[tuple[str | None, str, str]]  # annotator if there is a name, item, and why it failed
    # items with an annotator called ``all``, which cannot be told from all of them
    called_all: Mapping[str, Diagnostic]
    names: AnnotatorNames
    diagnostics: list[Diagnostic]


def _read_references(task: Task, collection: Collection, options: object) -> _ReferenceReading:
    """Read the references of a collection, before it is known what its annotators are called."""
    annotations: dict[str, list[tuple[str, Any]]] = {}
    # what is broken fails for every annotator
    failed: list[tuple[str | None, str, str]] = list(
        zip(repeat(None), collection.broken, collection.broken.values())
    )
    called_all: dict[str, Diagnostic] = {}
    diagnostics = list(collection.diagnostics)
    reading_options = collection.read_by(options)
    for item, sources in collection.sources.items():
        for annotator, source in sources:
            reading = read_source(task, source, item, reading_options)
            for diagnostic in reading.diagnostics:
                diagnostics.append(diagnostic.at(item=item))
            is_called_all = annotator == ALL
            for number, (name, annotation) in enumerate(reading.annotations, 1):
                annotations.setdefault(item, []).append((annotator or name or str(number), annotation))
                is_called_all = is_called_all or name == ALL
            if not reading.annotations:
                failed.append((annotator, item, reading.why))
            if is_called_all:
                called_all[item] = Diagnostic(
                    "KT202",
                    "error",
                    f"an annotator is called `{ALL}`, as the scores over all annotators are",
                    file=name_of_source(source),
                    hint="give the annotator another name in the file",
                    item=item,
                )
    crowded = several = False
    names = set()
    for item, of_item in annotations.items():
        crowded = crowded or len(of_item) > 1
        if item not in called_all:
            several = several or len(of_item) > 1
            for name, _ in of_item:
                names.add(name)
    annotators = AnnotatorNames(crowded, several, frozenset(names))
    return _ReferenceReading(collection.name, annotations, failed, called_all, annotators, diagnostics)


def _name_references(
    task: Task, readings: Sequence[_ReferenceReading], names: Sequence[AnnotatorNames]
) -> tuple[References, dict[Section, Sequence[Diagnostic]]]:
    """Return references by annotator, where it is known what the whole tells of its annotators.

    A source that does not tell its annotators fails for all of them.
    """
    annotations: dict[str, dict[str, Any]] = {}
    failed: dict[str, dict[str, str]] = {}
    diagnostics: dict[Section, Sequence[Diagnostic]] = {}
    for number, (reading, own) in enumerate(zip(readings, names, strict=True)):
        refused = reading.called_all if own.crowded else {}  # if any item of the whole has several
        diagnostics["references", str(number)] = merge_diagnostics(task, reading.diagnostics)
        diagnostics["refused", str(number)] = merge_diagnostics(task, refused.values())
        lost = list(reading.failed)
        for item, diagnostic in refused.items():
            lost.append((None, item, f"{diagnostic.code} {diagnostic.message}"))
        for annotator in own.annotators(reading.collection):
            usable = annotations[annotator] = {}
            reasons = failed[annotator] = {}
            for item, of_item in reading.annotations.items():
                for name, annotation in of_item:
                    if item not in refused and (not own.several or name == annotator):
                        usable[item] = annotation
            for who, item, reason in lost:
                if not own.several or who in (None, annotator):
                    reasons[item] = reason
    return References(annotations, failed, ()), diagnostics


def load_references(
    task: Task, collections: Sequence[Collection], options: object, *, crowded: Container[str] = ()
) -> References:
    """Read all references, and match those of each item to its first annotator's.

    A collection is one annotator, called by its name; unless it holds several annotations of one
    item: then each is called by the name that the file, or the name of the file, gives. ``crowded``
    names collections that hold several of items that are not read here.
    """
    readings = [_read_references(task, collection, options) for collection in collections]
    names = [
        replace(reading.names, several=True)
        if reading.collection in crowded and reading.names.names
        else reading.names
        for reading in readings
    ]
    check_annotators(
        name
        for reading, own in zip(readings, names, strict=True)
        for name in own.annotators(reading.collection)
    )
    references, diagnostics = _name_references(task, readings, names)
    if task.match is not None:
        references, matched = _match_references(task.match, references, options)
        diagnostics |= matched
    return replace(references, diagnostics=tuple(chain.from_iterable(diagnostics.values())))


def load_estimates(task: Task, collection: Collection, references: References, options: object) -> Estimates:
    """Read the estimates of a system that have a reference, and match them; the others are not opened."""
    expected, reading_options = references.every_item(), collection.read_by(options)
    annotations: dict[str, Any] = {}
    failed: dict[str, str] = {}
    diagnostics = list(collection.diagnostics)
    for item, reason in collection.broken.items():
        if item in expected:
            failed[item] = reason
    for item, sources in collection.sources.items():
        if item not in expected:
            continue
        reading, empty = read_source(task, sources[0][1], item, reading_options), False
        if len(sources) > 1 or len(reading.annotations) != 1 or reading.diagnostics:
            reading, empty = _check_estimate(reading, sources, item)
        if reading.annotations:
            annotations[item] = reading.annotations[0][1]
        elif empty:
            annotations[item] = None
        else:
            failed[item] = reading.why
        for diagnostic in reading.diagnostics:
            diagnostics.append(diagnostic.at(system=collection.name, item=item))
    known = tuple(merge_diagnostics(task, diagnostics))
    if task.match is None:
        return Estimates(annotations, failed, known)
    bases = {item: base for items in references.annotations.values() for item, base in items.items()}
    matched, unmatched, problems = _match(task.match, bases, annotations, options)
    return Estimates(matched, {**failed, **unmatched}, known, tuple(problems))


def _check_estimate(
    reading: Reading[Any], sources: Sequence[tuple[str | None, object]], item: str
) -> tuple[Reading[Any], bool]:
    """Return the only estimate of an item, and whether it is empty, which is no error."""
    names = reading.annotators if len(sources) == 1 else _names_of_files(sources)
    if len(names) > 1:
        several = Diagnostic(
            "KT206",
            "error",
            f"{len(names)} annotations of {quote(item)} in the estimates",
            file=name_of_source(sources[0][1]),
            hint=f"--estimate-annotator NAME chooses one, by name or number: {_listed(names)}",
        )
        return Reading((), (*reading.diagnostics, several)), False
    empty = not reading.annotations
    diagnostics = []
    for diagnostic in reading.diagnostics:
        no_rows = diagnostic.code == NO_ROWS
        empty = empty and (no_rows or diagnostic.severity != "error")
        message = f"{diagnostic.message}; scored as an empty estimate"
        diagnostics.append(diagnostic.at(severity="warning", message=message) if no_rows else diagnostic)
    return (Reading((), tuple(diagnostics)), True) if empty else (reading, False)


def _match_references(
    match: Match, references: References, options: object
) -> tuple[References, dict[Section, Sequence[Diagnostic]]]:
    """Match the annotations of each item to those of its first annotator."""
    first: dict[str, Any] = {}
    annotations: dict[str, dict[str, Any]] = {}
    failed: dict[str, dict[str, str]] = {}
    diagnostics: dict[Section, Sequence[Diagnostic]] = {}
    for annotator, items in references.annotations.items():
        bases = {item: first.setdefault(item, annotation) for item, annotation in items.items()}
        annotations[annotator], unmatched, problems = _match(match, bases, items, options)
        failed[annotator] = {**references.failed[annotator], **unmatched}
        diagnostics["matched references", annotator] = problems
    return References(annotations, failed, references.diagnostics), diagnostics


def _match(
    match: Match, bases: Mapping[str, Any], items: Mapping[str, Any], options: object
) -> tuple[dict[str, Any], dict[str, str], list[Diagnostic]]:
    """Match annotations by item; those without a base, and empty ones, stay as they are."""
    matched: dict[str, Any] = {}
    failed: dict[str, str] = {}
    diagnostics: list[Diagnostic] = []
    for item, annotation in items.items():
        matched[item] = annotation
        if annotation is None or bases.get(item, annotation) is annotation:
            continue
        matched[item], problems = match(bases[item], annotation, options)
        diagnostics += (problem.at(item=item) for problem in problems)
        if matched[item] is None:
            del matched[item]
            failed[item] = Reading((), problems).why
    return matched, failed, diagnostics


def merge_diagnostics(task: Task, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return diagnostics in which a problem that many files share stands at the first of them."""
    known = list(diagnostics)
    return merge_repeated(known, task.said_once | OF_BLOCKS) if known else known


def read_source(task: Task, source: object, item: str, options: object) -> Reading[Any]:
    """Read a path, or what is stored, or adopt an object of the caller's."""
    if isinstance(source, StoredSource):
        return source.read()
    step, name = "adopt", item
    try:
        if isinstance(source, str | os.PathLike):
            step, name = "read", os.fsdecode(source)
            return task.read(source, name, options)
        return adopt(task, source, name, options)
    except Exception as error:
        failure = failure_of(task, step, name, error)
        if failure is None:
            raise
        raise failure from error


def applicable_measures(
    task: Task, counts: Mapping[str, int], measures: Sequence[Measure], options: object
) -> tuple[tuple[Measure, ...], tuple[Diagnostic, ...]]:
    """Return the measures that have scores where a survey counts so much, and why others have none."""
    if task.applicable is None:
        return tuple(measures), ()
    return task.applicable(counts, measures, options)


def applicable_to(
    task: Task,
    references: References,
    systems: Mapping[str, Estimates],
    measures: Sequence[Measure],
    options: object,
) -> tuple[tuple[Measure, ...], tuple[Diagnostic, ...]]:
    """Return the measures that have scores for these annotations, and why others have none."""
    counts = {} if task.survey is None else _count(task.survey, references, systems, options)
    return applicable_measures(task, counts, measures, options)


def _count(
    survey: Survey, references: References, systems: Mapping[str, Estimates], options: object
) -> Mapping[str, int]:
    """Return what the task counts in annotations."""
    annotations = [annotation for items in references.annotations.values() for annotation in items.values()]
    estimates = [
        estimate
        for system in systems.values()
        for estimate in system.annotations.values()
        if estimate is not None
    ]
    return dict(survey(annotations, estimates, options))


def choose_estimates(task: Task, system: Collection, annotator: str, options: object) -> Collection:
    """Return a system of whose estimates one is chosen where an item has several."""
    sources: dict[str, tuple[tuple[str | None, object], ...]] = {}
    for item, of_item in system.sources.items():
        place = _place_of(annotator, _names_of_files(of_item)) if len(of_item) > 1 else 0
        chosen = of_item if place is None else of_item[place : place + 1]
        sources[item] = tuple(
            (name, _ChosenSource(task, source, item, system.read_by(options), annotator))
            for name, source in chosen
        )
    return replace(system, sources=sources)


def annotations_apart(task: Task, system: Collection, options: object) -> dict[str, dict[str, object]]:
    """Return a source for each of the estimates of items that have several, by item and annotator."""
    apart: dict[str, dict[str, object]] = {}
    for item, of_item in system.sources.items():
        if len(of_item) > 1:
            files = [source for _, source in of_item]
            apart[item] = dict(zip(_names_of_files(of_item), files, strict=True))
            continue
        ((_, source),) = of_item
        own = system.read_by(options)
        names = read_source(task, source, item, own).annotators
        if len(names) > 1:
            apart[item] = {name: _ChosenSource(task, source, item, own, name) for name in names}
    return apart


class _ChosenSource(StoredSource):
    """A source that is read for one annotator, if it holds several annotations."""

    __slots__ = ("_annotator", "_item", "_options", "_source", "_task")

    def __init__(self, task: Task, source: object, item: str, options: object, annotator: str) -> None:
        self._task, self._source, self._item = task, source, item
        self._options, self._annotator = options, annotator

    def read(self) -> Reading[Any]:
        """Return the chosen annotation, or the only one."""
        reading = read_source(self._task, self._source, self._item, self._options)
        if len(reading.annotations) < 2:
            return reading
        names = reading.annotators
        place = _place_of(self._annotator, names)
        if place is None:
            message, hint = f"no annotator {quote(self._annotator)}", f"annotators: {_listed(names)}"
            unknown = Diagnostic("KT212", "error", message, file=self.file, hint=hint)
            return Reading((), (*reading.diagnostics, unknown))
        return Reading(reading.annotations[place : place + 1], reading.diagnostics)

    @property
    def file(self) -> str | None:
        """What diagnostics call the file, if it is one."""
        return name_of_source(self._source)

    @property
    def digest(self) -> str | None:
        """Nothing: what is chosen is read to tell what it is."""
        return None


def _names_of_files(sources: Sequence[tuple[str | None, object]]) -> list[str]:
    return [annotator or str(number) for number, (annotator, _) in enumerate(sources, 1)]


def _place_of(annotator: str, names: Sequence[str]) -> int | None:
    """Return the position of an annotator, given by name or else by number from 1."""
    if annotator in names:
        return names.index(annotator)
    number = int(annotator) if annotator.isascii() and annotator.isdecimal() else 0
    return number - 1 if 1 <= number <= len(names) else None


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(map(quote, names[:_NAMED])) + more
