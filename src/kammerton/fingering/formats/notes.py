# SPDX-License-Identifier: MIT
"""Notes as formats give them: what cells and names of fields mean, and how notes are checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import ClassVar, Literal, TypeVar, get_args

import numpy as np

from kammerton.arrays import Codes, Flags, Seconds
from kammerton.errors import DataError, Diagnostic, OptionError, quote
from kammerton.fingering.annotation import (
    CODED_NUMBERS,
    HIGHEST_KEY,
    LEFT,
    LOWEST_KEY,
    RIGHT,
    UNKNOWN,
    Encoding,
    Fingering,
    TimeUnit,
    inspect,
    read_key,
)
from kammerton.fingering.judging import PROFILES, Profile, load_profile, profile_named
from kammerton.formats.intervals import EXACT, ROUNDING_S, diagnose_time, parse_time
from kammerton.formats.reading import Limits, Problems, SidedOptions, such_rows
from kammerton.formats.tables import ColumnNames
from kammerton.model.annotations import Place
from kammerton.model.task import Reading

LabelEncoding = Literal["auto", "pig", "1-10", "0-9", "L1/R5"]
HandOption = Literal["auto", "right", "left"]
Substitution = Literal["strike", "exact", "any"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FingeringOptions(SidedOptions):
    """How fingerings are read and scored.

    Encodings and hands may be said of one side alone: ``label_encoding={"estimates": "1-10"}``.

    Parameters
    ----------
    encoding : str
        Character encoding of text files; a byte order mark always wins over it.
    label_encoding : {"auto", "pig", "1-10", "0-9", "L1/R5"}
        How numbers mean fingers; *pig* is 1 to 5 of the right hand and -1 to -5 of the left; *1-10*
        counts from the left thumb to the left little finger, then from the right thumb; *0-9* from
        the right thumb, then from the left; *L1/R5* names the hand. *auto* is what the format has.
    hand : {"auto", "right", "left"}
        Whose notes and fingers they are where a file does not tell; on a single staff, or of numbers
        without sign.
    limits : Limits
        Budgets of one file.
    tolerance_s : float
        Seconds that onsets of one note may differ between two files.
    substitution : {"strike", "exact", "any"}
        When labels with a change of fingers match in the protocol ``strike``: the finger that strikes
        is the same, all are, or any of them is.
    profile : str
        Span table of the protocol ``playability``: a built-in name, or a TOML or JSON file.

    Examples
    --------
    >>> FingeringOptions(label_encoding={"estimates": "1-10"}).of("estimates", "mine").label_encoding
    '1-10'
    """

    by_side: ClassVar[frozenset[str]] = frozenset(("encoding", "label_encoding", "hand"))
    choices: ClassVar[Mapping[str, tuple[str, tuple[str, ...]]]] = {
        "label_encoding": ("encoding of finger labels", get_args(LabelEncoding)),
        "hand": ("hand", get_args(HandOption)),
        "substitution": ("way with substitutions", get_args(Substitution)),
    }
    encoding: str = "utf-8"
    label_encoding: LabelEncoding = "auto"
    hand: HandOption = "auto"
    limits: Limits = field(default_factory=Limits)
    tolerance_s: float = 0.05
    substitution: Substitution = "strike"
    profile: str = field(default="parncutt1997", metadata={"file": True})

    def __post_init__(self) -> None:
        SidedOptions.__post_init__(self)
        if not (math.isfinite(self.tolerance_s) and self.tolerance_s >= 0):
            raise OptionError(f"a tolerance is not negative: {self.tolerance_s}", "in seconds, such as 0.05")
        self.span_table()

    @property
    def encoding_of_labels(self) -> Encoding:
        """The encoding of labels in formats that have that of PIG."""
        return "pig" if self.label_encoding == "auto" else self.label_encoding

    def span_table(self) -> Profile:
        """Return the profile."""
        if self.profile in PROFILES or not self.profile.lower().endswith((".toml", ".json")):
            return profile_named(self.profile)
        return load_profile(self.profile)


DEFAULT_OPTIONS = FingeringOptions()

# --- what cells mean ------------------------------------------------------------------------------------

_TIME_CHARACTERS = b"0123456789.e-+E"
"""Of these, ``float`` reads what times are and nothing else: no ``1_0``, no ``nan``."""
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
LocateRow = Callable[[int], Place]
"""Finds the cell of a row in the file, once a problem asks for it."""
Read = Callable[[K], tuple[V, Diagnostic | None]]
"""Returns what a cell means, and what is wrong with it."""


def interpret(
    cells: Sequence[K], read: Read[K, V], locate: LocateRow, problems: Problems
) -> tuple[list[V], Codes]:
    """Return what the distinct cells mean, and which of these meanings each row has.

    Errors are reported at each row, anything less once.
    """
    distinct = list(dict.fromkeys(cells))
    index = {cell: code for code, cell in enumerate(distinct)}
    codes = np.fromiter(map(index.__getitem__, cells), np.int64, len(cells))
    meanings = [read(cell) for cell in distinct]
    rows_of: dict[int, list[int]] = {}
    if any(problem is not None for _, problem in meanings):
        for row, code in enumerate(codes.tolist()):
            rows_of.setdefault(code, []).append(row)
    for code, rows in rows_of.items():
        problem = meanings[code][1]
        if problem is not None and problem.severity == "error":
            for row in rows:
                problems.add_at(problem, partial(locate, row))
        elif problem is not None:
            counted = problem.at(message=problem.message + such_rows(len(rows)), count=len(rows))
            problems.add_at(counted, partial(locate, rows[0]))
    return [meaning for meaning, _ in meanings], codes


def codes_of(cells: Sequence[K], read: Read[K, int], locate: LocateRow, problems: Problems) -> Codes:
    """Return the number that the cell of each row means."""
    meanings, codes = interpret(cells, read, locate, problems)
    return np.array(meanings, dtype=np.int64)[codes]


def times_of(cells: Sequence[str], locate: LocateRow, problems: Problems) -> Seconds:
    """Return the seconds that cells mean, NaN where one is no time and was reported."""
    if not "".join(cells).encode().translate(None, _TIME_CHARACTERS):
        try:
            return np.fromiter(map(float, cells), np.float64, len(cells))
        except ValueError:
            pass  # which one is to be reported
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


# --- times of scores ------------------------------------------------------------------------------------

ZERO = Fraction(0)
_FINEST = 10**9


def add_times(first: Fraction, second: Fraction) -> Fraction:
    """Add times: exact for all music, and bounded where a file is made to blow the fractions up.

    Examples
    --------
    >>> add_times(Fraction(1, 3), Fraction(1, 5))
    Fraction(8, 15)
    """
    total = first + second
    return total if total.denominator <= _FINEST else total.limit_denominator(_FINEST // 1000)


# --- fields of notes ------------------------------------------------------------------------------------

NoteField = Literal["id", "onset", "offset", "duration", "pitch", "hand", "finger", "annotator"]
Locate = Callable[[int, NoteField], Place]
"""Finds a field of a note in the file, once a problem asks for it."""
Numbers = Literal["signed", "by_hand", "1-10"]
"""What numbers mean where the caller does not say.

