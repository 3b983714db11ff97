# SPDX-License-Identifier: MIT
"""What every reader does last: budgets of labels, the checks of time, the reading."""

from __future__ import annotations

from collections.abc import Sequence

from kammerton.errors import Diagnostic, quote
from kammerton.formats.hygiene import RawIntervals, tidy
from kammerton.formats.options import IntervalOptions, Limits
from kammerton.formats.reading import Problems, TrackReading

__all__ = ["finish"]


def finish(tracks: Sequence[RawIntervals], problems: Problems, options: IntervalOptions) -> TrackReading:
    """Check the rows of each track and return them; that there is no row is an error."""
    filled = [rows for rows in tracks if rows.labels]
    if not filled and not problems.has_errors:
        problems.add(
            Diagnostic(code="KT110", severity="error", message="no annotation rows", file=problems.file)
        )
    for rows in filled:
        _check_labels(rows, problems, options.limits)
    tidied = [tidy(rows, problems, options) for rows in filled]
    return problems.reading(tuple(tidied))


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
