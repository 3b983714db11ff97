# SPDX-License-Identifier: MIT
"""Match rates: which notes have the same finger as an annotator, as any, as a recombination of all.

Cases of a run become columns of label codes, notes matched already; kernels count matches, formulas divide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any, Literal, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Codes, Flags, ratio, sequence_of_rows
from kammerton.fingering.annotation import (
    RIGHT,
    Comparison,
    Fingering,
    LabelTable,
    hands_of_labels,
    label_table,
)
from kammerton.model.measure import Statistics
from kammerton.model.task import Case

Costs = NDArray[np.int32]
_SWITCH, _NEVER = np.int32(1), np.int32(1 << 29)
"""Cost of a switch, and of one that is forbidden: more than any lane costs, and small enough to double."""


@dataclass(frozen=True, slots=True, eq=False)
class _Schedule:
    """Order in which notes are scanned: all first notes of the lanes, all second ones, and so on."""

    notes: Codes  # the notes in that order; within a step, longer lanes come first
    before: Codes  # the note of the same lane before each of them; for the first of a lane, any note
    steps: Codes  # where in ``notes`` each step begins, and the end
    lanes: Codes  # the lanes, the longest first


def least_costs(lanes: Codes, count: int, misses: Flags, passable: Callable[[int, int], Flags]) -> Codes:
    """Return the least cost of each lane: its misses and its switches, each one.

    This is the dynamic programme of the recombination match rate [1]_:
    ``c_z(n) = min(c_z(n-1), min over z' of c_z'(n-1) + 1) + miss_z(n)``, where going over from z' to z
    is possible only if note n-1 is passable between them.

    References
    ----------
    .. [1] E. Nakamura, Y. Saito and K. Yoshii, "Statistical learning and estimation of piano
       fingering", Information Sciences 517, 2020.
    """
    least = np.zeros(count, dtype=np.int64)
    if misses.size:
        schedule = _schedule(lanes, count)
        prices = _prices(schedule, misses, passable)
        costs = np.zeros((len(misses), len(schedule.lanes)), dtype=np.int32)
        for begin, end in pairwise(schedule.steps.tolist()):
            live = costs[:, : end - begin]
            (live[:, np.newaxis] + prices[:, :, begin:end]).min(axis=0, out=live)
        least[schedule.lanes] = costs.min(axis=0)
    return least


def _schedule(lanes: Codes, count: int) -> _Schedule:
    in_lanes = np.argsort(lanes.astype(np.min_scalar_type(count)), kind="stable")
    sorted_lanes = lanes[in_lanes]
    starts = np.flatnonzero(np.diff(sorted_lanes, prepend=-1))
    lengths = np.diff(starts, append=len(lanes))
    place = np.arange(len(lanes)) - np.repeat(starts, lengths)
    by_length = np.argsort(-lengths, kind="stable")
    rank = np.empty_like(by_length)
    rank[by_length] = np.arange(len(by_length))
    steps = np.concatenate(([0], np.cumsum(np.bincount(place))))
    order = np.empty_like(place)
    order[steps[place] + np.repeat(rank, lengths)] = np.arange(len(place))
    return _Schedule(in_lanes[order], in_lanes[order - 1], steps, sorted_lanes[starts][by_length])


def _prices(schedule: _Schedule, misses: Flags, passable: Callable[[int, int], Flags]) -> Costs:
    """Return what each note costs, shape (annotator before it, annotator of it, notes).

    Before the first note of a lane all annotators cost the same, so that a switch there never pays:
    it need not be forbidden.
    """
    missed = misses[:, schedule.notes].astype(np.int32)
    prices = np.repeat(missed[np.newaxis], len(missed), axis=0)
    for first, second in combinations(range(len(missed)), 2):
        switch = np.where(passable(first, second)[schedule.before], _SWITCH, _NEVER)
        prices[first, second] += switch
        prices[second, first] += switch
    return prices


Number = TypeVar("Number", bound=np.number)


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Label codes of pieces that equally many annotators fingered."""

    items: Codes  # number of each piece in the batch it was taken from
    offsets: Codes  # note at which each piece begins
    est: Codes  # label code of the estimate
    refs: Codes  # label codes of the annotators

    def __len__(self) -> int:
        """Return the number of pieces."""
        return len(self.items)


