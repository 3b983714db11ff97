# SPDX-License-Identifier: MIT
"""Columns of notes that come from Python: checked once, then arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kammerton.core.intervals import Codes
from kammerton.errors import DataError, Diagnostic, quote
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN

__all__ = ["Hands", "as_fingers", "as_hands", "as_pitches", "as_seconds", "check_lengths", "elements", "fail"]

Seconds = NDArray[np.float64]

Hands = Sequence[str | int | None] | NDArray[np.integer] | NDArray[np.str_]
"""``"R"`` and ``"L"``, ``"right"`` and ``"left"``, or 0 (right) and 1 (left); None if not known."""

_HANDS: Mapping[object, int] = MappingProxyType(
    {0: RIGHT, 1: LEFT, "r": RIGHT, "l": LEFT, "right": RIGHT, "left": LEFT, None: UNKNOWN}
)


def fail(code: str, message: str, hint: str | None = None) -> DataError:
    """Return the error that says what is wrong with an argument."""
    return DataError((Diagnostic(code=code, severity="error", message=message, hint=hint),))


def elements(values: object, name: str, code: str) -> list[object]:
    """Return the elements of a list, tuple or array as plain Python values."""
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise fail(code, f"{name} must have one dimension, not shape {values.shape}")
        return list(values.tolist())
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise fail(code, f"{name} must be a sequence, not {type(values).__name__}")
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def as_fingers(values: object, name: str = "fingers") -> Codes:
    """Check fingers given as numbers: 1 to 5, negative in the left hand, 0 or None where missing.

    Raises
    ------
    DataError
        KT381.
    """
    found = elements(values, name, "KT381")
    for note, finger in enumerate(found):
        if not (finger is None or (_is_whole(finger) and -5 <= finger <= 5)):
            hint = "fingers are 1 to 5, of the left hand -1 to -5; 0 or None where there is none"
            raise fail("KT381", f"{name}[{note}] is not a finger: {quote(repr(finger))}", hint)
    return np.array([finger or 0 for finger in found], dtype=np.int64)


def as_pitches(values: object) -> Codes:
    """Check MIDI numbers.

    Raises
    ------
    DataError
        KT382.
    """
    found = elements(values, "pitches", "KT382")
    for note, pitch in enumerate(found):
        if not (_is_whole(pitch) and 0 <= pitch <= 127):
            raise fail("KT382", f"pitches[{note}] is not a MIDI number: {quote(repr(pitch))}", "0 to 127")
    return np.array(found, dtype=np.int64)


def as_hands(values: Hands) -> Codes:
    """Check hands: 0 right, 1 left, -1 unknown.

    Raises
    ------
    DataError
        KT383.
    """
    found = elements(values, "hands", "KT383")
    codes = []
    for note, hand in enumerate(found):
        key = hand.casefold() if isinstance(hand, str) else hand
        if isinstance(key, bool) or not isinstance(key, str | int | None) or key not in _HANDS:
            message = f"hands[{note}] is not a hand: {quote(repr(hand))}"
            raise fail("KT383", message, 'hands are "R" and "L", "right" and "left", or 0 and 1')
        codes.append(_HANDS[key])
    return np.array(codes, dtype=np.int64)


def as_seconds(values: ArrayLike, name: str) -> Seconds:
    """Check times: finite numbers.

    Raises
    ------
    DataError
        KT384.
    """
    found = elements(values, name, "KT384")
    for note, time in enumerate(found):
        if isinstance(time, bool) or not isinstance(time, int | float) or not np.isfinite(float(time)):
            raise fail("KT384", f"{name}[{note}] is not a time: {quote(repr(time))}")
    return np.array(found, dtype=np.float64)


def check_lengths(lengths: Mapping[str, int]) -> None:
    """Check that columns are equally long.

    Raises
    ------
    DataError
        KT380, naming the first column that differs from the first.
    """
    (first, count), *others = lengths.items()
    for name, length in others:
        if length != count:
            raise fail("KT380", f"{first} has {count:,} notes, but {name} has {length:,}")


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
