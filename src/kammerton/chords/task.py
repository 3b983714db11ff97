# SPDX-License-Identifier: MIT
"""The task record: how everything else reaches chords."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from kammerton.chords.anatomy import (
    confusion_table,
    credited_table,
    excluded_table,
    remarks,
    root_bass_table,
)
from kammerton.chords.annotation import ChordAnnotation
from kammerton.chords.breakdown import chord_breakdown
from kammerton.chords.columns import build_columns
from kammerton.chords.conversion import CONVERSION
from kammerton.chords.costs import quality_costs
from kammerton.chords.floors import floors
from kammerton.chords.label_times import sum_by_labels
from kammerton.chords.packing import PACKING
from kammerton.chords.protocols import MODULES, frames10ms, mir_eval, mirex2013
from kammerton.chords.ratings import ratings
from kammerton.chords.reading import SUFFIXES, ChordOptions, adopt_chords, read_chords
from kammerton.chords.time_rules import from_zero
from kammerton.chords.views import DEFAULT_MEASURE, view_item
from kammerton.errors import Diagnostic
from kammerton.model.measure import Measure
from kammerton.model.task import Case, Classes, Evaluation, Task

__all__ = ["TASK"]

_OFFICIAL = (mirex2013.PROTOCOL.name, frames10ms.PROTOCOL.name)
"""Protocols to which an explicit ``/1`` is a bass, and differs from none."""


def _evaluate(
    cases: Sequence[Case[ChordAnnotation]], measures: Sequence[Measure], _: ChordOptions
) -> Evaluation:
    columns = build_columns(cases)
    results = {}
    for module in MODULES:
        name = module.PROTOCOL.name
        own = [measure for measure in measures if measure.protocol == name]
        if own:
            results[name] = module.evaluate(columns, own)
    mirex = results.get(mirex2013.PROTOCOL.name)
    times = sum_by_labels(from_zero(columns)[0]) if mirex is None else mirex.times
    tables = [confusion_table(times, columns), excluded_table(results, columns, measures)]
    result = results.get(mir_eval.PROTOCOL.name)
    if result is not None:
        recalls = [m for m in measures if m.protocol == mir_eval.PROTOCOL.name and m.name in result.rules]
        tables.append(credited_table(result, columns, recalls))
    basses = [m for m in measures if m.protocol in _OFFICIAL and m.name in ("MajMinBass", "SeventhsBass")]
    if basses:
        tables.append(root_bass_table(times, columns, basses))
    statistics = {measure: results[measure.protocol].statistics[measure] for measure in measures}
    return Evaluation(statistics, tuple(tables))


def _remark(tables: Mapping[str, Mapping[Classes, float]]) -> Iterable[Diagnostic]:
    """Say what the tables of time by measure mean, measures in the order of their protocols."""
    order = [(str(measure),) for module in MODULES for measure in module.PROTOCOL.measures]
    return remarks(
        {
            name: {classes: cells[classes] for classes in order if classes in cells}
            for name, cells in tables.items()
        }
    )


def _content(annotation: ChordAnnotation) -> bytes:
    """Return times as little-endian doubles, then labels."""
    times = np.ascontiguousarray(annotation.intervals, dtype="<f8").tobytes()
    return struct.pack("<q", len(annotation)) + times + "\0".join(annotation.labels).encode()


def _extent(annotation: ChordAnnotation) -> float:
    return float(annotation.intervals[-1, 1]) if len(annotation) else 0.0


def _blank(_: ChordAnnotation) -> ChordAnnotation:
    return ChordAnnotation.empty()


TASK = Task(
    name="chords",
    summary="Chord symbols over time.",
    protocols=tuple(module.PROTOCOL for module in MODULES),
    suffixes=SUFFIXES,
    options=ChordOptions,
    read=read_chords,
    adopt=adopt_chords,
    blank=_blank,
    content=_content,
    extent=_extent,
    evaluate=_evaluate,
    remark=_remark,
    view=view_item,
    floors=floors,
    ratings=ratings,
    rated=(
        "roots and triads, as they sound by the map of mirex2013, and N; "
        "a unit is the time between two boundaries, weighted by its seconds"
    ),
    judge=DEFAULT_MEASURE,
    costs=quality_costs,
    breakdown=chord_breakdown,
    conversion=CONVERSION,
    packing=PACKING,
)
