# SPDX-License-Identifier: MIT
"""Protocols ``mir_eval`` and ``decibel`` against the original, on random songs of every kind."""

import math
import random
from dataclasses import dataclass
from itertools import pairwise

import pytest

import kammerton as kt
from oracle.covered import MIR_EVAL, names_of
from oracle.original_mir_eval import (
    Values,
    arrays,
    compared_with,
    evaluated,
    nothing_comparable,
    segmented_unmerged,
)
from strategies import Song

pytestmark = pytest.mark.slow

COUNT = 2400
SEED = 20260131

LABELS = [
    *("C", "C:maj", "C:(1,3,5)", "B#", "C/1", "C/3", "C/b7", "C/9", "C:maj(9)", "C:maj(2)", "C:maj(*1)"),
    *("C:7", "C:9", "C:13", "G", "Db", "C#", "A:min", "A:min7", "A:min/b3", "E:minmaj7", "E:min(7)"),
    *("F:sus4", "F:sus4(b7)", "D:5", "D:1", "B:dim", "B:hdim7", "Ab:aug", "N", "N", "X"),
]


@dataclass(frozen=True)
class Pair:
    ref: Song
    est: Song


def random_song(rng: random.Random, labels: list[str], *, decimal: bool) -> Song:
    """Make up to ten rows from near 0, with gaps and rows of no length now and then."""
    unit = 0.001 if decimal else 0.25
    scale = 700 if decimal else 6
    tick = rng.choice((0, 0, 0, rng.randint(1, scale)))
    intervals, names = [], []
    for _ in range(rng.randint(1, 10)):
        if rng.random() < 0.12:
            tick += rng.randint(1, scale)
        length = 0 if rng.random() < 0.04 else rng.randint(1, scale)
        intervals.append((round(tick * unit, 3), round((tick + length) * unit, 3)))
        names.append(rng.choice(labels))
        tick += length
    return intervals, names


def varied(rng: random.Random, ref: Song, labels: list[str]) -> Song:
    """Change a reference a little: other labels, rows left out at either end, a row behind it."""
    intervals, names = list(ref[0]), [rng.choice(labels) if rng.random() < 0.3 else name for name in ref[1]]
    if len(names) > 1 and rng.random() < 0.3:
        intervals, names = intervals[1:], names[1:]
    if len(names) > 1 and rng.random() < 0.3:
        intervals, names = intervals[:-1], names[:-1]
    if rng.random() < 0.3:
        end = intervals[-1][1]
        intervals, names = [*intervals, (end, end + 1)], [*names, rng.choice(labels)]
    return intervals, names


def random_pairs() -> dict[str, Pair]:
    rng = random.Random(SEED)
    pairs = {}
    for number in range(COUNT):
        labels = rng.sample(LABELS, rng.randint(1, 6))
        ref = random_song(rng, labels, decimal=number % 2 == 0)
        if rng.random() < 0.5:
            est = varied(rng, ref, labels)
        else:
            est = random_song(rng, labels, decimal=number % 2 == 0)
        pairs[f"{number:04}"] = Pair(ref, ([], []) if number % 97 == 0 else est)
    return pairs


PAIRS = random_pairs()


@pytest.fixture(scope="module")
def originals() -> dict[str, Values | None]:
    return {item: evaluated(arrays(pair.ref), arrays(pair.est)) for item, pair in PAIRS.items()}


@pytest.fixture(scope="module")
def scores() -> kt.Scores:
    return kt.score(
        "chords",
        {item: pair.ref for item, pair in PAIRS.items()},
        {item: pair.est for item, pair in PAIRS.items()},
        protocols=["mir_eval", "decibel"],
    )


def has_gap(song: Song) -> bool:
    return any(end < start for (_, end), (start, _) in pairwise(song[0]))


def has_empty_row(song: Song) -> bool:
    return any(start == end for start, end in song[0])


