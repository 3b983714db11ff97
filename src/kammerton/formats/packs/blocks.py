# SPDX-License-Identifier: MIT
"""From a block of a pack to what its sources gave."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from kammerton.errors import Diagnostic, quote
from kammerton.formats.packs.contents import texts_of
from kammerton.formats.packs.problems import damaged, fault, problem
from kammerton.formats.packs.record import RecordError, parse_diagnostics
from kammerton.model.packing import PackedColumn, Packing
from kammerton.model.task import Reading

__all__ = ["Stored", "decoded"]


class Stored(NamedTuple):
    """What stands in a row at which a source begins."""

    reading: Reading[Any]
    file: str | None


def decoded(contents: Mapping[str, Any], packing: Packing, path: str) -> list[Stored | None]:
    """Return what sources gave, in the rows in which they begin; None in the others.

    Parameters
    ----------
    contents : mapping of str to Contents
        Columns of the block, all that a pack of the task has.
    packing : Packing
        Makes annotations of them.
    path : str
        What messages call the pack.

    Raises
    ------
    DataError
        KT721 if what was said of a file cannot be read, KT723 if something is lacking.
    """
    usable = contents["usable"].values
    annotations = iter(packing.unpack(_columns(contents, packing, path)))
    found = [next(annotations) if each else None for each in usable]
    names, files, texts = (texts_of(contents[name].values) for name in ("name", "file", "said"))
    begins = [row for row, first in enumerate(contents["first"].values) if first]
    stored: list[Stored | None] = [None] * len(found)
    for begin, end in zip(begins, [*begins[1:], len(found)], strict=True):
        try:
            said = parse_diagnostics(texts[begin])
        except RecordError as error:
            raise damaged(str(error), path) from error
        tracks = tuple(zip(names[begin:end], found[begin:end], strict=True)) if usable[begin] else ()
        stored[begin] = Stored(_reading(tracks, said, path), files[begin])
    return stored


def _columns(contents: Mapping[str, Any], packing: Packing, path: str) -> dict[str, PackedColumn]:
    some = np.array(contents["usable"].values, dtype=bool)
    columns = {}
    for name, kind in (*packing.single.items(), *packing.lists.items()):
        try:
            columns[name] = contents[name].of(some, kind)
        except ValueError as error:
            raise fault("KT723", f"pack cannot be used: column {quote(name)} {error}", path) from error
    return columns


def _reading(
    tracks: tuple[tuple[str | None, Any], ...], said: tuple[Diagnostic, ...], path: str
) -> Reading[Any]:
    for _, annotation in tracks:
        if annotation is None:
            break
    else:
        return Reading(tracks, said)
    message = "packed annotation is none that a file can hold: times, labels or lengths do not fit"
    return Reading((), (*said, problem("KT726", message, path, "pack it again")))
