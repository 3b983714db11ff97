# SPDX-License-Identifier: MIT
"""The checks of time that the rows of every reader pass.

Comparisons run over whole columns; only rows that fail one are looked at singly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic, inflected, out_of, quote
from kammerton.formats.options import IntervalOptions
from kammerton.formats.reading import Problems, such_rows
from kammerton.model.annotations import Field, LabelledIntervals, Metadata, Place, Seconds

__all__ = ["LONGEST_PLAUSIBLE_S", "OVERLAP_TOLERANCE_S", "ROUNDING_S", "RawIntervals", "is_clean", "tidy"]

OVERLAP_TOLERANCE_S = 1e-6
"""Overlaps up to here are rounding, and are trimmed."""

ROUNDING_S = 1e-9
"""Overlaps up to here are made by arithmetic with doubles: they are trimmed, and nobody need know."""

LONGEST_PLAUSIBLE_S = 1e5
"""Times beyond (28 hours) are likely milliseconds or samples."""

Indices = NDArray[np.intp]
LARGEST_S = 1e15
"""Times beyond this are no times in any unit, and their sums lose what they are added to."""

Mask = NDArray[np.bool_]
Pairs = tuple[Indices, Indices]
"""Earlier and later rows that may overlap."""


@dataclass(slots=True, eq=False)
class RawIntervals:
    """Rows as a format gives them, times parsed but not checked.

    Parameters
    ----------
    starts, ends : ndarray of float64, shape (n,)
        Seconds, any value; owned by this object.
    labels : list of str, length n
        As written.
    locate : callable
        ``locate(row, field)`` returns a :class:`~kammerton.model.annotations.Place`.
    durations : callable, optional
        Returns what ``ends`` were made from, where the format has durations; the field ``end`` is then
        theirs.
    annotator : str, optional
        Name of the annotator.
    confidence, metadata
        As of :class:`~kammerton.model.annotations.LabelledIntervals`.
    """

    starts: Seconds
    ends: Seconds
    labels: list[str]
    locate: Callable[[int, Field], Place]
    durations: Callable[[], Seconds] | None = None
    annotator: str | None = None
    confidence: Callable[[int], object] | None = None
    metadata: Metadata | None = None

    def intervals(self) -> LabelledIntervals:
        """Return the rows as they are now."""
        return LabelledIntervals(
            self.starts,
            self.ends,
            self.labels,
            self.locate,
            self.annotator,
            self.confidence,
            self.metadata,
        )

    def take(self, kept: Indices) -> RawIntervals:
        """Return the rows of these indices, in this order; without durations, which are checked by then."""
        locate, confidence = self.locate, self.confidence
        return RawIntervals(
            self.starts[kept],
            self.ends[kept],
            [self.labels[row] for row in kept.tolist()],
            lambda row, field: locate(int(kept[row]), field),
            annotator=self.annotator,
            confidence=None if confidence is None else lambda row: confidence(int(kept[row])),
            metadata=self.metadata,
        )

    def seconds(self, field: Field) -> Seconds:
        """Return the times that the file has for a field."""
        if field == "start":
            return self.starts
        return self.ends if self.durations is None else self.durations()

    def written(self, row: int, field: Field) -> str:
        """Return a time as the file has it."""
        token = self.locate(row, field).token()
        return repr(float(self.seconds(field)[row])) if token is None else token

    def named(self, row: int) -> str:
        """Return how a message calls a row."""
        place = self.locate(row, "start")
        return f"row index {place.row}" if place.line is None else f"line {place.line}"


def tidy(rows: RawIntervals, problems: Problems, options: IntervalOptions) -> LabelledIntervals:
    """Check rows, and repair what can be repaired.

    Parameters
    ----------
    rows : RawIntervals
        At least one row.
    problems : Problems
        Takes every problem found.
    options : IntervalOptions
        Says what to do with overlaps.

    Returns
    -------
    LabelledIntervals
        Of use only if ``problems`` has no error afterwards.
    """
    rows.starts += 0.0  # makes -0.0 a 0.0
    if is_clean(rows.starts, rows.ends):
        return rows.intervals()
    rows.ends += 0.0
    _undo_rounding(rows)
    if _has_only_empty_rows(rows.starts, rows.ends):
        _say_empty(rows, problems)
        return rows.intervals()
    rows = _drop_impossible(rows, problems)
    if not rows.labels:
        return rows.intervals()
    _say_implausible(rows, problems)
    _say_empty(rows, problems)
    rows = _sort(rows, problems)
    rows = _drop_duplicates(rows, problems)
    return _settle_overlaps(rows, problems, options).intervals()


def is_clean(starts: Seconds, ends: Seconds) -> bool:
    """Tell in four comparisons whether nothing can be said of rows; NaN compares false."""
    return bool(
        starts[0] >= 0
        and ends[-1] <= LONGEST_PLAUSIBLE_S
        and np.count_nonzero(starts < ends) == len(starts)
        and np.count_nonzero(starts[1:] >= ends[:-1]) == len(starts) - 1
    )


def _undo_rounding(rows: RawIntervals) -> None:
    """Take times that miss 0, or their own start, by less than a nanosecond for what they should be."""
    for times in (rows.starts, rows.ends):
        times[(times < 0) & (times >= -ROUNDING_S)] = 0.0
    with np.errstate(invalid="ignore", over="ignore"):
        behind = (rows.ends < rows.starts) & (rows.starts - rows.ends <= ROUNDING_S)
    rows.ends[behind] = rows.starts[behind]


def _has_only_empty_rows(starts: Seconds, ends: Seconds) -> bool:
    """Tell whether rows without length, none of them twice, are all that keeps a file from being clean."""
    return bool(
        starts[0] >= 0
        and ends[-1] <= LONGEST_PLAUSIBLE_S
        and (starts <= ends).all()
        and (starts[1:] >= ends[:-1]).all()
        and (ends[1:] > starts[:-1]).all()
    )


def _say_each(problems: Problems, code: str, found: Mask, diagnose: Callable[[int], Diagnostic]) -> None:
    """Add a diagnostic for each row of a mask, as far as the list of its code has room."""
    rows = np.flatnonzero(found).tolist()
    listed = rows[: problems.room(code)]
    for row in listed:
        problems.add(diagnose(row))
    problems.add_unlisted(code, len(rows) - len(listed))


def _drop_impossible(rows: RawIntervals, problems: Problems) -> RawIntervals:
    """Report times that cannot be, and go on with the rest to find what else is wrong."""
    bad = np.zeros(len(rows.labels), dtype=bool)
    fields: tuple[Field, ...] = ("start", "end")
    for field in fields:
        times = rows.seconds(field)
        infinite = ~(np.abs(times) <= LARGEST_S)
        if field == "end":
            infinite |= ~(np.abs(rows.ends) <= LARGEST_S) & (np.abs(rows.starts) <= LARGEST_S)
        negative = (times < -ROUNDING_S) & ~infinite
        bad |= infinite | negative
        _say_each(problems, "KT122", infinite, partial(_not_finite, rows, field))
        _say_each(problems, "KT123", negative, partial(_negative, rows, field))
    backward = (rows.ends < rows.starts) & ~bad
    if backward.any():
        hint = _backward_hint(rows, backward)
        _say_each(problems, "KT124", backward, lambda row: _backward(rows, row, hint))
    return rows.take(np.flatnonzero(~(bad | backward)))


def _not_finite(rows: RawIntervals, field: Field, row: int) -> Diagnostic:
    finite = np.isfinite(rows.seconds(field)[row])
    kind = f"over {LARGEST_S:.0e} s" if finite else "not finite"
    message = f"time is {kind}: {quote(rows.written(row, field))}"
    return rows.locate(row, field).diagnose(Diagnostic(code="KT122", severity="error", message=message))


def _negative(rows: RawIntervals, field: Field, row: int) -> Diagnostic:
    kind = "time" if field == "start" or rows.durations is None else "duration"
    message = f"negative {kind}: {quote(rows.written(row, field))}"
    return rows.locate(row, field).diagnose(Diagnostic(code="KT123", severity="error", message=message))


def _backward(rows: RawIntervals, row: int, hint: str) -> Diagnostic:
    start, end = rows.written(row, "start"), rows.written(row, "end")
    message = f"segment ends before it starts: end {quote(end)}, start {quote(start)}"
    return rows.locate(row, "end").diagnose(
        Diagnostic(code="KT124", severity="error", message=message, hint=hint)
    )


def _backward_hint(rows: RawIntervals, backward: Mask) -> str:
    """Guess why segments end before they start: they are durations, or columns are swapped."""
    with np.errstate(invalid="ignore", over="ignore"):
        meets_next = np.abs(rows.starts[:-1] + rows.ends[:-1] - rows.starts[1:]) < 0.01
    if len(meets_next) > 1 and meets_next.mean() > 0.9:
        return "looks like start, duration, label: use --layout durations"
    count, total = int(backward.sum()), len(backward)
    ends = inflected(count, "ends before it starts", "end before they start")
    return f"start and end swapped? {out_of(count, total, 'row')} {ends}"


def _say_implausible(rows: RawIntervals, problems: Problems) -> None:
    longest = int(rows.ends.argmax())
    if rows.ends[longest] > LONGEST_PLAUSIBLE_S:
        hours = rows.ends[longest] / 3600
        message = f"last end is {rows.ends[longest]:.6g} s ({hours:,.0f} hours): milliseconds or samples?"
        problem = Diagnostic(
            code="KT130", severity="warning", message=message, hint="times are read as seconds"
        )
        problems.add(rows.locate(longest, "end").diagnose(problem))


def _say_empty(rows: RawIntervals, problems: Problems) -> None:
    empty = np.flatnonzero(rows.starts == rows.ends)
    if len(empty):
        first = int(empty[0])
        message = f"segment has no length: it starts and ends at {rows.written(first, 'start')} s"
        problem = Diagnostic(
            code="KT125", severity="warning", message=message + such_rows(len(empty)), count=len(empty)
        )
        problems.add(rows.locate(first, "end").diagnose(problem))


def _sort(rows: RawIntervals, problems: Problems) -> RawIntervals:
    """Sort by start, stably; of equal starts, a row without length comes first."""
    displaced = np.flatnonzero(rows.starts[1:] < rows.starts[:-1]) + 1
    if len(displaced):
        first = int(displaced[0])
        message = f"rows out of order: this one starts before the one above{such_rows(len(displaced))}"
        problem = Diagnostic(code="KT128", severity="warning", message=message, count=len(displaced))
        problems.add(rows.locate(first, "start").diagnose(problem))
    return rows.take(np.lexsort((rows.starts < rows.ends, rows.starts)))


def _drop_duplicates(rows: RawIntervals, problems: Problems) -> RawIntervals:
    """Drop rows that say the same as the row before them."""
    same = (rows.starts[1:] == rows.starts[:-1]) & (rows.ends[1:] == rows.ends[:-1])
    repeated = [row + 1 for row in np.flatnonzero(same).tolist() if rows.labels[row] == rows.labels[row + 1]]
    if not repeated:
        return rows
    first = repeated[0]
    message = f"row dropped: it repeats {rows.named(first - 1)}{such_rows(len(repeated))}"
    problem = Diagnostic(code="KT129", severity="warning", message=message, count=len(repeated))
    problems.add(rows.locate(first, "start").diagnose(problem))
    return rows.take(np.delete(np.arange(len(rows.labels)), repeated))


def _settle_overlaps(rows: RawIntervals, problems: Problems, options: IntervalOptions) -> RawIntervals:
    """Report overlaps, and cut each earlier row where the next one starts."""
    long = np.flatnonzero(rows.starts < rows.ends)
    starts, ends = rows.starts[long], rows.ends[long]
    latest = np.maximum.accumulate(ends)[:-1]
    if (latest > starts[1:]).any():
        # a decimal difference of 1e-6 may be an ulp more in binary
        tolerance = OVERLAP_TOLERANCE_S + 2 * np.spacing(latest)
        excess = ends[:-1] - starts[1:]
        if options.overlap == "trim":
            _say_cut(rows, (long[:-1], long[1:]), excess > tolerance, problems)
        else:
            holders = np.maximum.accumulate(np.where(ends[:-1] == latest, np.arange(len(latest)), 0))
            _say_overlaps(rows, (long[holders], long[1:]), latest - starts[1:] > tolerance, problems)
        rounded = (excess > ROUNDING_S + tolerance - OVERLAP_TOLERANCE_S) & (excess <= tolerance)
        _say_roundings(rows, (long[:-1], long[1:]), rounded, problems)
        ends[:-1] = np.minimum(ends[:-1], starts[1:])
        rows.ends[long] = ends
    return rows.take(np.flatnonzero(_is_apart(rows, long)))


def _is_apart(rows: RawIntervals, long: Indices) -> Mask:
    """Tell which rows may stay: not cut to nothing, and if without length, not within another."""
    kept = np.ones(len(rows.labels), dtype=bool)
    kept[long] = rows.starts[long] < rows.ends[long]
    is_empty = np.ones(len(kept), dtype=bool)
    is_empty[long] = False
    empty = np.flatnonzero(is_empty)
    around = np.searchsorted(rows.starts[long], rows.starts[empty], side="left") - 1
    covered = around >= 0
    covered[covered] = rows.ends[long][around[covered]] > rows.starts[empty][covered]
    kept[empty[covered]] = False
    return kept


def _say_overlaps(rows: RawIntervals, pairs: Pairs, found: Mask, problems: Problems) -> None:
    def diagnose(pair: int) -> Diagnostic:
        before, row = int(pairs[0][pair]), int(pairs[1][pair])
        overlap = min(rows.ends[before], rows.ends[row]) - rows.starts[row]
        message = f"segment overlaps the one of {rows.named(before)} by {overlap:.6g} s"
        hint = "--overlap trim cuts the earlier one where the later one starts"
        problem = Diagnostic(code="KT126", severity="error", message=message, hint=hint)
        return rows.locate(row, "start").diagnose(problem)

    _say_each(problems, "KT126", found, diagnose)


def _say_cut(rows: RawIntervals, pairs: Pairs, found: Mask, problems: Problems) -> None:
    _say_each(problems, "KT127", found, lambda pair: _cut(rows, pairs, pair, 1))


def _say_roundings(rows: RawIntervals, pairs: Pairs, found: Mask, problems: Problems) -> None:
    cut = np.flatnonzero(found)
    if len(cut):
        problems.add(_cut(rows, pairs, int(cut[0]), len(cut)))


def _cut(rows: RawIntervals, pairs: Pairs, pair: int, count: int) -> Diagnostic:
    before, row = int(pairs[0][pair]), int(pairs[1][pair])
    overlap = rows.ends[before] - rows.starts[row]
    message = f"segment cut where {rows.named(row)} starts: it went on for {overlap:.6g} s{such_rows(count)}"
    problem = Diagnostic(code="KT127", severity="warning", message=message, count=count)
    return rows.locate(before, "end").diagnose(problem)
