# SPDX-License-Identifier: MIT
"""What the protocols of instruments share: their measures, made from tables of cards."""

from __future__ import annotations

from kammerton.instruments.formulas import Counts, Rate
from kammerton.model.measure import Aggregate, Card, Law, Measure

__all__ = ["measure"]


def measure(
    protocol: str,
    name: str,
    card: tuple[str, str, str],
    *,
    source: str,
    agrees_with: str,
    formula: Rate | Counts | None = None,
    aggregate: Aggregate = "mean",
    unit: str = "files",
    headline: bool = True,
) -> Measure:
    """Return a measure.

    Parameters
    ----------
    protocol, name : str
        Its address.
    card : (str, str, str)
        Summary, equation, and when it is undefined.
    source, agrees_with : str
        As in :class:`kammerton.model.measure.Card`.
    formula : Rate or Counts, optional
        By default a rate.
    aggregate : aggregate
        How items, or classes, become a figure.
    unit : str
        What is counted.
    headline : bool
        Whether it is shown without being asked for.
    """
    summary, equation, undefined_when = card
    laws: frozenset[Law] = frozenset() if aggregate == "gathered" else frozenset(("identity",))
    return Measure(
        protocol=protocol,
        name=name,
        formula=formula or Rate(),
        aggregate=aggregate,
        weight_unit=unit,
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
