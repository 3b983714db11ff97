# SPDX-License-Identifier: MIT
"""Chords by a trained model: what it counts, what it makes of it, and what it cannot be trained on."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray
from scipy.stats import multivariate_normal

import kammerton as kt
from kammerton.errors import DataError, OptionError
from kammerton.systems import read_model
from kammerton.systems.chord_hmm import features, likelihoods, rotated, transitions
from kammerton.systems.chord_states import states_of
from kammerton.systems.chroma import read_chroma

RATE = 22050
SONG = ((36, 60, 64, 67), (45, 57, 60, 64), (41, 60, 65, 69), (43, 59, 62, 65, 67))
LABELS = ("C:maj", "A:min", "F:maj", "G:7")
CHORDS = ([(2.0 * number, 2.0 * number + 2) for number in range(8)], [*LABELS, *LABELS])


def song(shift: int = 0, power: float = 1.0) -> NDArray[np.float64]:
    """Return the song twice, each chord four times."""
    times = np.arange(RATE // 2) / RATE
    return np.concatenate([_chord(keys, times, shift, power) for keys in (*SONG, *SONG) for _ in range(4)])


def _chord(keys: Sequence[int], times: NDArray[np.float64], shift: int, power: float) -> NDArray[np.float64]:
    waves = [
        np.sin(2 * np.pi * number * 440 * 2 ** ((key + shift - 69) / 12) * times) / 2 ** (power * number)
        for key in keys
        for number in (1, 2, 3, 4)
    ]
    return np.asarray(0.05 * np.sum(waves, axis=0) * np.exp(-2 * times))


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    folder = tmp_path / "audio"
    folder.mkdir()
    for name, shift in (("a", 0), ("b", 5)):
        soundfile.write(folder / f"{name}.wav", song(shift, 1 + shift / 10), RATE)
    return folder


def trained(recordings: Path, **choices: Any) -> Any:
    return kt.train("chords", {"a": CHORDS}, "audio-hmm", audio=recordings, **choices)


def test_what_is_learned_from_one_root_is_known_from_all(recordings: Path, tmp_path: Path) -> None:
    model = trained(recordings, out=tmp_path / "model.npz")
    heard = kt.annotate("chords", recordings, "audio-hmm", model=tmp_path / "model.npz")
    assert heard["a"].labels == (*LABELS, *LABELS)
    assert heard["b"].labels == ("F:maj", "D:min", "Bb:maj", "C:7") * 2
    assert [noted.code for noted in heard.diagnostics] == ["KT215"]  # it was trained on one of them
    assert read_model(tmp_path / "model.npz").digest == model.digest
    assert model.header["items"] == ["a"]


def test_counts_are_those_of_the_chords(recordings: Path) -> None:
    arrays = trained(recordings).arrays
    # maj, min, dim, 7, min7, maj7, no chord
    assert arrays["rows"].tolist() == [4, 2, 0, 2, 0, 0, 0]
    assert arrays["seconds"].tolist() == [8, 4, 0, 4, 0, 0, 0]
    changes = {
        tuple(place): arrays["changes"][tuple(place)] for place in np.argwhere(arrays["changes"]).tolist()
    }
    assert changes == {(0, 1, 9): 2, (1, 0, 8): 2, (0, 3, 2): 2, (3, 0, 5): 1}
    frames = features(read_chroma(recordings / "a.wav"))
    second = frames[22:43]  # from 2 s on, the minor chords of A
    np.testing.assert_allclose(arrays["mean"][1], rotated(second, 9).mean(axis=0), atol=0.05)


def test_likelihoods_are_those_of_gaussians(recordings: Path) -> None:
    arrays = trained(recordings).arrays
    frames = features(read_chroma(recordings / "b.wav"))[30:33]
    states = states_of(("maj", "min", "dim", "7", "min7", "maj7"), inversions=False)
    scores = likelihoods(frames, states, arrays)
    gaussian = multivariate_normal(arrays["mean"][3], arrays["covariance"][3])
    turned = np.hstack([np.roll(part, -2, axis=1) for part in np.split(frames, 2, axis=1)])
    np.testing.assert_allclose(scores[:, states.labels.index("D:7")], gaussian.logpdf(turned))
    assert (scores[:, states.labels.index("D:dim")] == -3000).all()  # of which it has heard none


@pytest.mark.parametrize("inversions", [False, True])
def test_transitions_are_probabilities(recordings: Path, inversions: bool) -> None:
    arrays = trained(recordings).arrays
    states = states_of(("maj", "min", "dim", "7", "min7", "maj7"), inversions=inversions)
    shares = np.exp(transitions(states, arrays, 0.5))
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    minor, major = states.labels.index("A:min"), states.labels.index("F:maj")
    stay = np.exp(-0.5 / 2)  # chords last 2 s
    # changes to 71 other chords at 0.1 each, to no chord at 1.2, and 2 that were counted
    change = (1 - stay) * 2.1 / (0.1 * (6 * 12 - 1 + 12) + 2)
    if inversions:
        assert shares[minor, minor] == pytest.approx(0.8 * stay)
        assert shares[minor, states.labels.index("A:min/b3")] == pytest.approx(0.1 * stay)
        assert shares[minor, states.labels.index("F:maj/3")] == pytest.approx(change / 3)
    else:
        assert shares[minor, minor] == pytest.approx(stay)
        assert shares[minor, major] == pytest.approx(change)


def test_no_chord_is_learned_too(recordings: Path) -> None:
    noise = 0.1 * np.random.default_rng(2).standard_normal(4 * RATE)
    soundfile.write(recordings / "a.wav", np.concatenate((noise, song(), noise)), RATE)
    intervals = [(0, 4), *((start + 4, end + 4) for start, end in CHORDS[0]), (20, 24)]
    chords = {"a": (intervals, ["N", *CHORDS[1], "N"])}
    model = kt.train("chords", chords, "audio-hmm", audio=recordings)
    heard = kt.annotate("chords", {"a": recordings / "a.wav"}, "audio-hmm", model=model)
    assert heard["a"].labels == ("N", *LABELS, *LABELS, "N")


def test_items_that_cannot_be_learned_from_are_reported(recordings: Path) -> None:
    (recordings / "b.wav").write_text("no sound")
    references = {"a": CHORDS, "b": CHORDS, "c": CHORDS, "d": CHORDS}
    model = kt.train("chords", references, "audio-hmm", audio=recordings)
    assert [(noted.code, noted.item) for noted in model.diagnostics] == [("KT822", None), ("KT820", "b")]
    assert model.diagnostics[0].message == "there is no recording of 2 of 4 items (`c`, `d`)"
    assert model.header["items"] == ["a"]


@pytest.mark.parametrize(
    ("system", "choices", "error", "said"),
    [
        ("audio-hmm", {"audio": None}, OptionError, "`audio-hmm` learns from recordings"),
        ("audio-hmm", {"settings": {"grid": "bars"}}, OptionError, "grid"),
        ("audio-hmm", {"settings": {"inversions": 1}}, OptionError, "inversions"),
        ("audio-hmm", {"references": {"a": ([(0, 8), (8, 16)], ["N", "C:sus4"])}}, DataError, "no label"),
        (
            "audio-hmm",
            {"references": {"c": CHORDS}},
            DataError,
            r"KT822 there is no recording of 1 of 1 item",
        ),
        ("hmm1", {"task": "fingering"}, OptionError, "`hmm1` takes no recordings"),
    ],
)
def test_what_cannot_be_trained(
    recordings: Path, system: str, choices: dict[str, Any], error: type[Exception], said: str
) -> None:
    notes = {"onsets": [0], "offsets": [1], "pitches": ["C4"], "hands": ["R"], "fingers": [1]}
    task = choices.pop("task", "chords")
    references = choices.pop("references", {"a": CHORDS if task == "chords" else notes})
    with pytest.raises(error, match=said):
        kt.train(task, references, system, **{"audio": recordings, **choices})
