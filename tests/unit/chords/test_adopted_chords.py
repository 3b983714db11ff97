# SPDX-License-Identifier: MIT
"""Chords of the caller's are taken at once if their labels are known, and nothing of them is hidden."""

import numpy as np
import pytest

from kammerton import chords
from kammerton.chords.annotation import ChordOptions, adopt_chords
from kammerton.formats.reading import Limits

SOUND = np.array([[0.0, 1.0], [1.0, 2.0]])


def codes(intervals: object, labels: object, options: ChordOptions | None = None) -> list[str]:
    """Return what adopting says, once the labels are known to be sound."""
    adopt_chords((SOUND, ["C", "G:7"]), "known", ChordOptions())
    return [
        said.code for said in adopt_chords((intervals, labels), "x", options or ChordOptions()).diagnostics
    ]


@pytest.mark.parametrize(
    ("intervals", "labels", "expected"),
    [
        (SOUND, ["C", "G:7"], []),
        (SOUND.astype(np.float32), ["C", "G:7"], []),
        (SOUND, ("C", "G:7"), []),
        (SOUND, ["C"], ["KT114"]),
        (SOUND[:, :1], ["C", "C"], ["KT114"]),
        (SOUND, [["C"], "C"], ["KT114"]),
        (SOUND, ["C", "Cmaj7"], ["KT311"]),
        (SOUND[::-1], ["C", "G:7"], ["KT128"]),
        (SOUND[:0], [], ["KT110"]),
        (SOUND * np.nan, ["C", "G:7"], ["KT122", "KT122"]),
    ],
)
def test_sound_labels_hide_nothing(intervals: object, labels: object, expected: list[str]) -> None:
    assert codes(intervals, labels) == expected


def test_long_labels_are_taken_like_others() -> None:
    long = "C:(3,5,7,9,11,13,b9,#9,#11,b13,b3,b5,b7,#5,6,2,4,bb7,##4,bb3,#13,bb5)"
    song = (SOUND, ["C", long])
    for _ in range(2):
        (said,) = adopt_chords(song, "x", ChordOptions()).annotations
        assert said[1].labels == ("C", long)


def test_a_budget_of_labels_holds_for_known_ones() -> None:
    assert codes(SOUND, ["C", "G:7"], ChordOptions(limits=Limits(label=2))) == ["KT106"]


def test_what_is_adopted_is_a_copy() -> None:
    given_times = np.array([[-0.0, 1.0], [1.0, 2.0]])
    adopt_chords((SOUND, ["C", "G:7"]), "known", ChordOptions())
    ((_, annotation),) = adopt_chords((given_times, ["C", "G:7"]), "x", ChordOptions()).annotations
    given_times[:] = 7.0
    assert annotation.intervals.tolist() == SOUND.tolist()
    assert np.signbit(annotation.intervals).sum() == 0
    assert annotation.labels == ("C", "G:7")
    assert isinstance(annotation, chords.ChordAnnotation)
