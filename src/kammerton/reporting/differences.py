# SPDX-License-Identifier: MIT
"""What differs between two runs, for readers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

from kammerton.errors import out_of
from kammerton.model.measure import Measure
from kammerton.reporting.tables import FORMS, aligned, figure
from kammerton.runs.diff import Change, ItemChange, RunDifference

__all__ = ["render_difference", "summary_of"]

_SHOWN = 20
"""Items that are shown to readers; programs get all."""


def render_difference(found: RunDifference, form: str, *, encoding: str = "utf-8") -> str:
    """Return the corpus figures and items that changed as tables, the largest changes of items first.

    Those of headline measures are shown where there are any.
    """
    draw = partial(aligned, encoding=encoding) if form == "table" else FORMS[form]
    mark, blank = ("", "") if form == "table" else ("### ", "\n")
    parts = []
    for title, head, rows, texts, left_out in _tables(found):
        if rows:
            part = f"{mark}{title}\n{blank}{draw(head, rows, texts=texts)}"
            more = f"{blank}and {left_out:,} more: --format json has all of them\n" if left_out else ""
            parts.append(part + more)
    return "\n".join(parts) if parts else "nothing changed\n"


_Table = tuple[str, Sequence[str], list[list[str]], int, int]
_VALUES = ("before", "after", "difference")


def _tables(found: RunDifference) -> Iterator[_Table]:
    """Give title, head, rows, number of columns of text, and how many rows are not shown."""
    changed = [each for each in found.scores if each.changed]
    shown = [each for each in changed if each.measure.headline and each.aggregate == each.measure.aggregate]
    figures = shown or changed
    rows = [
        [each.system, each.annotator, str(each.measure), each.aggregate.replace("_", " "), *_values(each)]
        for each in figures
    ]
    names = ("system", "annotator", "measure", "aggregate")
    yield "Corpus figures", (*names, *_VALUES), rows, 4, len(changed) - len(rows)
    headline = [each for each in found.items if each.measure.headline] or found.items
    largest = sorted(headline, key=_size, reverse=True)[:_SHOWN]
    rows = [
        [each.system, each.item, each.annotator, str(each.measure), _status(each), *_values(each)]
        for each in largest
    ]
    keys = ("system", "item", "annotator", "measure", "status")
    yield "Items", (*keys, *_VALUES), rows, 5, len(found.items) - len(rows)
    for when, only in (("before", found.only_before), ("after", found.only_after)):
        rows = [[each.system, each.item, each.annotator or ""] for each in only[:_SHOWN]]
        yield f"Items only {when}", ("system", "item", "annotator"), rows, 3, len(only) - len(rows)


def _size(change: ItemChange) -> float:
    """Return how large a change is; one from or to nothing is larger than any."""
    return math.inf if math.isnan(change.difference) else abs(change.difference)


def _status(change: ItemChange) -> str:
    if change.status_before == change.status_after:
        return change.status_after
    return f"{change.status_before}, now {change.status_after}"


def _values(change: Change) -> list[str]:
    """Return before, after and difference as tables print figures; a difference has its sign."""
    cells = [_figure(value, change.measure) for value in (change.before, change.after)]
    if math.isnan(change.difference):
        return [*cells, ""]
    told = _figure(change.difference, change.measure)
    return [*cells, told if told.startswith("-") else f"+{told}"]


def _figure(value: float, measure: Measure) -> str:
    return "-" if math.isnan(value) else figure(value, measure)


def summary_of(found: RunDifference) -> str:
    """Return in a line how much changed."""
    items = len({(each.system, each.item) for each in found.items})
    figures = sum(each.changed for each in found.scores)
    only = len(found.only_before) + len(found.only_after)
    parts = [f"{out_of(items, found.compared, 'item')} changed"]
    parts += [f"{only:,} only in one run"] if only else []
    parts.append(f"{out_of(figures, len(found.scores), 'corpus figure')} changed")
    within = f" by more than {found.tolerance:g}" if found.tolerance else ""
    return "; ".join(parts) + within
