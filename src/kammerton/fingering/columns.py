# SPDX-License-Identifier: MIT
"""Turn the cases of a run into columns: notes matched with the reference, label codes, key presses."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Codes, Flags, ratio
from kammerton.errors import Diagnostic, OptionError, Severity, out_of
from kammerton.fingering.annotation import Fingering, known_labels, spell
from kammerton.fingering.judging import JUDGED, KeyPresses
from kammerton.fingering.match_rates import (
    AGAINST,
    RATE,
    Comparison,
    LabelTable,
    Matches,
    Number,
    Pieces,
    collect,
    confusion_counts,
    group_pieces,
    tabulate,
)
from kammerton.model.measure import Statistics
from kammerton.model.task import Case

_NO_FINGER = 99


@dataclass(frozen=True, eq=False)
class Columns:
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
        unfilled = {item: self.cases[item] for item in np.flatnonzero(self._unfilled).tolist()}
        return (*self._full, *_grouped(unfilled))

    @cached_property
    def complete(self) -> tuple[Pieces, ...]:
        """The same with only those annotators who labelled every note.

        Where there is none, with all who labelled any, and their missing labels as labels that nothing
        matches.
        """
        nothing = len(self.table.strikes) - 1
        unfilled = {}
        for item in np.flatnonzero(self._unfilled).tolist():
            est, refs = self.cases[item]
            full = refs.all(axis=1)
            gaps = (refs == 0) & refs.any(axis=1, keepdims=True)
            unfilled[item] = (est, refs[full] if full.any() else np.where(gaps, nothing, refs))
        return (*self._full, *_grouped(unfilled))

    @property
    def left_out(self) -> Codes:
        """Annotators with some labels who are left out in ``complete``, shape (cases,)."""
        return np.where(self._lack_all, 0, self._unfilled - self.silent)

    @property
    def lacking(self) -> Codes:
        """Annotators who left out a note and are in ``complete`` all the same, shape (cases,)."""
        return np.where(self._lack_all, self._unfilled - self.silent, 0)

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
    def silent(self) -> Codes:
        """Annotators without any label, who count as none, shape (cases,)."""
        return self._annotators(self._labels == 0)

    @property
    def unpredicted(self) -> Codes:
        """Notes that an annotator labelled and the estimate did not, shape (cases,)."""
        return self.count(Matches.unpredicted, "strike")

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
        return self._annotators(self._labels < self._lengths)

    def _annotators(self, flags: Flags) -> Codes:
        """Count annotators, case by case."""
        return np.bincount(self._owners[flags], minlength=len(self.cases))

    @property
    def _lack_all(self) -> Flags:
        return np.asarray(self._annotators(self._labels == self._lengths) == 0)

    @cached_property
    def _full(self) -> tuple[Pieces, ...]:
        return _grouped({item: self.cases[item] for item in np.flatnonzero(self._unfilled == 0).tolist()})


def _grouped(cases: dict[int, tuple[Codes, Codes]]) -> tuple[Pieces, ...]:
    return group_pieces(list(cases.values()), np.array(list(cases), dtype=np.int64))


def build_columns(cases: Sequence[Case[Fingering]]) -> Columns:
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
    return Columns(coded, table, groups, np.array(handless, dtype=bool))


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
    known = [np.full(len(p), np.nan) if what in p.lacking else t for p, t in zip(pieces, times, strict=True)]
    return np.concatenate([np.empty(0), *known])


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


Seconds = NDArray[np.float64]
TOLERANCE_S = 0.05
"""Seconds that onsets of one key press may differ."""
LEAST_MATCHED = 0.95
"""Share of the notes of a reference that an estimate must have to be scored against it."""
EXACT_S = 1e-9
"""Rounding that times go through on their way; a deviation beyond the tolerance by less is none."""
CELLS = 1024
"""Largest table of the dynamic programme; greater crowds of one pitch are matched greedily."""


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """Which note of an estimate is which note of a reference."""

    matched: Codes  # number of the note in the estimate, -1 where there is none
    extra: Codes  # notes of the estimate that the reference lacks
    missing: Codes  # notes of the reference that the estimate lacks
    # of those, notes of the reference and of the estimate at one onset: their pitches contradict
    conflicts: Codes
    diagnostics: tuple[Diagnostic, ...] = ()  # what is amiss, in one line for each kind

    @property
    def usable(self) -> bool:
        """Whether no diagnostic is an error."""
        return all(diagnostic.severity != "error" for diagnostic in self.diagnostics)

    def gather(self, codes: Codes) -> Codes:
        """Return a column of the estimate in the order of the reference; 0 where it has no note."""
        return np.append(codes, 0)[self.matched]


def align(
    ref: Fingering, est: Fingering, /, *, tolerance_s: float = TOLERANCE_S, strict: bool = False
) -> Alignment:
    """Align the notes of an estimate with those of a reference."""
    if not (math.isfinite(tolerance_s) and tolerance_s >= 0):
        raise OptionError(f"a tolerance is not negative: {tolerance_s}", "in seconds, such as 0.05")
    same_keys = np.array_equal(ref.pitches, est.pitches)
    if same_keys and (np.abs(ref.onsets - est.onsets) <= EXACT_S).all():
        none = np.empty(0, dtype=np.int64)
        return Alignment(np.arange(len(ref)), none, none, np.empty((0, 2), dtype=np.int64))
    limit = tolerance_s + EXACT_S
    matched = match_notes(ref.pitches, ref.onsets, est.pitches, est.onsets, limit)
    missing = np.flatnonzero(matched < 0)
    extra = np.setdiff1d(np.arange(len(est)), matched)
    conflicts = _conflicts(ref, est, missing, extra, limit)
    alignment = Alignment(matched, extra, missing, conflicts)
    return replace(alignment, diagnostics=tuple(_diagnose(alignment, ref, est, strict=strict)))


def match_notes(
    ref_keys: Codes, ref_times: Seconds, est_keys: Codes, est_times: Seconds, limit: float
) -> Codes:
    """Match notes of equal key, one to one and in order of time."""
    matched = np.full(len(ref_keys), -1)
    keys, times = np.concatenate((ref_keys, est_keys)), np.concatenate((ref_times, est_times))
    order = np.lexsort((times, keys))
    apart = np.ones(len(order), dtype=bool)  # from the note before, too far for any match across
    apart[1:] = (np.diff(keys[order]) != 0) | (np.diff(times[order]) > limit)
    crowd = np.cumsum(apart) - 1
    is_ref = order < len(ref_keys)
    refs, ests = order[is_ref], order[~is_ref] - len(ref_keys)
    ref_crowd, est_crowd = crowd[is_ref], crowd[~is_ref]
    ref_counts = np.bincount(ref_crowd, minlength=len(order))
    est_counts = np.bincount(est_crowd, minlength=len(order))

    even = ref_counts == est_counts  # pairing in order is best wherever it is possible
    paired_refs, paired_ests = refs[even[ref_crowd]], ests[even[est_crowd]]
    too_far = np.abs(ref_times[paired_refs] - est_times[paired_ests]) > limit
    even[ref_crowd[even[ref_crowd]][too_far]] = False
    paired = even[ref_crowd]
    matched[refs[paired]] = ests[even[est_crowd]]

    for number in np.flatnonzero(~even & (ref_counts > 0) & (est_counts > 0)):
        some_refs = refs[slice(*np.searchsorted(ref_crowd, (number, number + 1)))]
        some_ests = ests[slice(*np.searchsorted(est_crowd, (number, number + 1)))]
        pairs = _pair(ref_times[some_refs].tolist(), est_times[some_ests].tolist(), limit)
        for ref, est in pairs:
            matched[some_refs[ref]] = some_ests[est]
    return matched


def _pair(refs: list[float], ests: list[float], limit: float) -> Iterator[tuple[int, int]]:
    """Pair sorted times: as many as possible, then with the least sum of deviations."""
    if len(refs) * len(ests) > CELLS:
        yield from _pair_greedily(refs, ests, limit)
        return
    gain = 1 + limit * (len(refs) + len(ests))  # one more pair outweighs all deviations
    best = [[0.0] * (len(ests) + 1) for _ in range(len(refs) + 1)]
    for i, ref in enumerate(refs):
        for j, est in enumerate(ests):
            without = max(best[i][j + 1], best[i + 1][j])
            deviation = abs(ref - est)
            together = best[i][j] + gain - deviation if deviation <= limit else 0.0
            best[i + 1][j + 1] = max(without, together)
    i, j = len(refs), len(ests)
    while i and j:
        if best[i][j] == best[i - 1][j]:
            i -= 1
        elif best[i][j] == best[i][j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            yield i, j


def _pair_greedily(refs: list[float], ests: list[float], limit: float) -> Iterator[tuple[int, int]]:
    i = j = 0
    while i < len(refs) and j < len(ests):
        if abs(refs[i] - ests[j]) <= limit:
            yield i, j
            i, j = i + 1, j + 1
        elif refs[i] < ests[j]:
            i += 1
        else:
            j += 1


def _conflicts(ref: Fingering, est: Fingering, missing: Codes, extra: Codes, limit: float) -> Codes:
    """Pair unmatched notes by onset alone; within a chord, from the bottom up."""
    missing = missing[np.argsort(ref.pitches[missing], kind="stable")]
    extra = extra[np.argsort(est.pitches[extra], kind="stable")]
    ref_keys, est_keys = np.zeros_like(missing), np.zeros_like(extra)  # any key will do
    matched = match_notes(ref_keys, ref.onsets[missing], est_keys, est.onsets[extra], limit)
    paired = np.flatnonzero(matched >= 0)
    pairs = np.stack((missing[paired], extra[matched[paired]]), axis=1)
    return np.asarray(pairs[np.argsort(pairs[:, 0])])


def _diagnose(alignment: Alignment, ref: Fingering, est: Fingering, *, strict: bool) -> Iterator[Diagnostic]:
    severity: Severity = "error" if strict else "warning"
    conflicts = alignment.conflicts
    if len(conflicts):
        first, second = _name(ref, conflicts[0, 0]), _name(est, conflicts[0, 1])
        message = f"{first} of the reference is {second} in the estimate"
        yield _about("KT370", severity, message, len(conflicts), "the two must be the same notes")
    extra = np.setdiff1d(alignment.extra, conflicts[:, 1])
    if len(extra):
        message = f"{_name(est, extra[0])} of the estimate is not in the reference"
        yield _about("KT371", severity, message, len(extra), "it is left out")
    missing = np.setdiff1d(alignment.missing, conflicts[:, 0])
    if len(missing):
        message = f"{_name(ref, missing[0])} of the reference is not in the estimate"
        yield _about("KT372", severity, message, len(missing), "it counts as a note without finger")
    share = 1 - len(alignment.missing) / max(len(ref), 1)
    if share < LEAST_MATCHED and len(est):
        message = f"{out_of(len(ref) - len(alignment.missing), len(ref), 'note')} of the reference matched"
        hint = "is it the same piece? onsets may differ by the tolerance, pitches not at all"
        yield _about("KT373", "error", message, 1, hint)


def _about(code: str, severity: Severity, message: str, count: int, hint: str) -> Diagnostic:
    more = f", and {count - 1:,} more like this" if count > 1 else ""
    return Diagnostic(code=code, severity=severity, message=message + more, hint=hint, count=count)


def _name(notes: Fingering, note: int) -> str:
    return f"note {note + 1} ({spell(int(notes.pitches[note]))} at {notes.onsets[note]:.6g})"
