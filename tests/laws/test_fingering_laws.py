# SPDX-License-Identifier: MIT
"""The laws that each measure of fingering declares, for every measure of the registry."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kammerton as kt
from kammerton.fingering.annotation import MISSING, UNKNOWN, Fingering
from kammerton.fingering.match_rates import split_hands
from kammerton.fingering.task import TASK
from laws.corpora import ROUNDING, best_or_undefined, merging_changes_nothing, order_changes_nothing
from laws.fingering_pieces import (
    MEASURES,
    Piece,
    corpus,
    keepers,
    measure_named,
    pieces,
    same,
    statistics_of,
    values_of,
)

CORPORA = st.lists(pieces(annotators=3, notes=5), min_size=2, max_size=4).map(
    lambda found: {f"piece {number}": piece for number, piece in enumerate(found)}
)


# --- laws that measures declare ------------------------------------------------------------


@given(pieces(annotators=1))
def test_a_reference_scored_against_itself_is_best_or_undefined(piece: Piece) -> None:
    best_or_undefined(values_of(Piece(piece.refs, piece.refs[0])), keepers("identity"))


@given(pieces(annotators=1, missing=False))
def test_a_complete_reference_scored_against_itself_is_best_in_the_publication(piece: Piece) -> None:
    values = values_of(Piece(piece.refs, piece.refs[0]))
    best_or_undefined(values, [measure for measure in MEASURES if measure.protocol == "nakamura2020"])


@given(pieces(), st.sampled_from((0.25, 1.0, 3.875, 64.0)))
def test_moving_all_sides_in_time_changes_nothing(piece: Piece, seconds: float) -> None:
    same(keepers("time_shift"), values_of(piece), values_of(piece.shifted(seconds)))


@given(pieces(), st.permutations(range(8)))
def test_the_order_of_notes_that_begin_together_changes_nothing(piece: Piece, rank: list[int]) -> None:
    same(keepers("note_order"), values_of(piece), values_of(piece.reordered(rank, references=True)))


@given(pieces(), st.permutations(range(8)))
def test_the_order_in_the_estimate_changes_nothing_at_all(piece: Piece, rank: list[int]) -> None:
    same(MEASURES, values_of(piece), values_of(piece.reordered(rank, references=False)))


@given(pieces())
def test_swapping_hands_and_mirroring_keys_changes_nothing(piece: Piece) -> None:
    same(keepers("mirror"), values_of(piece), values_of(piece.mirrored()))


@pytest.mark.parametrize("profile", ["balliauw2017-S", "jacobs2001", "pianovam"])
@given(piece=pieces())
def test_hands_are_alike_in_every_profile(profile: str, piece: Piece) -> None:
    options = TASK.options(profile=profile)

    def rates(est: Fingering) -> list[float]:
        scores = kt.score(
            "fingering", None, {"s": {"p": est}}, annotators={"a": {"p": est}}, options=options, ci=None
        )
        return [scores.value(f"playability/{name}") for name in ("ifr_melodic", "ifr_chord")]

    assert rates(piece.est) == pytest.approx(rates(piece.mirrored().est), nan_ok=True)


@given(pieces(annotators=3), st.integers(0, 2))
def test_an_annotator_who_is_there_twice_changes_nothing(piece: Piece, number: int) -> None:
    twice = Piece((*piece.refs, piece.refs[number % len(piece.refs)]), piece.est)
    same(keepers("duplicate_annotator"), values_of(piece), values_of(twice))


# --- the match rates -----------------------------------------------------------------------


@given(pieces(missing=False))
def test_match_rates_are_in_order_where_every_note_is_labelled(piece: Piece) -> None:
    values = values_of(piece)
    rates = [values[measure_named(f"strike/{name}")] for name in ("M_gen", "M_high", "M_rec", "M_soft")]
    assert all(low <= high + ROUNDING for low, high in pairwise(rates)), rates


@given(pieces(annotators=3, notes=6, plain=True))
def test_recombination_is_the_best_of_all_paths(piece: Piece) -> None:
    est = piece.est.strikes
    refs = np.array([ref.strikes for ref in piece.refs])
    hands = split_hands(est, refs)
    refs = refs[(refs != 0).any(axis=1)]
    value = values_of(piece)[measure_named("strike/M_rec")]
    if len(refs) == 0:
        assert math.isnan(value)
        return
    scored = int((refs != 0).any(axis=0).sum())
    lanes = [(est[hands == hand].tolist(), refs[:, hands == hand].T.tolist()) for hand in (0, 1)]
    assert value == pytest.approx(1 - sum(least(*lane) for lane in lanes) / scored)


def least(est: list[int], refs: list[list[int]]) -> int:
    """Return the least cost of following some annotator from note to note, every path tried.

    Parameters
    ----------
    est : list of int
        Struck fingers.
    refs : list of list of int
        Of each note, the struck finger of each annotator.
    """

    @cache
    def onwards(note: int, annotator: int) -> int:
        missed = any(refs[note]) and not refs[note][annotator] == est[note] != 0
        return missed + (min(_nexts(note, annotator)) if note + 1 < len(est) else 0)

    def _nexts(note: int, annotator: int) -> Iterator[int]:
        mine = refs[note][annotator]
        for other, theirs in enumerate(refs[note]):
            if other == annotator:
                yield onwards(note + 1, other)
            elif mine == theirs or not mine or not theirs:
                yield 1 + onwards(note + 1, other)

    return min(onwards(0, annotator) for annotator in range(len(refs[0]))) if est else 0


# --- laws that every measure keeps ---------------------------------------------------------


@given(pieces())
def test_values_lie_within_their_range(piece: Piece) -> None:
    outside = {
        str(measure): value
        for measure, value in values_of(piece).items()
        if not (math.isnan(value) or measure.range[0] - ROUNDING <= value <= measure.range[1] + ROUNDING)
    }
    assert not outside


@given(pieces())
def test_worst_statistics_are_worth_the_declared_worst(piece: Piece) -> None:
    for measure, statistics in statistics_of(piece).items():
        value = measure.formula.finalise(statistics)
        worst = measure.formula.finalise(measure.formula.worst(statistics))
        defined = ~np.isnan(value)
        assert (worst[defined] == measure.worst).all(), str(measure)
        assert set(worst[~np.isnan(worst)].tolist()) <= {measure.worst}, str(measure)


@given(CORPORA, st.integers(0, 3))
def test_no_estimate_of_an_item_is_worse_for_a_corpus_than_the_worst(
    items: dict[str, Piece], number: int
) -> None:
    evidence = corpus(items).origin.evidence
    item = f"piece {number % len(items)}"
    for measure, statistics in evidence.statistics.items():
        chosen = np.array([row.item == item for row in evidence.rows[measure.needs]])
        with_worst = statistics.copy()
        with_worst[chosen] = measure.formula.worst(statistics[chosen])
        for how in measure.aggregates:
            real, worst = measure.corpus_score(statistics, how), measure.corpus_score(with_worst, how)
            gain = worst.value - real.value if measure.direction == "higher" else real.value - worst.value
            assert not gain > ROUNDING, (str(measure), how)
            assert math.isnan(real.value) or not math.isnan(worst.value), (str(measure), how)


def _all(finger: int) -> Callable[[Fingering], Fingering]:
    return lambda ref: replace(
        ref, labels=tuple(str(-finger if hand else finger) for hand in ref.hands.tolist())
    )


ADVERSARIES: dict[str, Callable[[Fingering], Fingering]] = {
    "the thumb everywhere": _all(1),
    "the middle finger everywhere": _all(3),
    "nothing": lambda ref: replace(ref, labels=(MISSING,) * len(ref)),
    "only the first note": lambda ref: replace(ref, labels=(ref.labels[0], *(MISSING,) * (len(ref) - 1))),
    "hands unknown": lambda ref: replace(ref, hands=np.full(len(ref), UNKNOWN)),
}


@pytest.mark.parametrize("adversary", ADVERSARIES.values(), ids=ADVERSARIES)
@given(piece=pieces(annotators=1))
def test_no_cheap_system_beats_the_reference_itself(
    adversary: Callable[[Fingering], Fingering], piece: Piece
) -> None:
    ref = piece.refs[0]
    best, values = values_of(Piece((ref,), ref)), values_of(Piece((ref,), adversary(ref)))
    for measure in MEASURES:
        if measure.needs in ("pair", "references+estimate"):
            assert not values[measure] > best[measure], str(measure)


# --- corpora -------------------------------------------------------------------------------


@given(CORPORA, st.randoms(use_true_random=False))
def test_the_order_of_items_does_not_matter(items: dict[str, Piece], random: Any) -> None:
    order_changes_nothing(corpus, items, random)


@given(CORPORA, st.integers(1, 3), st.booleans())
def test_the_evidence_of_two_parts_merges_into_that_of_the_whole(
    items: dict[str, Piece], cut: int, later_first: bool
) -> None:
    merging_changes_nothing(corpus, items, cut, later_first=later_first)
