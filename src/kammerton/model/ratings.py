# SPDX-License-Identifier: MIT
"""What several annotators said of the same units: the nominal labels that agreement is measured on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Ratings", "join_ratings"]


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Labels that annotators gave to units.

    Parameters
    ----------
    labels : tuple of str
        What the codes stand for.
    codes : ndarray of int64, shape (units, annotators)
        Label of each unit by each annotator; -1 where there is none.
    weights : ndarray of float64, shape (units,), optional
        Size of each unit, such as its seconds; None if all count 1.
    reason : str
        Why agreement cannot be measured on them, if it cannot.
    """

    labels: tuple[str, ...]
    codes: NDArray[np.int64]
    weights: NDArray[np.float64] | None = None
    reason: str = ""


def join_ratings(parts: Iterable[Ratings]) -> Ratings:
    """Return the units of all parts, by the same annotators in the same order; at least one part."""
    known = list(parts)
    number: dict[str, int] = {}
    codes = []
    for part in known:
        table = [number.setdefault(label, len(number)) for label in part.labels]
        codes.append(np.array([*table, -1], dtype=np.int64)[part.codes])
    weights = [part.weights for part in known if part.weights is not None]
    return Ratings(tuple(number), np.concatenate(codes), np.concatenate(weights) if weights else None)
