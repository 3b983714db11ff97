# SPDX-License-Identifier: MIT
"""What became of the time: outcomes, confusions, class averages, time that is not scored."""

import math
from typing import Any

import numpy as np
import pytest

import kammerton as kt
from cases.chords import song
from kammerton.chords.error_analysis import _summed
from kammerton.model.measure import find

#   seconds   0    2    3    4    5    6    7      8     10
#   ref       C    C    C    N    N    G    G      X
#   est       C    N    -    N    C    D    G:min  G
REF = song((0, 4, "C"), (4, 6, "N"), (6, 8, "G"), (8, 10, "X"))
EST = song(
    *((0, 2, "C"), (2, 3, "N")), *((4, 5, "N"), (5, 6, "C"), (6, 7, "D"), (7, 8, "G:min"), (8, 10, "G"))
)
# Second song: 3 s of A:min right, 2 s of C taken for G
REF_2 = song((0, 3, "A:min"), (3, 5, "C"))
EST_2 = song((0, 3, "A:min"), (3, 5, "G"))


@pytest.fixture(scope="module")
def one() -> kt.Scores:
    return kt.score("chords", {"1": REF}, {"system": {"1": EST}}, protocols="all")


@pytest.fixture(scope="module")
def two() -> kt.Scores:
    return kt.score("chords", {"1": REF, "2": REF_2}, {"system": {"1": EST, "2": EST_2}}, protocols="all")


def outcomes(scores: kt.Scores, address: str, item: int = 0) -> dict[str, float]:
    measure = find(address, scores.measures)
    statistics = scores.origin.evidence.statistics[measure][item]
    return dict(zip(measure.formula.statistics, statistics.tolist(), strict=True))


MAJMIN = {
    "excluded": 2.0,  # 8-10
    "correct_chord": 2.0,  # 0-2
    "correct_no_chord": 1.0,  # 4-5
    "substituted": 2.0,  # 6-8
    "deleted": 2.0,  # 2-4: N and silence
    "inserted": 1.0,  # 5-6
}
ROOT = {**MAJMIN, "correct_chord": 3.0, "substituted": 1.0}  # G:min has the root of G


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("mirex2013/MajMin", MAJMIN),
        ("mirex2013/Sevenths", MAJMIN),
        ("mirex2013/Root", ROOT),
        ("mir_eval/majmin", MAJMIN),  # the gap at 3 s takes the N before it
        ("mir_eval/root", ROOT),
        ("decibel/CSR", MAJMIN),
    ],
)
def test_time_is_summed_by_outcome(one: kt.Scores, measure: str, expected: dict[str, float]) -> None:
    assert outcomes(one, measure) == expected
    scored = sum(expected.values()) - expected["excluded"]
    right = expected["correct_chord"] + expected["correct_no_chord"]
    assert one.value(measure) == pytest.approx(right / scored)


def test_estimated_x_claims_a_chord() -> None:
    ref, est = song((0, 4, "C"), (4, 7, "N")), song((0, 7, "X"))
    found = outcomes(kt.score("chords", {"1": ref}, {"1": est}, protocols="all"), "mirex2013/Root")
    assert (found["substituted"], found["inserted"]) == (4.0, 3.0)


def test_a_missing_estimate_deletes_chords_and_has_no_n() -> None:
    scores = kt.score("chords", {"1": REF, "2": REF_2}, {"system": {"2": EST_2}}, protocols="all")
    assert outcomes(scores, "mirex2013/MajMin") == {
        "excluded": 2.0,
        "correct_chord": 0.0,
        "correct_no_chord": 0.0,
        "substituted": 2.0,
        "deleted": 6.0,
        "inserted": 0.0,
    }


# --- confusion -----------------------------------------------------------------------------


def cells(scores: kt.Scores, table: str) -> dict[tuple[Any, ...], float]:
    return {row[2:-1]: row[-1] for row in scores.table(table).iter_rows()}


CONFUSION = {
    (0, "maj", "maj"): 2.0,
    (None, "maj", "N"): 1.0,
    (None, "maj", "silence"): 1.0,
    (None, "N", "N"): 1.0,
    (None, "N", "maj"): 1.0,
    (7, "maj", "maj"): 1.0,  # D is 7 semitones above G
    (0, "maj", "min"): 1.0,
    (None, "X", "maj"): 2.0,
}


def test_confusions_are_summed_by_interval_and_qualities(one: kt.Scores) -> None:
    assert cells(one, "confusion") == CONFUSION
    assert one.table("confusion").columns == [
        "system",
        "annotator",
        "root_interval",
        "reference",
        "estimate",
        "s",
    ]


def test_the_heaviest_confusion_stands_first(two: kt.Scores) -> None:
    weights = two.table("confusion")["s"].to_list()
    assert weights == sorted(weights, reverse=True)


