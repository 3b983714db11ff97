# SPDX-License-Identifier: MIT
"""Turn the cases of a run into columns: lists of label codes, in the order of their strength."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from kammerton.core.intervals import Codes, Flags
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.lists import IN_ORDER, Lists, contains, lists_of
from kammerton.instruments.nodes import Nodes, nodes_of
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.taxonomy import Taxonomy
from kammerton.instruments.truth import annotated
from kammerton.model.measure import Values
from kammerton.model.task import Case

__all__ = ["Columns", "Vocabulary", "encode_cases"]


@dataclass(frozen=True, eq=False)
class Columns:
    """References and estimates of files; or of queries, whose labels are documents.

    Parameters
    ----------
    labels : tuple of str
        What the codes stand for; first the nodes of the taxonomy, in its order.
    truth : Lists
        Annotated labels.
    absent : Lists
        Labels that were judged absent.
    closed : ndarray of bool, shape (files,)
        Whether labels in neither list are absent; else nobody judged them.
    grades : ndarray of int64, shape (annotated labels,)
        How relevant each annotated label is, 1 or more.
    said : Lists
        Estimated labels, with what they are ranked by.
    scored : Lists
        The same before thresholds where an estimate has the scores of a whole vocabulary.
    vector : ndarray of bool, shape (files,)
        Whether it has.
    listed : ndarray of bool, shape (files,)
        Whether ``said`` is what the system takes for present, and not merely what it has scores for.
    confident : ndarray of bool, shape (files,)
        Whether labels are ranked by scores, which can be compared across files.
    queries : ndarray of bool, shape (files,)
        Whether it is a query.
    groups : ndarray of int64, shape (files,)
        Group of each case.
    tree : Taxonomy, optional
        The taxonomy of the labels.
    """

    labels: tuple[str, ...]
    truth: Lists
    absent: Lists
    closed: Flags
    grades: Codes
    said: Lists
    scored: Lists
    vector: Flags
    listed: Flags
    confident: Flags
    queries: Flags
    groups: Codes
    tree: Taxonomy | None

    def __len__(self) -> int:
        """Return the number of files."""
        return len(self.truth)

    @property
    def nodes(self) -> Nodes:
        """The nodes of the taxonomy, of which there must be one."""
        assert self.tree is not None, "hierarchical measures need a taxonomy"
        return nodes_of(self.tree)

    @cached_property
    def judged(self) -> Lists:
        """Those estimated labels of which it is known whether they are right."""
        return self.condensed(self.said)

    @cached_property
    def hits(self) -> Flags:
        """Which of ``judged`` are annotated."""
        return self.annotated(self.judged)

    @property
    def keys(self) -> int:
        """Number of pairs of file and label."""
        return len(self) * len(self.labels)

    def annotated(self, lists: Lists) -> Flags:
        """Tell which labels of lists, one for each file, are annotated."""
        size = len(self.labels)
        return contains(self.truth.keys(size), lists.keys(size), self.keys)

    def condensed(self, lists: Lists) -> Lists:
        """Leave out of lists, one for each file, what nobody judged."""
        if self.closed.all():
            return lists
        size = len(self.labels)
        judged = np.concatenate((self.truth.keys(size), self.absent.keys(size)))
        known = contains(judged, lists.keys(size), self.keys)
        return lists.keep(known | self.closed[lists.owners])

    def name_order(self) -> Codes:
        """Return the place of each label in the order of names."""
        places = np.empty(len(self.labels), dtype=np.int64)
        places[sorted(range(len(self.labels)), key=self.labels.__getitem__)] = np.arange(len(self.labels))
        return places


class Vocabulary:
    """Numbers labels as they come: those of a taxonomy first, in its order."""

    def __init__(self, tree: Taxonomy | None) -> None:
        self._codes: defaultdict[str, int] = defaultdict()
        if tree is not None:
            self._codes.update(zip(tree.nodes, range(len(tree.nodes)), strict=True))
        self._codes.default_factory = self._codes.__len__

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels so far, by code."""
        return tuple(self._codes)

    def code(self, label: str) -> int:
        """Return the code of a label."""
        return self._codes[label]

    def encode(self, lists: Sequence[Collection[str]]) -> Lists:
        """Return the codes of lists of labels."""
        lengths = np.fromiter(map(len, lists), np.int64, len(lists))
        every = chain.from_iterable(lists)
        codes = np.fromiter(map(self._codes.__getitem__, every), np.int64, int(lengths.sum()))
        return lists_of(lengths, codes)


def encode_cases(cases: Sequence[Case[InstrumentList]], options: InstrumentOptions) -> Columns:
    """Return the columns of cases as they are, before thresholds and levels."""
    pairs = [case.pair for case in cases]
    refs, ests = [annotated(ref, options) for ref, _ in pairs], [est for _, est in pairs]
    queries = _flags(ref.query for ref in refs)
    tree = None if queries.any() else options.tree
    vocabulary = Vocabulary(tree)
    truth, absent, said = (
        vocabulary.encode(lists)
        for lists in ([r.labels for r in refs], [r.absent for r in refs], [e.labels for e in ests])
    )
    scored = Lists(said.offsets, said.codes, _strengths(ests))
    vector = _flags(est.vector for est in ests)
    return Columns(
        labels=vocabulary.labels,
        truth=truth,
        absent=absent,
        closed=_flags(ref.closed or options.assume_absent for ref in refs),
        grades=_grades(refs),
        said=scored,
        scored=scored,
        vector=vector,
        listed=~vector,
        confident=_flags(_has_scores(est) for est in ests),
        queries=queries,
        groups=np.fromiter((case.group for case in cases), np.int64, len(cases)),
        tree=tree,
    )


def _flags(values: Iterable[bool]) -> Flags:
    return np.fromiter(values, dtype=np.bool_)


def _grades(references: Iterable[InstrumentList]) -> Codes:
    parts = (ref.grades if len(ref.grades) else np.ones(len(ref), dtype=np.int64) for ref in references)
    return np.concatenate([np.empty(0, dtype=np.int64), *parts])


def _has_scores(estimate: InstrumentList) -> bool:
    return len(estimate.scores) > 0 and (estimate.ranked or estimate.vector)


def _strengths(estimates: Sequence[InstrumentList]) -> Values:
    """Return what labels are ranked by; nothing if all lists are in order, and strict."""
    if not any(_has_scores(est) or (len(est) > 1 and not est.ranked) for est in estimates):
        return IN_ORDER
    parts = [np.empty(0)]
    for est in estimates:
        if _has_scores(est):
            parts.append(est.scores)
        else:
            parts.append(-np.arange(len(est), dtype=np.float64) if est.ranked else np.zeros(len(est)))
    return np.concatenate(parts)
