# SPDX-License-Identifier: MIT
"""Two systems on the same items: tests of their difference, and how large it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from kammerton.core.ratios import mean, total
from kammerton.model.measure import Statistics, Values
from kammerton.statistics.products import each_block
from kammerton.statistics.ranks import OF_SUMS, midranks
from kammerton.statistics.resampling import Swaps

__all__ = [
    "PairedTest",
    "Tails",
    "cohens_d",
    "holm",
    "permutation_test",
    "superiority",
    "swap_test",
    "t_test",
    "wilcoxon",
]

Finalise = Callable[[Statistics], Values]
"""From sums of statistics, one row each, to figures."""


@dataclass(frozen=True, slots=True)
class PairedTest:
    """What a test says of a difference.

    Parameters
    ----------
    statistic : float
        What was tested: the difference of the figures, t, or the standardised sum of ranks.
    p : float
        Probability of a difference at least as large either way if there is none; NaN where undefined.
    p_greater : float
        The same of one in favour of the first system.
    items : int
        Items that took part: those that are defined, for ``wilcoxon`` those that differ.
    """

    statistic: float
    p: float
    p_greater: float
    items: int


class Tails:
    """Counts how many permuted differences reach the observed one.

    A permuted difference that is undefined counts as one that does.

    Parameters
    ----------
    observed : float
        The difference of the two figures.
    size : float
        Of what was subtracted, such as the larger of the two figures without its sign: how far sums over
        the same numbers can be apart.
    """

    def __init__(self, observed: float, size: float) -> None:
        self._observed = observed
        self._slack = OF_SUMS * max(size, abs(observed))
        self._either, self._greater, self._draws = 0, 0, 0

    def add(self, permuted: Values) -> None:
        """Count further permuted differences."""
        falls_short = np.abs(permuted) < abs(self._observed) - self._slack
        self._either += len(permuted) - int(np.count_nonzero(falls_short))
        falls_short = permuted < self._observed - self._slack
        self._greater += len(permuted) - int(np.count_nonzero(falls_short))
        self._draws += len(permuted)

    def result(self, *, exact: bool, items: int) -> PairedTest:
        """Return the test.

        Parameters
        ----------
        exact : bool
            Whether every permutation was counted. If not, the observed one counts as one more
            (Phipson and Smyth, *Stat. Appl. Genet. Mol. Biol.* 9, 2010).
        items : int
            Items that took part.
        """
        if math.isnan(self._observed):
            return PairedTest(math.nan, math.nan, math.nan, items)
        more = 0 if exact else 1
        either, greater = ((count + more) / (self._draws + more) for count in (self._either, self._greater))
        return PairedTest(self._observed, either, greater, items)


def swap_test(first: Statistics, second: Statistics, finalise: Finalise, swaps: Swaps) -> PairedTest:
    """Test the difference of two figures that are made of summed statistics.

    If the systems do not differ, nothing tells which of them the statistics of an item came from. They are
    swapped item by item, summed, and the figures computed anew.

    Parameters
    ----------
    first, second : ndarray, shape (items, statistics)
        Of each system on the same items.
    finalise : callable
        Makes figures of sums, shape (draws, statistics).
    swaps : Swaps
        On as many items.

    Returns
    -------
    PairedTest
        Of ``finalise(first) - finalise(second)``.

    Examples
    --------
    Right seconds and seconds of three songs; of the 8 patterns, 2 differ as much:

    >>> first = np.array([[9.0, 10.0], [30.0, 40.0], [8.0, 10.0]])
    >>> second = np.array([[8.0, 10.0], [20.0, 40.0], [6.0, 10.0]])
    >>> swap_test(first, second, lambda sums: sums[:, 0] / sums[:, 1], Swaps(items=3)).p
    0.25
    """
    figures = [float(finalise(each.sum(axis=0)[None, :])[0]) for each in (first, second)]
    return _swapped(first, second, finalise, swaps, max(abs(each) for each in figures))


def _swapped(
    first: Statistics, second: Statistics, finalise: Finalise, swaps: Swaps, size: float
) -> PairedTest:
    (one, other), moved = (first.sum(axis=0), second.sum(axis=0)), second - first

    def permuted(start: int) -> Values:
        change = swaps.block(start) @ moved
        return np.asarray(finalise(one + change) - finalise(other - change))

    observed = finalise(one[None, :]) - finalise(other[None, :])
    tails = Tails(float(observed[0]), size)
    for block in each_block(permuted, swaps.starts):
        tails.add(block)
    return tails.result(exact=swaps.exact, items=len(first))


def permutation_test(
    differences: Values,
    *,
    draws: int = 10_000,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
    exact_up_to: int = 16,
) -> PairedTest:
    """Test whether differences are 0 in the mean, by changing their signs.

    Parameters
    ----------
    differences : ndarray, shape (items,)
        First minus second system; undefined ones are left out.
    draws : int
        How many patterns of signs are drawn, if not all are tried.
    seed : int
        Of the draws.
    clusters : sequence, optional
        Cluster of each item; differences of one change their signs together.
    exact_up_to : int
        Number of items, or of clusters, up to which all patterns are tried.

    Examples
    --------
    Of the 16 patterns of signs, two have a mean as far from 0:

    >>> permutation_test(np.array([1.0, 2.0, 3.0, 4.0])).p
    0.125
    """
    defined = ~np.isnan(differences)
    known = differences[defined]
    kept = (
        None if clusters is None else [name for name, is_in in zip(clusters, defined, strict=True) if is_in]
    )
    swaps = Swaps(len(known), draws, seed, kept, exact_up_to)
    if not len(known):
        return PairedTest(math.nan, math.nan, math.nan, 0)
    columns = known[:, None] / len(known)
    size = float(np.abs(columns).sum())
    return _swapped(columns, np.zeros_like(columns), lambda sums: sums[:, 0], swaps, size)


def t_test(differences: Values) -> PairedTest:
    """Test whether differences are 0 in the mean, by Student's t.

    Parameters
    ----------
    differences : ndarray, shape (items,)
        From :func:`kammerton.statistics.ranks.differences_of_items`. Undefined ones are left out; at least
        2 others are needed. Where all are the same, t is infinite, and p 0; where all are 0, p is 1.

    Examples
    --------
    Mean 2, standard error 1:

    >>> t_test(np.array([1.0, 1.0, 4.0])).statistic
    2.0
    """
    from scipy.special import stdtr  # noqa: PLC0415 - slow to import

    known = differences[~np.isnan(differences)]
    if len(known) < 2:
        return PairedTest(math.nan, math.nan, math.nan, len(known))
    if not known.any():
        return PairedTest(0.0, 1.0, 0.5, len(known))
    average, error = mean(known), _deviation(known) / math.sqrt(len(known))
    t = average / error if error > 0 else math.copysign(math.inf, average)
    below = float(stdtr(len(known) - 1, -t))
    return PairedTest(t, 2 * float(stdtr(len(known) - 1, -abs(t))), below, len(known))


def wilcoxon(differences: Values) -> PairedTest:
    """Test whether differences are as often and as far above 0 as below, by Wilcoxon's signed ranks.

    Zeros are left out, equal distances get the mean of their ranks; normal approximation with correction
    for ties and for continuity.

    Parameters
    ----------
    differences : ndarray, shape (items,)
        From :func:`kammerton.statistics.ranks.differences_of_items`. Undefined ones are left out; where all
        others are 0, p is 1.

    Examples
    --------
    Ranks 1, 2 and 3 below 0 and 4 above it: (4 - 5 + 0.5) / sqrt(4 * 5 * 9 / 24)

    >>> round(wilcoxon(np.array([-1.0, -2.0, -3.0, 4.0])).statistic, 4)
    -0.1826
    """
    from scipy.special import ndtr  # noqa: PLC0415 - slow to import

    known = differences[~np.isnan(differences)]
    apart = known[known != 0]
    if not len(apart):
        p = 1.0 if len(known) else math.nan
        return PairedTest(0.0 * p, p, 0.5 * p, 0)
    (ranks,), (ties,) = midranks(np.abs(apart)[None, :])
    n = len(apart)
    error = math.sqrt(n * (n + 1) * (2 * n + 1) / 24 - ties / 48)
    excess = float(ranks[apart > 0].sum()) - n * (n + 1) / 4
    z = (excess - 0.5 * float(np.sign(excess))) / error
    return PairedTest(z, 2 * float(ndtr(-abs(z))), float(ndtr((0.5 - excess) / error)), n)


def holm(p_values: Values) -> Values:
    """Return p-values adjusted for all of them being looked at, by Holm's steps down.

    Parameters
    ----------
    p_values : ndarray, shape (tests,)
        Undefined ones stay undefined, and are not counted.

    References
    ----------
    Holm, A simple sequentially rejective multiple test procedure, *Scand. J. Stat.* 6, 1979.

    Examples
    --------
    3 * 0.01, then 2 * 0.03, then 0.04, but not less than the one before:

    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    adjusted = np.full(len(p_values), np.nan)
    defined = np.flatnonzero(~np.isnan(p_values))
    order = defined[np.argsort(p_values[defined], kind="stable")]
    steps = p_values[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def cohens_d(differences: Values) -> float:
    """Return the mean difference in standard deviations of the differences, d_z.

    Undefined differences are left out; NaN where the others do not vary.

    >>> cohens_d(np.array([1.0, 2.0, 3.0]))
    2.0
    """
    known = differences[~np.isnan(differences)]
    deviation = _deviation(known)
    return mean(known) / deviation if deviation > 0 else math.nan


def superiority(differences: Values) -> float:
    """Return how often the first system is better, ties counting half; NaN without items.

    Undefined differences are left out.

    >>> superiority(np.array([0.2, 0.0, -0.1, 0.3]))
    0.625
    """
    known = differences[~np.isnan(differences)]
    return mean((np.sign(known) + 1) / 2)


def _deviation(values: Values) -> float:
    """Return the standard deviation with n - 1; 0 below 2 values, or where all are the same."""
    if len(values) < 2 or (values == values[0]).all():
        return 0.0
    return math.sqrt(total((values - mean(values)) ** 2) / (len(values) - 1))
