# SPDX-License-Identifier: MIT
"""What chord qualities cost."""

from kammerton.chords.error_analysis import quality_losses
from kammerton.model.task import ClassKey, ClassLoss


def test_another_root_or_quality_is_lost() -> None:
    cells: dict[ClassKey, float] = {
        (0, "maj", "maj"): 4.0,
        (0, "maj", "min"): 1.0,
        (5, "maj", "maj"): 2.0,
        (None, "N", "N"): 3.0,
        (None, "N", "maj"): 0.5,
    }
    found = quality_losses({"confusion": cells})
    assert found is not None
    assert found.rows == (
        ClassLoss(name="maj", whole=7.0, lost=3.0, instead="maj on another root"),
        ClassLoss(name="N", whole=3.5, lost=0.5, instead="maj"),
    )
    assert found.cells == {
        ("maj", "maj"): 4.0,
        ("maj", "min"): 1.0,
        ("maj", "another root"): 2.0,
        ("N", "N"): 3.0,
        ("N", "maj"): 0.5,
    }


def test_without_a_confusion_there_are_no_costs() -> None:
    assert quality_losses({}) is None
