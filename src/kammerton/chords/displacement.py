# SPDX-License-Identifier: MIT
"""Whether an estimate that is mostly wrong would be right at another time, or at another pitch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from kammerton.chords.annotation import ChordAnnotation
from kammerton.chords.degrees import ROOTS
from kammerton.chords.labels import Chord, parse
from kammerton.errors import plural

__all__ = ["Shares", "displacement"]

Shares = Callable[[Sequence[ChordAnnotation]], NDArray[np.float64]]

_HALF = 0.5
"""What is right for less of the time may be displaced; what is told would be right for as much."""
_TIMES = 2.0
"""How many times as much must be right elsewhere."""
_FEWEST = 2
"""Different chords that an estimate has: a single one is right in some key, whatever it is."""
_FARTHEST, _STEP, _FINER = 20.0, 1.0, 0.1
"""Seconds by which an estimate is moved at most, at a time, and about the best of these."""


def displacement(estimate: ChordAnnotation, shares: Shares) -> str:
    """Say where an estimate that is mostly wrong would be mostly right; nothing if nowhere, or if it is not.

    Recordings that begin with some seconds more or less, and such as are tuned otherwise than the one that
    was annotated, have every chord wrong though each is well heard.

    Parameters
    ----------
    estimate : ChordAnnotation
    shares : callable
        Which share of the time each of several estimates is right.

    Examples
    --------
    >>> wanted = ("D", "E:min/b3")
    >>> found = ChordAnnotation(np.array([[0.0, 1.0], [1.0, 2.0]]), ("C#", "D#:min"))
    >>> def shares(moved):
    ...     return np.array([np.mean([a == b for a, b in zip(each.labels, wanted)]) for each in moved])
    >>> displacement(found, shares)
    '50 % would be right if all of it were 1 semitone higher'
    """
    (own,) = shares([estimate])
    chords = {label: parse(label) for label in set(estimate.labels)}
    rooted = [chord for chord in chords.values() if chord.root_pitch_class is not None]
    if not own < _HALF or len(rooted) < _FEWEST:
        return ""
    best, moved = max((_best_transposed(estimate, chords, shares), _best_shifted(estimate, shares)))
    return f"{100 * best:.0f} % would be right if {moved}" if best >= max(_HALF, _TIMES * own) else ""


def _best_transposed(
    estimate: ChordAnnotation, chords: Mapping[str, Chord], shares: Shares
) -> tuple[float, str]:
    found = shares([_transposed(estimate, chords, each) for each in range(1, 12)])
    best = int(found.argmax()) + 1
    moved = f"{plural(best, 'semitone')} higher" if best <= 6 else f"{plural(12 - best, 'semitone')} lower"
    return float(found.max()), f"all of it were {moved}"


def _transposed(estimate: ChordAnnotation, chords: Mapping[str, Chord], semitones: int) -> ChordAnnotation:
    """Return an estimate whose roots lie higher, in some spelling."""
    moved = {
        label: label
        if chord.root_pitch_class is None
        else ROOTS[(chord.root_pitch_class + semitones) % 12] + label.removeprefix(chord.root)
        for label, chord in chords.items()
    }
    return ChordAnnotation(estimate.intervals, tuple(map(moved.__getitem__, estimate.labels)))


def _best_shifted(estimate: ChordAnnotation, shares: Shares) -> tuple[float, str]:
    coarse = np.arange(-_FARTHEST, _FARTHEST + _STEP, _STEP)
    near = coarse[shares([_shifted(estimate, each) for each in coarse]).argmax()]
    fine = np.clip(near + np.arange(-_STEP, _STEP + _FINER, _FINER), -_FARTHEST, _FARTHEST)
    found = shares([_shifted(estimate, each) for each in fine])
    seconds = fine[found.argmax()]
    return float(found.max()), f"it came {abs(seconds):.1f} s {'earlier' if seconds < 0 else 'later'}"


def _shifted(estimate: ChordAnnotation, seconds: float) -> ChordAnnotation:
    intervals = np.maximum(estimate.intervals + seconds, 0.0)
    return ChordAnnotation.coded(intervals, estimate.codes, estimate.spellings)
