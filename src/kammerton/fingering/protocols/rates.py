# SPDX-License-Identifier: MIT
"""What the protocols of match rates share: their measures, made from a table."""

from __future__ import annotations

from collections.abc import Mapping

from kammerton.fingering.formulas import MatchRate
from kammerton.model.measure import Card, Law, Measure

__all__ = ["match_rate"]

_UNDEFINED = "no note has a label of an annotator"


def match_rate(
    protocol: str,
    name: str,
    cards: Mapping[str, tuple[str, str, str, str]],
    *,
    headline: bool,
    laws: frozenset[Law] = frozenset(),
) -> Measure:
    """Return a match rate over all annotators of a piece.

    Parameters
    ----------
    protocol, name : str
        Its address.
    cards : mapping of str to (str, str, str, str)
        Of each name summary, equation, source, and what it agrees with, as in
        :class:`kammerton.model.measure.Card`.
    headline : bool
        Whether it is shown without being asked for.
    laws : frozenset of str
        Laws that its protocol keeps beside those of every such rate.
    """
    summary, equation, source, agrees_with = cards[name]
    laws |= {"time_shift", "mirror"}
    if name != "M_gen":
        laws |= {"duplicate_annotator"}
    if name != "M_rec":  # a switch depends on the note before, in the order of the file
        laws |= {"note_order"}
    return Measure(
        protocol=protocol,
        name=name,
        formula=MatchRate(),
        aggregate="mean",
        beside=("pooled", "median"),
        weight_unit="notes",
        headline=headline,
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
