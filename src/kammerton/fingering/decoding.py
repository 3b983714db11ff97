# SPDX-License-Identifier: MIT
"""The most probable fingering that a hand can play, of the probabilities that any system gives."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, combinations_with_replacement

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kammerton.arrays import Codes, Flags, Seconds
from kammerton.errors import OptionError
from kammerton.fingering.annotation import LEFT, MISSING, RIGHT, Fingering
from kammerton.fingering.judging import EXACT_S, LEGATO_S, Profile, SpanLimits, judge_steps, limits_of
from kammerton.fingering.lines import HandLine, Table, hand_lines

_LEAST_PROBABLE = 1e-6
"""Added to each probability."""
_MOST_KEYS = 7
"""Keys of a chord up to which all fingers are tried."""
_FINGERS = np.arange(1, 6)


def decode(
    probabilities: ArrayLike,
    pitches: ArrayLike,
    hands: ArrayLike,
    onsets: ArrayLike,
    offsets: ArrayLike,
    *,
    profile: str | Profile = "parncutt1997",
    fixed: ArrayLike | None = None,
    penalty: float = 1e6,
) -> NDArray[np.int64]:
    """Return the most probable fingering that can be played.

    Parameters
    ----------
    probabilities : array of float, shape (n, 5)
        How probable each finger of each note is, by any system.
    pitches : array of int, shape (n,)
        MIDI numbers.
    hands : array of int, shape (n,)
        0 right, 1 left.
    onsets, offsets : array of float, shape (n,)
        Seconds.
    profile : str or Profile
        Span table, as for the protocol ``playability``.
    fixed : array of int, shape (n,), optional
        Fingers 1 to 5 that notes have already, 0 where they have none.
    penalty : float
        What each step or chord that cannot be played costs, in natural logarithms of probability. By default
        there are as few of them as the notes allow; 2 to 4 makes them rare.

    Returns
    -------
    ndarray of int64, shape (n,)
        Fingers 1 to 5.

    Raises
    ------
    OptionError
        If an array has another shape, or holds what it cannot.

    Notes
    -----
    Notes that begin within 30 ms are a chord. Its fingers lie in the order of its keys, and each two within
    their span. From one note to the next, the silence between them 50 ms at most, no step breaks a rule of
    the protocol ``playability``. A low rate of irrational fingerings is then an effect of decoding: it says
    nothing of the probabilities.

    Examples
    --------
    >>> probabilities = [[0.9, 0.1, 0, 0, 0], [0.6, 0.4, 0, 0, 0]]
    >>> decode(probabilities, [60, 64], [0, 0], [0, 1], [1, 2])  # one finger cannot go on to E
    array([1, 2])
    """
    shares = np.asarray(probabilities, dtype=float)
    notes = len(shares)
    begins, ends = (np.asarray(column, dtype=np.float64) for column in (onsets, offsets))
    keys, sides = (np.asarray(column, dtype=np.int64) for column in (pitches, hands))
    held = np.zeros(notes, dtype=np.int64) if fixed is None else np.asarray(fixed, dtype=np.int64)
    _check(shares, keys, sides, held, [begins, ends])
    scores = np.log(shares + _LEAST_PROBABLE)
    scores[(held[:, None] > 0) & (held[:, None] != _FINGERS)] = -1e3 * abs(penalty)
    limits = limits_of(profile)
    fingers = np.zeros(notes, dtype=np.int64)
    for line in hand_lines(Fingering(begins, ends, keys, sides, (MISSING,) * notes)):
        fingers[line.notes] = _decoded(line, scores[line.notes], begins, ends, limits, penalty)
    return np.where(held > 0, held, fingers)


def _check(shares: Table, keys: Codes, sides: Codes, held: Codes, times: list[Table]) -> None:
    """Check the shapes of all columns, and what they hold."""
    for name, column in (
        *(("pitches", keys), ("hands", sides), ("fixed", held)),
        *zip(("onsets", "offsets"), times, strict=True),
    ):
        if column.shape != shares.shape[:1]:
            raise OptionError(f"{name}: one number for each of {len(shares)} notes, not shape {column.shape}")
    for holds, message in (
        (shares.ndim == 2 and shares.shape[1:] == (5,), "probabilities: one of five fingers for each note"),
        (bool((shares >= 0).all()), "probabilities are not negative"),
        (bool(((keys >= 0) & (keys <= 127)).all()), "pitches: MIDI numbers from 0 to 127"),
        (bool(np.isin(sides, (RIGHT, LEFT)).all()), "hands: 0 is right, 1 is left"),
        (bool(((held >= 0) & (held <= 5)).all()), "fixed: fingers 1 to 5, 0 for none"),
        (bool(np.isfinite(np.stack(times)).all()), "onsets and offsets are finite"),
    ):
        if not holds:
            raise OptionError(message)


def _decoded(
    line: HandLine, scores: Table, onsets: Seconds, offsets: Seconds, limits: SpanLimits, penalty: float
) -> Codes:
    """Return the fingers of a hand.

    A chord bears on no step: its fingers are found by themselves, those of single notes as a path.
    """
    fingers = np.zeros(len(line), dtype=np.int64)
    starts = np.flatnonzero(np.diff(line.chords, prepend=-1))
    ends = np.append(starts[1:], len(line))
    single = ends - starts == 1
    for start, end in zip(starts[~single].tolist(), ends[~single].tolist(), strict=True):
        fingers[start:end] = _chord(line, slice(start, end), scores[start:end], limits, penalty)
    alone = np.repeat(single, ends - starts)
    steps = _steps(line, alone, onsets, offsets)
    costs = np.asarray(penalty * _illegal(line, np.flatnonzero(steps), 1, limits), dtype=np.float64)
    singles = np.flatnonzero(alone)
    if len(singles):
        fingers[singles] = _path(scores[singles], singles, steps, costs)
    return fingers


def _chord(line: HandLine, notes: slice, scores: Table, limits: SpanLimits, penalty: float) -> Codes:
    """Return the best fingers of a chord, whose notes go from the thumb on."""
    size = len(scores)
    if size > _MOST_KEYS:
        return np.sort(scores.argmax(axis=1) + 1)
    tuples, pairs = _tuples(size)
    pitches = line.pitches[notes][pairs]  # two rows: the pairs of keys
    fingers = tuples[:, pairs].transpose(1, 0, 2).reshape(2, -1)
    keys = np.repeat(pitches[:, None], len(tuples), axis=1).reshape(2, -1)
    rules, _ = judge_steps(limits, fingers, keys, np.full(fingers.shape[1], line.hand))
    illegal = rules.reshape(len(tuples), -1).any(axis=1)
    sums = scores[np.arange(size), tuples - 1].sum(axis=1)
    return np.asarray(tuples[(sums - penalty * illegal).argmax()])


@lru_cache(maxsize=_MOST_KEYS)
def _tuples(size: int) -> tuple[Codes, Codes]:
    """Return the fingers that can lie on so many keys, from the thumb on, and the pairs of keys."""
    fingers = np.array(list(combinations_with_replacement(range(1, 6), size)))
    return fingers, np.array(list(combinations(range(size), 2))).T


def _steps(line: HandLine, alone: Flags, onsets: Seconds, offsets: Seconds) -> Flags:
    """Tell of each note but the last whether a rule bears on the step to the next: both alone, and joined."""
    joined = onsets[line.notes[1:]] - offsets[line.notes[:-1]] <= LEGATO_S + EXACT_S
    return np.asarray(alone[1:] & alone[:-1] & joined)


def _illegal(line: HandLine, begins: Codes, apart: int, limits: SpanLimits) -> Flags:
    """Tell of each note and the one ``apart`` after it which fingers cannot play both."""
    fingers = np.stack(np.meshgrid(_FINGERS, _FINGERS, indexing="ij")).reshape(2, -1)
    pitches = np.stack((line.pitches[begins], line.pitches[begins + apart]))
    rules, _ = judge_steps(
        limits,
        np.tile(fingers, len(begins)),
        np.repeat(pitches, 25, axis=1),
        np.full(25 * len(begins), line.hand),
    )
    return (rules > 0).reshape(-1, 5, 5)


def step_penalties(
    line: HandLine, onsets: Seconds, offsets: Seconds, profile: str | Profile, penalty: float = 1e6
) -> Table:
    """Return what each note costs with the two fingers before it, by the rules of :func:`decode`.

    The shape is (notes, 5, 5, 5). Of a chord, notes more than two apart are not judged together.
    """
    limits = limits_of(profile)
    sizes = np.bincount(line.chords)
    steps = _steps(line, sizes[line.chords] == 1, onsets, offsets)
    costs = np.zeros((len(line), 5, 5, 5))
    for apart in (1, 2):
        together = line.chords[apart:] == line.chords[:-apart]
        begins = np.flatnonzero(together | steps if apart == 1 else together)
        illegal = _illegal(line, begins, apart, limits)
        illegal |= together[begins, None, None] & (_FINGERS[:, None] > _FINGERS)
        costs[begins + apart] += penalty * (illegal[:, None] if apart == 1 else illegal[:, :, None])
    return costs


def _path(scores: Table, notes: Codes, steps: Flags, costs: Table) -> Codes:
    """Return the best fingers of notes that are alone; ``costs`` are those of the steps, in their order."""
    step_of = np.cumsum(steps) - 1
    values, origins = scores[0], []
    for number in range(1, len(notes)):
        before = notes[number] - 1
        joined = steps[before] and notes[number - 1] == before
        sums = values[:, None] - (costs[step_of[before]] if joined else 0.0)
        origins.append(np.broadcast_to(sums, (5, 5)).argmax(axis=0))
        values = np.broadcast_to(sums, (5, 5)).max(axis=0) + scores[number]
    path = [int(values.argmax())]
    for origin in reversed(origins):
        path.append(int(origin[path[-1]]))
    return np.array(path[::-1]) + 1
