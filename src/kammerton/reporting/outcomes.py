# SPDX-License-Identifier: MIT
"""Precision, recall and F of each class, from a class table of hits, misses and spurious labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["COLUMNS", "OUTCOMES", "of_each_class"]

OUTCOMES = ("hit", "miss", "spurious")
"""What may become of a label that was annotated or listed."""

COLUMNS = (*OUTCOMES, "P", "R", "F")
"""What is told of each class."""


def of_each_class(cells: Mapping[tuple[Any, ...], float]) -> Iterator[tuple[Any, ...]]:
    """Give a row for each class: its name, and the :data:`COLUMNS`; the most annotated first.

    Parameters
    ----------
    cells : mapping of (class, outcome) to float
        Weights.

    Yields
    ------
    tuple
        P is None where nothing was listed, R where nothing was annotated.

    Examples
    --------
    >>> for row in of_each_class({("cello", "hit"): 3.0, ("cello", "miss"): 1.0, ("oboe", "spurious"): 2.0}):
    ...     print(*row)
    cello 3.0 1.0 0.0 1.0 0.75 0.8571428571428571
    oboe 0.0 0.0 2.0 0.0 None 0.0
    """
    names = dict.fromkeys(name for name, _ in cells)
    rows = [(name, *(cells.get((name, outcome), 0.0) for outcome in OUTCOMES)) for name in names]
    for name, hit, miss, spurious in sorted(rows, key=lambda row: (-row[1] - row[2], str(row[0]))):
        precision = _share(hit, hit + spurious)
        recall = _share(hit, hit + miss)
        yield name, hit, miss, spurious, precision, recall, _share(2 * hit, 2 * hit + miss + spurious)


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None
