# SPDX-License-Identifier: MIT
"""Protocol ``decibel``: CSR, OvS, UnS and Seg as the DECIBEL evaluator computes them.

Recall is mir_eval's ``majmin`` and songs are weighted by their length. Segmentation works on rows as
they are, not merged by label.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from kammerton.chords.kernels import (
    Columns,
    MinimumSegmentation,
    Recall,
    Result,
    Segmentation,
    reference_span,
    segmentation_statistics,
)
from kammerton.chords.protocols.mir_eval import over_span
from kammerton.model.measure import Card, Formula, Law, Measure, Protocol, Statistics

__all__ = ["PROTOCOL", "evaluate"]

_EVALUATOR = "evaluator of DECIBEL (Odekerken, Koops & Volk 2020)"
_AGREES = "the DECIBEL evaluator, on 40 made-up songs (1e-9); mir_eval 0.8.2, its "
_MAJMIN = f"{_AGREES}majmin of each song (1e-9); corpus figures were worked out by hand in the tests"
_HAMMING = f"{_AGREES}functions on rows that are not merged (1e-9)"

_HEADLINES = ("CSR", "OvS", "UnS", "Seg")
_SHIFTS: frozenset[Law] = frozenset(("identity", "transposition", "respelling", "time_shift"))
_MEASURES: dict[str, tuple[Formula, frozenset[Law], Card]] = {
    "CSR": (
        Recall(weigh="total"),
        _SHIFTS | {"split"},
        Card(
            summary="Chord symbol recall of major and minor triads, songs weighted by length.",
            equation="correct seconds / scored seconds per song; corpus: sum of length * CSR / sum of length",
            undefined_when="no reference time is major, minor or N; the song is left out with its weight",
            source=_EVALUATOR,
            agrees_with=_MAJMIN,
        ),
    ),
    "OvS": (
        Segmentation("lost_over"),
        _SHIFTS,
        Card(
            summary="How little reference rows are cut to pieces by the estimate.",
            equation="1 - dhd(reference, estimate), rows not merged",
            undefined_when="the reference has no duration",
            source=_EVALUATOR,
            agrees_with=_HAMMING,
        ),
    ),
    "UnS": (
        Segmentation("lost_under"),
        _SHIFTS,
        Card(
            summary="How little estimated rows run over boundaries of the reference.",
            equation="1 - dhd(estimate, reference), rows not merged",
            undefined_when="the reference has no duration",
            source=_EVALUATOR,
            agrees_with=_HAMMING,
        ),
    ),
    "Seg": (
        MinimumSegmentation(),
        _SHIFTS | {"symmetry"},
        Card(
            summary="The smaller of OvS and UnS.",
            equation="min(OvS, UnS) per song",
            undefined_when="the reference has no duration",
            source=_EVALUATOR,
            agrees_with=_HAMMING,
        ),
    ),
}


def _measure(name: str) -> Measure:
    formula, laws, card = _MEASURES[name]
    return Measure(
        protocol="decibel",
        name=name,
        formula=formula,
        aggregate="weighted_mean",
        beside=("mean", "median"),
        headline=name in _HEADLINES,
        laws=laws,
        card=card,
    )


_CITATION = """@misc{odekerken2020decibel,
  author = {Odekerken, Daphne and Koops, Hendrik Vincent and Volk, Anja},
  title = {{DECIBEL}: Improving Audio Chord Estimation for Popular Music by
    Alignment and Integration of Crowd-Sourced Symbolic Representations},
  howpublished = {arXiv},
  year = {2020},
}"""

PROTOCOL = Protocol(
    name="decibel",
    revision=2,
    summary="CSR, over- and under-segmentation as in the DECIBEL evaluator, songs weighted by length.",
    rules=(
        "CSR is mir_eval's majmin. Segmentation compares rows as they are, the estimate cropped and padded "
        "with N to the span of the reference. A corpus figure is the mean over songs weighted by the "
        "length of the reference; a song without CSR is left out of it with its weight."
    ),
    measures=tuple(map(_measure, _MEASURES)),
    citation=_CITATION,
)


def evaluate(columns: Columns, measures: Sequence[Measure]) -> Result:
    """Compute ``measures``, all of this protocol."""
    over = over_span(columns)

    @cache
    def segmentation() -> Statistics:
        span = reference_span(columns)
        pad = len(span.est.starts)  # a row of its own, numbered after all others
        ref_runs = np.where(span.slices.ref_gap, -1, span.slices.ref_row)
        est_runs = np.where(span.padded, pad, np.where(span.slices.est_gap, -1, span.slices.est_row))
        return segmentation_statistics(span.timeline, ref_runs, est_runs, span.duration, gaps_cut=True)

    statistics = {
        measure: over.statistics("majmin") if measure.name == "CSR" else segmentation()
        for measure in measures
    }
    return Result(statistics, over.span.timeline, over.times, {"CSR": over.rules["majmin"]})
