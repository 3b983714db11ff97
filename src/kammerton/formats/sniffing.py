# SPDX-License-Identifier: MIT
"""Which reader a file belongs to."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from kammerton.errors import DataError
from kammerton.formats.jams import read_jams
from kammerton.formats.kinds import explained
from kammerton.formats.options import DEFAULT_OPTIONS, IntervalOptions
from kammerton.formats.reading import Problems, TrackReading
from kammerton.formats.rows import read_rows
from kammerton.formats.source import read_text, with_newlines

__all__ = ["parse_intervals", "read_intervals"]


def read_intervals(
    path: str | os.PathLike[str],
    *,
    name: str | None = None,
    options: IntervalOptions = DEFAULT_OPTIONS,
    namespaces: Sequence[str] = (),
) -> TrackReading:
    """Read a file of labelled intervals, whichever format it has.

    Parameters
    ----------
    path : path
        A regular file.
    name : str, optional
        What diagnostics call it; by default its path.
    options : IntervalOptions
        What the caller says about it.
    namespaces : sequence of str
        JAMS namespaces that count, such as ``("chord", "chord_harte")``.

    Returns
    -------
    TrackReading
        Never raises for what a file can hold: an unusable file has no tracks, and diagnostics
        that say why.
    """
    shown = os.fsdecode(path) if name is None else name
    try:
        text = read_text(path, name=shown, encoding=options.encoding, limits=options.limits)
    except DataError as error:
        return TrackReading((), error.diagnostics)
    return parse_intervals(text, name=shown, options=options, namespaces=namespaces)


def parse_intervals(
    text: str,
    *,
    name: str,
    options: IntervalOptions = DEFAULT_OPTIONS,
    namespaces: Sequence[str] = (),
) -> TrackReading:
    """Read the text of a file as :func:`read_intervals` does; ``name`` also tells the format."""
    text = with_newlines(text.removeprefix("\ufeff"))
    problems = Problems(name)
    suffix = PurePath(name).suffix.lower()
    if suffix in (".jams", ".json") or text.lstrip()[:1] == "{":
        reading = read_jams(text, problems, options, namespaces)
    else:
        reading = read_rows(text, problems, options, expected=suffix in (".csv", ".tsv"))
    if reading.tracks:
        return reading
    return replace(reading, diagnostics=explained(reading.diagnostics, text, "chords", name))
