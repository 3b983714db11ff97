# SPDX-License-Identifier: MIT
"""The arithmetic of sets and rates: counts of files, flat and by lowest common ancestors; their values."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from kammerton.arrays import Codes, Flags, ratio
from kammerton.instruments.columns import (
    InstrumentColumns,
    Lists,
    contains,
    distinct,
    expand,
    nested,
    numbered,
    places_of,
    precision_at_hits,
    rank,
)
from kammerton.instruments.options import Ties, Undefined
from kammerton.instruments.taxonomy import Taxonomy
from kammerton.model.measure import Aggregate, Card, Law, Measure, Statistics, Values

Which = Literal["P", "R", "F"]
Texts = tuple[str, str, str]
"""What a card of a measure has of its own: summary, equation, and when it is undefined."""

ByMeasure = dict[Measure, Statistics]
"""Statistics of each measure, a row per file, class or query."""

RATE = ("part", "whole", "counted", "counts", "annotated")
"""Columns of a rate, which runs store by these names.

*counted*: its contribution to a mean; *counts*: whether it takes part in the mean; *annotated*: whether
there is anything to be found.
"""
COUNTS = ("hits", "said", "annotated")
"""Columns of pooled precision, recall and F, which runs store by these names; *said*: labels listed."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A quotient of its own for each file, instrument or query, and its contribution to a mean."""

    @property
    def statistics(self) -> tuple[str, ...]:
        """Name the columns."""
        return RATE

    def finalise(self, statistics: Statistics, /) -> Values:
        """Divide the part by the whole."""
        return ratio(statistics[:, 0], statistics[:, 1])

    def counted(self, statistics: Statistics, /) -> Values:
        """Return the contribution of each row to a mean; NaN where it does not take part."""
        return ratio(statistics[:, 2], statistics[:, 3])

    def weight(self, statistics: Statistics, /) -> Values:
        """Return 1 where there is something to be found."""
        return np.asarray(statistics[:, 4])

    def worst(self, statistics: Statistics, /) -> Statistics:
        """Find nothing, and count 0 wherever there was something to be found."""
        worst = np.zeros_like(statistics)
        worst[:, 1] = statistics[:, 1]
        worst[:, 3] = np.maximum(statistics[:, 3], statistics[:, 4])
        worst[:, 4] = statistics[:, 4]
        return worst


@dataclass(frozen=True, slots=True)
class Counts:
    """Precision, recall or F of labels that were counted together."""

    which: Which

    @property
    def statistics(self) -> tuple[str, ...]:
        """Name the columns."""
        return COUNTS

    def finalise(self, statistics: Statistics, /) -> Values:
        """Divide hits by listed labels, annotated labels, or the mean of both."""
        return ratio(*quotients(statistics)[self.which])

    def weight(self, statistics: Statistics, /) -> Values:
        """Return the number of annotated labels."""
        return np.asarray(statistics[:, 2])

    def worst(self, statistics: Statistics, /) -> Statistics:
        """Answer every annotated label with a wrong one."""
        worst = statistics.copy()
        worst[:, 0] = 0.0
        worst[:, 1] = np.maximum(statistics[:, 1], statistics[:, 2])
        return worst


def quotients(counts: Statistics) -> dict[str, tuple[Values, Values]]:
    """Return part and whole of precision, recall and Dice's F, of hits, listed and annotated."""
    hits, listed, annotated = counts.T
    return {"P": (hits, listed), "R": (hits, annotated), "F": (2 * hits, listed + annotated)}


def leave_out(statistics: Statistics, rows: Flags) -> Statistics:
    """Return statistics of rates of which some rows are in no mean; their values stay."""
    left = statistics.copy()
    for column in ("counted", "counts"):
        left[rows, RATE.index(column)] = 0.0
    return left


