# SPDX-License-Identifier: MIT
"""Sound of music: by a soundfont that the user names, or added up of sines where there is none."""

from __future__ import annotations

import io
import os
import wave
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from kammerton.errors import OptionError, quote
from kammerton.systems.music import PERCUSSION, Music, write_midi

Sound = NDArray[np.float32]
RATE = 22_050
"""Samples of a second."""
_PEAK = 0.9
_TAIL_S = 0.5
_STANDARD = 69, 440.0
_ROUNDING_S = 0.01
"""Lengths of notes are rounded to this much, so that equal notes are made once."""


@dataclass(frozen=True, slots=True)
class _Timbre:
    """How a note sounds."""

    partials: tuple[float, ...]  # amplitude of each harmonic
    attack: float  # seconds
    decay: float = 0.0  # by second, of the first partial; higher ones go faster
    release: float = 0.05
    vibrato: float = 0.0  # share of the frequency
    breath: float = 0.0  # noise
    stretch: float = 0.0  # of partials: inharmonic


def _falling(count: int, power: float, every: int = 1) -> tuple[float, ...]:
    return tuple(h**-power if (h - 1) % every == 0 else 0.05 * h**-power for h in range(1, count + 1))


_TIMBRES = {
    "piano": _Timbre(_falling(10, 1.3), 0.004, decay=2.0, release=0.1, stretch=4e-4),
    "mallets": _Timbre((1, 0, 0, 0.35, 0, 0, 0, 0, 0, 0.1), 0.002, decay=5.0, release=0.3),
    "organ": _Timbre((1, 0.8, 0.6, 0.5, 0.1, 0.4, 0, 0.3), 0.02),
    "guitar": _Timbre((0.6, 1, 0.9, 0.6, 0, 0.4, 0.3, 0.2), 0.003, decay=3.0, release=0.08, stretch=1e-4),
    "bass": _Timbre((1, 0.6, 0.25, 0.1), 0.008, decay=1.0),
    "strings": _Timbre(_falling(14, 1.0), 0.06, vibrato=0.004, release=0.12),
    "ensemble": _Timbre(_falling(8, 1.5), 0.12, vibrato=0.002, release=0.25),
    "brass": _Timbre((0.6, 0.9, 1, 0.9, 0.7, 0.5, 0.35, 0.25, 0.15), 0.04, release=0.06),
    "reed": _Timbre(_falling(13, 0.9, every=2), 0.03, vibrato=0.001),
    "pipe": _Timbre((1, 0.2, 0.08), 0.06, vibrato=0.004, breath=0.03),
    "synth": _Timbre(_falling(19, 1.0, every=2), 0.005),
}
_FAMILIES = ("piano", "mallets", "organ", "guitar", "bass", "strings", "ensemble", "brass", "reed", "pipe")
"""Timbres of the programs of General MIDI, eight each; those from 80 on are synthetic."""


def sound_of(
    music: Music, *, soundfont: str | os.PathLike[str] | None = None, cents: float = 0.0, rate: int = RATE
) -> Sound:
    """Return music as mono samples, tuned higher by some cents."""
    sound = _added(music, cents, rate) if soundfont is None else _by_font(music, soundfont, cents, rate)
    loudest = float(np.abs(sound).max(initial=0))
    return (sound * (_PEAK / loudest if loudest else 0)).astype(np.float32)


def degraded(sound: Sound, chances: Generator, *, noise_db: float | None, eq_db: float, rate: int) -> Sound:
    """Return sound with a random equalizer of about so many decibels, and with white noise below it."""
    result = sound.astype(np.float64)
    if eq_db:
        size = 1 << len(result).bit_length()  # other lengths may take many times as long
        spectrum = np.fft.rfft(result, size)
        bands = np.geomspace(40, rate / 2, 9)
        gains = chances.normal(0, eq_db, len(bands))
        frequencies = np.fft.rfftfreq(size, 1 / rate)
        curve = np.interp(np.log(np.maximum(frequencies, 1)), np.log(bands), gains)
        result = np.fft.irfft(spectrum * 10 ** (curve / 20))[: len(result)]
    if noise_db is not None:
        level = np.sqrt(np.mean(result**2)) * 10 ** (-noise_db / 20)
        result = result + chances.normal(0, 1, len(result)) * level
    loudest = float(np.abs(result).max(initial=0))
    return (result * (_PEAK / loudest if loudest else 0)).astype(np.float32)


