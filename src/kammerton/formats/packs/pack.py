# SPDX-License-Identifier: MIT
"""A pack that is open: its collections, sources and annotations, decoded block by block."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kammerton.errors import DataError, Diagnostic, quote
from kammerton.formats.folders import item_name, without_suffix
from kammerton.formats.packs.layout import (
    INDEX,
    OWN,
    About,
    Record,
    RecordError,
    contents_of,
    digest_of,
    parse_diagnostics,
    schema_of,
    texts_of,
)
from kammerton.formats.packs.packing import Seal, SealError
from kammerton.formats.source import open_regular
from kammerton.model.corpus import Collection, StoredSource, StoredSources
from kammerton.model.task import PackedColumn, Packing, Reading, Task

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Again", "Pack", "damaged", "fault", "unpacked"]


def _problem(code: str, message: str, file: str, hint: str | None = None) -> Diagnostic:
    """Return the diagnostic of a pack, or of a part of it."""
    return Diagnostic(code=code, severity="error", message=message, file=file, hint=hint)


def fault(code: str, message: str, file: str, hint: str | None = None) -> DataError:
    """Return the error of a pack that cannot be used."""
    return DataError((_problem(code, message, file, hint),))


def damaged(why: str, file: str) -> DataError:
    """Return the error of a pack that is not as it was written."""
    return fault("KT721", f"pack is damaged: {why}", file, "pack it again")


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
            return Reading((), (*diagnostics, _problem("KT726", message, self._path, "pack it again")))
        return Reading(tuple(zip(self._names[rows], annotations, strict=True)), diagnostics)


def _columns(contents: Mapping[str, Any], packing: Packing, path: str) -> dict[str, PackedColumn]:
    some = np.array(contents["usable"].values, dtype=bool)
    columns = {}
    for name, kind in (*packing.single.items(), *packing.lists.items()):
        try:
            columns[name] = contents[name].of(some, kind)
        except ValueError as error:
            raise fault("KT723", f"pack cannot be used: column {quote(name)} {error}", path) from error
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
        return self._pack.reading(self._row)

    @property
    def file(self) -> str | None:
        """What it was read from."""
        return self._pack.file(self._row)

    @property
    def digest(self) -> str | None:
        """Its place in a block, and the digest of that, which was compared to what is there."""
        return self._pack.digest(self._row)

    @property
    def claim(self) -> str:
        """The same, before anything is decoded."""
        return self._pack.claim(self._row)


class _PackedSources(StoredSources):
    """The sources of a collection in a pack, by item; names are read once they are looked at."""

    def __init__(self, pack: Pack, number: int, index: _Index | None = None) -> None:
        self._pack = pack
        self._number = number
        self._index = index

    def __reduce__(self) -> tuple[Any, ...]:
        return _PackedSources, (self._pack, self._number, self._index)

    @cached_property
    def _listed(self) -> _Listed:
        return _Listed.of(self._pack.index(self._number) if self._index is None else self._index)

    def __len__(self) -> int:
        return len(self._listed.places)

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed.places)

    def __contains__(self, item: object) -> bool:
        return item in self._listed.places

    def __getitem__(self, item: str) -> tuple[tuple[str | None, _PackedSource], ...]:
        listed = self._listed
        place, annotators = listed.places[item], listed.annotators
        return tuple(
            [
                (None if annotators is None else annotators[at], _PackedSource(self._pack, listed.rows[at]))
                for at in range(listed.bounds[place], listed.bounds[place + 1])
            ]
        )

    def only(self, items: Iterable[str]) -> _PackedSources:
        """Return those of some items, in their order."""
        return _PackedSources(self._pack, self._number, self._listed.only(items))


@dataclass(frozen=True, slots=True)
class _Listed:
    """Where the sources of a collection begin: rows by source, sources by place, places by item."""

    rows: array[int]
    bounds: array[int]
    places: dict[str, int]
    annotators: list[str | None] | None

    @classmethod
    def of(cls, index: _Index) -> _Listed:
        names = index.items
        starts = [place for place, name in enumerate(names) if place == 0 or name != names[place - 1]]
        return cls(
            index.rows,
            array("q", [*starts, len(names)]),
            {names[start]: place for place, start in enumerate(starts)},
            index.annotators,
        )

    def only(self, items: Iterable[str]) -> _Index:
        places, bounds = self.places, self.bounds  # for there are many items
        kept = [
            (item, at)
            for item in items
            if (place := places.get(item)) is not None
            for at in range(bounds[place], bounds[place + 1])
        ]
        annotators = None if self.annotators is None else [self.annotators[at] for _, at in kept]
        return _Index(array("q", [self.rows[at] for _, at in kept]), [item for item, _ in kept], annotators)


_INTERRUPTED = "KEYBOARD_INTERRUPT"
"""The message of polars when the program is interrupted."""
_KEPT = 8
"""Blocks that stay decoded: a few for each collection that is read side by side."""
Again = tuple[Callable[..., "Pack"], tuple[Any, ...]]
"""How other processes open a pack: what is called, and with what."""


class Pack:
    """A pack that was opened."""

    def __init__(self, path: str, task: Task, record: Record, seal: Seal, file: str, again: Again) -> None:
        assert task.packing is not None, "only annotations that can be packed are"
        self.path = path
        self.record = record
        self._seal = seal
        self._file = file
        self._again = again
        self._packing: Packing = task.packing
        self._begins = [0, *accumulate(block.rows for block in record.blocks)]
        self._block = lru_cache(maxsize=_KEPT)(self._decoded_block)

    def __reduce__(self) -> Again:
        return self._again

    # --- names ---------------------------------------------------------------------------------

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
        )

    def sources(self, number: int) -> _PackedSources:
        """Return the sources of a collection by item."""
        return _PackedSources(self, number)

    def index(self, number: int) -> _Index:
        """Return what there is of a collection."""
        return self._indexes[number]

    @cached_property
    def _indexes(self) -> list[_Index]:
        """The index of each collection; collections follow one another."""
        columns = self._index_columns()
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

    def _index_columns(self) -> dict[str, list[Any]]:
        """Return the columns of the index."""
        columns = self._read(list(INDEX), 0, self._begins[-1]).to_dict(as_series=False)
        for name in ("collection", "item", "first"):
            if None in columns[name]:
                raise fault("KT723", f"pack cannot be used: column {quote(name)} has nulls", self.path)
        return columns

    def _read(self, columns: list[str], begin: int, end: int) -> pl.DataFrame:
        """Decode some columns of some rows, of which every byte is what was written."""
        import polars as pl  # noqa: PLC0415 - half the import time; many runs of the program read none

        try:
            self._check(self._types, columns)
            with open_regular(self._file, name=self.path) as file:
                self._seal.check(file, columns, begin, end)
            frame: pl.DataFrame = self._lazy.select(columns).slice(begin, end - begin).collect()
        except SealError as error:
            raise damaged(f"{_rows(begin, end)} are not what was written", self.path) from error
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            if _INTERRUPTED in str(error):
                raise KeyboardInterrupt from error
            raise damaged(f"{_rows(begin, end)} cannot be decoded", self.path) from error
        return frame

    @cached_property
    def _lazy(self) -> pl.LazyFrame:
        """The table, which keeps its footer once it was read."""
        import polars as pl  # noqa: PLC0415

        return pl.scan_parquet(self._file, glob=False, hive_partitioning=False)

    @cached_property
    def _types(self) -> Mapping[str, pl.DataType]:
        return self._lazy.collect_schema()

    def _check(self, types: Mapping[str, pl.DataType], columns: list[str]) -> None:
        expected = schema_of(self._packing)
        for name in columns:
            if name not in types:
                raise fault("KT723", f"pack has no column {quote(name)}", self.path)
            if types[name] != expected[name]:
                message = f"column {quote(name)} of a pack is of type {types[name]}, not {expected[name]}"
                raise fault("KT723", message, self.path)

    # --- annotations ---------------------------------------------------------------------------

    def reading(self, row: int) -> Reading[Any]:
        """Return the reading of the source that begins in a row."""
        number, place = self._place(row)
        block = self._block(number)
        return block.reading(place) if isinstance(block, _Decoded) else Reading((), block)

    def file(self, row: int) -> str | None:
        """Return the file of the source that begins in a row, if it is known."""
        number, place = self._place(row)
        block = self._block(number)
        return block.file(place) if isinstance(block, _Decoded) else None

    def digest(self, row: int) -> str | None:
        """Return the identity of the source that begins in a row; None if its block is damaged."""
        return self.claim(row) if isinstance(self._block(self._place(row)[0]), _Decoded) else None

    def claim(self, row: int) -> str:
        """Return the identity that the pack claims for it."""
        number, place = self._place(row)
        return f"{self.record.blocks[number].digest}:{place}"

    def _place(self, row: int) -> tuple[int, int]:
        """Return the block of a row, and the place of the row in it."""
        number = bisect_right(self._begins, row) - 1
        return number, row - self._begins[number]

    def _decoded_block(self, number: int) -> _Decoded | tuple[Diagnostic, ...]:
        """Decode a block, or return the diagnostics of one that is damaged, for each of its sources."""
        block, begin = self.record.blocks[number], self._begins[number]
        columns = [*OWN, *self._packing.single, *self._packing.lists]
        end = begin + block.rows
        try:
            contents = contents_of(self._read(columns, begin, end))
            if digest_of(contents) != block.digest:
                raise damaged(f"{_rows(begin, end)} are not what was written", self.path)
            return _Decoded(contents, self._packing, self.path)
        except DataError as error:
            return error.diagnostics


def _rows(begin: int, end: int) -> str:
    return f"rows {begin + 1:,} to {end:,}"


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
