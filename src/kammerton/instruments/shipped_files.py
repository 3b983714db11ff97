# SPDX-License-Identifier: MIT
"""Data that is part of the package, and how a caller's text names a file instead."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import PurePath

__all__ = ["is_path", "shipped"]


def is_path(name: str) -> bool:
    """Tell whether a text that is no built-in name is meant as a path: it looks like one, or is one."""
    path = PurePath(name)
    return bool(path.suffix) or len(path.parts) > 1 or os.path.lexists(name)


def shipped(folder: str, name: str) -> str:
    """Return the text of a file of the package."""
    return files(__package__).joinpath(folder, name).read_text(encoding="utf-8")
