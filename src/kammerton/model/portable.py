# SPDX-License-Identifier: MIT
"""Names of files without what is so on one machine only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from kammerton.errors import Diagnostic

__all__ = ["carried", "portable"]


def carried(diagnostics: Iterable[Diagnostic], roots: Sequence[str] = ()) -> tuple[Diagnostic, ...]:
    """Return diagnostics without what is so on one machine only."""
    return tuple(each.at(file=each.file and portable(each.file, roots)) for each in diagnostics)


def portable(file: str, roots: Sequence[str] = ()) -> str:
    """Return the name of a file without what is so on one machine only.

    Parameters
    ----------
    file : str
        A path, or what messages call something that has none.
    roots : sequence of str
        Folders that were scored. What lies in one is told from the folder's name on, if it does not lie in
        the current folder; of what lies elsewhere the last two parts are told.
    """
    path = Path(file)
    if not path.is_absolute():
        return file
    here = _current_folder()
    if here is not None and path.is_relative_to(here):
        return path.relative_to(here).as_posix()
    inside = [root for root in roots if path.is_relative_to(root)]
    if inside:
        return path.relative_to(Path(max(inside, key=len)).parent).as_posix()
    return "/".join(path.parts[-2:])


def _current_folder() -> Path | None:
    """Return the current folder, or nothing if it was removed."""
    try:
        return Path.cwd()
    except OSError:
        return None
