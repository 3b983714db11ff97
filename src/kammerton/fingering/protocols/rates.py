# SPDX-License-Identifier: MIT
"""What the protocols of match rates share: their measures, made from a table."""

from __future__ import annotations

from collections.abc import Mapping

from kammerton.fingering.formulas import MatchRate
from kammerton.model.measure import Card, Law, Measure

__all__ = ["match_rate"]

_UNDEFINED = "no note has a label of an annotator"


def match_rate(
    protocol: str, name: str, cards: Mapping[str, tuple[str, str]], *, source: str, agrees_with: str
) -> Measure:
    """Return a match rate over all annotators of a piece.

    Parameters
    ----------
    protocol, name : str
        Its address.
    cards : mapping of str to (str, str)
        Summary and equation of each name.
    source, agrees_with : str
        As in :class:`kammerton.model.measure.Card`.
    """
    summary, equation = cards[name]
    laws: frozenset[Law] = frozenset(("identity", "time_shift", "note_order", "mirror"))
    if name in ("M_high", "M_soft", "M_rec", "M_high_piece"):
        laws |= {"duplicate_annotator"}
    return Measure(
        protocol=protocol,
        name=name,
        formula=MatchRate(),
        aggregate="mean",
        beside=("pooled", "median"),
        weight_unit="notes",
        headline=name != "M_high_piece",
        needs="references+estimate",
        laws=laws,
        card=Card(
            summary=summary,
            equation=equation,
            undefined_when=_UNDEFINED,
            source=source,
            agrees_with=agrees_with,
        ),
    )
