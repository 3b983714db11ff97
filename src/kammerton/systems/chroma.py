# SPDX-License-Identifier: MIT
"""Chroma of a recording: how loud each pitch class sounds over time, among the upper notes and in the bass.

After the idea of M. Mauch and S. Dixon, ISMIR 2010: a spectrum on a scale of semitones is levelled, and
explained by notes with their harmonics. The numbers are ours.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import Diagnostic
from kammerton.systems.audio import Features, Samples, analyse

Matrix = NDArray[np.float64]

RATE = 11025
"""Sampling rate, in Hz."""
HOP = 1024
"""Samples from one frame to the next."""
_SIZE = 4096
"""Samples of a frame."""
_SHORTEST = 0.5
"""Least seconds of a recording."""
_PITCHES = np.arange(33 * 3, 97 * 3 + 1) / 3
"""Bins of the spectrum, as MIDI numbers: three a semitone."""
_NOTES = np.arange(33, 85)
"""Notes that a spectrum is explained by."""
_LEVELLED = 18
"""Bins on both sides by which a bin is levelled: half an octave each."""
_DECAY = 0.7
"""Amplitude of a harmonic by that of the one before."""
_HARMONICS = 12
_WIDTH = 0.25
"""Standard deviation of a harmonic, in semitones."""


@dataclass(frozen=True, eq=False)
class Chroma:
    """Chroma of a recording: a row per frame, from ``times[row]`` to ``times[row + 1]``."""

    treble: Matrix  # shape (frames, 12)
    bass: Matrix  # shape (frames, 12)
    loudness: NDArray[np.float64]  # of each frame, by the loudest
    times: NDArray[np.float64]  # seconds, shape (frames + 1,)
    tuning: float  # semitones above 440 Hz
    diagnostics: tuple[Diagnostic, ...]


def read_chroma(path: str | os.PathLike[str]) -> Chroma:
    """Return the chroma of a recording."""
    kernel, window = _kernel(), np.hanning(_SIZE + 1)[:-1].astype(np.float32)

    def describe(frames: Samples) -> Samples:
        windowed = frames * window
        spectra = _levelled(np.abs(np.fft.rfft(windowed)) @ kernel)
        return np.column_stack((spectra, np.linalg.norm(windowed, axis=1))).astype(np.float32)

    analysis = analyse(path, describe, rate=RATE, size=_SIZE, hop=HOP, shortest=_SHORTEST)
    spectra, loudness = analysis.features[:, :-1], analysis.features[:, -1].astype(np.float64)
    tuning = estimate_tuning(spectra)
    activations = nnls(note_spectra(tuning), spectra)
    treble = np.interp(_NOTES, (40, 52, 78, 90), (0.0, 1.0, 1.0, 0.0))
    bass = np.interp(_NOTES, (52, 64), (1.0, 0.0))
    classes = np.equal.outer(_NOTES % 12, np.arange(12)).astype(float)
    starts = (np.arange(len(spectra)) - 0.5) * HOP / RATE  # a frame is about its middle
    times = np.append(np.maximum(starts, 0.0), analysis.duration)
    return Chroma(
        treble=activations * treble @ classes,
        bass=activations * bass @ classes,
        loudness=loudness / max(loudness.max(), 1e-9),
        times=times,
        tuning=tuning,
        diagnostics=analysis.diagnostics,
    )


def _kernel() -> Matrix:
    """Return how much each frequency counts for each bin of the scale of semitones."""
    frequencies = np.fft.rfftfreq(_SIZE, 1 / RATE)
    pitches = np.full(len(frequencies), -np.inf)
    pitches[1:] = 69 + 12 * np.log2(frequencies[1:] / 440)
    # low bins are as wide as the transform can tell frequencies apart
    hertz = 440 * 2 ** ((_PITCHES - 69) / 12)
    widths = np.maximum(1 / 3, 12 * np.log2(1 + RATE / _SIZE / hertz))
    distances = np.abs(pitches[:, None] - _PITCHES) / widths
    kernel = np.where(distances < 1, 0.5 + 0.5 * np.cos(np.pi * np.minimum(distances, 1)), 0.0)
    return np.asarray(kernel / kernel.sum(axis=0))


def _levelled(spectra: Matrix) -> Matrix:
    """Return how far each bin stands out of its neighbours, in standard deviations of these."""
    from scipy.ndimage import uniform_filter1d  # noqa: PLC0415 - scipy takes long to load

    mean, square = (
        uniform_filter1d(values, 2 * _LEVELLED + 1, axis=1, mode="reflect")
        for values in (spectra, spectra**2)
    )
    deviation = np.sqrt(np.maximum(square - mean**2, 0.0))
    above = np.maximum(spectra - mean, 0.0)
    return np.asarray(np.divide(above, deviation, out=np.zeros_like(above), where=deviation > 1e-6))


def estimate_tuning(spectra: Features) -> float:
    """Return by how many semitones the recording is above 440 Hz, from -0.5 to 0.5, to about 0.05."""
    turns = spectra.sum(axis=0) @ np.exp(2j * np.pi * _PITCHES)
    return float(np.angle(turns) / (2 * np.pi))


def note_spectra(tuning: float) -> Matrix:
    """Return the spectrum of each note, shape (bins, notes)."""
    numbers = np.arange(1, _HARMONICS + 1)
    harmonics = _NOTES[:, None] + tuning + 12 * np.log2(numbers)
    bells = np.exp(-0.5 * ((_PITCHES[:, None, None] - harmonics) / _WIDTH) ** 2)
    spectra = bells @ _DECAY ** (numbers - 1)
    return np.asarray(spectra / np.linalg.norm(spectra, axis=0))


def nnls(spectra: Matrix, mixtures: Features) -> Matrix:
    """Return the loudness of each note, not negative, that explains each mixture best: a row per mixture."""
    from scipy.optimize import nnls as solve  # noqa: PLC0415 - scipy takes long to load

    return np.array([solve(spectra, mixture)[0] for mixture in mixtures])
