# SPDX-License-Identifier: MIT
"""What is odd about a corpus: items without a partner, and estimates that are scored but suspicious.

Counts and examples of parts of a corpus merge into those of the whole.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from itertools import chain, combinations, product
from typing import Any

from kammerton.errors import Diagnostic, clip, out_of, plural, printable, quote, some
from kammerton.model.corpus import Collection, Missing, name_of_source
from kammerton.model.evidence import Group
from kammerton.model.task import Task
from kammerton.scoring.loading import Estimates, References

_POLICY = {
    "worst": "scored as worst; `--missing skip` leaves them out",
    "skip": "left out; `--missing worst` scores them as worst",
    "error": "`--missing worst` scores them as worst, `--missing skip` leaves them out",
}
_PART = re.compile(r".*[/_.-]")
"""The beginning of a name that names a part of a corpus: a folder, or words in front of a number."""
_LONG = 120
"""Characters up to which an item is shown whole: names that differ often do so at their end."""


def unmatched(
    expected: frozenset[str], references: Sequence[Collection], system: Collection, *, missing: Missing
) -> tuple[Diagnostic, ...]:
    """Report which items have no estimate, and which estimates no reference."""
    lacking: list[str] = []
    unknown = set()
    for item in () if system.partial else expected:  # sets of all would take as much memory as their scores
        if item not in system.sources and item not in system.broken:
            lacking.append(item)
    for item in chain(system.sources, system.broken):
        if item not in expected:
            unknown.add(item)
    lacking.sort()
    extra = sorted(unknown)
    diagnostics = []
    if lacking:
        near = get_close_matches(lacking[0], extra, n=1, cutoff=0.6)
        part = _common_part((item for item in expected if item in system.items), lacking)
        hint = f"nearest name: {quote(near[0])}" if near else _POLICY[missing]
        if part and not extra:
            hint = f"all estimates are of {quote(part)}: `--items '^{re.escape(part)}'` scores these alone"
        if extra and len(lacking) == len(expected):
            hint = _why_apart(expected, references, system, (lacking[0], (near or extra)[0]))
        diagnostics.append(
            Diagnostic(
                "KT203",
                "warning" if missing == "skip" else "error",
                f"no estimate for {out_of(len(lacking), len(expected), 'item')} ({some(lacking)})",
                file=system.origin or None,
                system=system.name,
                hint=hint,
                count=len(lacking),
            )
        )
    if extra:
        count = out_of(len(extra), len(system.items), "item")
        diagnostics.append(
            Diagnostic(
                "KT204",
                "warning",
                f"no reference for {count} ({some(extra)}); not scored",
                file=system.origin or None,
                system=system.name,
                count=len(extra),
            )
        )
    return tuple(diagnostics)


def _common_part(present: Iterable[str], lacking: Iterable[str]) -> str:
    """Return the beginning, as a folder, that all items with an estimate have, and none without one."""
    names = list(present)
    part = _PART.match(os.path.commonprefix(names)) if len(names) > 1 else None  # noqa: RUF071 - of text
    return "" if part is None or any(item.startswith(part[0]) for item in lacking) else part[0]


def _why_apart(
    expected: frozenset[str], references: Sequence[Collection], system: Collection, examples: tuple[str, str]
) -> str:
    """Return what keeps references and estimates apart that have no item in common."""
    lacking, extra = map(_shown, examples)
    first = references[0]
    if all(collection.single for collection in references) and _is_folder(system):
        return _file_and_folder(first, system, next(iter(expected)), extra)
    if system.single and _is_folder(first):
        return _file_and_folder(system, first, next(iter(system.items)), lacking)
    folders = [*_folders_with(expected, system), *_folders_with(system.items, first)]
    known = {_place(collection.origin) for collection in (*references, system)}
    likely = [_shown(folder, None) for folder in folders if _place(folder) not in known][:3]
    if likely:
        return f"no item in common: did you mean the folder {' or '.join(likely)}?"
    return f"no item in common: references are called like {lacking}, estimates like {extra}"


def _file_and_folder(file: Collection, folder: Collection, item: str, example: str) -> str:
    opening = f"{_shown(file.origin, None)} is a file, and {_shown(folder.origin, None)} a folder"
    name = item.rpartition("/")[2]
    namesakes = sorted(item for item in folder.items if item.rpartition("/")[2] == name)
    if namesakes:
        listed = " or ".join(_shown(item) for item in namesakes[:3])
        return f"{opening}, in which {listed} has its name: compare file with file"
    return f"{opening}, in which no item is called {_shown(name)}, but such as {example}"


def _folders_with(items: Container[str], collection: Collection) -> list[str]:
    """Return the folders within a collection from which its items would be called like others, best first."""
    counts: Counter[str] = Counter()
    for item in collection.items:
        parts = item.split("/")
        counts.update("/".join(parts[:cut]) for cut in range(1, len(parts)) if "/".join(parts[cut:]) in items)
    best = sorted(counts, key=lambda prefix: (-counts[prefix], prefix))
    if not best or not _is_folder(collection):
        return []
    return [
        f"{collection.origin.rstrip('/')}/{prefix}" for prefix in best if 2 * counts[prefix] > counts[best[0]]
    ]


def _is_folder(collection: Collection) -> bool:
    """Tell a folder of files from one file, and from what is no file."""
    sources: Iterable[tuple[str | None, object]] = next(iter(collection.sources.values()), ())
    files = [name_of_source(source) or "" for _, source in sources]
    below = os.path.join(_place(collection.origin), "")  # noqa: PTH118 - with a slash behind it
    return not collection.single and any(_place(file).startswith(below) for file in files)


def _place(path: str) -> str:
    return os.path.abspath(path)  # noqa: PTH100 - text, which may be an address or no path at all


def _shown(text: str, limit: int | None = _LONG) -> str:
    return f"`{printable(text if limit is None else clip(text, limit))}`"


_EXTENT_SHARE, _EXTENT_UNITS = 0.1, 2.0
"""Extents that differ by more than either point to different recordings."""


def are_far_apart(ref: float, est: float) -> bool:
    """Tell whether an estimate ends so far from its reference as another recording does."""
    return abs(ref - est) > min(_EXTENT_UNITS, _EXTENT_SHARE * ref)


@dataclass(frozen=True, slots=True)
class IdenticalEstimates:
    """Estimates that are identical to the reference: how many, of how many references, and the first."""

    count: int = 0
    references: int = 0
    first: str | None = None

    def merge(self, other: IdenticalEstimates) -> IdenticalEstimates:
        """Return the count over both parts."""
        first = min((item for item in (self.first, other.first) if item is not None), default=None)
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
                example = quote(same.first or "")
                message = (
                    f"estimate is identical to the reference for {plural(same.count, 'item')}, e.g. {example}"
                )
                yield Diagnostic("KT208", "warning", message, system=system, count=same.count)
            distant = self.distant.get((system, annotator), DistantEnds())
            if distant.count:
                _, item, ref, est = distant.furthest
                message = (
                    f"estimate and reference of {plural(distant.count, 'item')} end far apart, "
                    f"most of all {quote(item)}: {est:.1f} and {ref:.1f} {task.extent_unit}"
                )
                hint = "another recording, or times in another unit?"
                yield Diagnostic("KT210", "warning", message, system=system, count=distant.count, hint=hint)
        for first, second in combinations(names, 2):
            if (first, second) not in self.unequal and first not in self.empty:
                message = f"systems {quote(first)} and {quote(second)} gave the same estimates"
                yield Diagnostic("KT209", "warning", message, system=second)


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
            for item in known.keys() & of_system:
                ref, est = known[item], of_system[item]
                # an estimate that ends elsewhere is not identical, and extents are cheaper than contents
                if est == ref and content(name, item) == of_annotator[item]:
                    same.append(item)
                elif are_far_apart(ref, est):
                    ends.append((abs(ref - est), item, ref, est))
            if known:
                identical[name, annotator] = IdenticalEstimates(
                    len(same), len(known), min(same, default=None)
                )
            if ends:
                distant[name, annotator] = DistantEnds(len(ends), max(ends))
    unequal = {
        (first, second)
        for first, second in combinations(extents, 2)
        if extents[first] != extents[second]
        or any(content(first, item) != content(second, item) for item in extents[first])
    }
    empty = frozenset(name for name, of_system in extents.items() if not of_system)
    return SanityChecks(identical, distant, frozenset(unequal), empty)


def _extents(task: Task, annotations: Mapping[str, Any]) -> dict[str, float]:
    """Return the extent of each annotation that is not empty."""
    extents = {}
    for item, annotation in annotations.items():
        if annotation is not None:
            extents[item] = task.extent(annotation)
    return extents
