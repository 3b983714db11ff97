# SPDX-License-Identifier: MIT
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kammerton.fingering import alignment as module
from kammerton.fingering.alignment import NoteAlignment, align, match_notes
from kammerton.fingering.annotation import Fingering

Note = tuple[int, float]


def fingering(*notes: Note) -> Fingering:
    pitches = np.array([pitch for pitch, _ in notes], dtype=np.int64)
    onsets = np.array([onset for _, onset in notes], dtype=np.float64)
    return Fingering(onsets, onsets + 0.5, pitches, np.zeros_like(pitches), ("",) * len(notes))


def matched(ref: list[Note], est: list[Note], tolerance_s: float = 0.05) -> list[int]:
    found = align(fingering(*ref), fingering(*est), tolerance_s=tolerance_s)
    return list(map(int, found.matched))


def codes(alignment: NoteAlignment) -> list[tuple[str, str]]:
    return [(found.code, found.severity) for found in alignment.diagnostics]


SCALE = [(60 + step, step / 2) for step in range(40)]


def test_equal_columns_are_matched_as_they_stand() -> None:
    assert matched(SCALE, SCALE) == list(range(40))
    nearly = [(pitch, onset + 5e-10) for pitch, onset in SCALE]
    assert matched(SCALE, nearly, tolerance_s=0) == list(range(40))
    assert matched([], []) == []
    # two notes of one key at once stay apart by number
    assert matched([(60, 0), (60, 0)], [(60, 0), (60, 0)]) == [0, 1]


def test_a06_one_note_more() -> None:
    ref, est = fingering(*SCALE), fingering(*SCALE[:3], (30, 1.2), *SCALE[3:])
    found = align(ref, est, tolerance_s=0.05)
    assert codes(found) == [("KT371", "warning")]
    assert found.usable
    assert found.diagnostics[0].message == "note 4 (F#1 at 1.2) of the estimate is not in the reference"


def test_a06_notes_less() -> None:
    found = align(fingering(*SCALE), fingering(*SCALE[2:]), tolerance_s=0.05)
    assert codes(found) == [("KT372", "warning")]
    assert found.diagnostics[0].message == (
        "note 1 (C4 at 0) of the reference is not in the estimate, and 1 more like this"
    )
    assert found.diagnostics[0].count == 2
    assert found.matched.tolist() == [-1, -1, *range(38)]


def test_a08_one_pitch_differs() -> None:
    ref, est = fingering(*SCALE), fingering(*SCALE[:5], (66, 2.5), *SCALE[6:])
    found = align(ref, est, tolerance_s=0.05)
    assert codes(found) == [("KT370", "warning")]
    assert found.diagnostics[0].message == (
        "note 6 (F4 at 2.5) of the reference is note 6 (F#4 at 2.5) in the estimate"
    )


def test_conflicts_of_a_chord_go_from_the_bottom_up() -> None:
    ref, est = fingering((67, 0), (60, 0), *SCALE[1:]), fingering((61, 0), (68, 0), *SCALE[1:])
    assert align(ref, est, tolerance_s=0.05).diagnostics[0].message == (
        "note 1 (G4 at 0) of the reference is note 2 (Ab4 at 0) in the estimate, and 1 more like this"
    )


def test_a09_onsets_within_the_tolerance() -> None:
    late = [(pitch, onset + 0.02) for pitch, onset in SCALE]
    assert matched(SCALE, late) == list(range(40))
    assert matched([(60, 1.0)], [(60, 1.05)]) == [0]  # 1.05 - 1.0 > 0.05 in binary
    assert matched([(60, 1.0)], [(60, 1.0501)]) == [-1]
    assert matched([(60, 1.0)], [(60, 1.2)], tolerance_s=0.25) == [0]


def test_a10_in_order_and_not_nearest() -> None:
    # 0.04 is nearer to 0.06 than to 0.00
    assert matched([(60, 0.0), (60, 0.06)], [(60, 0.04), (60, 0.10)]) == [0, 1]


def test_nearest_where_a_note_is_missing() -> None:
    assert matched([(60, 0.0), (60, 0.04)], [(60, 0.04)]) == [-1, 0]
    assert matched([(60, 0.0), (60, 0.0)], [(60, 0.0)]) == [0, -1]  # a tie: the first


def test_as_many_as_possible_before_near() -> None:
    # 0.05 - 0.05 alone would leave two notes on each side
    assert matched([(60, 0.0), (60, 0.05), (60, 0.2)], [(60, 0.05), (60, 0.1), (60, 0.4)]) == [0, 1, -1]


def test_fewer_than_95_of_100_notes_matched() -> None:
    ref = fingering(*SCALE[:20])
    assert codes(align(ref, fingering(*SCALE[1:20]), tolerance_s=0.05)) == [("KT372", "warning")]
    found = align(ref, fingering(*SCALE[2:20]), tolerance_s=0.05)
    assert codes(found) == [("KT372", "warning"), ("KT373", "error")]
    assert found.diagnostics[1].message == "18 of 20 notes of the reference matched"
    assert not found.usable


def test_a04_an_empty_estimate_is_scored() -> None:
    found = align(fingering(*SCALE[:5]), fingering(), tolerance_s=0.05)
    assert (found.matched.tolist(), found.usable) == ([-1] * 5, True)
    assert align(fingering(), fingering((60, 0)), tolerance_s=0.05).usable


# --- against all matchings -------------------------------------------------------------------

LIMIT = 3.0
times = st.lists(st.integers(0, 9), max_size=5).map(lambda values: np.array(values, dtype=np.float64))


def best(refs: list[float], ests: list[float]) -> tuple[int, float]:
    """Try every one-to-one matching in order: most pairs, then least deviation."""
    for count in range(min(len(refs), len(ests)), 0, -1):
        deviations = [
            sum(abs(a - b) for a, b in zip(some, others, strict=True))
            for some in combinations(refs, count)
            for others in combinations(ests, count)
            if all(abs(a - b) <= LIMIT for a, b in zip(some, others, strict=True))
        ]
        if deviations:
            return count, min(deviations)
    return 0, 0.0


def same_key(refs: NDArray[np.float64], ests: NDArray[np.float64]) -> NDArray[np.int64]:
    keys = (np.full(len(values), 60) for values in (refs, ests))
    return match_notes(next(keys), refs, next(keys), ests, LIMIT)


@given(times, times)
def test_matching_is_the_best(refs: NDArray[np.float64], ests: NDArray[np.float64]) -> None:
    found = same_key(refs, ests)
    pairs = np.flatnonzero(found >= 0)
    deviation = float(np.abs(refs[pairs] - ests[found[pairs]]).sum())
    assert (len(pairs), deviation) == best(sorted(refs.tolist()), sorted(ests.tolist()))
    assert len(set(found[pairs].tolist())) == len(pairs)
    by_time = np.lexsort((np.arange(len(refs)), refs))
    in_order = found[by_time][found[by_time] >= 0]
    assert (np.diff(ests[in_order]) >= 0).all()


@given(times, times)
def test_greedy_matching_finds_as_many(refs: NDArray[np.float64], ests: NDArray[np.float64]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CELLS", 0)
        found = same_key(refs, ests)
    assert (found >= 0).sum() == best(sorted(refs.tolist()), sorted(ests.tolist()))[0]
