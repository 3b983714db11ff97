# SPDX-License-Identifier: MIT
"""How labels compare: every pair that was run through both tools."""

import math

import pytest

import kammerton as kt
from cases.chords import LabelPair, label_pairs, song
from oracle.covered import EVALUATOR_PAIRS

TRICKY = label_pairs("chords_tricky_pairs.csv")
REAL = label_pairs("chords_label_pairs.csv")
TARGETS = list(TRICKY[0].values)

NO_VALUE_OF_THE_TOOL = {
    # The evaluator aborts on X, power and root-only chords in the estimate: 0 where the reference is
    # scored, not scored where it is X.
    ("C", "C:5", "mirex2013/Mirex2010"): 0,
    ("X", "X", "mirex2013/Mirex2010"): -1,
    ("N", "X", "mirex2013/Mirex2010"): 0,
    ("C", "X", "mirex2013/Mirex2010"): 0,
    ("C:7", "X", "mirex2013/Mirex2010"): 0,
    ("C:5", "X", "mirex2013/Mirex2010"): 0,
    # mir_eval cannot encode maj11; it has the bitmap of maj7, so the two are equal to every measure.
    **{("C:maj11", "C:maj7", target): 1 for target in TARGETS if target.startswith("mir_eval/")},
}


def scored(pairs: list[LabelPair]) -> list[dict[str, float]]:
    """Score each pair as a song of one second; -1 stands for undefined."""
    refs = {str(number): song((0, 1, pair.ref)) for number, pair in enumerate(pairs)}
    ests = {str(number): song((0, 1, pair.est)) for number, pair in enumerate(pairs)}
    scores = kt.score("chords", refs, ests, protocols=["mirex2013", "mir_eval"])
    values: list[dict[str, float]] = [{} for _ in pairs]
    columns = ("item", "protocol", "measure", "value")
    for item, protocol, measure, value in scores.items.select(columns).iter_rows():
        values[int(item)][f"{protocol}/{measure}"] = -1 if value is None else value
    return values


@pytest.fixture(scope="module")
def tricky_values() -> list[dict[str, float]]:
    return scored(TRICKY)


@pytest.fixture(scope="module")
def real_values() -> list[dict[str, float]]:
    return scored(REAL)


def test_there_are_eighteen_targets_and_all_cases() -> None:
    assert (len(TARGETS), len(TRICKY), len(REAL)) == (18, 85, 3000)
    assert {target for target in TARGETS if target.startswith("mirex2013/")} == EVALUATOR_PAIRS


@pytest.mark.parametrize("number", range(len(TRICKY)), ids=[f"{p.ref} {p.est}" for p in TRICKY])
def test_a_tricky_pair_has_the_value_of_the_tool(number: int, tricky_values: list[dict[str, float]]) -> None:
    pair = TRICKY[number]
    expected = {
        target: NO_VALUE_OF_THE_TOOL[pair.ref, pair.est, target] if value is None else value
        for target, value in pair.values.items()
    }
    assert {target: tricky_values[number][target] for target in TARGETS} == expected, pair.note


def test_every_exception_is_needed() -> None:
    lacking = {
        (pair.ref, pair.est, t) for pair in TRICKY for t, value in pair.values.items() if value is None
    }
    assert lacking == set(NO_VALUE_OF_THE_TOOL)


@pytest.mark.parametrize("target", TARGETS)
def test_3000_real_pairs_have_the_value_of_the_tool(target: str, real_values: list[dict[str, float]]) -> None:
    different = {
        (pair.ref, pair.est): (values[target], pair.values[target])
        for pair, values in zip(REAL, real_values, strict=True)
        if values[target] != pair.values[target]
    }
    assert not different


@pytest.mark.parametrize(
    ("ref", "est", "measure", "value"),
    [
        # power and root-only estimates of a reference that is scored: wrong, except in Root
        ("C", "C:1", "MajMin", 0.0),
        ("C", "C:1", "Root", 1.0),
        ("C:7", "C:5", "Sevenths", 0.0),
        ("C/5", "C:5/5", "MajMinBass", 0.0),
        # X in the estimate is wrong wherever the reference is scored
        ("N", "X", "MajMinBass", 0.0),
        ("C:maj6", "X", "Sevenths", math.nan),
        # an explicit N is not a missing row: see the time cases; N equals N in every vocabulary
        ("N", "N", "SeventhsBass", 1.0),
        # the spelled map decides on the vocabulary, the sounding one on equality
        ("A:min7(*5,b6)", "F:min7(*5,#5)", "MajMin", 0.0),
        ("A:min7(*5,b6)", "A:min(*5,#5)", "MajMin", 1.0),
        ("A:min(*5,#5)", "A:min7(*5,b6)", "MajMin", math.nan),
    ],
)
def test_pairs_that_the_evaluator_cannot_take(ref: str, est: str, measure: str, value: float) -> None:
    found = kt.chords.evaluate([(0, 1)], [ref], [(0, 1)], [est], protocol="mirex2013")[measure]
    assert found == pytest.approx(value, nan_ok=True)
