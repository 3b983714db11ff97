# SPDX-License-Identifier: MIT
"""``fingering.evaluate``: one piece that is held in Python."""

import math

import pytest

from kammerton import fingering
from kammerton.errors import DataError, OptionError

TIMES = {"onsets": [0, 1, 2, 3], "offsets": [1, 2, 3, 4], "pitches": [60, 62, 64, 65]}


def fingered(*fingers: int) -> dict[str, object]:
    return {**TIMES, "hands": ["right"] * 4, "fingers": list(fingers)}


def test_one_annotator_and_several() -> None:
    estimate = fingered(1, 2, 3, 4)
    alone = fingering.evaluate(fingered(1, 2, 3, 1), estimate, protocol="strike")
    assert alone["strike/accuracy"] == alone["accuracy"] == 0.75
    both = fingering.evaluate([fingered(1, 2, 3, 1), fingered(1, 2, 1, 4)], estimate, protocol="nakamura2020")
    assert both["M_gen"] == 0.75
    assert both["M_soft"] == 1.0  # each note is fingered so by one of them
    assert {address.split("/")[0] for address in both} == {"nakamura2020"}


def test_protocols_and_undefined_scores() -> None:
    scores = fingering.evaluate(fingered(1, 2, 3, 4), fingered(1, 2, 3, 4))
    assert math.isnan(scores["playability/ifr_chord"])  # there is no chord
    with pytest.raises(KeyError):
        scores["strike"]
    with pytest.raises(OptionError, match="strik"):
        fingering.evaluate(fingered(1, 2, 3, 4), fingered(1, 2, 3, 4), protocol="strik")


def test_a_side_that_cannot_be_used() -> None:
    with pytest.raises(DataError, match="no pitches"):
        fingering.evaluate(fingered(1, 2, 3, 4), {"onsets": [0], "offsets": [1], "fingers": [1]})
