# SPDX-License-Identifier: MIT
"""Labels by number: what thousands of rows are labelled with alike is kept, and looked at, once."""

from __future__ import annotations

import os
from collections.abc import Collection
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Spellings", "spellings_in_use"]

_MANY = 1 << 16
"""Labels after which others are begun, so that what is read for days does not fill the memory."""

_adding = Lock()
"""Annotations may be read in threads; a process forked meanwhile would wait for one that it does not have."""

if os.name == "posix":
    os.register_at_fork(
        before=_adding.acquire, after_in_parent=_adding.release, after_in_child=_adding.release
    )


class Spellings:
    """Labels as they are spelled, each with a number.

    Which number says nothing: it is that of the first row that had the label, in this process.

    Attributes
    ----------
    labels : list of str
        The label of each number.
    sound : dict of str to int
        Numbers of labels that were parsed and had nothing to report.
    """

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.sound: dict[str, int] = {}
        self._numbers: dict[str, int] = {}

    def numbers(self, labels: Collection[str]) -> NDArray[np.int64]:
        """Return the number of each label."""
        try:
            return _looked_up(labels, self._numbers)
        except KeyError:
            self._add(labels)
        return _looked_up(labels, self._numbers)

    def numbers_of_sound(self, labels: Collection[Any]) -> NDArray[np.int64] | None:
        """Return the number of each label, or nothing if they are not all known to be sound."""
        try:
            return _looked_up(labels, self.sound)
        except (KeyError, TypeError):
            return None

    def call_sound(self, label: str) -> None:
        """Keep that there is nothing to report of a label."""
        self.sound[label] = int(self.numbers((label,))[0])

    def _add(self, labels: Collection[str]) -> None:
        with _adding:
            for label in labels:
                own = _text_of(label)
                if own not in self._numbers:
                    self.labels.append(own)
                    self._numbers[own] = len(self.labels) - 1
                self._numbers[label] = self._numbers[own]


def _text_of(label: Any) -> str:
    """Return the text that a label equals, whatever a type of the caller's shows in its place."""
    return str.__str__(label) if isinstance(label, str) else str(label)


def _looked_up(labels: Collection[Any], numbers: dict[str, int]) -> NDArray[np.int64]:
    return np.fromiter(map(numbers.__getitem__, labels), dtype=np.int64, count=len(labels))


def spellings_in_use() -> Spellings:
    """Return the spellings that labels are numbered by now."""
    if len(_in_use[0].labels) > _MANY:
        _in_use[0] = Spellings()
    return _in_use[0]


_in_use = [Spellings()]
