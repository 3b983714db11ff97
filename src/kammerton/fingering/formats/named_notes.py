# SPDX-License-Identifier: MIT
"""Notes whose fields have names: rows below a header, objects in JSON, objects in Python."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence, Sized
from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np

from kammerton.errors import Diagnostic, quote
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN, Fingering
from kammerton.fingering.formats.notes import (
    DEFAULT_OPTIONS,
    NAMES,
    FingeringOptions,
    NoteField,
    Notes,
    Numbers,
    check_known,
    check_notes,
    fingers_of,
    finish,
    notes_of,
    place_hands,
    report_unknown_hands,
    times_of,
)
from kammerton.formats.json_places import JsonPlaces, Pointer, decode, described, offset_of
from kammerton.formats.reading import Problems, within_row_limit
from kammerton.formats.source import jams_kind
from kammerton.formats.tables import BLANK, SEPARATORS, Header, first_row, read_table, render_rows
from kammerton.model.annotations import Place
from kammerton.model.task import ItemReadings, Reading


def _missing_hint(field: NoteField, names: Sequence[str]) -> str:
    near = NAMES.near(field, names)
    hint = f"known names: {', '.join(NAMES.of[field])}"
    if field == "offset":
        hint += f"; or, as a duration: {', '.join(NAMES.of['duration'])}"
    return hint if near is None else f"is it {quote(near)}? {hint}"


# --- tables ---------------------------------------------------------------------------------------------

_ITEM_NAMES = frozenset(("id", "item", "file", "filename", "path", "piece", "name", "recording", "title"))
_PIANOVAM = frozenset(("key_offset", "frame_offset"))
_NO_HEADER = re.compile(r"(?:[ \t]*+(?://[^\n]*+)?\n)*+[ \t]*+[0-9]")
"""A first row that begins with a number, as those of PIG files do."""
_NUMBER_BEGINS = "0123456789.+-"


def find_header(text: str, *, expected: bool) -> Header | None:
    """Return the header if the first row is one."""
    if _NO_HEADER.match(text):
        return None

    def known(names: list[str]) -> int:
        return len(NAMES.columns(names)[0])

    header = first_row(text, known, separators=(*SEPARATORS, BLANK), commented=True)
    if header is None or known(header.names) > 1:
        return header
    return header if expected and header.names[0][:1] not in _NUMBER_BEGINS else None


def is_index(header: Header) -> bool:
    """Return whether a table lists pieces, and has no fields of notes."""
    names = {name.casefold() for name in header.names}
    return NAMES.columns(header.names)[0].keys() <= {"id"} and bool(names & _ITEM_NAMES)


def _is_pianovam(header: Header) -> bool:
    """Return whether the columns are those of PianoVAM."""
    return {name.casefold() for name in header.names} >= _PIANOVAM


def _columns_of(header: Header, problems: Problems) -> dict[NoteField, int]:
    """Return where each field stands; report those that are missing or there twice."""
    columns, repeated = NAMES.columns(header.names)
    for index in repeated:
        message = f"column {quote(header.names[index])} stands twice"
        place = header.place(problems.file, index)
        problems.report("KT163", message, place, hint="rename or delete one of them")
    if "offset" in columns:
        columns.pop("duration", None)
    needed: tuple[NoteField, ...] = ("onset", "offset", "pitch", "finger")
    for field in needed:
        if field in columns or (field == "offset" and "duration" in columns):
            continue
        if field == "finger" and _is_pianovam(header) and NAMES.near(field, header.names) is None:
            message = "notes without fingers: as an estimate, nothing of them can be judged"
            hint = "a column `finger`, such as L1 to R5, says who plays what"
            problems.report("KT338", message, header.place(problems.file), severity="warning", hint=hint)
        else:
            names = ", ".join(quote(name) for name in header.names[:8])
            message, hint = f"no column is the {field}: {names}", _missing_hint(field, header.names)
            problems.report("KT162", message, header.place(problems.file), hint=hint)
    return columns


def parse_note_table(
    text: str, header: Header, problems: Problems, options: FingeringOptions
) -> Reading[Fingering]:
    r"""Read rows below a header."""
    columns = _columns_of(header, problems)
    table = None
    if not problems.has_errors:
        table = read_table(text, header, problems, options.limits, code="KT340")
    if not table:
        return finish((), problems)
    cells = {field: table.columns[index] for field, index in columns.items()}
    times = [field for field in ("onset", "offset", "duration") if field in columns]
    if table.has_decimal_commas(columns[field] for field in times):
        cells |= {field: [cell.replace(",", ".") for cell in cells[field]] for field in times}

    def locate(row: int, field: NoteField) -> Place:
        return table.locate(row, columns.get(field))

    numbers: Numbers = "1-10" if _is_pianovam(header) else "by_hand"
    notes = notes_of(cells, locate, problems, options, numbers=numbers)
    if "annotator" not in cells:
        return finish([(None, check_notes(notes, problems))], problems)
    rows: dict[str, list[int]] = {}
    for row, annotator in enumerate(cells["annotator"]):
        rows.setdefault(annotator, []).append(row)
    annotations = [
        (name or None, check_notes(_select(notes, selected), problems)) for name, selected in rows.items()
    ]
    return finish(annotations, problems)


def _select(notes: Notes, rows: list[int]) -> Notes:
    return Notes(
        notes.onsets[rows],
        notes.offsets[rows],
        notes.pitches[rows],
        notes.hands[rows],
        [notes.labels[row] for row in rows],
        lambda row, field: notes.locate(rows[row], field),
        None if notes.ids is None else [notes.ids[row] for row in rows],
    )


_HAND_CELLS = {RIGHT: "right", LEFT: "left", UNKNOWN: ""}


def render_csv(fingering: Fingering, /) -> str:
    """Write comma-separated rows below the header ``onset,offset,pitch,hand,finger``.

    Times are written in the fewest digits that mean the same double, pitches as MIDI numbers, fingers
    in the notation of PIG.
    """
    check_known(fingering.pitches, "pitch", "CSV")
    hands = [_HAND_CELLS[hand] for hand in fingering.hands.tolist()]
    onsets, offsets = (map(repr, times.tolist()) for times in (fingering.onsets, fingering.offsets))
    rows = zip(onsets, offsets, fingering.pitches.tolist(), hands, fingering.labels, strict=True)
    return render_rows((("onset", "offset", "pitch", "hand", "finger"), *rows))


# --- JSON -----------------------------------------------------------------------------------------------

_NUMBER_FIELDS = frozenset(("onset", "offset", "duration"))
_LISTS, _LABELS, _RECORDING = "lists", "labels_1to10", "recording"
_NEEDED_KEYS: tuple[NoteField, ...] = ("onset", "offset", "pitch")
_LAYOUT_HINT = "a fingering is an object with a list of `notes`, or a list of labels for each annotator"


def parse_json(text: str, problems: Problems, options: FingeringOptions) -> Reading[Fingering]:
    r"""Read notes or labels in JSON."""
    places = JsonPlaces(text, problems.file)
    document = decode(places, problems, options.limits) if text.strip() else None
    if document is None:
        return finish((), problems)
    return finish(_JsonReader(places, problems, options).annotations(document.value), problems)


def unfold_json(text: str, file: str, options: FingeringOptions) -> ItemReadings[Fingering] | None:
    """Read the labels of several recordings, as PianoVAM publishes those of people."""
    if f'"{_LISTS}"' not in text:
        return None
    places = JsonPlaces(text, file)
    document = decode(places, Problems(file), options.limits)
    lists = document.value.get(_LISTS) if document is not None and isinstance(document.value, dict) else None
    if not isinstance(lists, dict) or not lists:
        return None
    if not all(isinstance(entry, dict) and isinstance(entry.get(_LABELS), list) for entry in lists.values()):
        return None
    recordings = [entry.get(_RECORDING) for entry in lists.values()]
    items: dict[str, tuple[tuple[str | None, Fingering], ...]] = {}
    broken: dict[str, str] = {}
    diagnostics: list[Diagnostic] = []
    for (name, entry), recording in zip(lists.items(), recordings, strict=True):
        item = recording if isinstance(recording, str) and recordings.count(recording) == 1 else name
        problems = Problems(file)
        fingering = _JsonReader(places, problems, options).labels(entry[_LABELS], (_LISTS, name, _LABELS))
        reading = finish([] if fingering is None else [(None, fingering)], problems)
        if reading.annotations:
            items[item] = reading.annotations
        else:
            broken[item] = reading.why
        diagnostics += (problem.at(item=item) for problem in reading.diagnostics)
    return ItemReadings(items, broken, tuple(diagnostics))


class _JsonReader:
    """Reads one document."""

    def __init__(self, places: JsonPlaces, problems: Problems, options: FingeringOptions) -> None:
        self._places = places
        self._problems = problems
        self._options = options
        self._keys = cache(_keys_of)  # notes of a file have the same keys

    def annotations(self, value: object) -> Sequence[tuple[str | None, Fingering]]:
        """Return what a document holds, in whichever layout it has."""
        lists: dict[str | None, Fingering | None] = {}
        if isinstance(value, dict) and isinstance(value.get("notes"), list):
            lists = {None: self._notes(value["notes"], ("notes",))}
        elif isinstance(value, list):
            has_notes = any(isinstance(element, dict) for element in value)
            lists = {None: self._notes(value, ()) if has_notes else self.labels(value, ())}
        elif isinstance(value, dict) and _is_jams(value.get("annotations")):
            self._problems.add(jams_kind(value["annotations"]).diagnose(self._problems.file))
        elif isinstance(value, dict) and value and all(isinstance(labels, list) for labels in value.values()):
            lists = {name: self.labels(labels, (name,)) for name, labels in value.items()}
        elif isinstance(value, dict) and value.get(_LISTS) == {}:
            message = f"no list of labels in {quote(_LISTS)}"
            self._problems.report("KT110", message, self._places.of((_LISTS,)))
        else:
            message = "format not recognised: no list of notes, and none of labels"
            self._problems.report("KT113", message, self._places.of(()), hint=_LAYOUT_HINT)
        return [(name, fingering) for name, fingering in lists.items() if fingering is not None]

    def labels(self, values: list[object], pointer: Pointer) -> Fingering | None:
        """Return a list of labels as a fingering of notes that are not known."""
        if not values or not within_row_limit(len(values), self._problems, self._options.limits):
            return None
        rows = [row for row, value in enumerate(values) if self._is_scalar(value, "label", pointer, row)]

        def locate(index: int) -> Place:
            return self._place(pointer, rows[index])

        cells, unknown = [_json_cell(values[row]) for row in rows], np.full(len(rows), UNKNOWN)
        labels, hands = fingers_of(cells, unknown, locate, self._problems, self._options, numbers="1-10")
        message = "labels without notes: they are compared one by one, and nothing that asks for pitches is"
        self._problems.report("KT335", message, self._places.of(pointer), severity="note")
        onsets = np.arange(len(labels), dtype=np.float64)
        fingering = Fingering(onsets, onsets + 1.0, np.full(len(labels), -1), hands, tuple(labels))
        if not self._problems.has_errors:
            report_unknown_hands(fingering, locate, self._problems)
        return fingering

    def _notes(self, values: list[object], pointer: Pointer) -> Fingering | None:
        if not values or not within_row_limit(len(values), self._problems, self._options.limits):
            return None
        notes: list[tuple[int, dict[str, object], dict[NoteField, str]]] = []
        for row, value in enumerate(values):
            if not isinstance(value, dict):
                self._problems.report("KT348", f"not a note: {described(value)}", self._place(pointer, row))
            elif (keys := self._checked_keys(value, pointer, row)) is not None:
                notes.append((row, value, keys))
        if not notes:
            return None
        cells = {
            field: [_json_cell(note[keys[field]]) if field in keys else "" for _, note, keys in notes]
            for field in dict.fromkeys(field for _, _, keys in notes for field in keys)
        }

        def locate(index: int, field: NoteField) -> Place:
            row, _, keys = notes[index]
            place = self._place(pointer, row, keys.get(field))
            return place if field in keys else replace(place, column=None)

        return check_notes(
            notes_of(cells, locate, self._problems, self._options, numbers="1-10"), self._problems
        )

    def _place(self, pointer: Pointer, row: int, key: str | None = None) -> Place:
        """Return the place of an element of a list, or of one of its members."""
        begin = self._places.elements(pointer)[row]
        inner = None if key is None else offset_of(self._places.text, (key,), begin)
        return self._places.content(begin if inner is None else inner)

    def _checked_keys(
        self, note: Mapping[str, object], pointer: Pointer, row: int
    ) -> dict[NoteField, str] | None:
        """Return the keys of the fields of a note, or None if one is missing or no note can have it."""
        keys = self._keys(tuple(note))
        is_sound = True
        for field in _NEEDED_KEYS:
            if field not in keys and not (field == "offset" and "duration" in keys):
                hint = _missing_hint(field, list(note))
                self._problems.report("KT348", f"note has no {field}", self._place(pointer, row), hint=hint)
                is_sound = False
        for field, key in keys.items():
            is_sound &= self._is_scalar(note[key], field, pointer, row, key)
        return keys if is_sound else None

    def _is_scalar(
        self, value: object, field: NoteField | str, pointer: Pointer, row: int, key: str | None = None
    ) -> bool:
        """Return whether a value is of a kind that a field can have, and report it if it is not."""
        if isinstance(value, Decimal) or (field not in _NUMBER_FIELDS and isinstance(value, str)):
            return True
        if value is None and field not in (*_NEEDED_KEYS, "duration"):
            return True
        kind = "a number" if field in _NUMBER_FIELDS else "a number or a string"
        message = f"{field} must be {kind}, not {described(value)}"
        self._problems.report("KT348", message, self._place(pointer, row, key))
        return False


def _keys_of(names: tuple[str, ...]) -> dict[NoteField, str]:
    """Return the key of each field."""
    names = tuple(sorted(names))
    return {field: names[index] for field, index in NAMES.columns(names)[0].items()}


def _is_jams(annotations: object) -> bool:
    return isinstance(annotations, list) and all(
        isinstance(annotation, dict) and "namespace" in annotation for annotation in annotations[:1]
    )


def _json_cell(value: object) -> str:
    """Return a value as a table would have it: an integer, however it is written, without a point."""
    if not isinstance(value, Decimal):
        return "" if value is None else str(value)
    if value.is_finite() and value.adjusted() < 3 and value == value.to_integral_value():
        return ("-" if value.is_signed() else "") + str(abs(int(value)))
    return str(value)


# --- objects --------------------------------------------------------------------------------------------

_ATTRIBUTES: tuple[tuple[NoteField, str], ...] = (
    *(("onset", "onsets"), ("offset", "offsets"), ("pitch", "pitches")),
    *(("finger", "fingers"), ("finger", "labels"), ("hand", "hands")),
)
_OBJECT_HINT = "an object or mapping with onsets, offsets, pitches and fingers, and hands if there are any"


def adopt_fingering(
    value: object, name: str, options: FingeringOptions = DEFAULT_OPTIONS
) -> Reading[Fingering]:
    """Take a fingering of the caller's."""
    problems = Problems(name)
    is_own = isinstance(value, Fingering)
    notes = _own_notes(value, problems, options) if is_own else _foreign_notes(value, problems, options)
    if notes is None or not notes.labels:
        return finish((), problems)
    return finish([(None, check_notes(notes, problems))], problems)


