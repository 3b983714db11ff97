# SPDX-License-Identifier: MIT
"""How rows are laid over each other: 34 cases that were run through both tools."""

import math
from pathlib import Path

import mir_eval
import numpy as np
import pytest

import kammerton as kt
from cases.chords import TimeCase, decibel_songs, song, time_cases
from kammerton import chords
from kammerton.chords import ChordAnnotation
from kammerton.chords.kernels import Timeline, build_columns, segmentation_statistics
from kammerton.errors import DataError, Diagnostic
from kammerton.model.task import Case
from strategies import Song

CASES = {case.number: case for case in time_cases()}
MIR_EVAL = ("majmin", "overseg", "underseg", "seg")
MUSOO = {"MirexMajMin_pct": "MajMin", "overseg": "OverSeg", "underseg": "UnderSeg", "harmonic": "MeanSeg"}

# Where ours is not what the tool printed, and why. Everything else is.
RIGHT = dict.fromkeys(MIR_EVAL, 1.0)
INSTEAD_OF_MIR_EVAL: dict[int, dict[str, float]] = {
    # a row cropped to no length makes it raise; ours leaves such rows out
    **dict.fromkeys((6, 11, 12, 13, 14, 15), RIGHT),
    16: {**RIGHT, "majmin": 0.0},  # padded with N, one segment against one
    22: RIGHT,  # rows are sorted first
    # nothing is comparable: undefined, not 0; the segments are one against one
    26: {"majmin": math.nan},
    27: {"majmin": math.nan},
}
INSTEAD_OF_MUSOO: dict[int, dict[str, float]] = {
    # it cannot read an empty file; without estimated rows nothing is lost
    18: {"MajMin": 0.0, "OverSeg": 1.0, "UnderSeg": 1.0, "MeanSeg": 1.0},
    22: {"MajMin": 1.0},  # rows are sorted first
    26: {"MajMin": math.nan},  # it prints n/a
    27: {"MajMin": math.nan},
}
ERRORS = {
    19: "KT110",  # an empty reference cannot be used
    20: "KT126",  # rows that overlap are refused, where MusOO goes on
    21: "KT126",
    33: "KT310",  # labels are checked
    34: "KT320",
}


@pytest.mark.parametrize("number", sorted(CASES.keys() - ERRORS), ids=lambda n: f"{n} {CASES[n].name}")
def test_mir_eval_has_the_values_of_the_tool(number: int) -> None:
    case = CASES[number]
    found = chords.evaluate(*case.ref, *case.est, protocol="mir_eval")
    for name in MIR_EVAL:
        printed = case.mir_eval[name]
        if name in INSTEAD_OF_MIR_EVAL.get(number, {}):
            expected = INSTEAD_OF_MIR_EVAL[number][name]
            assert found[name] == pytest.approx(expected, abs=1e-9, nan_ok=True), name
        else:
            assert found[name] == pytest.approx(float(printed), abs=_last_digit(printed)), name


@pytest.mark.parametrize("number", sorted(CASES.keys() - ERRORS), ids=lambda n: f"{n} {CASES[n].name}")
def test_mirex2013_has_the_values_of_the_tool(number: int) -> None:
    case = CASES[number]
    found = chords.evaluate(*case.ref, *case.est, protocol="mirex2013")
    for column, name in MUSOO.items():
        if name in INSTEAD_OF_MUSOO.get(number, {}):
            expected, digit = INSTEAD_OF_MUSOO[number][name], 1e-9
        elif column.endswith("_pct"):
            expected, digit = float(case.musoo[column]) / 100, 1e-8
        else:
            expected, digit = float(case.musoo[column]), 1e-6
        assert found[name] == pytest.approx(expected, abs=digit, nan_ok=True), name


def _last_digit(printed: str) -> float:
    """Return half a unit of the last digit that was printed, or 1e-9 if all of them were."""
    _, _, decimals = printed.partition(".")
    return 0.5 * 10 ** -len(decimals) if len(decimals) > 3 else 1e-9


