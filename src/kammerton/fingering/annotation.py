# SPDX-License-Identifier: MIT
"""A fingering: the notes of a piece, and the finger that plays each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["LEFT", "MISSING", "RIGHT", "UNKNOWN", "Fingering"]

RIGHT, LEFT, UNKNOWN = 0, 1, -1
"""Codes of hands."""

MISSING = ""
"""Label of a note that nobody fingered."""


@dataclass(frozen=True, slots=True, eq=False)
class Fingering:
    """Notes of one piece as one annotator or system fingered them.

    Parameters
    ----------
    onsets, offsets : ndarray of float64, shape (n,)
        Seconds, or quarter notes where a source has no tempo; in the order of the source.
    pitches : ndarray of int64, shape (n,)
        MIDI numbers.
    hands : ndarray of int64, shape (n,)
        The hand that the source gives a note to, whether it is fingered or not: 0 right, 1 left, -1
        unknown.
    labels : tuple of str, length n
        Labels in the notation of PIG: ``"1"`` to ``"5"`` of the right hand, ``"-1"`` to ``"-5"`` of
        the left, substitutions as ``"4_1"``; empty where missing.

    Notes
    -----
    Made by :func:`kammerton.fingering.read` and by everything that takes fingers and pitches; the
    constructor does not check.
    """

    onsets: NDArray[np.float64]
    offsets: NDArray[np.float64]
    pitches: NDArray[np.int64]
    hands: NDArray[np.int64]
    labels: tuple[str, ...]

    def __len__(self) -> int:
        """Return the number of notes."""
        return len(self.labels)
