# SPDX-License-Identifier: MIT
"""Protocol ``frames10ms``: recall by samples every 10 ms, as MIREX computed it before 2013.

The label rules, the span and the vocabularies are those of ``mirex2013``; only time is counted in
samples at 0, 0.01, 0.02, ... seconds, up to the end of the reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kammerton.arrays import Codes, Seconds
from kammerton.chords.kernels import ChordColumns, Outcomes, Result, from_zero, recall_measure, sum_by_labels
from kammerton.chords.protocols.mirex2013 import PROTOCOL as MIREX2013
from kammerton.chords.protocols.mirex2013 import label_rules
from kammerton.model.measure import BY_HAND, Card, Law, Measure, Protocol

HOP_S = 0.01


def _measure(name: str) -> Measure:
    card = Card(
        summary=f"Recall of mirex2013/{name}, counted in samples every 10 ms.",
        equation="correct samples / scored samples; pooled: sum over songs of both",
        undefined_when="no sample of the reference is in the vocabulary",
        source="MIREX Audio Chord Estimation before 2013",
        agrees_with=f"{BY_HAND}; converges to mirex2013/{name} as the hop shrinks",
    )
    laws: frozenset[Law] = frozenset(("identity", "transposition", "respelling", "split"))
    measure = recall_measure("frames10ms", name, card, headline=True, laws=laws)
    return replace(measure, weight_unit="samples")


PROTOCOL = Protocol(
    name="frames10ms",
    revision=2,
    summary="Frame-based recall, as MIREX sampled it every 10 ms before 2013.",
    rules="The label rules, span and vocabularies of mirex2013; time is counted in samples every 10 ms.",
    measures=tuple(map(_measure, ("Root", "MajMin", "MajMinBass", "Sevenths", "SeventhsBass"))),
    on_request=True,
    citation=MIREX2013.citation,
)


def evaluate(columns: ChordColumns, measures: Sequence[Measure], hop_s: float = HOP_S) -> Result:
    """Compute ``measures``, all of this protocol, from samples ``hop_s`` apart."""
    timeline, slices, _ = from_zero(columns)
    samples = samples_before(slices.ends, hop_s) - samples_before(slices.starts, hop_s)
    sampled = replace(timeline, weights=samples.astype(float))
    times = sum_by_labels(sampled)
    outcomes = Outcomes(times)
    rules = label_rules(columns.labels)
    statistics = {measure: outcomes.statistics(rules[measure.name]) for measure in measures}
    return Result(statistics, sampled, times, rules)


def samples_before(times: Seconds, hop_s: float) -> Codes:
    """Return how many of the samples at ``k * hop_s`` lie before each time.

    The product is what is compared, so that a boundary at 0.07 falls on the seventh sample although
    0.07 / 0.01 rounds to more than 7.

    >>> samples_before(np.array([0.0, 0.005, 0.01, 0.07]), 0.01).tolist()
    [0, 1, 1, 7]
    """
    count = np.ceil(times / hop_s).astype(np.int64)
    count -= (count - 1) * hop_s >= times
    return np.asarray(np.maximum(count + (count * hop_s < times), 0))
