# SPDX-License-Identifier: MIT
"""Packs at addresses: they are copied, for what decodes them wants a file."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from functools import lru_cache
from pathlib import Path, PurePosixPath

from kammerton.formats.packs.footer import MAGIC
from kammerton.formats.packs.opening import Copied, open_pack
from kammerton.formats.packs.reading import Pack
from kammerton.formats.remote.store import Store
from kammerton.model.task import Task

__all__ = ["is_pack_at", "open_pack_at"]


def is_pack_at(address: str) -> bool:
    """Tell whether there is a Parquet file at an address, by what it begins with, or its name.

    Raises
    ------
    OptionError
        If there is nothing, or what reads it is not installed.
    DataError
        KT730 if it cannot be told.
    """
    store = Store(address)
    if store.is_folder():
        return False
    return store.head() == MAGIC or PurePosixPath(store.shown).suffix.lower() == ".parquet"


def open_pack_at(address: str, task: Task) -> Pack:
    """Copy a pack, and open the copy, which goes once nobody holds the pack.

    Raises
    ------
    DataError
        KT730 if it cannot be read; else as :func:`kammerton.formats.packs.open_pack`.
    """
    return _open_copy(Store(address), task)


def _open_copy(store: Store, task: Task) -> Pack:
    folder = tempfile.mkdtemp()
    copy = Path(folder, "pack.parquet")
    try:
        store.copy_to(copy)
        pack = open_pack(copy, task, copied=Copied(store.shown, (_open_again, (store, task))))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(pack, shutil.rmtree, folder, ignore_errors=True)
    return pack


@lru_cache(maxsize=8)
def _open_again(store: Store, task: Task) -> Pack:
    """Copy a pack in another process, once."""
    return _open_copy(store, task)
