# SPDX-License-Identifier: MIT
"""Which item is worst, and why."""

from __future__ import annotations

from collections.abc import Iterator

from kammerton.errors import plural
from kammerton.reporting.costs import costliest_items
from kammerton.reporting.html.answer import Answer
from kammerton.reporting.html.filling import sentence, shown
from kammerton.reporting.html.judges import judges_of, values_by_annotator
from kammerton.reporting.html.numbers import figure, unit_of
from kammerton.reporting.html.sections import Section
from kammerton.reporting.html.source import Draw, Source
from kammerton.statistics.ranks import is_tie, scale_of

__all__ = ["worst_item"]

_NO_ANNOTATIONS = (
    "Why is not told: the run has no annotations, from which items are laid out. kammerton score --out keeps "
    "them, unless they are too many or --no-annotations is given."
)
_NAMED = 6
"""Annotators whose figures are told one by one."""


def worst_item(source: Source, drawn: Section | None, draw: Draw | None) -> Answer | None:
    """Say which item the best system does worst on and why, and which cost most."""
    measure = source.main
    if source.worst is None:
        return None
    value, place, system = source.worst
    name, number = source.items[place], str(place)
    answer = f"{shown(name, 100)}: {figure(value, measure)} {unit_of(measure)} for {shown(system, 60)}."
    dearest = costliest_items(source.scores, measure, 3)
    values = source.of_items(measure, system)
    alike = sum(is_tie(each, value, scale_of(measure)) for each in values) - 1
    details = [f"{plural(alike, 'other item')} scored the same."] if alike else []
    details += _told(source, name, system)
    details += _why(source, draw, (name, judges_of(source).get(name)), system)
    if measure.range == (0.0, 1.0) and dearest:
        whose = "all systems" if source.scores.systems[1:] else "it"
        names = ", ".join(shown(each, 100) for each in dearest)
        unit = measure.weight_unit
        size = {"s": " and length", "files": ""}.get(unit, f" and number of {unit}")
        details.append(f"The items that cost {whose} most, by score{size}: {names}.")
    part, more = ("items", "All items")
    if drawn is not None and number in drawn.data["items"]:
        part, more = f"item-{number}", "Where it lost the points"
    return Answer(
        question="Which item is worst, and why?", answer=answer, details=tuple(details), part=part, more=more
    )


def _told(source: Source, item: str, system: str) -> Iterator[str]:
    """Say what an item scored against each annotator, if there are several."""
    known = values_by_annotator(source, source.main, system)
    told = [
        f"{figure(values[item], source.main)} against {shown(name, 60)}"
        for name, values in known.items()
        if item in values
    ]
    if told[1:]:
        more = f" and {len(told) - _NAMED} more" if told[_NAMED:] else ""
        yield f"Annotator by annotator: {', '.join(told[:_NAMED])}{more}."


def _why(source: Source, draw: Draw | None, item: tuple[str, str | None], system: str) -> Iterator[str]:
    """Say why a system did no better on an item, if it can be laid out."""
    if draw is None and source.scores.origin.task.view is not None:
        yield _NO_ANNOTATIONS
    view = None if draw is None else draw(*item)
    for reason in () if view is None else view.reasons.get(system, ()):
        yield shown(sentence(reason), 400)
