# SPDX-License-Identifier: MIT
"""From readings to a pack, source by source; memory holds one block of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kammerton.errors import OutputError
from kammerton.formats.atomic import replacing
from kammerton.formats.packs.columns import frame_of
from kammerton.formats.packs.contents import contents_of, digest_of
from kammerton.formats.packs.record import KEY, About, Block, Record, Role, render_diagnostics
from kammerton.formats.packs.sealing import put_seal
from kammerton.model.corpus import Collection
from kammerton.model.packing import Packing
from kammerton.model.signature import signed_choices
from kammerton.model.task import Reading, Task

if TYPE_CHECKING:
    import polars as pl

__all__ = ["PackWriter", "Written", "chosen", "new_pack", "packing_in"]

_ROWS, _VALUES = 1000, 200_000
"""Annotations, and rows of theirs, that fill a block."""

_MOST_VALUES = 4_000_000
"""Rows of annotations that a group of the file may have."""

_LEVEL = 3


@dataclass(frozen=True, slots=True)
class Written:
    """What was packed.

    Parameters
    ----------
    annotations, rows : int
        How many annotations, and how many rows, notes or labels they have.
    failed : int
        Sources that gave no annotation.
    """

    annotations: int
    rows: int
    failed: int


def chosen(packing: Packing, options: object) -> dict[str, str]:
    """Return the options that decide what is read, as far as they are not the defaults."""
    signed = signed_choices(options)
    return {name: signed[name] for name in sorted(packing.choices & signed.keys())}


@contextmanager
def new_pack(path: str | os.PathLike[str], task: Task, options: object) -> Iterator[PackWriter]:
    """Write a pack, which appears once it is complete.

    Parameters
    ----------
    path : path
        Where to.
    task : Task
        It has a ``packing``.
    options : object
        How the sources are read.

    Raises
    ------
    OutputError
        If it cannot be written. What stood there still does.
    """
    with replacing(path) as folder, packing_in(folder, task, options) as writer:
        yield writer


@contextmanager
def packing_in(folder: Path, task: Task, options: object) -> Iterator[PackWriter]:
    """Write a pack in a folder of its own, where it is called ``whole``.

    Raises
    ------
    OutputError
        If what writes it fails.
    """
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

    def add(self, item: str, told: str | None, file: str | None, reading: Reading[Any]) -> None:
        """Take what a source of the collection gave; those of one item follow each other."""
        said = render_diagnostics(reading.diagnostics)
        own = {"collection": len(self._collections) - 1, "item": item, "told": told, "file": file}
        for number, (name, annotation) in enumerate(reading.annotations):
            columns = self._packing.pack(annotation)
            first = {"first": number == 0, "said": None if number else said}
            self._take({**own, **first, "name": name, "usable": True, **columns})
            self._counted += self._packing.rows(annotation)
        if not reading.annotations:
            self._failed += 1
            self._take({**own, "first": True, "said": said, "usable": False})
        if len(self._rows) >= _ROWS or self._filled >= _VALUES:
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
    def written(self) -> Written:
        """What was taken up to now."""
        annotations = len(self._values) - self._failed
        return Written(annotations, self._counted, self._failed)

    @property
    def record(self) -> Record:
        """What the pack says of itself; once it is finished, of all of it."""
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
