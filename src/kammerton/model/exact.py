# SPDX-License-Identifier: MIT
"""Class tables summed exactly: however a corpus is cut, its cells are the same to the last bit.

The sum of floating-point numbers depends on their order. A cell therefore keeps a few numbers whose exact
sum is that of all that were added [1]_, and is rounded once, at the end.

References
----------
.. [1] Shewchuk, J. R. (1997). Adaptive precision floating-point arithmetic and fast robust geometric
   predicates. Discrete & Computational Geometry 18, 305-363. https://doi.org/10.1007/PL00009321
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from kammerton.model.evidence import Tally
from kammerton.model.rows import Group
from kammerton.model.task import Classes, ClassTable

__all__ = ["ExactTally", "add_tables", "condensed", "in_order", "summed"]

_MANY = 64
"""Terms that a cell holds before they are condensed."""


def condensed(terms: Iterable[float]) -> list[float]:
    """Return few numbers, the largest first, that have exactly the same sum.

    Parameters
    ----------
    terms : iterable of float
        Finite.

    Examples
    --------
    >>> condensed([1e16, 1.0, 1.0, 1.0])
    [1.0000000000000004e+16, -1.0]
    """
    rest, found = list(terms), []
    while total := math.fsum(rest):
        found.append(total)
        rest.append(-total)
    return found


@dataclass(slots=True, eq=False)
class ExactTally:
    """A class table that is being summed: the terms of each cell, by group and classes."""

    columns: tuple[str, ...]
    unit: str
    cells: dict[Group, dict[Classes, list[float]]] = field(default_factory=dict)

    def add(self, other: ExactTally) -> None:
        """Add the cells of another table of that name."""
        for group, cells in other.cells.items():
            into = self.cells.setdefault(group, {})
            for classes, terms in cells.items():
                own = into.setdefault(classes, [])
                own += terms
                if len(own) > _MANY:
                    own[:] = condensed(own)

    def rounded(self, groups: Iterable[Group]) -> Tally:
        """Return the table, groups in this order, cells in that of their classes."""
        cells = {group: self.cells[group] for group in groups if group in self.cells}
        return Tally(
            self.columns,
            self.unit,
            {
                group: {classes: _rounded(found[classes]) for classes in in_order(found)}
                for group, found in cells.items()
            },
        )


def _rounded(terms: Sequence[float]) -> float:
    return terms[0] if len(terms) == 1 else math.fsum(terms)


def summed(tallies: Sequence[ExactTally]) -> ExactTally:
    """Return the sum of tables of one name, at least one; it may be one of them."""
    if len(tallies) == 1:
        return tallies[0]
    whole = ExactTally(tallies[0].columns, tallies[0].unit)
    for tally in tallies:
        whole.add(tally)
    return whole


def add_tables(tallies: dict[str, ExactTally], tables: Iterable[ClassTable], groups: Sequence[Group]) -> None:
    """Add class tables of cases to those of all groups."""
    for table in tables:
        if table.name not in tallies:
            tallies[table.name] = ExactTally(table.columns, table.unit, {group: {} for group in groups})
        own = [tallies[table.name].cells[group] for group in groups]
        rows = zip(table.groups.tolist(), table.classes, table.weights.tolist(), strict=True)
        for group, classes, weight in rows:
            terms = own[group].setdefault(classes, [])
            terms.append(weight)
            if len(terms) > _MANY:
                terms[:] = condensed(terms)


def in_order(found: Iterable[Classes]) -> list[Classes]:
    """Sort classes: nothing first, then numbers, then names."""
    known = list(found)
    try:
        return sorted(known)
    except TypeError:  # of two kinds
        return sorted(known, key=_of_any_kind)


@lru_cache(maxsize=1 << 14)  # the same classes come in every group, and every table
def _of_any_kind(classes: Classes) -> tuple[tuple[int, str | int], ...]:
    return tuple(
        (0, 0) if each is None else (1, each) if isinstance(each, int) else (2, each) for each in classes
    )
