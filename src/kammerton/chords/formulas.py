# SPDX-License-Identifier: MIT
"""The arithmetic of chord measures: from additive statistics to values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kammerton.core.ratios import harmonic_mean, ratio
from kammerton.model.measure import Statistics

__all__ = [
    "OUTCOMES",
    "ClassAverage",
    "HarmonicSegmentation",
    "MinimumSegmentation",
    "Recall",
    "Segmentation",
]

Values = NDArray[np.float64]

OUTCOMES = ("excluded", "correct_chord", "correct_no_chord", "substituted", "deleted", "inserted")
"""What can become of a slice of time under a vocabulary."""

EXCLUDED, CORRECT_CHORD, CORRECT_NO_CHORD, SUBSTITUTED, DELETED, INSERTED = range(6)


@dataclass(frozen=True, slots=True)
class Recall:
    """Chord symbol recall: correct time over scored time.

    Parameters
    ----------
    weigh : {"scored", "total"}
        What an item weighs: its scored time, or all time of its reference.
    """

    weigh: str = "scored"

    @property
    def statistics(self) -> tuple[str, ...]:
        """Name the columns: time by outcome."""
        return OUTCOMES

    def finalise(self, statistics: Statistics, /) -> Values:
        """Divide correct by scored time."""
        correct = statistics[:, CORRECT_CHORD] + statistics[:, CORRECT_NO_CHORD]
        return ratio(correct, statistics[:, CORRECT_CHORD:].sum(axis=1))

    def weight(self, statistics: Statistics, /) -> Values:
        """Return scored or total time."""
        first = CORRECT_CHORD if self.weigh == "scored" else EXCLUDED
        return np.asarray(statistics[:, first:].sum(axis=1))

    def worst(self, statistics: Statistics, /) -> Statistics:
        """Nothing is right: chords are deleted, no-chord is something else."""
        worst = statistics.copy()
        worst[:, DELETED] += worst[:, CORRECT_CHORD]
        worst[:, SUBSTITUTED] += worst[:, CORRECT_NO_CHORD]
        worst[:, [CORRECT_CHORD, CORRECT_NO_CHORD]] = 0.0
        return worst


class _LostTime:
    """Statistics of segmentation: time lost both ways, and the duration it is divided by."""

    @property
    def statistics(self) -> tuple[str, ...]:
        """Name the columns."""
        return ("lost_under", "lost_over", "duration")

    def weight(self, statistics: Statistics, /) -> Values:
        """Return the duration of the reference."""
        return np.asarray(statistics[:, 2])

    def worst(self, statistics: Statistics, /) -> Statistics:
        """Lose all time both ways."""
        return np.repeat(statistics[:, 2:], 3, axis=1)


@dataclass(frozen=True, slots=True)
class Segmentation(_LostTime):
    """One minus the directional Hamming distance, in one direction.

    Parameters
    ----------
    lost : {"lost_under", "lost_over"}
        *lost_under*: estimated runs cut by reference boundaries; *lost_over*: the reverse.
    """

    lost: str

    def finalise(self, statistics: Statistics, /) -> Values:
        """Subtract the share of lost time from 1."""
        return 1.0 - ratio(statistics[:, self.statistics.index(self.lost)], statistics[:, 2])


@dataclass(frozen=True, slots=True)
class MinimumSegmentation(_LostTime):
    """The smaller of under- and over-segmentation."""

    def finalise(self, statistics: Statistics, /) -> Values:
        """Subtract the larger share of lost time from 1."""
        return 1.0 - ratio(np.maximum(statistics[:, 0], statistics[:, 1]), statistics[:, 2])


@dataclass(frozen=True, slots=True)
class HarmonicSegmentation(_LostTime):
    """The harmonic mean of under- and over-segmentation."""

    def finalise(self, statistics: Statistics, /) -> Values:
        """Average the two directions."""
        under = 1.0 - ratio(statistics[:, 0], statistics[:, 2])
        return harmonic_mean(under, 1.0 - ratio(statistics[:, 1], statistics[:, 2]))


@dataclass(frozen=True, slots=True)
class ClassAverage:
    """Mean over classes of the recall of each class that occurs.

    Parameters
    ----------
    classes : tuple of str
        Names of the classes; statistics are correct time of each, then all time of each.
    """

    classes: tuple[str, ...]

    @property
    def statistics(self) -> tuple[str, ...]:
        """Name the columns."""
        return (*(f"correct:{name}" for name in self.classes), *(f"total:{name}" for name in self.classes))

    def recalls(self, statistics: Statistics, /) -> NDArray[np.float64]:
        """Return the recall of each class, shape (items, classes); NaN where it does not occur."""
        count = len(self.classes)
        return ratio(statistics[:, :count], statistics[:, count:])

    def finalise(self, statistics: Statistics, /) -> Values:
        """Average the recalls of the classes that occur."""
        recalls = self.recalls(statistics)
        occurs = ~np.isnan(recalls)
        return ratio(np.where(occurs, recalls, 0.0).sum(axis=1), occurs.sum(axis=1).astype(float))

    def weight(self, statistics: Statistics, /) -> Values:
        """Return all time that counted."""
        return np.asarray(statistics[:, len(self.classes) :].sum(axis=1))

    def worst(self, statistics: Statistics, /) -> Statistics:
        """Nothing is right."""
        worst = statistics.copy()
        worst[:, : len(self.classes)] = 0.0
        return worst
