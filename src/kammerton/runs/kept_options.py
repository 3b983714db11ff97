# SPDX-License-Identifier: MIT
"""Options of a task as plain values, with the files that they name, and back.

Measures over classes are made of gathered rows by the options, each time they are asked for.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path, PurePath
from typing import Any

from kammerton.errors import OutputError, quote
from kammerton.formats.options import file_of
from kammerton.model.task import Task
from kammerton.runs.problems import fault

__all__ = ["keep_options", "options_of"]

_PLAIN = (str, int, float, type(None))


def keep_options(options: Any) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the options that differ from their defaults, and the files among them.

    Parameters
    ----------
    options : dataclass
        Budgets of files, and whatever else is no plain value, are left out.

    Returns
    -------
    values, files
        A file is named ``{"file": its name in the run, "part": what stood behind #}``.
    """
    default = type(options)()
    values: dict[str, Any] = {}
    files: dict[str, bytes] = {}
    for field in fields(options):
        value = getattr(options, field.name)
        if value == getattr(default, field.name):
            continue
        if isinstance(value, Mapping):
            values[field.name] = dict(value)
        elif isinstance(value, _PLAIN):
            values[field.name] = value
        if field.metadata.get("file"):
            path, part = file_of(value)
            if path is not None:
                name = _name(field.name, PurePath(path).suffix.lower())
                values[field.name] = {"file": name, "part": part}
                files[name] = _content(path)
    return values, files


def _content(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"KT502 cannot keep {quote(path)} in the run: {reason}") from error


def options_of(task: Task, values: Mapping[str, Any], folder: Path) -> Any:
    """Return the options that were kept.

    Parameters
    ----------
    task : Task
    values : mapping
        From :func:`keep_options`.
    folder : path
        The run, in which the files are.

    Raises
    ------
    OptionError
        If they are not possible.
    DataError
        If a file cannot be used.
    """
    own = {field.name for field in fields(task.options) if field.metadata.get("file")}
    return task.options(
        **{
            name: _path(folder, name, value) if name in own and isinstance(value, Mapping) else value
            for name, value in values.items()
        }
    )


def _path(folder: Path, option: str, value: Mapping[str, Any]) -> str:
    """Return the path of a file that was kept; one that is not of the run is not opened."""
    name = str(value["file"])
    if Path(name).name != name or not name.startswith(_name(option, "")):
        message = f"run was changed: the file of its option {option} is said to be {quote(name)}"
        raise fault("KT701", message, os.fspath(folder))
    return f"{folder / name}{value['part']}"


def _name(option: str, suffix: str) -> str:
    return f"option_{option}{suffix}"
