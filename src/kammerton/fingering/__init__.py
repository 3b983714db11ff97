# SPDX-License-Identifier: MIT
"""Piano fingering: notes, files, match rates and playability."""

from kammerton.fingering.annotation import Fingering
from kammerton.fingering.decoding import decode
from kammerton.fingering.evaluation import evaluate
from kammerton.fingering.formats import read
from kammerton.fingering.formats.notes import FingeringOptions
from kammerton.fingering.metrics import BiomechanicalConstraints, FingeringMetrics
from kammerton.fingering.task import TASK, write

__all__ = [
    "TASK",
    "BiomechanicalConstraints",
    "Fingering",
    "FingeringMetrics",
    "FingeringOptions",
    "decode",
    "evaluate",
    "read",
    "write",
]
