# SPDX-License-Identifier: MIT
"""Packs: many annotations, with their diagnostics, in one Parquet file.

Blocks of annotations are put together to one sealed file, and decoded block by block. A pack at an address is
copied: decoding needs a file.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
import weakref
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from pathlib import Path, PurePath, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kammerton.errors import DataError, Diagnostic, OptionError, OutputError, quote
from kammerton.formats.folders import item_name, without_suffix
from kammerton.formats.pack_layout import (
    INDEX,
    KEY,
    MAGIC,
    OWN,
    About,
    Block,
    CollectionRole,
    Record,
    RecordError,
    check_seal,
    contents_of,
    damaged,
    frame_of,
    parse_diagnostics,
    put_seal,
    render_diagnostics,
    schema_of,
    texts_of,
)
from kammerton.formats.reading import signed_choices, signed_making
from kammerton.formats.remote import RemoteStore, is_remote, name_at
from kammerton.formats.source import open_regular
from kammerton.formats.writing import replacing
from kammerton.model.corpus import Collection, Corpus, StoredSource, StoredSources
from kammerton.model.task import PackedColumn, Packing, Reading, Task

if TYPE_CHECKING:
    import polars as pl

_ROWS, _BLOCK_VALUES = 1000, 200_000
"""Annotations, and rows of theirs, that fill a block."""
_MOST_VALUES = 4_000_000
"""Rows of annotations that a group of the file may have."""
_LEVEL = 3


@dataclass(frozen=True, slots=True)
class _Written:
    """What was packed."""

    # annotations, rows: how many annotations, and how many rows, notes or labels they have
    annotations: int
    rows: int
    failed: int  # sources that gave no annotation


def chosen(packing: Packing, options: object) -> dict[str, str]:
    """Return the options that decide what is read, as far as they are not the defaults."""
    signed = signed_choices(options)
    return {name: signed[name] for name in sorted(packing.choices & signed.keys())}


@contextmanager
def new_pack(path: str | os.PathLike[str], task: Task, options: object) -> Iterator[PackWriter]:
    """Write a pack, which appears once it is complete."""
    with replacing(path) as folder, packing_in(folder, task, options) as writer:
        yield writer


@contextmanager
def packing_in(folder: Path, task: Task, options: object) -> Iterator[PackWriter]:
    """Write a pack in a folder of its own, where it is called ``whole``."""
    import polars as pl  # noqa: PLC0415 - half the import time; most runs of the program pack nothing

    writer = PackWriter(folder, task, options)
    try:
        yield writer
        writer.finish()
    except pl.exceptions.PolarsError as error:
        reason = str(error).partition("\n")[0].rpartition("error: ")[2]
        raise OutputError(f"KT502 cannot write the pack: {reason}") from error


class PackWriter:
    """Takes readings, collection after collection, in the order in which they are to be read again."""

    def __init__(self, folder: Path, task: Task, options: object) -> None:
        assert task.packing is not None, "only annotations that can be packed are"
        self._folder = folder
        self._task = task
        self._packing: Packing = task.packing
        self._choices = chosen(self._packing, options)
        self._collections: list[About] = []
        self._rows: list[Mapping[str, Any]] = []
        self._values: list[int] = []
        self._filled = 0
        self._blocks: list[Block] = []
        self._failed = self._counted = 0

    def begin(self, collection: Collection, role: CollectionRole = "") -> None:
        """Begin a collection, of which the sources follow."""
        self._collections.append(About.of(collection, role))

    def add(self, item: str, annotator: str | None, file: str | None, reading: Reading[Any]) -> None:
        """Take what a source of the collection gave; those of one item follow each other."""
        diagnostics = render_diagnostics(reading.diagnostics)
        own = {"collection": len(self._collections) - 1, "item": item, "told": annotator, "file": file}
        for number, (name, annotation) in enumerate(reading.annotations):
            columns = self._packing.pack(annotation)
            first = {"first": number == 0, "said": None if number else diagnostics}
            self._take({**own, **first, "name": name, "usable": True, **columns})
            self._counted += self._packing.rows(annotation)
        if not reading.annotations:
            self._failed += 1
            self._take({**own, "first": True, "said": diagnostics, "usable": False})
        if len(self._rows) >= _ROWS or self._filled >= _BLOCK_VALUES:
            self._flush()

    def _take(self, row: Mapping[str, Any]) -> None:
        self._rows.append(row)
        self._values.append(max((len(row.get(name, ())) for name in self._packing.lists), default=0))
        self._filled += self._values[-1]

    def _flush(self) -> None:
        part = self._part(len(self._blocks))
        frame_of(self._packing, self._rows).write_parquet(part, compression="zstd", compression_level=1)
        self._blocks.append(Block(len(self._rows), hashlib.sha256(part.read_bytes()).hexdigest()))
        self._rows, self._filled = [], 0

    def _part(self, number: int) -> Path:
        return self._folder / f"{number:08d}.parquet"

    @property
    def written(self) -> _Written:
        """What was taken up to now."""
        annotations = len(self._values) - self._failed
        return _Written(annotations, self._counted, self._failed)

    @property
    def record(self) -> Record:
        """The record of what was added so far."""
        return Record(self._task.name, self._choices, tuple(self._collections), tuple(self._blocks))

    def finish(self) -> None:
        """Put the blocks together to one file."""
        import polars as pl  # noqa: PLC0415

        if self._rows or not self._blocks:
            self._flush()
        parts = [self._part(number) for number in range(len(self._blocks))]
        frame: pl.LazyFrame = pl.scan_parquet(parts, glob=False, hive_partitioning=False)
        # a group of the file has as many rows as a block, or as few as keep it small
        size = max(1, *(block.rows for block in self._blocks))
        values = np.array(self._values, dtype=np.int64)
        while size > 1 and np.add.reduceat(values, range(0, len(values), size)).max() > _MOST_VALUES:
            size = (size + 1) // 2
        whole = self._folder / "whole"
        frame.sink_parquet(
            whole,
            compression="zstd",
            compression_level=_LEVEL,
            row_group_size=size,
            metadata={KEY: self.record.render()},
        )
        put_seal(whole)


_ROWS_PER_BYTE = 8
"""A row takes an eighth of a byte at least, however well it is packed."""
_INTERRUPTED = "KEYBOARD_INTERRUPT"
"""The message of polars when the program is interrupted."""
_KEPT = 8
"""Blocks that stay decoded: a few for each collection that is read side by side."""
_Reopening = tuple[Callable[..., "Pack"], tuple[Any, ...]]
"""How other processes open a pack: what is called, and with what."""


class _Decoded:
    """The decoded sources that begin in a block."""

    def __init__(self, contents: Mapping[str, Any], packing: Packing, path: str) -> None:
        self._path = path
        self._usable: list[bool] = contents["usable"].values
        annotations = iter(packing.unpack(_columns(contents, packing, path)))
        self._annotations = [next(annotations) if is_usable else None for is_usable in self._usable]
        self._names, self._files, texts = (
            texts_of(contents[name].values) for name in ("name", "file", "said")
        )
        begins = [row for row, first in enumerate(contents["first"].values) if first]
        self._ends = dict(zip(begins, [*begins[1:], len(texts)], strict=True))
        try:
            self._diagnostics = {row: parse_diagnostics(texts[row]) for row in begins}
        except RecordError as error:
            raise damaged(str(error), path) from error

    def file(self, row: int) -> str | None:
        """Return the file of the source that begins in a row, if it is known."""
        file: str | None = self._files[row]
        return file

    def reading(self, row: int) -> Reading[Any]:
        """Return what the source gave that begins in a row; it is read once, and made as it is."""
        diagnostics = self._diagnostics[row]
        if not self._usable[row]:
            return Reading((), diagnostics)
        rows = slice(row, self._ends[row])
        annotations = self._annotations[rows]
        if None in annotations:
            message = "packed annotation is none that a file can hold: times, labels or lengths do not fit"
            error = DataError.of("KT726", message, self._path, "pack it again")
            return Reading((), (*diagnostics, *error.diagnostics))
        return Reading(tuple(zip(self._names[rows], annotations, strict=True)), diagnostics)


def _columns(contents: Mapping[str, Any], packing: Packing, path: str) -> dict[str, PackedColumn]:
    usable = np.array(contents["usable"].values, dtype=bool)
    columns = {}
    for name, kind in (*packing.single.items(), *packing.lists.items()):
        try:
            columns[name] = contents[name].of(usable, kind)
        except ValueError as error:
            raise DataError.of("KT723", f"pack cannot be used: column {quote(name)} {error}", path) from error
    return columns


class _Index(NamedTuple):
    """The sources of a collection: their first rows, items, and annotators from the names of files."""

    rows: array[int]
    items: list[str]
    annotators: list[str | None] | None


class _PackedSource(StoredSource):
    """A source in a pack, by the row in which it begins."""

    __slots__ = ("_pack", "_row")

    def __init__(self, pack: Pack, row: int) -> None:
        self._pack = pack
        self._row = row

    def __reduce__(self) -> tuple[Any, ...]:
        return _PackedSource, (self._pack, self._row)

    def read(self) -> Reading[Any]:
        """Return what the source gave when it was packed."""
        block, row = self._pack.block_of(self._row)
        return block.reading(row) if isinstance(block, _Decoded) else Reading((), block)

    @property
    def file(self) -> str | None:
        """What it was read from."""
        block, row = self._pack.block_of(self._row)
        return block.file(row) if isinstance(block, _Decoded) else None

    @property
    def digest(self) -> str:
        """The digest of its block, and its place there; nothing is decoded for it."""
        return self._pack.digest(self._row)


class _PackedSources(StoredSources):
    """The sources of a collection in a pack, by item; names are read once they are looked at."""

    def __init__(self, pack: Pack, number: int, index: _Index | None = None) -> None:
        self._pack = pack
        self._number = number
        self._part = index

    def __reduce__(self) -> tuple[Any, ...]:
        return _PackedSources, (self._pack, self._number, self._part)

    @property
    def _index(self) -> _Index:
        return self._pack.indexes[self._number] if self._part is None else self._part

    @cached_property
    def _firsts(self) -> dict[str, int]:
        """Where the sources of each item begin in the index; they follow one another."""
        items = self._index.items
        return {item: at for at, item in enumerate(items) if at == 0 or item != items[at - 1]}

    def __len__(self) -> int:
        return len(self._firsts)

    def __iter__(self) -> Iterator[str]:
        return iter(self._firsts)

    def __contains__(self, item: object) -> bool:
        return item in self._firsts

    def __getitem__(self, item: str) -> tuple[tuple[str | None, _PackedSource], ...]:
        rows, _, annotators = self._index
        return tuple(
            [
                (None if annotators is None else annotators[at], _PackedSource(self._pack, rows[at]))
                for at in self._entries(item)
            ]
        )

    def _entries(self, item: str) -> range:
        items, first = self._index.items, self._firsts[item]
        end = first + 1
        while end < len(items) and items[end] == item:
            end += 1
        return range(first, end)

    def only(self, items: Iterable[str]) -> _PackedSources:
        """Return those of some items, in their order."""
        rows, names, annotators = self._index
        entries = [at for item in items if item in self._firsts for at in self._entries(item)]
        index = _Index(
            array("q", [rows[at] for at in entries]),
            [names[at] for at in entries],
            None if annotators is None else [annotators[at] for at in entries],
        )
        return _PackedSources(self._pack, self._number, index)


class Pack:
    """A pack that was opened."""

    def __init__(self, name: str, file: str, task: Task, record: Record, reopening: _Reopening) -> None:
        assert task.packing is not None, "only annotations that can be packed are"
        self.path = name
        self.record = record
        self._file = file
        self._reopening = reopening
        self._packing: Packing = task.packing
        self._begins = [0, *accumulate(block.rows for block in record.blocks)]
        self._block = lru_cache(maxsize=_KEPT)(self._decoded_block)

    def __reduce__(self) -> _Reopening:
        return self._reopening

    def collection(self, number: int, *, name: str | None = None) -> Collection:
        """Return a collection of the pack, under its own or another name."""
        about = self.record.collections[number]
        return Collection(
            name or about.name,
            self.sources(number),
            self.path,
            about.diagnostics,
            about.broken,
            single=about.single,
            written=about.written,
            made=signed_making(about.made),
        )

    def sources(self, number: int) -> _PackedSources:
        """Return the sources of a collection by item."""
        return _PackedSources(self, number)

    @cached_property
    def indexes(self) -> list[_Index]:
        """The index of each collection; collections follow one another."""
        columns = self._read(list(INDEX), 0, self._begins[-1]).to_dict(as_series=False)
        for name in ("collection", "item", "first"):
            if None in columns[name]:
                raise DataError.of("KT723", f"pack cannot be used: column {quote(name)} has nulls", self.path)
        numbers, first = columns["collection"], columns["first"]
        indexes = []
        for number in range(len(self.record.collections)):
            rows = range(bisect_left(numbers, number), bisect_right(numbers, number))
            begins = [row for row in rows if first[row]]
            items, annotators = ([columns[name][row] for row in begins] for name in ("item", "told"))
            indexes.append(
                _Index(array("q", begins), texts_of(items), texts_of(annotators) if any(annotators) else None)
            )
        return indexes

    def block_of(self, row: int) -> tuple[_Decoded | tuple[Diagnostic, ...], int]:
        """Return the block of a row, or why it cannot be used, and the place of the row in it."""
        number, place = self._place(row)
        return self._block(number), place

    def digest(self, row: int) -> str:
        """Return the identity of the source that begins in a row."""
        number, place = self._place(row)
        return f"{self.record.blocks[number].digest}:{place}"

    def _place(self, row: int) -> tuple[int, int]:
        number = bisect_right(self._begins, row) - 1
        return number, row - self._begins[number]

    def _decoded_block(self, number: int) -> _Decoded | tuple[Diagnostic, ...]:
        columns = [*OWN, *self._packing.single, *self._packing.lists]
        try:
            contents = contents_of(self._read(columns, *self._begins[number : number + 2]))
            return _Decoded(contents, self._packing, self.path)
        except DataError as error:
            return error.diagnostics

    def _read(self, columns: list[str], begin: int, end: int) -> pl.DataFrame:
        """Decode some columns of some rows."""
        import polars as pl  # noqa: PLC0415 - half the import time; many runs of the program read none

        try:
            self._check_types(columns)
            frame: pl.DataFrame = self._lazy.select(columns).slice(begin, end - begin).collect()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            if _INTERRUPTED in str(error):
                raise KeyboardInterrupt from error
            raise damaged(f"rows {begin + 1:,} to {end:,} cannot be decoded", self.path) from error
        return frame

    @cached_property
    def _lazy(self) -> pl.LazyFrame:
        """The table, which keeps its footer once it was read."""
        import polars as pl  # noqa: PLC0415

        return pl.scan_parquet(self._file, glob=False, hive_partitioning=False)

    @cached_property
    def _types(self) -> Mapping[str, pl.DataType]:
        return self._lazy.collect_schema()

    def _check_types(self, columns: list[str]) -> None:
        expected = schema_of(self._packing)
        for name in columns:
            if name not in self._types:
                raise DataError.of("KT723", f"pack has no column {quote(name)}", self.path)
            if self._types[name] != expected[name]:
                message = (
                    f"column {quote(name)} of a pack is of type {self._types[name]}, not {expected[name]}"
                )
                raise DataError.of("KT723", message, self.path)


def unpacked(pack: Pack, task: Task) -> Iterator[tuple[str, str, Reading[Any]]]:
    """Yield every source of a pack as a file."""
    several = len(pack.record.collections) > 1
    for number, about in enumerate(pack.record.collections):
        above = f"{about.name}/" if several else ""
        for item, sources in pack.sources(number).items():
            for annotator, source in sources:
                yield (
                    above + _stem(about, item, annotator, source.file, task),
                    source.file or item,
                    source.read(),
                )


def _stem(about: About, item: str, annotator: str | None, file: str | None, task: Task) -> str:
    """Return the path of a file below the folder that was packed, or else the name of the item."""
    if file is not None and PurePath(file).is_relative_to(about.origin):
        path = PurePath(file).relative_to(about.origin).as_posix()
        stem = without_suffix(path, tuple(task.suffixes))
        if stem is not None:
            return item_name(stem)
    return item if annotator is None else f"{annotator}/{item}"


# --- opening --------------------------------------------------------------------------------------------


def open_pack(path: str | os.PathLike[str], task: Task) -> Pack:
    """Open a pack at a path or an address, and check that each of its bytes is what was written."""
    if is_remote(path):
        return _open_copy(RemoteStore(path), task)
    place = os.fsdecode(path)
    return _open(place, task, place, (_reopen, (place, task)))


def _open(file: str, task: Task, name: str, reopening: _Reopening) -> Pack:
    """Open a pack that messages call by a name, and other processes open in another way."""
    import polars as pl  # noqa: PLC0415

    with open_regular(file, name=name) as opened:
        size = os.fstat(opened.fileno()).st_size
        try:
            check_seal(opened, name)
        except OSError as error:
            raise DataError.of("KT101", f"cannot be read: {error.strerror}", name) from error
    try:
        text = pl.read_parquet_metadata(file)[KEY]
        rows: int = pl.scan_parquet(file, glob=False).select(pl.len()).collect().item()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, KeyError) as error:
        raise damaged("its footer cannot be read", name) from error
    if rows > size * _ROWS_PER_BYTE:
        most = size * _ROWS_PER_BYTE
        message = f"file of {size:,} bytes claims {rows:,} rows: over the limit of {most:,}"
        raise DataError.of("KT722", message, name)
    record = _record(text, name)
    if record.task != task.name:
        raise DataError.of("KT724", f"pack of {record.task}, not of {task.name}", name)
    if sum(block.rows for block in record.blocks) != rows:
        raise damaged("rows are missing", name)
    return Pack(name, file, task, record, reopening)


def _record(text: str, name: str) -> Record:
    try:
        return Record.parse(text)
    except RecordError as error:
        if error.is_later:
            message = f"{error}, written by a later version of Kammerton"
            raise DataError.of("KT725", message, name, "read it with that version, or pack again") from error
        raise damaged(str(error), name) from error


def _reopen(path: str, task: Task) -> Pack:
    """Open a pack in another process, where parts of a corpus ask for it one after the other."""
    status = os.stat(path)  # noqa: PTH116 - as `os.fstat` above
    return _opened(path, task, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=8)
def _opened(path: str, task: Task, _size: int, _changed: int) -> Pack:
    return open_pack(path, task)


def _open_copy(store: RemoteStore, task: Task) -> Pack:
    """Copy a pack, and open the copy, which is removed once nobody holds the pack."""
    folder = tempfile.mkdtemp()
    copy = Path(folder, "pack.parquet")
    try:
        store.copy_to(copy)
        pack = _open(os.fspath(copy), task, store.shown, (_reopen_copy, (store, task)))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(pack, shutil.rmtree, folder, ignore_errors=True)
    return pack


@lru_cache(maxsize=8)
def _reopen_copy(store: RemoteStore, task: Task) -> Pack:
    """Copy a pack in another process, once."""
    return _open_copy(store, task)


def is_pack(path: str | os.PathLike[str]) -> bool:
    """Return whether a path or an address is that of a Parquet file, by what it begins with, or its name."""
    if is_remote(path):
        store = RemoteStore(path)
        if store.is_folder():
            return False
        return store.head() == MAGIC or PurePosixPath(store.shown).suffix.lower() == ".parquet"
    name = os.fsdecode(path)
    try:
        if not stat.S_ISREG(os.stat(name).st_mode):  # noqa: PTH116 - pathlib is slow for many files
            return False
        with open_regular(name, name=name) as file:
            begin = file.read(len(MAGIC))
    except (DataError, OSError, ValueError):
        return False
    return begin == MAGIC or PurePath(name).suffix.lower() == ".parquet"


def collect_pack(
    path: str | os.PathLike[str], *, name: str | None, task: Task, options: object
) -> Collection:
    """Return the collection of a pack that holds only one."""
    pack = opened_pack(path, task, options)
    if len(pack.record.collections) != 1:
        held = ", ".join(quote(about.name) for about in pack.record.collections[:5])
        message = f"{quote(pack.path)} holds references and systems: {held}"
        raise OptionError(message, "take it as a list of pairs: --pairs")
    own = name_at(path) if is_remote(path) else PurePath(os.path.abspath(path)).stem  # noqa: PTH100
    return pack.collection(0, name=name or own)


def read_packed_pairs(path: str | os.PathLike[str], *, task: Task, options: object) -> Corpus:
    """Return the corpus of a pack that was made of a list of pairs."""
    pack = opened_pack(path, task, options)
    collections: dict[str, list[Collection]] = {"reference": [], "system": [], "": []}
    for number, about in enumerate(pack.record.collections):
        collections[about.role].append(pack.collection(number))
    if not collections["reference"] or not collections["system"]:
        message = f"{quote(pack.path)} holds one collection, and no pairs"
        raise OptionError(message, "take it as references, or as a system")
    return Corpus(tuple(collections["reference"]), tuple(collections["system"]))


def opened_pack(path: str | os.PathLike[str], task: Task, options: object) -> Pack:
    """Open a pack, and check that it was made with the same options."""
    if task.packing is None:
        raise OptionError(f"annotations of {task.name} are not packed")
    pack = open_pack(path, task)
    now, then = chosen(task.packing, options), pack.record.choices
    for option in sorted(now.keys() | then.keys()):
        if now.get(option) != then.get(option):
            packed_with, read_with = (f"{option} {side.get(option, 'as by default')}" for side in (then, now))
            message = f"{quote(pack.path)} was packed with {packed_with}, and is read with {read_with}"
            raise OptionError(message, "give the same options, or pack again with these")
    return pack
