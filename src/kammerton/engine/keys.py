# SPDX-License-Identifier: MIT
"""What the part of a shard depends on, as a digest: inputs, choices, revisions of protocols, version."""

from __future__ import annotations

import hashlib
import os
import stat
import struct
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from kammerton.engine.plan import Shard
from kammerton.formats.options import file_of
from kammerton.model.corpus import Collection
from kammerton.model.evaluating import BLOCK
from kammerton.model.loading import read_source
from kammerton.model.scoring import Order
from kammerton.model.sources import StoredSource
from kammerton.version import __version__

__all__ = ["key_of_order", "key_of_shard"]


def key_of_order(order: Order) -> bytes:
    """Return the digest of what is to be done with every shard."""
    task = order.task
    return _digest(
        __version__,
        task.name,
        *(f"{measure}|{task.revision(measure)}" for measure in order.measures),
        *(f"{name}={value}" for name, value in _choices(order.options)),
        order.missing,
        order.annotator,
        str(order.strict),
        str(BLOCK),
    )


def _choices(options: Any) -> Iterator[tuple[str, str]]:
    """Give every option; of files what is in them."""
    for field in fields(options):
        value = getattr(options, field.name)
        yield field.name, repr(value)
        path = file_of(str(value))[0] if field.metadata.get("file") else None
        if path is not None:
            yield field.name, _of_file(Path(path)).hex()


def key_of_shard(order: Order, choices: bytes, shard: Shard, *, claimed: bool = False) -> str:
    """Return the digest of what the part of a shard depends on.

    Parameters
    ----------
    order : Order
    choices : bytes
        From :func:`key_of_order`.
    shard : Shard
        Its files are read, but not understood.
    claimed : bool
        Whether stores are believed what they say of themselves, which is faster than to look.

    Returns
    -------
    str
        Hexadecimal. Times of files are not in it, only what they hold, and what the caller calls them.
    """
    whole = hashlib.sha256(choices)
    for role, collections in (("reference", shard.corpus.references), ("system", shard.corpus.systems)):
        for collection in collections:
            whole.update(_digest(role, collection.name, *_items(order, collection, shard.items, claimed)))
    return whole.hexdigest()


def _items(order: Order, collection: Collection, items: Iterable[str], claimed: bool) -> Iterator[str]:
    for item in items:
        yield item
        yield collection.broken.get(item, "")
        for told, source in collection.sources.get(item, ()):
            yield told or ""
            stored = isinstance(source, StoredSource) and (source.claim if claimed else source.digest)
            yield stored or _content(order, source, item, collection.read_by(order.options)).hex()


def _content(order: Order, source: object, item: str, options: object) -> bytes:
    """Return the digest of what a source holds; of a file its name too, which diagnostics have."""
    if isinstance(source, str | os.PathLike):
        return _digest(os.fsdecode(source)) + _of_file(Path(source))
    reading = read_source(order.task, source, item, options)
    annotations = [f"{name}|{order.task.content(found).hex()}" for name, found in reading.annotations]
    return _digest(*annotations, *map(repr, reading.diagnostics))


def _of_file(path: Path) -> bytes:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return _digest("no regular file")
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()
    except OSError as error:
        return _digest("unreadable", str(error.errno))


def _digest(*texts: str) -> bytes:
    """Return the digest of texts; each is told from the next."""
    parts = [text.encode("utf-8", "surrogatepass") for text in texts]
    lengths = struct.pack(f">{1 + len(parts)}q", len(parts), *map(len, parts))
    return hashlib.sha256(b"".join((lengths, *parts))).digest()
