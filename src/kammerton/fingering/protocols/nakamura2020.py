# SPDX-License-Identifier: MIT
"""What the protocols of match rates share: their measures, made from a table."""

from __future__ import annotations

from collections.abc import Sequence

from kammerton.fingering.match_rates import MATCH_RATE, RATES, FingerColumns, Matches
from kammerton.model.measure import BY_HAND, Card, Law, Measure, Protocol, Statistics

_PAPER = "Nakamura, Saito & Yoshii 2020, Information Sciences 517, doi:10.1016/j.ins.2019.12.068"
_CARDS = {
    "M_gen": (
        "General match rate: how far the estimate agrees with the annotators on average.",
        "mean over annotators of (notes with the annotator's label / notes)",
    ),
    "M_high": (
        "Highest match rate: agreement with the closest annotator of each hand; not pianovam's M_high.",
        "sum over hands of the largest number of matches with one annotator / notes",
    ),
    "M_soft": (
        "Soft match rate: agreement with any annotator, note by note. It grows with their number.",
        "notes on which some annotator is matched / notes",
    ),
    "M_rec": (
        "Recombination match rate: agreement with a reference recombined from the annotators.",
        "1 - least of (mismatches + switches) / notes; a switch is possible right after an agreed note",
    ),
    "M_high_piece": (
        "Highest match rate with the closest annotator of the whole piece.",
        "largest number of matches with one annotator / notes",
    ),
}


def match_rate(
    protocol: str,
    name: str,
    card: tuple[str, str],
    *,
    source: str,
    agrees_with: str = BY_HAND,
    undefined_when: str = "no note has a label of an annotator",
    laws: frozenset[Law] = frozenset(("identity",)),
) -> Measure:
    """Return a match rate over all annotators of a piece, by its summary and its equation."""
    laws |= {"time_shift", "mirror"}
    if name != "M_gen":
        laws |= {"duplicate_annotator"}
    if name != "M_rec":  # a switch depends on the note before, in the order of the file
        laws |= {"note_order"}
    return Measure(
        protocol=protocol,
        name=name,
        formula=MATCH_RATE,
        aggregate="mean",
        beside=("pooled", "median"),
        weight_unit="notes",
        headline=name != "M_high_piece",
        needs="references+estimate",
        laws=laws,
        card=Card(
            summary=card[0],
            equation=card[1],
            undefined_when=undefined_when,
            source=source,
            agrees_with=agrees_with,
        ),
    )


def _published(name: str) -> Measure:
    source, agrees_with = _PAPER, "the authors' evaluation tool (1e-6)"
    if name == "M_high_piece":
        source, agrees_with = f"M_high of {_PAPER}, with one annotator for both hands", BY_HAND
    card = _CARDS[name]
    return match_rate("nakamura2020", name, card, source=source, agrees_with=agrees_with, laws=frozenset())


_CITATION = """@article{nakamura2020fingering,
  author = {Nakamura, Eita and Saito, Yasuyuki and Yoshii, Kazuyoshi},
  title = {Statistical learning and estimation of piano fingering},
  journal = {Information Sciences},
  volume = {517},
  year = {2020},
  doi = {10.1016/j.ins.2019.12.068},
}"""
PROTOCOL = Protocol(
    name="nakamura2020",
    revision=2,
    summary="The published match rates of the PIG data set.",
    rules=(
        "Labels are signed by hand. M_gen compares them as written (4_1 is not 4), the others the "
        "finger that strikes. Notes count in the hand of the estimate. Annotators who left a note "
        "unlabelled are left out, unless all did: then it is a mismatch. Corpus score: mean over "
        "pieces."
    ),
    measures=tuple(map(_published, _CARDS)),
    citation=_CITATION,
)


def evaluate(columns: FingerColumns, measures: Sequence[Measure]) -> dict[Measure, Statistics]:
    """Return the statistics of ``measures``, all of this protocol."""
    statistics = {}
    for measure in measures:
        if measure.name == "M_gen":
            statistics[measure] = columns.count(Matches.general_by_annotator, "text", complete=True)
        else:
            statistics[measure] = columns.count(RATES[measure.name], "strike", complete=True)
    return statistics
