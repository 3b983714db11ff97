# SPDX-License-Identifier: MIT
"""Where the points of a chord estimate were lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Codes, Flags
from kammerton.chords.annotation import ChordAnnotation
from kammerton.chords.kernels import ChordColumns, LabelRule, LabelTimes, Result
from kammerton.chords.labels import Chord, parse
from kammerton.chords.protocols.mirex2013 import CLASSES, VOCABULARIES, class_codes
from kammerton.chords.respelling import ROOTS
from kammerton.chords.templates import TRIADS, encode_label, map_label
from kammerton.errors import Diagnostic, plural
from kammerton.model.measure import Measure
from kammerton.model.task import (
    Breakdown,
    ClassKey,
    ClassLosses,
    ClassTable,
    Matrix,
    class_table,
    commonest,
    losses_by_confusion,
)

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


def confusion_table(times: LabelTimes, columns: ChordColumns) -> ClassTable:
    """Sum time by root interval, quality of the reference, and quality of the estimate."""
    classes = class_codes(columns.labels)
    roots = np.array([-1 if label == "" else map_label(label).root for label in columns.labels])
    interval = _INTERVALS.take(roots.take(times.ref) * 13 + roots.take(times.est) + 14)
    count = len(CLASSES)
    cell = (interval * count + classes.take(times.ref)) * count + classes.take(times.est)
    groups, cells, weights = _summed(columns.groups[times.pair], cell, times.weights)
    keys = list(map(_confusions().__getitem__, cells.tolist()))
    return ClassTable("confusion", ("root_interval", "reference", "estimate"), "s", groups, keys, weights)


@cache
def _confusions() -> list[ClassKey]:
    """Return the classes of each cell."""
    intervals = (None if interval == _NO_ROOT else interval for interval in range(_NO_ROOT + 1))
    return list(product(intervals, CLASSES, CLASSES))


def excluded_table(
    results: Mapping[str, Result], columns: ChordColumns, measures: Sequence[Measure]
) -> ClassTable:
    """Sum the reference time that a measure does not score, by label as written."""
    groups, weights = [], []
    classes: list[ClassKey] = []
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
            classes += [(protocol, measure.name, columns.labels[label]) for label in code[left_out].tolist()]
    return ClassTable(
        "excluded",
        ("protocol", "measure", "label"),
        "s",
        np.concatenate([np.empty(0, dtype=np.int64), *groups]),
        classes,
        np.concatenate([np.empty(0), *weights]),
    )


def credited_table(result: Result, columns: ChordColumns, measures: Sequence[Measure]) -> ClassTable:
    """Sum the time of estimated ``X`` that each measure of ``mir_eval`` counts as right."""
    times = result.times
    unknown = np.array([label != "" and encode_label(label).kind == "X" for label in columns.labels])
    return _time_by_measure("credited", times, columns, measures, result.rules, unknown[times.est])


def root_bass_table(result: Result, columns: ChordColumns, measures: Sequence[Measure]) -> ClassTable:
    """Sum the time that counts as wrong only because one side writes ``/1`` and the other no bass."""
    rules = result.root_basses
    chosen = [measure for measure in measures if measure.name in rules]
    return _time_by_measure("root_bass", result.times, columns, chosen, rules)


def _time_by_measure(
    name: str,
    times: LabelTimes,
    columns: ChordColumns,
    measures: Sequence[Measure],
    rules: Mapping[str, LabelRule],
    within: Flags | None = None,
) -> ClassTable:
    """Sum the scored time that a rule calls correct, or some of it, by group and measure."""
    rows: list[tuple[int, ClassKey, float]] = []
    of_slice = columns.groups[times.pair]
    for measure in measures:
        rule = rules[measure.name]
        flags = rule.correct(times.ref, times.est) & rule.scored[times.ref]
        flags = flags if within is None else flags & within
        sums = np.bincount(of_slice[flags], times.weights[flags])
        rows += [(group, (str(measure),), float(sums[group])) for group in np.flatnonzero(sums).tolist()]
    return class_table(name, ("measure",), "s", rows)


def remarks(tables: Mapping[str, Mapping[ClassKey, float]], measures: Sequence[str]) -> Iterator[Diagnostic]:
    """Explain the tables of credited time and of basses, measures by address in this order."""
    for name, (code, text, hint) in _REMARKS.items():
        cells = tables.get(name, {})
        for measure in measures if cells else ():
            if (measure,) in cells:
                message = text.format(measure=measure, seconds=cells[measure,])
                yield Diagnostic(code, "note", message, hint=hint)


def _summed(
    groups: Codes, cells: Codes, weights: NDArray[np.float64]
) -> tuple[Codes, Codes, NDArray[np.float64]]:
    """Sum weights over equal (group, cell); return groups, cells and sums."""
    width = int(cells.max(initial=0)) + 1
    keys = groups * width + cells
    if keys.max(initial=0) < _DENSE:  # weights are positive: what is 0 does not occur
        sums = np.bincount(keys, weights)
        present = np.flatnonzero(sums)
        sums = sums[present]
    else:
        present, places = np.unique(keys, return_inverse=True)
        sums = np.bincount(places, weights)
    return present // width, present % width, sums.astype(float, copy=False)


_INTERVAL_NAMES = (
    "same root",
    "+1 minor 2nd",
    "+2 major 2nd",
    "+3 minor 3rd",
    "+4 major 3rd",
    "+5 fourth",
    "+6 tritone",
    "+7 fifth",
    "+8 minor 6th",
    "+9 major 6th",
    "+10 minor 7th",
    "+11 major 7th",
)
_BOTH, _ONE = "no root in either", "no root in one"
_ROOTLESS = frozenset(("N", "silence", "X"))


def chord_breakdown(tables: Mapping[str, Mapping[ClassKey, float]], _: object = None) -> Breakdown | None:
    """Return confusions of roots and of qualities; None without the table ``confusion``.

    Examples
    --------
    >>> found = chord_breakdown({"confusion": {(0, "maj", "maj"): 3.0, (7, "maj", "min"): 1.0}})
    >>> found.matrices[0].cells["+7 fifth", "min"]
    1.0
    """
    cells = tables.get("confusion", {})
    if not cells:
        return None
    roots: Counter[tuple[str, str]] = Counter()
    qualities: Counter[tuple[str, str]] = Counter()
    right: set[tuple[str, str]] = set()
    for (interval, reference, estimate), seconds in cells.items():
        roots[_row(interval, str(reference), str(estimate)), str(estimate)] += seconds  # type: ignore[assignment]
        if interval in (0, None):
            qualities[str(reference), str(estimate)] += seconds  # type: ignore[assignment]
            if reference == estimate:
                right.add((str(reference), str(estimate)))
    return Breakdown(unit="s", matrices=(_of_roots(roots), _of_qualities(qualities, right)))


def _row(interval: str | int | None, reference: str, estimate: str) -> str:
    if interval is not None:
        return _INTERVAL_NAMES[int(interval)]
    return _BOTH if {reference, estimate} <= _ROOTLESS else _ONE


def _of_roots(cells: Counter[tuple[str, str]]) -> Matrix:
    used = {row for row, _ in cells}
    return Matrix(
        title="Roots: how far the estimated one lies above the reference's",
        down="interval",
        across="estimated quality",
        rows=tuple(row for row in (*_INTERVAL_NAMES, _BOTH, _ONE) if row in used),
        columns=commonest(cells, 1),
        cells=cells,
        right=frozenset(cell for cell in cells if cell[0] in (_INTERVAL_NAMES[0], _BOTH)),
        share="all",
        note="Per cent of all time; right is the root, whatever the quality.",
    )


def _of_qualities(cells: Counter[tuple[str, str]], right: set[tuple[str, str]]) -> Matrix:
    rows = commonest(cells, 0)
    columns = commonest(cells, 1)
    same = tuple(name for name in rows if name in columns)
    return Matrix(
        title="Qualities, where the root is right or a side has none",
        down="quality",
        across="estimated quality",
        rows=rows,
        columns=same + tuple(name for name in columns if name not in same),
        cells=cells,
        right=frozenset(right),
        note="Per cent of the time of each quality in the reference.",
    )


_RULE = (
    "Time counts as lost where the root differs or the quality does, whatever the bass; "
    "measures that map or leave out qualities are milder."
)
_RULE_OF_MEASURE = (
    "Time counts as lost where {} counts it as wrong; what it leaves out is not counted. Chords are told by "
    "their sound, so that a label of a rare spelling may count otherwise."
)
_BY = "root and full quality"
"""What the table compares: more than measures of triads do."""


def _as_compared(measure: str) -> dict[str, str] | None:
    """Return what a measure takes each class for that it scores; None if the classes do not tell."""
    if measure == "mirex2013/Root":
        chords = dict.fromkeys(TRIADS, "any")
    elif measure == "mirex2013/MajMin":
        chords = {name: triad for name, triad in TRIADS.items() if triad in VOCABULARIES["MajMin"]}
    elif measure == "mirex2013/Sevenths":
        chords = {name: name for name in VOCABULARIES["Sevenths"]}
    else:
        return None
    return {"N": "N", "silence": "silence", **chords}


def quality_losses(tables: Mapping[str, Mapping[ClassKey, float]], measure: str = "") -> ClassLosses | None:
    """Return what each quality of the reference cost, by a measure if the table ``confusion`` tells.

    Without the table it is None.

    Examples
    --------
    >>> tables = {"confusion": {(0, "maj", "maj7"): 3.0, (7, "maj", "maj"): 1.0}}
    >>> quality_losses(tables).rows[0]
    ClassLoss(name='maj', whole=4.0, lost=4.0, instead='maj7', f=None)
    >>> quality_losses(tables, "mirex2013/MajMin").rows[0]
    ClassLoss(name='maj', whole=4.0, lost=1.0, instead='maj on another root', f=None)
    """
    compared = _as_compared(measure)
    losses: Counter[tuple[str, str]] = Counter()
    cells: Counter[tuple[str, str]] = Counter()
    for (interval, reference, estimate), weight in tables.get("confusion", {}).items():
        name, taken = str(reference), str(estimate)
        same = interval in (0, None)
        cells[name, taken if same else "another root"] += weight  # type: ignore[assignment]
        if not same:
            taken = f"{taken} on another root"
        elif compared is not None and name in compared and compared[name] == compared.get(taken):
            taken = name
        if compared is None or name in compared:
            losses[name, taken] += weight  # type: ignore[assignment]
    if not cells:
        return None
    rows = losses_by_confusion(losses)
    rule, by = (_RULE, _BY) if compared is None else (_RULE_OF_MEASURE.format(measure), "")
    return ClassLosses(kind="chord quality", unit="s", rule=rule, rows=rows, cells=cells, by=by)


Shares = Callable[[Sequence[ChordAnnotation]], NDArray[np.float64]]
_HALF = 0.5
"""What is right for less of the time may be displaced; what is told would be right for as much."""
_TIMES = 2.0
"""How many times as much must be right elsewhere."""
_FEWEST = 2
"""Different chords that an estimate has: a single one is right in some key, whatever it is."""
_FARTHEST, _STEP, _FINER = 20.0, 1.0, 0.1
"""Seconds by which an estimate is moved at most, at a time, and about the best of these."""


def displacement(estimate: ChordAnnotation, shares: Shares) -> str:
    """Say where an estimate that is mostly wrong would be mostly right; nothing if nowhere, or if it is not.

    Recordings that begin with some seconds more or less, and such as are tuned otherwise than the one that
    was annotated, have every chord wrong though each is well heard.

    Examples
    --------
    >>> wanted = ("D", "E:min/b3")
    >>> found = ChordAnnotation(np.array([[0.0, 1.0], [1.0, 2.0]]), ("C#", "D#:min"))
    >>> def shares(moved):
    ...     return np.array([np.mean([a == b for a, b in zip(each.labels, wanted)]) for each in moved])
    >>> displacement(found, shares)
    '50 % would be right if all of it were 1 semitone higher'
    """
    (own,) = shares([estimate])
    chords = {label: parse(label) for label in set(estimate.labels)}
    rooted = [chord for chord in chords.values() if chord.root_pitch_class is not None]
    if not own < _HALF or len(rooted) < _FEWEST:
        return ""
    best, moved = max((_best_transposed(estimate, chords, shares), _best_shifted(estimate, shares)))
    return f"{100 * best:.0f} % would be right if {moved}" if best >= max(_HALF, _TIMES * own) else ""


def _best_transposed(
    estimate: ChordAnnotation, chords: Mapping[str, Chord], shares: Shares
) -> tuple[float, str]:
    right = shares([_transposed(estimate, chords, semitones) for semitones in range(1, 12)])
    best = int(right.argmax()) + 1
    moved = f"{plural(best, 'semitone')} higher" if best <= 6 else f"{plural(12 - best, 'semitone')} lower"
    return float(right.max()), f"all of it were {moved}"


def _transposed(estimate: ChordAnnotation, chords: Mapping[str, Chord], semitones: int) -> ChordAnnotation:
    """Return an estimate whose roots lie higher, in some spelling."""
    moved = {
        label: label
        if chord.root_pitch_class is None
        else ROOTS[(chord.root_pitch_class + semitones) % 12] + label.removeprefix(chord.root)
        for label, chord in chords.items()
    }
    return ChordAnnotation(estimate.intervals, tuple(map(moved.__getitem__, estimate.labels)))


def _best_shifted(estimate: ChordAnnotation, shares: Shares) -> tuple[float, str]:
    coarse = np.arange(-_FARTHEST, _FARTHEST + _STEP, _STEP)
    near = coarse[shares([_shifted(estimate, shift) for shift in coarse]).argmax()]
    fine = np.clip(near + np.arange(-_STEP, _STEP + _FINER, _FINER), -_FARTHEST, _FARTHEST)
    right = shares([_shifted(estimate, shift) for shift in fine])
    seconds = fine[right.argmax()]
    return float(right.max()), f"it came {abs(seconds):.1f} s {'earlier' if seconds < 0 else 'later'}"


def _shifted(estimate: ChordAnnotation, seconds: float) -> ChordAnnotation:
    intervals = np.maximum(estimate.intervals + seconds, 0.0)
    return ChordAnnotation.coded(intervals, estimate.codes, estimate.spellings)
