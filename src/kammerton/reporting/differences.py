# SPDX-License-Identifier: MIT
"""What differs between two runs, for readers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

from kammerton.errors import out_of
from kammerton.model.measure import Measure
from kammerton.reporting.tables import FORMS, aligned, format_score
from kammerton.runs.diff import Change, ItemChange, RunDifference

_SHOWN = 20
"""Items that are shown to readers; programs get all."""


def render_difference(
    difference: RunDifference, form: str, *, encoding: str = "utf-8", most: int = _SHOWN
) -> str:
    """Return the corpus scores and items that changed as tables, the largest changes of items first.

    Those of headline measures are shown where there are any, and of items as many as ``most``.
    """
    draw = partial(aligned, encoding=encoding) if form == "table" else FORMS[form]
    mark, blank = ("", "") if form == "table" else ("### ", "\n")
    parts = []
    for title, head, rows, text_columns, left_out in _tables(difference, most):
        if rows:
            part = f"{mark}{title}\n{blank}{draw(head, rows, text_columns=text_columns)}"
            more = f"{blank}and {left_out:,} more: --format json has all of them\n" if left_out else ""
            parts.append(part + more)
    of_both = " of what both runs have" if any(map(_is_of_one, difference.notes)) else ""
    return "\n".join(parts) if parts else f"nothing changed{of_both}\n"


def _is_of_one(note: str) -> bool:
    return note.startswith("only ")


_Table = tuple[str, Sequence[str], list[list[str]], int, int]
_VALUES = ("before", "after", "difference")


def _tables(difference: RunDifference, most: int) -> Iterator[_Table]:
    """Give title, head, rows, number of columns of text, and how many rows are not shown."""
    changed = [change for change in difference.scores if change.changed]
    shown = [
        change
        for change in changed
        if change.measure.headline and change.aggregate == change.measure.aggregate
    ]
    listed = shown or changed
    rows = [
        [
            change.system,
            change.annotator,
            str(change.measure),
            change.aggregate.replace("_", " "),
            *_values(change),
        ]
        for change in listed
    ]
    names = ("system", "annotator", "measure", "aggregate")
    yield "Corpus scores", (*names, *_VALUES), rows, 4, len(changed) - len(rows)
    headline = [change for change in difference.items if change.measure.headline] or difference.items
    largest = sorted(headline, key=_size, reverse=True)[:most]
    rows = [
        [change.system, change.item, change.annotator, str(change.measure), _status(change), *_values(change)]
        for change in largest
    ]
    keys = ("system", "item", "annotator", "measure", "status")
    yield "Items", (*keys, *_VALUES), rows, 5, len(difference.items) - len(rows)
    for when, only in (("before", difference.only_before), ("after", difference.only_after)):
        rows = [[change.system, change.item, change.annotator or ""] for change in only[:most]]
        yield f"Items only {when}", ("system", "item", "annotator"), rows, 3, len(only) - len(rows)


def _size(change: ItemChange) -> float:
    """Return how large a change is; one from or to nothing is larger than any."""
    return math.inf if math.isnan(change.difference) else abs(change.difference)


def _status(change: ItemChange) -> str:
    if change.status_before == change.status_after:
        return change.status_after
    return f"{change.status_before}, now {change.status_after}"


def _values(change: Change) -> list[str]:
    """Return before, after and difference as tables print scores; a difference has its sign."""
    cells = [_score(value, change.measure) for value in (change.before, change.after)]
    if math.isnan(change.difference):
        return [*cells, ""]
    text = _score(change.difference, change.measure)
    return [*cells, text if text.startswith("-") else f"+{text}"]


def _score(value: float, measure: Measure) -> str:
    return "-" if math.isnan(value) else format_score(value, measure, 2)


def summary_of(difference: RunDifference) -> str:
    """Return in a line how much changed."""
    items = len({(change.system, change.item) for change in difference.items})
    scores = sum(change.changed for change in difference.scores)
    only = len(difference.only_before) + len(difference.only_after)
    parts = [f"{out_of(items, difference.compared, 'item')} changed"]
    parts += [f"{only:,} only in one run"] if only else []
    parts.append(f"{out_of(scores, len(difference.scores), 'corpus score')} changed")
    within = f" by more than {difference.tolerance:g}" if difference.tolerance else ""
    return "; ".join(parts) + within
