# SPDX-License-Identifier: MIT
"""Paths of fingers through a line, of which each step is judged by three notes: the best, and all weighed.

Tables have shape (notes, 5, 5, 5): the finger of the note before the last, of the last, of a note. At the
first note, and for the first axis at the second one, all fingers that are not there are alike.
"""

from __future__ import annotations

import numpy as np

from kammerton.arrays import Codes
from kammerton.errors import OptionError, quote
from kammerton.fingering.lines import HandLine, Table

_ALIKE = 1e-9
"""By how much costs may differ that are equal."""


def best_paths(costs: Table, count: int = 1) -> tuple[Codes, Table]:
    """Return the ``count`` cheapest paths of fingers, the cheapest first, and their costs.

    ``costs`` has shape (notes, 5, 5, 5). Paths of infinite cost are none.
    """
    values = costs[0, 0, 0][None, :, None]  # by the finger before, the last one, and rank
    origins = []
    for step in costs[1:]:
        ranks = values.shape[2]
        sums = values.transpose(0, 2, 1)[..., None] + step[: len(values), None]
        flat = sums.reshape(-1, 5, 5)
        chosen = np.argsort(flat, axis=0, kind="stable")[:count]
        values = np.take_along_axis(flat, chosen, axis=0).transpose(1, 2, 0)
        origins.append((chosen, ranks))
    totals = values.ravel()
    ends = np.argsort(totals, kind="stable")[:count]
    ends = ends[np.isfinite(totals[ends])]
    before, last, rank = np.unravel_index(ends, values.shape)
    path = [last]
    for chosen, ranks in reversed(origins):
        last, (before, rank) = before, np.divmod(chosen[rank, before, last], ranks)
        path.append(last)
    return np.stack(path[::-1], axis=1) + 1, totals[ends]


def least_costs(costs: Table) -> tuple[Table, int]:
    """Return what the cheapest path with each finger at each note costs, and how many paths are cheapest.

    ``costs`` has shape (notes, 5, 5, 5), the least costs (notes, 5).
    """
    ahead = np.full((len(costs), 5, 5), np.inf)  # by the finger before, and the last one, up to each note
    ahead[0, 0] = costs[0, 0, 0]
    ways = np.ones((5, 5))
    for note in range(1, len(costs)):
        sums = ahead[note - 1][:, :, None] + costs[note]
        ahead[note] = sums.min(axis=0)
        ways = (ways[:, :, None] * (sums <= ahead[note] + _ALIKE)).sum(axis=0)
    behind = np.zeros((5, 5))
    least = np.empty((len(costs), 5))
    for note in range(len(costs) - 1, -1, -1):
        least[note] = (ahead[note] + behind).min(axis=0)
        behind = (costs[note] + behind).min(axis=2)
    is_least = ahead[-1] <= ahead[-1].min() + _ALIKE
    return least, int(ways[is_least].sum())


def check_settings(keep: object, split: object) -> None:
    """Check settings that every system has that fingers notes."""
    if not isinstance(keep, bool):
        raise OptionError(f"keep is true or false, not {quote(str(keep))}")
    if isinstance(split, bool) or not isinstance(split, int) or not 0 <= split <= 127:
        raise OptionError(f"split: a key is a MIDI number from 0 to 127, not {quote(str(split))}")


def keep_fixed(scores: Table, line: HandLine, worst: float) -> Table:
    """Return scores in which a note that has a finger has no other: what is else is ``worst``.

    Later chords follow the finger of a substitution that lets the key go.
    """
    scores = scores.copy()
    for note in np.flatnonzero((line.releases > 0) & (line.releases != line.fixed)).tolist():
        for apart, axis in ((1, 1), (2, 0)):
            later = note + apart
            if later < len(line) and line.chords[later] != line.chords[note]:
                scores[later] = scores[later].take([line.releases[note] - 1], axis=axis)
    others = (line.fixed[:, None] > 0) & (line.fixed[:, None] != np.arange(1, 6))
    return np.where(others[:, None, None, :], worst, scores)


def _forward(weights: Table) -> Table:
    """Return the share of each two last fingers at each note, by the notes up to it."""
    shares = np.zeros((len(weights), 5, 5))
    shares[0, 0] = weights[0, 0, 0] / weights[0, 0, 0].sum()
    for note in range(1, len(weights)):
        sums = (shares[note - 1][:, :, None] * weights[note]).sum(axis=0)
        shares[note] = sums / sums.sum()
    return shares


def _weights(scores: Table) -> Table:
    return np.asarray(np.exp(scores - scores.max(axis=(1, 2, 3), keepdims=True)))


def marginals(scores: Table) -> Table:
    """Return how probable each finger of each note is, shape (notes, 5).

    The probability of a path is proportional to the exponential of the sum of its scores.
    """
    weights = _weights(scores)
    forward = _forward(weights)
    behind = np.ones((5, 5))
    shares = np.zeros((len(scores), 5))
    for note in range(len(scores) - 1, -1, -1):
        of_note = (forward[note] * behind).sum(axis=0)
        shares[note] = of_note / of_note.sum()
        behind = (weights[note] * behind).sum(axis=2)
        behind /= behind.max()
    return shares


def sample_path(scores: Table, rng: np.random.Generator) -> Codes:
    """Return a path at random, as probable as :func:`marginals` takes it to be."""
    weights = _weights(scores)
    forward = _forward(weights)
    before, last = divmod(_drawn(forward[-1].ravel(), rng), 5)
    path = [last]
    for note in range(len(scores) - 1, 0, -1):
        chosen = _drawn(forward[note - 1][:, before] * weights[note][:, before, last], rng)
        before, last = chosen, before
        path.append(last)
    return np.array(path[::-1]) + 1


def _drawn(shares: Table, rng: np.random.Generator) -> int:
    return int(np.searchsorted(np.cumsum(shares), rng.random() * shares.sum(), side="right"))
