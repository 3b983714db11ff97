# SPDX-License-Identifier: MIT
"""Beats of a recording: where onsets come at even distances, by dynamic programming.

After D. Ellis, Journal of New Music Research 36, 2007, doi:10.1080/09298210701653344.
"""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from kammerton.systems.audio import Samples, analyse

Curve = NDArray[np.float64]

_RATE = 11025
_HOP = 256
_SIZE = 1024
_STEP = _HOP / _RATE
"""Seconds from one frame to the next."""
_BANDS = 30
_USUAL = 0.5
"""Usual seconds of a beat; those of half or twice as much count half."""
_SLOWEST, _FASTEST = 2.0, 0.25
"""Seconds of a beat, at most and at least."""
_EVENNESS = 100.0
"""How much uneven beats cost, in standard deviations of the onsets."""


def read_beats(path: str | os.PathLike[str]) -> Curve:
    """Return the times of the beats of a recording, in seconds; none if it has no onsets."""
    kernel, window = _bands(), np.hanning(_SIZE + 1)[:-1].astype(np.float32)

    def describe(frames: Samples) -> Curve:
        return np.log1p(1000 * np.abs(np.fft.rfft(frames * window)) @ kernel)

    bands = analyse(path, describe, rate=_RATE, size=_SIZE, hop=_HOP).features
    # an onset is heard in the frame whose end it comes to: early by 25 ms for clicks, right for slow attacks
    return beats_of(np.maximum(np.diff(bands, axis=0, prepend=bands[:1]), 0.0).mean(axis=1)) * _STEP


def _bands() -> Curve:
    """Return bands of equal width on a scale of pitch that is linear below 700 Hz, each of sum 1."""
    frequencies = np.fft.rfftfreq(_SIZE, 1 / _RATE)
    mels = np.log1p(frequencies / 700)
    edges = np.linspace(np.log1p(30 / 700), mels[-1], _BANDS + 2)
    triangles = 1 - np.abs(mels[:, None] - edges[1:-1]) / (edges[1] - edges[0])
    kernel = np.maximum(triangles, 0.0)
    return np.asarray(kernel / np.maximum(kernel.sum(axis=0), 1e-9))


def beats_of(onsets: Curve) -> Curve:
    """Return the frames of the beats, given the strength of the onset in each frame."""
    from scipy.ndimage import gaussian_filter1d  # noqa: PLC0415 - scipy takes long to load

    onsets = onsets - gaussian_filter1d(onsets, _USUAL / _STEP)
    if len(onsets) < 2 * _SLOWEST / _STEP or onsets.std() < 1e-6:
        return np.zeros(0)
    strengths = gaussian_filter1d(onsets / onsets.std(), 1.0)
    return _best_beats(strengths, _period(strengths))


def _period(strengths: Curve) -> float:
    """Return the frames from one beat to the next: at which distance onsets come again most."""
    length = len(strengths)
    spectrum = np.fft.rfft(strengths, 2 * length)
    again = np.fft.irfft(np.abs(spectrum) ** 2)[:length]
    lags = np.arange(int(_FASTEST / _STEP), int(_SLOWEST / _STEP))
    octaves = np.log2(lags * _STEP / _USUAL)
    return float(lags[np.argmax(again[lags] * np.exp2(-(octaves**2)))])


def _best_beats(strengths: Curve, period: float) -> Curve:
    """Return the beats that are on onsets and even, both as far as possible."""
    distances = np.arange(round(period / 2), round(2 * period) + 1)
    costs = _EVENNESS * np.log(distances / period) ** 2
    totals = strengths.copy()
    before = np.full(len(strengths), -1)
    for frame in range(int(distances[0]), len(strengths)):
        usable = distances[: np.searchsorted(distances, frame, side="right")]
        ways = totals[frame - usable] - costs[: len(usable)]
        best = int(ways.argmax())
        if ways[best] > 0:  # otherwise the first beat is here
            totals[frame] += ways[best]
            before[frame] = frame - usable[best]
    tail = max(0, len(totals) - round(period))
    beats = [tail + int(totals[tail:].argmax())]
    while before[beats[-1]] >= 0:
        beats.append(int(before[beats[-1]]))
    before_all = np.arange(beats[-1] - period, 0, -period)  # quiet beginnings have beats, too
    return np.concatenate((before_all[::-1], beats[::-1]))
