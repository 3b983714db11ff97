# SPDX-License-Identifier: MIT
"""Which finger was given for which, hand by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from kammerton.model.breakdown import Breakdown, Matrix
from kammerton.model.task import Classes

__all__ = ["finger_breakdown"]

_HANDS = {"R": "Right hand", "L": "Left hand"}
_FINGERS = tuple("12345")
_OTHER = "anything else"


def finger_breakdown(tables: Mapping[str, Mapping[Classes, float]], _: object = None) -> Breakdown | None:
    """Return a confusion of five by five fingers for each hand; None without the table ``confusion``.

    Examples
    --------
    >>> found = finger_breakdown({"confusion": {("R1", "R1"): 3.0, ("R1", "R2"): 1.0, ("R2", "L2"): 2.0}})
    >>> found.matrices[0].cells
    {('1', '1'): 3.0, ('1', '2'): 1.0, ('2', 'anything else'): 2.0}
    """
    cells = tables.get("confusion", {})
    found = [_of_hand(letter, cells) for letter in _HANDS]
    matrices = tuple(each for each in found if each is not None)
    return Breakdown(unit="notes", matrices=matrices) if matrices else None


def _of_hand(letter: str, cells: Mapping[Classes, float]) -> Matrix | None:
    """Return the confusion of one hand, if the reference has any note of it."""
    counts: Counter[tuple[str, str]] = Counter()
    for (reference, estimate), notes in cells.items():
        finger = _finger(str(reference), letter)
        if str(reference).startswith(letter) and notes:
            counts[finger, _finger(str(estimate), letter)] += notes  # type: ignore[assignment]
    if not counts:
        return None
    others = [any(pair[side] == _OTHER for pair in counts) for side in (0, 1)]
    rows, columns = ((*_FINGERS, _OTHER) if other else _FINGERS for other in others)
    return Matrix(
        title=_HANDS[letter],
        down="finger",
        across="estimated finger",
        rows=rows,
        columns=columns,
        cells=dict(sorted(counts.items())),
        right=frozenset((finger, finger) for finger in _FINGERS),
        note="Per cent of the notes of each finger, over all annotators.",
    )


def _finger(label: str, letter: str) -> str:
    """Return the finger of a label of one hand; of the other hand, of none, or a change is anything else."""
    finger = label.removeprefix(letter)
    return finger if label.startswith(letter) and finger in _FINGERS else _OTHER
