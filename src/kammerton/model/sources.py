# SPDX-License-Identifier: MIT
"""Sources of annotations that are neither a file of their own nor an object."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kammerton.model.task import Reading

__all__ = ["Sources", "StoredSource", "StoredSources"]

Sources = Mapping[str, tuple[tuple[str | None, object], ...]]
"""By item: the annotator, if the name of the file tells one, and the path of the file or an object."""


class StoredSource(ABC):
    """A source that lies with others in a store: a file, or what was once read of one.

    It is a small handle that other processes can be given. Handles of one store are best read in the
    order in which the collection has them.
    """

    __slots__ = ()

    @abstractmethod
    def read(self) -> Reading[Any]:
        """Return what the source gives, with everything that is said of it."""

    @property
    @abstractmethod
    def file(self) -> str | None:
        """What diagnostics call the file that it is, or was read from, if it was one."""

    @property
    @abstractmethod
    def digest(self) -> str | None:
        """What is another if the source gives anything else; None if only reading tells."""

    @property
    def claim(self) -> str | None:
        """What the store says the digest is, whether or not it is; None if it says nothing."""
        return self.digest


class StoredSources(Mapping[str, tuple[tuple[str | None, StoredSource], ...]]):
    """Sources of many items in a store, of which handles are made when they are looked at."""

    @abstractmethod
    def only(self, items: Iterable[str]) -> StoredSources:
        """Return those of some items, in their order, as little as other processes have to be given."""