def _own_notes(value: Any, problems: Problems, options: FingeringOptions) -> Notes | None:
    """Check what the constructor does not: lengths, times, labels."""
    names = ("onsets", "offsets", "pitches", "hands", "labels")
    if not _are_even([getattr(value, name) for name in names], problems):
        return None

    def locate(row: int, _: NoteField = "onset") -> Place:
        return Place(problems.file, row=row)

    onsets, offsets = (
        times_of([repr(time) for time in times.tolist()], locate, problems)
        for times in (value.onsets, value.offsets)
    )
    labels, hands = fingers_of(value.labels, value.hands, locate, problems, options, numbers="signed")
    if options.label_encoding == "auto" and not any(label.startswith("-") for label in labels):
        hands = place_hands(value.hands, options)  # without signs, labels tell no hand
    columns = onsets, offsets, value.pitches, hands, labels
    return Notes(*columns, locate, unit=value.unit, place_of=value.place_of)


def _foreign_notes(value: Any, problems: Problems, options: FingeringOptions) -> Notes | None:
    cells: dict[NoteField, list[str]] = {}
    for field, name in _ATTRIBUTES:
        column = None if field in cells else _column(value, name)
        if column is not None:
            cells[field] = [_object_cell(element, field) for element in column]
    missing = next((name for field, name in _ATTRIBUTES[:-1] if field not in cells), None)
    if missing is not None:
        message = f"not a fingering: {type(value).__name__} has no {missing}"
        problems.report("KT114", message, hint=_OBJECT_HINT)
        return None
    if not _are_even(list(cells.values()), problems):
        return None
    return notes_of(cells, lambda row, _: Place(problems.file, row=row), problems, options, numbers="by_hand")


def _column(value: object, name: str) -> Sequence[Any] | None:
    """Return an attribute or member that is a column."""
    column = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
    if isinstance(column, np.ndarray):
        column = column.tolist()
    return column if isinstance(column, Sequence) and not isinstance(column, str) else None


def _are_even(columns: Sequence[Sized], problems: Problems) -> bool:
    lengths = [len(column) for column in columns]
    if len(set(lengths)) > 1:
        listed = ", ".join(f"{length:,}" for length in lengths)
        problems.report("KT114", f"columns of different lengths: {listed}")
    return not problems.has_errors


def _object_cell(value: object, field: NoteField) -> str:
    """Return a value as a file would have it."""
    if field in ("finger", "hand"):
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return ""
        if isinstance(value, float) and value.is_integer():  # of a table in which some are missing
            return str(int(value))
    return str(value)
