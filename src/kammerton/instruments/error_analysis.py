# SPDX-License-Identifier: MIT
"""Where the points of an instrument list were lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Codes, Flags
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.columns import Columns, build_columns, nodes_of
from kammerton.instruments.hierarchical import tied_files
from kammerton.instruments.lists import Lists, contains, distinct, lists_of, numbered, rank, spread
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.taxonomy import Taxonomy
from kammerton.model.task import (
    Breakdown,
    Case,
    ClassKey,
    ClassLoss,
    ClassLosses,
    ClassTable,
    Matrix,
    Node,
    commonest,
    counted_node,
)
from kammerton.model.views import Cell, CellState, Column, Ranked, Table

__all__ = [
    "RELATIONS",
    "Relation",
    "Side",
    "Verdict",
    "class_tables",
    "extended",
    "instrument_breakdown",
    "instrument_costs",
    "relation",
]

Relation = Literal["descendant", "ancestor", "sibling", "family", "stranger"]
RELATIONS: tuple[Relation, ...] = ("descendant", "ancestor", "sibling", "family", "stranger")
"""What a label is to another, the nearest first. *sibling*: they share a parent below the root;
*family*: they share an ancestor below the root; *stranger*: nothing, or the taxonomy has not both."""
_NOTHING = "nothing"
_TOO_MANY = "too many"
_PAIRS = 10_000
"""Pairs of a missed and a spurious label that a file may have: nobody learns from more."""


def relation(tree: Taxonomy | None, label: str, other: str) -> Relation:
    """Tell what a label is to another one."""
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
    """Count hits and errors by instrument and family, what was said instead, and what goes unseen."""
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
    ) -> list[tuple[int, ClassKey, float]]:
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
    rows: list[tuple[int, ClassKey, float]] = []
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


def _table(name: str, columns: tuple[str, ...], rows: Sequence[tuple[int, ClassKey, float]]) -> ClassTable:
    return ClassTable(
        name,
        columns,
        "files",
        np.array([group for group, _, _ in rows], dtype=np.int64),
        [classes for _, classes, _ in rows],
        np.array([count for _, _, count in rows], dtype=np.float64),
    )


_LISTED = 14
"""Instruments that a matrix has on a side."""
Outcomes = Mapping[str, Mapping[str, float]]


def instrument_breakdown(
    tables: Mapping[str, Mapping[ClassKey, float]], options: InstrumentOptions
) -> Breakdown | None:
    """Return families with their instruments, and confusions; None without the table ``instruments``.

    Examples
    --------
    >>> outcomes = {("cello", "hit"): 2.0, ("cello", "miss"): 1.0, ("viola", "spurious"): 1.0}
    >>> instead = {("cello", "viola", "stranger"): 1.0}
    >>> found = instrument_breakdown({"instruments": outcomes, "confusion": instead}, InstrumentOptions())
    >>> [(node.name, node.support) for node in found.nodes]
    [('cello', 3.0), ('viola', 0.0)]
    """
    outcomes = _outcomes(tables.get("instruments", {}))
    if not outcomes:
        return None
    families, inner = (_outcomes(tables.get(name, {})) for name in ("families", "subfamilies"))
    nodes = tuple(_nodes(outcomes, families, inner, options.tree))
    pairs = tables.get("confusion", {})
    if options.tree is None:
        matrices = [_matrix(pairs, RELATIONS, "Said where another was missed")]
    else:
        matrices = [
            _matrix(pairs, RELATIONS[:-1], "Said where another of the family was missed"),
            _matrix(pairs, RELATIONS[-1:], "Said where one of another family was missed"),
        ]
    return Breakdown(unit="files", matrices=tuple(each for each in matrices if each), nodes=nodes)


def _outcomes(table: Mapping[ClassKey, float]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for (name, outcome), files in table.items():
        found.setdefault(str(name), {})[str(outcome)] = files
    return found


def _nodes(
    instruments: Outcomes, families: Outcomes, subfamilies: Outcomes, tree: Taxonomy | None
) -> Iterator[Node]:
    """Give each family with what is below it, what is in most files first."""
    outcomes = {**instruments, **subfamilies, **families}
    inside = {} if tree is None else {name: each for name, each in outcomes.items() if name in tree.index}

    seen: set[str] = set()

    def descend(name: str, depth: int) -> Iterator[Node]:
        yield _node(depth, name, outcomes[name])
        is_new = name not in seen  # what is below a node with two parents stands once
        seen.add(name)
        if tree is not None and is_new and name in inside and name not in tree.roots:
            for child in _commonest({each: inside[each] for each in tree.children(name) if each in inside}):
                yield from descend(child, depth + 1)

    loose = {name: each for name, each in instruments.items() if name not in inside}
    for name in _commonest(families):
        if name in inside:
            yield from descend(name, 0)
    for name in _commonest(loose):
        yield from descend(name, 0)


def _commonest(outcomes: Outcomes) -> list[str]:
    return sorted(outcomes, key=lambda name: (-_support(outcomes[name]), name))


def _support(outcome: Mapping[str, float]) -> float:
    return outcome.get("hit", 0.0) + outcome.get("miss", 0.0)


def _node(depth: int, name: str, outcome: Mapping[str, float]) -> Node:
    hits, misses, spurious = (outcome.get(each, 0.0) for each in ("hit", "miss", "spurious"))
    return counted_node(depth, name, hits=hits, misses=misses, spurious=spurious)


def _matrix(pairs: Mapping[ClassKey, float], relations: Sequence[str], title: str) -> Matrix | None:
    """Return which instruments were said where others were missed that they are so related to."""
    cells: Counter[tuple[str, str]] = Counter()
    for (annotated, predicted, relation), files in pairs.items():
        if relation in relations:
            cells[str(annotated), str(predicted)] += files  # type: ignore[assignment]
    if not cells:
        return None
    rows, columns = commonest(cells, 0)[:_LISTED], commonest(cells, 1)[:_LISTED]
    kept = {cell: files for cell, files in cells.items() if cell[0] in rows and cell[1] in columns}
    left = cells.total() - sum(kept.values())
    return Matrix(
        title=title,
        down="missed",
        across="said instead",
        rows=rows,
        columns=columns,
        cells=dict(sorted(kept.items())),
        note="Per cent of what was said instead in the files in which an instrument was missed"
        + (f"; {left:,.0f} more pairs are of rarer instruments." if left else "."),
    )


_RULE = (
    "An error is an instrument that a file has and was not said to have, and one that it was said to have "
    "and has not."
)
_INSTEAD = "Where it was missed, {} was said most often."


def instrument_costs(tables: Mapping[str, Mapping[ClassKey, float]]) -> ClassLosses | None:
    """Return what each instrument cost; None without the table ``instruments``.

    Examples
    --------
    >>> outcomes = {("cello", "hit"): 2.0, ("cello", "miss"): 1.0, ("cello", "spurious"): 3.0}
    >>> instrument_costs({"instruments": outcomes}).rows[0]
    ClassLoss(name='cello', whole=3.0, lost=4.0, instead='')
    """
    outcomes = {
        (str(name), outcome): weight for (name, outcome), weight in tables.get("instruments", {}).items()
    }
    names = sorted({name for name, _ in outcomes})
    if not names:
        return None
    instead: dict[str, Counter[str]] = {}
    cells = {(name, name): weight for (name, outcome), weight in outcomes.items() if outcome == "hit"}
    for (annotated, predicted, *_), weight in tables.get("confusion", {}).items():
        instead.setdefault(str(annotated), Counter())[str(predicted)] += weight  # type: ignore[assignment]
        cells[str(annotated), str(predicted)] = cells.get((str(annotated), str(predicted)), 0.0) + weight
    rows = [_cost(name, outcomes, instead.get(name, Counter())) for name in names]
    rows.sort(key=lambda each: (-each.lost, each.name))
    return ClassLosses(
        kind="instrument",
        unit="files",
        lost_unit="errors",
        rule=_RULE,
        rows=tuple(rows),
        cells=cells,
        instead=_INSTEAD,
    )


def _cost(
    name: str, outcomes: Mapping[tuple[str, str | int | None], float], instead: Mapping[str, float]
) -> ClassLoss:
    missed = outcomes.get((name, "miss"), 0.0)
    taken = min(instead, key=lambda other: (-instead[other], other), default="")
    return ClassLoss(
        name=name,
        whole=outcomes.get((name, "hit"), 0.0) + missed,
        lost=missed + outcomes.get((name, "spurious"), 0.0),
        instead=taken,
    )


_NAMED = 6
"""Labels of a kind of error that are named in a sentence."""


@dataclass(frozen=True, slots=True)
class Side:
    """What one side says of each label, as it is compared.

    ``ranks`` has a place for each listed label, ``scores`` its score where there is one; ``extended`` has
    the labels with all their ancestors.
    """

    ranks: Mapping[str, int]
    scores: Mapping[str, float]
    ranked: bool
    absent: frozenset[str]
    closed: bool
    extended: frozenset[str]
    query: bool

    @classmethod
    def of_reference(cls, annotation: InstrumentList, options: InstrumentOptions) -> Side:
        """Return what an annotator says."""
        columns = build_columns([Case((annotation,), InstrumentList(()))], options)
        labels = [columns.labels[code] for code in columns.truth.codes.tolist()]
        absent = frozenset(columns.labels[code] for code in columns.absent.codes.tolist())
        return cls(
            dict.fromkeys(labels, 0),
            {},
            ranked=False,
            absent=absent,
            closed=annotation.closed or options.assume_absent,
            extended=extended(labels, options.tree),
            query=annotation.query,
        )

    @classmethod
    def of_estimate(
        cls, reference: InstrumentList, estimate: InstrumentList, options: InstrumentOptions
    ) -> Side:
        """Return what a system lists, after thresholds."""
        columns = build_columns([Case((reference,), estimate)], options)
        said = columns.predictions
        order = rank(said, "given", said.codes.astype(float)).order.tolist()
        labels = [columns.labels[said.codes[entry]] for entry in order]
        scored = len(said.strengths) > 0 and len(estimate.scores) > 0
        return cls(
            {label: place for place, label in enumerate(labels, 1)},
            {label: float(said.strengths[entry]) for label, entry in zip(labels, order, strict=True)}
            if scored
            else {},
            ranked=estimate.ranked or estimate.vector,
            absent=frozenset(),
            closed=True,
            extended=extended(labels, options.tree),
            query=estimate.query,
        )

    def text(self, label: str) -> str:
        """Return what is drawn for a label."""
        if label in self.ranks:
            told = str(self.ranks[label]) if self.ranked else "+"
            return f"{told} ({self.scores[label]:.2f})" if label in self.scores else told
        if label in self.absent:
            return "-"
        return "(+)" if label in self.extended else "" if self.closed else "?"


def extended(labels: Sequence[str], tree: Taxonomy | None) -> frozenset[str]:
    """Return labels with all their ancestors."""
    if tree is None:
        return frozenset(labels)
    above = {each for label in labels if label in tree.index for each in tree.ancestors(label)}
    return frozenset((*labels, *above))


class Verdict:
    """What is wrong with an estimate."""

    def __init__(self, reference: Side, estimate: Side, tree: Taxonomy | None) -> None:
        self._reference, self._estimate, self._tree = reference, estimate, tree
        self.missed: list[str] = [label for label in reference.ranks if label not in estimate.ranks]
        self.spurious: list[str] = [
            label for label in estimate.ranks if label not in reference.ranks and self._judged(label)
        ]

    def _judged(self, label: str) -> bool:
        return self._reference.closed or label in self._reference.absent or label in self._reference.ranks

    def cell(self, label: str) -> Cell:
        """Return what is drawn for a label, and how it was judged."""
        reference, estimate = self._reference, self._estimate
        listed, annotated = label in estimate.ranks, label in reference.ranks
        text = estimate.text(label)
        if listed:
            if annotated:
                return Cell(text)
            return Cell(text, self._state(label, reference) if self._judged(label) else "excluded")
        if annotated:
            return Cell(text or "missed", self._state(label, estimate))
        if (label in estimate.extended) == (label in reference.extended):
            return Cell(text)
        return Cell(text or "(missed)", "wrong")

    def ranked(self, most: int) -> tuple[Ranked, ...]:
        """Return what the estimate lists, the best first, and how each label was judged."""
        listed = list(self._estimate.ranks)[:most]
        scores = self._estimate.scores
        return tuple(Ranked(label, scores.get(label), self.cell(label).state) for label in listed)

    def _state(self, label: str, other: Side) -> CellState:
        """Tell whether the other side has something of the same family."""
        above = self._tree.ancestors(label) if self._tree is not None and label in self._tree.index else ()
        return "wrong" if other.extended.isdisjoint((label, *above)) else "partly"

    def table(self, name: str) -> Iterator[Table]:
        """List the errors of an estimate; on a taxonomy, each with the nearest label meant instead."""
        rows = [
            *(("missed", label, *self._nearest(label, self.spurious)) for label in self.missed),
            *(("spurious", label, *self._nearest(label, self.missed)) for label in self.spurious),
        ]
        if rows and not self._reference.query:
            heads = ("error", "label", "instead", "which is")[: len(rows[0])]
            yield Table(f"errors of {name}", tuple(map(Column, heads)), tuple(rows))

    def reason(self) -> str:
        """Say which labels were missed, and which are spurious; nothing if none is either."""
        if self._reference.query:
            return ""
        told = (
            f"{kind} {', '.join(labels[:_NAMED])}"
            + (f" and {len(labels) - _NAMED} more" if labels[_NAMED:] else "")
            for kind, labels in (("missed", self.missed), ("spurious", self.spurious))
            if labels
        )
        return "; ".join(told)

    def _nearest(self, label: str, others: Sequence[str]) -> tuple[str, ...]:
        if self._tree is None:  # each other label is as far away
            return ()
        kinds = [(RELATIONS.index(relation(self._tree, label, other)), other) for other in others]
        if not kinds:
            return "nothing", ""
        kind, other = min(kinds, key=lambda each: each[0])
        return other, RELATIONS[kind]
