# SPDX-License-Identifier: MIT
"""Read the sources of a collection, each once, and keep what can be used."""

from __future__ import annotations

import os
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

from kammerton.errors import DataError, Diagnostic, OptionError, quote
from kammerton.model.corpus import ALL, Collection, check_annotators
from kammerton.model.task import A, Reading, Task

__all__ = [
    "Estimates",
    "References",
    "chosen_annotation",
    "load_estimates",
    "load_references",
    "match_estimates",
    "match_references",
]

EMPTY = "KT110"
"""Code of the diagnostic that a source holds no annotation rows."""


@dataclass(frozen=True, slots=True)
class References:
    """Annotations by annotator and item, and the items of each annotator that failed."""

    annotations: Mapping[str, Mapping[str, Any]]
    failed: Mapping[str, Mapping[str, str]]
    diagnostics: tuple[Diagnostic, ...]

    def items(self, annotator: str) -> list[str]:
        """Return the items of an annotator, failed ones too, sorted."""
        return sorted({*self.annotations[annotator], *self.failed[annotator]})

    def failed_everywhere(self) -> dict[str, str]:
        """Return the items that no annotator has a usable annotation of, and why."""
        usable = {item for items in self.annotations.values() for item in items}
        return {i: why for items in self.failed.values() for i, why in items.items() if i not in usable}

    def every_item(self) -> frozenset[str]:
        """Return the items of all annotators."""
        return frozenset(item for annotator in self.annotations for item in self.items(annotator))


@dataclass(frozen=True, slots=True)
class Estimates:
    """Annotations of a system by item, None where the estimate is empty, and the items that failed."""

    annotations: Mapping[str, Any]
    failed: Mapping[str, str]
    diagnostics: tuple[Diagnostic, ...]


def load_references(task: Task, collections: tuple[Collection, ...], options: object) -> References:
    """Read all references.

    A collection is one annotator, called by its name; unless it holds several annotations of one
    item: then each is called by the name that the file, or the name of the file, gives.

    Raises
    ------
    OptionError
        If two annotators have the same name, or one is called ``all``.
    """
    annotations: dict[str, dict[str, Any]] = {}
    failed: dict[str, dict[str, str]] = {}
    diagnostics: list[Diagnostic] = []
    for collection in collections:
        found = _read_collection(task, collection, options)
        diagnostics += found.diagnostics
        check_annotators([*annotations, *found.annotators])
        for annotator in found.annotators:
            annotations[annotator] = found.of(annotator)
            failed[annotator] = found.failed_of(annotator)
    return References(annotations, failed, tuple(diagnostics))


@dataclass(frozen=True, slots=True)
class _Found:
    """What a collection of references held: name of the annotator if told, and annotation, by item.

    ``several`` says whether an item has several annotations.
    """

    name: str
    read: Mapping[str, list[tuple[str, Any]]]
    failed: list[tuple[str | None, str, str]]
    diagnostics: list[Diagnostic]
    several: bool

    @property
    def annotators(self) -> list[str]:
        if not self.several:
            return [self.name]
        names = {name for annotations in self.read.values() for name, _ in annotations}
        return sorted(names, key=_natural)

    def of(self, annotator: str) -> dict[str, Any]:
        return {
            item: annotation
            for item, annotations in self.read.items()
            for name, annotation in annotations
            if not self.several or name == annotator
        }

    def failed_of(self, annotator: str) -> dict[str, str]:
        """Return the items that failed; a file that does not tell its annotators fails for all."""
        return {item: why for name, item, why in self.failed if not self.several or name in (None, annotator)}


def _read_collection(task: Task, collection: Collection, options: object) -> _Found:
    read: dict[str, list[tuple[str, Any]]] = {}
    failed: list[tuple[str | None, str, str]] = [(None, item, why) for item, why in collection.broken.items()]
    called_all: dict[str, Diagnostic] = {}
    diagnostics = list(collection.diagnostics)
    for item, sources in collection.sources.items():
        for told, source in sources:
            reading = read_source(task, source, item, options)
            diagnostics += _of_item(reading.diagnostics, item)
            for position, (name, annotation) in enumerate(reading.annotations, 1):
                read.setdefault(item, []).append((told or name or str(position), annotation))
            if not reading.annotations:
                failed.append((told, item, _why(reading)))
            if ALL in (told, *(name for name, _ in reading.annotations)):
                called_all[item] = _called_all(source).at(item=item)
    if _has_several(read):
        for item, said in called_all.items():
            del read[item]
            diagnostics.append(said)
            failed.append((None, item, f"{said.code} {said.message}"))
    several = _has_several(read)
    return _Found(collection.name, read, failed, _said_once(task, diagnostics), several)


def _has_several(read: Mapping[str, list[tuple[str, Any]]]) -> bool:
    return any(len(annotations) > 1 for annotations in read.values())


def _called_all(source: object) -> Diagnostic:
    return Diagnostic(
        code="KT202",
        severity="error",
        message=f"an annotator is called `{ALL}`, as the figures over all annotators are",
        file=_name_of(source),
        hint="give the annotator another name in the file",
    )


def _name_of(source: object) -> str | None:
    return os.fsdecode(source) if isinstance(source, str | os.PathLike) else None


