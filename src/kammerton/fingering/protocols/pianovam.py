# SPDX-License-Identifier: MIT
"""Protocol ``pianovam``: Accuracy, M_gen, M_high and IFR as the evaluation document of PianoVAM defines them.

Fingers are compared without their hand. IFR judges consecutive notes of a hand in the order given.
"""

from __future__ import annotations

from collections.abc import Sequence

from kammerton.fingering.judging import Playability, ViolationRate, limits_of
from kammerton.fingering.match_rates import AGAINST, MATCH_RATE, Columns, Matches
from kammerton.model.measure import BY_HAND, Card, Law, Measure, Protocol, Statistics

_NO_LABEL = "no note has a label of an annotator"
_CARDS = {
    "Accuracy": (
        "Agreement with the first annotator.",
        "notes with the first annotator's finger / notes that the annotator labelled",
        "the first annotator labelled no note",
    ),
    "M_gen": (
        "General match rate, averaged over notes.",
        "mean over notes of (annotators with the finger / annotators of the note)",
        _NO_LABEL,
    ),
    "M_high": (
        "Agreement with any annotator, note by note. Elsewhere this is M_soft, and M_high another rate.",
        "notes that match any annotator / notes",
        _NO_LABEL,
    ),
    "IFR": (
        "Irrational fingering rate: steps within a hand that break a constraint of the document.",
        "irrational transitions / judged transitions",
        "no hand has two fingered notes, or pitches are not known",
    ),
}
_LAWS: dict[str, tuple[Law, ...]] = {
    "Accuracy": ("identity", "note_order", "duplicate_annotator"),
    "M_gen": ("identity", "note_order"),
    "M_high": ("identity", "note_order", "duplicate_annotator"),
    "IFR": ("duplicate_annotator",),
}


def _measure(name: str) -> Measure:
    summary, equation, undefined_when = _CARDS[name]
    is_rate = name != "IFR"
    return Measure(
        protocol="pianovam",
        name=name,
        formula=MATCH_RATE if is_rate else ViolationRate(),
        aggregate="mean" if is_rate else "pooled",
        beside=("pooled", "median") if is_rate else ("mean", "median"),
        weight_unit="notes" if is_rate else "transitions",
        headline=True,
        needs="references+estimate" if is_rate else "estimate",
        inputs=() if is_rate else ("fingers", "pitches"),
        direction="higher" if is_rate else "lower",
        worst=0.0 if is_rate else 1.0,
        laws=frozenset(("time_shift", "mirror", *_LAWS[name])),
        card=Card(
            summary=summary,
            equation=equation,
            undefined_when=undefined_when,
            source="evaluation protocol document of the PianoVAM fingering project",
            agrees_with=f"{BY_HAND}, by the formulas of the document",
        ),
    )


_CITATION = """@misc{pianovam_evaluation,
  author = {{PianoVAM fingering project}},
  title = {Evaluation Protocol},
  note = {Document of the project},
}"""

PROTOCOL = Protocol(
    name="pianovam",
    revision=2,
    summary="The measures of the PianoVAM evaluation document, under its own names.",
    rules=(
        "Fingers are compared without their hand. M_high is the rate of notes that match any "
        "annotator. IFR judges consecutive notes of the same hand in the order given, whatever their "
        "onsets: same finger on keys more than 2 semitones apart, an impossible crossing, a stretch "
        "beyond the table of the document."
    ),
    measures=tuple(map(_measure, _CARDS)),
    citation=_CITATION,
)


def evaluate(columns: Columns, measures: Sequence[Measure]) -> dict[Measure, Statistics]:
    """Return the statistics of those ``measures`` that compare with annotators."""
    return {measure: columns.count(_KERNELS[measure.name], "finger") for measure in measures}


_KERNELS = {
    "Accuracy": lambda matches: matches.against()[:, [AGAINST.index("matched"), AGAINST.index("labelled")]],
    "M_gen": Matches.general_by_note,
    "M_high": Matches.soft,
}


def evaluate_alone(judge: Playability, measures: Sequence[Measure]) -> dict[Measure, Statistics]:
    """Return the statistics of IFR, one row per fingering."""
    return dict.fromkeys(measures, judge.in_order(limits_of("pianovam")).statistics)
