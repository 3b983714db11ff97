# SPDX-License-Identifier: MIT
"""What every reader of intervals does last: change points get their ends, labels and times are checked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from kammerton.errors import Diagnostic, quote
from kammerton.formats.hygiene import RawIntervals, tidy
from kammerton.formats.options import IntervalOptions, Limits
from kammerton.formats.reading import Problems, TrackReading, such_rows
from kammerton.model.annotations import Field, Place

__all__ = ["finish", "rows_of_points"]


def finish(tracks: Sequence[RawIntervals], problems: Problems, options: IntervalOptions) -> TrackReading:
    """Check the rows of each track and return them; that there is no row is an error."""
    filled = [_with_lengths(rows, problems, options) for rows in tracks if rows.labels]
    filled = [rows for rows in filled if rows.labels]
    if not filled and not problems.has_errors:
        problems.add(
            Diagnostic(code="KT110", severity="error", message="no annotation rows", file=problems.file)
        )
    for rows in filled:
        _check_labels(rows, problems, options.limits)
    tidied = [tidy(rows, problems, options) for rows in filled]
    return problems.reading(tuple(tidied))


def _with_lengths(rows: RawIntervals, problems: Problems, options: IntervalOptions) -> RawIntervals:
    """Take rows of which none has a length for change points, which is what they are."""
    starts = rows.starts
    if starts[0] != rows.ends[0] or options.layout not in ("auto", "points"):
        return rows
    if not (starts == rows.ends).all() or starts.min() == starts.max():
        return rows
    message = f"no row has a length: read as change points{such_rows(len(starts), 'rows')}"
    note = Diagnostic(code="KT132", severity="note", message=message)
    problems.add(rows.locate(0, "end").diagnose(note))
    return rows_of_points(rows, problems)


def rows_of_points(points: RawIntervals, problems: Problems) -> RawIntervals:
    """End each row where the next one in time starts; the last one has no end, and is none.

    Parameters
    ----------
    points : RawIntervals
        Of their ends nothing is used.
    problems : Problems
        Takes KT111 for a row without label, KT122, and KT131 for the label of the last row.
    """
    starts, labels = points.starts, points.labels
    endless = np.flatnonzero(~np.isfinite(starts)).tolist()
    for row in endless:
        message = f"time is not finite: {quote(points.written(row, 'start'))}"
        _say(points, row, "start", Diagnostic(code="KT122", severity="error", message=message), problems)
    order = np.argsort(starts, kind="stable")[: 0 if endless else None]
    if len(order) and labels[order[-1]]:
        message = f"last change point has no end, and its label is not used: {quote(labels[order[-1]])}"
        note = Diagnostic(code="KT131", severity="note", message=message)
        _say(points, int(order[-1]), "label", note, problems)
    for row in order[:-1].tolist():
        if not labels[row]:
            problem = Diagnostic(code="KT111", severity="error", message="row has no label")
            problems.add_at(problem, partial(points.locate, row, "label"))
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


def _say(rows: RawIntervals, row: int, field: Field, problem: Diagnostic, problems: Problems) -> None:
    problems.add(rows.locate(row, field).diagnose(problem))


def _check_labels(rows: RawIntervals, problems: Problems, limits: Limits) -> None:
    if len("".join(rows.labels)) <= limits.label or max(map(len, rows.labels)) <= limits.label:
        return
    for row, label in enumerate(rows.labels):
        if len(label) > limits.label:
            message = (
                f"label of {len(label):,} characters, over the limit of {limits.label:,}: {quote(label)}"
            )
            problem = Diagnostic(code="KT106", severity="error", message=message)
            problems.add(rows.locate(row, "label").diagnose(problem))
