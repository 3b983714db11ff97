# SPDX-License-Identifier: MIT
"""The summary that opens a chapter: what readers ask first, with the answers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kammerton.errors import plural
from kammerton.model.corpus import ALL
from kammerton.model.measure import Measure
from kammerton.model.task import ClassLoss, ClassLosses
from kammerton.reporting.diagnostics import closing_line, excluded_lines
from kammerton.reporting.documents import items_that_lost_most
from kammerton.reporting.html.classes import losses_by_class
from kammerton.reporting.html.page import (
    OPTIONS,
    Draw,
    Section,
    Source,
    coded,
    fill,
    is_per_cent,
    part_of,
    sentence,
    shown,
)
from kammerton.reporting.html.scores import plots, shares_of
from kammerton.reporting.rankings import verdict
from kammerton.reporting.tables import format_score
from kammerton.results.context import ContextScore
from kammerton.statistics.paired import differences, is_tie, scale_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A question, its answer, and what it rests on."""

    question: str
    answer: str
    details: tuple[str, ...] = ()  # sentences below the answer
    part: str = ""  # section that has more
    more: str = ""  # what it has, as text of the link


def judges_of(source: Source) -> dict[str, str]:
    """Return for each item the annotator against whom the best system scored worst, the first of several.

    What the summary reports of the worst item and what its view shows are then the same. Items without
    scores against one annotator are not in it.
    """
    measure = _judging(source)
    if measure is None:
        return {}
    worst: dict[str, tuple[float, str]] = {}
    scale = scale_of(measure)
    for annotator, values in values_by_annotator(source, measure, source.ranked[0]).items():
        for item, value in values.items():
            lost = value if measure.direction == "lower" else -value
            if item not in worst or float(differences(lost, worst[item][0], scale)) > 0:
                worst[item] = lost, annotator
    return {item: annotator for item, (_, annotator) in worst.items()}


def values_by_annotator(source: Source, measure: Measure, system: str) -> dict[str, dict[str, float]]:
    """Return what items scored against each annotator, where scores are against one at a time."""
    return {
        annotator: dict(_defined(source, measure, system, annotator))
        for annotator in source.people_of(measure)
    }


def _judging(source: Source) -> Measure | None:
    """Return the measure by which an item is looked at, as far as it is against one annotator."""
    known = {str(measure): measure for measure in source.scores.measures}
    for measure in (source.main, known.get(source.scores.origin.task.judge)):
        if measure is not None and measure.needs == "pair" and measure.aggregate != "gathered":
            return measure
    return None


def _defined(source: Source, measure: Measure, system: str, annotator: str) -> Iterator[tuple[str, float]]:
    scores = source.scores.of_items(measure, system, annotator)
    for item, value in zip(scores.names, scores.values.tolist(), strict=True):
        if not math.isnan(value):
            yield item, value


_OTHERS = 3
"""Systems whose most costly class is named."""
_TIED = 4
"""Classes that are named where they tie."""


def most_costly_class(source: Source) -> Iterator[Answer]:
    """Report the class of labels that lost the best system most, and by what that is counted."""
    system = source.ranked[0]
    class_losses = losses_by_class(source, system)
    if class_losses is None:
        return
    question = f"Most of the loss by {class_losses.by}" if class_losses.by else "Most of the loss"
    if class_losses.needs:
        yield Answer(question=question, answer="Not known here.", details=(class_losses.needs,))
    most_costly = _most_costly(class_losses)
    if not most_costly:
        return
    first = most_costly[0]
    whole = sum(row.lost for row in class_losses.rows)
    lost = f"{100 * first.lost / whole:.0f} % of what {shown(system, 60)} lost"
    counted = f"{part_of(first.lost, whole, class_losses.unit_of_loss)}{_against(source, system)}."
    instead = (
        class_losses.instead.format(shown(first.instead, 60)) if first.instead and not most_costly[1:] else ""
    )
    others = (f"{shown(name, 60)}: {_named(source, name)}" for name in source.ranked[1:_OTHERS])
    yield Answer(
        question=question,
        answer=sentence(f"{_called(class_losses.kind, most_costly)} {lost}"),
        details=tuple(filter(None, (counted, instead, *others))),
        part="losses",
        more=f"Each {class_losses.kind}",
    )


def _most_costly(class_losses: ClassLosses) -> list[ClassLoss]:
    """Return the classes that lost most: several if they lost the same, none if nothing was lost."""
    most = max((row.lost for row in class_losses.rows), default=0.0)
    return [row for row in class_losses.rows if most > 0 and math.isclose(row.lost, most, rel_tol=1e-9)]


def _called(kind: str, most_costly: Sequence[ClassLoss]) -> str:
    """Name what lost most, or that several tie."""
    names = [shown(row.name, 60) for row in most_costly]
    if not names[1:]:
        return f"{kind} {names[0]}:"
    if names[_TIED:]:
        names = [*names[: _TIED - 1], f"{len(names) - _TIED + 1} more"]
    return f"no single {kind}: {', '.join(names[:-1])} and {names[-1]} tie, each"


def _named(source: Source, system: str) -> str:
    """Name what lost another system most, and its share."""
    class_losses = losses_by_class(source, system)
    most_costly = [] if class_losses is None else _most_costly(class_losses)
    if class_losses is None or not most_costly:
        return "nothing was lost."
    share = 100 * most_costly[0].lost / sum(row.lost for row in class_losses.rows)
    return f"{_called(class_losses.kind, most_costly)} {share:.0f} %."


def _against(source: Source, system: str) -> str:
    """Write that amounts are summed over annotators, where they are."""
    cells = (key for name in source.scores.tables for key in source.scores.tally(name).cells)
    people = {annotator for of_system, annotator in cells if of_system == system and annotator != ALL}
    return f" against {len(people)} annotators together" if len(people) > 1 else ""


