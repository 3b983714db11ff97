# SPDX-License-Identifier: MIT
"""From a pack to the sources in it: the names at once, the annotations block by block."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from kammerton.errors import DataError, quote
from kammerton.formats.packs.blocks import Damaged, Decoded
from kammerton.formats.packs.columns import INDEX, OWN, schema_of
from kammerton.formats.packs.contents import contents_of, digest_of, texts_of
from kammerton.formats.packs.problems import damaged, fault
from kammerton.formats.packs.record import Record
from kammerton.formats.packs.sealing import Seal, SealError
from kammerton.formats.packs.sources import Index, PackedSources
from kammerton.formats.source import open_regular
from kammerton.model.corpus import Collection
from kammerton.model.packing import Packing
from kammerton.model.task import Reading, Task

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Again", "Pack"]

_INTERRUPTED = "KEYBOARD_INTERRUPT"
"""What polars says as it panics because somebody stopped the program."""

_KEPT = 8
"""Blocks that stay decoded: a few for each collection that is read side by side."""

Again = tuple[Callable[..., "Pack"], tuple[Any, ...]]
"""How other processes open a pack: what is called, and with what."""


class Pack:
    """A pack that was opened.

    Parameters
    ----------
    path : str
        What messages call it.
    task : Task
    record : Record
    seal : Seal
        By which damage is told.
    file : str
        Where it is.
    again : Again
        How other processes open it, which are given nothing else.
    """

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

    def sources(self, number: int) -> PackedSources:
        """Return the sources of a collection by item."""
        return PackedSources(self, number)

    def index(self, number: int) -> Index:
        """Return what there is of a collection."""
        return self._indexes[number]

    @cached_property
    def _indexes(self) -> list[Index]:
        """What there is of each collection; they stand one behind the other."""
        found = self._columns_of_index()
        numbers, first = found["collection"], found["first"]
        indexes = []
        for number in range(len(self.record.collections)):
            rows = range(bisect_left(numbers, number), bisect_right(numbers, number))
            begins = [row for row in rows if first[row]]
            items, told = ([found[name][row] for row in begins] for name in ("item", "told"))
            indexes.append(Index(array("q", begins), texts_of(items), texts_of(told) if any(told) else None))
        return indexes

    def _columns_of_index(self) -> dict[str, list[Any]]:
        """Return the columns that say what there is."""
        found = self._read(list(INDEX), 0, self._begins[-1]).to_dict(as_series=False)
        for name in ("collection", "item", "first"):
            if None in found[name]:
                raise fault("KT723", f"pack cannot be used: column {quote(name)} has nulls", self.path)
        return found

    def _read(self, columns: list[str], begin: int, end: int) -> pl.DataFrame:
        """Decode some columns of some rows, of which every byte is what was written.

        Raises
        ------
        DataError
            KT721 if they cannot be decoded, KT723 if they are not what they have to be.
        """
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

    def _check(self, found: Mapping[str, pl.DataType], columns: list[str]) -> None:
        expected = schema_of(self._packing)
        for name in columns:
            if name not in found:
                raise fault("KT723", f"pack has no column {quote(name)}", self.path)
            if found[name] != expected[name]:
                message = f"column {quote(name)} of a pack is of type {found[name]}, not {expected[name]}"
                raise fault("KT723", message, self.path)

    # --- annotations ---------------------------------------------------------------------------

    def reading(self, row: int) -> Reading[Any]:
        """Return what the source gave that begins in a row."""
        number = self._block_of(row)
        return self._block(number).reading(row - self._begins[number])

    def file(self, row: int) -> str | None:
        """Return the file that the source was read from that begins in a row, if that can be told."""
        number = self._block_of(row)
        return self._block(number).file(row - self._begins[number])

    def digest(self, row: int) -> str | None:
        """Return what tells the source that begins in a row by its content; None if that is damaged."""
        return self.claim(row) if self._block(self._block_of(row)).is_sound else None

    def claim(self, row: int) -> str:
        """Return what the pack says tells that source."""
        number = self._block_of(row)
        return f"{self.record.blocks[number].digest}:{row - self._begins[number]}"

    def _block_of(self, row: int) -> int:
        return bisect_right(self._begins, row) - 1

    def _decoded_block(self, number: int) -> Decoded | Damaged:
        block, begin = self.record.blocks[number], self._begins[number]
        columns = [*OWN, *self._packing.single, *self._packing.lists]
        end = begin + block.rows
        try:
            contents = contents_of(self._read(columns, begin, end))
            if digest_of(contents) != block.digest:
                raise damaged(f"{_rows(begin, end)} are not what was written", self.path)
            return Decoded(contents, self._packing, self.path)
        except DataError as error:
            return Damaged(error.diagnostics)


def _rows(begin: int, end: int) -> str:
    return f"rows {begin + 1:,} to {end:,}"
