# SPDX-License-Identifier: MIT
"""Sets of nodes of a taxonomy, one row of bits per list: unions, sizes, and what is known to be absent."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from kammerton.core.intervals import Codes, Flags
from kammerton.instruments.lists import Lists, lists_of
from kammerton.instruments.taxonomy import Taxonomy

__all__ = ["Bits", "Nodes", "nodes_of", "size_of"]

Bits = NDArray[np.uint64]
"""Shape (lists, words): a set of nodes for each list, node n in bit n % 64 of word n // 64."""

_WORD = 64


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """The nodes of a taxonomy, numbered as there.

    Parameters
    ----------
    itself : ndarray of uint64, shape (nodes, words)
        Each node alone; nothing for a root, which does not count.
    closure : ndarray of uint64, shape (nodes, words)
        Each node and its ancestors, without roots.
    families : tuple of (int, ndarray of uint64)
        Each node that has others below it, and its children: the lower ones first.
    """

    itself: Bits
    closure: Bits
    families: tuple[tuple[int, Bits], ...]

    def __len__(self) -> int:
        """Return the number of nodes, roots among them."""
        return len(self.itself)

    def extended(self, lists: Lists) -> Bits:
        """Return the labels of each list with all their ancestors; labels that are no nodes are left out."""
        return self._union(lists, self.closure)

    def listed(self, lists: Lists) -> Bits:
        """Return the labels of each list that are nodes."""
        return self._union(lists, self.itself)

    def _union(self, lists: Lists, of_node: Bits) -> Bits:
        nodes = lists if lists.codes.max(initial=0) < len(self) else lists.keep(lists.codes < len(self))
        union = np.zeros((len(nodes), of_node.shape[1]), dtype=np.uint64)
        filled = nodes.lengths > 0
        starts = nodes.offsets[:-1][filled]
        if len(starts):
            for word in range(of_node.shape[1]):
                column = np.ascontiguousarray(of_node[:, word])
                union[filled, word] = np.bitwise_or.reduceat(column[nodes.codes], starts)
        return union

    @property
    def roots(self) -> Bits:
        """The nodes that do not count."""
        every = np.arange(len(self))
        of_itself = self.itself[every, every // _WORD] == 0
        roots = np.zeros(self.itself.shape[1], dtype=np.uint64)
        np.bitwise_or.at(roots, every[of_itself] // _WORD, _bit(every[of_itself]))
        return roots

    def has(self, sets: Bits, nodes: Codes) -> Flags:
        """Tell which of some nodes are in the set beside them."""
        words = sets[np.arange(len(nodes)), nodes // _WORD]
        return np.asarray((words & _bit(nodes)) != 0)

    def absent(self, judged: Lists, present: Bits) -> Bits:
        """Return the nodes that are known not to be there.

        Parameters
        ----------
        judged : Lists
            Labels that were judged absent.
        present : ndarray of uint64, shape (lists, words)
            Annotated labels with all their ancestors.

        Returns
        -------
        ndarray of uint64, shape (lists, words)
            Of the nodes that are not present: those judged absent, and those whose children all are.
        """
        absent = self.listed(judged) & ~present
        for family, children in self.families:
            everything = ((absent & children) == children).all(axis=1)
            absent[everything] |= self.itself[family] & ~present[everything]
        return absent

    def as_lists(self, sets: Bits, among: Flags) -> Lists:
        """Return those nodes of each set that are among some of all."""
        chosen = np.flatnonzero(among)
        bits = (sets[:, chosen // _WORD] >> (chosen % _WORD).astype(np.uint64)) & np.uint64(1)
        rows, columns = np.nonzero(bits)
        return lists_of(np.bincount(rows, minlength=len(sets)), chosen[columns])


def size_of(sets: Bits) -> Codes:
    """Return the number of nodes in each set."""
    return np.asarray(np.bitwise_count(sets).sum(axis=1, dtype=np.int64))


@lru_cache(maxsize=8)
def nodes_of(tree: Taxonomy) -> Nodes:
    """Return the nodes of a taxonomy."""
    count = len(tree.nodes)
    words = -(-count // _WORD) or 1
    offsets, ancestors = tree.closure()
    closure = np.zeros((count, words), dtype=np.uint64)
    owners = np.repeat(np.arange(count), np.diff(offsets))
    np.bitwise_or.at(closure, (owners, ancestors // _WORD), _bit(ancestors))
    own = np.arange(count)
    itself = np.zeros((count, words), dtype=np.uint64)
    itself[own, own // _WORD] = _bit(own)
    itself &= closure
    return Nodes(itself, closure, _families(tree, itself))


def _bit(nodes: Codes) -> Bits:
    return np.left_shift(np.uint64(1), (nodes % _WORD).astype(np.uint64))


def _families(tree: Taxonomy, itself: Bits) -> tuple[tuple[int, Bits], ...]:
    children: dict[int, Bits] = {}
    for node, parents in enumerate(tree.parents):
        for parent in parents:
            children[parent] = children.get(parent, np.zeros_like(itself[0])) | itself[node]
    return tuple((family, children[family]) for family in sorted(children, reverse=True))
