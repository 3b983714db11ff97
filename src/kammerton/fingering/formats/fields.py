# SPDX-License-Identifier: MIT
"""What headers call the fields of a note, and what the cells below them mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic, quote
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN, diagnose_pitch, parse_midi, parse_pitch
from kammerton.fingering.formats.notes import (
    Column,
    LocateRow,
    NoteField,
    Notes,
    ReadingOptions,
    codes_of,
    interpret,
    say_rows,
    times_of,
)
from kammerton.fingering.labels import CODED_NUMBERS, Encoding, Hand, inspect
from kammerton.formats.intervals import EXACT
from kammerton.formats.reading import Problems
from kammerton.model.annotations import Place

__all__ = ["NAMES", "Numbers", "field_of", "fingers_of", "hands_given", "notes_of"]

Numbers = Literal["signed", "by_hand", "1-10"]
"""What numbers mean where the caller does not say.

*signed*: fingers of the right hand, of the left if negative. *by_hand*: the same if any is negative,
else fingers of the hand that plays the note. *1-10*: the same if none is beyond 5 and hands are given,
else from the left thumb to the left little finger and on to the right.
"""

NAMES: dict[NoteField, tuple[str, ...]] = {
    "id": ("id", "note_id", "index"),
    "onset": ("onset", "onset_time", "start", "start_time", "time", "begin"),
    "offset": ("offset", "offset_time", "key_offset", "end", "end_time", "stop"),
    "duration": ("duration", "dur", "length"),
    "pitch": (
        "pitch",
        "spelled_pitch",
        "midi_pitch",
        "midi",
        "note",
        "note_number",
        "midi_note",
        "note_name",
    ),
    "hand": ("hand", "channel"),
    "finger": ("finger", "finger_number", "fingering", "finger_label", "label"),
    "annotator": ("annotator", "annotator_id"),
}
"""Names that are understood; where a file has several for one field, the first one counts.

