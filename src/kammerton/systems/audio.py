# SPDX-License-Identifier: MIT
"""Read sound block by block: one channel at one sampling rate, however long the file is.

What is needed of a recording, such as chroma, is computed on its way, so that memory grows with that alone.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kammerton.errors import DataError, Diagnostic, OptionError

Samples = NDArray[np.float32]
Features = NDArray[np.floating[Any]]

_BLOCK = 1 << 18
"""Samples of each channel that are read at a time, about."""
_TAPS = 10
"""Samples on each side, at the lower rate, by which one sample is interpolated."""
_BEYOND = 1e15  # spectra of larger samples overflow
_SILENT = 1e-4
"""Largest sample of a recording that counts as silent: 80 dB below full scale."""


@dataclass(frozen=True, eq=False)
class Analysis:
    """What was computed of a recording, frame by frame."""

    features: Features  # a row per frame
    duration: float  # of the recording, in seconds
    diagnostics: tuple[Diagnostic, ...]


def analyse(
    path: str | os.PathLike[str],
    describe: Callable[[Samples], Features],
    *,
    rate: int,
    size: int,
    hop: int,
    shortest: float = 0.0,
) -> Analysis:
    """Describe a recording by its frames, of which the n-th is about the sample ``n * hop``.

    ``describe`` is given some hundreds of frames at a time, shape (frames, size), and returns a row for each.
    A recording of less than ``shortest`` seconds is an error, a silent one a warning.
    """
    before = np.zeros(size // 2, dtype=np.float32)
    rows = []
    length, loudest = 0, 0.0
    for block in read_blocks(path, rate):
        length += len(block)
        loudest = max(loudest, float(np.abs(block).max()))
        samples = np.concatenate((before, block))
        rows.append(_described(samples, describe, size, hop))
        before = samples[len(rows[-1]) * hop :]
    duration = length / rate
    if duration < max(shortest, 1 / rate):
        reason = f"{duration:.2f} s are too short: {shortest:g} s is the least" if length else "it is empty"
        raise _unusable(path, reason)
    # the last frames are those about a sample that there is
    count = -(-length // hop) - sum(map(len, rows))
    rest = np.concatenate((before, np.zeros(max(0, count * hop + size - len(before)), dtype=np.float32)))
    rows.append(_described(rest[: max(0, (count - 1) * hop + size)], describe, size, hop))
    diagnostics: tuple[Diagnostic, ...] = ()
    if loudest < _SILENT:
        message = "the recording is silent: no sample is above -80 dB"
        diagnostics = (_diagnostic("KT821", "warning", message, path),)
    return Analysis(np.concatenate(rows), duration, diagnostics)


def _described(samples: Samples, describe: Callable[[Samples], Features], size: int, hop: int) -> Features:
    """Describe the frames that are complete."""
    if len(samples) < size:
        return describe(np.zeros((1, size), dtype=np.float32))[:0]
    return describe(np.lib.stride_tricks.sliding_window_view(samples, size)[::hop])


def read_blocks(path: str | os.PathLike[str], rate: int) -> Iterator[Samples]:
    """Give a recording as one channel at a sampling rate, block by block.

    All blocks together are what one filter makes of the whole recording, so nothing is heard where they meet.
    """
    from scipy.signal import firwin, resample_poly  # noqa: PLC0415 - scipy takes long to load

    with _opened(path) as file:
        shared = math.gcd(rate, file.samplerate)
        up, down = rate // shared, file.samplerate // shared
        channels = _channel(path, file, down * -(-_BLOCK // down))
        if up == down:
            yield from channels
            return
        half = _TAPS * max(up, down)
        window = firwin(2 * half + 1, 1 / max(up, down), window=("kaiser", 5.0)).astype(np.float32)
        margin = down * -(-half // (up * down))  # samples that a filter needs on both sides of a block
        samples = np.zeros(margin, dtype=np.float32)
        for block in channels:
            samples = np.concatenate((samples, block))
            usable = (len(samples) - 2 * margin) // down * down
            if usable > 0:
                part = resample_poly(samples[: usable + 2 * margin], up, down, window=window)
                yield part[margin // down * up :][: usable // down * up]
                samples = samples[usable:]
        left = len(samples) - margin
        part = resample_poly(np.pad(samples, (0, margin)), up, down, window=window)
        if left > 0:
            yield part[margin // down * up :][: -(-left * up // down)]


def require_soundfile() -> Any:
    """Return the module that reads sound.

    Raises
    ------
    OptionError
        If it is not installed.
    """
    try:
        import soundfile  # noqa: PLC0415 - of an extra
    except (ImportError, OSError) as error:  # OSError: the library that it needs is missing
        reason = error if isinstance(error, ImportError) else ImportError(str(error))
        raise OptionError.of_import("audio needs soundfile", "audio", reason) from error
    return soundfile


def _opened(path: str | os.PathLike[str]) -> Any:
    soundfile = require_soundfile()
    try:
        return soundfile.SoundFile(os.fspath(path))
    except (OSError, RuntimeError) as error:
        raise _unusable(path, _reason(error)) from error


def _channel(path: str | os.PathLike[str], file: Any, size: int) -> Iterator[Samples]:
    """Give the mean of all channels."""
    while True:
        try:
            block = file.read(size, dtype="float32", always_2d=True)
        except (OSError, RuntimeError) as error:
            raise _unusable(path, _reason(error)) from error
        if not len(block):
            return
        if not (np.abs(block) < _BEYOND).all():
            raise _unusable(path, "it has samples that are no numbers, or absurdly large ones")
        yield block @ np.full(block.shape[1], 1 / block.shape[1], dtype=np.float32)


def _reason(error: Exception) -> str:
    """Return what libsndfile says, without the path."""
    said = str(getattr(error, "error_string", error)).strip().rstrip(".")
    return said[:1].lower() + said[1:]


def _unusable(path: str | os.PathLike[str], reason: str) -> DataError:
    return DataError((_diagnostic("KT820", "error", f"the recording cannot be used: {reason}", path),))


def _diagnostic(code: str, severity: Any, message: str, path: str | os.PathLike[str]) -> Diagnostic:
    return Diagnostic(code=code, severity=severity, message=message, file=os.fsdecode(path))
