# SPDX-License-Identifier: MIT
"""Votes of several sources: copies among them, accuracies found by agreement, the best sequence of classes.

This module knows arrays only. A *unit* is what a source labels: the time between two boundaries, a note.
A matrix of codes has a row for each unit and a column for each source; -1 stands where a source abstains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from kammerton.arrays import Codes, Flags, Weights

ABSTAINS = -1
"""Code of a source that says nothing of a unit."""

_DISSENT, _AGREEMENT = 0.9, 0.93
"""Shares of equal labels from which two sources are copies: where both dissent, and anywhere."""
VOICES = 4
"""Sources from which dissent is told from agreement: fewer leave no plurality to dissent from."""
_ROUNDS, _STILL = 20, 1e-4
"""Most rounds of finding accuracies; they end before if none moves by this much."""
_BEGINNING, _LOWEST, _HIGHEST = 0.7, 0.05, 0.99
"""Accuracy that all sources begin with, and its limits."""
_EQUAL = 1e-9
"""Scores that differ by less are tied, however their sums were rounded."""


@dataclass(frozen=True, slots=True, eq=False)
class Ballots:
    """Who agrees with whom in how much of the units, without the names of classes.

    Ballots of many items add up: a corpus has few different ones.
    """

    patterns: Codes  # by unit and source: the first source that says the same; -1 where a source abstains
    sizes: Codes  # classes that there are to choose from
    weights: Weights  # sum of the units' weights


def first_sayers(codes: Codes) -> Codes:
    """Return for each unit and source the first source that says the same, -1 where it abstains.

    >>> first_sayers(np.array([[7, 3, 7], [-1, 5, 5]])).tolist()
    [[0, 1, 0], [-1, 1, 1]]
    """
    first = np.full_like(codes, ABSTAINS)
    for source in reversed(range(codes.shape[1])):
        column = codes[:, source : source + 1]
        first[(codes == column) & (column != ABSTAINS)] = source
    return first


def ballots_of(codes: Codes, weights: Weights, classes: int) -> Ballots:
    """Return the ballots of one item, which has at least so many classes to choose from."""
    said = np.unique(codes[codes != ABSTAINS]).size
    return Ballots(first_sayers(codes), np.full(len(codes), max(said, classes)), weights)


def merge_ballots(parts: Iterable[Ballots]) -> Ballots:
    """Return the ballots of all parts, equal ones as one; at least one part."""
    known = list(parts)
    rows = np.concatenate([np.column_stack((part.patterns, part.sizes)) for part in known])
    distinct, number = np.unique(rows, axis=0, return_inverse=True)
    weights = np.concatenate([part.weights for part in known])
    sums = np.bincount(number.ravel(), weights, minlength=len(distinct)).astype(np.float64)
    return Ballots(distinct[:, :-1], distinct[:, -1], sums)


@dataclass(frozen=True, slots=True, eq=False)
class Copies:
    """Which sources copy each other."""

    groups: Codes  # by source: the first source of its group
    shares: dict[tuple[int, int], float]  # share of equal labels of each pair that was grouped

    def votes(self, originals: Codes | None = None) -> Weights:
        """Return the share of a vote that each source has: a group has one vote.

        ``originals`` has of each source the first that is exactly the same: these share one part of the vote
        of their group, so that a further copy changes nothing.
        """
        own = np.arange(len(self.groups))
        originals = (
            own if originals is None else np.where(self.groups[originals] == self.groups, originals, own)
        )
        distinct = np.bincount(self.groups[originals == own], minlength=len(own))[self.groups]
        return np.asarray(1 / (distinct * np.bincount(originals, minlength=len(own))[originals]))


def find_copies(ballots: Ballots, *, least_weight: float = 60.0) -> Copies:
    """Group sources that copy each other; a pair is judged where its units weigh ``least_weight`` or more.

    Where enough sources leave a plurality of others, two sources are copies if they dissent from it alike;
    else, if they are equal nearly everywhere.
    """

    def alike(first: int, second: int, voices: Sequence[int]) -> float | None:
        share = (
            _dissent_alike(ballots, voices, first, second, least_weight) if len(voices) >= VOICES else None
        )
        least = _DISSENT
        if share is None:
            share, least = _agreement(ballots, first, second, least_weight), _AGREEMENT
        return share if share is not None and share >= least else None

    return linked_copies(ballots.patterns, alike)


def linked_copies(patterns: Codes, alike: Callable[[int, int, Sequence[int]], float | None]) -> Copies:
    """Group sources that are equal throughout, and then those that are linked by copies.

    ``alike(first, second, voices)`` returns the share of equal labels of two of the sources that are left, if
    they are copies.
    """
    sources = patterns.shape[1]
    groups = np.arange(sources)
    speaking = np.flatnonzero((patterns != ABSTAINS).any(axis=0))  # others have nothing to copy
    for source in speaking:
        groups[source] = np.flatnonzero((patterns == patterns[:, source : source + 1]).all(axis=0))[0]
    shares = {(int(first), number): 1.0 for number, first in enumerate(groups) if first != number}
    voices = np.unique(groups[speaking]).tolist()
    for first, second in combinations(voices, 2):
        share = alike(first, second, voices)
        if share is not None:
            shares[first, second] = share
            lower, upper = sorted((groups[first], groups[second]))
            groups[groups == upper] = lower
    return Copies(groups, shares)


def _dissent_alike(
    ballots: Ballots, voices: Sequence[int], first: int, second: int, least_weight: float
) -> float | None:
    """Return the share of equal labels where two sources differ from what most others say.

    The plurality is named by its first source, and so is a tie.
    """
    patterns = ballots.patterns
    others = [voice for voice in voices if voice not in (first, second)]
    votes = np.array([(patterns[:, others] == voice).sum(axis=1) for voice in range(patterns.shape[1])])
    plurality = np.where(votes.any(axis=0), votes.argmax(axis=0), ABSTAINS)
    pair = patterns[:, [first, second]]
    dissent = (
        (pair != ABSTAINS).all(axis=1) & (plurality != ABSTAINS) & (pair != plurality[:, None]).all(axis=1)
    )
    return equal_share(pair, ballots.weights * dissent, least_weight)


def _agreement(ballots: Ballots, first: int, second: int, least_weight: float) -> float | None:
    """Return the share of equal labels where two sources say anything."""
    pair = ballots.patterns[:, [first, second]]
    return equal_share(pair, ballots.weights * (pair != ABSTAINS).all(axis=1), least_weight)


def equal_share(pair: Codes, weights: Weights, least_weight: float) -> float | None:
    """Return the share of the weights at which two sources are equal; None if they sum to less."""
    whole = float(weights.sum())
    return float(weights[pair[:, 0] == pair[:, 1]].sum()) / whole if whole and whole >= least_weight else None


def accuracies(ballots: Ballots, votes: Weights, classes: int) -> Weights:
    """Return the accuracy of each source that explains how far sources agree (one-coin Dawid and Skene).

    The errors of a source are spread evenly over the other ``classes``. The accuracies of copies and of weak
    sources are too high: they weigh votes, and are nothing to report.
    """
    estimates = np.full(ballots.patterns.shape[1], _BEGINNING)
    spoken = ballots.patterns != ABSTAINS
    whole = ballots.weights @ spoken
    for _ in range(_ROUNDS):
        weights = vote_weights(estimates, votes, classes)
        likely, _ = posteriors(ballots.patterns, ballots.sizes, weights)
        of_source = np.take_along_axis(likely, np.maximum(ballots.patterns, 0), axis=1) * spoken
        right = ballots.weights @ of_source
        new = np.where(whole > 0, right / np.where(whole > 0, whole, 1), estimates).clip(_LOWEST, _HIGHEST)
        moved = np.abs(new - estimates).max(initial=0.0)
        estimates = new
        if moved < _STILL:
            break
    return estimates


def vote_weights(accuracies: Weights, votes: Weights, classes: int) -> Weights:
    """Return what a vote of each source adds to the log-odds of a class."""
    return votes * np.log((classes - 1) * accuracies / (1 - accuracies))


def _sums(patterns: Codes, weights: Weights) -> Weights:
    """Return the weight of the sources that say the same, in the column of the first of them."""
    sums = np.zeros(patterns.shape)
    units = np.arange(len(patterns))
    for source, weight in enumerate(weights.tolist()):
        said = patterns[:, source] != ABSTAINS
        sums[units[said], patterns[said, source]] += weight
    return sums


def _is_first(patterns: Codes) -> Flags:
    first: Flags = patterns == np.arange(patterns.shape[1])
    return first


def is_unanimous(patterns: Codes) -> Flags:
    """Tell in which units all sources that say anything say the same."""
    single: Flags = _is_first(patterns).sum(axis=1) == 1
    return single


def posteriors(patterns: Codes, sizes: Codes, weights: Weights) -> tuple[Weights, Weights]:
    """Return the probability of each class that is said, in the column of its first source, and of any other.

    ``weights`` are log-odds. Classes that nobody says have log-odds of 0.
    """
    sums, said = _sums(patterns, weights), _is_first(patterns)
    top = np.where(said, sums, 0.0).max(axis=1, initial=0.0)
    odds = np.where(said, np.exp(sums - top[:, None]), 0.0)
    unsaid = np.exp(-top)
    whole = odds.sum(axis=1) + np.maximum(sizes - said.sum(axis=1), 0) * unsaid
    return odds / whole[:, None], unsaid / whole


def vote_shares(patterns: Codes, votes: Weights) -> Weights:
    """Return the share of votes of each class that is said, in the column of its first source."""
    sums = _sums(patterns, votes)
    whole = sums.sum(axis=1, keepdims=True)
    return sums / np.where(whole > 0, whole, 1)


def class_order(codes: Codes, weights: Weights, votes: Weights) -> Codes:
    """Return the classes in the order in which ties are decided.

    That is, those with more votes first, then those that are said earlier, then those of an earlier source.
    """
    said = codes != ABSTAINS
    classes, first, number = np.unique(codes[said], return_index=True, return_inverse=True)
    amount = np.bincount(number, np.outer(weights, votes)[said], minlength=len(classes))
    return classes[np.lexsort((first, -np.round(amount, 9)))]


def table_of_classes(patterns: Codes, codes: Codes, values: Weights, other: Weights, classes: int) -> Weights:
    """Return the value of every class in every unit: ``other`` where nobody says it."""
    table = np.repeat(other[:, None], classes, axis=1)
    units, sources = np.nonzero(_is_first(patterns))
    table[units, codes[units, sources]] = values[units, sources]
    return table


def path_scores(patterns: Codes, codes: Codes, values: Weights) -> Weights:
    """Return values in which a class that all sources say is the only possible one of its unit."""
    unanimous = np.flatnonzero(is_unanimous(patterns))
    label = codes[unanimous].max(axis=1)
    scores = values.copy()
    scores[unanimous] = -np.inf
    scores[unanimous, label] = values[unanimous, label]
    return scores


def best_path(scores: Weights, cost: float) -> Codes:
    """Return the class of each unit that gives the highest sum of scores less a ``cost`` for each change.

    Of equal sequences it is the one that changes later, and then to the class that comes first.
    A score of ``-inf`` forbids a class.

    >>> best_path(np.array([[2.0, 0.0], [0.4, 0.5], [2.0, 0.0]]), 0.1).tolist()
    [0, 0, 0]
    """
    units, classes = scores.shape
    values = np.empty_like(scores)
    ahead = np.zeros(classes)
    for unit in range(units - 1, -1, -1):
        value = np.add(scores[unit], ahead, out=values[unit])
        ahead = np.maximum(value, value.max() - cost)
    top = values.max(axis=1, keepdims=True, initial=-np.inf)
    best = (values >= top - _EQUAL).argmax(axis=1).tolist()
    stays = values >= top - cost - _EQUAL
    chosen: list[int] = best[:1]
    for unit in range(1, units):
        chosen.append(chosen[-1] if stays[unit, chosen[-1]] else best[unit])
    return np.array(chosen, dtype=np.int64)
