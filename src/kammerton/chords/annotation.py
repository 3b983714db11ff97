# SPDX-License-Identifier: MIT
"""A chord annotation: labelled time intervals whose labels are known to be chords."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kammerton.chords.spellings import Spellings, spellings_in_use

__all__ = ["ChordAnnotation"]

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

    def codes_in(self, spellings: Spellings) -> NDArray[np.int64]:
        """Return the number of each label in other spellings."""
        return self.codes if self.spellings is spellings else spellings.numbers(self.labels)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.codes)

    def __repr__(self) -> str:
        """Show intervals and labels."""
        return f"ChordAnnotation({self.intervals!r}, {self.labels!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Go to other processes by labels: numbers are of this one."""
        return ChordAnnotation, (self.intervals, self.labels)
