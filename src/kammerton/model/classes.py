# SPDX-License-Identifier: MIT
"""Statistics of classes, from what all items say of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kammerton.model.evidence import Evidence
from kammerton.model.gathering import Gathered
from kammerton.model.measure import Measure, Statistics
from kammerton.model.rows import Row, Rows
from kammerton.model.task import Task

__all__ = ["Classes", "Gathering", "Kind", "gather_classes", "has_class", "kind_of"]

Kind = Literal["pair", "references+estimate", "estimate", "annotators", "gathered"]
"""What rows are of: items by what their measures need, or classes."""

Classes = tuple[tuple[str, ...], Mapping[Measure, Statistics]]
"""Names of classes, and statistics of each measure, one row per class."""


@dataclass(frozen=True, slots=True, eq=False)
class Gathering:
    """What measures over classes are made from, and how.

    Parameters
    ----------
    rows : Rows
        Of pairs; the cases of what was gathered are their numbers.
    gathered : Gathered
        Of the whole corpus: statistics of classes do not add up over items.
    measures : tuple of Measure
        All measures over classes.
    classes : callable
        ``classes(gathered)`` makes classes of the rows of one system and annotator.
    """

    rows: Rows
    gathered: Gathered
    measures: tuple[Measure, ...]
    classes: Callable[[Gathered], Classes]

    @classmethod
    def of(cls, task: Task, evidence: Evidence, options: object) -> Gathering | None:
        """Return what there is in the evidence of a whole corpus; None if no measure is over classes."""
        measures = tuple(measure for measure in evidence.measures if measure.aggregate == "gathered")
        gather = task.gather
        if not measures or evidence.gathered is None or gather is None:
            return None
        return cls(
            evidence.rows["pair"],
            evidence.gathered,
            measures,
            lambda gathered: gather(gathered, measures, options),
        )


def gather_classes(gathering: Gathering) -> tuple[Rows, dict[Measure, Statistics]]:
    """Return a row for each class of each system and annotator, and the statistics of measures over classes.

    Parameters
    ----------
    gathering : Gathering
        Of the whole corpus.
    """
    pairs = gathering.rows
    rows: list[Row] = []
    parts: dict[Measure, list[Statistics]] = {measure: [] for measure in gathering.measures}
    for number, (system, annotator) in enumerate(pairs.groups):
        names, found = gathering.classes(gathering.gathered.of(pairs.group_codes == number))
        rows += [Row(system, name, annotator) for name in names]
        for measure in gathering.measures:
            parts[measure].append(found[measure])
    return Rows.of(rows), {measure: np.concatenate(each) for measure, each in parts.items()}


def has_class(row: Statistics) -> bool:
    """Tell whether a measure has a class, by its row of statistics: one of NaN says that it has not."""
    return not np.isnan(row).all()


def kind_of(measure: Measure) -> Kind:
    """Return what the rows of a measure are of."""
    return "gathered" if measure.aggregate == "gathered" else measure.needs
