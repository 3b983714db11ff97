# SPDX-License-Identifier: MIT
"""Where chords were wrong over a corpus: which interval the root was off by, and which quality was heard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from kammerton.model.breakdown import Breakdown, Matrix, commonest
from kammerton.model.task import Classes

__all__ = ["chord_breakdown"]

_INTERVALS = (
    "same root",
    "+1 minor 2nd",
    "+2 major 2nd",
    "+3 minor 3rd",
    "+4 major 3rd",
    "+5 fourth",
    "+6 tritone",
    "+7 fifth",
    "+8 minor 6th",
    "+9 major 6th",
    "+10 minor 7th",
    "+11 major 7th",
)
_BOTH, _ONE = "no root in either", "no root in one"
_ROOTLESS = frozenset(("N", "silence", "X"))


def chord_breakdown(tables: Mapping[str, Mapping[Classes, float]], _: object = None) -> Breakdown | None:
    """Return confusions of roots and of qualities; None without the table ``confusion``.

    Examples
    --------
    >>> found = chord_breakdown({"confusion": {(0, "maj", "maj"): 3.0, (7, "maj", "min"): 1.0}})
    >>> found.matrices[0].cells["+7 fifth", "min"]
    1.0
    """
    cells = tables.get("confusion", {})
    if not cells:
        return None
    roots: Counter[tuple[str, str]] = Counter()
    qualities: Counter[tuple[str, str]] = Counter()
    right: set[tuple[str, str]] = set()
    for (interval, reference, estimate), seconds in cells.items():
        roots[_row(interval, str(reference), str(estimate)), str(estimate)] += seconds  # type: ignore[assignment]
        if interval in (0, None):
            qualities[str(reference), str(estimate)] += seconds  # type: ignore[assignment]
            if reference == estimate:
                right.add((str(reference), str(estimate)))
    return Breakdown(unit="s", matrices=(_of_roots(roots), _of_qualities(qualities, right)))


def _row(interval: str | int | None, reference: str, estimate: str) -> str:
    if interval is not None:
        return _INTERVALS[int(interval)]
    return _BOTH if {reference, estimate} <= _ROOTLESS else _ONE


def _of_roots(cells: Counter[tuple[str, str]]) -> Matrix:
    used = {row for row, _ in cells}
    return Matrix(
        title="Roots: how far the estimated one lies above the reference's",
        down="interval",
        across="estimated quality",
        rows=tuple(row for row in (*_INTERVALS, _BOTH, _ONE) if row in used),
        columns=commonest(cells, 1),
        cells=cells,
        right=frozenset(cell for cell in cells if cell[0] in (_INTERVALS[0], _BOTH)),
        share="all",
        note="Per cent of all time; right is the root, whatever the quality.",
    )


def _of_qualities(cells: Counter[tuple[str, str]], right: set[tuple[str, str]]) -> Matrix:
    rows = commonest(cells, 0)
    columns = commonest(cells, 1)
    same = tuple(name for name in rows if name in columns)
    return Matrix(
        title="Qualities, where the root is right or a side has none",
        down="quality",
        across="estimated quality",
        rows=rows,
        columns=same + tuple(name for name in columns if name not in same),
        cells=cells,
        right=frozenset(right),
        note="Per cent of the time of each quality in the reference.",
    )
