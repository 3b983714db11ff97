# SPDX-License-Identifier: MIT
"""Where the figures come from: rules, formulas, signatures, and what to cite."""

from __future__ import annotations

from itertools import islice
from typing import Any

from kammerton.model.score_tables import SUMMARY, figures_in_order, summary_rows
from kammerton.reporting.citing import render_citations
from kammerton.reporting.html.filling import fill, shown
from kammerton.reporting.html.numbers import UNDEFINED, ends, figure
from kammerton.reporting.html.overview import signatures_of
from kammerton.reporting.html.sections import Section
from kammerton.reporting.html.source import Source
from kammerton.reporting.tables import signed_by_system

__all__ = ["methods"]

_FIGURES = 600
"""Figures that are listed one by one; beyond, those of the headline measures."""


def methods(source: Source) -> Section:
    """Return the section on rules, formulas, signatures and citations."""
    scores = source.scores
    rows, more = _figures(source)
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
                    "signatures": signatures_of(
                        signed_by_system(source.scores, measure), f"{source.key}-signature-{numbers[measure]}"
                    ),
                }
                for measure in protocol.measures
                if measure in numbers
            ],
        }
        for protocol in source.scores.origin.task.protocols
        if any(measure in numbers for measure in protocol.measures)
    ]


def _figures(source: Source) -> tuple[list[dict[str, Any]], int]:
    """Return corpus figures as rows of texts, those of the headline measures first, and how many are left."""
    figures = sorted(figures_in_order(source.scores), key=lambda figure: not figure[-1].headline)
    by_name = {(each.protocol, each.name): each for each in source.scores.measures}
    rows = []
    for cells in islice(summary_rows(source.scores, figures), _FIGURES):
        row = dict(zip(SUMMARY, cells, strict=True))
        measure = by_name[row["protocol"], row["measure"]]
        value, low, high = (row[name] for name in ("value", "ci_low", "ci_high"))
        told = {
            **{name: row[name] for name in ("aggregate", "undefined", "weight_unit")},
            "among": row["items"],
            "system": shown(row["system"], 60),
            "annotator": shown(row["annotator"], 60),
            "measure": str(measure),
            "value": UNDEFINED if value is None else figure(value, measure),
            "ends": "" if low is None else ends(low, high, measure),
            "weight": f"{row['weight']:,.1f}",
        }
        rows.append(told)
    return rows, sum(len(measure.aggregates) for *_, measure in figures) - len(rows)
