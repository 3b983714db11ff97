# SPDX-License-Identifier: MIT
"""Figures that are records with a measure, as plain values and as tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

__all__ = ["columns_of", "frame", "plain", "plain_figure"]

_TYPES = {"float": "Float64", "int": "Int64", "int | None": "Int64", "bool": "Boolean"}


def columns_of(kind: type[Any]) -> tuple[str, ...]:
    """Return the names of what :func:`plain_figure` tells of a kind of record."""
    own = (field.name for field in fields(kind) if field.name != "measure")
    return ("protocol", "measure", "aggregate", *own, "signature")


def plain_figure(row: Any, signature: str) -> dict[str, Any]:
    """Return a record as plain values: its measure in three, the other fields, and the signature."""
    measure = row.measure
    own = {field.name: getattr(row, field.name) for field in fields(row) if field.name != "measure"}
    address = {"protocol": measure.protocol, "measure": measure.name, "aggregate": measure.aggregate}
    return {**address, **plain(own), "signature": signature}


def plain(value: Any) -> Any:
    """Return a value as JSON has it; what is undefined, or without end, is None."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def frame(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], kind: type[Any]) -> pl.DataFrame:
    """Return plain rows as a data frame.

    Parameters
    ----------
    rows : iterable of mapping
    columns : sequence of str
        What a row has.
    kind : type
        The dataclass whose fields say what columns of their names are of; others are texts.
    """
    import polars as pl  # noqa: PLC0415 - tables are for those who look at them

    types = {field.name: _TYPES.get(str(field.type), "String") for field in fields(kind)}
    schema = {name: getattr(pl, types.get(name, "String")) for name in columns}
    return pl.DataFrame([[row[name] for name in columns] for row in rows], schema=schema, orient="row")
