# SPDX-License-Identifier: MIT
"""Protocol ``pianovam``: Accuracy, M_gen, M_high and IFR as the evaluation document of PianoVAM defines them.

Fingers are compared without their hand. IFR judges consecutive notes of a hand in the order given.
"""

from __future__ import annotations

from collections.abc import Sequence

from kammerton.fingering.judging import Playability, ViolationRate, limits_of
from kammerton.fingering.match_rates import AGAINST, FingerColumns, Matches
from kammerton.fingering.protocols.nakamura2020 import match_rate
from kammerton.model.measure import BY_HAND, Card, Measure, Protocol, Statistics

_SOURCE = "evaluation protocol document of the PianoVAM fingering project"
_AGREES_WITH = f"{BY_HAND}, by the formulas of the document"
_RATES = {
    "Accuracy": (
        "Agreement with the first annotator.",
        "notes with the first annotator's finger / notes that the annotator labelled",
    ),
    "M_gen": (
        "General match rate, averaged over notes.",
        "mean over notes of (annotators with the finger / annotators of the note)",
    ),
    "M_high": (
        "Agreement with any annotator, note by note. Elsewhere this is M_soft, and M_high another rate.",
        "notes that match any annotator / notes",
    ),
}
_IFR = Measure(
    protocol="pianovam",
    name="IFR",
    formula=ViolationRate(),
    aggregate="pooled",
    beside=("mean", "median"),
    weight_unit="transitions",
    headline=True,
    needs="estimate",
    inputs=("fingers", "pitches"),
    direction="lower",
    worst=1.0,
    laws=frozenset(("time_shift", "mirror", "duplicate_annotator")),
    card=Card(
        summary="Irrational fingering rate: steps within a hand that break a constraint of the document.",
        equation="irrational transitions / judged transitions",
        undefined_when="no hand has two fingered notes, or pitches are not known",
        source=_SOURCE,
        agrees_with=_AGREES_WITH,
    ),
)


def _rate(name: str) -> Measure:
    undefined_when = "no note has a label of an annotator"
    if name == "Accuracy":
        undefined_when = "the first annotator labelled no note"
    return match_rate(
        *("pianovam", name, _RATES[name]),
        source=_SOURCE,
        agrees_with=_AGREES_WITH,
        undefined_when=undefined_when,
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
    measures=(*map(_rate, _RATES), _IFR),
    citation=_CITATION,
)


def evaluate(columns: FingerColumns, measures: Sequence[Measure]) -> dict[Measure, Statistics]:
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
