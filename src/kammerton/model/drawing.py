# SPDX-License-Identifier: MIT
"""How items are drawn anew for the intervals of figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kammerton.model.scores import Scores

__all__ = ["Drawing", "Interval", "Resample"]

Interval = tuple[float, float]
"""Low and high end, NaN where undefined."""

Resample = Callable[["Scores"], Mapping[Any, Interval]]
"""Returns the interval of each figure by system, annotator, measure and aggregate."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """What is known of the intervals of scores before they are made.

    Parameters
    ----------
    level : float, optional
        Level of the intervals; None if there are to be none.
    resample : callable, optional
        Makes them.
    signed : mapping of str to str
        What signatures say of it.
    settings : mapping of str to object
        Arguments from which the same intervals are made again.
    """

    level: float | None = None
    resample: Resample | None = None
    signed: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
