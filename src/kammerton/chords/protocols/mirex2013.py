# SPDX-License-Identifier: MIT
"""Protocol ``mirex2013``: the rules of the official evaluator of MIREX since 2013.

Time counts from 0 to the end of the reference; where a side has no row there is silence, which
equals only silence. Labels are mapped by their thirds (:mod:`kammerton.chords.templates`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from kammerton.arrays import Codes, Flags
from kammerton.chords.kernels import (
    ChordColumns,
    ClassAverage,
    LabelRule,
    Outcomes,
    Result,
    SameValue,
    Segmentation,
    class_recall,
    from_zero,
    recall_measure,
    segmentation_measure,
    segmentation_statistics,
    sum_by_labels,
)
from kammerton.chords.templates import TETRADS, MappedChord, map_label
from kammerton.model.measure import BY_HAND, Card, Formula, Law, Measure, Protocol, Statistics

VOCABULARIES: dict[str, frozenset[str]] = {
    "MajMin": frozenset(("maj", "min")),
    "Sevenths": frozenset(("maj", "min", "maj7", "7", "min7")),
}

CLASSES = ("N", "silence", "X", *TETRADS)
"""Classes of a confusion matrix: no chord, no row, a chord that cannot be told, and each type."""

_RECALLED = ("N", *TETRADS)
_RECALLED_NUMBERS = np.array(
    [_RECALLED.index(name) if name in _RECALLED else len(_RECALLED) for name in CLASSES]
)
"""Number of each class of ``CLASSES`` among those that are recalled; X and silence do not count."""
_EVALUATOR = "MusOOEvaluator, the program MIREX has run since 2013"
_PAIRS = "MusOOEvaluator on 3,085 pairs of labels"
_PRINTED = f"official per-song results of MIREX 2017 and 2018, to print precision (1e-8); {_PAIRS}"

_HEADLINES = ("Root", "MajMin", "MajMinBass", "Sevenths", "SeventhsBass", "MeanSeg", "UnderSeg", "OverSeg")
_RECALLS = {
    "Root": ("the root alone; every chord is scored", _EVALUATOR, _PRINTED),
    "MajMin": (
        "major and minor triads; richer chords count as the triad that their third makes",
        _EVALUATOR,
        _PRINTED,
    ),
    "MajMinBass": ("major and minor triads with their inversions", _EVALUATOR, _PRINTED),
    "Sevenths": ("major and minor triads, major, minor and dominant sevenths", _EVALUATOR, _PRINTED),
    "SeventhsBass": ("triads and sevenths with their inversions", _EVALUATOR, _PRINTED),
    "Mirex2010": (
        "at least three pitch classes in common; two if the reference is dim or aug",
        _EVALUATOR,
        _PAIRS,
    ),
}
"""What each recall compares, where it is from, and what it agrees with."""

_SEGMENTATIONS: dict[str, tuple[Formula, str, str]] = {
    "MeanSeg": (
        Segmentation("harmonic"),
        "harmonic mean of under- and over-segmentation",
        "2 * UnderSeg * OverSeg / (UnderSeg + OverSeg) per song",
    ),
    "UnderSeg": (
        Segmentation("under"),
        "how little estimated chords run over boundaries of the reference",
        "1 - sum over estimated runs of (overlap with reference runs - the largest) / end of reference",
    ),
    "OverSeg": (
        Segmentation("over"),
        "how little reference chords are cut to pieces by the estimate",
        "1 - sum over reference runs of (overlap with estimated runs - the largest) / end of reference",
    ),
    "WorstSeg": (
        Segmentation("minimum"),
        "the smaller of under- and over-segmentation",
        "min(UnderSeg, OverSeg) per song",
    ),
}
"""Formula, summary and equation of each measure of segmentation."""


def _recall(name: str) -> Measure:
    laws: frozenset[Law] = frozenset(("transposition", "respelling", "split"))
    if name != "Mirex2010":  # chords of two tones are wrong in it
        laws |= {"identity"}
    compared, source, agrees_with = _RECALLS[name]
    card = Card(
        summary=f"Chord symbol recall of {compared}.",
        equation="correct seconds / scored seconds; pooled: sum over songs of both (WCSR)",
        undefined_when="no reference time is in the vocabulary",
        source=source,
        agrees_with=agrees_with,
    )
    return recall_measure("mirex2013", name, card, headline=name in _HEADLINES, laws=laws)


def _segmentation(name: str) -> Measure:
    formula, summary, equation = _SEGMENTATIONS[name]
    laws: frozenset[Law] = frozenset(("identity", "transposition", "split"))
    if name in ("MeanSeg", "WorstSeg"):
        laws |= {"symmetry"}
    card = Card(
        summary=f"Segmentation: {summary}.",
        equation=equation,
        undefined_when="the reference has no duration",
        source=f"Harte 2010 as implemented in {_EVALUATOR}",
        agrees_with="official per-song results of MIREX 2017 and 2018 (1e-6)",
    )
    return segmentation_measure("mirex2013", name, formula, card, headline=name in _HEADLINES, laws=laws)


_ACQA = Measure(
    protocol="mirex2013",
    name="ACQA",
    formula=ClassAverage(_RECALLED),
    aggregate="pooled",
    laws=frozenset(("identity", "transposition", "respelling", "time_shift", "split")),
    card=Card(
        summary="Average chord quality accuracy: mean over qualities of the recall of each.",
        equation="mean over qualities q in the reference of (seconds with root and q right / seconds of q)",
        undefined_when="the reference has neither chords nor N",
        source="Cho & Bello 2014; qualities are the tetrad-level types of the evaluator and N",
        agrees_with=BY_HAND,
    ),
)

_CITATION = r"""@inproceedings{pauwels2013evaluating,
  author = {Pauwels, Johan and Peeters, Geoffroy},
  title = {Evaluating automatically estimated chord sequences},
  booktitle = {Proceedings of the {IEEE} International Conference on
    Acoustics, Speech and Signal Processing ({ICASSP})},
  year = {2013},
  doi = {10.1109/ICASSP.2013.6637748},
}

