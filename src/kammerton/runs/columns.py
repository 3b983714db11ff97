# SPDX-License-Identifier: MIT
"""Tables as Parquet files, and back: the same table is the same bytes."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kammerton.formats.escaped import escaped, unescaped

if TYPE_CHECKING:
    import polars as pl

__all__ = ["from_parquet", "names_of", "numbers_of", "texts_of", "to_parquet"]

_LEVEL = 3
_ROW_GROUP = 1 << 20

Column = Sequence[Any] | NDArray[Any]


def to_parquet(columns: Mapping[str, Column]) -> bytes:
    """Return columns as a file; of one kind each: texts, numbers, flags, with None where there is nothing."""
    import polars as pl  # noqa: PLC0415 - half the import time; most runs of the program write no run

    file = io.BytesIO()
    frame = pl.DataFrame([_series(name, values) for name, values in columns.items()])
    frame.write_parquet(file, compression="zstd", compression_level=_LEVEL, row_group_size=_ROW_GROUP)
    return file.getvalue()


def _series(name: str, values: Column) -> pl.Series:
    import polars as pl  # noqa: PLC0415

    if isinstance(values, np.ndarray):
        return pl.Series(escaped(name), values)
    numbers = [value for value in values if isinstance(value, int | float)]
    if numbers:
        return pl.Series(escaped(name), values)
    texts = [None if value is None else escaped(value) for value in values]
    return pl.Series(escaped(name), texts, dtype=pl.String)


def from_parquet(data: bytes) -> pl.DataFrame:
    """Return what :func:`to_parquet` was given; the functions below know its columns by their names."""
    import polars as pl  # noqa: PLC0415

    return pl.read_parquet(io.BytesIO(data))


def names_of(frame: pl.DataFrame) -> list[str]:
    """Return the names of the columns."""
    return [unescaped(name) for name in frame.columns]


def texts_of(frame: pl.DataFrame, name: str) -> list[Any]:
    """Return a column that is no array: texts, numbers or flags, None where there is nothing."""
    values = frame.get_column(escaped(name)).to_list()
    return [unescaped(value) if isinstance(value, str) else value for value in values]


def numbers_of(frame: pl.DataFrame, names: Iterable[str]) -> NDArray[np.float64]:
    """Return columns of numbers side by side, shape (rows, names)."""
    chosen = [frame.get_column(escaped(name)).to_numpy() for name in names]
    return np.ascontiguousarray(np.stack(chosen, axis=1), dtype=np.float64)
