# SPDX-License-Identifier: MIT
"""The hand-checked match cases, scored from the task record down: protocols, measures, corpus figures."""

from pathlib import Path

import numpy as np
import pytest

import kammerton
from kammerton.errors import OptionError
from kammerton.fingering import Fingering, FingeringMetrics, FingeringOptions


def piece(labels: str, pitches: list[int] | None = None) -> Fingering:
    """Notes a second apart, up from the middle C, in the hand of their finger."""
    names = tuple(label if label != "." else "" for label in labels.split())
    count = len(names)
    hands = np.array([1 if name.startswith("-") else 0 for name in names], dtype=np.int64)
    keys = np.arange(60, 60 + count) if pitches is None else np.array(pitches)
    return Fingering(np.arange(count, dtype=float), np.arange(1.0, count + 1), keys, hands, names)


def score(estimate: str, annotators: list[str], **choices: object) -> kammerton.Scores:
    references = {f"a{number}": {"p": piece(labels)} for number, labels in enumerate(annotators)}
    return kammerton.score(
        "fingering",
        None,
        {"s": {"p": piece(estimate)}},
        annotators=references,
        protocols="all",
        options=FingeringOptions(**choices) if choices else None,  # type: ignore[arg-type]
    )


def test_partial_labels_have_denominators_of_their_own() -> None:
    """A labels all four and is matched on all, B labels three and is matched on two."""
    scores = score("1 2 3 4", ["1 2 3 4", "1 2 . 5"])
    assert scores.value("strike/M_gen") == pytest.approx((1 + 2 / 3) / 2)
    assert scores.value("strike/accuracy", annotator="a1") == pytest.approx(2 / 3)
    assert scores.value("nakamura2020/M_gen") == 1  # B, who left a note out, does not take part


def test_what_is_not_predicted_is_a_miss() -> None:
    scores = score("1 . 3", ["1 2 3"])
    assert scores.value("strike/accuracy") == pytest.approx(2 / 3)
    assert scores.value("strike/coverage") == pytest.approx(2 / 3)
    assert scores.value("strike/covered_accuracy") == 1


def test_hands_and_fingers_apart() -> None:
    """Hands: 3 of 4 right. Of those, fingers: 2 of 3."""
    scores = score("1 2 3 -4", ["1 2 4 4"])
    assert scores.value("strike/hand_accuracy") == 3 / 4
    assert scores.value("strike/finger_accuracy") == 2 / 3
    table = {
        (r["reference"], r["estimate"]): r["notes"] for r in scores.table("confusion").iter_rows(named=True)
    }
    assert table == {("R1", "R1"): 1, ("R2", "R2"): 1, ("R4", "R3"): 1, ("R4", "L4"): 1}


def test_average_of_fingers() -> None:
    """F1: R1 1, R2 2*1/(1+2), R3 0 (predicted once, never right)."""
    scores = score("1 2 3", ["1 2 2"])
    assert scores.value("strike/finger_F1") == pytest.approx((1 + 2 / 3 + 0) / 3)


def test_a_missing_piece_matches_nothing_and_cannot_be_played() -> None:
    references = {"a": piece("1 2 3"), "b": piece("1 2 3")}
    scores = kammerton.score("fingering", references, {"s": {"a": piece("1 2 3")}}, protocols="all")
    assert scores.value("strike/M_gen") == 1 / 2
    assert scores.value("playability/ifr_melodic") == 1 / 2  # two steps of a, and two of b that all break
    assert scores.value("playability/ifr_melodic_references") == 0


def test_nobody_gains_by_a_piece_that_is_not_handed_in() -> None:
    """Of a, 1 of 1 predicted note is right; of b, none of 3, which count as predicted and in the hand."""
    references = {"a": piece("1"), "b": piece("1 2 3")}
    scores = kammerton.score("fingering", references, {"s": {"a": piece("1")}}, protocols="all")
    assert scores.value("strike/covered_accuracy") == 1 / 4
    assert scores.value("strike/finger_accuracy") == 1 / 4
    # R1: 2*1/((1 + 3) + 2); each finger of both hands counts as predicted 3 times
    assert scores.value("strike/finger_F1") == pytest.approx((2 / 6) / 10)


