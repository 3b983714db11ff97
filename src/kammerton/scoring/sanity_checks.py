# SPDX-License-Identifier: MIT
"""What does not keep anything from being scored, but would shame the one who publishes it.

Counts and examples of parts of a corpus add up to those of the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, product
from typing import Any

from kammerton.errors import Diagnostic, plural, quote
from kammerton.model.evidence import Group
from kammerton.model.task import Task
from kammerton.scoring.loading import Estimates, References

__all__ = ["SanityChecks", "check_sanity"]

_EXTENT_SHARE, _EXTENT_UNITS = 0.1, 2.0
"""Extents that differ by more than either point to different recordings."""


@dataclass(frozen=True, slots=True)
class Same:
    """Estimates that are identical to the reference: how many, of how many references, and the first."""

    count: int = 0
    references: int = 0
    first: str | None = None

    def merged(self, other: Same) -> Same:
        """Return the count over both parts."""
        firsts = [first for first in (self.first, other.first) if first is not None]
        return Same(self.count + other.count, self.references + other.references, min(firsts, default=None))


@dataclass(frozen=True, slots=True)
class Apart:
    """Estimates that end far from their reference: how many, and the furthest.

    ``furthest`` has the distance, the item, and the extents of reference and estimate.
    """

    count: int = 0
    furthest: tuple[float, str, float, float] = (0.0, "", 0.0, 0.0)

    def merged(self, other: Apart) -> Apart:
        """Return the count over both parts."""
        return Apart(self.count + other.count, max(self.furthest, other.furthest))


@dataclass(frozen=True, slots=True)
class SanityChecks:
    """What is odd about the estimates of a part of a corpus."""

    same: Mapping[Group, Same] = field(default_factory=dict)
    apart: Mapping[Group, Apart] = field(default_factory=dict)
    unequal: frozenset[Group] = frozenset()  # systems that differ
    silent: frozenset[str] = frozenset()  # systems without any estimate

    def merged(self, other: SanityChecks) -> SanityChecks:
        """Return what is odd about both parts."""
        return SanityChecks(
            {
                group: self.same.get(group, Same()).merged(other.same.get(group, Same()))
                for group in {**self.same, **other.same}
            },
            {
                group: self.apart.get(group, Apart()).merged(other.apart.get(group, Apart()))
                for group in {**self.apart, **other.apart}
            },
            self.unequal | other.unequal,
            self.silent & other.silent,
        )

    def told(self, task: Task, systems: Iterable[str], annotators: Iterable[str]) -> Iterator[Diagnostic]:
        """Say it of the whole."""
        names = list(systems)
        for annotator, system in product(annotators, names):
            same = self.same.get((system, annotator), Same())
            if same.count and (not task.coincides or same.count == same.references > 1):
                yield _identical(system, same)
            apart = self.apart.get((system, annotator), Apart())
            if apart.count:
                yield _far_apart(system, apart, task.extent_unit)
        for one, other in combinations(names, 2):
            if (one, other) not in self.unequal and one not in self.silent:
                message = f"systems {quote(one)} and {quote(other)} gave the same estimates"
                yield Diagnostic(code="KT209", severity="warning", message=message, system=other)


def check_sanity(
    task: Task,
    references: References,
    systems: Mapping[str, Estimates],
    contents: Mapping[str, Mapping[str, bytes]],
) -> SanityChecks:
    """Find what is odd about the estimates of some items."""
    usable = {
        name: {item: each for item, each in system.annotations.items() if each is not None}
        for name, system in systems.items()
    }
    extents = {name: _extents(task, annotations) for name, annotations in usable.items()}

    @cache
    def content(name: str, item: str) -> bytes:
        return task.content(usable[name][item])

    same: dict[Group, Same] = {}
    apart: dict[Group, Apart] = {}
    for annotator, of_annotator in contents.items():
        known = _extents(task, references.annotations[annotator])
        for name, found in extents.items():
            # what ends elsewhere is not the same, and costs less to tell than contents
            alike = [
                item
                for item, content_of_reference in of_annotator.items()
                if item in found
                and found[item] == known[item]
                and content(name, item) == content_of_reference
            ]
            same[name, annotator] = Same(len(alike), len(of_annotator), min(alike, default=None))
            ends = list(_different(known, found))
            if ends:
                apart[name, annotator] = Apart(len(ends), max(ends))
    return SanityChecks(
        {group: found for group, found in same.items() if found.references},
        apart,
        frozenset(
            (one, other)
            for one, other in combinations(usable, 2)
            if extents[one] != extents[other]
            or not all(content(one, item) == content(other, item) for item in usable[one])
        ),
        frozenset(name for name, found in usable.items() if not found),
    )


def _extents(task: Task, annotations: Mapping[str, Any]) -> dict[str, float]:
    return {item: task.extent(annotation) for item, annotation in annotations.items()}


def _different(
    references: Mapping[str, float], estimates: Mapping[str, float]
) -> Iterator[tuple[float, str, float, float]]:
    for item, ref in references.items():
        est = estimates.get(item, ref)
        if abs(ref - est) > min(_EXTENT_UNITS, _EXTENT_SHARE * ref):
            yield abs(ref - est), item, ref, est


def _identical(system: str, same: Same) -> Diagnostic:
    example = quote(same.first or "")
    message = f"estimate is identical to the reference for {plural(same.count, 'item')}, e.g. {example}"
    return Diagnostic(code="KT208", severity="warning", message=message, system=system, count=same.count)


def _far_apart(system: str, apart: Apart, unit: str) -> Diagnostic:
    _, item, ref, est = apart.furthest
    return Diagnostic(
        code="KT210",
        severity="warning",
        message=(
            f"estimate and reference of {plural(apart.count, 'item')} end far apart, "
            f"most of all {quote(item)}: {est:.1f} and {ref:.1f} {unit}"
        ),
        system=system,
        hint="another recording, or times in another unit?",
        count=apart.count,
    )
