# SPDX-License-Identifier: MIT
"""From rows, each a label of a list, to the lists: sorted, each label once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kammerton.instruments.annotation import InstrumentList

__all__ = ["ListedLabels", "Manner", "Repeats", "assemble"]

Integers = NDArray[np.int64]
Indices = NDArray[np.intp]

_UNSCORED: NDArray[np.float64] = np.empty(0)
_NONE: Indices = np.empty(0, dtype=np.intp)
_UNGRADED: Integers = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class ListedLabels:
    """Labels by list, as columns of one length.

    Parameters
    ----------
    lists : ndarray of int64, shape (n,)
        List that a row belongs to.
    codes : ndarray of int64, shape (n,)
        Index of its label.
    scores : ndarray of float64, shape (n,), optional
        NaN in lists that have none.
    present : ndarray of bool, shape (n,), optional
        Whether the label is there, or judged not to be; all are there by default.
    grades : ndarray of int64, shape (n,), optional
        How relevant it is.
    """

    lists: Integers
    codes: Integers
    scores: NDArray[np.float64] | None = None
    present: NDArray[np.bool_] | None = None
    grades: Integers | None = None

    def take(self, kept: Indices | NDArray[np.bool_]) -> ListedLabels:
        """Return the rows of a mask, or of indices in this order."""
        columns = (self.lists, self.codes, self.scores, self.present, self.grades)
        return ListedLabels(*(None if column is None else column[kept] for column in columns))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, eq=False)
class Repeats:
    """Rows that were left out because their list has the label already.

    Parameters
    ----------
    rows : ndarray of intp
        Their indices, ascending.
    first : ndarray of intp
        Index of the row that was kept for each.
    """

    rows: Indices
    first: Indices


@dataclass(frozen=True, slots=True, eq=False)
class Manner:
    """What the rows of a source mean.

    Parameters
    ----------
    ordered : bool, or ndarray of bool, shape (lists,)
        Whether their order ranks the labels of lists without scores.
    vector : bool
        Whether the scores are of a whole vocabulary; they then stay in order.
    closed : ndarray of bool, shape (lists,), optional
        Whether labels that a list does not have are absent; by default they are.
    query : bool
        Whether lists are queries, and their labels documents.
    repeats : bool
        Whether it is usual that a list has a label several times, so that nothing is said.
    sheet : bool
        Whether the lists are many, so that messages say how many of them they are about.
    score : str
        What the source calls a score.
    """

    ordered: bool | NDArray[np.bool_] = False
    vector: bool = False
    closed: NDArray[np.bool_] | None = None
    query: bool = False
    repeats: bool = False
    sheet: bool = False
    score: str = "score"


def assemble(
    rows: ListedLabels, names: Sequence[str], count: int, manner: Manner
) -> tuple[list[InstrumentList], Repeats]:
    """Make lists of rows.

    Parameters
    ----------
    rows : ListedLabels
    names : sequence of str
        Labels that codes stand for.
    count : int
        Number of lists; some may have no row.
    manner : Manner
        What the rows mean.

    Returns
    -------
    list of InstrumentList, Repeats
        The lists; and which rows were left out: of several for one label the best score is kept, then
        the first, and what is there counts before what is absent.

    Examples
    --------
    >>> rows = ListedLabels(np.array([0, 0, 0]), np.array([1, 0, 1]), np.array([0.25, 0.5, 0.75]))
    >>> (found,), repeats = assemble(rows, ["piano", "violin"], 1, Manner())
    >>> found.labels, found.scores.tolist(), repeats.rows.tolist()
    (('violin', 'piano'), [0.75, 0.5], [0])
    """
    order = _order(rows, by_score=not manner.vector)
    keys = rows.lists * max(1, len(names)) + rows.codes
    kept, repeats = _firsts(keys, order)
    if len(repeats.rows) and manner.vector:
        _, repeats = _firsts(keys, _order(rows, by_score=True))
        first = np.delete(np.arange(len(keys)), repeats.rows)
        kept = first[np.argsort(rows.lists[first], kind="stable")]
    return _lists(rows if kept is None else rows.take(kept), names, count, manner), repeats


def _order(rows: ListedLabels, *, by_score: bool) -> Indices | None:
    """Return the order by list, presence, score and row; None if it is the one they have."""
    keys = []
    if rows.scores is not None and by_score:
        keys.append(np.where(np.isnan(rows.scores), 0.0, -rows.scores))
    if rows.present is not None:
        keys.append(~rows.present)
    if not keys and bool((rows.lists[1:] >= rows.lists[:-1]).all()):
        return None
    return np.lexsort((*keys, rows.lists))


def _firsts(keys: Integers, order: Indices | None) -> tuple[Indices | None, Repeats]:
    """Return the first row of each key, in this order, None for all in theirs; and the other rows."""
    given = keys if order is None else keys[order]
    distinct, first = np.unique(given, return_index=True)
    if len(distinct) == len(given):
        return order, Repeats(_NONE, _NONE)
    indices = np.arange(len(keys)) if order is None else order
    repeated = np.ones(len(keys), dtype=bool)
    repeated[first] = False
    again = indices[repeated]
    kept = indices[first[np.searchsorted(distinct, given[repeated])]]
    by_row = np.argsort(again)
    return indices[~repeated], Repeats(again[by_row], kept[by_row])


def _lists(rows: ListedLabels, names: Sequence[str], count: int, manner: Manner) -> list[InstrumentList]:
    """Cut sorted rows where the next list begins."""
    ends = np.cumsum(np.bincount(rows.lists, minlength=count))
    there = ends
    if rows.present is not None:
        there = ends - np.bincount(rows.lists[~rows.present], minlength=count)
    scored = np.zeros(count, dtype=bool)
    if rows.scores is not None:
        scored = np.bincount(rows.lists[~np.isnan(rows.scores)], minlength=count) > 0
    labels = np.array(names, dtype=object)[rows.codes].tolist() if len(names) else []
    scores = _UNSCORED if rows.scores is None else rows.scores
    shared: dict[tuple[str, ...], tuple[str, ...]] = {}  # lists over one vocabulary have one tuple of it
    closed = np.ones(count, dtype=bool) if manner.closed is None else manner.closed
    ordered = np.broadcast_to(manner.ordered, count)
    found = []
    begin = 0
    for behind, end, has_scores, all_judged, in_order in zip(
        there.tolist(), ends.tolist(), scored.tolist(), closed.tolist(), ordered.tolist(), strict=True
    ):
        listed = tuple(labels[begin:behind])
        grades = _UNGRADED if rows.grades is None else rows.grades[begin:behind]
        found.append(
            InstrumentList(
                shared.setdefault(listed, listed) if manner.vector else listed,
                scores[begin:behind] if has_scores else _UNSCORED,
                ranked=has_scores or in_order or (behind == begin and rows.scores is not None),
                vector=manner.vector and has_scores,
                absent=tuple(labels[behind:end]) if behind < end else (),
                closed=all_judged,
                grades=grades,
                query=manner.query,
            )
        )
        begin = end
    return found
