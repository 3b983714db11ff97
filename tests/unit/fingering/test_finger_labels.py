# SPDX-License-Identifier: MIT
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingering_strategies import finger_labels
from kammerton.errors import Diagnostic, LabelError, OptionError
from kammerton.fingering.annotation import (
    ENCODINGS,
    LEFT,
    RIGHT,
    UNKNOWN,
    Fingering,
    FingerLabel,
    inspect,
    parse_label,
)


def fingers(text: str, **options: Any) -> tuple[int, ...] | None:
    label = parse_label(text, **options)
    return None if label is None else label.fingers


def fault(text: str, **options: Any) -> Diagnostic:
    with pytest.raises(LabelError) as caught:
        parse_label(text, **options)
    return caught.value.diagnostic


# --- a label -------------------------------------------------------------------------------


def test_a_label_knows_finger_hand_and_notation() -> None:
    right, left = FingerLabel((4, 1)), FingerLabel((-2, 1))
    assert (right.strike, right.hand, str(right)) == (4, RIGHT, "4_1")
    assert (left.strike, left.hand, str(left)) == (-2, LEFT, "-2_1")


# --- encodings -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("encoding", "text", "expected"),
    [
        *(("pig", "1", (1,)), ("pig", "-5", (-5,)), ("pig", "3_1", (3, 1)), ("pig", "-2_-1", (-2, -1))),
        ("pig", "2_4_5", (2, 4, 5)),  # occurs in PIG
        ("pig", "-2_1", (-2, 1)),  # 150-1 note 25: the right thumb takes over from the left hand
        ("pig", "-1_1", (-1, 1)),
        ("pig", "4_", (4,)),  # 028-4 note 85
        *(("pig", "4-1", (4, 1)), ("pig", "-4-1", (-4, -1)), ("pig", "-4--1", (-4, -1))),
        *(("pig", "(1)", (1,)), ("pig", "(-3)", (-3,)), ("pig", " 2\t", (2,)), ("pig", "L2", (-2,))),
        *(("1-10", "1", (-1,)), ("1-10", "5", (-5,)), ("1-10", "6", (1,)), ("1-10", "10", (5,))),
        ("1-10", "7", (2,)),  # A18
        *(("1-10", "9_6", (4, 1)), ("1-10", "9-6", (4, 1)), ("1-10", "3_8", (-3, 3)), ("1-10", "R4", (4,))),
        *(("0-9", "0", (1,)), ("0-9", "4", (5,)), ("0-9", "5", (-1,)), ("0-9", "9", (-5,))),
        ("0-9", "7", (-3,)),  # A18
        *(("L1/R5", "L1", (-1,)), ("L1/R5", "R5", (5,)), ("L1/R5", "l2", (-2,)), ("L1/R5", "r3", (3,))),
        *(("L1/R5", "R4_R1", (4, 1)), ("L1/R5", "L4-1", (-4, -1)), ("L1/R5", "L4_1", (-4, -1))),
        ("L1/R5", "L4_R1", (-4, 1)),
    ],
)
def test_labels_mean_fingers(encoding: Any, text: str, expected: tuple[int, ...]) -> None:
    assert fingers(text, encoding=encoding) == expected


@pytest.mark.parametrize(
    ("text", "hand", "expected"),
    [
        *(("3", RIGHT, (3,)), ("3", LEFT, (-3,)), ("4_1", LEFT, (-4, -1)), ("4-1", LEFT, (-4, -1))),
        ("-2_1", LEFT, (-2, 1)),  # signed: each part says whose it is
        *(("-3", RIGHT, (-3,)), ("L3", RIGHT, (-3,))),
    ],
)
def test_a_hand_takes_numbers_without_sign(text: str, hand: Any, expected: tuple[int, ...]) -> None:
    assert fingers(text, hand=hand) == expected


def test_an_unknown_encoding_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(OptionError, match="unknown encoding of finger labels `0-10`"):
        parse_label("1", encoding="0-10")  # type: ignore[arg-type]


# --- missing -------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["0", "x", "X", "Noinfo", "noinfo", "NOINFO", "", ".", "  ", " 0 "])
@pytest.mark.parametrize("encoding", ["pig", "1-10", "L1/R5"])
def test_no_finger_is_missing_without_a_word(text: str, encoding: Any) -> None:  # A16
    assert inspect(text, encoding) == inspect("")
    assert fingers(text, encoding=encoding) is None
    assert inspect(text, encoding).canonical == ""


@pytest.mark.parametrize(
    "text",
    ["undecided", "thumb", "+3", "1/2", "1,5", "_4", "4__1", "4_ 1", "()", "(1", "((1))", "1R", "½", "4_1__"],
)
def test_other_text_is_missing_with_a_warning(text: str) -> None:
    assert fingers(text) is None
    assert inspect(text).canonical == ""
    found = inspect(text).diagnostic
    assert found is not None
    assert (found.code, found.severity) == ("KT331", "warning")
    assert found.message == f"not a finger label, the note counts as without finger: `{text}`"
    assert (found.column, found.length) == (1, len(text))


