# SPDX-License-Identifier: MIT
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from kammerton.errors import Diagnostic
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN, Fingering
from kammerton.fingering.formats import parse_fingering
from kammerton.fingering.formats.named_notes import adopt_fingering
from kammerton.fingering.formats.notes import FingeringOptions


def columns(**changed: Any) -> dict[str, Any]:
    return {"onsets": [0, 1], "offsets": [1.0, 2.0], "pitches": [60, 48], "fingers": [1, -2]} | changed


def only(value: object, *codes: str, **options: Any) -> Fingering:
    reading = adopt_fingering(value, "mine", FingeringOptions(**options))
    assert tuple(problem.code for problem in reading.diagnostics) == codes
    ((annotator, fingering),) = reading.annotations
    assert annotator is None
    return fingering


def problem(value: object) -> Diagnostic:
    reading = adopt_fingering(value, "mine")
    assert reading.annotations == ()
    (found,) = reading.diagnostics
    return found


def test_a_fingering_without_pitches_is_taken_too() -> None:
    fingering = parse_fingering("[7, 1]", name="a").annotations[0][1]
    assert only(fingering).pitches.tolist() == [-1, -1]


def test_hands_of_a_fingering_do_not_turn_its_labels() -> None:
    fingering = replace(only(columns()), labels=("1", "2"))
    found = problem(fingering)
    assert (found.code, found.message) == (
        "KT343",
        "row index 1: finger `2` is of the right hand, the note of the left one",
    )
    handless = replace(fingering, hands=np.array([UNKNOWN, UNKNOWN]))
    untold = only(handless, "KT337")
    assert (untold.labels, untold.hands.tolist()) == (("1", "2"), [UNKNOWN, UNKNOWN])
    assert only(handless, label_encoding="pig").hands.tolist() == [RIGHT, RIGHT]
    assert only(handless, hand="right").hands.tolist() == [RIGHT, RIGHT]
    signed = only(replace(handless, labels=("1", "-2")))
    assert signed.hands.tolist() == [RIGHT, LEFT]


@pytest.mark.parametrize(
    "value",
    [
        columns(),
        SimpleNamespace(**columns()),
        columns(fingers=["1", "-2"]),
        columns(fingers=("R1", "L2")),
        columns(fingers=np.array([1, -2])),
        columns(fingers=np.array([1.0, -2.0])),
        columns(fingers=[1, 2], hands=["R", "L"]),
        columns(fingers=[1, 2], hands=[0, 1]),
        columns(fingers=[1, 2], hands=np.array([0.0, 1.0])),
        columns(pitches=["C4", "C3"]),
        columns(pitches=np.array([60.0, 48.0])),
        columns(onsets=np.array([0.0, 1.0]), offsets=np.array([1, 2])),
        {"labels": ["1", "-2"], **{name: columns()[name] for name in ("onsets", "offsets", "pitches")}},
    ],
)
def test_columns_of_any_kind(value: object) -> None:
    fingering = only(value)
    assert fingering.onsets.tolist() == [0.0, 1.0]
    assert fingering.offsets.tolist() == [1.0, 2.0]
    assert fingering.pitches.tolist() == [60, 48]
    assert fingering.hands.tolist() == [RIGHT, LEFT]
    assert fingering.labels == ("1", "-2")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (4, "not a fingering: int has no onsets"),
        (columns(fingers=None), "not a fingering: dict has no fingers"),
        (columns(pitches="C4"), "not a fingering: dict has no pitches"),
        (columns(pitches=3), "not a fingering: dict has no pitches"),
        (columns(fingers=[1]), "columns of different lengths: 2, 2, 2, 1"),
    ],
)
def test_what_is_no_fingering(value: object, message: str) -> None:
    found = problem(value)
    assert (found.code, found.message, found.file) == ("KT114", message, "mine")


def test_a_fingering_of_uneven_columns() -> None:
    fingering = replace(only(columns()), labels=("1",))
    assert problem(fingering).message == "columns of different lengths: 2, 2, 2, 2, 1"


@pytest.mark.parametrize(
    ("changed", "code", "message"),
    [
        ({"onsets": [0, float("nan")]}, "KT122", "row index 1: time is not finite: `nan`"),
        ({"offsets": [1, float("inf")]}, "KT122", "row index 1: time is not finite: `inf`"),
        ({"onsets": [-1, 1]}, "KT123", "row index 0: negative time: `-1.0`"),
        (
            {"offsets": [1, 0.5]},
            "KT124",
            "row index 1: note ends before it starts: offset `0.5`, onset `1.0`",
        ),
        ({"onsets": [True, 1]}, "KT120", "row index 0: not a time in seconds: `True`"),
        ({"pitches": [60, 60.5]}, "KT341", "row index 1: not a pitch: `60.5`"),
        ({"pitches": [None, 60]}, "KT341", "row index 0: not a pitch: `None`"),
        ({"fingers": [6, 1]}, "KT330", "row index 0: `6` is not a finger"),
        ({"fingers": [1.5, 1]}, "KT330", "row index 0: `1.5` is not a finger"),
        ({"hands": ["?", "L"]}, "KT342", "row index 0: not a hand: `?`"),
        (
            {"hands": [1, 1]},
            "KT343",
            "row index 0: finger `1` is of the right hand, the note of the left one",
        ),
    ],
)
def test_errors_of_notes(changed: dict[str, Any], code: str, message: str) -> None:
    found = problem(columns(**changed))
    assert (found.code, found.message, found.line) == (code, message, None)


def test_nothing_is_no_fingering() -> None:
    empty: dict[str, Any] = {name: [] for name in columns()}
    assert problem(empty).code == "KT110"
    none = np.array([])
    assert problem(Fingering(none, none, none.astype(int), none.astype(int), ())).code == "KT110"