def rates(
    part: Values,
    whole: Values,
    *,
    undefined: Undefined,
    annotated: Flags,
    known: Flags | None = None,
    of_nothing: float = 0.0,
) -> Statistics:
    """Return the statistics of rates."""
    defined = whole > 0
    counts = {"campaign": annotated, "skip": defined, "trec": annotated if known is None else known}
    counting = counts.get(undefined, np.ones(len(part), dtype=bool))
    fill = {"one": 1.0, "sklearn": of_nothing}.get(undefined, 0.0)
    value = np.full(len(part), fill)
    np.divide(part, whole, out=value, where=defined)
    return np.stack((np.where(defined, part, 0.0), whole, value * counting, counting, annotated), axis=1)


def measures(
    protocol: str,
    cards: Mapping[str, Texts],
    source: str,
    agrees_with: str,
    *,
    headlines: Collection[str] | None = None,
    aggregate: Aggregate = "mean",
    unit: str = "files",
    over_all: bool = False,
) -> tuple[Measure, ...]:
    """Return the measures of some cards; pooled ones are precision, recall or F by their last letter.

    All are headlines unless ``headlines`` names them.
    """
    formulas: dict[str, Rate | Counts] = {"P": Counts("P"), "R": Counts("R"), "F": Counts("F")}
    laws: frozenset[Law] = frozenset(() if aggregate == "gathered" else ("identity",))
    return tuple(
        Measure(
            protocol=protocol,
            name=name,
            formula=formulas[name[-1]] if aggregate == "pooled" else Rate(),
            aggregate=aggregate,
            weight_unit=unit,
            over_all=over_all,
            headline=headlines is None or name in headlines,
            laws=laws,
            card=Card(
                summary=summary,
                equation=equation,
                undefined_when=undefined_when,
                source=source,
                agrees_with=agrees_with,
            ),
        )
        for name, (summary, equation, undefined_when) in cards.items()
    )


# --- counts of sets ----------------------------------------------------------------------------


def counts_of_files(columns: InstrumentColumns) -> Statistics:
    """Return hits, listed and annotated labels of each file, of those that were judged."""
    hits = np.bincount(columns.judged.owners[columns.hits], minlength=len(columns.judged))
    return np.stack((hits, columns.judged.lengths, columns.truth.lengths), axis=1).astype(np.float64)


def counts_of_labels(columns: InstrumentColumns) -> Statistics:
    """Return the same counts for each label, over all files."""
    size, judged = len(columns.labels), columns.judged.codes
    counted = (judged[columns.hits], judged, columns.truth.codes)
    return np.stack([np.bincount(codes, minlength=size) for codes in counted], axis=1).astype(np.float64)


def list_precision(columns: InstrumentColumns, ties: Ties) -> Values:
    """Return the sum of the precision at each hit of each file's list."""
    names = places_of(columns.labels) if ties == "trec" else None
    ranking = rank(columns.judged, ties, columns.hits, names)
    return precision_at_hits(columns.judged, ranking, columns.hits, grouped=ties == "grouped")


def tied_files(columns: InstrumentColumns) -> Flags:
    """Return in which files labels that were judged have equal scores; those of a set have none."""
    return rank(columns.judged, "given").tied & columns.confident


_REMEMBERED = 1 << 16
"""Pairs of labels of which the way to their ancestors is remembered."""
_ROOT = -1
"""Stands for a root above all top nodes that has no name."""


