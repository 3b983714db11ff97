# SPDX-License-Identifier: MIT
"""Tags in JAMS: each annotation of a ``tag_*`` namespace is the list of an annotator.

A tag may cover a part of the recording: it then counts for all of it, and the time is not looked at.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic, Severity, quote
from kammerton.formats.budgets import keeps_rows
from kammerton.formats.jams import Observations, annotator_names, described, metadata_of
from kammerton.formats.json_positions import JsonPlaces, Pointer
from kammerton.formats.reading import Problems
from kammerton.instruments.assembling import Manner
from kammerton.instruments.entries import Entries
from kammerton.instruments.finishing import finish
from kammerton.instruments.formats.source import Source
from kammerton.instruments.options import InstrumentOptions
from kammerton.model.annotations import Place

__all__ = ["is_jams", "read_jams_tags"]

_PREFERENCE = ("tag_medleydb_instruments", "tag_audioset_instruments", "tag_open", "tag_audioset")
"""Namespaces of instruments, and those that may have them; others come after."""


def is_jams(value: object) -> bool:
    """Tell whether a JSON value is built like JAMS."""
    return isinstance(value, dict) and isinstance(value.get("annotations"), list)


def read_jams_tags(
    value: object, places: JsonPlaces, problems: Problems, options: InstrumentOptions
) -> Source | None:
    """Read the tags of a file.

    Parameters
    ----------
    value : object
        Parsed, with numbers as ``Decimal``.
    places : JsonPlaces
        Finds values in the text.
    problems : Problems
        Takes every problem found.
    options : InstrumentOptions

    Returns
    -------
    Source or None
        A list for each annotation, ranked by confidence if there is one; else by its order if the sandbox of
        the annotation or of the file has ``"ranked": true``, or the caller says so. Of several namespaces of
        tags, one for instruments counts before ``tag_open``, and that before others; the others are
        noted.
    """
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
        entries = Entries.of(self._labels, np.array(self._lists, dtype=np.int64), self._locate)
        entries.scores = np.array(self._scores, dtype=np.float64)
        manner = Manner(ordered=self._ranked(value, wanted), repeats=True, score="confidence")
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
