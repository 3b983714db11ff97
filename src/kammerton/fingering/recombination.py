# SPDX-License-Identifier: MIT
"""Find the cheapest way through several annotations when going over to another costs one note."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from kammerton.core.intervals import Codes, Flags

__all__ = ["least_costs"]

Costs = NDArray[np.int16]

CHUNK = 1024
"""Notes that are scanned one after the other; longer lanes are cut, and their pieces joined."""

_SWITCH, _NEVER = np.int16(1), np.int16(1 << 13)
"""Costs of going over; the latter is more than any within a chunk, and twice that is still an int16."""

_FOREVER = 1 << 40
"""More than the cost of any lane."""


@dataclass(frozen=True, slots=True, eq=False)
class _Schedule:
    """Order in which notes are scanned: all first notes of the chunks, all second ones, and so on.

    Parameters
    ----------
    notes : ndarray of int64
        The notes in that order; within a step, longer chunks come first.
    before : ndarray of int64
        The note of the same lane before each of them; for the first of a lane, any note.
    steps : ndarray of int64
        Where in ``notes`` each step begins, and the end.
    lanes, parts : ndarray of int64, shape (chunks,)
        The lane of each chunk, and which part of it.
    """

    notes: Codes
    before: Codes
    steps: Codes
    lanes: Codes
    parts: Codes


def least_costs(lanes: Codes, count: int, misses: Flags, passable: Callable[[int, int], Flags]) -> Codes:
    """Return the least cost of each lane: its misses and its switches, each one.

    This is the dynamic programme of the recombination match rate [1]_:
    ``c_z(n) = min(c_z(n-1), min over z' of c_z'(n-1) + 1) + miss_z(n)``, where going over from z' to z
    is possible only if note n-1 is passable between them.

    Parameters
    ----------
    lanes : ndarray of int64, shape (notes,)
        The lane of each note; lanes are independent of each other, and keep the order of notes.
    count : int
        Number of lanes.
    misses : ndarray of bool, shape (annotators, notes)
        What a note costs with each annotator.
    passable : callable
        From the rows of two annotators to an array of bool, shape (notes,): whether one may go over from
        either to the other right after a note.

    Returns
    -------
    ndarray of int64, shape (count,)
        0 for a lane without notes.

    References
    ----------
    .. [1] E. Nakamura, Y. Saito and K. Yoshii, "Statistical learning and estimation of piano
       fingering", Information Sciences 517, 2020.
    """
    if misses.size == 0:
        return np.zeros(count, dtype=np.int64)
    schedule = _schedule(lanes, count)
    annotators = len(misses)
    if schedule.parts.any():
        # what happens in a chunk depends on the annotator it is entered with: try each
        entered = np.where(np.eye(annotators, dtype=bool), 0, _NEVER).astype(np.int16)
    else:
        entered = np.zeros((1, annotators), dtype=np.int16)
    costs = _scan(schedule, entered, _prices(schedule, misses, passable))
    return _join(schedule, costs, count)


def _schedule(lanes: Codes, count: int) -> _Schedule:
    in_lanes = np.argsort(lanes.astype(np.min_scalar_type(count)), kind="stable")
    sorted_lanes = lanes[in_lanes]
    first = np.ones(len(lanes), dtype=bool)
    first[1:] = sorted_lanes[1:] != sorted_lanes[:-1]
    starts = np.flatnonzero(first)
    place = np.arange(len(lanes)) - np.repeat(starts, np.diff(np.append(starts, len(lanes))))
    within = place % CHUNK
    heads = np.flatnonzero(within == 0)
    lengths = np.diff(np.append(heads, len(lanes)))
    by_length = np.argsort(-lengths, kind="stable")
    rank = np.empty_like(by_length)
    rank[by_length] = np.arange(len(by_length))
    steps = np.concatenate(([0], np.cumsum(np.bincount(within))))
    order = np.empty_like(place)
    order[steps[within] + np.repeat(rank, lengths)] = np.arange(len(place))
    heads = heads[by_length]
    return _Schedule(in_lanes[order], in_lanes[order - 1], steps, sorted_lanes[heads], place[heads] // CHUNK)


def _prices(schedule: _Schedule, misses: Flags, passable: Callable[[int, int], Flags]) -> Costs:
    """Return what each note costs, shape (annotator before it, annotator of it, notes).

    Before the first note of a lane all annotators cost the same, so that a switch there never pays:
    it need not be forbidden.
    """
    missed = misses[:, schedule.notes].astype(np.int16)
    prices = np.repeat(missed[np.newaxis], len(missed), axis=0)
    for one, other in combinations(range(len(missed)), 2):
        switch = np.where(passable(one, other)[schedule.before], _SWITCH, _NEVER)
        prices[one, other] += switch
        prices[other, one] += switch
    return prices


def _scan(schedule: _Schedule, entered: Costs, prices: Costs) -> Costs:
    """Return the least cost of each chunk, shape (entered with, left with, chunks)."""
    costs = np.repeat(entered[:, :, np.newaxis], len(schedule.lanes), axis=2)
    for begin, end in pairwise(schedule.steps.tolist()):
        live = costs[:, :, : end - begin]
        (live[:, :, np.newaxis] + prices[:, :, begin:end]).min(axis=1, out=live)
    return costs


def _join(schedule: _Schedule, costs: Costs, count: int) -> Codes:
    """Lead each lane through its chunks, and return the cost of its cheapest end."""
    through = np.where(costs < _NEVER, costs.astype(np.int64), _FOREVER)
    totals = np.zeros((costs.shape[1], count), dtype=np.int64)
    for part in range(schedule.parts.max() + 1):
        chunks = np.flatnonzero(schedule.parts == part)
        lanes = schedule.lanes[chunks]
        entered = totals[: len(through), lanes]
        totals[:, lanes] = (entered[:, np.newaxis] + through[:, :, chunks]).min(axis=0)
    return np.asarray(totals.min(axis=0))
