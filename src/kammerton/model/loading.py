# SPDX-License-Identifier: MIT
"""Read the sources of a collection, each once, and keep what can be used."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, TypeVar

from kammerton.errors import DataError, Diagnostic, OptionError, printable, quote, told_once
from kammerton.model.corpus import ALL, Collection, check_annotators
from kammerton.model.packing import OF_BLOCKS
from kammerton.model.sources import StoredSource
from kammerton.model.task import A, Reading, Task

__all__ = [
    "Estimates",
    "Found",
    "References",
    "Roster",
    "choose_estimates",
    "load_estimates",
    "load_references",
    "name_of_source",
    "name_references",
    "read_collection",
    "read_one",
    "read_source",
    "said_once",
]

Choices = TypeVar("Choices")

_NAMED = 10
"""Annotators that a message names."""

EMPTY = "KT110"
"""Code of the diagnostic that a source holds no annotation rows."""


@dataclass(frozen=True, slots=True)
class References:
    """Annotations by annotator and item, and the items of each annotator that failed.

    ``alone`` has the items that are scored without any reference; then there are no annotators.
    """

    annotations: Mapping[str, Mapping[str, Any]]
    failed: Mapping[str, Mapping[str, str]]
    diagnostics: tuple[Diagnostic, ...]
    alone: frozenset[str] = frozenset()

    def annotators_of_items(self) -> Counter[str]:
        """Return how many annotators have a usable annotation of each item."""
        return Counter(chain.from_iterable(self.annotations.values()))

    def failed_everywhere(self) -> dict[str, str]:
        """Return the items that no annotator has a usable annotation of, and why."""
        usable = {item for items in self.annotations.values() for item in items}
        return {i: why for items in self.failed.values() for i, why in items.items() if i not in usable}

    def every_item(self) -> frozenset[str]:
        """Return the items of all annotators, or of all systems where there are none."""
        return self.alone.union(*self.annotations.values(), *self.failed.values())


@dataclass(frozen=True, slots=True)
class Estimates:
    """Annotations of a system by item, None where the estimate is empty, and the items that failed."""

    annotations: Mapping[str, Any]
    failed: Mapping[str, str]
    diagnostics: tuple[Diagnostic, ...]


def load_references(
    task: Task, collections: Sequence[Collection], options: object, *, crowded: Container[str] = ()
) -> References:
    """Read all references.

    A collection is one annotator, called by its name; unless it holds several annotations of one
    item: then each is called by the name that the file, or the name of the file, gives.

    Parameters
    ----------
    task : Task
    collections : sequence of Collection
    options : object
    crowded : container of str
        Names of collections that are parts of such as hold several annotations of one item.

    Raises
    ------
    OptionError
        If two annotators have the same name, or one is called ``all``.
    """
    found = [read_collection(task, collection, options) for collection in collections]
    rosters = [
        replace(each.roster, several=True) if each.name in crowded and each.roster.names else each.roster
        for each in found
    ]
    check_annotators(
        [who for each, roster in zip(found, rosters, strict=True) for who in roster.annotators(each.name)]
    )
    said = (
        said_once(task, [*each.diagnostics, *each.refused(roster).values()])
        for each, roster in zip(found, rosters, strict=True)
    )
    return name_references(found, rosters, tuple(chain.from_iterable(said)))


@dataclass(frozen=True, slots=True)
class Roster:
    """What the items of a collection tell of its annotators; that of a whole is the sum of its parts.

    Parameters
    ----------
    crowded : bool
        Whether an item has several annotations.
    several : bool
        Whether an item has, of which none is called ``all``.
    names : frozenset of str
        Annotators of the items that tell none of that name.
    """

    crowded: bool = False
    several: bool = False
    names: frozenset[str] = frozenset()

    def merged(self, other: Roster) -> Roster:
        """Return what the items of both tell."""
        return Roster(self.crowded or other.crowded, self.several or other.several, self.names | other.names)

    def annotators(self, name: str) -> list[str]:
        """Return the annotators of a collection called ``name``, those that are numbers by number."""
        return sorted(self.names, key=_natural) if self.several else [name]


@dataclass(frozen=True, slots=True)
class Found:
    """What a collection of references held.

    Parameters
    ----------
    name : str
        Name of the collection.
    read : mapping of str to list of (str, annotation)
        By item: the annotator, and the annotation.
    failed : list of (str or None, str, str)
        Annotator if it was told, item, and why it failed.
    called_all : mapping of str to Diagnostic
        Items with an annotator called ``all``, which cannot be told from all of them.
    diagnostics : tuple of Diagnostic
    """

    name: str
    read: Mapping[str, list[tuple[str, Any]]]
    failed: list[tuple[str | None, str, str]]
    called_all: Mapping[str, Diagnostic]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def roster(self) -> Roster:
        """What these items tell of the annotators."""
        plain = [annotations for item, annotations in self.read.items() if item not in self.called_all]
        return Roster(
            any(len(annotations) > 1 for annotations in self.read.values()),
            any(len(annotations) > 1 for annotations in plain),
            frozenset(name for annotations in plain for name, _ in annotations),
        )

    def refused(self, roster: Roster) -> Mapping[str, Diagnostic]:
        """Return the items that cannot be used if an item of the whole has several annotations."""
        return self.called_all if roster.crowded else {}

    def named(self, roster: Roster) -> Iterator[tuple[str, dict[str, Any], dict[str, str]]]:
        """Give name, annotations, and items that failed of each annotator that the roster has.

        A file that does not tell its annotators fails for all of them.
        """
        refused = self.refused(roster)
        failed = [*self.failed, *((None, item, f"{d.code} {d.message}") for item, d in refused.items())]
        for annotator in roster.annotators(self.name):
            read = {
                item: annotation
                for item, annotations in self.read.items()
                for name, annotation in annotations
                if item not in refused and (not roster.several or name == annotator)
            }
            lost = {
                item: why for name, item, why in failed if not roster.several or name in (None, annotator)
            }
            yield annotator, read, lost


def read_collection(task: Task, collection: Collection, options: object) -> Found:
    """Read the references of a collection, before it is known what its annotators are called."""
    read: dict[str, list[tuple[str, Any]]] = {}
    failed: list[tuple[str | None, str, str]] = [(None, item, why) for item, why in collection.broken.items()]
    called_all: dict[str, Diagnostic] = {}
    diagnostics = list(collection.diagnostics)
    reading_options = collection.read_by(options)
    for item, sources in collection.sources.items():
        for told, source in sources:
            reading = read_source(task, source, item, reading_options)
            diagnostics += _of_item(reading.diagnostics, item)
            for position, (name, annotation) in enumerate(reading.annotations, 1):
                read.setdefault(item, []).append((told or name or str(position), annotation))
            if not reading.annotations:
                failed.append((told, item, reading.why))
            if ALL in (told, *(name for name, _ in reading.annotations)):
                called_all[item] = _called_all(source).at(item=item)
    return Found(collection.name, read, failed, called_all, tuple(diagnostics))


def name_references(
    found: Sequence[Found], rosters: Sequence[Roster], diagnostics: tuple[Diagnostic, ...] = ()
) -> References:
    """Return references by annotator, where it is known what the whole tells of its annotators."""
    annotations: dict[str, dict[str, Any]] = {}
    failed: dict[str, dict[str, str]] = {}
    for each, roster in zip(found, rosters, strict=True):
        for annotator, read, lost in each.named(roster):
            annotations[annotator], failed[annotator] = read, lost
    return References(annotations, failed, diagnostics)


def _called_all(source: object) -> Diagnostic:
    return Diagnostic(
        code="KT202",
        severity="error",
        message=f"an annotator is called `{ALL}`, as the figures over all annotators are",
        file=name_of_source(source),
        hint="give the annotator another name in the file",
    )


def name_of_source(source: object) -> str | None:
    """Return what diagnostics call a source, if it is a file."""
    if isinstance(source, StoredSource):
        return source.file
    return os.fsdecode(source) if isinstance(source, str | os.PathLike) else None


def said_once(task: Task, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return diagnostics in which what is wrong with many files alike stands at the first of them."""
    return told_once(diagnostics, task.said_once | OF_BLOCKS)


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
        reading = read_source(task, source, item, collection.read_by(options))
        names = _names_of(reading) if len(sources) == 1 else _told_by_files(sources)
        if len(names) > 1:
            reading = Reading((), (*reading.diagnostics, _several(names, source, item)))
        if reading.annotations:
            annotations[item] = reading.annotations[0][1]
        elif all(d.code == EMPTY for d in reading.diagnostics if d.severity == "error"):
            annotations[item] = None
            reading = Reading((), tuple(_as_warning(d) for d in reading.diagnostics))
        else:
            failed[item] = reading.why
        diagnostics += (d.at(system=collection.name) for d in _of_item(reading.diagnostics, item))
    return Estimates(annotations, failed, tuple(said_once(task, diagnostics)))


