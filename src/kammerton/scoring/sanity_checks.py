# SPDX-License-Identifier: MIT
"""Suspicious estimates, which are scored all the same: identical to the reference, of other length, ...

Counts and examples of parts of a corpus merge into those of the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, product
from typing import Any

from kammerton.errors import Diagnostic, plural, quote
from kammerton.model.evidence import Group
from kammerton.model.task import Task
from kammerton.scoring.loading import Estimates, References

__all__ = ["DistantEnds", "IdenticalEstimates", "SanityChecks", "check_sanity"]

_EXTENT_SHARE, _EXTENT_UNITS = 0.1, 2.0
"""Extents that differ by more than either point to different recordings."""


@dataclass(frozen=True, slots=True)
class IdenticalEstimates:
    """Estimates that are identical to the reference: how many, of how many references, and the first."""

    count: int = 0
    references: int = 0
    first: str | None = None

    def merge(self, other: IdenticalEstimates) -> IdenticalEstimates:
        """Return the count over both parts."""
        first = self.first if other.first is None else other.first
        if self.first is not None and other.first is not None:
            first = min(self.first, other.first)
        return IdenticalEstimates(self.count + other.count, self.references + other.references, first)


@dataclass(frozen=True, slots=True)
class DistantEnds:
    """Estimates that end far from their reference: how many, and the furthest.

    ``furthest`` has the distance, the item, and the extents of reference and estimate.
    """

    count: int = 0
    furthest: tuple[float, str, float, float] = (0.0, "", 0.0, 0.0)

    def merge(self, other: DistantEnds) -> DistantEnds:
        """Return the count over both parts."""
        return DistantEnds(self.count + other.count, max(self.furthest, other.furthest))


@dataclass(frozen=True, slots=True)
class SanityChecks:
    """What is suspicious about the estimates of a part of a corpus."""

    identical: Mapping[Group, IdenticalEstimates] = field(default_factory=dict)
    distant: Mapping[Group, DistantEnds] = field(default_factory=dict)
    unequal: frozenset[Group] = frozenset()  # pairs of systems that differ
    empty: frozenset[str] = frozenset()  # systems without any estimate

    def merge(self, other: SanityChecks) -> SanityChecks:
        """Return the checks of both parts."""
        identical, distant = dict(self.identical), dict(self.distant)
        for group, estimates in other.identical.items():
            identical[group] = estimates.merge(identical.get(group, IdenticalEstimates()))
        for group, ends in other.distant.items():
            distant[group] = ends.merge(distant.get(group, DistantEnds()))
        return SanityChecks(identical, distant, self.unequal | other.unequal, self.empty & other.empty)

    def diagnostics(
        self, task: Task, systems: Iterable[str], annotators: Iterable[str]
    ) -> Iterator[Diagnostic]:
        """Report them, of the whole corpus."""
        names = list(systems)
        for annotator, system in product(annotators, names):
            same = self.identical.get((system, annotator), IdenticalEstimates())
            if same.count and (not task.coincides or same.count == same.references > 1):
                yield _identical(system, same)
            distant = self.distant.get((system, annotator), DistantEnds())
            if distant.count:
                yield _far_apart(system, distant, task.extent_unit)
        for first, second in combinations(names, 2):
            if (first, second) not in self.unequal and first not in self.empty:
                message = f"systems {quote(first)} and {quote(second)} gave the same estimates"
                yield Diagnostic(code="KT209", severity="warning", message=message, system=second)


def check_sanity(
    task: Task,
    references: References,
    systems: Mapping[str, Estimates],
    contents: Mapping[str, Mapping[str, bytes]],
) -> SanityChecks:
    """Find what is suspicious about the estimates of some items; ``contents`` are those of the references."""
    extents: dict[str, dict[str, float]] = {}
    for name, system in systems.items():
        extents[name] = _extents(task, system.annotations)

    @cache
    def content(name: str, item: str) -> bytes:
        return task.content(systems[name].annotations[item])

    identical: dict[Group, IdenticalEstimates] = {}
    distant: dict[Group, DistantEnds] = {}
    for annotator, items in references.annotations.items():
        of_annotator = contents[annotator]
        known = _extents(task, items)
        for name, of_system in extents.items():
            same, ends = [], []
            for item, est in of_system.items():
                ref = known.get(item, est)
                # an estimate that ends elsewhere is not identical, and extents are cheaper than contents
                if est == ref and item in known and content(name, item) == of_annotator[item]:
                    same.append(item)
                if abs(ref - est) > min(_EXTENT_UNITS, _EXTENT_SHARE * ref):
                    ends.append((abs(ref - est), item, ref, est))
            if known:
                first = min(same, default=None)
                identical[name, annotator] = IdenticalEstimates(len(same), len(known), first)
            if ends:
                distant[name, annotator] = DistantEnds(len(ends), max(ends))
    empty = [name for name, of_system in extents.items() if not of_system]
    return SanityChecks(identical, distant, frozenset(_unequal(extents, content)), frozenset(empty))


def _extents(task: Task, annotations: Mapping[str, Any]) -> dict[str, float]:
    """Return the extent of each annotation that is not empty."""
    extents = {}
    for item, annotation in annotations.items():
        if annotation is not None:
            extents[item] = task.extent(annotation)
    return extents


def _unequal(
    extents: Mapping[str, Mapping[str, float]], content: Callable[[str, str], bytes]
) -> Iterator[tuple[str, str]]:
    """Yield the pairs of systems of which an estimate differs."""
    for first, second in combinations(extents, 2):
        if extents[first] != extents[second] or any(
            content(first, item) != content(second, item) for item in extents[first]
        ):
            yield first, second


def _identical(system: str, same: IdenticalEstimates) -> Diagnostic:
    example = quote(same.first or "")
    message = f"estimate is identical to the reference for {plural(same.count, 'item')}, e.g. {example}"
    return Diagnostic(code="KT208", severity="warning", message=message, system=system, count=same.count)


def _far_apart(system: str, distant: DistantEnds, unit: str) -> Diagnostic:
    _, item, ref, est = distant.furthest
    return Diagnostic(
        code="KT210",
        severity="warning",
        message=(
            f"estimate and reference of {plural(distant.count, 'item')} end far apart, "
            f"most of all {quote(item)}: {est:.1f} and {ref:.1f} {unit}"
        ),
        system=system,
        hint="another recording, or times in another unit?",
        count=distant.count,
    )
