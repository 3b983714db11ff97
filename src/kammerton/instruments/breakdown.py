# SPDX-License-Identifier: MIT
"""How well each instrument and family is found, and which was said in place of which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from kammerton.instruments.anatomy import RELATIONS
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.taxonomy import Taxonomy
from kammerton.model.breakdown import Breakdown, Matrix, Node, commonest, counted_node
from kammerton.model.task import Classes

__all__ = ["instrument_breakdown"]

_LISTED = 14
"""Instruments that a matrix has on a side."""

Outcomes = Mapping[str, Mapping[str, float]]


def instrument_breakdown(
    tables: Mapping[str, Mapping[Classes, float]], options: InstrumentOptions
) -> Breakdown | None:
    """Return families with their instruments, and confusions; None without the table ``instruments``.

    Examples
    --------
    >>> outcomes = {("cello", "hit"): 2.0, ("cello", "miss"): 1.0, ("viola", "spurious"): 1.0}
    >>> instead = {("cello", "viola", "stranger"): 1.0}
    >>> found = instrument_breakdown({"instruments": outcomes, "confusion": instead}, InstrumentOptions())
    >>> [(node.name, node.support) for node in found.nodes]
    [('cello', 3.0), ('viola', 0.0)]
    """
    outcomes = _outcomes(tables.get("instruments", {}))
    if not outcomes:
        return None
    families, inner = (_outcomes(tables.get(name, {})) for name in ("families", "subfamilies"))
    nodes = tuple(_nodes(outcomes, families, inner, options.tree))
    pairs = tables.get("confusion", {})
    if options.tree is None:
        matrices = [_matrix(pairs, RELATIONS, "Said where another was missed")]
    else:
        matrices = [
            _matrix(pairs, RELATIONS[:-1], "Said where another of the family was missed"),
            _matrix(pairs, RELATIONS[-1:], "Said where one of another family was missed"),
        ]
    return Breakdown(unit="files", matrices=tuple(each for each in matrices if each), nodes=nodes)


def _outcomes(table: Mapping[Classes, float]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for (name, outcome), files in table.items():
        found.setdefault(str(name), {})[str(outcome)] = files
    return found


def _nodes(
    instruments: Outcomes, families: Outcomes, subfamilies: Outcomes, tree: Taxonomy | None
) -> Iterator[Node]:
    """Give each family with what is below it, what is in most files first."""
    outcomes = {**instruments, **subfamilies, **families}
    inside = {} if tree is None else {name: each for name, each in outcomes.items() if name in tree.index}

    seen: set[str] = set()

    def descend(name: str, depth: int) -> Iterator[Node]:
        yield _node(depth, name, outcomes[name])
        is_new = name not in seen  # what is below a node with two parents stands once
        seen.add(name)
        if tree is not None and is_new and name in inside and name not in tree.roots:
            for child in _commonest({each: inside[each] for each in tree.children(name) if each in inside}):
                yield from descend(child, depth + 1)

    loose = {name: each for name, each in instruments.items() if name not in inside}
    for name in _commonest(families):
        if name in inside:
            yield from descend(name, 0)
    for name in _commonest(loose):
        yield from descend(name, 0)


def _commonest(outcomes: Outcomes) -> list[str]:
    return sorted(outcomes, key=lambda name: (-_support(outcomes[name]), name))


def _support(outcome: Mapping[str, float]) -> float:
    return outcome.get("hit", 0.0) + outcome.get("miss", 0.0)


def _node(depth: int, name: str, outcome: Mapping[str, float]) -> Node:
    hits, misses, spurious = (outcome.get(each, 0.0) for each in ("hit", "miss", "spurious"))
    return counted_node(depth, name, hits=hits, misses=misses, spurious=spurious)


def _matrix(pairs: Mapping[Classes, float], relations: Sequence[str], title: str) -> Matrix | None:
    """Return which instruments were said where others were missed that they are so related to."""
    cells: Counter[tuple[str, str]] = Counter()
    for (annotated, predicted, relation), files in pairs.items():
        if relation in relations:
            cells[str(annotated), str(predicted)] += files  # type: ignore[assignment]
    if not cells:
        return None
    rows, columns = commonest(cells, 0)[:_LISTED], commonest(cells, 1)[:_LISTED]
    kept = {cell: files for cell, files in cells.items() if cell[0] in rows and cell[1] in columns}
    left = cells.total() - sum(kept.values())
    return Matrix(
        title=title,
        down="missed",
        across="said instead",
        rows=rows,
        columns=columns,
        cells=dict(sorted(kept.items())),
        note="Per cent of what was said instead in the files in which an instrument was missed"
        + (f"; {left:,.0f} more pairs are of rarer instruments." if left else "."),
    )