def read_one(
    read: Callable[[str | os.PathLike[str], str, Choices], Reading[A]],
    path: object,
    annotator: str | None,
    options: Choices,
) -> A:
    """Read the annotation of one annotator, or the only one, from a file.

    Raises
    ------
    DataError
        If there is none.
    OptionError
        If ``path`` is no path, or if there are several and ``annotator`` names none of them.
    """
    if not isinstance(path, str | os.PathLike):
        raise OptionError.of_type("path", path, "a path")
    reading = read(path, os.fsdecode(path), options)
    if not reading.annotations:
        raise DataError([d for d in reading.diagnostics if d.severity == "error"])
    if annotator is None and len(reading.annotations) == 1:
        return reading.annotations[0][1]
    named = dict(zip(_names_of(reading), (found for _, found in reading.annotations), strict=True))
    if annotator is None:
        known = ", ".join(map(printable, named))
        raise OptionError(
            f"{len(named)} annotations in `{printable(os.fsdecode(path))}`", f"choose an annotator: {known}"
        )
    if annotator not in named:
        raise OptionError.unknown("annotator", annotator, named)
    return named[annotator]


def read_source(task: Task, source: object, item: str, options: object) -> Reading[Any]:
    """Read a path, or what is stored, or adopt an object of the caller's."""
    if isinstance(source, StoredSource):
        return source.read()
    if isinstance(source, str | os.PathLike):
        return task.read(source, os.fsdecode(source), options)
    return task.adopt(source, item, options)


