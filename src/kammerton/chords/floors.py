# SPDX-License-Identifier: MIT
"""Trivial answers made from the references: what a system must beat to have heard anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from kammerton.chords.annotation import ChordAnnotation
from kammerton.chords.degrees import ROOTS
from kammerton.chords.third_maps import map_label
from kammerton.core.ratios import total

__all__ = ["floors"]

_TRIADS = ("maj", "min")


def floors(references: Mapping[str, Sequence[ChordAnnotation]]) -> dict[str, dict[str, ChordAnnotation]]:
    """Return estimates that no ear was needed for.

    Parameters
    ----------
    references : mapping of str to sequence of ChordAnnotation
        All annotations of each item.

    Returns
    -------
    dict of str to dict of str to ChordAnnotation
        *all N*: no chord throughout. *commonest triad*: the major or minor triad that lasts longest in all
        references together. *best triad of each song*: the same within each song, which no system can know.

    Examples
    --------
    >>> song = ChordAnnotation(np.array([[0.0, 3.0], [3.0, 4.0]]), ("D:7", "G"))
    >>> {name: found["song"].labels for name, found in floors({"song": [song]}).items()}
    {'all N': ('N',), 'commonest triad': ('D:maj',), 'best triad of each song': ('D:maj',)}
    """
    seconds = {item: _seconds(annotations) for item, annotations in references.items()}
    whole: Counter[str] = Counter()
    for each in seconds.values():
        whole.update(each)
    commonest = _longest(whole)
    labels = {
        "all N": dict.fromkeys(references, "N"),
        "commonest triad": dict.fromkeys(references, commonest),
        "best triad of each song": {item: _longest(seconds[item]) for item in references},
    }
    return {
        name: {item: _throughout(references[item], label) for item, label in of_item.items()}
        for name, of_item in labels.items()
    }


def _seconds(annotations: Sequence[ChordAnnotation]) -> dict[str, float]:
    """Return how long each triad lasts, summed over annotators."""
    rows: dict[str, list[float]] = {}
    for annotation in annotations:
        lengths = annotation.intervals[:, 1] - annotation.intervals[:, 0]
        for label, length in zip(annotation.labels, lengths.tolist(), strict=True):
            chord = map_label(label)
            if chord.kind == "chord" and chord.spelled_triad in _TRIADS:
                rows.setdefault(f"{ROOTS[chord.root]}:{chord.spelled_triad}", []).append(length)
    return {triad: total(np.array(lengths)) for triad, lengths in rows.items()}


def _longest(seconds: Mapping[str, float]) -> str:
    """Return the triad that lasts longest; of equal ones the first by name, ``N`` if there is none."""
    return min(seconds, key=lambda triad: (-seconds[triad], triad), default="N")


def _throughout(annotations: Sequence[ChordAnnotation], label: str) -> ChordAnnotation:
    """Return one label from the first start to the last end of the annotations."""
    times = [annotation.intervals for annotation in annotations if len(annotation)]
    if not times:
        return ChordAnnotation.empty()
    span = [[min(each[0, 0] for each in times), max(each[-1, 1] for each in times)]]
    return ChordAnnotation(np.array(span, dtype=np.float64), (label,))
