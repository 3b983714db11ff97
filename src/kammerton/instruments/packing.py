# SPDX-License-Identifier: MIT
"""Lists of instruments in columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kammerton.instruments.annotation import InstrumentList
from kammerton.model.packing import PackedColumn, Packing

__all__ = ["PACKING"]

_LISTS = ("labels", "scores", "absent", "grades")
_FLAGS = ("ranked", "vector", "closed", "query")


def _pack(annotation: InstrumentList) -> Mapping[str, Any]:
    return {name: getattr(annotation, name) for name in (*_LISTS, *_FLAGS)}


def _unpack(columns: Mapping[str, PackedColumn]) -> Sequence[InstrumentList | None]:
    lists = zip(*(columns[name].parts() for name in _LISTS), strict=True)
    flags = zip(*(columns[name].values.tolist() for name in _FLAGS), strict=True)
    odd = _odd(columns).tolist()
    return [
        None
        if bad or _has_twice(labels, absent)
        else InstrumentList(
            labels=tuple(labels),
            scores=scores,
            absent=tuple(absent),
            grades=grades,
            **dict(zip(_FLAGS, told, strict=True)),
        )
        for (labels, scores, absent, grades), told, bad in zip(lists, flags, odd, strict=True)
    ]


def _odd(columns: Mapping[str, PackedColumn]) -> NDArray[np.bool_]:
    """Tell which lists have scores or grades that are not one for each label, or no numbers they can be."""
    labels, scores, grades = (columns[name] for name in ("labels", "scores", "grades"))
    odd = scores.having(~np.isfinite(scores.values)) | grades.having(grades.values < 1)
    for each in (scores, grades):
        odd |= (each.lengths > 0) & (each.lengths != labels.lengths)
    return odd


def _has_twice(labels: Sequence[str], absent: Sequence[str]) -> bool:
    listed = (*labels, *absent)
    return "" in listed or len(set(listed)) < len(listed)


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
