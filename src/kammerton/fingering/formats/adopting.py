# SPDX-License-Identifier: MIT
"""Fingerings that come from Python instead of a file."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from typing import Any

import numpy as np

from kammerton.errors import Diagnostic
from kammerton.fingering.annotation import Fingering
from kammerton.fingering.formats.fields import fingers_of, hands_given, notes_of
from kammerton.fingering.formats.notes import (
    DEFAULT_OPTIONS,
    NoteField,
    Notes,
    ReadingOptions,
    check_notes,
    report_no_notes,
    times_of,
)
from kammerton.formats.reading import Problems
from kammerton.model.annotations import Place
from kammerton.model.task import Reading

__all__ = ["adopt_fingering"]

_ATTRIBUTES: dict[NoteField, tuple[str, ...]] = {
    "onset": ("onsets",),
    "offset": ("offsets",),
    "pitch": ("pitches",),
    "finger": ("fingers", "labels"),
    "hand": ("hands",),
}
_NAMES = ("onsets", "offsets", "pitches", "hands", "labels")
_HINT = "an object or mapping with onsets, offsets, pitches and fingers, and hands if there are any"


def adopt_fingering(
    value: object, name: str, options: ReadingOptions = DEFAULT_OPTIONS
) -> Reading[Fingering]:
    """Take a fingering of the caller's."""
    problems = Problems(name)
    notes = (
        _own(value, problems, options) if isinstance(value, Fingering) else _foreign(value, problems, options)
    )
    if notes is None or not notes.labels:
        report_no_notes(problems)
        return Reading((), problems.diagnostics())
    fingering = check_notes(notes, problems)
    return Reading(() if problems.has_errors else ((None, fingering),), problems.diagnostics())


def _locate(problems: Problems) -> Callable[[int, NoteField], Place]:
    return lambda row, _: Place(problems.file, row=row)


def _own(value: Any, problems: Problems, options: ReadingOptions) -> Notes | None:
    """Check what the constructor does not: lengths, times, labels."""
    if not _are_even([getattr(value, name) for name in _NAMES], problems):
        return None
    place = _locate(problems)
    onsets, offsets = (
        times_of([repr(time) for time in times.tolist()], lambda row: place(row, "onset"), problems)
        for times in (value.onsets, value.offsets)
    )
    labels, hands = fingers_of(
        value.labels, value.hands, lambda row: place(row, "finger"), problems, options, numbers="signed"
    )
    if options.label_encoding == "auto" and not any(label.startswith("-") for label in labels):
        hands = hands_given(value.hands, options)  # signs tell nothing
    return Notes(
        onsets,
        offsets,
        value.pitches,
        hands,
        labels,
        place,
        unit=value.unit,
        place_of=value.place_of,
    )


def _foreign(value: Any, problems: Problems, options: ReadingOptions) -> Notes | None:
    found = {field: _column(value, names) for field, names in _ATTRIBUTES.items()}
    missing = [_ATTRIBUTES[field][0] for field in _ATTRIBUTES if field != "hand" and found[field] is None]
    if missing:
        _say(problems, f"not a fingering: {type(value).__name__} has no {missing[0]}", _HINT)
        return None
    columns = {field: column for field, column in found.items() if column is not None}
    if not _are_even(list(columns.values()), problems):
        return None
    cells = {field: [_text(each, field) for each in column] for field, column in columns.items()}
    return notes_of(cells, _locate(problems), problems, options, numbers="by_hand")


def _column(value: object, names: Iterable[str]) -> list[Any] | None:
    """Return the first of some attributes or members that is a column."""
    for name in names:
        column = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
        if isinstance(column, np.ndarray):
            column = column.tolist()
        if isinstance(column, Sequence) and not isinstance(column, str):
            return list(column)
    return None


def _are_even(columns: Sequence[Sized], problems: Problems) -> bool:
    lengths = [len(column) for column in columns]
    if len(set(lengths)) > 1:
        _say(problems, f"columns of different lengths: {', '.join(f'{length:,}' for length in lengths)}")
    return not problems.has_errors


def _say(problems: Problems, message: str, hint: str | None = None) -> None:
    problems.add(Diagnostic(code="KT114", severity="error", message=message, file=problems.file, hint=hint))


def _text(value: object, field: NoteField) -> str:
    """Return a value as a file would have it."""
    if field in ("finger", "hand"):
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return ""
        if isinstance(value, float) and value.is_integer():  # of a table in which some are missing
            return str(int(value))
    return str(value)
