# SPDX-License-Identifier: MIT
"""What ``kammerton.score`` returns: tables, single figures, plain values."""

import json
import math
from typing import Any

import pytest

import kammerton as kt
from cases.chords import song
from kammerton.errors import OptionError
from kammerton.version import __version__
from strategies import Song

# Song 1: 6 of 10 s right; song 2: all of it out of vocabulary for triads, right for roots.
REFS: dict[str, Song] = {"1": song((0, 6, "C"), (6, 10, "G")), "2": song((0, 5, "A:sus4"))}
GOOD: dict[str, Song] = {"1": song((0, 6, "C"), (6, 10, "F")), "2": song((0, 5, "A:sus2"))}
POOR: dict[str, Song] = {"1": song((0, 10, "D"))}
MEASURES = ["mirex2013/Root", "mirex2013/MajMin", "mirex2013/MeanSeg", "mir_eval/majmin", "decibel/CSR"]


@pytest.fixture(scope="module")
def scores() -> kt.Scores:
    return kt.score("chords", REFS, {"good": GOOD, "poor": POOR}, measures=MEASURES)


def test_it_knows_what_was_scored(scores: kt.Scores) -> None:
    assert scores.task == "chords"
    assert scores.systems == ("good", "poor")
    assert scores.annotators == ("reference",)
    assert [str(measure) for measure in scores.measures] == MEASURES
    assert scores.counts == {
        "good": {"total": 2, "ok": 2, "missing": 0, "failed": 0},
        "poor": {"total": 2, "ok": 1, "missing": 1, "failed": 0},
    }
    assert scores.is_partial
    assert scores.tables == ("confusion", "excluded", "credited")
    assert "KT203" in {found.code for found in scores.diagnostics}


def test_a_full_run_is_not_partial() -> None:
    assert not kt.score("chords", REFS, GOOD).is_partial


# --- single figures ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "aggregate", "good", "poor"),
    [
        ("Root", None, (6 + 5) / 15, 0 / 15),
        ("mirex2013/Root", "pooled", 11 / 15, 0),
        ("Root", "mean", (0.6 + 1) / 2, 0),
        ("Root", "median", (0.6 + 1) / 2, 0),
        ("mirex2013/MajMin", None, 6 / 10, 0),
        ("mir_eval/majmin", "mean", 0.6, 0),
        ("decibel/CSR", None, 0.6, 0),
        # song 1: the same rows, 1; one row over two, under 0.6, so 0.75; song 2: 1, missing 0
        ("MeanSeg", None, 1, (0.75 + 0) / 2),
    ],
)
def test_a_figure_is_asked_for_by_name(
    scores: kt.Scores, measure: str, aggregate: str | None, good: float, poor: float
) -> None:
    assert scores.value(measure, system="good", aggregate=aggregate) == pytest.approx(good)
    assert scores.value(measure, system="poor", aggregate=aggregate) == pytest.approx(poor)


def test_an_undefined_figure_is_nan() -> None:
    assert math.isnan(kt.score("chords", {"2": REFS["2"]}, {"2": GOOD["2"]}).value("mirex2013/MajMin"))


@pytest.mark.parametrize(
    ("measure", "options", "message"),
    [
        ("Root", {}, "several systems: say which\n  help: known: good, poor"),
        ("Root", {"system": "god"}, "unknown system `god`\n  help: did you mean `good`?"),
        ("MajMn", {"system": "good"}, "unknown measure `MajMn`\n  help: did you mean `MajMin`?"),
        ("Root", {"system": "good", "annotator": "B"}, "unknown annotator `B`"),
        ("Root", {"system": "good", "aggregate": "weighted_mean"}, "unknown aggregate `weighted_mean`"),
        ("mir_eval/MajMin", {"system": "good"}, "unknown measure `mir_eval/MajMin`"),
        (
            "MajMin",
            {"system": "good"},
            "measure `MajMin` is not unique\n  help: say which: mirex2013/MajMin, ",
        ),
        (
            "majmin",
            {"system": "good"},
            "measure `majmin` is not unique\n  help: say which: mirex2013/MajMin, ",
        ),
    ],
)
def test_names_that_are_not_there_are_refused(
    scores: kt.Scores, measure: str, options: dict[str, str], message: str
) -> None:
    with pytest.raises(OptionError) as caught:
        scores.value(measure, **options)
    assert str(caught.value).startswith(message)


