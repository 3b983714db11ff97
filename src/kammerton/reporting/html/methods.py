# SPDX-License-Identifier: MIT
"""Sections on methods, and on what was left out or noticed in the data."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from kammerton.errors import Diagnostic
from kammerton.model.annotations import portable
from kammerton.reporting.cards import render_citations
from kammerton.reporting.diagnostics import excluded_lines, excluded_share
from kammerton.reporting.html.page import OPTIONS, Section, Source, amount_text, coded, fill, shown
from kammerton.reporting.rankings import interval_text
from kammerton.reporting.tables import format_score, signatures_by_system
from kammerton.results.scores import keys_in_order, summary_rows
from kammerton.results.tables import SUMMARY

_MOST_SCORES = 600
"""Scores that are listed one by one; beyond, those of the headline measures."""


def methods(source: Source) -> Section:
    """Return the section on rules, formulas, signatures and citations."""
    scores = source.scores
    rows, more = _score_rows(source)
    body = fill(
        "methods",
        key=source.key,
        protocols=list(_protocols(source)),
        citations=render_citations(scores.origin.task, scores.measures),
        rows=rows,
        more=more,
        level="" if scores.ci is None else f"{100 * scores.ci:g} %",
    )
    return Section(part="methods", title="Methods", body=body)


def _protocols(source: Source) -> list[dict[str, Any]]:
    numbers = {measure: number for number, measure in enumerate(source.scores.measures)}
    return [
        {
            "name": protocol.name,
            "revision": protocol.revision,
            "rules": protocol.rules,
            "measures": [
                {
                    "name": measure.name,
                    "card": measure.card,
                    "direction": measure.direction,
                    "aggregates": ", ".join(measure.aggregates).replace("_", " "),
                    "signatures": [
                        (f"{source.key}-signature-{numbers[measure]}-{place}", shown(names), signature)
                        for place, (names, signature) in enumerate(
                            signatures_by_system(source.scores, measure)
                        )
                    ],
                }
                for measure in protocol.measures
                if measure in numbers
            ],
        }
        for protocol in source.scores.origin.task.protocols
        if any(measure in numbers for measure in protocol.measures)
    ]


def _score_rows(source: Source) -> tuple[list[dict[str, Any]], int]:
    """Return corpus scores as rows of texts, headline measures first, and how many are left."""
    keys = sorted(keys_in_order(source.scores), key=lambda key: not key[-1].headline)
    by_name = {(each.protocol, each.name): each for each in source.scores.measures}
    rows = []
    for cells in islice(summary_rows(source.scores, keys), _MOST_SCORES):
        row = dict(zip(SUMMARY, cells, strict=True))
        measure = by_name[row["protocol"], row["measure"]]
        value, low, high = (row[name] for name in ("value", "ci_low", "ci_high"))
        texts = {
            **{name: row[name] for name in ("aggregate", "undefined", "weight_unit")},
            "among": row["items"],
            "system": shown(row["system"], 60),
            "annotator": shown(row["annotator"], 60),
            "measure": str(measure),
            "value": format_score(math.nan if value is None else value, measure),
            "ends": "" if low is None else interval_text((low, high), measure, OPTIONS.digits),
            "weight": f"{row['weight']:,.1f}",
        }
        rows.append(texts)
    return rows, sum(len(measure.aggregates) for *_, measure in keys) - len(rows)


_ITEMS = 50
"""Items without a score that are listed for each system."""
_LABELS = 15
"""Labels left out that are listed."""
_PLACES = 3
"""Places that are named for each code."""
_EXCLUDED = "excluded"
_SEVERITIES = ("error", "warning", "note")


def quality(source: Source) -> Section:
    """Return the section on the data."""
    scores = source.scores
    body = fill(
        "quality",
        counts=[
            (shown(system), scores.counts[system], excluded_share(scores, system, source.main))
            for system in source.ranked
        ],
        missing=scores.origin.missing,
        unusable=list(_unusable(source)),
        codes=_codes(scores.diagnostics, scores.origin.roots),
        excluded=excluded_lines(scores),
        labels=_labels(source),
        measure=str(source.main),
        outside=any(excluded_share(scores, system, source.main) for system in scores.systems),
        left_out=[shown(name) for name in source.comparison.left_out] if source.comparison else [],
    )
    return Section(part="quality", title="What was left out", body=body)


def _unusable(source: Source) -> Iterator[dict[str, Any]]:
    for system in source.scores.systems:
        rows = sorted({(row.item, row.status, row.reason) for row in source.scores.unusable(system)})
        if rows:
            yield {
                "system": shown(system),
                "rows": [tuple(map(shown, row)) for row in rows[:_ITEMS]],
                "more": max(0, len(rows) - _ITEMS),
            }


def _codes(diagnostics: Sequence[Diagnostic], roots: Sequence[str]) -> list[dict[str, Any]]:
    """Return what was noticed, by code, the gravest first."""
    groups: dict[tuple[int, str], list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        groups.setdefault((_SEVERITIES.index(diagnostic.severity), diagnostic.code), []).append(diagnostic)
    return [
        {
            "code": code,
            "severity": _SEVERITIES[severity],
            "count": f"{sum(diagnostic.count for diagnostic in alike):,}",
            "message": coded(alike[0].message),
            "hint": None if alike[0].hint is None else coded(alike[0].hint),
            "places": list(_places(alike, roots)),
            "more": max(0, len(alike) - _PLACES),
        }
        for (severity, code), alike in sorted(groups.items())
    ]


def _places(alike: Sequence[Diagnostic], roots: Sequence[str]) -> Iterator[str]:
    for diagnostic in alike[:_PLACES]:
        if diagnostic.file is not None:
            yield shown(diagnostic.at(file=portable(diagnostic.file, roots)).place())
        elif diagnostic.item is not None:
            yield shown(diagnostic.item)


def _labels(source: Source) -> list[tuple[str, str]]:
    """Return the labels that the main measure leaves out for most of the time, with how much."""
    if _EXCLUDED not in source.scores.tables:
        return []
    tally = source.scores.tally(_EXCLUDED)
    if tally.columns != ("protocol", "measure", "label"):
        return []
    system = source.scores.systems[0]
    summed: Counter[str] = Counter()
    for (of_system, _), cells in tally.cells.items():
        for (protocol, measure, label), weight in cells.items() if of_system == system else ():
            if f"{protocol}/{measure}" == str(source.main):
                summed[str(label)] += weight  # type: ignore[assignment]
    most_costly = sorted(summed.items(), key=lambda each: (-each[1], each[0]))[:_LABELS]
    return [(shown(label, 60), amount_text(weight, tally.unit)) for label, weight in most_costly]
