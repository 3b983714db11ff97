# SPDX-License-Identifier: MIT
"""What stands in the columns of a table: plain values, arrays and codes, and the digest of them.

How a file stores a column does not matter to its digest: labels count by their spelling, and not by the codes
that a library happened to give them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kammerton.formats.escaped import unescaped
from kammerton.model.packing import Kind, PackedColumn

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Contents", "Lists", "Plain", "contents_of", "digest_of", "texts_of"]


_TYPES = {"real": np.float64, "whole": np.int64, "flag": np.bool_}


class _Hash(Protocol):
    def update(self, data: Any, /) -> None: ...


@dataclass(frozen=True, slots=True)
class Plain:
    """A column with one value in each row, None where there is none."""

    values: list[Any]

    def digest_into(self, whole: _Hash) -> None:
        """Add the values to a digest."""
        texts = ["" if value is None else str(value) for value in self.values]
        lengths = [-1 if value is None else len(text) for value, text in zip(self.values, texts, strict=True)]
        _add(whole, np.array(lengths, dtype=np.int64))
        whole.update("".join(texts).encode())

    def of(self, rows: NDArray[np.bool_], kind: Kind) -> PackedColumn:
        """Return the values of some rows.

        Raises
        ------
        ValueError
            If one is lacking.
        """
        some = [value for value, wanted in zip(self.values, rows.tolist(), strict=True) if wanted]
        if None in some:
            raise ValueError("has nulls")
        offsets = np.arange(len(some) + 1)
        if kind == "text":
            return PackedColumn.of_texts(texts_of(some), offsets)
        return PackedColumn(np.array(some, dtype=_TYPES[kind]), offsets)


@dataclass(frozen=True, slots=True)
class Lists:
    """A column with a list in each row, of which length -1 stands for none.

    Parameters
    ----------
    lengths : ndarray of int64
        Of each list.
    flat : ndarray
        Numbers, or places in ``names``, of all lists one behind the other.
    names : list of str, optional
        Distinct texts in order, if the lists are of texts.
    """

    lengths: NDArray[np.int64]
    flat: NDArray[Any]
    names: list[str] | None = None

    def digest_into(self, whole: _Hash) -> None:
        """Add the lists to a digest."""
        _add(whole, self.lengths)
        if self.names is not None:
            Plain(self.names).digest_into(whole)
        _add(whole, self.flat)

    def of(self, rows: NDArray[np.bool_], _: Kind) -> PackedColumn:
        """Return the lists of some rows; the others have none.

        Raises
        ------
        ValueError
            If a list, or anything in one, is lacking.
        """
        lengths = self.lengths[rows]
        offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths, out=offsets[1:])
        if (lengths < 0).any() or len(self.flat) != offsets[-1]:
            raise ValueError("has nulls")
        names = None if self.names is None else tuple(map(unescaped, self.names))
        return PackedColumn(self.flat, offsets, names)


Contents = Plain | Lists


def contents_of(frame: pl.DataFrame) -> dict[str, Contents]:
    """Return what stands in each column."""
    import polars as pl  # noqa: PLC0415 - half the import time; many runs of the program read no pack

    nested = [name for name, dtype in frame.schema.items() if dtype.is_nested()]
    # One query for all lengths: each has a cost of its own, however small the table is.
    lengths = frame.select(pl.col(nested).list.len().cast(pl.Int64).fill_null(-1)) if nested else frame
    found: dict[str, Contents] = {}
    for column in frame.get_columns():
        if column.name in nested:
            found[column.name] = _lists(column, lengths[column.name].to_numpy())
        else:
            found[column.name] = Plain(column.to_list())
    return found


def _lists(column: pl.Series, lengths: NDArray[np.int64]) -> Lists:
    import polars as pl  # noqa: PLC0415

    flat = column.explode()
    if flat.null_count():  # an empty list has none, and explodes to a null
        flat = flat.drop_nulls()
    if flat.dtype != pl.Categorical:
        return Lists(lengths, flat.to_numpy())
    codes = flat.to_physical().to_numpy()
    used = np.flatnonzero(np.bincount(codes)) if len(codes) else np.empty(0, dtype=np.int64)
    first = np.zeros(int(used[-1]) + 1 if len(used) else 0, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    spelled = flat.gather(first[used]).cast(pl.String).to_list()
    order = sorted(range(len(used)), key=spelled.__getitem__)
    places = np.zeros(len(first), dtype=np.int64)
    places[used[order]] = np.arange(len(used))
    return Lists(lengths, places.take(codes), [spelled[each] for each in order])


def digest_of(contents: Mapping[str, Contents]) -> str:
    """Return the SHA-256 of columns, with their names."""
    whole = hashlib.sha256()
    for name, each in contents.items():
        whole.update(name.encode() + b"\0")
        each.digest_into(whole)
    return whole.hexdigest()


def texts_of(values: Sequence[str | None]) -> list[Any]:
    """Return texts as they were before they were stored, None where there is nothing."""
    return [value and unescaped(value) for value in values]


def _add(whole: _Hash, numbers: NDArray[Any]) -> None:
    if numbers.dtype.kind != "f":
        numbers = numbers.astype(np.int64, copy=False)
    whole.update(np.ascontiguousarray(numbers, dtype=numbers.dtype.newbyteorder("<")).data)
