# SPDX-License-Identifier: MIT
"""Trivial fingerings, by hand."""

import numpy as np

from kammerton.fingering import Fingering
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN
from kammerton.fingering.task import baselines


def piece(hands: list[int], labels: list[str]) -> Fingering:
    times = np.arange(len(hands), dtype=float)
    return Fingering(
        times, times + 1, np.full(len(hands), 60), np.array(hands, dtype=np.int64), tuple(labels)
    )


def test_the_middle_finger_of_each_hand() -> None:
    reference = piece([RIGHT, LEFT, UNKNOWN, UNKNOWN, RIGHT], ["1", "-1", "-2", "5", ""])
    assert baselines({"x": [reference]})["always 3"]["x"].labels == ("3", "-3", "-3", "3", "3")


def test_the_notes_are_those_of_the_first_annotator() -> None:
    first, second = piece([RIGHT], ["1"]), piece([LEFT], ["-1"])
    assert baselines({"x": [first, second]})["always 3"]["x"].labels == ("3",)


def test_random_fingers_depend_on_the_name_of_the_piece_alone() -> None:
    one, other = piece([RIGHT] * 500, ["1"] * 500), piece([LEFT] * 500, [""] * 500)
    found = baselines({"one": [one], "other": [other]})["random"]
    again = baselines({"other": [other], "more": [one], "one": [one]})["random"]
    assert found["one"].labels == again["one"].labels
    assert found["other"].labels == again["other"].labels
    assert set(found["one"].labels) == {"1", "2", "3", "4", "5"}
    assert set(found["other"].labels) == {"-1", "-2", "-3", "-4", "-5"}
    assert [label.lstrip("-") for label in found["other"].labels] != list(found["one"].labels)
    # 100 of each are expected; five standard deviations are 45
    assert all(55 < found["one"].labels.count(finger) < 145 for finger in "12345")
