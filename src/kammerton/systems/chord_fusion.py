# SPDX-License-Identifier: MIT
"""Fuse chords: votes on triads, a path over time, then sevenths and inversions of sources that write such."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Codes, Flags, Seconds, Weights
from kammerton.chords.annotation import ChordAnnotation, Spellings, spellings_in_use
from kammerton.chords.labels import parse
from kammerton.chords.respelling import ROOTS
from kammerton.chords.templates import map_label
from kammerton.systems.fused import (
    Choices,
    FusedItem,
    Survey,
    TaskFusion,
    Weighing,
    chosen_sources,
    vote_values,
    weigh,
)
from kammerton.systems.voting import (
    ABSTAINS,
    ballots_of,
    best_path,
    class_order,
    first_sayers,
    is_unanimous,
    path_scores,
    table_of_classes,
    vote_shares,
)

_CLASSES = 25
"""Major and minor triads and no chord: what a source that errs chooses from."""
_JUDGED_S = 600.0
"""Seconds of chords from which it is judged whether a source writes sevenths, and basses."""
_ABLE = (0.02, 0.005)
"""Share of its chords from which a source writes sevenths, and basses."""
_GAP, _UNKNOWN = -3, -2
"""Codes of units that no source labels, and that all sources that do label ``X``."""
_DECIMALS = 6


class FusedChords(ChordAnnotation):
    """Chords with the support that each row has among the sources.

    Attributes
    ----------
    support : ndarray of float64, shape (n,)
        Share of the votes that say the triad of the row; NaN for ``X``.
    label_support : ndarray of float64, shape (n,)
        Share of the votes that say the whole chord.
    """

    __slots__ = ("label_support", "support")
    support: Weights
    label_support: Weights

    def __init__(
        self, intervals: Seconds, labels: Collection[str], support: Weights, label_support: Weights
    ) -> None:
        super().__init__(intervals, labels)
        object.__setattr__(self, "support", support)
        object.__setattr__(self, "label_support", label_support)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by labels, as any annotation of chords."""
        return FusedChords, (self.intervals, self.labels, self.support, self.label_support)


@dataclass(frozen=True, slots=True, eq=False)
class _Detail:
    """Classes of one detail of chords, sevenths or basses: each class belongs to one triad."""

    codes: Codes  # by unit and source
    plain: Codes  # by triad: the class without the detail
    names: list[tuple[int, Any]]  # of each class: the triad, and the detail, None without it


class _Song:
    """The chords of one song between any two boundaries of its sources.

    Attributes
    ----------
    times : ndarray, shape (units + 1,)
        Boundaries.
    labels : ndarray, shape (units, sources)
        Number of each label in ``spellings``; -1 without a row.
    triads : ndarray, shape (units, sources)
        Class of root and triad, or ``N``; -1 without a row, and for ``X``.
    triad_names : list
        Root and triad of each class before classes are put in the order of ties.
    details : pair of _Detail
        Tetrads and basses.
    chords : ndarray, shape (units, sources)
        Class of root, triad, tetrad and bass together.
    """

    def __init__(self, annotations: Sequence[ChordAnnotation | None], votes: Weights) -> None:
        self.spellings: Spellings = spellings_in_use()
        self.times: Seconds
        self.labels: Codes
        self.times, self.labels = _units(annotations, self.spellings)
        self.seconds: Seconds = np.diff(self.times)
        distinct, place = np.unique(np.append(self.labels.ravel(), -1), return_inverse=True)
        place = place.ravel()[:-1].reshape(self.labels.shape)
        classes: tuple[dict[Any, int], ...] = {}, {}, {}
        table = np.full((len(distinct), 3), ABSTAINS)
        for row, number in enumerate(distinct[1:].tolist(), 1):
            table[row] = _identity(self.spellings.labels[number], classes)
        triads, tetrads, basses = (table[:, column][place] for column in range(3))
        order = class_order(triads, self.seconds, votes)
        rank = np.empty(len(classes[0]) + 1, dtype=np.int64)
        rank[order], rank[ABSTAINS] = np.arange(len(order)), ABSTAINS
        self.triads: Codes = rank[triads]
        self.triad_names: list[Any] = list(classes[0])
        self.details: tuple[_Detail, ...] = tuple(
            _detail(codes, known, rank) for codes, known in zip((tetrads, basses), classes[1:], strict=True)
        )
        self.basses: int = len(self.details[1].names)
        self.chords: Codes = np.where(
            tetrads == ABSTAINS, ABSTAINS, self.details[0].codes * self.basses + self.details[1].codes
        )


