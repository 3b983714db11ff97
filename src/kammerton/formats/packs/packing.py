# SPDX-License-Identifier: MIT
"""Write packs: blocks of annotations, put together to one sealed file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kammerton.errors import OutputError
from kammerton.formats.packs.layout import (
    KEY,
    About,
    Block,
    Record,
    Role,
    frame_of,
    put_seal,
    render_diagnostics,
)
from kammerton.formats.reading import signed_choices
from kammerton.formats.writing import replacing
from kammerton.model.corpus import Collection
from kammerton.model.task import Packing, Reading, Task

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
