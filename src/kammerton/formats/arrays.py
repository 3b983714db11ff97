# SPDX-License-Identifier: MIT
"""Labelled intervals that come from Python instead of a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kammerton.errors import Diagnostic
from kammerton.formats.finishing import finish
from kammerton.formats.hygiene import RawIntervals
from kammerton.formats.options import DEFAULT_OPTIONS, IntervalOptions
from kammerton.formats.reading import Problems, TrackReading
from kammerton.model.annotations import Field, Place

__all__ = ["intervals_from_arrays"]

_NUMBERS = (int, float, np.integer, np.floating)


def intervals_from_arrays(
    intervals: ArrayLike,
    labels: Sequence[str],
    *,
    name: str,
    options: IntervalOptions = DEFAULT_OPTIONS,
) -> TrackReading:
    """Check intervals and labels as mir_eval and mirdata have them.

    Parameters
    ----------
    intervals : array-like, shape (n, 2)
        Start and end of each row, in seconds.
    labels : sequence of str, length n
        One label per row.
    name : str
        What diagnostics call them; a row is named by its index, from 0.
    options : IntervalOptions
        Says what to do with overlaps.

    Returns
    -------
    TrackReading
        One track, or none and the diagnostics that say why.
    """
    problems = Problems(name)
    times = _as_times(intervals, problems)
    names = _as_labels(labels, problems)
    if times is None or names is None:
        return problems.reading(())
    starts, ends = times
    if len(starts) != len(names):
        _say(problems, f"{len(starts):,} intervals, but {len(names):,} labels")
        return problems.reading(())

    def locate(row: int, _: Field) -> Place:
        return Place(name, row=row)

    return finish([RawIntervals(starts, ends, names, locate)], problems, options)


def _say(problems: Problems, message: str) -> None:
    problems.add(Diagnostic(code="KT114", severity="error", message=message, file=problems.file))


def _as_times(intervals: ArrayLike, problems: Problems) -> NDArray[np.float64] | None:
    """Return a copy with starts and ends as rows, or None if there cannot be one."""
    try:
        found = np.asarray(intervals)
        if found.size == 0:
            return np.empty((2, 0))
        unfit = _unfit(intervals, found)
        if unfit is None:
            return np.array(found.T, dtype=np.float64, order="C")
    except ValueError:
        unfit = "are not an array of numbers: rows differ in length"
    except OverflowError:
        unfit = "are too large for times"
    _say(problems, f"intervals {unfit}")
    return None


def _unfit(intervals: ArrayLike, found: NDArray[np.generic]) -> str | None:
    """Say why an array cannot be intervals, or None if it can."""
    hidden = int(np.ma.getmaskarray(intervals).sum()) if isinstance(intervals, np.ma.MaskedArray) else 0
    if hidden:
        return f"are masked: {hidden:,} of {found.size:,} values are hidden"
    kinds = _foreign_kinds(found)
    if kinds:
        return f"must be numbers, not {', '.join(kinds)}"
    if found.ndim != 2 or found.shape[1] != 2:
        return f"must have shape (n, 2), not {found.shape}"
    return None


def _foreign_kinds(found: NDArray[np.generic]) -> list[str]:
    """Name what an array holds beside numbers."""
    if found.dtype.kind in "fiu":
        return []
    if found.dtype.kind != "O":
        return [{"U": "str", "S": "bytes", "b": "bool"}.get(found.dtype.kind, found.dtype.name)]
    kinds = set(map(type, found.ravel().tolist()))
    return sorted(kind.__name__ for kind in kinds if kind is bool or not issubclass(kind, _NUMBERS))


def _as_labels(labels: Sequence[str], problems: Problems) -> list[str] | None:
    if not isinstance(labels, Iterable) or isinstance(labels, str | AbstractSet | Mapping):
        kind = "one str" if isinstance(labels, str) else type(labels).__name__
        _say(problems, f"labels must be a sequence of str, not {kind}")
        return None
    names = list(labels)
    if set(map(type, names)) == {str}:
        return names
    odd = next((row for row, label in enumerate(names) if not isinstance(label, str)), None)
    if odd is not None:
        _say(problems, f"labels must be str: the one of row index {odd} is {type(names[odd]).__name__}")
        return None
    return [str.__str__(label) for label in names]  # what they equal, not what their types show
