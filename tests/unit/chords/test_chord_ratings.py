# SPDX-License-Identifier: MIT
"""Chords as ratings, by hand."""

import numpy as np

from cases.chords import song
from kammerton.chords import ChordAnnotation
from kammerton.chords.annotation import ChordOptions, adopt_chords
from kammerton.chords.task import ratings
from kammerton.model.task import Ratings, join_ratings

Row = tuple[tuple[str | None, ...], float]


def annotation(*rows: tuple[float, float, str]) -> ChordAnnotation:
    ((_, found),) = adopt_chords(song(*rows), "x", ChordOptions()).annotations
    return found


def told(found: Ratings) -> list[Row]:
    assert found.weights is not None
    names = (*found.labels, None)
    return [
        (tuple(names[code] for code in unit), weight)
        for unit, weight in zip(found.codes.tolist(), found.weights.tolist(), strict=True)
    ]


def test_units_lie_between_any_two_boundaries() -> None:
    one = annotation((0, 2, "C"), (2, 5, "A:min7/b3"))
    other = annotation((1, 3, "B#"), (3, 4, "N"), (4, 6, "C:sus4"))
    assert told(ratings([[one, other, None]])) == [
        (("0:maj", None, None), 1.0),
        (("0:maj", "0:maj", None), 1.0),
        (("9:min", "0:maj", None), 1.0),
        (("9:min", "N", None), 1.0),
        (("9:min", "0:sus4", None), 1.0),
        ((None, "0:sus4", None), 1.0),
    ]


def test_gaps_and_rows_without_length_have_no_label() -> None:
    one = annotation((0, 1, "C"), (1, 1, "G"), (2, 3, "D"))
    assert told(ratings([[one]])) == [(("0:maj",), 1.0), ((None,), 1.0), (("2:maj",), 1.0)]


def test_nothing_has_no_unit() -> None:
    assert ratings([[ChordAnnotation.empty(), None]]).codes.shape == (0, 2)


def test_no_time_is_left_out_because_of_the_triad_that_an_annotator_heard() -> None:
    one = annotation((0, 5, "C"), (5, 10, "G"), (10, 15, "F"), (15, 16, "X"))
    other = annotation((0, 5, "C"), (5, 10, "G:dim"), (10, 15, "F:maj7"), (15, 16, "C"))
    assert told(ratings([[one, other]])) == [
        (("0:maj", "0:maj"), 5.0),
        (("7:maj", "7:dim"), 5.0),
        (("5:maj", "5:maj"), 5.0),
        ((None, "0:maj"), 1.0),  # X: whoever wrote it could not tell
    ]


def test_items_are_joined_by_label() -> None:
    whole = ratings([[annotation((0, 2, "C"))], [annotation((0, 3, "G"), (3, 4, "C"))]])
    assert told(whole) == [(("0:maj",), 2.0), (("7:maj",), 3.0), (("0:maj",), 1.0)]
    assert join_ratings([Ratings(("a",), np.array([[0, -1]]))]).weights is None
