# SPDX-License-Identifier: MIT
"""Confusions of fingers, hand by hand."""

from kammerton.fingering.task import finger_breakdown
from kammerton.model.task import ClassKey


def test_each_hand_has_five_fingers() -> None:
    cells: dict[ClassKey, float] = {
        ("R1", "R1"): 3.0,
        ("R1", "R2"): 1.0,
        ("R2", "L2"): 1.0,
        ("R3", "."): 2.0,
        ("R1-2", "R1"): 1.0,
        ("L5", "L5"): 2.0,
    }
    found = finger_breakdown({"confusion": cells})
    assert found is not None
    right, left = found.matrices
    assert (right.title, left.title) == ("Right hand", "Left hand")
    assert right.cells == {
        ("1", "1"): 3.0,
        ("1", "2"): 1.0,
        ("2", "anything else"): 1.0,
        ("3", "anything else"): 2.0,
        ("anything else", "1"): 1.0,
    }
    assert right.rows == right.columns == ("1", "2", "3", "4", "5", "anything else")
    assert left.rows == left.columns == ("1", "2", "3", "4", "5")
    assert ("3", "3") in right.right
    assert ("anything else", "anything else") not in right.right


def test_hands_without_notes_are_left_out() -> None:
    found = finger_breakdown({"confusion": {("L1", "L2"): 1.0}})
    assert found is not None
    assert [each.title for each in found.matrices] == ["Left hand"]
    assert finger_breakdown({"confusion": {}}) is None
    assert finger_breakdown({"confusion": {("", "R1"): 1.0}}) is None
