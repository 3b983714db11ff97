# SPDX-License-Identifier: MIT
"""How far a run is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Progress", "Watch"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is.

    Parameters
    ----------
    done, items : int
        Items that are finished, and all of them.
    found : int
        Items that were finished before the run began.
    failed : int
        Rows of finished items that failed: an item of each system and annotator.
    """

    done: int
    items: int
    found: int
    failed: int


Watch = Callable[[Progress], None]