def _detail(codes: Codes, known: Mapping[tuple[int, Any], int], rank: Codes) -> _Detail:
    """Return the classes of a detail, numbered as sources in their order say them, the rest behind."""
    said, first = np.unique(codes.T[codes.T != ABSTAINS], return_index=True)
    order = said[np.argsort(first)].tolist()
    order += sorted(set(known.values()).difference(order))
    own = np.empty(len(order) + 1, dtype=np.int64)
    own[order], own[ABSTAINS] = np.arange(len(order)), ABSTAINS
    names = [(*known,)[number] for number in order]
    plain = [own[known[triad, None]] for triad in np.argsort(rank[:-1]).tolist()]
    return _Detail(own[codes], np.array(plain, dtype=np.int64), names)


def _identity(label: str, classes: tuple[dict[Any, int], ...]) -> tuple[int, int, int]:
    """Return the classes of a label: its triad, and its tetrad and bass with that triad; -1 for ``X``."""
    chord = map_label(label)
    if chord.kind == "X":
        return ABSTAINS, ABSTAINS, ABSTAINS
    triads, tetrads, basses = classes
    triad = triads.setdefault((chord.root, chord.triad), len(triads))
    for known in (tetrads, basses):
        known.setdefault((triad, None), len(known))
    tetrad = (triad, None if chord.tetrad == chord.triad else chord.tetrad)
    bass = (triad, chord.bass if chord.bass > 0 else None)
    return triad, tetrads.setdefault(tetrad, len(tetrads)), basses.setdefault(bass, len(basses))


def _units(annotations: Sequence[ChordAnnotation | None], spellings: Spellings) -> tuple[Seconds, Codes]:
    """Return the boundaries at which any source changes its label, and the labels between them."""
    rows: list[tuple[Seconds, Seconds, Codes] | None] = []
    for annotation in annotations:
        if annotation is None:
            rows.append(None)
            continue
        starts, ends = annotation.intervals.T
        lasting = ends > starts
        is_current = annotation.spellings is spellings
        codes = annotation.codes if is_current else spellings.numbers(annotation.labels)
        rows.append((starts[lasting], ends[lasting], codes[lasting]))
    times = np.unique(np.concatenate([np.empty(0), *(np.concatenate(row[:2]) for row in rows if row)]))
    labels = np.full((max(len(times) - 1, 0), len(annotations)), -1, dtype=np.int64)
    for source, row in enumerate(rows):
        if row is not None and len(row[0]):
            starts, ends, codes = row
            place = np.searchsorted(starts, times[:-1], side="right") - 1
            covered = (place >= 0) & (ends[place] > times[:-1])
            labels[covered, source] = codes[place[covered]]
    changes = np.append(True, (labels[1:] != labels[:-1]).any(axis=1)) if len(labels) else np.empty(0, bool)
    return np.append(times[:-1][changes], times[-1:]), labels[changes]


def _survey_song(annotations: Sequence[ChordAnnotation | None], choices: Choices) -> Survey:
    """Return what the weights of sources come from: triads in common, seconds of sevenths and basses."""
    song = _Song(annotations, choices.factors)
    voting = np.where(choices.factors > 0, song.triads, ABSTAINS)
    amounts = [song.seconds @ (song.triads != ABSTAINS)]
    for detail in song.details:
        plain = np.append(detail.plain, ABSTAINS)[song.triads]
        amounts.append(song.seconds @ (detail.codes != plain))
    return Survey(ballots_of(voting, song.seconds, _CLASSES), np.array(amounts))


