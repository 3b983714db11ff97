# SPDX-License-Identifier: MIT
"""Labels by number: what thousands of rows are labelled with alike is kept, and looked at, once."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ChordAnnotation", "Spellings", "spellings_in_use"]

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


_new, _set = object.__new__, object.__setattr__
"""What makes an annotation, which does not change once it is made."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class ChordAnnotation:
    """Chords of one song by one annotator or system.

    Parameters
    ----------
    intervals : ndarray of float64, shape (n, 2)
        Start and end in seconds; sorted, without overlaps. Rows of zero length are kept: the
        segmentation of ``mirex2013`` sees them.
    labels : collection of str, length n
        Labels in Harte syntax, each as it was written.

    Attributes
    ----------
    codes : ndarray of int64, shape (n,)
        Number of each label in ``spellings``.
    spellings : Spellings

    Notes
    -----
    Made by :func:`kammerton.chords.read` and by everything that takes intervals and labels; the
    constructor does not check.

    Examples
    --------
    >>> song = ChordAnnotation(np.array([[0.0, 2.0], [2.0, 4.0]]), ("C", "G:7"))
    >>> len(song), song.labels
    (2, ('C', 'G:7'))
    """

    intervals: NDArray[np.float64]
    codes: NDArray[np.int64]
    spellings: Spellings

    def __init__(self, intervals: NDArray[np.float64], labels: Collection[str]) -> None:
        spellings = spellings_in_use()
        _set(self, "intervals", intervals)
        _set(self, "codes", spellings.numbers(labels))
        _set(self, "spellings", spellings)

    @classmethod
    def coded(
        cls, intervals: NDArray[np.float64], codes: NDArray[np.int64], spellings: Spellings
    ) -> ChordAnnotation:
        """Return the annotation whose labels have these numbers."""
        made = _new(cls)
        _set(made, "intervals", intervals)
        _set(made, "codes", codes)
        _set(made, "spellings", spellings)
        return made

    @classmethod
    def empty(cls) -> ChordAnnotation:
        """Return the annotation without rows."""
        return cls(np.empty((0, 2)), ())

    @property
    def labels(self) -> tuple[str, ...]:
        """Label of each row, as it was written."""
        return tuple(map(self.spellings.labels.__getitem__, self.codes.tolist()))

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.codes)

    def __repr__(self) -> str:
        """Show intervals and labels."""
        return f"ChordAnnotation({self.intervals!r}, {self.labels!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Go to other processes by labels: numbers are of this one."""
        return ChordAnnotation, (self.intervals, self.labels)
