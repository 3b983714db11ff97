# SPDX-License-Identifier: MIT
"""Which files at an address are items."""

from __future__ import annotations

from pathlib import PurePosixPath

from kammerton.errors import Diagnostic
from kammerton.formats.folders import (
    Found,
    item_name,
    names_by_item,
    normal_form,
    why_ignored,
    without_suffix,
)
from kammerton.formats.reading import Problems
from kammerton.formats.remote.sources import RemoteSource, batches
from kammerton.formats.remote.store import Entry, Store
from kammerton.model.task import Task

__all__ = ["find_remote", "source_at"]


def source_at(address: str, task: Task, options: object) -> RemoteSource:
    """Return a file at an address as a source."""
    store = Store(address)
    (batch,) = batches(store, [store.whole()], task, options)
    return RemoteSource(batch, 0)


def find_remote(address: str, task: Task, options: object) -> Found[RemoteSource]:
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
        item = item_name(without_suffix(name, suffixes) or PurePosixPath(name).stem)
        return Found({item: [source_at(address, task, options)]}, (), (), single=True)
    problems = Problems(store.shown)
    used, ignored = [], []
    for entry in entries:
        why = why_ignored(entry.name, suffixes)
        if why is None:
            used.append(entry)
        else:
            ignored.append(entry.shown)
            problems.add(_ignored(entry, why))
    names = names_by_item([entry.name for entry in used], suffixes, problems)
    sources = {
        entry.name: RemoteSource(batch, number)
        for batch in batches(store, used, task, options)
        for number, entry in enumerate(batch.entries)
    }
    files = {item: [sources[name] for name in found] for item, found in names.items()}
    told = {item: without_suffix(found[0], suffixes) or "" for item, found in names.items()}
    written = {item: name for item, name in told.items() if normal_form(name) != name}
    return Found(files, tuple(ignored), problems.diagnostics(), written=written)


def _ignored(entry: Entry, why: str) -> Diagnostic:
    return Diagnostic(code="KT205", severity="note", message=f"ignored: {why}", file=entry.shown)
