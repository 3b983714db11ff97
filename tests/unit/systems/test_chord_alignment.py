# SPDX-License-Identifier: MIT
"""Jump alignment: by hand, against the best of all ways, and from a sheet and a recording to times."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kammerton as kt
from kammerton.errors import OptionError
from kammerton.systems.chord_alignment import Matrix, SheetModel, SheetSettings, number_of, transpositions
from kammerton.systems.chord_states import states_of

SIZE = 25
"""Major chords are 0 to 11, minor ones 12 to 23, no chord is 24."""


def heard(chords: list[int], loud: float = 8.0) -> Matrix:
    """Return log likelihoods of steps in each of which one chord is heard."""
    return loud * np.eye(SIZE)[chords]


def aligned(chords: list[int], rows: list[int], scores: Matrix, **settings: float) -> Any:
    return SheetModel(np.array(chords), np.array(rows), SIZE, SheetSettings(**settings)).align(scores)


def best_of_all_ways(chords: list[int], rows: list[int], scores: Matrix, settings: SheetSettings) -> float:
    """Try every sequence of states in every key, by the rules that the documentation has."""
    count, size, move = len(chords), scores.shape[1], 1 - settings.stay
    ends = [place + 1 == count or rows[place] != rows[place + 1] for place in range(count)]
    starts = [place == 0 or ends[place - 1] for place in range(count)]

    def weight(one: int, other: int) -> float:
        ways = [settings.stay] if one == other else []
        if one < count and other < count:
            onward = 1 - settings.leave - (settings.jump if ends[one] else 0)
            ways += [move * onward] if other == one + 1 else []
            ways += [move * settings.jump / sum(starts)] if ends[one] and starts[other] else []
        elif one < count:
            ways.append(move * settings.leave / size)
        else:
            ways.append(move * (settings.enter / count if other < count else (1 - settings.enter) / size))
        return float(np.log(max(ways))) if ways else -np.inf

    best = -np.inf
    for key, states in product(range(12), product(range(count + size), repeat=len(scores))):
        numbers = [chords[state] if state < count else state - count for state in states]
        sounding = [
            number if number == size - 1 else number // 12 * 12 + (number + key) % 12 for number in numbers
        ]
        total = -np.log(2 * (count if states[0] < count else size))
        total += sum(scores[step][number] for step, number in enumerate(sounding))
        total += sum(map(weight, states[:-1], states[1:]))
        best = max(best, total)
    return best


@pytest.mark.parametrize("seed", range(3))
def test_the_best_way_is_the_best_of_all(seed: int) -> None:
    # twelve major chords, and none
    rng = np.random.default_rng(seed)
    chords, rows = rng.integers(0, 13, 2).tolist(), [0, seed % 2]
    scores = rng.normal(size=(3, 13)) * 4
    settings = SheetSettings(stay=0.6, jump=0.3, leave=0.2, enter=0.3)
    found = SheetModel(np.array(chords), np.array(rows), 13, settings).align(scores)
    assert found.log_likelihood == pytest.approx(best_of_all_ways(chords, rows, scores, settings))


def test_a_sheet_is_gone_through_to_the_last_step() -> None:
    # C G, Am F: two steps each, and one of F
    found = aligned([0, 7, 21, 5], [0, 0, 1, 1], heard([0, 0, 7, 7, 21, 21, 5]))
    assert (found.states.tolist(), found.key) == ([0, 0, 1, 1, 2, 2, 3], 0)


def test_a_row_is_sung_again_and_another_left_out() -> None:
    # C G | Am F | Dm Em: the first twice, then the last
    sheet = [0, 7, 21, 5, 14, 16]
    found = aligned(sheet, [0, 0, 1, 1, 2, 2], heard([0, 0, 7, 7, 0, 0, 7, 7, 14, 14, 16, 16]))
    assert found.states.tolist() == [0, 0, 1, 1, 0, 0, 1, 1, 4, 4, 5, 5]


@pytest.mark.parametrize("key", [0, 5, 11])
def test_the_key_is_found(key: int) -> None:
    played = [0, 7, 21, 5, 24]
    sounding = transpositions(SIZE)[key][played].tolist()
    found = aligned(played, [0, 0, 1, 1, 2], heard(sounding))
    assert (found.states.tolist(), found.key) == ([0, 1, 2, 3, 4], key)


def test_a_wrong_chord_is_passed_over_and_a_missing_one_heard() -> None:
    # the sheet has F# where E is heard, and lacks the Dm
    played = np.repeat([0, 5, 0, 4, 7, 21, 7, 14, 0, 9, 2], 4).tolist()
    states = aligned([0, 5, 0, 6, 7, 21, 7, 0, 9, 2], [0] * 10, heard(played)).states
    assert states[::4].tolist() == [0, 1, 2, 10 + 4, 4, 5, 6, 10 + 14, 7, 8, 9]


def test_of_a_sheet_of_another_song_nothing_is_left() -> None:
    played = [0] * 6 + [5] * 6 + [7] * 6
    states = aligned([1, 18, 20, 3, 10], [0, 0, 0, 1, 1], heard(played)).states
    assert (states - 5).tolist() == played


@pytest.mark.parametrize(
    ("label", "nearest"),
    [
        ("C:maj", "C:maj"),
        ("F#:min7/b3", "F#:min7/b3"),
        ("Gb:7/5", "F#:7/5"),
        ("D:sus4", "D:maj"),  # two tones of three are those of major and of minor: the first
        ("D:maj(9)", "D:maj"),
        ("B:hdim7", "B:dim"),  # 3 / sqrt(3) is more than 3 / sqrt(4)
        ("E:maj/2", "E:maj"),  # the second is no tone of it
        ("N", "N"),
    ],
)
def test_the_chord_that_is_nearest(label: str, nearest: str) -> None:
    states = states_of(("maj", "min", "dim", "7", "min7", "maj7"), inversions=True)
    assert states.labels[number_of(label, states)] == nearest


@pytest.mark.parametrize(
    "settings", [{"stay": 1}, {"leave": 0}, {"enter": True}, {"jump": 0.6, "leave": 0.4}]
)
def test_settings_are_probabilities(settings: dict[str, float]) -> None:
    with pytest.raises(OptionError):
        SheetSettings(**settings)


def write_tones(path: Path, chords: list[tuple[int, ...]], seconds: float = 1.0) -> None:
    """Write a recording of chords of MIDI numbers, each so long, with some harmonics."""
    soundfile = pytest.importorskip("soundfile")
    times = np.arange(int(seconds * 22050)) / 22050
    parts = [
        sum(
            0.6**harmonic * np.sin(2 * np.pi * 440 * 2 ** ((key - 69) / 12) * (harmonic + 1) * times)
            for key in chord
            for harmonic in range(4)
        )
        * np.exp(-1.5 * times)
        for chord in chords
    ]
    soundfile.write(path, 0.05 * np.concatenate(parts), 22050)


C, F, G, AM = (48, 60, 64, 67), (53, 60, 65, 69), (43, 59, 62, 67), (45, 60, 64, 69)


def test_from_a_sheet_and_a_recording_to_times(tmp_path: Path) -> None:
    write_tones(tmp_path / "song.wav", [C, F, G, C, AM, F, G, C])
    (tmp_path / "song.txt").write_text("capo 2\n\nBb  Eb  F  Bb\nla la\nGm  Eb  F7alt F  Bb\n")
    made = kt.annotate("chords", tmp_path, "sheet")
    assert [problem.code for problem in made.diagnostics] == ["KT830"]
    song = made["song"]
    assert song.labels == ("C:maj", "F:maj", "G:maj", "C:maj", "A:min", "F:maj", "G:maj", "C:maj")
    assert song.intervals[:, 0] == pytest.approx(range(8), abs=0.3)
    assert song.intervals[-1, 1] == pytest.approx(8)


@pytest.mark.parametrize(
    ("sheet", "problem"),
    [
        ("A D E A F#m D E A", "KT834 the recording is 3 semitones above the sheet"),
        ("C#7 D#7 A#7", "KT833 the sheet is followed 0% of the time only"),
    ],
)
def test_what_is_noticed_about_a_sheet(tmp_path: Path, sheet: str, problem: str) -> None:
    write_tones(tmp_path / "song.wav", [C, F, G, C, AM, F, G, C])
    (tmp_path / "song.txt").write_text(sheet)
    (found,) = kt.annotate("chords", tmp_path, "sheet").diagnostics
    assert found.concise().startswith(problem)
