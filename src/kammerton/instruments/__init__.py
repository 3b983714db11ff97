# SPDX-License-Identifier: MIT
"""Instruments: lists of labels, taxonomies, and the protocols that score them."""

from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.evaluation import evaluate
from kammerton.instruments.options import LABEL_MAPS, InstrumentOptions, LabelMap, load_label_map
from kammerton.instruments.reading import read
from kammerton.instruments.task import TASK, write
from kammerton.instruments.taxonomy import Taxonomy
from kammerton.instruments.taxonomy_files import TAXONOMIES, load_taxonomy

__all__ = [
    "LABEL_MAPS",
    "TASK",
    "TAXONOMIES",
    "InstrumentList",
    "InstrumentOptions",
    "LabelMap",
    "Taxonomy",
    "evaluate",
    "load_label_map",
    "load_taxonomy",
    "read",
    "write",
]