def lca_counts(columns: InstrumentColumns) -> Statistics:
    """Return shared nodes, nodes of the estimate and nodes of the annotation of each file.

    A root counts only as a common ancestor. The common ancestor of a label that the taxonomy does not
    have with any other is the root. Of files that are judged in part, the nodes whose truth is unknown
    are left out.
    """
    assert columns.tree is not None, "hierarchical measures need a taxonomy"
    climb = _climb(columns.tree)
    size = len(columns.labels) + 1  # the last code is a root without a name
    is_root = np.isin(np.arange(size), [size - 1, *(columns.tree.index[root] for root in columns.tree.roots)])
    truth, predictions = (lists.keep(~is_root[lists.codes]) for lists in (columns.truth, columns.predictions))
    annotated, estimated = (
        _connected(climb, truth, predictions, size),
        _connected(climb, predictions, truth, size),
    )
    if not columns.closed.all():
        estimated = estimated[_is_known(columns, estimated, size, is_root)]
    shared = estimated[contains(annotated, estimated, len(columns) * size)]
    counts = [np.bincount(keys // size, minlength=len(columns)) for keys in (shared, estimated, annotated)]
    return np.stack(counts, axis=1).astype(np.float64)


def _is_known(columns: InstrumentColumns, keys: Codes, size: int, is_root: Flags) -> Flags:
    """Return of which nodes it is known whether they are there; the root is."""
    files, codes = keys // size, keys % size
    known = is_root[codes]
    known[~known] = columns.is_known(files[~known] * len(columns.labels) + codes[~known])
    return known


def _connected(climb: _Climb, own: Lists, other: Lists, size: int) -> Codes:
    """Return a key for each file and node on the ways of its own labels; a label without any is alone."""
    entries, others = expand(own.owners, other)
    codes, outside = own.codes[entries], climb.outside
    inside = np.minimum(codes, outside) * (outside + 1) + np.minimum(others, outside)
    pairs, of_entry = numbered(inside, (outside + 1) ** 2)
    ways = [climb.way(*divmod(pair, outside + 1)) for pair in pairs.tolist()]
    # labels outside of the taxonomy meet in the root, but for a label and itself
    is_hit = (codes == others) & (codes >= outside)
    depths = np.where(is_hit, 1, np.array([depth for depth, _ in ways], dtype=np.int64)[of_entry])
    best = np.full(len(own.codes), -1)
    np.maximum.at(best, entries, depths)
    deepest = (depths == best[entries]) & ~is_hit
    steps, above = expand(of_entry[deepest], nested([way for _, way in ways]))
    owners = own.owners[entries[deepest]]
    keys = np.concatenate((own.keys(size), owners[steps] * size + above % size))
    return distinct(keys, len(own) * size)


class _Climb:
    """Ways up in one taxonomy; codes from ``outside`` on, its number of nodes, have no place in it."""

    def __init__(self, tree: Taxonomy) -> None:
        self._tree = tree
        self.outside = len(tree.nodes)
        self._root = tree.index[tree.roots[0]] if tree.roots else _ROOT
        self._above: list[dict[int, int]] = []
        for node, parents in enumerate(tree.parents):
            steps = {node: 0}
            for parent in parents:
                for ancestor, distance in self._above[parent].items():
                    steps[ancestor] = min(distance + 1, steps.get(ancestor, distance + 1))
            if not parents and not tree.roots:
                steps[_ROOT] = 1
            self._above.append(steps)
        self._above.append({_ROOT: 0})  # of the root without a name, which has index -1
        self.way = lru_cache(_REMEMBERED)(self._way)  # files of a corpus have the same pairs over and over

    def _way(self, own: int, other: int) -> tuple[int, list[int]]:
        """Return the depth of the deepest common ancestors, and the nodes on the shortest ways there."""
        if own == self.outside:
            return 0, [self._root]
        if other == self.outside:
            return 0, self._between(own, self._root)
        tree = self._tree
        names = tree.lca(tree.nodes[own], tree.nodes[other])
        ancestors = [tree.index.get(name, _ROOT) for name in names]
        depth = 0 if ancestors[0] in (_ROOT, self._root) else tree.depth(names[0])  # all are equally deep
        return depth, sorted({node for ancestor in ancestors for node in self._between(own, ancestor)})

    def _between(self, node: int, ancestor: int) -> list[int]:
        """Return the nodes on all shortest ways up from a node, without the node itself."""
        steps = self._above[node]
        return [
            step
            for step, distance in steps.items()
            if step != node and self._above[step].get(ancestor) == steps[ancestor] - distance
        ]


_climb = lru_cache(maxsize=8)(_Climb)
