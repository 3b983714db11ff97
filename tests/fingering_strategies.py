# SPDX-License-Identifier: MIT
"""Hypothesis strategies of fingerings that several tests share."""

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from kammerton.fingering.annotation import LEFT, MISSING, RIGHT, Fingering

__all__ = ["finger_labels", "fingerings", "times"]

Note = tuple[float, float, int, int, str]


def times(max_value: float = 1e4) -> st.SearchStrategy[float]:
    """Draw seconds: many on a coarse grid, so that notes start together, some of any precision."""
    return st.one_of(
        st.integers(0, 8).map(lambda quarter: quarter / 4),
        st.decimals(0, int(max_value), places=6, allow_nan=False, allow_infinity=False).map(float),
        st.floats(0, max_value, allow_nan=False),
    ).map(abs)  # no -0.0


def finger_labels(hand: int, *, missing: bool = True) -> st.SearchStrategy[str]:
    """Draw a label in the notation of PIG that a hand strikes, or a missing one."""
    sign = "-" if hand == LEFT else ""
    strikes = st.integers(1, 5).map(lambda finger: f"{sign}{finger}")
    relieving = st.tuples(st.sampled_from(("", "-")), st.integers(1, 5)).map(
        lambda pair: f"_{pair[0]}{pair[1]}"
    )
    labels = st.one_of(
        strikes,
        st.tuples(strikes, st.lists(relieving, min_size=1, max_size=2)).map(
            lambda pair: pair[0] + "".join(pair[1])
        ),
        strikes.map(lambda strike: f"{strike}_"),
    )
    return st.one_of(labels, st.just(MISSING)) if missing else labels


@st.composite
def _notes(draw: st.DrawFn, hands: Sequence[int], missing: bool) -> Note:
    onset = draw(times())
    hand = draw(st.sampled_from(hands))
    return (
        onset,
        onset + draw(times(10)),
        draw(st.integers(21, 108)),
        hand,
        draw(finger_labels(hand, missing=missing)),
    )


def fingerings(
    *,
    min_size: int = 1,
    max_size: int = 12,
    hands: Sequence[int] = (RIGHT, LEFT),
    missing: bool = True,
    ordered: bool = False,
) -> st.SearchStrategy[Fingering]:
    """Draw a fingering with chords, substitutions and, if ``missing``, notes without finger.

    Parameters
    ----------
    min_size, max_size : int
        Numbers of notes.
    hands : sequence of int
        The hands that play.
    missing : bool
        Whether labels may be missing.
    ordered : bool
        Whether notes are in order of time, and none has onset and pitch of another.
    """
    unique = (lambda note: (note[0], note[2])) if ordered else None
    notes = st.lists(_notes(hands, missing), min_size=min_size, max_size=max_size, unique_by=unique)
    return notes.map(lambda found: _fingering(sorted(found, key=lambda note: note[0]) if ordered else found))


def _fingering(notes: Sequence[Note]) -> Fingering:
    columns = list(zip(*notes, strict=True)) or [(), (), (), (), ()]
    return Fingering(
        np.array(columns[0], dtype=np.float64),
        np.array(columns[1], dtype=np.float64),
        np.array(columns[2], dtype=np.int64),
        np.array(columns[3], dtype=np.int64),
        tuple(columns[4]),
    )
