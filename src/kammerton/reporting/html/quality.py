# SPDX-License-Identifier: MIT
"""What the data was like: items missing and failed, files repaired, labels that measures leave out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from kammerton.errors import Diagnostic
from kammerton.model.portable import portable
from kammerton.reporting.html.filling import coded, fill, shown
from kammerton.reporting.html.numbers import amount
from kammerton.reporting.html.sections import Section
from kammerton.reporting.html.source import Source
from kammerton.reporting.left_out import excluded_lines

__all__ = ["quality"]

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
        counts=[(shown(system), scores.counts[system]) for system in scores.systems],
        missing=scores.origin.missing,
        unusable=list(_unusable(source)),
        codes=_codes(scores.diagnostics, scores.origin.roots),
        excluded=excluded_lines(scores),
        labels=_labels(source),
        measure=str(source.main),
        left_out=[shown(name) for name in source.comparison.left_out] if source.comparison else [],
    )
    return Section(part="quality", title="Data", body=body)


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
    for each in diagnostics:
        groups.setdefault((_SEVERITIES.index(each.severity), each.code), []).append(each)
    return [
        {
            "code": code,
            "severity": _SEVERITIES[severity],
            "count": f"{sum(each.count for each in found):,}",
            "message": coded(found[0].message),
            "hint": None if found[0].hint is None else coded(found[0].hint),
            "places": list(_places(found, roots)),
            "more": max(0, len(found) - _PLACES),
        }
        for (severity, code), found in sorted(groups.items())
    ]


def _places(found: Sequence[Diagnostic], roots: Sequence[str]) -> Iterator[str]:
    for each in found[:_PLACES]:
        if each.file is not None:
            yield shown(each.at(file=portable(each.file, roots)).place())
        elif each.item is not None:
            yield shown(each.item)


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
    dearest = sorted(summed.items(), key=lambda each: (-each[1], each[0]))[:_LABELS]
    return [(shown(label, 60), amount(weight, tally.unit)) for label, weight in dearest]
