# SPDX-License-Identifier: MIT
"""Lists of instruments in JSON, JAMS and YAML."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from typing import Any, Literal

import numpy as np

from kammerton.arrays import Flags
from kammerton.errors import quote
from kammerton.formats.jams import Observations, annotator_names, metadata_of
from kammerton.formats.json_places import JsonPlaces, Pointer, described, offset_of, within_quotes
from kammerton.formats.reading import within_row_limit
from kammerton.instruments.labels import (
    KEY_OF_ONE_LIST,
    Key,
    LabelRows,
    ListReader,
    ParsedLists,
    ReadingRules,
    item_names,
)
from kammerton.instruments.options import PROGRAMS
from kammerton.model.annotations import Place
from kammerton.model.measure import Values

_STEMS = "stems"
"""Member of the metadata that lists the stems."""
_NO_INSTRUMENTS = ("Main System", "Unlabeled")
"""What stands for the instrument of a stem where there is none, or nobody knows it."""


def _leave_out_others(entries: LabelRows, reader: ListReader) -> LabelRows:
    """Return the labels of stems without those that name no instrument, which are noted."""
    for name in _NO_INSTRUMENTS:
        codes = [code for code, spelling in enumerate(entries.spellings) if spelling.strip() == name]
        is_other = np.isin(entries.codes, codes)
        if is_other.any():
            row, count = int(is_other.argmax()), int(is_other.sum())
            place = partial(entries.locate, row)
            reader.note("KT627", f"{quote(name)} names no instrument, and is left out", count, place, "")
            entries = entries.take(np.flatnonzero(~is_other))
    return entries


# --- JSON ------------------------------------------------------------------------------------

_Kind = Literal["ranked", "scores", "stems"]
_HINT = "a list of labels, labels with scores, or an object that has one of these for each item"
_INNER = ("instruments", "instrument", "labels", "tags", _STEMS)
"""Members of an object that has its labels in one of them, beside other things."""
_FAMILY = "instrument_family_str"
"""Member of a note of NSynth that is its only label."""


def read_json(value: object, places: JsonPlaces, reader: ListReader) -> ParsedLists | None:
    """Read a JSON value: a list of labels, or labels and their scores, of one item or by item."""
    is_one = is_one_item(value)
    # such as the ``class-map.json`` of OpenMIC-2018
    if isinstance(value, dict) and len(value) > 2 and list(value.values()) == list(range(len(value))):
        reader.report_unrecognised(places.of(()), "numbers of classes, and no annotations", _HINT)
        return None
    if not is_one and not isinstance(value, dict):
        reader.report_unrecognised(places.of(()), described(value), _HINT)
        return None
    items: dict[str, object] = {"": value} if is_one else value  # type: ignore[assignment]
    return _Json(reader.problems, reader.options, places, not is_one).read(items)


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


@dataclass(eq=False)
class _Json(ListReader):
    """Reads one document."""

    places: JsonPlaces
    names_items: bool
    # of each item: its kind, and the member that has its labels
    _kinds: list[_Kind] = field(default_factory=list, init=False)
    _members: list[str | None] = field(default_factory=list, init=False)
    # label, item, score, and index in the list of the item
    _rows: list[tuple[str, int, float, int]] = field(default_factory=list, init=False)
    _undefined: list[tuple[int, int]] = field(default_factory=list, init=False)

    def read(self, items: Mapping[str, object]) -> ParsedLists | None:
        """Return the lists of items."""
        for number, value in enumerate(items.values()):
            self._add(number, value)
        if not items:
            self.report_empty()
        if not items or not within_row_limit(len(self._rows), self.problems, self.options.limits):
            return None
        names = item_names(list(items))
        if self.names_items:
            self.report_unusable_names(names, self._place, what="key")
        if self._undefined:
            message, place = "score is not a number, and counts as none", self._place(*self._undefined[0])
            self.note("KT612", message, len(self._undefined), place)
        return self._parsed([(name, None) for name in names])

    # --- places ------------------------------------------------------------------------------

    def _place(self, number: int, index: int | None = None) -> Place:
        """Return the place of the value of an item, or of an element or member of it."""
        text, member = self.places.text, self._members[number]
        begin = self.places.elements(())[number] if self.names_items else offset_of(text, ()) or 0
        if member is not None:
            begin = offset_of(text, (member,), begin) or begin
        if index is not None and text[begin] in "[{":
            begin = self.places.elements(begin)[index]
        return self.places.content(begin)

    def _break(
        self, number: int, code: str, message: str, hint: str | None = None, index: int | None = None
    ) -> None:
        self.fail(number, code, message, partial(self._place, number, index), hint)

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
        if isinstance(element, Decimal) and element.is_finite():
            tree = self.options.tree
            if tree is not None and tree.name == PROGRAMS:
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
        rows = LabelRows.of([label for label, *_ in self._rows], locate, numbers, scores)
        kinds = np.array(self._kinds)[numbers]
        by_kind: dict[_Kind, ParsedLists] = {}
        for kind in dict.fromkeys(self._kinds):
            entries, rules = self._entries(kind, rows.take(np.flatnonzero(kinds == kind)), len(keys))
            by_kind[kind] = self.finish(entries, keys, rules)
        lists = [by_kind[kind].lists[number] for number, kind in enumerate(self._kinds)]
        return ParsedLists(keys, lists, self.broken, self.names_items)

    def _entries(self, kind: _Kind, rows: LabelRows, count: int) -> tuple[LabelRows, ReadingRules]:
        """Return the rows of one kind, and what they mean."""
        assert rows.scores is not None, "rows of JSON have scores, or NaN"
        scored = ~np.isnan(rows.scores)
        if kind == "scores":
            return self._scored(rows, rows.scores, scored, count)
        if kind == "stems" or not scored.any():
            rows.scores = None
        if kind == "stems":
            return _leave_out_others(rows, self), ReadingRules(repeats=True, names_items=self.names_items)
        return rows, ReadingRules(ordered=True, names_items=self.names_items)

    def _scored(
        self, rows: LabelRows, scores: Values, scored: Flags, count: int
    ) -> tuple[LabelRows, ReadingRules]:
        """Return 1 and 0 as what is there and what is not, null as not judged; else scores."""
        sound = ~np.isin(rows.lists, list(self.broken))
        if np.isin(scores[scored], (0.0, 1.0)).all():
            judged_in_part = np.bincount(rows.lists[~scored], minlength=count) > 0
            self.note_unjudged(int(scored[sound].sum()), int(sound.sum()))
            rows.scores, rows.present = None, scores == 1
            judged = np.flatnonzero((scores == 1) | (scored & judged_in_part[rows.lists]))
            closed = ~judged_in_part | self.options.assume_absent
            return rows.take(judged), ReadingRules(closed=closed, names_items=self.names_items)
        missing = np.flatnonzero(~scored & sound)
        if len(missing):
            place = rows.locate(int(missing[0]))
            self.note("KT612", "label without a score left out", len(missing), place)
        return rows.take(np.flatnonzero(scored)), ReadingRules(vector=True, names_items=self.names_items)


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


def read_jams_tags(value: object, places: JsonPlaces, reader: ListReader) -> ParsedLists | None:
    """Read the tags of a JAMS file."""
    return _Jams(reader.problems, reader.options, places).read(value)


@dataclass(eq=False)
class _Jams(ListReader):
    """Reads one document."""

    places: JsonPlaces
    _rows: list[tuple[str, int, float]] = field(default_factory=list, init=False)  # label, list, confidence
    _observations: list[tuple[Observations, int]] = field(default_factory=list, init=False)  # of each row
    _undefined: list[Callable[[], Place]] = field(default_factory=list, init=False)

    def _report(self, pointer: Pointer, message: str) -> None:
        self.problems.report("KT143", message, self.places.of(pointer))

    def read(self, value: object) -> ParsedLists | None:
        """Return a list for each annotation."""
        if not isinstance(value, dict) or not isinstance(value.get("annotations"), list):
            self._report((), "not a JAMS file: it has no list of `annotations`")
            return None
        chosen = self._chosen(value["annotations"])
        for number, (index, annotation) in enumerate(chosen):
            self._add(number, annotation.get("data"), ("annotations", index, "data"))
        if not chosen or not within_row_limit(len(self._rows), self.problems, self.options.limits):
            return None
        if self._undefined:  # the library jams writes NaN where there is none
            message = "confidence is not a number, and counts as none"
            self.note("KT612", message, len(self._undefined), self._undefined[0], "")
        lists = np.array([number for _, number, _ in self._rows], dtype=np.int64)
        scores = np.array([score for *_, score in self._rows], dtype=np.float64)
        entries = LabelRows.of([label for label, *_ in self._rows], self._locate, lists, scores)
        all_ranked = self.options.ranked or _is_marked_ranked(value)
        ordered = [all_ranked or _is_marked_ranked(annotation) for _, annotation in chosen]
        rules = ReadingRules(ordered=np.array(ordered, dtype=bool), repeats=True, score="confidence")
        keys = [("", name) for name in annotator_names([annotation for _, annotation in chosen])]
        return replace(self.finish(entries, keys, rules), metadata=metadata_of(value, chosen))

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
            if not self.problems.has_errors:
                hint = f"namespaces in this file: {', '.join(map(quote, sorted(others))) or 'none'}"
                self.problems.report("KT145", "no annotation of tags", hint=hint)
            return []
        chosen = min(tagged, key=lambda name: (*_PREFERENCE, name).index(name))
        passed = ", ".join(map(quote, sorted({*tagged} - {chosen})))
        if passed:
            message = f"tags of {quote(chosen)} are read, those of {passed} are not"
            self.problems.report("KT628", message, severity="note")
        return tagged[chosen]

    def _add(self, number: int, data: Any, pointer: Pointer) -> None:
        """Add the observations of an annotation."""
        columns = data if isinstance(data, dict) else {}
        lengths = {len(columns[key]) for key in ("value", "confidence") if isinstance(columns.get(key), list)}
        if not (isinstance(data, list) or (isinstance(columns.get("value"), list) and len(lengths) == 1)):
            self._report(pointer, "`data` must be a list of observations")
            return
        observations = Observations(data, pointer, self.places)
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
                self.problems.report("KT143", f"`value` must be a string, {what}", place)

    def _confidence(self, value: object, place: Callable[[], Place]) -> float:
        """Return a confidence, NaN where there is none; report what is no finite number."""
        if value is None or not _is_json(value):
            return math.nan
        number = _float(value)
        if number is None:
            message = f"confidence must be a finite number or null, not {_shown(value)}"
            self.problems.report("KT609", message, place)
            return math.nan
        if math.isnan(number):
            self._undefined.append(place)
        return number

    def _locate(self, entry: int) -> Place:
        observations, row = self._observations[entry]
        return within_quotes(observations.place(row, "value"))


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


def read_metadata(text: str, reader: ListReader) -> ParsedLists | None:
    """Read the instruments of the stems of a recording: MedleyDB, Mixing Secrets and Slakh2100."""
    from kammerton.formats.yaml_text import decode_yaml  # noqa: PLC0415 - few need it, and it takes a while

    document = decode_yaml(text, reader.problems, reader.options.limits)
    if document is None:
        return None
    if document.value is None:
        reader.report_empty()
        return None
    return _Stems(reader.problems, reader.options, document.of).read(document.value)


@dataclass(eq=False)
class _Stems(ListReader):
    """Reads one document."""

    locate: Callable[[Pointer], Place]
    _labels: list[tuple[str, Pointer]] = field(default_factory=list, init=False)

    def read(self, value: object) -> ParsedLists | None:
        """Return the instruments of all stems."""
        stems = value.get(_STEMS) if isinstance(value, dict) else None
        if not isinstance(stems, dict):
            self._refuse((_STEMS,), "no mapping of `stems`")
            return None
        if not stems:
            self.report_empty()
        for name, stem in stems.items():
            if not isinstance(stem, dict):
                self._refuse((_STEMS, name), "stem is no mapping")
        if not self.problems.has_errors:
            self._add_stems(stems)
        if self.problems.has_errors:
            return None
        labels = self._labels
        entries = LabelRows.of([label for label, _ in labels], lambda row: self.locate(labels[row][1]))
        return self.finish(_leave_out_others(entries, self), KEY_OF_ONE_LIST, ReadingRules(repeats=True))

    def _refuse(self, pointer: Pointer, message: str) -> None:
        self.report_unrecognised(self.locate(pointer), message, _FORMS)

    def _add_stems(self, stems: Mapping[str, Mapping[str, object]]) -> None:
        """Add the instruments of the stems that were rendered."""
        members = [key for key in (_INSTRUMENT, _CLASS) if any(key in stem for stem in stems.values())]
        if not members:
            self._refuse((_STEMS,), f"no stem has an `{_INSTRUMENT}` or an `{_CLASS}`")
            return
        silent: list[str] = []
        if members[0] == _CLASS:
            silent = [name for name, stem in stems.items() if str(stem.get(_RENDERED)).lower() == "false"]
        if silent:
            place = self.locate((_STEMS, silent[0], _RENDERED))
            message = "stem that was not rendered is left out"
            self.note("KT627", message, len(silent), place, "such stems")
        for name, stem in stems.items():
            if name not in silent:
                self._add_labels(stem.get(members[0]), (_STEMS, name, members[0]))

    def _add_labels(self, value: object, pointer: Pointer) -> None:
        """Add the instrument, or the instruments, of a stem."""
        if isinstance(value, list):
            for index, element in enumerate(value):
                self._add_labels(element, (*pointer, index))
        elif isinstance(value, str) and value.strip():
            self._labels.append((value, pointer))
        elif value is None or isinstance(value, str):
            self.note("KT627", "stem without an instrument is left out", 1, self.locate(pointer))
        else:
            self.problems.report("KT619", "label must be a string, not a mapping", self.locate(pointer))
