# SPDX-License-Identifier: MIT
"""Lists of instruments as ratings, by hand."""

import math
from pathlib import Path

import numpy as np
import pytest

import kammerton as kt
from kammerton.instruments import InstrumentList, InstrumentOptions
from kammerton.instruments.task import judged_by_both, ratings
from kammerton.results.agreement import AnnotatorAgreement


def test_what_an_annotator_did_not_judge_has_no_label() -> None:
    whole = InstrumentList(("piano",))
    partly = InstrumentList(("voice",), absent=("piano", "drums"), closed=False)
    found = ratings([[whole, partly, None]])
    # piano, voice, drums
    assert found.codes.tolist() == [[1, 0, -1], [0, 1, -1], [0, 0, -1]]
    assert found.labels == ("absent", "present")
    assert found.weights is None


def test_units_are_the_leaves_of_the_taxonomy() -> None:
    options = InstrumentOptions(taxonomy="campaign-sample")
    found = ratings([[InstrumentList(("F", "B")), InstrumentList(())]], options)
    # E F G H I J K, and the family B
    assert found.codes.tolist() == [[0, 0], [1, 0], *[[0, 0]] * 5, [1, 0]]


def test_scores_are_ratings_by_the_threshold_of_truth() -> None:
    scored = InstrumentList(("piano", "voice"), np.array([0.75, 0.25]), vector=True)
    assert ratings([[scored, InstrumentList(("voice",))]]).codes.tolist() == [[1, 0], [0, 1]]
    low = InstrumentOptions(truth_threshold="0.2")
    assert ratings([[scored, InstrumentList(("voice",))]], low).codes.tolist() == [[1, 0], [1, 1]]


def test_units_are_of_the_level_that_was_asked_for() -> None:
    options = InstrumentOptions(taxonomy="campaign-sample", level=1)
    # B, C, D: E and F are both B
    found = ratings([[InstrumentList(("E", "H")), InstrumentList(("F",))]], options)
    assert found.codes.tolist() == [[1, 1], [1, 0], [0, 0]]


def test_what_nobody_judged_can_be_taken_for_absent() -> None:
    partly = InstrumentList(("voice",), closed=False)
    found = ratings([[partly, InstrumentList(("piano",))]], InstrumentOptions(assume_absent=True))
    assert found.codes.tolist() == [[1, 0], [0, 1]]


def test_what_nobody_names_of_a_recording_is_absent_if_anybody_names_it_of_another() -> None:
    one = [InstrumentList(("piano", "voice")), InstrumentList(("drums",)), InstrumentList(())]
    other = [InstrumentList(("voice",)), InstrumentList(("drums",)), InstrumentList(())]
    found = ratings(list(zip(one, other, strict=True)))
    # piano, voice, drums of each of three recordings
    assert found.codes.tolist() == [
        *([1, 0], [1, 1], [0, 0]),
        *([0, 0], [0, 0], [1, 1]),
        *([0, 0], [0, 0], [0, 0]),
    ]


def test_of_a_query_units_are_the_documents_that_were_judged_for_it() -> None:
    topics = [
        [InstrumentList(("d1",), absent=("d2",), query=True), InstrumentList((), absent=("d1",), query=True)],
        [InstrumentList(("d3",), query=True), InstrumentList(("d3",), query=True)],
    ]
    assert ratings(topics).codes.tolist() == [[1, 0], [0, 0], [1, 1]]  # d1, d2 of one, d3 of the other


def test_open_lists_that_name_only_what_is_present_have_no_agreement() -> None:
    present = InstrumentList(("piano",), closed=False)
    assert ratings([[present, InstrumentList(("voice",))]]).reason.startswith("open lists name only what is")
    judged = InstrumentList((), absent=("voice",), closed=False)
    assert ratings([[present, judged]]).reason == ""
    assert ratings([[InstrumentList((), closed=False), InstrumentList(("voice",))]]).reason == ""


def agreement(one: dict[str, object], other: dict[str, object], **choices: object) -> AnnotatorAgreement:
    options = InstrumentOptions(**choices)  # type: ignore[arg-type]
    return kt.agree(
        "instruments", {"one": one, "other": other}, protocols=["open-mic-task1"], options=options
    )


