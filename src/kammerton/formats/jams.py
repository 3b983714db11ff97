# SPDX-License-Identifier: MIT
"""JAMS, read as the JSON it is: annotations of a namespace, each of one annotator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Literal, cast

import numpy as np

from kammerton.arrays import Seconds
from kammerton.errors import Severity, quote
from kammerton.formats.intervals import RawIntervals, ends_from_durations, finish
from kammerton.formats.json_places import (
    Document,
    JsonPlaces,
    Pointer,
    decode,
    described,
    offset_of,
    within_quotes,
)
from kammerton.formats.reading import IntervalOptions, Problems, TrackReading, such_rows, within_row_limit
from kammerton.model.annotations import Field, Metadata, Place

_Key = Literal["time", "duration", "value"]
_KEYS: tuple[_Key, ...] = ("time", "duration", "value")
_FIELDS: dict[Field, _Key] = {"start": "time", "end": "duration", "label": "value"}

_SLACK_S = 0.01
"""Durations of files are often rounded: an annotation may pass them by so much."""

_ROUNDING_BEATS = 1e-6

_SECONDS_HINT = "annotations are compared in seconds: use one of a recording (`audio` in ChoCo)"


def read_jams(
    text: str, problems: Problems, options: IntervalOptions, namespaces: Sequence[str]
) -> TrackReading:
    """Read the annotations of some namespaces."""
    if not text.strip():
        return finish([], problems, options)
    places = JsonPlaces(text, problems.file)
    document = decode(places, problems, options.limits)
    if document is None:
        return problems.reading(())
    return _JamsReader(document, places, problems, options).read(namespaces)


_MISSING = object()
"""Stands for a key that an observation does not have."""


class Observations:
    """The data of one annotation: a list of observations or, in old files, an object of columns."""

    def __init__(
        self, data: list[object] | dict[str, list[object]], pointer: Pointer, places: JsonPlaces
    ) -> None:
        self._data = data
        self._pointer = pointer
        self._places = places

    def column(self, key: str) -> list[object]:
        """Return one value per observation; one that is none of JSON where the key is missing."""
        if isinstance(self._data, dict):
            return self._data[key]
        try:
            return [observation[key] for observation in self._data]  # type: ignore[index]
        except (KeyError, TypeError):
            return [
                observation.get(key, _MISSING) if isinstance(observation, dict) else _MISSING
                for observation in self._data
            ]

    def value(self, row: int, key: str) -> object:
        """Return a value of an observation, or None if it has none."""
        if isinstance(self._data, dict):
            column = self._data.get(key)
            return column[row] if isinstance(column, list) and row < len(column) else None
        observation = self._data[row]
        return observation.get(key) if isinstance(observation, dict) else None

    def place(self, row: int, key: str) -> Place:
        """Return the place of a value, or of the observation that lacks it."""
        is_column = isinstance(self._data, dict)
        begin = self._places.elements((*self._pointer, key) if is_column else self._pointer)[row]
        inner = None if is_column else offset_of(self._places.text, (key,), begin)
        return self._places.value(begin if inner is None else inner)


def _what_is_wrong(key: str, value: object) -> str | None:
    """Return why an observation cannot be used, or None if it can."""
    if value is _MISSING:
        return f"observation has no `{key}`"
    expected = str if key == "value" else Decimal
    if isinstance(value, expected):
        return None
    name = "a string" if expected is str else "a number"
    return f"`{key}` must be {name}, not {described(value)}"


class _JamsReader:
    """Reads one document."""

    def __init__(
        self, document: Document, places: JsonPlaces, problems: Problems, options: IntervalOptions
    ) -> None:
        self._document = document
        self._places = places
        self._problems = problems
        self._options = options

    def read(self, namespaces: Sequence[str]) -> TrackReading:
        """Return a track for each annotation of the namespaces."""
        wanted = self._annotations(namespaces)
        self._report_score_times([index for index, _ in wanted])
        if self._problems.has_errors:
            return self._problems.reading(())
        names = annotator_names([annotation for _, annotation in wanted])
        metadata = metadata_of(self._document.value, wanted)
        tracks = []
        for (index, annotation), name, about in zip(wanted, names, metadata, strict=True):
            rows = self._rows(annotation, ("annotations", index, "data"))
            if rows is not None and not self._reports_beats(rows):
                rows.annotator = name
                rows.metadata = about
                tracks.append(rows)
        self._report_late_ends(tracks)
        for rows in tracks if any(rows.labels for rows in tracks) else ():
            if not rows.labels:
                message = f"annotation without observations skipped: annotator {quote(rows.annotator or '')}"
                self._problems.report("KT110", message, severity="warning")
        return finish(tracks, self._problems, self._options)

    def _report(self, pointer: Pointer, code: str, message: str, hint: str | None = None) -> None:
        self._problems.report(code, message, partial(self._places.of, pointer), hint=hint)

    def _report_score_times(self, indices: Sequence[int]) -> None:
        """Refuse a file whose sandbox says that it is of a score, as ChoCo's do."""
        sandboxes: list[Pointer] = [("sandbox",), *(("annotations", index, "sandbox") for index in indices)]
        for pointer in sandboxes:
            kind = _value_at(self._document.value, (*pointer, "type"))
            if isinstance(kind, str) and kind.strip().lower() == "score":
                message = "times are measure.beat of a score, not seconds: `type` of the sandbox is `score`"
                self._report((*pointer, "type"), "KT148", message, _SECONDS_HINT)

    def _reports_beats(self, rows: RawIntervals) -> bool:
        """Report times of a score that does not say so; return whether the rows cannot be used."""
        row = _first_beat(rows)
        if row is None:
            return False
        severity: Severity = "error" if self._options.overlap == "error" else "warning"
        message = "times look like measure.beat of a score, not seconds"
        self._problems.report(
            "KT148", message, rows.locate(row, "start"), severity=severity, hint=_SECONDS_HINT
        )
        return severity == "error"

    def _annotations(self, namespaces: Sequence[str]) -> list[tuple[int, dict[str, object]]]:
        """Return the annotations of the namespaces, each with its index."""
        annotations = _value_at(self._document.value, ("annotations",))
        if not isinstance(annotations, list):
            self._report((), "KT143", "not a JAMS file: it has no list of `annotations`")
            return []
        others: set[str] = set()
        wanted = []
        for index, annotation in enumerate(annotations):
            namespace = annotation.get("namespace") if isinstance(annotation, dict) else None
            if not isinstance(namespace, str):
                self._report(("annotations", index), "KT143", "annotation has no `namespace`")
            elif namespaces and namespace not in namespaces:
                others.add(namespace)
            else:
                wanted.append((index, annotation))
        if not wanted and not self._problems.has_errors:
            asked = " or ".join(map(quote, namespaces))
            message = f"no annotation of namespace {asked}" if namespaces else "no annotation"
            listed = ", ".join(map(quote, sorted(others))) or "none"
            self._problems.report("KT145", message, hint=f"namespaces in this file: {listed}")
        return wanted

    def _rows(self, annotation: dict[str, object], pointer: Pointer) -> RawIntervals | None:
        """Return the observations of one annotation, or None if its structure is invalid."""
        observations = self._observations(annotation.get("data"), pointer)
        if observations is None:
            return None
        columns = {key: observations.column(key) for key in _KEYS}
        count = len(columns["time"])
        if not within_row_limit(count, self._problems, self._options.limits):
            return None
        usable = self._usable(columns, observations)
        if len(usable) < count:
            columns = {key: [column[row] for row in usable] for key, column in columns.items()}
        if "NaN" in self._places.text or "Infinity" in self._places.text:
            self._report_confidences(observations, annotation)

        def locate(row: int, field: Field) -> Place:
            place = observations.place(usable[row], _FIELDS[field])
            if field == "label":  # within the quotes, so that columns of a label add up
                place = within_quotes(place)
            return place

        times, durations = (cast(list[Decimal], columns[key]) for key in ("time", "duration"))
        starts = _floats(times)
        return RawIntervals(
            starts,
            ends_from_durations(starts, times, durations),
            cast(list[str], columns["value"]),
            locate,
            partial(_floats, durations),
            confidence=lambda row: observations.value(usable[row], "confidence"),
        )

    def _observations(self, data: object, pointer: Pointer) -> Observations | None:
        if isinstance(data, list):
            return Observations(data, pointer, self._places)
        columns = [data.get(key) for key in _KEYS] if isinstance(data, dict) else []
        lengths = {len(column) if isinstance(column, list) else None for column in columns}
        if isinstance(data, dict) and len(lengths) == 1 and None not in lengths:
            return Observations(data, pointer, self._places)
        message = "`data` must be a list of observations"
        if isinstance(data, dict):
            message = "`data` must have lists `time`, `duration` and `value` of one length"
        self._report(pointer, "KT143", message)
        return None

    def _usable(self, columns: dict[_Key, list[object]], observations: Observations) -> Sequence[int]:
        """Return the rows whose values are of the right kind, and report the others."""
        kinds = {key: set(map(type, column)) for key, column in columns.items()}
        if kinds["time"] | kinds["duration"] <= {Decimal} and kinds["value"] <= {str}:
            return range(len(columns["time"]))
        usable = []
        for row, values in enumerate(zip(*columns.values(), strict=True)):
            wrong = [(key, _what_is_wrong(key, value)) for key, value in zip(columns, values, strict=True)]
            for key, message in wrong:
                if message is not None:
                    self._problems.report("KT143", message, partial(observations.place, row, key))
            if not any(message for _, message in wrong):
                usable.append(row)
        return usable

    def _report_confidences(self, observations: Observations, annotation: dict[str, object]) -> None:
        """Note confidences that are no numbers: jams writes NaN where there is none."""
        data = annotation["data"]
        if isinstance(data, dict) and not isinstance(data.get("confidence"), list):
            return
        odd = [
            row
            for row, value in enumerate(observations.column("confidence"))
            if isinstance(value, Decimal) and not value.is_finite()
        ]
        if odd:
            message = f"confidence is not a number, and counts as none{such_rows(len(odd))}"
            self._problems.report(
                "KT144",
                message,
                partial(observations.place, odd[0], "confidence"),
                severity="note",
                count=len(odd),
            )

    def _report_late_ends(self, tracks: Sequence[RawIntervals]) -> None:
        """Warn of observations that end after the file does."""
        pointer = ("file_metadata", "duration")
        duration = _value_at(self._document.value, pointer)
        if duration is None:
            return
        if not isinstance(duration, Decimal):
            self._report(pointer, "KT143", f"`duration` must be a number, not {described(duration)}")
            return
        if not duration.is_finite():
            self._report(pointer, "KT122", f"time is not finite: {quote(str(duration))}")
            return
        for rows in tracks:
            beyond = np.flatnonzero((rows.ends > float(duration) + _SLACK_S) & np.isfinite(rows.ends))
            if len(beyond):
                first = int(beyond[0])
                message = (
                    f"observation ends at {rows.ends[first]:.6g} s, after the file ({float(duration):.6g} s)"
                )
                self._problems.report(
                    "KT147",
                    message + such_rows(len(beyond)),
                    partial(rows.locate, first, "end"),
                    severity="warning",
                    count=len(beyond),
                )


