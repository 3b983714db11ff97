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

from kammerton.arrays import Flags, Seconds
from kammerton.errors import Diagnostic, inflected, out_of, quote
from kammerton.formats.reading import (
    DEFAULT_OPTIONS,
    IntervalOptions,
    Limits,
    Problems,
    TrackReading,
    such_rows,
)
from kammerton.model.annotations import Field, LabelledIntervals, Metadata, Place

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
        return Diagnostic("KT122", "error", f"time is not finite: {quote(token)}")
    if _NUMBERS[other_mark(mark)].fullmatch(token):
        return diagnose_mark(token, mark)
    hint = "a time looks like 12.34"
    if not token.isascii():
        hint = "times are written with the digits 0 to 9"
    elif re.fullmatch(r"[0-9]+(?::[0-9]+)+(?:\.[0-9]*)?", token):
        hint = "write minutes and seconds as seconds"
    elif re.fullmatch(r"[0-9]{1,3}(?:[,_'][0-9]{3})+(?:\.[0-9]*)?", token):
        hint = "write it without separators of thousands"
    message = f"not a time in seconds: {quote(token)}"
    return Diagnostic("KT120", "error", message, hint=hint)


def diagnose_mark(token: str, mark: DecimalMark, count: int = 1) -> Diagnostic:
    """Return the diagnostic that a time, or those of ``count`` rows, has the other decimal mark."""
    wrong_mark = other_mark(mark)
    name = "comma" if wrong_mark == "," else "point"
    message = f"time with a decimal {name}: {quote(token)}{such_rows(count)}"
    hint = f"--decimal {wrong_mark}"
    return Diagnostic("KT121", "error", message, hint=hint, count=count)


