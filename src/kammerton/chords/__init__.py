# SPDX-License-Identifier: MIT
"""Chords: labels, files, and the protocols that score them."""

from kammerton.chords.annotation import ChordAnnotation
from kammerton.chords.evaluation import evaluate, frame_csr
from kammerton.chords.labels import Chord, Degree, parse
from kammerton.chords.reading import ChordOptions, read
from kammerton.chords.task import TASK

__all__ = [
    "TASK",
    "Chord",
    "ChordAnnotation",
    "ChordOptions",
    "Degree",
    "evaluate",
    "frame_csr",
    "parse",
    "read",
]
