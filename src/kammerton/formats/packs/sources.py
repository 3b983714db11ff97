# SPDX-License-Identifier: MIT
"""Handles of what stands in a pack."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from kammerton.model.sources import StoredSource, StoredSources
from kammerton.model.task import Reading

if TYPE_CHECKING:
    from kammerton.formats.packs.reading import Pack

__all__ = ["Index", "PackedSource", "PackedSources"]


class Index(NamedTuple):
    """The sources of a collection: rows in which they begin, items, annotators told by names of files."""

    rows: array[int]
    items: list[str]
    told: list[str | None] | None


class PackedSource(StoredSource):
    """A source in a pack, by the row in which it begins."""

    __slots__ = ("_pack", "_row")

    def __init__(self, pack: Pack, row: int) -> None:
        self._pack = pack
        self._row = row

    def __reduce__(self) -> tuple[Any, ...]:
        return PackedSource, (self._pack, self._row)

    def read(self) -> Reading[Any]:
        """Return what the source gave when it was packed."""
        return self._pack.reading(self._row)

    @property
    def file(self) -> str | None:
        """What it was read from."""
        return self._pack.file(self._row)

    @property
    def digest(self) -> str | None:
        """Its place in a block, and the digest of that, which was compared to what is there."""
        return self._pack.digest(self._row)

    @property
    def claim(self) -> str:
        """The same, before anything is decoded."""
        return self._pack.claim(self._row)


class PackedSources(StoredSources):
    """The sources of a collection in a pack, by item; names are read once they are looked at.

    Parameters
    ----------
    pack : Pack
    number : int
        Of the collection.
    index : Index, optional
        Of some of its sources; by default of all.

    Raises
    ------
    DataError
        KT721, KT723 once it is looked at, if the names cannot be used.
    """

    def __init__(self, pack: Pack, number: int, index: Index | None = None) -> None:
        self._pack = pack
        self._number = number
        self._index = index

    def __reduce__(self) -> tuple[Any, ...]:
        return PackedSources, (self._pack, self._number, self._index)

    @cached_property
    def _listed(self) -> _Listed:
        return _Listed.of(self._pack.index(self._number) if self._index is None else self._index)

    def __len__(self) -> int:
        return len(self._listed.places)

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed.places)

    def __contains__(self, item: object) -> bool:
        return item in self._listed.places

    def __getitem__(self, item: str) -> tuple[tuple[str | None, PackedSource], ...]:
        listed = self._listed
        return tuple(
            [(listed.annotator(at), PackedSource(self._pack, listed.rows[at])) for at in listed.sources(item)]
        )

    def only(self, items: Iterable[str]) -> PackedSources:
        """Return those of some items, in their order."""
        return PackedSources(self._pack, self._number, self._listed.only(items))


@dataclass(frozen=True, slots=True)
class _Listed:
    """Where the sources of a collection begin: rows by source, sources by place, places by item."""

    rows: array[int]
    bounds: array[int]
    places: dict[str, int]
    told: list[str | None] | None

    @classmethod
    def of(cls, index: Index) -> _Listed:
        names = index.items
        starts = [place for place, name in enumerate(names) if place == 0 or name != names[place - 1]]
        return cls(
            index.rows,
            array("q", [*starts, len(names)]),
            {names[start]: place for place, start in enumerate(starts)},
            index.told,
        )

    def annotator(self, source: int) -> str | None:
        return None if self.told is None else self.told[source]

    def sources(self, item: str) -> range:
        place = self.places[item]
        return range(self.bounds[place], self.bounds[place + 1])

    def only(self, items: Iterable[str]) -> Index:
        places, bounds = self.places, self.bounds  # for there are many items
        found = [
            (item, at)
            for item in items
            if (place := places.get(item)) is not None
            for at in range(bounds[place], bounds[place + 1])
        ]
        told = None if self.told is None else [self.told[at] for _, at in found]
        return Index(array("q", [self.rows[at] for _, at in found]), [item for item, _ in found], told)
