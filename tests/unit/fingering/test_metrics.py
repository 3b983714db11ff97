# SPDX-License-Identifier: MIT
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kammerton.errors import DataError, OptionError
from kammerton.fingering.annotation import parse_label
from kammerton.fingering.metrics import BiomechanicalConstraints, FingeringMetrics, FingeringResult

CASES = json.loads((Path(__file__).parents[2] / "cases" / "fingering.json").read_text())["match"]

ONE_HAND = "fingers have no signs and no hands are given: one hand is assumed, crossings are not judged"


def evaluate(*arguments: Any, protocol: Any = "pianovam", **options: Any) -> FingeringResult:
    return FingeringMetrics(protocol).evaluate(*arguments, **options)


def cells(text: str) -> list[str | None]:
    return [None if cell == "." else cell for cell in text.split()]


# --- the document ----------------------------------------------------------------------------


def test_the_usage_of_the_protocol_document() -> None:
    predictions, ground_truth = [1, 2, 3, 1, 2], [1, 2, 3, 4, 5]
    pitches = [60, 62, 64, 65, 67]
    result = FingeringMetrics().evaluate(predictions, ground_truth, pitches=pitches)
    assert f"Accuracy: {result.accuracy:.3f}" == "Accuracy: 0.600"
    assert f"M_gen:    {result.m_gen:.3f}" == "M_gen:    0.600"
    assert f"M_high:   {result.m_high:.3f}" == "M_high:   0.600"
    assert f"IFR:      {result.ifr:.3f}" == "IFR:      0.000"
    assert (result.num_notes, result.num_annotators, result.protocol) == (5, 1, "pianovam")
    assert result.notes == (ONE_HAND,)


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(40, 80), st.sampled_from("RL")), max_size=8))
def test_ifr_agrees_with_the_constraints(notes: list[tuple[int, int, str]]) -> None:
    fingers, pitches, hands = [n[0] for n in notes], [n[1] for n in notes], [n[2] for n in notes]
    found = evaluate(fingers, pitches=pitches, hands=hands).ifr
    violations = BiomechanicalConstraints().validate_sequence(fingers, pitches, hands)
    judged = sum(max(hands.count(hand) - 1, 0) for hand in "RL")
    assert found == (len(violations) / judged if judged else pytest.approx(np.nan, nan_ok=True))


# --- the cases of the specification ----------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_match_cases(case: dict[str, Any]) -> None:
    est, refs = cells(case["est"]), [cells(ref) for ref in case["gts"]]
    strike = evaluate(est, refs, layout="by_annotator", protocol="strike")
    published = evaluate(est, refs, layout="by_annotator", protocol="nakamura2020")
    document = evaluate(est, refs, layout="by_annotator")
    for result, general in ((strike, "M_gen"), (published, "tool_M_gen")):
        found = (result.accuracy, result.m_gen, result.m_high, result.m_soft, result.m_rec)
        names = ("acc", general, "M_high", "M_soft", "M_rec")
        assert found == pytest.approx([float(Fraction(case[name])) for name in names])
    assert document.m_high == pytest.approx(float(Fraction(case["pianovam_M_high"])))
    assert document.m_soft == strike.m_soft
    assert document.m_rec == strike.m_rec


def test_m32_the_accuracy_of_the_document_is_unsigned() -> None:
    assert evaluate([-1, 2], [1, 2]).accuracy == 1.0
    assert evaluate([-1, 2], [1, 2], protocol="strike").accuracy == 0.5
    assert evaluate([-1, 2], [1, 2]).notes[0].startswith("predictions have signs but not all of the ground")


def test_a01_an_annotator_who_left_out_a_note() -> None:
    refs = [[1, 2, 3, 4], [1, 2, None, 5]]
    assert evaluate([1, 2, 3, 4], refs, layout="by_annotator").m_gen == 7 / 8
    assert evaluate([1, 2, 3, 4], refs, layout="by_annotator", protocol="strike").m_gen == pytest.approx(
        5 / 6
    )
    published = evaluate([1, 2, 3, 4], refs, layout="by_annotator", protocol="nakamura2020")
    assert (published.m_gen, published.num_annotators) == (1.0, 1)
    assert published.notes[0] == "annotators left out, who did not label every note: 1 of 2"


def test_nobody_labelled_every_note() -> None:
    refs = [[1, None, 3, 4], [1, 2, None, 4]]
    published = evaluate([1, 2, 3, 5], refs, layout="by_annotator", protocol="nakamura2020")
    assert (published.m_gen, published.m_high, published.num_annotators) == (0.5, 0.5, 2)
    assert published.notes[0] == (
        "annotators whose unlabelled notes count as missed, as nobody labelled every note: 2 of 2"
    )


@pytest.mark.parametrize("protocol", ["pianovam", "nakamura2020", "strike"])
def test_a03_nothing_is_undefined(protocol: str) -> None:
    result = evaluate([], [], pitches=[], protocol=protocol)
    rates = (result.accuracy, result.m_gen, result.m_high, result.m_soft, result.m_rec, result.ifr)
    assert np.isnan(np.array(rates, dtype=float)).all()
    assert (result.num_notes, result.num_annotators) == (0, 0)


