# SPDX-License-Identifier: MIT
"""Make a collection of what a caller names: a file, a folder, or a mapping of items."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from kammerton.errors import OptionError, quote
from kammerton.formats.folders import find_files
from kammerton.model.corpus import Collection

__all__ = ["collect", "name_of"]

Identify = Callable[[str], tuple[str, str | None]]

Source = str | os.PathLike[str] | Mapping[str, object] | object


def collect(
    source: Source, *, name: str | None, suffixes: Iterable[str], identify: Identify, default_name: str
) -> Collection:
    """Return the items of a source, unread.

    Parameters
    ----------
    source : path, mapping of str to object, or object
        A folder, in which an item is called by its path without suffix; a file, which is a single
        item; items by name, each a path or an annotation; or a single annotation.
    name : str, optional
        Name of the annotator or system; by default the last component of the path without suffix.
    suffixes : iterable of str
        Suffixes of annotation files.
    identify : callable
        Takes the name of a file apart into item and annotator.
    default_name : str
        The name if there is neither a name nor a path.

    Raises
    ------
    OptionError
        If there is no such path.
    """
    if isinstance(source, str | os.PathLike):
        return _from_path(Path(source), name, tuple(suffixes), identify)
    called = name or default_name
    if isinstance(source, Mapping):
        return Collection(called, {str(item): ((None, value),) for item, value in source.items()}, called)
    return Collection(called, {called: ((None, source),)}, called, single=True)


def name_of(path: str | os.PathLike[str]) -> str:
    """Return the last component of a path, without the suffix if it is a file."""
    resolved = Path(os.path.abspath(path))  # noqa: PTH100 - `.` and `..` have names, links keep theirs
    return resolved.name if resolved.is_dir() else resolved.stem


def _from_path(path: Path, name: str | None, suffixes: tuple[str, ...], identify: Identify) -> Collection:
    found = find_files(path, suffixes=suffixes)
    single = not path.is_dir()
    if not single and not found.files:
        known = ", ".join(sorted(suffixes))
        raise OptionError(f"no annotation files in {quote(os.fspath(path))}", f"suffixes read: {known}")
    sources: dict[str, tuple[tuple[str | None, object], ...]] = {}
    broken = {identify(name)[0]: why for name, why in found.broken.items() if name not in found.files}
    for file, paths in found.files.items():
        item, annotator = identify(file)
        if len(paths) > 1:
            broken[item] = "several files for one item"
        else:
            sources[item] = (*sources.get(item, ()), (annotator, paths[0]))
    return Collection(name or name_of(path), sources, os.fspath(path), found.diagnostics, broken, single)
