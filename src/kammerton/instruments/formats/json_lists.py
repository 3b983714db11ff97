# SPDX-License-Identifier: MIT
"""JSON: a list of labels, or labels and their scores, of one item or by item."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic, Severity, quote
from kammerton.formats.jams import Observations, annotator_names, described, metadata_of
from kammerton.formats.json_places import JsonPlaces, Pointer, element_offsets, offset_of
from kammerton.formats.reading import Problems, keeps_rows, such_rows
from kammerton.instruments.finishing import (
    STEMS,
    LabelList,
    Lists,
    ReadingRules,
    finish,
    leave_out_others,
    note_unjudged,
)
from kammerton.instruments.formats.source import Source, item_names, say_empty, say_unrecognised, twice
from kammerton.instruments.lookup import PROGRAMS
from kammerton.instruments.options import InstrumentOptions
from kammerton.model.annotations import Place

__all__ = ["is_jams", "is_one_item", "read_jams_tags", "read_json"]

Kind = Literal["ranked", "scores", "stems"]
_HINT = "a list of labels, labels with scores, or an object that has one of these for each item"
_INNER = ("instruments", "instrument", "labels", "tags", STEMS)
"""Members of an object that has its labels in one of them, beside other things."""
_FAMILY = "instrument_family_str"
"""Member of a note of NSynth that is its only label."""


def read_json(
    value: object, places: JsonPlaces, problems: Problems, options: InstrumentOptions
) -> Source | None:
    """Read what a JSON text holds."""
    work = _Json(places, problems, options)
    if _is_class_map(value):
        say_unrecognised(problems, places.of(()), "numbers of classes, and no annotations", _HINT)
        return None
    if is_one_item(value):
        return work.read({"": value}, is_sheet=False)
    if not isinstance(value, dict):
        say_unrecognised(problems, places.of(()), described(value), _HINT)
        return None
    return work.read(value, is_sheet=True)


def is_one_item(value: object) -> bool:
    """Tell whether a JSON value is a list of labels, or labels with scores, and not one of these by item."""
    if isinstance(value, dict):
        return _inner(value) is not None or _are_scores(value)
    return isinstance(value, list)


def _is_class_map(value: object) -> bool:
    """Tell whether an object numbers classes from 0 on, as the ``class-map.json`` of OpenMIC-2018 does."""
    return isinstance(value, dict) and len(value) > 2 and list(value.values()) == list(range(len(value)))


def _inner(value: Mapping[str, object]) -> str | None:
    """Return the member of an object that has its labels, if there is one."""
    if isinstance(value.get(_FAMILY), str):
        return _FAMILY
    return next((key for key in _INNER if isinstance(value.get(key), list | dict)), None)


def _are_scores(value: Mapping[str, object]) -> bool:
    """Tell whether an object has numbers only, which are scores of labels."""
    kinds = set(map(type, value.values()))
    return kinds <= {Decimal, bool, type(None)} and not kinds <= {type(None)}


@dataclass(slots=True)
class _Rows:
    """Rows of one kind of lists: labels, lists, scores, and the index of each in its list."""

    labels: list[str] = field(default_factory=list)
    lists: list[int] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    indices: list[int] = field(default_factory=list)

    def add(self, label: str, number: int, score: float, index: int) -> None:
        """Add a row."""
        self.labels.append(label)
        self.lists.append(number)
        self.scores.append(score)
        self.indices.append(index)


class _Json:
    """Reads one document."""

    def __init__(self, places: JsonPlaces, problems: Problems, options: InstrumentOptions) -> None:
        self._places = places
        self._problems = problems
        self._options = options
        self._numbered = options.tree is not None and options.tree.name == PROGRAMS
        self._is_sheet = True
        self._begins: list[int] = []
        self._elements: dict[int, list[int]] = {}
        self._members: list[str | None] = []
        self._kinds: list[Kind] = []
        self._rows: dict[Kind, _Rows] = {"ranked": _Rows(), "scores": _Rows(), "stems": _Rows()}
        self._broken: dict[int, str] = {}
        self._odd: list[tuple[int, int]] = []

    def read(self, items: Mapping[str, object], *, is_sheet: bool) -> Source | None:
        """Return the lists of items."""
        self._is_sheet = is_sheet
        for number, value in enumerate(items.values()):
            self._take(number, value)
        count = sum(len(rows.labels) for rows in self._rows.values())
        if not items:
            say_empty(self._problems)
        if not items or not keeps_rows(count, self._problems, self._options.limits):
            return None
        names = item_names(list(items))
        if is_sheet:
            self._say_twice(names)
        found = self._finish(len(names))
        return Source([(name, None) for name in names], found, is_sheet=is_sheet)

    # --- places ------------------------------------------------------------------------------

    def _begin(self, number: int) -> int:
        """Return where the value of an item begins."""
        text = self._places.text
        if not self._begins:
            begin = offset_of(text, ()) or 0
            self._begins = element_offsets(text, begin) if self._is_sheet else [begin]
        begin, member = self._begins[number], self._members[number]
        return begin if member is None else offset_of(text, (member,), begin) or begin

    def _place(self, number: int, index: int | None = None) -> Place:
        """Return the place of the value of an item, or of an element or member of it."""
        begin = self._begin(number)
        text = self._places.text
        if index is not None and text[begin] in "[{":
            if begin not in self._elements:
                self._elements[begin] = element_offsets(text, begin)
            begin = self._elements[begin][index]
        place = self._places.value(begin)
        if text[begin] != '"':
            return place
        return replace(place, column=(place.column or 0) + 1, length=max(1, place.length - 2))

    def _break(
        self, number: int, code: str, message: str, hint: str | None = None, index: int | None = None
    ) -> None:
        self._break_by(number, Diagnostic(code=code, severity="error", message=message, hint=hint), index)

    def _break_by(self, number: int, problem: Diagnostic, index: int | None = None) -> None:
        self._problems.add_at(problem, partial(self._place, number, index))
        self._broken.setdefault(number, f"{problem.code} {problem.message}")

    def _say_twice(self, names: Sequence[str]) -> None:
        """Report items that are called the same once suffixes of recordings are left out."""
        seen: dict[str, int] = {}
        for number, name in enumerate(names):
            if not name:
                self._break(number, "KT621", "key names no item")
            elif name in seen:
                first = self._place(seen[name], None)
                self._break_by(number, twice(f"item stands twice: {quote(name)}", first))
            seen.setdefault(name, number)

    # --- values ------------------------------------------------------------------------------

    def _take(self, number: int, value: object) -> None:
        """Take up the value of an item."""
        member = _inner(value) if isinstance(value, dict) else None
        inner = value[member] if isinstance(value, dict) and member is not None else value
        self._members.append(member)
        self._kinds.append("ranked")
        if isinstance(inner, str):
            inner = [inner]
        if isinstance(inner, list):
            self._kinds[-1] = "stems" if member in (STEMS, _FAMILY) else "ranked"
            for index, element in enumerate(inner):
                self._take_element(number, index, element)
        elif isinstance(inner, dict) and (not inner or _are_scores(inner)):
            self._kinds[-1] = "scores"
            for index, (label, score) in enumerate(inner.items()):
                self._rows["scores"].add(label, number, self._score(number, index, score), index)
        else:
            what = "mixed values" if isinstance(inner, dict) else described(inner)
            self._break(number, "KT624", f"format not recognised: {what} for an item", _HINT)

    def _take_element(self, number: int, index: int, element: object) -> None:
        """Take up a label, a label and its score, or a number of a program."""
        score = math.nan
        if isinstance(element, list) and len(element) == 2 and isinstance(element[0], str):
            element, written = element
            score = self._score(number, index, written)
        if self._numbered and isinstance(element, Decimal) and element.is_finite():
            element = str(element)
        if isinstance(element, str):
            self._rows[self._kinds[number]].add(element, number, score, index)
        else:
            self._break(number, "KT619", f"label must be a string, not {described(element)}", _HINT, index)

    def _score(self, number: int, index: int, value: object) -> float:
        """Return a score, NaN where there is none; report what is no finite number."""
        if isinstance(value, bool):
            return float(value)
        if isinstance(value, Decimal) and not value.is_infinite():
            found = float(value)
            if math.isnan(found):
                self._odd.append((number, index))
            if not math.isinf(found):
                return found
        if value is not None:
            shown = quote(str(value)) if isinstance(value, Decimal) else described(value)
            self._break(
                number, "KT609", f"score is no finite number: {shown}", "a score looks like 0.75", index
            )
        return math.nan

    # --- lists -------------------------------------------------------------------------------

    def _finish(self, count: int) -> Lists:
        """Return the lists, of each item those of its kind."""
        if self._odd:
            message = f"score is not a number, and counts as none{such_rows(len(self._odd))}"
            note = Diagnostic(code="KT612", severity="note", message=message, count=len(self._odd))
            self._problems.add(self._place(*self._odd[0]).diagnose(note))
        made: dict[Kind, Lists] = {}
        broken = self._broken
        for kind in dict.fromkeys(self._kinds):
            entries, manner = self._entries(kind, count)
            made[kind] = finish(entries, count, self._problems, self._options, manner, broken)
            broken = made[kind].broken
        return Lists([made[kind].found[number] for number, kind in enumerate(self._kinds)], broken)

    def _entries(self, kind: Kind, count: int) -> tuple[LabelList, ReadingRules]:
        """Return the rows of one kind, and what they mean."""
        rows = self._rows[kind]

        def locate(row: int) -> Place:
            return self._place(rows.lists[row], rows.indices[row])

        entries = LabelList.of(rows.labels, np.array(rows.lists, dtype=np.int64), locate)
        scores = np.array(rows.scores, dtype=np.float64)
        if kind == "scores":
            return self._scored(entries, scores, count)
        if kind == "stems":
            return leave_out_others(entries, self._problems), ReadingRules(repeats=True, sheet=self._is_sheet)
        if not np.isnan(scores).all():
            entries.scores = scores
        return entries, ReadingRules(ordered=True, sheet=self._is_sheet)

    def _scored(
        self, entries: LabelList, scores: NDArray[np.float64], count: int
    ) -> tuple[LabelList, ReadingRules]:
        """Return 1 and 0 as what is there and what is not, null as not judged; else scores."""
        given = ~np.isnan(scores)
        sound = ~np.isin(entries.lists, list(self._broken))
        if np.isin(scores[given], (0.0, 1.0)).all():
            partial_lists = np.bincount(entries.lists[~given], minlength=count) > 0
            note_unjudged(int(given[sound].sum()), int(sound.sum()), self._problems, self._options)
            entries.present = scores == 1
            kept = np.flatnonzero((scores == 1) | (given & partial_lists[entries.lists]))
            closed = ~partial_lists | self._options.assume_absent
            return entries.take(kept), ReadingRules(closed=closed, sheet=self._is_sheet)
        entries.scores = scores
        missing = np.flatnonzero(~given & sound)
        if len(missing):
            message = f"label without a score left out{such_rows(len(missing))}"
            note = Diagnostic(code="KT612", severity="note", message=message, count=len(missing))
            self._problems.add(entries.locate(int(missing[0])).diagnose(note))
        return entries.take(np.flatnonzero(given)), ReadingRules(vector=True, sheet=self._is_sheet)


_PREFERENCE = ("tag_medleydb_instruments", "tag_audioset_instruments", "tag_open", "tag_audioset")
"""Namespaces of instruments, and those that may have them; others come after."""


def is_jams(value: object) -> bool:
    """Tell whether a JSON value is built like JAMS."""
    return isinstance(value, dict) and isinstance(value.get("annotations"), list)


def read_jams_tags(
    value: object, places: JsonPlaces, problems: Problems, options: InstrumentOptions
) -> Source | None:
    """Read the tags of a file."""
    return _Jams(places, problems, options).read(value)


class _Jams:
    """Reads one document."""

    def __init__(self, places: JsonPlaces, problems: Problems, options: InstrumentOptions) -> None:
        self._places = places
        self._problems = problems
        self._options = options
        self._labels: list[str] = []
        self._lists: list[int] = []
        self._scores: list[float] = []
        self._rows: list[tuple[Observations, int]] = []
        self._undefined: list[tuple[Observations, int]] = []

    def _say(self, pointer: Pointer, code: str, message: str, hint: str | None = None) -> None:
        problem = Diagnostic(code=code, severity="error", message=message, hint=hint)
        self._problems.add(self._places.of(pointer).diagnose(problem))

    def _say_of_file(self, code: str, severity: Severity, message: str, hint: str | None = None) -> None:
        file = self._problems.file
        self._problems.add(Diagnostic(code=code, severity=severity, message=message, file=file, hint=hint))

    def read(self, value: object) -> Source | None:
        """Return a list for each annotation."""
        if not isinstance(value, dict) or not isinstance(value.get("annotations"), list):
            self._say((), "KT143", "not a JAMS file: it has no list of `annotations`")
            return None
        wanted = self._annotations(value["annotations"])
        for number, (index, annotation) in enumerate(wanted):
            self._take(number, annotation.get("data"), ("annotations", index, "data"))
        if not wanted or not keeps_rows(len(self._labels), self._problems, self._options.limits):
            return None
        names = annotator_names([annotation for _, annotation in wanted])
        self._note_undefined()
        entries = LabelList.of(self._labels, np.array(self._lists, dtype=np.int64), self._locate)
        entries.scores = np.array(self._scores, dtype=np.float64)
        manner = ReadingRules(ordered=self._ranked(value, wanted), repeats=True, score="confidence")
        found = finish(entries, len(wanted), self._problems, self._options, manner)
        return Source([("", name) for name in names], found, metadata=metadata_of(value, wanted))

    def _ranked(
        self, document: Mapping[str, object], wanted: Sequence[tuple[int, Mapping[str, object]]]
    ) -> NDArray[np.bool_]:
        """Tell of which lists the order ranks labels without confidence: the file or the caller says so."""
        said = self._options.ranked or _says_ranked(document)
        return np.array([said or _says_ranked(annotation) for _, annotation in wanted], dtype=bool)

    def _annotations(self, found: Sequence[object]) -> list[tuple[int, dict[str, object]]]:
        """Return the annotations that count, each with its index."""
        tagged: dict[str, list[tuple[int, dict[str, object]]]] = {}
        others = []
        for index, annotation in enumerate(found):
            namespace = annotation.get("namespace") if isinstance(annotation, dict) else None
            if not isinstance(annotation, dict) or not isinstance(namespace, str):
                self._say(("annotations", index), "KT143", "annotation has no `namespace`")
            elif namespace.startswith("tag_"):
                tagged.setdefault(namespace, []).append((index, annotation))
            else:
                others.append(namespace)
        if not tagged:
            if not self._problems.has_errors:
                listed = ", ".join(quote(name) for name in sorted(set(others))) or "none"
                self._say_of_file(
                    "KT145", "error", "no annotation of tags", f"namespaces in this file: {listed}"
                )
            return []
        chosen = min(tagged, key=lambda name: (*_PREFERENCE, name).index(name))
        passed = sorted({*tagged} - {chosen})
        if passed:
            message = f"tags of {quote(chosen)} are read, those of {', '.join(map(quote, passed))} are not"
            self._say_of_file("KT628", "note", message)
        return tagged[chosen]

    def _take(self, number: int, data: object, pointer: Pointer) -> None:
        """Take up the observations of an annotation."""
        columns: dict[object, object] = data if isinstance(data, dict) else {}
        lists = [columns[key] for key in ("value", "confidence") if isinstance(columns.get(key), list)]
        lengths = {len(each) for each in lists if isinstance(each, list)}
        if not (isinstance(data, list) or (isinstance(columns.get("value"), list) and len(lengths) == 1)):
            self._say(pointer, "KT143", "`data` must be a list of observations")
            return
        observations = Observations(data, pointer, self._places)  # type: ignore[arg-type]
        values = observations.column("value")
        confidences: list[object] = [None] * len(values)
        if isinstance(data, list) or isinstance(columns.get("confidence"), list):
            confidences = observations.column("confidence")
        for row, (value, confidence) in enumerate(zip(values, confidences, strict=True)):
            if not isinstance(value, str):
                what = f"not {described(value)}" if _is_json(value) else "and is missing"
                self._odd(observations, row, "value", "KT143", f"`value` must be a string, {what}")
                continue
            self._labels.append(value)
            self._lists.append(number)
            self._scores.append(self._confidence(observations, row, confidence))
            self._rows.append((observations, row))

    def _odd(self, observations: Observations, row: int, key: str, code: str, message: str) -> None:
        problem = Diagnostic(code=code, severity="error", message=message)
        self._problems.add_at(problem, lambda: observations.place(row, key))

    def _confidence(self, observations: Observations, row: int, value: object) -> float:
        """Return a confidence, NaN where there is none; report what is no finite number."""
        if value is None or not _is_json(value):
            return math.nan
        if isinstance(value, Decimal) and value.is_nan():
            self._undefined.append((observations, row))
            return math.nan
        if isinstance(value, Decimal) and not math.isinf(float(value)):
            return float(value)
        shown = quote(str(value)) if isinstance(value, Decimal) else described(value)
        message = f"confidence must be a finite number or null, not {shown}"
        self._odd(observations, row, "confidence", "KT609", message)
        return math.nan

    def _note_undefined(self) -> None:
        """Note confidences that are NaN, which the library jams writes where there is none."""
        if self._undefined:
            observations, row = self._undefined[0]
            message = "confidence is not a number, and counts as none"
            count = len(self._undefined)
            note = Diagnostic(code="KT612", severity="note", message=message, count=count)
            self._problems.add(observations.place(row, "confidence").diagnose(note))

    def _locate(self, entry: int) -> Place:
        """Return the place of a label, within its quotes."""
        observations, row = self._rows[entry]
        place = observations.place(row, "value")
        return replace(place, column=(place.column or 0) + 1, length=max(1, place.length - 2))


def _says_ranked(value: Mapping[str, object]) -> bool:
    """Tell whether the sandbox of a file, or of an annotation, says that the order ranks."""
    sandbox = value.get("sandbox")
    return isinstance(sandbox, dict) and sandbox.get("ranked") is True


def _is_json(value: object) -> bool:
    """Tell a value of the file from what stands for a missing one."""
    return value is None or isinstance(value, str | bool | Decimal | dict | list)
