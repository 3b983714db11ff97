# SPDX-License-Identifier: MIT
"""Turn the cases of a run into columns: label codes of pieces, and key presses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from kammerton.core.intervals import Codes, Flags
from kammerton.fingering.annotation import Fingering, known_labels
from kammerton.fingering.match_rates import hands_of_labels
from kammerton.fingering.pieces import LabelTable, Pieces, group_pieces, tabulate
from kammerton.fingering.playability import KeyPresses
from kammerton.model.task import Case

__all__ = ["Columns", "build_columns", "key_presses"]


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Estimates and their references, matched note by note.

    Parameters
    ----------
    cases : int
        Number of cases.
    pieces : tuple of Pieces
        The cases, grouped by their number of annotators.
    complete : tuple of Pieces
        The same with only those annotators who labelled every note; where there is none, with all of
        them, and their missing labels as labels that nothing matches.
    left_out, lacking : ndarray of int64, shape (cases,)
        Annotators who are left out there, and those who are not although they left out a note.
    table : LabelTable
        What the codes stand for.
    groups : ndarray of int64, shape (cases,)
        Group of each case.
    """

    cases: int
    pieces: tuple[Pieces, ...]
    complete: tuple[Pieces, ...]
    left_out: Codes
    lacking: Codes
    table: LabelTable
    groups: Codes


_NO_FINGER = 99


def build_columns(cases: Sequence[Case[Fingering]]) -> Columns:
    """Encode cases of references and an estimate on the same notes."""
    whole = [(_estimate(case).codes, np.stack([ref.codes for ref in case.references])) for case in cases]
    table = tabulate(known_labels())
    nothing = len(table.strikes)
    filled: list[Flags] = [np.asarray(refs.all(axis=1)) for _, refs in whole]
    complete = [
        (est, refs[full] if full.any() else np.where(refs == 0, nothing, refs))
        for (est, refs), full in zip(whole, filled, strict=True)
    ]
    unfilled = np.array([np.count_nonzero(~full) for full in filled], dtype=np.int64)
    some = np.array([full.any() for full in filled], dtype=bool)
    return Columns(
        len(cases),
        group_pieces(whole),
        group_pieces(complete),
        left_out=np.where(some, unfilled, 0),
        lacking=np.where(some, 0, unfilled),
        table=_extended(table),
        groups=np.array([case.group for case in cases], dtype=np.int64),
    )


def _extended(table: LabelTable) -> LabelTable:
    """Add a last label, which matches only itself."""
    return LabelTable(
        np.append(table.strikes, _NO_FINGER),
        np.append(table.tuples, table.tuples.max() + 1),
        np.append(table.fingers, 1 << 10),
    )


def key_presses(fingerings: Iterable[Fingering]) -> KeyPresses:
    """Put fingerings one after the other.

    The hand is that of the struck finger; where a note has no finger, what the source says.
    """
    pieces = list(fingerings)
    codes = np.concatenate([np.empty(0, dtype=np.int64), *(p.codes for p in pieces)])
    struck = tabulate(known_labels()).strikes[codes]  # a label is known once its code was asked for
    told = np.concatenate([np.empty(0, dtype=np.int64), *(p.hands for p in pieces)])
    return KeyPresses(
        fingers=np.abs(struck),
        hands=np.where(struck == 0, told, hands_of_labels(struck)),
        pitches=np.concatenate([np.empty(0, dtype=np.int64), *(p.pitches for p in pieces)]),
        onsets=np.concatenate([np.empty(0), *(p.onsets for p in pieces)]),
        ends=np.concatenate([np.empty(0), *(p.offsets for p in pieces)]),
        offsets=np.concatenate(([0], np.cumsum([len(p) for p in pieces], dtype=np.int64))),
    )


def _estimate(case: Case[Fingering]) -> Fingering:
    assert case.estimate is not None, "match rates need an estimate"
    return case.estimate
