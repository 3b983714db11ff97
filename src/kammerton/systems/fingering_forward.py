# SPDX-License-Identifier: MIT
"""The networks that finger notes, with NumPy alone: from features to scores of paths of fingers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Codes
from kammerton.fingering.annotation import Fingering
from kammerton.fingering.lines import HandLine, Table
from kammerton.systems.fingering_features import FEATURES, PAIRS, note_features, pair_numbers

Floats = NDArray[np.float32]


def shapes(*, chained: bool) -> dict[str, tuple[int | None, ...]]:
    """Return the arrays of a model and their shapes; the sizes that are left open are those of layers."""
    known: dict[str, tuple[int | None, ...]] = {
        "in/w": (FEATURES, None),
        "in/b": (None,),
        "l0/w": (2, None, None),  # forwards and backwards; gates i, f, c, o
        "l0/r": (2, None, None),
        "l0/b": (2, 1, None),
        "out/w": (None, 5),
        "out/b": (5,),
        "curve": (None, 3),
    }
    if chained:
        known |= {"crf/T3": (5, 5, 5), "crf/O1": (5, 5, PAIRS), "crf/O2": (5, 5, PAIRS)}
    return known


def emissions(arrays: Mapping[str, NDArray[Any]], tables: Sequence[Floats]) -> list[Floats]:
    """Return the score of each finger of each note of several lines, by their features."""
    hidden = [np.maximum(table @ arrays["in/w"] + arrays["in/b"], 0) for table in tables]
    lengths = [len(line) for line in hidden]
    inputs = np.zeros((2, len(hidden), max(lengths), hidden[0].shape[1]), dtype=np.float32)
    for number, line in enumerate(hidden):
        inputs[:, number, : len(line)] = line, line[::-1]
    states = _lstm(inputs, arrays["l0/w"], arrays["l0/r"], arrays["l0/b"])
    return [
        np.concatenate((both[0, :length], both[1, :length][::-1]), axis=1) @ arrays["out/w"] + arrays["out/b"]
        for both, length in zip(states.swapaxes(0, 1), lengths, strict=True)
    ]


def _lstm(inputs: Floats, kernel: Floats, recurrent: Floats, bias: Floats) -> Floats:
    """Return the states of LSTMs side by side, shape (directions, lines, notes, units)."""
    gates = inputs @ kernel[:, None] + bias[:, None]
    units = recurrent.shape[1]
    states = np.zeros((*gates.shape[:3], units), dtype=np.float32)
    state = memory = states[:, :, 0]
    for note in range(gates.shape[2]):
        reached = gates[:, :, note] + state @ recurrent
        entering, forgetting, candidate, leaving = np.split(reached, 4, axis=2)
        memory = _sigmoid(forgetting) * memory + _sigmoid(entering) * np.tanh(candidate)
        state = _sigmoid(leaving) * np.tanh(memory)
        states[:, :, note] = state
    return states


def _sigmoid(values: Any) -> Any:
    return 0.5 * (1 + np.tanh(0.5 * values))


def path_scores(
    arrays: Mapping[str, NDArray[Any]], fingering: Fingering, lines: Sequence[HandLine]
) -> Iterator[Table]:
    """Give the log score of each note of each line with each three last fingers, shape (notes, 5, 5, 5)."""
    tables = [note_features(fingering, line) for line in lines]
    for line, emission in zip(lines, emissions(arrays, tables), strict=True):
        yield chain_scores(arrays, emission, pair_numbers(line, 1), pair_numbers(line, 2))


def chain_scores(arrays: Mapping[str, NDArray[Any]], emission: Floats, last: Codes, before: Codes) -> Table:
    """Return log scores of each three last fingers, by a note and by the numbers of its two intervals."""
    scores = np.zeros((len(emission), 5, 5, 5))
    scores += emission[:, None, None, :]
    if "crf/T3" in arrays:
        scores[1:] += arrays["crf/O1"].transpose(2, 0, 1)[last[1:] - 1, None]
        scores[2:] += arrays["crf/O2"].transpose(2, 0, 1)[before[2:] - 1, :, None] + arrays["crf/T3"]
    return scores
