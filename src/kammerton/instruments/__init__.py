# SPDX-License-Identifier: MIT
"""Instruments: lists of labels, taxonomies, and the protocols that score them."""

from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.evaluation import evaluate
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.task import TASK
from kammerton.instruments.taxonomy import Taxonomy
from kammerton.instruments.taxonomy_files import load_taxonomy

__all__ = ["TASK", "InstrumentList", "InstrumentOptions", "Taxonomy", "evaluate", "load_taxonomy"]