def _value_at(value: object, pointer: Pointer) -> object:
    """Return a value of a document, or None if there is none."""
    for step in pointer:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int):
            value = value[step]
        else:
            return None
    return value


def _first_beat(rows: RawIntervals) -> int | None:
    """Return the first row that overlaps another, if the rows overlap because their times are measure.beat.

    Then ``2.15`` is beat 1.5 of measure 2, and durations are beats: ten times the distance to the next row
    within a measure, or, where each measure has one row, as many beats as all measures have.
    """
    overlaps = np.flatnonzero(rows.ends[:-1] > rows.starts[1:] + _SLACK_S)
    if not len(overlaps) or not np.isfinite(rows.starts).all() or not np.isfinite(rows.ends).all():
        return None
    starts, lasting, steps = rows.starts[:-1], (rows.ends - rows.starts)[:-1], np.diff(rows.starts)
    if not (steps >= 0).all():
        return None
    within = (np.floor(starts) == np.floor(rows.starts[1:])) & (steps > 0)
    if within.any():
        in_beats = np.abs(10 * steps - lasting)[within] < _ROUNDING_BEATS
        return int(overlaps[0]) + 1 if in_beats.mean() > 0.5 else None
    beats = lasting[steps > 0] / steps[steps > 0]
    if len(beats) < 2 or not 2 <= round(beats[0]) <= 12 or np.ptp(starts % 1) > _ROUNDING_BEATS:
        return None
    alike = (np.abs(beats - round(beats[0])) < _ROUNDING_BEATS).all()
    return int(overlaps[0]) + 1 if alike else None


