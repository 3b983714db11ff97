# SPDX-License-Identifier: MIT
"""What a measure is: additive statistics of an item, and a pure function that finalises them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from kammerton.core.ratios import mean, median, total, weighted_mean

__all__ = [
    "BY_HAND",
    "REFERENCE",
    "Aggregate",
    "Card",
    "Estimate",
    "Formula",
    "Law",
    "Measure",
    "Needs",
    "Statistics",
    "average",
]

Statistics = NDArray[np.float64]
"""Shape (items, statistics): the additive statistics of one measure."""

Values = NDArray[np.float64]

Aggregate = Literal["pooled", "mean", "weighted_mean", "median", "gathered"]

Needs = Literal["pair", "references+estimate", "estimate", "annotators"]

Law = Literal[
    "identity",  # reference = estimate scores the best value, or is undefined
    "transposition",  # both sides transposed: nothing changes
    "respelling",  # roots respelled enharmonically: nothing changes
    "time_shift",  # both sides later by the same time: nothing changes
    "split",  # a row split in two equal rows: nothing changes
    "symmetry",  # sides swapped: nothing changes
    "note_order",  # simultaneous notes in another order: nothing changes
    "mirror",  # hands swapped and keys mirrored: nothing changes
    "duplicate_annotator",  # an annotator counted twice: nothing changes
]


class Formula(Protocol):
    """The arithmetic of a measure.

    ``statistics`` names the columns; every statistic is additive over items. An item may count in a mean
    what is not its value, 0 if undefined, say: ``counted(statistics)`` then returns what each row counts,
    NaN where it does not take part. Without it that is the value.
    """

    @property
    def statistics(self) -> tuple[str, ...]:
        """Name the columns of the statistics."""

    def finalise(self, statistics: Statistics, /) -> Values:
        """Return the value of each row of statistics; NaN where undefined."""

    def weight(self, statistics: Statistics, /) -> Values:
        """Return what the value was measured on, in the measure's ``weight_unit``."""

    def worst(self, statistics: Statistics, /) -> Statistics:
        """Return the statistics of the worst estimate for the same reference."""


REFERENCE = "reference"
"""What every measure lacks that compares with references, where there are none."""

