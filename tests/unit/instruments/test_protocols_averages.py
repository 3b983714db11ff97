# SPDX-License-Identifier: MIT
"""From files to figures: averages, what undefined values count, instruments, and judging in part."""

import math
from typing import Any

import pytest

from kammerton.errors import OptionError
from unit.instruments.scored import FIGURE, Pair, by_class, equals, figures, listed, options, values

TASK1 = "open-mic-task1"
P, R, F, AP = (f"{TASK1}/{name}" for name in ("P", "R", "F", "AP"))
HIERARCHICAL = tuple(f"{TASK1}/{name}" for name in ("hP", "hR", "hF"))
MICRO = tuple(f"{TASK1}/micro_{name}" for name in "PRF")
MACRO = tuple(f"{TASK1}/macro_{name}" for name in "PRF")


def pair(annotated: str, predicted: str) -> Pair:
    return listed(annotated), listed(predicted)


BOTH_EMPTY, NO_PREDICTION, NO_TRUTH, PERFECT = pair("", ""), pair("FH", ""), pair("", "FH"), pair("FH", "FH")
FOUR = [BOTH_EMPTY, NO_PREDICTION, NO_TRUTH, PERFECT]


def test_s01_means_are_over_files() -> None:
    assert figures([PERFECT, pair("FH", "FI")], options(), [P])[P] == equals("3/4")


def test_s02_the_mean_f_is_not_the_f_of_means() -> None:
    found = figures([pair("a", "abcd"), pair("abcd", "a")], options(), [P, R, F])
    assert list(found.values()) == [equals("5/8"), equals("5/8"), equals("2/5")]


@pytest.mark.parametrize(("undefined", "mean"), [("skip", 1), ("zero", 1 / 2), ("campaign", 1 / 2)])
def test_s03_abstaining_gains_only_if_undefined_values_are_skipped(undefined: Any, mean: float) -> None:
    assert figures([NO_PREDICTION, PERFECT], options(undefined=undefined), [P])[P] == mean


@pytest.mark.parametrize(
    ("undefined", "expected"),
    [
        ("skip", "1/2 1/2 1/3 1/2 1/2 1/2 1/3"),  # S04: zero_division=nan
        ("zero", "1/4 1/4 1/4 1/4 1/4 1/4 1/4"),  # S05
        ("one", "3/4 3/4 1/2 3/4 3/4 3/4 1/2"),  # S05
        ("sklearn", "1/4 1/4 1/4 1/4 1/4 1/4 1/4"),  # zero_division="warn"
        ("campaign", "1/2 1/2 1/2 1/2 1/2 1/2 1/2"),  # over the two files with annotation
        ("trec", "1/2 1/2 1/2 1/2 1/2 1/2 1/2"),  # files without any judgement are no topics
    ],
)
def test_s04_s05_what_undefined_values_count(undefined: Any, expected: str) -> None:
    found = figures(FOUR, options(FIGURE, undefined=undefined), [P, R, F, AP, *HIERARCHICAL])
    assert list(found.values()) == [equals(text) for text in expected.split()]


def test_trec_eval_counts_topics_that_were_judged_and_have_nothing_relevant() -> None:
    judged = listed("", absent="x", closed=True), listed("x")
    chosen = options(undefined="trec")
    assert figures([judged, PERFECT], chosen, [P, R, F, AP]) == {P: 0.5, R: 0.5, F: 0.5, AP: 0.5}
    assert figures([NO_TRUTH, PERFECT], chosen, [P, R, F, AP]) == {P: 1.0, R: 1.0, F: 1.0, AP: 1.0}


def test_trec_eval_knows_files_of_other_protocols_by_their_judgements_too() -> None:
    judged = listed("", absent="E", closed=True), listed("E")
    one = listed("F"), listed("F")
    names = ["lca/P", "scores/LRAP"]
    found = figures([judged, one], options(FIGURE, undefined="trec"), names)
    assert found == {"lca/P": 0.5, "scores/LRAP": 0.5}
    unjudged = listed(""), listed("E")
    found = figures([unjudged, one], options(FIGURE, undefined="trec"), names)
    assert found == {"lca/P": 1.0, "scores/LRAP": 1.0}


def test_trec_eval_knows_instruments_that_are_annotated() -> None:
    found = figures(S06, options(undefined="trec"), MACRO)
    assert list(found.values()) == [1 / 2, 1 / 2, 1 / 2]  # p and v
    once = [pair("p", "p"), pair("v", "")]
    assert figures(once, options(undefined="trec"), MACRO)[MACRO[0]] == 1 / 2


def test_the_value_of_a_file_is_the_same_whatever_it_counts() -> None:
    for undefined in ("campaign", "skip", "zero", "one", "sklearn", "trec"):
        found = [values(each, options(undefined=undefined), [P, R, F, AP]) for each in FOUR]
        assert [math.isnan(each[P]) for each in found] == [True, True, False, False]
        assert [math.isnan(each[R]) for each in found] == [True, False, True, False]
        assert [math.isnan(each[F]) for each in found] == [True, False, False, False]
        assert [math.isnan(each[AP]) for each in found] == [True, False, True, False]


