# SPDX-License-Identifier: MIT
"""Readers and writers of fingerings."""

from kammerton.fingering.formats.adopting import adopt_fingering
from kammerton.fingering.formats.note_table import render_csv
from kammerton.fingering.formats.notes import ReadingOptions
from kammerton.fingering.formats.pig import identify, read_pig, render_pig
from kammerton.fingering.formats.sniffing import SUFFIXES, parse_fingering, read_fingering, unfold

__all__ = [
    "SUFFIXES",
    "ReadingOptions",
    "adopt_fingering",
    "identify",
    "parse_fingering",
    "read_fingering",
    "read_pig",
    "render_csv",
    "render_pig",
    "unfold",
]
