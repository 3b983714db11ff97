# SPDX-License-Identifier: MIT
"""What chord qualities cost."""

import pytest

import kammerton as kt
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


_CELLS: dict[ClassKey, float] = {
    (0, "maj", "maj7"): 5.0,
    (0, "maj", "min"): 1.0,
    (7, "maj", "maj"): 2.0,
    (0, "maj7", "7"): 3.0,
    (0, "sus4", "maj"): 4.0,
    (None, "N", "silence"): 0.5,
    (None, "X", "X"): 6.0,
}


@pytest.mark.parametrize(
    ("measure", "lost"),
    [
        ("mirex2013/Root", {"maj": (8, 2), "N": (0.5, 0.5), "maj7": (3, 0), "sus4": (4, 0)}),
        ("mirex2013/MajMin", {"maj": (8, 3), "N": (0.5, 0.5), "maj7": (3, 0)}),
        ("mirex2013/Sevenths", {"maj": (8, 8), "maj7": (3, 3), "N": (0.5, 0.5)}),
    ],
)
def test_time_is_lost_as_the_measure_counts_it(measure: str, lost: dict[str, tuple[float, float]]) -> None:
    found = quality_losses({"confusion": _CELLS}, measure)
    assert found is not None
    assert ({row.name: (row.whole, row.lost) for row in found.rows}, found.by) == (lost, "")
    full = quality_losses({"confusion": _CELLS}, "mirex2013/MajMinBass")  # the table has no basses
    assert full == quality_losses({"confusion": _CELLS})


def test_losses_of_a_measure_add_up_to_its_score() -> None:
    reference = ([(0, 4), (4, 7), (7, 9), (9, 10)], ["C", "A:min7", "D:sus4", "N"])
    estimate = ([(0, 3), (3, 6), (6, 10)], ["C:maj7", "A:min", "G:7"])
    measures = ["mirex2013/Root", "mirex2013/MajMin", "mirex2013/Sevenths"]
    scores = kt.score("chords", {"x": reference}, {"s": {"x": estimate}}, measures=measures)
    tables = {"confusion": next(iter(scores.tally("confusion").cells.values()))}
    for measure in measures:
        found = quality_losses(tables, measure)
        assert found is not None
        right = 1 - sum(row.lost for row in found.rows) / sum(row.whole for row in found.rows)
        assert right == pytest.approx(scores.value(measure))


def test_without_a_confusion_there_are_no_costs() -> None:
    assert quality_losses({}) is None
