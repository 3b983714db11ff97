# SPDX-License-Identifier: MIT
"""Turn rows into intervals: parse times, repair or report overlaps and gaps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kammerton.errors import Diagnostic, inflected, out_of, quote
from kammerton.formats.reading import (
    DEFAULT_OPTIONS,
    IntervalOptions,
    Limits,
    Problems,
    TrackReading,
    such_rows,
)
from kammerton.model.annotations import Field, LabelledIntervals, Metadata, Place, Seconds

__all__ = [
    "EXACT",
    "ROUNDING_S",
    "DecimalMark",
    "RawIntervals",
    "are_times",
    "diagnose_mark",
    "diagnose_time",
    "ends_from_durations",
    "finish",
    "intervals_from_arrays",
    "is_clean",
    "number_pattern",
    "other_mark",
    "parse_time",
    "rows_of_points",
    "seconds",
]

DecimalMark = Literal[".", ","]
EXACT = Context(prec=800, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
"""Decimal arithmetic that rounds no sum of two doubles below 1e5, and never raises."""
_ROUNDING_S = 1e-9
"""Durations that were computed in binary overshoot the next start by less."""
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)


def number_pattern(mark: DecimalMark) -> str:
    """Return the pattern of a time: ASCII digits, one mark, an exponent; it never backtracks."""
    dot = re.escape(mark)
    return rf"[+-]?+(?:[0-9]++(?:{dot}[0-9]*+)?+|{dot}[0-9]++)(?:[eE][+-]?+[0-9]++)?+"


_NUMBERS = {mark: re.compile(number_pattern(mark)) for mark in (".", ",")}
_COLUMNS = {
    mark: re.compile(rf"(?:[ \t]*+{number_pattern(mark)}[ \t]*+(?:\n(?!\Z)|\Z))++") for mark in (".", ",")
}


def are_times(tokens: Iterable[str], mark: DecimalMark) -> bool:
    """Return whether all tokens, of one line each, are times; blanks around them do not count."""
    listed = list(tokens)
    return not listed or _COLUMNS[mark].fullmatch("\n".join(listed)) is not None


def parse_time(token: str, mark: DecimalMark) -> float | None:
    """Return the seconds a token means, or None if it is no time."""
    if _NUMBERS[mark].fullmatch(token) is None:
        return None
    return float(token.replace(",", "."))


def seconds(tokens: Sequence[str], mark: DecimalMark) -> Seconds:
    """Return tokens that are known to be times as an array."""
    if mark == ",":
        tokens = [token.replace(",", ".") for token in tokens]
    return np.fromiter(map(float, tokens), np.float64, len(tokens))


def diagnose_time(token: str, mark: DecimalMark) -> Diagnostic:
    """Return what is wrong with a token that is no time."""
    if _NOT_FINITE.fullmatch(token):
        return Diagnostic(code="KT122", severity="error", message=f"time is not finite: {quote(token)}")
    if _NUMBERS[other_mark(mark)].fullmatch(token):
        return diagnose_mark(token, mark)
    message = f"not a time in seconds: {quote(token)}"
    return Diagnostic(code="KT120", severity="error", message=message, hint=_hint(token))


def diagnose_mark(token: str, mark: DecimalMark, count: int = 1) -> Diagnostic:
    """Return the diagnostic that a time, or those of ``count`` rows, has the other decimal mark."""
    wrong_mark = other_mark(mark)
    name = "comma" if wrong_mark == "," else "point"
    message = f"time with a decimal {name}: {quote(token)}{such_rows(count)}"
    return Diagnostic(
        code="KT121", severity="error", message=message, hint=f"--decimal {wrong_mark}", count=count
    )


def other_mark(mark: DecimalMark) -> DecimalMark:
    """Return the decimal mark that is not meant."""
    return "." if mark == "," else ","


def _hint(token: str) -> str:
    if not token.isascii():
        return "times are written with the digits 0 to 9"
    if re.fullmatch(r"[0-9]+(?::[0-9]+)+(?:\.[0-9]*)?", token):
        return "write minutes and seconds as seconds"
    if re.fullmatch(r"[0-9]{1,3}(?:[,_'][0-9]{3})+(?:\.[0-9]*)?", token):
        return "write it without separators of thousands"
    return "a time looks like 12.34"


def ends_from_durations(starts: Seconds, exact: Iterable[Decimal], durations: Iterable[Decimal]) -> Seconds:
    """Add durations to starts as decimal numbers, so that 0.1 and 0.2 end at 0.3.

    An end that passes the next start by what binary rounding makes of it is that start.
    """
    ends = np.fromiter(map(float, map(EXACT.add, exact, durations)), np.float64, len(starts))
    following = starts[1:]
    with np.errstate(invalid="ignore", over="ignore"):
        passed = ends[:-1] - following
    ends[:-1] = np.where((passed > 0) & (passed <= _ROUNDING_S), following, ends[:-1])
    return ends


_OVERLAP_TOLERANCE_S = 1e-6
"""Overlaps up to here are rounding, and are trimmed."""
ROUNDING_S = 1e-9
"""Overlaps up to here come from arithmetic with doubles: they are trimmed without a diagnostic."""
_LONGEST_PLAUSIBLE_S = 1e5
"""Times beyond (28 hours) are likely milliseconds or samples."""
Indices = NDArray[np.intp]
LARGEST_S = 1e15
"""Times beyond this are no times in any unit, and their sums lose what they are added to."""
Mask = NDArray[np.bool_]
Pairs = tuple[Indices, Indices]
"""Earlier and later rows that may overlap."""


@dataclass(slots=True, eq=False)
class RawIntervals:
    """Rows as a format gives them, times parsed but not checked."""

    # starts, ends: seconds, any value; owned by this object
    starts: Seconds
    ends: Seconds
    labels: list[str]  # as written
    # ``locate(row, field)`` returns a :class:`~kammerton.model.annotations.Place`
    locate: Callable[[int, Field], Place]
    # returns what ``ends`` were made from, where the format has durations; the field ``end`` is then theirs
    durations: Callable[[], Seconds] | None = None
    annotator: str | None = None  # name of the annotator
    # confidence, metadata: as of :class:`~kammerton.model.annotations.LabelledIntervals`
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
        """Return the name of a row in messages."""
        place = self.locate(row, "start")
        return f"row index {place.row}" if place.line is None else f"line {place.line}"


def _tidy(rows: RawIntervals, problems: Problems, options: IntervalOptions) -> LabelledIntervals:
    """Check rows, and repair what can be repaired."""
    rows.starts += 0.0  # makes -0.0 a 0.0
    if is_clean(rows.starts, rows.ends):
        return rows.intervals()
    rows.ends += 0.0
    _undo_rounding(rows)
    rows = _drop_impossible(rows, problems)
    if not rows.labels:
        return rows.intervals()
    _report_implausible(rows, problems)
    _report_empty(rows, problems)
    rows = _sort(rows, problems)
    rows = _drop_duplicates(rows, problems)
    return _settle_overlaps(rows, problems, options).intervals()


def is_clean(starts: Seconds, ends: Seconds) -> bool:
    """Return whether nothing is wrong with rows, by four comparisons; NaN compares false."""
    return bool(
        starts[0] >= 0
        and ends[-1] <= _LONGEST_PLAUSIBLE_S
        and np.count_nonzero(starts < ends) == len(starts)
        and np.count_nonzero(starts[1:] >= ends[:-1]) == len(starts) - 1
    )


def _undo_rounding(rows: RawIntervals) -> None:
    """Set times that miss 0, or their own start, by less than a nanosecond to it."""
    for times in (rows.starts, rows.ends):
        times[(times < 0) & (times >= -ROUNDING_S)] = 0.0
    with np.errstate(invalid="ignore", over="ignore"):
        behind = (rows.ends < rows.starts) & (rows.starts - rows.ends <= ROUNDING_S)
    rows.ends[behind] = rows.starts[behind]


def _report_rows(
    problems: Problems, code: str, affected: Mask, diagnose: Callable[[int], Diagnostic]
) -> None:
    """Add a diagnostic for each row of a mask, as far as the list of its code has room."""
    rows = np.flatnonzero(affected).tolist()
    listed = rows[: problems.room(code)]
    for row in listed:
        problems.add(diagnose(row))
    problems.add_unlisted(code, len(rows) - len(listed))


def _drop_impossible(rows: RawIntervals, problems: Problems) -> RawIntervals:
    """Report impossible times, and return the other rows, in which more problems may be found."""
    bad = np.zeros(len(rows.labels), dtype=bool)
    fields: tuple[Field, ...] = ("start", "end")
    for field in fields:
        times = rows.seconds(field)
        infinite = ~(np.abs(times) <= LARGEST_S)
        if field == "end":
            infinite |= ~(np.abs(rows.ends) <= LARGEST_S) & (np.abs(rows.starts) <= LARGEST_S)
        negative = (times < -ROUNDING_S) & ~infinite
        bad |= infinite | negative
        _report_rows(problems, "KT122", infinite, partial(_not_finite, rows, field))
        _report_rows(problems, "KT123", negative, partial(_negative, rows, field))
    backward = (rows.ends < rows.starts) & ~bad
    if backward.any():
        hint = _backward_hint(rows, backward)
        _report_rows(problems, "KT124", backward, lambda row: _backward(rows, row, hint))
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


def _report_implausible(rows: RawIntervals, problems: Problems) -> None:
    longest = int(rows.ends.argmax())
    if rows.ends[longest] > _LONGEST_PLAUSIBLE_S:
        hours = rows.ends[longest] / 3600
        message = f"last end is {rows.ends[longest]:.6g} s ({hours:,.0f} hours): milliseconds or samples?"
        problems.report(
            "KT130",
            message,
            rows.locate(longest, "end"),
            severity="warning",
            hint="times are read as seconds",
        )


def _report_empty(rows: RawIntervals, problems: Problems) -> None:
    empty = np.flatnonzero(rows.starts == rows.ends)
    if len(empty):
        first = int(empty[0])
        message = f"segment has no length: it starts and ends at {rows.written(first, 'start')} s"
        problems.report(
            "KT125",
            message + such_rows(len(empty)),
            rows.locate(first, "end"),
            severity="warning",
            count=len(empty),
        )


def _sort(rows: RawIntervals, problems: Problems) -> RawIntervals:
    """Sort by start, stably; of equal starts, a row without length comes first."""
    displaced = np.flatnonzero(rows.starts[1:] < rows.starts[:-1]) + 1
    if len(displaced):
        first = int(displaced[0])
        message = f"rows out of order: this one starts before the one above{such_rows(len(displaced))}"
        problems.report(
            "KT128", message, rows.locate(first, "start"), severity="warning", count=len(displaced)
        )
    return rows.take(np.lexsort((rows.starts < rows.ends, rows.starts)))


def _drop_duplicates(rows: RawIntervals, problems: Problems) -> RawIntervals:
    """Drop rows that repeat the row before them."""
    same = (rows.starts[1:] == rows.starts[:-1]) & (rows.ends[1:] == rows.ends[:-1])
    repeated = [row + 1 for row in np.flatnonzero(same).tolist() if rows.labels[row] == rows.labels[row + 1]]
    if not repeated:
        return rows
    first = repeated[0]
    message = f"row dropped: it repeats {rows.named(first - 1)}{such_rows(len(repeated))}"
    problems.report("KT129", message, rows.locate(first, "start"), severity="warning", count=len(repeated))
    return rows.take(np.delete(np.arange(len(rows.labels)), repeated))


def _settle_overlaps(rows: RawIntervals, problems: Problems, options: IntervalOptions) -> RawIntervals:
    """Report overlaps, and cut each earlier row where the next one starts."""
    long = np.flatnonzero(rows.starts < rows.ends)
    starts, ends = rows.starts[long], rows.ends[long]
    latest = np.maximum.accumulate(ends)[:-1]
    if (latest > starts[1:]).any():
        # a decimal difference of 1e-6 may be an ulp more in binary
        tolerance = _OVERLAP_TOLERANCE_S + 2 * np.spacing(latest)
        excess = ends[:-1] - starts[1:]
        if options.overlap == "trim":
            pairs = (long[:-1], long[1:])
            _report_rows(problems, "KT127", excess > tolerance, lambda pair: _cut(rows, pairs, pair, 1))
        else:
            holders = np.maximum.accumulate(np.where(ends[:-1] == latest, np.arange(len(latest)), 0))
            _report_overlaps(rows, (long[holders], long[1:]), latest - starts[1:] > tolerance, problems)
        rounded = (excess > ROUNDING_S + tolerance - _OVERLAP_TOLERANCE_S) & (excess <= tolerance)
        if rounded.any():
            problems.add(_cut(rows, (long[:-1], long[1:]), int(rounded.argmax()), int(rounded.sum())))
        ends[:-1] = np.minimum(ends[:-1], starts[1:])
        rows.ends[long] = ends
    return rows.take(np.flatnonzero(_is_apart(rows, long)))


def _is_apart(rows: RawIntervals, long: Indices) -> Mask:
    """Return which rows to keep: those that have a length left, and empty ones outside of the others."""
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


def _report_overlaps(rows: RawIntervals, pairs: Pairs, affected: Mask, problems: Problems) -> None:
    def diagnose(pair: int) -> Diagnostic:
        before, row = int(pairs[0][pair]), int(pairs[1][pair])
        overlap = min(rows.ends[before], rows.ends[row]) - rows.starts[row]
        message = f"segment overlaps the one of {rows.named(before)} by {overlap:.6g} s"
        hint = "--overlap trim cuts the earlier one where the later one starts"
        problem = Diagnostic(code="KT126", severity="error", message=message, hint=hint)
        return rows.locate(row, "start").diagnose(problem)

    _report_rows(problems, "KT126", affected, diagnose)


def _cut(rows: RawIntervals, pairs: Pairs, pair: int, count: int) -> Diagnostic:
    before, row = int(pairs[0][pair]), int(pairs[1][pair])
    overlap = rows.ends[before] - rows.starts[row]
    message = f"segment cut where {rows.named(row)} starts: it went on for {overlap:.6g} s{such_rows(count)}"
    problem = Diagnostic(code="KT127", severity="warning", message=message, count=count)
    return rows.locate(before, "end").diagnose(problem)


def finish(tracks: Sequence[RawIntervals], problems: Problems, options: IntervalOptions) -> TrackReading:
    """Check the rows of each track and return them; a file without rows is an error."""
    filled, tidied = [], []
    for rows in tracks:
        if rows.labels:
            with_lengths = _with_lengths(rows, problems, options)
            filled += [with_lengths] if with_lengths.labels else []
    if not filled and not problems.has_errors:
        problems.report("KT110", "no annotation rows")
    for rows in filled:
        _check_labels(rows, problems, options.limits)
    for rows in filled:
        tidied.append(_tidy(rows, problems, options))
    return problems.reading(tuple(tidied))


def _with_lengths(rows: RawIntervals, problems: Problems, options: IntervalOptions) -> RawIntervals:
    """Read rows of which none has a length as change points."""
    starts = rows.starts
    if starts[0] != rows.ends[0] or options.layout not in ("auto", "points"):
        return rows
    if not (starts == rows.ends).all() or starts.min() == starts.max():
        return rows
    message = f"no row has a length: read as change points{such_rows(len(starts), 'rows')}"
    problems.report("KT132", message, rows.locate(0, "end"), severity="note")
    return rows_of_points(rows, problems)


def rows_of_points(points: RawIntervals, problems: Problems) -> RawIntervals:
    """End each row where the next one in time starts, and drop the last one, which has no end."""
    starts, labels = points.starts, points.labels
    endless = np.flatnonzero(~np.isfinite(starts)).tolist()
    for row in endless:
        message = f"time is not finite: {quote(points.written(row, 'start'))}"
        problems.report("KT122", message, points.locate(row, "start"))
    order = np.argsort(starts, kind="stable")[: 0 if endless else None]
    if len(order) and labels[order[-1]]:
        message = f"last change point has no end, and its label is not used: {quote(labels[order[-1]])}"
        problems.report("KT131", message, points.locate(int(order[-1]), "label"), severity="note")
    for row in order[:-1].tolist():
        if not labels[row]:
            problems.report("KT111", "row has no label", partial(points.locate, row, "label"))
    following = np.zeros(len(starts), dtype=np.intp)
    following[order[:-1]] = order[1:]
    kept = np.sort(order[:-1])
    rows = points.take(kept)
    rows.ends = starts[following[kept]]

    def locate(row: int, field: Field) -> Place:
        point = int(kept[row])
        if field == "end":
            return points.locate(int(following[point]), "start")
        return points.locate(point, field)

    rows.locate = locate
    return rows


def _check_labels(rows: RawIntervals, problems: Problems, limits: Limits) -> None:
    if len("".join(rows.labels)) <= limits.label or max(map(len, rows.labels)) <= limits.label:
        return
    for row, label in enumerate(rows.labels):
        if len(label) > limits.label:
            message = (
                f"label of {len(label):,} characters, over the limit of {limits.label:,}: {quote(label)}"
            )
            problems.report("KT106", message, rows.locate(row, "label"))


_NUMBER_TYPES = (int, float, np.integer, np.floating)


def intervals_from_arrays(
    intervals: ArrayLike,
    labels: Sequence[str],
    *,
    name: str,
    options: IntervalOptions = DEFAULT_OPTIONS,
) -> TrackReading:
    """Check intervals and labels as mir_eval and mirdata have them."""
    problems = Problems(name)
    times = _as_times(intervals, problems)
    names = _as_labels(labels, problems)
    if times is None or names is None:
        return problems.reading(())
    starts, ends = times
    if len(starts) != len(names):
        _report_array(problems, f"{len(starts):,} intervals, but {len(names):,} labels")
        return problems.reading(())

    def locate(row: int, _: Field) -> Place:
        return Place(name, row=row)

    return finish([RawIntervals(starts, ends, names, locate)], problems, options)


def _report_array(problems: Problems, message: str) -> None:
    problems.report("KT114", message)


def _as_times(intervals: ArrayLike, problems: Problems) -> NDArray[np.float64] | None:
    """Return a copy with starts and ends as rows, or None if there cannot be one."""
    try:
        array = np.asarray(intervals)
        if array.size == 0:
            return np.empty((2, 0))
        unfit = _unfit(intervals, array)
        if unfit is None:
            return np.array(array.T, dtype=np.float64, order="C")
    except ValueError:
        unfit = "are not an array of numbers: rows differ in length"
    except OverflowError:
        unfit = "are too large for times"
    _report_array(problems, f"intervals {unfit}")
    return None


def _unfit(intervals: ArrayLike, array: NDArray[np.generic]) -> str | None:
    """Return why an array cannot be intervals, or None if it can."""
    hidden = int(np.ma.getmaskarray(intervals).sum()) if isinstance(intervals, np.ma.MaskedArray) else 0
    if hidden:
        return f"are masked: {hidden:,} of {array.size:,} values are hidden"
    kinds = _foreign_kinds(array)
    if kinds:
        return f"must be numbers, not {', '.join(kinds)}"
    if array.ndim != 2 or array.shape[1] != 2:
        return f"must have shape (n, 2), not {array.shape}"
    return None


def _foreign_kinds(array: NDArray[np.generic]) -> list[str]:
    """Return the names of the types in an array that are not numbers."""
    if array.dtype.kind in "fiu":
        return []
    if array.dtype.kind != "O":
        return [{"U": "str", "S": "bytes", "b": "bool"}.get(array.dtype.kind, array.dtype.name)]
    kinds = set(map(type, array.ravel().tolist()))
    return sorted(kind.__name__ for kind in kinds if kind is bool or not issubclass(kind, _NUMBER_TYPES))


def _as_labels(labels: Sequence[str], problems: Problems) -> list[str] | None:
    if not isinstance(labels, Iterable) or isinstance(labels, str | AbstractSet | Mapping):
        kind = "one str" if isinstance(labels, str) else type(labels).__name__
        _report_array(problems, f"labels must be a sequence of str, not {kind}")
        return None
    names = list(labels)
    if set(map(type, names)) == {str}:
        return names
    odd = next((row for row, label in enumerate(names) if not isinstance(label, str)), None)
    if odd is not None:
        _report_array(
            problems, f"labels must be str: the one of row index {odd} is {type(names[odd]).__name__}"
        )
        return None
    return [str.__str__(label) for label in names]  # what they equal, not what their types show