@pytest.mark.parametrize(
    ("ref", "est", "cell"),
    [
        ("Db:maj7", "C#:7", (0, "maj7", "7")),  # roots as they sound
        ("C:maj6", "A:min7", (9, "maj6", "min7")),
        ("A:min7(*5,b6)", "A:dim7", (0, "min#5(b7)", "dim7")),  # types as they sound
        ("C:sus4(b7)", "C:5", (0, "sus4(b7)", "5")),
        ("C:1", "X", (None, "1", "X")),
        ("C/b7", "C:9", (0, "7", "7")),
    ],
)
def test_qualities_are_types_at_the_level_of_tetrads(ref: str, est: str, cell: tuple[Any, ...]) -> None:
    scores = kt.score("chords", {"1": song((0, 3, ref))}, {"1": song((0, 3, est))}, protocols="all")
    assert cells(scores, "confusion") == {cell: 3.0}


def test_systems_and_annotators_have_tables_of_their_own() -> None:
    scores = kt.score(
        "chords", {"1": REF_2}, {"good": {"1": EST_2}, "none": {"1": song((0, 5, "N"))}}, protocols="all"
    )
    table = scores.table("confusion").select("system", "reference", "estimate", "s").rows()
    assert set(table) == {
        ("good", "min", "min", 3.0),
        ("good", "maj", "maj", 2.0),
        ("none", "min", "N", 3.0),
        ("none", "maj", "N", 2.0),
    }


def test_cells_of_any_number_are_summed() -> None:
    # two ways to sum: counting while there are few possible cells, sorting beyond
    weights = np.array([1.0, 2.0, 4.0, 8.0])
    for cell in (7, 1 << 40):
        groups, cells_found, sums = _summed(np.array([0, 1, 0, 1]), np.array([cell, 0, cell, cell]), weights)
        assert (groups.tolist(), cells_found.tolist()) == ([0, 1, 1], [cell, 0, cell])
        assert sums.tolist() == [1 + 4, 2, 8]


# --- class averages ------------------------------------------------------------------------


def test_acqa_is_the_mean_of_the_recalls_of_the_qualities(one: kt.Scores) -> None:
    # maj: 2 of 6 s, N: 1 of 2 s; X does not count
    assert one.value("ACQA") == pytest.approx((2 / 6 + 1 / 2) / 2)


def test_acqa_of_a_corpus_pools_each_quality_first(two: kt.Scores) -> None:
    # maj: 2 of 8 s, N: 1 of 2 s, min: 3 of 3 s
    assert two.value("ACQA") == pytest.approx((2 / 8 + 1 / 2 + 3 / 3) / 3)


def test_acqa_agrees_with_the_confusions(two: kt.Scores) -> None:
    confusion = cells(two, "confusion")
    recalls = []
    for quality in ("maj", "min", "N"):
        of_quality = {cell: weight for cell, weight in confusion.items() if cell[1] == quality}
        right = sum(w for (root, _, est), w in of_quality.items() if root in (0, None) and est == quality)
        recalls.append(right / sum(of_quality.values()))
    assert two.value("ACQA") == pytest.approx(sum(recalls) / 3)


def test_acqa_is_undefined_without_a_quality() -> None:
    scores = kt.score("chords", {"1": song((0, 4, "X"))}, {"1": song((0, 4, "C"))}, protocols="all")
    assert math.isnan(scores.value("ACQA"))


# --- time that is not scored ---------------------------------------------------------------

LEFT_OUT_REF = song((0, 4, "C"), (4, 5, "C/2"), (5, 8, "C:sus4"), (8, 10, "X"))


def test_time_that_is_not_scored_is_listed_by_label() -> None:
    scores = kt.score("chords", {"1": LEFT_OUT_REF}, {"1": song((0, 10, "C"))}, protocols="all")
    left_out: dict[str, dict[str, float]] = {}
    for (protocol, measure, label), seconds in cells(scores, "excluded").items():
        left_out.setdefault(f"{protocol}/{measure}", {})[label] = seconds
    foreign_bass, suspended, unknown = {"C/2": 1.0}, {"C:sus4": 3.0}, {"X": 2.0}
    of_mirex = [f"mirex2013/{name}{bass}" for name in ("MajMin", "Sevenths") for bass in ("", "Bass")]
    of_all = [f"mir_eval/{name}{bass}" for name in ("thirds", "triads", "tetrads") for bass in ("", "_inv")]
    of_mir_eval = [f"mir_eval/{name}{bass}" for name in ("majmin", "sevenths") for bass in ("", "_inv")]
    assert left_out == {
        **dict.fromkeys(("mirex2013/Root", "mirex2013/Mirex2010"), unknown),
        **dict.fromkeys(("mir_eval/root", "mir_eval/mirex", *of_all), unknown),
        **dict.fromkeys(of_mirex, suspended | unknown),
        **dict.fromkeys((*of_mir_eval, "decibel/CSR"), foreign_bass | suspended | unknown),
    }
    for address, labels in left_out.items():
        assert outcomes(scores, address)["excluded"] == sum(labels.values())