def _floats(numbers: list[Decimal]) -> Seconds:
    return np.fromiter(map(float, numbers), np.float64, len(numbers))


def metadata_of(document: object, annotations: Sequence[tuple[int, Mapping[str, object]]]) -> list[Metadata]:
    """Return the other content of a file, beside the data of the task's annotations."""
    members = document if isinstance(document, dict) else {}
    mine = {index for index, _ in annotations}
    rest = [annotation for index, annotation in enumerate(members["annotations"]) if index not in mine]
    others = {
        annotation["namespace"]
        for annotation in rest
        if isinstance(annotation, dict) and "namespace" in annotation
    }
    file = {key: value for key, value in members.items() if key != "annotations"}
    return [
        Metadata(
            file,
            {key: value for key, value in annotation.items() if key not in ("namespace", "data")},
            tuple(sorted(name for name in others if isinstance(name, str))),
        )
        for _, annotation in annotations
    ]


def annotator_names(annotations: Sequence[Mapping[str, object]]) -> list[str | None]:
    """Return the annotator of each annotation: as in the file, else by number; no name twice."""
    if len(annotations) == 1:
        return [_annotator(annotations[0])]
    names: dict[str | None, None] = {}
    met: dict[str, int] = {}
    for number, annotation in enumerate(annotations, 1):
        name = unique = _annotator(annotation) or str(number)
        while unique in names:
            met[name] = met.get(name, 1) + 1
            unique = f"{name} ({met[name]})"
        names[unique] = None
    return list(names)


def _annotator(annotation: Mapping[str, object]) -> str | None:
    """Return what the metadata call the annotator, else the curator."""
    metadata = annotation.get("annotation_metadata")
    for role in ("annotator", "curator"):
        person = metadata.get(role) if isinstance(metadata, dict) else None
        for key in ("name", "email"):
            name = person.get(key) if isinstance(person, dict) else None
            if isinstance(name, str) and name.strip():
                return name.strip()
    return None
