# SPDX-License-Identifier: MIT
"""What is to be scored, by names only: no file is opened before its shard is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kammerton.errors import OptionError
from kammerton.model.corpus import Collection, Corpus
from kammerton.model.evaluating import BLOCK

__all__ = ["SHARD", "Plan", "Shard"]

SHARD = 2000
"""Items of a shard unless told otherwise: seconds of work, and little memory."""


@dataclass(frozen=True, slots=True, eq=False)
class Shard:
    """Some items of a corpus.

    Parameters
    ----------
    number : int
        Its place among the shards.
    items : tuple of str
        Sorted.
    corpus : Corpus
        What references and systems have of them.
    """

    number: int
    items: tuple[str, ...]
    corpus: Corpus


class Plan:
    """A corpus in shards.

    Parameters
    ----------
    corpus : Corpus
        The whole.
    size : int
        Items of a shard, rounded up to whole blocks: what is judged together never depends on it.

    Attributes
    ----------
    corpus : Corpus
        The whole, paired.
    items : tuple of str
        Every item that is to be scored, sorted.

    Raises
    ------
    OptionError
        If the size is not positive.
    """

    def __init__(self, corpus: Corpus, size: int = SHARD) -> None:
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
            raise OptionError(f"a shard has one item or more, got {size!r}")
        self.corpus = corpus.paired()
        self.items = tuple(sorted(self.corpus.items))
        self._size = -(-size // BLOCK) * BLOCK

    def __len__(self) -> int:
        """Return the number of shards; there is always one."""
        return max(-(-len(self.items) // self._size), 1)

    def __iter__(self) -> Iterator[Shard]:
        """Give the shards in order."""
        return map(self.shard, range(len(self)))

    def items_of(self, number: int) -> tuple[str, ...]:
        """Return the items of a shard."""
        return self.items[number * self._size : (number + 1) * self._size]

    def shard(self, number: int) -> Shard:
        """Return a shard."""
        items = self.items_of(number)
        whole = self.corpus
        return Shard(
            number,
            items,
            Corpus(
                tuple(_part(each, items) for each in whole.references),
                tuple(_part(each, items) for each in whole.systems),
            ),
        )


def _part(collection: Collection, items: Sequence[str]) -> Collection:
    """Return what a collection has of some items; what was noticed while collecting is said of the whole."""
    return replace(collection.only(items), diagnostics=(), written={})