def group_pieces(pieces: Sequence[tuple[Codes, Codes]], numbers: Codes | None = None) -> tuple[Pieces, ...]:
    """Group pieces by their number of annotators."""
    counts = np.array([len(refs) for _, refs in pieces], dtype=np.int64)
    groups = []
    for count in np.unique(counts):
        items = np.flatnonzero(counts == count)
        ests, refs = zip(*(pieces[item] for item in items.tolist()), strict=True)
        offsets = np.concatenate(([0], np.cumsum([len(est) for est in ests], dtype=np.int64)))
        places = items if numbers is None else numbers[items]
        groups.append(Pieces(places, offsets, np.concatenate(ests), np.concatenate(refs, axis=1)))
    return tuple(groups)


def collect(groups: Sequence[Pieces], kernel: Callable[[Pieces], NDArray[Number]]) -> NDArray[Number]:
    """Apply a kernel to each group and return its statistics in the order of the batch."""
    parts = np.concatenate([kernel(group) for group in groups])
    return np.asarray(parts[np.argsort(np.concatenate([group.items for group in groups]))])


Values = NDArray[np.int32]
RATE = ("matched", "notes")
"""Columns of a match rate."""
AGAINST = ("labelled", "covered", "same_hand", "matched_in_hand", "matched")
"""Columns of :meth:`Matches.against`. *labelled*: notes with a label of the annotator; *covered*: those
of them that are predicted; *same_hand*: in the annotator's hand; *matched_in_hand*: matched, and in the
annotator's hand."""


def split_hands(est: Codes, refs: Codes) -> Codes:
    """Return the hand that each note counts in.

    The hand of the estimate; where that is missing, of the first annotator who labelled the note.
    """
    struck = est.copy()
    gaps = np.flatnonzero(est == 0)
    columns = np.concatenate((est[np.newaxis, gaps], refs[:, gaps]))
    first = np.argmax(columns != 0, axis=0)
    struck[gaps] = columns[first, np.arange(len(gaps))]
    return hands_of_labels(struck)


