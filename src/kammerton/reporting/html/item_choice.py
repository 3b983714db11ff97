# SPDX-License-Identifier: MIT
"""Which items a page lays out where it cannot hold all: the worst, the best, and some drawn at random."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Literal

import numpy as np

from kammerton.model.views import ItemView
from kammerton.reporting.html.item_data import ItemData

__all__ = ["BUDGET", "Chosen", "choose", "in_turn"]

BUDGET = 1_800_000
"""Bytes of a page that items may take, unless told."""

Why = Literal["worst", "best", "drawn"]

_TURNS: tuple[Why, ...] = ("worst", "worst", "best", "drawn")


@dataclass(frozen=True, slots=True)
class Chosen:
    """Items that a page lays out.

    Parameters
    ----------
    data : ItemData
        The items.
    why : mapping of int to {"worst", "best", "drawn"}
        Why each was chosen; empty if all were.
    left : int
        How many could be laid out, and were not.
    """

    data: ItemData
    why: dict[int, Why]
    left: int


def choose(
    ranked: Sequence[int],
    others: Sequence[int],
    draw: Callable[[int], ItemView | None],
    *,
    budget: int = BUDGET,
    seed: int = 0,
) -> Chosen:
    """Lay out items until the budget is used.

    Parameters
    ----------
    ranked, others : sequence of int
        Numbers of items: those with a value, the worst first, and those without.
    draw : callable
        ``draw(number)`` lays an item out; None if it cannot be.
    budget : int
        Bytes that may be used; one item is laid out in any case.
    seed : int
        Of the draws.
    """
    data = ItemData()
    why: dict[int, Why] = {}
    left = 0
    for number, reason in in_turn(ranked, others, seed):
        if data.items and data.size >= budget:
            left += 1
            continue
        view = draw(number)
        if view is not None:
            data.add(number, view)
            why[number] = reason
    return Chosen(data, why if left else {}, left)


def in_turn(ranked: Sequence[int], others: Sequence[int], seed: int) -> Iterator[tuple[int, Why]]:
    """Give each item once: the worst two that are left, the best, one at random, and so on.

    >>> [number for number, _ in in_turn([3, 1, 0, 2], [], 0)]
    [3, 1, 2, 0]
    """
    every = np.array([*ranked, *others], dtype=np.int64)
    drawn = np.random.default_rng(seed).permutation(np.sort(every)).tolist()
    queues: dict[Why, Iterator[int]] = {
        "worst": iter(ranked),
        "best": iter(ranked[::-1]),
        "drawn": iter(drawn),
    }
    seen: set[int] = set()
    for reason in cycle(_TURNS):
        if len(seen) == len(every):
            return
        number = next((each for each in queues[reason] if each not in seen), None)
        if number is not None:
            seen.add(number)
            yield number, reason
