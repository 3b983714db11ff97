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
    ChordColumns,
    Recall,
    Result,
    Segmentation,
    reference_span,
    segmentation_statistics,
)
from kammerton.chords.protocols.mir_eval import over_span
from kammerton.model.measure import BY_HAND, Card, Formula, Law, Measure, Protocol, Statistics

_AGREES = "the DECIBEL evaluator, on 40 made-up songs (1e-9); mir_eval 0.8.2, its "
_MAJMIN = f"{_AGREES}majmin of each song (1e-9); corpus scores were worked out by hand in the tests"
_HAMMING = f"{_AGREES}functions on rows that are not merged (1e-9)"
_NO_DURATION = "the reference has no duration"

_LAWS: frozenset[Law] = frozenset(("identity", "transposition", "respelling", "time_shift"))
_MEASURES: dict[str, tuple[Formula, frozenset[Law], str, str, str, str]] = {
    "CSR": (
        Recall(weigh="total"),
        _LAWS | {"split"},
        "Chord symbol recall of major and minor triads over the time that is scored, as MIREX prints it.",
        "correct seconds / scored seconds per song; corpus: sum of length * CSR / sum of length",
        "no reference time is major, minor or N; the song is left out with its weight",
        _MAJMIN,
    ),
    "CSR_total": (
        Recall(weigh="total", over="total"),
        (_LAWS - {"identity"}) | {"split"},
        "Chord symbol recall over the whole song: time that CSR leaves out counts as wrong.",
        "correct seconds / seconds of the reference per song; corpus: sum of correct / sum of length",
        _NO_DURATION,
        BY_HAND,
    ),
    "OvS": (
        Segmentation("over"),
        _LAWS,
        "How little reference rows are cut to pieces by the estimate.",
        "1 - dhd(reference, estimate), rows not merged",
        _NO_DURATION,
        _HAMMING,
    ),
    "UnS": (
        Segmentation("under"),
        _LAWS,
        "How little estimated rows run over boundaries of the reference.",
        "1 - dhd(estimate, reference), rows not merged",
        _NO_DURATION,
        _HAMMING,
    ),
    "Seg": (
        Segmentation("minimum"),
        _LAWS | {"symmetry"},
        "The smaller of OvS and UnS.",
        "min(OvS, UnS) per song",
        _NO_DURATION,
        _HAMMING,
    ),
}
"""Formula, laws, summary, equation, when it is undefined, and what it agrees with."""


def _measure(name: str) -> Measure:
    formula, laws, summary, equation, undefined_when, agrees_with = _MEASURES[name]
    return Measure(
        protocol="decibel",
        name=name,
        formula=formula,
        aggregate="weighted_mean",
        beside=("mean", "median"),
        headline=name != "CSR_total",
        laws=laws,
        card=Card(
            summary=summary,
            equation=equation,
            undefined_when=undefined_when,
            source="evaluator of DECIBEL (Odekerken, Koops & Volk 2020)",
            agrees_with=agrees_with,
        ),
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
        "CSR is mir_eval's majmin, over the time whose reference is major, minor or N; CSR_total is as the "
        "text of DECIBEL says, the same time over the length of the song. Segmentation compares rows as "
        "they are, the estimate cropped and padded with N to the span of the reference. A corpus score is "
        "the mean over songs weighted by the length of the reference; a song without CSR is left out of "
        "it with its weight."
    ),
    measures=tuple(map(_measure, _MEASURES)),
    citation=_CITATION,
)


def evaluate(columns: ChordColumns, measures: Sequence[Measure]) -> Result:
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
        measure: over.statistics("majmin") if measure.name.startswith("CSR") else segmentation()
        for measure in measures
    }
    return Result(statistics, over.span.timeline, over.times, {"CSR": over.rules["majmin"]})
