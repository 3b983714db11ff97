# SPDX-License-Identifier: MIT
"""Lists of instruments in JSON, JAMS and YAML."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any, Literal

import numpy as np

from kammerton.arrays import Flags
from kammerton.errors import quote
from kammerton.formats.jams import Observations, annotator_names, described, metadata_of
from kammerton.formats.json_places import JsonPlaces, Pointer, element_offsets, offset_of
from kammerton.formats.reading import Problems, keeps_rows, such_rows
from kammerton.instruments.formats.source import (
    ONE,
    fail,
    item_names,
    report_empty,
    report_unrecognised,
    report_unusable_names,
)
from kammerton.instruments.labels import (
    PROGRAMS,
    Key,
    LabelList,
    ParsedLists,
    ReadingRules,
    finish,
    note_unjudged,
)
from kammerton.instruments.options import InstrumentOptions
from kammerton.model.annotations import Place
from kammerton.model.measure import Values

_STEMS = "stems"
"""Member of the metadata that lists the stems."""
_NO_INSTRUMENTS = ("Main System", "Unlabeled")
"""What stands for the instrument of a stem where there is none, or nobody knows it."""


def _leave_out_others(entries: LabelList, problems: Problems) -> LabelList:
    """Return the labels of stems without those that name no instrument, which are noted."""
    for name in _NO_INSTRUMENTS:
        codes = [code for code, spelling in enumerate(entries.spellings) if spelling.strip() == name]
        rows = np.flatnonzero(np.isin(entries.codes, codes))
        if len(rows):
            message = f"{quote(name)} names no instrument, and is left out"
            place = partial(entries.locate, int(rows[0]))
            problems.report("KT627", message, place, severity="note", count=len(rows))
            entries = entries.take(np.setdiff1d(np.arange(len(entries.codes)), rows))
    return entries


def _within_quotes(place: Place) -> Place:
    return replace(place, column=(place.column or 0) + 1, length=max(1, place.length - 2))


# --- JSON ------------------------------------------------------------------------------------

_Kind = Literal["ranked", "scores", "stems"]
_HINT = "a list of labels, labels with scores, or an object that has one of these for each item"
_INNER = ("instruments", "instrument", "labels", "tags", _STEMS)
"""Members of an object that has its labels in one of them, beside other things."""
_FAMILY = "instrument_family_str"
"""Member of a note of NSynth that is its only label."""


def read_json(
    value: object, places: JsonPlaces, problems: Problems, options: InstrumentOptions
) -> ParsedLists | None:
    """Read a JSON value: a list of labels, or labels and their scores, of one item or by item."""
    is_one = is_one_item(value)
    # such as the ``class-map.json`` of OpenMIC-2018
    if isinstance(value, dict) and len(value) > 2 and list(value.values()) == list(range(len(value))):
        report_unrecognised(problems, places.of(()), "numbers of classes, and no annotations", _HINT)
        return None
    if not is_one and not isinstance(value, dict):
        report_unrecognised(problems, places.of(()), described(value), _HINT)
        return None
    items: dict[str, object] = {"": value} if is_one else value  # type: ignore[assignment]
    return _Json(places, problems, options, is_sheet=not is_one).read(items)


def is_one_item(value: object) -> bool:
    """Return whether a JSON value is a list of labels, or labels with scores, not one of these by item."""
    if isinstance(value, dict):
        return _inner(value) is not None or _are_scores(value)
    return isinstance(value, list)


def _inner(value: Mapping[str, object]) -> str | None:
    """Return the member of an object that has its labels, if there is one."""
    if isinstance(value.get(_FAMILY), str):
        return _FAMILY
    return next((key for key in _INNER if isinstance(value.get(key), list | dict)), None)


def _are_scores(value: Mapping[str, object]) -> bool:
    """Return whether an object has numbers only, which are scores of labels."""
    kinds = set(map(type, value.values()))
    return kinds <= {Decimal, bool, type(None)} and not kinds <= {type(None)}


class _Json:
    """Reads one document."""

    def __init__(
        self, places: JsonPlaces, problems: Problems, options: InstrumentOptions, *, is_sheet: bool
    ) -> None:
        self._places = places
        self._problems = problems
        self._options = options
        self._is_sheet = is_sheet
        self._has_programs = options.tree is not None and options.tree.name == PROGRAMS
        self._begins: list[int] = []
        self._elements: dict[int, list[int]] = {}
        self._members: list[str | None] = []  # of each item
        self._kinds: list[_Kind] = []
        self._rows: list[tuple[str, int, float, int]] = []  # label, item, score, index in its list
        self._broken: dict[int, str] = {}
        self._undefined: list[tuple[int, int]] = []

    def read(self, items: Mapping[str, object]) -> ParsedLists | None:
        """Return the lists of items."""
        for number, value in enumerate(items.values()):
            self._add(number, value)
        if not items:
            report_empty(self._problems)
        if not items or not keeps_rows(len(self._rows), self._problems, self._options.limits):
            return None
        names = item_names(list(items))
        if self._is_sheet:
            report_unusable_names(names, self._place, self._problems, self._broken, what="key")
        if self._undefined:
            count = len(self._undefined)
            message = f"score is not a number, and counts as none{such_rows(count)}"
            place = self._place(*self._undefined[0])
            self._problems.report("KT612", message, place, severity="note", count=count)
        return self._parsed([(name, None) for name in names])

    # --- places ------------------------------------------------------------------------------

    def _place(self, number: int, index: int | None = None) -> Place:
        """Return the place of the value of an item, or of an element or member of it."""
        text = self._places.text
        if not self._begins:
            begin = offset_of(text, ()) or 0
            self._begins = element_offsets(text, begin) if self._is_sheet else [begin]
        begin, member = self._begins[number], self._members[number]
        if member is not None:
            begin = offset_of(text, (member,), begin) or begin
        if index is not None and text[begin] in "[{":
            if begin not in self._elements:
                self._elements[begin] = element_offsets(text, begin)
            begin = self._elements[begin][index]
        place = self._places.value(begin)
        return _within_quotes(place) if text[begin] == '"' else place

    def _break(
        self, number: int, code: str, message: str, hint: str | None = None, index: int | None = None
    ) -> None:
        place = partial(self._place, number, index)
        fail(self._problems, self._broken, number, code, message, place, hint)

    # --- values ------------------------------------------------------------------------------

    def _add(self, number: int, value: object) -> None:
        """Add the rows of an item."""
        member = _inner(value) if isinstance(value, dict) else None
        inner = value[member] if isinstance(value, dict) and member is not None else value
        self._members.append(member)
        self._kinds.append("ranked")
        if isinstance(inner, str):
            inner = [inner]
        if isinstance(inner, list):
            self._kinds[-1] = "stems" if member in (_STEMS, _FAMILY) else "ranked"
            for index, element in enumerate(inner):
                self._add_element(number, index, element)
        elif isinstance(inner, dict) and (not inner or _are_scores(inner)):
            self._kinds[-1] = "scores"
            for index, (label, score) in enumerate(inner.items()):
                self._rows.append((label, number, self._score(number, index, score), index))
        else:
            what = "mixed values" if isinstance(inner, dict) else described(inner)
            self._break(number, "KT624", f"format not recognised: {what} for an item", _HINT)

    def _add_element(self, number: int, index: int, element: object) -> None:
        """Add a label, a label and its score, or a number of a program."""
        score = math.nan
        if isinstance(element, list) and len(element) == 2 and isinstance(element[0], str):
            score = self._score(number, index, element[1])
            element = element[0]
        if self._has_programs and isinstance(element, Decimal) and element.is_finite():
            element = str(element)
        if isinstance(element, str):
            self._rows.append((element, number, score, index))
        else:
            self._break(number, "KT619", f"label must be a string, not {described(element)}", _HINT, index)

    def _score(self, number: int, index: int, value: object) -> float:
        """Return a score, NaN where there is none; report what is no finite number."""
        if isinstance(value, bool):
            return float(value)
        score = _float(value)
        if isinstance(value, Decimal) and score is not None:
            if math.isnan(score):
                self._undefined.append((number, index))
            return score
        if value is not None:
            message = f"score is no finite number: {_shown(value)}"
            self._break(number, "KT609", message, "a score looks like 0.75", index)
        return math.nan

    # --- lists -------------------------------------------------------------------------------

    def _parsed(self, keys: Sequence[Key]) -> ParsedLists:
        """Return the lists, of each item those of its kind."""

        def locate(row: int) -> Place:
            _, number, _, index = self._rows[row]
            return self._place(number, index)

        numbers = np.array([number for _, number, _, _ in self._rows], dtype=np.int64)
        scores = np.array([score for _, _, score, _ in self._rows], dtype=np.float64)
        rows = LabelList.of([label for label, *_ in self._rows], locate, numbers, scores)
        kinds = np.array(self._kinds)[numbers]
        by_kind: dict[_Kind, ParsedLists] = {}
        for kind in dict.fromkeys(self._kinds):
            entries, rules = self._entries(kind, rows.take(np.flatnonzero(kinds == kind)), len(keys))
            parsed = finish(entries, keys, self._problems, self._options, rules, self._broken)
            by_kind[kind] = parsed
            self._broken.update(parsed.broken)
        lists = [by_kind[kind].lists[number] for number, kind in enumerate(self._kinds)]
        return ParsedLists(keys, lists, self._broken, self._is_sheet)

    def _entries(self, kind: _Kind, rows: LabelList, count: int) -> tuple[LabelList, ReadingRules]:
        """Return the rows of one kind, and what they mean."""
        assert rows.scores is not None, "rows of JSON have scores, or NaN"
        scored = ~np.isnan(rows.scores)
        if kind == "scores":
            return self._scored(rows, rows.scores, scored, count)
        if kind == "stems" or not scored.any():
            rows.scores = None
        if kind == "stems":
            return _leave_out_others(rows, self._problems), ReadingRules(repeats=True, sheet=self._is_sheet)
        return rows, ReadingRules(ordered=True, sheet=self._is_sheet)

    def _scored(
        self, rows: LabelList, scores: Values, scored: Flags, count: int
    ) -> tuple[LabelList, ReadingRules]:
        """Return 1 and 0 as what is there and what is not, null as not judged; else scores."""
        sound = ~np.isin(rows.lists, list(self._broken))
        if np.isin(scores[scored], (0.0, 1.0)).all():
            judged_in_part = np.bincount(rows.lists[~scored], minlength=count) > 0
            note_unjudged(int(scored[sound].sum()), int(sound.sum()), self._problems, self._options)
            rows.scores, rows.present = None, scores == 1
            kept = np.flatnonzero((scores == 1) | (scored & judged_in_part[rows.lists]))
            closed = ~judged_in_part | self._options.assume_absent
            return rows.take(kept), ReadingRules(closed=closed, sheet=self._is_sheet)
        missing = np.flatnonzero(~scored & sound)
        if len(missing):
            count = len(missing)
            message = f"label without a score left out{such_rows(count)}"
            place = rows.locate(int(missing[0]))
            self._problems.report("KT612", message, place, severity="note", count=count)
        return rows.take(np.flatnonzero(scored)), ReadingRules(vector=True, sheet=self._is_sheet)


def _float(value: object) -> float | None:
    """Return a JSON number, which may be NaN; None for what is no finite number."""
    number = float(value) if isinstance(value, Decimal) else math.inf
    return None if math.isinf(number) else number


def _shown(value: object) -> str:
    return quote(str(value)) if isinstance(value, Decimal) else described(value)


# --- JAMS ------------------------------------------------------------------------------------

_PREFERENCE = ("tag_medleydb_instruments", "tag_audioset_instruments", "tag_open", "tag_audioset")
"""Namespaces of instruments, and those that may have them; others come after."""
_Annotations = Sequence[tuple[int, Mapping[str, object]]]
"""Annotations, each with its index."""


def is_jams(value: object) -> bool:
    """Return whether a JSON value is built like JAMS."""
    return isinstance(value, dict) and isinstance(value.get("annotations"), list)


def read_jams_tags(
    value: object, places: JsonPlaces, problems: Problems, options: InstrumentOptions
) -> ParsedLists | None:
    """Read the tags of a JAMS file."""
    return _Jams(places, problems, options).read(value)


class _Jams:
    """Reads one document."""

    def __init__(self, places: JsonPlaces, problems: Problems, options: InstrumentOptions) -> None:
        self._places = places
        self._problems = problems
        self._options = options
        self._rows: list[tuple[str, int, float]] = []  # label, annotation, confidence
        self._observations: list[tuple[Observations, int]] = []  # of each row
        self._undefined: list[Callable[[], Place]] = []

    def _report(self, pointer: Pointer, message: str) -> None:
        self._problems.report("KT143", message, self._places.of(pointer))

    def read(self, value: object) -> ParsedLists | None:
        """Return a list for each annotation."""
        if not isinstance(value, dict) or not isinstance(value.get("annotations"), list):
            self._report((), "not a JAMS file: it has no list of `annotations`")
            return None
        chosen = self._chosen(value["annotations"])
        for number, (index, annotation) in enumerate(chosen):
            self._add(number, annotation.get("data"), ("annotations", index, "data"))
        if not chosen or not keeps_rows(len(self._rows), self._problems, self._options.limits):
            return None
        if self._undefined:  # the library jams writes NaN where there is none
            message, count = "confidence is not a number, and counts as none", len(self._undefined)
            self._problems.report("KT612", message, self._undefined[0], severity="note", count=count)
        lists = np.array([number for _, number, _ in self._rows], dtype=np.int64)
        scores = np.array([score for *_, score in self._rows], dtype=np.float64)
        entries = LabelList.of([label for label, *_ in self._rows], self._locate, lists, scores)
        all_ranked = self._options.ranked or _is_marked_ranked(value)
        ordered = [all_ranked or _is_marked_ranked(annotation) for _, annotation in chosen]
        rules = ReadingRules(ordered=np.array(ordered, dtype=bool), repeats=True, score="confidence")
        keys = [("", name) for name in annotator_names([annotation for _, annotation in chosen])]
        parsed = finish(entries, keys, self._problems, self._options, rules)
        return replace(parsed, metadata=metadata_of(value, chosen))

    def _chosen(self, annotations: Sequence[object]) -> _Annotations:
        """Return the annotations of tags that are read: those of one namespace."""
        tagged: dict[str, list[tuple[int, dict[str, object]]]] = {}
        others = set()
        for index, annotation in enumerate(annotations):
            namespace = annotation.get("namespace") if isinstance(annotation, dict) else None
            if not isinstance(annotation, dict) or not isinstance(namespace, str):
                self._report(("annotations", index), "annotation has no `namespace`")
            elif namespace.startswith("tag_"):
                tagged.setdefault(namespace, []).append((index, annotation))
            else:
                others.add(namespace)
        if not tagged:
            if not self._problems.has_errors:
                hint = f"namespaces in this file: {', '.join(map(quote, sorted(others))) or 'none'}"
                self._problems.report("KT145", "no annotation of tags", hint=hint)
            return []
        chosen = min(tagged, key=lambda name: (*_PREFERENCE, name).index(name))
        passed = ", ".join(map(quote, sorted({*tagged} - {chosen})))
        if passed:
            message = f"tags of {quote(chosen)} are read, those of {passed} are not"
            self._problems.report("KT628", message, severity="note")
        return tagged[chosen]

    def _add(self, number: int, data: Any, pointer: Pointer) -> None:
        """Add the observations of an annotation."""
        columns = data if isinstance(data, dict) else {}
        lengths = {len(columns[key]) for key in ("value", "confidence") if isinstance(columns.get(key), list)}
        if not (isinstance(data, list) or (isinstance(columns.get("value"), list) and len(lengths) == 1)):
            self._report(pointer, "`data` must be a list of observations")
            return
        observations = Observations(data, pointer, self._places)
        values = observations.column("value")
        confidences: list[object] = [None] * len(values)
        if isinstance(data, list) or isinstance(columns.get("confidence"), list):
            confidences = observations.column("confidence")
        for row, (value, confidence) in enumerate(zip(values, confidences, strict=True)):
            if isinstance(value, str):
                place = partial(observations.place, row, "confidence")
                self._rows.append((value, number, self._confidence(confidence, place)))
                self._observations.append((observations, row))
            else:
                what = f"not {described(value)}" if _is_json(value) else "and is missing"
                place = partial(observations.place, row, "value")
                self._problems.report("KT143", f"`value` must be a string, {what}", place)

    def _confidence(self, value: object, place: Callable[[], Place]) -> float:
        """Return a confidence, NaN where there is none; report what is no finite number."""
        if value is None or not _is_json(value):
            return math.nan
        number = _float(value)
        if number is None:
            message = f"confidence must be a finite number or null, not {_shown(value)}"
            self._problems.report("KT609", message, place)
            return math.nan
        if math.isnan(number):
            self._undefined.append(place)
        return number

    def _locate(self, entry: int) -> Place:
        observations, row = self._observations[entry]
        return _within_quotes(observations.place(row, "value"))


def _is_marked_ranked(value: Mapping[str, object]) -> bool:
    """Return whether the sandbox of a file, or of an annotation, marks the order as a ranking."""
    sandbox = value.get("sandbox")
    return isinstance(sandbox, dict) and sandbox.get("ranked") is True


def _is_json(value: object) -> bool:
    """Return whether a value is of the file, and does not stand for a missing one."""
    return value is None or isinstance(value, str | bool | Decimal | dict | list)


# --- metadata of recordings ------------------------------------------------------------------

_INSTRUMENT = "instrument"
_CLASS = "inst_class"
_RENDERED = "audio_rendered"
_FORMS = "`stems` have an `instrument` each (MedleyDB), or an `inst_class` (Slakh2100)"


def read_metadata(text: str, problems: Problems, options: InstrumentOptions) -> ParsedLists | None:
    """Read the instruments of the stems of a recording: MedleyDB, Mixing Secrets and Slakh2100."""
    from kammerton.formats.yaml_text import decode_yaml  # noqa: PLC0415 - few need it, and it takes a while

    document = decode_yaml(text, problems, options.limits)
    if document is None:
        return None
    if document.value is None:
        report_empty(problems)
        return None
    labels = _stem_labels(document.value, document.of, problems)
    if problems.has_errors:
        return None
    entries = LabelList.of([label for label, _ in labels], lambda row: document.of(labels[row][1]))
    entries = _leave_out_others(entries, problems)
    return finish(entries, ONE, problems, options, ReadingRules(repeats=True))


def _stem_labels(
    value: object, locate: Callable[[Pointer], Place], problems: Problems
) -> list[tuple[str, Pointer]]:
    """Return the instruments of the stems, and where each stands; report what is none."""
    stems = value.get(_STEMS) if isinstance(value, dict) else None
    if not isinstance(stems, dict):
        report_unrecognised(problems, locate((_STEMS,)), "no mapping of `stems`", _FORMS)
        return []
    if not stems:
        report_empty(problems)
    odd = [name for name, stem in stems.items() if not isinstance(stem, dict)]
    for name in odd:
        report_unrecognised(problems, locate((_STEMS, name)), "stem is no mapping", _FORMS)
    if odd or not stems:
        return []
    member = next((key for key in (_INSTRUMENT, _CLASS) if any(key in stem for stem in stems.values())), None)
    if member is None:
        message = f"no stem has an `{_INSTRUMENT}` or an `{_CLASS}`"
        report_unrecognised(problems, locate((_STEMS,)), message, _FORMS)
        return []
    silent: list[str] = []
    if member == _CLASS:
        silent = [name for name, stem in stems.items() if str(stem.get(_RENDERED)).lower() == "false"]
    if silent:
        message = f"stem that was not rendered is left out{such_rows(len(silent), 'such stems')}"
        place = locate((_STEMS, silent[0], _RENDERED))
        problems.report("KT627", message, place, severity="note", count=len(silent))
    labels: list[tuple[str, Pointer]] = []
    for name in [name for name in stems if name not in silent]:
        _add_labels(labels, stems[name].get(member), (_STEMS, name, member), locate, problems)
    return labels


def _add_labels(
    labels: list[tuple[str, Pointer]],
    value: object,
    pointer: Pointer,
    locate: Callable[[Pointer], Place],
    problems: Problems,
) -> None:
    """Add the instrument, or the instruments, of a stem."""
    if isinstance(value, list):
        for index, element in enumerate(value):
            _add_labels(labels, element, (*pointer, index), locate, problems)
    elif isinstance(value, str) and value.strip():
        labels.append((value, pointer))
    elif value is None or isinstance(value, str):
        message = "stem without an instrument is left out"
        problems.report("KT627", message, locate(pointer), severity="note")
    else:
        problems.report("KT619", "label must be a string, not a mapping", locate(pointer))
