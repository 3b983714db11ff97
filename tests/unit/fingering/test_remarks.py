# SPDX-License-Identifier: MIT
"""What is said beside the figures of a system."""

import numpy as np
import pytest

import kammerton
from kammerton.fingering import Fingering

ONE = "1 fingering of 1 item"
SCALE = "1 2 3 1 2 3 4 5"
SWAPPED = "-1 -2 -3 -1 -2 -3 -4 -5"


def piece(labels: str, times: int = 3) -> Fingering:
    """Labels again and again."""
    names = tuple("" if label == "." else label for label in labels.split() * times)
    hands = np.array([label.startswith("-") for label in names], dtype=np.int64)
    onsets = np.arange(len(names), dtype=float)
    return Fingering(onsets, onsets + 1, 60 + np.arange(len(names)), hands, names)


def said(code: str, refs: list[str], est: str) -> list[tuple[str, str]]:
    annotators = {f"a{number}": {"p": piece(labels)} for number, labels in enumerate(refs)}
    scores = kammerton.score(
        "fingering", None, {"s": {"p": piece(est)}}, annotators=annotators, protocols="all"
    )
    return [(d.severity, d.message) for d in scores.diagnostics if d.code == code]


@pytest.mark.parametrize(
    ("est", "message"),
    [
        (SWAPPED, "accuracy rises from 0.00 to 1.00 if the hands of the estimate are swapped"),
        # swapped, 6 of 8 are right; as it is, 1
        (
            "1 -2 -3 -1 -2 -3 -4 -4",
            "accuracy rises from 0.12 to 0.75 if the hands of the estimate are swapped",
        ),
        # counted from 2, and from 0, where the thumb is no finger: 3 3 4 and 4 2 3 ...
        (
            "2 3 4 2 3 4 5 5",
            "accuracy rises from 0.12 to 0.88 if every finger of the estimate is one lower",
        ),
        (
            ". 1 2 . 1 2 3 4",
            "accuracy rises from 0.00 to 0.75 if every finger of the estimate is one higher",
        ),
    ],
)
def test_labels_that_fit_otherwise_are_a_warning(est: str, message: str) -> None:  # row 65
    assert said("KT378", [SCALE], est) == [("warning", message)]


@pytest.mark.parametrize(
    "est",
    [
        SCALE,
        "1 2 3 1 -2 -3 -4 -5",  # 4 of 8 as it is, 4 if swapped: it does not rise
        "5 5 5 5 5 5 5 -5",  # 0 as it is, 1 if swapped: too few to be what was meant
        ". . . . . . . .",
    ],
)
def test_labels_that_fit_no_better_are_not(est: str) -> None:
    assert said("KT378", [SCALE], est) == []


def test_what_the_publication_does_with_gaps_is_a_note() -> None:
    gap = "1 2 3 1 2 3 4 ."
    assert said("KT374", [SCALE, gap, gap], SCALE) == [
        ("note", "nakamura2020: 2 fingerings of 1 item left out for notes without a finger")
    ]
    assert said("KT374", [gap], SCALE) == [
        (
            "note",
            f"nakamura2020: {ONE} scored with notes without a finger, as nobody labelled every note",
        )
    ]
