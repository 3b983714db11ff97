# SPDX-License-Identifier: MIT
"""Annotations as columns: lists of codes and their ranks, and what is above them in a taxonomy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, compress
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Codes, Flags
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.options import InstrumentOptions, Ties
from kammerton.instruments.taxonomy import Taxonomy
from kammerton.model.measure import Statistics, Values
from kammerton.model.task import Case

# --- lists of codes, and their ranks -----------------------------------------------------------

Number = TypeVar("Number", np.int64, np.float64)
IN_ORDER: Values = np.empty(0)
"""Strengths of lists that are ranked by their order alone."""
_TABLE = 1 << 27
"""Cells that a table of all possible keys may have."""


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """Lists of codes."""

    offsets: Codes  # entry at which each list begins
    codes: Codes  # what the lists hold: labels, or recordings
    # what they are ranked by, greatest first; equal ones tie. Empty if the order ranks.
    strengths: Values

    def __len__(self) -> int:
        """Return the number of lists."""
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Codes:
        """Entries of each list."""
        return np.diff(self.offsets)

    @property
    def owners(self) -> Codes:
        """List of each entry."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def keys(self, size: int) -> Codes:
        """Return a number for each pair of list and code; codes are below ``size``."""
        return self.owners * size + self.codes

    def keep(self, chosen: Flags) -> Lists:
        """Return the lists with some of their entries."""
        offsets = np.concatenate(([0], np.cumsum(chosen, dtype=np.int64)))[self.offsets]
        strengths = self.strengths[chosen] if len(self.strengths) else self.strengths
        return Lists(offsets, self.codes[chosen], strengths)

    def some(self, first: int, end: int) -> Lists:
        """Return the lists from ``first`` up to ``end``."""
        start, stop = self.offsets[[first, end]].tolist()
        return Lists(
            self.offsets[first : end + 1] - start, self.codes[start:stop], self.strengths[start:stop]
        )


def lists_of(lengths: Codes, codes: Codes, strengths: Values = IN_ORDER) -> Lists:
    """Return lists of these lengths."""
    return Lists(np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))), codes, strengths)


def nested(rows: Sequence[Sequence[int]]) -> Lists:
    """Return rows of numbers as lists."""
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    return lists_of(lengths, np.fromiter(chain.from_iterable(rows), np.int64, int(lengths.sum())))


def sums(lists: Lists, values: NDArray[np.float64] | Flags) -> Values:
    """Return the sum of the entries of each list, in their order."""
    return np.bincount(lists.owners, values, len(lists)).astype(np.float64)


def within(lists: Lists, running: NDArray[Number]) -> NDArray[Number]:
    """Return running sums over all entries as running sums within each list."""
    before = np.concatenate((running[:0], np.zeros(1, dtype=running.dtype), running))
    return np.asarray(running - np.repeat(before[lists.offsets[:-1]], lists.lengths))


def spread(counts: Codes) -> tuple[Codes, Codes]:
    """Return each number ``counts`` times, and beside it how many of it are ahead.

    >>> [column.tolist() for column in spread(np.array([2, 0, 1]))]
    [[0, 0, 2], [0, 1, 0]]
    """
    numbers = np.repeat(np.arange(len(counts)), counts)
    return numbers, np.arange(len(numbers)) - np.repeat(np.cumsum(counts) - counts, counts)


def expand(codes: Codes, lists: Lists) -> tuple[Codes, Codes]:
    """Return all entries of the list that each code is the number of, and before them whose they are.

    >>> [column.tolist() for column in expand(np.array([1, 0]), nested([[7], [8, 9]]))]
    [[0, 0, 1], [8, 9, 7]]
    """
    owners, nth = spread(lists.lengths[codes])
    return owners, lists.codes[lists.offsets[codes[owners]] + nth]


