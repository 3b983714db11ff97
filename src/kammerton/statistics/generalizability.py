# SPDX-License-Identifier: MIT
"""How much data is enough: where the variance of a table of systems and items comes from.

Generalizability theory as in Urbano, Marrero and Martín, On the measurement of test collection reliability,
*SIGIR* 2013.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kammerton.errors import OptionError
from kammerton.model.measure import Values

__all__ = ["VarianceComponents", "drop_worst", "variance_components"]


@dataclass(frozen=True, slots=True)
class VarianceComponents:
    """Variance of the values of systems on items, by source; the G-study.

    Parameters
    ----------
    systems, items, interaction : float
        Variance between systems, between items, and that which is left.
    studied : int
        Items of the study.
    """

    systems: float
    items: float
    interaction: float
    studied: int

    @property
    def shares(self) -> tuple[float, float, float]:
        """Shares of systems, items and interaction in the whole; NaN if nothing varies."""
        whole = self.systems + self.items + self.interaction
        parts = (self.systems, self.items, self.interaction)
        share_systems, share_items, share_rest = (_over(part, whole) for part in parts)
        return share_systems, share_items, share_rest

    def e_rho2(self, items: int) -> float:
        """Return the stability of *differences* of systems on so many items, E rho squared.

        Parameters
        ----------
        items : int
            Size of a collection of such items.
        """
        return _over(self.systems, self.systems + self.interaction / _positive(items))

    def phi(self, items: int) -> float:
        """Return the stability of the *values* of systems on so many items, Phi.

        Parameters
        ----------
        items : int
            Size of a collection of such items.
        """
        return _over(self.systems, self.systems + (self.items + self.interaction) / _positive(items))

    def items_for_e_rho2(self, target: float = 0.95) -> float:
        """Return how many items E rho squared needs to reach the target; infinity if systems do not vary."""
        return _needed(self.systems, self.interaction, target)

    def items_for_phi(self, target: float = 0.95) -> float:
        """Return how many items Phi needs to reach the target; infinity if systems do not vary."""
        return _needed(self.systems, self.items + self.interaction, target)


def variance_components(values: Values) -> VarianceComponents:
    """Return the variance components of a table in which each system has a value on each item.

    Parameters
    ----------
    values : ndarray, shape (items, systems)
        Items on which a system is undefined are left out.

    Returns
    -------
    VarianceComponents
        By the mean squares of an analysis of variance without replication; negative components are 0.
        NaN below 2 items or 2 systems.

    Examples
    --------
    Systems differ by 2 on every item, and items by 1 for every system:

    >>> variance_components(np.array([[0.0, 2.0], [1.0, 3.0]]))
    VarianceComponents(systems=2.0, items=0.5, interaction=0.0, studied=2)
    """
    known = values[~np.isnan(values).any(axis=1)]
    items, systems = known.shape
    if items < 2 or systems < 2:
        return VarianceComponents(math.nan, math.nan, math.nan, items)
    whole, of_items, of_systems = known.mean(), known.mean(axis=1), known.mean(axis=0)
    left = known - of_items[:, None] - of_systems[None, :] + whole
    rest = float((left**2).sum()) / ((items - 1) * (systems - 1))
    between_systems = items * float(((of_systems - whole) ** 2).sum()) / (systems - 1)
    between_items = systems * float(((of_items - whole) ** 2).sum()) / (items - 1)
    return VarianceComponents(
        max((between_systems - rest) / items, 0.0), max((between_items - rest) / systems, 0.0), rest, items
    )


def drop_worst(values: Values, share: float = 0.25) -> Values:
    """Return the table without the worst systems: broken ones make any collection look reliable.

    Parameters
    ----------
    values : ndarray, shape (items, systems)
        The higher the better; systems are ordered by their means.
    share : float
        Share of the systems to leave out, rounded down.
    """
    if not 0 <= share < 1:
        raise OptionError(f"the share of systems to leave out is from 0 to below 1, got {share}")
    order = np.argsort(values.mean(axis=0), kind="stable")
    return values[:, np.sort(order[int(share * values.shape[1]) :])]


def _over(part: float, whole: float) -> float:
    return part / whole if whole > 0 else math.nan


def _positive(items: int) -> int:
    if items < 1:
        raise OptionError(f"a collection has at least one item, got {items}")
    return items


def _needed(systems: float, error: float, target: float) -> float:
    if not 0 < target < 1:
        raise OptionError(f"a target of reliability is between 0 and 1, got {target}")
    if math.isnan(systems):
        return math.nan
    if systems == 0:
        return math.inf
    exactly = target / (1 - target) * error / systems
    # a whole number that rounding has moved a little is still that number
    return max(math.ceil(round(exactly, 9)), 1)
