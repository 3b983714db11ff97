# SPDX-License-Identifier: MIT
"""What a reader of figures must know: annotators without labels, and labels that fit better otherwise.

Both are told from class tables, so that it costs nothing to look.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from kammerton.errors import Diagnostic, plural
from kammerton.fingering.columns import Columns
from kammerton.model.task import Classes, ClassTable

__all__ = ["remark", "unlabelled_table"]

_SILENT = "without any finger, counted as none"
_LEFT_OUT = "left out for notes without finger"
_AS_THEY_ARE = "taken with their notes without finger, as nobody labelled all notes"

_UNPREDICTED = "no finger from the system"

_RISE = 0.25
"""By how much an accuracy must rise before it is no accident."""

_LEAST = 0.5
"""Accuracy from which on labels are taken for those that were meant."""

_ENOUGH = 20
"""Notes below which labels may fit otherwise by chance."""

_HANDS = {"R": "L", "L": "R"}


def unlabelled_table(columns: Columns, *, complete: bool) -> ClassTable:
    """Count annotators who left notes unlabelled, and notes that estimates left so, and their items.

    Parameters
    ----------
    columns : Columns
        Estimates and their references.
    complete : bool
        Whether a protocol asks for annotators who labelled every note.
    """
    groups: list[int] = []
    classes: list[Classes] = []
    weights: list[int] = []
    counts = {_UNPREDICTED: columns.unpredicted, _SILENT: columns.silent}
    if complete:
        counts |= {_LEFT_OUT: columns.left_out, _AS_THEY_ARE: columns.lacking}
    for group in np.unique(columns.groups).tolist():
        for fate, each in counts.items():
            found = each[columns.groups == group]
            if found.any():
                groups += [group, group]
                classes += [(fate, "notes" if fate == _UNPREDICTED else "annotators"), (fate, "items")]
                weights += [int(found.sum()), int(np.count_nonzero(found))]
    return ClassTable(
        "unlabelled",
        ("fate", "what"),
        "count",
        np.array(groups, dtype=np.int64),
        classes,
        np.array(weights, dtype=float),
    )


def remark(tables: Mapping[str, Mapping[Classes, float]]) -> Iterator[Diagnostic]:
    """Say what the class tables of a system tell.

    Parameters
    ----------
    tables : mapping of str to mapping
        Weights by classes, by name of the table.
    """
    yield from _unlabelled(tables.get("unlabelled", {}))
    yield from _misread(tables.get("confusion", {}))


def _unlabelled(cells: Mapping[Classes, float]) -> Iterator[Diagnostic]:
    for fate in dict.fromkeys(fate for fate, _ in cells):
        if fate == _UNPREDICTED:
            notes = f"{_count(cells[fate, 'notes'], 'note')} of {_count(cells[fate, 'items'], 'item')}"
            message = f"{fate}: {notes}, which count as wrong"
            yield Diagnostic(code="KT379", severity="note", message=message)
            continue
        annotators, items = cells[fate, "annotators"], cells[fate, "items"]
        counted = f"{_count(annotators, 'fingering')} of {_count(items, 'item')}"
        if fate == _SILENT:
            yield Diagnostic(code="KT374", severity="warning", message=f"{fate}: {counted}")
        else:
            yield Diagnostic(code="KT374", severity="note", message=f"nakamura2020: {fate}: {counted}")


def _count(number: float, what: str) -> str:
    return plural(round(number), what)


def _misread(cells: Mapping[Classes, float]) -> Iterator[Diagnostic]:
    """Tell an estimate whose hands are swapped, or whose fingers are counted from elsewhere."""
    labelled = {(str(ref), str(est)): notes for (ref, est), notes in cells.items() if ref != "missing"}
    total = sum(labelled.values())
    if total < _ENOUGH:
        return
    rates = {
        what: sum(notes for (ref, est), notes in labelled.items() if meant(est) == ref) / total
        for what, meant in _MEANT.items()
    }
    real = rates.pop("")
    what, best = max(rates.items(), key=lambda found: found[1])
    if best >= max(_LEAST, real + _RISE):
        message = f"accuracy rises from {real:.2f} to {best:.2f} {what}"
        hint = "channels, signs and numbers of fingers may be those of another encoding"
        yield Diagnostic(code="KT378", severity="warning", message=message, hint=hint)


def _swapped(label: str) -> str:
    return _HANDS.get(label[0], "") + label[1:]


def _moved(step: int) -> Callable[[str], str]:
    """Return what makes of a finger the one ``step`` further from the thumb."""
    fingers = [f"{hand}{number}" for hand in _HANDS for number in range(1, 6)]
    known = {label: f"{label[0]}{int(label[1]) + step}" for label in fingers}
    return lambda label: known.get(label, label)


_MEANT: Mapping[str, Callable[[str], str]] = {
    "": str,
    "if the hands of the estimate are swapped": _swapped,
    "if every finger of the estimate is one higher": _moved(1),
    "if every finger of the estimate is one lower": _moved(-1),
}
"""What labels of an estimate may have been meant as."""
