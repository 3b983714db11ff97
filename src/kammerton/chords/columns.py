# SPDX-License-Identifier: MIT
"""Turn pairs of annotations into columns: seconds and integer codes, one row per segment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kammerton.chords.annotation import ChordAnnotation
from kammerton.chords.spellings import spellings_in_use
from kammerton.core.intervals import Codes, Segments, Slices, changes, sequence_of_rows, slice_pairs
from kammerton.model.task import Case

__all__ = ["NO_CHORD", "SILENCE", "Columns", "build_columns"]

SILENCE, NO_CHORD = 0, 1
"""Codes that every vocabulary has: no row at all, and the label ``N``."""

_NONE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Columns:
    """Pairs of annotations, ready for the kernels.

    Parameters
    ----------
    labels : tuple of str
        Distinct labels: silence, which is empty, ``N``, and the others sorted; a code is an index.
    groups : ndarray of int64, shape (pairs,)
        Group of each pair.
    ref, est : Segments
        Rows of positive length; sequence ``i`` of both is pair ``i``.
    slices : Slices
        The union of their boundaries.
    ref_rows, est_rows, all_slices
        The same with the rows of zero length.
    """

    labels: tuple[str, ...]
    groups: Codes
    ref: Segments
    est: Segments
    slices: Slices
    ref_rows: Segments
    est_rows: Segments
    all_slices: Slices

    @property
    def pairs(self) -> int:
        """Number of pairs."""
        return len(self.groups)


def build_columns(cases: Sequence[Case[ChordAnnotation]]) -> Columns:
    """Encode pairs of one reference and one estimate.

    An annotation that stands in several pairs is encoded once.
    """
    pairs = [case.pair for case in cases]
    refs, ref_order = _distinct([ref for ref, _ in pairs])
    ests, est_order = _distinct([est for _, est in pairs])
    labels, (ref_codes, est_codes) = _numbered(refs, ests)
    ref_rows = _rows(refs, ref_codes).take(ref_order)
    est_rows = _rows(ests, est_codes).take(est_order)
    all_slices = slice_pairs(ref_rows, est_rows)
    ref_lasts, est_lasts = ref_rows.ends > ref_rows.starts, est_rows.ends > est_rows.starts
    ref, est = ref_rows.where(ref_lasts), est_rows.where(est_lasts)
    slices = all_slices.restricted(ref, ref_lasts, est, est_lasts)
    groups = np.array([case.group for case in cases], dtype=np.int64)
    return Columns(labels, groups, ref, est, slices, ref_rows, est_rows, all_slices)


def _distinct(annotations: list[ChordAnnotation]) -> tuple[list[ChordAnnotation], Codes]:
    first: dict[int, int] = {}
    order = [first.setdefault(id(annotation), len(first)) for annotation in annotations]
    chosen = {id(annotation): annotation for annotation in annotations}
    return list(chosen.values()), np.array(order, dtype=np.int64)


def _numbered(*sides: list[ChordAnnotation]) -> tuple[tuple[str, ...], list[Codes]]:
    """Return the distinct labels of all sides, and the code of each row of a side.

    In the order of their spelling, the codes of a song do not depend on what was read before it.
    """
    spellings = next((each.spellings for side in sides for each in side), spellings_in_use())
    numbers = [np.concatenate([_NONE, *(each.codes_in(spellings) for each in side)]) for side in sides]
    counts = np.bincount(np.concatenate(numbers))  # spellings may grow meanwhile
    used = np.flatnonzero(counts)
    spelled = [spellings.labels[number] for number in used.tolist()]
    labels = ("", "N", *sorted({*spelled} - {"", "N"}))
    index = {label: code for code, label in enumerate(labels)}
    code_of = np.zeros(len(counts), dtype=np.int64)
    code_of[used] = [index[label] for label in spelled]
    return labels, [code_of.take(each) for each in numbers]


def _rows(annotations: list[ChordAnnotation], codes: Codes) -> Segments:
    intervals = np.concatenate([np.empty((0, 2)), *(a.intervals for a in annotations)])
    offsets = np.concatenate(([0], np.cumsum([len(a.codes) for a in annotations], dtype=np.int64)))
    changed = changes(codes) | changes(sequence_of_rows(offsets))
    return Segments(intervals[:, 0], intervals[:, 1], codes, np.cumsum(changed), offsets)