def test_a_name_of_two_measures_is_refused() -> None:
    found = kt.score("chords", REFS, GOOD, protocols=["mirex2013", "frames10ms"])
    with pytest.raises(OptionError, match="say which: mirex2013/MajMin, frames10ms/MajMin"):
        found.value("MajMin")


# --- tables --------------------------------------------------------------------------------


def test_the_summary_has_a_row_per_system_measure_and_aggregate(scores: kt.Scores) -> None:
    table = scores.summary
    assert table.columns == [
        *("system", "annotator", "protocol", "measure", "aggregate"),
        *("value", "ci_low", "ci_high", "items", "undefined", "weight", "weight_unit", "signature"),
    ]
    key = table.select("system", "protocol", "measure", "aggregate").rows()
    aggregates = [
        *(("mirex2013", "Root", how) for how in ("pooled", "mean", "median")),
        *(("mirex2013", "MajMin", how) for how in ("pooled", "mean", "median")),
        *(("mirex2013", "MeanSeg", how) for how in ("mean", "median")),
        *(("mir_eval", "majmin", how) for how in ("pooled", "mean", "median")),
        *(("decibel", "CSR", how) for how in ("weighted_mean", "mean", "median")),
    ]
    assert key == [(system, *row) for system in ("good", "poor") for row in aggregates]


def test_the_summary_holds_the_figures(scores: kt.Scores) -> None:
    for row in scores.summary.to_dicts():
        value = scores.value(
            f"{row['protocol']}/{row['measure']}", system=row["system"], aggregate=row["aggregate"]
        )
        assert row["value"] == value


def test_the_summary_says_what_figures_were_measured_on(scores: kt.Scores) -> None:
    (row,) = scores.summary.filter(measure="MajMin", system="poor", aggregate="pooled").to_dicts()
    assert (row["items"], row["undefined"], row["weight"], row["weight_unit"]) == (2, 1, 10.0, "s")
    assert row["signature"].startswith("mirex2013/MajMin|rev:2|missing:worst|items:2|data:")


def test_undefined_figures_are_null() -> None:
    table = kt.score("chords", {"2": REFS["2"]}, {"2": GOOD["2"]}, measures=["mirex2013/MajMin"]).summary
    assert table["value"].to_list() == [None, None, None]
    assert table["weight"].to_list() == [0.0, 0.0, 0.0]
    assert table["undefined"].to_list() == [1, 1, 1]


def test_the_items_have_a_row_per_system_item_and_measure(scores: kt.Scores) -> None:
    table = scores.items
    assert table.columns == [
        *("system", "item", "annotator", "protocol", "measure"),
        *("value", "weight", "status", "reason", "counted_as"),
    ]
    assert len(table) == 2 * 2 * len(MEASURES)
    found = {
        (row["system"], row["item"]): (row["value"], row["weight"], row["status"])
        for row in table.filter(measure="Root").to_dicts()
    }
    assert found == {
        ("good", "1"): (0.6, 10.0, "ok"),
        ("good", "2"): (1.0, 5.0, "ok"),
        ("poor", "1"): (0.0, 10.0, "ok"),
        ("poor", "2"): (0.0, 5.0, "missing"),
    }


def test_items_are_sorted_whatever_their_order() -> None:
    names = ["b", "a", "c/2", "c/10"]
    found = kt.score("chords", dict.fromkeys(names, REFS["1"]), dict.fromkeys(reversed(names), GOOD["1"]))
    assert found.items["item"].unique(maintain_order=True).to_list() == sorted(names)


