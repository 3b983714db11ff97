# SPDX-License-Identifier: MIT
"""What the sections of a chapter are made from."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kammerton.model.corpus import ALL
from kammerton.model.measure import Measure
from kammerton.model.scores import Scores
from kammerton.model.views import ItemView
from kammerton.statistics.comparison import Comparison, MeasureComparison
from kammerton.statistics.ranks import level, scale_of

__all__ = ["Draw", "Source"]

Draw = Callable[[str, str | None], ItemView | None]
"""Lays out the item of a name, as an annotator judges it or the first one; None if it cannot be."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Source:
    """Scores of one task, with what was found by comparing them.

    Parameters
    ----------
    key : str
        Of the chapter.
    scores : Scores
    comparison : Comparison, optional
        Of the systems by the headline measures, if there are several.
    """

    key: str
    scores: Scores
    comparison: Comparison | None = None

    @cached_property
    def headline(self) -> tuple[Measure, ...]:
        """The measures that are shown without being asked for; all if none of them is."""
        evaluated = tuple(filter(self.scores.is_evaluated, self.scores.measures))
        return tuple(measure for measure in evaluated if measure.headline) or evaluated

    @cached_property
    def main(self) -> Measure:
        """The measure that answers are given by: that of the task, or the first."""
        task = self.scores.origin.task
        known = {str(measure): measure for measure in filter(self.scores.is_evaluated, self.scores.measures)}
        return known.get(task.leading) or known.get(task.judge) or self.headline[0]

    @cached_property
    def items(self) -> tuple[str, ...]:
        """All items, sorted: their places are their numbers in the page."""
        rows = self.scores.origin.evidence.rows.values()
        return tuple(sorted(set().union(*(each.items for each in rows))))

    @cached_property
    def people(self) -> tuple[str, ...]:
        """Names of the annotators, also of those that no figure is against alone."""
        named = [name for name in self.scores.annotators if name != ALL]
        return tuple(dict.fromkeys((*named, *sorted(name for name, _ in self.scores.fingerprints))))

    def annotator(self, measure: Measure) -> str:
        """Return whose references the figures of a measure are against: the only one, or all."""
        return self.scores.annotators_of(measure)[-1]

    def people_of(self, measure: Measure) -> tuple[str, ...]:
        """Return the annotators that the figures of a measure are against one at a time."""
        return tuple(name for name in self.scores.annotators_of(measure) if name != ALL)

    def value(self, measure: Measure, system: str) -> float:
        """Return the headline figure of a system."""
        return self.scores.estimate(measure, system, self.annotator(measure), measure.aggregate).value

    def interval(self, measure: Measure, system: str) -> tuple[float, float]:
        """Return the interval of the headline figure of a system, NaN where there is none."""
        key = (system, self.annotator(measure), measure, measure.aggregate)
        return self.scores.intervals.get(key, (math.nan, math.nan))

    @cached_property
    def ranked(self) -> tuple[str, ...]:
        """The systems, the best first if they were compared."""
        compared = self.compared(self.main)
        return self.scores.systems if compared is None else tuple(row.system for row in compared.ranking)

    def of_items(self, measure: Measure, system: str) -> list[float]:
        """Return the value of each item of the page, NaN where it has none."""
        found = self.scores.of_items(measure, system, self.annotator(measure))
        known = dict(zip(found.names, found.values.tolist(), strict=True))
        return [known.get(name, math.nan) for name in self.items]

    @cached_property
    def worst(self) -> tuple[float, int, str] | None:
        """The worst value of the best system by the main measure, the number of its item, and the system.

        None if items have no values.
        """
        if self.main.aggregate == "gathered":
            return None
        system = self.ranked[0]
        (values,) = level(np.array([self.of_items(self.main, system)]), scale_of(self.main)).tolist()
        known = [(value, number) for number, value in enumerate(values) if not math.isnan(value)]
        if not known:
            return None
        value, number = (max if self.main.direction == "lower" else min)(known)
        return value, number, system

    def compared(self, measure: Measure) -> MeasureComparison | None:
        """Return what comparing found by a measure, if it did."""
        if self.comparison is None:
            return None
        return next((each for each in self.comparison.measures if each.measure == measure), None)
