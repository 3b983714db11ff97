# SPDX-License-Identifier: MIT
"""Where the points went: confusions of roots and qualities, and the time that was left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from kammerton.chords.bitmaps import encode_label
from kammerton.chords.columns import Columns
from kammerton.chords.kernels import Result
from kammerton.chords.label_times import LabelTimes
from kammerton.chords.protocols.mirex2013 import CLASSES, class_codes, root_bass_rules
from kammerton.chords.third_maps import map_label
from kammerton.core.intervals import Codes, Flags
from kammerton.errors import Diagnostic
from kammerton.model.measure import Measure
from kammerton.model.task import Classes, ClassTable

__all__ = ["confusion_table", "credited_table", "excluded_table", "remarks", "root_bass_table"]

_REMARKS = {
    "credited": (
        "KT321",
        "{measure} counts {seconds:.3f} s of estimated `X` as right, as mir_eval does",
        None,
    ),
    "root_bass": (
        "KT322",
        "{measure} counts {seconds:.3f} s as wrong for a `/1` on one side only, as MIREX does",
        "write `/1` on both sides or on neither",
    ),
}
"""Code, message and hint of what each table of time by measure makes a reader know."""

_DENSE = 1 << 22
"""Cells up to which counting beats sorting."""

_NO_ROOT = 12
"""Root interval where one side has no root."""

_INTERVALS = np.array(
    [_NO_ROOT if ref < 0 or est < 0 else (est - ref) % 12 for ref in range(-1, 12) for est in range(-1, 12)]
)
"""Root interval by root of the reference and of the estimate, -1 for none."""


def confusion_table(times: LabelTimes, columns: Columns) -> ClassTable:
    """Sum time by root interval, quality of the reference, and quality of the estimate.

    Parameters
    ----------
    times : LabelTimes
        Of ``mirex2013``.
    columns : Columns
        Labels and groups.

    Returns
    -------
    ClassTable
        ``root_interval`` is the estimated root less the reference's in semitones, 0 to 11, or None
        where one side has no root. Qualities are the tetrad-level types of ``mirex2013``, as they sound.
    """
    classes = class_codes(columns.labels)
    roots = np.array([-1 if label == "" else map_label(label).root for label in columns.labels])
    interval = _INTERVALS.take(roots.take(times.ref) * 13 + roots.take(times.est) + 14)
    count = len(CLASSES)
    cell = (interval * count + classes.take(times.ref)) * count + classes.take(times.est)
    groups, cells, weights = _summed(columns.groups[times.pair], cell, times.weights)
    named = list(map(_confusions().__getitem__, cells.tolist()))
    return ClassTable("confusion", ("root_interval", "reference", "estimate"), "s", groups, named, weights)


@cache
def _confusions() -> list[Classes]:
    """Return the classes of each cell."""
    intervals = (None if interval == _NO_ROOT else interval for interval in range(_NO_ROOT + 1))
    return list(product(intervals, CLASSES, CLASSES))


def excluded_table(
    results: Mapping[str, Result], columns: Columns, measures: Sequence[Measure]
) -> ClassTable:
    """Sum the reference time that a measure does not score, by label as written.

    Parameters
    ----------
    results : mapping of str to Result
        By protocol.
    columns : Columns
        Labels and groups.
    measures : sequence of Measure
        Those whose names have a rule are listed, if they count seconds.
    """
    groups, weights = [], []
    classes: list[Classes] = []
    for protocol, result in results.items():
        timed = [m for m in measures if m.protocol == protocol and m.weight_unit == "s"]
        listed = [measure for measure in timed if measure.name in result.rules]
        if not listed:
            continue
        times = result.times
        of_slice = columns.groups[times.pair]
        group, code, seconds = _summed(of_slice, times.ref, times.weights)
        for measure in listed:
            left_out = ~result.rules[measure.name].scored[code]
            groups.append(group[left_out])
            weights.append(seconds[left_out])
            classes += [(protocol, measure.name, columns.labels[each]) for each in code[left_out].tolist()]
    return ClassTable(
        "excluded",
        ("protocol", "measure", "label"),
        "s",
        np.concatenate([np.empty(0, dtype=np.int64), *groups]),
        classes,
        np.concatenate([np.empty(0), *weights]),
    )


def credited_table(result: Result, columns: Columns, measures: Sequence[Measure]) -> ClassTable:
    """Sum the time of estimated ``X`` that each measure of ``mir_eval`` counts as right."""
    times = result.times
    unknown = np.array([label != "" and encode_label(label).kind == "X" for label in columns.labels])
    claimed = unknown[times.est]

    def gained(measure: Measure) -> Flags:
        rule = result.rules[measure.name]
        return claimed & rule.correct(times.ref, times.est) & rule.scored[times.ref]

    return _time_by_measure("credited", times, columns, measures, gained)


def root_bass_table(times: LabelTimes, columns: Columns, measures: Sequence[Measure]) -> ClassTable:
    """Sum the time that a measure counts as wrong only because one side writes ``/1`` and the other no bass.

    Parameters
    ----------
    times : LabelTimes
        Of ``mirex2013``.
    columns : Columns
        Labels and groups.
    measures : sequence of Measure
        Measures of basses by the rules of ``mirex2013``.
    """
    rules = root_bass_rules(columns.labels)
    sides = times.ref, times.est

    def lost(measure: Measure) -> Flags:
        return rules[measure.name].correct(*sides) & rules[measure.name].scored[times.ref]

    return _time_by_measure("root_bass", times, columns, [m for m in measures if m.name in rules], lost)


def _time_by_measure(
    name: str,
    times: LabelTimes,
    columns: Columns,
    measures: Sequence[Measure],
    concerned: Callable[[Measure], Flags],
) -> ClassTable:
    """Sum the time that is concerned, by group and measure."""
    groups: list[int] = []
    classes: list[Classes] = []
    weights: list[float] = []
    of_slice = columns.groups[times.pair]
    for measure in measures:
        flags = concerned(measure)
        sums = np.bincount(of_slice[flags], times.weights[flags])
        for group in np.flatnonzero(sums).tolist():
            groups.append(group)
            classes.append((str(measure),))
            weights.append(float(sums[group]))
    return ClassTable(name, ("measure",), "s", np.array(groups, dtype=np.int64), classes, np.array(weights))


def remarks(tables: Mapping[str, Mapping[Classes, float]]) -> Iterator[Diagnostic]:
    """Say what the cells of the tables of credited time and of basses mean, by the name of the table."""
    for name, (code, text, hint) in _REMARKS.items():
        for (measure,), seconds in tables.get(name, {}).items():
            message = text.format(measure=measure, seconds=seconds)
            yield Diagnostic(code=code, severity="note", message=message, hint=hint)


def _summed(
    groups: Codes, cells: Codes, weights: NDArray[np.float64]
) -> tuple[Codes, Codes, NDArray[np.float64]]:
    """Sum weights over equal (group, cell); return groups, cells and sums."""
    width = int(cells.max(initial=0)) + 1
    keys = groups * width + cells
    if keys.max(initial=0) < _DENSE:  # weights are positive: what is 0 does not occur
        sums = np.bincount(keys, weights)
        found = np.flatnonzero(sums)
        sums = sums[found]
    else:
        found, places = np.unique(keys, return_inverse=True)
        sums = np.bincount(places, weights)
    return found // width, found % width, sums.astype(float, copy=False)