def _weigh_sources(survey: Survey, choices: Choices) -> Weighing:
    """Return what votes of the sources count, and which of them write sevenths and basses."""
    chords, *details = survey.amounts
    able = np.array(
        [
            (chords < _JUDGED_S) | (amount >= least * chords)
            for amount, least in zip(details, _ABLE, strict=True)
        ]
    )
    able[~(able & (choices.factors > 0)).any(axis=1)] = True
    return weigh(survey, choices, classes=_CLASSES, able=able | (choices.details == "all"))


def _fuse_song(
    item: str, annotations: Sequence[ChordAnnotation | None], weighing: Weighing, choices: Choices
) -> FusedItem:
    """Fuse the chords of one song."""
    song = _Song(annotations, weighing.votes)
    voting = np.where(weighing.votes > 0, song.triads, ABSTAINS)
    spoken = (voting != ABSTAINS).any(axis=1)
    labelled = ((song.labels != -1) & (weighing.votes > 0)).any(axis=1)
    triads = np.where(labelled, _UNKNOWN, _GAP)
    chords = triads.copy()
    if choices.method in ("pick", "random"):
        chosen = chosen_sources(item, voting, song.seconds, weighing, choices)
        units = np.arange(len(chosen))
        missing = triads
        if choices.method == "pick":
            missing = np.where(song.labels[units, chosen] == -1, _GAP, _UNKNOWN)
        said = song.triads[units, chosen] != ABSTAINS
        triads = np.where(said, song.triads[units, chosen], missing)
        chords = np.where(said, song.chords[units, chosen], missing)
    elif spoken.any():
        triads[spoken], chords[spoken] = _voted(song, voting, spoken, weighing, choices)
    return _result(song, triads, chords, weighing, choices)


def _voted(
    song: _Song, voting: Codes, spoken: Flags, weighing: Weighing, choices: Choices
) -> tuple[Codes, Codes]:
    """Return triad and chord of the units that anybody labels."""
    codes, seconds = voting[spoken], song.seconds[spoken]
    chords = np.where(codes != ABSTAINS, song.chords[spoken], ABSTAINS)
    if is_unanimous(first_sayers(chords)).all():
        return codes.max(axis=1), chords.max(axis=1)  # there is nothing to decide
    ballots = ballots_of(codes, seconds, _CLASSES)
    values, other = vote_values(ballots, weighing, choices, _CLASSES)
    patterns = ballots.patterns
    likely = path_scores(
        patterns, codes, table_of_classes(patterns, codes, values, other, len(song.triad_names))
    )
    after_gap = np.diff(np.flatnonzero(spoken)) > 1
    # each stretch without a gap is a path of its own: nothing goes on through time that nobody labels
    stretches = np.split(seconds[:, None] * likely, np.flatnonzero(after_gap) + 1)
    triads = np.concatenate([best_path(stretch, choices.change_cost) for stretch in stretches])
    begins = np.append(True, (np.diff(triads) != 0) | after_gap)
    voted = []
    for detail, able in zip(song.details, weighing.able, strict=True):
        said = np.where((codes == triads[:, None]) & able, detail.codes[spoken], ABSTAINS)
        cost = 2 * choices.change_cost
        path = _voted_detail(detail, said, triads, begins, seconds, weighing.votes, cost)
        voted.append(detail.plain[triads] if choices.details == "none" else path)
    tetrads, basses = voted
    return triads, tetrads * song.basses + basses


