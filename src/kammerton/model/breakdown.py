# SPDX-License-Identifier: MIT
"""Where a corpus was wrong, class by class: matrices of confusion, and classes below their families."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = ["Breakdown", "Matrix", "Node", "commonest", "counted_node"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """Amounts by two classes, such as what was annotated and what was said.

    Parameters
    ----------
    title : str
        What is counted, as a heading.
    down, across : str
        What the rows and the columns are.
    rows, columns : tuple of str
        Classes in the order of drawing.
    cells : mapping of (str, str) to float
        Amount by row and column; what is not there is 0.
    right : frozenset of (str, str)
        Cells of what is right.
    share : {"row", "all"}
        Whether shares are of a row, or of everything.
    note : str
        What a reader must know.
    """

    title: str
    down: str
    across: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[str, str], float]
    right: frozenset[tuple[str, str]] = frozenset()
    share: Literal["row", "all"] = "row"
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A class, and how well it is found.

    Parameters
    ----------
    depth : int
        0 at the top; what is below a class follows it.
    name : str
    support : float
        How much of the references it is in.
    precision, recall : float
        Shares; NaN where it was never said, or never annotated.
    """

    depth: int
    name: str
    support: float
    precision: float
    recall: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakdown:
    """What went wrong with one system, class by class.

    Parameters
    ----------
    unit : str
        Unit of the amounts.
    matrices : tuple of Matrix
    nodes : tuple of Node
        Classes below their families, where there are such.
    """

    unit: str
    matrices: tuple[Matrix, ...] = ()
    nodes: tuple[Node, ...] = ()


def commonest(cells: Mapping[tuple[str, str], float], side: int) -> tuple[str, ...]:
    """Return the classes of a side, that which there is most of first; of as much, by name.

    Examples
    --------
    >>> commonest({("maj", "min"): 2.0, ("min", "maj"): 1.0, ("dim", "maj"): 2.0}, 1)
    ('maj', 'min')
    >>> commonest({("maj", "min"): 2.0, ("min", "maj"): 1.0, ("dim", "maj"): 2.0}, 0)
    ('dim', 'maj', 'min')
    """
    sums: dict[str, float] = {}
    for classes, weight in cells.items():
        sums[classes[side]] = sums.get(classes[side], 0.0) + weight
    return tuple(sorted(sums, key=lambda name: (-sums[name], name)))


def counted_node(depth: int, name: str, *, hits: float, misses: float, spurious: float) -> Node:
    """Return a class with its figures.

    Examples
    --------
    >>> counted_node(0, "oboe", hits=3, misses=1, spurious=0)
    Node(depth=0, name='oboe', support=4, precision=1.0, recall=0.75)
    """
    said, support = hits + spurious, hits + misses
    return Node(
        depth=depth,
        name=name,
        support=support,
        precision=hits / said if said else math.nan,
        recall=hits / support if support else math.nan,
    )
