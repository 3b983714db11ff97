# SPDX-License-Identifier: MIT
"""The long tables of scores: corpus figures, and figures of each item."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from kammerton.model.evidence import Row
from kammerton.model.measure import Measure, Statistics

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ITEMS", "SUMMARY", "Figures", "figures_of", "item_row", "null", "table"]

Figures = tuple[float, float, float]
"""Value, what it counts in a mean, and its weight."""


def figures_of(measure: Measure, statistics: Statistics) -> list[Figures]:
    """Return the figures of each row of statistics."""
    found = (
        measure.formula.finalise(statistics),
        measure.counted(statistics),
        measure.formula.weight(statistics),
    )
    return list(zip(*(each.tolist() for each in found), strict=True))


def item_row(row: Row, measure: Measure, figures: Figures) -> tuple[Any, ...]:
    """Return the row of an item in the table ``ITEMS``."""
    value, counted, weight = figures
    status: str = row.status
    reason = row.reason
    if row.status == "ok" and math.isnan(value):
        status, reason = "undefined", f"nothing comparable: {measure.card.undefined_when}"
    defined = row.counts and not math.isnan(value)
    if measure.aggregate not in ("pooled", "weighted_mean"):
        weight = 1.0
    counts_as = None if defined or not row.counts else null(counted)
    return (
        *(row.system, row.item, row.annotator, measure.protocol, measure.name),
        *(value if defined else None, weight if defined else 0.0, status, reason or None, counts_as),
    )


_FIGURES = ("aggregate", "value", "items", "undefined", "weight", "weight_unit", "signature")


SUMMARY = ("system", "annotator", "protocol", "measure", *_FIGURES)
ITEMS = (
    *("system", "item", "annotator", "protocol", "measure"),
    *("value", "weight", "status", "reason", "counted_as"),
)
_NUMBERS = {
    **dict.fromkeys(("value", "weight", "counted_as"), "Float64"),
    **dict.fromkeys(("items", "undefined"), "Int64"),
}


def table(rows: Iterator[tuple[Any, ...]], columns: Sequence[str]) -> pl.DataFrame:
    """Return rows as a data frame."""
    import polars as pl  # noqa: PLC0415 - half the import time; tables are for those who look at them

    schema = {name: getattr(pl, _NUMBERS.get(name, "String")) for name in columns}
    return pl.DataFrame(list(rows), schema=schema, orient="row")


def null(value: float) -> float | None:
    """Return the value, None where undefined."""
    return None if math.isnan(value) else value
