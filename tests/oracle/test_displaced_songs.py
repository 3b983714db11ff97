# SPDX-License-Identifier: MIT
"""Songs that were annotated from another recording than was heard: a search of our own, by mir_eval's triads.

The files are not in the repository; see the fixture ``shared_chords``.
"""

import re
from pathlib import Path
from typing import Any

import mir_eval
import numpy as np
import pytest

import kammerton as kt
from oracle.original_mir_eval import loaded

ISOPHONICS = "mirex/Isophonics2009"
BEATLES = "Beatles/10CD1_-_The_Beatles"
_STEP = 0.1


def triads(path: Path, times: Any) -> Any:
    """Return root and third at some times; -1 for no root."""
    intervals, labels = loaded(path) or (np.empty((0, 2)), [])
    encoded = [mir_eval.chord.encode(label) for label in labels]
    pairs = np.array([(root, root if root < 0 else int(tones[3])) for root, tones, _ in encoded])
    rows = np.clip(np.searchsorted(intervals[:, 0], times, side="right") - 1, 0, len(labels) - 1)
    return pairs[rows]


def told(shared: Path, system: str, item: str) -> str:
    """Return what is said of where a song would be right."""
    shown = kt.show("chords", shared / ISOPHONICS / "Ground-Truth", shared / ISOPHONICS / system, item)
    return next(note for note in shown.notes if "would be right" in note)


@pytest.mark.parametrize("system", ["2017-CM2", "2017-KBK2"])
@pytest.mark.parametrize(
    "song", ["CD1_-_06_-_The_Continuing_Story_of_Bungalow_Bill", "CD1_-_14_-_Don't_Pass_Me_By"]
)
def test_songs_that_come_early_are_found_where_a_search_finds_them(
    shared_chords: Path, system: str, song: str
) -> None:
    times = np.arange(0, 180, _STEP)
    reference = triads(shared_chords / ISOPHONICS / "Ground-Truth" / BEATLES / f"{song}.lab", times)
    moves = np.arange(-100, 101)
    right = [
        (
            triads(shared_chords / ISOPHONICS / system / BEATLES / f"{song}.lab", times - _STEP * each)
            == reference
        )
        .all(axis=1)
        .mean()
        for each in moves
    ]
    seconds = re.search(r"if it came ([\d.]+) s later", told(shared_chords, system, f"{BEATLES}/{song}"))
    assert seconds is not None
    assert float(seconds[1]) == pytest.approx(_STEP * moves[int(np.argmax(right))], abs=0.2)


@pytest.mark.parametrize("system", ["2017-CM2", "2017-KBK2"])
def test_a_song_in_another_key_is_found_where_a_search_finds_it(shared_chords: Path, system: str) -> None:
    song = "Beatles/08_-_Sgt._Pepper's_Lonely_Hearts_Club_Band/10_-_Lovely_Rita"
    times = np.arange(0, 160, _STEP)
    reference, estimate = (
        triads(shared_chords / ISOPHONICS / each / f"{song}.lab", times) for each in ("Ground-Truth", system)
    )
    right = []
    for semitones in range(12):
        roots = np.where(estimate[:, 0] < 0, -1, (estimate[:, 0] + semitones) % 12)
        right.append((np.column_stack([roots, estimate[:, 1]]) == reference).all(axis=1).mean())
    assert int(np.argmax(right)) == 1
    assert told(shared_chords, system, song).endswith("if all of it were 1 semitone higher")
