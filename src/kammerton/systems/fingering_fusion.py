# SPDX-License-Identifier: MIT
"""Fuse fingerings: in each hand a path over the sources, which changes the source only where that pays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kammerton.arrays import Codes, Flags, Weights
from kammerton.fingering.annotation import MISSING, Fingering
from kammerton.fingering.task import ratings
from kammerton.systems.fused import (
    Choices,
    FusedItem,
    Survey,
    TaskFusion,
    Weighing,
    chosen_sources,
    count_units,
    vote_values,
    weigh,
)
from kammerton.systems.voting import ABSTAINS, Ballots, best_path, first_sayers, vote_shares

_CLASSES = 5
"""Fingers that a source that errs chooses from."""
_NOBODY = -1
"""Source of a note that stays without a finger."""


@dataclass(frozen=True, eq=False)
class FusedFingering(Fingering):
    """A fingering with the support that each note has among the sources.

    Attributes
    ----------
    support : ndarray of float64, shape (n,)
        Share of the votes that say the finger of the note; NaN where it has none.
    """

    support: NDArray[np.float64] | None = None


def _fingers(annotations: Sequence[Fingering | None]) -> tuple[Codes, tuple[str, ...]]:
    """Return the striking finger of each note by each source, signed by hand, and what the codes mean."""
    rated = ratings([annotations])
    return rated.codes, rated.labels


def _ballots(fingers: Codes) -> Ballots:
    """Return votes in which each note counts alike."""
    notes = len(fingers)
    return Ballots(first_sayers(fingers), np.full(notes, _CLASSES), np.ones(notes))


def _survey_piece(annotations: Sequence[Fingering | None], choices: Choices) -> Survey:
    fingers, _ = _fingers(annotations)
    return Survey(_ballots(np.where(choices.factors > 0, fingers, ABSTAINS)), np.empty(0))


def _weigh_sources(survey: Survey, choices: Choices) -> Weighing:
    return weigh(survey, choices, classes=_CLASSES)


def _fuse_piece(
    item: str, annotations: Sequence[Fingering | None], weighing: Weighing, choices: Choices
) -> FusedItem:
    """Fuse the fingerings of one piece, which are on the same notes."""
    piece = next(annotation for annotation in annotations if annotation is not None)
    fingers, names = _fingers(annotations)
    voting = np.where(weighing.votes > 0, fingers, ABSTAINS)
    if choices.method in ("pick", "random"):
        sources = chosen_sources(item, voting, np.ones(len(voting)), weighing, choices)
        sources[voting[np.arange(len(voting)), sources] == ABSTAINS] = _NOBODY
    else:
        sources = _paths(piece, voting, names, weighing, choices)
    return _result(piece, annotations, fingers, sources, names, weighing, choices)


def _paths(
    piece: Fingering, voting: Codes, names: tuple[str, ...], weighing: Weighing, choices: Choices
) -> Codes:
    """Return the source of each note: in each hand the best sequence, in which a change has a cost.

    Of equal sources, that of the note before stays, then the one that agrees most, then the first one.
    """
    ballots = _ballots(voting)
    values, _ = vote_values(ballots, weighing, choices, _CLASSES)
    said = voting != ABSTAINS
    worth = np.where(said, np.take_along_axis(values, np.maximum(ballots.patterns, 0), axis=1), -np.inf)
    mean = np.where(said, worth, 0.0).sum(axis=0) / np.maximum(said.sum(axis=0), 1)
    order = np.argsort(-np.round(mean, 9), kind="stable")
    sources = np.full(len(voting), _NOBODY)
    is_left = np.array([name.startswith("-") for name in names])[voting]
    in_left = _is_in_left_hand(is_left, said, weighing.votes)
    for hand in (False, True):
        notes = np.flatnonzero(said.any(axis=1) & (in_left == hand))
        notes = notes[np.lexsort((piece.pitches[notes], piece.onsets[notes]))]
        of_hand = said[notes] & (is_left[notes] == hand)
        scores = np.where(of_hand, worth[notes], -np.inf)[:, order]
        if len(notes):
            sources[notes] = order[best_path(scores, choices.change_cost)]
    return sources


def _is_in_left_hand(is_left: Flags, said: Flags, votes: Weights) -> Flags:
    """Return in which hand most votes have each note; ties go to the hand of the earliest source."""
    left, right = (said & is_left) @ votes, (said & ~is_left) @ votes
    earliest = is_left[np.arange(len(said)), said.argmax(axis=1)] if said.size else np.empty(0, dtype=bool)
    return np.where(np.isclose(left, right), earliest, left > right)


def _result(
    piece: Fingering,
    annotations: Sequence[Fingering | None],
    fingers: Codes,
    sources: Codes,
    names: tuple[str, ...],
    weighing: Weighing,
    choices: Choices,
) -> FusedItem:
    """Copy the label of the source of each note, and count how far the sources support its finger."""
    spoken = fingers != ABSTAINS
    notes = np.arange(len(fingers))
    chosen = np.where(sources == _NOBODY, ABSTAINS, fingers[notes, sources])
    speaks = spoken & (chosen != ABSTAINS)[:, None]
    agrees = speaks & (fingers == chosen[:, None])
    votes = speaks * weighing.votes
    with np.errstate(invalid="ignore"):
        support = (votes * agrees).sum(axis=1) / votes.sum(axis=1)
    low = support < choices.least_support
    sources, chosen = np.where(low, _NOBODY, sources), np.where(low, ABSTAINS, chosen)
    support[low] = np.nan
    speaks[low], agrees[low], votes[low] = False, False, 0.0
    labelled = np.flatnonzero(chosen != ABSTAINS)
    annotation = _copied(piece, annotations, sources, support)
    columns = {
        "note": labelled + 1,
        "onset": piece.onsets[labelled],
        "pitch": piece.pitches[labelled],
        "label": [annotation.labels[note] for note in labelled.tolist()],
        "support": support[labelled],
        "sources": (votes > 0).sum(axis=1)[labelled],
        "agreeing": (agrees & (votes > 0)).sum(axis=1)[labelled],
        "dissent": _dissent(fingers[labelled], chosen[labelled], names, weighing.votes),
    }
    missing = float((~(spoken & (weighing.votes > 0)).any(axis=1)).sum())
    fused = annotation if len(labelled) else None
    return count_units(fused, columns, speaks, agrees, unknown=low, missing=missing)


def _copied(
    piece: Fingering, annotations: Sequence[Fingering | None], sources: Codes, support: Weights
) -> FusedFingering:
    """Return the notes with the labels, and the hands, that their sources have."""
    labels, hands = [MISSING] * len(piece), piece.hands.copy()
    for number, annotation in enumerate(annotations):
        for note in np.flatnonzero(sources == number).tolist():
            assert annotation is not None, "who says a finger is there"
            labels[note], hands[note] = annotation.labels[note], annotation.hands[note]
    known = {column.name: getattr(piece, column.name) for column in fields(Fingering)}
    changed: dict[str, Any] = {"labels": tuple(labels), "hands": hands, "line_of": None}
    return FusedFingering(**(known | changed), support=support)


def _dissent(fingers: Codes, chosen: Codes, names: tuple[str, ...], votes: Weights) -> list[str]:
    """Return the finger of each note that has most votes of the others, with their share."""
    patterns = first_sayers(np.where(votes > 0, fingers, ABSTAINS))
    shares = vote_shares(patterns, votes) * (fingers != chosen[:, None])
    strongest = np.round(shares, 9).argmax(axis=1)
    largest = shares.max(axis=1, initial=0.0)
    of_notes = zip(fingers[np.arange(len(fingers)), strongest].tolist(), largest.tolist(), strict=True)
    return [f"{names[finger]} {share:.3f}" if share > 0 else "" for finger, share in of_notes]


FUSION = TaskFusion(
    unit="notes",
    change_cost=0.5,
    methods=("vote", "agreement", "pick", "random"),
    able_of=(),
    survey=_survey_piece,
    weigh=_weigh_sources,
    fuse=_fuse_piece,
)
