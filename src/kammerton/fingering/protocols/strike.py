# SPDX-License-Identifier: MIT
"""Protocol ``strike``: the match rates on the finger that strikes, with partial labels as they are.

A missing label of the estimate is a miss, one of an annotator is no match and no miss. Beside the rates
over all annotators stand figures against each one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kammerton.fingering.columns import Columns, FingerAverage, Share
from kammerton.fingering.match_rates import SIGNED_FINGERS, collect, finger_counts
from kammerton.fingering.protocols.nakamura2020 import PROTOCOL as NAKAMURA
from kammerton.fingering.protocols.nakamura2020 import match_rate
from kammerton.fingering.reading import FingeringOptions
from kammerton.model.measure import BY_HAND, Card, Formula, Measure, Protocol, Statistics
from kammerton.model.task import ClassTable

__all__ = ["PROTOCOL", "confusion_table", "evaluate"]

_OURS = "this protocol"
_AFTER = f"{_OURS}, after Nakamura, Saito & Yoshii 2020"
_PUBLISHED = {m.name: (m.card.summary, m.card.equation) for m in NAKAMURA.measures}

_HEADLINES = (
    *("M_gen", "M_high", "M_soft", "M_rec"),
    *("accuracy", "hand_accuracy", "finger_accuracy", "coverage"),
)
_RATES = {
    "M_gen": (
        "General match rate: how far the estimate agrees with the annotators on average.",
        "mean over annotators of (notes with the annotator's finger / notes that the annotator labelled)",
        _AFTER,
        BY_HAND,
    ),
    "M_high": (*_PUBLISHED["M_high"], _AFTER, BY_HAND),
    "M_soft": (*_PUBLISHED["M_soft"], _AFTER, BY_HAND),
    "M_rec": (*_PUBLISHED["M_rec"], _AFTER, BY_HAND),
    "M_high_piece": (*_PUBLISHED["M_high_piece"], _AFTER, BY_HAND),
}

_PAIRS: dict[str, tuple[Formula, str, str, str, str]] = {
    "accuracy": (
        Share("matched", "labelled"),
        "Agreement with one annotator; an unpredicted note is a miss.",
        "notes with the annotator's hand and finger / notes that the annotator labelled",
        _OURS,
        BY_HAND,
    ),
    "hand_accuracy": (
        Share("same_hand", "labelled"),
        "Notes given to the annotator's hand.",
        "notes in the annotator's hand / notes that the annotator labelled",
        _OURS,
        BY_HAND,
    ),
    "finger_accuracy": (
        Share("matched_in_hand", "same_hand"),
        "Right fingers where the hand is right.",
        "notes with the annotator's hand and finger / notes in the annotator's hand",
        _OURS,
        BY_HAND,
    ),
    "coverage": (
        Share("covered", "labelled"),
        "Notes that the estimate has a finger for.",
        "predicted notes / notes that the annotator labelled",
        _OURS,
        BY_HAND,
    ),
    "covered_accuracy": (
        Share("matched", "covered"),
        "Agreement with one annotator on the notes that the estimate has a finger for.",
        "notes with the annotator's hand and finger / predicted notes that the annotator labelled",
        _OURS,
        BY_HAND,
    ),
    "finger_F1": (
        FingerAverage(),
        "F1 of each finger of each hand, averaged over the fingers in use.",
        "mean over fingers of 2 * right / (predicted + in the reference)",
        _OURS,
        BY_HAND,
    ),
}


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
    formula, summary, equation, source, agrees_with = _PAIRS[name]
    return Measure(
        protocol="strike",
        name=name,
        formula=formula,
        aggregate="pooled",
        beside=() if name == "finger_F1" else ("mean", "median"),
        weight_unit="notes",
        headline=name in _HEADLINES,
        laws=frozenset(("identity", "time_shift", "note_order", "mirror")),
        inputs=_INPUTS.get(name, ()),
        card=Card(
            summary=summary,
            equation=equation,
            undefined_when=_UNDEFINED.get(name, "the annotator labelled no note"),
            source=source,
            agrees_with=agrees_with,
        ),
    )


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
    measures=(
        *(
            match_rate("strike", name, _RATES, headline=name in _HEADLINES, laws=frozenset(("identity",)))
            for name in _RATES
        ),
        *map(_pair, _PAIRS),
    ),
    citation=NAKAMURA.citation,
)


def evaluate(
    columns: Columns, measures: Sequence[Measure], options: FingeringOptions
) -> dict[Measure, Statistics]:
    """Return the statistics of ``measures``, all of this protocol."""
    matches = columns.matches(options.substitution)
    kernels = {
        "M_gen": lambda pieces: matches(pieces).general_by_annotator(),
        "M_high": lambda pieces: matches(pieces).closest("hand"),
        "M_high_piece": lambda pieces: matches(pieces).closest("piece"),
        "M_soft": lambda pieces: matches(pieces).soft(),
        "M_rec": lambda pieces: matches(pieces).recombined(),
    }
    computed: dict[Measure, Statistics] = {}
    for measure in measures:
        if measure.name == "finger_F1":
            computed[measure] = finger_counts(columns.confusions).reshape(len(columns.cases), -1)
        else:
            kernel = kernels.get(measure.name, lambda pieces: matches(pieces).against())
            computed[measure] = collect(columns.pieces, kernel)
        if "hands" in measure.inputs:
            computed[measure][columns.handless] = 0.0
    return computed


def confusion_table(columns: Columns) -> ClassTable:
    """Count notes by finger of the annotator and of the estimate; columns of one annotator per case."""
    counts = columns.confusions
    groups = int(columns.groups.max(initial=-1)) + 1
    summed = np.zeros((groups, *counts.shape[1:]))
    np.add.at(summed, columns.groups, counts)
    found = np.argwhere(summed)
    names = ("missing", *(f"{'R' if finger > 0 else 'L'}{abs(finger)}" for finger in SIGNED_FINGERS))
    return ClassTable(
        "confusion",
        ("reference", "estimate"),
        "notes",
        found[:, 0],
        [(names[ref], names[est]) for _, ref, est in found.tolist()],
        summed[tuple(found.T)],
    )
