# SPDX-License-Identifier: MIT
"""Which reader a file of instruments belongs to."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import PurePath

from kammerton.errors import DataError
from kammerton.formats.json_positions import JsonPlaces
from kammerton.formats.json_text import decode
from kammerton.formats.kinds import kind_of_text
from kammerton.formats.reading import Problems
from kammerton.formats.source import open_regular, read_bytes, read_text
from kammerton.formats.tables import Header, first_row, read_table
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.formats.jams_tags import is_jams, read_jams_tags
from kammerton.instruments.formats.json_lists import is_one_item, read_json
from kammerton.instruments.formats.label_lines import read_label_lines
from kammerton.instruments.formats.long_table import columns_of, read_long_table, say_missing
from kammerton.instruments.formats.source import Source, as_reading, as_sheet, say_empty
from kammerton.instruments.formats.tag_lists import (
    is_jamendo,
    read_jamendo,
    read_segments,
    segments_header,
)
from kammerton.instruments.formats.trec import read_trec, trec_form
from kammerton.instruments.formats.wide_table import read_wide_table
from kammerton.instruments.options import InstrumentOptions
from kammerton.model.annotations import Metadata
from kammerton.model.task import Reading, Sheet

__all__ = ["SUFFIXES", "parse_text", "read_instruments", "read_with_metadata", "unfold"]

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
"""Labels that the taxonomy does not have are all named: who mends them needs the whole list."""

_MIDI = frozenset((".mid", ".midi"))
_TABLES = frozenset((".csv", ".tsv"))


def read_instruments(
    path: str | os.PathLike[str], name: str | None = None, options: InstrumentOptions | None = None
) -> Reading[InstrumentList]:
    """Read the instruments of one item, whichever format the file has.

    Parameters
    ----------
    path : path
        A regular file.
    name : str, optional
        What diagnostics call it; by default its path.
    options : InstrumentOptions, optional
        What the caller says about it.

    Returns
    -------
    Reading
        One annotation per annotator. Never raises for what a file can hold: an unusable file has no
        annotations, and diagnostics that say why.
    """
    return read_with_metadata(path, name, options)[0]


def read_with_metadata(
    path: str | os.PathLike[str], name: str | None = None, options: InstrumentOptions | None = None
) -> tuple[Reading[InstrumentList], Sequence[Metadata]]:
    """Read what :func:`read_instruments` does, and what a JAMS file says beside each of its lists."""
    source, problems = _parse(path, name, options)
    reading = as_reading(source, problems)
    return reading, source.metadata if source is not None and reading.annotations else ()


def unfold(
    path: str | os.PathLike[str], name: str | None = None, options: InstrumentOptions | None = None
) -> Sheet[InstrumentList] | None:
    """Read a file that holds many items.

    Parameters
    ----------
    path, name, options
        As of :func:`read_instruments`.

    Returns
    -------
    Sheet or None
        None if the file is one item, or cannot be used at all: then :func:`read_instruments` says why.
    """
    if PurePath(os.fsdecode(path)).suffix.lower() in _SINGLE:
        return None
    source, problems = _parse(path, name, options, items=True)
    return as_sheet(source, problems) if source is not None and source.is_sheet else None


def _parse(
    path: str | os.PathLike[str], name: str | None, options: InstrumentOptions | None, *, items: bool = False
) -> tuple[Source | None, Problems]:
    """Read a file, whichever format it has."""
    chosen = options or InstrumentOptions()
    problems = Problems(os.fsdecode(path) if name is None else name, _SPELLINGS)
    suffix = PurePath(os.fsdecode(path)).suffix.lower()
    try:
        if suffix == ".npz":
            from kammerton.instruments.formats.openmic_arrays import read_openmic_arrays  # noqa: PLC0415

            with open_regular(path, name=problems.file) as stream:
                return read_openmic_arrays(stream, problems, chosen), problems
        if suffix in _MIDI:
            data = read_bytes(path, name=problems.file, limits=chosen.limits)
            return _parse_midi(data, problems, chosen), problems
        text = read_text(path, name=problems.file, encoding=chosen.encoding, limits=chosen.limits)
    except DataError as error:
        for problem in error.diagnostics:
            problems.add(problem)
        return None, problems
    source = parse_text(text, suffix, problems, chosen, items=items)
    kind = kind_of_text(text) if problems.has_errors else None
    if kind is None or kind.task == "instruments":
        return source, problems
    named = Problems(problems.file)
    named.add(kind.diagnose(problems.file))
    return None, named


def _parse_midi(data: bytes, problems: Problems, options: InstrumentOptions) -> Source | None:
    if not data:
        say_empty(problems)
        return None
    from kammerton.instruments.formats.midi_programs import read_midi_programs  # noqa: PLC0415

    return read_midi_programs(data, problems, options)


def parse_text(
    text: str, suffix: str, problems: Problems, options: InstrumentOptions, *, items: bool = False
) -> Source | None:
    r"""Read the text of a file.

    Parameters
    ----------
    text : str
        Lines ended by ``\n``.
    suffix : str
        Of the name of the file, in lower case.
    problems : Problems
        Takes every problem found.
    options : InstrumentOptions
    items : bool
        Whether only files of many items are wanted; others need not be read to the end.

    Returns
    -------
    Source or None
        None if the file cannot be used, or is not wanted.
    """
    if suffix in _YAML:
        from kammerton.instruments.formats.metadata import read_metadata  # noqa: PLC0415 - few files are

        return read_metadata(text, problems, options)
    if suffix in (".jams", ".json") or text.lstrip()[:1] in ("{", "["):
        return _parse_json(text, suffix, problems, options, items=items)
    return _parse_rows(text, suffix, problems, options, items=items)


def _parse_rows(
    text: str, suffix: str, problems: Problems, options: InstrumentOptions, *, items: bool
) -> Source | None:
    """Read what stands line by line: judgements and runs, tables, labels."""
    segments = segments_header(text)
    if segments is not None:
        return read_segments(text, segments, problems, options)
    header = first_row(text, lambda names: len(columns_of(names)))
    if header is None:
        say_empty(problems)
        return None
    form = None if suffix in _TABLES else trec_form(header.text)
    if form is not None:
        return read_trec(text, form, problems, options)
    if is_jamendo(header):
        return read_jamendo(text, header, problems, options)
    if suffix in _TABLES or len(columns_of(header.names)) > 1:
        return _parse_table(text, header, problems, options)
    kind = None if items else kind_of_text(text)
    if kind is not None:  # any text has lines
        problems.add(kind.diagnose(problems.file))
    return None if items or kind else read_label_lines(text, problems, options)


def _parse_json(
    text: str, suffix: str, problems: Problems, options: InstrumentOptions, *, items: bool
) -> Source | None:
    """Read JSON: JAMS if it is built like that."""
    if not text.strip():
        say_empty(problems)
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


def _parse_table(text: str, header: Header, problems: Problems, options: InstrumentOptions) -> Source | None:
    """Read a table: long if a column is of instruments, else wide."""
    table = read_table(text, header, problems, options.limits)
    if table is None:
        return None
    if not len(table) and not table.uneven:
        say_empty(problems)
        return None
    columns = columns_of(header.names)
    if "label" in columns:
        return read_long_table(table, problems, options)
    if columns.keys() & {"score", "rank", "relevance"}:
        say_missing(table, problems, "label")
        return None
    return read_wide_table(table, problems, options)
