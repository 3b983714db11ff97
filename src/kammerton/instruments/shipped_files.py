# SPDX-License-Identifier: MIT
"""Data that is part of the package, and how a caller's text names a file instead."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import PurePath

__all__ = ["is_path", "shipped"]


def is_path(name: str) -> bool:
    """Tell whether a text that is no built-in name means a path: it looks like one, or is that of a file."""
    is_file = os.path.lexists(name) and not os.path.isdir(name)  # noqa: PTH112 - a Path refuses NUL
    return bool(PurePath(name).suffix) or "/" in name or os.sep in name or is_file


def shipped(folder: str, name: str) -> str:
    """Return the text of a file of the package."""
    return files(__package__).joinpath(folder, name).read_text(encoding="utf-8")
