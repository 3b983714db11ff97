# SPDX-License-Identifier: MIT
"""The arithmetic of measures of instruments: from additive statistics to values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from kammerton.arrays import Flags, ratio
from kammerton.instruments.options import Undefined
from kammerton.model.measure import Aggregate, Card, Law, Measure, Statistics, Values

Which = Literal["P", "R", "F"]
Texts = tuple[str, str, str]
"""What a card of a measure has of its own: summary, equation, and when it is undefined."""

RATE = ("part", "whole", "counted", "counts", "annotated")
"""Columns of a rate. *counted*: what it adds to a mean; *counts*: whether it is in the mean at all;
*annotated*: whether there is anything to be found."""
COUNTS = ("hits", "said", "annotated")
"""Columns of pooled precision, recall and F."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A quotient of its own for each file, instrument or query, and what that counts in a mean."""

    @property
    def statistics(self) -> tuple[str, ...]:
        """Name the columns."""
        return RATE

    def finalise(self, statistics: Statistics, /) -> Values:
        """Divide the part by the whole."""
        return ratio(statistics[:, 0], statistics[:, 1])

    def counted(self, statistics: Statistics, /) -> Values:
        """Return what each row counts in a mean; NaN where it is not in it."""
        return ratio(statistics[:, 2], statistics[:, 3])

    def weight(self, statistics: Statistics, /) -> Values:
        """Return 1 where there is something to be found."""
        return np.asarray(statistics[:, 4])

    def worst(self, statistics: Statistics, /) -> Statistics:
        """Find nothing, and count 0 wherever there was something to be found."""
        worst = np.zeros_like(statistics)
        worst[:, 1] = statistics[:, 1]
        worst[:, 3] = np.maximum(statistics[:, 3], statistics[:, 4])
        worst[:, 4] = statistics[:, 4]
        return worst


@dataclass(frozen=True, slots=True)
class Counts:
    """Precision, recall or F of labels that were counted together."""

    which: Which

    @property
    def statistics(self) -> tuple[str, ...]:
        """Name the columns."""
        return COUNTS

    def finalise(self, statistics: Statistics, /) -> Values:
        """Divide hits by listed labels, annotated labels, or the mean of both."""
        return ratio(*quotients(statistics)[self.which])

    def weight(self, statistics: Statistics, /) -> Values:
        """Return the number of annotated labels."""
        return np.asarray(statistics[:, 2])

    def worst(self, statistics: Statistics, /) -> Statistics:
        """Answer every annotated label with a wrong one."""
        worst = statistics.copy()
        worst[:, 0] = 0.0
        worst[:, 1] = np.maximum(statistics[:, 1], statistics[:, 2])
        return worst


def quotients(counts: Statistics) -> dict[str, tuple[Values, Values]]:
    """Return part and whole of precision, recall and Dice's F, of hits, listed and annotated."""
    hits, listed, annotated = counts.T
    return {"P": (hits, listed), "R": (hits, annotated), "F": (2 * hits, listed + annotated)}


def leave_out(statistics: Statistics, rows: Flags) -> Statistics:
    """Return statistics of rates of which some rows are in no mean; their values stay."""
    kept = statistics.copy()
    for column in ("counted", "counts"):
        kept[rows, RATE.index(column)] = 0.0
    return kept


def rates(
    part: Values,
    whole: Values,
    *,
    undefined: Undefined,
    annotated: Flags,
    known: Flags | None = None,
    of_nothing: float = 0.0,
) -> Statistics:
    """Return the statistics of rates."""
    defined = whole > 0
    counts = {"campaign": annotated, "skip": defined, "trec": annotated if known is None else known}
    counting = counts.get(undefined, np.ones(len(part), dtype=bool))
    fill = {"one": 1.0, "sklearn": of_nothing}.get(undefined, 0.0)
    value = np.full(len(part), fill)
    np.divide(part, whole, out=value, where=defined)
    return np.stack((np.where(defined, part, 0.0), whole, value * counting, counting, annotated), axis=1)


def measure(
    protocol: str,
    name: str,
    texts: Texts,
    source: str,
    agrees_with: str,
    *,
    headline: bool,
    formula: Rate | Counts | None = None,
    aggregate: Aggregate = "mean",
    unit: str = "files",
    over_all: bool = False,
) -> Measure:
    """Return a measure."""
    laws: frozenset[Law] = frozenset() if aggregate == "gathered" else frozenset(("identity",))
    summary, equation, undefined_when = texts
    card = Card(
        summary=summary,
        equation=equation,
        undefined_when=undefined_when,
        source=source,
        agrees_with=agrees_with,
    )
    return Measure(
        protocol=protocol,
        name=name,
        formula=formula or Rate(),
        aggregate=aggregate,
        weight_unit=unit,
        over_all=over_all,
        headline=headline,
        laws=laws,
        card=card,
    )