def test_false_alarms_in_files_without_annotation_count_in_micro_figures() -> None:
    found = figures([NO_TRUTH, PERFECT], options(), [*MICRO, P])
    assert list(found.values()) == [equals("1/2"), 1.0, equals("2/3"), 1.0]


# --- instruments ---------------------------------------------------------------------------

S06 = [pair("pv", "p"), pair("p", "pv"), pair("v", ""), pair("", "g")]


def test_s06_instruments_over_files() -> None:
    names, found = by_class(S06, options(), MACRO)
    assert names == ("g", "p", "v")
    assert found == {
        f"{TASK1}/macro_P": [0.0, 1.0, 0.0],
        f"{TASK1}/macro_R": [equals("u"), 1.0, 0.0],
        f"{TASK1}/macro_F": [0.0, 1.0, 0.0],
    }


def test_s06_figures() -> None:
    found = figures(S06, options(), [*MICRO, *MACRO])
    assert list(found.values()) == [equals(x) for x in ("1/2", "1/2", "1/2", "1/3", "1/2", "1/3")]


def test_s06_instruments_that_are_rarely_annotated_can_be_left_out() -> None:
    found = figures(S06, options(min_support=1), MACRO)
    assert list(found.values()) == [1 / 2, 1 / 2, 1 / 2]
    assert math.isnan(figures(S06, options(min_support=3), MACRO)[MACRO[0]])


@pytest.mark.parametrize(("undefined", "recall"), [("zero", 1 / 3), ("one", 2 / 3), ("sklearn", 1 / 3)])
def test_an_undefined_figure_of_an_instrument_may_count(undefined: Any, recall: float) -> None:
    assert figures(S06, options(undefined=undefined), MACRO)[MACRO[1]] == pytest.approx(recall)


# --- hierarchical figures ------------------------------------------------------------------


def test_s07_files_averaged_or_together() -> None:
    pairs = [pair("F", "F"), pair("EFGHI", "JK")]
    names = [f"{TASK1}/hP", "kiritchenko2006/hP", "kiritchenko2006/hR", "kiritchenko2006/hF"]
    # extended: {F, B} twice; {E, F, G, B, H, I, C} and {J, K, D}
    assert list(figures(pairs, options(FIGURE), names).values()) == [
        equals(x) for x in ("1/2", "2/5", "2/9", "2/7")
    ]


# --- truth that is judged in part ----------------------------------------------------------

M01 = listed(["pia"], absent=["gtr"])
M03 = listed([], absent=["gtr"])


@pytest.mark.parametrize(
    ("truth", "predicted", "assume_absent", "expected"),
    [
        (M01, "voi pia gtr", False, "1/2 1 2/3 1"),
        (M01, "voi pia gtr", True, "1/3 1 1/2 1/2"),
        (M01, "voi dru", False, "u 0 0 0"),
        (M01, "voi dru", True, "0 0 0 0"),
        (M03, "gtr", False, "0 u 0 u"),
        (M03, "voi", False, "u u u u"),
    ],
    ids=["M01", "M01 assumed", "M02", "M02 assumed", "M03 judged", "M03 unjudged"],
)
def test_what_nobody_judged_is_left_out(
    truth: Any, predicted: str, assume_absent: bool, expected: str
) -> None:
    found = values((truth, listed(predicted.split())), options(assume_absent=assume_absent), [P, R, F, AP])
    assert list(found.values()) == [equals(text) for text in expected.split()]


@pytest.mark.parametrize(
    ("positive", "negative", "predicted", "expected"),
    [
        ("E", "F", "B", "1 1/2 2/3"),  # M05: any child is there
        ("E", "F", "F", "1/2 1/2 1/2"),
        ("E", "F", "G", "1 1/2 2/3"),  # G is unknown, but then B is right
        ("H", "E", "B", "u 0 0"),  # M06: one of three children is not there
        ("H", "EFG", "B", "0 0 0"),  # none of the children is there
        ("H", "EF", "G", "u 0 0"),
        ("H", "EFG", "E", "0 0 0"),  # E and B
        ("H", "B", "EB", "0 0 0"),  # B judged itself; E is unknown
        ("HB", "EFG", "B", "1 1/3 1/2"),  # B judged to be there: its children do not change that
    ],
)
def test_families_are_judged_by_their_children(
    positive: str, negative: str, predicted: str, expected: str
) -> None:
    found = values((listed(positive, absent=negative), listed(predicted)), options(FIGURE), HIERARCHICAL)
    assert list(found.values()) == [equals(text) for text in expected.split()]


@pytest.mark.parametrize("whole_first", [True, False])
def test_files_judged_in_whole_and_in_part_are_judged_each_by_its_own_rule(whole_first: bool) -> None:
    """F is annotated and G estimated, twice: in one file G is wrong, of the other nobody judged it.

    Extended, F and B against G and B: hP 1/2 with both nodes, 1 without G; hR is 1/2 either way.
    """
    files = [(listed("F"), listed("G")), (listed("F", absent=""), listed("G"))]
    names = ["open-mic-task1/hP", "open-mic-task1/hR", "kiritchenko2006/hP", "kiritchenko2006/hR"]
    found = figures(files if whole_first else files[::-1], options(FIGURE), names)
    # of all files together, 2 of 3 nodes said are right, and 2 of 4 annotated are said
    assert list(found.values()) == [equals(text) for text in ("3/4", "1/2", "2/3", "1/2")]


