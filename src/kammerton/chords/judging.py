# SPDX-License-Identifier: MIT
"""Which time of one estimate a measure takes for wrong, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kammerton.chords.bitmaps import encode_label
from kammerton.chords.columns import Columns
from kammerton.chords.kernels import Result
from kammerton.core.intervals import Codes, Flags, Seconds
from kammerton.model.measure import Measure
from kammerton.model.views import Kind, Mark

__all__ = ["NO_ROW", "Judgement", "judge"]

NO_ROW = "(no row)"
"""What tables call time in which a side has no row."""

_KINDS: tuple[Kind, ...] = ("root", "quality", "bass", "presence")


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """The slices of one pair that a protocol looks at, and what a measure says of each.

    Parameters
    ----------
    starts, ends : ndarray of float64, shape (slices,)
        Seconds, ascending.
    ref, est : ndarray of int64, shape (slices,)
        Codes of labels.
    scored, wrong : ndarray of bool, shape (slices,)
        Whether the slice counts, and whether it counts and is not right.
    kinds : ndarray of int64, shape (slices,)
        What differs, if it is wrong: the root, the quality, the bass, or whether there is a chord.
    labels : sequence of str
        Label of each code.
    """

    starts: Seconds
    ends: Seconds
    ref: Codes
    est: Codes
    scored: Flags
    wrong: Flags
    kinds: Codes
    labels: Sequence[str]

    def seconds(self, mask: Flags) -> float:
        """Return how long the slices of a mask last together."""
        return float((self.ends - self.starts)[mask].sum())

    def sums(self, mask: Flags, *sides: Codes) -> list[tuple[tuple[str, ...], float]]:
        """Sum time by the labels of one or both sides, the longest first."""
        sums: dict[tuple[str, ...], float] = {}
        durations = (self.ends - self.starts)[mask].tolist()
        for seconds, *codes in zip(durations, *(side[mask].tolist() for side in sides), strict=True):
            labels = tuple(self.labels[code] or NO_ROW for code in codes)
            sums[labels] = sums.get(labels, 0.0) + seconds
        return sorted(sums.items(), key=lambda entry: (-entry[1], entry[0]))

    def marks(self, end: float) -> tuple[Mark, ...]:
        """Return what is not right from 0 to ``end``; no time outside the slices is judged."""
        marks: list[Mark] = []
        for mark in self._stretches(end):
            if marks and _continues(marks[-1], mark):
                marks[-1] = Mark(marks[-1].start, mark.end, mark.state, mark.kind)
            elif mark.start < mark.end:
                marks.append(mark)
        return tuple(marks)

    def _stretches(self, end: float) -> Iterator[Mark]:
        first, last = (float(self.starts[0]), float(self.ends[-1])) if len(self.starts) else (end, end)
        yield Mark(0.0, first, "excluded")
        columns = (self.starts, self.ends, self.scored, self.wrong, self.kinds)
        for start, stop, scored, wrong, kind in zip(*(each.tolist() for each in columns), strict=True):
            if wrong:
                yield Mark(start, stop, "wrong", _KINDS[kind])
            elif not scored:
                yield Mark(start, stop, "excluded")
        yield Mark(last, end, "excluded")


def _continues(before: Mark, mark: Mark) -> bool:
    return (before.end, before.state, before.kind) == (mark.start, mark.state, mark.kind)


def judge(columns: Columns, result: Result, measure: Measure) -> tuple[Judgement, ...]:
    """Return what a recall says of each pair.

    Parameters
    ----------
    columns : Columns
        The pairs.
    result : Result
        What the protocol of the measure found.
    measure : Measure
        One that compares labels.

    Notes
    -----
    The kind of an error is the first of these that is so: one side has no root, the roots differ, the measure
    would be right without the bass, anything else.
    """
    timeline, rule = result.timeline, result.rules[measure.name]
    scored = rule.scored[timeline.ref]
    wrong = scored & ~rule.correct(timeline.ref, timeline.est)
    kinds = _kinds(columns, result, measure)
    return tuple(
        Judgement(
            timeline.starts[own],
            timeline.starts[own] + timeline.weights[own],
            timeline.ref[own],
            timeline.est[own],
            scored[own],
            wrong[own],
            kinds[own],
            columns.labels,
        )
        for own in (timeline.pair == pair for pair in range(columns.pairs))
    )


def _kinds(columns: Columns, result: Result, measure: Measure) -> Codes:
    timeline = result.timeline
    roots = np.array([encode_label(label).root if label else -1 for label in columns.labels])
    ref, est = roots[timeline.ref], roots[timeline.est]
    without_bass = result.rules.get(measure.name.removesuffix("Bass").removesuffix("_inv"))
    assert without_bass is not None, "a measure of bass has one without it in its protocol"
    right = without_bass.correct(timeline.ref, timeline.est)
    names: list[Kind] = ["presence", "root", "bass"]
    numbers = [_KINDS.index(name) for name in names]
    return np.select([(ref < 0) | (est < 0), ref != est, right], numbers, _KINDS.index("quality"))
