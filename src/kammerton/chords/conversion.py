# SPDX-License-Identifier: MIT
"""Carry chord annotations over to other formats, labels as they were written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from kammerton.chords.annotation import ChordAnnotation
from kammerton.chords.labels import parse
from kammerton.chords.reading import NAMESPACES, ChordOptions, read_tracks
from kammerton.chords.respelling import respell
from kammerton.errors import Diagnostic, LabelError, quote
from kammerton.formats.reading import Problems
from kammerton.formats.writing import left_behind, render_audacity, render_csv, render_jams, render_lab
from kammerton.model.annotations import LabelledIntervals, Place
from kammerton.model.task import Conversion, Reading

__all__ = ["CONVERSION"]

_SUFFIXES = {"lab": ".lab", "jams": ".jams", "audacity": ".txt", "csv": ".csv"}

_RENDERERS: dict[str, Callable[[LabelledIntervals], str]] = {
    "lab": render_lab,
    "audacity": render_audacity,
    "csv": render_csv,
}


def _load(path: str | os.PathLike[str], name: str, options: ChordOptions) -> Reading[LabelledIntervals]:
    """Read rows; a label that is no chord is kept, with a warning, or respelled if ``lenient``."""
    reading = read_tracks(path, name, options)
    problems = Problems(name)
    carried = tuple(
        (track.annotator, _carried(track, problems, lenient=options.lenient)) for track in reading.tracks
    )
    return Reading(carried, (*reading.diagnostics, *problems.diagnostics()))


def _carried(track: LabelledIntervals, problems: Problems, *, lenient: bool) -> LabelledIntervals:
    spelling = {}
    for label in dict.fromkeys(track.labels):
        spelling[label] = label
        try:
            parse(label)
        except LabelError as error:
            respelled = respell(label) if lenient else None
            found = error.diagnostic.at(severity="warning", count=track.labels.count(label))
            if respelled is None:
                found = found.at(message=f"{found.message}; carried over as it is")
            else:
                spelling[label] = respelled
                message = f"{quote(label)} written as {quote(respelled)}"
                found = found.at(code="KT318", message=message, hint=None)
            problems.add(track.locate(track.labels.index(label), "label").diagnose(found))
    return replace(track, labels=[spelling[label] for label in track.labels])


def _render(tracks: Sequence[LabelledIntervals], form: str) -> str:
    if form == "jams":
        return render_jams(tracks, namespace=NAMESPACES[0])
    (track,) = tracks
    return _RENDERERS[form](track)


def _track(annotation: ChordAnnotation, annotator: str | None, name: str) -> LabelledIntervals:
    starts, ends = annotation.intervals.T
    return LabelledIntervals(
        starts, ends, list(annotation.labels), lambda row, _: Place(name, row=row), annotator
    )


def _remark(track: LabelledIntervals, form: str) -> Iterator[Diagnostic]:
    return left_behind(track.metadata if form == "jams" else None)


CONVERSION = Conversion(
    forms=_SUFFIXES, joint=frozenset(("jams",)), load=_load, render=_render, track=_track, remark=_remark
)
