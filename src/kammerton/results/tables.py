# SPDX-License-Identifier: MIT
"""Results as plain rows, as JSON and as data frames."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import product
from typing import TYPE_CHECKING, Any

from kammerton.arrays import Codes
from kammerton.model.evidence import Row, RowKind, Rows, has_class, kind_of
from kammerton.model.measure import CorpusScore, Measure, Statistics

if TYPE_CHECKING:
    import polars as pl

SUMMARY = (
    *("system", "annotator", "protocol", "measure", "aggregate"),
    *("value", "ci_low", "ci_high", "items", "undefined", "weight", "weight_unit", "signature"),
)
ITEMS = (
    *("system", "item", "annotator", "protocol", "measure"),
    *("value", "weight", "status", "reason", "counted_as"),
)
_NUMBERS = {
    **dict.fromkeys(("value", "weight", "counted_as", "ci_low", "ci_high"), "Float64"),
    **dict.fromkeys(("before", "after", "difference"), "Float64"),
    **dict.fromkeys(("items", "undefined"), "Int64"),
}
_TYPES = {"float": "Float64", "int": "Int64", "int | None": "Int64", "bool": "Boolean"}


def table(
    rows: Iterable[Sequence[Any]], columns: Sequence[str], types: Mapping[str, str] = _NUMBERS
) -> pl.DataFrame:
    """Return rows as a data frame."""
    import polars as pl  # noqa: PLC0415 - half the import time; many runs make no table

    schema = {name: getattr(pl, types.get(name, "String")) for name in columns}
    return pl.DataFrame(list(rows), schema=schema, orient="row")


def frame(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], kind: type[Any]) -> pl.DataFrame:
    """Return plain records of a dataclass as a data frame."""
    types = {field.name: _TYPES.get(str(field.type), "String") for field in fields(kind)}
    return table(([row[name] for name in columns] for row in rows), columns, types)


def columns_of(kind: type[Any]) -> tuple[str, ...]:
    """Return the names in what :func:`plain_score` returns for a kind of record."""
    own = (field.name for field in fields(kind) if field.name != "measure")
    return ("protocol", "measure", "aggregate", *own, "signature")


def plain_score(row: Any, signature: str) -> dict[str, Any]:
    """Return a record as plain values: its measure in three, the other fields, and the signature."""
    measure = row.measure
    own = {field.name: getattr(row, field.name) for field in fields(row) if field.name != "measure"}
    address = {"protocol": measure.protocol, "measure": measure.name, "aggregate": measure.aggregate}
    return {**address, **plain(own), "signature": signature}


def with_interval(score: CorpusScore, ends: tuple[float, float]) -> dict[str, Any]:
    """Return the fields that every record of a score has."""
    fields = {"value": score.value, "low": ends[0], "high": ends[1]}
    return {**fields, "items": score.items, "undefined": score.undefined}


def plain(value: Any) -> Any:
    """Return a value as JSON has it; what is undefined, or infinite, is None."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return list(map(plain, value))
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def short(total: float) -> float:
    """Return a sum of seconds or files without the digits that come of binary fractions.

    >>> short(0.1 + 0.2), short(3807.3469379999997)
    (0.3, 3807.346938)
    """
    return float(f"{total:.12g}")


def null(value: float) -> float | None:
    """Return the value, None where undefined."""
    return None if math.isnan(value) else value


def item_rows(
    measures: Sequence[Measure],
    systems: Sequence[str],
    rows: Mapping[RowKind, Rows],
    order: Mapping[RowKind, Codes],
    statistics: Mapping[Measure, Statistics],
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of the table ``ITEMS``: of each system the rows of each kind in their order."""
    scores: dict[RowKind, list[tuple[Measure, list[tuple[float, float, float]]]]] = {
        kind: [] for kind in order
    }
    for measure in measures:
        columns = (
            measure.formula.finalise(statistics[measure]),
            measure.counted(statistics[measure]),
            measure.formula.weight(statistics[measure]),
        )
        of_rows = list(zip(*(column.tolist() for column in columns), strict=True))
        scores[kind_of(measure)].append((measure, of_rows))
    for system, kind in product(systems, scores):
        numbers = order[kind][rows[kind].of_system(system)[order[kind]]]
        for index, row in zip(numbers.tolist(), rows[kind].take(numbers), strict=True):
            for measure, of_rows in scores[kind]:
                if kind != "gathered" or has_class(statistics[measure][index]):
                    yield _item_row(row, measure, *of_rows[index])


def _item_row(row: Row, measure: Measure, value: float, counted: float, weight: float) -> tuple[Any, ...]:
    """Return the row of an item in the table ``ITEMS``."""
    status: str = row.status
    reason = None if row.status == "ok" else row.reason
    if row.status == "ok" and math.isnan(value):
        status, reason = "undefined", measure.why_undefined(row.reason)
    is_defined = row.counts and not math.isnan(value)
    if measure.aggregate not in ("pooled", "weighted_mean"):
        weight = 1.0
    counted_as = None if is_defined or not row.counts else null(counted)
    return (
        *(row.system, row.item, row.annotator, measure.protocol, measure.name),
        *(value if is_defined else None, weight if is_defined else 0.0, status, reason, counted_as),
    )
