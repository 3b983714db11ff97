# SPDX-License-Identifier: MIT
"""How a caller wants the uncertainty of figures told."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from kammerton.errors import Diagnostic, OptionError, quote
from kammerton.formats.groups import group_items
from kammerton.model.corpus import Corpus
from kammerton.model.drawing import Drawing
from kammerton.model.evidence import Evidence
from kammerton.model.measure import Measure
from kammerton.model.scoring import Order, load_sides
from kammerton.model.signature import signed_file
from kammerton.model.surroundings import Surroundings, surround

if TYPE_CHECKING:
    from kammerton.statistics.bootstrap import Method

__all__ = ["check_drawing", "drawing_of", "few_resamples", "items_of", "likely_clusters", "surroundings_of"]

_LIKELY = ("^(.*)/", r"^(.*)[-_. ]\d+$")
"""Parts of names that items which belong together share: a folder, a name in front of a number."""


_ROUNDING = 1e-6
"""A level such as 0.9998 is as much off 1 but for its last digits, and its inverse by so many resamples."""


def likely_clusters(items: Sequence[str]) -> tuple[Diagnostic, ...]:
    """Say that items look as if some of them belonged together, if they do."""
    for pattern in _LIKELY:
        found = [re.search(pattern, item) for item in items]
        groups = Counter(match[1] for match in found if match is not None)
        if len(groups) > 1 and groups.total() == len(items) >= 2 * len(groups):
            message = (
                f"intervals take {len(items):,} items for independent, but by their names they belong to "
                f"{len(groups):,} groups, such as {quote(next(iter(groups)))}"
            )
            hint = f"if items of a group are alike, as songs of an album are, take `--cluster '{pattern}'`"
            return (Diagnostic(code="KT218", severity="note", message=message, hint=hint),)
    return ()


def few_resamples(ci: float, resamples: int) -> tuple[Diagnostic, ...]:
    """Say that resamples are too few for a level, if less than one lies beyond each end of an interval."""
    needed = math.ceil(2 / (1 - ci) - _ROUNDING)
    if resamples >= needed:
        return ()
    message = (
        f"{resamples:,} resamples are too few for intervals of {100 * ci:.10g} %: "
        "these end at the lowest and highest of them"
    )
    hint = f"--resamples {needed}, or a lower level"
    return (Diagnostic(code="KT222", severity="note", message=message, hint=hint),)


def items_of(evidence: Evidence) -> list[str]:
    """Return the names of all items, sorted."""
    return sorted(set().union(*(rows.items for rows in evidence.rows.values())))


def check_drawing(ci: float | None, resamples: int, seed: int, interval: Method, clusters: object) -> None:
    """Refuse before any work what would be refused once intervals are looked at.

    Raises
    ------
    OptionError
        If a choice is not possible.
    """
    from kammerton.statistics.bootstrap import check_method, tail_of  # noqa: PLC0415 - many runs look at none
    from kammerton.statistics.resampling import Resampling  # noqa: PLC0415

    if ci is not None:
        tail_of(ci)
        Resampling(0, resamples, seed)
        check_method(interval)
    elif clusters is not None:
        raise OptionError("clusters are for intervals, and there are to be none")


def drawing_of(
    ci: float | None,
    resamples: int,
    seed: int,
    interval: Method,
    clusters: Mapping[str, str] | str | None,
    items: Iterable[str],
) -> Drawing:
    """Return the drawing that a caller of :func:`kammerton.score` asked for, once it is checked.

    Raises
    ------
    OptionError
        If a regular expression is none, or an item has no cluster.
    DataError
        If a table of clusters cannot be read.
    """
    if ci is None:
        return Drawing()
    from kammerton.statistics.intervals import intervals  # noqa: PLC0415 - many runs look at none

    signed = {"ci": f"{ci:g},expanded-{interval},{resamples},{seed}"}
    drawn = None if clusters is None else group_items(clusters, items)
    if clusters is not None:
        signed["clusters"] = _signed(clusters)
    settings: dict[str, Any] = {
        "level": ci,
        "resamples": resamples,
        "seed": seed,
        "method": interval,
        "clusters": drawn,
    }
    return Drawing(ci, partial(intervals, **settings), signed, settings)


def surroundings_of(order: Order, corpus: Corpus, measures: Sequence[Measure]) -> Surroundings:
    """Return what the systems stand between, scored.

    The corpus is read once more, as a whole: what a trivial answer is depends on all of it.
    """
    from kammerton.statistics.context import context_of  # noqa: PLC0415 - few runs look at it

    sides = load_sides(order, corpus, measures)
    return surround(order.task, sides, options=order.options, missing=order.missing, stand=context_of)


def _signed(clusters: Mapping[str, str] | str) -> str:
    if not isinstance(clusters, str):
        return "given"
    path, colon, column = clusters.rpartition(":")
    return f"{signed_file(path)}{colon}{column}" if colon else clusters
