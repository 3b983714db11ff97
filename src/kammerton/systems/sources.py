# SPDX-License-Identifier: MIT
"""Sources that are fused: folders, packs, files of several annotators, mappings; each read once."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kammerton.errors import Diagnostic, OptionError, out_of, quote, some
from kammerton.formats.collecting import collect, name_of
from kammerton.model.corpus import Collection, Corpus, check_names
from kammerton.model.task import Task
from kammerton.scoring.loading import AnnotatorNames, merge_diagnostics, read_source

StrPath = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class Sources:
    """Annotations by source and item; an item that a source lacks is not there."""

    annotations: Mapping[str, Mapping[str, Any]]
    items: tuple[str, ...]  # that any source has, usable or not
    origins: tuple[str, ...]  # what was read, as messages call it
    paths: tuple[StrPath, ...]  # of what was read from files
    diagnostics: tuple[Diagnostic, ...]

    def without(self, name: str) -> Sources:
        """Return all sources but one, with the same items."""
        if name not in self.annotations:
            raise OptionError.unknown("source", name, self.annotations)
        return replace(self, annotations={key: own for key, own in self.annotations.items() if key != name})

    def of_item(self, item: str) -> list[Any]:
        """Return the annotation of each source, None where it has none."""
        return [own.get(item) for own in self.annotations.values()]


def read_sources(task: Task, sources: Any, options: object) -> Sources:
    """Read every annotation of every source.

    A source with several annotations of an item is one source for each annotator: ``NAME/ANNOTATOR``.
    """
    corpus = Corpus((), tuple(_collections(task, sources, options))).paired()
    annotations: dict[str, dict[str, Any]] = {}
    diagnostics: list[Diagnostic] = []
    for collection in corpus.systems:
        diagnostics += collection.diagnostics
        annotations |= _read(task, collection, options, diagnostics)
    items = tuple(sorted(corpus.items))
    if task.match is not None:
        annotations = _matched(task, annotations, items, options, diagnostics)
    diagnostics += _lacking(annotations, items)
    origins = tuple(collection.origin for collection in corpus.systems)
    paths = tuple(paths_of(sources))
    return Sources(annotations, items, origins, paths, tuple(merge_diagnostics(task, diagnostics)))


def paths_of(sources: Any) -> list[StrPath]:
    """Return the paths among sources, before anything is read."""
    several = sources.values() if isinstance(sources, Mapping) else sources
    listed = several if isinstance(sources, Mapping | list | tuple) else [sources]
    return [source for source in listed if isinstance(source, str | os.PathLike)]


def _collections(task: Task, sources: Any, options: object) -> Iterator[Collection]:
    named: list[tuple[str | None, Any]]
    if isinstance(sources, Mapping):
        named = [(str(name), source) for name, source in sources.items()]
    elif isinstance(sources, list | tuple):
        named = [(None, source) for source in sources]
    else:
        named = [(None, sources)]
    for name, source in named:
        if name is None and not isinstance(source, str | os.PathLike):
            raise OptionError.of_type("a source without a name", source, "a path")
    if not named:
        raise OptionError("there is no source", "a mapping of names to paths, or a list of paths")
    check_names("source", [name or name_of(source) for name, source in named])
    for name, source in named:
        yield collect(source, name=name, default_name="source", task=task, options=options)


def _read(
    task: Task, collection: Collection, options: object, diagnostics: list[Diagnostic]
) -> dict[str, dict[str, Any]]:
    """Read a collection; return its annotations by source and item."""
    readings: dict[str, list[tuple[str, Any]]] = {}
    names = AnnotatorNames()
    for item, sources in collection.sources.items():
        own = readings[item] = []
        for annotator, source in sources:
            reading = read_source(task, source, item, options)
            for diagnostic in reading.diagnostics:
                diagnostics.append(diagnostic.at(system=collection.name, item=item))
            pairs = zip(reading.annotators, reading.annotations, strict=True)
            own += [(annotator or name, annotation) for name, (_, annotation) in pairs]
        several = len(own) > 1
        names = names.merge(AnnotatorNames(several, several, frozenset(name for name, _ in own)))
    by_source: dict[str, dict[str, Any]] = {}
    for annotator in names.annotators(collection.name):
        called = f"{collection.name}/{annotator}" if names.several else collection.name
        by_source[called] = {
            item: annotation
            for item, own in readings.items()
            for name, annotation in own
            if not names.several or name == annotator
        }
    return by_source


def _matched(
    task: Task,
    annotations: Mapping[str, Mapping[str, Any]],
    items: Sequence[str],
    options: object,
    diagnostics: list[Diagnostic],
) -> dict[str, dict[str, Any]]:
    """Return annotations on the notes of the first source of each item; those of other notes are left out."""
    assert task.match is not None, "the task matches annotations"
    matched: dict[str, dict[str, Any]] = {name: {} for name in annotations}
    for item in items:
        first, *others = [name for name, own in annotations.items() if item in own] or [""]
        if first:
            matched[first][item] = annotations[first][item]
        for name in others:
            other, problems = task.match(annotations[first][item], annotations[name][item], options)
            diagnostics += (_in_names(problem, first, name, item) for problem in problems)
            if other is not None:
                matched[name][item] = other
    return matched


def _in_names(problem: Diagnostic, first: str, name: str, item: str) -> Diagnostic:
    """Return a problem of a reference and an estimate as one of two sources."""
    message = problem.message.replace("the reference", quote(first)).replace("the estimate", quote(name))
    return problem.at(message=message, file=f"{name}/{item}", system=name, item=item)


def _lacking(annotations: Mapping[str, Mapping[str, Any]], items: Sequence[str]) -> Iterator[Diagnostic]:
    count = Counter(item for own in annotations.values() for item in own)
    lonely = {name for name, own in annotations.items() if own and all(count[item] == 1 for item in own)}
    hint = "it has no item that another source has: items are called by their path below the folder"
    # of many warnings of a kind the first is shown
    for name in sorted(annotations, key=lambda name: name not in lonely):
        lacking = [item for item in items if item not in annotations[name]]
        if lacking:
            counted = out_of(len(lacking), len(items), "item")
            yield Diagnostic(
                code="KT801",
                severity="warning",
                message=f"{quote(name)} lacks {counted}, where it abstains ({some(lacking)})",
                hint=hint if name in lonely else None,
                system=name,
                count=len(lacking),
            )
