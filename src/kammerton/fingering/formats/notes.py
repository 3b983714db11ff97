# SPDX-License-Identifier: MIT
"""The checks that the notes of every reader pass.

Comparisons run over whole columns; only notes that fail one are looked at singly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic, quote
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN, Fingering, TimeUnit
from kammerton.fingering.formats.columns import say_rows
from kammerton.fingering.labels import strike_codes
from kammerton.fingering.pitch import HIGHEST_KEY, LOWEST_KEY
from kammerton.formats.hygiene import ROUNDING_S
from kammerton.formats.reading import Problems, such_rows
from kammerton.model.annotations import Place

__all__ = ["HANDS", "Locate", "NoteField", "Notes", "check_notes", "say_no_notes", "say_untold"]

NoteField = Literal["id", "onset", "offset", "duration", "pitch", "hand", "finger", "annotator"]

Locate = Callable[[int, NoteField], Place]
"""Finds a field of a note in the file, once a problem asks for it."""

HANDS = {RIGHT: "right", LEFT: "left"}

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(slots=True, eq=False)
class Notes:
    """Notes as a format gives them: each value read, none compared with another.

    Parameters
    ----------
    onsets, offsets : ndarray of float64, shape (n,)
        Any value, NaN where a problem was reported already; owned by this object.
    pitches, hands : ndarray of int64, shape (n,)
        MIDI numbers (-1 unknown) and codes of hands.
    labels : list of str, length n
        Labels in the notation of PIG.
    locate : callable
        ``locate(row, field)`` returns a :class:`~kammerton.model.annotations.Place`.
    ids : sequence of str, length n, optional
        What the notes are called, where the format has it.
    line_of : callable, optional
        ``line_of(row)`` returns the line of a note; without it, ``locate`` is kept for that.
    unit, place_of
        As of :class:`~kammerton.fingering.annotation.Fingering`.
    """

    onsets: Floats
    offsets: Floats
    pitches: Codes
    hands: Codes
    labels: list[str]
    locate: Locate
    ids: Sequence[str] | None = None
    line_of: Callable[[int], int | None] | None = None
    unit: TimeUnit = "s"
    place_of: Callable[[int], str] | None = None

    def fingering(self) -> Fingering:
        """Return the notes as they are."""
        columns = (self.onsets, self.offsets, self.pitches, self.hands)
        line_of = self.line_of or partial(_line, self.locate)
        return Fingering(*columns, tuple(self.labels), line_of, self.unit, self.place_of)

    def named(self, row: int) -> str:
        """Return how a message calls a note."""
        place = self.locate(row, "onset")
        return f"note index {row}" if place.line is None else f"line {place.line}"


def _line(locate: Locate, row: int) -> int | None:
    return locate(row, "onset").line


def say_no_notes(problems: Problems) -> None:
    """Report a file without notes, unless it is known why there are none."""
    if not problems.has_errors:
        problems.add(Diagnostic(code="KT110", severity="error", message="no notes", file=problems.file))


def check_notes(notes: Notes, problems: Problems) -> Fingering:
    """Compare the values of notes with each other; the order of notes is kept.

    Parameters
    ----------
    notes : Notes
        At least one note.
    problems : Problems
        Takes every problem found.

    Returns
    -------
    Fingering
        Of use only if ``problems`` has no error afterwards.
    """
    notes.onsets += 0.0  # makes -0.0 a 0.0
    notes.offsets += 0.0
    _check_times(notes, problems)
    _check_ids(notes, problems)
    _check_order(notes, problems)
    _check_duplicates(notes, problems)
    _check_range(notes, problems)
    _check_hands(notes, problems)
    fingering = notes.fingering()
    if not problems.has_errors:
        say_untold(fingering, lambda row: notes.locate(row, "finger"), problems)
    return fingering


def say_untold(fingering: Fingering, locate: Callable[[int], Place], problems: Problems) -> None:
    """Say that nothing tells which hand fingers are of."""
    if (fingering.hands != UNKNOWN).all():
        return
    fingered = fingering.codes != 0
    untold = np.flatnonzero(fingered & (fingering.told_hands == UNKNOWN))
    if not len(untold):
        return
    which = "" if len(untold) == fingered.sum() else f"{len(untold):,} of {fingered.sum():,} "
    message = (
        f"{which}fingers have neither hands nor signs: they are compared as those of the right hand, and "
        "crossings are not judged"
    )
    hint = "--hand right or --hand left says whose they are; or give hands, or signs"
    problem = Diagnostic(code="KT337", severity="warning", message=message, hint=hint)
    problems.add(locate(int(untold[0])).diagnose(problem))


def _say_each(problems: Problems, code: str, found: Mask, diagnose: Callable[[int], Diagnostic]) -> None:
    if found.any():
        say_rows(problems, code, np.flatnonzero(found).tolist(), diagnose)


def _at(
    notes: Notes, row: int, field: NoteField, code: str, message: str, hint: str | None = None
) -> Diagnostic:
    problem = Diagnostic(code=code, severity="error", message=message, hint=hint)
    return notes.locate(row, field).diagnose(problem)


def _warn(problems: Problems, notes: Notes, found: Mask, field: NoteField, code: str, message: str) -> None:
    """Say something once about all notes of a mask, at the first one."""
    count = int(found.sum())
    if count:
        problem = Diagnostic(code=code, severity="warning", message=message + such_rows(count), count=count)
        problems.add(notes.locate(int(found.argmax()), field).diagnose(problem))


def _written(notes: Notes, row: int, field: Literal["onset", "offset"]) -> str:
    """Return a time as the file has it."""
    token = notes.locate(row, field).token()
    times = notes.onsets if field == "onset" else notes.offsets
    return quote(repr(float(times[row])) if token is None else token)


def _check_times(notes: Notes, problems: Problems) -> None:
    columns: tuple[tuple[Literal["onset", "offset"], Floats], ...] = (
        ("onset", notes.onsets),
        ("offset", notes.offsets),
    )
    for field, times in columns:
        _say_each(problems, "KT122", np.isinf(times), partial(_not_finite, notes, field))
        _say_each(problems, "KT123", (times < 0) & ~np.isinf(times), partial(_negative, notes, field))
    early = (notes.offsets < notes.onsets) & (notes.onsets - notes.offsets <= ROUNDING_S)
    notes.offsets[early] = notes.onsets[early]  # made by arithmetic with doubles
    backward = (notes.offsets < notes.onsets) & (notes.offsets >= 0) & ~np.isinf(notes.onsets)
    _say_each(problems, "KT124", backward, partial(_backward, notes))


def _not_finite(notes: Notes, field: Literal["onset", "offset"], row: int) -> Diagnostic:
    return _at(notes, row, field, "KT122", f"time is not finite: {_written(notes, row, field)}")


def _negative(notes: Notes, field: Literal["onset", "offset"], row: int) -> Diagnostic:
    return _at(notes, row, field, "KT123", f"negative time: {_written(notes, row, field)}")


def _backward(notes: Notes, row: int) -> Diagnostic:
    onset, offset = _written(notes, row, "onset"), _written(notes, row, "offset")
    return _at(notes, row, "offset", "KT124", f"note ends before it starts: offset {offset}, onset {onset}")


def _check_ids(notes: Notes, problems: Problems) -> None:
    if notes.ids is None or len(set(notes.ids)) == len(notes.ids):
        return
    first: dict[str, int] = {}
    again = [row for row, name in enumerate(notes.ids) if first.setdefault(name, row) != row]
    say_rows(problems, "KT344", again, partial(_repeated, notes, first))


def _repeated(notes: Notes, first: dict[str, int], row: int) -> Diagnostic:
    assert notes.ids is not None, "only ids can be repeated"
    name = notes.ids[row]
    message = f"note id {quote(name)} stands twice: first in {notes.named(first[name])}"
    return _at(notes, row, "id", "KT344", message)


def _check_order(notes: Notes, problems: Problems) -> None:
    earlier = np.zeros(len(notes.labels), dtype=bool)
    earlier[1:] = notes.onsets[1:] < notes.onsets[:-1]
    message = "notes are not in order of time, and stay as they are: this one starts before the one above"
    _warn(problems, notes, earlier, "onset", "KT346", message)


def _check_duplicates(notes: Notes, problems: Problems) -> None:
    """Report notes that strike a key at the moment at which an earlier note of the file strikes it."""
    if not _may_repeat(notes):
        return
    order = np.lexsort((notes.pitches, notes.onsets))  # stable: of equal notes, the earlier one is first
    onsets, pitches = notes.onsets[order], notes.pitches[order]
    same = np.zeros(len(order), dtype=bool)
    same[order[1:]] = (onsets[1:] == onsets[:-1]) & (pitches[1:] == pitches[:-1])
    if same.any():
        row = int(same.argmax())
        before = int(order[np.flatnonzero(order == row)[0] - 1])
        message = f"same onset and pitch as the note of {notes.named(before)}; both are kept"
        _warn(problems, notes, same, "pitch", "KT345", message)


def _may_repeat(notes: Notes) -> bool:
    """Tell whether any note repeats one of the moment at which it starts, if notes are in order."""
    steps = np.diff(notes.onsets)
    if not (steps >= 0).all():
        return True
    keys = np.concatenate(([0], np.cumsum(steps > 0))) * 256 + notes.pitches
    keys.sort()
    return bool((keys[1:] == keys[:-1]).any())


def _check_range(notes: Notes, problems: Problems) -> None:
    off = ((notes.pitches < LOWEST_KEY) | (notes.pitches > HIGHEST_KEY)) & (notes.pitches >= 0)
    _warn(problems, notes, off, "pitch", "KT347", "a piano of 88 keys, A0 to C8, does not have this pitch")


def _check_hands(notes: Notes, problems: Problems) -> None:
    strikes = strike_codes(notes.labels)
    told = (strikes != 0) & (notes.hands != UNKNOWN)
    found = told & (np.where(strikes > 0, RIGHT, LEFT) != notes.hands)
    hint = "fingers of the left hand are negative; channel 0 is the right hand, 1 the left"
    if found.sum() > 1 and (found == told).all():
        hint = "so it is with every note: are the hands swapped?"
    elif (strikes >= 0).all():
        hint = "no finger has a sign: those of the left hand are negative"
    _say_each(problems, "KT343", found, lambda row: _conflict(notes, row, hint))


def _conflict(notes: Notes, row: int, hint: str) -> Diagnostic:
    finger, given = (notes.locate(row, field).token() for field in ("finger", "hand"))
    hand = int(notes.hands[row])
    written = "" if given is None else f" ({quote(given)})"
    message = (
        f"finger {quote(finger or notes.labels[row])} is of the {HANDS[1 - hand]} hand,"
        f" the note of the {HANDS[hand]} one{written}"
    )
    return _at(notes, row, "finger", "KT343", message, hint)
