# SPDX-License-Identifier: MIT
"""The laws that each chord measure declares, for every measure of the registry."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws.corpora import ROUNDING, best_or_undefined, merging_changes_nothing, order_changes_nothing
from laws.measuring import corpus, keepers, measure_named, same, statistics_of, values_of
from laws.transformations import respelled, shifted, split, transposed
from strategies import Song, chord_songs, label_pools, song_pairs, spanning_pairs

CORPORA = st.lists(song_pairs(), min_size=2, max_size=5).map(
    lambda pairs: {f"song {number}": pair for number, pair in enumerate(pairs)}
)


def lone_songs() -> st.SearchStrategy[Song]:
    return label_pools().flatmap(lambda pool: chord_songs(st.sampled_from(pool)))


# --- laws that measures declare ------------------------------------------------------------


@given(lone_songs())
def test_a_reference_scored_against_itself_is_best_or_undefined(song: Song) -> None:
    best_or_undefined(values_of(song, song), keepers("identity"))


@given(song_pairs(), st.integers(-5, 6))
def test_transposing_both_sides_changes_nothing(pair: tuple[Song, Song], fifths: int) -> None:
    moved = (transposed(side, fifths) for side in pair)
    same(keepers("transposition"), values_of(*pair), values_of(*moved))


@given(song_pairs(), st.lists(st.integers(0, 5), max_size=16))
def test_respelling_roots_changes_nothing(pair: tuple[Song, Song], choices: list[int]) -> None:
    ref, est = pair
    after = values_of(respelled(ref, choices[::2]), respelled(est, choices[1::2]))
    same(keepers("respelling"), values_of(ref, est), after)


@given(song_pairs(), st.sampled_from((0.25, 1.0, 3.875, 64.0)))
def test_moving_both_sides_in_time_changes_nothing(pair: tuple[Song, Song], seconds: float) -> None:
    later = (shifted(side, seconds) for side in pair)
    same(keepers("time_shift"), values_of(*pair), values_of(*later), within=ROUNDING)


@given(song_pairs(), st.integers(0, 7), st.integers(0, 8), st.sampled_from((0.25, 0.5, 0.75)))
def test_splitting_rows_in_two_changes_nothing(
    pair: tuple[Song, Song], ref_row: int, est_row: int, share: float
) -> None:
    ref, est = pair
    after = values_of(
        split(ref, ref_row % len(ref[1]), share),
        split(est, est_row % len(est[1]), share) if est[1] else est,
    )
    same(keepers("split"), values_of(ref, est), after, within=ROUNDING)


@given(spanning_pairs())
def test_swapping_the_sides_changes_nothing(pair: tuple[Song, Song]) -> None:
    ref, est = pair
    same(keepers("symmetry"), values_of(ref, est), values_of(est, ref), within=ROUNDING)


# --- laws that every measure keeps ---------------------------------------------------------


@given(spanning_pairs())
def test_swapping_the_sides_swaps_under_and_over(pair: tuple[Song, Song]) -> None:
    ref, est = pair
    before, after = values_of(ref, est), values_of(est, ref)
    for under, over in (
        ("mirex2013/UnderSeg", "mirex2013/OverSeg"),
        ("mir_eval/underseg", "mir_eval/overseg"),
        ("decibel/UnS", "decibel/OvS"),
    ):
        swapped = before[measure_named(over)], before[measure_named(under)]
        assert (after[measure_named(under)], after[measure_named(over)]) == pytest.approx(
            swapped, abs=ROUNDING
        )


@given(song_pairs())
def test_values_lie_within_their_range(pair: tuple[Song, Song]) -> None:
    outside = {
        str(measure): value
        for measure, value in values_of(*pair).items()
        if not (math.isnan(value) or measure.range[0] <= value <= measure.range[1])
    }
    assert not outside


@given(song_pairs(), lone_songs())
def test_what_is_scored_depends_on_the_reference_alone(pair: tuple[Song, Song], other: Song) -> None:
    ref, est = pair
    for est_statistics, other_statistics in zip(
        statistics_of(ref, est).items(), statistics_of(ref, other).items(), strict=True
    ):
        measure, mine = est_statistics
        weight = measure.formula.weight
        assert weight(mine) == pytest.approx(weight(other_statistics[1]), abs=ROUNDING), str(measure)


@given(song_pairs())
def test_worst_statistics_are_worth_the_declared_worst_and_weigh_the_same(pair: tuple[Song, Song]) -> None:
    for measure, statistics in statistics_of(*pair).items():
        value = measure.formula.finalise(statistics)
        worst = measure.formula.worst(statistics)
        assert np.isnan(value).tolist() == np.isnan(measure.formula.finalise(worst)).tolist(), str(measure)
        assert measure.formula.finalise(worst)[~np.isnan(value)].tolist() in ([], [measure.worst])
        assert (value[~np.isnan(value)] >= measure.worst).all(), str(measure)
        assert measure.formula.weight(worst) == pytest.approx(measure.formula.weight(statistics))


@given(CORPORA, st.integers(0, 4))
def test_no_estimate_of_an_item_is_worse_for_a_corpus_than_the_worst(
    pairs: dict[str, tuple[Song, Song]], item: int
) -> None:
    for measure, statistics in corpus(pairs).origin.evidence.statistics.items():
        chosen = [item % len(pairs)]
        with_worst = statistics.copy()
        with_worst[chosen] = measure.formula.worst(statistics[chosen])
        for how in measure.aggregates:
            real, worst = measure.corpus_score(statistics, how), measure.corpus_score(with_worst, how)
            assert math.isnan(real.value) == math.isnan(worst.value), (str(measure), how)
            assert not worst.value > real.value + ROUNDING, (str(measure), how)
            assert worst.undefined == real.undefined


def _everywhere(label: str) -> Callable[[Song], Song]:
    return lambda ref: ([(0.0, ref[0][-1][1] + 1.0)], [label])


def _milliseconds(ref: Song) -> Song:
    edges = np.arange(0.0, ref[0][-1][1], 1e-3)
    labels = [ref[1][number % len(ref[1])] for number in range(len(edges))]
    return list(zip(edges.tolist(), (edges + 1e-3).tolist(), strict=True)), labels


ADVERSARIES: dict[str, Callable[[Song], Song]] = {
    "X everywhere": _everywhere("X"),
    "N everywhere": _everywhere("N"),
    "one giant segment": lambda ref: ([(0.0, 1e6)], [ref[1][0]]),
    "segments of 1 ms": _milliseconds,
    "nothing": lambda ref: ([], []),
}


@pytest.mark.parametrize("adversary", ADVERSARIES.values(), ids=ADVERSARIES)
@given(ref=lone_songs())
def test_no_cheap_system_beats_the_reference_itself(adversary: Callable[[Song], Song], ref: Song) -> None:
    best, values = values_of(ref, ref), values_of(ref, adversary(ref))
    for measure, value in values.items():
        assert math.isnan(value) == math.isnan(best[measure]), str(measure)
        assert not value > best[measure], str(measure)
        assert not (value < measure.range[0]), str(measure)


# --- corpora -------------------------------------------------------------------------------


@given(CORPORA, st.randoms(use_true_random=False))
def test_the_order_of_items_does_not_matter(pairs: dict[str, tuple[Song, Song]], random: Any) -> None:
    order_changes_nothing(corpus, pairs, random)


@given(CORPORA, st.integers(1, 4), st.booleans())
def test_the_evidence_of_two_parts_merges_into_that_of_the_whole(
    pairs: dict[str, tuple[Song, Song]], cut: int, later_first: bool
) -> None:
    merged, whole = merging_changes_nothing(corpus, pairs, cut, later_first=later_first, within=ROUNDING)
    assert merged.items.equals(whole.items)
