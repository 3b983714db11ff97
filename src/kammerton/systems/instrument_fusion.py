# SPDX-License-Identifier: MIT
"""Fuse lists of instruments: a vote on each instrument, among the sources that could have named it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import compress
from typing import Any

import numpy as np

from kammerton.arrays import Codes, Flags, Weights
from kammerton.errors import OptionError
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.options import InstrumentOptions
from kammerton.systems.fused import Choices, FusedItem, Survey, TaskFusion, Weighing, count_units, weigh
from kammerton.systems.voting import ABSTAINS, VOICES, Ballots, equal_share, linked_copies

_ABSENT, _PRESENT = 0, 1
_HALF = 0.5
_RARE, _ANY = 0.9, 0.93
"""Shares of labels in common from which sources are copies: of labels that most others lack, and of all."""
_EVIDENCE = 60.0
"""Labels that a pair of sources must list between them to be judged."""

_SILENT = InstrumentList((), closed=False)
"""The list of a source that has none."""


class _Recording:
    """What sources say of the instruments of one recording.

    Attributes
    ----------
    labels : list of str
        Every label that a source lists or calls absent, in the order of the sources.
    lines : list of frozenset of str
        Each label with its ancestors in the taxonomy.
    listed : list of frozenset of str
        By source: labels that it takes for present.
    said : ndarray of int64, shape (labels, sources)
        1 if a source takes the label for present, 0 for absent, -1 if it says nothing of it.
    scores : ndarray of float64, shape (labels, sources)
        From 0 to 1; 1 of what is listed without a score, 0 of what is not listed.
    """

    def __init__(
        self,
        annotations: Sequence[InstrumentList | None],
        options: InstrumentOptions,
        vocabularies: Sequence[frozenset[str]] = (),
        *,
        are_probabilities: bool = True,
    ) -> None:
        lists = [_SILENT if annotation is None else annotation for annotation in annotations]
        named = (label for annotation in lists for label in (*annotation.labels, *annotation.absent))
        self.labels: list[str] = list(dict.fromkeys(named))
        self.lines: list[frozenset[str]] = [_line(label, options) for label in self.labels]
        self.listed: list[frozenset[str]] = []
        self.said: Codes = np.full((len(self.labels), len(lists)), ABSTAINS)
        self.scores: Weights = np.zeros(self.said.shape)
        for source, annotation in enumerate(lists):
            scores = _unit_scores(annotation, are_probabilities=are_probabilities)
            self.listed.append(
                frozenset(name for name in scores if not annotation.vector or scores[name] >= _HALF)
            )
            is_closed = annotation.closed or (options.assume_absent and annotations[source] is not None)
            vocabulary = vocabularies[source] if vocabularies else None
            self.said[:, source] = self._said(annotation, vocabulary, is_closed=is_closed)
            self.scores[:, source] = [scores.get(label, 0.0) for label in self.labels]

    def _said(
        self, annotation: InstrumentList, vocabulary: frozenset[str] | None, *, is_closed: bool
    ) -> list[int]:
        """Return what one source says of each label; without a vocabulary, it could have named all.

        A source that lists an instrument lists all that is above it; of what is below, it says nothing.
        """
        listed, lines = self.listed[-1], list(zip(self.labels, self.lines, strict=True))
        implied = listed.union(*(line for label, line in lines if label in listed))
        absent = frozenset((*annotation.absent, *(annotation.labels if annotation.vector else ())))
        said = []
        for label, line in lines:
            could = vocabulary is None or not vocabulary.isdisjoint(line)
            if label in implied:
                said.append(_PRESENT)
            elif label in absent or not line.isdisjoint(annotation.absent):
                said.append(_ABSENT)
            else:
                is_absent = is_closed and not annotation.vector and could and line.isdisjoint(listed)
                said.append(_ABSENT if is_absent else ABSTAINS)
        return said

    def present(self, votes: Weights) -> tuple[Weights, Flags]:
        """Return the share of votes that say each label is present, NaN without any, and whether it is.

        At just half of the votes it is, if a source that does not say so lists what is above it.
        """
        voting = (self.said != ABSTAINS) * votes
        with np.errstate(invalid="ignore"):
            shares = (voting * (self.said == _PRESENT)).sum(axis=1) / voting.sum(axis=1)
        is_in = shares > _HALF + 1e-9
        for place in np.flatnonzero(np.isclose(shares, _HALF)).tolist():
            others = compress(self.listed, (self.said[place] != _PRESENT) & (votes > 0))
            is_in[place] = any(not listed.isdisjoint(self.lines[place]) for listed in others)
        return shares, is_in


def _line(label: str, options: InstrumentOptions) -> frozenset[str]:
    """Return a label with what is above it, if there is a taxonomy that has it."""
    tree = options.tree
    known = tree is not None and label in tree.index
    return frozenset((label, *(tree.ancestors(label) if tree is not None and known else ())))


def _unit_scores(annotation: InstrumentList, *, are_probabilities: bool) -> dict[str, float]:
    """Return scores from 0 to 1: probabilities as they are, others by rank; 1 where there are none."""
    scores = np.asarray(annotation.scores)
    if not len(scores):
        return dict.fromkeys(annotation.labels, 1.0)
    if not are_probabilities:
        scores = 1 - (scores > scores[:, None]).sum(axis=1) / len(scores)
    return dict(zip(annotation.labels, scores.tolist(), strict=True))


def _survey_recording(annotations: Sequence[InstrumentList | None], choices: Choices) -> Survey:
    """Return who lists what, the vocabularies, and how many labels have no score, or no probability."""
    if any(annotation is not None and annotation.query for annotation in annotations):
        raise OptionError("results of queries cannot be fused", "fuse instruments of recordings")
    said = _Recording(annotations, choices.options).said
    said = said[(said == _PRESENT).any(axis=1)]
    amounts = np.zeros((2, len(annotations)))
    vocabularies: list[frozenset[str]] = [frozenset()] * len(annotations)
    for source, annotation in enumerate(annotations):
        if annotation is not None:
            vocabularies[source] = frozenset((*annotation.labels, *annotation.absent))
            scores = np.asarray(annotation.scores)
            amounts[0, source] = len(annotation) - len(scores)
            amounts[1, source] = ((scores < 0) | (scores > 1)).sum()
    ballots = Ballots(said, np.full(len(said), 2), np.ones(len(said)))
    return Survey(ballots, amounts, tuple(vocabularies))


def _weigh_sources(survey: Survey, choices: Choices) -> Weighing:
    """Return what votes of the sources count, which give scores, and whose scores are but ranks."""
    copies = linked_copies(survey.ballots.patterns, partial(_alike, survey.ballots))
    lacking, odd = survey.amounts
    able = np.array([lacking == 0, odd > 0])
    return weigh(survey, choices, classes=2, able=able, copies=copies)


def _alike(ballots: Ballots, first: int, second: int, voices: Sequence[int]) -> float | None:
    """Return the share of their labels that two sources have in common, if they are copies.

    Where there are enough sources, of the labels that most others do not list.
    """
    codes = ballots.patterns
    pair = codes[:, [first, second]]
    either = (pair != ABSTAINS).all(axis=1) & (pair == _PRESENT).any(axis=1)
    others = codes[:, [voice for voice in voices if voice not in (first, second)]]
    is_rare = 2 * (others == _PRESENT).sum(axis=1) < (others != ABSTAINS).sum(axis=1)
    share = None
    if len(voices) >= VOICES:
        share = equal_share(pair, ballots.weights * (either & is_rare), _EVIDENCE)
    least = _RARE
    if share is None:
        share, least = equal_share(pair, ballots.weights * either, _EVIDENCE), _ANY
    return share if share is not None and share >= least else None


def _fuse_recording(
    _: str, annotations: Sequence[InstrumentList | None], weighing: Weighing, choices: Choices
) -> FusedItem:
    """Fuse the instruments of one recording; labels of too little support are left open."""
    votes = weighing.votes
    voters = [own for own, vote in zip(annotations, votes, strict=True) if own is not None and vote > 0]
    have_scores, are_ranks = weighing.able[:, votes > 0]
    recording = _Recording(
        annotations, choices.options, weighing.vocabularies, are_probabilities=not are_ranks.any()
    )
    is_vector = bool(have_scores.all()) and bool(voters) and all(own.vector for own in voters)
    shares, is_in = recording.present(votes)
    voting = (recording.said != ABSTAINS) * votes
    if is_vector:
        with np.errstate(invalid="ignore"):
            means = (voting * recording.scores).sum(axis=1) / voting.sum(axis=1)
        is_in = means >= _HALF
    support = np.where(is_in, shares, 1 - shares)
    judged = support >= choices.least_support  # nowhere if nobody who votes says anything of the label
    scores = means if is_vector else support
    is_closed = any(own.closed or choices.options.assume_absent for own in voters) and bool(judged.all())
    named = frozenset().union(*compress(recording.listed, votes > 0))
    is_named = np.array([label in named for label in recording.labels], dtype=bool)
    listed = judged if is_vector else judged & is_in & is_named  # not what is only implied
    out = judged & ~is_in & (not (is_vector or is_closed))
    annotation = _list_of(recording.labels, listed, out, scores, is_vector=is_vector, is_closed=is_closed)
    return _result(recording, annotation if voters else None, judged, is_in, support, votes)


def _list_of(
    labels: Sequence[str], listed: Flags, out: Flags, scores: Weights, *, is_vector: bool, is_closed: bool
) -> InstrumentList:
    """Return labels by their scores, the best first, and those that are absent."""
    order = np.flatnonzero(listed)
    order = order[np.argsort(-np.round(scores[order], 9), kind="stable")]
    return InstrumentList(
        tuple(labels[place] for place in order.tolist()),
        scores=scores[order],
        ranked=True,
        vector=is_vector,
        absent=tuple(compress(labels, out)),
        closed=is_closed,
    )


def _result(
    recording: _Recording,
    annotation: InstrumentList | None,
    judged: Flags,
    is_in: Flags,
    support: Weights,
    votes: Weights,
) -> FusedItem:
    """Count how far sources support what was decided of each label."""
    said = recording.said[judged]
    agrees = said == np.where(is_in, _PRESENT, _ABSENT)[judged][:, None]
    speaks = (said != ABSTAINS) & (votes > 0)
    shares, present = support[judged], is_in[judged].tolist()
    columns: dict[str, Any] = {
        "label": list(compress(recording.labels, judged)),
        "present": present,
        "support": shares,
        "sources": speaks.sum(axis=1),
        "agreeing": (agrees & speaks).sum(axis=1),
        "dissent": [
            f"{'absent' if there else 'present'} {1 - share:.3f}" if share < 1 - 1e-9 else ""
            for there, share in zip(present, shares.tolist(), strict=True)
        ],
    }
    return count_units(annotation, columns, said != ABSTAINS, agrees, unknown=~judged)


FUSION = TaskFusion(
    unit="labels",
    change_cost=None,
    methods=("vote",),
    able_of=("scores", "ranks"),
    survey=_survey_recording,
    weigh=_weigh_sources,
    fuse=_fuse_recording,
)
