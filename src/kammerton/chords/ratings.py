# SPDX-License-Identifier: MIT
"""Chords as ratings: what each annotator heard in each stretch of time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kammerton.chords.annotation import ChordAnnotation
from kammerton.chords.third_maps import map_label
from kammerton.core.intervals import Codes, Seconds
from kammerton.model.ratings import Ratings, join_ratings

__all__ = ["ratings"]


def ratings(items: Sequence[Sequence[ChordAnnotation | None]], _: object = None) -> Ratings:
    """Return the triad, or ``N``, of each annotator between any two boundaries.

    Parameters
    ----------
    items : sequence of sequences of ChordAnnotation or None
        Annotations of each song, by annotator; None where there is none.

    Returns
    -------
    Ratings
        Units weigh their seconds. A label is a root and a triad as it sounds, by the map of ``mirex2013``:
        also triads that are neither major nor minor, so that no time is left out because of what an
        annotator heard there. Time without a row, and ``X``, have no label.

    Examples
    --------
    >>> one = ChordAnnotation(np.array([[0.0, 4.0]]), ("C:7",))
    >>> other = ChordAnnotation(np.array([[0.0, 1.0], [1.0, 4.0]]), ("C/3", "C:min"))
    >>> found = ratings([[one, other]])
    >>> found.labels, found.codes.tolist(), found.weights.tolist()
    (('0:maj', '0:min'), [[0, 0], [0, 1]], [1.0, 3.0])
    """
    return join_ratings(map(_of_song, items))


def _of_song(annotations: Sequence[ChordAnnotation | None]) -> Ratings:
    """Return the triads of one song."""
    present = [each for each in annotations if each is not None]
    times = np.unique(np.concatenate([np.empty(0), *(each.intervals.ravel() for each in present)]))
    number: dict[str, int] = {}
    codes = np.full((max(len(times) - 1, 0), len(annotations)), -1, dtype=np.int64)
    for rater, annotation in enumerate(annotations):
        if annotation is not None and len(annotation):
            codes[:, rater] = _between(annotation, times, number)
    return Ratings(tuple(number), codes, np.diff(times))


def _between(annotation: ChordAnnotation, times: Seconds, number: dict[str, int]) -> Codes:
    """Return the code of the row that lasts from each time to the next one; -1 without one."""
    lasting = annotation.intervals[:, 1] > annotation.intervals[:, 0]
    starts, ends = annotation.intervals[lasting].T
    labels = [label for label, lasts in zip(annotation.labels, lasting.tolist(), strict=True) if lasts]
    of_row = np.array([*(_code(label, number) for label in labels), -1], dtype=np.int64)
    row = np.searchsorted(starts, times[:-1], side="right") - 1
    covered = (row >= 0) & (np.append(ends, -np.inf)[row] > times[:-1])
    return of_row[np.where(covered, row, -1)]


def _code(label: str, number: dict[str, int]) -> int:
    chord = map_label(label)
    if chord.kind == "N":
        return number.setdefault("N", len(number))
    if chord.kind != "chord":
        return -1
    return number.setdefault(f"{chord.root}:{chord.triad}", len(number))
