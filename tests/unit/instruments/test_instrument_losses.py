# SPDX-License-Identifier: MIT
"""What was lost by instruments: misses and spurious labels."""

from kammerton.instruments.error_analysis import instrument_losses
from kammerton.model.task import ClassLoss


def test_misses_and_spurious_labels_are_lost() -> None:
    found = instrument_losses(
        {
            "instruments": {
                ("cello", "hit"): 2.0,
                ("cello", "miss"): 1.0,
                ("harp", "spurious"): 3.0,
                ("oboe", "hit"): 1.0,
            },
            "confusion": {("cello", "violin", "sibling"): 1.0, ("cello", "harp", "stranger"): 2.0},
        }
    )
    assert found is not None
    assert found.rows == (
        ClassLoss(name="harp", whole=0.0, lost=3.0, f=0.0),
        ClassLoss(name="cello", whole=3.0, lost=1.0, instead="harp", f=0.8),
        ClassLoss(name="oboe", whole=1.0, lost=0.0, f=1.0),
    )


def test_without_lists_nothing_is_lost() -> None:
    assert instrument_losses({"instruments": {}}) is None


def test_what_was_listed_instead_is_no_confusion() -> None:
    found = instrument_losses({"instruments": {("cello", "miss"): 1.0}})
    assert found is not None
    assert found.instead.format("harp") == "Where it was missed, harp was listed most often."
    assert found.cells == {}
