# SPDX-License-Identifier: MIT
"""Carry fingerings over to other formats, labels as they were written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from kammerton.errors import DataError, Diagnostic, OptionError
from kammerton.fingering.annotation import Fingering
from kammerton.fingering.formats import identify, read_fingering, render_csv, render_pig, unfold
from kammerton.fingering.formats.musicxml_writer import render_musicxml
from kammerton.fingering.options import FingeringOptions
from kammerton.model.task import Conversion, Reading

__all__ = ["CONVERSION"]

_SUFFIXES = {"pig": ".txt", "csv": ".csv", "musicxml": ".musicxml"}


def _load(path: str | os.PathLike[str], name: str, options: FingeringOptions) -> Reading[Fingering]:
    """Read a file of notes; labels alone are none, of one recording or of many."""
    sheet = unfold(path, name, options)
    if sheet is not None and (sheet.items or sheet.broken):
        return Reading((), (_without_notes(name),))
    reading = read_fingering(path, name, options)
    if any((fingering.pitches < 0).all() for _, fingering in reading.annotations):
        return Reading((), (*reading.diagnostics, _without_notes(name)))
    return reading


def _without_notes(name: str) -> Diagnostic:
    return Diagnostic(
        code="KT151",
        severity="error",
        message="labels without notes cannot become a score: nothing tells their pitches and times",
        file=name,
        hint="put each label beside its note: a table with the columns onset, offset, pitch and finger",
    )


def _render(tracks: Sequence[Fingering], form: str) -> str:
    (track,) = tracks
    return _RENDERERS[form](track)


def _as_musicxml(fingering: Fingering) -> str:
    try:
        return render_musicxml(fingering)
    except OptionError as error:  # of a file, it is the data that cannot be written
        message = f"cannot be written as MusicXML: {error.message}"
        raise DataError((Diagnostic(code="KT151", severity="error", message=message),)) from None


_RENDERERS: dict[str, Callable[[Fingering], str]] = {
    "pig": render_pig,
    "csv": render_csv,
    "musicxml": _as_musicxml,
}


def _track(fingering: Fingering, _annotator: str | None, _name: str) -> Fingering:
    return fingering


def _stems(item: str, annotators: Sequence[str], form: str) -> list[str] | None:
    """Name files as PIG does, whose annotators are numbers."""
    if form != "pig":
        return None
    are_numbers = all(each.isascii() and each.isdecimal() for each in annotators)
    apart = are_numbers and len(set(annotators)) == len(annotators)
    numbers = annotators if apart else [str(place) for place in range(1, len(annotators) + 1)]
    return [f"{identify(item)[0]}-{number}_fingering" for number in numbers]


def _remark(fingering: Fingering, form: str) -> Iterator[Diagnostic]:
    in_quarters = fingering.unit == "quarters"
    if in_quarters == (form == "musicxml"):
        return
    message = (
        "times are quarter notes, as the score has them: a quarter note counts as a second"
        if in_quarters
        else "times are seconds: a second is written as a quarter note"
    )
    yield Diagnostic(code="KT394", severity="note", message=message)


CONVERSION = Conversion(
    forms=_SUFFIXES,
    joint=frozenset(),
    load=_load,
    render=_render,
    track=_track,
    stems=_stems,
    remark=_remark,
)
