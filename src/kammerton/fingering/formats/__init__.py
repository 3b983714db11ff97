# SPDX-License-Identifier: MIT
"""The formats of fingerings, and which of them a file has."""

from __future__ import annotations

import os

from kammerton.errors import DataError, Diagnostic
from kammerton.fingering.annotation import Fingering
from kammerton.fingering.formats.named_notes import (
    find_header,
    is_index,
    parse_json,
    parse_note_table,
    unfold_json,
)
from kammerton.fingering.formats.notes import DEFAULT_OPTIONS, FingeringOptions
from kammerton.fingering.formats.pig import parse_pig
from kammerton.formats.reading import Problems, read_one
from kammerton.formats.source import explained, read_text
from kammerton.model.task import ItemReadings, Reading

__all__ = ["SUFFIXES", "parse_fingering", "read", "read_fingering", "unfold"]

SUFFIXES = frozenset((".txt", ".tsv", ".csv", ".json", ".musicxml", ".xml", ".mxl", ".abcd"))
"""Suffixes of files of fingerings."""
_SCORES = frozenset((".musicxml", ".xml", ".mxl"))


def read_fingering(
    path: str | os.PathLike[str], name: str | None = None, options: FingeringOptions = DEFAULT_OPTIONS
) -> Reading[Fingering]:
    """Read a file of fingerings, whichever format it has."""
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
    from kammerton.fingering.formats.musicxml import read_score  # noqa: PLC0415 - most files are no scores

    return read_score(path, shown, options)


def unfold(
    path: str | os.PathLike[str], name: str | None = None, options: FingeringOptions = DEFAULT_OPTIONS
) -> ItemReadings[Fingering] | None:
    """Read a file of several pieces, which are labels of recordings in JSON; or of none.

    A table that lists pieces, and has no column of notes, holds none.
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
    return ItemReadings({}, {}, (Diagnostic(code="KT205", severity="note", message=message, file=shown),))


def parse_fingering(
    text: str, *, name: str, options: FingeringOptions = DEFAULT_OPTIONS, suffix: str = ""
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


def read(
    path: str | os.PathLike[str], *, annotator: str | None = None, options: FingeringOptions | None = None
) -> Fingering:
    r"""Read the fingering of one piece from a file.

    Parameters
    ----------
    path : path
        A file of any format that fingerings are read from: PIG, a table of notes, JSON, MusicXML or abcDF.
    annotator : str, optional
        Which annotation, where the file holds several.
    options : FingeringOptions, optional
        How it is read.

    Returns
    -------
    Fingering
        Its times are in seconds, or in quarter notes if ``unit`` says so; its labels, in the notation of PIG.

    Raises
    ------
    DataError
        If the file cannot be used.
    OptionError
        If it holds several annotations and ``annotator`` names none of them.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "scale.csv")
    ...     written = path.write_text("onset,offset,pitch,hand,finger\n0,1,C4,right,1\n1,2,D4,right,2\n")
    ...     fingering = read(path)
    >>> fingering.labels, fingering.pitches.tolist(), fingering.unit
    (('1', '2'), [60, 62], 's')
    """
    return read_one(read_fingering, path, annotator, options or FingeringOptions())
