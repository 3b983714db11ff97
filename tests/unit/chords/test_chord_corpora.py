# SPDX-License-Identifier: MIT
"""From songs to the figure of a corpus: three songs whose figures differ by every way of averaging."""

from collections.abc import Mapping

import pytest

import kammerton as kt
from cases.chords import song
from strategies import Song

# A: 100 s, all of it scored and right.  B: 300 s, of which 100 s are scored, all of it wrong.
# C: 50 s, out of every vocabulary of triads.
REFS: Mapping[str, Song] = {
    "A": song((0, 100, "C")),
    "B": song((0, 100, "C"), (100, 300, "C:sus4")),
    "C": song((0, 50, "C:sus4")),
}
ESTS: Mapping[str, Song] = {"A": song((0, 100, "C")), "B": song((0, 300, "G")), "C": song((0, 50, "C:sus4"))}
RECALLS = [
    *("mirex2013/MajMin", "mirex2013/MajMinBass", "mirex2013/Sevenths", "mirex2013/SeventhsBass"),
    *("mir_eval/majmin", "mir_eval/majmin_inv", "mir_eval/sevenths", "mir_eval/sevenths_inv"),
]


def scores_of(items: str) -> kt.Scores:
    refs, ests = ({item: side[item] for item in items} for side in (REFS, ESTS))
    return kt.score("chords", refs, {"system": ests}, protocols="all")


@pytest.mark.parametrize("items", ["AB", "ABC"])
@pytest.mark.parametrize("measure", RECALLS)
def test_wcsr_is_correct_time_over_scored_time(measure: str, items: str) -> None:
    assert scores_of(items).value(measure) == pytest.approx((100 + 0) / (100 + 100))


@pytest.mark.parametrize("items", ["AB", "ABC"])
@pytest.mark.parametrize("measure", RECALLS)
@pytest.mark.parametrize("aggregate", ["mean", "median"])
def test_a_song_without_a_value_is_left_out_of_averages(measure: str, items: str, aggregate: str) -> None:
    # mir_eval would count 0 for C, which makes the mean 1/3
    assert scores_of(items).value(measure, aggregate=aggregate) == pytest.approx((1 + 0) / 2)


@pytest.mark.parametrize("items", ["AB", "ABC"])
def test_decibel_weighs_songs_by_their_length(items: str) -> None:
    # C has no CSR and takes its 50 s with it
    assert scores_of(items).value("decibel/CSR") == pytest.approx((100 * 1 + 300 * 0) / (100 + 300))
    assert scores_of(items).value("decibel/CSR", aggregate="mean") == pytest.approx((1 + 0) / 2)


@pytest.mark.parametrize(("items", "seconds"), [("AB", 100 + 300), ("ABC", 100 + 300 + 50)])
def test_csr_total_is_right_time_over_all_time(items: str, seconds: float) -> None:
    scores = scores_of(items)
    assert scores.value("decibel/CSR_total") == pytest.approx(100 / seconds)
    # of B 200 s are no triad, of C all 50 s: they count as wrong, though C's estimate is equal
    assert scores.value("decibel/CSR_total", aggregate="mean") == pytest.approx(1 / len(items))


def test_what_a_figure_was_measured_on_stands_beside_it() -> None:
    found = {
        (row["protocol"], row["measure"], row["aggregate"]): (
            row["weight"],
            row["weight_unit"],
            row["items"],
            row["undefined"],
        )
        for row in scores_of("ABC").summary.to_dicts()
    }
    assert found["mirex2013", "MajMin", "pooled"] == (200.0, "s", 3, 1)
    assert found["mirex2013", "MajMin", "mean"] == (2.0, "items", 3, 1)
    assert found["mirex2013", "MajMin", "median"] == (2.0, "items", 3, 1)
    assert found["mirex2013", "Root", "pooled"] == (450.0, "s", 3, 0)
    assert found["mirex2013", "MeanSeg", "mean"] == (3.0, "items", 3, 0)
    assert found["decibel", "CSR", "weighted_mean"] == (400.0, "s", 3, 1)
    assert found["decibel", "Seg", "weighted_mean"] == (450.0, "s", 3, 0)


