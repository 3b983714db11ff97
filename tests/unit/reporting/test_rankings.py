# SPDX-License-Identifier: MIT
"""The table of systems by measures: what ranks, what is bold, and how numbers are printed."""

from dataclasses import replace

import pytest

import kammerton as kt
from kammerton.errors import OptionError
from kammerton.model.measure import Measure
from kammerton.reporting.comparisons import render_scores, render_values
from kammerton.reporting.ranking_texts import render_rankings
from kammerton.reporting.rankings import RankingCell, RankingRow, ScoreRanking, TableOptions
from kammerton.statistics.resampling import BootstrapSettings
from tabled_scores import LOSS, MEAN, MIDDLE, OTHER, POOLED, Table, tabled, valued

NAN = float("nan")


def printed(scores: kt.Scores, form: str = "table", **options: object) -> str:
    return render_scores(scores, form, TableOptions(**options))  # type: ignore[arg-type]


def resampled(table: Table, measure: Measure = MEAN) -> kt.Scores:
    """Return scores with intervals and tests."""
    return tabled(table, (measure,)).remade(bootstrap=BootstrapSettings())


def rows(scores: kt.Scores) -> list[list[str]]:
    lines = [line for line in printed(scores, "md").splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def ranking(*values: float | None, measure: Measure = MEAN, name: str = "S") -> ScoreRanking:
    """Return a table with one measure, one system for each value."""
    cells = [None if value is None else RankingCell(value=value) for value in values]
    return ScoreRanking(
        measures=(measure,),
        rows=tuple(RankingRow(name=f"{name}{place}", cells=(cell,)) for place, cell in enumerate(cells)),
    )


def text(table: ScoreRanking, **options: object) -> str:
    return render_rankings([table], "table", TableOptions(**options))  # type: ignore[arg-type]


def test_of_errors_the_smallest_is_best_and_equal_ones_are_all_bold() -> None:
    found = rows(tabled(valued({"a": [0.5, 0.3], "b": [0.1, 0.3], "c": [0.3, 0.1]}), (LOSS,)))
    assert [(row[0], row[1]) for row in found] == [("b", "**20.0**"), ("c", "**20.0**"), ("a", "40.0")]


def test_undefined_scores_are_last_and_one_system_is_no_better_than_others() -> None:
    scores = tabled(valued({"none": [NAN], "some": [0.5]}), (MEAN,))
    assert [row[1] for row in rows(scores)] == ["50.0", "undefined"]
    assert r"\textbf" not in printed(tabled(valued({"one": [0.5]}), (MEAN,)), "latex")


def test_measures_that_are_no_rates_are_not_printed_in_per_cent() -> None:
    alpha = replace(MEAN, name="alpha", range=(-1.0, 1.0))
    assert text(ranking(-0.5, measure=alpha)).splitlines()[:2] == ["one  alpha ↑", "S0   -0.500"]
    mixed = replace(
        ranking(0.5),
        measures=(MEAN, alpha),
        rows=(RankingRow(name="S0", cells=(RankingCell(value=0.5), RankingCell(value=0.5))),),
    )
    assert text(mixed).splitlines()[:2] == ["one  mean % ↑  alpha", "S0   50.0      0.500"]


def test_a_score_that_does_not_exist_is_an_empty_cell() -> None:
    assert text(ranking(0.5, None)).splitlines()[2].rstrip() == "S1"


def test_nothing_is_below_zero_by_rounding() -> None:
    alpha = replace(MEAN, range=(-1.0, 1.0))
    assert "-" not in text(ranking(-0.0001, measure=alpha))


def test_long_names_are_clipped() -> None:
    long = text(ranking(0.5, name="x" * 500))
    assert max(map(len, long.splitlines())) <= 80
    assert "…" in long


def test_decimals_are_a_choice_within_reason() -> None:
    assert "33.33" in text(ranking(1 / 3), digits=2)
    assert text(ranking(1 / 3), digits=0).splitlines()[1] == "S0      33"
    with pytest.raises(OptionError, match="digits must be 0 to 10, got 11"):
        TableOptions(digits=11)


def test_where_no_column_fits_each_score_has_a_line() -> None:
    scores = resampled(valued({"first": [0.25, 0.5], "second": [0.5, 0.75]}))
    lines = render_scores(scores, "table", TableOptions(), width=20).splitlines()
    at = lines.index("one, %")
    assert lines[at + 1 : at + 4] == ["second", "  mean 62.5 a", "  [50.0, 75.0]"]
    assert lines[at + 4 : at + 7] == ["first", "  mean 37.5 a", "  [25.0, 50.0]"]


def test_the_main_measure_stands_first_and_chosen_ones_in_their_order() -> None:
    scores = tabled(valued({"one": [0.5]}), (POOLED, MEAN, MIDDLE))
    assert printed(scores).splitlines()[2].split() == ["one,", "%", "pooled", "↑", "mean", "middle"]
    assert printed(scores, show=("middle", "pooled")).splitlines()[2].split()[2:] == ["middle", "↑", "pooled"]
    with pytest.raises(OptionError, match="unknown measure"):
        printed(scores, show=("none",))


def test_bare_numbers_stand_in_the_order_of_the_scores() -> None:
    scores = tabled(valued({"poor": [0.25], "good": [0.5], "none": [NAN]}), (POOLED, MEAN))
    assert render_values(scores, TableOptions(digits=2)) == "poor\t25.00\ngood\t50.00\nnone\tnan\n"
    both = TableOptions(show=("mean", "pooled"))
    assert render_values(scores, both) == "poor\t25.0\t25.0\ngood\t50.0\t50.0\nnone\tnan\tnan\n"


def test_measures_of_other_protocols_have_their_whole_names() -> None:
    scores = tabled(valued({"one": [0.5]}), (POOLED, OTHER))
    assert printed(scores).splitlines()[2].split() == ["one,", "%", "pooled", "↑", "other/pooled"]


def test_without_intervals_nothing_is_with_intervals() -> None:
    scores = tabled(valued({"good": [0.75], "poor": [0.5]}), (MEAN,))
    assert printed(scores).startswith(
        "good scores best, 75.0 % mean, +25.0 percentage points against poor (1 item, not\ntested)."
    )
    assert "letter" not in printed(scores)


def test_one_system_is_not_compared() -> None:
    scores = resampled(valued({"only": [0.75, 0.25]}))
    assert printed(scores).startswith("only scores 50.0 % mean (95 % CI ")


def test_undefined_for_all_is_a_sentence() -> None:
    scores = tabled(valued({"one": [NAN], "two": [NAN]}), (MEAN,))
    assert printed(scores).startswith("mean is undefined for every system.")


def test_lower_may_be_better() -> None:
    scores = resampled(valued({"good": [0.1] * 8, "poor": [0.4] * 8}), LOSS)
    assert printed(scores).startswith(
        "good is significantly better than poor: -30.0 percentage points of loss (lower\n"
        "is better, 95 % CI -30.0 to -30.0, p = .008, 8 items)."
    )
    assert "loss ↓" in printed(scores)
    assert render_scores(scores, "table", TableOptions(), encoding="ascii").count("(lower is better)") == 1


def test_equal_systems_score_the_same() -> None:
    scores = resampled(valued({"a": [0.5, 0.25], "b": [0.5, 0.25]}))
    same = "a and b score the same: 0.0 percentage points of mean (95 % CI 0.0 to 0.0,\np = 1, 2 items)."
    assert printed(scores).startswith(same)
    assert printed(scores.remade(bootstrap=None)).startswith("a and b score the same: 37.5 % mean (2 items")


def test_the_items_that_a_difference_would_need_are_reported() -> None:
    # 16 items, half of them 0.4 better and half 0.3 worse: mean 0.05, standard deviation 0.36
    scores = resampled(valued({"a": [0.9, 0.2] * 8, "b": [0.5, 0.5] * 8}))
    needed = int(printed(scores).replace("\n", " ").partition("about ")[2].split()[0])
    assert needed == pytest.approx((2.8 * 0.36 / 0.05) ** 2, rel=0.1)


def test_undefined_items_are_counted() -> None:
    scores = tabled(valued({"a": [0.5, NAN], "b": [0.5, 0.25]}), (MEAN, MIDDLE))
    assert "Items without a value: mean, middle of a 1." in printed(scores)
