# SPDX-License-Identifier: MIT
"""What items belong to, so that figures can be told group by group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kammerton.model.scores import Scores

__all__ = ["Grouping"]


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """Groups of items, such as genres.

    Parameters
    ----------
    by : str
        What groups are, such as ``"genre"``.
    of : mapping of str to str
        Group of each item that has one; items without are a group of their own.
    divide : callable
        Makes of scores, with this grouping, what ``Scores.groups`` is.
    """

    by: str
    of: Mapping[str, str]
    divide: Callable[[Scores], Any]
