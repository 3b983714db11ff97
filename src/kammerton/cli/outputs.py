# SPDX-License-Identifier: MIT
"""Files that a command writes: checked before the work starts, written when it is done."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from kammerton.errors import OptionError, OutputError, quote

__all__ = ["check_output"]


def check_output(path: str, inputs: Iterable[str | None] = ()) -> None:
    """Find out before any work whether a file can be written.

    Parameters
    ----------
    path : str
        The file.
    inputs : iterable of str or None
        Files that are read, and must not be written.

    Raises
    ------
    OutputError
        KT501 if its folder is missing or may not be written to, or if it is a folder.
    OptionError
        If it is one of the inputs.
    """
    target = Path(path)
    folder = target.parent
    shown = quote(os.fspath(folder))
    if target.is_dir():
        raise OutputError(f"KT501 cannot write {quote(path)}: it is a folder")
    if not folder.is_dir():
        kind = f"{shown} is not a folder" if folder.exists() else f"folder {shown} does not exist"
        raise OutputError(f"KT501 cannot write {quote(path)}: {kind}")
    if not os.access(target if _is_device(target) else folder, os.W_OK):
        raise OutputError(f"KT501 cannot write {quote(path)}: folder {shown} is not writable")
    for given in inputs:
        if given is not None and target.exists() and Path(given).exists() and target.samefile(given):
            raise OptionError(f"{quote(path)} would overwrite an input", "write to another file")


def _is_device(path: Path) -> bool:
    return path.exists() and not path.is_file()
