# SPDX-License-Identifier: MIT
"""Count the notes on which an estimate matches its annotators, for many pieces at once.

Every kernel returns additive statistics, one row per piece; most return ``(matched, notes)``, whose
quotient is the rate.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kammerton.core.intervals import Codes, Flags, sequence_of_rows
from kammerton.fingering.annotation import LEFT, RIGHT, UNKNOWN
from kammerton.fingering.pieces import Comparison, LabelTable, Pieces
from kammerton.fingering.recombination import least_costs

__all__ = [
    "AGAINST",
    "RATE",
    "Matches",
    "confusion_counts",
    "finger_counts",
    "hand_confusions",
    "hands_of_labels",
    "split_hands",
]

Statistics = NDArray[np.float64]
Values = NDArray[np.int32]

RATE = ("matched", "notes")
"""Columns of a match rate."""

AGAINST = ("labelled", "covered", "same_hand", "matched_in_hand", "matched")
"""Columns of :meth:`Matches.against`. *labelled*: notes with a label of the annotator; *covered*: those
of them that are predicted; *same_hand*: by the right hand; *matched*, and that by the right hand."""


def hands_of_labels(strikes: Codes) -> Codes:
    """Return the hand of each struck finger, -1 where missing."""
    return np.where(strikes == 0, UNKNOWN, np.where(strikes > 0, RIGHT, LEFT))


def split_hands(est: Codes, refs: Codes) -> Codes:
    """Return the hand that each note counts in.

    The hand of the estimate; where that is missing, of the first annotator who labelled the note.

    Parameters
    ----------
    est : ndarray of int64, shape (notes,)
        Struck fingers, signed.
    refs : ndarray of int64, shape (annotators, notes)
        Struck fingers, signed.

    Returns
    -------
    ndarray of int64, shape (notes,)
        0 right, 1 left, -1 where nobody labelled the note.
    """
    struck = est.copy()
    gaps = np.flatnonzero(est == 0)
    columns = np.concatenate((est[np.newaxis, gaps], refs[:, gaps]))
    first = np.argmax(columns != 0, axis=0)
    struck[gaps] = columns[first, np.arange(len(gaps))]
    return hands_of_labels(struck)


class Matches:
    """Counts the matches of some pieces under one comparison of labels.

    Parameters
    ----------
    pieces : Pieces
        Label codes.
    table : LabelTable
        What they stand for.
    comparison : {"strike", "finger", "exact", "any", "text"}
        When two labels match.

    Notes
    -----
    An annotator without any label in a piece counts as none.
    """

    def __init__(self, pieces: Pieces, table: LabelTable, comparison: Comparison = "strike") -> None:
        values = table.values(comparison).astype(np.int32)
        self._pieces = pieces
        self._strikes = table.strikes
        self._est, self._refs = values[pieces.est], values[pieces.refs]
        self._same: Callable[[Values, Values], Flags] = _overlap if comparison == "any" else _equal
        self._labelled = self._refs != 0
        self._scored = self._labelled.any(axis=0)
        self._hits: Flags = self._same(self._refs, self._est)

    @property
    def hits(self) -> Flags:
        """Whether the estimate matches each annotator, shape (annotators, notes)."""
        return self._hits

    def general_by_annotator(self) -> Statistics:
        """Return M_gen: the mean over annotators of the rate on the notes that each labelled.

        Returns
        -------
        ndarray, shape (pieces, 2)
            :data:`RATE`: the mean times the notes that anybody labelled, and those notes.
        """
        notes, labelled, matched = self._notes, self._labels, self._matched
        present = labelled > 0
        share = np.divide(matched * notes, labelled, out=np.zeros(labelled.shape), where=present)
        return _rate(share.sum(axis=0) / np.maximum(present.sum(axis=0), 1), notes)

    def general_by_note(self) -> Statistics:
        """Return M_gen as the mean over notes of the share of its annotators that are matched."""
        labelled, hits = self._labelled.sum(axis=0), self._hits.sum(axis=0)
        shares = hits / np.maximum(labelled, 1)
        rows = sequence_of_rows(self._pieces.offsets)
        # not a running sum: a piece must sum to the same bits in every batch
        matched = np.bincount(rows, weights=shares, minlength=len(self._pieces))
        return _rate(matched, self._notes)

    def closest(self, by: Literal["hand", "piece"] = "hand") -> Statistics:
        """Return M_high: the matches with the closest annotator, chosen per hand or per piece."""
        closest = self._matched.max(axis=0, initial=0)
        if by == "hand":
            right = self._sums(self._hits & (self.hands() == RIGHT))
            closest = np.max((right, self._matched - right), axis=1, initial=0).sum(axis=0)
        return _rate(closest, self._notes)

    def soft(self) -> Statistics:
        """Return M_soft: the notes on which some annotator is matched."""
        return _rate(self._sums(np.asarray(self._hits.any(axis=0))), self._notes)

    def recombined(self) -> Statistics:
        """Return M_rec: matches with a reference recombined from the annotators, less the switches.

        Within a hand the reference may go over to another annotator, at the cost of one note, after a
        note on which the two match each other or one has no label.
        """
        return self._recombined

    @cached_property
    def _recombined(self) -> Statistics:
        pieces, refs, gaps = self._pieces, self._refs, ~self._labelled
        present = np.repeat(self._labels > 0, np.diff(pieces.offsets), axis=1)

        def passable(one: int, other: int) -> Flags:
            """Tell after which notes one may switch, shape (notes,)."""
            open_ = gaps[one] | gaps[other] | self._same(refs[one], refs[other])
            return np.asarray(open_ & present[one] & present[other])

        lanes = 3 * sequence_of_rows(pieces.offsets) + self.hands() + 1  # what is of no hand costs nothing
        costs = least_costs(lanes, 3 * len(pieces), ~self._hits & self._scored, passable)
        return _rate(self._notes - costs.reshape(-1, 3).sum(axis=1), self._notes)

    def against(self) -> Statistics:
        """Count matches with the first annotator of each piece.

        Returns
        -------
        ndarray, shape (pieces, 5)
            :data:`AGAINST`; without annotators all counts are 0.
        """
        return self._against

    @cached_property
    def _against(self) -> Statistics:
        est, ref = self._strikes[self._pieces.est], self._strikes[_first(self._pieces)]
        labelled = ref != 0
        matched = labelled & self._hits[0] if len(self._hits) else labelled
        same_hand = labelled & ((est > 0) == (ref > 0)) & (est != 0)
        counted = (labelled, labelled & (est != 0), same_hand, matched & same_hand, matched)
        return self._sums(np.stack(counted)).T.astype(float)

    def unpredicted(self) -> Codes:
        """Count the notes that an annotator labelled and the estimate did not, shape (pieces,)."""
        return self._sums(self._scored & (self._est == 0))

    def hands(self) -> Codes:
        """Return the hand that each note counts in (:func:`split_hands`)."""
        return self._hands

    @cached_property
    def _hands(self) -> Codes:
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
        return self._sums(self._hits)

    def _sums(self, flags: Flags) -> Codes:
        """Count along the last axis, piece by piece."""
        running = np.zeros((*flags.shape[:-1], flags.shape[-1] + 1), dtype=np.int64)
        np.cumsum(flags, axis=-1, out=running[..., 1:])
        return np.asarray(np.diff(running[..., self._pieces.offsets], axis=-1))


def _equal(first: Values, second: Values) -> Flags:
    return np.asarray((first == second) & (first != 0))


def _overlap(first: Values, second: Values) -> Flags:
    return np.asarray((first & second) != 0)


def _rate(matched: Codes | Statistics, notes: Codes) -> Statistics:
    return np.stack((matched, notes), axis=1).astype(float)


def _first(pieces: Pieces) -> Codes:
    """Return the label codes of the first annotator of each piece; 0 where there is none."""
    return pieces.refs[0] if len(pieces.refs) else np.zeros_like(pieces.est)


def confusion_counts(pieces: Pieces, table: LabelTable) -> Statistics:
    """Count notes by struck finger of the first annotator and of the estimate.

    Parameters
    ----------
    pieces : Pieces
        Label codes.
    table : LabelTable
        What they stand for.

    Returns
    -------
    ndarray, shape (pieces, 11, 11)
        Annotator, then estimate: index 0 is the missing label, the others :data:`SIGNED_FINGERS`.
    """
    index = np.where(table.strikes < 0, 5 - table.strikes, table.strikes)
    cells = index[_first(pieces)] * 11 + index[pieces.est]
    cells += sequence_of_rows(pieces.offsets) * 121
    counts = np.bincount(cells, minlength=121 * len(pieces))
    return counts.reshape(-1, 11, 11).astype(float)


def finger_counts(confusions: Statistics) -> Statistics:
    """Count each finger: right, predicted, and in the reference.

    Parameters
    ----------
    confusions : ndarray, shape (..., 11, 11)
        From :func:`confusion_counts`, of pieces or summed over them.

    Returns
    -------
    ndarray, shape (..., 10, 3)
        Of each of :data:`SIGNED_FINGERS`; notes without a label of the annotator count nowhere.
    """
    labelled = confusions[..., 1:, 1:]
    right = np.diagonal(labelled, axis1=-2, axis2=-1)
    return np.stack((right, labelled.sum(axis=-2), confusions[..., 1:, :].sum(axis=-1)), axis=-1)


def hand_confusions(confusions: Statistics) -> Statistics:
    """Return the confusion of the five fingers of each hand, shape (..., 2, 5, 5).

    Notes that the estimate gives to the other hand are left out.
    """
    return np.stack((confusions[..., 1:6, 1:6], confusions[..., 6:, 6:]), axis=-3)