def test_a05_an_annotator_without_any_label() -> None:
    result = evaluate([1, 2], [[None, 1, 1], [None, 2, 3]], layout="by_note")
    assert (result.num_annotators, result.accuracy, result.m_gen) == (2, 1.0, 0.75)
    assert result.notes[0] == "annotators left out, who labelled no note: 1 of 3"
    nobody = evaluate([1, 2], [None, None])
    assert np.isnan(nobody.accuracy or 0)
    assert nobody.num_annotators == 0


# --- tables ----------------------------------------------------------------------------------


def test_tables_of_the_document_are_unsigned() -> None:
    result = evaluate([1, -1, 2, 3, None, 3], [1, 1, 2, 2, 2, None])
    assert result.confusion is not None
    assert result.confusion.dtype == np.int64
    expected = np.zeros((5, 5))
    expected[0, 0], expected[1, 1], expected[1, 2] = 2, 1, 1
    assert result.confusion.tolist() == expected.tolist()
    assert result.per_finger is not None
    assert list(result.per_finger) == [1, 2, 3, 4, 5]
    two, three, four = (result.per_finger[finger] for finger in (2, 3, 4))
    assert (two.precision, two.recall, two.f1) == (1.0, 1 / 3, 0.5)
    assert (two.predicted, two.support) == (1, 3)
    assert (three.precision, three.f1, three.predicted, three.support) == (0.0, 0.0, 1, 0)
    assert np.isnan([three.recall, four.precision, four.recall, four.f1]).all()


def test_tables_of_the_others_are_signed() -> None:
    result = evaluate([1, -1, -2], [1, 1, -2], protocol="strike")
    assert result.per_finger is not None
    assert list(result.per_finger) == [1, 2, 3, 4, 5, -1, -2, -3, -4, -5]
    assert (result.per_finger[1].recall, result.per_finger[-1].precision) == (0.5, 0.0)
    assert result.confusion is not None
    assert (result.confusion[0, 0], result.confusion[1, 1], result.confusion.sum()) == (1, 1, 2)


# --- hands -----------------------------------------------------------------------------------


def test_signs_of_the_predictions_are_compared_with_the_hands() -> None:
    assert evaluate([1, -2, 3], [1, 2, 3], hands=["R", "R", "R"]).hand_accuracy == pytest.approx(2 / 3)
    assert evaluate([1, -2, 3], hands=["R", "R", None]).hand_accuracy == 0.5
    assert evaluate([1, 2, 3], hands=["R", "R", "R"]).hand_accuracy is None
    assert evaluate([1, -2, 3]).hand_accuracy is None


def test_hands_decide_what_ifr_judges() -> None:
    for fingers, hands, expected in (
        ([-3, -4], None, 1.0),
        ([-3, -4], ["R", "R"], 0.0),
        ([-3, -4], [None, None], 1.0),
        ([3, 4], ["L", "L"], 1.0),
        ([3, 4], [None, None], 0.0),
    ):
        assert evaluate(fingers, pitches=[60, 62], hands=hands).ifr == expected


# --- labels ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("predictions", "encoding"),
    [
        ([1, -2, None], "pig"),
        ((1, -2, 0), "pig"),
        (np.array([1, -2, 0], dtype=np.int8), "pig"),
        (np.array([1.0, -2.0, np.nan]), "pig"),
        (["1", "-2_-1", "x"], "pig"),
        (np.array(["1", "-2", ""]), "pig"),
        ([np.int64(1), np.int16(-2), None], "pig"),
        ([parse_label("1"), parse_label("-2"), parse_label("")], "pig"),
        ([6, 2, None], "1-10"),
        ([0, 6, None], "0-9"),
        (np.array([6, 2, 0], dtype=np.uint8), "1-10"),
        (["R1", "L2", "Noinfo"], "L1/R5"),
    ],
)
def test_ways_to_write_labels(predictions: Any, encoding: Any) -> None:
    result = evaluate(predictions, predictions, pitches=[60, 48, 62], encoding=encoding, protocol="strike")
    assert (result.accuracy, result.hand_accuracy) == (1.0, 1.0)
    assert result.per_finger is not None
    assert {finger for finger, score in result.per_finger.items() if score.support} == {1, -2}


def test_odd_text_is_missing_and_said() -> None:
    result = evaluate(["1", "foo", "foo"], [1, 2, 3])
    assert result.accuracy == pytest.approx(1 / 3)
    assert result.notes[0] == (
        "predictions: not a finger label, the note counts as without finger: `foo` (2 times)"
    )
    twice = evaluate([1, 2], [["foo", 2], ["foo", 2]], layout="by_annotator")
    assert twice.notes[0] == "ground_truth: not a finger label, the note counts as without finger: `foo`"


# --- layouts ---------------------------------------------------------------------------------

BY_NOTE = [[1, 1], [2, 3], [3, 3]]
BY_ANNOTATOR = [[1, 2, 3], [1, 3, 3]]


