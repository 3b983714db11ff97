# SPDX-License-Identifier: MIT
"""The long tables of scores: corpus figures, and figures of each item."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from kammerton.core.intervals import Codes
from kammerton.errors import plural
from kammerton.model.classes import Kind, has_class, kind_of
from kammerton.model.corpus import ALL
from kammerton.model.measure import Measure, Statistics
from kammerton.model.rows import Row, Rows

if TYPE_CHECKING:
    import polars as pl

    from kammerton.model.scores import Scores

__all__ = [
    "ITEMS",
    "SUMMARY",
    "describe",
    "entries",
    "figures_in_order",
    "item_rows",
    "null",
    "summary_rows",
    "table",
]

Figure = tuple[str, str, Measure]
"""Whose, against whom, by what."""

Figures = tuple[float, float, float]
"""Value, what it counts in a mean, and its weight."""


def item_rows(
    measures: Sequence[Measure],
    systems: Sequence[str],
    rows: Mapping[Kind, Rows],
    order: Mapping[Kind, Codes],
    statistics: Mapping[Measure, Statistics],
) -> Iterator[tuple[Any, ...]]:
    """Give the rows of the table ``ITEMS``: of each system the rows of each kind in their order."""
    figures: dict[Kind, list[tuple[Measure, list[Figures]]]] = {kind: [] for kind in order}
    for measure in measures:
        figures[kind_of(measure)].append((measure, _figures_of(measure, statistics[measure])))
    for system, kind in product(systems, figures):
        numbers = order[kind][rows[kind].of_system(system)[order[kind]]]
        for index, row in zip(numbers.tolist(), rows[kind].take(numbers), strict=True):
            for measure, found in figures[kind]:
                if kind != "gathered" or has_class(statistics[measure][index]):
                    yield _item_row(row, measure, found[index])


def _figures_of(measure: Measure, statistics: Statistics) -> list[Figures]:
    """Return the figures of each row of statistics."""
    found = (
        measure.formula.finalise(statistics),
        measure.counted(statistics),
        measure.formula.weight(statistics),
    )
    return list(zip(*(each.tolist() for each in found), strict=True))


def _item_row(row: Row, measure: Measure, figures: Figures) -> tuple[Any, ...]:
    """Return the row of an item in the table ``ITEMS``."""
    value, counted, weight = figures
    status: str = row.status
    reason = None if row.status == "ok" else row.reason
    if row.status == "ok" and math.isnan(value):
        status, reason = "undefined", measure.why_undefined(row.reason)
    defined = row.counts and not math.isnan(value)
    if measure.aggregate not in ("pooled", "weighted_mean"):
        weight = 1.0
    counts_as = None if defined or not row.counts else null(counted)
    return (
        *(row.system, row.item, row.annotator, measure.protocol, measure.name),
        *(value if defined else None, weight if defined else 0.0, status, reason, counts_as),
    )


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


def table(rows: Iterator[tuple[Any, ...]], columns: Sequence[str]) -> pl.DataFrame:
    """Return rows as a data frame."""
    import polars as pl  # noqa: PLC0415 - half the import time; tables are for those who look at them

    schema = {name: getattr(pl, _NUMBERS.get(name, "String")) for name in columns}
    return pl.DataFrame(list(rows), schema=schema, orient="row")


def figures_in_order(scores: Scores) -> Iterator[Figure]:
    """Give system, annotator and measure of all figures, in the order of the table ``SUMMARY``."""
    for system, annotator in product(scores.systems, dict.fromkeys((*scores.annotators, ALL))):
        for measure in scores.measures:
            if annotator in scores.annotators_of(measure):
                yield system, annotator, measure


def summary_rows(scores: Scores, figures: Iterable[Figure] | None = None) -> Iterator[tuple[Any, ...]]:
    """Give the rows of the table ``SUMMARY``, perhaps of some figures: one for each of their aggregates."""
    for system, annotator, measure in figures_in_order(scores) if figures is None else figures:
        signed = scores.signatures(annotator, systems=(system,))[measure]
        of_items = scores.of_items(measure, system, annotator)
        for how in measure.aggregates:
            found = of_items.estimate(how)
            low, high = scores.intervals.get((system, annotator, measure, how), (math.nan, math.nan))
            unit = "items" if how in ("mean", "median") else measure.weight_unit
            yield (
                *(system, annotator, measure.protocol, measure.name, how),
                *(null(found.value), null(low), null(high)),
                *(found.items, found.undefined, found.weight, unit, signed),
            )


def entries(scores: Scores) -> Iterator[dict[str, Any]]:
    """Give the rows of ``SUMMARY`` as JSON has them: ends of an interval together, why there is no value."""
    for figure in figures_in_order(scores):
        for row in summary_rows(scores, (figure,)):
            cells = dict(zip(SUMMARY, row, strict=True))
            ends = [cells.pop("ci_low"), cells.pop("ci_high")]
            head = {name: cells.pop(name) for name in SUMMARY[:6]}
            if head["value"] is None:
                system, annotator, measure = figure
                cells["reason"] = scores.why_undefined(measure, system, annotator)
            yield {**head, "ci": None if None in ends else ends, **cells}


def describe(scores: Scores) -> str:
    """Return the headline figures as text, one line per system and protocol."""
    counts = [
        f"{name} {count['ok']}/{plural(count['total'], 'item')}" for name, count in scores.counts.items()
    ]
    lines = [f"Scores({scores.task}: {', '.join(counts)})"]
    for system, protocol in product(scores.systems, dict.fromkeys(m.protocol for m in scores.measures)):
        chosen = [m for m in scores.measures if m.protocol == protocol and m.headline]
        if chosen and not any(map(scores.is_evaluated, chosen)):
            lines.append(f"  {system}  {protocol}: not evaluated: needs a reference")
            continue
        found = [scores.estimate(m, system, scores.annotators_of(m)[-1], m.aggregate).value for m in chosen]
        named = ["undefined" if scores.is_evaluated(measure) else "not evaluated" for measure in chosen]
        told = [
            name if math.isnan(value) else f"{value:.4f}" for name, value in zip(named, found, strict=True)
        ]
        texts = [f"{measure.name} {value}" for measure, value in zip(chosen, told, strict=True)]
        lines.append(f"  {system}  {protocol}: {', '.join(texts)}")
    return "\n".join(lines)


def null(value: float) -> float | None:
    """Return the value, None where undefined."""
    return None if math.isnan(value) else value
