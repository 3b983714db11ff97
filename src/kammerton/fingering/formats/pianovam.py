# SPDX-License-Identifier: MIT
"""Fingerings in JSON, as PianoVAM exports them: lists of notes, or of labels alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache

import numpy as np

from kammerton.errors import Diagnostic, close_match, quote
from kammerton.fingering.annotation import UNKNOWN, Fingering
from kammerton.fingering.formats.fields import NAMES, field_of, fingers_of, notes_of
from kammerton.fingering.formats.notes import (
    NoteField,
    ReadingOptions,
    check_notes,
    report_no_notes,
    say_untold,
)
from kammerton.formats.json_places import JsonPlaces, Pointer, decode, element_offsets, offset_of
from kammerton.formats.kinds import jams_kind
from kammerton.formats.reading import Problems, keeps_rows
from kammerton.model.annotations import Place
from kammerton.model.task import ItemReadings, Reading

__all__ = ["parse_json", "unfold_json"]

_NEEDED: tuple[NoteField, ...] = ("onset", "offset", "pitch")
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
        for field in _NEEDED:
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
        if value is None and field not in (*_NEEDED, "duration"):
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
