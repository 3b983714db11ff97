# SPDX-License-Identifier: MIT
"""Runs: scores on disk, with all that they are made from; and what differs between two."""

from kammerton.runs.diff import RunDifference, diff
from kammerton.runs.files import check_place, is_run, read_run, task_of_run, write_run

__all__ = ["RunDifference", "check_place", "diff", "is_run", "read_run", "task_of_run", "write_run"]
