# SPDX-License-Identifier: MIT
"""Lists of instruments from Python."""

from enum import Enum
from typing import Any

import numpy as np
import pytest

from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.reading import adopt
from unit.instruments.listing import SAMPLE, lists, only, told

NAN = float("nan")


class Track:
    """What mirdata has: attributes, some of them costly, and none of them promised."""

    def __init__(self, **attributes: object) -> None:
        self.__dict__.update(attributes)


def said(value: object, **options: Any) -> str:
    return told(adopt(value, "song", InstrumentOptions(**options)).diagnostics)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (["F", "E"], "<F E>"),
        (("F", "E"), "<F E>"),
        ([], "<>"),
        ({"F", "E"}, "{E F}"),
        (frozenset(), "{}"),
        ({"F": 0.5, "E": 0.5}.keys(), "{E F}"),
        (np.array(["F", "E"]), "<F E>"),
        (np.array(["F", "E"], dtype=object), "<F E>"),
        (np.array([]), "<>"),
        ({"F": 0.25, "E": 0.5}, "v<F=0.25 E=0.5>"),
        ({"F": np.float32(0.25), "E": np.int64(3)}, "v<F=0.25 E=3>"),
        ({"F": 1, "E": 0, "G": True}, "{F G}"),
        ({"F": 1.0, "E": 0.0}, "{F}"),
        ({}, "{}"),
        ([("F", 0.25), ("E", 0.5)], "<E=0.5 F=0.25>"),
        ((["F", 1], ["E", 1]), "<F=1 E=1>"),
        ([("F", None), ("E", None)], "{F E}"),
        (Track(instruments={"F": 0.5, "E": 0.4}), "{F !E ...}"),
        (Track(instrument=["F", "E"]), "<F E>"),
        (Track(instrument="F"), "<F>"),
        (Track(instruments=None, labels=["F"]), "<F>"),
        (Track(tags={"F"}), "{F}"),
    ],
)
def test_values_of_python(value: object, expected: str) -> None:
    reading = adopt(value, "song")
    assert lists(reading) == {None: expected}
    assert [each.code for each in reading.diagnostics if each.code != "KT611"] == []


def test_a_list_of_instruments_is_taken_as_it_is() -> None:
    given = InstrumentList(("F", "A"), ranked=True)
    ((_, found),) = adopt(given, "song", InstrumentOptions(taxonomy=SAMPLE)).annotations
    assert found is given
    topic = InstrumentList(("Z",), query=True)
    ((_, found),) = adopt(topic, "topic", InstrumentOptions(taxonomy=SAMPLE)).annotations
    assert found is topic


def test_labels_of_a_list_of_instruments_are_looked_up() -> None:
    assert said(InstrumentList(("F", "Z")), taxonomy=SAMPLE).startswith(
        "error KT600 row index 1: taxonomy `campaign-sample` has no `Z`"
    )
    scores = np.array([0.5, 0.25])
    ranked = InstrumentList(("Z", "F"), scores, ranked=True, absent=("Y", "f", "E"), closed=False)
    options = InstrumentOptions(taxonomy=SAMPLE, unknown="drop", casefold=True)
    reading = adopt(ranked, "song", options)
    assert lists(reading) == {None: "<F=0.25 !E ...>"}
    assert {each.code for each in reading.diagnostics} == {"KT601"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (InstrumentList(("a", 7)), "label must be a string, not int"),  # type: ignore[arg-type]
        (InstrumentList(("a", "b", "a")), "label stands twice in a list: `a`"),
        (InstrumentList(("a",), absent=("a",)), "label stands twice in a list: `a`"),
        (
            InstrumentList(("a", "b"), np.array([0.5])),
            "scores of a list have shape (1,), and it has 2 labels",
        ),
        (
            InstrumentList(("a",), np.array([[0.5]])),
            "scores of a list have shape (1, 1), and it has 1 labels",
        ),
        (InstrumentList(("a", "b"), np.array([0.5, np.nan])), "scores of a list must be finite"),
        (InstrumentList((), grades=np.array([1])), "grades of a list have shape (1,), and it has 0 labels"),
    ],
)
def test_lists_of_instruments_made_by_hand_are_checked(value: InstrumentList, expected: str) -> None:
    assert said(value) == f"error KT620 {expected}"


