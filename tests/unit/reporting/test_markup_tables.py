# SPDX-License-Identifier: MIT
"""Which figures are bold in tables for papers."""

import kammerton as kt
from kammerton.reporting.tables import build_blocks, render_latex, render_markdown
from tabled_scores import LOSS, MEAN, tabled, valued

NAN = float("nan")


def rows(scores: kt.Scores) -> list[list[str]]:
    lines = render_markdown(build_blocks(scores)).splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[5:] if line[:1] == "|"]


def test_of_errors_the_smallest_is_best_and_equal_ones_are_all_bold() -> None:
    found = rows(tabled(valued({"a": [0.5, 0.3], "b": [0.1, 0.3], "c": [0.3, 0.1]}), (LOSS,)))
    assert [(row[0], row[-1]) for row in found] == [("a", "40.00"), ("b", "**20.00**"), ("c", "**20.00**")]


def test_undefined_figures_are_not_best_and_one_system_is_no_better_than_others() -> None:
    found = rows(tabled(valued({"none": [NAN], "some": [0.5]}), (MEAN,)))
    assert [row[-1] for row in found[::2]] == ["undefined", "50.00"]
    assert r"\textbf" not in render_latex(build_blocks(tabled(valued({"one": [0.5]}), (MEAN,))))


def test_each_annotator_has_a_best_system() -> None:
    def song(*labels: str) -> dict[str, object]:
        return {"song": ([(place, place + 1) for place in range(len(labels))], list(labels))}

    scores = kt.score(
        "chords",
        {"song": ([(0, 4)], ["C"])},
        {"one": song("C", "C", "C", "G"), "two": song("G", "G", "G", "C")},
        annotators={"other": {"song": ([(0, 4)], ["G"])}},
        measures=["mirex2013/MajMin"],
        ci=None,
    )
    # against C three seconds of four and one, against G the reverse; against both it is four of eight
    assert {(row[0], row[1]): row[-1] for row in rows(scores)} == {
        ("one", "reference"): "**75.00**",
        ("two", "reference"): "25.00",
        ("one", "other"): "25.00",
        ("two", "other"): "**75.00**",
        ("one", "all"): "**50.00**",
        ("two", "all"): "**50.00**",
    }
