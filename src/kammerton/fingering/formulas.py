# SPDX-License-Identifier: MIT
"""The arithmetic of fingering measures: from additive statistics to values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kammerton.core.ratios import ratio
from kammerton.fingering.match_rates import AGAINST, RATE
from kammerton.fingering.playability import JUDGED
from kammerton.model.measure import Statistics

__all__ = ["FingerAverage", "MatchRate", "Share", "ViolationRate"]

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MatchRate:
    """Matched notes over notes."""

    @property
    def statistics(self) -> tuple[str, ...]:
        """Name the columns."""
        return RATE

    def finalise(self, statistics: Statistics, /) -> Values:
        """Divide matched notes by notes."""
        return ratio(statistics[:, 0], statistics[:, 1])

    def weight(self, statistics: Statistics, /) -> Values:
        """Return the number of notes."""
        return np.asarray(statistics[:, 1])

    def worst(self, statistics: Statistics, /) -> Statistics:
        """Match no note."""
        return np.stack((np.zeros(len(statistics)), statistics[:, 1]), axis=1)


@dataclass(frozen=True, slots=True)
class Share:
    """One count of notes over another, against one annotator.

    Parameters
    ----------
    part, whole : str
        Columns of :data:`kammerton.fingering.match_rates.AGAINST`.
    """

    part: str
    whole: str

    @property
    def statistics(self) -> tuple[str, ...]:
        """Name the columns."""
        return AGAINST

    def finalise(self, statistics: Statistics, /) -> Values:
        """Divide the part by the whole."""
        return ratio(statistics[:, AGAINST.index(self.part)], self.weight(statistics))

    def weight(self, statistics: Statistics, /) -> Values:
        """Return the whole."""
        return np.asarray(statistics[:, AGAINST.index(self.whole)])

    def worst(self, statistics: Statistics, /) -> Statistics:
        """Let all notes that the annotator labelled count, and none be right.

        Notes that only count once they are predicted, or in the right hand, count too: nobody gains by
        what is not handed in.
        """
        worst = np.zeros_like(statistics)
        worst[:, AGAINST.index(self.whole)] = statistics[:, AGAINST.index("labelled")]
        return worst


@dataclass(frozen=True, slots=True)
class ViolationRate:
    """What breaks a rule, over what was judged."""

    @property
    def statistics(self) -> tuple[str, ...]:
        """Name the columns: what was judged, and how much broke each rule first."""
        return JUDGED

    def finalise(self, statistics: Statistics, /) -> Values:
        """Divide violations by what was judged."""
        return ratio(statistics[:, 1:].sum(axis=1), statistics[:, 0])

    def weight(self, statistics: Statistics, /) -> Values:
        """Return how much was judged."""
        return np.asarray(statistics[:, 0])

    def worst(self, statistics: Statistics, /) -> Statistics:
        """Break a rule with everything that is judged; the rules do not matter."""
        worst = np.zeros_like(statistics)
        worst[:, :2] = statistics[:, :1]
        return worst


@dataclass(frozen=True, slots=True)
class FingerAverage:
    """Mean over fingers of their F1: 2 right / (predicted + in the reference).

    A finger that neither side uses is left out.
    """

    fingers: int = 10

    @property
    def statistics(self) -> tuple[str, ...]:
        """Name the columns: of each finger right, predicted, and in the reference."""
        kinds = ("right", "predicted", "support")
        return tuple(f"{kind}:{hand}{n}" for hand in "RL" for n in range(1, 6) for kind in kinds)

    def finalise(self, statistics: Statistics, /) -> Values:
        """Average the F1 of the fingers that occur."""
        counts = statistics.reshape(-1, self.fingers, 3)
        scores = ratio(2 * counts[:, :, 0], counts[:, :, 1] + counts[:, :, 2])
        occurs = ~np.isnan(scores)
        return ratio(np.where(occurs, scores, 0.0).sum(axis=1), occurs.sum(axis=1).astype(float))

    def weight(self, statistics: Statistics, /) -> Values:
        """Return the number of notes in the reference."""
        return np.asarray(statistics.reshape(-1, self.fingers, 3)[:, :, 2].sum(axis=1))

    def worst(self, statistics: Statistics, /) -> Statistics:
        """Predict every finger for every note: no estimate takes more from any of them."""
        counts = statistics.reshape(-1, self.fingers, 3).copy()
        counts[:, :, 0] = 0.0
        counts[:, :, 1] = counts[:, :, 2].sum(axis=1, keepdims=True)
        return counts.reshape(statistics.shape)
