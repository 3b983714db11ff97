# SPDX-License-Identifier: MIT
"""Tests of paired differences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kammerton.arrays import Flags, mean, total
from kammerton.model.measure import Measure, Values
from kammerton.scoring.scored_corpus import ItemScores
from kammerton.statistics.resampling import Permutations, ResampledScores, ScoreKey, check_share, each_block
from kammerton.statistics.sample import Sample, is_gathered, values_of

_ULPS = 64
"""Units in the last place by which scores may differ through rounding: a few for each sum or quotient."""
_ROUNDING = _ULPS * float(np.finfo(np.float64).eps)
OF_SUMS = 1e-11
"""The same for scores of resamples and permutations, whose sums are matrix products over all items."""


def scale_of(measure: Measure) -> float:
    """Return what the values of a measure round like near 0, such as 1 of a share that is 1 less another."""
    low, high = measure.range
    return high - low if math.isfinite(high - low) else 0.0


def differences(
    first: Values | float, second: Values | float, scale: float = 0.0, rounding: float = _ROUNDING
) -> Values:
    """Return ``first - second``, exactly 0 where the two differ by rounding alone.

    Examples
    --------
    >>> differences(np.array([0.1 + 0.2, 0.9]), np.array([0.3, 1.0])).tolist()
    [0.0, -0.09999999999999998]
    """
    difference = np.asarray(first - second, dtype=np.float64)
    difference[np.abs(difference) <= _slack(first, second, scale, rounding)] = 0.0
    return difference


def differences_of_items(first: Values, second: Values, scale: float = 0.0) -> Values:
    """Return :func:`differences` whose sizes are equal too if they differ by rounding alone.

    So they share a rank, and do not vary.

    >>> differences_of_items(np.array([0.9, 0.2]), np.array([1.0, 0.1])).tolist()
    [-0.09999999999999998, 0.09999999999999998]
    """
    signed = differences(first, second, scale)
    slack = _slack(first, second, scale, _ROUNDING)
    sizes: Values = _merged(np.abs(signed)[None, :], slack[None, :])[0]
    return np.sign(signed) * sizes


def _slack(first: Values | float, second: Values | float, scale: float, rounding: float) -> Values:
    larger: Values = np.maximum(np.maximum(np.abs(first), np.abs(second)), scale)
    return rounding * larger


def is_tie(first: float, second: float, scale: float = 0.0) -> bool:
    """Return whether two scores differ by rounding alone; an undefined one is equal to none."""
    return bool(differences(first, second, scale) == 0)


def level(rows: Values, scale: float = 0.0) -> Values:
    """Return a table in which values of a row that differ by rounding alone are the same.

    Examples
    --------
    >>> level(np.array([[0.1 + 0.2, 0.3, 0.2]])).tolist()
    [[0.3, 0.3, 0.2]]
    """
    return _merged(rows, _ROUNDING * np.maximum(np.abs(rows), scale))


def _merged(rows: Values, slack: Values) -> Values:
    """Return rows in which neighbours in size that are no further apart than their slack are the smallest."""
    order = np.argsort(rows, axis=1, kind="stable")
    ordered, allowed = (np.take_along_axis(array, order, axis=1) for array in (rows, slack))
    begins = np.ones(rows.shape, dtype=bool)
    begins[:, 1:] = ~(np.diff(ordered, axis=1) <= np.maximum(allowed[:, 1:], allowed[:, :-1]))
    first = np.maximum.accumulate(np.where(begins, np.arange(rows.shape[1]), 0), axis=1)
    merged = np.empty_like(rows)
    np.put_along_axis(merged, order, np.take_along_axis(ordered, first, axis=1), axis=1)
    return merged


def midranks(rows: Values) -> tuple[Values, Values]:
    """Return the rank of each value in its row: 1 for the smallest, equal ones the mean of theirs.

    Examples
    --------
    >>> midranks(np.array([[3.0, 1.0, 3.0, 2.0]]))
    (array([[3.5, 1. , 3.5, 2. ]]), array([6.]))
    """
    codes = np.unique(rows, return_inverse=True)[1].reshape(rows.shape)
    begins = np.arange(len(rows))[:, None]
    keys = codes + begins * (codes.max(initial=0) + 1)
    ordered = np.sort(keys, axis=None)
    before, upto = (np.searchsorted(ordered, keys, side=side) for side in ("left", "right"))
    equal = (upto - before).astype(np.float64)
    return (before + upto + 1) / 2 - begins * rows.shape[1], (equal**2 - 1).sum(axis=1)


@dataclass(frozen=True, slots=True)
class PairedTest:
    """The result of a test of a difference."""

    statistic: float  # what was tested: the difference of the scores, t, or the standardised sum of ranks
    p: float  # probability of a difference at least as large either way if there is none; NaN where undefined
    items: int  # items that took part: those that are defined, for ``wilcoxon`` those that differ
    smallest_p: float = 0.0  # smallest p that so many items allow; 0 of tests that have no such limit


class Tails:
    """Counts the permuted differences that reach the observed one.

    A permuted difference that is undefined counts as one that does.
    """

    def __init__(self, observed: float, size: float) -> None:
        self._observed = observed
        self._slack = OF_SUMS * max(size, abs(observed))
        self._reaching, self._count = 0, 0

    def add(self, permuted: Values) -> None:
        """Count further permuted differences."""
        falls_short = np.abs(permuted) < abs(self._observed) - self._slack
        self._reaching += len(permuted) - int(np.count_nonzero(falls_short))
        self._count += len(permuted)

    def result(self, *, exact: bool, items: int, units: int) -> PairedTest:
        """Return the test of so many items, and of as many units as change something if they are swapped."""
        if math.isnan(self._observed):
            return PairedTest(math.nan, math.nan, items)
        more = 0 if exact else 1
        p = (self._reaching + more) / (self._count + more)
        # of all patterns of these units, one and its mirror image are as far apart as can be
        smallest = max(min(2.0 ** (1 - units), 1.0), more / (self._count + more))
        return PairedTest(self._observed, p, items, smallest)


def t_test(differences: Values) -> PairedTest:
    """Test whether differences are 0 in the mean, by Student's t.

    Examples
    --------
    Mean 2, standard error 1:

    >>> t_test(np.array([1.0, 1.0, 4.0])).statistic
    2.0
    """
    from scipy.special import stdtr  # noqa: PLC0415 - slow to import

    known = differences[~np.isnan(differences)]
    if len(known) < 2:
        return PairedTest(math.nan, math.nan, len(known))
    if not known.any():
        return PairedTest(0.0, 1.0, len(known))
    average, error = mean(known), _deviation(known) / math.sqrt(len(known))
    t = average / error if error > 0 else math.copysign(math.inf, average)
    return PairedTest(t, 2 * float(stdtr(len(known) - 1, -abs(t))), len(known))


def wilcoxon(differences: Values) -> PairedTest:
    """Test whether differences are as often and as far above 0 as below, by Wilcoxon's signed ranks.

    Zeros are left out, equal distances get the mean of their ranks; normal approximation with correction
    for ties and for continuity.

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
        return PairedTest(0.0 * p, p, 0, p)
    (ranks,), (ties,) = midranks(np.abs(apart)[None, :])
    n = len(apart)
    error = math.sqrt(n * (n + 1) * (2 * n + 1) / 24 - ties / 48)
    excess = float(ranks[apart > 0].sum()) - n * (n + 1) / 4
    z = (excess - 0.5 * float(np.sign(excess))) / error
    smallest = 2 * float(ndtr((0.5 - n * (n + 1) / 4) / error))  # if all were on one side
    return PairedTest(z, 2 * float(ndtr(-abs(z))), n, smallest)


