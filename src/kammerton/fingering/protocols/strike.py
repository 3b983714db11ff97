# SPDX-License-Identifier: MIT
"""Protocol ``strike``: the match rates on the finger that strikes, with partial labels as they are.

A missing label of the estimate is a miss, one of an annotator is no match and no miss. Beside the rates
over all annotators stand scores against each one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kammerton.fingering.annotation import SIGNED_FINGERS
from kammerton.fingering.formats.notes import FingeringOptions
from kammerton.fingering.match_rates import RATES, FingerAverage, FingerColumns, Matches, Share, finger_counts
from kammerton.fingering.protocols.nakamura2020 import PROTOCOL as NAKAMURA
from kammerton.fingering.protocols.nakamura2020 import match_rate
from kammerton.model.measure import BY_HAND, Card, Formula, Measure, Protocol, Statistics
from kammerton.model.task import ClassTable

_OURS = "this protocol"
_CARDS = {measure.name: (measure.card.summary, measure.card.equation) for measure in NAKAMURA.measures}
_CARDS["M_gen"] = (
    _CARDS["M_gen"][0],
    "mean over annotators of (notes with the annotator's finger / notes that the annotator labelled)",
)
_PAIRS: dict[str, tuple[Formula, str, str]] = {
    "accuracy": (
        Share("matched", "labelled"),
        "Agreement with one annotator; an unpredicted note is a miss.",
        "notes with the annotator's hand and finger / notes that the annotator labelled",
    ),
    "hand_accuracy": (
        Share("same_hand", "labelled"),
        "Notes given to the annotator's hand.",
        "notes in the annotator's hand / notes that the annotator labelled",
    ),
    "finger_accuracy": (
        Share("matched_in_hand", "same_hand"),
        "Right fingers where the hand is right.",
        "notes with the annotator's hand and finger / notes in the annotator's hand",
    ),
    "coverage": (
        Share("covered", "labelled"),
        "Notes that the estimate has a finger for.",
        "predicted notes / notes that the annotator labelled",
    ),
    "covered_accuracy": (
        Share("matched", "covered"),
        "Agreement with one annotator on the notes that the estimate has a finger for.",
        "notes with the annotator's hand and finger / predicted notes that the annotator labelled",
    ),
    "finger_F1": (
        FingerAverage(),
        "F1 of each finger of each hand, averaged over the fingers in use.",
        "mean over fingers of 2 * right / (predicted + in the reference)",
    ),
}
_PAIR_HEADLINES = ("accuracy", "hand_accuracy", "finger_accuracy", "coverage")
_INPUTS = {
    "hand_accuracy": ("hands",),
    "finger_accuracy": ("fingers", "hands"),
    "covered_accuracy": ("fingers",),
}
_UNDEFINED = {
    "hand_accuracy": "the annotator labelled no note, or the hands of either side are not known",
    "finger_accuracy": "no note is in the annotator's hand, or the hands of either side are not known",
    "covered_accuracy": "no note that the annotator labelled is predicted",
}


def _pair(name: str) -> Measure:
    formula, summary, equation = _PAIRS[name]
    return Measure(
        protocol="strike",
        name=name,
        formula=formula,
        aggregate="pooled",
        beside=() if name == "finger_F1" else ("mean", "median"),
        weight_unit="notes",
        headline=name in _PAIR_HEADLINES,
        laws=frozenset(("identity", "time_shift", "note_order", "mirror")),
        inputs=_INPUTS.get(name, ()),
        card=Card(
            summary=summary,
            equation=equation,
            undefined_when=_UNDEFINED.get(name, "the annotator labelled no note"),
            source=_OURS,
            agrees_with=BY_HAND,
        ),
    )


def _rate(name: str) -> Measure:
    return match_rate("strike", name, _CARDS[name], source=f"{_OURS}, after Nakamura, Saito & Yoshii 2020")


PROTOCOL = Protocol(
    name="strike",
    revision=2,
    summary="Match rates on the finger that strikes; partial labels allowed.",
    rules=(
        "Two labels match if hand and striking finger are the same (option substitution: all fingers, "
        "or any). M_gen averages over annotators the rate on the notes that each labelled; the other "
        "rates divide by the notes that anybody labelled. A missing label is no match, and no barrier "
        "to a switch. Accuracies are against one annotator."
    ),
    measures=(*map(_rate, _CARDS), *map(_pair, _PAIRS)),
    citation=NAKAMURA.citation,
)


def evaluate(
    columns: FingerColumns, measures: Sequence[Measure], options: FingeringOptions
) -> dict[Measure, Statistics]:
    """Return the statistics of ``measures``, all of this protocol."""
    kernels = {"M_gen": Matches.general_by_annotator, **RATES}
    computed: dict[Measure, Statistics] = {}
    for measure in measures:
        if measure.name == "finger_F1":
            computed[measure] = finger_counts(columns.confusions).reshape(len(columns.cases), -1)
        else:
            computed[measure] = columns.count(
                kernels.get(measure.name, Matches.against), options.substitution
            )
        if "hands" in measure.inputs:
            computed[measure][columns.handless] = 0.0
    return computed


def confusion_table(columns: FingerColumns) -> ClassTable:
    """Count notes by finger of the annotator and of the estimate; columns of one annotator per case."""
    counts = columns.confusions
    groups = int(columns.groups.max(initial=-1)) + 1
    summed = np.zeros((groups, *counts.shape[1:]))
    np.add.at(summed, columns.groups, counts)
    cells = np.argwhere(summed)
    names = ("missing", *(f"{'R' if finger > 0 else 'L'}{abs(finger)}" for finger in SIGNED_FINGERS))
    return ClassTable(
        "confusion",
        ("reference", "estimate"),
        "notes",
        cells[:, 0],
        [(names[ref], names[est]) for _, ref, est in cells.tolist()],
        summed[tuple(cells.T)],
    )
