# SPDX-License-Identifier: MIT
"""What fingers cost."""

from kammerton.fingering.task import finger_losses
from kammerton.model.task import ClassLoss


def test_fingers_that_are_others_are_lost() -> None:
    found = finger_losses({"confusion": {("R1", "R1"): 3.0, ("R2", "R3"): 2.0, ("R2", "R1"): 1.0}})
    assert found is not None
    assert found.rows == (
        ClassLoss(name="R2", whole=3.0, lost=3.0, instead="R3"),
        ClassLoss(name="R1", whole=3.0, lost=0.0),
    )


def test_without_a_confusion_there_are_no_costs() -> None:
    assert finger_losses({"confusion": {}}) is None
    found = finger_losses({})
    assert found is not None
    assert "strike/accuracy" in found.needs