def holm(p_values: Values) -> Values:
    """Return p-values adjusted for all of them being looked at, by Holm's steps down.

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


_TOGETHER = 100
"""Patterns whose classes are held at once."""


class PermutationTest(NamedTuple):
    """Two scores that are tested against each other: one measure, two systems."""

    first: ScoreKey
    second: ScoreKey


def permutation_tests(
    sample: Sample,
    item_scores: Mapping[ScoreKey, ItemScores],
    tests: Sequence[PermutationTest],
    permutations: Permutations,
) -> tuple[dict[PermutationTest, PairedTest], Permutations]:
    """Test differences of scores, all gathered or none; also return the permutations that were made."""
    values = {key: scores.corpus_score(key.aggregate).value for key, scores in item_scores.items()}
    tails = {}
    for test in tests:
        first, second = (values[key] for key in test)
        tails[test] = Tails(first - second, max(abs(first), abs(second), scale_of(test.first.measure)))
    if is_gathered(list(item_scores)):
        pairs = {(test.first.system, test.second.system) for test in tests}
        repetitions = sample.gathered_permutations(permutations.repetitions, len(pairs))
        exact_up_to = min(permutations.exact_up_to, repetitions.bit_length() - 1)
        permutations = replace(permutations, repetitions=repetitions, exact_up_to=exact_up_to)
        scores, blocks = None, _permuted_classes(sample, tests, permutations)
    else:
        scores = sample.resampler(item_scores)
        blocks = _permuted_sums(scores, len(sample.items), tests, permutations)
    for block in blocks:
        for test, permuted in zip(tests, block, strict=True):
            tails[test].add(permuted)
    outcomes = {}
    for test, tail in tails.items():
        if scores is not None:
            differ = scores.differing_items(*test)
        else:  # items that neither system has a case of change no class
            sides = [sample.classes.cases(key.system, key.annotator) for key in test]
            differ = np.any([numbers >= 0 for side in sides for numbers in side.values()], axis=0)
        units = len(np.unique(sample.units[differ]))
        outcomes[test] = tail.result(exact=permutations.exact, items=len(sample.items), units=units)
    return outcomes, permutations


def _permuted_sums(
    scores: ResampledScores, items: int, tests: Sequence[PermutationTest], permutations: Permutations
) -> Iterator[list[Values]]:
    whole = scores.sums(np.ones((1, items)))

    def permuted(start: int) -> list[Values]:
        block = permutations.block(start)
        sums = whole, np.asfortranarray(scores.sums(block))  # each test takes a few columns
        return [scores.permuted_difference(*test, block, sums) for test in tests]

    return each_block(permuted, permutations.starts)


def _permuted_classes(
    sample: Sample, tests: Sequence[PermutationTest], permutations: Permutations
) -> Iterator[list[Values]]:
    for start in permutations.starts:
        block = permutations.block(start) > 0
        for at in range(0, len(block), _TOGETHER):
            yield _differences_of_classes(sample, tests, block[at : at + _TOGETHER])


def _differences_of_classes(
    sample: Sample, tests: Sequence[PermutationTest], patterns: Flags
) -> list[Values]:
    """Return the differences of scores over classes for some permutations, one pair of systems at a time."""
    values: dict[PermutationTest, Values] = {}
    groups: dict[tuple[str, str, str], list[PermutationTest]] = {}
    for test in tests:
        groups.setdefault((test.first.system, test.second.system, test.first.annotator), []).append(test)
    for (first, second, annotator), own in groups.items():
        cases = [sample.classes.cases(name, annotator) for name in (first, second)]
        measures = [test.first.measure for test in own]
        sides = []
        for side, opposite in (cases, cases[::-1]):
            permuted = {who: np.where(patterns, opposite[who], numbers) for who, numbers in side.items()}
            sides.append(values_of(sample.classes.classes_of_many(permuted, measures), measures))
        values |= zip(own, (sides[0] - sides[1]).T, strict=True)
    return [values[test] for test in tests]


@dataclass(frozen=True, slots=True, eq=False)
class Friedman:
    """Mean ranks of systems, and tests of them."""

    ranks: Values  # mean rank of each system; 1 is the best
    items: int  # items on which all systems have a value
    # chi_squared, p: whether any system differs from any other; NaN below 2 systems or without items
    chi_squared: float
    p: float
    pairs: Values  # p of each pair, adjusted for all pairs by the distribution of the studentized range
    critical: float  # difference of mean ranks from which on two systems are significantly different
    # p of each pair by the normal distribution of the difference of their mean ranks, adjusted for no other:
    # the test of pairs with one system (Demšar, *JMLR* 7, 2006, section 3.2.2)
    unadjusted: Values


def friedman(values: Values, alpha: float = 0.05) -> Friedman:
    """Compare systems by their ranks on each item.

    Examples
    --------
    Two systems, the first better on 8 of 10 items; ranks 1.2 and 1.8:

    >>> result = friedman(np.array([[2.0, 1.0]] * 8 + [[1.0, 2.0]] * 2))
    >>> result.ranks, round(result.chi_squared, 6)
    (array([1.2, 1.8]), 3.6)
    """
    from scipy.special import chdtrc, ndtr  # noqa: PLC0415 - slow to import

    known = values[~np.isnan(values).any(axis=1)]
    items, systems = known.shape
    if systems < 2 or not items:
        nothing = np.full((systems, systems), np.nan)
        return Friedman(np.full(systems, np.nan), items, math.nan, math.nan, nothing, math.nan, nothing)
    ranks, ties = midranks(-level(known))
    means = ranks.mean(axis=0)
    variance = systems * (systems + 1) / 12 - float(ties.sum()) / (12 * items * (systems - 1))
    apart = np.abs(means[:, None] - means[None, :])
    if variance <= 0:
        return Friedman(means, items, 0.0, 1.0, np.ones_like(apart), 0.0, np.ones_like(apart))
    error = math.sqrt(variance / items)
    spread = float(((means - (systems + 1) / 2) ** 2).sum())
    pairs = np.array([[_tukey_p(distance / error, systems) for distance in row] for row in apart.tolist()])
    chi_squared = spread / error**2
    p = float(chdtrc(systems - 1, chi_squared))
    critical = _studentized_range(systems, alpha) * error
    unadjusted = 2 * ndtr(-apart / (math.sqrt(2) * error))
    return Friedman(means, items, chi_squared, p, pairs, critical, unadjusted)


@lru_cache(maxsize=64)
def _studentized_range(systems: int, alpha: float) -> float:
    """Return the upper quantile for as many means whose variance is known."""
    from scipy.stats import studentized_range  # noqa: PLC0415 - slow to import

    check_share("alpha", alpha)
    return float(studentized_range.ppf(1 - alpha, systems, np.inf))


@lru_cache(maxsize=4096)
def _tukey_p(distance: float, systems: int) -> float:
    """Return the probability of a range at least as large."""
    from scipy.stats import studentized_range  # noqa: PLC0415 - slow to import

    return float(studentized_range.sf(distance, systems, np.inf)) if distance > 0 else 1.0