class Matches:
    """Counts the matches of some pieces under one comparison of labels.

    Notes
    -----
    An annotator without any label in a piece is left out of that piece.
    """

    def __init__(self, pieces: Pieces, table: LabelTable, comparison: Comparison = "strike") -> None:
        values = table.values(comparison).astype(np.int32)
        self._pieces = pieces
        self._strikes = table.strikes
        self._est, self._refs = values[pieces.est], values[pieces.refs]
        self._compares_sets = comparison == "any"
        self._labelled = self._refs != 0
        self._scored = self._labelled.any(axis=0)
        self.hits: Flags = self._same(self._refs, self._est)
        """Whether the estimate matches each annotator, shape (annotators, notes)."""

    def _same(self, first: Values, second: Values) -> Flags:
        if self._compares_sets:
            return np.asarray((first & second) != 0)
        return np.asarray((first == second) & (first != 0))

    def general_by_annotator(self) -> Statistics:
        """Return M_gen: the mean over annotators of the rate on the notes that each labelled."""
        notes, labelled, matched = self._notes, self._labels, self._matched
        present = labelled > 0
        share = np.divide(matched * notes, labelled, out=np.zeros(labelled.shape), where=present)
        return _rate(share.sum(axis=0) / np.maximum(present.sum(axis=0), 1), notes)

    def general_by_note(self) -> Statistics:
        """Return M_gen as the mean over notes of the share of its annotators that are matched."""
        labelled, hits = self._labelled.sum(axis=0), self.hits.sum(axis=0)
        shares = hits / np.maximum(labelled, 1)
        rows = sequence_of_rows(self._pieces.offsets)
        # not a running sum: a piece must sum to the same bits in every batch
        matched = np.bincount(rows, weights=shares, minlength=len(self._pieces))
        return _rate(matched, self._notes)

    def closest(self, by: Literal["hand", "piece"] = "hand") -> Statistics:
        """Return M_high: the matches with the closest annotator, chosen per hand or per piece."""
        closest = self._matched.max(axis=0, initial=0)
        if by == "hand":
            right = self._sums(self.hits & (self.hands == RIGHT))
            closest = np.max((right, self._matched - right), axis=1, initial=0).sum(axis=0)
        return _rate(closest, self._notes)

    def soft(self) -> Statistics:
        """Return M_soft: the notes on which some annotator is matched."""
        return _rate(self._sums(np.asarray(self.hits.any(axis=0))), self._notes)

    def recombined(self) -> Statistics:
        """Return M_rec: matches with a reference recombined from the annotators, less the switches.

        Within a hand the reference may go over to another annotator, at the cost of one note, after a
        note on which the two match each other or one has no label.
        """
        pieces, refs, gaps = self._pieces, self._refs, ~self._labelled
        present = np.repeat(self._labels > 0, np.diff(pieces.offsets), axis=1)

        def passable(first: int, second: int) -> Flags:
            """Return after which notes one may switch, shape (notes,)."""
            is_open = gaps[first] | gaps[second] | self._same(refs[first], refs[second])
            return np.asarray(is_open & present[first] & present[second])

        lanes = 3 * sequence_of_rows(pieces.offsets) + self.hands + 1  # what is of no hand costs nothing
        costs = least_costs(lanes, 3 * len(pieces), ~self.hits & self._scored, passable)
        return _rate(self._notes - costs.reshape(-1, 3).sum(axis=1), self._notes)

    def against(self) -> Statistics:
        """Count matches with the first annotator of each piece."""
        est, ref = self._strikes[self._pieces.est], self._strikes[_first(self._pieces)]
        labelled = ref != 0
        matched = labelled & self.hits[0] if len(self.hits) else labelled
        same_hand = labelled & ((est > 0) == (ref > 0)) & (est != 0)
        columns = (labelled, labelled & (est != 0), same_hand, matched & same_hand, matched)
        return self._sums(np.stack(columns)).T.astype(float)

    def unpredicted(self) -> Codes:
        """Count the notes that an annotator labelled and the estimate did not, shape (pieces,)."""
        return self._sums(self._scored & (self._est == 0))

    @cached_property
    def hands(self) -> Codes:
        """The hand that each note counts in (:func:`split_hands`)."""
        return split_hands(self._strikes[self._pieces.est], self._strikes[self._pieces.refs])

    @cached_property
    def _notes(self) -> Codes:
        """Notes that anybody labelled, shape (pieces,)."""
        return self._sums(self._scored)

    @cached_property
    def _labels(self) -> Codes:
        """Notes that each annotator labelled, shape (annotators, pieces)."""
        return self._sums(self._labelled)

    @cached_property
    def _matched(self) -> Codes:
        """Notes on which the estimate matches each annotator, shape (annotators, pieces)."""
        return self._sums(self.hits)

    def _sums(self, flags: Flags) -> Codes:
        """Count along the last axis, piece by piece."""
        running = np.zeros((*flags.shape[:-1], flags.shape[-1] + 1), dtype=np.int64)
        np.cumsum(flags, axis=-1, out=running[..., 1:])
        return np.asarray(np.diff(running[..., self._pieces.offsets], axis=-1))


def _rate(matched: Codes | Statistics, notes: Codes) -> Statistics:
    return np.stack((matched, notes), axis=1).astype(float)


RATES: Mapping[str, Callable[[Matches], Statistics]] = {
    "M_high": Matches.closest,
    "M_high_piece": lambda matches: matches.closest("piece"),
    "M_soft": Matches.soft,
    "M_rec": Matches.recombined,
}
"""Kernels of the published rates, but for M_gen, which protocols take differently."""


def _first(pieces: Pieces) -> Codes:
    """Return the label codes of the first annotator of each piece; 0 where there is none."""
    return pieces.refs[0] if len(pieces.refs) else np.zeros_like(pieces.est)


def confusion_counts(pieces: Pieces, table: LabelTable) -> Statistics:
    """Count notes by struck finger of the first annotator and of the estimate."""
    index = np.where(table.strikes < 0, 5 - table.strikes, table.strikes)
    cells = index[_first(pieces)] * 11 + index[pieces.est]
    cells += sequence_of_rows(pieces.offsets) * 121
    counts = np.bincount(cells, minlength=121 * len(pieces))
    return counts.reshape(-1, 11, 11).astype(float)


def finger_counts(confusions: Statistics) -> Statistics:
    """Count each finger: right, predicted, and in the reference."""
    labelled = confusions[..., 1:, 1:]
    right = np.diagonal(labelled, axis1=-2, axis2=-1)
    return np.stack((right, labelled.sum(axis=-2), confusions[..., 1:, :].sum(axis=-1)), axis=-1)


