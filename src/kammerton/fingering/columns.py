# SPDX-License-Identifier: MIT
"""Turn the cases of a run into columns: label codes of pieces, and key presses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Codes, Flags, ratio
from kammerton.fingering.annotation import Fingering, known_labels
from kammerton.fingering.match_rates import (
    AGAINST,
    RATE,
    Comparison,
    LabelTable,
    Matches,
    Pieces,
    collect,
    confusion_counts,
    group_pieces,
    tabulate,
)
from kammerton.fingering.playability import JUDGED, KeyPresses
from kammerton.model.measure import Statistics
from kammerton.model.task import Case

__all__ = [
    "Columns",
    "FingerAverage",
    "MatchRate",
    "Share",
    "ViolationRate",
    "build_columns",
    "key_presses",
    "label_table",
]


_NO_FINGER = 99


@dataclass(frozen=True, eq=False)
class Columns:
    """Estimates and their references, matched note by note."""

    cases: list[tuple[Codes, Codes]]  # label codes of each case: of the estimate, and of its annotators
    table: LabelTable  # what the codes stand for
    groups: Codes  # group of each case
    handless: Flags  # whether the hands of the estimate, or of any annotator, are not told

    @cached_property
    def pieces(self) -> tuple[Pieces, ...]:
        """The cases, grouped by their number of annotators and by whether these labelled every note."""
        taken = {item: self.cases[item] for item in np.flatnonzero(self._unfilled).tolist()}
        return (*self._full, *_grouped(taken))

    @cached_property
    def complete(self) -> tuple[Pieces, ...]:
        """The same with only those annotators who labelled every note.

        Where there is none, with all who labelled any, and their missing labels as labels that nothing
        matches.
        """
        taken = {}
        for item in np.flatnonzero(self._unfilled).tolist():
            est, refs = self.cases[item]
            full = refs.all(axis=1)
            taken[item] = (est, refs[full] if full.any() else self._gaps_as_labels(refs))
        return (*self._full, *_grouped(taken))

    @property
    def left_out(self) -> Codes:
        """Annotators with some labels who are left out in ``complete``, shape (cases,)."""
        return np.where(self._lack_all, 0, self._unfilled - self.silent)

    @property
    def lacking(self) -> Codes:
        """Annotators who left out a note and are in ``complete`` all the same, shape (cases,)."""
        return np.where(self._lack_all, self._unfilled - self.silent, 0)

    def matches(self, comparison: Comparison) -> Callable[[Pieces], Matches]:
        """Return what compares the labels of pieces; what protocols share is compared once."""
        return lambda pieces: self._matches(pieces, comparison)

    @cached_property
    def confusions(self) -> Statistics:
        """Notes by finger of the first annotator and of the estimate, shape (cases, 11, 11)."""
        return collect(self.pieces, lambda pieces: confusion_counts(pieces, self.table))

    @property
    def silent(self) -> Codes:
        """Annotators without any label, who count as none, shape (cases,)."""
        return self._count(self._labels == 0)

    @property
    def unpredicted(self) -> Codes:
        """Notes that an annotator labelled and the estimate did not, shape (cases,)."""
        matches = self.matches("strike")
        return collect(self.pieces, lambda pieces: matches(pieces).unpredicted())

    def _matches(self, pieces: Pieces, comparison: Comparison) -> Matches:
        key = (pieces, comparison)
        if key not in self._compared:
            self._compared[key] = Matches(pieces, self.table, comparison)
        return self._compared[key]

    @cached_property
    def _compared(self) -> dict[tuple[Pieces, Comparison], Matches]:
        return {}

    @cached_property
    def _labels(self) -> Codes:
        """How many notes each annotator of each case labelled."""
        labelled = np.concatenate([refs.ravel() for _, refs in self.cases]) != 0
        running = np.concatenate(([0], np.cumsum(labelled)))
        return np.diff(running[np.cumsum(self._lengths)], prepend=0)

    @cached_property
    def _lengths(self) -> Codes:
        """How many notes there are for each annotator of each case."""
        return np.array([len(est) for est, _ in self.cases])[self._owners]

    @cached_property
    def _owners(self) -> Codes:
        """Case of each annotator."""
        return np.repeat(np.arange(len(self.cases)), [len(refs) for _, refs in self.cases])

    @cached_property
    def _unfilled(self) -> Codes:
        """Annotators who left out a note, shape (cases,)."""
        return self._count(self._labels < self._lengths)

    def _count(self, flags: Flags) -> Codes:
        """Count annotators, case by case."""
        return np.bincount(self._owners[flags], minlength=len(self.cases))

    def _gaps_as_labels(self, refs: Codes) -> Codes:
        nothing = len(self.table.strikes) - 1
        return np.where((refs == 0) & refs.any(axis=1, keepdims=True), nothing, refs)

    @property
    def _lack_all(self) -> Flags:
        return np.asarray(self._count(self._labels == self._lengths) == 0)

    @cached_property
    def _full(self) -> tuple[Pieces, ...]:
        return _grouped({item: self.cases[item] for item in np.flatnonzero(self._unfilled == 0).tolist()})


def _grouped(cases: dict[int, tuple[Codes, Codes]]) -> tuple[Pieces, ...]:
    return group_pieces(list(cases.values()), np.array(list(cases), dtype=np.int64))


def build_columns(cases: Sequence[Case[Fingering]]) -> Columns:
    """Encode cases of references and an estimate on the same notes."""
    coded = [(_estimate(case).codes, np.array([ref.codes for ref in case.references])) for case in cases]
    table = _extended(label_table())
    handless = [any("hands" in f.lacking for f in (_estimate(case), *case.references)) for case in cases]
    groups = np.array([case.group for case in cases], dtype=np.int64)
    return Columns(coded, table, groups, np.array(handless, dtype=bool))


def _extended(table: LabelTable) -> LabelTable:
    """Add a last label, which matches only itself."""
    return LabelTable(
        np.append(table.strikes, _NO_FINGER),
        np.append(table.releases, _NO_FINGER),
        np.append(table.tuples, table.tuples.max() + 1),
        np.append(table.fingers, 1 << 10),
    )


def key_presses(fingerings: Iterable[Fingering]) -> KeyPresses:
    """Put fingerings one after the other.

    The hand is that of the struck finger; where that tells none, what the source says. A note whose pitch is
    not known is as one without finger: no step from it or to it is judged.
    """
    pieces = list(fingerings)
    codes = np.concatenate([np.empty(0, dtype=np.int64), *(p.codes for p in pieces)])
    table = label_table()  # a label is known once its code was asked for
    pitches = np.concatenate([np.empty(0, dtype=np.int64), *(p.pitches for p in pieces)])
    known = pitches >= 0
    return KeyPresses(
        fingers=np.abs(table.strikes)[codes] * known,
        releases=np.abs(table.releases)[codes] * known,
        hands=np.concatenate([np.empty(0, dtype=np.int64), *(p.played_hands for p in pieces)]),
        pitches=pitches,
        onsets=_times(pieces, "onsets"),
        ends=_times(pieces, "durations"),
        offsets=np.concatenate(([0], np.cumsum([len(p) for p in pieces], dtype=np.int64))),
    )


def _times(pieces: Sequence[Fingering], what: Literal["onsets", "durations"]) -> NDArray[np.float64]:
    """Return onsets, or when notes end: NaN where a piece has placeholders only."""
    times = [p.onsets if what == "onsets" else p.offsets for p in pieces]
    told = [np.full(len(p), np.nan) if what in p.lacking else t for p, t in zip(pieces, times, strict=True)]
    return np.concatenate([np.empty(0), *told])


def label_table() -> LabelTable:
    """Return what the codes of all labels stand for that any fingering has had."""
    return _tabulated(known_labels())


@lru_cache(maxsize=1)
def _tabulated(labels: tuple[str, ...]) -> LabelTable:
    return tabulate(labels)


def _estimate(case: Case[Fingering]) -> Fingering:
    assert case.estimate is not None, "match rates need an estimate"
    return case.estimate


Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MatchRate:
    """Matched notes over notes."""

    @property
    def statistics(self) -> tuple[str, ...]:
        """Name the columns."""
        return RATE

    def finalise(self, statistics: Statistics, /) -> Values:
        """Divide matched notes by notes."""
        return ratio(statistics[:, 0], statistics[:, 1])

    def weight(self, statistics: Statistics, /) -> Values:
        """Return the number of notes."""
        return np.asarray(statistics[:, 1])

    def worst(self, statistics: Statistics, /) -> Statistics:
        """Match no note."""
        return np.stack((np.zeros(len(statistics)), statistics[:, 1]), axis=1)


@dataclass(frozen=True, slots=True)
class Share:
    """One count of notes over another, against one annotator."""

    # part, whole: columns of :data:`kammerton.fingering.match_rates.AGAINST`
    part: str
    whole: str

    @property
    def statistics(self) -> tuple[str, ...]:
        """Name the columns."""
        return AGAINST

    def finalise(self, statistics: Statistics, /) -> Values:
        """Divide the part by the whole."""
        return ratio(statistics[:, AGAINST.index(self.part)], self.weight(statistics))

    def weight(self, statistics: Statistics, /) -> Values:
        """Return the whole."""
        return np.asarray(statistics[:, AGAINST.index(self.whole)])

    def worst(self, statistics: Statistics, /) -> Statistics:
        """Let all notes that the annotator labelled count, and none be right.

        Notes that only count once they are predicted, or in the right hand, count too: nobody gains by
        what is not handed in.
        """
        worst = np.zeros_like(statistics)
        worst[:, AGAINST.index(self.whole)] = statistics[:, AGAINST.index("labelled")]
        return worst


@dataclass(frozen=True, slots=True)
class ViolationRate:
    """What breaks a rule, over what was judged."""

    @property
    def statistics(self) -> tuple[str, ...]:
        """Name the columns: what was judged, and how much broke each rule first."""
        return JUDGED

    def finalise(self, statistics: Statistics, /) -> Values:
        """Divide violations by what was judged."""
        return ratio(statistics[:, 1:].sum(axis=1), statistics[:, 0])

    def weight(self, statistics: Statistics, /) -> Values:
        """Return how much was judged."""
        return np.asarray(statistics[:, 0])

    def worst(self, statistics: Statistics, /) -> Statistics:
        """Break a rule with everything that is judged; the rules do not matter."""
        worst = np.zeros_like(statistics)
        worst[:, :2] = statistics[:, :1]
        return worst


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

    def finalise(self, statistics: Statistics, /) -> Values:
        """Average the F1 of the fingers that occur."""
        counts = statistics.reshape(-1, self.fingers, 3)
        scores = ratio(2 * counts[:, :, 0], counts[:, :, 1] + counts[:, :, 2])
        occurs = ~np.isnan(scores)
        return ratio(np.where(occurs, scores, 0.0).sum(axis=1), occurs.sum(axis=1).astype(float))

    def weight(self, statistics: Statistics, /) -> Values:
        """Return the number of notes in the reference."""
        return np.asarray(statistics.reshape(-1, self.fingers, 3)[:, :, 2].sum(axis=1))

    def worst(self, statistics: Statistics, /) -> Statistics:
        """Predict every finger for every note: no estimate takes more from any of them."""
        counts = statistics.reshape(-1, self.fingers, 3).copy()
        counts[:, :, 0] = 0.0
        counts[:, :, 1] = counts[:, :, 2].sum(axis=1, keepdims=True)
        return counts.reshape(statistics.shape)
