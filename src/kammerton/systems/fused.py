# SPDX-License-Identifier: MIT
"""What the fusions of all tasks share: choices, weights of sources, and the fused item."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from kammerton.arrays import Codes, Flags, Weights
from kammerton.systems.voting import (
    ABSTAINS,
    Ballots,
    Copies,
    accuracies,
    find_copies,
    merge_ballots,
    posteriors,
    vote_shares,
    vote_weights,
)

Method = Literal["agreement", "vote", "pick", "random"]
Details = Literal["able", "all", "none"]
Scope = Literal["corpus", "item"]
Counting = Literal["one", "keep"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """How sources are fused; see :func:`kammerton.fuse`."""

    method: Method
    details: Details
    accuracy: Scope
    copies: Counting
    change_cost: float
    least_support: float
    seed: int
    factors: Weights  # by source: what its vote is multiplied by
    min_sources: int = 1
    leave_out: str | None = None
    options: Any = None  # how files are read


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """What the weights of sources are computed from; surveys of parts of a corpus add up."""

    ballots: Ballots
    amounts: Weights  # by what the task adds up, and source
    vocabularies: tuple[frozenset[str], ...] = ()  # by source: labels it uses, if the task must know them
    originals: Codes | None = None  # by source: the first that is exactly the same, once all items are known


def merge_surveys(parts: Sequence[Survey]) -> Survey:
    """Return the survey of all parts; at least one."""
    amounts: Weights = np.sum([part.amounts for part in parts], axis=0)
    of_sources = zip(*(part.vocabularies for part in parts), strict=True)
    vocabularies = tuple(frozenset().union(*own) for own in of_sources)
    return Survey(merge_ballots(part.ballots for part in parts), amounts, vocabularies)


@dataclass(frozen=True, slots=True, eq=False)
class Weighing:
    """What a vote of each source counts."""

    copies: Copies
    votes: Weights
    accuracies: Weights | None  # None if they are estimated for each item, or not at all
    able: Flags  # by detail and source: whether the source ever writes it
    counts: Weights  # what votes count with the estimated accuracies, as many in all as there are votes
    vocabularies: tuple[frozenset[str], ...] = ()  # as of the survey


def weigh(
    survey: Survey,
    choices: Choices,
    *,
    classes: int,
    able: Flags | None = None,
    copies: Copies | None = None,
) -> Weighing:
    """Return what votes of the sources count, where a source errs alike on so many classes."""
    copies = copies or find_copies(survey.ballots)
    counted = copies.votes(survey.originals) if choices.copies == "one" else np.ones(len(copies.groups))
    votes = counted * choices.factors
    if able is None:
        able = np.ones((0, len(votes)), dtype=bool)
    estimates, counts = None, votes
    if choices.method == "agreement" and choices.accuracy == "corpus":
        estimates = accuracies(survey.ballots, votes, classes)
        counts = vote_weights(estimates, votes, classes)
        counts = counts * votes.sum() / counts.sum() if counts.sum() > 0 else votes
    return Weighing(copies, votes, estimates, able, counts, survey.vocabularies)


def vote_values(
    ballots: Ballots, weighing: Weighing, choices: Choices, classes: int
) -> tuple[Weights, Weights]:
    """Return what each class that is said is worth, in the column of its first source, and any other."""
    if choices.method == "vote":
        return vote_shares(ballots.patterns, weighing.votes), np.zeros(len(ballots.patterns))
    estimates = weighing.accuracies
    if estimates is None:
        estimates = accuracies(ballots, weighing.votes, classes)
    return posteriors(ballots.patterns, ballots.sizes, vote_weights(estimates, weighing.votes, classes))


def chosen_sources(item: str, voting: Codes, weights: Weights, weighing: Weighing, choices: Choices) -> Codes:
    """Return the source of each unit: one for the whole item, or a random one of those that say anything."""
    said = voting != ABSTAINS
    if choices.method == "random":
        digest = int.from_bytes(hashlib.sha256(item.encode("utf-8", "surrogatepass")).digest()[:8], "big")
        chances = np.random.default_rng([choices.seed, digest]).random(len(said))
        place = (chances * said.sum(axis=1)).astype(np.int64)
        chosen: Codes = (said.cumsum(axis=1) > place[:, None]).argmax(axis=1)
        return chosen
    equal = (voting[:, :, None] == voting[:, None, :]) & said[:, :, None] & said[:, None, :]
    agreeing = np.einsum("u,uij->ij", weights, equal)
    both = np.einsum("u,ui,uj->ij", weights, said, said)
    groups = weighing.copies.groups
    other = weighing.votes * (groups[:, None] != groups) * (both > 0)
    share = (other * agreeing / np.where(both > 0, both, 1)).sum(axis=1)
    mean = share / np.where(other.any(axis=1), other.sum(axis=1), 1)
    mean[~said.any(axis=0)] = -1
    return np.full(len(said), (mean >= mean.max() - 1e-9).argmax())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FusedItem:
    """One item, fused of what its sources say; amounts are in the unit of the task."""

    annotation: Any  # None if its sources label nothing
    rows: Mapping[str, Sequence[Any]]  # columns of the table of rows, without the item
    weight: float  # how much is labelled
    supported: float  # the same, each part by the share of votes that say it
    unanimous: float  # how much of it all sources say
    contested: float  # how much of it has no majority of votes
    compared: Weights  # by source: how much of the result the source labels too
    agreeing: Weights  # by source: how much of that it labels like the result
    unknown: float = 0.0  # how much sources label with nothing that could be fused
    missing: float = 0.0  # how much no source labels, between the first and the last that any does


def count_units(
    annotation: Any,
    rows: Mapping[str, Any],
    speaks: Flags,
    agrees: Flags,
    *,
    unknown: Flags,
    missing: float = 0.0,
) -> FusedItem:
    """Return an item whose units, which are the ``rows``, count 1 each."""
    shares: Weights = rows["support"]
    return FusedItem(
        annotation=annotation,
        rows=rows,
        supported=float(shares.sum()),
        weight=float(len(shares)),
        unanimous=float((shares >= 1 - 1e-9).sum()),
        contested=float((shares <= 0.5 + 1e-9).sum()),
        unknown=float(unknown.sum()),
        missing=missing,
        compared=speaks.sum(axis=0),
        agreeing=agrees.sum(axis=0),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFusion:
    """How annotations of a task are fused.

    Annotations of an item come by source, in the order of sources, None where a source has none.
    """

    unit: str  # of amounts
    change_cost: float | None  # by default; None where there is no path
    methods: tuple[Method, ...]  # the default first
    able_of: tuple[str, ...]  # names of the details
    survey: Callable[[Sequence[Any], Choices], Survey]
    weigh: Callable[[Survey, Choices], Weighing]
    fuse: Callable[[str, Sequence[Any], Weighing, Choices], FusedItem]
    has_details: bool = False  # whether ``Choices.details`` is a choice
