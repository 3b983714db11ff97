# SPDX-License-Identifier: MIT
"""Put the annotations of a folder, or of a list of pairs, into one file."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kammerton.arguments import corpus_of, options_of, without_sides
from kammerton.errors import DataError, Diagnostic, OptionError, OutputError, quote, told_once
from kammerton.formats.collecting import collect
from kammerton.formats.packs import new_pack
from kammerton.formats.packs.record import Role
from kammerton.formats.packs.writing import PackWriter
from kammerton.formats.remote import check_here
from kammerton.model.corpus import Collection
from kammerton.model.loading import name_of_source, read_source
from kammerton.model.packing import OF_BLOCKS
from kammerton.model.registry import find_task
from kammerton.model.task import Reading, Task

__all__ = ["Packed", "pack"]

StrPath = str | os.PathLike[str]

_LISTED = 1000
"""Problems of packed sources that are kept to be said; all of them are in the pack."""


@dataclass(frozen=True, slots=True)
class Packed:
    """What was packed.

    Parameters
    ----------
    items : int
        Items of all collections, usable or not.
    annotations, rows : int
        Annotations, and rows, notes or labels in them.
    broken : int
        Sources and items that cannot be used; the pack has why.
    bytes : int
        Size of the pack.
    diagnostics : tuple of Diagnostic
        What was noticed, the first thousand problems of sources.
    counts : mapping of str to int
        How many errors, warnings and notes there were.
    """

    items: int
    annotations: int
    rows: int
    broken: int
    bytes: int
    diagnostics: tuple[Diagnostic, ...]
    counts: dict[str, int]


def pack(
    task: str | Task,
    source: Any = None,
    target: StrPath | None = None,
    *,
    pairs: StrPath | None = None,
    force: bool = False,
    options: object | None = None,
) -> Packed:
    """Read annotations, and write them into one file that every verb takes in their place.

    Parameters
    ----------
    task : str or Task
        ``"chords"``, ``"fingering"``, ``"instruments"``, or the name of a third party's task, which its
        package declares; or the :class:`kammerton.tasks.Task` record of one.
    source : path or mapping, optional
        A folder, a file, or a mapping of items, as for :func:`kammerton.score`.
    target : path
        The file, called ``.parquet``.
    pairs : path, optional
        A list of pairs in place of ``source``: all annotators and systems go into one file, which is then a
        list of pairs itself.
    force : bool
        Whether a file that is there already is replaced.
    options : object, optional
        How files are read. Those options that decide what is made of labels have to be the same when the
        pack is used.

    Returns
    -------
    Packed

    Raises
    ------
    OptionError
        If a name or combination is not possible.
    DataError
        If there is nothing that can be read at all.
    OutputError
        If the file cannot be written, or is there already (KT503). What stood there still does.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from kammerton import score
    >>> songs = {"song": ([(0, 2), (2, 4)], ["C", "G:7"])}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     packed = pack("chords", songs, pathlib.Path(folder, "songs.parquet"))
    ...     scores = score("chords", pathlib.Path(folder, "songs.parquet"), {"same": songs})
    >>> packed.items, packed.rows, scores.value("mirex2013/MajMin")
    (1, 2, 1.0)
    """
    found = find_task(task)
    reading = options_of(found, options)
    if found.packing is None:
        raise OptionError(f"annotations of {found.name} cannot be packed")
    if target is None:
        raise OptionError("where to?", "the path of a file, OUT.parquet")
    collections = _collections(found, source, pairs, reading)
    check_target(target, force=force)
    job = _Job(found, reading)
    with new_pack(target, found, reading) as writer:
        for collection, role in collections:
            writer.begin(collection, role)
            job.pack(collection, writer)
        job.check(writer)
    return job.done(writer, collections, Path(target).stat().st_size)


def check_target(target: StrPath, *, force: bool) -> None:
    """Refuse a target that is there, or that nobody would take for a pack.

    Raises
    ------
    OptionError
        If it is not called ``.parquet``, or an address.
    OutputError
        KT503 if it is there, and not to be replaced.
    """
    check_here(target)
    shown = quote(os.fsdecode(target))
    if Path(target).suffix.lower() != ".parquet":
        raise OptionError(f"a pack is called .parquet, and not {shown}")
    if os.path.lexists(target) and not force:
        raise OutputError(f"KT503 cannot write {shown}: it is there already\n  help: --force replaces it")


def _collections(
    task: Task, source: Any, pairs: StrPath | None, options: object
) -> list[tuple[Collection, Role]]:
    if pairs is None:
        if source is None:
            raise OptionError("what is to be packed?", "a folder, or a list of pairs: --pairs")
        plain = without_sides(options)
        return [(collect(source, name=None, default_name="annotations", task=task, options=plain), "")]
    corpus = corpus_of(task, source, None, {}, pairs, options)
    references: list[tuple[Collection, Role]] = [(each, "reference") for each in corpus.references]
    return [*references, *((each, "system") for each in corpus.systems)]


class _Job:
    """Packs collection after collection, and remembers what was wrong."""

    def __init__(self, task: Task, options: object) -> None:
        self._task = task
        self._options = options
        self._said: list[Diagnostic] = []
        self._counts: Counter[str] = Counter()

    def pack(self, collection: Collection, writer: PackWriter) -> None:
        """Read every source, and hand it on."""
        self._said += collection.diagnostics
        self._counts.update(each.severity for each in collection.diagnostics)
        for item, told, source, reading in self._readings(collection):
            writer.add(item, told, name_of_source(source), reading)
            self._counts.update(each.severity for each in reading.diagnostics)
            room = max(0, _LISTED - len(self._said))
            self._said += [each.at(item=item) for each in reading.diagnostics[:room]]

    def _readings(self, collection: Collection) -> Iterator[tuple[str, str | None, object, Reading[Any]]]:
        for item, sources in collection.sources.items():
            for told, source in sources:
                yield (
                    item,
                    told,
                    source,
                    read_source(self._task, source, item, collection.read_by(self._options)),
                )

    def check(self, writer: PackWriter) -> None:
        """Refuse to write a pack of nothing."""
        if not writer.written.annotations:
            raise DataError(self._told())

    def done(self, writer: PackWriter, collections: list[tuple[Collection, Role]], size: int) -> Packed:
        """Return what was packed."""
        written = writer.written
        items = {item for collection, _ in collections for item in collection.items}
        broken = sum(len(collection.broken) for collection, _ in collections) + written.failed
        said = tuple(self._told())
        return Packed(len(items), written.annotations, written.rows, broken, size, said, dict(self._counts))

    def _told(self) -> list[Diagnostic]:
        return told_once(self._said, OF_BLOCKS)
