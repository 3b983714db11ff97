# SPDX-License-Identifier: MIT
"""Protocol ``mir_eval``: the fifteen chord measures of mir_eval 0.8.2, wherever it gives a number.

Time counts over the span of the reference. A gap takes the label of the row before it, and the
estimate is padded with ``N``. Labels are compared as twelve bits (:mod:`kammerton.chords.templates`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from kammerton.arrays import Codes, Flags, Segments
from kammerton.chords.kernels import (
    ChordColumns,
    LabelRule,
    LabelTimes,
    Outcomes,
    ReferenceSpan,
    Result,
    SameValue,
    Segmentation,
    recall_measure,
    reference_span,
    segmentation_measure,
    segmentation_statistics,
    sum_by_labels,
)
from kammerton.chords.templates import encode_label
from kammerton.model.measure import Card, Formula, Law, Measure, Protocol, Statistics

_LAWS: frozenset[Law] = frozenset(("identity", "transposition", "respelling", "split", "time_shift"))
_AGREES = "mir_eval 0.8.2 (1e-9) wherever it returns a value"

_RECALLS = {
    "thirds": "root and minor third; whatever has no minor third counts as major",
    "thirds_inv": "root, minor third and bass",
    "triads": "root and the tones up to the fifth",
    "triads_inv": "root, the tones up to the fifth, and bass",
    "tetrads": "root and all tones within the octave",
    "tetrads_inv": "root, all tones within the octave, and bass",
    "root": "the root",
    "mirex": "at least three pitch classes in common",
    "majmin": "major and minor triads",
    "majmin_inv": "major and minor triads with bass",
    "sevenths": "major and minor triads, major, minor and dominant sevenths",
    "sevenths_inv": "the same with bass",
}
"""What each recall compares."""

_HEADLINES = ("root", "majmin", "majmin_inv", "sevenths", "sevenths_inv", "underseg", "overseg", "seg")
_SEGMENTATIONS: dict[str, tuple[Formula, str, str]] = {
    "underseg": (
        Segmentation("under"),
        "how little estimated chords run over boundaries of the reference",
        "1 - dhd(estimate, reference)",
    ),
    "overseg": (
        Segmentation("over"),
        "how little reference chords are cut to pieces by the estimate",
        "1 - dhd(reference, estimate)",
    ),
    "seg": (Segmentation("minimum"), "the smaller of the two", "min(underseg, overseg) per song"),
}
"""Formula, summary and equation of each measure of segmentation."""


def _recall(name: str) -> Measure:
    card = Card(
        summary=f"Chord symbol recall; compared: {_RECALLS[name]}.",
        equation="correct seconds / scored seconds; pooled: sum over songs of both",
        undefined_when="no reference time is comparable (mir_eval returns 0)",
        source="mir_eval.chord",
        agrees_with=_AGREES,
    )
    return recall_measure("mir_eval", name, card, headline=name in _HEADLINES, laws=_LAWS)


def _segmentation(name: str) -> Measure:
    formula, summary, equation = _SEGMENTATIONS[name]
    card = Card(
        summary=f"Segmentation: {summary}.",
        equation=f"{equation}; dhd: sum over runs of (length - longest piece) / span",
        undefined_when="the reference has no duration",
        source="mir_eval.chord after Harte 2010",
        agrees_with=_AGREES,
    )
    laws: frozenset[Law] = _LAWS | {"symmetry"} if name == "seg" else _LAWS
    return segmentation_measure("mir_eval", name, formula, card, headline=name in _HEADLINES, laws=laws)


_CITATION = r"""@inproceedings{raffel2014mireval,
  author = {Raffel, Colin and McFee, Brian and Humphrey, Eric J. and
    Salamon, Justin and Nieto, Oriol and Liang, Dawen and Ellis, Daniel P.
    W.},
  title = {mir\_eval: A Transparent Implementation of Common {MIR} Metrics},
  booktitle = {Proceedings of the 15th International Society for Music
    Information Retrieval Conference},
  year = {2014},
}"""

PROTOCOL = Protocol(
    name="mir_eval",
    revision=2,
    summary="The chord measures of mir_eval 0.8.2, and a value where it raises or compares nothing.",
    rules=(
        "Time over the span of the reference; a gap takes the label before it; the estimate is cropped and "
        "padded with N. A label is its root, twelve bits and bass; degrees beyond the octave are dropped, "
        "a foreign bass is a tone. Segmentation merges rows of equal encoding. Rows of zero length are "
        "left out, where mir_eval raises. X in the estimate counts as N in root and mirex, as every tone "
        "in mirex: the seconds gained are noted."
    ),
    measures=(*map(_recall, _RECALLS), *map(_segmentation, _SEGMENTATIONS)),
    citation=_CITATION,
)

_TRIAD_BITS = (1 << 8) - 1
_MAJMIN = frozenset((0b10010001, 0b10001001))
_SEVENTHS = _MAJMIN | {0b100010010001, 0b10010010001, 0b10010001001}
_OCTAVE_BITS = (1 << 12) - 1


class OverSpan(NamedTuple):
    """Both sides over the span of the reference, as neighbours of equal value are merged."""

    span: ReferenceSpan
    merged: Codes  # number per label; neighbours of equal number are one segment
    times: LabelTimes
    outcomes: Outcomes
    rules: Mapping[str, LabelRule]  # by name of the measure

    def statistics(self, name: str) -> Statistics:
        """Return time by outcome for a recall measure."""
        return self.outcomes.statistics(self.rules[name])


_over_span: WeakKeyDictionary[ChordColumns, OverSpan] = WeakKeyDictionary()
"""Of columns that are still evaluated: another protocol may ask for the same."""


def over_span(columns: ChordColumns) -> OverSpan:
    """Return what recall and segmentation are computed from."""
    if columns not in _over_span:
        merged = np.asarray(_compare(columns.labels).merged)
        span = reference_span(columns, merged)
        times = sum_by_labels(span.timeline)
        _over_span[columns] = OverSpan(span, merged, times, Outcomes(times), label_rules(columns.labels))
    return _over_span[columns]


def evaluate(columns: ChordColumns, measures: Sequence[Measure]) -> Result:
    """Compute ``measures``, all of this protocol."""
    over = over_span(columns)

    @cache
    def segmentation() -> Statistics:
        span, slices, timeline = over.span, over.span.slices, over.span.timeline
        ref_runs = _bridged_runs(span.ref, over.merged, timeline.ref, slices.ref_row, slices.ref_gap)
        in_gap = slices.est_gap & ~span.padded
        est_runs = _bridged_runs(span.est, over.merged, timeline.est, slices.est_row, in_gap)
        return segmentation_statistics(timeline, ref_runs, est_runs, span.duration, gaps_cut=True)

    statistics = {
        measure: over.statistics(measure.name) if measure.name in over.rules else segmentation()
        for measure in measures
    }
    return Result(statistics, over.span.timeline, over.times, over.rules)


def label_rules(labels: Sequence[str]) -> Mapping[str, LabelRule]:
    """Return how each recall measure compares these labels, the first of which is silence.

    Silence never stands in a timeline of this protocol; its entry is that of ``N``.
    """
    compared = _compare(tuple(labels))
    known, root, bits, bass = compared.known, compared.root, compared.bits, compared.bass
    # -1 (X) masked is every tone, which no other label equals: the sign stays outside the mask
    sign = (bits < 0).astype(np.int64) << 12
    rules = {"root": LabelRule(known, SameValue(root))}
    for name, scored, mask in (
        ("thirds", known, 1 << 3),
        ("triads", known, _TRIAD_BITS),
        ("tetrads", known, _OCTAVE_BITS),
        ("majmin", compared.in_majmin, _TRIAD_BITS),
        ("sevenths", compared.in_sevenths, _OCTAVE_BITS),
    ):
        values = (root + 1) << 13 | sign | (bits & mask)
        rules[name] = LabelRule(scored, SameValue(values))
        rules[f"{name}_inv"] = LabelRule(scored, SameValue(values << 4 | (bass + 1)))
    return rules | {"mirex": _common_tones(compared)}


class _Compared(NamedTuple):
    """What is compared of labels: a number, or an array with an entry per label."""

    known: Any
    root: Any
    bits: Any
    bass: Any
    chroma: Any
    in_majmin: Any
    in_sevenths: Any
    merged: Any


@lru_cache(maxsize=8)
def _compare(labels: tuple[str, ...]) -> _Compared:
    compared = _Compared(*np.array([_compared(label) for label in labels]).T)
    return compared._replace(
        known=compared.known == 1, in_majmin=compared.in_majmin == 1, in_sevenths=compared.in_sevenths == 1
    )


@lru_cache(maxsize=1 << 16)
def _compared(label: str) -> _Compared:
    chord = encode_label(label or "N")
    known = chord.kind != "X"
    tones = chord.merged_bits & _OCTAVE_BITS
    return _Compared(
        known=known,
        root=chord.root,
        bits=chord.bits,
        bass=chord.bass,
        chroma=chord.chroma,
        in_majmin=known and (chord.kind == "N" or chord.bits & _TRIAD_BITS in _MAJMIN),
        in_sevenths=known and (chord.kind == "N" or chord.bits in _SEVENTHS),
        merged=(chord.root + 1) << 18 | (chord.bass + 1) << 13 | (not known) << 12 | tones,
    )


def _common_tones(compared: _Compared) -> LabelRule:
    chroma, root = compared.chroma, compared.root
    tones = np.bitwise_count(chroma)
    scored = compared.known & ((tones == 0) | (tones >= 3))

    def correct(ref: Codes, est: Codes) -> Flags:
        rootless = (root[ref] == -1) & (root[est] == -1)
        return np.asarray((np.bitwise_count(chroma[ref] & chroma[est]) >= 3) | rootless)

    return LabelRule(scored, correct)


def _bridged_runs(side: Segments, merged: Codes, labels: Codes, row: Codes, in_gap: Flags) -> Codes:
    """Return the run of each slice; a gap between rows of one run belongs to it, else it is -1."""
    runs = merged[labels]
    following = np.append(merged[side.codes], (-1, -1))[row + 1]
    return np.where(in_gap & (following != runs), -1, runs)
