# SPDX-License-Identifier: MIT
"""How annotations of a task stand in columns, many of them one behind the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["OF_BLOCKS", "Kind", "PackedColumn", "Packing"]

OF_BLOCKS = frozenset(("KT721", "KT723"))
"""Codes of what is wrong with a block of a pack, and so with every source in it alike."""

Kind = Literal["real", "whole", "text", "flag"]
"""What a column holds: float64, int64, str or bool."""


@dataclass(frozen=True, eq=False)
class PackedColumn:
    """One field of many annotations.

    Parameters
    ----------
    values : ndarray
        Of all annotations, one behind the other; of texts, the index of each in ``names``.
    offsets : ndarray of int64, shape (annotations + 1,)
        Where the values of each annotation begin, and where the last ones end.
    names : sequence of str, optional
        Distinct texts, if the values are texts.
    """

    values: NDArray[Any]
    offsets: NDArray[np.int64]
    names: Sequence[str] | None = None

    @classmethod
    def of_texts(cls, texts: Sequence[str], offsets: NDArray[np.int64]) -> PackedColumn:
        """Return the column of texts that stand one behind the other."""
        index: dict[str, int] = {}
        values = [index.setdefault(text, len(index)) for text in texts]
        return cls(np.array(values, dtype=np.int64), offsets, tuple(index))

    @cached_property
    def texts(self) -> list[str]:
        """The values, as they are spelled."""
        assert self.names is not None, "only of texts"
        spelled: list[str] = np.array(self.names, dtype=object).take(self.values).tolist()
        return spelled

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Number of values of each annotation."""
        return np.diff(self.offsets)

    @cached_property
    def owners(self) -> NDArray[np.int64]:
        """Number of the annotation that each value is of."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.lengths)

    def parts(self) -> Iterator[Any]:
        """Give the values of each annotation, texts as they are spelled."""
        values = self.values if self.names is None else self.texts
        return (values[begin:end] for begin, end in pairwise(self.offsets.tolist()))

    def having(self, odd: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Tell which annotations have any of the values that are odd."""
        return np.bincount(self.owners[odd], minlength=len(self.offsets) - 1) > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Packing:
    """How annotations become columns, and columns annotations.

    Parameters
    ----------
    lists : mapping of str to kind
        Fields that have any number of values in an annotation.
    single : mapping of str to kind
        Fields that have one.
    pack : callable
        ``pack(annotation)`` returns the values of each field.
    unpack : callable
        ``unpack(columns)`` returns the annotations that stand in columns by name; None for one that no
        reader would have given, so that nothing else has to expect it.
    rows : callable
        ``rows(annotation)`` returns how many rows, notes or labels it has.
    choices : frozenset of str
        Options that decide what is made of a file that can be read, so that they have to be the same
        when it is packed and when it is used.
    """

    lists: Mapping[str, Kind]
    single: Mapping[str, Kind]
    pack: Callable[[Any], Mapping[str, Any]]
    unpack: Callable[[Mapping[str, PackedColumn]], Sequence[Any | None]]
    rows: Callable[[Any], int]
    choices: frozenset[str] = frozenset()
