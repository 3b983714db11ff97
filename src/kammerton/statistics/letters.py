# SPDX-License-Identifier: MIT
"""Groups that cannot be told apart: systems that share a letter do not differ."""

from __future__ import annotations

import string
from itertools import combinations

import numpy as np

from kammerton.core.intervals import Flags

__all__ = ["groups", "letters"]

_NAMES = string.ascii_lowercase + string.ascii_uppercase


def groups(differs: Flags) -> tuple[tuple[int, ...], ...]:
    """Return groups of systems so that two share one if and only if they do not differ.

    Parameters
    ----------
    differs : ndarray of bool, shape (systems, systems)
        Which pairs are told apart; symmetric, with nothing on its diagonal.

    Returns
    -------
    tuple of tuple of int
        Numbers of the systems of each group, in order.

    References
    ----------
    Piepho, An algorithm for a letter-based representation of all-pairwise comparisons,
    *J. Comput. Graph. Stat.* 13, 2004: insert and absorb, then sweep.

    Examples
    --------
    The first and the last of three differ, and the one between from neither:

    >>> groups(np.array([[False, False, True], [False, False, False], [True, False, False]]))
    ((0, 1), (1, 2))
    """
    systems = len(differs)
    apart = np.argwhere(np.triu(differs, 1)).tolist()
    found = [frozenset(range(systems))] if systems else []
    for one, other in apart:
        halves = [group - {each} for group in found if {one, other} <= group for each in (one, other)]
        kept = [group for group in found if not {one, other} <= group]
        found = _absorbed([*kept, *halves])
    return tuple(sorted(tuple(sorted(group)) for group in _swept(found)))


def _absorbed(found: list[frozenset[int]]) -> list[frozenset[int]]:
    """Leave out groups that lie within another."""
    distinct = list(dict.fromkeys(found))
    return [group for group in distinct if not any(group < other for other in distinct)]


def _swept(found: list[frozenset[int]]) -> list[frozenset[int]]:
    """Leave out groups all of whose pairs are in another; the last ones first, and small ones before."""
    kept = sorted(found, key=lambda group: (-len(group), sorted(group)))
    for group in reversed(kept.copy()):
        others = [other for other in kept if other != group]
        pairs = [{one, other} for one, other in combinations(sorted(group), 2)] or [set(group)]
        if all(any(pair <= other for other in others) for pair in pairs):
            kept = others
    return kept


def letters(differs: Flags) -> tuple[str, ...]:
    """Return the letters of each system: one for each of its groups.

    Parameters
    ----------
    differs : ndarray of bool, shape (systems, systems)
        As for :func:`groups`, the best system first: it gets the letter a. From the 53rd group on, a
        number in brackets stands in place of a letter.

    Examples
    --------
    >>> letters(np.array([[False, False, True], [False, False, False], [True, False, False]]))
    ('a', 'ab', 'b')
    """
    found = groups(differs)
    names = [_NAMES[place] if place < len(_NAMES) else f"[{place + 1}]" for place in range(len(found))]
    return tuple(
        "".join(name for name, group in zip(names, found, strict=True) if system in group)
        for system in range(len(differs))
    )
