# SPDX-License-Identifier: MIT
"""Which class of labels costs most: a chord quality, a finger, an instrument."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from kammerton.model.corpus import ALL
from kammerton.model.costs import ClassCost, ClassCosts
from kammerton.reporting.html.answer import Answer
from kammerton.reporting.html.classes import costs_of
from kammerton.reporting.html.filling import sentence, shown
from kammerton.reporting.html.numbers import part_of
from kammerton.reporting.html.source import Source

__all__ = ["dearest_class"]

_OTHERS = 3
"""Systems of which it is told what costs most."""
_TIED = 4
"""Classes that are named where they tie."""


def dearest_class(source: Source) -> Iterator[Answer]:
    """Say which class of labels cost the best system most, and by what that is counted."""
    system = source.ranked[0]
    found = costs_of(source, system)
    if found is None:
        return
    question = f"Which {found.kind} costs most?"
    if found.needs:
        yield Answer(question=question, answer="Not known here.", details=(found.needs,))
    dearest = _dearest(found)
    if not dearest:
        return
    first, by = dearest[0], f" by {found.by}" if found.by else ""
    whole = sum(row.lost for row in found.rows)
    lost = (
        f"{100 * first.lost / whole:.0f} % of what {shown(system, 60)} lost{by}{_against(source, system)}: "
        f"{part_of(first.lost, whole, found.unit_of_loss)}"
    )
    instead = found.instead.format(shown(first.instead, 60)) if first.instead and not dearest[1:] else ""
    others = (f"{shown(each, 60)}: {_named(source, each)}" for each in source.ranked[1:_OTHERS])
    counted = f"{source.main}, which heads this section, counts otherwise." if by else ""
    yield Answer(
        question=question,
        answer=sentence(f"{_called(found.kind, dearest)} {lost}"),
        details=tuple(filter(None, (instead, *others, found.rule, counted))),
        part="costs",
        more=f"Each {found.kind}",
    )


def _dearest(found: ClassCosts) -> list[ClassCost]:
    """Return the classes that cost most: several if they cost the same, none if none cost anything."""
    most = max((row.lost for row in found.rows), default=0.0)
    return [row for row in found.rows if most > 0 and math.isclose(row.lost, most, rel_tol=1e-9)]


def _called(kind: str, dearest: Sequence[ClassCost]) -> str:
    """Name what cost most, or say that several tie."""
    names = [shown(row.name, 60) for row in dearest]
    if not names[1:]:
        return f"{kind} {names[0]}, with"
    if names[_TIED:]:
        names = [*names[: _TIED - 1], f"{len(names) - _TIED + 1} more"]
    return f"no single {kind}: {', '.join(names[:-1])} and {names[-1]} tie, each with"


def _named(source: Source, system: str) -> str:
    """Name what cost another system most, and its share."""
    found = costs_of(source, system)
    dearest = [] if found is None else _dearest(found)
    if found is None or not dearest:
        return "nothing was lost."
    share = 100 * dearest[0].lost / sum(row.lost for row in found.rows)
    return f"{_called(found.kind, dearest)} {share:.0f} %."


def _against(source: Source, system: str) -> str:
    """Say that amounts are summed over annotators, where they are."""
    cells = (key for name in source.scores.tables for key in source.scores.tally(name).cells)
    people = {annotator for of_system, annotator in cells if of_system == system and annotator != ALL}
    return f" against {len(people)} annotators together" if len(people) > 1 else ""
