# SPDX-License-Identifier: MIT
"""Annotations as every reader yields them, before a task gives their labels a meaning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic

__all__ = ["Field", "LabelledIntervals", "Place", "Seconds"]

Seconds = NDArray[np.float64]
"""One-dimensional array of times or durations in seconds."""

Field = Literal["start", "end", "label"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in a file; see :class:`kammerton.errors.Diagnostic` for the fields."""

    file: str
    line: int | None = None
    column: int | None = None
    length: int = 1
    excerpt: str | None = None

    def diagnose(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return ``diagnostic`` placed here.

        A diagnostic that has a column already is taken as relative to this place
        (a position within a label).
        """
        column, length = self.column, self.length
        if column is not None and diagnostic.column is not None:
            column, length = column + diagnostic.column - 1, diagnostic.length
        return diagnostic.at(
            file=self.file, line=self.line, column=column, length=length, excerpt=self.excerpt
        )


@dataclass(frozen=True, slots=True, eq=False)
class LabelledIntervals:
    """Rows of start, end and label, sorted by start, of one annotator.

    Parameters
    ----------
    starts, ends : ndarray of float64, shape (n,)
        Seconds; finite, not negative, ``starts <= ends``, no overlaps. Rows of zero length are kept:
        some protocols see them.
    labels : list of str, length n
        As written in the file.
    locate : callable
        ``locate(row, field)`` returns the :class:`Place` of a field of a row in the file.
    annotator : str, optional
        Name of the annotator if the file tells it.
    """

    starts: Seconds
    ends: Seconds
    labels: list[str]
    locate: Callable[[int, Field], Place]
    annotator: str | None = None
