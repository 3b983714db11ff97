# SPDX-License-Identifier: MIT
"""Laws that a measure of fingering does not declare: each has an example in which it fails."""

import numpy as np
import pytest

from kammerton.fingering.annotation import Fingering
from laws.corpora import Counterexample, cases_of, fails, named, shown_by
from laws.fingering_pieces import MEASURES, Piece, measure_named, values_of

FINGERING_LAWS = {"identity", "time_shift", "note_order", "mirror", "duplicate_annotator"}


def notes(fingers: str, keys: str = "", onsets: str = "") -> Fingering:
    """Notes a second apart and up from the middle C, unless told otherwise; `.` is no finger."""
    labels = ["" if finger == "." else finger for finger in fingers.split()]
    begins = np.array([float(onset) for onset in onsets.split()] or range(len(labels)), dtype=float)
    pitches = np.array([int(key) for key in keys.split()] or [60 + n for n in range(len(labels))])
    hands = np.array([int(label.startswith("-")) for label in labels], dtype=np.int64)
    return Fingering(begins, begins + 1, pitches, hands, tuple(labels))


def last_twice(piece: Piece) -> Piece:
    return Piece((*piece.refs, piece.refs[-1]), piece.est)


def agreed_note_last(piece: Piece) -> Piece:
    return piece.reordered([2, 0, 1, 3, 4], references=True)


def highest_note_last(piece: Piece) -> Piece:
    return piece.reordered([0, 2, 1], references=True)


CHORD = "0 0 0 1 2"
TOGETHER = "0 0"
FIFTH = "60 67"

COUNTEREXAMPLES = [
    # On the first note of a chord all agree; the estimate follows B in the rest of it, then A. After the
    # chord, one cannot go over from B to A, unless the first note stands last: 2 misses, or 1 switch.
    Counterexample(
        "note_order",
        ("nakamura2020/M_rec", "strike/M_rec"),
        Piece(
            (notes("1 2 2 1 1", onsets=CHORD), notes("1 3 3 2 2", onsets=CHORD)),
            notes("1 3 3 1 1", onsets=CHORD),
        ),
        agreed_note_last,
        before=3 / 5,
        after=4 / 5,
    ),
    # thumb, little finger, thumb: both steps are fine; thumb, thumb, little finger: the first is not
    Counterexample(
        "note_order",
        ("pianovam/IFR",),
        Piece((notes("1 5 1", "60 72 64", "0 0 0"),), notes("1 5 1", "60 72 64", "0 0 0")),
        highest_note_last,
        before=0.0,
        after=1 / 2,
    ),
    # of A 2 of 2, of B 1 of 2; then of B once more 1 of 2
    Counterexample(
        "duplicate_annotator",
        named("nakamura2020", "M_gen")
        + named("strike", "M_gen", "accuracy", "finger_accuracy", "covered_accuracy")
        + named("pianovam", "M_gen"),
        Piece((notes("1 2"), notes("1 3")), notes("1 2")),
        last_twice,
        before=3 / 4,
        after=2 / 3,
    ),
    Counterexample(
        "duplicate_annotator",
        named("strike", "hand_accuracy"),
        Piece((notes("1 2"), notes("1 -3")), notes("1 2")),
        last_twice,
        before=3 / 4,
        after=2 / 3,
    ),
    # A labelled two notes, of which one is predicted, B that one
    Counterexample(
        "duplicate_annotator",
        named("strike", "coverage"),
        Piece((notes("1 2"), notes("1 .")), notes("1 .")),
        last_twice,
        before=2 / 3,
        after=3 / 4,
    ),
    # fingers 1, 2 and 3: 1, 2 * 1 / (2 + 1), 0; then 1, 2 * 1 / (3 + 1), 0
    Counterexample(
        "duplicate_annotator",
        named("strike", "finger_F1"),
        Piece((notes("1 2"), notes("1 3")), notes("1 2")),
        last_twice,
        before=5 / 9,
        after=1 / 2,
    ),
    # A plays a fifth with 1 and 5, B with 3 and 3
    Counterexample(
        "duplicate_annotator",
        named("playability", "ifr_melodic_references"),
        Piece((notes("1 5", FIFTH), notes("3 3", FIFTH)), notes("1 5", FIFTH)),
        last_twice,
        before=1 / 2,
        after=2 / 3,
    ),
    Counterexample(
        "duplicate_annotator",
        named("playability", "ifr_chord_references"),
        Piece(
            (notes("1 5", FIFTH, TOGETHER), notes("3 3", FIFTH, TOGETHER)),
            notes("1 5", FIFTH, TOGETHER),
        ),
        last_twice,
        before=1 / 2,
        after=2 / 3,
    ),
]


@pytest.mark.parametrize(("measure", "example"), cases_of(COUNTEREXAMPLES))
def test_an_undeclared_law_fails(measure: str, example: Counterexample[Piece]) -> None:
    fails(measure, example, values_of)


UNPLAYABLE = notes("3 3", FIFTH)
UNPLAYABLE_CHORD = notes("3 3", FIFTH, TOGETHER)

NO_IDENTITY = {
    # the only reference lacks the finger of one of two notes, which no estimate matches there
    **dict.fromkeys(
        named("nakamura2020", "M_gen", "M_high", "M_soft", "M_rec", "M_high_piece"), (notes("1 ."), 1 / 2)
    ),
    # no hand can play what the reference says
    "pianovam/IFR": (UNPLAYABLE, 1.0),
    **dict.fromkeys(named("playability", "ifr_melodic", "ifr_melodic_references"), (UNPLAYABLE, 1.0)),
    **dict.fromkeys(named("playability", "ifr_chord", "ifr_chord_references"), (UNPLAYABLE_CHORD, 1.0)),
}


@pytest.mark.parametrize("measure", NO_IDENTITY)
def test_a_measure_without_identity_has_a_reference_that_is_not_best_against_itself(measure: str) -> None:
    ref, value = NO_IDENTITY[measure]
    found = measure_named(measure)
    assert values_of(Piece((ref,), ref))[found] == value
    assert value != (found.range[1] if found.direction == "higher" else found.range[0])


def test_every_measure_keeps_each_law_or_has_a_counterexample() -> None:
    lacking = {(str(measure), law) for measure in MEASURES for law in FINGERING_LAWS - measure.laws}
    assert shown_by(COUNTEREXAMPLES, NO_IDENTITY) == lacking


def test_measures_declare_laws_of_fingering_only() -> None:
    assert {law for measure in MEASURES for law in measure.laws} == FINGERING_LAWS