def test_annotators_may_be_judged_in_several_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thumb cannot go up a fifth from note to note; thumb and index finger can."""
    monkeypatch.setattr("kammerton.fingering.protocols._TOGETHER", 3)
    bad, good = piece("1 1", [60, 67]), piece("1 2", [60, 67])
    annotators = {"x": {"a": bad, "b": good, "c": bad}, "y": {"a": good, "b": good, "c": bad}}
    estimates = {"s": dict.fromkeys("abc", good)}
    items = kammerton.score("fingering", None, estimates, annotators=annotators, protocols="all").items
    found = items.filter(protocol="playability", measure="ifr_melodic_references").sort("item")
    assert found.select("item", "value").rows() == [("a", 1 / 2), ("b", 0.0), ("c", 1.0)]


@pytest.mark.parametrize(("way", "rate"), [("strike", 0), ("exact", 0), ("any", 1)])
def test_substitutions(way: str, rate: int) -> None:
    assert score("1", ["4_1"], substitution=way).value("strike/M_gen") == rate


@pytest.mark.parametrize(
    "choice", [{"tolerance_s": -1.0}, {"substitution": "first"}, {"profile": "giant"}, {"profile": "no.toml"}]
)
def test_choices_that_cannot_be(choice: dict[str, object]) -> None:
    with pytest.raises((OptionError, kammerton.DataError)):
        FingeringOptions(**choice)  # type: ignore[arg-type]


# --- what tells the hand -------------------------------------------------------------------------


def fingers_only(fingers: list[int], pitches: list[int], hands: list[str] | None) -> dict[str, object]:
    """Notes one after the other, in Python."""
    count = len(fingers)
    times = {"onsets": list(range(count)), "offsets": list(range(1, count + 1)), "pitches": pitches}
    return {**times, "fingers": fingers, **({} if hands is None else {"hands": hands})}


@pytest.mark.parametrize(
    ("fingers", "hands", "expected", "is_told"),
    [
        # E4 D4: the fourth finger of a right hand does not lie below the third, that of a left hand does
        ([3, 4], ["R", "R"], 1.0, True),
        ([3, 4], ["L", "L"], 0.0, True),
        ([-3, -4], None, 0.0, True),
        # nothing tells the hand: one hand is assumed, and crossings are not judged
        ([3, 4], None, 0.0, False),
        ([3, 4], [None, None], 0.0, False),
        # but whoever's finger it is, it does not leap: 64 to 62 is a whole tone
        ([2, 2], None, 0.0, False),
    ],
)
def test_there_is_one_rate_for_a_piece(
    fingers: list[int], hands: list[str] | None, expected: float, *, is_told: bool
) -> None:
    piece = fingers_only(fingers, [64, 62], hands)
    scores = kammerton.score("fingering", {"p": piece}, {"s": {"p": piece}}, protocols="all")
    result = FingeringMetrics().evaluate(fingers, fingers, pitches=[64, 62], hands=hands)
    assert scores.value("pianovam/IFR") == result.ifr == expected
    assert any("crossings are not judged" in note for note in result.notes) != is_told
    assert any("crossings are not judged" in problem.message for problem in scores.diagnostics) != is_told


def test_fingers_of_two_hands_without_hands_are_a_warning() -> None:
    """Of 2 fingers of the right hand and 2 of the left, those of the left are taken for others: 2 of 4."""
    told = fingers_only([1, -5, 2, -4], [60, 48, 62, 50], None)
    untold = fingers_only([1, 5, 2, 4], [60, 48, 62, 50], None)
    scores = kammerton.score("fingering", {"p": told}, {"s": {"p": untold}}, protocols="all")
    assert scores.value("nakamura2020/M_gen") == 2 / 4
    (problem,) = (each for each in scores.diagnostics if each.code == "KT337")
    assert (problem.severity, problem.item, problem.system) == ("warning", "p", "s")
    rows = {
        f"{row['protocol']}/{row['measure']}": (row["status"], row["reason"])
        for row in scores.items.to_dicts()
        if row["value"] is None
    }
    assert {rows[name] for name in ("strike/hand_accuracy", "playability/ifr_melodic")} == {
        ("undefined", "no_hands")
    }
    said = kammerton.score(
        "fingering",
        {"p": told},
        {"s": {"p": untold}},
        options=FingeringOptions(hand="right"),
        protocols="all",
    )
    assert not any(each.code == "KT337" for each in said.diagnostics)
    assert said.value("strike/hand_accuracy") == 2 / 4
    entries = {(each["measure"], each["aggregate"]): each for each in scores.to_dict()["scores"]}
    found = entries["ifr_melodic", "mean"]
    assert (found["value"], found["reason"]) == (None, "no_hands")
    assert "reason" not in entries["IFR", "pooled"]


def test_many_files_without_hands_are_one_warning(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.csv").write_text("onset,offset,pitch,finger\n0,1,60,1\n1,2,62,2\n")
    scores = kammerton.score("fingering", tmp_path, {"s": tmp_path}, protocols="all")
    assert [each.count for each in scores.diagnostics if each.code == "KT337"] == [3, 3]  # of each side
