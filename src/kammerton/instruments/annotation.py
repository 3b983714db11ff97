# SPDX-License-Identifier: MIT
"""The instruments of a recording, or the documents of a query, and how they are packed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kammerton.model.task import PackedColumn, Packing

_UNSCORED: NDArray[np.float64] = np.empty(0)
_UNGRADED: NDArray[np.int64] = np.empty(0, dtype=np.int64)


class Segment(NamedTuple):
    """A time in which an instrument sounds, in seconds."""

    start: float
    end: float
    label: str


@dataclass(frozen=True, slots=True, eq=False)
class InstrumentList:
    """Instruments of a recording as an annotator or a system lists them; or recordings of a query.

    Parameters
    ----------
    labels : tuple of str
        Each once, in the order of the source: the best first if they are ranked.
    scores : ndarray of float64, shape (len(labels),), or empty
        Confidence of each label; empty where the source has none.
    ranked : bool
        Whether the order, or the scores, rank the labels by how likely they are. A set is not ranked.
    vector : bool
        Whether every label of a vocabulary has a score, so that being listed means nothing until a
        threshold or a number of best labels makes a list of them.
    absent : tuple of str
        Labels that were judged not to be there.
    closed : bool
        Whether a label that is in neither list is not there; else it was not judged.
    grades : ndarray of int64, shape (len(labels),), or empty
        How relevant each label is, 1 or more; empty where all count 1.
    query : bool
        Whether this is a query, and its labels are documents, which belong to no taxonomy.
    segments : tuple of Segment
        When labels sound, if a system says so; JAMS files have it. Readers leave it out.

    Notes
    -----
    Made by :func:`kammerton.instruments.read` and by everything that takes lists of labels; the
    constructor does not check.

    Examples
    --------
    >>> len(InstrumentList(("piano", "voice"), ranked=True))
    2
    """

    labels: tuple[str, ...]
    scores: NDArray[np.float64] = field(default_factory=lambda: _UNSCORED)
    ranked: bool = False
    vector: bool = False
    absent: tuple[str, ...] = ()
    closed: bool = True
    grades: NDArray[np.int64] = field(default_factory=lambda: _UNGRADED)
    query: bool = False
    segments: tuple[Segment, ...] = ()

    def __len__(self) -> int:
        """Return the number of labels."""
        return len(self.labels)


_LISTS = ("labels", "scores", "absent", "grades")
_FLAGS = ("ranked", "vector", "closed", "query")


def _pack(annotation: InstrumentList) -> Mapping[str, Any]:
    return {name: getattr(annotation, name) for name in (*_LISTS, *_FLAGS)}


def _unpack(columns: Mapping[str, PackedColumn]) -> Sequence[InstrumentList | None]:
    lists = zip(*(columns[name].parts() for name in _LISTS), strict=True)
    flags = zip(*(columns[name].values.tolist() for name in _FLAGS), strict=True)
    return [
        None
        if odd or "" in (listed := (*labels, *absent)) or len(set(listed)) < len(listed)
        else InstrumentList(
            labels=tuple(labels),
            scores=scores,
            absent=tuple(absent),
            grades=grades,
            **dict(zip(_FLAGS, values, strict=True)),
        )
        for (labels, scores, absent, grades), values, odd in zip(lists, flags, _odd(columns), strict=True)
    ]


def _odd(columns: Mapping[str, PackedColumn]) -> list[bool]:
    """Return which lists have scores or grades that are not one for each label, or cannot be such."""
    labels, scores, grades = (columns[name] for name in ("labels", "scores", "grades"))
    odd = scores.having(~np.isfinite(scores.values)) | grades.having(grades.values < 1)
    for column in (scores, grades):
        odd |= (column.lengths > 0) & (column.lengths != labels.lengths)
    flags: list[bool] = odd.tolist()
    return flags


PACKING = Packing(
    lists={"labels": "text", "scores": "real", "absent": "text", "grades": "whole"},
    single=dict.fromkeys(_FLAGS, "flag"),
    pack=_pack,
    unpack=_unpack,
    rows=len,
    choices=frozenset(
        ("taxonomy", "map", "unknown", "casefold", "truth_threshold", "assume_absent", "ranked")
    ),
)
