# SPDX-License-Identifier: MIT
"""Read the sources of a collection, each once, and keep what can be used."""

from __future__ import annotations

import os
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

from kammerton.errors import Diagnostic
from kammerton.model.corpus import Collection
from kammerton.model.task import Reading, Task

__all__ = ["Estimates", "References", "load_estimates", "load_references"]

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

    A collection is one annotator, called by its name; unless one of its files holds several
    annotations: then each file's annotations are called by the names that the files give.
    """
    annotations: dict[str, dict[str, Any]] = {}
    failed: dict[str, dict[str, str]] = {}
    diagnostics: list[Diagnostic] = []
    for collection in collections:
        broken = dict(collection.broken)
        read: dict[str, tuple[tuple[str | None, Any], ...]] = {}
        diagnostics += collection.diagnostics
        for item, source in collection.sources.items():
            reading = read_source(task, source, item, options)
            diagnostics += _of_item(reading.diagnostics, item)
            if reading.annotations:
                read[item] = reading.annotations
            else:
                broken[item] = _why(reading)
        several = any(len(found) > 1 for found in read.values())
        for item, found in read.items():
            for position, (name, annotation) in enumerate(found, 1):
                annotator = (name or str(position)) if several else collection.name
                annotations.setdefault(annotator, {})[item] = annotation
        named = {name or str(n) for found in read.values() for n, (name, _) in enumerate(found, 1)}
        for annotator in named if several else {collection.name}:
            annotations.setdefault(annotator, {})
            failed.setdefault(annotator, {}).update(broken)
    return References(annotations, {name: failed.get(name, {}) for name in annotations}, tuple(diagnostics))


def load_estimates(
    task: Task, collection: Collection, expected: Container[str], options: object
) -> Estimates:
    """Read the estimates of a system that have a reference; the others are not opened."""
    annotations: dict[str, Any] = {}
    failed = {item: why for item, why in collection.broken.items() if item in expected}
    diagnostics = list(collection.diagnostics)
    for item, source in collection.sources.items():
        if item not in expected:
            continue
        reading = read_source(task, source, item, options)
        if len(reading.annotations) > 1:
            reading = Reading((), (*reading.diagnostics, _several(reading, source)))
        if reading.annotations:
            annotations[item] = reading.annotations[0][1]
        elif all(d.code == EMPTY for d in reading.diagnostics if d.severity == "error"):
            annotations[item] = None
            reading = Reading((), tuple(_as_warning(d) for d in reading.diagnostics))
        else:
            failed[item] = _why(reading)
        diagnostics += (d.at(system=collection.name) for d in _of_item(reading.diagnostics, item))
    return Estimates(annotations, failed, tuple(diagnostics))


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


def _several(reading: Reading[Any], source: object) -> Diagnostic:
    return Diagnostic(
        code="KT206",
        severity="error",
        message=f"{len(reading.annotations)} annotations in one estimate",
        file=os.fsdecode(source) if isinstance(source, str | os.PathLike) else None,
        hint="keep one annotation per file, or pass it as references",
    )