@pytest.mark.slow
def test_songs_of_every_kind_are_among_those_the_original_can_take(
    originals: dict[str, Values | None],
) -> None:
    taken = [PAIRS[item] for item, values in originals.items() if values is not None]
    filled = [pair for pair in taken if pair.est[1]]
    kinds = {
        "any": len(taken),
        "gap in the reference": sum(has_gap(pair.ref) for pair in taken),
        "gap in the estimate": sum(has_gap(pair.est) for pair in taken),
        "row of no length": sum(has_empty_row(pair.ref) or has_empty_row(pair.est) for pair in taken),
        "no estimate": len(taken) - len(filled),
        "estimate longer": sum(pair.est[0][-1][1] > pair.ref[0][-1][1] for pair in filled),
        "estimate shorter": sum(pair.est[0][-1][1] < pair.ref[0][-1][1] for pair in filled),
        "both end together": sum(pair.est[0][-1][1] == pair.ref[0][-1][1] for pair in filled),
        "estimate starts later": sum(pair.est[0][0][0] > pair.ref[0][0][0] for pair in filled),
        "estimate starts earlier": sum(pair.est[0][0][0] < pair.ref[0][0][0] for pair in filled),
        "N": sum("N" in pair.ref[1] + pair.est[1] for pair in taken),
        "X": sum("X" in pair.ref[1] + pair.est[1] for pair in taken),
    }
    assert kinds["any"] > 1500
    assert all(count >= 10 for count in kinds.values()), kinds
    assert sum(values is None for values in originals.values()) > 100


def test_values_are_those_of_the_original(scores: kt.Scores, originals: dict[str, Values | None]) -> None:
    assert compared_with(scores, originals, "mir_eval") == []


def test_every_measure_that_is_said_to_agree_is_among_them(originals: dict[str, Values | None]) -> None:
    pair = PAIRS["0001"]
    unmerged = segmented_unmerged(arrays(pair.ref), arrays(pair.est))
    assert originals["0001"] is not None
    assert unmerged is not None
    assert originals["0001"].keys() == names_of(MIR_EVAL, "mir_eval")
    assert {"CSR", *unmerged} == names_of(MIR_EVAL, "decibel")


def test_a_song_alone_has_the_values_it_has_among_others(scores: kt.Scores) -> None:
    columns = ("item", "measure", "value")
    among: dict[str, dict[str, float]] = {}
    for item, measure, value in scores.items.filter(protocol="mir_eval").select(columns).iter_rows():
        among.setdefault(item, {})[measure] = math.nan if value is None else value
    chosen = [item for item, pair in PAIRS.items() if has_empty_row(pair.ref) or has_empty_row(pair.est)]
    assert len(chosen) > 300
    for item in chosen:
        pair = PAIRS[item]
        alone = kt.chords.evaluate(*pair.ref, *pair.est)
        assert alone == pytest.approx(among[item], rel=0, abs=0, nan_ok=True), item


def test_what_is_undefined_is_where_the_original_compares_nothing(
    scores: kt.Scores, originals: dict[str, Values | None]
) -> None:
    undefined = scores.items.filter(protocol="mir_eval", status="undefined").select("item", "measure")
    seen = 0
    for item, measure in undefined.iter_rows():
        if originals[item] is not None:
            pair = PAIRS[item]
            assert nothing_comparable(arrays(pair.ref), arrays(pair.est), measure), (item, measure)
            seen += 1
    assert seen > 100


def test_songs_that_the_original_cannot_take_have_values_within_range(
    scores: kt.Scores, originals: dict[str, Values | None]
) -> None:
    assert scores.counts["estimate"] == {"total": COUNT, "ok": COUNT, "missing": 0, "failed": 0}
    refused = [item for item, values in originals.items() if values is None]
    rows = scores.items.filter(scores.items["item"].is_in(refused))
    assert set(rows["status"]) == {"ok", "undefined"}
    defined = rows["value"].drop_nulls()
    assert defined.is_between(0, 1).all()
    assert len(defined) > len(rows) / 2


def test_csr_of_decibel_is_majmin_of_the_original(
    scores: kt.Scores, originals: dict[str, Values | None]
) -> None:
    csr = {item: None if values is None else {"CSR": values["majmin"]} for item, values in originals.items()}
    assert compared_with(scores, csr, "decibel") == []


def test_segmentation_of_decibel_is_that_of_the_original_on_rows_as_they_are(scores: kt.Scores) -> None:
    originals = {item: segmented_unmerged(arrays(pair.ref), arrays(pair.est)) for item, pair in PAIRS.items()}
    assert sum(values is not None for values in originals.values()) > COUNT / 2
    assert compared_with(scores, originals, "decibel") == []