def wav_bytes(sound: Sound, rate: int = RATE) -> bytes:
    """Return mono samples as a WAV file of 16 bits."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(rate)
        writer.writeframes(np.rint(np.clip(sound, -1, 1) * 32767).astype("<i2").tobytes())
    return file.getvalue()


def _by_font(music: Music, soundfont: str | os.PathLike[str], cents: float, rate: int) -> NDArray[np.float64]:
    """Return music as a soundfont has it."""
    return sound_of_midi(write_midi(music, cents=cents), soundfont, rate)


def sound_of_midi(midi: bytes, soundfont: str | os.PathLike[str], rate: int = RATE) -> NDArray[np.float64]:
    """Return a MIDI file as mono samples by a soundfont; needs the extra ``audio``."""
    from scipy.signal import resample_poly  # noqa: PLC0415 - takes long to load

    try:
        from midirenderer import render_wave_from  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise OptionError.of_import("soundfonts need midirenderer", "audio", error) from error
    shown = quote(os.fsdecode(soundfont))
    try:
        rendered = render_wave_from(_font(os.fspath(soundfont)), midi)
    except OSError as error:
        raise OptionError(f"soundfont cannot be read: {shown}", "soundfonts have the suffix .sf2") from error
    except Exception as error:  # whatever the renderer makes of a file
        raise OptionError(f"no soundfont: {shown} ({error})", "soundfonts have the suffix .sf2") from error
    with wave.open(io.BytesIO(rendered)) as reader:
        channels, own = reader.getnchannels(), reader.getframerate()
        samples = np.frombuffer(reader.readframes(reader.getnframes()), dtype="<i2")
    mono = samples.reshape(-1, channels).mean(axis=1) / 32768
    common = int(np.gcd(rate, own))
    resampled: NDArray[np.float64] = resample_poly(mono, rate // common, own // common)
    return resampled


@lru_cache(maxsize=1)
def _font(path: str) -> bytes:
    return Path(path).read_bytes()


def _added(music: Music, cents: float, rate: int) -> NDArray[np.float64]:
    """Return music as sums of sines, with noise for drums."""
    onsets, offsets = music.seconds(music.onsets), music.seconds(music.offsets)
    sound = np.zeros(int((max(offsets.max(initial=0), music.tempo_seconds[-1]) + _TAIL_S) * rate) + 1)
    columns = (onsets, offsets, music.pitches, music.velocities, music.parts)
    for onset, offset, pitch, velocity, part in zip(*(column.tolist() for column in columns), strict=True):
        program = music.programs[part]
        steps = max(round((offset - onset) / _ROUNDING_S), 1)
        if program == PERCUSSION:
            note = _drum(pitch, rate)
        else:
            family = _FAMILIES[program // 8] if program < 80 else "synth"
            note = _tone(family, pitch, steps, cents, rate)
        begin = round(onset * rate)
        room = sound[begin : begin + len(note)]
        room += (velocity / 127) ** 1.5 * note[: len(room)]
    return sound


@lru_cache(maxsize=2048)
def _tone(family: str, pitch: int, steps: int, cents: float, rate: int) -> NDArray[np.float64]:
    timbre = _TIMBRES[family]
    key, standard = _STANDARD
    frequency = standard * 2 ** ((pitch - key + cents / 100) / 12)
    length = steps * _ROUNDING_S
    times = np.arange(int((length + timbre.release) * rate)) / rate
    phase = 2 * np.pi * frequency * times
    if timbre.vibrato:
        phase += timbre.vibrato * frequency / 5.5 * (1 - np.cos(2 * np.pi * 5.5 * times))
    tone = np.zeros(len(times))
    for number, amplitude in enumerate(timbre.partials, start=1):
        ratio = number * (1 + timbre.stretch * number**2) ** 0.5
        if amplitude and ratio * frequency < 0.45 * rate:
            fall = np.exp(-timbre.decay * (0.7 + 0.3 * number) * times) if timbre.decay else 1
            tone += amplitude * np.sin(ratio * phase) * fall
    if timbre.breath:
        tone += timbre.breath * np.random.default_rng(pitch).normal(0, 1, len(tone))
    tone /= np.sqrt(np.square(timbre.partials).sum())
    level = np.minimum(times / timbre.attack, 1) * np.clip(
        (length + timbre.release - times) / timbre.release, 0, 1
    )
    return np.asarray(tone * level)


@lru_cache(maxsize=64)
def _drum(key: int, rate: int) -> NDArray[np.float64]:
    """Return a stroke: bass drums are tones that fall, snares noise with a tone, the others high noise."""
    times = np.arange(int(0.25 * rate)) / rate
    noise = np.random.default_rng(key).normal(0, 1, len(times))
    if key < 37:
        tone, fall = 1.5 * np.sin(2 * np.pi * (45 * times - 8 * np.exp(-times / 0.03))), 0.08
    elif key < 41:
        tone, fall = 0.4 * noise + 0.4 * np.sin(2 * np.pi * 185 * times), 0.06
    else:
        tone, fall = 0.25 * np.diff(noise, prepend=0), 0.15 if key > 48 else 0.03
    return np.asarray(tone * np.exp(-times / fall))
