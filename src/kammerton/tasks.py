# SPDX-License-Identifier: MIT
"""What a task of your own is made of: the records that the built-in tasks use too.

A package declares its task by an entry point of the group ``kammerton.tasks``, and then every verb has it::

    [project.entry-points."kammerton.tasks"]
    keys = "song_keys:TASK"

:func:`kammerton.score` and its siblings also take a :class:`Task` itself in place of a name.
:func:`kammerton.testing.check_task` tries whether one keeps what all verbs rely on.
"""

from kammerton.errors import Diagnostic, quote
from kammerton.model.annotations import Place
from kammerton.model.measure import BY_HAND, Card, Formula, Gathered, Measure, Protocol, Statistics, Values
from kammerton.model.registry import find_task, known_tasks
from kammerton.model.task import (
    Case,
    ClassTable,
    Conversion,
    Evaluation,
    Filler,
    ItemReadings,
    Packing,
    Reading,
    Task,
)
from kammerton.model.views import ItemView, Mark, Span, Track

__all__ = [
    "BY_HAND",
    "Card",
    "Case",
    "ClassTable",
    "Conversion",
    "Diagnostic",
    "Evaluation",
    "Filler",
    "Formula",
    "Gathered",
    "ItemReadings",
    "ItemView",
    "Mark",
    "Measure",
    "Packing",
    "Place",
    "Protocol",
    "Reading",
    "Span",
    "Statistics",
    "Task",
    "Track",
    "Values",
    "find_task",
    "known_tasks",
    "quote",
]
