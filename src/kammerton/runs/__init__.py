# SPDX-License-Identifier: MIT
"""Runs: scores on disk, with all that they are made from."""

from kammerton.runs.reading import is_run, read_run
from kammerton.runs.writing import check_place, write_run

__all__ = ["check_place", "is_run", "read_run", "write_run"]