def _voted_detail(
    detail: _Detail,
    said: Codes,
    triads: Codes,
    begins: Flags,
    seconds: Seconds,
    votes: Weights,
    cost: float,
) -> Codes:
    """Return the class of a detail in each unit, by votes of sources that say the fused triad.

    Ties go to the earlier source. Where a triad lasts, its detail is carried over units without votes; where
    there are none as long as it lasts, it is that of the same triad before, if there was one.
    """
    patterns = first_sayers(said)
    shares = vote_shares(patterns, votes) * seconds[:, None]
    evidence = table_of_classes(patterns, said, shares, np.zeros(len(said)), len(detail.names))
    run = begins.cumsum() - 1
    of_run: Flags = np.add.reduceat(evidence, np.flatnonzero(begins)) > 0
    possible = of_run[run]
    possible[np.arange(len(said)), detail.plain[triads]] = True
    path = best_path(np.where(possible, evidence, -np.inf), cost)
    last = detail.plain.copy()
    ends = np.append(np.flatnonzero(begins)[1:], len(said)) - 1
    has_votes = np.any(of_run, axis=1)
    for number, end in enumerate(ends.tolist()):
        if has_votes[number]:
            last[triads[end]] = path[end]
        else:
            path[run == number] = last[triads[end]]
    return path


class _Rows:
    """Units joined where the chord stays the same."""

    def __init__(self, song: _Song, chords: Codes) -> None:
        begins = np.append(True, chords[1:] != chords[:-1])[: len(chords)]
        self._first = np.flatnonzero(begins)
        self._seconds = song.seconds
        self.number = begins.cumsum() - 1
        self.chords = chords[self._first]
        times = np.round(song.times, _DECIMALS)
        self.intervals = np.column_stack((times[self._first], np.append(times[self._first[1:]], times[-1:])))

    def sum(self, values: NDArray[Any]) -> Weights:
        """Return the seconds of each row in which something holds, or something summed over seconds."""
        seconds = self._seconds.reshape(-1, *[1] * (values.ndim - 1))
        sums: Weights = (
            np.add.reduceat(seconds * values, self._first, axis=0) if len(self._first) else values[:0]
        )
        return sums

    def mean(self, values: Weights) -> Weights:
        """Return the mean of values over the seconds of each row."""
        return self.sum(values) / self.sum(np.ones(len(values)))


def _result(song: _Song, triads: Codes, chords: Codes, weighing: Weighing, choices: Choices) -> FusedItem:
    """Join units of one chord to rows, and count how far sources support them."""
    speaks = (song.triads != ABSTAINS) & (triads >= 0)[:, None]
    agrees = speaks & (song.triads == triads[:, None])
    votes = speaks * weighing.votes
    whole = votes.sum(axis=1)
    with np.errstate(invalid="ignore"):
        support = (votes * agrees).sum(axis=1) / whole
        label_support = (votes * (song.chords == chords[:, None])).sum(axis=1) / whole
    rows = _Rows(song, chords)
    if choices.least_support > 0:
        low = (rows.mean(support) < choices.least_support)[rows.number]
        triads, chords = np.where(low, _UNKNOWN, triads), np.where(low, _UNKNOWN, chords)
        rows = _Rows(song, chords)
    labels, dissent = _labels(song, rows, votes)
    starts, ends = rows.intervals.T
    written = np.flatnonzero((rows.chords != _GAP) & (starts < ends))
    agreeing = (rows.sum(agrees & (votes > 0)) > rows.sum(votes > 0) / 2).sum(axis=1)
    columns = {
        "start": starts[written],
        "end": ends[written],
        "label": [labels[row] for row in written.tolist()],
        "support": rows.mean(support)[written],
        "label_support": rows.mean(label_support)[written],
        "sources": (rows.sum(votes > 0) > 0).sum(axis=1)[written],
        "agreeing": agreeing[written],
        "dissent": [dissent[row] for row in written.tolist()],
    }
    annotation = FusedChords(
        rows.intervals[written], columns["label"], columns["support"], columns["label_support"]
    )
    seconds = np.where(triads >= 0, song.seconds, 0.0)
    return FusedItem(
        annotation=annotation if len(annotation) else None,
        rows=columns,
        supported=float(seconds @ np.nan_to_num(support)),
        weight=float(seconds.sum()),
        unanimous=float(seconds @ (support >= 1 - 1e-9)),
        contested=float(seconds @ (support <= 0.5 + 1e-9)),
        unknown=float(song.seconds[triads == _UNKNOWN].sum()),
        missing=float(song.seconds[triads == _GAP].sum()),
        compared=seconds @ speaks,
        agreeing=seconds @ agrees,
    )


