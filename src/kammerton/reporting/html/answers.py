# SPDX-License-Identifier: MIT
"""A question that readers ask first, with its answer."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kammerton.errors import out_of, plural
from kammerton.model.corpus import ALL
from kammerton.model.measure import Measure
from kammerton.model.task import ClassLoss, ClassLosses
from kammerton.reporting.comparisons import adjusted_p, item_notes, too_few_swaps
from kammerton.reporting.diagnostics import closing_line, excluded_lines
from kammerton.reporting.documents import costliest_items
from kammerton.reporting.html.classes import costs_of
from kammerton.reporting.html.overview import context_of, shares_of
from kammerton.reporting.html.page import (
    Draw,
    Section,
    Source,
    coded,
    ends,
    figure,
    fill,
    is_per_cent,
    p_value,
    part_of,
    sentence,
    shown,
    unit_of,
)
from kammerton.results.context import Context, ContextScore
from kammerton.statistics.comparison import Comparison, MeasureComparison, Pair
from kammerton.statistics.paired import differences, is_tie, scale_of

__all__ = ["Answer", "answers", "dearest_class", "judges_of", "values_by_annotator", "worst_item"]


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

    What is said of the worst item and what is seen where it is looked at are then the same. Items without
    figures against one annotator are not in it.
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
    """Return what items scored against each annotator, where figures are against one at a time."""
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
"""Systems of which it is told what costs most."""
_TIED = 4
"""Classes that are named where they tie."""


def dearest_class(source: Source) -> Iterator[Answer]:
    """Say which class of labels cost the best system most, and by what that is counted."""
    system = source.ranked[0]
    class_losses = costs_of(source, system)
    if class_losses is None:
        return
    question = f"Which {class_losses.kind} costs most?"
    if class_losses.needs:
        yield Answer(question=question, answer="Not known here.", details=(class_losses.needs,))
    most_costly = _dearest(class_losses)
    if not most_costly:
        return
    first, by = most_costly[0], f" by {class_losses.by}" if class_losses.by else ""
    whole = sum(row.lost for row in class_losses.rows)
    lost = (
        f"{100 * first.lost / whole:.0f} % of what {shown(system, 60)} lost{by}{_against(source, system)}: "
        f"{part_of(first.lost, whole, class_losses.unit_of_loss)}"
    )
    instead = (
        class_losses.instead.format(shown(first.instead, 60)) if first.instead and not most_costly[1:] else ""
    )
    others = (f"{shown(name, 60)}: {_named(source, name)}" for name in source.ranked[1:_OTHERS])
    counted = f"{source.main}, which heads this section, counts otherwise." if by else ""
    yield Answer(
        question=question,
        answer=sentence(f"{_called(class_losses.kind, most_costly)} {lost}"),
        details=tuple(filter(None, (instead, *others, class_losses.rule, counted))),
        part="costs",
        more=f"Each {class_losses.kind}",
    )


def _dearest(class_losses: ClassLosses) -> list[ClassLoss]:
    """Return the classes that cost most: several if they cost the same, none if none cost anything."""
    most = max((row.lost for row in class_losses.rows), default=0.0)
    return [row for row in class_losses.rows if most > 0 and math.isclose(row.lost, most, rel_tol=1e-9)]


def _called(kind: str, most_costly: Sequence[ClassLoss]) -> str:
    """Name what cost most, or say that several tie."""
    names = [shown(row.name, 60) for row in most_costly]
    if not names[1:]:
        return f"{kind} {names[0]}, with"
    if names[_TIED:]:
        names = [*names[: _TIED - 1], f"{len(names) - _TIED + 1} more"]
    return f"no single {kind}: {', '.join(names[:-1])} and {names[-1]} tie, each with"


def _named(source: Source, system: str) -> str:
    """Name what cost another system most, and its share."""
    class_losses = costs_of(source, system)
    most_costly = [] if class_losses is None else _dearest(class_losses)
    if class_losses is None or not most_costly:
        return "nothing was lost."
    share = 100 * most_costly[0].lost / sum(row.lost for row in class_losses.rows)
    return f"{_called(class_losses.kind, most_costly)} {share:.0f} %."


def _against(source: Source, system: str) -> str:
    """Say that amounts are summed over annotators, where they are."""
    cells = (key for name in source.scores.tables for key in source.scores.tally(name).cells)
    people = {annotator for of_system, annotator in cells if of_system == system and annotator != ALL}
    return f" against {len(people)} annotators together" if len(people) > 1 else ""


_NO_ANNOTATIONS = (
    "Why is not told: the run has no annotations, from which items are laid out. kammerton score --out keeps "
    "them, unless they are too many or --no-annotations is given."
)
_NAMED = 6
"""Annotators whose figures are told one by one."""


def worst_item(source: Source, item_section: Section | None, draw: Draw | None) -> Answer | None:
    """Say which item the best system does worst on and why, and which cost most."""
    measure = source.main
    if source.worst is None:
        return None
    value, place, system = source.worst
    name, number = source.items[place], str(place)
    answer = f"{shown(name, 100)}: {figure(value, measure)} {unit_of(measure)} for {shown(system, 60)}."
    most_costly = costliest_items(source.scores, measure, 3)
    values = source.of_items(measure, system)
    alike = sum(is_tie(score, value, scale_of(measure)) for score in values) - 1
    details = [f"{plural(alike, 'other item')} scored the same."] if alike else []
    details += _told(source, name, system)
    details += _why(source, draw, (name, judges_of(source).get(name)), system)
    if measure.range == (0.0, 1.0) and most_costly:
        whose = "all systems" if source.scores.systems[1:] else "it"
        names = ", ".join(shown(score, 100) for score in most_costly)
        unit = measure.weight_unit
        size = {"s": " and length", "files": ""}.get(unit, f" and number of {unit}")
        details.append(f"The items that cost {whose} most, by score{size}: {names}.")
    part, more = ("items", "All items")
    if item_section is not None and number in item_section.data["items"]:
        part, more = f"item-{number}", "Where it lost the points"
    return Answer(
        question="Which item is worst, and why?", answer=answer, details=tuple(details), part=part, more=more
    )


def _told(source: Source, item: str, system: str) -> Iterator[str]:
    """Say what an item scored against each annotator, if there are several."""
    known = values_by_annotator(source, source.main, system)
    texts = [
        f"{figure(values[item], source.main)} against {shown(name, 60)}"
        for name, values in known.items()
        if item in values
    ]
    if texts[1:]:
        more = f" and {len(texts) - _NAMED} more" if texts[_NAMED:] else ""
        yield f"Annotator by annotator: {', '.join(texts[:_NAMED])}{more}."


def _why(source: Source, draw: Draw | None, item: tuple[str, str | None], system: str) -> Iterator[str]:
    """Say why a system did no better on an item, if it can be laid out."""
    if draw is None and source.scores.origin.task.view is not None:
        yield _NO_ANNOTATIONS
    view = None if draw is None else draw(*item)
    for reason in () if view is None else view.reasons.get(system, ()):
        yield shown(sentence(reason), 400)


_SECOND = "That takes a second annotator: score with --annotator NAME=PATH as well, or see kammerton agree."


def answers(source: Source, item_section: Section | None = None, draw: Draw | None = None) -> Section:
    """Return the section of answers, by the main measure."""
    candidates = [
        _better(source),
        worst_item(source, item_section, draw),
        *dearest_class(source),
        _people(source),
        _left_out(source),
    ]
    body = fill(
        "answers",
        key=source.key,
        measure=source.main,
        answers=[answer for answer in candidates if answer is not None],
    )
    return Section(part="answers", title="In short", body=body)


def _better(source: Source) -> Answer:
    """Say which system is better, and whether that is sure."""
    comparison, compared = source.comparison, source.compared(source.main)
    if comparison is None or compared is None:
        return _alone(source)
    question = "Which system is better, and is it sure?"
    undefined = [row for row in compared.ranking if math.isnan(row.value)]
    if len(compared.ranking) - len(undefined) < 2:
        return Answer(
            question=question,
            answer=f"{source.main} has no figures to compare.",
            part="figures",
            more="Figures with intervals",
        )
    pair = compared.pairs[0]
    first, second = (shown(name, 60) for name in (pair.first, pair.second))
    if pair.told_apart:
        answer = f"{first} is better than {second}, and the data can tell."
    elif pair.difference == 0:
        answer = f"{first} and {second} score the same."
    else:
        better = "lower, which is better" if source.main.direction == "lower" else "higher"
        answer = f"{first} and {second} cannot be told apart; {first} scores {better}."
    details = (
        _difference(comparison, compared, pair),
        *(shown(sentence(note), 300) for note in item_notes(comparison)),
        *(sentence(note) for note in too_few_swaps(compared, comparison)),
        *_tied(compared),
        _other_measures(source, comparison, compared),
        *_not_independent(source),
    )
    return Answer(
        question=question,
        answer=answer,
        details=tuple(filter(None, details)),
        part="compared",
        more="All pairs, with their tests",
    )


def _alone(source: Source) -> Answer:
    """Say how good the only system is, or that several cannot be compared."""
    question = "How good is it?"
    texts = []
    for system in source.scores.systems:
        value = figure(source.value(source.main, system), source.main)
        within = ends(*source.interval(source.main, system), source.main)
        unit = f" {unit_of(source.main)}" if is_per_cent(source.main) else ""
        texts.append(f"{shown(system, 60)} scores {value}{unit}" + (f" ({within})" if within else ""))
    answer = f"{'; '.join(texts)} by {source.main}."
    details = [*_floor(source), *_not_independent(source)]
    if not texts[1:]:
        details.append("Which of two systems is better is told by a report of both.")
    return Answer(
        question=question,
        answer=answer,
        details=tuple(details),
        part="figures",
        more="Figures with intervals",
    )


def _not_independent(source: Source) -> Iterator[str]:
    """Say that intervals may be too narrow, where items look as if they belonged together."""
    for diagnostic in source.scores.diagnostics:
        if diagnostic.code == "KT218":
            yield coded(sentence(f"{diagnostic.message} ({diagnostic.code})"), 300)
            if diagnostic.hint:
                yield coded(sentence(diagnostic.hint))


def _floor(source: Source) -> Iterator[str]:
    """Say what the best trivial answer reaches, if it is known."""
    context = context_of(source)
    rows = [] if context is None else context.of(source.main, "baseline")
    known = [(row.value, row.name) for row in rows if not math.isnan(row.value)]
    if known:
        value, name = (min if source.main.direction == "lower" else max)(known)
        yield f"The best of trivial answers ({shown(name, 60)}) scores {figure(value, source.main)}."


def _difference(comparison: Comparison, compared: MeasureComparison, pair: Pair) -> str:
    measure = compared.measure
    one, other = (figure(value, measure) for value in (pair.first_value, pair.second_value))
    by, low, high = (figure(each, measure, signed=True) for each in (pair.difference, pair.low, pair.high))
    return (
        f"By {measure}: {one} against {other} {unit_of(measure)}, a difference of {by} "
        f"({100 * comparison.level:g} % interval {low} to {high}), p {p_value(pair.p)}, "
        f"{adjusted_p(comparison)} {p_value(pair.adjusted)}, on {plural(pair.items, 'item')}"
        + ("." if pair.items == compared.item_counts[1] else " that both have.")
    )


def _tied(compared: MeasureComparison) -> Iterator[str]:
    """Say which further systems cannot be told from the best."""
    best = compared.ranking[0].system
    tied = [
        shown(pair.second, 60)
        for pair in compared.pairs[1:]
        if pair.first == best and not pair.told_apart and not math.isnan(pair.difference)
    ]
    if tied:
        yield f"Nor can {', '.join(tied)} be told from it."


def _other_measures(source: Source, comparison: Comparison, compared: MeasureComparison) -> str:
    """Say how many headline measures rank the same system first."""
    best = compared.ranking[0].system
    ranked = [each for each in comparison.measures if each.measure in source.headline and each.places]
    other = [each for each in ranked if each.places.get(best) != 1]
    tied = [str(each.measure) for each in ranked if each not in other and _is_tied(each)]
    count = len(ranked)
    if not other and not tied:
        return f"All {count} headline measures rank it first." if count > 1 else ""
    sure = [str(each.measure) for each in other if _puts_behind(each, best)]
    close = [str(each.measure) for each in other if not _puts_behind(each, best)]
    text = f"{count - len(other) - len(tied)} of {count} headline measures rank it first"
    if tied:
        text += f"; by {_some(tied)} it ties with another"
    if sure:
        text += f"; {_some(sure)} {'do' if sure[1:] else 'does'} not"
    if close:
        text += f"; {_some(close)} {'put' if close[1:] else 'puts'} another first, too close to tell apart"
    return f"{text}."


def _is_tied(compared: MeasureComparison) -> bool:
    """Tell whether several systems are the best."""
    return list(compared.places.values()).count(1) > 1


def _puts_behind(compared: MeasureComparison, system: str) -> bool:
    """Tell whether a system is told apart from the best as worse."""
    first = compared.ranking[0].system
    return any(pair.told_apart for pair in compared.pairs if (pair.first, pair.second) == (first, system))


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if names[4:] else "")


def _people(source: Source) -> Answer:
    """Say how far people agree with each other, as far as it is known."""
    question = "How far is it from human agreement?"
    context = context_of(source)
    standings = [] if context is None else shares_of(source, context, source.main)
    if context is not None and standings:
        return Answer(
            question=question,
            answer=_reached(standings[:3]),
            details=(_ceiling(context, source), *_beyond(standings[:3])),
            part="figures",
            more="Figures with intervals",
        )
    people = source.people
    if not people[1:]:
        text = "One annotator: how far people agree is not known here."
        return Answer(question=question, answer=text, details=(_SECOND,))
    spread = list(_spread(source))
    text = f"{len(people)} annotators; figures are against all of them at once."
    if spread:
        text = (
            f"{len(people)} annotators; against one or another: {'; '.join(spread)} {unit_of(source.main)}."
        )
    return Answer(
        question=question,
        answer=text,
        details=("How far they agree with each other is told if scored with --context.",),
        part="figures",
        more="Figures with intervals",
    )


def _reached(standings: Sequence[ContextScore]) -> str:
    texts: list[str] = []
    for row in standings:
        known = not math.isnan(row.share_low)
        ends = f" ({100 * row.share_low:.0f} to {100 * row.share_high:.0f})" if known else ""
        reached = f"{100 * row.share:.0f} %{ends}"
        first = "" if texts else f"reaches {reached} of what annotators reach"
        texts.append(f"{shown(row.name, 60)} {first or reached}")
    return f"{', '.join(texts)}."


def _beyond(standings: Sequence[ContextScore]) -> Iterator[str]:
    if any(row.share > 1 for row in standings):
        yield "More than 100 % is closer to the annotators than they are to each other."


def _ceiling(context: Context, source: Source) -> str:
    """Say what the shares are of."""
    measure, every = source.main, len(source.items)
    (ceiling,) = context.of(measure, "annotators")
    reached = [
        f"{shown(row.name, 60)} {figure(row.value, measure)}"
        for row in shares_of(source, context, measure)[:3]
    ]
    return (
        f"By {measure}, against the other annotators of an item: annotators "
        f"{figure(ceiling.value, measure)}, {', '.join(reached)} {unit_of(measure)}, on "
        + (f"{plural(every, 'item')}." if ceiling.items == every else _with_several(ceiling.items, every))
    )


def _with_several(items: int, every: int) -> str:
    return f"{out_of(items, every, 'item')}, those that several annotated."


def _spread(source: Source) -> Iterator[str]:
    """Give for the best systems the figures against one annotator and another."""
    measure, people = source.main, source.people_of(source.main)
    for system in source.ranked[:3]:
        scores = (source.scores.estimate(measure, system, name, measure.aggregate).value for name in people)
        values = [value for value in scores if not math.isnan(value)]
        if values:
            yield f"{shown(system, 60)} {ends(min(values), max(values), measure)}"


def _left_out(source: Source) -> Answer:
    """Say what was not scored."""
    closing = closing_line(source.scores)
    return Answer(
        question="What was left out?",
        answer=sentence(closing),
        details=tuple(f"{line}." for line in excluded_lines(source.scores)),
        part="quality",
        more="All that was left out, or noticed in the files",
    )
