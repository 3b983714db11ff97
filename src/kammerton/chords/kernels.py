# SPDX-License-Identifier: MIT
"""Additive statistics of chord recall and segmentation, for all pairs at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kammerton.chords.columns import NO_CHORD
from kammerton.chords.formulas import (
    CORRECT_CHORD,
    CORRECT_NO_CHORD,
    DELETED,
    EXCLUDED,
    INSERTED,
    OUTCOMES,
    SUBSTITUTED,
)
from kammerton.chords.label_times import LabelTimes
from kammerton.chords.time_rules import Timeline
from kammerton.core.intervals import Codes, Flags, Seconds, SumsByPair, lost_time
from kammerton.model.measure import Measure, Statistics

__all__ = ["LabelRule", "Outcomes", "Result", "equal_values", "segmentation_statistics"]


@dataclass(frozen=True, slots=True, eq=False)
class LabelRule:
    """How labels are compared.

    Parameters
    ----------
    scored : ndarray of bool, shape (labels,)
        Whether a reference of this label is in the vocabulary.
    correct : callable
        ``correct(ref, est)`` compares two arrays of label codes element by element. What it says of
        a reference outside the vocabulary does not matter.
    """

    scored: Flags
    correct: Callable[[Codes, Codes], Flags]


def equal_values(scored: Flags, values: Codes) -> LabelRule:
    """Return the rule by which labels are equal if their values are."""
    return LabelRule(scored, lambda ref, est: np.asarray(values.take(ref) == values.take(est)))


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """What a protocol computed.

    Parameters
    ----------
    statistics : mapping of Measure to ndarray, shape (pairs, statistics)
    timeline : Timeline
        The time that counted.
    times : LabelTimes
        The same by labels.
    rules : mapping of str to LabelRule
        Label rule of each recall measure, by name of the measure.
    """

    statistics: Mapping[Measure, Statistics]
    timeline: Timeline
    times: LabelTimes
    rules: Mapping[str, LabelRule]


class Outcomes:
    """Sums time by outcome, under any label rule.

    Parameters
    ----------
    times : LabelTimes
        Time of each pair of labels.

    Notes
    -----
    Silence and ``N``, the first codes, claim no chord; ``X`` does.

    Most time has a chord on either side, and can be right, substituted or excluded: three sums along
    the pairs. The rest is small, and may be counted cell by cell.
    """

    def __init__(self, times: LabelTimes) -> None:
        self._cells = (times.pairs, len(OUTCOMES))
        ref, est = times.ref > NO_CHORD, times.est > NO_CHORD
        chords, rest = np.flatnonzero(ref & est), np.flatnonzero(~(ref & est))
        self._chords, self._rest = times.at(chords), times.at(rest)
        self._pairs = SumsByPair(times.pairs, self._chords.pair)
        ref, est = ref[rest], est[rest]
        self._right = np.where(ref, CORRECT_CHORD, CORRECT_NO_CHORD)
        self._wrong = np.where(ref, DELETED, np.where(est, INSERTED, SUBSTITUTED))
        self._first = self._rest.pair * len(OUTCOMES)
        self._scored: list[_Scored] = []

    def statistics(self, rule: LabelRule) -> Statistics:
        """Return time by outcome, shape (pairs, outcomes)."""
        rest, chords, scored = self._rest, self._chords, self._scored_by(rule.scored)
        outcome = np.where(rule.correct(rest.ref, rest.est), self._right, self._wrong)
        outcome *= scored.rest  # what is not scored is EXCLUDED, which is 0
        counted = np.bincount(self._first + outcome, rest.weights, math.prod(self._cells))
        sums: Statistics = counted.astype(float, copy=False).reshape(self._cells)
        right = scored.weights * rule.correct(chords.ref, chords.est)
        sums[:, CORRECT_CHORD] += self._pairs.of(right)
        sums[:, SUBSTITUTED] += self._pairs.of(scored.weights - right)  # each is one of them or 0
        sums[:, EXCLUDED] += scored.excluded
        return sums

    def _scored_by(self, scored: Flags) -> _Scored:
        """Return what is scored in a vocabulary, which many rules share."""
        for known in self._scored:
            if known.labels is scored:
                return known
        weights = self._chords.weights * scored.take(self._chords.ref)
        excluded = self._pairs.of(self._chords.weights - weights)
        found = _Scored(scored, scored.take(self._rest.ref), weights, excluded)
        self._scored.append(found)
        return found


class _Scored(NamedTuple):
    """The labels of a vocabulary, and what that makes of times.

    ``rest`` tells which of the rest are scored; ``weights`` are those of chords, 0 where they are not, and
    ``excluded`` is the time of these by pair.
    """

    labels: Flags
    rest: Flags
    weights: Seconds
    excluded: Seconds


def segmentation_statistics(
    timeline: Timeline, ref_runs: Codes, est_runs: Codes, duration: Seconds, *, gaps_cut: bool
) -> Statistics:
    """Return time lost to under- and over-segmentation, shape (pairs, 3).

    Parameters
    ----------
    timeline : Timeline
        Gives pair and seconds of each slice.
    ref_runs, est_runs : ndarray of int64, shape (slices,)
        Run that each slice belongs to, -1 for a gap.
    duration : ndarray of float64, shape (pairs,)
        What lost time is divided by.
    gaps_cut : bool
        Whether a gap of one side cuts the other side's runs, or is passed over.
    """
    pair, seconds = timeline.pair, timeline.weights
    if not gaps_cut:
        both = np.flatnonzero((ref_runs >= 0) & (est_runs >= 0))
        pair, seconds = pair.take(both), seconds.take(both)
        ref_runs, est_runs = ref_runs.take(both), est_runs.take(both)
    over, under = lost_time(timeline.pairs, pair, seconds, ref_runs, est_runs)
    return np.stack((under, over, duration), axis=1)
