# SPDX-License-Identifier: MIT
"""Sums over the places of ranked lists: precision at hits, hits and gains at places, first hits.

What ties leave open is averaged over all orders, in closed form (McSherry & Najork 2008).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kammerton.core.intervals import Codes, Flags
from kammerton.instruments.lists import Lists, Ranking, sums, within
from kammerton.model.measure import Values

__all__ = ["at_places", "first_hits", "hits_so_far", "precision_at_hits"]

_EVERYWHERE = np.iinfo(np.int64).max


def hits_so_far(lists: Lists, ranking: Ranking, hits: Flags) -> Codes:
    """Return the number of hits of the list up to each place, as the entries stand."""
    return within(lists, np.cumsum(hits[ranking.order], dtype=np.int64))


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
    """Sum the precision at each hit.

    Parameters
    ----------
    lists : Lists
        The lists.
    ranking : Ranking
        Their order.
    hits : ndarray of bool, shape (entries,)
        Which entries are right, in the order of the lists.
    grouped : bool
        Whether a tie has the precision at its end everywhere, instead of its mean over all orders.
    results : int
        Places of a list that count.

    Returns
    -------
    ndarray of float64, shape (lists,)
        Divided by the number of relevant entries, it is the average precision.
    """
    so_far, ordered = hits_so_far(lists, ranking, hits), hits[ranking.order]
    if ranking.has_ties:
        found = _in_ties(ranking, so_far, ordered.astype(np.float64), grouped=grouped)
    else:
        found = ordered * so_far / ranking.places
    return sums(lists, np.where(ranking.places <= results, found, 0.0))


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
    """Return one over the place of the first hit, 0 if there is none.

    Parameters
    ----------
    lists, ranking, hits, grouped, results
        As for :func:`precision_at_hits`.
    """
    found = np.zeros(len(lists))
    chances = at_places(ranking, hits)
    places = np.flatnonzero((chances > 0) & (ranking.places <= results))
    owners, at = np.unique(lists.owners[places], return_index=True)
    for owner, head in zip(owners.tolist(), places[at].tolist(), strict=True):
        size, before = int(ranking.sizes[head]), int(ranking.before[head])
        relevant = round(chances[head] * size)
        if grouped:
            found[owner] = 1 / (before + size) if before + size <= results else 0.0
        else:
            found[owner] = _expected_reciprocal(relevant, size, before, results)
    return found


def _expected_reciprocal(relevant: int, size: int, before: int, results: int) -> float:
    """Return the mean over all orders of a tie of one over the place of its first hit."""
    nth = np.arange(size - relevant + 1)
    missed = np.concatenate(([1.0], np.cumprod((size - relevant - nth[:-1]) / (size - nth[:-1]))))
    chance = missed * relevant / (size - nth)
    places = before + 1 + nth
    return float((chance / places)[places <= results].sum())