def test_agreement_counts_what_all_agree_is_absent() -> None:
    one = {"a": {"piano", "voice"}, "b": {"drums"}, "c": set[str]()}
    other = {"a": {"voice"}, "b": {"drums"}, "c": set[str]()}
    found = agreement({**one}, {**other})
    # 9 units, one apart; of 18 ratings 5 are present: Do = 2/18, De = 2 * 5 * 13 / (18 * 17)
    assert found.alpha.value == pytest.approx(1 - (2 / 18) / (130 / 306), abs=1e-12)
    assert found.alpha.units == 9
    # Po = 8/9, Pe = (5/18)**2 + (13/18)**2
    assert found.kappa.value == pytest.approx((8 / 9 - 194 / 324) / (130 / 324), abs=1e-12)


def test_lists_that_mostly_agree_agree_beyond_chance() -> None:
    """Of what is listed 2 of 3 labels are shared, and more than chance shares of 12."""
    every = [f"i{number:02}" for number in range(12)]
    one = {str(n): {every[n], every[(n + 1) % 12], every[(n + 2) % 12]} for n in range(12)}
    other = {str(n): {every[n], every[(n + 1) % 12], every[(n + 5) % 12]} for n in range(12)}
    found = agreement({**one}, {**other})
    assert found.value("F") == pytest.approx(2 / 3)
    # 144 units, 24 apart; of 288 ratings 72 are present: Do = 1/6, De = 2 * 72 * 216 / (288 * 287)
    assert found.alpha.value == pytest.approx(1 - (1 / 6) / (2 * 72 * 216 / (288 * 287)), abs=1e-12)
    assert found.kappa.value == pytest.approx((5 / 6 - 5 / 8) / (3 / 8), abs=1e-12)


def test_pairs_are_compared_by_what_both_judged() -> None:
    one = {
        "a": InstrumentList(("piano", "voice"), absent=("drums",), closed=False),
        "b": InstrumentList(("flute",), closed=False),
    }
    other = {
        "a": InstrumentList(("piano", "drums"), closed=False),
        "b": InstrumentList((), absent=("flute",), closed=False),
    }
    found = agreement({**one}, {**other})
    # a: both judged piano (both present) and drums (only other); b: flute (only one)
    assert found.value("micro_P", reference="one", estimate="other") == 1 / 2
    assert found.value("micro_R", reference="one", estimate="other") == 1 / 2  # voice was not judged by other
    assert found.value("micro_P", reference="other", estimate="one") == 1 / 2
    assert found.value("micro_R", reference="other", estimate="one") == 1 / 2
    # units: piano 11, drums 01, flute 10; of 6 ratings 4 present: Do = 2/3, De = 2 * 4 * 2 / (6 * 5)
    assert found.alpha.value == pytest.approx(1 - (2 / 3) / (16 / 30), abs=1e-12)
    whole = agreement({**one}, {**other}, assume_absent=True)
    assert whole.value("micro_R", reference="one", estimate="other") == 1 / 3
    assert whole.alpha.units == 8  # piano, voice, drums, flute of both


def test_one_side_may_have_judged_everything() -> None:
    whole = InstrumentList(("piano", "voice"))
    partly = InstrumentList(("piano",), absent=("drums",), closed=False)
    found = agreement({"a": whole}, {"a": partly})
    assert found.value("R", reference="one", estimate="other") == 1.0  # nobody asked other about voice
    assert found.value("P", reference="other", estimate="one") == 1.0


def test_of_open_lists_that_name_only_what_is_present_nothing_is_known(tmp_path: Path) -> None:
    one = {"a": InstrumentList(("piano", "voice"), closed=False)}
    other = {"a": InstrumentList(("piano", "drums"), closed=False)}
    found = agreement({**one}, {**other})
    assert math.isnan(found.alpha.value)
    assert math.isnan(found.kappa.value)
    assert found.alpha.reason == found.kappa.reason
    assert "--assume-absent" in found.alpha.reason
    assert math.isnan(found.value("F"))
    assert "KT233" in [said.code for said in found.diagnostics]
    kt.write_run(found, tmp_path / "run")
    assert kt.agree("instruments", tmp_path / "run").to_dict() == found.to_dict()
    whole = agreement({**one}, {**other}, assume_absent=True)
    assert whole.value("F") == 1 / 2
    assert whole.alpha.value == pytest.approx(1 - (2 / 3) / (8 / 15))  # piano 11, voice 10, drums 01


def test_closed_lists_are_compared_beside_open_ones_that_tell_nothing() -> None:
    closed = InstrumentList(("piano",))
    present = InstrumentList(("piano",), closed=False)
    pair = judged_by_both([[closed, closed, present]], InstrumentOptions())
    assert pair is not None
    assert pair(closed, closed) is closed
    assert pair(closed, present).labels == pair(present, closed).labels == ()
    assert judged_by_both([[closed]], InstrumentOptions()) is None
