# SPDX-License-Identifier: MIT
"""Carry lists of instruments over to other formats: those of one recording, or of all in a table."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from kammerton.errors import DataError, Diagnostic, inflected, plural
from kammerton.formats.writing import left_behind
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.formats import read_with_metadata, unfold
from kammerton.instruments.formats.writing import Entry, render_jams, render_qrels, render_run, render_table
from kammerton.instruments.options import InstrumentOptions
from kammerton.model.annotations import Metadata
from kammerton.model.task import Conversion, Reading

__all__ = ["CONVERSION", "Track"]

_SUFFIXES = {"jams": ".jams", "csv": ".csv", "qrels": ".qrels", "run": ".run"}


@dataclass(frozen=True, slots=True)
class Track:
    """What one annotator, or a system, says in a file.

    Parameters
    ----------
    file : str
        What diagnostics call the file.
    annotator : str or None
        None where the file does not tell.
    lists : tuple of (str or None, InstrumentList)
        By item; the item is None if the file is one and does not name it.
    metadata : Metadata, optional
        What a JAMS file says beside them.
    """

    file: str
    annotator: str | None
    lists: tuple[tuple[str | None, InstrumentList], ...]
    metadata: Metadata | None = None


def _load(path: str | os.PathLike[str], name: str, options: InstrumentOptions) -> Reading[Track]:
    """Read a file of one item or of many; of a table, nothing is carried over if an item is broken."""
    sheet = unfold(path, name, options)
    if sheet is None:
        reading, metadata = read_with_metadata(path, name, options)
        tracks = [
            (who, Track(name, who, ((None, found),), about))
            for (who, found), about in zip_longest(reading.annotations, metadata)
        ]
        return Reading(tuple(tracks), reading.diagnostics)
    if sheet.broken or any(each.severity == "error" for each in sheet.diagnostics):
        return Reading((), sheet.diagnostics)
    lists: dict[str | None, list[tuple[str | None, InstrumentList]]] = {}
    for item, said in sheet.items.items():
        for annotator, found in said:
            lists.setdefault(annotator, []).append((item, found))
    carried = tuple((who, Track(name, who, tuple(found))) for who, found in lists.items())
    return Reading(carried, sheet.diagnostics)


_RENDERERS: dict[str, Callable[[Sequence[Entry]], str]] = {
    "jams": render_jams,
    "csv": render_table,
    "qrels": render_qrels,
    "run": render_run,
}


def _telling(track: Track) -> list[tuple[str | None, InstrumentList]]:
    """Return the lists of a track without those that nobody judged, if all others are closed."""
    telling = [(item, each) for item, each in track.lists if each.closed or len(each) or each.absent]
    mixed = telling and all(each.closed for _, each in telling)
    return telling if mixed else [*track.lists]


def _render(tracks: Sequence[Track], form: str) -> str:
    entries = [
        Entry(item, track.annotator, found, track.metadata)
        for track in tracks
        for item, found in _telling(track)
    ]
    try:
        return _RENDERERS[form](entries)
    except DataError as error:
        raise DataError([each.at(file=tracks[0].file) for each in error.diagnostics]) from None


def _track(found: InstrumentList, annotator: str | None, name: str) -> Track:
    return Track(name, annotator, ((None, found),))


def _remark(track: Track, form: str) -> Iterator[Diagnostic]:
    left_out = len(track.lists) - len(_telling(track))
    if left_out:
        items = f"{plural(left_out, 'item')} {inflected(left_out, 'is', 'are')}"
        message = f"{items} left out, of whose instruments nothing is known"
        hint = "--assume-absent writes them as items without instruments"
        yield Diagnostic(
            code="KT666", severity="note", message=message, file=track.file, hint=hint, count=left_out
        )
    yield from left_behind(track.metadata if form == "jams" else None)


CONVERSION = Conversion(
    forms=_SUFFIXES,
    joint=frozenset(("jams", "csv")),
    load=_load,
    render=_render,
    track=_track,
    remark=_remark,
)