# --- errors --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "token", "column", "length"),
    [
        *(("6", "6", 1, 1), ("-0", "-0", 1, 2), ("1.5", "1.5", 1, 3), ("1e3", "1e3", 1, 3)),  # A17
        *(("41", "41", 1, 2), ("-6", "-6", 1, 2), ("00", "00", 1, 2), ("999", "999", 1, 3)),
        *(("6.", "6.", 1, 2), ("1.05", "1.05", 1, 4), ("1.0e1", "1.0e1", 1, 5), ("-0.0", "-0.0", 1, 4)),
        *(("4_6", "6", 3, 1), ("4_0", "0", 3, 1), ("4--6", "-6", 3, 2), ("(6)", "6", 2, 1)),
        *((" 6", "6", 2, 1), ("R6", "R6", 1, 2), ("1_2_7_8", "7", 5, 1)),
    ],
)
def test_a_number_that_is_no_finger_is_an_error(text: str, token: str, column: int, length: int) -> None:
    found = fault(text)
    assert (found.code, found.message) == ("KT330", f"`{token}` is not a finger")
    assert (found.column, found.length) == (column, length)


def test_hints_know_what_is_likely_meant() -> None:
    assert (
        fault("7").hint
        == "fingers are 1 to 5; if numbers count through both hands: --label-encoding 1-10 or 0-9"
    )
    plain = "fingers are 1 to 5, of the left hand -1 to -5; no finger is `0` or `x`"
    assert fault("1.5").hint == fault("-7").hint == plain


@pytest.mark.parametrize(("text", "column"), [("3", 1), (" 3", 2)])
def test_a_number_without_hand_is_an_error_where_labels_name_hands(text: str, column: int) -> None:
    found = fault(text, encoding="L1/R5")
    assert (found.code, found.message, found.column) == ("KT333", "`3` has no hand", column)
    assert fault("7", encoding="L1/R5").code == "KT330"


# --- respelling ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "notation"),
    [
        *(("⑤", "5"), ("①", "1"), ("４", "4"), ("−3", "-3"), ("–3", "-3")),
        ("4\N{NON-BREAKING HYPHEN}1", "4-1"),
        *(("1.", "1"), ("1.0", "1"), ("-2.00", "-2"), ("4._1.", "4_1"), ("(3.)", "(3)"), ("R5.", "R5")),
        *(("0.", "0"), ("0.0", "0"), ("１．", "1")),
    ],
)
def test_numbers_in_other_clothes_are_read_with_a_warning(text: str, notation: str) -> None:
    found = inspect(text)
    assert found.label == parse_label(notation)
    assert found.canonical == inspect(notation).canonical
    assert found.diagnostic is not None
    assert (found.diagnostic.code, found.diagnostic.severity) == ("KT332", "warning")
    assert found.diagnostic.message == f"`{text}` read as `{notation}`"


def test_numbers_in_other_clothes_can_be_no_finger_either() -> None:
    found = fault("4_⑥")
    assert (found.code, found.message, found.column, found.length) == ("KT330", "`6` is not a finger", 1, 3)
    assert inspect("ｘ").label is None
    dots = inspect("1..").diagnostic
    assert dots is not None
    assert dots.code == "KT331"
    assert inspect("7.0", "1-10").label == parse_label("2")


# --- what is kept --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        *((" 4 ", {}, "4"), ("4-1", {}, "4_1"), ("(1)", {}, "1"), ("L2", {}, "-2"), ("-2-1", {}, "-2_-1")),
        *(
            ("4_", {"hand": RIGHT}, "4_"),
            ("4_", {"hand": LEFT}, "-4"),
            ("-2_1", {"hand": LEFT}, "-2_1"),
        ),
        *(("7", {"encoding": "1-10"}, "2"), ("7_", {"encoding": "1-10"}, "2")),
        *(("7", {"encoding": "0-9"}, "-3"), ("R5", {"encoding": "L1/R5"}, "5")),
    ],
)
def test_other_notations_become_that_of_pig(text: str, options: Any, expected: str) -> None:
    assert inspect(text, **options).canonical == expected


@given(st.sampled_from((RIGHT, LEFT)).flatmap(lambda hand: finger_labels(hand, missing=False)))
def test_what_is_kept_means_the_same(label: str) -> None:
    read = parse_label(label)
    assert read is not None
    assert inspect(label).canonical == label
    assert parse_label(str(read)) == read


def test_struck_fingers_are_signed_and_missing_ones_zero() -> None:
    nothing = np.zeros(7)
    labels = ("1", "-5", "4_1", "-2_1", "4_", "", "1")
    strikes = Fingering(nothing, nothing, nothing.astype(int), nothing.astype(int), labels).strikes
    assert strikes.tolist() == [1, -5, 4, -2, 4, 0, 1]


# --- anything ------------------------------------------------------------------------------


@given(
    st.one_of(st.text(max_size=12), st.text("0123456789-_.()LRx ⑤", max_size=8)),
    st.sampled_from(ENCODINGS),
    st.sampled_from((UNKNOWN, RIGHT, LEFT)),
)
def test_any_text_is_a_label_or_missing_or_an_error_in_place(text: str, encoding: Any, hand: Any) -> None:
    found = inspect(text, encoding, hand)
    assert (found.label is None) == (found.canonical == "")
    if found.label is not None:
        assert parse_label(found.canonical) == found.label
        return
    if found.diagnostic is not None:
        assert found.diagnostic.column is not None
        assert found.diagnostic.column >= 1
        assert found.diagnostic.column + found.diagnostic.length - 1 <= len(text)
