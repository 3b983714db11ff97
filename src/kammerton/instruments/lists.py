# SPDX-License-Identifier: MIT
"""Lists of codes, one after the other, and their ranks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Codes, Flags
from kammerton.instruments.options import Ties
from kammerton.model.measure import Values

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

    @property
    def has_ties(self) -> bool:
        """Whether any tie is left."""
        return bool((self.sizes > 1).any())

    def in_order(self) -> Ranking:
        """Return the ranking in which ties keep their order."""
        return replace(self, before=self.places - 1, sizes=np.ones_like(self.places))

    @property
    def heads(self) -> Codes:
        """Number, among all entries in rank order, of the first of each one's tie."""
        return np.asarray(np.arange(len(self.order)) - (self.places - 1 - self.before))


def rank(lists: Lists, ties: Ties, gains: NDArray[np.float64] | Flags, names: Codes | None = None) -> Ranking:
    """Rank the entries of each list."""
    owners, entries = lists.owners, np.arange(len(lists.codes))
    places = entries - lists.offsets[owners] + 1
    if not len(lists.strengths):
        nobody = np.zeros(len(lists), dtype=bool)
        return Ranking(entries, places, places - 1, np.ones_like(places), nobody)
    # trec_eval holds scores in single precision
    strengths = lists.strengths.astype(np.float32).astype(np.float64) if ties == "trec" else lists.strengths
    order = _order(owners, strengths, _tiebreak(lists, ties, gains, names))
    strengths = strengths[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (owners[1:] != owners[:-1]) | (strengths[1:] != strengths[:-1])
    tied = sums(lists, ~new) > 0
    if ties not in ("expected", "grouped"):
        return Ranking(order, places, places - 1, np.ones_like(places), tied)
    tie = np.cumsum(new) - 1
    return Ranking(order, places, places[new][tie] - 1, np.bincount(tie, minlength=1)[tie], tied)


def _tiebreak(
    lists: Lists, ties: Ties, gains: NDArray[np.float64] | Flags, names: Codes | None
) -> NDArray[np.float64] | Codes | None:
    if ties == "trec":
        assert names is not None, "names break ties"
        return -names[lists.codes]
    if ties in ("best", "worst"):
        worth = gains.astype(np.float64)
        return -worth if ties == "best" else worth
    return None


def _order(owners: Codes, strengths: Values, tiebreak: NDArray[np.float64] | Codes | None) -> Codes:
    if tiebreak is not None:
        return np.lexsort((tiebreak, -strengths, owners))
    falling = (owners[1:] != owners[:-1]) | (strengths[1:] <= strengths[:-1])
    if falling.all():  # most sources write the best first
        return np.arange(len(owners))
    return np.lexsort((-strengths, owners))


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
    return _of_ties(ranking, ordered) / ranking.sizes if ranking.has_ties else ordered


def precision_at_hits(
    lists: Lists, ranking: Ranking, hits: Flags, *, grouped: bool = False, results: int = _EVERYWHERE
) -> Values:
    """Sum the precision at each hit."""
    ordered = hits[ranking.order]
    so_far = within(lists, np.cumsum(ordered, dtype=np.int64))
    if ranking.has_ties:
        precision = _in_ties(ranking, so_far, ordered.astype(np.float64), grouped=grouped)
    else:
        precision = ordered * so_far / ranking.places
    return sums(lists, np.where(ranking.places <= results, precision, 0.0))


def _in_ties(ranking: Ranking, so_far: Codes, ordered: Values, *, grouped: bool) -> Values:
    """Return what each place of a tie adds in the mean over all orders, or at the end of the tie."""
    inside, sizes = _of_ties(ranking, ordered), ranking.sizes
    ahead = (so_far - ordered)[ranking.heads]
    chance = inside / sizes
    if grouped:
        return np.asarray(chance * (ahead + inside) / (ranking.before + sizes))
    nth = ranking.places - ranking.before - 1
    others = nth * (inside - 1) / np.maximum(sizes - 1, 1)
    return np.asarray(chance * (ahead + 1 + others) / ranking.places)


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
