# SPDX-License-Identifier: MIT
"""Readers and writers of file formats; they know syntax, not music."""

from kammerton.formats.folders import FoundItems, find_files
from kammerton.formats.intervals import intervals_from_arrays
from kammerton.formats.reading import IntervalOptions, Limits, TrackReading
from kammerton.formats.rows import parse_intervals, read_intervals
from kammerton.formats.source import read_stream, read_text
from kammerton.formats.writing import render_audacity, render_csv, render_jams, render_lab, write_atomically

__all__ = [
    "FoundItems",
    "IntervalOptions",
    "Limits",
    "TrackReading",
    "find_files",
    "intervals_from_arrays",
    "parse_intervals",
    "read_intervals",
    "read_stream",
    "read_text",
    "render_audacity",
    "render_csv",
    "render_jams",
    "render_lab",
    "write_atomically",
]
