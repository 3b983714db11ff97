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
    columns = np.concatenate((est[np.newaxis], refs))
    first = np.argmax(columns != 0, axis=0)
    return hands_of_labels(columns[first, np.arange(len(est))])


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
        values = table.values(comparison)
        self._pieces = pieces
        self._strikes = table.strikes
        self._est, self._refs = values[pieces.est], values[pieces.refs]
        self._same: Callable[[Codes, Codes], Flags] = _overlap if comparison == "any" else _equal
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
        notes = self._sums(self._scored)
        labelled, matched = self._sums(self._labelled), self._sums(self._hits)
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
        return _rate(matched, self._sums(self._scored))

    def closest(self, by: Literal["hand", "piece"] = "hand") -> Statistics:
        """Return M_high: the matches with the closest annotator, chosen per hand or per piece."""
        if by == "piece":
            matched = self._sums(self._hits).max(axis=0, initial=0)
        else:
            hands = self.hands()
            right, left = hands == RIGHT, hands == LEFT
            by_hand = [self._sums(self._hits & played) for played in (right, left)]
            matched = np.max(by_hand, axis=1, initial=0).sum(axis=0)
        return _rate(matched, self._sums(self._scored))

    def soft(self) -> Statistics:
        """Return M_soft: the notes on which some annotator is matched."""
        return _rate(self._sums(np.asarray(self._hits.any(axis=0))), self._sums(self._scored))

    def recombined(self) -> Statistics:
        """Return M_rec: matches with a reference recombined from the annotators, less the switches.

        Within a hand the reference may go over to another annotator, at the cost of one note, after a
        note on which the two match each other or one has no label.
        """
        return self._recombined

    @cached_property
    def _recombined(self) -> Statistics:
        pieces, hands = self._pieces, self.hands()
        played = np.flatnonzero(hands != UNKNOWN)
        rows = sequence_of_rows(pieces.offsets)
        present = (self._sums(self._labelled) > 0)[:, rows[played]]
        refs, labelled = self._refs[:, played], self._labelled[:, played]

        def passable(first: Codes) -> Flags:
            """Tell after which notes one may switch, shape (annotators, annotators, notes)."""
            values, known, there = refs[:, first], labelled[:, first], present[:, first]
            open_ = ~known[:, np.newaxis] | ~known | self._same(values[:, np.newaxis], values)
            return np.asarray(open_ & there[:, np.newaxis] & there)

        misses = ~self._hits[:, played] & self._scored[played]
        costs = least_costs(2 * rows[played] + hands[played], 2 * len(pieces), misses, passable)
        notes = self._sums(self._scored)
        return _rate(notes - costs.reshape(-1, 2).sum(axis=1), notes)

    def against(self, annotators: Codes | int = 0) -> Statistics:
        """Count matches with one annotator of each piece.

        Parameters
        ----------
        annotators : ndarray of int64, shape (pieces,), or int
            Row of the annotator; -1 for none, and all counts are 0.

        Returns
        -------
        ndarray, shape (pieces, 5)
            :data:`AGAINST`.
        """
        est = self._strikes[self._pieces.est]
        ref = self._strikes[_row(self._pieces, annotators)]
        labelled = ref != 0
        chosen = _spread(self._pieces, annotators)
        matched = np.zeros(len(est), dtype=bool)
        if len(self._refs):
            matched = labelled & self._hits[chosen, np.arange(len(est))]
        same_hand = labelled & (np.sign(est) == np.sign(ref))
        counted = (labelled, labelled & (est != 0), same_hand, matched & same_hand, matched)
        return self._sums(np.stack(counted)).T.astype(float)

    def pairwise(self) -> Statistics:
        """Count agreement between annotators.

        Returns
        -------
        ndarray, shape (pieces, annotators, annotators, 2)
            Notes on which both match each other, and notes that both labelled.
        """
        count = len(self._refs)
        counts = np.empty((len(self._pieces), count, count, 2))
        for row in range(count):
            both = self._labelled & self._labelled[row]
            counts[:, row, :, 0] = self._sums(self._same(self._refs, self._refs[row])).T
            counts[:, row, :, 1] = self._sums(both).T
        return counts

    def hands(self) -> Codes:
        """Return the hand that each note counts in (:func:`split_hands`)."""
        return self._hands

    @cached_property
    def _hands(self) -> Codes:
        return split_hands(self._strikes[self._pieces.est], self._strikes[self._pieces.refs])

    def _sums(self, flags: Flags) -> Codes:
        """Count along the last axis, piece by piece."""
        running = np.zeros((*flags.shape[:-1], flags.shape[-1] + 1), dtype=np.int64)
        np.cumsum(flags, axis=-1, out=running[..., 1:])
        return np.asarray(np.diff(running[..., self._pieces.offsets], axis=-1))


def _equal(first: Codes, second: Codes) -> Flags:
    return np.asarray((first == second) & (first != 0))


def _overlap(first: Codes, second: Codes) -> Flags:
    return np.asarray((first & second) != 0)


def _rate(matched: Codes | Statistics, notes: Codes) -> Statistics:
    return np.stack((matched, notes), axis=1).astype(float)


def _spread(pieces: Pieces, annotators: Codes | int) -> Codes:
    return np.repeat(np.broadcast_to(annotators, len(pieces)), np.diff(pieces.offsets))


def _row(pieces: Pieces, annotators: Codes | int) -> Codes:
    """Return the label codes of one annotator of each piece; 0 where there is none."""
    chosen = _spread(pieces, annotators)
    if len(pieces.refs) == 0:
        return np.zeros_like(pieces.est)
    return np.where(chosen < 0, 0, pieces.refs[chosen, np.arange(len(chosen))])


def confusion_counts(pieces: Pieces, table: LabelTable, annotators: Codes | int = 0) -> Statistics:
    """Count notes by struck finger of one annotator and of the estimate.

    Parameters
    ----------
    pieces : Pieces
        Label codes.
    table : LabelTable
        What they stand for.
    annotators : ndarray of int64, shape (pieces,), or int
        Row of the annotator in each piece, -1 for none.

    Returns
    -------
    ndarray, shape (pieces, 11, 11)
        Annotator, then estimate: index 0 is the missing label, the others :data:`SIGNED_FINGERS`.
    """
    index = np.where(table.strikes < 0, 5 - table.strikes, table.strikes)
    cells = index[_row(pieces, annotators)] * 11 + index[pieces.est]
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
