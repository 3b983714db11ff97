# SPDX-License-Identifier: MIT
"""Labelled intervals as text; every reader of ours gives back exactly what was written.

Times are written in the fewest digits that mean the same double.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from kammerton.errors import DataError, Diagnostic, quote
from kammerton.formats.jams import annotator_names
from kammerton.formats.tables import render_rows
from kammerton.formats.times import EXACT
from kammerton.model.annotations import LabelledIntervals, Metadata

__all__ = [
    "JamsPart",
    "jams_document",
    "left_behind",
    "render_audacity",
    "render_csv",
    "render_jams",
    "render_lab",
]

_JAMS_VERSION = "0.3.4"
_WHOLE = 1e18
"""Whole numbers below are written as such."""


def render_lab(track: LabelledIntervals) -> str:
    """Write rows of start, end and label between tabs.

    Raises
    ------
    DataError
        KT151 if a label has tabs, line ends or blanks around it, or is empty.
    """
    _check_labels(track, ".lab", "\t")
    return _lines(track)


def _lines(track: LabelledIntervals) -> str:
    """Write rows between tabs; a label that begins with a quote stands within quotes."""
    return "".join(f"{start!r}\t{end!r}\t{_quoted(label)}\n" for start, end, label in _rows(track))


def _quoted(label: str) -> str:
    doubled = label.replace('"', '""')
    return f'"{doubled}"' if label.startswith('"') else label


def render_audacity(track: LabelledIntervals) -> str:
    """Write a label track of Audacity; it has the form of :func:`render_lab`."""
    _check_labels(track, "an Audacity label track", "\t")
    return _lines(track)


def render_csv(track: LabelledIntervals) -> str:
    """Write comma-separated rows below the header ``start,end,label``.

    Raises
    ------
    DataError
        KT151 if a label has line ends or blanks around it, or is empty.
    """
    _check_labels(track, "CSV", "")
    rows = ((repr(start), repr(end), label) for start, end, label in _rows(track))
    return render_rows((("start", "end", "label"), *rows))


def render_jams(
    tracks: Sequence[LabelledIntervals], *, namespace: str, duration_s: float | None = None
) -> str:
    """Write a JAMS file with one annotation per track.

    Start and duration, added as they are written, give the end.

    Parameters
    ----------
    tracks : sequence of LabelledIntervals
        One per annotator.
    namespace : str
        JAMS namespace of them all.
    duration_s : float, optional
        Duration of the recording; by default the last end.

    Raises
    ------
    DataError
        KT151 if a label cannot be written in any encoding.
    """
    for track in tracks:
        for row, label in enumerate(track.labels):
            if not _is_writable(label):
                raise _unwritable(track, row, "JAMS", "half a surrogate pair")
    ends = [float(track.ends.max()) for track in tracks if len(track.ends)]
    parts = [
        JamsPart(namespace, track.annotator, "".join(_observations(track)), track.metadata)
        for track in tracks
    ]
    return jams_document(parts, max(ends, default=0.0), duration_s=duration_s)


@dataclass(frozen=True, slots=True)
class JamsPart:
    """An annotation as JAMS has it.

    Parameters
    ----------
    namespace : str
    annotator : str or None
    observations : str
        Observations as JSON, with commas and line ends between them.
    metadata : Metadata, optional
        What the file it was read from says beside the observations, which is kept.
    ranked : bool
        Whether the order of observations ranks them, which the sandbox then says.
    """

    namespace: str
    annotator: str | None
    observations: str
    metadata: Metadata | None = None
    ranked: bool = False


def jams_document(parts: Sequence[JamsPart], last_end_s: float, *, duration_s: float | None = None) -> str:
    """Write a JAMS file; what the file of its annotations says beside them is kept.

    Parameters
    ----------
    parts : sequence of JamsPart
        All of one recording.
    last_end_s : float
        Duration of the recording if no file tells it.
    duration_s : float, optional
        Duration of the recording, whatever a file says.
    """
    read = [part.metadata for part in parts if part.metadata is not None]
    members: dict[str, Any] = _plain(read[0].file) if read else {}
    of_file: dict[str, Any] = {"identifiers": {}, "jams_version": _JAMS_VERSION, "duration": None}
    of_file |= _object(members.pop("file_metadata", None)) | {"jams_version": _JAMS_VERSION}
    if duration_s is not None or of_file["duration"] is None:
        of_file["duration"] = last_end_s if duration_s is None else duration_s
    abouts = [{} if part.metadata is None else _plain(part.metadata.annotation) for part in parts]
    names = annotator_names(abouts)
    annotations = ",\n".join(
        _annotation(part, about, name, of_file["duration"])
        for part, about, name in zip(parts, abouts, names, strict=True)
    )
    head = _members({"file_metadata": of_file})
    tail = _members({**members, "sandbox": _object(members.get("sandbox"))})
    return f'{{\n{head},\n"annotations": [\n{annotations}\n],\n{tail}\n}}\n'


def left_behind(metadata: Metadata | None) -> Iterator[Diagnostic]:
    """Say which annotations of a file are of another task, so that a JAMS file made of it lacks them."""
    if metadata is not None and metadata.others:
        listed = ", ".join(map(quote, metadata.others))
        message = f"annotations of other namespaces are not carried over: {listed}"
        yield Diagnostic(code="KT149", severity="note", message=message)


def _rows(track: LabelledIntervals) -> Iterator[tuple[float, float, str]]:
    return zip(track.starts.tolist(), track.ends.tolist(), track.labels, strict=True)


def _annotation(part: JamsPart, about: dict[str, Any], name: str | None, duration: float) -> str:
    """Write an annotation; ``name`` is what readers call its annotator unless the name is written anew."""
    person = _object(about.pop("annotation_metadata", None))
    if part.annotator is not None and part.annotator != name:
        person["annotator"] = _object(person.get("annotator")) | {"name": part.annotator}
    head = {"namespace": part.namespace, "annotation_metadata": person}
    tail = {"time": 0, "duration": duration, "sandbox": {}}
    tail |= {key: value for key, value in about.items() if value is not None}
    if part.ranked:
        tail["sandbox"] = _object(tail["sandbox"]) | {"ranked": True}
    return f'{{{_members(head)}, "data": [\n{part.observations}\n], {_members(tail)}}}'


def _observations(track: LabelledIntervals) -> Iterator[str]:
    """Give the rows of a track as JSON, with commas and line ends between them."""
    for row, (start, end, label) in enumerate(_rows(track)):
        confidence = None if track.confidence is None else _plain(track.confidence(row))
        yield (",\n" if row else "") + (
            f'{{"time": {start!r}, "duration": {_duration(start, end)}, '
            f'"value": {json.dumps(label, ensure_ascii=False)}, '
            f'"confidence": {json.dumps(confidence, ensure_ascii=False)}}}'
        )


def _members(values: Mapping[str, object]) -> str:
    """Return the members of a JSON object, without its braces."""
    return json.dumps(values, ensure_ascii=False)[1:-1]


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _plain(value: Any) -> Any:
    """Return a JSON value with numbers that can be written: NaN and what no double holds become null."""
    if isinstance(value, dict):
        return {key: _plain(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_plain(member) for member in value]
    if isinstance(value, Decimal):
        double = float(value)
        if value.as_tuple().exponent == 0 and abs(double) < _WHOLE:
            return int(value)
        return double if math.isfinite(double) else None
    return value


def _duration(start: float, end: float) -> str:
    """Return a duration that gives the end when it is added to the start.

    It should do so in the decimal arithmetic of our reader and in the binary one of others, for whom an
    end that is an ulp too late is an overlap. Where no double does both, ours comes first.
    """
    exact = EXACT.subtract(Decimal(repr(end)), Decimal(repr(start)))
    for double in (float(exact), end - start):
        if start + double == end and float(EXACT.add(Decimal(repr(start)), Decimal(repr(double)))) == end:
            return repr(double)
    return str(exact)


def _check_labels(track: LabelledIntervals, form: str, separators: str) -> None:
    for row, label in enumerate(track.labels):
        reason = _obstacle(label, separators)
        if reason is not None:
            raise _unwritable(track, row, form, reason)


def _obstacle(label: str, separators: str) -> str | None:
    """Say what keeps a label from being written between separators, if anything does."""
    if not label:
        return "it is empty"
    if label != label.strip(" \t"):
        return "it has blanks around it"
    for character, name in (("\n", "a line end"), ("\r", "a line end"), ("\0", "a NUL"), ("\t", "a tab")):
        if character in label and (character != "\t" or character in separators):
            return f"it has {name}"
    return None if _is_writable(label) else "half a surrogate pair"


def _is_writable(label: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in label)


def _unwritable(track: LabelledIntervals, row: int, form: str, reason: str) -> DataError:
    message = f"label cannot be written as {form}, {reason}: {quote(track.labels[row])}"
    problem = Diagnostic(code="KT151", severity="error", message=message, hint="JAMS can hold any text")
    return DataError((track.locate(row, "label").diagnose(problem),))
