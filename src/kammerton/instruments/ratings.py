# SPDX-License-Identifier: MIT
"""Lists of instruments as ratings: whether each annotator heard each instrument."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.columns import Columns
from kammerton.instruments.lists import Lists
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.shaping import build_columns
from kammerton.instruments.taxonomy import Taxonomy
from kammerton.instruments.truth import annotated
from kammerton.model.ratings import Ratings
from kammerton.model.task import Case

__all__ = ["judged_by_both", "ratings"]

Items = Sequence[Sequence[InstrumentList | None]]
"""Annotations of each recording, by annotator; None where there is none."""

_ONLY_PRESENT = (
    "open lists name only what is present, so nobody knows what is absent; "
    "--assume-absent takes all that they do not name for absent"
)


def ratings(items: Items, options: InstrumentOptions | None = None) -> Ratings:
    """Return whether each instrument is there.

    Parameters
    ----------
    items : sequence of sequences of InstrumentList or None
        Annotations of each recording, by annotator; None where there is none.
    options : InstrumentOptions, optional
        Its taxonomy.

    Returns
    -------
    Ratings
        A unit is a recording and an instrument of the vocabulary in use: the leaves of the taxonomy, or
        their ancestors at its level, and whatever any annotator names of any recording. Of a query, units
        are the documents that somebody judged for it. What an annotator did not judge has no label. There
        is no agreement if some lists are open, and none of these says that anything is absent.

    Examples
    --------
    Nobody names drums of the first recording: there all agree that they are absent.

    >>> one = [InstrumentList(("piano", "voice")), InstrumentList(("drums",))]
    >>> other = [InstrumentList(("voice",)), InstrumentList(("drums",))]
    >>> found = ratings(list(zip(one, other)))  # of each: piano, voice, drums
    >>> found.labels, found.codes.tolist()
    (('absent', 'present'), [[1, 0], [1, 1], [0, 0], [0, 0], [0, 0], [1, 1]])
    """
    options = options or InstrumentOptions()
    given = [
        (number, rater, annotation)
        for number, annotations in enumerate(items)
        for rater, annotation in enumerate(annotations)
        if annotation is not None
    ]
    columns = build_columns([Case((annotation,), InstrumentList(())) for *_, annotation in given], options)
    units = _Units(columns, options.level)
    owners = np.array([place[:2] for place in given], dtype=np.int64).reshape(-1, 2)
    raters = len(items[0]) if items else 0
    codes = np.full((len(items), len(units), raters), -1, dtype=np.int64)
    closed = owners[columns.closed]
    codes[closed[:, 0], :, closed[:, 1]] = 0
    for label, lists in ((0, columns.absent), (1, columns.truth)):
        number, rater = owners[lists.owners].T
        codes[number, units.of(lists), rater] = label
    reason = _ONLY_PRESENT if _name_only_present(items, options) else ""
    return Ratings(("absent", "present"), codes[units.counting(columns, owners, len(items))], reason=reason)


class _Units:
    """The instruments that make a unit of each recording, in the order in which they are met."""

    def __init__(self, columns: Columns, level: int) -> None:
        index = {label: code for code, label in enumerate(columns.labels)}
        used = dict.fromkeys(index[label] for label in _every_label(columns.tree, level))
        used |= dict.fromkeys([*columns.truth.codes.tolist(), *columns.absent.codes.tolist()])
        self._place = np.full(len(columns.labels), -1, dtype=np.int64)
        self._place[list(used)] = np.arange(len(used))
        self._count = len(used)

    def __len__(self) -> int:
        """Return the number of instruments."""
        return self._count

    def of(self, lists: Lists) -> NDArray[np.int64]:
        """Return the unit of each entry of lists."""
        return self._place[lists.codes]

    def counting(self, columns: Columns, owners: NDArray[np.int64], items: int) -> NDArray[np.bool_]:
        """Tell which units of each item count: of a query those that somebody judged, else all."""
        counting = np.ones((items, len(self)), dtype=bool)
        counting[owners[columns.queries, 0]] = False
        for lists in (columns.truth, columns.absent):
            counting[owners[lists.owners, 0], self.of(lists)] = True
        return counting


def _every_label(tree: Taxonomy | None, level: int) -> Iterator[str]:
    for leaf in () if tree is None else tree.leaves:
        yield from tree.project(leaf, level) if tree is not None and level else (leaf,)


def _is_open(annotation: InstrumentList, options: InstrumentOptions) -> bool:
    return not (annotation.closed or annotation.query or options.assume_absent)


def _name_only_present(items: Items, options: InstrumentOptions) -> bool:
    """Tell whether some lists are open, and none of these says that anything is absent."""
    annotations = (annotation for item in items for annotation in item if annotation is not None)
    open_lists = [each for each in annotations if len(each) + len(each.absent) and _is_open(each, options)]
    return bool(open_lists) and not any(each.absent for each in open_lists)


Pair = Callable[[InstrumentList, InstrumentList], InstrumentList]


def judged_by_both(items: Items, options: InstrumentOptions) -> Pair | None:
    """Return what leaves of a reference only what another annotator judged too.

    Parameters
    ----------
    items : sequence of sequences of InstrumentList or None
        Annotations of each recording, by annotator; None where there is none.
    options : InstrumentOptions

    Returns
    -------
    callable or None
        Takes a reference and an estimate, both of them annotations, and returns the reference; None if all
        lists are closed. Nothing is left where lists are open and name only what is present.

    Examples
    --------
    >>> whole = InstrumentList(("piano", "voice"))
    >>> partly = InstrumentList((), absent=("voice",), closed=False)
    >>> judged_by_both([[whole, partly]], InstrumentOptions())(whole, partly).labels
    ('voice',)
    """
    every = [annotation for item in items for annotation in item if annotation is not None]
    if not any(_is_open(annotation, options) for annotation in every):
        return None
    only_present = _name_only_present(items, options)

    def pair(reference: InstrumentList, estimate: InstrumentList) -> InstrumentList:
        if only_present and (_is_open(reference, options) or _is_open(estimate, options)):
            return replace(reference, labels=(), absent=(), closed=False)
        return (
            _restricted(annotated(reference, options), estimate) if _is_open(estimate, options) else reference
        )

    return pair


def _restricted(reference: InstrumentList, estimate: InstrumentList) -> InstrumentList:
    """Return what a reference says of the labels that an open estimate judged."""
    judged = dict.fromkeys((*estimate.labels, *estimate.absent))
    present = tuple(label for label in reference.labels if label in judged)
    absent = judged.keys() - present if reference.closed else judged.keys() & set(reference.absent)
    return replace(
        reference,
        labels=present,
        scores=np.empty(0),
        absent=tuple(label for label in judged if label in absent),
        closed=False,
        grades=np.empty(0, dtype=np.int64),
    )