def hand_confusions(confusions: Statistics) -> Statistics:
    """Return the confusion of the five fingers of each hand, shape (..., 2, 5, 5).

    Notes that the estimate gives to the other hand are left out.
    """
    return np.stack((confusions[..., 1:6, 1:6], confusions[..., 6:, 6:]), axis=-3)


# --- columns of a run -----------------------------------------------------------------------------------

_NO_FINGER = 99


@dataclass(frozen=True, eq=False)
class FingerColumns:
    """Estimates and their references, matched note by note."""

    cases: list[tuple[Codes, Codes]]  # label codes of each case: of the estimate, and of its annotators
    table: LabelTable  # what the codes stand for
    groups: Codes  # group of each case
    handless: Flags  # whether the hands of the estimate, or of any annotator, are not known
    _matches: dict[tuple[Pieces, Comparison], Matches] = field(default_factory=dict)
    _counts: dict[tuple[Any, ...], NDArray[Any]] = field(default_factory=dict)

    @cached_property
    def pieces(self) -> tuple[Pieces, ...]:
        """The cases, grouped by their number of annotators and by whether these labelled every note."""
        return (*self._full, *_grouped(self._unfilled))

    @cached_property
    def complete(self) -> tuple[Pieces, ...]:
        """The same with only those annotators who labelled every note.

        Where there is none, with all who labelled any, and their missing labels as labels that nothing
        matches.
        """
        nothing = len(self.table.strikes) - 1
        unfilled = {}
        for item, (est, refs) in self._unfilled.items():
            full = refs.all(axis=1)
            gaps = (refs == 0) & refs.any(axis=1, keepdims=True)
            unfilled[item] = (est, refs[full] if full.any() else np.where(gaps, nothing, refs))
        return (*self._full, *_grouped(unfilled))

    @property
    def left_out(self) -> Codes:
        """Annotators with some labels who are left out in ``complete``, shape (cases,)."""
        _, some, full = self._annotators.T
        return np.where(full == 0, 0, some)

    @property
    def lacking(self) -> Codes:
        """Annotators who left out a note and are in ``complete`` all the same, shape (cases,)."""
        _, some, full = self._annotators.T
        return np.where(full == 0, some, 0)

    @property
    def silent(self) -> Codes:
        """Annotators without any label, who count as none, shape (cases,)."""
        return self._annotators[:, 0]

    @cached_property
    def _annotators(self) -> Codes:
        """How many annotators of each case have no label, some and all, shape (cases, 3)."""
        owners = np.repeat(np.arange(len(self.cases)), [len(refs) for _, refs in self.cases])
        lengths = np.array([len(est) for est, _ in self.cases])[owners]
        labelled = np.concatenate([refs.ravel() for _, refs in self.cases]) != 0
        running = np.concatenate(([0], np.cumsum(labelled)))
        labels = np.diff(running[np.cumsum(lengths)], prepend=0)
        kinds = np.where(labels == lengths, 2, labels > 0)
        return np.bincount(3 * owners + kinds, minlength=3 * len(self.cases)).reshape(-1, 3)

    @cached_property
    def _full(self) -> tuple[Pieces, ...]:
        """The cases all of whose annotators labelled every note."""
        full = np.flatnonzero(self._annotators[:, :2].sum(axis=1) == 0)
        return _grouped({item: self.cases[item] for item in full.tolist()})

    @property
    def _unfilled(self) -> dict[int, tuple[Codes, Codes]]:
        """The others."""
        unfilled = np.flatnonzero(self._annotators[:, :2].sum(axis=1))
        return {item: self.cases[item] for item in unfilled.tolist()}

    def count(
        self, kernel: Callable[[Matches], NDArray[Number]], comparison: Comparison, *, complete: bool = False
    ) -> NDArray[Number]:
        """Apply a kernel to the matches of each case; what protocols share is computed once."""
        groups = self.complete if complete else self.pieces
        return collect(groups, lambda pieces: self._count_pieces(pieces, kernel, comparison))

    def _count_pieces(
        self, pieces: Pieces, kernel: Callable[[Matches], NDArray[Number]], comparison: Comparison
    ) -> NDArray[Number]:
        key = (pieces, comparison)
        if key not in self._matches:
            self._matches[key] = Matches(pieces, self.table, comparison)
        if (*key, kernel) not in self._counts:
            self._counts[*key, kernel] = kernel(self._matches[key])
        return cast(NDArray[Number], self._counts[*key, kernel])

    @cached_property
    def confusions(self) -> Statistics:
        """Notes by finger of the first annotator and of the estimate, shape (cases, 11, 11)."""
        return collect(self.pieces, lambda pieces: confusion_counts(pieces, self.table))

    @property
    def unpredicted(self) -> Codes:
        """Notes that an annotator labelled and the estimate did not, shape (cases,)."""
        return self.count(Matches.unpredicted, "strike")


