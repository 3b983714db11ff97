# SPDX-License-Identifier: MIT
"""Annotations as the columns of a table, and back; each row is an annotation, or a source that failed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from kammerton.formats.escaped import escaped, unescaped
from kammerton.model.packing import Kind, PackedColumn, Packing

if TYPE_CHECKING:
    import polars as pl

__all__ = ["INDEX", "OWN", "column_of", "digest_into", "frame_of", "schema_of", "texts_of"]

INDEX: Mapping[str, str] = {"collection": "whole", "item": "text", "told": "text", "first": "flag"}
"""Columns that say what there is: number of the collection, name of the item, the annotator that the
name of the file told, and whether a source begins."""

OWN: Mapping[str, str] = {
    **INDEX,
    "name": "text",
    "file": "text",
    "usable": "flag",
    "said": "text",
}
"""Columns of every task. Behind the index: the annotator that the file named, the file, whether there is an
annotation, and what was said of the source, as JSON."""


def schema_of(packing: Packing) -> dict[str, pl.DataType]:
    """Return the type of each column of a table."""
    import polars as pl  # noqa: PLC0415 - half the import time; most runs of the program pack nothing

    kinds = {"real": pl.Float64(), "whole": pl.Int64(), "text": pl.String(), "flag": pl.Boolean()}
    own = {name: kinds[kind] for name, kind in OWN.items()}
    single = {name: kinds[kind] for name, kind in packing.single.items()}
    lists: dict[str, pl.DataType] = {
        name: pl.List(pl.Categorical() if kind == "text" else kinds[kind])
        for name, kind in packing.lists.items()
    }
    return own | single | lists


def frame_of(packing: Packing, rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Return rows as a table; a row that has no annotation lacks the columns of the task."""
    import polars as pl  # noqa: PLC0415

    kinds = {**OWN, **packing.single}
    columns = []
    for name, dtype in schema_of(packing).items():
        if name in packing.lists:
            values = _lists(packing.lists[name], [row.get(name, ()) for row in rows])
        else:
            values = [row.get(name) for row in rows]
            if kinds[name] == "text":
                values = [None if value is None else escaped(value) for value in values]
        columns.append(pl.Series(name, values, dtype=dtype))
    return pl.DataFrame(columns)


def _lists(kind: Kind, values: Sequence[Sequence[Any]]) -> list[Any]:
    """Return lists as they are stored; of texts, each distinct one is looked at once."""
    if kind != "text":
        return [np.asarray(each).tolist() for each in values]
    stored = {text: escaped(text) for text in set(chain.from_iterable(values))}
    if all(text == other for text, other in stored.items()):
        return list(map(list, values))
    return [[stored[text] for text in texts] for texts in values]


def texts_of(column: pl.Series) -> list[Any]:
    """Return a column of texts, None where there is nothing."""
    return [value and unescaped(value) for value in column.to_list()]


def column_of(column: pl.Series, kind: Kind) -> PackedColumn:
    """Return a column of a task, whose every row is an annotation.

    Raises
    ------
    ValueError
        If something is lacking in it.
    """
    if column.null_count():
        raise ValueError(f"column `{column.name}` has nulls")
    if not column.dtype.is_nested():
        values = texts_of(column) if kind == "text" else column.to_numpy()
        return PackedColumn(values, np.arange(len(column) + 1))
    offsets = np.zeros(len(column) + 1, dtype=np.int64)
    offsets[1:] = np.cumsum(column.list.len().to_numpy())
    flat = _flat(column)
    if len(flat) != offsets[-1]:
        raise ValueError(f"column `{column.name}` has nulls")
    return PackedColumn(_labels(flat) if kind == "text" else flat.to_numpy(), offsets)


def _flat(column: pl.Series) -> pl.Series:
    """Return the values of lists; an empty list has none, and explodes to a null."""
    return column.explode().drop_nulls()


def _labels(column: pl.Series) -> list[str]:
    """Return labels, equal ones as one object."""
    import polars as pl  # noqa: PLC0415

    codes = column.to_physical().to_numpy()
    distinct = column.unique()
    names = np.empty(int(codes.max()) + 1 if len(codes) else 0, dtype=object)
    names[distinct.to_physical().to_numpy()] = texts_of(distinct.cast(pl.String))
    found: list[str] = names[codes].tolist()
    return found


def digest_into(whole: hashlib._Hash, columns: Iterable[pl.Series]) -> None:
    """Add the content of columns to a digest; how a file stores them does not matter."""
    for column in columns:
        whole.update(column.name.encode() + b"\0")
        if column.dtype.is_nested():
            _add_numbers(whole, column.list.len().fill_null(-1))
            _add(whole, _flat(column))
        else:
            _add(whole, column)


def _add(whole: hashlib._Hash, column: pl.Series) -> None:
    import polars as pl  # noqa: PLC0415

    if column.null_count():
        _add_numbers(whole, column.is_null())
        column = column.drop_nulls()
    if column.dtype in (pl.String, pl.Categorical):
        texts = column.cast(pl.String)
        _add_numbers(whole, texts.str.len_bytes())
        whole.update("".join(texts.str.join("").to_list()).encode())
    else:
        _add_numbers(whole, column)


def _add_numbers(whole: hashlib._Hash, column: pl.Series) -> None:
    import polars as pl  # noqa: PLC0415

    numbers = column.to_numpy() if column.dtype == pl.Float64 else column.cast(pl.Int64).to_numpy()
    whole.update(np.ascontiguousarray(numbers, dtype=numbers.dtype.newbyteorder("<")).data)
