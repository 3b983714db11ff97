# SPDX-License-Identifier: MIT
"""Collections and corpora that stand in packs."""

from __future__ import annotations

import os
import stat
from pathlib import PurePath

from kammerton.errors import DataError, OptionError, quote
from kammerton.formats.packs.elsewhere import is_pack_at, open_pack_at
from kammerton.formats.packs.footer import MAGIC
from kammerton.formats.packs.opening import open_pack
from kammerton.formats.packs.reading import Pack
from kammerton.formats.packs.writing import chosen
from kammerton.formats.remote.addresses import is_remote, name_at
from kammerton.formats.source import open_regular
from kammerton.model.corpus import Collection, Corpus
from kammerton.model.task import Task

__all__ = ["collect_pack", "is_pack", "opened_pack", "read_packed_pairs"]


def is_pack(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path or an address is that of a Parquet file, by what it begins with, or its name.

    Raises
    ------
    OptionError
        If there is nothing at an address, or what reads it is not installed.
    DataError
        KT730 if an address cannot be read.
    """
    if is_remote(path):
        return is_pack_at(path)
    name = os.fsdecode(path)
    try:
        if not stat.S_ISREG(os.stat(name).st_mode):  # noqa: PTH116 - pathlib is slow for many files
            return False
        with open_regular(name, name=name) as file:
            begin = file.read(len(MAGIC))
    except (DataError, OSError, ValueError):
        return False
    return begin == MAGIC or PurePath(name).suffix.lower() == ".parquet"


def collect_pack(
    path: str | os.PathLike[str], *, name: str | None, task: Task, options: object
) -> Collection:
    """Return the collection of a pack that has one.

    Parameters
    ----------
    path : path
        Of a file, or an address.
    name : str, optional
        Name of the collection; by default that of the file without its suffix.
    task : Task
        What its annotations have to be of.
    options : object
        The task's options; those that decide what is read have to be what they were.

    Raises
    ------
    OptionError
        If the options are others, or it has several collections.
    DataError
        If the pack cannot be used.
    """
    pack = opened_pack(path, task, options)
    if len(pack.record.collections) != 1:
        held = ", ".join(quote(about.name) for about in pack.record.collections[:5])
        message = f"{quote(pack.path)} holds references and systems: {held}"
        raise OptionError(message, "take it as a list of pairs: --pairs")
    own = name_at(path) if is_remote(path) else PurePath(os.path.abspath(path)).stem  # noqa: PTH100
    return pack.collection(0, name=name or own)


def read_packed_pairs(path: str | os.PathLike[str], *, task: Task, options: object) -> Corpus:
    """Return the corpus of a pack that was made of a list of pairs.

    Raises
    ------
    OptionError
        If the options are others than they were, or it holds no systems.
    DataError
        If the pack cannot be used.
    """
    pack = opened_pack(path, task, options)
    found: dict[str, list[Collection]] = {"reference": [], "system": [], "": []}
    for number, about in enumerate(pack.record.collections):
        found[about.role].append(pack.collection(number))
    if not found["reference"] or not found["system"]:
        message = f"{quote(pack.path)} holds one collection, and no pairs"
        raise OptionError(message, "take it as references, or as a system")
    return Corpus(tuple(found["reference"]), tuple(found["system"]))


def opened_pack(path: str | os.PathLike[str], task: Task, options: object) -> Pack:
    """Open a pack that was read as the options say.

    Raises
    ------
    OptionError
        If the options are others than they were.
    DataError
        If the pack cannot be used.
    """
    if task.packing is None:
        raise OptionError(f"annotations of {task.name} are not packed")
    pack = open_pack_at(path, task) if is_remote(path) else open_pack(path, task)
    now, then = chosen(task.packing, options), pack.record.choices
    for option in sorted(now.keys() | then.keys()):
        if now.get(option) != then.get(option):
            was, asked = (f"{option} {side.get(option, 'as by default')}" for side in (then, now))
            message = f"{quote(pack.path)} was packed with {was}, and is read with {asked}"
            raise OptionError(message, "say the same options, or pack again with these")
    return pack
