# SPDX-License-Identifier: MIT
"""Fingerings in columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN, Fingering
from kammerton.fingering.labels import inspect
from kammerton.model.packing import PackedColumn, Packing

__all__ = ["PACKING"]

_NOTES = ("onsets", "offsets", "pitches", "hands")
_WHERE = ("lines", "places")
_NO_LINE = -1
_HIGHEST = 127


def _pack(fingering: Fingering) -> Mapping[str, Any]:
    return {
        **{name: getattr(fingering, name) for name in _NOTES},
        "labels": fingering.labels,
        "lines": _lines(fingering),
        "places": _places(fingering),
        "in_quarters": fingering.unit == "quarters",
    }


def _lines(fingering: Fingering) -> NDArray[np.int64]:
    """Return the line of each note; nothing if none has any."""
    if fingering.line_of is None:
        return np.empty(0, dtype=np.int64)
    found = [fingering.line_of(note) for note in range(len(fingering))]
    lines = np.array([_NO_LINE if line is None else line for line in found], dtype=np.int64)
    return lines if (lines != _NO_LINE).any() else lines[:0]


def _places(fingering: Fingering) -> list[str]:
    """Return where in a score each note stands; nothing if it is of none."""
    return [] if fingering.place_of is None else [fingering.place_of(note) for note in range(len(fingering))]


def _unpack(columns: Mapping[str, PackedColumn]) -> Sequence[Fingering | None]:
    labels = columns["labels"]
    odd = np.zeros(len(labels.offsets) - 1, dtype=bool)
    for name in _NOTES:
        odd |= columns[name].lengths != labels.lengths
    for name in _WHERE:
        odd |= (columns[name].lengths > 0) & (columns[name].lengths != labels.lengths)
    if not odd.any():
        odd = labels.having(_odd_notes(columns))
    in_quarters = columns["in_quarters"].values
    notes = zip(*(columns[name].parts() for name in (*_NOTES, "labels", *_WHERE)), in_quarters, strict=True)
    return [None if bad else _fingering(*each) for each, bad in zip(notes, odd.tolist(), strict=True)]


def _fingering(*columns: Any) -> Fingering:
    onsets, offsets, pitches, hands, labels, lines, places, in_quarters = columns
    return Fingering(
        onsets,
        offsets,
        pitches,
        hands,
        tuple(labels),
        _line_of(lines),
        "quarters" if in_quarters else "s",
        places.__getitem__ if places else None,
    )


def _line_of(lines: NDArray[np.int64]) -> partial[int | None] | None:
    return partial(_line, lines) if len(lines) else None


def _line(lines: NDArray[np.int64], note: int) -> int | None:
    line = int(lines[note])
    return None if line == _NO_LINE else line


def _odd_notes(columns: Mapping[str, PackedColumn]) -> NDArray[np.bool_]:
    """Tell which notes are not as reading leaves them: times that can be, keys, hands, fingers."""
    onsets, offsets, pitches, hands = (columns[name].values for name in _NOTES)
    labels = columns["labels"]
    fingers = np.array([inspect(label).diagnostic is None for label in labels.names or ()], dtype=bool)
    sound: NDArray[np.bool_] = (onsets >= 0) & (offsets >= onsets) & np.isfinite(offsets)
    sound &= (pitches >= -1) & (pitches <= _HIGHEST) & np.isin(hands, (RIGHT, LEFT, UNKNOWN))
    sound &= fingers.take(labels.values)
    return ~sound


PACKING = Packing(
    lists={
        "onsets": "real",
        "offsets": "real",
        "pitches": "whole",
        "hands": "whole",
        "labels": "text",
        "lines": "whole",
        "places": "text",
    },
    single={"in_quarters": "flag"},
    pack=_pack,
    unpack=_unpack,
    rows=len,
)
