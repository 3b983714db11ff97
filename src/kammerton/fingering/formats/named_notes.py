# SPDX-License-Identifier: MIT
"""Notes whose fields have names: rows below a header, objects in JSON, objects in Python."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np

from kammerton.errors import DataError, Diagnostic, close_match, quote
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN, Fingering
from kammerton.fingering.formats.notes import (
    DEFAULT_OPTIONS,
    NAMES,
    NoteField,
    Notes,
    Numbers,
    ReadingOptions,
    check_notes,
    field_of,
    fingers_of,
    hands_given,
    notes_of,
    report_no_notes,
    say_untold,
    times_of,
)
from kammerton.formats.json_places import JsonPlaces, Pointer, decode, element_offsets, offset_of
from kammerton.formats.reading import Problems, keeps_rows
from kammerton.formats.source import jams_kind
from kammerton.formats.tables import BLANK, SEPARATORS, Header, first_row, read_table, render_rows
from kammerton.model.annotations import Place
from kammerton.model.task import ItemReadings, Reading

__all__ = [
    "adopt_fingering",
    "find_header",
    "is_index",
    "parse_json",
    "parse_note_table",
    "render_csv",
    "unfold_json",
]

_NEEDED: tuple[NoteField, ...] = ("onset", "offset", "pitch", "finger")
_ITEM_NAMES = frozenset(("id", "item", "file", "filename", "path", "piece", "name", "recording", "title"))
_PIANOVAM = frozenset(("key_offset", "frame_offset"))

_NO_HEADER = re.compile(r"(?:[ \t]*+(?://[^\n]*+)?\n)*+[ \t]*+[0-9]")
"""A first row that begins with a number, as those of PIG files do."""
_NUMBER_BEGINS = "0123456789.+-"


def find_header(text: str, *, expected: bool) -> Header | None:
    """Return the header if the first row is one."""
    if _NO_HEADER.match(text):
        return None
    header = first_row(text, _known, separators=(*SEPARATORS, BLANK), commented=True)
    if header is None or _known(header.names) > 1:
        return header
    return header if expected and header.names[0][:1] not in _NUMBER_BEGINS else None


def _fields(names: Sequence[str]) -> set[NoteField]:
    return {found[0] for name in names if (found := field_of(name)) is not None}


def _known(names: Sequence[str]) -> int:
    """Count the fields that names tell."""
    return len(_fields(names))


def is_index(header: Header) -> bool:
    """Tell whether a table lists pieces, and says nothing of notes."""
    return _fields(header.names) <= {"id"} and any(name.casefold() in _ITEM_NAMES for name in header.names)


def _is_pianovam(header: Header) -> bool:
    """Tell whether the columns are those of PianoVAM."""
    return {name.casefold() for name in header.names} >= _PIANOVAM


def _columns_of(header: Header, problems: Problems) -> dict[NoteField, int]:
    """Return where each field stands; report those that are missing or there twice."""
    best: dict[NoteField, tuple[int, int]] = {}
    for index, name in enumerate(header.names):
        found = field_of(name)
        if found is None:
            continue
        field, rank = found
        if field in best and best[field][0] == rank:
            message = f"column {quote(name)} stands twice"
            _say(header, "KT163", message, "rename or delete one of them", problems, index)
        best[field] = min(best.get(field, (rank, index)), (rank, index))
    columns = {field: index for field, (_, index) in best.items()}
    if "offset" in columns:
        columns.pop("duration", None)
    for field in _NEEDED:
        if field not in columns and not (field == "offset" and "duration" in columns):
            if field == "finger" and _is_pianovam(header) and _near(header, field) is None:
                _say_unfingered(header, problems)
            else:
                _say_missing(header, field, problems)
    return columns


def _say(
    header: Header, code: str, message: str, hint: str, problems: Problems, index: int | None = None
) -> None:
    problem = Diagnostic(code=code, severity="error", message=message, hint=hint)
    problems.add(header.place(problems.file, index).diagnose(problem))


def _say_unfingered(header: Header, problems: Problems) -> None:
    """Say of a transcription by PianoVAM, which tells notes only, that there is nothing to judge."""
    message = "notes without fingers: as an estimate, nothing of them can be judged"
    hint = "a column `finger`, such as L1 to R5, says who plays what"
    problem = Diagnostic(code="KT338", severity="warning", message=message, hint=hint)
    problems.add(header.place(problems.file, None).diagnose(problem))


def _near(header: Header, field: NoteField) -> str | None:
    """Return the name of a column that may be meant for a field."""
    unknown = (name for name in header.names if name and field_of(name) is None)
    return next((name for name in unknown if close_match(name, NAMES[field], cutoff=0.75)), None)


def _say_missing(header: Header, field: NoteField, problems: Problems) -> None:
    near = _near(header, field)
    hint = f"known names: {', '.join(NAMES[field])}"
    if field == "offset":
        hint += f"; or, as a duration: {', '.join(NAMES['duration'])}"
    if near is not None:
        hint = f"is it {quote(near)}? {hint}"
    named = ", ".join(quote(name) for name in header.names[:8])
    _say(header, "KT162", f"no column is the {field}: {named}", hint, problems)


def parse_note_table(
    text: str, header: Header, problems: Problems, options: ReadingOptions
) -> Reading[Fingering]:
    r"""Read rows below a header."""
    columns = _columns_of(header, problems)
    table = None
    if not problems.has_errors:
        table = read_table(text, header, problems, options.limits, code="KT340")
    if table is None:
        return Reading((), problems.diagnostics())
    if not len(table):
        report_no_notes(problems)
        return Reading((), problems.diagnostics())
    cells = {field: table.columns[index] for field, index in columns.items()}
    times: tuple[NoteField, ...] = ("onset", "offset", "duration")
    if table.has_decimal_commas(columns[field] for field in times if field in columns):
        cells |= {
            field: [cell.replace(",", ".") for cell in cells[field]] for field in times if field in cells
        }

    def locate(row: int, field: NoteField) -> Place:
        return table.locate(row, columns.get(field))

    numbers: Numbers = "1-10" if _is_pianovam(header) else "by_hand"
    notes = notes_of(cells, locate, problems, options, numbers=numbers)
    found = tuple(
        (annotator, check_notes(_taken(notes, rows), problems)) for annotator, rows in _by_annotator(cells)
    )
    return Reading(() if problems.has_errors else found, problems.diagnostics())


def _by_annotator(cells: dict[NoteField, list[str]]) -> list[tuple[str | None, list[int] | None]]:
    """Return the rows of each annotator; None stands for all of them."""
    if "annotator" not in cells:
        return [(None, None)]
    rows: dict[str, list[int]] = {}
    for row, annotator in enumerate(cells["annotator"]):
        rows.setdefault(annotator, []).append(row)
    return [(annotator or None, found) for annotator, found in rows.items()]


def _taken(notes: Notes, rows: list[int] | None) -> Notes:
    if rows is None:
        return notes
    return Notes(
        notes.onsets[rows],
        notes.offsets[rows],
        notes.pitches[rows],
        notes.hands[rows],
        [notes.labels[row] for row in rows],
        lambda row, field: notes.locate(rows[row], field),
        None if notes.ids is None else [notes.ids[row] for row in rows],
    )


_HANDS = {RIGHT: "right", LEFT: "left", UNKNOWN: ""}


def render_csv(fingering: Fingering, /) -> str:
    """Write comma-separated rows below the header ``onset,offset,pitch,hand,finger``.

    Times are written in the fewest digits that mean the same double, pitches as MIDI numbers, fingers
    in the notation of PIG.
    """
    if (fingering.pitches < 0).any():
        row = int((fingering.pitches < 0).argmax())
        message = f"note index {row} cannot be written as CSV: its pitch is not known"
        raise DataError((Diagnostic(code="KT151", severity="error", message=message),))
    hands = [_HANDS[hand] for hand in fingering.hands.tolist()]
    onsets, offsets = (map(repr, times.tolist()) for times in (fingering.onsets, fingering.offsets))
    rows = zip(onsets, offsets, fingering.pitches.tolist(), hands, fingering.labels, strict=True)
    return render_rows((("onset", "offset", "pitch", "hand", "finger"), *rows))


_NEEDED_of_pianovam: tuple[NoteField, ...] = ("onset", "offset", "pitch")
_NUMBERS = frozenset(("onset", "offset", "duration"))
_LAYOUT_HINT = "a fingering is an object with a list of `notes`, or a list of labels for each annotator"
_LISTS = "lists"
_LABELS = "labels_1to10"
_RECORDING = "recording"


def parse_json(text: str, problems: Problems, options: ReadingOptions) -> Reading[Fingering]:
    r"""Read notes or labels in JSON."""
    places = JsonPlaces(text, problems.file)
    document = decode(places, problems, options.limits) if text.strip() else None
    if document is not None:
        found = _JsonReader(places, problems, options).annotations(document.value)
        if not found:
            report_no_notes(problems)
        return Reading(() if problems.has_errors else found, problems.diagnostics())
    report_no_notes(problems)
    return Reading((), problems.diagnostics())


def unfold_json(text: str, file: str, options: ReadingOptions) -> ItemReadings[Fingering] | None:
    """Read the labels of several recordings, as PianoVAM publishes those of people."""
    if f'"{_LISTS}"' not in text:
        return None
    places = JsonPlaces(text, file)
    document = decode(places, Problems(file), options.limits)
    lists = document.value.get(_LISTS) if document is not None and isinstance(document.value, dict) else None
    if not isinstance(lists, dict) or not lists or not all(map(_is_list_of_labels, lists.values())):
        return None
    recordings = [found.get(_RECORDING) for found in lists.values()]
    items: dict[str, tuple[tuple[str | None, Fingering], ...]] = {}
    broken: dict[str, str] = {}
    diagnostics: list[Diagnostic] = []
    for (name, found), recording in zip(lists.items(), recordings, strict=True):
        item = recording if isinstance(recording, str) and recordings.count(recording) == 1 else name
        problems = Problems(file)
        fingering = _JsonReader(places, problems, options).labels(found[_LABELS], (_LISTS, name, _LABELS))
        if fingering is None:
            report_no_notes(problems)
        said = problems.diagnostics()
        if fingering is None or problems.has_errors:
            first = next(problem for problem in said if problem.severity == "error")
            broken[item] = f"{first.code} {first.message}"
        else:
            items[item] = ((None, fingering),)
        diagnostics += (problem.at(item=item) for problem in said)
    return ItemReadings(items, broken, tuple(diagnostics))


def _is_jams(annotations: object) -> bool:
    return isinstance(annotations, list) and all(
        isinstance(each, dict) and "namespace" in each for each in annotations[:1]
    )


def _is_list_of_labels(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get(_LABELS), list)


class _JsonReader:
    """Reads one document."""

    def __init__(self, places: JsonPlaces, problems: Problems, options: ReadingOptions) -> None:
        self._places = places
        self._problems = problems
        self._options = options
        self._fields = cache(_fields_by_rank)  # notes of a file have the same keys

    def annotations(self, value: object) -> tuple[tuple[str | None, Fingering], ...]:
        """Return what a document holds, in whichever layout it has."""
        if isinstance(value, dict) and isinstance(value.get("notes"), list):
            return self._of_one(self._notes(value["notes"], ("notes",)))
        if isinstance(value, list):
            has_notes = any(isinstance(each, dict) for each in value)
            return self._of_one(self._notes(value, ()) if has_notes else self.labels(value, ()))
        if isinstance(value, dict) and _is_jams(value.get("annotations")):
            self._problems.add(jams_kind(value["annotations"]).diagnose(self._problems.file))
            return ()
        if isinstance(value, dict) and value and all(isinstance(each, list) for each in value.values()):
            found = [(name, self.labels(labels, (name,))) for name, labels in value.items()]
            return tuple((name, fingering) for name, fingering in found if fingering is not None)
        if isinstance(value, dict) and value.get(_LISTS) == {}:
            self._say(self._places.of((_LISTS,)), "KT110", f"no list of labels in {quote(_LISTS)}")
            return ()
        message = "format not recognised: no list of notes, and none of labels"
        self._say(self._places.of(()), "KT113", message, _LAYOUT_HINT)
        return ()

    @staticmethod
    def _of_one(fingering: Fingering | None) -> tuple[tuple[str | None, Fingering], ...]:
        return () if fingering is None else ((None, fingering),)

    def _say(self, place: Place, code: str, message: str, hint: str | None = None) -> None:
        problem = Diagnostic(code=code, severity="error", message=message, hint=hint)
        self._problems.add(place.diagnose(problem))

    def labels(self, values: list[object], pointer: Pointer) -> Fingering | None:
        """Return a list of labels as a fingering of notes that are not known."""
        if not values or not keeps_rows(len(values), self._problems, self._options.limits):
            return None
        begins = _Begins(self._places, pointer)
        kept = [row for row, value in enumerate(values) if self._is_scalar(value, "label", begins, row)]
        labels, hands = fingers_of(
            [_text(values[row]) for row in kept],
            np.full(len(kept), UNKNOWN),
            lambda index: begins.place(kept[index]),
            self._problems,
            self._options,
            numbers="1-10",
        )
        self._note_labels_only(pointer)
        onsets = np.arange(len(labels), dtype=np.float64)
        fingering = Fingering(onsets, onsets + 1.0, np.full(len(labels), -1), hands, tuple(labels))
        if not self._problems.has_errors:
            say_untold(fingering, lambda index: begins.place(kept[index]), self._problems)
        return fingering

    def _note_labels_only(self, pointer: Pointer) -> None:
        message = "labels without notes: they are compared one by one, and nothing that asks for pitches is"
        problem = Diagnostic(code="KT335", severity="note", message=message)
        self._problems.add(self._places.of(pointer).diagnose(problem))

    def _notes(self, values: list[object], pointer: Pointer) -> Fingering | None:
        if not values or not keeps_rows(len(values), self._problems, self._options.limits):
            return None
        begins = _Begins(self._places, pointer)
        keys = [self._keys_of(value, begins, row) for row, value in enumerate(values)]
        kept = [row for row, found in enumerate(keys) if found is not None]
        notes = [(value, found) for value, found in zip(values, keys, strict=True) if found is not None]
        if not notes:
            return None
        fields = dict.fromkeys(field for _, found in notes for field in found)
        cells = {
            field: [_text(note[found[field]]) if field in found else "" for note, found in notes]  # type: ignore[index]
            for field in fields
        }

        def locate(index: int, field: NoteField) -> Place:
            key = notes[index][1].get(field)
            place = begins.place(kept[index], key)
            return place if key is not None else replace(place, column=None)

        read = notes_of(cells, locate, self._problems, self._options, numbers="1-10")
        return check_notes(read, self._problems)

    def _keys_of(self, value: object, begins: _Begins, row: int) -> dict[NoteField, str] | None:
        """Return the keys of the fields of a note, or None if one is missing or no note can have it."""
        if not isinstance(value, dict):
            self._say(begins.place(row), "KT348", f"not a note: {_described(value)}")
            return None
        keys = self._fields(tuple(value))
        sound = True
        for field in _NEEDED_of_pianovam:
            if field not in keys and not (field == "offset" and "duration" in keys):
                self._say_missing(field, value, begins.place(row))
                sound = False
        for field, key in keys.items():
            sound &= self._is_scalar(value[key], field, begins, row, key)
        return keys if sound else None

    def _say_missing(self, field: NoteField, keys: Iterable[str], place: Place) -> None:
        near = next((key for key in keys if field_of(key) is None and close_match(key, NAMES[field])), None)
        hint = f"known names: {', '.join(NAMES[field])}"
        if near is not None:
            hint = f"is it {quote(near)}? {hint}"
        self._say(place, "KT348", f"note has no {field}", hint)

    def _is_scalar(
        self, value: object, field: NoteField | str, begins: _Begins, row: int, key: str | None = None
    ) -> bool:
        """Tell whether a value is of a kind that a field can have, and report it if it is not."""
        if isinstance(value, Decimal) or (field not in _NUMBERS and isinstance(value, str)):
            return True
        if value is None and field not in (*_NEEDED_of_pianovam, "duration"):
            return True
        kind = "a number" if field in _NUMBERS else "a number or a string"
        self._say(begins.place(row, key), "KT348", f"{field} must be {kind}, not {_described(value)}")
        return False


class _Begins:
    """Finds the elements of a list, and the members of those, once a problem asks for them."""

    def __init__(self, places: JsonPlaces, pointer: Pointer) -> None:
        self._places = places
        self._pointer = pointer
        self._offsets: Sequence[int] | None = None

    def place(self, row: int, key: str | None = None) -> Place:
        """Return the place of an element, or of one of its members; of a string, without quotes."""
        text = self._places.text
        if self._offsets is None:
            self._offsets = element_offsets(text, offset_of(text, self._pointer) or 0)
        inner = None if key is None else offset_of(text, (key,), self._offsets[row])
        begin = self._offsets[row] if inner is None else inner
        place = self._places.value(begin)
        if text[begin] != '"':
            return place
        return replace(place, column=(place.column or 0) + 1, length=max(1, place.length - 2))


def _fields_by_rank(keys: tuple[str, ...]) -> dict[NoteField, str]:
    """Return the key of each field; of several for one field, the usual one."""
    best: dict[NoteField, tuple[int, str]] = {}
    for key in keys:
        named = field_of(key)
        if named is not None:
            field, rank = named
            best[field] = min(best.get(field, (rank, key)), (rank, key))
    return {field: key for field, (_, key) in best.items()}


def _text(value: object) -> str:
    """Return a value as a table would have it: an integer, however it is written, without a point."""
    if not isinstance(value, Decimal):
        return "" if value is None else str(value)
    if value.is_finite() and value.adjusted() < 3 and value == value.to_integral_value():
        return ("-" if value.is_signed() else "") + str(abs(int(value)))
    return str(value)


def _described(value: object) -> str:
    if isinstance(value, str):
        return f"the string {quote(value)}"
    kinds = {bool: "true or false", dict: "an object", list: "a list", Decimal: "a number"}
    return kinds.get(type(value), "null")


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
        _say_of_adopting(problems, f"not a fingering: {type(value).__name__} has no {missing[0]}", _HINT)
        return None
    columns = {field: column for field, column in found.items() if column is not None}
    if not _are_even(list(columns.values()), problems):
        return None
    cells = {field: [_text_of_adopting(each, field) for each in column] for field, column in columns.items()}
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
        _say_of_adopting(
            problems, f"columns of different lengths: {', '.join(f'{length:,}' for length in lengths)}"
        )
    return not problems.has_errors


def _say_of_adopting(problems: Problems, message: str, hint: str | None = None) -> None:
    problems.add(Diagnostic(code="KT114", severity="error", message=message, file=problems.file, hint=hint))


def _text_of_adopting(value: object, field: NoteField) -> str:
    """Return a value as a file would have it."""
    if field in ("finger", "hand"):
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return ""
        if isinstance(value, float) and value.is_integer():  # of a table in which some are missing
            return str(int(value))
    return str(value)