PianoVAM has ``key_offset``, when the key is released, beside ``frame_offset``, when the sound ends.
"""

_FIELDS: dict[str, NoteField] = {name: field for field, names in NAMES.items() for name in names}
_UNIT = re.compile(r"_(?:in_)?(?:s|sec|secs|seconds)$|[([](?:s|sec|secs|seconds)[)\]]$")

_HANDS = {
    **dict.fromkeys(("r", "rh", "right", "0"), RIGHT),
    **dict.fromkeys(("l", "lh", "left", "1"), LEFT),
    **dict.fromkeys(("", ".", "-1", "noinfo", "unknown"), UNKNOWN),
}
_HAND_NAMES: dict[int, Hand | None] = {RIGHT: "right", LEFT: "left", UNKNOWN: None}


def field_of(header: str) -> tuple[NoteField, int] | None:
    """Return the field that a header names, and how usual the name is (0 most), or None."""
    name = re.sub(r"[\s-]+", "_", header.strip().casefold())
    if name not in _FIELDS:
        name = _UNIT.sub("", name).rstrip("_")
    field = _FIELDS.get(name)
    return None if field is None else (field, NAMES[field].index(name))


def notes_of(
    cells: dict[NoteField, list[str]],
    locate: Callable[[int, NoteField], Place],
    problems: Problems,
    options: ReadingOptions,
    *,
    numbers: Numbers,
) -> Notes:
    """Return the notes that cells mean."""

    def at(field: NoteField) -> Callable[[int], Place]:
        return lambda row: locate(row, field)

    count = len(cells["onset"])
    onsets = times_of(cells["onset"], at("onset"), problems)
    if "offset" in cells:
        offsets = times_of(cells["offset"], at("offset"), problems)
    else:
        offsets = _ends(cells["onset"], cells["duration"], onsets, at("duration"), problems)
    pitches = _pitches_of(cells["pitch"], at("pitch"), problems)
    hands = codes_of(Column.of(cells.get("hand", [""] * count)), _hand, at("hand"), problems)
    labels, hands = fingers_of(
        cells.get("finger", [""] * count), hands, at("finger"), problems, options, numbers=numbers
    )
    second: NoteField = "offset" if "offset" in cells else "duration"

    def place(row: int, field: NoteField) -> Place:
        return locate(row, second if field == "offset" else field)

    return Notes(onsets, offsets, pitches, hands, labels, place, cells.get("id"))


def _ends(
    onsets: Sequence[str],
    durations: Sequence[str],
    begins: NDArray[np.float64],
    locate: Callable[[int], Place],
    problems: Problems,
) -> NDArray[np.float64]:
    """Add durations to onsets as decimal numbers, so that 0.1 and 0.2 end at 0.3."""
    lengths = times_of(durations, locate, problems)
    negative = np.flatnonzero(lengths < 0).tolist()
    say_rows(problems, "KT123", negative, lambda row: _negative(durations[row], locate(row)))
    lengths[negative] = np.nan
    with np.errstate(over="ignore"):  # what is not finite is reported
        ends = begins + lengths
    for row in np.flatnonzero(np.isfinite(ends)).tolist():
        ends[row] = float(EXACT.add(Decimal(onsets[row]), Decimal(durations[row])))
    return ends


def _negative(duration: str, place: Place) -> Diagnostic:
    message = f"negative duration: {quote(duration)}"
    return place.diagnose(Diagnostic(code="KT123", severity="error", message=message))


def _pitches_of(cells: Sequence[str], locate: LocateRow, problems: Problems) -> NDArray[np.int64]:
    """Return the MIDI numbers of pitches, each a number or spelled."""
    return codes_of(Column.of(cells), _pitch, locate, problems)


def _pitch(cell: str) -> tuple[int, Diagnostic | None]:
    midi = parse_midi(cell)
    midi = parse_pitch(cell) if midi is None else midi
    return (-1, diagnose_pitch(cell)) if midi is None else (midi, None)


def hands_given(hands: NDArray[np.int64], options: ReadingOptions) -> NDArray[np.int64]:
    """Return codes of hands; where one is not known, what the caller says."""
    if options.hand == "auto":
        return hands
    return np.where(hands == UNKNOWN, RIGHT if options.hand == "right" else LEFT, hands)


def _hand(cell: str) -> tuple[int, Diagnostic | None]:
    code = _HANDS.get(cell.casefold())
    if code is not None:
        return code, None
    message = f"not a hand: {quote(cell)}"
    hint = "hands are `R` and `L`, `right` and `left`, or 0 and 1; empty where it is not known"
    return UNKNOWN, Diagnostic(code="KT342", severity="error", message=message, hint=hint)


def fingers_of(
    cells: Sequence[str],
    hands: NDArray[np.int64],
    locate: LocateRow,
    problems: Problems,
    options: ReadingOptions,
    *,
    numbers: Numbers,
) -> tuple[list[str], NDArray[np.int64]]:
    """Return the labels of cells in the order of their rows."""
    distinct = set(cells)
    signed = numbers == "signed" or any(_begin(cell) == "-" for cell in distinct)
    encoding: Encoding = "pig"
    given = hands_given(hands, options)
    if options.label_encoding != "auto":
        encoding = options.label_encoding
    elif numbers == "1-10" and not signed:
        encoding = _coded(distinct, given, locate, problems)
    column = Column.of(list(zip(cells, ([UNKNOWN] * len(cells) if signed else given.tolist()), strict=True)))

    def read(key: tuple[str, int]) -> tuple[str, Diagnostic | None]:
        found = inspect(key[0], encoding, _HAND_NAMES[key[1]])
        return found.canonical, found.diagnostic

    labels = interpret(column, read, locate, problems)
    by_sign = signed or encoding in ("1-10", "0-9") or options.label_encoding == "pig"
    told = [
        _hand_told(label, known=by_sign or _begin(cell) in "LRlr")
        for label, (cell, _) in zip(labels, column.values, strict=True)
    ]
    completed = np.where(hands == UNKNOWN, np.array(told, dtype=np.int64)[column.codes], hands)
    return np.array(labels, dtype=object)[column.codes].tolist(), hands_given(completed, options)


def _begin(cell: str) -> str:
    """Return the first character of a label, by which it may tell the hand, or a blank."""
    return (cell.lstrip(" \t(") or " ")[0]


def _hand_told(label: str, *, known: bool) -> int:
    """Return the hand of a label in the notation of PIG, if it is known that its sign means one."""
    if not label or not known:
        return UNKNOWN
    return LEFT if label.startswith("-") else RIGHT


def _coded(
    distinct: set[str], hands: NDArray[np.int64], locate: LocateRow, problems: Problems
) -> Literal["pig", "1-10"]:
    """Tell whether numbers count through both hands, as they do where they go beyond five."""
    found = distinct & CODED_NUMBERS
    if any(len(number) > 1 or number > "5" for number in found):
        return "1-10"
    if not found or (hands != UNKNOWN).any() or problems.has_errors:
        return "pig"
    problem = Diagnostic(
        code="KT334",
        severity="warning",
        message="fingers are 1 to 5 only, without hands: read as those of the left hand",
        hint="--label-encoding pig reads them as those of the right hand, or say --hand",
    )
    problems.add(locate(0).diagnose(problem))
    return "1-10"
