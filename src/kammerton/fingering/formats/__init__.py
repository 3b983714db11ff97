# SPDX-License-Identifier: MIT
"""Readers and writers of fingerings."""

from kammerton.fingering.formats.options import FingeringOptions
from kammerton.fingering.formats.pig import identify, read_pig

__all__ = ["FingeringOptions", "identify", "read_pig"]