def test_members_of_enumerations_are_the_labels_that_they_equal() -> None:
    class Label(str, Enum):  # noqa: UP042 - StrEnum shows what it equals
        FLUTE = "F"
        VIOLIN = "E"

    assert only(adopt(list(Label), "song", InstrumentOptions())) == "<F E>"


def test_options_are_those_of_files() -> None:
    options = InstrumentOptions(taxonomy=SAMPLE, casefold=True)
    assert only(adopt(["f", " e "], "song", options)) == "<F E>"
    assert said(["F", "Ff"], taxonomy=SAMPLE).startswith(
        "error KT600 row index 1: taxonomy `campaign-sample`"
    )
    assert said(["F", "E", "F"]) == "warning KT603 row index 2: listed twice, counted once: `F`"
    relevance = Track(instruments={"F": 0.5, "E": 0.4})
    options = InstrumentOptions(truth_threshold=">0.5", assume_absent=True)
    assert only(adopt(relevance, "song", options)) == "{!F !E}"


def test_labels_without_a_score_are_no_part_of_a_vector() -> None:
    reading = adopt({"F": 0.5, "E": None, "G": NAN}, "song")
    assert lists(reading) == {None: "v<F=0.5>"}
    assert told(reading.diagnostics) == (
        "note KT612 row index 1: label without a score left out: `E` (2 in all)"
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (
            "piano",
            (
                "error KT620 not a list of instruments: str\n"
                "  help: a list or set of labels, pairs of label and score, or a mapping of labels to scores"
            ),
        ),
        (
            None,
            (
                "error KT620 not a list of instruments: NoneType\n"
                "  help: a list or set of labels, pairs of label and score, or a mapping of labels to scores"
            ),
        ),
        (
            Track(instruments=3),
            (
                "error KT620 not a list of instruments: Track\n"
                "  help: a list or set of labels, pairs of label and score, or a mapping of labels to scores"
            ),
        ),
        (
            np.array([["F"]]),
            (
                "error KT620 labels must be an array of one dimension, not of shape (1, 1)\n"
                "  help: a list or set of labels, pairs of label and score, or a mapping of labels to scores"
            ),
        ),
        (
            ["F", 3],
            (
                "error KT620 row index 1: label must be a string, not int\n"
                "  help: a list or set of labels, pairs of label and score, or a mapping of labels to scores"
            ),
        ),
        (
            {3: 0.5},
            (
                "error KT620 row index 0: label must be a string, not int\n"
                "  help: a list or set of labels, pairs of label and score, or a mapping of labels to scores"
            ),
        ),
        (
            Track(instruments={3: 0.5}),
            (
                "error KT620 row index 0: label must be a string, not int\n"
                "  help: a list or set of labels, pairs of label and score, or a mapping of labels to scores"
            ),
        ),
        ({"F": "high"}, "error KT609 row index 0: score is no finite number: `high`"),
        ({"F": float("inf")}, "error KT609 row index 0: score is no finite number: `inf`"),
        ({"F": 10**400, "E": 1 + 1j}, "error KT609 row index 0: score is no finite number: `1000"),
        ([("F", 0.5), ("E", [])], "error KT609 row index 1: score is no finite number: `[]`"),
        (
            [("F", 0.5), ("E", None)],
            (
                "error KT610 row index 1: label without a score in a list in which others have one\n"
                "  help: give every label a score, or none"
            ),
        ),
        ([""], "error KT619 row index 0: row has no instrument"),
    ],
)
def test_values_that_cannot_be_used(value: object, expected: str) -> None:
    reading = adopt(value, "song")
    assert reading.annotations == ()
    assert told(reading.diagnostics).startswith(expected)


def test_numbers_are_programs_in_general_midi() -> None:
    reading = adopt(np.array([40, 0]), "song", InstrumentOptions(taxonomy="general-midi"))
    assert lists(reading) == {None: "<Violin Acoustic Grand Piano>"}
    assert [each.code for each in reading.diagnostics] == ["KT608"]
    assert said([True], taxonomy="general-midi").startswith("error KT620 row index 0: label must be a string")
    for beyond in (["128"], ["0000000040"], ["9" * 4000], ["-1"], ["4.0"]):
        assert said(beyond, taxonomy="general-midi").startswith("error KT600 row index 0: ")
