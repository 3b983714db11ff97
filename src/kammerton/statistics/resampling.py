# SPDX-License-Identifier: MIT
"""Draws of items: with replacement for the bootstrap, and swaps of two systems for permutation tests.

A draw is a row of numbers over the items, so that what a collection of items adds up to is a product.
Draws come in blocks. A block has its own generator, seeded by its number: which blocks are computed, in
what order and beside what does not show.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kammerton.core.intervals import Codes
from kammerton.errors import OptionError

__all__ = ["Draws", "LeaveOneOut", "Resampling", "Swaps", "number_units"]

Draws = NDArray[np.float64]
"""Shape (draws, items). Whole numbers, as floats because they are factors of products."""

_BLOCK_CELLS, _BLOCK_ROWS = 1 << 21, 1 << 12
"""Most cells of a block, which are 16 MB, and most rows: what is made of a row may be longer than it."""


def number_units(clusters: Sequence[Hashable]) -> Codes:
    """Return the number of each item's cluster, counted in the order in which they first occur.

    >>> number_units(["b", "b", "a", "b"])
    array([0, 0, 1, 0])
    """
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in clusters], dtype=np.int64)


@dataclass(frozen=True)
class _Blocks:
    """What both kinds of draws share: the units that are drawn whole, and the cut into blocks.

    Parameters
    ----------
    items : int
        Number of items.
    draws : int
        Number of draws, at least 1.
    seed : int
        Seed of the generator, at least 0.
    clusters : sequence, optional
        Cluster of each item; items of one are drawn together. By default each item is on its own.
    """

    items: int
    draws: int = 10_000
    seed: int = 0
    clusters: Sequence[Hashable] | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be drawn."""
        if self.clusters is not None and len(self.clusters) != self.items:
            raise OptionError(f"{self.items:,} items need a cluster each, got {len(self.clusters):,}")
        if self.draws < 1:
            raise OptionError(f"at least one draw is needed, got {self.draws}")
        if self.seed < 0:
            raise OptionError(f"a seed is 0 or more, got {self.seed}")

    @cached_property
    def unit_of(self) -> Codes:
        """Number of the unit that each item is drawn with."""
        return np.arange(self.items) if self.clusters is None else number_units(self.clusters)

    @property
    def units(self) -> int:
        """Number of units: of clusters, or of items."""
        return int(self.unit_of.max()) + 1 if self.items else 0

    @property
    def total(self) -> int:
        """Number of rows of all blocks together."""
        return self.draws

    @property
    def _height(self) -> int:
        return max(1, min(self.total, _BLOCK_ROWS, _BLOCK_CELLS // max(self.items, 1)))

    @property
    def starts(self) -> range:
        """Number of the first draw of each block."""
        return range(0, self.total, self._height)

    def _rows(self, start: int) -> int:
        return min(self._height, self.total - start)

    def _generator(self, start: int) -> np.random.Generator:
        return np.random.Generator(np.random.PCG64([self.seed, start]))

    def _spread(self, of_units: Draws) -> Draws:
        return of_units if self.clusters is None else np.take(of_units, self.unit_of, axis=1)


class Resampling(_Blocks):
    """Items drawn with replacement, as many units as there are.

    Examples
    --------
    >>> counts = Resampling(items=4, draws=3).block(0)
    >>> counts.sum(axis=1)
    array([4., 4., 4.])
    """

    def block(self, start: int) -> Draws:
        """Return how often each item is drawn, in the draws of the block that begins with ``start``."""
        rows, units = self._rows(start), self.units
        drawn = self._generator(start).integers(0, max(units, 1), (rows, units))
        drawn += np.arange(rows)[:, None] * units
        counts = np.bincount(drawn.ravel(), minlength=rows * units)
        return self._spread(counts.reshape(rows, units).astype(np.float64))


class LeaveOneOut(_Blocks):
    """All items but those of one unit, for each unit; at most ``draws`` of them.

    If there are more units, neighbours are left out together.

    Examples
    --------
    >>> LeaveOneOut(items=3).block(0)
    array([[0., 1., 1.],
           [1., 0., 1.],
           [1., 1., 0.]])
    """

    @property
    def total(self) -> int:
        """Number of rows of all blocks together."""
        return min(self.units, self.draws)

    def block(self, start: int) -> Draws:
        """Return 0 for items that are left out and 1 for others, in the block that begins with ``start``."""
        out = self.unit_of * self.total // max(self.units, 1)
        rows = np.arange(start, start + self._rows(start))
        return np.asarray(out[None, :] != rows[:, None], dtype=np.float64)


@dataclass(frozen=True)
class Swaps(_Blocks):
    """For which items two systems change places: every pattern there is, or some by chance.

    Parameters
    ----------
    exact_up_to : int
        Number of units up to which every pattern is tried.
    """

    exact_up_to: int = 16

    @property
    def exact(self) -> bool:
        """Whether the draws are all patterns."""
        return self.units <= self.exact_up_to

    @property
    def total(self) -> int:
        """Number of rows of all blocks together."""
        return 1 << self.units if self.exact else self.draws

    def block(self, start: int) -> Draws:
        """Return 1 where an item is swapped and 0 elsewhere, in the block that begins with ``start``."""
        rows = self._rows(start)
        if self.exact:
            patterns = np.arange(start, start + rows)[:, None] >> np.arange(self.units)
            return self._spread((patterns & 1).astype(np.float64))
        bits = self._generator(start).integers(0, 2, (rows, self.units), dtype=np.uint8)
        return self._spread(bits.astype(np.float64))
