# SPDX-License-Identifier: MIT
"""Sound: read in blocks as if read whole, and what cannot be read."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from scipy.signal import resample_poly

from kammerton.errors import DataError, OptionError
from kammerton.systems import audio
from kammerton.systems.audio import analyse, read_blocks

Write = Callable[..., Path]
RNG = np.random.default_rng(1)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(samples: Any, rate: int = 44100, name: str = "song.wav", **choices: Any) -> Path:
        path = tmp_path / name
        soundfile.write(path, samples, rate, **choices)
        return path

    return write


@pytest.mark.parametrize("length", [1, 1999, 2000, 30_011])
@pytest.mark.parametrize(
    ("rate", "up", "down"), [(44100, 1, 4), (48000, 147, 640), (8000, 441, 320), (11025, 1, 1)]
)
def test_blocks_make_what_the_whole_makes(
    write: Write, monkeypatch: pytest.MonkeyPatch, rate: int, up: int, down: int, length: int
) -> None:
    monkeypatch.setattr(audio, "_BLOCK", 1000)
    samples = RNG.uniform(-0.9, 0.9, (length, 2)).astype(np.float32)
    blocks = list(read_blocks(write(samples, rate, subtype="FLOAT"), 11025))
    assert len(blocks) >= length // 2000
    np.testing.assert_allclose(
        np.concatenate(blocks), resample_poly(samples.mean(axis=1), up, down), atol=1e-6
    )


@pytest.mark.parametrize("name", ["song.wav", "song.flac", "song.ogg", "song.mp3"])
def test_a_tone_is_the_same_in_every_format(write: Write, name: str) -> None:
    tone = 0.5 * np.sin(2 * np.pi * 440 * np.arange(44100) / 44100)
    spectrum = np.abs(np.fft.rfft(np.concatenate(list(read_blocks(write(tone, name=name), 11025)))[:11025]))
    assert spectrum.argmax() == 440
    assert spectrum[440] == pytest.approx(0.25 * 11025, rel=0.02)  # half the amplitude, half the samples


@pytest.mark.parametrize("length", [1, 2, 3, 7, 8, 9, 25])
@pytest.mark.parametrize("block", [1, 3, 100])
def test_frames_are_centred_and_none_is_lost(
    write: Write, monkeypatch: pytest.MonkeyPatch, block: int, length: int
) -> None:
    monkeypatch.setattr(audio, "_BLOCK", block)
    samples = np.arange(1, length + 1, dtype=np.float32) / 64
    analysis = analyse(write(samples, 4, subtype="FLOAT"), np.array, rate=4, size=4, hop=2)
    padded = [0, 0, *range(1, length + 1), 0, 0, 0]
    frames = [[number / 64 for number in padded[start : start + 4]] for start in range(0, length, 2)]
    assert analysis.features.tolist() == frames
    assert analysis.duration == length / 4


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        ([], r"it is empty"),
        ([0.1] * 11025, r"0\.25 s are too short: 0\.5 s is the least"),
        ([0.1, float("nan")] * 44100, r"it has samples that are no numbers"),
        ([0.1, 1e30] * 44100, r"it has samples that are no numbers, or absurdly large ones"),
    ],
)
def test_recordings_that_cannot_be_used(write: Write, samples: list[float], said: str) -> None:
    path = write(samples, subtype="FLOAT")
    with pytest.raises(DataError, match=rf"song\.wav: KT820 the recording cannot be used: {said}"):
        analyse(path, np.array, rate=11025, size=4096, hop=1024, shortest=0.5)


def test_files_that_are_no_recordings(write: Write, tmp_path: Path) -> None:
    text = tmp_path / "text.wav"
    text.write_text("0 1 C:maj")
    with pytest.raises(DataError, match=r"text\.wav: KT820 .*: format not recognised"):
        next(read_blocks(text, 11025))
    with pytest.raises(DataError, match=r"none\.wav: KT820 .*: "):
        next(read_blocks(tmp_path / "none.wav", 11025))
    whole = write(RNG.uniform(-1, 1, 200_000), name="song.flac")
    whole.write_bytes(whole.read_bytes()[:200_000])
    with pytest.raises(DataError, match=r"song\.flac: KT820"):
        list(read_blocks(whole, 11025))


def test_silence_is_told(write: Write) -> None:
    analysis = analyse(write(np.full(44100, 5e-5)), np.array, rate=11025, size=4096, hop=1024)
    assert [(noted.code, noted.severity) for noted in analysis.diagnostics] == [("KT821", "warning")]


def test_without_soundfile_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "soundfile", None)
    with pytest.raises(OptionError, match=r"audio needs soundfile") as caught:
        next(read_blocks(tmp_path / "song.wav", 11025))
    assert caught.value.hint == "pip install 'kammerton[audio]'"