*signed*: fingers of the right hand, of the left if negative. *by_hand*: the same if any is negative,
else fingers of the hand that plays the note. *1-10*: the same if none is beyond 5 and hands are known,
else from the left thumb to the left little finger and on to the right.
"""

NAMES = ColumnNames[NoteField](
    {
        "id": ("id", "note_id", "index"),
        "onset": ("onset", "onset_time", "start", "start_time", "time", "begin"),
        "offset": ("offset", "offset_time", "key_offset", "end", "end_time", "stop"),
        "duration": ("duration", "dur", "length"),
        "pitch": (
            *("pitch", "spelled_pitch", "midi_pitch", "midi"),
            *("note", "note_number", "midi_note", "note_name"),
        ),
        "hand": ("hand", "channel"),
        "finger": ("finger", "finger_number", "fingering", "finger_label", "label"),
        "annotator": ("annotator", "annotator_id"),
    }
)
"""Names that are understood; where a file has several for one field, the first one counts.

PianoVAM has ``key_offset``, when the key is released, beside ``frame_offset``, when the sound ends.
"""

_HANDS = {
    **dict.fromkeys(("r", "rh", "right", "0"), RIGHT),
    **dict.fromkeys(("l", "lh", "left", "1"), LEFT),
    **dict.fromkeys(("", ".", "-1", "noinfo", "unknown"), UNKNOWN),
}
_HAND_NAMES = {RIGHT: "right", LEFT: "left"}


def notes_of(
    cells: dict[NoteField, list[str]],
    locate: Locate,
    problems: Problems,
    options: FingeringOptions,
    *,
    numbers: Numbers,
) -> Notes:
    """Return the notes that cells mean."""

    def at(field: NoteField) -> LocateRow:
        return lambda row: locate(row, field)

    empty = [""] * len(cells["onset"])
    end: NoteField = "offset" if "offset" in cells else "duration"
    onsets = times_of(cells["onset"], at("onset"), problems)
    offsets = times_of(cells[end], at(end), problems)
    if end == "duration":
        offsets = _ends(cells["onset"], cells["duration"], onsets, offsets, at("duration"), problems)
    pitches = codes_of(cells["pitch"], read_key, at("pitch"), problems)
    hands = codes_of(cells.get("hand", empty), _read_hand, at("hand"), problems)
    labels, hands = fingers_of(
        cells.get("finger", empty), hands, at("finger"), problems, options, numbers=numbers
    )

    def place(row: int, field: NoteField) -> Place:
        return locate(row, end if field == "offset" else field)

    return Notes(onsets, offsets, pitches, hands, labels, place, cells.get("id"))


def _ends(
    onset_cells: Sequence[str],
    duration_cells: Sequence[str],
    onsets: Seconds,
    durations: Seconds,
    locate: LocateRow,
    problems: Problems,
) -> Seconds:
    """Add durations to onsets as decimal numbers, so that 0.1 and 0.2 end at 0.3."""
    negative = np.flatnonzero(durations < 0).tolist()
    problems.report_each(
        "KT123", negative, lambda row: f"negative duration: {quote(duration_cells[row])}", locate
    )
    durations[negative] = np.nan
    with np.errstate(over="ignore"):  # what is not finite is reported
        ends = onsets + durations
    for row in np.flatnonzero(np.isfinite(ends)).tolist():
        ends[row] = float(EXACT.add(Decimal(onset_cells[row]), Decimal(duration_cells[row])))
    return ends


def _read_hand(cell: str) -> tuple[int, Diagnostic | None]:
    code = _HANDS.get(cell.casefold())
    if code is not None:
        return code, None
    message = f"not a hand: {quote(cell)}"
    hint = "hands are `R` and `L`, `right` and `left`, or 0 and 1; empty where it is not known"
    return UNKNOWN, Diagnostic(code="KT342", severity="error", message=message, hint=hint)


def place_hands(hands: Codes, options: FingeringOptions) -> Codes:
    """Return codes of hands, with the hand that the caller names where one is not known."""
    if options.hand == "auto":
        return hands
    return np.where(hands == UNKNOWN, RIGHT if options.hand == "right" else LEFT, hands)


def fingers_of(
    cells: Sequence[str],
    hands: Codes,
    locate: LocateRow,
    problems: Problems,
    options: FingeringOptions,
    *,
    numbers: Numbers,
) -> tuple[list[str], Codes]:
    """Return the labels of cells in the order of their rows, and the hand of each note."""
    distinct = set(cells)
    is_signed = numbers == "signed" or any(_first_character(cell) == "-" for cell in distinct)
    placed = place_hands(hands, options)
    encoding: Encoding = "pig"
    if options.label_encoding != "auto":
        encoding = options.label_encoding
    elif numbers == "1-10" and not is_signed and _count_through_hands(distinct, placed, locate, problems):
        encoding = "1-10"
    shows_hand = is_signed or encoding in ("1-10", "0-9") or options.label_encoding == "pig"

    def read(key: tuple[str, int]) -> tuple[tuple[str, int], Diagnostic | None]:
        cell, note_hand = key
        meaning = inspect(cell, encoding, note_hand)
        label, hand = meaning.canonical, UNKNOWN
        if label and (shows_hand or _first_character(cell) in "LRlr"):
            hand = LEFT if label.startswith("-") else RIGHT
        return (label, hand), meaning.diagnostic

    keys = zip(cells, [UNKNOWN] * len(cells) if is_signed else placed.tolist(), strict=True)
    meanings, codes = interpret(list(keys), read, locate, problems)
    label_hands = np.array([hand for _, hand in meanings], dtype=np.int64)[codes]
    completed = place_hands(np.where(hands == UNKNOWN, label_hands, hands), options)
    return [meanings[code][0] for code in codes.tolist()], completed


def _first_character(cell: str) -> str:
    """Return the first character of a label, which may tell the hand, or a blank."""
    return (cell.lstrip(" \t(") or " ")[0]


def _count_through_hands(distinct: set[str], hands: Codes, locate: LocateRow, problems: Problems) -> bool:
    """Return whether numbers count through both hands, as they do where they go beyond five."""
    numbers = distinct & CODED_NUMBERS
    if any(len(number) > 1 or number > "5" for number in numbers):
        return True
    if not numbers or (hands != UNKNOWN).any() or problems.has_errors:
        return False
    message = "fingers are 1 to 5 only, without hands: read as those of the left hand"
    hint = "--label-encoding pig reads them as those of the right hand, or say --hand"
    problems.report("KT334", message, locate(0), severity="warning", hint=hint)
    return True


# --- checks ---------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class Notes:
    """Notes as a format gives them: each value read, none compared with another."""

    # onsets, offsets: any value, NaN where a problem was reported already; owned by this object
    onsets: Seconds
    offsets: Seconds
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

    def name(self, row: int) -> str:
        """Return how a message calls a note."""
        place = self.locate(row, "onset")
        return f"note index {row}" if place.line is None else f"line {place.line}"


def _line(locate: Locate, row: int) -> int | None:
    return locate(row, "onset").line


def finish(annotations: Sequence[tuple[str | None, Fingering]], problems: Problems) -> Reading[Fingering]:
    """Return a reading without annotations if there was an error; that there are no notes is one."""
    if not annotations and not problems.has_errors:
        problems.report("KT110", "no notes")
    return Reading(() if problems.has_errors else tuple(annotations), problems.diagnostics())


def check_known(values: Codes, what: str, form: str) -> None:
    """Refuse to write notes of which something is not known."""
    if (values < 0).any():
        row = int((values < 0).argmax())
        message = f"note index {row} cannot be written as {form}: its {what} is not known"
        raise DataError((Diagnostic(code="KT151", severity="error", message=message),))


def check_notes(notes: Notes, problems: Problems) -> Fingering:
    """Compare the values of notes with each other; the order of notes is kept."""
    notes.onsets += 0.0  # makes -0.0 a 0.0
    notes.offsets += 0.0
    check = _Checks(notes, problems)
    check.times()
    check.ids()
    check.order()
    check.duplicates()
    off = ((notes.pitches < LOWEST_KEY) | (notes.pitches > HIGHEST_KEY)) & (notes.pitches >= 0)
    check.warn("KT347", off, "pitch", "a piano of 88 keys, A0 to C8, does not have this pitch")
    fingering = notes.fingering()
    check.hands(fingering)
    if not problems.has_errors:
        report_unknown_hands(fingering, lambda row: notes.locate(row, "finger"), problems)
    return fingering


def report_unknown_hands(fingering: Fingering, locate: LocateRow, problems: Problems) -> None:
    """Report that nothing tells which hand fingers are of."""
    if (fingering.hands != UNKNOWN).all():
        return
    fingered = fingering.codes != 0
    unknown = np.flatnonzero(fingered & (fingering.played_hands == UNKNOWN))
    if not len(unknown):
        return
    share = "" if len(unknown) == fingered.sum() else f"{len(unknown):,} of {fingered.sum():,} "
    message = (
        f"{share}fingers have neither hands nor signs: they are compared as those of the right hand, and "
        "crossings are not judged"
    )
    hint = "--hand right or --hand left says whose they are; or give hands, or signs"
    problems.report("KT337", message, locate(int(unknown[0])), severity="warning", hint=hint)


class _Checks:
    """Reports values of notes that contradict each other."""

    def __init__(self, notes: Notes, problems: Problems) -> None:
        self._notes = notes
        self._problems = problems

    def _report(
        self, code: str, rows: Flags, field: NoteField, message: Callable[[int], str], hint: str | None = None
    ) -> None:
        """Report an error at each note of a mask."""
        numbers = np.flatnonzero(rows).tolist()
        self._problems.report_each(
            code, numbers, message, lambda row: self._notes.locate(row, field), hint=hint
        )

    def warn(self, code: str, rows: Flags, field: NoteField, message: str) -> None:
        """Report a warning once about all notes of a mask, at the first one."""
        count = int(rows.sum())
        if count:
            place = self._notes.locate(int(rows.argmax()), field)
            self._problems.report(code, message + such_rows(count), place, severity="warning", count=count)

    def _time(self, field: Literal["onset", "offset"], before: str, row: int) -> str:
        """Return a time as the file has it, behind some text."""
        token = self._notes.locate(row, field).token()
        times = self._notes.onsets if field == "onset" else self._notes.offsets
        return before + quote(repr(float(times[row])) if token is None else token)

    def times(self) -> None:
        onsets, offsets = self._notes.onsets, self._notes.offsets
        columns: dict[Literal["onset", "offset"], Seconds] = {"onset": onsets, "offset": offsets}
        for name, times in columns.items():
            infinite = np.isinf(times)
            self._report("KT122", infinite, name, partial(self._time, name, "time is not finite: "))
            self._report("KT123", (times < 0) & ~infinite, name, partial(self._time, name, "negative time: "))
        early = (offsets < onsets) & (onsets - offsets <= ROUNDING_S)
        offsets[early] = onsets[early]  # made by arithmetic with doubles
        backward = (offsets < onsets) & (offsets >= 0) & ~np.isinf(onsets)
        self._report("KT124", backward, "offset", self._backward)

    def _backward(self, row: int) -> str:
        offset = self._time("offset", "note ends before it starts: offset ", row)
        return offset + self._time("onset", ", onset ", row)

    def ids(self) -> None:
        ids = self._notes.ids
        if ids is None or len(set(ids)) == len(ids):
            return
        first: dict[str, int] = {}
        repeated = np.array([first.setdefault(name, row) != row for row, name in enumerate(ids)])

        def message(row: int) -> str:
            first_note = self._notes.name(first[ids[row]])
            return f"note id {quote(ids[row])} stands twice: first in {first_note}"

        self._report("KT344", repeated, "id", message)

    def order(self) -> None:
        earlier = np.zeros(len(self._notes.labels), dtype=bool)
        earlier[1:] = self._notes.onsets[1:] < self._notes.onsets[:-1]
        message = "notes are not in order of time, and stay as they are: this one starts before the one above"
        self.warn("KT346", earlier, "onset", message)

    def duplicates(self) -> None:
        """Report notes that strike a key at the moment at which an earlier note of the file strikes it."""
        notes = self._notes
        order = np.lexsort((notes.pitches, notes.onsets))  # stable: of equal notes, the earlier one is first
        onsets, pitches = notes.onsets[order], notes.pitches[order]
        same = np.zeros(len(order), dtype=bool)
        same[order[1:]] = (onsets[1:] == onsets[:-1]) & (pitches[1:] == pitches[:-1])
        if same.any():
            before = int(order[np.flatnonzero(order == same.argmax())[0] - 1])
            message = f"same onset and pitch as the note of {notes.name(before)}; both are kept"
            self.warn("KT345", same, "pitch", message)

    def hands(self, fingering: Fingering) -> None:
        by_label = fingering.label_hands
        known = (by_label != UNKNOWN) & (fingering.hands != UNKNOWN)
        conflicts = known & (by_label != fingering.hands)
        hint = "fingers of the left hand are negative; channel 0 is the right hand, 1 the left"
        if conflicts.sum() > 1 and (conflicts == known).all():
            hint = "so it is with every note: are the hands swapped?"
        elif (by_label != LEFT).all():
            hint = "no finger has a sign: those of the left hand are negative"
        self._report("KT343", conflicts, "finger", self._conflict, hint)

    def _conflict(self, row: int) -> str:
        finger, hand_token = (self._notes.locate(row, field).token() for field in ("finger", "hand"))
        hand = int(self._notes.hands[row])
        written = "" if hand_token is None else f" ({quote(hand_token)})"
        return (
            f"finger {quote(finger or self._notes.labels[row])} is of the {_HAND_NAMES[1 - hand]} hand,"
            f" the note of the {_HAND_NAMES[hand]} one{written}"
        )
