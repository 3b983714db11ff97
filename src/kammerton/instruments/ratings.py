# SPDX-License-Identifier: MIT
"""Lists of instruments as ratings: whether each annotator heard each instrument."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

import numpy as np

from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.lists import Lists
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.shaping import build_columns
from kammerton.instruments.taxonomy import Taxonomy
from kammerton.model.ratings import Ratings
from kammerton.model.task import Case

__all__ = ["ratings"]


def ratings(
    annotations: Sequence[InstrumentList | None], options: InstrumentOptions | None = None
) -> Ratings:
    """Return whether each instrument is there.

    Parameters
    ----------
    annotations : sequence of InstrumentList or None
        Of one recording, by annotator; None where there is none.
    options : InstrumentOptions, optional
        Units are the leaves of its taxonomy, or their ancestors at its level, and whatever else is listed;
        without a taxonomy, what is listed.

    Returns
    -------
    Ratings
        A unit is a recording and an instrument; what an annotator did not judge has no label.

    Examples
    --------
    >>> found = ratings([InstrumentList(("piano", "voice")), InstrumentList(("voice",))])
    >>> found.labels, found.codes.tolist()
    (('absent', 'present'), [[1, 0], [1, 1]])
    """
    options = options or InstrumentOptions()
    given = [annotation for annotation in annotations if annotation is not None]
    columns = build_columns([Case((annotation,), InstrumentList(())) for annotation in given], options)
    present, absent = (_by_rater(lists, columns.labels) for lists in (columns.truth, columns.absent))
    units = dict.fromkeys(_every_label(columns.tree, options.level))
    for labels in zip(present, absent, strict=True):
        units.update(dict.fromkeys(chain(*labels)))
    codes = np.full((len(units), len(annotations)), -1, dtype=np.int64)
    raters = [rater for rater, annotation in enumerate(annotations) if annotation is not None]
    for rater, there, not_there, closed in zip(
        raters, map(set, present), map(set, absent), columns.closed.tolist(), strict=True
    ):
        unsaid = 0 if closed else -1
        codes[:, rater] = [1 if unit in there else 0 if unit in not_there else unsaid for unit in units]
    return Ratings(("absent", "present"), codes)


def _by_rater(lists: Lists, labels: Sequence[str]) -> list[list[str]]:
    names = [labels[code] for code in lists.codes.tolist()]
    return [names[begin:end] for begin, end in pairwise(lists.offsets.tolist())]


def _every_label(tree: Taxonomy | None, level: int) -> Iterator[str]:
    for leaf in () if tree is None else tree.leaves:
        yield from tree.project(leaf, level) if tree is not None and level else (leaf,)
