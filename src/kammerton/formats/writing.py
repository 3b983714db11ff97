# SPDX-License-Identifier: MIT
"""Labelled intervals as text; every reader of ours gives back exactly what was written.

Times are written in the fewest digits that mean the same double.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from decimal import Decimal

from kammerton.errors import DataError, Diagnostic, quote
from kammerton.formats.times import EXACT
from kammerton.model.annotations import LabelledIntervals

__all__ = ["render_audacity", "render_csv", "render_jams", "render_lab"]

_JAMS_VERSION = "0.3.4"


def render_lab(track: LabelledIntervals) -> str:
    """Write rows of start, end and label between tabs.

    Raises
    ------
    DataError
        KT151 if a label has tabs, line ends or blanks around it, or is empty.
    """
    _check_labels(track, ".lab", "\t")
    return "".join(f"{start!r}\t{end!r}\t{label}\n" for start, end, label in _rows(track))


def render_audacity(track: LabelledIntervals) -> str:
    """Write a label track of Audacity; it has the form of :func:`render_lab`."""
    _check_labels(track, "an Audacity label track", "\t")
    return "".join(f"{start!r}\t{end!r}\t{label}\n" for start, end, label in _rows(track))


def render_csv(track: LabelledIntervals) -> str:
    """Write comma-separated rows below the header ``start,end,label``.

    Raises
    ------
    DataError
        KT151 if a label has line ends or blanks around it, or is empty.
    """
    _check_labels(track, "CSV", "")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("start", "end", "label"))
    writer.writerows((repr(start), repr(end), label) for start, end, label in _rows(track))
    return text.getvalue()


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
    duration = max(ends, default=0.0) if duration_s is None else duration_s
    annotations = ",\n".join(_annotation(track, namespace, duration) for track in tracks)
    metadata = json.dumps({"identifiers": {}, "jams_version": _JAMS_VERSION, "duration": duration})
    return f'{{\n"file_metadata": {metadata},\n"annotations": [\n{annotations}\n],\n"sandbox": {{}}\n}}\n'


def _rows(track: LabelledIntervals) -> Iterator[tuple[float, float, str]]:
    return zip(track.starts.tolist(), track.ends.tolist(), track.labels, strict=True)


def _annotation(track: LabelledIntervals, namespace: str, duration: float) -> str:
    about = {} if track.annotator is None else {"annotator": {"name": track.annotator}}
    observations = ",\n".join(
        f'{{"time": {start!r}, "duration": {_duration(start, end)}, '
        f'"value": {json.dumps(label, ensure_ascii=False)}, "confidence": null}}'
        for start, end, label in _rows(track)
    )
    head = json.dumps({"namespace": namespace, "annotation_metadata": about}, ensure_ascii=False)[:-1]
    tail = json.dumps({"time": 0, "duration": duration, "sandbox": {}})[1:]
    return f'{head}, "data": [\n{observations}\n], {tail}'


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
