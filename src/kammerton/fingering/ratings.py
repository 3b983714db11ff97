# SPDX-License-Identifier: MIT
"""Fingerings as ratings: which finger each annotator put on each note."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kammerton.fingering.annotation import Fingering
from kammerton.fingering.columns import label_table
from kammerton.model.ratings import Ratings, join_ratings

__all__ = ["ratings"]

_FINGERS = tuple(str(finger) for finger in (*range(-5, 0), *range(1, 6)))


def ratings(items: Sequence[Sequence[Fingering | None]], _: object = None) -> Ratings:
    """Return the finger that strikes each note, signed by hand.

    Parameters
    ----------
    items : sequence of sequences of Fingering or None
        Annotations of each piece, on the same notes, by annotator; None where there is none.

    Returns
    -------
    Ratings
        A unit is a note; one without a finger has no label.

    Examples
    --------
    >>> notes = np.array([0.0, 1.0]), np.array([1.0, 2.0]), np.array([60, 62]), np.array([0, 0])
    >>> found = ratings([[Fingering(*notes, ("4_1", "2")), Fingering(*notes, ("4", ""))]])
    >>> [[found.labels[code] if code >= 0 else None for code in unit] for unit in found.codes]
    [['4', '4'], ['2', None]]
    """
    return join_ratings(map(_of_piece, items))


def _of_piece(annotations: Sequence[Fingering | None]) -> Ratings:
    """Return the fingers on the notes of one piece."""
    notes = max((len(each) for each in annotations if each is not None), default=0)
    struck = np.zeros((notes, len(annotations)), dtype=np.int64)
    for rater, fingering in enumerate(annotations):
        if fingering is not None:
            codes = fingering.codes  # a label is known once its code was asked for
            struck[:, rater] = label_table().strikes[codes]
    place = np.where(struck < 0, struck + 5, struck + 4)
    return Ratings(_FINGERS, np.where(struck == 0, -1, place))
