# SPDX-License-Identifier: MIT
"""How long the phases of a run took. No figure depends on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any, Literal

__all__ = ["Phase", "Timing"]

Phase = Literal["collecting", "scoring", "merging", "context", "intervals", "groups", "writing"]


class Timing:
    """Seconds of the phases of a run, each taken where the phase is.

    Parameters
    ----------
    clock : callable
        Returns seconds since some moment.

    Attributes
    ----------
    seconds : dict of str to float
        By phase, in the order in which they ended; a phase within another counts for itself alone.
    items, found : int
        Items that were scored, and items that had been finished before the run began.
    """

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._within = 0.0
        self.seconds: dict[str, float] = {}
        self.items = self.found = 0

    @contextmanager
    def during(self, phase: Phase) -> Iterator[None]:
        """Take the time of a phase, or of more of it."""
        begin, before = self._clock(), self._within
        self._within = 0.0
        try:
            yield
        finally:
            took = self._clock() - begin
            self.seconds[phase] = self.seconds.get(phase, 0.0) + took - self._within
            self._within = before + took

    @property
    def rate(self) -> float | None:
        """Items that were scored in a second; None if none were."""
        scoring = self.seconds.get("scoring", 0.0)
        return self.items / scoring if self.items and scoring > 0 else None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values: seconds to the millisecond, items, items a second."""
        return {
            "seconds": {phase: round(seconds, 3) for phase, seconds in self.seconds.items()},
            "items": self.items,
            "found": self.found,
            "items_per_second": None if self.rate is None else round(self.rate, 1),
        }