BY_HAND = "compared with no other program; worked out by hand in the tests"
"""What the card of a measure without an oracle says that it agrees with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What a reader must know to trust a figure; shown by ``kammerton measures``.

    Parameters
    ----------
    summary : str
        One sentence.
    equation : str
        The formula in plain text.
    undefined_when : str
        When there is no value.
    source : str
        Paper, document or program that defines it.
    agrees_with : str
        Tool, version and tolerance of the agreement that the tests hold for this very measure, or
        :data:`BY_HAND`.
    """

    summary: str
    equation: str
    undefined_when: str
    source: str
    agrees_with: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """A corpus figure: the value, what it was measured on, and how many items had none."""

    value: float
    weight: float
    items: int
    undefined: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A measure of a protocol: a frozen value, addressed ``protocol/name``.

    Parameters
    ----------
    protocol, name : str
        Together its address: CLI argument, column name and key.
    formula : Formula
        Statistics and finaliser.
    aggregate : {"pooled", "mean", "weighted_mean", "median", "gathered"}
        How items become the headline corpus figure. *pooled*: sum the statistics, finalise once.
        *mean*, *median*: finalise per item, then average. *weighted_mean*: the same with the
        formula's weight. *gathered*: statistics are of classes, each a function of what all items say
        of it; finalise per class, then average.
    beside : tuple of aggregate
        Further aggregates that are reported beside the headline.
    weight_unit : str
        Unit of the formula's weight.
    card : Card
        Its documentation.
    headline : bool
        Whether the terminal table shows it without being asked; no measure is by default, since each
        makes the tables of everyone wider.
    range : (float, float)
        Smallest and largest value.
    direction : {"higher", "lower"}
        Which way is better.
    worst : float
        The value an unusable estimate gets.
    laws : frozenset of str
        Invariances it keeps; a law it does not declare has a counterexample among the tests.
    needs : {"pair", "references+estimate", "estimate", "annotators"}
        What one row of statistics is computed from: one reference and the estimate, all references of
        an item and the estimate, the estimate alone, or the references alone.
    over_all : bool
        Of a gathered measure: whether all items and classes together make its only class. Intervals then
        resample items, else classes: those that it averages.
    inputs : tuple of str
        What annotations may lack and the measure has no value without, such as ``"pitches"``; the first that
        is lacking is the reason, ``no_pitches``.
    """

    protocol: str
    name: str
    formula: Formula
    aggregate: Aggregate
    card: Card
    beside: tuple[Aggregate, ...] = ()
    weight_unit: str = "s"
    headline: bool = False
    range: tuple[float, float] = (0.0, 1.0)
    direction: Literal["higher", "lower"] = "higher"
    worst: float = 0.0
    laws: frozenset[Law] = field(default_factory=frozenset)
    needs: Needs = "pair"
    over_all: bool = False
    inputs: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.protocol}/{self.name}"

    def __hash__(self) -> int:
        """Return that of its address: a key of most mappings is not looked through each time."""
        return hash((self.protocol, self.name))

    @property
    def aggregates(self) -> tuple[Aggregate, ...]:
        """The headline aggregate and those beside it."""
        return (self.aggregate, *self.beside)

    @property
    def resamples_classes(self) -> bool:
        """Whether intervals resample classes, which the measure averages, and not items.

        A class that few items have is in no resample of items at times, and the first file that a query asks
        for is lost in one of three: such scores lie apart from that of all items.
        """
        return self.aggregate == "gathered" and not self.over_all

    def why_undefined(self, lacking: str) -> str:
        """Return the reason why a row has no value.

        Parameters
        ----------
        lacking : str
            Names of what its annotations lack, with blanks between them.
        """
        known = lacking.split()
        lacks = (f"no_{name}" for name in (REFERENCE, *self.inputs) if name in known)
        return next(lacks, f"nothing comparable: {self.card.undefined_when}")

    def counted(self, statistics: Statistics) -> Values:
        """Return what each row of statistics counts in a mean; NaN where it does not take part."""
        counted = getattr(self.formula, "counted", self.formula.finalise)
        found: Values = counted(statistics)
        return found

    def estimate(self, statistics: Statistics, how: Aggregate) -> Estimate:
        """Return the corpus figure of items with these statistics.

        Parameters
        ----------
        statistics : ndarray, shape (items, statistics)
            One row per item, or per class.
        how : aggregate
            How items become a figure.

        Returns
        -------
        Estimate
            ``weight`` is the formula's weight summed over the items that have a value, or the number of
            those that count where each counts the same.
        """
        values, weights = self.formula.finalise(statistics), self.formula.weight(statistics)
        if how == "pooled":
            return self.pooled(statistics, values, weights)
        return average(values, self.counted(statistics), weights, how)

    def pooled(self, statistics: Statistics, values: Values, weights: Values) -> Estimate:
        """Return the figure of statistics that are summed, of items that have these values and weights."""
        undefined = np.isnan(values)
        summed = np.array([[total(column) for column in statistics.T]])
        value = float(self.formula.finalise(summed)[0])
        return Estimate(value, total(weights[~undefined]), len(values), int(np.count_nonzero(undefined)))


def average(values: Values, counted: Values, weights: Values, how: Aggregate) -> Estimate:
    """Return the mean, weighted mean or median of what items count.

    Parameters
    ----------
    values, counted, weights : ndarray, shape (items,)
        Value of each item, NaN where undefined; what it counts; what that was measured on.
    how : aggregate
        Anything but pooled.
    """
    items, undefined = len(values), int(np.isnan(values).sum())
    if how == "weighted_mean":
        weight = total(weights[~np.isnan(counted)])
        return Estimate(weighted_mean(counted, weights), weight, items, undefined)
    value = median(counted) if how == "median" else mean(counted)
    return Estimate(value, float(items - np.isnan(counted).sum()), items, undefined)