def test_a_table_that_is_not_there_is_refused(scores: kt.Scores) -> None:
    with pytest.raises(OptionError, match="did you mean `confusion`"):
        scores.table("confusions")


def test_the_summary_goes_to_pandas(scores: kt.Scores) -> None:
    pandas = pytest.importorskip("pandas")
    frame = scores.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame["value"].tolist() == scores.summary["value"].to_list()
    assert list(frame.columns) == scores.summary.columns


# --- plain values and text -----------------------------------------------------------------


def test_plain_values_are_json_without_nan(scores: kt.Scores) -> None:
    undefined = kt.score("chords", {"2": REFS["2"]}, {"2": GOOD["2"]})
    for found in (scores, undefined):
        plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert plain == found.to_dict()
    assert None in {row["value"] for row in undefined.to_dict()["scores"]}


def test_plain_values_hold_everything(scores: kt.Scores) -> None:
    plain: dict[str, Any] = scores.to_dict()
    assert list(plain) == ["kammerton", "task", "items", "scores", "diagnostics"]
    assert (plain["kammerton"], plain["task"]) == (__version__, "chords")
    assert plain["items"] == scores.counts
    for row, figure in zip(scores.summary.to_dicts(), plain["scores"], strict=True):
        ends = [row.pop("ci_low"), row.pop("ci_high")]
        assert figure.pop("ci") == (None if None in ends else ends)
        assert row == figure
    assert [found["code"] for found in plain["diagnostics"]] == [found.code for found in scores.diagnostics]
    (missing,) = (found for found in plain["diagnostics"] if found["code"] == "KT203")
    assert (missing["severity"], missing["system"], missing["count"]) == ("error", "poor", 1)


def test_it_is_shown_as_the_table_of_its_headlines(scores: kt.Scores) -> None:
    lines = [line.split() for line in repr(scores.remade(bootstrap=None)).splitlines()]
    assert lines[3:6] == [
        ["mirex2013,", "%", "MajMin", "↑", "Root", "MeanSeg", "mir_eval/majmin", "decibel/CSR"],
        ["good", "60.0", "73.3", "100.0", "60.0", "60.0"],
        ["poor", "0.0", "0.0", "37.5", "0.0", "0.0"],
    ]


def test_undefined_scores_are_shown_as_such() -> None:
    found = kt.score("chords", {"2": REFS["2"]}, {"2": GOOD["2"]}, measures=["mirex2013/MajMin"])
    assert repr(found).splitlines()[0] == "MajMin is undefined for every system."


def test_without_pandas_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(_: object) -> None:
        raise ModuleNotFoundError("No module named 'pandas'")

    monkeypatch.setattr("polars.DataFrame.to_pandas", absent)
    scores = kt.score("chords", ([(0, 1)], ["C"]), ([(0, 1)], ["C"]))
    with pytest.raises(kt.OptionError) as caught:
        scores.to_pandas()
    assert caught.value.message == "pandas data frames need pandas and pyarrow"
    assert caught.value.hint == "pip install 'kammerton[pandas]'"


def test_packages_that_are_there_and_cannot_be_imported_are_not_said_to_be_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As pyarrow 14 beside numpy 2."""

    def broken(_: object) -> None:
        raise ImportError("numpy.core.multiarray failed to import\nand so on")

    monkeypatch.setattr("polars.DataFrame.to_pandas", broken)
    scores = kt.score("chords", ([(0, 1)], ["C"]), ([(0, 1)], ["C"]))
    with pytest.raises(kt.OptionError) as caught:
        scores.to_pandas()
    assert caught.value.message == (
        "pandas data frames need pandas and pyarrow, which cannot be imported: "
        "numpy.core.multiarray failed to import"
    )
    assert caught.value.hint == "pip install 'kammerton[pandas]'"