_NO_ANNOTATIONS = (
    "The reason is unknown: the run has no annotations, from which items are laid out. kammerton score --out "
    "keeps them, unless they are too many or --no-annotations is given."
)
_NAMED = 6
"""Annotators whose scores are listed one by one."""


def worst_item(source: Source, item_section: Section | None, draw: Draw | None) -> Answer | None:
    """Report the item that the best system does worst on, why, and the items that lost most."""
    measure = source.main
    if source.worst is None:
        return None
    value, place, system = source.worst
    name, number = source.items[place], str(place)
    unit = " %" if is_per_cent(measure) else ""
    answer = f"{shown(name, 100)}: {format_score(value, measure)}{unit} for {shown(system, 60)}."
    lost_most = items_that_lost_most(source.scores, measure, 3)
    values = source.of_items(measure, system)
    alike = sum(is_tie(score, value, scale_of(measure)) for score in values) - 1
    details = [f"{plural(alike, 'other item')} scored the same."] if alike else []
    details += _texts_by_annotator(source, name, system)
    details += _why(source, draw, (name, judges_of(source).get(name)), system)
    if measure.range == (0.0, 1.0) and lost_most:
        whose = "all systems" if source.scores.systems[1:] else "it"
        names = ", ".join(shown(name, 100) for name in lost_most)
        weights = measure.weight_unit
        size = {"s": " and length", "files": ""}.get(weights, f" and number of {weights}")
        details.append(f"The items that lost {whose} most, by score{size}: {names}.")
    part, more = ("items", "All items")
    if item_section is not None and number in item_section.data["items"]:
        part, more = f"item-{number}", "Where it lost the points"
    return Answer(question="Worst item", answer=answer, details=tuple(details), part=part, more=more)


def _texts_by_annotator(source: Source, item: str, system: str) -> Iterator[str]:
    """Write what an item scored against each annotator, if there are several."""
    known = values_by_annotator(source, source.main, system)
    texts = [
        f"{format_score(values[item], source.main)} against {shown(name, 60)}"
        for name, values in known.items()
        if item in values
    ]
    if texts[1:]:
        more = f" and {len(texts) - _NAMED} more" if texts[_NAMED:] else ""
        yield f"Annotator by annotator: {', '.join(texts[:_NAMED])}{more}."


def _why(source: Source, draw: Draw | None, item: tuple[str, str | None], system: str) -> Iterator[str]:
    """Write why a system did no better on an item, if it can be laid out."""
    if draw is None and source.scores.origin.task.view is not None:
        yield _NO_ANNOTATIONS
    view = None if draw is None else draw(*item)
    for reason in () if view is None else view.reasons.get(system, ()):
        yield shown(sentence(reason), 400)


_SECOND = "That takes a second annotator: score with --annotator NAME=PATH as well, or see kammerton agree."
_BEST = 3
"""Systems whose share of human agreement is named."""


def summary(source: Source, item_section: Section | None = None, draw: Draw | None = None) -> Section:
    """Return the first screen: which system is best, the ranking as a picture, and short answers."""
    answers = [
        worst_item(source, item_section, draw),
        *most_costly_class(source),
        _human_agreement(source),
        _left_out(source),
    ]
    best = (
        verdict(source.scores, source.comparison, source.tables[0], OPTIONS.digits) if source.tables else ""
    )
    body = fill(
        "summary",
        key=source.key,
        measure=source.main,
        verdict=shown(best, 600),
        notes=list(_not_independent(source)),
        plots=list(plots(source)),
        answers=[answer for answer in answers if answer is not None],
    )
    title = "Ranking" if source.scores.systems[1:] else "Score"
    return Section(part="summary", title=title, body=body)


def _not_independent(source: Source) -> Iterator[str]:
    """Report that intervals may be too narrow, where items look as if they belonged together."""
    for diagnostic in source.scores.diagnostics:
        if diagnostic.code == "KT218":
            yield coded(sentence(f"{diagnostic.message} ({diagnostic.code})"), 300)
            if diagnostic.hint:
                yield coded(sentence(diagnostic.hint))


def _human_agreement(source: Source) -> Answer:
    """Report human agreement, as far as it is known."""
    question = "Human agreement"
    context, shares = source.scores.context, shares_of(source, source.main)
    if context is not None and shares:
        (people,) = context.of(source.main, "annotators")
        best = next(row for system in source.ranked for row in shares if row.name == system)
        unit = " %" if is_per_cent(source.main) else ""
        return Answer(
            question=question,
            answer=f"{format_score(people.value, source.main)}{unit}: {shown(best.name, 60)} reaches "
            f"{100 * best.share:.0f} % of it.",
            details=tuple(_others(shares, best)),
            part="agreement",
            more="Each system",
        )
    if source.people[1:]:
        text = f"{len(source.people)} annotators; scores are against all of them at once."
        details = "kammerton score --context measures how far they agree with each other."
        return Answer(question=question, answer=text, details=(details,))
    return Answer(question=question, answer="One annotator: unknown here.", details=(_SECOND,))


def _others(shares: Sequence[ContextScore], best: ContextScore) -> Iterator[str]:
    """Name the other systems that come nearest."""
    others = [f"{shown(row.name, 60)} {100 * row.share:.0f} %" for row in shares if row is not best]
    if others:
        yield f"{', '.join(others[:_BEST])}{', …' if others[_BEST:] else ''}"


def _left_out(source: Source) -> Answer:
    """Report what was not scored."""
    return Answer(
        question="Left out",
        answer=sentence(closing_line(source.scores)),
        details=tuple(f"{line}." for line in excluded_lines(source.scores)),
        part="quality",
        more="All that was left out, or noticed in the files",
    )
