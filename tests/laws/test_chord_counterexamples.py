# SPDX-License-Identifier: MIT
"""Laws that a measure does not declare: each has an example in which it fails."""

from collections.abc import Callable
from functools import partial

import pytest

from laws.corpora import Counterexample, cases_of, fails, named, shown_by
from laws.measuring import MEASURES, measure_named, values_of
from laws.transformations import respelled, shifted, split
from strategies import Song

CHORD_LAWS = {"identity", "transposition", "respelling", "time_shift", "split", "symmetry"}

Pair = tuple[Song, Song]


def rows(*parts: tuple[float, float, str]) -> Song:
    return [(start, end) for start, end, _ in parts], [label for *_, label in parts]


def both(change: Callable[[Song], Song]) -> Callable[[Pair], Pair]:
    return lambda pair: (change(pair[0]), change(pair[1]))


def sides_swapped(pair: Pair) -> Pair:
    return pair[1], pair[0]


def est_split(pair: Pair) -> Pair:
    return pair[0], split(pair[1], 0, 0.5)


def ref_split(pair: Pair) -> Pair:
    return split(pair[0], 0, 0.5), pair[1]


FIVE = ("Root", "MajMin", "MajMinBass", "Sevenths", "SeventhsBass")
ELEVEN = (
    "root",
    "thirds",
    "thirds_inv",
    "triads",
    "triads_inv",
    "tetrads",
    "tetrads_inv",
    "majmin",
    "majmin_inv",
    "sevenths",
    "sevenths_inv",
)
WHOLE, CUT = rows((0, 2, "C")), rows((0, 1, "C"), (1, 2, "G"))
RIGHT, WRONG_HALF = rows((0, 2, "C"), (2, 4, "C")), rows((0, 2, "X"), (2, 4, "C"))

COUNTEREXAMPLES = [
    # 1 s, all wrong; moved by 1 s, there is 1 s of silence on both sides before it, which is right
    Counterexample(
        "time_shift",
        named("mirex2013", *FIVE, "Mirex2010") + named("frames10ms", *FIVE),
        (rows((0, 1, "C")), rows((0, 1, "G"))),
        both(partial(shifted, seconds=1)),
        before=0.0,
        after=0.5,
    ),
    # 1 s of 2 s lost; moved by 2 s, 1 s of 4 s
    Counterexample(
        "time_shift",
        named("mirex2013", "OverSeg", "WorstSeg"),
        (WHOLE, CUT),
        both(partial(shifted, seconds=2)),
        before=0.5,
        after=0.75,
    ),
    Counterexample(
        "time_shift",
        named("mirex2013", "UnderSeg"),
        (CUT, WHOLE),
        both(partial(shifted, seconds=2)),
        before=0.5,
        after=0.75,
    ),
    # harmonic mean of 1 and 0.5, then of 1 and 0.75
    Counterexample(
        "time_shift",
        named("mirex2013", "MeanSeg"),
        (CUT, WHOLE),
        both(partial(shifted, seconds=2)),
        before=2 / 3,
        after=6 / 7,
    ),
    # two rows of the reference become one as soon as both are spelled alike: choice 1 is Db
    Counterexample(
        "respelling",
        named("mirex2013", "UnderSeg", "WorstSeg"),
        (rows((0, 1, "C#"), (1, 2, "Db")), rows((0, 2, "Db"))),
        both(partial(respelled, choices=[1, 1])),
        before=0.5,
        after=1.0,
    ),
    Counterexample(
        "respelling",
        named("mirex2013", "OverSeg"),
        (rows((0, 2, "Db")), rows((0, 1, "C#"), (1, 2, "Db"))),
        both(partial(respelled, choices=[1, 1])),
        before=0.5,
        after=1.0,
    ),
    Counterexample(
        "respelling",
        named("mirex2013", "MeanSeg"),
        (rows((0, 2, "Db")), rows((0, 1, "C#"), (1, 2, "Db"))),
        both(partial(respelled, choices=[1, 1])),
        before=2 / 3,
        after=1.0,
    ),
    # rows are not merged: half of the row lies outside the longer piece
    Counterexample("split", named("decibel", "OvS", "Seg"), (WHOLE, WHOLE), est_split, before=1.0, after=0.5),
    Counterexample("split", named("decibel", "UnS"), (WHOLE, WHOLE), ref_split, before=1.0, after=0.5),
    # X in the reference is left out, X in the estimate is wrong
    Counterexample(
        "symmetry",
        named("mirex2013", *FIVE, "Mirex2010", "ACQA")
        + named("frames10ms", *FIVE)
        + named("mir_eval", *ELEVEN)
        + named("decibel", "CSR"),
        (WRONG_HALF, RIGHT),
        sides_swapped,
        before=1.0,
        after=0.5,
    ),
    # 1 s of the 2 s of the reference is right; its estimate as reference has 1 s, all of it right
    Counterexample(
        "symmetry",
        named("decibel", "CSR_total"),
        (WHOLE, rows((0, 1, "C"))),
        sides_swapped,
        before=0.5,
        after=1.0,
    ),
    # a reference of two tones is left out; in the estimate it has two in common with C, not three
    Counterexample(
        "symmetry",
        named("mir_eval", "mirex"),
        (rows((0, 2, "C:5"), (2, 4, "C")), RIGHT),
        sides_swapped,
        before=1.0,
        after=0.5,
    ),
    Counterexample(
        "symmetry",
        named("mirex2013", "UnderSeg") + named("mir_eval", "underseg") + named("decibel", "UnS"),
        (WHOLE, CUT),
        sides_swapped,
        before=1.0,
        after=0.5,
    ),
    Counterexample(
        "symmetry",
        named("mirex2013", "OverSeg") + named("mir_eval", "overseg") + named("decibel", "OvS"),
        (CUT, WHOLE),
        sides_swapped,
        before=1.0,
        after=0.5,
    ),
]


@pytest.mark.parametrize(("measure", "example"), cases_of(COUNTEREXAMPLES))
def test_an_undeclared_law_fails(measure: str, example: Counterexample[Pair]) -> None:
    fails(measure, example, lambda pair: values_of(*pair))


NO_IDENTITY = {
    # {3, 5} are two tones, and three in common are asked for: wrong even against itself
    "mirex2013/Mirex2010": rows((0, 2, "C:(3,5)")),
    # of no vocabulary of triads: not scored, and yet divided by
    "decibel/CSR_total": rows((0, 2, "C:sus4")),
}


@pytest.mark.parametrize("measure", NO_IDENTITY)
def test_a_measure_without_identity_has_a_reference_that_is_wrong_against_itself(measure: str) -> None:
    song = NO_IDENTITY[measure]
    assert values_of(song, song)[measure_named(measure)] == 0.0


def test_every_measure_keeps_each_law_or_has_a_counterexample() -> None:
    lacking = {(str(measure), law) for measure in MEASURES for law in CHORD_LAWS - measure.laws}
    assert shown_by(COUNTEREXAMPLES, NO_IDENTITY) == lacking


def test_measures_declare_chord_laws_only() -> None:
    assert {law for measure in MEASURES for law in measure.laws} == CHORD_LAWS
