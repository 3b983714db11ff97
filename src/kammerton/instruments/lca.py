# SPDX-License-Identifier: MIT
"""Labels with the way to their lowest common ancestor (Kosmopoulos et al. 2015): counts of each file.

Each annotated label is connected with the deepest ancestor that it shares with an estimated label, and
the other way round; what is compared are the nodes on these ways. So an ancestor of a label that was hit
does not count, and deep labels weigh no more than others.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from kammerton.core.intervals import Codes, Flags
from kammerton.instruments.columns import Columns
from kammerton.instruments.hierarchical import known_nodes
from kammerton.instruments.lists import Lists, contains, distinct, numbered, spread
from kammerton.instruments.taxonomy import Taxonomy
from kammerton.model.measure import Statistics

__all__ = ["lca_counts"]

_ROOT = -1
"""Stands for a root above all top nodes that has no name."""


def lca_counts(columns: Columns) -> Statistics:
    """Return shared nodes, nodes of the estimate and nodes of the annotation of each file.

    A root counts only as a common ancestor. The common ancestor of a label that the taxonomy does not
    have with any other is the root. Of files that are judged in part, the nodes whose truth is unknown
    are left out.

    Returns
    -------
    ndarray of float64, shape (files, 3)
        Columns :data:`kammerton.instruments.formulas.COUNTS`.
    """
    ways = _Ways(columns)
    truth, said = (lists.keep(~ways.is_root[lists.codes]) for lists in (columns.truth, columns.said))
    annotated, estimated = ways.connect(truth, said), ways.connect(said, truth)
    if not columns.closed.all():
        estimated = estimated[_is_known(columns, estimated, ways.size)]
    shared = estimated[contains(annotated, estimated, len(columns) * ways.size)]
    counts = [
        np.bincount(keys // ways.size, minlength=len(columns)) for keys in (shared, estimated, annotated)
    ]
    return np.stack(counts, axis=1).astype(np.float64)


def _is_known(columns: Columns, keys: Codes, size: int) -> Flags:
    """Tell of which nodes it is known whether they are there; the root is."""
    files, codes = keys // size, keys % size
    nodes = columns.nodes
    inside = codes < len(nodes)
    known = np.ones(len(keys), dtype=bool)
    bits = known_nodes(columns, nodes.extended(columns.truth) | nodes.roots)
    known[inside] = nodes.has(bits[files[inside]], codes[inside])
    outside = np.flatnonzero((codes >= len(nodes)) & (codes < len(columns.labels)) & ~columns.closed[files])
    labels = len(columns.labels)
    judged = np.concatenate((columns.truth.keys(labels), columns.absent.keys(labels)))
    wanted = files[outside] * labels + codes[outside]
    known[outside] = contains(judged, wanted, columns.keys)
    return known


class _Ways:
    """The ways from labels up to common ancestors. Code ``size - 1`` is a root without a name."""

    def __init__(self, columns: Columns) -> None:
        assert columns.tree is not None, "hierarchical measures need a taxonomy"
        self._tree = columns.tree
        self._climb = _climb(columns.tree)
        self.size = len(columns.labels) + 1
        self.is_root = np.zeros(self.size, dtype=bool)
        self.is_root[[columns.tree.index[root] for root in columns.tree.roots]] = True

    def connect(self, own: Lists, other: Lists) -> Codes:
        """Return a key for each file and node on the ways of its own labels; a label without any is alone."""
        counts = other.lengths[own.owners]
        mine, nth = spread(counts)
        theirs = other.offsets[own.owners[mine]] + nth
        pairs, which = numbered(own.codes[mine] * self.size + other.codes[theirs], self.size**2)
        met = [self._climb.meet(*divmod(pair, self.size)) for pair in pairs.tolist()]
        depths = np.array([depth for depth, _ in met], dtype=np.int64)[which]
        best = np.full(len(own.codes), -1)
        np.maximum.at(best, mine, depths)
        deepest = depths == best[mine]
        ways = [nodes for _, nodes in met]
        lengths = np.array([len(nodes) for nodes in ways], dtype=np.int64)
        starts = np.concatenate(([0], np.cumsum(lengths)))
        nodes = np.array([node for way in ways for node in way], dtype=np.int64)
        pair, owner = which[deepest], own.owners[mine[deepest]]
        entry, step = spread(lengths[pair])
        found = owner[entry] * self.size + nodes[starts[pair[entry]] + step] % self.size
        alone = own.keep(counts == 0)
        every = np.concatenate((found, alone.keys(self.size)))
        return distinct(every, len(own) * self.size)


class _Climb:
    """Ways up in one taxonomy, remembered; codes are those of its nodes, others have no place in it."""

    def __init__(self, tree: Taxonomy) -> None:
        self._tree = tree
        self._above: list[dict[int, int]] = []
        self._met: dict[tuple[int, int], tuple[int, tuple[int, ...]]] = {}
        for node, parents in enumerate(tree.parents):
            steps = {node: 0}
            for parent in parents:
                for ancestor, distance in self._above[parent].items():
                    steps[ancestor] = min(distance + 1, steps.get(ancestor, distance + 1))
            if not parents and not tree.roots:
                steps[_ROOT] = 1
            self._above.append(steps)
        self._root = tree.index[tree.roots[0]] if tree.roots else _ROOT

    def meet(self, own: int, other: int) -> tuple[int, tuple[int, ...]]:
        """Return the depth of the deepest common ancestors, and the nodes on the shortest ways there."""
        count = len(self._above)
        if own >= count or other >= count:
            return self._outside(own, other)
        if (own, other) not in self._met:
            self._met[own, other] = self._inside(own, other)
        return self._met[own, other]

    def _outside(self, own: int, other: int) -> tuple[int, tuple[int, ...]]:
        if own == other:
            return 1, (own,)
        way = (own,) if own >= len(self._above) else self._way(own, self._root)
        return 0, tuple({*way, self._root})

    def _inside(self, own: int, other: int) -> tuple[int, tuple[int, ...]]:
        tree = self._tree
        names = tree.lca(tree.nodes[own], tree.nodes[other])
        ancestors = [tree.index.get(name, _ROOT) for name in names]
        depth = max(0 if each in (_ROOT, self._root) else tree.depth(tree.nodes[each]) for each in ancestors)
        ways = {node for ancestor in ancestors for node in self._way(own, ancestor)}
        return depth, tuple(sorted(ways))

    def _way(self, node: int, ancestor: int) -> tuple[int, ...]:
        """Return the nodes on all shortest ways up from a node."""
        steps = self._above[node]
        return tuple(
            each
            for each, distance in steps.items()
            if each == ancestor or self._remaining(each, ancestor) == steps[ancestor] - distance
        )

    def _remaining(self, node: int, ancestor: int) -> int | None:
        return None if node == _ROOT else self._above[node].get(ancestor)


@lru_cache(maxsize=8)
def _climb(tree: Taxonomy) -> _Climb:
    return _Climb(tree)
