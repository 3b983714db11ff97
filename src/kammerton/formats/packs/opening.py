# SPDX-License-Identifier: MIT
"""From a file to a pack: what it claims to hold is looked at before anything is decoded."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import NamedTuple

from kammerton.formats.packs.footer import Footer, FooterError, NoParquetError, read_footer
from kammerton.formats.packs.problems import damaged, fault
from kammerton.formats.packs.reading import Again, Pack
from kammerton.formats.packs.record import KEY, Record, RecordError
from kammerton.formats.packs.sealing import Seal, SealError
from kammerton.formats.source import open_regular
from kammerton.model.task import Task

__all__ = ["Copied", "open_pack"]

_MOST_VALUES = 1 << 24
_MOST_BYTES = 1 << 30
"""Budgets of a group of a file, well above what is written."""

_ROWS_PER_BYTE = 8
"""A row takes an eighth of a byte at least, however well it is packed."""


class Copied(NamedTuple):
    """Of a pack that lies elsewhere, and was copied: its name in messages, and how others open it again."""

    name: str
    again: Again


def open_pack(path: str | os.PathLike[str], task: Task, *, copied: Copied | None = None) -> Pack:
    """Open a pack, and look at what it claims to hold before anything is decoded.

    Parameters
    ----------
    path : path
        A regular file.
    task : Task
        What its annotations have to be of.
    copied : Copied, optional
        If it is a copy of what lies elsewhere.

    Raises
    ------
    DataError
        KT101, KT102 if it cannot be read, KT720 if it is no pack, KT721 if it is damaged, KT722 if it claims
        more than any file of its size holds, KT723 if a column is missing or of another type, KT724 if it is
        of another task, KT725 if a later version wrote it.
    """
    name = os.fsdecode(path) if copied is None else copied.name
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
    place = os.fsdecode(path)
    again = (_open_again, (place, task)) if copied is None else copied.again
    return Pack(name, task, record, seal, place, again)


def _check_claims(footer: Footer, size: int, name: str) -> None:
    """Refuse what claims more than it can hold, and what is no pack."""
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


def _open_again(path: str, task: Task) -> Pack:
    """Open a pack in another process, where parts of a corpus ask for it one after the other."""
    status = os.stat(path)  # noqa: PTH116 - as `os.fstat` above
    return _opened(path, task, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=8)
def _opened(path: str, task: Task, _size: int, _changed: int) -> Pack:
    return open_pack(path, task)
