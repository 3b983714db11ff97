# SPDX-License-Identifier: MIT
"""Statistics of classes, from what all items say of them."""

from __future__ import annotations

import numpy as np

from kammerton.model.evidence import Evidence, Row
from kammerton.model.measure import Measure, Statistics
from kammerton.model.task import Task

__all__ = ["gather_classes", "has_class"]


def gather_classes(
    task: Task, evidence: Evidence, options: object
) -> tuple[tuple[Row, ...], dict[Measure, Statistics]]:
    """Return a row for each class of each system and annotator, and the statistics of measures over classes.

    Parameters
    ----------
    task : Task
        Knows the measures.
    evidence : Evidence
        Of the whole corpus: statistics of classes do not add up over items.
    options : object
        The task's options.
    """
    measures = [measure for measure in evidence.measures if measure.aggregate == "gathered"]
    if not measures or evidence.gathered is None or task.gather is None:
        return (), {}
    pairs = evidence.rows["pair"]
    rows: list[Row] = []
    parts: dict[Measure, list[Statistics]] = {measure: [] for measure in measures}
    for system, annotator in dict.fromkeys((row.system, row.annotator) for row in pairs):
        own = np.array([(row.system, row.annotator) == (system, annotator) for row in pairs], dtype=bool)
        names, found = task.gather(evidence.gathered.of(own), measures, options)
        rows += [Row(system, name, annotator) for name in names]
        for measure in measures:
            parts[measure].append(found[measure])
    return tuple(rows), {measure: np.concatenate(each) for measure, each in parts.items()}


def has_class(row: Statistics) -> bool:
    """Tell whether a measure has a class, by its row of statistics: one of NaN says that it has not."""
    return not np.isnan(row).all()
