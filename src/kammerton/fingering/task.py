# SPDX-License-Identifier: MIT
"""The task record: how everything else reaches piano fingering."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kammerton.errors import Diagnostic
from kammerton.fingering.alignment import align
from kammerton.fingering.annotation import MISSING, UNKNOWN, Fingering
from kammerton.fingering.breakdown import finger_breakdown
from kammerton.fingering.columns import build_columns, key_presses
from kammerton.fingering.conversion import CONVERSION
from kammerton.fingering.costs import finger_costs
from kammerton.fingering.floors import floors
from kammerton.fingering.formats import SUFFIXES, adopt_fingering, identify, read_fingering, unfold
from kammerton.fingering.lint import lint
from kammerton.fingering.options import FingeringOptions
from kammerton.fingering.packing import PACKING
from kammerton.fingering.playability import Playability
from kammerton.fingering.protocols import PROTOCOLS, nakamura2020, pianovam, playability, strike
from kammerton.fingering.ratings import ratings
from kammerton.fingering.remarks import remark, unlabelled_table
from kammerton.fingering.views import DEFAULT_MEASURE, view_item
from kammerton.model.measure import Measure, Statistics
from kammerton.model.task import Case, Evaluation, Task

__all__ = ["TASK"]

_TOGETHER = 200
"""References that are judged at once: as many as fit the cache."""


def _evaluate(
    cases: Sequence[Case[Fingering]], measures: Sequence[Measure], options: FingeringOptions
) -> Evaluation:
    needs = measures[0].needs
    if needs == "annotators":
        return Evaluation(_judge_references(cases, measures, options))
    if needs == "estimate":
        return Evaluation(_judge_estimates(cases, measures, options))
    columns = build_columns(cases)
    statistics = strike.evaluate(columns, _of("strike", measures), options)
    if needs == "pair":
        return Evaluation(statistics, (strike.confusion_table(columns),))
    nakamura = _of("nakamura2020", measures)
    statistics |= nakamura2020.evaluate(columns, nakamura)
    statistics |= pianovam.evaluate(columns, _of("pianovam", measures))
    return Evaluation(statistics, (unlabelled_table(columns, complete=bool(nakamura)),))


def _of(protocol: str, measures: Sequence[Measure]) -> list[Measure]:
    return [measure for measure in measures if measure.protocol == protocol]


def _judge_estimates(
    cases: Sequence[Case[Fingering]], measures: Sequence[Measure], options: FingeringOptions
) -> dict[Measure, Statistics]:
    estimates = [case.estimate for case in cases if case.estimate is not None]
    judge = Playability(key_presses(estimates))
    document = pianovam.evaluate_alone(judge, _of("pianovam", measures))
    return document | playability.evaluate(judge, _of("playability", measures), options)


def _judge_references(
    cases: Sequence[Case[Fingering]], measures: Sequence[Measure], options: FingeringOptions
) -> dict[Measure, Statistics]:
    """Judge each annotator, and sum over those of an item."""
    of_case = np.repeat(np.arange(len(cases)), [len(case.references) for case in cases])
    references = [reference for case in cases for reference in case.references]
    summed = {measure: np.zeros((len(cases), len(measure.formula.statistics))) for measure in measures}
    for at in range(0, len(references), _TOGETHER):
        some = slice(at, at + _TOGETHER)
        judged = playability.evaluate(Playability(key_presses(references[some])), measures, options)
        for measure, statistics in judged.items():
            np.add.at(summed[measure], of_case[some], statistics)
    return summed


def _match(
    reference: Fingering, other: Fingering, options: FingeringOptions
) -> tuple[Fingering | None, tuple[Diagnostic, ...]]:
    """Write another fingering down on the notes of the reference."""
    if other.onsets is reference.onsets and other.pitches is reference.pitches:
        return other, ()
    alignment = align(reference, other, tolerance_s=options.tolerance_s)
    if not alignment.usable:
        return None, alignment.diagnostics
    if not alignment.diagnostics and np.array_equal(alignment.matched, np.arange(len(other))):
        return other, ()
    labels = (*other.labels, MISSING)
    found = alignment.matched.tolist()
    matched = replace(
        reference,
        labels=tuple(labels[note] for note in found),
        line_of=None,
        hands=np.where(alignment.matched < 0, reference.hands, np.append(other.hands, 0)[found]),
    )
    return matched, alignment.diagnostics


def _lacking(fingering: Fingering) -> frozenset[str]:
    return fingering.lacking


def _blank(reference: Fingering) -> Fingering:
    """Return the notes alone: who says no finger says no hand either."""
    hands = np.full(len(reference), UNKNOWN)
    return replace(reference, labels=(MISSING,) * len(reference), hands=hands)


def _content(fingering: Fingering) -> bytes:
    """Return numbers as little-endian, then labels."""
    times = (column.astype("<f8", copy=False) for column in (fingering.onsets, fingering.offsets))
    codes = (column.astype("<i8", copy=False) for column in (fingering.pitches, fingering.hands))
    columns = b"".join(column.tobytes() for column in (*times, *codes))
    return struct.pack("<q", len(fingering)) + columns + "\0".join(fingering.labels).encode()


def _extent(fingering: Fingering) -> float:
    return float(fingering.offsets.max(initial=0.0))


TASK = Task(
    name="fingering",
    summary="Piano fingering.",
    protocols=PROTOCOLS,
    suffixes=SUFFIXES,
    options=FingeringOptions,
    read=read_fingering,
    adopt=adopt_fingering,
    unfold=unfold,
    lacking=_lacking,
    blank=_blank,
    content=_content,
    extent=_extent,
    evaluate=_evaluate,
    remark=remark,
    view=view_item,
    floors=floors,
    ratings=ratings,
    rated="the finger that strikes, signed by hand; a unit is a note",
    judge=DEFAULT_MEASURE,
    leading="nakamura2020/M_gen",
    costs=finger_costs,
    breakdown=finger_breakdown,
    match=_match,
    identify=identify,
    conversion=CONVERSION,
    packing=PACKING,
    lint=lint,
    said_once=frozenset(("KT337", "KT338")),
)
