# SPDX-License-Identifier: MIT
"""Pieces that annotators and a system fingered, what can be done to them, and what they are worth."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import kammerton as kt
from fingering_strategies import finger_labels, fingerings
from kammerton.fingering.annotation import MISSING, Fingering
from kammerton.fingering.task import TASK
from kammerton.model.measure import Measure, Statistics
from laws.measuring import same as same_within

__all__ = [
    "MEASURES",
    "Piece",
    "corpus",
    "keepers",
    "measure_named",
    "pieces",
    "same",
    "statistics_of",
    "values_of",
]

MEASURES = TASK.measures

_KEYS_MIRRORED = 2 * 62
"""The keyboard looks the same from both sides of D4."""


@dataclass(frozen=True)
class Piece:
    """What annotators wrote, in the order of their names, and what a system did."""

    refs: tuple[Fingering, ...]
    est: Fingering

    def changed(self, change: Callable[[Fingering], Fingering]) -> "Piece":
        """Do something to every fingering."""
        return Piece(tuple(map(change, self.refs)), change(self.est))

    def shifted(self, seconds: float) -> "Piece":
        """Let every note come later."""
        return self.changed(lambda f: replace(f, onsets=f.onsets + seconds, offsets=f.offsets + seconds))

    def mirrored(self) -> "Piece":
        """Let each hand play what the other one does, on the keys that lie opposite."""
        return self.changed(_mirrored)

    def reordered(self, rank: Sequence[int], *, references: bool) -> "Piece":
        """Put notes that begin together in another order, in the estimate or in the references."""
        if references:
            return Piece(tuple(_reordered(ref, rank) for ref in self.refs), self.est)
        return Piece(self.refs, _reordered(self.est, rank))


def _mirrored(fingering: Fingering) -> Fingering:
    labels = ("_".join(map(_other_hand, label.split("_"))) for label in fingering.labels)
    return replace(
        fingering,
        pitches=_KEYS_MIRRORED - fingering.pitches,
        hands=np.where(fingering.hands < 0, fingering.hands, 1 - fingering.hands),
        labels=tuple(labels),
    )


def _other_hand(finger: str) -> str:
    return finger[1:] if finger.startswith("-") else f"-{finger}" if finger else ""


def _reordered(fingering: Fingering, rank: Sequence[int]) -> Fingering:
    grace = fingering.offsets == fingering.onsets  # those come first, one after the other as they stand
    order = np.lexsort((np.where(grace, -1, np.array(rank)[: len(fingering)]), fingering.onsets))
    return _taken(fingering, order)


@st.composite
def pieces(
    draw: st.DrawFn, *, annotators: int = 4, notes: int = 8, missing: bool = True, plain: bool = False
) -> Piece:
    """Draw a piece with a few annotators who often agree.

    Parameters
    ----------
    draw : callable
        Of Hypothesis.
    annotators, notes : int
        Largest numbers.
    missing : bool
        Whether labels may be missing.
    plain : bool
        Whether there are only the thumb and the index of each hand, and no substitutions.
    """
    base = _on_a_grid(draw(fingerings(min_size=1, max_size=notes, ordered=True)))
    labels = st.tuples(*(_labels(hand, missing=missing, plain=plain) for hand in base.hands.tolist()))
    written = draw(st.lists(labels, min_size=1, max_size=annotators))
    est = draw(st.one_of(st.sampled_from(written), labels))
    return Piece(tuple(replace(base, labels=each) for each in written), replace(base, labels=est))


def _on_a_grid(fingering: Fingering) -> Fingering:
    """Round times, so that none is lost when they move; notes that then coincide are left out."""
    onsets, offsets = (np.round(times * 64) / 64 for times in (fingering.onsets, fingering.offsets))
    _, first = np.unique(np.stack((onsets, fingering.pitches)), axis=1, return_index=True)
    return _taken(replace(fingering, onsets=onsets, offsets=offsets), np.sort(first))


def _taken(fingering: Fingering, notes: NDArray[np.int64]) -> Fingering:
    return Fingering(
        fingering.onsets[notes],
        fingering.offsets[notes],
        fingering.pitches[notes],
        fingering.hands[notes],
        tuple(fingering.labels[note] for note in notes.tolist()),
    )


def _labels(hand: int, *, missing: bool, plain: bool) -> st.SearchStrategy[str]:
    if not plain:
        return finger_labels(hand, missing=missing)
    fingers = ["-1", "-2"] if hand else ["1", "2"]
    return st.sampled_from([*fingers, MISSING] if missing else fingers)


def measure_named(address: str) -> Measure:
    """Return a measure by its address."""
    return next(measure for measure in MEASURES if str(measure) == address)


def keepers(law: str) -> list[Measure]:
    """Return the measures that declare a law."""
    return [measure for measure in MEASURES if law in measure.laws]


def corpus(items: Mapping[str, Piece]) -> kt.Scores:
    """Score one system on several pieces under every protocol."""
    names = [f"annotator {n}" for n in range(1, 1 + max(len(piece.refs) for piece in items.values()))]
    annotators = {
        name: {item: piece.refs[n] for item, piece in items.items() if n < len(piece.refs)}
        for n, name in enumerate(names)
    }
    ests = {"system": {item: piece.est for item, piece in items.items()}}
    return kt.score("fingering", None, ests, annotators=annotators, protocols="all", ci=None)


def statistics_of(piece: Piece) -> Mapping[Measure, Statistics]:
    """Return the statistics of every measure; of pairs, a row for each annotator."""
    return corpus({"piece": piece}).origin.evidence.statistics


same = partial(same_within, within=1e-12)


def values_of(piece: Piece) -> dict[Measure, float]:
    """Return the value of every measure, over all annotators."""
    scores = corpus({"piece": piece})
    return {measure: scores.value(str(measure)) for measure in MEASURES}