def _grouped(cases: dict[int, tuple[Codes, Codes]]) -> tuple[Pieces, ...]:
    return group_pieces(list(cases.values()), np.array(list(cases), dtype=np.int64))


def build_columns(cases: Sequence[Case[Fingering]]) -> FingerColumns:
    """Encode cases of references and an estimate on the same notes."""
    coded = [(_estimate(case).codes, np.array([ref.codes for ref in case.references])) for case in cases]
    known = label_table()
    table = LabelTable(  # with a last label, which matches only itself
        np.append(known.strikes, _NO_FINGER),
        np.append(known.releases, _NO_FINGER),
        np.append(known.tuples, known.tuples.max() + 1),
        np.append(known.fingers, 1 << 10),
    )
    handless = [any("hands" in f.lacking for f in (_estimate(case), *case.references)) for case in cases]
    groups = np.array([case.group for case in cases], dtype=np.int64)
    return FingerColumns(coded, table, groups, np.array(handless, dtype=bool))


def _estimate(case: Case[Fingering]) -> Fingering:
    assert case.estimate is not None, "match rates need an estimate"
    return case.estimate


# --- formulas -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Share:
    """One count of notes over another: for accuracies, against one annotator."""

    # part, whole: columns
    part: str
    whole: str
    statistics: tuple[str, ...] = AGAINST
    # column with the most notes that the whole could count; the worst estimate counts them all, so that
    # nobody gains by notes that are not predicted, or not in the annotator's hand
    most: str = "labelled"

    def finalise(self, statistics: Statistics, /) -> Statistics:
        """Divide the part by the whole."""
        return ratio(statistics[:, self.statistics.index(self.part)], self.weight(statistics))

    def weight(self, statistics: Statistics, /) -> Statistics:
        """Return the whole."""
        return np.asarray(statistics[:, self.statistics.index(self.whole)])

    def worst(self, statistics: Statistics, /) -> Statistics:
        """Let all notes count, and none be right."""
        worst = np.zeros_like(statistics)
        worst[:, self.statistics.index(self.whole)] = statistics[:, self.statistics.index(self.most)]
        return worst


MATCH_RATE = Share("matched", "notes", RATE, "notes")
"""Matched notes over notes."""


@dataclass(frozen=True, slots=True)
class FingerAverage:
    """Mean over fingers of their F1: 2 right / (predicted + in the reference).

    A finger that neither side uses is left out.
    """

    fingers: int = 10

    @property
    def statistics(self) -> tuple[str, ...]:
        """Name the columns: of each finger right, predicted, and in the reference."""
        kinds = ("right", "predicted", "support")
        return tuple(f"{kind}:{hand}{n}" for hand in "RL" for n in range(1, 6) for kind in kinds)

    def finalise(self, statistics: Statistics, /) -> Statistics:
        """Average the F1 of the fingers that occur."""
        counts = statistics.reshape(-1, self.fingers, 3)
        scores = ratio(2 * counts[:, :, 0], counts[:, :, 1] + counts[:, :, 2])
        occurs = ~np.isnan(scores)
        return ratio(np.where(occurs, scores, 0.0).sum(axis=1), occurs.sum(axis=1).astype(float))

    def weight(self, statistics: Statistics, /) -> Statistics:
        """Return the number of notes in the reference."""
        return np.asarray(statistics.reshape(-1, self.fingers, 3)[:, :, 2].sum(axis=1))

    def worst(self, statistics: Statistics, /) -> Statistics:
        """Predict every finger for every note: no estimate takes more from any of them."""
        counts = statistics.reshape(-1, self.fingers, 3).copy()
        counts[:, :, 0] = 0.0
        counts[:, :, 1] = counts[:, :, 2].sum(axis=1, keepdims=True)
        return counts.reshape(statistics.shape)