def _of_item(diagnostics: tuple[Diagnostic, ...], item: str) -> list[Diagnostic]:
    return [diagnostic.at(item=item) for diagnostic in diagnostics]


def _as_warning(diagnostic: Diagnostic) -> Diagnostic:
    if diagnostic.code != EMPTY:
        return diagnostic
    return diagnostic.at(severity="warning", message=f"{diagnostic.message}; scored as an empty estimate")


def _several(names: Sequence[str], source: object, item: str) -> Diagnostic:
    return Diagnostic(
        code="KT206",
        severity="error",
        message=f"{len(names)} annotations of {quote(item)} in the estimates",
        file=name_of_source(source),
        hint=f"--estimate-annotator NAME chooses one, by name or number: {_listed(names)}",
    )


def choose_estimates(task: Task, system: Collection, annotator: str, options: object) -> Collection:
    """Return a system of whose estimates one is chosen where an item has several.

    Parameters
    ----------
    task : Task
    system : Collection
    annotator : str
        Name, or else number from 1 in the order of the file or of the names of files.
    options : object
        The task's options.
    """
    sources: dict[str, tuple[tuple[str | None, object], ...]] = {}
    for item, each in system.sources.items():
        place = _place_of(annotator, _told_by_files(each)) if len(each) > 1 else 0
        chosen = each if place is None else each[place : place + 1]
        sources[item] = tuple(
            (told, ChosenSource(task, source, item, system.read_by(options), annotator))
            for told, source in chosen
        )
    return replace(system, sources=sources)


class ChosenSource(StoredSource):
    """A source of which only what one annotator says is read, if it holds several annotations."""

    __slots__ = ("_annotator", "_item", "_options", "_source", "_task")

    def __init__(self, task: Task, source: object, item: str, options: object, annotator: str) -> None:
        self._task, self._source, self._item = task, source, item
        self._options, self._annotator = options, annotator

    def read(self) -> Reading[Any]:
        """Return the annotation that is chosen, or the only one."""
        reading = read_source(self._task, self._source, self._item, self._options)
        if len(reading.annotations) < 2:
            return reading
        names = _names_of(reading)
        place = _place_of(self._annotator, names)
        if place is None:
            return Reading((), (*reading.diagnostics, self._unknown(names)))
        return Reading(reading.annotations[place : place + 1], reading.diagnostics)

    def _unknown(self, names: Sequence[str]) -> Diagnostic:
        return Diagnostic(
            code="KT212",
            severity="error",
            message=f"no annotator {quote(self._annotator)}",
            file=self.file,
            hint=f"annotators: {_listed(names)}",
        )

    @property
    def file(self) -> str | None:
        """What diagnostics call the file, if it is one."""
        return name_of_source(self._source)

    @property
    def digest(self) -> str | None:
        """Nothing: what is chosen is read to tell what it is."""
        return None


def _names_of(reading: Reading[Any]) -> list[str]:
    """Return what annotators are called: as the file does, else by number."""
    return [name or str(number) for number, (name, _) in enumerate(reading.annotations, 1)]


def _told_by_files(sources: Sequence[tuple[str | None, object]]) -> list[str]:
    return [told or str(number) for number, (told, _) in enumerate(sources, 1)]


def _place_of(annotator: str, names: Sequence[str]) -> int | None:
    """Return which of the annotators is meant, by name or else by number from 1."""
    if annotator in names:
        return names.index(annotator)
    number = int(annotator) if annotator.isascii() and annotator.isdecimal() else 0
    return number - 1 if 1 <= number <= len(names) else None


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(map(quote, names[:_NAMED])) + more
