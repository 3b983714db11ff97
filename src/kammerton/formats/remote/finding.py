# SPDX-License-Identifier: MIT
"""Which files at an address are items."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath

from kammerton.errors import Diagnostic, OptionError, quote
from kammerton.formats.folders import names_by_item, normal_form, why_ignored, without_suffix
from kammerton.formats.reading import Problems
from kammerton.formats.remote.sources import RemoteSource, batches
from kammerton.formats.remote.store import Entry, Store
from kammerton.model.task import Task

__all__ = ["RemoteFiles", "find_remote", "source_at"]


def source_at(address: str, task: Task, options: object) -> RemoteSource:
    """Return a file at an address as a source."""
    store = Store(address)
    (batch,) = batches(store, [store.whole()], task, options)
    return RemoteSource(batch, 0)


@dataclass(frozen=True, slots=True)
class RemoteFiles:
    """What an address holds.

    Parameters
    ----------
    shown : str
        The address as messages have it.
    files : dict of str to list of RemoteSource
        Files of each item; more than one only with a diagnostic KT201.
    diagnostics : tuple of Diagnostic
        KT201 and KT205.
    written : dict of str to str
        Names as they are there, of the items whose names had to be composed.
    single : bool
        Whether it is one file.
    """

    shown: str
    files: dict[str, list[RemoteSource]]
    diagnostics: tuple[Diagnostic, ...] = ()
    written: dict[str, str] = field(default_factory=dict)
    single: bool = False


def find_remote(address: str, task: Task, options: object) -> RemoteFiles:
    """Find the items of a folder elsewhere, in any depth, or of one file; none is fetched for it.

    Raises
    ------
    OptionError
        If there is nothing, or what reads it is not installed.
    DataError
        KT730 if it cannot be read.
    """
    store, suffixes = Store(address), tuple(task.suffixes)
    entries = store.listing()
    if entries is None:
        name = PurePosixPath(store.shown).name
        item = normal_form(without_suffix(name, suffixes) or PurePosixPath(name).stem)
        return RemoteFiles(store.shown, {item: [source_at(address, task, options)]}, single=True)
    problems = Problems(store.shown)
    used = []
    for entry in entries:
        why = why_ignored(entry.name, suffixes)
        if why is None:
            used.append(entry)
        else:
            problems.add(_ignored(entry, why))
    if not used:
        known = ", ".join(sorted(suffixes))
        raise OptionError(f"no annotation files in {quote(store.shown)}", f"suffixes read: {known}")
    names = names_by_item([entry.name for entry in used], suffixes, problems)
    sources = {
        entry.name: RemoteSource(batch, number)
        for batch in batches(store, used, task, options)
        for number, entry in enumerate(batch.entries)
    }
    files = {item: [sources[name] for name in found] for item, found in names.items()}
    told = {item: without_suffix(found[0], suffixes) or "" for item, found in names.items()}
    written = {item: name for item, name in told.items() if normal_form(name) != name}
    return RemoteFiles(store.shown, files, problems.diagnostics(), written)


def _ignored(entry: Entry, why: str) -> Diagnostic:
    return Diagnostic(code="KT205", severity="note", message=f"ignored: {why}", file=entry.shown)
