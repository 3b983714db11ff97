# SPDX-License-Identifier: MIT
"""Paths of fingers through a line, of which each step is judged by three notes: the best, and all weighed.

Systems that learn give scores, and :func:`fingered` makes fingers of them.

Tables have shape (notes, 5, 5, 5): the finger of the note before the last, of the last, of a note. At the
first note, and for the first axis at the second one, all fingers that are not there are alike.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from kammerton.arrays import Codes
from kammerton.errors import OptionError, quote
from kammerton.fingering.annotation import Fingering
from kammerton.fingering.decoding import decode, step_penalties
from kammerton.fingering.judging import profile_named
from kammerton.fingering.lines import MIDDLE_C, HandLine, Table, hand_lines, played_hands, with_fingers
from kammerton.systems.system import Input

BERINGER = (
    "68 scales and arpeggios of Beringer (pydactyl, MIT) in five folds, the n-th by name in fold n mod 5"
)
"""What the levels of systems are measured on."""
Decoding = Literal["marginals", "path", "sample"]


@dataclass(frozen=True)
class PathSettings:
    """Settings of systems that learn how probable paths of fingers are: ``hmm1``, ``hmm2``.

    Parameters
    ----------
    decoding : {"marginals", "path", "sample"}
        The most probable finger of each note; the most probable fingers of a whole hand; or fingers drawn
        at random, as probable as the model takes them to be.
    seed : int
        Seed of all that is random.
    profile : str
        Span table by which fingers have to be playable, such as ``parncutt1997``; by default none.
    keep : bool
        Keep the fingers that the notes have, and find the others.
    split : int
        The lowest key, as a MIDI number, that goes to the right hand where nothing tells the hand.
    """

    decoding: Decoding = "marginals"
    seed: int = 0
    profile: str = ""
    keep: bool = False
    split: int = MIDDLE_C

    def __post_init__(self) -> None:
        if self.decoding not in get_args(Decoding):
            raise OptionError.unknown("decoding", str(self.decoding), get_args(Decoding))
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise OptionError(f"a seed is a whole number from 0 on, not {self.seed}")
        if self.profile:
            profile_named(self.profile)
        check_settings(self.keep, self.split)


ScoresOf = Callable[[Fingering, Sequence[HandLine]], Iterable[Table]]
"""Gives the log score of each note of each line with each three last fingers, shape (notes, 5, 5, 5)."""


def fingered(source: Input, settings: PathSettings, scores_of: ScoresOf) -> Fingering:
    """Return the notes of an item with the fingers that a system's scores make most probable."""
    fingering = next(iter(source.annotations.values()))
    lines = list(hand_lines(fingering, settings.split))
    scored = zip(lines, scores_of(fingering, lines), strict=True)
    tables = (keep_fixed(scores, line, -np.inf) if settings.keep else scores for line, scores in scored)
    if settings.profile and settings.decoding == "marginals":
        fingers: Iterable[Codes] = _playable(fingering, lines, tables, settings)
    else:
        if settings.profile:
            tables = (
                scores - step_penalties(line, fingering.onsets, fingering.offsets, settings.profile)
                for line, scores in zip(lines, tables, strict=True)
            )
        digest = hashlib.sha256(source.item.encode("utf-8", "surrogateescape")).digest()
        rng = np.random.default_rng([settings.seed, int.from_bytes(digest[:8], "little")])
        fingers = (_decoded(scores, settings.decoding, rng) for scores in tables)
    return with_fingers(fingering, lines, fingers, settings.split, keep=settings.keep)


def _playable(
    fingering: Fingering, lines: Sequence[HandLine], tables: Iterable[Table], settings: PathSettings
) -> list[Codes]:
    """Return the most probable fingers of each line that a hand can play."""
    shares = np.zeros((len(fingering), 5))
    fixed = np.zeros(len(fingering), dtype=np.int64)
    for line, scores in zip(lines, tables, strict=True):
        shares[line.notes] = marginals(scores)
        fixed[line.notes] = line.fixed if settings.keep else 0
    fingers = decode(
        shares,
        fingering.pitches,
        played_hands(fingering, settings.split),
        fingering.onsets,
        fingering.offsets,
        profile=settings.profile,
        fixed=fixed,
    )
    return [fingers[line.notes] for line in lines]


def _decoded(scores: Table, decoding: Decoding, rng: np.random.Generator) -> Codes:
    if decoding == "marginals":
        return np.asarray(marginals(scores).argmax(axis=1) + 1)
    return best_paths(-scores)[0][0] if decoding == "path" else sample_path(scores, rng)


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