def test_a_file_that_nobody_judged_a_label_of_is_in_no_mean() -> None:
    pairs = [(M03, listed(["gtr"])), (M01, listed(["pia"]))]
    assert list(figures(pairs, options(), [P, R, F, AP]).values()) == [1.0, 1.0, 1.0, 1.0]


# --- what is compared ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("annotated", "predicted", "choices", "expected"),
    [
        ("F,H", "E,J", {"level": 1}, "1/2 1/2 1/2 1/2"),  # B, C against B, D
        ("F,E", "G,F", {"level": 1}, "1 1 1 1"),  # B against B
        ("F", "J,G", {"level": 1}, "1/2 1 2/3 1/2"),  # D, B: the order stays
        ("F", "G,J,F", {"level": 1}, "1/2 1 2/3 1"),  # B at its first place
        ("F,B", "B,F", {"level": 2}, "1 1 1 1"),  # B is above level 2 and stays
        ("F,B", "B,F", {"leaves": True}, "1 1 1 1"),
        ("F,B", "B", {"leaves": True}, "u 0 0 0"),
        ("F,B", "B,J", {"leaves": True, "level": 1}, "0 0 0 0"),
        ("F,H", "F,H,J", {"top_k": 2}, "1 1 1 1"),
        ("F,H", "J,F,H", {"top_k": 2}, "1/2 1/2 1/2 1/4"),
    ],
)
def test_levels_leaves_and_best_labels(
    annotated: str, predicted: str, choices: dict[str, Any], expected: str
) -> None:
    sides = listed(annotated.split(",")), listed(predicted.split(","))
    found = values(sides, options(FIGURE, **choices), [P, R, F, AP])
    assert list(found.values()) == [equals(text) for text in expected.split()]


@pytest.mark.parametrize(
    ("negative", "expected"), [("EFG", "0 0 0"), ("EF", "u 0 0"), ("B", "0 0 0"), ("", "u 0 0")]
)
def test_a_family_is_absent_at_its_level_if_all_below_it_are(negative: str, expected: str) -> None:
    found = values((listed("H", absent=negative), listed("E")), options(FIGURE, level=1), [P, R, F])
    assert list(found.values()) == [equals(text) for text in expected.split()]


def test_labels_outside_of_the_taxonomy_stay_what_they_are_at_a_level() -> None:
    sides = listed("FZ", absent="Y"), listed("EZYX")
    found = values(sides, options(FIGURE, level=1, unknown="keep"), [P, R])
    assert list(found.values()) == [equals("2/3"), 1.0]  # B, Z, and Y, which is absent


SCORES = {"a": 0.5, "b": 0.75, "c": 0.25, "d": 0.5}


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        ({"threshold": "0.5"}, "2/3 1 4/5"),  # M04: at least
        ({"threshold": ">0.5"}, "1 1/2 2/3"),
        ({"top_k": 1}, "1 1/2 2/3"),
        ({"top_k": 2}, "1 1 1"),  # of a and d, the one that stands first
        ({"top_k": 2, "ties": "trec"}, "1/2 1/2 1/2"),  # the last by name
        ({"threshold": ">0.25", "top_k": 3}, "2/3 1 4/5"),
        ({"threshold": "0.9"}, "u 0 0"),
    ],
)
def test_thresholds_make_lists_of_scores(choices: dict[str, Any], expected: str) -> None:
    sides = listed("ab"), listed(SCORES, vector=True)
    found = values(sides, options(**choices), [P, R, F])
    assert list(found.values()) == [equals(text) for text in expected.split()]


def test_thresholds_of_single_labels(tmp_path: Any) -> None:
    path = tmp_path / "thresholds.csv"
    path.write_text("instrument,threshold\na,0.6\n*,0.5\n")
    sides = listed("ab"), listed(SCORES, vector=True)
    assert values(sides, options(threshold=str(path)), [P])[P] == equals("1/2")  # b, d
    path.write_text("instrument,threshold\na,0.6\n")
    with pytest.raises(OptionError, match="no threshold for `b`"):
        values(sides, options(threshold=str(path)), [P])


def test_a_threshold_does_not_concern_lists_without_scores() -> None:
    assert values(pair("ab", "ab"), options(threshold="0.5"), [R])[R] == 1.0


def test_families_have_the_best_score_below_them() -> None:
    scores = listed({"J": 0.5, "E": 0.25, "F": 0.75}, vector=True)
    assert values((listed("G"), scores), options(FIGURE, level=1), [AP])[AP] == 1.0  # B .75, D .5
    assert values((listed("H"), scores), options(FIGURE, level=1, threshold="0.6"), [P])[P] == 0.0
