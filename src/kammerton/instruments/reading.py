# SPDX-License-Identifier: MIT
"""Which reader a file of instruments belongs to."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import PurePath

from kammerton.errors import DataError
from kammerton.formats.json_places import JsonPlaces, decode
from kammerton.formats.reading import Problems, read_one
from kammerton.formats.source import open_regular, read_bytes, read_text, text_kind
from kammerton.formats.tables import Header, first_row, read_table
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.formats.documents import (
    is_jams,
    is_one_item,
    read_jams_tags,
    read_json,
    read_metadata,
)
from kammerton.instruments.formats.label_lines import (
    is_jamendo,
    read_jamendo,
    read_label_lines,
    read_segments,
    read_trec,
    segments_header,
    trec_form,
)
from kammerton.instruments.formats.source import as_reading, as_sheet, report_empty
from kammerton.instruments.formats.tables import columns_of, read_long_table, read_wide_table, report_missing
from kammerton.instruments.labels import ParsedLists
from kammerton.instruments.options import InstrumentOptions
from kammerton.model.annotations import Metadata
from kammerton.model.task import ItemReadings, Reading

SUFFIXES = frozenset(
    (
        *(".jams", ".json", ".csv", ".tsv", ".txt", ".yaml", ".yml", ".npz"),
        *(".mid", ".midi", ".qrels", ".run", ".trec"),
    )
)
"""Suffixes of files of instruments."""

_SINGLE = frozenset((".jams", ".yaml", ".yml", ".mid", ".midi"))
"""Suffixes of files that are one item."""

_YAML = frozenset((".yaml", ".yml"))
_SPELLINGS = dict.fromkeys(("KT600", "KT601", "KT602"), 1000)
"""Labels that the taxonomy does not have are all listed: who mends them needs the whole list."""

_MIDI = frozenset((".mid", ".midi"))
_TABLES = frozenset((".csv", ".tsv"))


def read(
    path: str | os.PathLike[str], *, annotator: str | None = None, options: InstrumentOptions | None = None
) -> InstrumentList:
    r"""Read the instruments of one recording from a file.

    Parameters
    ----------
    path : path
        A file of any format that instruments are read from, if it holds one recording.
    annotator : str, optional
        Which annotation, where the file holds several.
    options : InstrumentOptions, optional
        How it is read.

    Returns
    -------
    InstrumentList

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
    ...     written = pathlib.Path(folder, "song.txt").write_text("piano\nvoice\n")
    ...     read(pathlib.Path(folder, "song.txt")).labels
    ('piano', 'voice')
    """
    return read_one(read_instruments, path, annotator, options or InstrumentOptions())


def read_instruments(
    path: str | os.PathLike[str], name: str | None = None, options: InstrumentOptions | None = None
) -> Reading[InstrumentList]:
    """Read the instruments of one item, of any format."""
    return read_with_metadata(path, name, options)[0]


def read_with_metadata(
    path: str | os.PathLike[str], name: str | None = None, options: InstrumentOptions | None = None
) -> tuple[Reading[InstrumentList], Sequence[Metadata]]:
    """Read what :func:`read_instruments` does, and what a JAMS file has beside each of its lists."""
    parsed, problems = _parse(path, name, options)
    reading = as_reading(parsed, problems)
    return reading, parsed.metadata if parsed is not None and reading.annotations else ()


def unfold(
    path: str | os.PathLike[str], name: str | None = None, options: InstrumentOptions | None = None
) -> ItemReadings[InstrumentList] | None:
    """Read a file that holds many items."""
    if PurePath(os.fsdecode(path)).suffix.lower() in _SINGLE:
        return None
    parsed, problems = _parse(path, name, options, items=True)
    return as_sheet(parsed, problems) if parsed is not None and parsed.is_sheet else None


def _parse(
    path: str | os.PathLike[str], name: str | None, options: InstrumentOptions | None, *, items: bool = False
) -> tuple[ParsedLists | None, Problems]:
    """Read a file, of any format."""
    chosen = options or InstrumentOptions()
    problems = Problems(os.fsdecode(path) if name is None else name, _SPELLINGS)
    suffix = PurePath(os.fsdecode(path)).suffix.lower()
    try:
        if suffix == ".npz":
            from kammerton.instruments.formats.openmic_arrays import read_openmic_arrays  # noqa: PLC0415

            with open_regular(path, name=problems.file) as stream:
                return read_openmic_arrays(stream, problems, chosen), problems
        if suffix in _MIDI:
            from kammerton.instruments.formats.midi import read_midi_programs  # noqa: PLC0415 - few files are

            data = read_bytes(path, name=problems.file, limits=chosen.limits)
            return read_midi_programs(data, problems, chosen), problems
        text = read_text(path, name=problems.file, encoding=chosen.encoding, limits=chosen.limits)
    except DataError as error:
        for problem in error.diagnostics:
            problems.add(problem)
        return None, problems
    parsed = parse_text(text, suffix, problems, chosen, items=items)
    kind = text_kind(text) if problems.has_errors else None
    if kind is None or kind.task == "instruments":
        return parsed, problems
    other_kind = Problems(problems.file)
    other_kind.add(kind.diagnose(problems.file))
    return None, other_kind


def parse_text(
    text: str, suffix: str, problems: Problems, options: InstrumentOptions, *, items: bool = False
) -> ParsedLists | None:
    """Read the text of a file."""
    if suffix in _YAML:
        return read_metadata(text, problems, options)
    if suffix in (".jams", ".json") or text.lstrip()[:1] in ("{", "["):
        return _parse_json(text, suffix, problems, options, items=items)
    return _parse_rows(text, suffix, problems, options, items=items)


def _parse_rows(
    text: str, suffix: str, problems: Problems, options: InstrumentOptions, *, items: bool
) -> ParsedLists | None:
    """Read a text of lines: judgements and runs, tables, labels."""
    segments = segments_header(text)
    if segments is not None:
        return read_segments(text, segments, problems, options)
    header = first_row(text, lambda names: len(columns_of(names)))
    if header is None:
        report_empty(problems)
        return None
    form = None if suffix in _TABLES else trec_form(header.text)
    if form is not None:
        return read_trec(text, form, problems, options)
    if is_jamendo(header):
        return read_jamendo(text, header, problems, options)
    if suffix in _TABLES or len(columns_of(header.names)) > 1:
        return _parse_table(text, header, problems, options)
    kind = None if items else text_kind(text)
    if kind is not None:  # any text has lines
        problems.add(kind.diagnose(problems.file))
    return None if items or kind else read_label_lines(text, problems, options)


def _parse_json(
    text: str, suffix: str, problems: Problems, options: InstrumentOptions, *, items: bool
) -> ParsedLists | None:
    """Read JSON: JAMS if it is built like that."""
    if not text.strip():
        report_empty(problems)
        return None
    places = JsonPlaces(text, problems.file)
    document = decode(places, problems, options.limits)
    if document is None:
        return None
    single = suffix == ".jams" or is_jams(document.value)
    if items and (single or is_one_item(document.value)):
        return None
    read = read_jams_tags if single else read_json
    return read(document.value, places, problems, options)


def _parse_table(
    text: str, header: Header, problems: Problems, options: InstrumentOptions
) -> ParsedLists | None:
    """Read a table: long if a column is of instruments, else wide."""
    table = read_table(text, header, problems, options.limits)
    if table is None:
        return None
    if not len(table) and not table.uneven:
        report_empty(problems)
        return None
    columns = columns_of(header.names)
    if "label" in columns:
        return read_long_table(table, problems, options)
    if columns.keys() & {"score", "rank", "relevance"}:
        report_missing(table, problems, "label")
        return None
    return read_wide_table(table, problems, options)
