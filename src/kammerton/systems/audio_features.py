# SPDX-License-Identifier: MIT
"""What a recording sounds like, second by second: timbre in a few hundred numbers, whatever the level.

Seconds are averaged to windows, so that a model hears a second, a clip or a song alike. The features are
the usual ones: cepstrum of the mel spectrum and its changes, contrast, centroid, rolloff, flatness, flux.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic
from kammerton.systems.audio import Samples, analyse

Matrix = NDArray[np.float64]

RATE, SIZE, HOP = 22_050, 2_048, 1_050
"""Samples of a second, of a frame, and from one frame to the next."""
_FRAMES = RATE // HOP
"""Frames of a second."""
_MELS, _CEPSTRUM = 64, 20
_BANDS = (0, 200, 400, 800, 1_600, 3_200, 6_400, RATE / 2)
"""Bounds in hertz of the bands of which the contrast is taken."""
_EXTREME = 0.1
"""Share of the bins of a band that are its peaks, and its valleys."""
_ROLLOFF = 0.85
_FLOOR = 1e-8
"""Added to powers: about 80 dB below the loudest frames."""
_CHANGE = 2
"""Frames on each side, of which the cepstrum's change is taken."""
_SHAPES = 2 * _CEPSTRUM + len(_BANDS) - 1 + 4
"""Features that have a mean, a deviation and a high value; the mel spectrum has a mean alone."""
FEATURES = 3 * _SHAPES + _MELS
"""Number of features of a window."""


@dataclass(frozen=True, slots=True, eq=False)
class SoundFeatures:
    """The features of each second of a recording, of which windows can be made."""

    means: Matrix
    squares: Matrix
    highs: Matrix
    mels: Matrix
    duration: float
    diagnostics: tuple[Diagnostic, ...] = ()

    def __len__(self) -> int:
        """Return the number of seconds."""
        return len(self.means)

    def windows(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> Matrix:
        """Return a row of features for each window of whole seconds."""
        lengths = (ends - starts)[:, None]

        def averaged(rows: Matrix) -> Matrix:
            sums = np.concatenate((np.zeros((1, rows.shape[1])), np.cumsum(rows, axis=0)))
            return np.asarray((sums[ends] - sums[starts]) / lengths)

        means, mels = averaged(self.means), averaged(self.mels)
        deviations = np.sqrt(np.maximum(averaged(self.squares) - means**2, 0))
        # the level of a recording says nothing of its instruments
        return np.hstack((means, deviations, averaged(self.highs), mels - mels.mean(axis=1, keepdims=True)))


def read_features(path: str | os.PathLike[str]) -> SoundFeatures:
    """Return the features of a recording.

    Raises
    ------
    DataError
        If it cannot be read or is empty.
    """
    analysis = analyse(path, _describe, rate=RATE, size=SIZE, hop=HOP)
    frames = analysis.features
    # the last second is one from a half on, or if there is no other
    seconds = max(int(len(frames) / _FRAMES + 0.5), 1)
    frames = np.pad(frames, ((0, max(seconds * _FRAMES - len(frames), 0)), (0, 0)), mode="edge")
    mels, cepstrum = frames[:, :_MELS], frames[:, _MELS : _MELS + _CEPSTRUM]
    rises = np.maximum(np.diff(mels, axis=0, prepend=mels[:1]), 0).mean(axis=1, keepdims=True)
    later, earlier = (
        np.pad(cepstrum, ((before, 2 * _CHANGE - before), (0, 0)), mode="edge") for before in (0, 2 * _CHANGE)
    )
    changes = (later - earlier)[_CHANGE:-_CHANGE]
    shapes = np.hstack((frames[:, _MELS:], changes, rises))[: seconds * _FRAMES]
    shapes = shapes.reshape(seconds, _FRAMES, _SHAPES)
    return SoundFeatures(
        means=shapes.mean(axis=1),
        squares=(shapes**2).mean(axis=1),
        highs=np.quantile(shapes, 0.9, axis=1),
        mels=mels[: seconds * _FRAMES].reshape(seconds, _FRAMES, _MELS).mean(axis=1),
        duration=analysis.duration,
        diagnostics=analysis.diagnostics,
    )


def _describe(frames: Samples) -> Matrix:
    """Return mel spectrum, cepstrum, contrast, centroid, rolloff and flatness of frames."""
    from scipy.fft import dct, rfft  # noqa: PLC0415 - scipy takes long to load

    spectrum = np.abs(rfft(frames * np.hanning(SIZE).astype(np.float32))) / (SIZE / 4)
    powers = spectrum**2
    mels = np.log(powers @ _mel_filters() + _FLOOR)
    cepstrum = dct(mels, axis=1, norm="ortho")[:, 1 : _CEPSTRUM + 1]  # the first is the level
    bins = np.linspace(0, 1, spectrum.shape[1])
    total = spectrum.sum(axis=1) + _FLOOR
    cumulated = np.cumsum(powers, axis=1)
    rolloff = (cumulated < _ROLLOFF * cumulated[:, -1:]).mean(axis=1)
    flatness = np.log(powers + _FLOOR).mean(axis=1) - np.log(powers.mean(axis=1) + _FLOOR)
    shape = np.column_stack((spectrum @ bins / total, rolloff, flatness))
    return np.hstack((mels, cepstrum, _contrast(powers), shape)).astype(np.float64)


def _contrast(powers: Samples) -> Matrix:
    """Return by band how far, in logarithms, peaks stand above valleys."""
    edges = np.searchsorted(np.linspace(0, RATE / 2, powers.shape[1]), _BANDS[:-1])
    contrast = []
    for band in np.split(powers, edges[1:], axis=1):
        few = max(round(_EXTREME * band.shape[1]), 1)
        ordered = np.partition(band, (few - 1, band.shape[1] - few), axis=1)
        peaks, valleys = ordered[:, -few:].mean(axis=1), ordered[:, :few].mean(axis=1)
        contrast.append(np.log(peaks + _FLOOR) - np.log(valleys + _FLOOR))
    return np.column_stack(contrast)


@cache
def _mel_filters() -> Samples:
    """Return triangles on the mel scale, each of area 1, shape (bins, filters)."""
    highest = 2595 * np.log10(1 + RATE / 2 / 700)
    corners = 700 * (10 ** (np.linspace(0, highest, _MELS + 2) / 2595) - 1)
    bins = np.linspace(0, RATE / 2, SIZE // 2 + 1)[:, None]
    rising = (bins - corners[:-2]) / (corners[1:-1] - corners[:-2])
    falling = (corners[2:] - bins) / (corners[2:] - corners[1:-1])
    filters = np.maximum(np.minimum(rising, falling), 0)
    # the lowest triangles may lie between two bins
    nearest = np.abs(bins - corners[1:-1]).argmin(axis=0)
    filters[nearest, np.arange(_MELS)] = np.maximum(filters[nearest, np.arange(_MELS)], 1e-3)
    return np.asarray(filters / filters.sum(axis=0), dtype=np.float32)
