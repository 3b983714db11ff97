# SPDX-License-Identifier: MIT
"""Which reader a file of fingerings belongs to."""

from __future__ import annotations

import os

from kammerton.errors import DataError, Diagnostic
from kammerton.fingering.annotation import Fingering
from kammerton.fingering.formats.note_table import find_header, is_index, parse_note_table
from kammerton.fingering.formats.options import DEFAULT_OPTIONS, ReadingOptions
from kammerton.fingering.formats.pianovam import parse_json, unfold_json
from kammerton.fingering.formats.pig import parse_pig
from kammerton.formats.kinds import explained
from kammerton.formats.reading import Problems
from kammerton.formats.source import read_text
from kammerton.model.task import Reading, Sheet

__all__ = ["SUFFIXES", "parse_fingering", "read_fingering", "unfold"]

SUFFIXES = frozenset((".txt", ".tsv", ".csv", ".json", ".musicxml", ".xml", ".mxl", ".abcd"))
"""Suffixes of files of fingerings."""

_SCORES = frozenset((".musicxml", ".xml", ".mxl"))


def read_fingering(
    path: str | os.PathLike[str], name: str | None = None, options: ReadingOptions = DEFAULT_OPTIONS
) -> Reading[Fingering]:
    """Read a file of fingerings, whichever format it has.

    Parameters
    ----------
    path : path
        A regular file: PIG, a table of notes, JSON, MusicXML or abcDF.
    name : str, optional
        What diagnostics call it; by default its path.
    options : ReadingOptions
        What the caller says about it.

    Returns
    -------
    Reading
        One annotation per annotator. Never raises for what a file can hold: an unusable file has no
        annotations, and diagnostics that say why.
    """
    shown = os.fsdecode(path) if name is None else name
    suffix = os.path.splitext(os.fsdecode(path))[1].lower()  # noqa: PTH122 - pathlib is slow for many files
    if suffix not in _SCORES:
        try:
            text = read_text(path, name=shown, encoding=options.encoding, limits=options.limits)
        except DataError as error:
            return Reading((), error.diagnostics)
        if not text.lstrip().startswith("<"):
            reading = parse_fingering(text, name=shown, options=options, suffix=suffix)
            if reading.annotations:
                return reading
            return Reading((), explained(reading.diagnostics, text, "fingering", shown))
    from kammerton.fingering.formats.mxl import read_score  # noqa: PLC0415 - most files are no scores

    return read_score(path, shown, options)


def unfold(
    path: str | os.PathLike[str], name: str | None = None, options: ReadingOptions = DEFAULT_OPTIONS
) -> Sheet[Fingering] | None:
    """Read a file of several pieces, which are labels of recordings in JSON; or of none.

    A table that lists pieces, and has no column of notes, holds none.

    Parameters
    ----------
    path, name, options
        As of :func:`read_fingering`.

    Returns
    -------
    Sheet or None
        None if the file is of one piece, or cannot be read: then :func:`read_fingering` says why.
    """
    suffix = os.path.splitext(os.fsdecode(path))[1].lower()  # noqa: PTH122 - pathlib is slow for many files
    if suffix not in (".json", ".csv", ".tsv"):
        return None
    shown = os.fsdecode(path) if name is None else name
    try:
        text = read_text(path, name=shown, encoding=options.encoding, limits=options.limits)
    except DataError:
        return None
    if suffix == ".json":
        return unfold_json(text, shown, options)
    header = find_header(text, expected=True)
    if header is None or not is_index(header):
        return None
    message = "ignored: it lists pieces, and has no column of notes"
    return Sheet({}, {}, (Diagnostic(code="KT205", severity="note", message=message, file=shown),))


def parse_fingering(
    text: str, *, name: str, options: ReadingOptions = DEFAULT_OPTIONS, suffix: str = ""
) -> Reading[Fingering]:
    """Read the text of a file that is no score in XML as :func:`read_fingering` does."""
    problems = Problems(name)
    begin = text.lstrip()[:2]
    if suffix == ".json" or begin[:1] in ("{", "["):
        return parse_json(text, problems, options)
    if suffix == ".abcd" or begin == "X:" or begin[:1] == "%":
        from kammerton.fingering.formats.abcdf import parse_abcdf  # noqa: PLC0415 - most files are none

        return parse_abcdf(text, problems, options)
    header = find_header(text, expected=suffix in (".csv", ".tsv"))
    if header is not None:
        return parse_note_table(text, header, problems, options)
    return parse_pig(text, problems, options)