def other_mark(mark: DecimalMark) -> DecimalMark:
    """Return the decimal mark that is not meant."""
    return "." if mark == "," else ","


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
            self.starts, self.ends, self.labels, self.locate, self.annotator, self.confidence, self.metadata
        )

    def take(self, indices: Indices) -> RawIntervals:
        """Return the rows of these indices, in this order; without durations, which are checked by then."""
        locate, confidence = self.locate, self.confidence
        return RawIntervals(
            self.starts[indices],
            self.ends[indices],
            [self.labels[row] for row in indices.tolist()],
            lambda row, field: locate(int(indices[row]), field),
            annotator=self.annotator,
            confidence=None if confidence is None else lambda row: confidence(int(indices[row])),
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
    starts, ends = rows.starts, rows.ends
    if (  # NaN compares false
        starts[0] >= 0
        and ends[-1] <= _LONGEST_PLAUSIBLE_S
        and np.count_nonzero(starts < ends) == len(starts)
        and np.count_nonzero(starts[1:] >= ends[:-1]) == len(starts) - 1
    ):
        return rows.intervals()
    rows.ends += 0.0
    rows = _drop_impossible(rows, problems)
    if not rows.labels:
        return rows.intervals()
    _report_odd(rows, problems)
    rows = _sort(rows, problems)
    rows = _drop_duplicates(rows, problems)
    return _settle_overlaps(rows, problems, options).intervals()


def _drop_impossible(rows: RawIntervals, problems: Problems) -> RawIntervals:
    """Report impossible times, and return the other rows, in which more problems may be found.

    Times that miss 0, or their own start, by less than a nanosecond are set to it.
    """
    if ((rows.starts >= 0) & (rows.ends >= rows.starts) & (rows.ends <= LARGEST_S)).all():
        return rows
    for times in (rows.starts, rows.ends):
        times[(times < 0) & (times >= -ROUNDING_S)] = 0.0
    with np.errstate(invalid="ignore", over="ignore"):
        behind = (rows.ends < rows.starts) & (rows.starts - rows.ends <= ROUNDING_S)
    rows.ends[behind] = rows.starts[behind]
    bad = np.zeros(len(rows.labels), dtype=bool)
    fields: tuple[Field, ...] = ("start", "end")
    for field in fields:
        times = rows.seconds(field)
        infinite = ~(np.abs(times) <= LARGEST_S)
        if field == "end":
            infinite |= ~(np.abs(rows.ends) <= LARGEST_S) & (np.abs(rows.starts) <= LARGEST_S)
        negative = (times < -ROUNDING_S) & ~infinite
        bad |= infinite | negative
        finite = np.isfinite(times)
        _report_times(rows, problems, "KT122", infinite & finite, field, f"time is over {LARGEST_S:.0e} s")
        _report_times(rows, problems, "KT122", infinite & ~finite, field, "time is not finite")
        noun = "time" if field == "start" or rows.durations is None else "duration"
        _report_times(rows, problems, "KT123", negative, field, f"negative {noun}")
    backward = (rows.ends < rows.starts) & ~bad
    if backward.any():
        problems.report_each(
            "KT124",
            np.flatnonzero(backward).tolist(),
            lambda row: (
                "segment ends before it starts: "
                f"end {quote(rows.written(row, 'end'))}, start {quote(rows.written(row, 'start'))}"
            ),
            lambda row: rows.locate(row, "end"),
            hint=_backward_hint(rows, backward),
        )
    return rows.take(np.flatnonzero(~(bad | backward)))


def _report_times(
    rows: RawIntervals, problems: Problems, code: str, affected: Flags, field: Field, what: str
) -> None:
    problems.report_each(
        code,
        np.flatnonzero(affected).tolist(),
        lambda row: f"{what}: {quote(rows.written(row, field))}",
        lambda row: rows.locate(row, field),
    )


def _backward_hint(rows: RawIntervals, backward: Flags) -> str:
    """Guess why segments end before they start: they are durations, or columns are swapped."""
    with np.errstate(invalid="ignore", over="ignore"):
        meets_next = np.abs(rows.starts[:-1] + rows.ends[:-1] - rows.starts[1:]) < 0.01
    if len(meets_next) > 1 and meets_next.mean() > 0.9:
        return "looks like start, duration, label: use --layout durations"
    count, total = int(backward.sum()), len(backward)
    ends = inflected(count, "ends before it starts", "end before they start")
    return f"start and end swapped? {out_of(count, total, 'row')} {ends}"


def _report_odd(rows: RawIntervals, problems: Problems) -> None:
    """Warn of times that are hardly seconds, and of segments without length."""
    longest = int(rows.ends.argmax())
    if rows.ends[longest] > _LONGEST_PLAUSIBLE_S:
        hours = rows.ends[longest] / 3600
        message = f"last end is {rows.ends[longest]:.6g} s ({hours:,.0f} hours): milliseconds or samples?"
        place, hint = rows.locate(longest, "end"), "times are read as seconds"
        problems.report("KT130", message, place, severity="warning", hint=hint)
    empty = np.flatnonzero(rows.starts == rows.ends)
    if len(empty):
        first, count = int(empty[0]), len(empty)
        message = f"segment has no length: it starts and ends at {rows.written(first, 'start')} s"
        message += such_rows(count)
        problems.report("KT125", message, rows.locate(first, "end"), severity="warning", count=count)


def _sort(rows: RawIntervals, problems: Problems) -> RawIntervals:
    """Sort by start, stably; of equal starts, a row without length comes first."""
    displaced = np.flatnonzero(rows.starts[1:] < rows.starts[:-1]) + 1
    if len(displaced):
        first, count = int(displaced[0]), len(displaced)
        message = f"rows out of order: this one starts before the one above{such_rows(count)}"
        problems.report("KT128", message, rows.locate(first, "start"), severity="warning", count=count)
    order = np.lexsort((rows.starts < rows.ends, rows.starts))
    return rows if (order[1:] > order[:-1]).all() else rows.take(order)


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
            _report_cuts(rows, long, excess > tolerance, problems)
        else:
            _report_overlaps(rows, long, latest, latest - starts[1:] > tolerance, problems)
        rounded = (excess > ROUNDING_S + tolerance - _OVERLAP_TOLERANCE_S) & (excess <= tolerance)
        if rounded.any():
            _report_cuts(rows, long, rounded, problems, together=True)
        ends[:-1] = np.minimum(ends[:-1], starts[1:])
        rows.ends[long] = ends
    apart = _is_apart(rows, long)
    return rows if apart.all() else rows.take(np.flatnonzero(apart))


def _is_apart(rows: RawIntervals, long: Indices) -> Flags:
    """Return which rows to keep: those that have a length left, and empty ones outside of the others."""
    apart = np.ones(len(rows.labels), dtype=bool)
    apart[long] = rows.starts[long] < rows.ends[long]
    is_empty = np.ones(len(apart), dtype=bool)
    is_empty[long] = False
    empty = np.flatnonzero(is_empty)
    around = np.searchsorted(rows.starts[long], rows.starts[empty], side="left") - 1
    covered = around >= 0
    covered[covered] = rows.ends[long][around[covered]] > rows.starts[empty][covered]
    apart[empty[covered]] = False
    return apart


def _report_overlaps(
    rows: RawIntervals, long: Indices, latest: Seconds, affected: Flags, problems: Problems
) -> None:
    """Report overlaps with whichever row before ends last."""
    holders = np.maximum.accumulate(np.where(rows.ends[long][:-1] == latest, np.arange(len(latest)), 0))
    before, after = long[holders].tolist(), long[1:].tolist()

    def message(pair: int) -> str:
        overlap = min(rows.ends[before[pair]], rows.ends[after[pair]]) - rows.starts[after[pair]]
        return f"segment overlaps the one of {rows.named(before[pair])} by {overlap:.6g} s"

    pairs = np.flatnonzero(affected).tolist()
    hint = "--overlap trim cuts the earlier one where the later one starts"
    problems.report_each("KT126", pairs, message, lambda pair: rows.locate(after[pair], "start"), hint=hint)


def _report_cuts(
    rows: RawIntervals, long: Indices, affected: Flags, problems: Problems, *, together: bool = False
) -> None:
    """Warn of each row that is cut where the next one starts, or of the first and how many there are."""
    pairs = np.flatnonzero(affected).tolist()
    count = len(pairs) if together else 1
    before, after = long[:-1].tolist(), long[1:].tolist()

    def message(pair: int) -> str:
        overlap = rows.ends[before[pair]] - rows.starts[after[pair]]
        next_row = rows.named(after[pair])
        return f"segment cut where {next_row} starts: it went on for {overlap:.6g} s{such_rows(count)}"

    problems.report_each(
        "KT127",
        pairs[:1] if together else pairs,
        message,
        lambda pair: rows.locate(before[pair], "end"),
        severity="warning",
        count=count,
    )


def finish(tracks: Sequence[RawIntervals], problems: Problems, options: IntervalOptions) -> TrackReading:
    """Check the rows of each track and return them; a file without rows is an error."""
    filled, tidy = [], []
    for track in tracks:
        rows = _with_lengths(track, problems, options) if track.labels else track
        if rows.labels:
            filled.append(rows)
    if not filled and not problems.has_errors:
        problems.report("KT110", "no annotation rows")
    for rows in filled:
        _check_labels(rows, problems, options.limits)
    for rows in filled:
        tidy.append(_tidy(rows, problems, options))
    return problems.reading(tuple(tidy))


def _with_lengths(rows: RawIntervals, problems: Problems, options: IntervalOptions) -> RawIntervals:
    """Read rows of which none has a length as change points."""
    starts = rows.starts
    if starts[0] != rows.ends[0] or options.layout not in ("auto", "points"):
        return rows
    if not (starts == rows.ends).all() or starts.min() == starts.max():
        return rows
    message = f"read as change points, since no row has a length{such_rows(len(starts), 'rows')}"
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
    ended = np.sort(order[:-1])
    rows = points.take(ended)
    rows.ends = starts[following[ended]]

    def locate(row: int, field: Field) -> Place:
        point = int(ended[row])
        if field == "end":
            return points.locate(int(following[point]), "start")
        return points.locate(point, field)

    rows.locate = locate
    return rows


def _check_labels(rows: RawIntervals, problems: Problems, limits: Limits) -> None:
    if len("".join(rows.labels)) <= limits.label:
        return
    for row, label in enumerate(rows.labels):
        if len(label) > limits.label:
            size = f"{len(label):,} characters, over the limit of {limits.label:,}"
            problems.report("KT106", f"label of {size}: {quote(label)}", rows.locate(row, "label"))


_NUMBER_TYPES = (int, float, np.integer, np.floating)


def intervals_from_arrays(
    intervals: ArrayLike, labels: Sequence[str], *, name: str, options: IntervalOptions = DEFAULT_OPTIONS
) -> TrackReading:
    """Check intervals and labels as mir_eval and mirdata have them."""
    problems = Problems(name)
    times = _as_times(intervals, problems)
    names = _as_labels(labels, problems)
    if times is None or names is None:
        return problems.reading(())
    starts, ends = times
    if len(starts) != len(names):
        problems.report("KT114", f"{len(starts):,} intervals, but {len(names):,} labels")
        return problems.reading(())

    def locate(row: int, _: Field) -> Place:
        return Place(name, row=row)

    return finish([RawIntervals(starts, ends, names, locate)], problems, options)


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
    problems.report("KT114", f"intervals {unfit}")
    return None


def _unfit(intervals: ArrayLike, array: NDArray[np.generic]) -> str | None:
    """Return why an array cannot be intervals, or None if it can."""
    hidden = int(np.ma.getmaskarray(intervals).sum()) if isinstance(intervals, np.ma.MaskedArray) else 0
    if hidden:
        return f"are masked: {hidden:,} of {array.size:,} values are hidden"
    if array.dtype.kind == "O":
        kinds = set(map(type, array.ravel().tolist()))
        foreign = sorted(
            kind.__name__ for kind in kinds if kind is bool or not issubclass(kind, _NUMBER_TYPES)
        )
    else:
        names = {"U": "str", "S": "bytes", "b": "bool"}
        foreign = [] if array.dtype.kind in "fiu" else [names.get(array.dtype.kind, array.dtype.name)]
    if foreign:
        return f"must be numbers, not {', '.join(foreign)}"
    if array.ndim != 2 or array.shape[1] != 2:
        return f"must have shape (n, 2), not {array.shape}"
    return None


def _as_labels(labels: Sequence[str], problems: Problems) -> list[str] | None:
    if not isinstance(labels, Iterable) or isinstance(labels, str | AbstractSet | Mapping):
        kind = "one str" if isinstance(labels, str) else type(labels).__name__
        problems.report("KT114", f"labels must be a sequence of str, not {kind}")
        return None
    names = list(labels)
    if set(map(type, names)) == {str}:
        return names
    odd = next((row for row, label in enumerate(names) if not isinstance(label, str)), None)
    if odd is not None:
        kind = type(names[odd]).__name__
        problems.report("KT114", f"labels must be str: the one of row index {odd} is {kind}")
        return None
    return [str.__str__(label) for label in names]  # what they equal, not what their types show
