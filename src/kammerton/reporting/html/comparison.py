# SPDX-License-Identifier: MIT
"""Sections that compare groups of items, such as genres, candidates of a system, and systems."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from kammerton.errors import plural
from kammerton.model.measure import Measure
from kammerton.reporting.charts import ends_of
from kammerton.reporting.comparisons import (
    candidate_notes,
    candidate_table,
    group_name,
    lines_on_comparison,
    pair_tables,
)
from kammerton.reporting.html.classes import shade_of
from kammerton.reporting.html.page import OPTIONS, Section, Source, fill, is_per_cent, scaled, shown
from kammerton.reporting.rankings import interval_text
from kammerton.reporting.tables import format_difference, format_score
from kammerton.results.groups import Groups, GroupScore

_GROUPS = 200
"""Groups that a table lists."""
_TABLES = 8
"""Measures that have a table."""
_PAIRS = 60
"""Pairs of a measure that are listed."""
_MOST_TABLES = 12
"""Measures whose pairs are listed."""


def groups(source: Source) -> Section | None:
    """Return the section of groups, if there are scores of groups."""
    scored: Groups | None = source.scores.groups
    if scored is None:
        return None
    measures = [m for m in dict.fromkeys((source.main, *source.headline)) if _rows(source, scored, m)]
    if not measures:
        return None
    body = fill(
        "groups",
        by=shown(scored.by, 60),
        systems=[shown(name, 60) for name in source.ranked],
        tables=[_table(source, scored, measure) for measure in measures[:_TABLES]],
        more=max(0, len(scored.sizes) - _GROUPS),
    )
    return Section(part="groups", title=f"By {shown(scored.by, 60)}", body=body)


def _rows(source: Source, scored: Groups, measure: Measure) -> list[GroupScore]:
    return [row for system in source.scores.systems for row in scored.of(measure, system)]


def _table(source: Source, scored: Groups, measure: Measure) -> dict[str, Any]:
    rows = {(row.group, row.system): row for row in _rows(source, scored, measure)}
    return {
        "measure": str(measure),
        "unit": ", %" if is_per_cent(measure) else "",
        "rows": [
            {
                "name": shown(group_name(group, scored.by), 60),
                "size": f"{size:,}",
                "cells": _cells([rows.get((group, system)) for system in source.ranked], measure, size),
            }
            for group, size in list(scored.sizes.items())[:_GROUPS]
        ],
    }


def _cells(rows: Sequence[GroupScore | None], measure: Measure, size: int) -> list[dict[str, Any]]:
    """Return the cells of a group: a system that lacks some of its items has its own count."""
    of_items = measure.aggregate != "gathered"
    return [
        {"value": "", "within": "", "lost": "", "largest": False, "count": "", "shade": 0}
        if row is None
        else {
            "value": format_score(row.value, measure),
            "within": interval_text((row.low, row.high), measure, OPTIONS.digits),
            "count": plural(row.items, "item") if of_items and row.items != size else "",
            "lost": "" if math.isnan(row.cost) else format_difference(row.cost, measure),
            "largest": row.costs_most,
            "shade": shade_of(row.value) if is_per_cent(measure) else 0,
        }
        for row in rows
    ]


def compared(source: Source) -> Section | None:
    """Return the section of the tests of pairs, if there were any."""
    if source.comparison is None:
        return None
    measures = [compared.measure for compared in source.comparison.measures]
    measures.sort(key=lambda measure: measure != source.main)
    body = fill(
        "comparison",
        tables=list(pair_tables(source.comparison, measures[:_MOST_TABLES], OPTIONS.digits)),
        most=_PAIRS,
        notes=[shown(line, 300) for line in lines_on_comparison(source.comparison)],
    )
    return Section(part="comparison", title="Pairs of systems", body=body)


_ACROSS, _UP = 300, 200
"""Size of a picture of candidates."""


def candidates(source: Source) -> Section | None:
    """Return the section of the candidates of systems, if there are some."""
    table = candidate_table(source.scores, OPTIONS)
    if table is None:
        return None
    head, rows = table
    body = fill(
        "candidates",
        head=head,
        rows=[[shown(text, 60) for text in row] for row in rows],
        notes=list(candidate_notes(source.scores)),
        plots=list(_plots(source)),
    )
    return Section(part="candidates", title="Candidates", body=body)


def _plots(source: Source) -> Iterator[dict[str, Any]]:
    """Yield for each system with confidences the picture of what they are worth, by the main measure."""
    measure, items = source.main, source.scores.candidate_items
    known = [] if items is None else items.drop_nulls(["value", "confidence"]).to_dicts()
    of_measure = [
        row
        for row in known
        if (row["protocol"], row["measure"]) == (measure.protocol, measure.name)
        and row["annotator"] == source.annotator(measure)
    ]
    for system in dict.fromkeys(row["system"] for row in of_measure):
        own = [row for row in of_measure if row["system"] == system]
        across = ends_of([row["confidence"] for row in own])
        up = (0.0, 100.0) if is_per_cent(measure) else ends_of([row["value"] for row in own])
        points: dict[bool, set[tuple[int, int]]] = {False: set(), True: set()}
        for row in own:  # points on the same place are drawn once, so that a page stays small
            at = _part(row["confidence"], across), 1 - _part(scaled(row["value"], measure), up)
            points[row["selected"]].add((round(_ACROSS * at[0]), round(_UP * at[1])))
        name = shown(system, 60)
        yield {
            "system": name,
            "measure": f"{measure}{', %' if is_per_cent(measure) else ''}",
            "label": f"{measure} and confidence of {len(own)} candidates of {name}",
            "across": [(_ACROSS * part, f"{_between(across, part):.3g}") for part in (0.0, 0.5, 1.0)],
            "up": [(_UP * (1 - part), f"{_between(up, part):.3g}") for part in (0.0, 0.25, 0.5, 0.75, 1.0)],
            "selected": _path(points[True]),
            "others": _path(points[False]),
        }


def _part(value: float, ends: tuple[float, float]) -> float:
    return (value - ends[0]) / (ends[1] - ends[0])


def _between(ends: tuple[float, float], part: float) -> float:
    return ends[0] + part * (ends[1] - ends[0])


def _path(points: set[tuple[int, int]]) -> str:
    """Return points as a path of lines without length, whose round ends are seen."""
    return "".join(f"M{x} {y}h0" for x, y in sorted(points))