@pytest.mark.parametrize("kind", [list, tuple, np.array, lambda rows: [np.array(row) for row in rows]])
@pytest.mark.parametrize("layout", [None, "given"])
def test_layouts_that_can_be_told_apart(kind: Callable[[Any], Any], layout: Any) -> None:
    by_note, by_annotator = ("by_note", "by_annotator") if layout else (None, None)
    results = [
        evaluate([1, 2, 4], kind(BY_NOTE), layout=by_note),
        evaluate([1, 2, 4], kind(BY_ANNOTATOR), layout=by_annotator),
    ]
    for result in results:
        assert (result.num_annotators, result.accuracy, result.m_gen) == (2, 2 / 3, 0.5)


def test_layouts_that_cannot() -> None:
    square = [[1, 2], [1, 3]]
    with pytest.raises(OptionError, match=r'layout="by_note".*layout="by_annotator"'):
        evaluate([1, 2], square)
    assert evaluate([1, 2], square, layout="by_annotator").accuracy == 1.0
    assert evaluate([1, 2], square, layout="by_note").accuracy == 0.5
    assert evaluate([1], [[1]]).accuracy == 1.0  # one note of one annotator, either way
    with pytest.raises(OptionError, match="unknown layout"):
        evaluate([1, 2], square, layout="rows")


def test_notes_with_different_numbers_of_labels() -> None:
    result = evaluate([1, 2, 3], [[1, 1, 2], [2], None])
    assert result.m_gen == pytest.approx((2 / 3 + 1) / 2)
    assert result.num_annotators == 3
    remark = "ground_truth has 1 to 3 labels a note: the n-th of a note is taken for annotator n"
    assert result.notes[0] == remark
    assert np.isnan(evaluate([1, 2], [[], []]).accuracy or 0)


# --- arguments -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "options", "code", "message"),
    [
        (([1, 2, 3], [1, 2]), {}, "KT380", "predictions has 3 notes, but ground_truth has 2"),
        (([1, 2, 3], [[1, 2], [1, 2]]), {}, "KT380", "predictions has 3 notes, but ground_truth has 2"),
        (
            ([1, 2], [[1, 2], [1]]),
            {"layout": "by_annotator"},
            "KT380",
            "predictions has 2 notes, but ground_truth[1] has 1",
        ),
        (([1, 2],), {"pitches": [60]}, "KT380", "predictions has 2 notes, but pitches has 1"),
        (([1, 2],), {"onsets": [0.0]}, "KT380", "predictions has 2 notes, but onsets has 1"),
        (([1, 2],), {"hands": ["R"]}, "KT380", "predictions has 2 notes, but hands has 1"),
        (([1, 2],), {"hands": []}, "KT380", "predictions has 2 notes, but hands has 0"),
        (([1, 2],), {"hands": [None]}, "KT380", "predictions has 2 notes, but hands has 1"),
        (([1, 6],), {}, "KT381", "predictions[1] is not a finger: `6` is not a finger"),
        (([1, 2], [1, "9"]), {}, "KT381", "ground_truth[1] is not a finger: `9` is not a finger"),
        (([1, 2.5],), {}, "KT381", "predictions[1] is not a finger: `2.5`"),
        (([1, [2]],), {}, "KT381", "predictions[1] is not a finger: `[2]`"),
        (([1, True],), {}, "KT381", "predictions[1] is not a finger: `True`"),
        (("12",), {}, "KT381", "predictions must be a sequence, not str"),
        (([1], 5), {}, "KT381", "ground_truth must be a sequence, not int"),
        ((["3"],), {"encoding": "L1/R5"}, "KT381", "predictions[0] is not a finger: `3` has no hand"),
        (([1],), {"pitches": [-1]}, "KT382", "pitches[0] is not a MIDI number: `-1`"),
        (([1],), {"hands": ["X"]}, "KT383", "hands[0] is not a hand: `'X'`"),
        (([1],), {"onsets": [float("nan")]}, "KT384", "onsets[0] is not a time: `nan`"),
        (([1],), {"onsets": ["0"]}, "KT384", "onsets[0] is not a time: `'0'`"),
        (([1],), {"onsets": [True]}, "KT384", "onsets[0] is not a time: `True`"),
    ],
)
def test_arguments(arguments: Any, options: Any, code: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        evaluate(*arguments, **options)
    (found,) = caught.value.diagnostics
    assert (found.code, found.message) == (code, message)


def test_options() -> None:
    with pytest.raises(OptionError, match="did you mean `pianovam`"):
        FingeringMetrics("pianovm")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="unknown encoding"):
        evaluate([1], encoding="1-5")


def test_hints_name_arguments_and_no_options_of_the_command_line() -> None:
    with pytest.raises(DataError) as caught:
        FingeringMetrics().evaluate([1, 2, 6], [1, 2, 3])
    (problem,) = caught.value.diagnostics
    assert problem.hint == "fingers are 1 to 5; if numbers count through both hands: encoding 1-10 or 0-9"