# Song 1: the estimate cuts one chord of 4 s in halves: over 1 - 2/4, under 1.
# Song 2: the estimate runs over one boundary of 2 of 8 s: under 1 - 2/8, over 1.
SEGMENTED_REFS = {"1": song((0, 4, "C")), "2": song((0, 6, "C"), (6, 8, "G"))}
SEGMENTED_ESTS = {"1": song((0, 2, "C"), (2, 4, "G")), "2": song((0, 8, "C"))}


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("mirex2013/OverSeg", (1 / 2 + 1) / 2),
        ("mirex2013/UnderSeg", (1 + 3 / 4) / 2),
        # the mean of harmonic means 2/3 and 6/7, which is not that of the means
        ("mirex2013/MeanSeg", (2 / 3 + 6 / 7) / 2),
        ("mirex2013/WorstSeg", (1 / 2 + 3 / 4) / 2),
        ("mir_eval/overseg", (1 / 2 + 1) / 2),
        ("mir_eval/underseg", (1 + 3 / 4) / 2),
        ("mir_eval/seg", (1 / 2 + 3 / 4) / 2),
        # weighted by 4 s and 8 s
        ("decibel/OvS", (4 * 1 / 2 + 8 * 1) / 12),
        ("decibel/UnS", (4 * 1 + 8 * 3 / 4) / 12),
        ("decibel/Seg", (4 * 1 / 2 + 8 * 3 / 4) / 12),
    ],
)
def test_segmentation_is_averaged_over_songs(measure: str, value: float) -> None:
    scores = kt.score("chords", SEGMENTED_REFS, {"system": SEGMENTED_ESTS}, protocols="all")
    assert scores.value(measure) == pytest.approx(value)


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        # rows of one label are not merged: the reference row is cut at 2 s, 6 s, the longest piece is 4 s
        ("decibel/OvS", 1 - (10 - 4) / 10),
        ("decibel/UnS", 1.0),
        ("decibel/Seg", 1 - (10 - 4) / 10),
        ("mir_eval/overseg", 1.0),
        ("mirex2013/OverSeg", 1.0),
    ],
)
def test_decibel_does_not_merge_rows(measure: str, value: float) -> None:
    ref, est = song((0, 10, "C")), song((0, 2, "C"), (2, 6, "C"), (6, 10, "C"))
    assert kt.score("chords", {"s": ref}, {"s": est}, protocols="all").value(measure) == pytest.approx(value)


def test_decibel_pads_the_estimate_to_the_span_of_the_reference() -> None:
    # reference 2-10; the estimate's 4-8 is padded with N in 2-4 and 8-10, and cut at both ends of N:
    # OvS: the row of 8 s in pieces of 2, 4, 2 loses 4; UnS: no estimated row runs over a boundary
    ref, est = song((2, 10, "C")), song((4, 8, "C"))
    scores = kt.score("chords", {"s": ref}, {"s": est}, protocols=["decibel"])
    assert scores.value("CSR") == pytest.approx(4 / 8)
    assert scores.value("OvS") == pytest.approx(1 - 4 / 8)
    assert scores.value("UnS") == pytest.approx(1.0)


def test_decibel_crops_the_estimate_to_the_span_of_the_reference() -> None:
    # the estimated row counts from 2 to 6 only: 3 s over C and 1 s over G
    ref, est = song((2, 5, "C"), (5, 6, "G")), song((0, 9, "C"))
    scores = kt.score("chords", {"s": ref}, {"s": est}, protocols=["decibel"])
    assert scores.value("CSR") == pytest.approx(3 / 4)
    assert scores.value("UnS") == pytest.approx(1 - 1 / 4)
    assert scores.value("OvS") == pytest.approx(1.0)


@pytest.mark.parametrize("before", [(), ("0",)])
def test_decibel_takes_a_gap_for_no_row_though_it_follows_the_first_of_all(before: tuple[str, ...]) -> None:
    # 0-2, a gap, 3-5 against 0-2, 2-5. A gap cuts rows of the other side: of 2-5 a piece of 1 s is lost, and
    # nothing of the rows beside the gap, wherever the song stands among others
    gap, whole = song((0, 2, "C"), (3, 5, "G")), song((0, 2, "C"), (2, 5, "G"))
    songs = dict.fromkeys(before, (song((0, 1, "D")), song((0, 1, "D")))) | {
        "gap in the reference": (gap, whole),
        "gap in the estimate": (whole, gap),
    }
    scores = kt.score(
        "chords",
        {name: ref for name, (ref, _) in songs.items()},
        {name: est for name, (_, est) in songs.items()},
        measures=["decibel/OvS", "decibel/UnS"],
    )
    found = {(row["item"], row["measure"]): row["value"] for row in scores.items.to_dicts()}
    assert found["gap in the reference", "OvS"] == 1
    assert found["gap in the reference", "UnS"] == pytest.approx(1 - 1 / 5)
    assert found["gap in the estimate", "OvS"] == pytest.approx(1 - 1 / 5)
    assert found["gap in the estimate", "UnS"] == 1
    alone = [
        kt.score("chords", ref, est, measures=["decibel/OvS", "decibel/UnS"]) for ref, est in songs.values()
    ]
    assert [each.value("OvS") for each in alone[-2:]] == pytest.approx([1, 1 - 1 / 5])
    assert [each.value("UnS") for each in alone[-2:]] == pytest.approx([1 - 1 / 5, 1])
