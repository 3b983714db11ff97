# SPDX-License-Identifier: MIT
"""Instruments of recordings: training, hearing, and clips of which features are there."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kammerton as kt
from kammerton.errors import DataError, OptionError
from kammerton.instruments import InstrumentList, load_taxonomy
from kammerton.systems.audio_features import FEATURES, RATE, SoundFeatures, _mel_filters, read_features
from kammerton.systems.instrument_audio import (
    AudioInstrumentSettings,
    best_thresholds,
    coded,
    fit,
    hear,
    hysteresis,
    labels_of,
    out_of_fold,
    probabilities,
    targets_of,
)
from kammerton.systems.openmic import read_clips
from kammerton.systems.rendering import wav_bytes

LABELS = sorted(load_taxonomy("openmic-2018").leaves)


def features_of(tmp_path: Path, samples: Any) -> SoundFeatures:
    """Return the features of samples."""
    path = tmp_path / "sound.wav"
    path.write_bytes(wav_bytes(np.asarray(samples, dtype=np.float32), RATE))
    return read_features(path)


def tone(frequency: float, seconds: float, level: float = 0.5) -> Any:
    return level * np.sin(2 * np.pi * frequency * np.arange(int(seconds * RATE)) / RATE)


# --- features --------------------------------------------------------------------------------


def test_mel_filters_are_triangles_of_area_one() -> None:
    filters = _mel_filters()
    np.testing.assert_allclose(filters.sum(axis=0), 1, atol=1e-5)
    assert (np.diff(filters.argmax(axis=0)) >= 0).all()


def test_features_say_nothing_of_the_level(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).normal(0, 0.1, 3 * RATE)
    loud, soft = (features_of(tmp_path, level * noise) for level in (1.0, 0.5))
    one, other = (sound.windows(np.array([0]), np.array([3])) for sound in (loud, soft))
    np.testing.assert_allclose(one, other, atol=0.1)  # but for what is nearly silent


def test_windows_are_made_of_seconds(tmp_path: Path) -> None:
    sound = features_of(tmp_path, np.concatenate((tone(220, 2), tone(1760, 2))))
    assert (len(sound), sound.duration) == (4, 4)
    low, high, both = sound.windows(np.array([0, 2, 0]), np.array([2, 4, 4]))
    assert low.shape == (FEATURES,)
    means = slice(0, sound.means.shape[1])
    np.testing.assert_allclose(both[means], (low[means] + high[means]) / 2)
    mels = sound.mels.argmax(axis=1)
    assert mels[0] == mels[1] < mels[2] == mels[3]


@pytest.mark.parametrize(("seconds", "count"), [(0.1, 1), (1.4, 1), (1.6, 2), (3, 3)])
def test_every_recording_has_a_second(tmp_path: Path, seconds: float, count: int) -> None:
    assert len(features_of(tmp_path, tone(440, seconds))) == count


# --- training --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        (InstrumentList(("piano",)), [1, 0]),
        (InstrumentList(("piano",), closed=False), [1, np.nan]),
        (InstrumentList((), absent=("voice",), closed=False), [np.nan, 0]),
        (InstrumentList(("piano", "voice"), np.array([0.2, 0.7]), vector=True), [0.2, 0.7]),
    ],
)
def test_what_nobody_judged_is_no_target(own: InstrumentList, expected: list[float]) -> None:
    np.testing.assert_equal(targets_of([own], ["piano", "voice"]), expected)


def test_probabilities_are_those_of_scikit_learn() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    chances = np.random.default_rng(1)
    features, noise = chances.normal(3, 2, (200, 8)), chances.normal(0, 1, (200, 2))
    targets = (features[:, :2] + noise > 3).astype(float)
    targets[::7, 1] = np.nan
    own = probabilities(features, fit(features, targets, penalty=0.05))
    standard = (features - features.mean(axis=0)) / features.std(axis=0)
    for place in range(2):
        known = np.isfinite(targets[:, place])
        model = linear_model.LogisticRegression(C=0.05, class_weight="balanced", max_iter=1000)
        model.fit(standard[known], targets[known, place])
        np.testing.assert_allclose(own[:, place], model.predict_proba(standard)[:, 1], atol=1e-6)


@pytest.mark.parametrize(
    ("scores", "present", "threshold"),
    [
        ([0.9, 0.7, 0.5, 0.1], [1, 1, 0, 0], 0.6),  # F1 1
        ([0.9, 0.7, 0.5, 0.1], [1, 0, 0, 1], 0.8),  # F1 2/3 at 1 and 2/4, 2/5, 4/6 below: the first
        ([0.5, 0.5, 0.2], [1, 0, 0], 0.35),  # equal scores are not parted
        ([0.5, 0.2], [0, 0], 0.5),  # nothing to choose by
        ([0.9, 0.4, 0.8], [1, np.nan, 0], 0.85),
    ],
)
def test_thresholds_have_the_largest_f1(scores: list[float], present: list[float], threshold: float) -> None:
    found = best_thresholds(np.array(scores)[:, None], np.array(present)[:, None])
    np.testing.assert_allclose(found, threshold)


def test_rows_are_heard_by_models_of_other_folds() -> None:
    pytest.importorskip("sklearn")
    features = np.random.default_rng(0).normal(0, 1, (30, 3))
    targets = np.zeros((30, 1))
    targets[:10] = 1  # all of one group: in its own fold nothing else is present
    groups = np.repeat([0, 1, 2], 10)
    chances = out_of_fold(features, targets, groups)
    assert (chances[:10] == 0.5).all()  # of models that have never heard it, nothing is known
    assert chances.shape == (30, 1)


# --- hearing ---------------------------------------------------------------------------------


def arrays_of(**labels: float) -> dict[str, Any]:
    """Return a model of which the first feature alone counts: present above the threshold of each label."""
    weights = np.zeros((len(labels), FEATURES))
    weights[:, 0] = 1.0
    return {
        "mean": np.zeros(FEATURES),
        "scale": np.ones(FEATURES),
        "weights": weights,
        "biases": -np.array(list(labels.values())),
        "thresholds": np.full(len(labels), 0.5),
        "labels": coded(list(labels)),
    }


def sound_of(*seconds: float) -> SoundFeatures:
    """Return features of which the first mean is given by second, and all others are 0."""
    means = np.zeros((len(seconds), (FEATURES - 64) // 3))
    means[:, 0] = seconds
    zeros = np.zeros_like(means)
    return SoundFeatures(means, means**2, zeros, np.zeros((len(seconds), 64)), float(len(seconds)))


def test_a_model_has_its_labels() -> None:
    assert labels_of(arrays_of(piano=1, flute=2)) == ("piano", "flute")


def test_what_plays_long_enough_is_listed_with_its_times() -> None:
    sound = sound_of(0, 0, 9, 9, 9, 0, 0, 5, 0, 0)
    settings = AudioInstrumentSettings(window=1, shortest=2)
    heard = hear(sound, arrays_of(piano=4, flute=8, horn=20), settings)
    assert heard.labels == ("piano", "flute")  # the second at 7 s is lost to the median
    assert heard.segments == ((2, 5, "piano"), (2, 5, "flute"))
    np.testing.assert_allclose(heard.scores, 1 / (1 + np.exp([-5, -1])))
    long = AudioInstrumentSettings(window=1, shortest=4)
    assert hear(sound, arrays_of(piano=4), long).labels == ()


def test_an_instrument_goes_on_until_it_is_far_below_its_threshold() -> None:
    chances = np.array([[0.4], [0.6], [0.45], [0.2], [0.45]])
    assert hysteresis(chances, np.array([0.5]), keep=0.8)[:, 0].tolist() == [False, True, True, False, False]
    assert hysteresis(chances, np.array([0.5]), keep=1)[:, 0].tolist() == [False, True, False, False, False]


@pytest.mark.parametrize("settings", [{"window": 0}, {"window": 1.5}, {"shortest": -1}])
def test_settings_that_cannot_be(settings: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        AudioInstrumentSettings(**settings)


# --- the verbs -------------------------------------------------------------------------------


def write_openmic(path: Path, *, keys: Any = None, clips: int = 90) -> None:
    """Write made-up clips as OpenMIC-2018 has them; piano is heard by the first features."""
    chances = np.random.default_rng(0)
    present = chances.random((clips, 20))
    features = chances.integers(0, 10, (clips, 10, 128))
    piano, voice = LABELS.index("piano"), LABELS.index("voice")
    features[:, :, :20] += (100 * (present[:, [piano], None] >= 0.5)).astype(int)
    mask = np.zeros((clips, 20), dtype=bool)
    mask[:, piano] = True
    mask[::2, voice] = True
    names = np.array([f"{number:06}_1" for number in range(clips)], dtype=object)
    np.savez(path, X=features, Y_true=present, Y_mask=mask, sample_key=names if keys is None else keys)


def test_clips_of_openmic_train_by_one_call(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    path = tmp_path / "openmic-2018.npz"
    write_openmic(path)
    lists = read_clips(path).lists
    splits = {item: "test" if number >= 70 else "train" for number, item in enumerate(lists)}
    model = kt.train("instruments", path, "audio", splits=splits)
    assert len(model.header["items"]) == 70
    assert labels_of(model.arrays) == ("piano", "voice")  # what nobody judged is not learned
    assert model.arrays["mean"].shape == (256,)  # mean and deviation
    heard = kt.annotate("instruments", path, "audio", model=model, split="test", splits=splits)
    assert len(heard) == 20
    for item, own in heard.items():
        assert ("piano" in own.labels) == ("piano" in lists[item].labels)
    # a model of such features hears no recordings
    wav = tmp_path / "song.wav"
    wav.write_bytes(wav_bytes(np.asarray(tone(440, 1), dtype=np.float32)))
    with pytest.raises(DataError, match="was trained on 256 features, of which there are 217"):
        kt.annotate("instruments", wav, "audio", model=model)


class Evil:
    """Would write a file if it were read by pickle."""

    def __reduce__(self) -> Any:
        return Path.touch, (Path("evil"),)


@pytest.mark.parametrize(
    "arrays",
    [
        {"X": np.zeros((2, 10, 128))},
        {"X": np.zeros((2, 10, 128)), "sample_key": np.array(["a"])},
        {"X": np.zeros((1, 128)), "sample_key": np.array(["a"])},
        {"X": np.zeros((1, 10, 128)), "sample_key": np.array([Evil()], dtype=object)},
        {"X": np.zeros((1, 1, 1)), "sample_key": np.array(["a"]), "Y_true": np.zeros((1, 3))},
    ],
)
def test_files_that_are_no_clips_are_errors(arrays: dict[str, Any], tmp_path: Path) -> None:
    np.savez(tmp_path / "clips.npz", **arrays)
    with pytest.raises(DataError, match="not a file of features"):
        read_clips(tmp_path / "clips.npz")


def test_recordings_train_and_are_heard(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    lists = {}
    for number in range(24):
        frequency, level = 200 + 10 * number, 0.2 + 0.02 * number
        is_noisy = number % 2 == 0
        noise = np.random.default_rng(number).normal(0, 0.1, RATE)
        samples = noise if is_noisy else tone(frequency, 1, level)
        (tmp_path / f"song{number}.wav").write_bytes(wav_bytes(np.asarray(samples, dtype=np.float32)))
        lists[f"song{number}"] = ["drums"] if is_noisy else ["flute"]
    (tmp_path / "broken.wav").write_bytes(b"RIFF")
    lists["broken"] = ["flute"]
    model = kt.train("instruments", lists, "audio", audio=tmp_path)
    assert "broken" not in model.header["items"]
    assert any(problem.code == "KT820" for problem in model.diagnostics)
    heard = kt.annotate("instruments", tmp_path, "audio", model=model)
    assert {item: list(own.labels) for item, own in heard.items()} == {
        item: labels for item, labels in lists.items() if item != "broken"
    }


def test_nothing_to_learn_is_an_error(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    write_openmic(tmp_path / "openmic-2018.npz", clips=4)
    with pytest.raises(DataError, match="there is nothing to learn: no instrument is in 5 items"):
        kt.train("instruments", tmp_path / "openmic-2018.npz", "audio")