def test_every_deviation_is_one() -> None:
    assert all(
        value != pytest.approx(_printed(CASES[number].mir_eval[name]), abs=1e-9)
        for number, values in INSTEAD_OF_MIR_EVAL.items()
        for name, value in values.items()
    )
    columns = {name: column for column, name in MUSOO.items()}
    assert all(
        100 * value != pytest.approx(_printed(CASES[number].musoo[columns[name]]), abs=1e-6)
        for number, values in INSTEAD_OF_MUSOO.items()
        for name, value in values.items()
        if name == "MajMin"
    )


def _printed(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return -1.0


# --- cases that are errors -----------------------------------------------------------------


def failure(ref: Song, est: Song) -> Diagnostic:
    with pytest.raises(DataError) as caught:
        chords.evaluate(*ref, *est)
    return caught.value.diagnostics[0]


DECIBEL = {str(number): each for number, each in enumerate(decibel_songs(), 1)}


def test_decibel_has_the_values_of_the_tool() -> None:
    """Each song alone, and all songs together: what stands before a song does not matter."""
    scores = kt.score(
        "chords",
        {name: each.ref for name, each in DECIBEL.items()},
        {name: each.est for name, each in DECIBEL.items()},
        protocols=["decibel"],
        ci=None,
    )
    together = {(row["item"], f"decibel/{row['measure']}"): row["value"] for row in scores.items.to_dicts()}
    assert len(DECIBEL) == 40
    assert len(together) == 40 * 5
    for name, each in DECIBEL.items():
        alone = chords.evaluate(*each.ref, *each.est, protocol="decibel")
        for address, value in each.values.items():
            assert alone[address.removeprefix("decibel/")] == pytest.approx(value, abs=1e-9), (name, address)
            assert together[name, address] == pytest.approx(value, abs=1e-9), (name, address)


@pytest.mark.parametrize("number", ERRORS, ids=lambda number: f"{number} {CASES[number].name}")
def test_cases_that_are_errors_say_so(number: int) -> None:
    assert failure(CASES[number].ref, CASES[number].est).code == ERRORS[number]


@pytest.mark.parametrize("number", [20, 21])
def test_an_overlap_names_both_rows(number: int) -> None:
    message = failure(CASES[number].ref, CASES[number].est).message
    assert "row index 0" in message
    assert "row index 1" in message
    assert "by 1 s" in message


def test_an_overlap_can_be_trimmed() -> None:
    # cut at 5 s: C in 0-5 is right, G in 5-10 is not; MusOO lets the earlier row win instead (60 %)
    options = chords.ChordOptions(overlap="trim")
    case = CASES[20]
    scores = kt.score("chords", {"s": case.ref}, {"s": case.est}, options=options)
    assert scores.value("mirex2013/MajMin") == pytest.approx(0.5)


def test_an_empty_reference_is_failed_and_left_out() -> None:
    one, other = CASES[19], CASES[1]
    scores = kt.score("chords", {"19": one.ref, "1": other.ref}, {"19": one.est, "1": other.est})
    failed = scores.items.filter(item="19")
    assert set(failed["status"]) == {"failed"}
    assert failed["value"].null_count() == len(failed)
    assert scores.counts == {"estimate": {"total": 2, "ok": 1, "missing": 0, "failed": 1}}
    assert scores.value("mirex2013/MajMin") == 1.0


def test_a_blank_behind_a_row_of_a_lab_file_is_not_of_the_label(tmp_path: Path) -> None:
    path = tmp_path / "a.lab"
    path.write_text("0 10 C \n")
    assert chords.read(path).labels == ("C",)


# --- what the cases do not show ------------------------------------------------------------


def both(ref: Song, est: Song) -> tuple[dict[str, float], dict[str, float]]:
    return chords.evaluate(*ref, *est, protocol="mirex2013"), chords.evaluate(*ref, *est, protocol="mir_eval")


def test_silence_equals_only_silence() -> None:
    # 0-1 silence both (right), 1-2 N against silence (wrong), 2-3 silence against N (wrong), 3-4 C
    mirex, _ = both(song((1, 2, "N"), (3, 4, "C")), song((2, 3, "N"), (3, 4, "C")))
    assert mirex["Root"] == pytest.approx(2 / 4)


def test_a_gap_of_the_reference_goes_on_with_the_row_before_it_in_mir_eval() -> None:
    # scored from 1 to 5: C in 1-3 though its row ends at 2, then G in 3-5; the estimate says C to 4
    _, mir_eval = both(song((1, 2, "C"), (3, 5, "G")), song((0, 4, "C"), (4, 5, "G")))
    assert mir_eval["root"] == pytest.approx(3 / 4)


def test_a_row_of_no_length_separates_its_neighbours_in_mirex2013_only() -> None:
    ref, est = song((0, 8, "C")), song((0, 6, "C"), (6, 6, "N"), (6, 8, "C"))
    mirex, mir_eval = both(ref, est)
    assert mirex["OverSeg"] == pytest.approx(6 / 8)
    assert mir_eval["overseg"] == 1.0


@pytest.mark.parametrize("label", ["N", "G"])
def test_a_row_of_no_length_within_the_estimate_does_not_reach_into_the_gap_behind_it(label: str) -> None:
    # mir_eval raises; without the row, C goes on to 7 s
    _, found = both(song((0, 10, "C")), song((0, 5, "C"), (5, 5, label), (7, 10, "C")))
    assert (found["majmin"], found["seg"]) == (1.0, 1.0)


def test_a_row_of_no_length_that_mir_eval_merges_with_the_next_counts_from_where_it_stands() -> None:
    # C at 2 s and C from 4 s are one segment to it: of 2-6 s, C stands in 2-6 s of both sides' rows
    ref, est = song((2, 6, "C")), song((2, 2, "C"), (4, 6, "C"))
    assert both(ref, est)[1]["majmin"] == 1.0
    original = mir_eval.chord.evaluate(np.array(ref[0]), ref[1], np.array(est[0]), est[1])
    assert original["majmin"] == 1.0


def test_an_estimate_without_rows_of_a_reference_with_an_empty_row() -> None:
    mirex, mir_eval = both(song((0, 1, "C"), (1, 1, "N")), ([], []))
    assert (mirex["MajMin"], mir_eval["majmin"], mir_eval["seg"]) == (0.0, 0.0, 1.0)


def test_a_reference_without_any_time_is_undefined() -> None:
    mirex, mir_eval = both(song((1, 1, "C")), song((0, 2, "C")))
    assert all(math.isnan(value) for value in (*mirex.values(), *mir_eval.values()))


def test_boundaries_beyond_the_reference_do_not_count() -> None:
    case: TimeCase = CASES[3]
    beyond = song((0, 10, "C"), (10, 12, "G"), (13, 15, "C"))
    assert both(case.ref, beyond) == both(case.ref, case.est)


def test_runs_are_of_one_song_and_the_first_of_all_is_one() -> None:
    """Songs that end and begin with one chord have no run in common; a run may have the number 0."""
    song = ChordAnnotation(np.array([[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]]), ("C", "C", "G"))
    other = ChordAnnotation(np.array([[0.0, 1.0]]), ("G",))
    columns = build_columns([Case((each,), each, 0) for each in (song, other)])
    assert columns.ref.runs.tolist() == columns.est.runs.tolist() == [1, 1, 2, 3]
    # run 0 of either side in pieces of 2 and 3 s of run 1 and 2 of the other, of 5 s
    none = np.zeros(2, dtype=np.int64)  # labels do not matter
    timeline = Timeline(1, none, np.array([0.0, 2.0]), np.array([2.0, 3.0]), none, none)
    first, others, duration = np.array([0, 0]), np.array([1, 2]), np.array([5.0])
    for gaps_cut in (True, False):
        of_ref = segmentation_statistics(timeline, first, others, duration, gaps_cut=gaps_cut)
        of_est = segmentation_statistics(timeline, others, first, duration, gaps_cut=gaps_cut)
        assert (of_ref.tolist(), of_est.tolist()) == ([[0.0, 2.0, 5.0]], [[2.0, 0.0, 5.0]])
