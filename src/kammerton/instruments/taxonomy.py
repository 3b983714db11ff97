# SPDX-License-Identifier: MIT
"""A taxonomy of instruments: nodes below one another, perhaps below several."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import DataError, Diagnostic, OptionError, quote

__all__ = ["Taxonomy"]


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """Nodes, each below its parents: a tree, or a graph without cycles.

    A single node at the top is the root, which holds everything and is never counted. If there are several
    nodes at the top, a root without a name is thought above them, and all of them count.

    Parameters
    ----------
    name : str
        What signatures call it.
    nodes : tuple of str
        Each name once; parents before their children, those of one parent in the order of the source.
    parents : tuple of tuple of int
        Of each node, as numbers of nodes.
    source, licence : str
        Where it is from, and under which terms.

    See Also
    --------
    kammerton.instruments.load_taxonomy : Reads one from a file, or by the name of a built-in one.

    Examples
    --------
    >>> tree = Taxonomy.build("mine", {"strings": [], "violin": ["strings"], "voice": []})
    >>> tree.ancestors("violin"), tree.roots
    (('strings',), ())
    """

    name: str
    nodes: tuple[str, ...]
    parents: tuple[tuple[int, ...], ...]
    source: str = ""
    licence: str = ""

    @classmethod
    def build(
        cls, name: str, parents: Mapping[str, Sequence[str]], *, source: str = "", licence: str = ""
    ) -> Taxonomy:
        """Return the taxonomy in which each key is below the nodes it is mapped to.

        Parameters
        ----------
        name, source, licence : str
            As above.
        parents : mapping of str to sequence of str
            Parents of each node, none of those at the top. What is a parent only is at the top.

        Raises
        ------
        DataError
            If there is no node, or nodes are below themselves.
        """
        if not parents:
            raise DataError([_error("KT640", "a taxonomy has at least one node", name)])
        try:
            order = list(TopologicalSorter(parents).static_order())
        except CycleError as error:
            way = " > ".join(map(quote, error.args[1]))
            raise DataError([_error("KT641", f"nodes are below themselves: {way}", name)]) from error
        nodes = tuple(_families_together(order, parents))
        number = {node: place for place, node in enumerate(nodes)}
        above = tuple(tuple(number[each] for each in dict.fromkeys(parents.get(node, ()))) for node in nodes)
        return cls(name, nodes, above, source, licence)

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.nodes)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Number of each node."""
        return {node: place for place, node in enumerate(self.nodes)}

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The single node at the top; none if there are several."""
        tops = tuple(node for node, above in zip(self.nodes, self.parents, strict=True) if not above)
        return tops if len(tops) == 1 else ()

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """Nodes without children."""
        inner = {parent for above in self.parents for parent in above}
        return tuple(node for place, node in enumerate(self.nodes) if place not in inner)

    @cached_property
    def families(self) -> tuple[str, ...]:
        """Nodes just below the root that have children."""
        return tuple(node for node in self.nodes if self.depth(node) == 1 and self.children(node))

    def children(self, label: str) -> tuple[str, ...]:
        """Return the nodes just below a node."""
        return self._children[self.number(label)]

    def siblings(self, label: str) -> tuple[str, ...]:
        """Return the other nodes that share a named parent with a node, the root not counted."""
        above = [self.nodes[parent] for parent in self.parents[self.number(label)]]
        beside = (child for parent in above if parent not in self.roots for child in self.children(parent))
        return tuple(dict.fromkeys(child for child in beside if child != label))

    def ancestors(self, label: str) -> tuple[str, ...]:
        """Return what is above a node on all paths, the nearest first, the root left out."""
        return tuple(
            self.nodes[place] for place in self._above[self.number(label)] if not self._is_root(place)
        )

    def depth(self, label: str) -> int:
        """Return how far a node is below the root, on the longest path; 0 for the root."""
        return self._depths[self.number(label)]

    def lca(self, one: str, other: str) -> tuple[str, ...]:
        """Return the deepest nodes above both nodes, or of them; several if they are equally deep.

        The root is only returned if nothing else is; where it has no name, as an empty one.
        """
        both = [self.number(label) for label in (one, other)]
        first, second = ({place, *self._above[place]} for place in both)
        shared = sorted(first & second)
        deepest = max((self._depths[place] for place in shared), default=0)
        return tuple(self.nodes[place] for place in shared if self._depths[place] == deepest) or ("",)

    def project(self, label: str, level: int) -> tuple[str, ...]:
        """Return what a node belongs to so far below the root; itself if it is not deeper than that."""
        place = self.number(label)
        if self._depths[place] <= level:
            return (label,)
        return tuple(self.nodes[each] for each in sorted(self._above[place]) if self._depths[each] == level)

    def closure(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return each node with all its ancestors, the root left out.

        Returns
        -------
        offsets : ndarray of int64, shape (nodes + 1,)
            Where the row of each node begins; that of the root is empty.
        rows : ndarray of int64
            Numbers of nodes.
        """
        rows = [
            [each for each in (place, *self._above[place]) if not self._is_root(each)]
            for place in range(len(self))
        ]
        offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows], dtype=np.int64)))
        return offsets, np.array([each for row in rows for each in row], dtype=np.int64)

    def nearest(self, label: str, n: int = 3) -> tuple[str, ...]:
        """Return the names that are most like one that is not a node."""
        spelled = {node.casefold(): node for node in reversed(self.nodes)}
        near = difflib.get_close_matches(label.casefold(), spelled, n=n, cutoff=0.6)
        return tuple(spelled[each] for each in near)

    def draw(self, marks: Mapping[str, str] | None = None) -> str:
        """Return the taxonomy as text, each node below its parents, with marks behind their names.

        A node with several parents is drawn below each, and what is below it only once.
        """
        tops = [node for node, above in zip(self.nodes, self.parents, strict=True) if not above]
        lines: list[str] = []
        seen: set[str] = set()
        stack = [(node, 0) for node in reversed(tops)]
        while stack:
            node, depth = stack.pop()
            below = self.children(node)
            again = node in seen and bool(below)
            mark = f"  {marks[node]}" if marks and node in marks else ""
            lines.append("  " * depth + node + (" ..." if again else "") + mark)
            if not again:
                stack += [(child, depth + 1) for child in reversed(below)]
            seen.add(node)
        return "\n".join(lines)

    def number(self, label: str) -> int:
        """Return the number of a node.

        Raises
        ------
        OptionError
            If there is no such node.
        """
        place = self.index.get(label)
        if place is None:
            raise OptionError.unknown(f"node of {self.name}", label, self.nearest(label) or self.nodes[:5])
        return place

    def _is_root(self, place: int) -> bool:
        return bool(self.roots) and not self.parents[place]

    @cached_property
    def _children(self) -> tuple[tuple[str, ...], ...]:
        below: list[list[str]] = [[] for _ in self.nodes]
        for node, above in zip(self.nodes, self.parents, strict=True):
            for parent in above:
                below[parent].append(node)
        return tuple(map(tuple, below))

    @cached_property
    def _above(self) -> tuple[tuple[int, ...], ...]:
        """Numbers of what is above each node, the nearest first."""
        found: list[tuple[int, ...]] = []
        for own in self.parents:
            reached = dict.fromkeys(own)
            level = list(own)
            while level:
                level = [each for place in level for each in self.parents[place] if each not in reached]
                reached.update(dict.fromkeys(level))
            found.append(tuple(reached))
        return tuple(found)

    @cached_property
    def _depths(self) -> tuple[int, ...]:
        top = 0 if self.roots else 1
        depths: list[int] = []
        for above in self.parents:  # parents come first
            depths.append(max((depths[parent] + 1 for parent in above), default=top))
        return tuple(depths)


def _families_together(order: Sequence[str], parents: Mapping[str, Sequence[str]]) -> list[str]:
    """Return nodes as one would read them: each behind its parents, and its children behind it."""
    below: dict[str, list[str]] = {node: [] for node in order}
    for node, above in parents.items():
        for parent in dict.fromkeys(above):
            below[parent].append(node)
    waiting = {node: len(set(parents.get(node, ()))) for node in order}
    written = dict.fromkeys(parents)  # in the order of the source, what is only a parent last
    stack = [node for node in reversed([*written, *order]) if not waiting[node]]
    placed: dict[str, None] = {}
    while stack:
        node = stack.pop()
        if node in placed:
            continue
        placed[node] = None
        for child in reversed(below[node]):
            waiting[child] -= 1
            if not waiting[child]:
                stack.append(child)
    return list(placed)


def _error(code: str, message: str, file: str) -> Diagnostic:
    return Diagnostic(code=code, severity="error", message=message, file=file)