@misc{mirex2013ace,
  author = {{MIREX}},
  title = {{MIREX} 2013: Audio Chord Estimation},
  howpublished = {MIREX wiki,
    \url{https://www.music-ir.org/mirex/wiki/2013:Audio_Chord_Estimation}},
  year = {2013},
}"""

PROTOCOL = Protocol(
    name="mirex2013",
    revision=2,
    summary="The official evaluator's rules, as MIREX has published since 2013.",
    rules=(
        "Time from 0 to the end of the reference. No row is silence, which equals only silence, not N. "
        "A reference is scored if its third, fifth and seventh as spelled are in the vocabulary; two chords "
        "are equal if roots and types as they sound are. A bass counts only if it is a tone of the mapped "
        "chord. Segmentation merges rows of the same spelling. X in the estimate is always wrong."
    ),
    measures=(*map(_recall, _RECALLS), *map(_segmentation, _SEGMENTATIONS), _ACQA),
    citation=_CITATION,
)

_TYPE_NUMBERS = {name: number for number, name in enumerate(TETRADS)}
_UNKNOWN = -3
_SPECIAL = {"silence": -1, "N": -2, "X": _UNKNOWN}


def evaluate(columns: ChordColumns, measures: Sequence[Measure]) -> Result:
    """Compute ``measures``, all of this protocol."""
    rules, root_basses = label_rules(columns.labels), _root_basses(columns.labels)
    classes = class_codes(columns.labels)
    timeline, slices, duration = from_zero(columns)
    times = sum_by_labels(timeline)
    outcomes = Outcomes(times)

    @cache
    def segmentation() -> Statistics:
        ref_runs = np.where(slices.ref_gap, -1, np.append(columns.ref.runs, -1)[slices.ref_row])
        est_runs = np.where(slices.est_gap, -1, np.append(columns.est.runs, -1)[slices.est_row])
        return segmentation_statistics(timeline, ref_runs, est_runs, duration, gaps_cut=False)

    computed: dict[Measure, Statistics] = {}
    for measure in measures:
        if measure.name in rules:
            computed[measure] = outcomes.statistics(rules[measure.name])
        elif measure.name in _SEGMENTATIONS:
            computed[measure] = segmentation()
        else:
            recalled = _RECALLED_NUMBERS[classes]
            computed[measure] = class_recall(times, recalled, len(_RECALLED), rules["Root"])
    return Result(computed, timeline, times, rules, root_basses)


def label_rules(labels: Sequence[str]) -> Mapping[str, LabelRule]:
    """Return how each recall measure compares these labels, the first of which is silence."""
    compared = _compare(tuple(labels))
    known = compared.root != _UNKNOWN
    values = {
        "Root": (known, compared.root),
        "MajMin": (compared.in_majmin, compared.triad),
        "MajMinBass": (compared.in_majmin, compared.triad_bass),
        "Sevenths": (compared.in_sevenths, compared.tetrad),
        "SeventhsBass": (compared.in_sevenths, compared.tetrad_bass),
    }
    rules = {name: LabelRule(scored, SameValue(numbers)) for name, (scored, numbers) in values.items()}
    return rules | {"Mirex2010": LabelRule(known, _common_tones(compared))}


def _root_basses(labels: Sequence[str]) -> Mapping[str, LabelRule]:
    """Return, of each measure of basses, what makes equal chords differ by an explicit ``/1`` alone."""
    compared = _compare(tuple(labels))
    return {
        "MajMinBass": LabelRule(compared.in_majmin, partial(_differ_by_root_bass, compared.triad_bass)),
        "SeventhsBass": LabelRule(compared.in_sevenths, partial(_differ_by_root_bass, compared.tetrad_bass)),
    }


def _differ_by_root_bass(values: Codes, ref: Codes, est: Codes) -> Flags:
    # a bass of 0 semitones is one more than no bass, and what is no chord is negative
    ref_values, est_values = values.take(ref), values.take(est)
    lower = np.minimum(ref_values, est_values)
    return np.asarray((np.abs(ref_values - est_values) == 1) & (lower >= 0) & (lower % 13 == 0))


def class_codes(labels: Sequence[str]) -> Codes:
    """Return the class of each label, an index into :data:`CLASSES`."""
    return np.asarray(_compare(tuple(labels)).class_code)


class _Compared(NamedTuple):
    """What is compared of labels: a number, or an array with an entry per label.

    Values are negative where there is no chord, and then equal for silence, for ``N`` and for ``X``.
    """

    root: Any
    in_majmin: Any
    triad: Any
    triad_bass: Any
    in_sevenths: Any
    tetrad: Any
    tetrad_bass: Any
    chroma: Any
    common_needed: Any
    class_code: Any


@lru_cache(maxsize=8)
def _compare(labels: tuple[str, ...]) -> _Compared:
    columns = np.array([_compared(label) for label in labels]).T
    compared = _Compared(*columns)
    return compared._replace(in_majmin=compared.in_majmin == 1, in_sevenths=compared.in_sevenths == 1)


@lru_cache(maxsize=1 << 16)
def _compared(label: str) -> _Compared:
    chord = MappedChord("silence") if label == "" else map_label(label)
    if chord.kind != "chord":
        value, in_vocabulary = _SPECIAL[chord.kind], chord.kind != "X"
        code = CLASSES.index(chord.kind)
        return _Compared(value, in_vocabulary, value, value, in_vocabulary, value, value, 0, 3, code)
    triad = _TYPE_NUMBERS[chord.triad] * 12 + chord.root
    tetrad = _TYPE_NUMBERS[chord.tetrad] * 12 + chord.root
    return _Compared(
        root=chord.root,
        in_majmin=chord.spelled_triad in VOCABULARIES["MajMin"],
        triad=triad,
        # An explicit /1 is a bass, no bass is another: official scores rest on it.
        triad_bass=triad * 13 + 1 + chord.bass_within(chord.triad),
        in_sevenths=chord.spelled_tetrad in VOCABULARIES["Sevenths"],
        tetrad=tetrad,
        tetrad_bass=tetrad * 13 + 1 + chord.bass_within(chord.tetrad),
        chroma=chord.chroma,
        common_needed=2 if chord.spelled_triad in ("dim", "aug") else 3,
        class_code=CLASSES.index(chord.tetrad),
    )


def _common_tones(compared: _Compared) -> Callable[[Codes, Codes], Flags]:
    chroma, needed, root = compared.chroma, compared.common_needed, compared.root

    def correct(ref: Codes, est: Codes) -> Flags:
        common = np.bitwise_count(chroma[ref] & chroma[est]) >= needed[ref]
        return np.asarray(common | ((root[ref] < 0) & (root[ref] == root[est])))

    return correct
