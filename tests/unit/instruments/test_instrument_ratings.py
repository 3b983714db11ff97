# SPDX-License-Identifier: MIT
"""Lists of instruments as ratings, by hand."""

import numpy as np

from kammerton.instruments import InstrumentList, InstrumentOptions
from kammerton.instruments.ratings import ratings


def test_what_an_annotator_did_not_judge_has_no_label() -> None:
    whole = InstrumentList(("piano",))
    partly = InstrumentList(("voice",), absent=("piano", "drums"), closed=False)
    found = ratings([whole, partly, None])
    # piano, voice, drums
    assert found.codes.tolist() == [[1, 0, -1], [0, 1, -1], [0, 0, -1]]
    assert found.labels == ("absent", "present")
    assert found.weights is None


def test_units_are_the_leaves_of_the_taxonomy() -> None:
    options = InstrumentOptions(taxonomy="campaign-sample")
    found = ratings([InstrumentList(("F", "B")), InstrumentList(())], options)
    # E F G H I J K, and the family B
    assert found.codes.tolist() == [[0, 0], [1, 0], *[[0, 0]] * 5, [1, 0]]


def test_scores_are_ratings_by_the_threshold_of_truth() -> None:
    scored = InstrumentList(("piano", "voice"), np.array([0.75, 0.25]), vector=True)
    assert ratings([scored, InstrumentList(("voice",))]).codes.tolist() == [[1, 0], [0, 1]]
    low = InstrumentOptions(truth_threshold="0.2")
    assert ratings([scored, InstrumentList(("voice",))], low).codes.tolist() == [[1, 0], [1, 1]]


def test_units_are_of_the_level_that_was_asked_for() -> None:
    options = InstrumentOptions(taxonomy="campaign-sample", level=1)
    # B, C, D: E and F are both B
    found = ratings([InstrumentList(("E", "H")), InstrumentList(("F",))], options)
    assert found.codes.tolist() == [[1, 1], [1, 0], [0, 0]]


def test_what_nobody_judged_can_be_taken_for_absent() -> None:
    partly = InstrumentList(("voice",), closed=False)
    found = ratings([partly, InstrumentList(("piano",))], InstrumentOptions(assume_absent=True))
    assert found.codes.tolist() == [[1, 0], [0, 1]]
