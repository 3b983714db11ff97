# SPDX-License-Identifier: MIT
"""What the protocols of match rates share: their measures, made from a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kammerton.fingering.columns import Columns, MatchRate
from kammerton.fingering.match_rates import collect
from kammerton.model.measure import BY_HAND, Card, Law, Measure, Protocol, Statistics

__all__ = ["PROTOCOL", "evaluate", "match_rate"]

_UNDEFINED = "no note has a label of an annotator"


def match_rate(
    protocol: str,
    name: str,
    cards: Mapping[str, tuple[str, str, str, str]],
    *,
    headline: bool,
    laws: frozenset[Law] = frozenset(),
) -> Measure:
    """Return a match rate over all annotators of a piece."""
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


_PAPER = "Nakamura, Saito & Yoshii 2020, Information Sciences 517, doi:10.1016/j.ins.2019.12.068"
_TOOL = "the authors' evaluation tool (1e-6)"
_HEADLINES = ("M_gen", "M_high", "M_soft", "M_rec")
_CARDS = {
    "M_gen": (
        "General match rate: how far the estimate agrees with the annotators on average.",
        "mean over annotators of (notes with the annotator's label / notes)",
        _PAPER,
        _TOOL,
    ),
    "M_high": (
        "Highest match rate: agreement with the closest annotator of each hand; not pianovam's M_high.",
        "sum over hands of the largest number of matches with one annotator / notes",
        _PAPER,
        _TOOL,
    ),
    "M_soft": (
        "Soft match rate: agreement with any annotator, note by note. It grows with their number.",
        "notes on which some annotator is matched / notes",
        _PAPER,
        _TOOL,
    ),
    "M_rec": (
        "Recombination match rate: agreement with a reference recombined from the annotators.",
        "1 - least of (mismatches + switches) / notes; a switch is possible right after an agreed note",
        _PAPER,
        _TOOL,
    ),
    "M_high_piece": (
        "Highest match rate with the closest annotator of the whole piece.",
        "largest number of matches with one annotator / notes",
        f"M_high of {_PAPER}, with one annotator for both hands",
        BY_HAND,
    ),
}
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
        "unlabelled are left out, unless all did: then it is a mismatch. Corpus figure: mean over "
        "pieces."
    ),
    measures=tuple(match_rate("nakamura2020", name, _CARDS, headline=name in _HEADLINES) for name in _CARDS),
    citation=_CITATION,
)


def evaluate(columns: Columns, measures: Sequence[Measure]) -> dict[Measure, Statistics]:
    """Return the statistics of ``measures``, all of this protocol."""
    strike = columns.matches("strike")
    kernels = {
        "M_gen": lambda pieces: columns.matches("text")(pieces).general_by_annotator(),
        "M_high": lambda pieces: strike(pieces).closest("hand"),
        "M_high_piece": lambda pieces: strike(pieces).closest("piece"),
        "M_soft": lambda pieces: strike(pieces).soft(),
        "M_rec": lambda pieces: strike(pieces).recombined(),
    }
    return {measure: collect(columns.complete, kernels[measure.name]) for measure in measures}
