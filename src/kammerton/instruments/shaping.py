# SPDX-License-Identifier: MIT
"""From what was annotated and scored to what is compared: thresholds, best labels, leaves, levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kammerton.core.intervals import Flags
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.columns import Columns, encode_cases
from kammerton.instruments.lists import IN_ORDER, Lists, lists_of, rank, spread
from kammerton.instruments.options import InstrumentOptions, Ties
from kammerton.instruments.taxonomy import Taxonomy
from kammerton.model.task import Case

__all__ = ["build_columns", "shaped"]


def build_columns(cases: Sequence[Case[InstrumentList]], options: InstrumentOptions) -> Columns:
    """Return the columns of cases as they are compared."""
    return shaped(encode_cases(cases, options), options)


def shaped(columns: Columns, options: InstrumentOptions) -> Columns:
    """Keep what passes the thresholds, the leaves, and the level that a caller asked for."""
    if options.cut is not None or options.top_k:
        columns = _cut(columns, options)
    if columns.tree is not None and options.leaves:
        columns = _leaves(columns, columns.tree)
    if columns.tree is not None and options.level:
        columns = _projected(columns, _Level(columns, columns.tree, options.level))
    return columns


def _cut(columns: Columns, options: InstrumentOptions) -> Columns:
    """Keep scores that pass, and of these the best."""
    said = columns.said
    if options.cut is not None:
        passed = np.ones(len(said.codes), dtype=bool)
        judged = np.flatnonzero(columns.confident[said.owners])
        labels = [columns.labels[code] for code in said.codes[judged].tolist()]
        passed[judged] = options.cut.passes(labels, said.strengths[judged])
        said = said.keep(passed)
    if options.top_k:
        names = columns.name_order() if options.ties == "trec" else None
        ties: Ties = "trec" if options.ties == "trec" else "given"
        ranking = rank(said, ties, said.codes.astype(np.float64), names)
        best = np.zeros(len(said.codes), dtype=bool)
        best[ranking.order[ranking.places <= options.top_k]] = True
        said = said.keep(best)
    scored = columns.scored
    if not columns.vector.all():
        scored = _chosen(columns.vector, scored, said)
    return replace(columns, said=said, scored=scored, listed=np.ones_like(columns.listed))


def _chosen(which: Flags, one: Lists, other: Lists) -> Lists:
    """Return lists of one where ``which``, else of the other."""
    if not which.any():
        return other
    lengths = np.where(which, one.lengths, other.lengths)
    kept, others = one.keep(which[one.owners]), other.keep(~which[other.owners])
    owners = np.concatenate((kept.owners, others.owners))
    order = np.argsort(owners, kind="stable")
    codes = np.concatenate((kept.codes, others.codes))[order]
    return lists_of(lengths, codes, np.concatenate((kept.strengths, others.strengths))[order])


def _leaves(columns: Columns, tree: Taxonomy) -> Columns:
    """Leave out labels that have others below them."""
    leaf = np.ones(len(columns.labels), dtype=bool)
    leaf[[parent for parents in tree.parents for parent in parents]] = False
    kept = leaf[columns.truth.codes]
    return replace(
        columns,
        truth=columns.truth.keep(kept),
        absent=columns.absent.keep(leaf[columns.absent.codes]),
        grades=columns.grades[kept],
        said=columns.said.keep(leaf[columns.said.codes]),
        scored=columns.scored.keep(leaf[columns.scored.codes]),
    )


class _Level:
    """What labels become at a level: their ancestors there, or themselves."""

    def __init__(self, columns: Columns, tree: Taxonomy, level: int) -> None:
        nodes = [
            [tree.index[above] for above in tree.project(label, level)] if label in tree.index else [code]
            for code, label in enumerate(columns.labels)
        ]
        self._counts = np.array([len(above) for above in nodes], dtype=np.int64)
        self._starts = np.concatenate(([0], np.cumsum(self._counts)))
        self._above = np.array([code for above in nodes for code in above], dtype=np.int64)
        self.stays = np.array([above == [code] for code, above in enumerate(nodes)], dtype=bool)

    def of(self, lists: Lists) -> Lists:
        """Return lists of what their labels become, each once, as strong as the strongest of them."""
        order = rank(lists, "given", lists.codes.astype(np.float64)).order
        codes = lists.codes[order]
        entry, nth = spread(self._counts[codes])
        above = self._above[self._starts[codes[entry]] + nth]
        owners = lists.owners[entry]
        _, first = np.unique(owners * len(self._counts) + above, return_index=True)
        first.sort()
        strengths = lists.strengths[order][entry][first] if len(lists.strengths) else IN_ORDER
        return lists_of(np.bincount(owners[first], minlength=len(lists)), above[first], strengths)


def _projected(columns: Columns, level: _Level) -> Columns:
    said = level.of(columns.said)
    same = columns.scored is columns.said
    truth = level.of(columns.truth)
    return replace(
        columns,
        truth=truth,
        absent=_absent_at(columns, level),
        grades=np.ones(len(truth.codes), dtype=np.int64),
        said=said,
        scored=said if same else level.of(columns.scored),
    )


def _absent_at(columns: Columns, level: _Level) -> Lists:
    """Return the labels of the level that are known to be absent: families if all below them are."""
    nodes = columns.nodes
    known = nodes.absent(columns.absent, nodes.extended(columns.truth))
    inside = nodes.as_lists(known, level.stays[: len(nodes)])
    outside = columns.absent.keep(columns.absent.codes >= len(nodes))
    return _joined(inside, outside)


def _joined(one: Lists, other: Lists) -> Lists:
    order = np.argsort(np.concatenate((one.owners, other.owners)), kind="stable")
    return lists_of(one.lengths + other.lengths, np.concatenate((one.codes, other.codes))[order])
