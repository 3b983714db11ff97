# SPDX-License-Identifier: MIT
"""A chord annotation: labelled time intervals whose labels are known to be chords."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["ChordAnnotation"]


@dataclass(frozen=True, slots=True, eq=False)
class ChordAnnotation:
    """Chords of one song by one annotator or system.

    Parameters
    ----------
    intervals : ndarray of float64, shape (n, 2)
        Start and end in seconds; sorted, without overlaps. Rows of zero length are kept: the
        segmentation of ``mirex2013`` sees them.
    labels : tuple of str, length n
        Labels in Harte syntax, each as it was written.

    Notes
    -----
    Made by :func:`kammerton.chords.read` and by everything that takes intervals and labels; the
    constructor does not check.
    """

    intervals: NDArray[np.float64]
    labels: tuple[str, ...]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.labels)

    @classmethod
    def empty(cls) -> ChordAnnotation:
        """Return the annotation without rows."""
        return cls(np.empty((0, 2)), ())