def test_a_corpus_that_is_scored_all_leaves_nothing_out() -> None:
    scores = kt.score("chords", {"1": REF_2}, {"1": EST_2}, measures=["mirex2013/MajMin", "mir_eval/majmin"])
    assert scores.table("excluded").is_empty()


def test_samples_have_no_time_that_is_not_scored() -> None:
    scores = kt.score("chords", {"1": LEFT_OUT_REF}, {"1": LEFT_OUT_REF}, protocols=["frames10ms"])
    assert scores.table("excluded").is_empty()


# --- what mir_eval gives away --------------------------------------------------------------


def credit_notes(scores: kt.Scores) -> list[str]:
    return [found.message for found in scores.diagnostics if found.code == "KT321"]


def test_estimated_x_that_mir_eval_counts_as_right_is_noted() -> None:
    # N against X: right in root and mirex; C against X: right in mirex; C:5 is not scored in mirex
    ref = song((0, 3, "N"), (3, 7, "C"), (7, 8, "C:5"))
    scores = kt.score("chords", {"1": ref}, {"system": {"1": song((0, 8, "X"))}}, protocols="all")
    assert credit_notes(scores) == [
        "mir_eval/root counts 3.000 s of estimated `X` as right, as mir_eval does",
        "mir_eval/mirex counts 7.000 s of estimated `X` as right, as mir_eval does",
    ]
    assert scores.value("mir_eval/root") == pytest.approx(3 / 8)
    assert scores.value("mir_eval/mirex") == pytest.approx(7 / 7)
    assert {found.system for found in scores.diagnostics if found.code == "KT321"} == {"system"}


def test_only_systems_that_gain_by_it_are_named() -> None:
    ref = {"1": song((0, 3, "N"))}
    scores = kt.score(
        "chords", ref, {"honest": ref, "x": {"1": song((0, 3, "X"))}}, measures=["mir_eval/root"]
    )
    assert [found.system for found in scores.diagnostics if found.code == "KT321"] == ["x"]


def test_nothing_is_noted_where_x_gains_nothing() -> None:
    scores = kt.score(
        "chords", {"1": song((0, 3, "C"))}, {"1": song((0, 3, "X"))}, measures=["mir_eval/root"]
    )
    assert not credit_notes(scores)


# --- a bass that is the root ---------------------------------------------------------------


def root_bass_notes(scores: kt.Scores) -> list[str]:
    return [said.message for said in scores.diagnostics if said.code == "KT322"]


@pytest.mark.parametrize("swapped", [False, True], ids=["in the reference", "in the estimate"])
def test_time_in_which_only_one_side_writes_the_root_as_bass_is_noted(swapped: bool) -> None:
    # 2 s of equal chords but for /1; 3 s with /1 on both sides; 1 s in which the triads differ too; 1 s of N;
    # 1 s in which Sevenths has other tetrads, and MajMin equal triads
    one = song((0, 2, "G:maj/1"), (2, 5, "C/1"), (5, 6, "D/1"), (6, 7, "N"), (7, 8, "E:7/1"))
    other = song((0, 2, "G"), (2, 5, "C/1"), (5, 6, "D:min"), (6, 7, "N"), (7, 8, "E"))
    ref, est = (other, one) if swapped else (one, other)
    scores = kt.score("chords", {"1": ref}, {"1": est}, protocols=["mirex2013", "frames10ms"])
    reason = "as wrong for a `/1` on one side only, as MIREX does"
    assert root_bass_notes(scores) == [
        f"mirex2013/MajMinBass counts 3.000 s {reason}",
        f"mirex2013/SeventhsBass counts 2.000 s {reason}",
        f"frames10ms/MajMinBass counts 3.000 s {reason}",
        f"frames10ms/SeventhsBass counts 2.000 s {reason}",
    ]
    assert scores.value("mirex2013/MajMin") == pytest.approx(7 / 8)
    assert scores.value("mirex2013/MajMinBass") == pytest.approx((7 - 3) / 8)


def test_a_root_bass_against_another_bass_is_not_noted() -> None:
    # 1 s: a bass foreign to the chord is dropped, which leaves none; a third is another bass
    ref = song((0, 2, "C/1"), (2, 3, "C/1"), (3, 4, "X"), (4, 5, "N"))
    est = song((0, 2, "C/3"), (2, 3, "C/2"), (3, 4, "C/1"), (4, 4.5, "X"))
    scores = kt.score("chords", {"1": ref}, {"1": est}, measures=["mirex2013/MajMinBass"])
    assert [message.split(" s ")[0] for message in root_bass_notes(scores)] == [
        "mirex2013/MajMinBass counts 1.000"
    ]
    assert scores.value("mirex2013/MajMinBass") == 0


def test_measures_without_a_bass_say_nothing_of_it() -> None:
    scores = kt.score(
        "chords", {"1": song((0, 2, "C/1"))}, {"1": song((0, 2, "C"))}, measures=["mirex2013/MajMin"]
    )
    assert root_bass_notes(scores) == []
    assert scores.tables == ("confusion", "excluded")
