# SPDX-License-Identifier: MIT
"""Chord annotations in columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from kammerton.chords.annotation import ChordAnnotation
from kammerton.chords.reading import are_chords
from kammerton.model.packing import PackedColumn, Packing

__all__ = ["PACKING"]


def _pack(annotation: ChordAnnotation) -> Mapping[str, Any]:
    starts, ends = annotation.intervals.T
    return {"starts": starts, "ends": ends, "labels": annotation.labels}


def _unpack(columns: Mapping[str, PackedColumn]) -> Sequence[ChordAnnotation | None]:
    starts, ends, labels = (columns[name] for name in ("starts", "ends", "labels"))
    if not all(np.array_equal(starts.offsets, each.offsets) for each in (ends, labels)):
        return [None] * (len(starts.offsets) - 1)
    intervals = np.column_stack((starts.values, ends.values))
    bounds, names = starts.offsets.tolist(), labels.values
    found = [ChordAnnotation(intervals[a:b], tuple(names[a:b])) for a, b in pairwise(bounds)]
    odd = _odd_rows(starts, ends, names)
    if not odd.any():
        return found
    return [None if bad else each for each, bad in zip(found, starts.having(odd).tolist(), strict=True)]


def _odd_rows(starts: PackedColumn, ends: PackedColumn, labels: Sequence[str]) -> Any:
    """Tell which rows are not as reading leaves them: in order, apart, labelled with chords."""
    odd = ~((starts.values >= 0) & (ends.values >= starts.values) & np.isfinite(ends.values))
    behind = starts.owners[1:] == starts.owners[:-1]
    odd[1:] |= behind & (starts.values[1:] < ends.values[:-1])
    if not are_chords(set(labels)):
        odd |= np.array([not are_chords({label}) for label in labels], dtype=bool)
    return odd


PACKING = Packing(
    lists={"starts": "real", "ends": "real", "labels": "text"},
    single={},
    pack=_pack,
    unpack=_unpack,
    rows=len,
    choices=frozenset(("lenient", "overlap")),
)
