# SPDX-License-Identifier: MIT
"""Which file each source of a pack would be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from kammerton.formats.folders import item_name, without_suffix
from kammerton.formats.packs.reading import Pack
from kammerton.formats.packs.record import About
from kammerton.model.task import Reading, Task

__all__ = ["unpacked"]


def unpacked(pack: Pack, task: Task) -> Iterator[tuple[str, str, Reading[Any]]]:
    """Give every source of a pack as a file.

    Yields
    ------
    stem, name, reading
        The path of the file below a folder, without suffix, if it does not lead out of there; what messages
        call the source; and what it gave.
    """
    several = len(pack.record.collections) > 1
    for number, about in enumerate(pack.record.collections):
        above = f"{about.name}/" if several else ""
        for item, sources in pack.sources(number).items():
            for told, source in sources:
                yield above + _stem(about, item, told, source.file, task), source.file or item, source.read()


def _stem(about: About, item: str, told: str | None, file: str | None, task: Task) -> str:
    """Return the path of a file below the folder that was packed, or else the name of the item."""
    if file is not None and PurePath(file).is_relative_to(about.origin):
        path = PurePath(file).relative_to(about.origin).as_posix()
        stem = without_suffix(path, tuple(task.suffixes))
        if stem is not None:
            return item_name(stem)
    return item if told is None else f"{told}/{item}"
