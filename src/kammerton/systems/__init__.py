# SPDX-License-Identifier: MIT
"""Systems make annotations: from other annotations, or as trivial answers; above tasks and formats.

The records below are what a system of your own is made of; ``docs/systems.md`` has one in full.
"""

from kammerton.systems.chord_sheets import Sheet, SheetChord, read_sheet
from kammerton.systems.models import Model, read_model
from kammerton.systems.scenes import Scene, SceneOptions
from kammerton.systems.system import Input, System, SystemCard, TrainingItems

__all__ = [
    "Input",
    "Model",
    "Scene",
    "SceneOptions",
    "Sheet",
    "SheetChord",
    "System",
    "SystemCard",
    "TrainingItems",
    "read_model",
    "read_sheet",
]
