# SPDX-License-Identifier: MIT
"""Packs for tests: of chords, and of what no reader gives."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from kammerton.chords import ChordAnnotation, ChordOptions
from kammerton.chords.task import TASK
from kammerton.errors import DataError
from kammerton.formats.pack_layout import KEY, put_seal
from kammerton.formats.packs import new_pack, open_pack
from kammerton.model.corpus import Collection
from kammerton.model.task import Reading

SONG = ChordAnnotation(np.array([[0.0, 2.0], [2.0, 4.0]]), ("C", "G:7"))


def pack_of(path: Path, readings: Mapping[str, Reading[Any]], **about: Any) -> Path:
    """Write a pack of readings by item."""
    with new_pack(path, TASK, ChordOptions()) as writer:
        writer.begin(Collection("songs", {}, **about))
        for item, reading in readings.items():
            writer.add(item, None, f"songs/{item}.lab", reading)
    return path


def songs(path: Path, count: int = 3) -> Path:
    """Write a pack of songs that are all the same."""
    return pack_of(path, {f"{number}": Reading(((None, SONG),)) for number in range(count)})


def signed(path: Path, frame: pl.DataFrame, record: dict[str, Any]) -> None:
    """Write a table as a pack, with a record that says it is one, and its seal."""
    frame.write_parquet(path, metadata={KEY: json.dumps(record)})
    put_seal(path)


def record_of(path: Path) -> dict[str, Any]:
    """Return the record of a pack as it stands there."""
    found: dict[str, Any] = json.loads(pl.read_parquet_metadata(path)[KEY])
    return found


def said_on_opening(path: Path) -> Sequence[str]:
    """Return code and message of what is wrong with a pack."""
    try:
        list(open_pack(path, TASK).sources(0))
    except DataError as error:
        return [f"{each.code} {each.message}" for each in error.diagnostics]
    return []


def readings_of(path: Path) -> dict[str, Reading[Any]]:
    """Return what the sources of a pack give, by item, of which each has one."""
    return {item: source.read() for item, ((_, source),) in open_pack(path, TASK).sources(0).items()}
