# SPDX-License-Identifier: MIT
"""From a block of a pack to what its sources gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kammerton.errors import Diagnostic, quote
from kammerton.formats.packs.contents import texts_of
from kammerton.formats.packs.problems import damaged, fault, problem
from kammerton.formats.packs.record import RecordError, parse_diagnostics
from kammerton.model.packing import PackedColumn, Packing
from kammerton.model.task import Reading

__all__ = ["Damaged", "Decoded"]


class Decoded:
    """What sources gave that begin in the rows of a block.

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

    is_sound = True

    def __init__(self, contents: Mapping[str, Any], packing: Packing, path: str) -> None:
        self._path = path
        self._usable: list[bool] = contents["usable"].values
        annotations = iter(packing.unpack(_columns(contents, packing, path)))
        self._annotations = [next(annotations) if each else None for each in self._usable]
        self._names, self._files, texts = (
            texts_of(contents[name].values) for name in ("name", "file", "said")
        )
        begins = [row for row, first in enumerate(contents["first"].values) if first]
        self._ends = dict(zip(begins, [*begins[1:], len(texts)], strict=True))
        try:
            self._said = {row: parse_diagnostics(texts[row]) for row in begins}
        except RecordError as error:
            raise damaged(str(error), path) from error

    def file(self, row: int) -> str | None:
        """Return the file that the source was read from that begins in a row, if that can be told."""
        found: str | None = self._files[row]
        return found

    def reading(self, row: int) -> Reading[Any]:
        """Return what the source gave that begins in a row; it is read once, and made as it is."""
        said = self._said[row]
        if not self._usable[row]:
            return Reading((), said)
        rows = slice(row, self._ends[row])
        annotations = self._annotations[rows]
        if None in annotations:
            message = "packed annotation is none that a file can hold: times, labels or lengths do not fit"
            return Reading((), (*said, problem("KT726", message, self._path, "pack it again")))
        return Reading(tuple(zip(self._names[rows], annotations, strict=True)), said)


@dataclass(frozen=True, slots=True)
class Damaged:
    """A block that cannot be decoded, which gives the same for each of its sources."""

    diagnostics: tuple[Diagnostic, ...]
    is_sound = False

    def file(self, _: int) -> None:
        """Return nothing, for no file can be told."""

    def reading(self, _: int) -> Reading[Any]:
        """Return why there is nothing."""
        return Reading((), self.diagnostics)


def _columns(contents: Mapping[str, Any], packing: Packing, path: str) -> dict[str, PackedColumn]:
    some = np.array(contents["usable"].values, dtype=bool)
    columns = {}
    for name, kind in (*packing.single.items(), *packing.lists.items()):
        try:
            columns[name] = contents[name].of(some, kind)
        except ValueError as error:
            raise fault("KT723", f"pack cannot be used: column {quote(name)} {error}", path) from error
    return columns
