# SPDX-License-Identifier: MIT
"""Inter-annotator agreement, and the reliability of a corpus for comparing systems."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kammerton.arrays import Codes
from kammerton.errors import OptionError
from kammerton.model.measure import Values


@dataclass(frozen=True, slots=True)
class Agreement:
    """A coefficient of agreement: 1 is perfect, 0 is what chance gives."""

    value: float  # NaN where undefined
    # observed, expected: disagreement seen, and disagreement by chance, for alpha; the agreements for kappa
    observed: float
    expected: float
    units: int  # units with at least two ratings
    ratings: float  # ratings of these units; with weights, the sum of the weights of their units
    reason: str = ""  # why there is no value


def coincidences(ratings: Codes, categories: int, weights: Values | None = None) -> Values:
    """Return how often two raters of a unit gave two labels.

    Every ordered pair of ratings of a unit with ``m`` ratings counts ``1 / (m - 1)``, so that the unit
    counts as often as it was rated. Coincidences of several collections add up.

    Examples
    --------
    Two raters agree on 0 and on 1, and differ once; a rating on its own says nothing:

    >>> coincidences(np.array([[0, 0], [1, 1], [0, 1], [0, -1]]), categories=2)
    array([[2., 1.],
           [1., 2.]])
    """
    if ratings.max(initial=-1) >= categories:
        raise OptionError(f"there are {categories} labels, got the code {ratings.max()}")
    weight = _weights(ratings, weights)
    counts = _counts(ratings, categories)
    raters = counts.sum(axis=1)
    paired = raters > 1
    counts = counts[paired]
    share = weight[paired] / (raters[paired] - 1)
    scaled = counts * share[:, None]
    return np.asarray(counts.T @ scaled - np.diag(scaled.sum(axis=0)))


def _weights(ratings: Codes, weights: Values | None) -> Values:
    if weights is None:
        return np.ones(len(ratings))
    if len(weights) != len(ratings):
        raise OptionError(f"{len(ratings):,} units need a weight each, got {len(weights):,}")
    return weights


def _counts(ratings: Codes, categories: int) -> Values:
    """Return how many raters gave each label to each unit."""
    units = np.arange(len(ratings))[:, None]
    keys = (units * categories + ratings)[ratings >= 0]
    counts = np.bincount(keys, minlength=len(ratings) * categories)
    return counts.reshape(len(ratings), categories).astype(np.float64)


def reliability_of(coincidence: Values, *, continuous: bool = False) -> tuple[float, float]:
    """Return the disagreement seen and the disagreement by chance; alpha is ``1 - seen / chance``."""
    labels = coincidence.sum(axis=1)
    whole = float(labels.sum())
    others = whole if continuous else whole - 1
    if whole <= 0 or others <= 0:
        return math.nan, math.nan
    seen = (whole - float(np.trace(coincidence))) / whole
    return seen, (whole**2 - float((labels**2).sum())) / (whole * others)


def krippendorff_alpha(ratings: Codes, weights: Values | None = None) -> Agreement:
    """Return Krippendorff's alpha for nominal labels.

    ``1 - Do / De``: observed over expected disagreement.

    References
    ----------
    Krippendorff, *Content Analysis*, 2004, chapter 11; Computing Krippendorff's alpha-reliability, 2011.

    Examples
    --------
    Do = 2/6, De = (36 - 9 - 9) / (6 * 5) = 3/5:

    >>> round(krippendorff_alpha(np.array([[0, 0], [1, 1], [0, 1]])).value, 4)
    0.4444
    """
    categories = int(ratings.max(initial=-1)) + 1
    paired = (ratings >= 0).sum(axis=1) > 1
    coincidence = coincidences(ratings, categories, weights)
    seen, chance = reliability_of(coincidence, continuous=weights is not None)
    reason = ""
    if math.isnan(chance):
        reason = "no unit has two ratings"
    elif chance == 0:
        reason = "all ratings are the same"
    value = math.nan if reason else 1 - seen / chance
    return Agreement(value, seen, chance, int(paired.sum()), float(coincidence.sum()), reason)


def fleiss_kappa(ratings: Codes, weights: Values | None = None) -> Agreement:
    """Return Fleiss' kappa.

    ``(Po - Pe) / (1 - Pe)``: the share of equal pairs of ratings, and the share that chance gives.

    References
    ----------
    Fleiss, Measuring nominal scale agreement among many raters, *Psychological Bulletin* 76, 1971.

    Examples
    --------
    Po = 2/3, Pe = 1/2:

    >>> round(fleiss_kappa(np.array([[0, 0], [1, 1], [0, 1]])).value, 4)
    0.3333
    """
    share = _weights(ratings, weights)
    counts = _counts(ratings, int(ratings.max(initial=-1)) + 1)
    raters = counts.sum(axis=1)
    reason = ""
    if not len(raters) or raters.max() < 2:
        reason = "no unit has two ratings"
    elif raters.min() < raters.max():
        counted = f"{int(raters.min())} to {int(raters.max())}"
        reason = f"units have {counted} ratings, and Fleiss' kappa needs equally many"
    if reason:
        return Agreement(math.nan, math.nan, math.nan, len(ratings), float(raters.sum()), reason)
    share = share / share.sum()
    equal = ((counts * (counts - 1)).sum(axis=1) / (raters * (raters - 1))) @ share
    labels = (counts / raters[:, None]).T @ share
    chance = float((labels**2).sum())
    same = bool((counts.sum(axis=0) > 0).sum() == 1)
    value = math.nan if same else (float(equal) - chance) / (1 - chance)
    reason = "all ratings are the same" if same else ""
    return Agreement(value, float(equal), chance, len(ratings), float(raters.sum()), reason)


@dataclass(frozen=True, slots=True)
class VarianceComponents:
    """Variance of the values of systems on items, by source; the G-study."""

    # systems, items, interaction: variance between systems, between items, and that which is left
    systems: float
    items: float
    interaction: float
    studied: int  # items of the study

    @property
    def shares(self) -> tuple[float, float, float]:
        """Shares of systems, items and interaction in the whole; NaN if nothing varies."""
        whole = self.systems + self.items + self.interaction
        parts = (self.systems, self.items, self.interaction)
        share_systems, share_items, share_rest = (_over(part, whole) for part in parts)
        return share_systems, share_items, share_rest

    def e_rho2(self, items: int) -> float:
        """Return the stability of *differences* of systems on so many items, E rho squared."""
        return _over(self.systems, self.systems + self.interaction / _positive(items))

    def phi(self, items: int) -> float:
        """Return the stability of the *values* of systems on so many items, Phi."""
        return _over(self.systems, self.systems + (self.items + self.interaction) / _positive(items))

    def items_for_e_rho2(self, target: float = 0.95) -> float:
        """Return how many items E rho squared needs to reach the target; infinity if systems do not vary."""
        return _needed(self.systems, self.interaction, target)

    def items_for_phi(self, target: float = 0.95) -> float:
        """Return how many items Phi needs to reach the target; infinity if systems do not vary."""
        return _needed(self.systems, self.items + self.interaction, target)


def variance_components(values: Values) -> VarianceComponents:
    """Return the variance components of a table in which each system has a value on each item.

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