def places_of(names: Sequence[str]) -> Codes:
    """Return the place of each name in the order of names."""
    places = np.empty(len(names), dtype=np.int64)
    places[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return places


def contains(keys: Codes, wanted: Codes, size: int) -> Flags:
    """Return which of the wanted keys are among ``keys``; all are below ``size``."""
    return np.isin(wanted, keys, kind="table" if size <= _TABLE else "sort")


def distinct(keys: Codes, size: int) -> Codes:
    """Return the distinct keys, ascending; all are below ``size``."""
    if size > _TABLE:
        return np.asarray(np.unique(keys))
    used = np.zeros(size, dtype=bool)
    used[keys] = True
    return np.flatnonzero(used)


def numbered(keys: Codes, size: int) -> tuple[Codes, Codes]:
    """Return the distinct keys, and which of them each key is; all are below ``size``."""
    used = distinct(keys, size)
    if size > _TABLE:
        return used, np.searchsorted(used, keys)
    number = np.zeros(size, dtype=np.int64)
    number[used] = np.arange(len(used))
    return used, number[keys]


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """The entries of lists in rank order, list by list."""

    order: Codes  # entry at each place
    places: Codes  # place within the list, from 1
    before: Codes  # entries of the list that are ahead of the tie
    sizes: Codes  # entries of the tie; 1 everywhere if ties were broken
    tied: Flags  # lists in which entries are equally strong, however that was resolved

    def in_order(self) -> Ranking:
        """Return the ranking in which ties keep their order."""
        return replace(self, before=self.places - 1, sizes=np.ones_like(self.places))

    @property
    def heads(self) -> Codes:
        """Number, among all entries in rank order, of the first of each one's tie."""
        return np.asarray(np.arange(len(self.order)) - (self.places - 1 - self.before))


def rank(
    lists: Lists, ties: Ties, gains: NDArray[np.float64] | Flags | None = None, names: Codes | None = None
) -> Ranking:
    """Rank the entries of each list."""
    owners, entries = lists.owners, np.arange(len(lists.codes))
    places = entries - lists.offsets[owners] + 1
    if not len(lists.strengths):
        nobody = np.zeros(len(lists), dtype=bool)
        return Ranking(entries, places, places - 1, np.ones_like(places), nobody)
    # trec_eval holds scores in single precision
    strengths = lists.strengths.astype(np.float32).astype(np.float64) if ties == "trec" else lists.strengths
    order = entries
    tiebreak = _tiebreak(lists, ties, gains, names)
    rises = (owners[1:] == owners[:-1]) & (strengths[1:] > strengths[:-1])
    if tiebreak is not None or rises.any():  # most sources write the best first
        order = np.lexsort((entries if tiebreak is None else tiebreak, -strengths, owners))
    strengths = strengths[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (owners[1:] != owners[:-1]) | (strengths[1:] != strengths[:-1])
    tied = sums(lists, ~new) > 0
    if ties not in ("expected", "grouped"):
        return Ranking(order, places, places - 1, np.ones_like(places), tied)
    tie = np.cumsum(new) - 1
    return Ranking(order, places, places[new][tie] - 1, np.bincount(tie, minlength=1)[tie], tied)


def _tiebreak(
    lists: Lists, ties: Ties, gains: NDArray[np.float64] | Flags | None, names: Codes | None
) -> NDArray[np.float64] | Codes | None:
    if ties == "trec":
        assert names is not None, "names break ties"
        return -names[lists.codes]
    if ties in ("best", "worst"):
        assert gains is not None, "gains break ties"
        worth = gains.astype(np.float64)
        return -worth if ties == "best" else worth
    return None


_EVERYWHERE = np.iinfo(np.int64).max


def _of_ties(ranking: Ranking, values: NDArray[np.float64]) -> Values:
    """Return the sum of each entry's tie."""
    heads = ranking.heads
    starts = np.flatnonzero(heads == np.arange(len(heads)))
    tie = np.cumsum(heads == np.arange(len(heads))) - 1
    return np.asarray(np.add.reduceat(values, starts)[tie]) if len(starts) else values


def at_places(ranking: Ranking, values: NDArray[np.float64] | Flags) -> Values:
    """Return what stands at each place: the mean of the tie, where there is one."""
    ordered = values[ranking.order].astype(np.float64)
    return _of_ties(ranking, ordered) / ranking.sizes


def precision_at_hits(
    lists: Lists, ranking: Ranking, hits: Flags, *, grouped: bool = False, results: int = _EVERYWHERE
) -> Values:
    """Sum the precision at each hit."""
    ordered = hits[ranking.order].astype(np.float64)
    inside, sizes = _of_ties(ranking, ordered), ranking.sizes
    ahead = (within(lists, np.cumsum(ordered)) - ordered)[ranking.heads]
    right, places = ahead + inside, ranking.before + sizes
    if not grouped:  # the mean over all orders of a tie
        nth = ranking.places - ranking.before - 1
        right, places = ahead + 1 + nth * (inside - 1) / np.maximum(sizes - 1, 1), ranking.places
    return sums(lists, np.where(ranking.places <= results, inside / sizes * right / places, 0.0))


def first_hits(
    lists: Lists, ranking: Ranking, hits: Flags, *, grouped: bool = False, results: int = _EVERYWHERE
) -> Values:
    """Return one over the place of the first hit, 0 if there is none."""
    reciprocals = np.zeros(len(lists))
    chances = at_places(ranking, hits)
    places = np.flatnonzero((chances > 0) & (ranking.places <= results))
    owners, at = np.unique(lists.owners[places], return_index=True)
    for owner, head in zip(owners.tolist(), places[at].tolist(), strict=True):
        size, before = int(ranking.sizes[head]), int(ranking.before[head])
        relevant = round(chances[head] * size)
        if grouped:
            reciprocals[owner] = 1 / (before + size) if before + size <= results else 0.0
        else:
            reciprocals[owner] = _expected_reciprocal(relevant, size, before, results)
    return reciprocals


def _expected_reciprocal(relevant: int, size: int, before: int, results: int) -> float:
    """Return the mean over all orders of a tie of one over the place of its first hit."""
    nth = np.arange(size - relevant + 1)
    missed = np.concatenate(([1.0], np.cumprod((size - relevant - nth[:-1]) / (size - nth[:-1]))))
    chance = missed * relevant / (size - nth)
    places = before + 1 + nth
    return float((chance / places)[places <= results].sum())


def average_precision(lists: Lists, ranking: Ranking, hits: Flags) -> tuple[Values, Values]:
    """Return the sum of the precision at each hit, and the number of hits, of each list."""
    scored = hits & (lists.strengths > -np.inf) if len(lists.strengths) else hits
    return precision_at_hits(lists, ranking, scored, grouped=True), sums(lists, hits)


def roc_area(lists: Lists, ranking: Ranking, hits: Flags) -> tuple[Values, Values]:
    """Return the pairs of a hit and a miss in the right order, and all such pairs, of each list.

    A pair with equal scores is half right.
    """
    ordered = hits[ranking.order].astype(np.float64)
    positive, entries = sums(lists, hits), lists.lengths.astype(np.float64)
    # each hit is ahead of what ranks behind its tie, and level with its tie, in which it stands itself
    behind = np.repeat(entries, lists.lengths) - ranking.before - ranking.sizes
    beaten = sums(lists, ordered * (behind + ranking.sizes / 2))
    # of these pairs, those of two hits are as many as there are pairs of hits, each half right both ways
    return beaten - positive**2 / 2, positive * (entries - positive)


# --- annotations -------------------------------------------------------------------------------


def annotated(reference: InstrumentList, options: InstrumentOptions) -> InstrumentList:
    """Return a reference as a list of what is there.

    Examples
    --------
    >>> scored = InstrumentList(("piano", "voice"), np.array([0.75, 0.25]), vector=True)
    >>> judged = annotated(scored, InstrumentOptions())
    >>> judged.labels, judged.absent
    (('piano',), ('voice',))
    """
    if not reference.vector:
        return reference
    passed = options.truth_cut.passes(reference.labels, reference.scores)
    return replace(
        reference,
        labels=tuple(compress(reference.labels, passed)),
        scores=np.asarray(reference.scores)[passed],
        absent=(*reference.absent, *compress(reference.labels, ~passed)),
        vector=False,
    )


@dataclass(frozen=True, eq=False)
class InstrumentColumns:
    """References and estimates of files; or of queries, whose labels are documents."""

    labels: tuple[str, ...]  # what the codes stand for; first the nodes of the taxonomy, in its order
    truth: Lists  # annotated labels
    absent: Lists  # labels that were judged absent
    closed: Flags  # whether labels in neither list are absent; else nobody judged them
    grades: Codes  # how relevant each annotated label is, 1 or more
    predictions: Lists  # estimated labels, with what they are ranked by
    scored: Lists  # the same before thresholds where an estimate has the scores of a whole vocabulary
    vector: Flags  # whether it has
    # whether ``predictions`` is what the system takes for present, and not merely what it has scores for
    listed: Flags
    confident: Flags  # whether labels are ranked by scores, which can be compared across files
    queries: Flags  # whether it is a query
    groups: Codes  # group of each case
    tree: Taxonomy | None  # the taxonomy of the labels

    def __len__(self) -> int:
        """Return the number of files."""
        return len(self.truth)

    @cached_property
    def judged(self) -> Lists:
        """Those estimated labels of which it is known whether they are right."""
        return self.condensed(self.predictions)

    @cached_property
    def hits(self) -> Flags:
        """Which of ``judged`` are annotated."""
        return self.annotated(self.judged)

    @property
    def keys(self) -> int:
        """Number of pairs of file and label."""
        return len(self) * len(self.labels)

    def annotated(self, lists: Lists) -> Flags:
        """Return which labels of lists, one for each file, are annotated."""
        size = len(self.labels)
        return contains(self.truth.keys(size), lists.keys(size), self.keys)

    def condensed(self, lists: Lists) -> Lists:
        """Leave out of lists, one for each file, labels that nobody judged."""
        if self.closed.all():
            return lists
        return lists.keep(self.is_judged(lists.keys(len(self.labels))) | self.closed[lists.owners])

    def is_judged(self, keys: Codes) -> Flags:
        """Return which pairs of file and label are annotated, or judged to be absent."""
        size = len(self.labels)
        judged = np.concatenate((self.truth.keys(size), self.absent.keys(size)))
        return contains(judged, keys, self.keys)

    @property
    def known(self) -> Flags:
        """Files of which anything is annotated, or judged to be absent."""
        return (self.truth.lengths > 0) | (self.absent.lengths > 0)

    @cached_property
    def extended_counts(self) -> Statistics:
        """Hits, listed and annotated nodes of each file, labels extended by their ancestors.

        Roots are not counted. A label that the taxonomy does not have is a node of its own. Of files that
        are judged in part, the nodes whose truth is unknown are then left out.
        """
        truth, predictions = self.extended(self.truth), self.extended(self.predictions)
        if not self.closed.all():
            predictions = predictions[self.is_known(predictions)]
        hits = predictions[contains(truth, predictions, self.keys)]
        size = len(self.labels)
        counts = [np.bincount(keys // size, minlength=len(self)) for keys in (hits, predictions, truth)]
        return np.stack(counts, axis=1).astype(np.float64)

    def extended(self, lists: Lists) -> Codes:
        """Return the pairs of file and label, or one of its ancestors; roots are left out."""
        entries, labels = expand(lists.codes, self._closure)
        return distinct(lists.owners[entries] * len(self.labels) + labels, self.keys)

    @cached_property
    def _closure(self) -> Lists:
        """Each label with its ancestors, without roots; what is no node is alone."""
        assert self.tree is not None, "hierarchical measures need a taxonomy"
        offsets, ancestors = self.tree.closure()
        outside = np.arange(len(self.tree), len(self.labels))
        lengths = np.concatenate((np.diff(offsets), np.ones_like(outside)))
        return lists_of(lengths, np.concatenate((ancestors, outside)))

    @cached_property
    def absent_nodes(self) -> Flags:
        """Labels that are known not to be there, a row per file; a family is not if nothing below it is."""
        assert self.tree is not None, "families need a taxonomy"
        size, index = len(self.labels), self.tree.index
        present, absent = (np.zeros((len(self), size), dtype=bool) for _ in range(2))
        present.flat[self.extended(self.truth)] = True
        absent.flat[self.absent.keys(size)] = True
        absent &= ~present
        absent[:, [index[root] for root in self.tree.roots]] = False
        for family in reversed(self.tree.nodes):  # the lower ones first
            below = [index[child] for child in self.tree.children(family)]
            if below and family not in self.tree.roots:
                absent[:, index[family]] |= absent[:, below].all(axis=1) & ~present[:, index[family]]
        return absent

    def is_known(self, keys: Codes) -> Flags:
        """Return of which pairs of file and label or ancestor it is known whether they are there."""
        known = self.closed[keys // len(self.labels)] | self.absent_nodes.flat[keys]
        return known | contains(self.extended(self.truth), keys, self.keys)


class LabelCodes:
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
        labels = map(self._codes.__getitem__, chain.from_iterable(lists))
        codes = np.fromiter(labels, np.int64, int(lengths.sum()))
        return lists_of(lengths, codes)


def encode_cases(cases: Sequence[Case[InstrumentList]], options: InstrumentOptions) -> InstrumentColumns:
    """Return the columns of cases, before thresholds and levels."""
    pairs = [case.pair for case in cases]
    refs, ests = [annotated(ref, options) for ref, _ in pairs], [est for _, est in pairs]
    queries = _flags(ref.query for ref in refs)
    tree = None if queries.any() else options.tree
    vocabulary = LabelCodes(tree)
    truth, absent, predictions = (
        vocabulary.encode(lists)
        for lists in ([r.labels for r in refs], [r.absent for r in refs], [e.labels for e in ests])
    )
    scored = Lists(predictions.offsets, predictions.codes, _strengths(ests))
    vector = _flags(est.vector for est in ests)
    return InstrumentColumns(
        labels=vocabulary.labels,
        truth=truth,
        absent=absent,
        closed=_flags(ref.closed or options.assume_absent for ref in refs),
        grades=_grades(refs),
        predictions=scored,
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


def build_columns(cases: Sequence[Case[InstrumentList]], options: InstrumentOptions) -> InstrumentColumns:
    """Return the columns of cases as they are compared."""
    return shaped(encode_cases(cases, options), options)


def shaped(columns: InstrumentColumns, options: InstrumentOptions) -> InstrumentColumns:
    """Apply thresholds, leaves and level."""
    if options.cut is not None or options.top_k:
        columns = _cut(columns, options)
    if columns.tree is not None and options.leaves:
        columns = _leaves(columns, columns.tree)
    if columns.tree is not None and options.level:
        columns = _projected(columns, columns.tree, options.level)
    return columns


def _cut(columns: InstrumentColumns, options: InstrumentOptions) -> InstrumentColumns:
    """Keep scores that pass, and of these the best."""
    predictions = columns.predictions
    if options.cut is not None:
        passed = np.ones(len(predictions.codes), dtype=bool)
        judged = np.flatnonzero(columns.confident[predictions.owners])
        labels = [columns.labels[code] for code in predictions.codes[judged].tolist()]
        passed[judged] = options.cut.passes(labels, predictions.strengths[judged])
        predictions = predictions.keep(passed)
    if options.top_k:
        names = places_of(columns.labels) if options.ties == "trec" else None
        ties: Ties = "trec" if options.ties == "trec" else "given"
        ranking = rank(predictions, ties, names=names)
        best = np.zeros(len(predictions.codes), dtype=bool)
        best[ranking.order[ranking.places <= options.top_k]] = True
        predictions = predictions.keep(best)
    scored = columns.scored
    if not columns.vector.all():
        scored = _chosen(columns.vector, scored, predictions) if columns.vector.any() else predictions
    return replace(columns, predictions=predictions, scored=scored, listed=np.ones_like(columns.listed))


def _chosen(which: Flags, first: Lists, second: Lists) -> Lists:
    """Return lists of the first where ``which``, else of the second."""
    first, second = first.keep(which[first.owners]), second.keep(~which[second.owners])
    order = np.argsort(np.concatenate((first.owners, second.owners)), kind="stable")
    codes = np.concatenate((first.codes, second.codes))[order]
    strengths = np.concatenate((first.strengths, second.strengths))
    return lists_of(first.lengths + second.lengths, codes, strengths[order] if len(strengths) else IN_ORDER)


def _leaves(columns: InstrumentColumns, tree: Taxonomy) -> InstrumentColumns:
    """Leave out labels that have others below them."""
    leaf = np.ones(len(columns.labels), dtype=bool)
    leaf[[parent for parents in tree.parents for parent in parents]] = False
    annotated_leaves = leaf[columns.truth.codes]
    return replace(
        columns,
        truth=columns.truth.keep(annotated_leaves),
        absent=columns.absent.keep(leaf[columns.absent.codes]),
        grades=columns.grades[annotated_leaves],
        predictions=columns.predictions.keep(leaf[columns.predictions.codes]),
        scored=columns.scored.keep(leaf[columns.scored.codes]),
    )


def _projected(columns: InstrumentColumns, tree: Taxonomy, level: int) -> InstrumentColumns:
    """Replace labels by their ancestors at a level."""
    above = nested(
        [
            [tree.index[node] for node in tree.project(label, level)] if label in tree.index else [code]
            for code, label in enumerate(columns.labels)
        ]
    )
    truth, predictions = _replaced(columns.truth, above), _replaced(columns.predictions, above)
    stays = (above.lengths == 1) & (above.codes[above.offsets[:-1]] == np.arange(len(above)))
    # families are known to be absent if all below them are
    files, absent = np.nonzero(columns.absent_nodes & stays)
    return replace(
        columns,
        truth=truth,
        absent=lists_of(np.bincount(files, minlength=len(columns)), absent),
        grades=np.ones(len(truth.codes), dtype=np.int64),
        predictions=predictions,
        scored=predictions if columns.scored is columns.predictions else _replaced(columns.scored, above),
    )


def _replaced(lists: Lists, above: Lists) -> Lists:
    """Return lists of what their labels become, each once, as strong as the strongest of them."""
    order = rank(lists, "given").order
    entry, codes = expand(lists.codes[order], above)
    owners = lists.owners[entry]
    _, first = np.unique(owners * len(above) + codes, return_index=True)
    first.sort()
    strengths = lists.strengths[order][entry][first] if len(lists.strengths) else IN_ORDER
    return lists_of(np.bincount(owners[first], minlength=len(lists)), codes[first], strengths)
