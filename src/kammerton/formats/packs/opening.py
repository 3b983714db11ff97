# SPDX-License-Identifier: MIT
"""Open packs at paths and at addresses, whose packs are copied: decoding needs a file."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import weakref
from functools import lru_cache
from pathlib import Path, PurePath, PurePosixPath

from kammerton.errors import DataError, OptionError, quote
from kammerton.formats.packs.layout import (
    KEY,
    MAGIC,
    Footer,
    FooterError,
    NoParquetError,
    Record,
    RecordError,
    read_footer,
)
from kammerton.formats.packs.pack import Again, Pack, damaged, fault
from kammerton.formats.packs.packing import Seal, SealError, chosen
from kammerton.formats.remote import Store, is_remote, name_at
from kammerton.formats.source import open_regular
from kammerton.model.corpus import Collection, Corpus
from kammerton.model.task import Task

__all__ = ["collect_pack", "is_pack", "open_pack", "opened_pack", "read_packed_pairs"]

_MOST_VALUES = 1 << 24
_MOST_BYTES = 1 << 30
"""Budgets of a group of a file, well above what is written."""
_ROWS_PER_BYTE = 8
"""A row takes an eighth of a byte at least, however well it is packed."""


def open_pack(path: str | os.PathLike[str], task: Task) -> Pack:
    """Open a pack at a path or an address, and check what it claims to hold before anything is decoded."""
    if is_remote(path):
        return _open_copy(Store(path), task)
    place = os.fsdecode(path)
    return _open(place, task, place, (_reopen, (place, task)))


def _open(path: str, task: Task, name: str, again: Again) -> Pack:
    """Open a pack that messages call by a name, and other processes open in another way."""
    with open_regular(path, name=name) as file:
        size = os.fstat(file.fileno()).st_size
        try:
            footer = read_footer(file)
            _check_claims(footer, size, name)
            record = _record(footer.pairs[KEY], name)
            seal = Seal(file, footer)
        except FooterError as error:
            code = "KT720" if isinstance(error, NoParquetError) else "KT721"
            raise fault(code, f"pack cannot be read: {error}", name, "pack it again") from error
        except SealError as error:
            raise damaged("its footer is not what was written", name) from error
        except OSError as error:
            raise fault("KT101", f"cannot be read: {error.strerror}", name) from error
    if record.task != task.name:
        raise fault("KT724", f"pack of {record.task}, not of {task.name}", name)
    for parts in (record.blocks, footer.groups):
        if sum(part.rows for part in parts) != footer.rows:
            raise damaged("rows are missing", name)
    return Pack(name, task, record, seal, path, again)


def _check_claims(footer: Footer, size: int, name: str) -> None:
    """Refuse a file that claims more than it can hold, or is no pack."""
    for what, claimed, most in (
        ("rows", footer.rows, size * _ROWS_PER_BYTE),
        ("values in a group of rows", footer.values, _MOST_VALUES),
        ("bytes in a group of rows", footer.unpacked, _MOST_BYTES),
    ):
        if claimed > most:
            message = f"file of {size:,} bytes claims {claimed:,} {what}: over the limit of {most:,}"
            raise fault("KT722", message, name)
    if KEY not in footer.pairs:
        hint = "`kammerton pack` makes one of a folder"
        raise fault("KT720", "a Parquet file, but no pack of annotations", name, hint)


def _record(text: str, name: str) -> Record:
    try:
        return Record.parse(text)
    except RecordError as error:
        if error.is_later:
            message = f"{error}, written by a later version of Kammerton"
            raise fault("KT725", message, name, "read it with that version, or pack again") from error
        raise damaged(str(error), name) from error


def _reopen(path: str, task: Task) -> Pack:
    """Open a pack in another process, where parts of a corpus ask for it one after the other."""
    status = os.stat(path)  # noqa: PTH116 - as `os.fstat` above
    return _opened(path, task, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=8)
def _opened(path: str, task: Task, _size: int, _changed: int) -> Pack:
    return open_pack(path, task)


def _open_copy(store: Store, task: Task) -> Pack:
    """Copy a pack, and open the copy, which is removed once nobody holds the pack."""
    folder = tempfile.mkdtemp()
    copy = Path(folder, "pack.parquet")
    try:
        store.copy_to(copy)
        pack = _open(os.fspath(copy), task, store.shown, (_reopen_copy, (store, task)))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(pack, shutil.rmtree, folder, ignore_errors=True)
    return pack


@lru_cache(maxsize=8)
def _reopen_copy(store: Store, task: Task) -> Pack:
    """Copy a pack in another process, once."""
    return _open_copy(store, task)


def is_pack(path: str | os.PathLike[str]) -> bool:
    """Return whether a path or an address is that of a Parquet file, by what it begins with, or its name."""
    if is_remote(path):
        store = Store(path)
        if store.is_folder():
            return False
        return store.head() == MAGIC or PurePosixPath(store.shown).suffix.lower() == ".parquet"
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
    """Return the collection of a pack that holds only one."""
    pack = opened_pack(path, task, options)
    if len(pack.record.collections) != 1:
        held = ", ".join(quote(about.name) for about in pack.record.collections[:5])
        message = f"{quote(pack.path)} holds references and systems: {held}"
        raise OptionError(message, "take it as a list of pairs: --pairs")
    own = name_at(path) if is_remote(path) else PurePath(os.path.abspath(path)).stem  # noqa: PTH100
    return pack.collection(0, name=name or own)


def read_packed_pairs(path: str | os.PathLike[str], *, task: Task, options: object) -> Corpus:
    """Return the corpus of a pack that was made of a list of pairs."""
    pack = opened_pack(path, task, options)
    collections: dict[str, list[Collection]] = {"reference": [], "system": [], "": []}
    for number, about in enumerate(pack.record.collections):
        collections[about.role].append(pack.collection(number))
    if not collections["reference"] or not collections["system"]:
        message = f"{quote(pack.path)} holds one collection, and no pairs"
        raise OptionError(message, "take it as references, or as a system")
    return Corpus(tuple(collections["reference"]), tuple(collections["system"]))


def opened_pack(path: str | os.PathLike[str], task: Task, options: object) -> Pack:
    """Open a pack, and check that it was made with the same options."""
    if task.packing is None:
        raise OptionError(f"annotations of {task.name} are not packed")
    pack = open_pack(path, task)
    now, then = chosen(task.packing, options), pack.record.choices
    for option in sorted(now.keys() | then.keys()):
        if now.get(option) != then.get(option):
            was, asked = (f"{option} {side.get(option, 'as by default')}" for side in (then, now))
            message = f"{quote(pack.path)} was packed with {was}, and is read with {asked}"
            raise OptionError(message, "give the same options, or pack again with these")
    return pack
