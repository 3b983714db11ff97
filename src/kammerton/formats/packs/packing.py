# SPDX-License-Identifier: MIT
"""Write packs, and seal them: checksums of all bytes show damage before anything is decoded.

What decodes a file trusts what its pages say of themselves: where a bit is another, it may ask for more
memory than there is, and end the program. The seal stands between the last page and the footer, where no
reader of Parquet files looks: SHA-256 of the rest of it and of the footer, and CRC-32 of each chunk of a
column.
"""

from __future__ import annotations

import hashlib
import os
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import OutputError
from kammerton.formats.packs.layout import (
    KEY,
    MALFORMED,
    About,
    Block,
    Chunk,
    Compact,
    Footer,
    Record,
    Role,
    contents_of,
    digest_of,
    frame_of,
    read_footer,
    render_diagnostics,
)
from kammerton.formats.reading import signed_choices
from kammerton.formats.writing import replacing
from kammerton.model.corpus import Collection
from kammerton.model.task import Packing, Reading, Task

if TYPE_CHECKING:
    import polars as pl

__all__ = ["PackWriter", "Seal", "SealError", "chosen", "new_pack", "packing_in"]

_DIGEST = hashlib.sha256().digest_size
_SUM = np.dtype("<u4")
_UNPACKED, _PACKED, _PAGE, _DICTIONARY, _PAGE_2, _VALUES = 2, 3, 5, 7, 8, 1
"""Fields of a page by number, and that of its values."""


class SealError(ValueError):
    """Bytes of a pack that are not what was written."""


def put_seal(path: Path) -> None:
    """Put a seal into a Parquet file that has none."""
    with path.open("rb+") as file:
        footer = read_footer(file)
        sums = [crc32(_bytes_of(file, chunk)) for group in footer.groups for chunk in group.chunks]
        checksums = np.array(sums, dtype=_SUM).tobytes()
        file.seek(footer.begin)
        rest = file.read()
        file.seek(footer.begin)
        file.write(hashlib.sha256(checksums + rest).digest() + checksums + rest)


class Seal:
    """The seal of a file, whose footer is what was written."""

    def __init__(self, file: BinaryIO, footer: Footer) -> None:
        self._groups = footer.groups
        self._begins = [0, *accumulate(group.rows for group in footer.groups)]
        self._firsts = [0, *accumulate(len(group.chunks) for group in footer.groups)]
        size = self._firsts[-1] * _SUM.itemsize
        file.seek(max(0, footer.begin - size - _DIGEST))
        digest, rest = file.read(_DIGEST), file.read()
        if hashlib.sha256(rest).digest() != digest:
            raise SealError
        self._sums: NDArray[Any] = np.frombuffer(rest[:size], dtype=_SUM)

    def check(self, file: BinaryIO, columns: Container[str], begin: int, end: int) -> None:
        """Look at the bytes from which columns of some rows are decoded."""
        for chunk, checksum in self._chunks(begin, end):
            if chunk.column in columns:
                data = _bytes_of(file, chunk)
                if crc32(data) != checksum or not _is_as_claimed(data, chunk):
                    raise SealError

    def _chunks(self, begin: int, end: int) -> Iterator[tuple[Chunk, int]]:
        """Yield the chunks of the groups that hold some rows, each with what its checksum has to be."""
        for number in range(bisect_right(self._begins, begin) - 1, bisect_left(self._begins, end)):
            sums = self._sums[self._firsts[number] : self._firsts[number + 1]].tolist()
            yield from zip(self._groups[number].chunks, sums, strict=True)


def _bytes_of(file: BinaryIO, chunk: Chunk) -> bytes:
    file.seek(chunk.begin)
    return file.read(chunk.length)


def _is_as_claimed(data: bytes, chunk: Chunk) -> bool:
    """Return whether pages hold what the checked footer claims: anybody can seal a file."""
    pages, values, unpacked = Compact(data), 0, 0
    try:
        while pages.at < len(data):
            page = pages.struct()
            pages.at += _natural(page[_PACKED])
            unpacked += _natural(page[_UNPACKED])
            if _DICTIONARY not in page:
                values += _natural((page.get(_PAGE) or page[_PAGE_2])[_VALUES])
            elif _natural(page[_DICTIONARY][_VALUES]) > page[_UNPACKED]:  # each takes a byte at least
                return False
    except MALFORMED:
        return False
    return pages.at == len(data) and values == chunk.values and unpacked <= chunk.unpacked


def _natural(number: int) -> int:
    if number < 0:
        raise ValueError("nothing is counted below zero")
    return number


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

    def begin(self, collection: Collection, role: Role = "") -> None:
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
        frame = frame_of(self._packing, self._rows)
        contents = contents_of(frame)
        frame.write_parquet(self._part(len(self._blocks)), compression="zstd", compression_level=1)
        self._blocks.append(Block(len(self._rows), digest_of(contents)))
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
        return Record(
            self._task.name,
            self._choices,
            tuple(self._collections),
            tuple(self._blocks),
        )

    def finish(self) -> None:
        """Put the blocks together to one file."""
        import polars as pl  # noqa: PLC0415

        if self._rows or not self._blocks:
            self._flush()
        parts = [self._part(number) for number in range(len(self._blocks))]
        frame: pl.LazyFrame = pl.scan_parquet(parts, glob=False, hive_partitioning=False)
        whole = self._folder / "whole"
        frame.sink_parquet(
            whole,
            compression="zstd",
            compression_level=_LEVEL,
            row_group_size=self._group_size(),
            metadata={KEY: self.record.render()},
        )
        put_seal(whole)

    def _group_size(self) -> int:
        """Return how many rows of the table a group of the file has: as a block has, if all fit."""
        size = max(block.rows for block in self._blocks)
        values = np.array(self._values, dtype=np.int64)
        while size > 1 and np.add.reduceat(values, range(0, len(values), size)).max() > _MOST_VALUES:
            size = (size + 1) // 2
        return max(size, 1)
