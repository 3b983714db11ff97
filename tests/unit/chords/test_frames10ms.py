# SPDX-License-Identifier: MIT
"""Recall by samples at 0, 0.01, 0.02, ... seconds."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kammerton as kt
from cases.chords import song
from kammerton.chords import evaluate, frame_csr
from kammerton.chords.protocols.frames10ms import samples_before
from kammerton.errors import OptionError
from strategies import Song, song_pairs

FIVE = ["Root", "MajMin", "MajMinBass", "Sevenths", "SeventhsBass"]


def two_chords(boundary: float, end: float) -> tuple[Song, Song]:
    return song((0, end, "C")), song((0, boundary, "C"), (boundary, end, "G"))


@pytest.mark.parametrize(
    ("boundary", "end", "right", "scored"),
    [
        (0.07, 0.1, 7, 10),  # the sample at 0.07 belongs to the row that starts there
        (0.075, 0.1, 8, 10),  # samples at 0 to 0.07
        (0.29, 0.5, 29, 50),  # 0.29 / 0.01 is a little less than 29 in binary
        (0.57, 0.6, 57, 60),  # 57 * 0.01 is a little more than 0.57
        (0.35, 0.701, 35, 71),  # the last sample is at 0.70
        (0.005, 0.01, 1, 1),  # a single sample, at 0
        (0.004, 0.0100001, 1, 2),
        (3.0, 3.0049, 300, 301),
        (119.99, 120.0, 11999, 12000),
    ],
)
def test_samples_are_counted(boundary: float, end: float, right: int, scored: int) -> None:
    ref, est = two_chords(boundary, end)
    scores = kt.score("chords", {"s": ref}, {"s": est}, protocols=["frames10ms"])
    assert scores.value("MajMin") == right / scored
    found = scores.summary.filter(measure="MajMin", aggregate="pooled").to_dicts()[0]
    assert (found["weight"], found["weight_unit"]) == (scored, "samples")


def test_there_are_five_measures_and_they_run_on_request_only() -> None:
    pair = two_chords(0.5, 1.0)
    addresses = [f"frames10ms/{name}" for name in FIVE]
    assert list(evaluate(*pair[0], *pair[1], protocol="frames10ms")) == addresses
    assert list(frame_csr(*pair[0], *pair[1])) == FIVE
    scores = kt.score("chords", {"s": pair[0]}, {"s": pair[1]})
    assert "frames10ms" not in {measure.protocol for measure in scores.measures}
    named = kt.score("chords", {"s": pair[0]}, {"s": pair[1]}, measures=["frames10ms/Root"])
    assert [str(measure) for measure in named.measures] == ["frames10ms/Root"]


def test_a_corpus_pools_samples() -> None:
    # 7 of 10 and 10 of 40 samples
    refs = {"1": two_chords(0.07, 0.1)[0], "2": two_chords(0.1, 0.4)[0]}
    ests = {"1": two_chords(0.07, 0.1)[1], "2": two_chords(0.1, 0.4)[1]}
    scores = kt.score("chords", refs, ests, protocols=["frames10ms"])
    assert scores.value("MajMin") == 17 / 50
    assert scores.value("MajMin", aggregate="mean") == pytest.approx((0.7 + 0.25) / 2)


def test_time_counts_from_zero_and_silence_equals_silence() -> None:
    # samples 0 to 0.04: silence on both sides; 0.05 to 0.07 right; 0.08, 0.09 silence against C
    ref, est = song((0.05, 0.1, "C")), song((0.05, 0.08, "C"))
    assert frame_csr(*ref, *est)["MajMin"] == 8 / 10


def test_what_is_out_of_vocabulary_is_not_sampled() -> None:
    ref, est = song((0, 0.5, "C:sus4"), (0.5, 0.6, "C")), song((0, 0.6, "C"))
    assert frame_csr(*ref, *est) == {
        "Root": 1.0,
        "MajMin": 1.0,
        "MajMinBass": 1.0,
        "Sevenths": 1.0,
        "SeventhsBass": 1.0,
    }
    assert math.isnan(frame_csr(*song((0, 1, "C:sus4")), *est)["MajMin"])


def test_a_row_between_two_samples_is_not_heard() -> None:
    ref, est = song((0, 0.02, "C")), song((0, 0.011, "C"), (0.011, 0.019, "G"), (0.019, 0.02, "C"))
    assert frame_csr(*ref, *est)["MajMin"] == 1.0
    assert evaluate(*ref, *est, protocol="mirex2013")["MajMin"] == pytest.approx(0.012 / 0.02)


@pytest.mark.parametrize(("hop_s", "right", "scored"), [(0.1, 3, 10), (0.25, 2, 4), (0.5, 1, 2), (2.0, 1, 1)])
def test_the_hop_can_be_chosen(hop_s: float, right: int, scored: int) -> None:
    ref, est = two_chords(0.3, 1.0)
    assert frame_csr(*ref, *est, hop_s=hop_s)["MajMin"] == right / scored


@pytest.mark.parametrize("hop_s", [0.0, -0.01, math.nan, math.inf, 1e-9])
def test_a_hop_that_is_none_is_refused(hop_s: float) -> None:
    ref, est = two_chords(0.3, 1.0)
    with pytest.raises(OptionError, match="hop_s"):
        frame_csr(*ref, *est, hop_s=hop_s)


@given(song_pairs())
def test_recall_converges_as_the_hop_shrinks(pair: tuple[Song, Song]) -> None:
    # Samples and seconds of a slice differ by less than one hop, in the dividend and in the divisor;
    # where anything is scored it is 1/8 s at least.
    ref, est = pair
    exact = evaluate(*ref, *est, protocol="mirex2013")
    slices = 2 * (len(ref[1]) + len(est[1])) + 1
    for hop_s in (1e-2, 1e-3, 1e-4, 1e-5):
        sampled = frame_csr(*ref, *est, hop_s=hop_s)
        for name in FIVE:
            assert math.isnan(sampled[name]) == math.isnan(exact[name])
            if not math.isnan(exact[name]):
                assert abs(sampled[name] - exact[name]) <= 2 * slices * hop_s / 0.125


@given(st.integers(0, 10**6), st.sampled_from((0.01, 0.001, 0.1)))
def test_a_boundary_on_a_sample_lies_before_it(number: int, hop_s: float) -> None:
    time = np.array([round(number * hop_s, 9)])  # as a file writes it
    assert samples_before(time, hop_s).tolist() == [number]
