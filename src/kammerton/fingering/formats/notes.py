# SPDX-License-Identifier: MIT
"""Notes as formats give them: what cells and names of fields mean, and how notes are checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import ClassVar, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic, OptionError, quote
from kammerton.fingering.annotation import (
    HIGHEST_KEY,
    LEFT,
    LOWEST_KEY,
    RIGHT,
    UNKNOWN,
    Fingering,
    TimeUnit,
    diagnose_pitch,
    parse_midi,
    parse_pitch,
)
from kammerton.fingering.labels import CODED_NUMBERS, Encoding, Hand, inspect
from kammerton.formats.intervals import EXACT, ROUNDING_S, diagnose_time, parse_time
from kammerton.formats.reading import Limits, Problems, SidedOptions, check_encoding, such_rows
from kammerton.model.annotations import Place

__all__ = [
    "DEFAULT_OPTIONS",
    "HANDS",
    "NAMES",
    "Column",
    "HandOption",
    "LabelEncoding",
    "Locate",
    "LocateRow",
    "NoteField",
    "Notes",
    "Numbers",
    "ReadingOptions",
    "check_notes",
    "codes_of",
    "field_of",
    "fingers_of",
    "hands_given",
    "interpret",
    "notes_of",
    "plain_times",
    "report_no_notes",
    "say_rows",
    "say_untold",
    "texts_of",
    "times_of",
]

LabelEncoding = Literal["auto", "pig", "1-10", "0-9", "L1/R5"]
HandOption = Literal["auto", "right", "left"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOptions(SidedOptions):
    """How files of fingerings are read.

    Encodings and hands may be said of one side alone: ``label_encoding={"estimates": "1-10"}``.

    Parameters
    ----------
    encoding : str
        Character encoding of text files; a byte order mark always wins over it.
    label_encoding : {"auto", "pig", "1-10", "0-9", "L1/R5"}
        How numbers mean fingers: *pig* is 1 to 5 of the right hand and -1 to -5 of the left; *1-10*
        counts from the left thumb to the left little finger, then from the right thumb; *0-9* from
        the right thumb, then from the left; *L1/R5* names the hand. *auto* is what the format has.
    hand : {"auto", "right", "left"}
        Whose notes and fingers they are where a file does not tell: on a single staff, or of numbers
        without sign.
    limits : Limits
        Budgets of one file.
    """

    by_side: ClassVar[frozenset[str]] = frozenset(("encoding", "label_encoding", "hand"))
    encoding: str = "utf-8"
    label_encoding: LabelEncoding = "auto"
    hand: HandOption = "auto"
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        SidedOptions.__post_init__(self)
        check_encoding(self.encoding)
        for kind, value, known in (
            ("encoding of finger labels", self.label_encoding, ("auto", "pig", "1-10", "0-9", "L1/R5")),
            ("hand", self.hand, ("auto", "right", "left")),
        ):
            if value not in known:
                raise OptionError.unknown(kind, value, known)


DEFAULT_OPTIONS = ReadingOptions()

_TIME_CHARACTERS = b"0123456789.e-+E"
"""Of these, ``float`` reads what times are and nothing else: no ``1_0``, no ``nan``."""
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
LocateRow = Callable[[int], Place]
"""Finds the cell of a row in the file, once a problem asks for it."""
Read = Callable[[K], tuple[V, Diagnostic | None]]
"""Returns what a cell means, and what is wrong with it."""


@dataclass(frozen=True, slots=True, eq=False)
class Column(Generic[K]):
    """The cells of a column."""

    values: Sequence[K]  # the distinct cells
    codes: NDArray[np.int64]  # index of the cell that each row has

    @classmethod
    def of(cls, cells: Sequence[K]) -> Column[K]:
        """Find the distinct ones among cells."""
        values = list(dict.fromkeys(cells))
        index = {value: code for code, value in enumerate(values)}
        return cls(values, np.fromiter(map(index.__getitem__, cells), np.int64, len(cells)))


def interpret(column: Column[K], read: Read[K, V], locate: LocateRow, problems: Problems) -> list[V]:
    """Return what each distinct cell means, and report what is wrong with it.

    Errors are reported at each row, anything less once.
    """
    meanings = [read(value) for value in column.values]
    odd = [code for code, (_, problem) in enumerate(meanings) if problem is not None]
    if odd:
        rows = np.argsort(column.codes, kind="stable")
        bounds = np.searchsorted(column.codes[rows], np.arange(len(meanings) + 1)).tolist()
        firsts = rows[bounds[:-1]].tolist()
        for code in sorted(odd, key=firsts.__getitem__):
            _say_meaning(meanings[code][1], rows[bounds[code] : bounds[code + 1]], locate, problems)
    return [meaning for meaning, _ in meanings]


def _say_meaning(
    problem: Diagnostic | None, rows: NDArray[np.int64], locate: LocateRow, problems: Problems
) -> None:
    """Report what is wrong with a cell that some rows have."""
    assert problem is not None, "only odd cells are looked at"
    if problem.severity == "error":
        say_rows(problems, problem.code, rows.tolist(), partial(_placed, problem, locate))
    else:
        problems.add_at(_counted(problem, len(rows)), partial(locate, int(rows[0])))


def codes_of(
    column: Column[K], read: Read[K, int], locate: LocateRow, problems: Problems
) -> NDArray[np.int64]:
    """Return the number that the cell of each row means."""
    return np.array(interpret(column, read, locate, problems), dtype=np.int64)[column.codes]


def texts_of(column: Column[K], read: Read[K, str], locate: LocateRow, problems: Problems) -> list[str]:
    """Return the text that the cell of each row means."""
    texts: list[str] = np.array(interpret(column, read, locate, problems), dtype=object)[
        column.codes
    ].tolist()
    return texts


def times_of(cells: Sequence[str], locate: LocateRow, problems: Problems) -> NDArray[np.float64]:
    """Return the seconds that cells mean, NaN where one is no time and was reported."""
    plain = plain_times(cells)
    if plain is not None:
        return plain
    times = np.full(len(cells), np.nan)
    for row, cell in enumerate(cells):
        time = parse_time(cell, ".")
        if time is None:
            problem = diagnose_time(cell, ".")
            hint = "write times with a decimal point" if problem.code == "KT121" else problem.hint
            problems.add(locate(row).diagnose(problem.at(hint=hint)))
        else:
            times[row] = time
    return times


def plain_times(cells: Sequence[str]) -> NDArray[np.float64] | None:
    """Return the seconds that cells mean, or None if one of them is no time."""
    if "".join(cells).encode().translate(None, _TIME_CHARACTERS):
        return None
    try:
        return np.fromiter(map(float, cells), np.float64, len(cells))
    except ValueError:
        return None


def say_rows(
    problems: Problems, code: str, rows: Sequence[int], diagnose: Callable[[int], Diagnostic]
) -> None:
    """Add a diagnostic for each row, as far as the list of its code has room."""
    listed = rows[: problems.room(code)]
    for row in listed:
        problems.add(diagnose(row))
    problems.add_unlisted(code, len(rows) - len(listed))


def _counted(problem: Diagnostic, count: int) -> Diagnostic:
    return problem if count == 1 else problem.at(message=problem.message + such_rows(count), count=count)


def _placed(problem: Diagnostic, locate: LocateRow, row: int) -> Diagnostic:
    return locate(row).diagnose(problem)


NoteField = Literal["id", "onset", "offset", "duration", "pitch", "hand", "finger", "annotator"]
Locate = Callable[[int, NoteField], Place]
"""Finds a field of a note in the file, once a problem asks for it."""
HANDS = {RIGHT: "right", LEFT: "left"}
Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(slots=True, eq=False)
class Notes:
    """Notes as a format gives them: each value read, none compared with another."""

    # onsets, offsets: any value, NaN where a problem was reported already; owned by this object
    onsets: Floats
    offsets: Floats
    # pitches, hands: MIDI numbers (-1 unknown) and codes of hands
    pitches: Codes
    hands: Codes
    labels: list[str]  # labels in the notation of PIG
    locate: Locate  # ``locate(row, field)`` returns a :class:`~kammerton.model.annotations.Place`
    ids: Sequence[str] | None = None  # what the notes are called, where the format has it
    # ``line_of(row)`` returns the line of a note; without it, ``locate`` is kept for that
    line_of: Callable[[int], int | None] | None = None
    # unit, place_of: as of :class:`~kammerton.fingering.annotation.Fingering`
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


def report_no_notes(problems: Problems) -> None:
    """Report a file without notes, unless it is known why there are none."""
    if not problems.has_errors:
        problems.add(Diagnostic(code="KT110", severity="error", message="no notes", file=problems.file))


def check_notes(notes: Notes, problems: Problems) -> Fingering:
    """Compare the values of notes with each other; the order of notes is kept."""
    notes.onsets += 0.0  # makes -0.0 a 0.0
    notes.offsets += 0.0
    _check_times(notes, problems)
    _check_ids(notes, problems)
    _check_order(notes, problems)
    _check_duplicates(notes, problems)
    _check_range(notes, problems)
    fingering = notes.fingering()
    _check_hands(notes, fingering, problems)
    if not problems.has_errors:
        say_untold(fingering, lambda row: notes.locate(row, "finger"), problems)
    return fingering


def say_untold(fingering: Fingering, locate: Callable[[int], Place], problems: Problems) -> None:
    """Say that nothing tells which hand fingers are of."""
    if (fingering.hands != UNKNOWN).all():
        return
    fingered = fingering.codes != 0
    untold = np.flatnonzero(fingered & (fingering.played_hands == UNKNOWN))
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
    for name, times in columns:
        _say_each(problems, "KT122", np.isinf(times), partial(_not_finite, notes, name))
        _say_each(problems, "KT123", (times < 0) & ~np.isinf(times), partial(_negative, notes, name))
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


def _check_hands(notes: Notes, fingering: Fingering, problems: Problems) -> None:
    by_label = fingering.label_hands
    known = (by_label != UNKNOWN) & (notes.hands != UNKNOWN)
    conflicts = known & (by_label != notes.hands)
    hint = "fingers of the left hand are negative; channel 0 is the right hand, 1 the left"
    if conflicts.sum() > 1 and (conflicts == known).all():
        hint = "so it is with every note: are the hands swapped?"
    elif (by_label != LEFT).all():
        hint = "no finger has a sign: those of the left hand are negative"
    _say_each(problems, "KT343", conflicts, lambda row: _conflict(notes, row, hint))


def _conflict(notes: Notes, row: int, hint: str) -> Diagnostic:
    finger, given = (notes.locate(row, field).token() for field in ("finger", "hand"))
    hand = int(notes.hands[row])
    written = "" if given is None else f" ({quote(given)})"
    message = (
        f"finger {quote(finger or notes.labels[row])} is of the {HANDS[1 - hand]} hand,"
        f" the note of the {HANDS[hand]} one{written}"
    )
    return _at(notes, row, "finger", "KT343", message, hint)


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
    say_rows(problems, "KT123", negative, lambda row: _negative_of_fields(durations[row], locate(row)))
    lengths[negative] = np.nan
    with np.errstate(over="ignore"):  # what is not finite is reported
        ends = begins + lengths
    for row in np.flatnonzero(np.isfinite(ends)).tolist():
        ends[row] = float(EXACT.add(Decimal(onsets[row]), Decimal(durations[row])))
    return ends


def _negative_of_fields(duration: str, place: Place) -> Diagnostic:
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
