# SPDX-License-Identifier: MIT
"""Piano fingering: notes, files, match rates and playability."""

from kammerton.fingering.annotation import Fingering
from kammerton.fingering.constraints import BiomechanicalConstraints
from kammerton.fingering.metrics import FingeringMetrics
from kammerton.fingering.reading import FingeringOptions, read
from kammerton.fingering.task import TASK

__all__ = ["TASK", "BiomechanicalConstraints", "Fingering", "FingeringMetrics", "FingeringOptions", "read"]
