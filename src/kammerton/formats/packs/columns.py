# SPDX-License-Identifier: MIT
"""Annotations as the columns of a table; each row is an annotation, or a source that failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from kammerton.formats.escaped import escaped
from kammerton.model.packing import Kind, Packing

if TYPE_CHECKING:
    import polars as pl

__all__ = ["INDEX", "OWN", "frame_of", "schema_of"]

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
