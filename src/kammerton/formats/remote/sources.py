# SPDX-License-Identifier: MIT
"""Handles of files elsewhere, of which neighbours are fetched together."""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path, PurePosixPath
from typing import Any

from kammerton.errors import DataError, Diagnostic
from kammerton.formats.options import Limits
from kammerton.formats.remote.store import Entry, Store, unreadable
from kammerton.model.sources import StoredSource
from kammerton.model.task import Reading, Sheet, Task

__all__ = ["RemoteSource", "batches", "lying_here"]

_FILES, _BYTES = 64, 16 * 2**20
"""Files, and bytes of them, that are fetched together."""


class Batch:
    """Files that are fetched together once one of them is asked for.

    Parameters
    ----------
    store : Store
    entries : tuple of Entry
    task : Task
        Reads them.
    options : object
    """

    def __init__(self, store: Store, entries: tuple[Entry, ...], task: Task, options: object) -> None:
        self.store = store
        self.entries = entries
        self.task = task
        self.options = options
        self._fetched: dict[str, bytes | Exception] = {}
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return Batch, (self.store, self.entries, self.task, self.options)

    def take(self, number: int) -> bytes | Exception:
        """Return what a file holds, and let go of it."""
        path = self.entries[number].path
        with self._lock:  # threads may read side by side
            if path not in self._fetched:
                limit = limit_of(self.options)
                self._fetched = self.store.fetch([each.path for each in self.entries if fits(each, limit)])
            return self._fetched.pop(path)


def batches(store: Store, entries: Iterable[Entry], task: Task, options: object) -> Iterator[Batch]:
    """Give files, one at least, in batches in the same order."""
    together: list[Entry] = []
    size = 0
    for entry in entries:
        if together and (len(together) == _FILES or size + (entry.size or 0) > _BYTES):
            yield Batch(store, tuple(together), task, options)
            together, size = [], 0
        together.append(entry)
        size += entry.size or 0
    yield Batch(store, tuple(together), task, options)


class RemoteSource(StoredSource):
    """A file elsewhere, as one of a batch."""

    __slots__ = ("_batch", "_number")

    def __init__(self, batch: Batch, number: int) -> None:
        self._batch = batch
        self._number = number

    def __reduce__(self) -> tuple[Any, ...]:
        return RemoteSource, (self._batch, self._number)

    def read(self) -> Reading[Any]:
        """Fetch the file, and read it as one that lies here."""
        batch = self._batch
        try:
            with self.fetched() as path:
                return batch.task.read(path, self.file, batch.options)
        except DataError as error:
            return Reading((), error.diagnostics)

    def unfold(self) -> Sheet[Any] | None:
        """Return what the file holds if it holds many items; None if not, or if it cannot be fetched."""
        batch = self._batch
        if batch.task.unfold is None:
            return None
        try:
            with self.fetched() as path:
                return batch.task.unfold(path, self.file, batch.options)
        except DataError:
            return None

    @contextlib.contextmanager
    def fetched(self) -> Iterator[Path]:
        """Fetch the file, and give it as one that lies here, called as it is elsewhere.

        Raises
        ------
        DataError
            KT106 if it is too large, KT730 if it cannot be fetched.
        """
        entry, limit = self._batch.entries[self._number], limit_of(self._batch.options)
        if not fits(entry, limit):
            message = f"file of {entry.size:,} bytes: over the limit of {limit:,}"
            raise DataError([Diagnostic(code="KT106", severity="error", message=message, file=entry.shown)])
        data = self._batch.take(self._number)
        if isinstance(data, Exception):
            raise DataError([unreadable(data, entry.shown)])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, PurePosixPath(entry.name).name)
            path.write_bytes(data)
            yield path

    @property
    def file(self) -> str:
        """Its address, as messages have it."""
        return self._batch.entries[self._number].shown

    @property
    def digest(self) -> str | None:
        """Its address, and what the store says of its content, if it does."""
        entry = self._batch.entries[self._number]
        return None if entry.mark is None else f"{entry.shown}:{entry.size}:{entry.mark}"


def limit_of(options: object) -> int:
    """Return how many bytes a file may have."""
    limits = getattr(options, "limits", None)
    return (limits if isinstance(limits, Limits) else Limits()).bytes


def fits(entry: Entry, limit: int) -> bool:
    """Tell whether a file may be fetched; what does not say its size is looked at once it is here."""
    return entry.size is None or entry.size <= limit


def lying_here(file: str | os.PathLike[str] | RemoteSource) -> AbstractContextManager[Path]:
    """Give a file that readers of files can open.

    Raises
    ------
    DataError
        KT106, KT730 if it lies elsewhere, and cannot be fetched.
    """
    return file.fetched() if isinstance(file, RemoteSource) else contextlib.nullcontext(Path(file))
