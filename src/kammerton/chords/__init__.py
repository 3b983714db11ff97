# SPDX-License-Identifier: MIT
"""Chords: labels, files, and the protocols that score them."""

from kammerton.chords.annotation import ChordAnnotation, ChordOptions, read
from kammerton.chords.labels import Chord, parse
from kammerton.chords.respelling import Degree
from kammerton.chords.task import TASK, evaluate, frame_csr, fuse, write

__all__ = [
    "TASK",
    "Chord",
    "ChordAnnotation",
    "ChordOptions",
    "Degree",
    "evaluate",
    "frame_csr",
    "fuse",
    "parse",
    "read",
    "write",
]
