# SPDX-License-Identifier: MIT
"""What instruments cost: misses and spurious labels."""

from kammerton.instruments.error_analysis import instrument_costs
from kammerton.model.task import ClassLoss


def test_misses_and_spurious_labels_are_lost() -> None:
    found = instrument_costs(
        {
            "instruments": {
                ("cello", "hit"): 2.0,
                ("cello", "miss"): 1.0,
                ("harp", "spurious"): 3.0,
                ("oboe", "hit"): 1.0,
            },
            "confusion": {("cello", "violin", "sibling"): 1.0, ("cello", "harp", "other"): 2.0},
        }
    )
    assert found is not None
    assert found.rows == (
        ClassLoss(name="harp", whole=0.0, lost=3.0),
        ClassLoss(name="cello", whole=3.0, lost=1.0, instead="harp"),
        ClassLoss(name="oboe", whole=1.0, lost=0.0),
    )


def test_without_lists_there_are_no_costs() -> None:
    assert instrument_costs({"instruments": {}}) is None


def test_what_was_said_instead_is_no_confusion() -> None:
    found = instrument_costs({"instruments": {("cello", "miss"): 1.0}})
    assert found is not None
    assert found.instead.format("harp") == "Where it was missed, harp was said most often."
    assert found.cells == {}
