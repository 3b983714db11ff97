# SPDX-License-Identifier: MIT
"""Turn the labels of pieces into columns of codes, ready for the kernels.

A label is a code: an index into a :class:`LabelTable`, code 0 for a missing label. Pieces with
equally many annotators form one :class:`Pieces`, their notes one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from kammerton.core.intervals import Codes
from kammerton.fingering.labels import parse_label

__all__ = [
    "SIGNED_FINGERS",
    "Comparison",
    "LabelTable",
    "Pieces",
    "collect",
    "group_pieces",
    "tabulate",
]

Number = TypeVar("Number", bound=np.number)

Comparison = Literal["strike", "finger", "exact", "any", "text"]
"""When two labels match: *strike*: same hand and first finger; *finger*: same first finger;
*exact*: same fingers in the same order; *any*: a finger in common; *text*: same code."""

SIGNED_FINGERS = (1, 2, 3, 4, 5, -1, -2, -3, -4, -5)
"""Rows 1 to 10 of a table of confusions, whose row 0 is the missing label."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelTable:
    """What each label code stands for.

    Parameters
    ----------
    strikes : ndarray of int64, shape (labels,)
        First finger, negative in the left hand; 0 for a missing label.
    releases : ndarray of int64, shape (labels,)
        Last finger, which lets the key go, likewise; 0 also if it is of the other hand.
    tuples : ndarray of int64, shape (labels,)
        Number of the tuple of fingers, 0 for none: two spellings of one tuple have one number.
    fingers : ndarray of int64, shape (labels,)
        The set of fingers, a bit for each of :data:`SIGNED_FINGERS`.
    """

    strikes: Codes
    releases: Codes
    tuples: Codes
    fingers: Codes

    def values(self, comparison: Comparison) -> Codes:
        """Return the value of each label that a comparison looks at, 0 where missing."""
        if comparison == "strike":
            return self.strikes
        if comparison == "finger":
            return np.abs(self.strikes)
        if comparison == "exact":
            return self.tuples
        return self.fingers if comparison == "any" else np.arange(len(self.strikes))


def tabulate(labels: Sequence[str]) -> LabelTable:
    """Build the table of distinct labels.

    Parameters
    ----------
    labels : sequence of str
        Label of each code, in the notation of PIG; the first is the missing label.

    Returns
    -------
    LabelTable

    Raises
    ------
    LabelError
        If a label is none.

    Examples
    --------
    >>> tabulate(["", "4_1", "-2"]).strikes
    array([ 0,  4, -2])
    """
    parsed = [parse_label(label) for label in labels]
    fingers = [() if label is None else label.fingers for label in parsed]
    numbers: dict[tuple[int, ...], int] = {(): 0}
    strikes = [label[0] if label else 0 for label in fingers]
    releases = [label[-1] if label and label[-1] * label[0] > 0 else 0 for label in fingers]
    tuples = [numbers.setdefault(label, len(numbers)) for label in fingers]
    sets = [sum(1 << SIGNED_FINGERS.index(finger) for finger in set(label)) for label in fingers]
    return LabelTable(*(np.array(column, dtype=np.int64) for column in (strikes, releases, tuples, sets)))


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Label codes of pieces that equally many annotators fingered.

    Parameters
    ----------
    items : ndarray of int64, shape (pieces,)
        Number of each piece in the batch it was taken from.
    offsets : ndarray of int64, shape (pieces + 1,)
        Note at which each piece begins.
    est : ndarray of int64, shape (notes,)
        Label code of the estimate.
    refs : ndarray of int64, shape (annotators, notes)
        Label codes of the annotators.
    """

    items: Codes
    offsets: Codes
    est: Codes
    refs: Codes

    def __len__(self) -> int:
        """Return the number of pieces."""
        return len(self.items)


def group_pieces(pieces: Sequence[tuple[Codes, Codes]], numbers: Codes | None = None) -> tuple[Pieces, ...]:
    """Group pieces by their number of annotators.

    Parameters
    ----------
    pieces : sequence of (ndarray, ndarray)
        Label codes of each piece: of the estimate, shape (notes,), and of its annotators, shape
        (annotators, notes).
    numbers : ndarray of int64, shape (pieces,), optional
        Their numbers in the batch; by default all of it, in order.

    Returns
    -------
    tuple of Pieces
    """
    counts = np.array([len(refs) for _, refs in pieces], dtype=np.int64)
    groups = []
    for count in np.unique(counts):
        items = np.flatnonzero(counts == count)
        ests, refs = zip(*(pieces[item] for item in items.tolist()), strict=True)
        offsets = np.concatenate(([0], np.cumsum([len(est) for est in ests], dtype=np.int64)))
        named = items if numbers is None else numbers[items]
        groups.append(Pieces(named, offsets, np.concatenate(ests), np.concatenate(refs, axis=1)))
    return tuple(groups)


def collect(groups: Sequence[Pieces], kernel: Callable[[Pieces], NDArray[Number]]) -> NDArray[Number]:
    """Apply a kernel to each group and return its statistics in the order of the batch.

    Parameters
    ----------
    groups : sequence of Pieces
        All groups of a batch, at least one.
    kernel : callable
        From a group to an array whose first axis is its pieces.

    Returns
    -------
    ndarray, shape (pieces of the batch, ...)
    """
    parts = np.concatenate([kernel(group) for group in groups])
    return np.asarray(parts[np.argsort(np.concatenate([group.items for group in groups]))])
