# SPDX-License-Identifier: MIT
"""From annotations to durations per pair of labels: columns, rules of time, kernels, formulas."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import (
    Codes,
    Flags,
    Seconds,
    Segments,
    Slices,
    SumsByPair,
    Values,
    changes,
    harmonic_mean,
    lost_time,
    ratio,
    sequence_of_rows,
    slice_pairs,
)
from kammerton.chords.annotation import ChordAnnotation, spellings_in_use
from kammerton.chords.templates import encode_label
from kammerton.model.measure import Card, Formula, Law, Measure, Statistics
from kammerton.model.task import Case
from kammerton.model.views import ErrorKind, Mark

SILENCE, NO_CHORD = 0, 1
"""Codes that every vocabulary has: no row at all, and the label ``N``."""
_NONE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class ChordColumns:
    """Pairs of annotations, ready for the kernels."""

    # distinct labels: silence, which is empty, ``N``, and the others sorted; a code is an index
    labels: tuple[str, ...]
    groups: Codes  # group of each pair
    # ref, est: rows of positive length; sequence ``i`` of both is pair ``i``
    ref: Segments
    est: Segments
    slices: Slices  # the union of their boundaries
    # ref_rows, est_rows, all_slices: the same with the rows of zero length
    ref_rows: Segments
    est_rows: Segments
    all_slices: Slices

    @property
    def pairs(self) -> int:
        """Number of pairs."""
        return len(self.groups)


def build_columns(cases: Sequence[Case[ChordAnnotation]]) -> ChordColumns:
    """Encode pairs of one reference and one estimate."""
    pairs = [(case.group, *case.pair) for case in cases]
    groups, refs, ests = zip(*pairs, strict=True) if pairs else ((), (), ())
    labels, ref_codes, est_codes = _numbered(refs, ests)
    ref_rows, est_rows = _rows(refs, ref_codes), _rows(ests, est_codes)
    all_slices = slice_pairs(ref_rows, est_rows)
    ref_has_length, est_has_length = ref_rows.ends > ref_rows.starts, est_rows.ends > est_rows.starts
    ref, est = ref_rows.where(ref_has_length), est_rows.where(est_has_length)
    slices = all_slices.restricted(ref, ref_has_length, est, est_has_length)
    return ChordColumns(
        labels, np.array(groups, dtype=np.int64), ref, est, slices, ref_rows, est_rows, all_slices
    )


def _numbered(
    refs: Sequence[ChordAnnotation], ests: Sequence[ChordAnnotation]
) -> tuple[tuple[str, ...], Codes, Codes]:
    """Return the distinct labels of both sides, and the code of each row of a side.

    In the order of their spelling, the codes of a song do not depend on what was read before it.
    """
    annotations = (*refs, *ests)
    spellings = annotations[0].spellings if annotations else spellings_in_use()
    parts = [a.codes if a.spellings is spellings else spellings.numbers(a.labels) for a in annotations]
    numbers = np.concatenate([_NONE, *parts])
    counts = np.bincount(numbers)  # spellings may grow meanwhile
    used = np.flatnonzero(counts)
    spelled = [spellings.labels[number] for number in used.tolist()]
    labels = ("", "N", *sorted({*spelled} - {"", "N"}))
    index = dict(zip(labels, range(len(labels)), strict=True))
    code_of = np.zeros(len(counts), dtype=np.int64)
    code_of[used] = list(map(index.__getitem__, spelled))
    codes = code_of.take(numbers)
    of_refs = sum(map(len, parts[: len(refs)]))
    return labels, codes[:of_refs], codes[of_refs:]


def _rows(annotations: Sequence[ChordAnnotation], codes: Codes) -> Segments:
    intervals = np.concatenate([np.empty((0, 2)), *(a.intervals for a in annotations)])
    offsets = np.concatenate(([0], np.cumsum(list(map(len, annotations)), dtype=np.int64)))
    changed = changes(codes) | changes(sequence_of_rows(offsets))
    return Segments(intervals[:, 0], intervals[:, 1], codes, np.cumsum(changed), offsets)


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """Slices of time that count, with the label of each side."""

    pairs: int  # number of pairs
    pair: Codes  # pair of each slice, ascending
    starts: Seconds  # seconds; ascending within a pair
    weights: NDArray[np.float64]  # seconds, or number of samples
    # ref, est: label codes
    ref: Codes
    est: Codes


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceSpan:
    """The span of the reference, cut out of both sides."""

    timeline: Timeline  # labels with every gap filled
    # ref, est: the rows of both sides
    ref: Segments
    est: Segments
    slices: Slices  # the slices of the timeline
    padded: Flags  # where the estimate was padded with ``N``
    duration: NDArray[np.float64]  # seconds of the span


def from_zero(columns: ChordColumns) -> tuple[Timeline, Slices, NDArray[np.float64]]:
    """Count from time 0 to the end of the reference; without a row there is silence."""
    _, end = columns.ref.span()
    slices = columns.slices.where(columns.slices.ends <= end[columns.slices.pair])
    ref = _labels(columns.ref, slices.ref_row, slices.ref_gap, SILENCE)
    est = _labels(columns.est, slices.est_row, slices.est_gap, SILENCE)
    timeline = Timeline(columns.pairs, slices.pair, slices.starts, slices.durations, ref, est)
    return timeline, slices, np.nan_to_num(end)


def reference_span(columns: ChordColumns, merged: Codes | None = None) -> ReferenceSpan:
    """Count from the first start to the last end of the reference.

    A gap takes the label of the row before it. The estimate is padded with ``N`` to the span; rows
    outside the span do not reach into a gap.
    """
    ref, est, slices = columns.ref, columns.est, columns.slices
    if merged is not None and (ref is not columns.ref_rows or est is not columns.est_rows):
        ref_kept = _counting(columns.ref_rows, merged)
        ref = columns.ref_rows.where(ref_kept)
        est_kept = _counting(columns.est_rows, merged, ref.span())
        est = columns.est_rows.where(est_kept)
        slices = columns.all_slices.restricted(ref, ref_kept, est, est_kept)
    first, last = ref.span()
    slices = slices.where((slices.starts >= first[slices.pair]) & (slices.ends <= last[slices.pair]))
    padded = _padded(est, slices, first, last, merged)
    est_codes = _labels(est, slices.est_row, padded, NO_CHORD)
    ref_codes = ref.codes[slices.ref_row]
    timeline = Timeline(columns.pairs, slices.pair, slices.starts, slices.durations, ref_codes, est_codes)
    return ReferenceSpan(timeline, ref, est, slices, padded, np.nan_to_num(last - first))


def _counting(rows: Segments, merged: Codes, padded_to: tuple[Seconds, Seconds] | None = None) -> Flags:
    """Return which rows count: not those of zero length, unless their segment has a length.

    The first and last segment within the span ``padded_to``, if ``N``, go on in the padding.
    """
    if len(rows.starts) == 0:
        return np.zeros(0, dtype=bool)
    values = merged[rows.codes]
    sequence = sequence_of_rows(rows.offsets)
    begins = changes(values) | changes(sequence)
    firsts = np.flatnonzero(begins)
    ends = np.append(firsts[1:], len(values)) - 1
    has_length = rows.ends[ends] > rows.starts[firsts]
    if padded_to is not None:
        of_end = sequence[ends]
        next_start = np.append(rows.starts, np.inf)[ends + 1]
        next_start[ends + 1 >= rows.offsets[of_end + 1]] = np.inf
        previous_end = np.append(rows.ends, -np.inf)[firsts - 1]
        previous_end[firsts == rows.offsets[of_end]] = -np.inf
        outermost = (previous_end < padded_to[0][of_end]) | (next_start > padded_to[1][of_end])
        has_length |= outermost & (values[ends] == merged[NO_CHORD])
    return np.asarray(has_length[np.cumsum(begins) - 1])


def _padded(est: Segments, slices: Slices, first: Seconds, last: Seconds, merged: Codes | None) -> Flags:
    """Return where the estimate has no row within the span that could reach into the gap."""
    gaps = np.flatnonzero(slices.est_gap)
    row, pair = slices.est_row[gaps], slices.pair[gaps]
    following = row + 1
    row_end = np.append(est.ends, -np.inf)[row]
    next_start = np.append(est.starts, np.inf)[following]
    next_start[following >= est.offsets[pair + 1]] = np.inf
    bridged = (row_end > first[pair]) & (next_start < last[pair])
    if merged is not None:
        values = np.append(merged[est.codes], (-1, -1))
        touching = (row_end >= first[pair]) & (next_start <= last[pair])
        bridged |= touching & (values[row] == values[following])
    padded = np.zeros(len(slices.est_gap), dtype=bool)
    padded[gaps] = (row < 0) | ~bridged
    return padded


def _labels(side: Segments, row: Codes, absent: Flags, absent_code: int) -> Codes:
    codes = np.append(side.codes, absent_code)[row]  # row -1 finds the code appended
    return np.where(absent, absent_code, codes)


@dataclass(frozen=True, slots=True, eq=False)
class LabelTimes:
    """Time of each pair of labels within each pair of annotations.

    A song repeats its chords, so these are far fewer than slices; what is asked of labels is asked here.
    """

    pairs: int  # number of pairs of annotations
    pair: Codes  # pair of annotations, ascending
    weights: NDArray[np.float64]  # seconds, or number of samples; positive
    # ref, est: label codes; a pair of them stands once in a pair of annotations
    ref: Codes
    est: Codes

    def at(self, cells: Codes) -> LabelTimes:
        """Return some of the cells, in the order of pairs."""
        pair, weights = self.pair.take(cells), self.weights.take(cells)
        return LabelTimes(self.pairs, pair, weights, self.ref.take(cells), self.est.take(cells))


def sum_by_labels(timeline: Timeline) -> LabelTimes:
    """Sum the time of slices with the same labels in the same pair."""
    sides = (timeline.pair, timeline.ref, timeline.est)
    # small numbers in few bytes: these are sorted by counting
    order = np.lexsort([side.astype(np.min_scalar_type(side.max(initial=0))) for side in reversed(sides)])
    pair, ref, est = (side.take(order) for side in sides)
    begins = changes(pair) | changes(ref) | changes(est)
    sums = np.bincount(np.cumsum(begins) - 1, timeline.weights.take(order)).astype(float, copy=False)
    lasting = sums > 0
    first = np.flatnonzero(begins)[lasting]
    return LabelTimes(timeline.pairs, pair.take(first), sums[lasting], ref.take(first), est.take(first))


OUTCOMES = ("excluded", "correct_chord", "correct_no_chord", "substituted", "deleted", "inserted")
"""What can become of a slice of time under a vocabulary."""
EXCLUDED, CORRECT_CHORD, CORRECT_NO_CHORD, SUBSTITUTED, DELETED, INSERTED = range(6)


@dataclass(frozen=True, slots=True)
class Recall:
    """Chord symbol recall: correct time over scored time, or over all time of the reference."""

    weigh: str = "scored"  # what an item weighs: its scored time, or all time of its reference
    over: str = "scored"  # what correct time is divided by: the same two

    @property
    def statistics(self) -> tuple[str, ...]:
        """Name the columns: time by outcome."""
        return OUTCOMES

    def finalise(self, statistics: Statistics, /) -> Values:
        """Divide correct by scored or total time."""
        correct = statistics[:, CORRECT_CHORD] + statistics[:, CORRECT_NO_CHORD]
        return ratio(correct, _time(statistics, self.over))

    def weight(self, statistics: Statistics, /) -> Values:
        """Return scored or total time."""
        return _time(statistics, self.weigh)

    def worst(self, statistics: Statistics, /) -> Statistics:
        """Nothing is right: chords are deleted, no-chord is something else."""
        worst = statistics.copy()
        worst[:, DELETED] += worst[:, CORRECT_CHORD]
        worst[:, SUBSTITUTED] += worst[:, CORRECT_NO_CHORD]
        worst[:, [CORRECT_CHORD, CORRECT_NO_CHORD]] = 0.0
        return worst


def _time(statistics: Statistics, part: str) -> Values:
    """Return scored or total time of each item."""
    first = CORRECT_CHORD if part == "scored" else EXCLUDED
    return np.asarray(statistics[:, first:].sum(axis=1))


@dataclass(frozen=True, slots=True)
class Segmentation:
    """One minus the directional Hamming distance.

    ``score`` is under- or over-segmentation, in which estimated runs are cut by boundaries of the reference
    or the reverse, or the smaller of both, or their harmonic mean.
    """

    score: Literal["under", "over", "minimum", "harmonic"]

    @property
    def statistics(self) -> tuple[str, ...]:
        """Name the columns: time lost both ways, and the duration it is divided by."""
        return ("lost_under", "lost_over", "duration")

    def finalise(self, statistics: Statistics, /) -> Values:
        """Subtract the share of lost time from 1."""
        under, over = (1.0 - ratio(statistics[:, column], statistics[:, 2]) for column in (0, 1))
        scores = {"under": under, "over": over, "minimum": np.minimum(under, over)}
        return scores[self.score] if self.score in scores else harmonic_mean(under, over)

    def weight(self, statistics: Statistics, /) -> Values:
        """Return the duration of the reference."""
        return np.asarray(statistics[:, 2])

    def worst(self, statistics: Statistics, /) -> Statistics:
        """Lose all time both ways."""
        return np.repeat(statistics[:, 2:], 3, axis=1)


@dataclass(frozen=True, slots=True)
class ClassAverage:
    """Mean over classes of the recall of each class that occurs."""

    # names of the classes; statistics are correct time of each, then all time of each
    classes: tuple[str, ...]

    @property
    def statistics(self) -> tuple[str, ...]:
        """Name the columns."""
        return (*map("correct:{}".format, self.classes), *map("total:{}".format, self.classes))

    def recalls(self, statistics: Statistics, /) -> NDArray[np.float64]:
        """Return the recall of each class, shape (items, classes); NaN where it does not occur."""
        count = len(self.classes)
        return ratio(statistics[:, :count], statistics[:, count:])

    def finalise(self, statistics: Statistics, /) -> Values:
        """Average the recalls of the classes that occur."""
        recalls = self.recalls(statistics)
        occurs = ~np.isnan(recalls)
        return ratio(np.where(occurs, recalls, 0.0).sum(axis=1), occurs.sum(axis=1).astype(float))

    def weight(self, statistics: Statistics, /) -> Values:
        """Return all time that counted."""
        return np.asarray(statistics[:, len(self.classes) :].sum(axis=1))

    def worst(self, statistics: Statistics, /) -> Statistics:
        """Nothing is right."""
        worst = statistics.copy()
        worst[:, : len(self.classes)] = 0.0
        return worst


def recall_measure(protocol: str, name: str, card: Card, *, headline: bool, laws: frozenset[Law]) -> Measure:
    """Return a measure of chord symbol recall, pooled over songs."""
    return Measure(
        protocol=protocol,
        name=name,
        formula=Recall(),
        aggregate="pooled",
        beside=("mean", "median"),
        headline=headline,
        laws=laws,
        card=card,
    )


def segmentation_measure(
    protocol: str, name: str, formula: Formula, card: Card, *, headline: bool, laws: frozenset[Law]
) -> Measure:
    """Return a measure of segmentation, averaged over songs."""
    return Measure(
        protocol=protocol,
        name=name,
        formula=formula,
        aggregate="mean",
        beside=("median",),
        headline=headline,
        laws=laws,
        card=card,
    )


@dataclass(frozen=True, slots=True, eq=False)
class LabelRule:
    """How labels are compared."""

    scored: Flags  # whether a reference of this label is in the vocabulary
    # ``correct(ref, est)`` compares two arrays of label codes element by element. What it says of a reference
    # outside the vocabulary does not matter.
    correct: Callable[[Codes, Codes], Flags]


@dataclass(frozen=True, slots=True, eq=False)
class SameValue:
    """Compares labels by a value that each has."""

    values: Codes

    def __call__(self, ref: Codes, est: Codes) -> Flags:
        """Compare element by element."""
        return np.asarray(self.values.take(ref) == self.values.take(est))


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """What a protocol computed."""

    statistics: Mapping[Measure, Statistics]
    timeline: Timeline  # the time that counted
    times: LabelTimes  # the same by labels
    rules: Mapping[str, LabelRule]  # label rule of each recall measure, by name of the measure
    # of measures of basses: which chords would be equal if an explicit ``/1`` was no bass
    root_basses: Mapping[str, LabelRule] = field(default_factory=dict)


class Outcomes:
    """Sums time by outcome, under any label rule.

    Notes
    -----
    Silence and ``N``, the first codes, claim no chord; ``X`` does.

    Most time has a chord on either side, and can be right, substituted or excluded: three sums along
    the pairs. The rest is small, and may be counted cell by cell.
    """

    def __init__(self, times: LabelTimes) -> None:
        self._cells = (times.pairs, len(OUTCOMES))
        ref, est = times.ref > NO_CHORD, times.est > NO_CHORD
        chords, rest = np.flatnonzero(ref & est), np.flatnonzero(~(ref & est))
        self._chords, self._rest = times.at(chords), times.at(rest)
        self._pairs = SumsByPair(times.pairs, self._chords.pair)
        ref, est = ref[rest], est[rest]
        self._right = np.where(ref, CORRECT_CHORD, CORRECT_NO_CHORD)
        self._wrong = np.where(ref, DELETED, np.where(est, INSERTED, SUBSTITUTED))
        self._first = self._rest.pair * len(OUTCOMES)

    def statistics(self, rule: LabelRule) -> Statistics:
        """Return time by outcome, shape (pairs, outcomes)."""
        rest, chords = self._rest, self._chords
        outcome = np.where(rule.correct(rest.ref, rest.est), self._right, self._wrong)
        outcome *= rule.scored.take(rest.ref)  # what is not scored is EXCLUDED, which is 0
        counted = np.bincount(self._first + outcome, rest.weights, math.prod(self._cells))
        sums: Statistics = counted.astype(float, copy=False).reshape(self._cells)
        scored = chords.weights * rule.scored.take(chords.ref)
        right = scored * rule.correct(chords.ref, chords.est)
        sums[:, CORRECT_CHORD] += self._pairs.of(right)
        sums[:, SUBSTITUTED] += self._pairs.of(scored - right)  # each is one of them or 0
        sums[:, EXCLUDED] += self._pairs.of(chords.weights - scored)
        return sums


def class_recall(times: LabelTimes, classes: Codes, count: int, rule: LabelRule) -> Statistics:
    """Return correct time, then all time, of each class of reference labels, shape (pairs, 2 * count).

    ``classes`` has the class of each label; labels of class ``count`` are left out.
    """
    ref = classes.take(times.ref)
    correct = (ref == classes.take(times.est)) & rule.correct(times.ref, times.est)
    cells = (times.pair * (count + 1) + ref) * 2 + correct
    sums = np.bincount(cells, times.weights, times.pairs * (count + 1) * 2)
    by_class = sums.reshape(times.pairs, count + 1, 2)[:, :count]
    return np.concatenate((by_class[:, :, 1], by_class.sum(axis=2)), axis=1)


def segmentation_statistics(
    timeline: Timeline, ref_runs: Codes, est_runs: Codes, duration: Seconds, *, gaps_cut: bool
) -> Statistics:
    """Return time lost to under- and over-segmentation, shape (pairs, 3)."""
    pair, seconds = timeline.pair, timeline.weights
    if not gaps_cut:
        both = np.flatnonzero((ref_runs >= 0) & (est_runs >= 0))
        pair, seconds = pair.take(both), seconds.take(both)
        ref_runs, est_runs = ref_runs.take(both), est_runs.take(both)
    over, under = lost_time(timeline.pairs, pair, seconds, ref_runs, est_runs)
    return np.stack((under, over, duration), axis=1)


NO_ROW = "(no row)"
"""What tables call time in which a side has no row."""
_KINDS: tuple[ErrorKind, ...] = ("root", "quality", "bass", "presence")


@dataclass(frozen=True, slots=True, eq=False)
class SliceJudgement:
    """The slices of one pair that a protocol looks at, and what a measure says of each."""

    labels: Sequence[str]  # label of each code
    # starts, ends: seconds, ascending
    starts: Seconds
    ends: Seconds
    # ref, est: codes of labels
    ref: Codes
    est: Codes
    # scored, wrong: whether the slice counts, and whether it counts and is not right
    scored: Flags
    wrong: Flags
    kinds: Codes  # what differs, if it is wrong: the root, the quality, the bass, or whether there is a chord

    def seconds(self, mask: Flags) -> float:
        """Return how long the slices of a mask last together."""
        return float((self.ends - self.starts)[mask].sum())

    def sums(self, mask: Flags, *sides: Codes) -> list[tuple[tuple[str, ...], float]]:
        """Sum time by the labels of one or both sides, the longest first."""
        sums: dict[tuple[str, ...], float] = {}
        durations = (self.ends - self.starts)[mask].tolist()
        for seconds, *codes in zip(durations, *(side[mask].tolist() for side in sides), strict=True):
            labels = tuple(self.labels[code] or NO_ROW for code in codes)
            sums[labels] = sums.get(labels, 0.0) + seconds
        return sorted(sums.items(), key=lambda entry: (-entry[1], entry[0]))

    def marks(self, end: float) -> tuple[Mark, ...]:
        """Return what is not right from 0 to ``end``; no time outside the slices is judged."""
        marks: list[Mark] = []
        for mark in self._stretches(end):
            last = marks[-1] if marks else None
            if last and (last.end, last.state, last.kind) == (mark.start, mark.state, mark.kind):
                marks[-1] = Mark(last.start, mark.end, mark.state, mark.kind)
            elif mark.start < mark.end:
                marks.append(mark)
        return tuple(marks)

    def _stretches(self, end: float) -> Iterator[Mark]:
        first, last = (float(self.starts[0]), float(self.ends[-1])) if len(self.starts) else (end, end)
        yield Mark(0.0, first, "excluded")
        columns = (self.starts, self.ends, self.scored, self.wrong, self.kinds)
        for start, stop, scored, wrong, kind in zip(*(column.tolist() for column in columns), strict=True):
            if wrong:
                yield Mark(start, stop, "wrong", _KINDS[kind])
            elif not scored:
                yield Mark(start, stop, "excluded")
        yield Mark(last, end, "excluded")


def judge(columns: ChordColumns, result: Result, measure: Measure) -> tuple[SliceJudgement, ...]:
    """Return what a recall says of each pair.

    Notes
    -----
    The kind of an error is the first of these that is so: one side has no root, the roots differ, the measure
    would be right without the bass (if its protocol has such a measure), anything else.
    """
    timeline, rule = result.timeline, result.rules[measure.name]
    scored = rule.scored[timeline.ref]
    wrong = scored & ~rule.correct(timeline.ref, timeline.est)
    ends = timeline.starts + timeline.weights
    kinds = _kinds(columns, result, measure)
    slices = (timeline.starts, ends, timeline.ref, timeline.est, scored, wrong, kinds)
    return tuple(
        SliceJudgement(columns.labels, *(column[timeline.pair == pair] for column in slices))
        for pair in range(columns.pairs)
    )


def _kinds(columns: ChordColumns, result: Result, measure: Measure) -> Codes:
    timeline = result.timeline
    roots = np.array([encode_label(label).root if label else -1 for label in columns.labels])
    ref, est = roots[timeline.ref], roots[timeline.est]
    without_bass = result.rules.get(measure.name.removesuffix("Bass").removesuffix("_inv"))
    right: Flags | bool = without_bass is not None and without_bass.correct(timeline.ref, timeline.est)
    presence, root, bass, quality = map(_KINDS.index, ("presence", "root", "bass", "quality"))
    return np.select([(ref < 0) | (est < 0), ref != est, right], [presence, root, bass], quality)
