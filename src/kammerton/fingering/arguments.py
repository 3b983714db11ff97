# SPDX-License-Identifier: MIT
"""Columns of notes that come from Python: checked once, then arrays."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeGuard, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kammerton.arrays import Codes
from kammerton.errors import DataError, Diagnostic, OptionError, plural, quote
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN
from kammerton.fingering.labels import ENCODINGS, Encoding, Finding, FingerLabel, Hand, inspect

__all__ = [
    "Hands",
    "LabelColumn",
    "Layout",
    "as_fingers",
    "as_hands",
    "as_labels",
    "as_pitches",
    "as_seconds",
    "check_lengths",
    "elements",
    "fail",
    "split_annotators",
]

Seconds = NDArray[np.float64]

Hands = Sequence[str | int | None] | NDArray[np.integer] | NDArray[np.str_]
"""``"R"`` and ``"L"``, ``"right"`` and ``"left"``, or 0 (right) and 1 (left); None if not known."""

_HANDS: Mapping[object, int] = MappingProxyType(
    {0: RIGHT, 1: LEFT, "r": RIGHT, "l": LEFT, "right": RIGHT, "left": LEFT, None: UNKNOWN}
)


Layout = Literal["by_note", "by_annotator"]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)

_HAND_NAMES: Mapping[int, Hand] = MappingProxyType({RIGHT: "right", LEFT: "left"})


@dataclass(frozen=True, slots=True)
class LabelColumn:
    """Labels of one annotator or system."""

    # in the notation of PIG; empty where missing. Without signs or hands, fingers are of the right.
    labels: tuple[str, ...]
    tells_hands: bool  # whether the labels themselves say which hand
    remarks: tuple[str, ...]  # what was odd about them


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
    """Check fingers given as numbers: 1 to 5, negative in the left hand, 0 or None where missing."""
    found = elements(values, name, "KT381")
    for note, finger in enumerate(found):
        if not (finger is None or (_is_whole(finger) and -5 <= finger <= 5)):
            hint = "fingers are 1 to 5, of the left hand -1 to -5; 0 or None where there is none"
            raise fail("KT381", f"{name}[{note}] is not a finger: {quote(repr(finger))}", hint)
    return np.array([finger or 0 for finger in found], dtype=np.int64)


def as_labels(values: object, name: str, encoding: Encoding, hands: Codes | None) -> LabelColumn:
    """Check labels, given as numbers or text."""
    if encoding not in ENCODINGS:
        raise OptionError.unknown("encoding of finger labels", encoding, ENCODINGS)
    texts = [_text(value, name, note) for note, value in enumerate(elements(values, name, "KT381"))]
    tells_hands = encoding in ("1-10", "0-9") or any(_tells_hand(text, encoding) for text in set(texts))
    if hands is None or (tells_hands and encoding != "L1/R5"):
        found = [inspect(text, encoding) for text in texts]
    else:
        check_lengths({name: len(texts), "hands": len(hands)})
        names = (_HAND_NAMES.get(hand) for hand in hands.tolist())
        found = [inspect(text, encoding, hand) for text, hand in zip(texts, names, strict=True)]
    labels = tuple(finding.canonical for finding in found)
    return LabelColumn(labels, tells_hands, tuple(_remarks(found, name)))


def _text(value: object, name: str, note: int) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):  # so pandas has it
        return ""
    if isinstance(value, str | FingerLabel):
        return str(value)
    if _is_whole(value) or (isinstance(value, float) and value.is_integer()):
        return str(int(value))
    raise fail("KT381", f"{name}[{note}] is not a finger: {quote(repr(value))}", "a number, text or None")


def _tells_hand(text: str, encoding: Encoding) -> bool:
    right, left = inspect(text, encoding, "right").label, inspect(text, encoding, "left").label
    return right is not None and right == left


def _remarks(found: Sequence[Finding], name: str) -> Iterable[str]:
    odd: Counter[str] = Counter()
    for note, finding in enumerate(found):
        problem = finding.diagnostic
        if problem is not None and problem.severity == "error":
            raise fail("KT381", f"{name}[{note}] is not a finger: {problem.message}", _hint_of(problem))
        if problem is not None:
            odd[problem.message] += 1
    return [f"{name}: {message}{_times(count)}" for message, count in odd.items()]


def _times(count: int) -> str:
    return f" ({count:,} times)" if count > 1 else ""


def split_annotators(
    values: object, name: str, notes: int, layout: Layout | None
) -> tuple[list[list[object]], tuple[str, ...]]:
    """Tell the annotators of a ground truth apart."""
    if layout is not None and layout not in LAYOUTS:
        raise OptionError.unknown("layout", layout, LAYOUTS)
    if isinstance(values, np.ndarray) and values.ndim == 2:
        values = list(values)
    rows = elements(values, name, "KT381")
    if not any(_is_nested(row) for row in rows):
        check_lengths({"predictions": notes, name: len(rows)})
        return [rows], ()
    inner = [elements(row, name, "KT381") if _is_nested(row) else [row] for row in rows]
    by_note, by_annotator = len(rows) == notes, all(len(row) == notes for row in inner)
    if layout is None and by_note and by_annotator and notes > 1:
        message = f"{name} of {notes} by {notes} labels may go by note or by annotator"
        raise OptionError(message, 'layout="by_note": one list for each note; else layout="by_annotator"')
    if layout == "by_annotator" or (layout is None and by_annotator and not by_note):
        for number, row in enumerate(inner):
            check_lengths({"predictions": notes, f"{name}[{number}]": len(row)})
        return inner, ()
    check_lengths({"predictions": notes, name: len(rows)})
    return _columns_of_notes(inner, name)


def _is_nested(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _columns_of_notes(rows: list[list[object]], name: str) -> tuple[list[list[object]], tuple[str, ...]]:
    fewest, most = min(map(len, rows)), max(map(len, rows))
    columns = [[row[number] if number < len(row) else None for row in rows] for number in range(most)]
    if fewest == most:
        return columns, ()
    remark = f"{name} has {fewest} to {most} labels a note: the n-th of a note is taken for annotator n"
    return columns, (remark,)


def as_pitches(values: object) -> Codes:
    """Check MIDI numbers."""
    found = elements(values, "pitches", "KT382")
    for note, pitch in enumerate(found):
        if not (_is_whole(pitch) and 0 <= pitch <= 127):
            raise fail("KT382", f"pitches[{note}] is not a MIDI number: {quote(repr(pitch))}", "0 to 127")
    return np.array(found, dtype=np.int64)


def as_hands(values: Hands) -> Codes:
    """Check hands: 0 right, 1 left, -1 unknown."""
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
    """Check times: finite numbers."""
    found = elements(values, name, "KT384")
    for note, time in enumerate(found):
        if isinstance(time, bool) or not isinstance(time, int | float) or not np.isfinite(float(time)):
            raise fail("KT384", f"{name}[{note}] is not a time: {quote(repr(time))}")
    return np.array(found, dtype=np.float64)


def check_lengths(lengths: Mapping[str, int]) -> None:
    """Check that columns are equally long."""
    (first, count), *others = lengths.items()
    for name, length in others:
        if length != count:
            raise fail("KT380", f"{first} has {plural(count, 'note')}, but {name} has {length:,}")


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _hint_of(problem: Diagnostic) -> str | None:
    """Return a hint in which the option of the command line is the argument that stands for it."""
    return None if problem.hint is None else problem.hint.replace("--label-encoding ", "encoding ")
