# SPDX-License-Identifier: MIT
"""Which annotator judges an item where it is looked at: the one against whom it was worst."""

from __future__ import annotations

import math
from collections.abc import Iterator

from kammerton.model.measure import Measure
from kammerton.reporting.html.source import Source
from kammerton.statistics.ranks import differences, scale_of

__all__ = ["judges_of", "values_by_annotator"]


def judges_of(source: Source) -> dict[str, str]:
    """Return for each item the annotator against whom the best system scored worst, the first of several.

    What is said of the worst item and what is seen where it is looked at are then the same. Items without
    figures against one annotator are not in it.
    """
    measure = _judging(source)
    if measure is None:
        return {}
    worst: dict[str, tuple[float, str]] = {}
    scale = scale_of(measure)
    for annotator, values in values_by_annotator(source, measure, source.ranked[0]).items():
        for item, value in values.items():
            lost = value if measure.direction == "lower" else -value
            if item not in worst or float(differences(lost, worst[item][0], scale)) > 0:
                worst[item] = lost, annotator
    return {item: annotator for item, (_, annotator) in worst.items()}


def values_by_annotator(source: Source, measure: Measure, system: str) -> dict[str, dict[str, float]]:
    """Return what items scored against each annotator, where figures are against one at a time."""
    return {
        annotator: dict(_defined(source, measure, system, annotator))
        for annotator in source.people_of(measure)
    }


def _judging(source: Source) -> Measure | None:
    """Return the measure by which an item is looked at, as far as it is against one annotator."""
    known = {str(measure): measure for measure in source.scores.measures}
    for measure in (source.main, known.get(source.scores.origin.task.judge)):
        if measure is not None and measure.needs == "pair" and measure.aggregate != "gathered":
            return measure
    return None


def _defined(source: Source, measure: Measure, system: str, annotator: str) -> Iterator[tuple[str, float]]:
    found = source.scores.of_items(measure, system, annotator)
    for item, value in zip(found.names, found.values.tolist(), strict=True):
        if not math.isnan(value):
            yield item, value
