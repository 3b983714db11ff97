# SPDX-License-Identifier: MIT
"""Items that have no estimate or no reference, and what the user may have meant."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from difflib import get_close_matches
from itertools import chain

from kammerton.errors import Diagnostic, clip, out_of, printable, quote, some
from kammerton.model.corpus import Collection, Missing, name_of_source

__all__ = ["unmatched"]


_POLICY = {
    "worst": "scored as worst; `--missing skip` leaves them out",
    "skip": "left out; `--missing worst` scores them as worst",
    "error": "`--missing worst` scores them as worst, `--missing skip` leaves them out",
}
_LONG = 120
"""Characters up to which an item is shown whole: names that differ often do so at their end."""


def unmatched(
    expected: frozenset[str], references: Sequence[Collection], system: Collection, *, missing: Missing
) -> tuple[Diagnostic, ...]:
    """Report which items have no estimate, and which estimates no reference."""
    lacking, unknown = [], set()
    for item in expected:  # one by one: sets of all of them would take as much memory as their scores
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
        hint = f"nearest name: {quote(near[0])}" if near else _POLICY[missing]
        if extra and len(lacking) == len(expected):
            hint = _why_apart(expected, references, system, (lacking[0], (near or extra)[0]))
        diagnostics.append(
            Diagnostic(
                code="KT203",
                severity="warning" if missing == "skip" else "error",
                message=f"no estimate for {out_of(len(lacking), len(expected), 'item')} ({some(lacking)})",
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
                code="KT204",
                severity="warning",
                message=f"no reference for {count} ({some(extra)}); not scored",
                file=system.origin or None,
                system=system.name,
                count=len(extra),
            )
        )
    return tuple(diagnostics)


def _why_apart(
    expected: frozenset[str], references: Sequence[Collection], system: Collection, examples: tuple[str, str]
) -> str:
    """Return what keeps references and estimates apart that have no item in common."""
    ours, theirs = map(_shown, examples)
    first = references[0]
    if all(collection.single for collection in references) and _is_folder(system):
        return _file_and_folder(first, system, next(iter(expected)), theirs)
    if system.single and _is_folder(first):
        return _file_and_folder(system, first, next(iter(system.items)), ours)
    folders = [*_folders_with(expected, system), *_folders_with(system.items, first)]
    known = {_place(collection.origin) for collection in (*references, system)}
    likely = [_shown(folder, None) for folder in folders if _place(folder) not in known][:3]
    if likely:
        return f"no item in common: did you mean the folder {' or '.join(likely)}?"
    return f"no item in common: references are called like {ours}, estimates like {theirs}"


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
    found: Counter[str] = Counter()
    for item in collection.items:
        parts = item.split("/")
        found.update("/".join(parts[:cut]) for cut in range(1, len(parts)) if "/".join(parts[cut:]) in items)
    best = sorted(found, key=lambda prefix: (-found[prefix], prefix))
    if not best or not _is_folder(collection):
        return []
    return [
        f"{collection.origin.rstrip('/')}/{prefix}" for prefix in best if 2 * found[prefix] > found[best[0]]
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
