# SPDX-License-Identifier: MIT
"""Chord annotations in columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from kammerton.chords.annotation import ChordAnnotation
from kammerton.chords.reading import is_chord
from kammerton.chords.spellings import spellings_in_use
from kammerton.model.packing import PackedColumn, Packing

__all__ = ["PACKING"]


def _pack(annotation: ChordAnnotation) -> Mapping[str, Any]:
    starts, ends = annotation.intervals.T
    return {"starts": starts, "ends": ends, "labels": annotation.labels}


def _unpack(columns: Mapping[str, PackedColumn]) -> Sequence[ChordAnnotation | None]:
    starts, ends, labels = (columns[name] for name in ("starts", "ends", "labels"))
    if not all(np.array_equal(starts.offsets, each.offsets) for each in (ends, labels)):
        return [None] * (len(starts.offsets) - 1)
    names, spellings = labels.names or (), spellings_in_use()
    intervals = np.column_stack((starts.values, ends.values))
    codes = spellings.numbers(names).take(labels.values)
    odd = starts.having(_odd_rows(starts, ends, labels)).tolist()
    return [
        None if bad else ChordAnnotation.coded(intervals[a:b], codes[a:b], spellings)
        for (a, b), bad in zip(pairwise(starts.offsets.tolist()), odd, strict=True)
    ]


def _odd_rows(starts: PackedColumn, ends: PackedColumn, labels: PackedColumn) -> Any:
    """Tell which rows are not as reading leaves them: in order, apart, labelled with chords."""
    odd = ~((starts.values >= 0) & (ends.values >= starts.values) & np.isfinite(ends.values))
    behind = starts.owners[1:] == starts.owners[:-1]
    odd[1:] |= behind & (starts.values[1:] < ends.values[:-1])
    are_odd = np.array([not is_chord(name) for name in labels.names or ()], dtype=bool)
    return odd | are_odd.take(labels.values)


PACKING = Packing(
    lists={"starts": "real", "ends": "real", "labels": "text"},
    single={},
    pack=_pack,
    unpack=_unpack,
    rows=len,
    choices=frozenset(("lenient", "overlap")),
)
