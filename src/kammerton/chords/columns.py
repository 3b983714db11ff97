# SPDX-License-Identifier: MIT
"""Turn pairs of annotations into columns: seconds and integer codes, one row per segment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kammerton.chords.annotation import ChordAnnotation
from kammerton.core.intervals import Codes, Segments, Slices, sequence_of_rows, slice_pairs
from kammerton.model.task import Case

__all__ = ["NO_CHORD", "SILENCE", "Columns", "build_columns"]

SILENCE, NO_CHORD = 0, 1
"""Codes that every vocabulary has: no row at all, and the label ``N``."""


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Pairs of annotations, ready for the kernels.

    Parameters
    ----------
    labels : tuple of str
        Distinct labels; a code is an index into it. The first stands for silence and is empty.
    ref, est : Segments
        Rows of positive length; sequence ``i`` of both is pair ``i``.
    ref_rows, est_rows : Segments
        The same with the rows of zero length.
    slices : Slices
        The union of their boundaries.
    groups : ndarray of int64, shape (pairs,)
        Group of each pair.
    """

    labels: tuple[str, ...]
    ref: Segments
    est: Segments
    ref_rows: Segments
    est_rows: Segments
    slices: Slices
    groups: Codes

    @property
    def pairs(self) -> int:
        """Number of pairs."""
        return len(self.groups)


def build_columns(cases: Sequence[Case[ChordAnnotation]]) -> Columns:
    """Encode pairs of one reference and one estimate.

    An annotation that stands in several pairs is encoded once.
    """
    index: dict[str, int] = {"": SILENCE, "N": NO_CHORD}
    refs, ref_order = _distinct([case.pair[0] for case in cases])
    ests, est_order = _distinct([case.pair[1] for case in cases])
    ref_rows = _encode(refs, index).take(ref_order)
    est_rows = _encode(ests, index).take(est_order)
    ref, est = (rows.where(rows.ends > rows.starts) for rows in (ref_rows, est_rows))
    groups = np.array([case.group for case in cases], dtype=np.int64)
    return Columns(tuple(index), ref, est, ref_rows, est_rows, slice_pairs(ref, est), groups)


def _distinct(annotations: list[ChordAnnotation]) -> tuple[list[ChordAnnotation], Codes]:
    first: dict[int, int] = {}
    order = [first.setdefault(id(annotation), len(first)) for annotation in annotations]
    chosen = {id(annotation): annotation for annotation in annotations}
    return list(chosen.values()), np.array(order, dtype=np.int64)


def _encode(annotations: list[ChordAnnotation], index: dict[str, int]) -> Segments:
    intervals = np.concatenate([np.empty((0, 2)), *(a.intervals for a in annotations)])
    codes = np.array(
        [index.setdefault(label, len(index)) for a in annotations for label in a.labels], dtype=np.int64
    )
    offsets = np.concatenate(([0], np.cumsum([len(a) for a in annotations], dtype=np.int64)))
    sequence = sequence_of_rows(offsets)
    changed = np.ones(len(codes), dtype=bool)
    changed[1:] = (codes[1:] != codes[:-1]) | (sequence[1:] != sequence[:-1])
    return Segments(intervals[:, 0], intervals[:, 1], codes, np.cumsum(changed), offsets)