def _said_once(task: Task, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Return diagnostics in which what the task says once for all files stands at the first of them."""
    if not task.said_once:
        return diagnostics
    said: dict[object, Diagnostic] = {}
    for number, each in enumerate(diagnostics):
        key = (each.code, each.severity, each.message) if each.code in task.said_once else number
        first = said.get(key)
        said[key] = each if first is None else first.at(count=first.count + each.count)
    return list(said.values())


def _natural(name: str) -> tuple[bool, int, str]:
    """Sort names that are numbers by number, and before the others."""
    is_number = name.isdecimal()
    return not is_number, int(name) if is_number else 0, name


def load_estimates(
    task: Task, collection: Collection, expected: Container[str], options: object
) -> Estimates:
    """Read the estimates of a system that have a reference; the others are not opened."""
    annotations: dict[str, Any] = {}
    failed = {item: why for item, why in collection.broken.items() if item in expected}
    diagnostics = list(collection.diagnostics)
    for item, sources in collection.sources.items():
        if item not in expected:
            continue
        _, source = sources[0]
        reading = read_source(task, source, item, options)
        count = len(reading.annotations) + len(sources) - 1
        if count > 1:
            reading = Reading((), (*reading.diagnostics, _several(count, source, item)))
        if reading.annotations:
            annotations[item] = reading.annotations[0][1]
        elif all(d.code == EMPTY for d in reading.diagnostics if d.severity == "error"):
            annotations[item] = None
            reading = Reading((), tuple(_as_warning(d) for d in reading.diagnostics))
        else:
            failed[item] = _why(reading)
        diagnostics += (d.at(system=collection.name) for d in _of_item(reading.diagnostics, item))
    return Estimates(annotations, failed, tuple(_said_once(task, diagnostics)))


def chosen_annotation(reading: Reading[A], annotator: str | None) -> A:
    """Return the annotation of one annotator, or the only one.

    Raises
    ------
    DataError
        If there is none.
    OptionError
        If there are several, and ``annotator`` names none of them.
    """
    if not reading.annotations:
        raise DataError([d for d in reading.diagnostics if d.severity == "error"])
    if annotator is None and len(reading.annotations) == 1:
        return reading.annotations[0][1]
    named = {name or str(number): found for number, (name, found) in enumerate(reading.annotations, 1)}
    if annotator is None or annotator not in named:
        raise OptionError.unknown("annotator", annotator or "", named)
    return named[annotator]


def read_source(task: Task, source: object, item: str, options: object) -> Reading[Any]:
    """Read a path, or adopt an object of the caller's."""
    if isinstance(source, str | os.PathLike):
        return task.read(source, os.fsdecode(source), options)
    return task.adopt(source, item, options)


def _of_item(diagnostics: tuple[Diagnostic, ...], item: str) -> list[Diagnostic]:
    return [diagnostic.at(item=item) for diagnostic in diagnostics]


def _as_warning(diagnostic: Diagnostic) -> Diagnostic:
    if diagnostic.code != EMPTY:
        return diagnostic
    return diagnostic.at(severity="warning", message=f"{diagnostic.message}; scored as an empty estimate")


def _why(reading: Reading[Any]) -> str:
    first = next(d for d in reading.diagnostics if d.severity == "error")
    return f"{first.code} {first.message}"


def _several(count: int, source: object, item: str) -> Diagnostic:
    return Diagnostic(
        code="KT206",
        severity="error",
        message=f"{count} annotations of {quote(item)} in the estimates",
        file=_name_of(source),
        hint="keep one annotation per file, or pass it as references",
    )


def match_references(task: Task, references: References, options: object) -> References:
    """Match the annotations of each item to those of its first annotator."""
    if task.match is None:
        return references
    first: dict[str, Any] = {}
    annotations: dict[str, dict[str, Any]] = {}
    failed: dict[str, dict[str, str]] = {}
    diagnostics = list(references.diagnostics)
    for annotator, items in references.annotations.items():
        base = {item: first.setdefault(item, annotation) for item, annotation in items.items()}
        annotations[annotator], unmatched, said = _match(task, base, items, options)
        failed[annotator] = {**references.failed[annotator], **unmatched}
        diagnostics += said
    return References(annotations, failed, tuple(diagnostics))


def match_estimates(task: Task, estimates: Estimates, references: References, options: object) -> Estimates:
    """Match the estimates to the references of the same items."""
    if task.match is None:
        return estimates
    base = {i: found for items in references.annotations.values() for i, found in items.items()}
    annotations, unmatched, said = _match(task, base, estimates.annotations, options)
    return Estimates(annotations, {**estimates.failed, **unmatched}, (*estimates.diagnostics, *said))


def _match(
    task: Task, base: Mapping[str, Any], items: Mapping[str, Any], options: object
) -> tuple[dict[str, Any], dict[str, str], list[Diagnostic]]:
    """Match annotations by item; those without a base, and empty ones, stay as they are."""
    matched: dict[str, Any] = {}
    failed: dict[str, str] = {}
    diagnostics: list[Diagnostic] = []
    for item, annotation in items.items():
        found: Any = annotation
        if task.match is not None and annotation is not None and base.get(item, annotation) is not annotation:
            found, said = task.match(base[item], annotation, options)
            diagnostics += _of_item(said, item)
            if found is None:
                failed[item] = _why(Reading((), said))
                continue
        matched[item] = found
    return matched, failed, diagnostics
