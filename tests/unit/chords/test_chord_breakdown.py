# SPDX-License-Identifier: MIT
"""Confusions of roots and qualities over a corpus."""

from kammerton.chords.error_analysis import chord_breakdown
from kammerton.model.task import ClassKey

CELLS: dict[ClassKey, float] = {
    (0, "maj", "maj"): 4.0,
    (0, "maj", "7"): 1.0,
    (7, "maj", "maj"): 2.0,
    (7, "min", "maj"): 0.5,
    (None, "N", "N"): 3.0,
    (None, "silence", "N"): 0.25,
    (None, "N", "maj"): 0.75,
}


def test_roots_are_off_by_an_interval() -> None:
    found = chord_breakdown({"confusion": CELLS})
    assert found is not None
    roots = found.matrices[0]
    assert roots.rows == ("same root", "+7 fifth", "no root in either", "no root in one")
    # maj was said for 4 + 2 + 0.5 + 0.75 s, N for 3.25, 7 for 1
    assert roots.columns == ("maj", "N", "7")
    assert roots.cells == {
        ("same root", "maj"): 4.0,
        ("same root", "7"): 1.0,
        ("+7 fifth", "maj"): 2.5,
        ("no root in either", "N"): 3.25,
        ("no root in one", "maj"): 0.75,
    }
    assert roots.right == {("same root", "maj"), ("same root", "7"), ("no root in either", "N")}


def test_qualities_are_compared_where_the_root_is_right() -> None:
    found = chord_breakdown({"confusion": CELLS})
    assert found is not None
    qualities = found.matrices[1]
    assert qualities.rows == ("maj", "N", "silence")
    assert qualities.columns == ("maj", "N", "7")
    assert qualities.cells["maj", "maj"] == 4.0
    assert qualities.cells["maj", "7"] == 1.0
    assert qualities.cells["silence", "N"] == 0.25
    assert qualities.right == {("maj", "maj"), ("N", "N")}
    assert sum(qualities.cells.values()) == 9.0


def test_columns_that_are_rows_too_come_first_in_the_order_of_rows() -> None:
    # 7 was said for 4 s, min for 2, maj for 1; 4 s were maj, 3 min
    cells: dict[ClassKey, float] = {(0, "maj", "7"): 4.0, (0, "min", "min"): 2.0, (0, "min", "maj"): 1.0}
    found = chord_breakdown({"confusion": cells})
    assert found is not None
    assert found.matrices[0].columns == ("7", "min", "maj")
    assert found.matrices[1].rows == ("maj", "min")
    assert found.matrices[1].columns == ("maj", "min", "7")


def test_without_a_confusion_there_is_nothing_to_break_down() -> None:
    assert chord_breakdown({}) is None
