# SPDX-License-Identifier: MIT
"""Which tasks there are. A task is imported only when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from kammerton.errors import OptionError

if TYPE_CHECKING:  # names and summaries are for help pages, which do without arrays
    from kammerton.model.task import Task

__all__ = ["TASKS", "find_task"]

TASKS = {
    "chords": "Chord symbols over time",
    "fingering": "Piano fingering",
    "instruments": "Instruments of recordings",
}
"""Summary of each task by its name, which is also that of its package."""


def find_task(name: str) -> Task:
    """Return the task called ``name``.

    Raises
    ------
    OptionError
        If there is no such task.
    """
    if not isinstance(name, str) or name not in TASKS:
        raise OptionError.unknown("task", name, TASKS)
    task: Task = import_module(f"kammerton.{name}").TASK
    return task
