# SPDX-License-Identifier: MIT
"""What scoring leaves behind: additive statistics per item, from which every figure is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from kammerton.errors import Diagnostic
from kammerton.model.corpus import ALL
from kammerton.model.gathering import Gathered, join
from kammerton.model.measure import Measure, Needs, Statistics
from kammerton.model.rows import Group, Rows
from kammerton.model.task import Classes

__all__ = ["Evidence", "Tally"]


@dataclass(frozen=True, slots=True)
class Tally:
    """A class table of one system against one annotator: classes and their weight."""

    columns: tuple[str, ...]
    unit: str
    cells: Mapping[Group, dict[Classes, float]]

    def merged(self, other: Tally) -> Tally:
        """Return the table of both."""
        cells = {key: dict(value) for key, value in self.cells.items()}
        for key, classes in other.cells.items():
            into = cells.setdefault(key, {})
            for each, weight in classes.items():
                into[each] = into.get(each, 0.0) + weight
        return Tally(self.columns, self.unit, cells)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Rows with their statistics; the evidence of two parts of a corpus merges into that of the whole.

    Parameters
    ----------
    rows : mapping of needs to Rows
        By what a measure needs: one row per system, item and annotator for pairs, else one per
        system and item.
    measures : tuple of Measure
        Everything that was measured, in the order of output.
    statistics : mapping of Measure to ndarray, shape (rows, statistics)
        Of all measures but those over classes, in the order of the rows for what the measure needs; zero
        for a row that does not count.
    tallies : mapping of str to Tally
        Class tables by name.
    fingerprints : mapping of (annotator, item) to bytes
        Digest of the content of each reference that was used; without references, of annotator ``"all"``, of
        what estimates are about.
    gathered : Gathered, optional
        What measures over classes are made from; its cases are the rows of pairs.
    diagnostics : tuple of Diagnostic
    """

    measures: tuple[Measure, ...]
    rows: Mapping[Needs, Rows]
    statistics: Mapping[Measure, Statistics]
    tallies: Mapping[str, Tally]
    fingerprints: Mapping[tuple[str, str], bytes]
    gathered: Gathered | None = None
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def has_references(self) -> bool:
        """Whether there were references to compare with."""
        return any(annotator != ALL for annotator, _ in self.fingerprints)

    def merged(self, other: Evidence) -> Evidence:
        """Return the evidence of both parts; they share no row."""
        return Evidence(
            measures=self.measures,
            rows={needs: Rows.joined((rows, other.rows[needs])) for needs, rows in self.rows.items()},
            statistics={
                measure: np.concatenate((part, other.statistics[measure]))
                for measure, part in self.statistics.items()
            },
            tallies={
                name: tally.merged(other.tallies[name]) if name in other.tallies else tally
                for name, tally in {**other.tallies, **self.tallies}.items()
            },
            fingerprints={**self.fingerprints, **other.fingerprints},
            gathered=self._gathered_with(other),
            diagnostics=self.diagnostics + other.diagnostics,
        )

    def _gathered_with(self, other: Evidence) -> Gathered | None:
        if other.gathered is None:
            return self.gathered
        behind = replace(other.gathered, cases=other.gathered.cases + len(self.rows["pair"]))
        return behind if self.gathered is None else join((self.gathered, behind))
