# SPDX-License-Identifier: MIT
"""What the protocols of instruments share: their measures, made from tables of cards."""

from __future__ import annotations

from kammerton.instruments.formulas import Counts, Rate
from kammerton.model.measure import Aggregate, Card, Law, Measure

__all__ = ["measure"]


def measure(
    protocol: str,
    name: str,
    card: tuple[str, str, str, str, str],
    *,
    headline: bool,
    formula: Rate | Counts | None = None,
    aggregate: Aggregate = "mean",
    unit: str = "files",
    over_all: bool = False,
) -> Measure:
    """Return a measure.

    Parameters
    ----------
    protocol, name : str
        Its address.
    card : (str, str, str, str, str)
        Summary, equation, when it is undefined, source, and what it agrees with, as in
        :class:`kammerton.model.measure.Card`.
    headline : bool
        Whether it is shown without being asked for.
    formula : Rate or Counts, optional
        By default a rate.
    aggregate : aggregate
        How items, or classes, become a figure.
    unit : str
        What is counted.
    over_all : bool
        Whether the only class is of everything together.
    """
    summary, equation, undefined_when, source, agrees_with = card
    laws: frozenset[Law] = frozenset() if aggregate == "gathered" else frozenset(("identity",))
    return Measure(
        protocol=protocol,
        name=name,
        formula=formula or Rate(),
        aggregate=aggregate,
        weight_unit=unit,
        over_all=over_all,
        headline=headline,
        laws=laws,
        card=Card(
            summary=summary,
            equation=equation,
            undefined_when=undefined_when,
            source=source,
            agrees_with=agrees_with,
        ),
    )
