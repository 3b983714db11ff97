# SPDX-License-Identifier: MIT
"""The hand-checked match cases, scored from the task record down: protocols, measures, corpus figures."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kammerton
from kammerton.errors import OptionError
from kammerton.fingering import Fingering, FingeringMetrics, FingeringOptions

CASES = json.loads((Path(__file__).parents[2] / "cases" / "fingering.json").read_text("utf-8"))["match"]
COLUMNS = {
    "strike/M_gen": "M_gen",
    "strike/M_high": "M_high",
    "strike/M_soft": "M_soft",
    "strike/M_rec": "M_rec",
    "strike/M_high_piece": "M_high_piece",
    "strike/accuracy": "acc",
    "nakamura2020/M_gen": "tool_M_gen",
    "pianovam/M_high": "pianovam_M_high",
}


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


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_match_cases(case: dict[str, object]) -> None:
    scores = score(str(case["est"]), list(case["gts"]))  # type: ignore[call-overload]
    for name, column in COLUMNS.items():
        found = scores.value(name, annotator="a0" if name == "strike/accuracy" else "all")
        assert found == pytest.approx(float(Fraction(str(case[column]))), abs=1e-12), name


def test_notes_average_their_annotators_in_the_document() -> None:
    """Note 1 is both annotators', notes 2 and 3 one's; a hand that differs does not matter."""
    scores = score("1 2 -3", ["1 2 4", "1 5 3"])
    assert scores.value("pianovam/M_gen") == pytest.approx((1 + 1 / 2 + 1 / 2) / 3)


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


def test_corpus_figures_are_means_over_pieces_with_the_pooled_rate_beside() -> None:
    references = {"a": piece("1 2"), "b": piece("1 2 3 4 5 1 2 3")}
    estimates = {"a": piece("1 2"), "b": piece("1 2 3 4 1 2 3 4")}
    scores = kammerton.score("fingering", references, {"s": estimates}, protocols="all")
    assert scores.value("strike/M_gen") == (1 + 4 / 8) / 2
    assert scores.value("strike/M_gen", aggregate="pooled") == 6 / 10


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


def test_an_annotator_without_any_label_is_no_annotator() -> None:  # A05
    scores = score("1 2", ["1 2", ". ."])
    for name in ("nakamura2020/M_gen", "strike/M_gen", "pianovam/M_gen"):
        assert scores.value(name) == 1, name
    # B labelled one of two notes, and is the only one who labelled any
    scores = score("1 2", [". .", "1 ."])
    assert scores.value("nakamura2020/M_gen") == 1 / 2


def test_without_any_label_nothing_is_defined() -> None:  # A03
    scores = score("1 2", [". ."])
    for name in (
        "nakamura2020/M_gen",
        "nakamura2020/M_rec",
        "strike/M_high",
        "strike/accuracy",
        "pianovam/M_high",
    ):
        assert np.isnan(scores.value(name)), name


def test_annotators_are_judged_item_by_item() -> None:
    """The thumb cannot go up a fifth from note to note; thumb and index finger can."""
    bad, good = piece("1 1", [60, 67]), piece("1 2", [60, 67])
    annotators = {"x": {"a": bad, "b": good, "c": bad}, "y": {"a": good, "b": good, "c": bad}}
    estimates = {"s": dict.fromkeys("abc", good)}
    items = kammerton.score("fingering", None, estimates, annotators=annotators, protocols="all").items
    found = items.filter(protocol="playability", measure="ifr_melodic_references").sort("item")
    assert found.select("item", "value").rows() == [("a", 1 / 2), ("b", 0.0), ("c", 1.0)]


def test_playability_follows_the_profile() -> None:
    """Thumb to ring finger over 13 semitones: Parncutt allows 14, the document 12."""
    ref, est = piece("1 4", [60, 73]), piece("1 4", [60, 73])
    by_name = {
        profile: kammerton.score(
            "fingering",
            {"p": ref},
            {"s": {"p": est}},
            options=FingeringOptions(profile=profile),
            protocols="all",
        )
        for profile in ("parncutt1997", "pianovam")
    }
    values = {name: scores.value("playability/ifr_melodic") for name, scores in by_name.items()}
    assert values == {"parncutt1997": 0.0, "pianovam": 1.0}
    assert by_name["pianovam"].value("pianovam/IFR") == 1
    assert "|profile:pianovam|" in by_name["pianovam"].summary["signature"][0]


@pytest.mark.parametrize(("way", "rate"), [("strike", 0), ("exact", 0), ("any", 1)])
def test_substitutions(way: str, rate: int) -> None:
    assert score("1", ["4_1"], substitution=way).value("strike/M_gen") == rate


def test_estimates_are_matched_note_by_note() -> None:
    """The same two notes in another order, 20 ms late; a third that the reference lacks is left out."""
    reference = piece("1 2", [60, 64])
    times = np.array([1.02, 0.02, 5.0])
    hands = np.zeros(3, dtype=np.int64)
    estimate = Fingering(times, times + 1, np.array([64, 60, 70]), hands, ("2", "1", "5"))
    scores = kammerton.score("fingering", {"p": reference}, {"s": {"p": estimate}}, protocols="all")
    assert scores.value("strike/accuracy") == 1
    assert "KT371" in {said.code for said in scores.diagnostics}
    late = FingeringOptions(tolerance_s=0.01)
    with pytest.raises(kammerton.DataError, match="KT373"):
        kammerton.score("fingering", {"p": reference}, {"s": {"p": estimate}}, options=late, protocols="all")


def test_annotators_are_matched_note_by_note_too() -> None:
    times, hands = np.array([1.02, 0.02]), np.zeros(2, dtype=np.int64)
    other = Fingering(times, times + 1, np.array([64, 60]), hands, ("3", "1"))
    scores = kammerton.score(
        "fingering",
        None,
        {"s": {"p": piece("1 3", [60, 64])}},
        annotators={"one": {"p": piece("1 2", [60, 64])}, "other": {"p": other}},
        protocols="all",
    )
    assert scores.value("strike/accuracy", annotator="one") == 0.5
    assert scores.value("strike/accuracy", annotator="other") == 1


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


@given(
    st.lists(st.tuples(st.integers(1, 5), st.integers(50, 75), st.booleans()), min_size=2, max_size=12),
    st.sampled_from(("signs", "hands", "neither")),
)
def test_both_ways_to_a_rate_agree(notes: list[tuple[int, int, bool]], told: str) -> None:
    fingers = [-finger if left and told == "signs" else finger for finger, _, left in notes]
    pitches = [pitch for _, pitch, _ in notes]
    hands = ["L" if left else "R" for _, _, left in notes] if told == "hands" else None
    piece = fingers_only(fingers, pitches, hands)
    scores = kammerton.score("fingering", {"p": piece}, {"s": {"p": piece}}, ci=None, protocols="all")
    result = FingeringMetrics().evaluate(fingers, fingers, pitches=pitches, hands=hands)
    assert result.ifr is not None
    assert scores.value("pianovam/IFR") == pytest.approx(result.ifr, abs=0, nan_ok=True)


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
