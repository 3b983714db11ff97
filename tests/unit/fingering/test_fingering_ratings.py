# SPDX-License-Identifier: MIT
"""Fingerings as ratings, by hand."""

import numpy as np

from kammerton.fingering import Fingering
from kammerton.fingering.task import ratings


def piece(*labels: str) -> Fingering:
    times = np.arange(len(labels), dtype=float)
    return Fingering(times, times + 1, np.full(len(labels), 60), np.zeros(len(labels), int), labels)


def test_a_unit_is_the_finger_that_strikes_a_note() -> None:
    found = ratings([[piece("1", "-5", "4_1", ""), piece("5", "-1", "4", "2"), None]])
    names = (*found.labels, None)
    assert [[names[code] for code in unit] for unit in found.codes] == [
        ["1", "5", None],
        ["-5", "-1", None],
        ["4", "4", None],
        [None, "2", None],
    ]


def test_nothing_has_no_unit() -> None:
    assert ratings([[None, piece()]]).codes.shape == (0, 2)