def _labels(song: _Song, rows: _Rows, votes: Weights) -> tuple[list[str], list[str]]:
    """Return for each row the label that most votes of its chord have, and the strongest other one."""
    source, unit = np.nonzero(votes.T > 0)
    row, label = rows.number[unit], song.labels[unit, source]
    key, place, inverse = np.unique(
        row * len(song.spellings.labels) + label, return_index=True, return_inverse=True
    )
    amount = np.bincount(inverse, song.seconds[unit] * votes[unit, source], minlength=len(key))
    row, label, chord = row[place], label[place], song.chords[unit[place], source[place]]
    own = chord == rows.chords[row]
    share = amount / rows.sum(votes.sum(axis=1))[row]
    labels, dissent = [""] * len(rows.chords), [""] * len(rows.chords)
    # ties go to the earlier source, then to the earlier time: numbers of labels differ from run to run
    for entry in np.lexsort((place, -np.round(amount, 9), row)).tolist():
        number, spelled = int(row[entry]), song.spellings.labels[label[entry]]
        if own[entry]:
            labels[number] = labels[number] or spelled
        else:
            dissent[number] = dissent[number] or f"{spelled} {share[entry]:.3f}"
    for number, code in enumerate(rows.chords.tolist()):
        if code == _UNKNOWN:
            labels[number] = "X"
        elif code >= 0 and not labels[number]:
            here = np.flatnonzero(row == number)
            here = here[np.argsort(place[here])]
            spellings = {song.spellings.labels[label[entry]]: float(amount[entry]) for entry in here.tolist()}
            labels[number] = _new_label(*_parts(song, code), spellings)
    return labels, dissent


def _parts(song: _Song, chord: int) -> tuple[int, str, int]:
    """Return root, tetrad and bass of a chord; -1 without a bass."""
    tetrad, bass = divmod(chord, song.basses)
    triad, name = song.details[0].names[tetrad]
    root, plain = song.triad_names[triad]
    return root, name or plain, song.details[1].names[bass][1] or -1


_BASSES = ("1", "b2", "2", "b3", "3", "4", "b5", "5", "b6", "6", "b7", "7")
_ALTERED = {"majb5": ("maj", "*5", "b5"), "min#5": ("min", "*5", "#5")}


def _new_label(root: int, tetrad: str, bass: int, amounts: Mapping[str, float]) -> str:
    """Return the label of a chord that no source wrote so, its root spelled as most votes spell it.

    >>> _new_label(1, "majb5(b7)", 4, {"C#:7": 2.0, "Db:maj": 1.0})
    'C#:maj(*5,b5,b7)/3'
    """
    spelled: dict[str, float] = {}
    for label, amount in amounts.items():
        chord = parse(label)
        if chord.root_pitch_class == root:
            spelled[chord.root] = spelled.get(chord.root, 0.0) + amount
    name = max(spelled, key=lambda spelling: spelled[spelling], default=ROOTS[root])
    base, _, seventh = tetrad.rstrip(")").partition("(")
    quality, *tones = _ALTERED.get(base, (base,))
    degrees = ",".join(filter(None, (*tones, seventh)))
    listed = f"({degrees})" if degrees else ""
    return f"{name}:{quality}{listed}" + (f"/{_BASSES[bass]}" if bass > 0 else "")


FUSION = TaskFusion(
    unit="seconds",
    change_cost=0.1,
    methods=("agreement", "vote", "pick", "random"),
    able_of=("sevenths", "basses"),
    survey=_survey_song,
    weigh=_weigh_sources,
    fuse=_fuse_song,
    has_details=True,
)
