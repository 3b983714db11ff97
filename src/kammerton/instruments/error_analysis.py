# SPDX-License-Identifier: MIT
"""Where the points of instrument lists were lost: class tables, breakdown and losses."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Codes, Flags
from kammerton.instruments.columns import (
    InstrumentColumns,
    Lists,
    contains,
    distinct,
    expand,
    nested,
    numbered,
    spread,
)
from kammerton.instruments.formulas import tied_files
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.taxonomy import Taxonomy
from kammerton.model.task import (
    Breakdown,
    ClassKey,
    ClassLoss,
    ClassLosses,
    ClassTable,
    Matrix,
    Node,
    class_table,
    commonest,
    counted_node,
)

Relation = Literal["descendant", "ancestor", "sibling", "family", "stranger"]
RELATIONS: tuple[Relation, ...] = get_args(Relation)
"""What a label is to another, the nearest first. *sibling*: they share a parent below the root;
*family*: they share an ancestor below the root; *stranger*: nothing, or the taxonomy has not both."""
_STRANGER = RELATIONS.index("stranger")
_MIRRORED = np.array([1, 0, 2, 3, 4])
"""What the other label is: of a descendant, the ancestor."""
_NEAREST = (*RELATIONS, "nothing", "too many")
_PAIRS = 10_000
"""Pairs of a missed and a spurious label that a file may have: nobody learns from more."""


def relation(tree: Taxonomy | None, label: str, other: str) -> Relation:
    """Return what a label is to another one."""
    if tree is None or label not in tree.index or other not in tree.index:
        return "stranger"
    return RELATIONS[int(_relations(tree)[tree.index[label], tree.index[other]])]


@lru_cache(maxsize=8)
def _relations(tree: Taxonomy) -> NDArray[np.int8]:
    """Return the place in ``RELATIONS`` of what each node is to each other one: column to row."""
    offsets, ancestors = tree.closure()
    closure = np.zeros((len(tree), len(tree)), dtype=bool)
    closure[np.repeat(np.arange(len(tree)), np.diff(offsets)), ancestors] = True
    relations = np.full((len(tree), len(tree)), _STRANGER, dtype=np.int8)
    for node, name in enumerate(tree.nodes):
        relations[node, closure[:, closure[node]].any(axis=1)] = RELATIONS.index("family")
        relations[node, _codes(tree, tree.siblings(name))] = RELATIONS.index("sibling")
    for node, name in enumerate(tree.nodes):
        above = _codes(tree, tree.ancestors(name))
        relations[node, above] = RELATIONS.index("ancestor")
        relations[above, node] = RELATIONS.index("descendant")
    return relations


def _codes(tree: Taxonomy, names: Iterable[str]) -> list[int]:
    return sorted(tree.index[name] for name in names)


# --- class tables ----------------------------------------------------------------------------


def class_tables(columns: InstrumentColumns) -> tuple[ClassTable, ...]:
    """Count hits and errors by instrument and family, pair missed with spurious labels, count odd files."""
    errors = _Errors.of(columns)
    return (
        errors.by_instrument(),
        *(errors.by_family(columns.tree) if columns.tree is not None else ()),
        *errors.pairs(columns.tree),
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
    def of(cls, columns: InstrumentColumns) -> _Errors:
        size = len(columns.labels)
        listed = columns.listed & ~columns.queries
        judged, hits = columns.judged, columns.hits
        present = listed[judged.owners]
        is_found = contains(judged.keys(size)[present], columns.truth.keys(size), columns.keys)
        return cls(
            columns.labels,
            columns.groups,
            judged.keep(hits & present),
            columns.truth.keep(~is_found & listed[columns.truth.owners]),
            judged.keep(~hits & present),
        )

    @property
    def crowded(self) -> Flags:
        """Files with too many errors to pair."""
        return np.asarray(self.missed.lengths * self.spurious.lengths > _PAIRS)

    def by_instrument(self) -> ClassTable:
        """Count the outcomes of each label."""
        outcomes = {"hit": self.hit, "miss": self.missed, "spurious": self.spurious}
        keys = {outcome: lists.keys(len(self.names)) for outcome, lists in outcomes.items()}
        return self._outcomes("instruments", "instrument", keys)

    def _outcomes(self, name: str, column: str, keys: Mapping[str, Codes]) -> ClassTable:
        """Count outcomes of which each has keys of file and label."""
        size = len(self.names)
        rows = (
            (group, (self.names[code], outcome), count)
            for outcome, codes in keys.items()
            for group, code, count in _counted(self.groups[codes // size], codes % size, size)
        )
        return class_table(name, (column, "outcome"), "files", rows)

    def by_family(self, tree: Taxonomy) -> Iterator[ClassTable]:
        """Count the outcomes of each family, and of what lies between families and the lowest labels."""
        top = [
            _codes(tree, tree.project(name, 1)) if name in tree.index else [code]
            for code, name in enumerate(self.names)
        ]
        yield self._of_nodes("families", "family", top)
        between = frozenset(node for node in tree.nodes if tree.depth(node) > 1 and tree.children(node))
        if between:
            inner = [
                _codes(tree, between.intersection((name, *tree.ancestors(name))))
                if name in tree.index
                else []
                for name in self.names
            ]
            yield self._of_nodes("subfamilies", "subfamily", inner)

    def _of_nodes(self, name: str, column: str, nodes: Sequence[Sequence[int]]) -> ClassTable:
        """Count the outcomes of the nodes of each label: a hit if both sides have any label of it."""
        above = nested(nodes)
        truth, listed = (self._reached(above, (self.hit, wrong)) for wrong in (self.missed, self.spurious))
        outcomes = {
            "hit": np.intersect1d(truth, listed, assume_unique=True),
            "miss": np.setdiff1d(truth, listed, assume_unique=True),
            "spurious": np.setdiff1d(listed, truth, assume_unique=True),
        }
        return self._outcomes(name, column, outcomes)

    def _reached(self, above: Lists, parts: tuple[Lists, ...]) -> Codes:
        """Return a key for each file and node above its labels."""
        codes = np.concatenate([part.codes for part in parts])
        owners = np.concatenate([part.owners for part in parts])
        entry, nodes = expand(codes, above)
        size = len(self.names)
        return distinct(owners[entry] * size + nodes, len(self.groups) * size)

    def pairs(self, tree: Taxonomy | None) -> tuple[ClassTable, ClassTable]:
        """Pair missed with spurious labels of the same file: the nearest of each error, and all pairs."""
        counts = np.where(self.crowded, 0, self.spurious.lengths)[self.missed.owners]
        misses, nth = spread(counts)
        files = self.missed.owners[misses]
        spurious = self.spurious.offsets[files] + nth
        size = len(self.names)
        pairs, of_row = numbered(
            self.missed.codes[misses] * size + self.spurious.codes[spurious], size * size
        )
        first, second = np.divmod(pairs, size)
        near = np.full(len(pairs), _STRANGER)
        if tree is not None:
            inside = np.maximum(first, second) < len(tree)
            near[inside] = _relations(tree)[first[inside], second[inside]]
        classes = [
            (self.names[missed], self.names[listed], RELATIONS[kind])
            for missed, listed, kind in zip(first.tolist(), second.tolist(), near.tolist(), strict=True)
        ]
        counted = _counted(self.groups[files], of_row, len(pairs))
        rows = ((group, classes[pair], count) for group, pair, count in counted)
        nearest = chain(
            self._nearest("miss", self.missed, misses, near[of_row]),
            self._nearest("spurious", self.spurious, spurious, _MIRRORED[near][of_row]),
        )
        return (
            class_table("errors", ("error", "instrument", "instead"), "files", nearest),
            class_table("confusion", ("annotated", "predicted", "relation"), "files", rows),
        )

    def _nearest(
        self, error: str, lists: Lists, entries: Codes, near: Codes
    ) -> Iterator[tuple[int, ClassKey, float]]:
        """Count labels by the nearest relation among the pairs they are in."""
        nothing, too_many = len(RELATIONS), len(RELATIONS) + 1
        nearest = np.where(self.crowded, too_many, nothing)[lists.owners]
        np.minimum.at(nearest, entries, near)
        kinds = len(_NEAREST)
        codes = lists.codes * kinds + nearest
        for group, code, count in _counted(self.groups[lists.owners], codes, len(self.names) * kinds):
            yield group, (error, self.names[code // kinds], _NEAREST[code % kinds]), count


def _odd_files(columns: InstrumentColumns, crowded: Flags) -> ClassTable:
    """Count files that a reader of the scores must know of."""
    annotated, listed = columns.truth.lengths > 0, columns.judged.lengths > 0
    kinds = {
        "nothing annotated, nothing listed": ~annotated & ~listed,
        "nothing annotated, something listed": ~annotated & listed,
        "nothing listed": annotated & ~listed,
        "labels tied": tied_files(columns),
        "too many errors to pair": crowded,
    }
    rows = (
        (group, (kind,), count)
        for kind, flags in kinds.items()
        for group, _, count in _counted(columns.groups[flags], np.zeros_like(columns.groups[flags]), 1)
    )
    return class_table("files", ("what",), "files", rows)


def _counted(groups: Codes, codes: Codes, size: int) -> Iterator[tuple[int, int, float]]:
    """Give how often each code occurs in each group."""
    size = max(size, 1)
    keys, counts = np.unique(groups * size + codes, return_counts=True)
    for key, count in zip(keys.tolist(), counts.tolist(), strict=True):
        yield key // size, key % size, float(count)


# --- breakdown and losses --------------------------------------------------------------------

_LISTED = 14
"""Instruments that a matrix has on a side."""
Outcomes = Mapping[str, Mapping[str, float]]
Tables = Mapping[str, Mapping[ClassKey, float]]


def instrument_breakdown(tables: Tables, options: InstrumentOptions) -> Breakdown | None:
    """Return families with their instruments, and confusions; None without the table ``instruments``.

    Examples
    --------
    >>> outcomes = {("cello", "hit"): 2.0, ("cello", "miss"): 1.0, ("viola", "spurious"): 1.0}
    >>> instead = {("cello", "viola", "stranger"): 1.0}
    >>> breakdown = instrument_breakdown(
    ...     {"instruments": outcomes, "confusion": instead}, InstrumentOptions()
    ... )
    >>> [(node.name, node.support) for node in breakdown.nodes]
    [('cello', 3.0), ('viola', 0.0)]
    """
    instruments = _outcomes(tables.get("instruments", {}))
    if not instruments:
        return None
    families, subfamilies = (_outcomes(tables.get(name, {})) for name in ("families", "subfamilies"))
    nodes = tuple(_nodes(instruments, families, subfamilies, options.tree))
    confusion = tables.get("confusion", {})
    if options.tree is None:
        matrices = [_matrix(confusion, RELATIONS, "Listed where another was missed")]
    else:
        matrices = [
            _matrix(confusion, RELATIONS[:-1], "Listed where another of the family was missed"),
            _matrix(confusion, RELATIONS[-1:], "Listed where one of another family was missed"),
        ]
    return Breakdown(unit="files", matrices=tuple(filter(None, matrices)), nodes=nodes)


def _outcomes(table: Mapping[ClassKey, float]) -> dict[str, dict[str, float]]:
    outcomes: dict[str, dict[str, float]] = {}
    for (name, outcome), files in table.items():
        outcomes.setdefault(str(name), {})[str(outcome)] = files
    return outcomes


def _nodes(
    instruments: Outcomes, families: Outcomes, subfamilies: Outcomes, tree: Taxonomy | None
) -> Iterator[Node]:
    """Give each family with what is below it, what is in most files first."""
    outcomes = {**instruments, **subfamilies, **families}
    inside = frozenset(() if tree is None else outcomes.keys() & tree.index.keys())
    seen: set[str] = set()

    def sort(names: Iterable[str]) -> list[str]:
        return sorted(names, key=lambda name: (-_support(outcomes[name]), name))

    def descend(name: str, depth: int) -> Iterator[Node]:
        hits, misses, spurious = (outcomes[name].get(kind, 0.0) for kind in ("hit", "miss", "spurious"))
        yield counted_node(depth, name, hits=hits, misses=misses, spurious=spurious)
        is_new = name not in seen  # what is below a node with two parents stands once
        seen.add(name)
        if tree is not None and is_new and name in inside and name not in tree.roots:
            for child in sort(inside.intersection(tree.children(name))):
                yield from descend(child, depth + 1)

    for name in (*sort(inside & families.keys()), *sort(instruments.keys() - inside)):
        yield from descend(name, 0)


def _support(outcomes: Mapping[str, float]) -> float:
    return outcomes.get("hit", 0.0) + outcomes.get("miss", 0.0)


def _pairs(confusion: Mapping[ClassKey, float], relations: Sequence[str]) -> Counter[tuple[str, str]]:
    """Return the files of each pair of instruments that are so related."""
    cells: Counter[tuple[str, str]] = Counter()
    for (annotated, predicted, kind), files in confusion.items():
        if kind in relations:
            cells[str(annotated), str(predicted)] += files  # type: ignore[assignment]
    return cells


def _matrix(confusion: Mapping[ClassKey, float], relations: Sequence[str], title: str) -> Matrix | None:
    """Return which instruments were listed where others were missed that they are so related to."""
    cells = _pairs(confusion, relations)
    if not cells:
        return None
    rows, columns = commonest(cells, 0)[:_LISTED], commonest(cells, 1)[:_LISTED]
    shown = {cell: files for cell, files in sorted(cells.items()) if cell[0] in rows and cell[1] in columns}
    rest = sum(cells.values()) - sum(shown.values())
    return Matrix(
        title=title,
        down="missed",
        across="listed instead",
        rows=rows,
        columns=columns,
        cells=shown,
        note="Per cent of what was listed instead in the files in which an instrument was missed"
        + (f"; {rest:,.0f} more pairs are of rarer instruments." if rest else "."),
    )


_RULE = (
    "An error is an instrument that a file has and a system does not list, and one that a system lists and "
    "the file has not."
)


def instrument_losses(tables: Tables, _: object = None) -> ClassLosses | None:
    """Return what was lost by each instrument; None without the table ``instruments``.

    Examples
    --------
    >>> outcomes = {("cello", "hit"): 2.0, ("cello", "miss"): 1.0, ("cello", "spurious"): 3.0}
    >>> instrument_losses({"instruments": outcomes}).rows[0]
    ClassLoss(name='cello', whole=3.0, lost=4.0, instead='', f=0.5)
    """
    outcomes = _outcomes(tables.get("instruments", {}))
    if not outcomes:
        return None
    confusion = _pairs(tables.get("confusion", {}), RELATIONS)
    instead: defaultdict[str, dict[tuple[str, str], float]] = defaultdict(dict)
    for pair, files in confusion.items():
        instead[pair[0]][pair] = files
    rows = []
    for name, counts in outcomes.items():
        lost = counts.get("miss", 0.0) + counts.get("spurious", 0.0)
        most = "".join(commonest(instead[name], 1)[:1])
        right = 2 * counts.get("hit", 0.0)
        f = right / (right + lost) if right + lost else math.nan
        rows.append(ClassLoss(name=name, whole=_support(counts), lost=lost, instead=most, f=f))
    hits = {(name, name): counts["hit"] for name, counts in outcomes.items() if "hit" in counts}
    return ClassLosses(
        kind="instrument",
        unit="files",
        lost_unit="errors",
        rule=_RULE,
        rows=tuple(sorted(rows, key=lambda row: (-row.lost, row.name))),
        cells={**hits, **confusion},
        instead="Where it was missed, {} was listed most often.",
    )
