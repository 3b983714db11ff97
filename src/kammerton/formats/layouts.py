# SPDX-License-Identifier: MIT
"""From columns of text to rows, as the layout of a file has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial

import numpy as np

from kammerton.errors import Diagnostic, quote
from kammerton.formats.hygiene import RawIntervals
from kammerton.formats.options import RowLayout
from kammerton.formats.reading import Problems
from kammerton.formats.times import EXACT, DecimalMark, ends_from_durations, seconds
from kammerton.model.annotations import Field, Place, Seconds

__all__ = ["Columns"]


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns of a file, their times known to be well written.

    Parameters
    ----------
    layout : {"rows", "durations", "points"}
        What ``seconds`` are: ends, durations, or nothing.
    mark : {".", ","}
        Decimal mark of the times.
    starts, seconds : sequence of str
        Times as written.
    labels : list of str
        Labels as they count.
    locate : callable
        Place of a field; ``end`` is the second time, whatever it is.
    """

    layout: RowLayout
    mark: DecimalMark
    starts: Sequence[str]
    seconds: Sequence[str]
    labels: list[str]
    locate: Callable[[int, Field], Place]

    def rows(self, problems: Problems) -> RawIntervals:
        """Return rows of start, end and label; possibly none."""
        starts = seconds(self.starts, self.mark)
        if self.layout == "points":
            return self._rows_of_points(starts, problems)
        second = partial(seconds, self.seconds, self.mark)
        if self.layout == "rows":
            return RawIntervals(starts, second(), self.labels, self.locate)
        ends = ends_from_durations(starts, self._exact(self.starts), self._exact(self.seconds))
        return RawIntervals(starts, ends, self.labels, self.locate, durations=second)

    def _exact(self, texts: Sequence[str]) -> Iterator[Decimal]:
        return (EXACT.create_decimal(text.replace(",", ".")) for text in texts)

    def _rows_of_points(self, starts: Seconds, problems: Problems) -> RawIntervals:
        """End each row where the next one in time starts; the last one has no end, and is none."""
        endless = np.flatnonzero(~np.isfinite(starts)).tolist()
        for row in endless:
            message = f"time is not finite: {quote(self.starts[row])}"
            self._say(row, "start", Diagnostic(code="KT122", severity="error", message=message), problems)
        order = np.argsort(starts, kind="stable")[: 0 if endless else None]
        if len(order) and self.labels[order[-1]]:
            label = quote(self.labels[order[-1]])
            message = f"last change point has no end, and its label is not used: {label}"
            self._say(
                int(order[-1]), "label", Diagnostic(code="KT131", severity="note", message=message), problems
            )
        for row in order[:-1].tolist():
            if not self.labels[row]:
                problem = Diagnostic(code="KT111", severity="error", message="row has no label")
                problems.add_at(problem, partial(self.locate, row, "label"))
        following = np.zeros(len(starts), dtype=np.intp)
        following[order[:-1]] = order[1:]
        kept = np.sort(order[:-1])

        def locate(row: int, field: Field) -> Place:
            point = int(kept[row])
            return (
                self.locate(int(following[point]), "start") if field == "end" else self.locate(point, field)
            )

        labels = [self.labels[point] for point in kept.tolist()]
        return RawIntervals(starts[kept], starts[following[kept]], labels, locate)

    def _say(self, row: int, field: Field, problem: Diagnostic, problems: Problems) -> None:
        problems.add(self.locate(row, field).diagnose(problem))
