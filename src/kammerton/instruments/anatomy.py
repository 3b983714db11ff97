# SPDX-License-Identifier: MIT
"""Where the points went: what was missed, what was said instead, and how the two are related."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kammerton.core.intervals import Codes, Flags
from kammerton.instruments.columns import Columns
from kammerton.instruments.flat import tied_files
from kammerton.instruments.lists import Lists, contains, distinct, lists_of, numbered, spread
from kammerton.instruments.nodes import nodes_of
from kammerton.instruments.taxonomy import Taxonomy
from kammerton.model.task import Classes, ClassTable

__all__ = ["RELATIONS", "Relation", "class_tables", "relation"]

Relation = Literal["descendant", "ancestor", "sibling", "family", "stranger"]

RELATIONS: tuple[Relation, ...] = ("descendant", "ancestor", "sibling", "family", "stranger")
"""What a label is to another, the nearest first. *sibling*: they share a parent below the root;
*family*: they share an ancestor below the root; *stranger*: nothing, or the taxonomy has not both."""

_NOTHING = "nothing"
_TOO_MANY = "too many"

_PAIRS = 10_000
"""Pairs of a missed and a spurious label that a file may have: nobody learns from more."""


def relation(tree: Taxonomy | None, label: str, other: str) -> Relation:
    """Tell what a label is to another one.

    Parameters
    ----------
    tree : Taxonomy, optional
        Without one all are strangers.
    label, other : str
        Two different labels.

    Returns
    -------
    {"descendant", "ancestor", "sibling", "family", "stranger"}
        What ``other`` is to ``label``.
    """
    if tree is None or label not in tree.index or other not in tree.index:
        return "stranger"
    return RELATIONS[int(_relations(tree)[tree.index[label], tree.index[other]])]


@lru_cache(maxsize=8)
def _relations(tree: Taxonomy) -> NDArray[np.int8]:
    """Return the place in ``RELATIONS`` of what each node is to each other one: column to row."""
    closure = nodes_of(tree).closure
    count = len(tree.nodes)
    found = np.full((count, count), RELATIONS.index("stranger"), dtype=np.int8)
    for node, name in enumerate(tree.nodes):
        found[node, (closure & closure[node]).any(axis=1)] = RELATIONS.index("family")
        found[node, [tree.index[each] for each in tree.siblings(name)]] = RELATIONS.index("sibling")
    for node, name in enumerate(tree.nodes):
        above = [tree.index[each] for each in tree.ancestors(name)]
        found[node, above] = RELATIONS.index("ancestor")
        found[above, node] = RELATIONS.index("descendant")
    return found


def class_tables(columns: Columns) -> tuple[ClassTable, ...]:
    """Count hits and errors by instrument and family, what was said instead, and what goes unseen.

    Parameters
    ----------
    columns : Columns
        Files; those whose estimate is no list are left out, and queries.

    Returns
    -------
    tuple of ClassTable
        *instruments*: hits, misses and spurious labels of each instrument. *families*: the same of what
        stands just below the root, if there is a taxonomy. *subfamilies*: the same of what lies between
        families and the lowest labels, if anything does. *errors*: for each missed label the nearest
        label that was said instead in the same file, for each spurious one the nearest that was missed.
        *confusion*: every pair of a missed and a spurious label of a file. *files*: files that are tied,
        or have no labels on a side, or so many errors that they are not paired.
    """
    errors = _Errors.of(columns)
    return (
        errors.outcomes("instruments"),
        *(errors.by_family(columns.tree) if columns.tree is not None else ()),
        *errors.instead(columns.tree),
        _odd_files(columns, errors.crowded),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Errors:
    """Labels by what became of them, one list for each file."""

    names: tuple[str, ...]
    groups: Codes
    hit: Lists
    missed: Lists
    spurious: Lists

    @classmethod
    def of(cls, columns: Columns) -> _Errors:
        size = len(columns.labels)
        listed = columns.listed & ~columns.queries
        judged, hits = columns.judged, columns.hits
        said = listed[judged.owners]
        answered = contains(judged.keys(size)[said], columns.truth.keys(size), columns.keys)
        return cls(
            columns.labels,
            columns.groups,
            judged.keep(hits & said),
            columns.truth.keep(~answered & listed[columns.truth.owners]),
            judged.keep(~hits & said),
        )

    @property
    def crowded(self) -> Flags:
        """Files with too many errors to pair."""
        return np.asarray(self.missed.lengths * self.spurious.lengths > _PAIRS)

    def _by_outcome(self) -> tuple[tuple[str, Lists], ...]:
        return ("hit", self.hit), ("miss", self.missed), ("spurious", self.spurious)

    def outcomes(self, name: str) -> ClassTable:
        """Count the outcomes of each label."""
        rows = [
            (group, (self.names[code], outcome), count)
            for outcome, lists in self._by_outcome()
            for group, code, count in _counted(self.groups[lists.owners], lists.codes, len(self.names))
        ]
        return _table(name, ("instrument", "outcome"), rows)

    def by_family(self, tree: Taxonomy) -> Iterator[ClassTable]:
        """Count the outcomes of each family, and of what lies between families and the lowest labels."""
        known = [(code, name, name in tree.index) for code, name in enumerate(self.names)]
        top = [_codes(tree, tree.project(name, 1)) if is_node else [code] for code, name, is_node in known]
        yield self._inner("families", "family", top)
        between = frozenset(node for node in tree.nodes if tree.depth(node) > 1 and tree.children(node))
        if between:
            inner = [
                _codes(tree, between.intersection((name, *tree.ancestors(name)))) if is_node else []
                for _, name, is_node in known
            ]
            yield self._inner("subfamilies", "subfamily", inner)

    def _inner(self, name: str, column: str, nodes: Sequence[Sequence[int]]) -> ClassTable:
        """Count the outcomes of the nodes of each label: a hit if both sides have any label of it."""
        above = lists_of(
            np.array([len(each) for each in nodes], dtype=np.int64),
            np.array(list(chain.from_iterable(nodes)), dtype=np.int64),
        )
        truth, said = (self._reached(above, (self.hit, wrong)) for wrong in (self.missed, self.spurious))
        outcomes = {
            "hit": np.intersect1d(truth, said, assume_unique=True),
            "miss": np.setdiff1d(truth, said, assume_unique=True),
            "spurious": np.setdiff1d(said, truth, assume_unique=True),
        }
        size = len(self.names)
        rows = [
            (group, (self.names[code], outcome), count)
            for outcome, found in outcomes.items()
            for group, code, count in _counted(self.groups[found // size], found % size, size)
        ]
        return _table(name, (column, "outcome"), rows)

    def _reached(self, above: Lists, parts: tuple[Lists, ...]) -> Codes:
        """Return a key for each file and node above its labels."""
        codes = np.concatenate([part.codes for part in parts])
        owners = np.concatenate([part.owners for part in parts])
        entry, nth = spread(above.lengths[codes])
        size = len(self.names)
        found = above.codes[above.offsets[codes[entry]] + nth]
        return distinct(owners[entry] * size + found, len(self.groups) * size)

    def instead(self, tree: Taxonomy | None) -> tuple[ClassTable, ClassTable]:
        """Pair missed labels with spurious ones of the same file."""
        counts = np.where(self.crowded, 0, self.spurious.lengths)[self.missed.owners]
        mine, nth = spread(counts)
        theirs = self.spurious.offsets[self.missed.owners[mine]] + nth
        size = len(self.names)
        pairs = self.missed.codes[mine] * size + self.spurious.codes[theirs]
        used, which = numbered(pairs, size * size)
        missed, said = np.divmod(used, size)
        near = np.full(len(used), RELATIONS.index("stranger"))
        if tree is not None:
            inside = np.maximum(missed, said) < len(tree.nodes)
            near[inside] = _relations(tree)[missed[inside], said[inside]]
        classes = [
            (self.names[one], self.names[other], RELATIONS[kind])
            for one, other, kind in zip(missed.tolist(), said.tolist(), near.tolist(), strict=True)
        ]
        rows = [
            (group, classes[pair], count)
            for group, pair, count in _counted(self.groups[self.missed.owners[mine]], which, len(used))
        ]
        confusion = _table("confusion", ("annotated", "predicted", "relation"), rows)
        # seen from a spurious label, a descendant of what was missed has an ancestor that was missed
        mirrored = np.array([1, 0, 2, 3, 4])[near]
        return (
            _table(
                "errors",
                ("error", "instrument", "instead"),
                [
                    *self._nearest("miss", self.missed, mine, near[which]),
                    *self._nearest("spurious", self.spurious, theirs, mirrored[which]),
                ],
            ),
            confusion,
        )

    def _nearest(
        self, error: str, lists: Lists, entries: Codes, near: Codes
    ) -> list[tuple[int, Classes, float]]:
        """Count labels by the nearest relation among the pairs they are in."""
        kinds = (*RELATIONS, _NOTHING, _TOO_MANY)
        nearest = np.where(self.crowded, kinds.index(_TOO_MANY), kinds.index(_NOTHING))[lists.owners]
        np.minimum.at(nearest, entries, near)
        return [
            (group, (error, self.names[code // len(kinds)], kinds[code % len(kinds)]), count)
            for group, code, count in _counted(
                self.groups[lists.owners], lists.codes * len(kinds) + nearest, len(self.names) * len(kinds)
            )
        ]


def _codes(tree: Taxonomy, names: Iterable[str]) -> list[int]:
    return sorted(tree.index[name] for name in names)


def _odd_files(columns: Columns, crowded: Flags) -> ClassTable:
    """Count files that a reader of the figures must know of."""
    annotated, said = columns.truth.lengths > 0, columns.judged.lengths > 0
    kinds = {
        "nothing annotated, nothing listed": ~annotated & ~said,
        "nothing annotated, something listed": ~annotated & said,
        "nothing listed": annotated & ~said,
        "labels tied": tied_files(columns),
        "too many errors to pair": crowded,
    }
    rows: list[tuple[int, Classes, float]] = []
    for kind, which in kinds.items():
        groups, counts = np.unique(columns.groups[which], return_counts=True)
        rows += [
            (group, (kind,), count) for group, count in zip(groups.tolist(), counts.tolist(), strict=True)
        ]
    return _table("files", ("what",), rows)


def _counted(groups: Codes, codes: Codes, size: int) -> list[tuple[int, int, float]]:
    """Return how often each code occurs in each group."""
    keys, counts = np.unique(groups * max(size, 1) + codes, return_counts=True)
    return [
        (*divmod(key, max(size, 1)), float(count))
        for key, count in zip(keys.tolist(), counts.tolist(), strict=True)
    ]


def _table(name: str, columns: tuple[str, ...], rows: Sequence[tuple[int, Classes, float]]) -> ClassTable:
    return ClassTable(
        name,
        columns,
        "files",
        np.array([group for group, _, _ in rows], dtype=np.int64),
        [classes for _, classes, _ in rows],
        np.array([count for _, _, count in rows], dtype=np.float64),
    )
