# SPDX-License-Identifier: MIT
"""The summary that opens a chapter: what readers ask first, with the answers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kammerton.errors import out_of, plural
from kammerton.model.corpus import ALL
from kammerton.model.measure import Measure
from kammerton.model.task import ClassLoss, ClassLosses
from kammerton.reporting.comparisons import adjusted_p, item_notes, too_few_items
from kammerton.reporting.diagnostics import closing_line, excluded_lines
from kammerton.reporting.documents import items_that_lost_most
from kammerton.reporting.html.classes import losses_by_class
from kammerton.reporting.html.overview import context_of, shares_of
from kammerton.reporting.html.page import (
    Draw,
    Section,
    Source,
    coded,
    fill,
    interval_text,
    is_per_cent,
    part_of,
    score_text,
    sentence,
    shown,
    unit_of,
)
from kammerton.reporting.tables import format_p
from kammerton.results.context import Context, ContextScore
from kammerton.statistics.comparison import Comparison, MeasureComparison, Pair
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
    question = f"Which {class_losses.kind} loses most?"
    if class_losses.needs:
        yield Answer(question=question, answer="Not known here.", details=(class_losses.needs,))
    most_costly = _most_costly(class_losses)
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
        return f"{kind} {names[0]}, with"
    if names[_TIED:]:
        names = [*names[: _TIED - 1], f"{len(names) - _TIED + 1} more"]
    return f"no single {kind}: {', '.join(names[:-1])} and {names[-1]} tie, each with"


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
    answer = f"{shown(name, 100)}: {score_text(value, measure)} {unit_of(measure)} for {shown(system, 60)}."
    lost_most = items_that_lost_most(source.scores, measure, 3)
    values = source.of_items(measure, system)
    alike = sum(is_tie(score, value, scale_of(measure)) for score in values) - 1
    details = [f"{plural(alike, 'other item')} scored the same."] if alike else []
    details += _texts_by_annotator(source, name, system)
    details += _why(source, draw, (name, judges_of(source).get(name)), system)
    if measure.range == (0.0, 1.0) and lost_most:
        whose = "all systems" if source.scores.systems[1:] else "it"
        names = ", ".join(shown(name, 100) for name in lost_most)
        unit = measure.weight_unit
        size = {"s": " and length", "files": ""}.get(unit, f" and number of {unit}")
        details.append(f"The items that lost {whose} most, by score{size}: {names}.")
    part, more = ("items", "All items")
    if item_section is not None and number in item_section.data["items"]:
        part, more = f"item-{number}", "Where it lost the points"
    return Answer(
        question="Which item is worst, and why?", answer=answer, details=tuple(details), part=part, more=more
    )


def _texts_by_annotator(source: Source, item: str, system: str) -> Iterator[str]:
    """Write what an item scored against each annotator, if there are several."""
    known = values_by_annotator(source, source.main, system)
    texts = [
        f"{score_text(values[item], source.main)} against {shown(name, 60)}"
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


def summary(source: Source, item_section: Section | None = None, draw: Draw | None = None) -> Section:
    """Return the summary, by the main measure."""
    candidates = [
        _better(source),
        worst_item(source, item_section, draw),
        *most_costly_class(source),
        _human_agreement(source),
        _left_out(source),
    ]
    body = fill(
        "summary",
        key=source.key,
        measure=source.main,
        answers=[answer for answer in candidates if answer is not None],
    )
    return Section(part="summary", title="Summary", body=body)


def _better(source: Source) -> Answer:
    """Report which system is better, and whether significantly."""
    comparison, compared = source.comparison, source.compared(source.main)
    if comparison is None or compared is None:
        return _alone(source)
    question = "Which system is better, and is it sure?"
    undefined = [row for row in compared.ranking if math.isnan(row.value)]
    if len(compared.ranking) - len(undefined) < 2:
        return Answer(
            question=question,
            answer=f"{source.main} has no scores to compare.",
            part="scores",
            more="Scores with intervals",
        )
    pair = compared.pairs[0]
    first, second = (shown(name, 60) for name in (pair.first, pair.second))
    if pair.significant:
        answer = f"{first} is significantly better than {second}."
    elif pair.difference == 0:
        answer = f"{first} and {second} score the same."
    else:
        better = "lower, which is better" if source.main.direction == "lower" else "higher"
        answer = f"{first} and {second} do not differ significantly; {first} scores {better}."
    details = (
        _difference(comparison, compared, pair),
        *(shown(sentence(note), 300) for note in item_notes(comparison)),
        *(sentence(note) for note in too_few_items(compared, comparison)),
        *_tied(compared),
        _other_measures(source, comparison, compared),
        *_not_independent(source),
    )
    return Answer(
        question=question,
        answer=answer,
        details=tuple(filter(None, details)),
        part="comparison",
        more="All pairs, with their tests",
    )


def _alone(source: Source) -> Answer:
    """Report how good the only system is, or that several cannot be compared."""
    question = "How good is it?"
    texts = []
    for system in source.scores.systems:
        value = score_text(source.value(source.main, system), source.main)
        within = interval_text(*source.interval(source.main, system), source.main)
        unit = f" {unit_of(source.main)}" if is_per_cent(source.main) else ""
        texts.append(f"{shown(system, 60)} scores {value}{unit}" + (f" ({within})" if within else ""))
    answer = f"{'; '.join(texts)} by {source.main}."
    details = [*_best_baseline(source), *_not_independent(source)]
    if not texts[1:]:
        details.append("A report of two systems tests which is better.")
    return Answer(
        question=question,
        answer=answer,
        details=tuple(details),
        part="scores",
        more="Scores with intervals",
    )


def _not_independent(source: Source) -> Iterator[str]:
    """Report that intervals may be too narrow, where items look as if they belonged together."""
    for diagnostic in source.scores.diagnostics:
        if diagnostic.code == "KT218":
            yield coded(sentence(f"{diagnostic.message} ({diagnostic.code})"), 300)
            if diagnostic.hint:
                yield coded(sentence(diagnostic.hint))


def _best_baseline(source: Source) -> Iterator[str]:
    """Report what the best baseline scores, if it is known."""
    context = context_of(source)
    rows = [] if context is None else context.of(source.main, "baseline")
    known = [(row.value, row.name) for row in rows if not math.isnan(row.value)]
    if known:
        value, name = (min if source.main.direction == "lower" else max)(known)
        yield f"The best baseline ({shown(name, 60)}) scores {score_text(value, source.main)}."


def _difference(comparison: Comparison, compared: MeasureComparison, pair: Pair) -> str:
    measure = compared.measure
    one, other = (score_text(value, measure) for value in (pair.first_value, pair.second_value))
    by, low, high = (
        score_text(each, measure, signed=True) for each in (pair.difference, pair.low, pair.high)
    )
    return (
        f"By {measure}: {one} against {other} {unit_of(measure)}, a difference of {by} "
        f"({100 * comparison.level:g} % interval {low} to {high}), p {format_p(pair.p)}, "
        f"{adjusted_p(comparison)} {format_p(pair.adjusted)}, on {plural(pair.items, 'item')}"
        + ("." if pair.items == compared.item_counts[1] else " that both have.")
    )


def _tied(compared: MeasureComparison) -> Iterator[str]:
    """Name further systems that do not differ significantly from the best."""
    best = compared.ranking[0].system
    tied = [
        shown(pair.second, 60)
        for pair in compared.pairs[1:]
        if pair.first == best and not pair.significant and not math.isnan(pair.difference)
    ]
    if tied:
        yield f"Not significantly different from it: {', '.join(tied)}."


def _other_measures(source: Source, comparison: Comparison, compared: MeasureComparison) -> str:
    """Report how many headline measures rank the same system first."""
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
        text += f"; {_some(close)} {'put' if close[1:] else 'puts'} another first, not significantly"
    return f"{text}."


def _is_tied(compared: MeasureComparison) -> bool:
    """Return whether several systems are the best."""
    return list(compared.places.values()).count(1) > 1


def _puts_behind(compared: MeasureComparison, system: str) -> bool:
    """Return whether a system is significantly worse than the best."""
    first = compared.ranking[0].system
    return any(pair.significant for pair in compared.pairs if (pair.first, pair.second) == (first, system))


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if names[4:] else "")


def _human_agreement(source: Source) -> Answer:
    """Report human agreement, as far as it is known."""
    question = "How far is it from human agreement?"
    context = context_of(source)
    standings = [] if context is None else shares_of(source, context, source.main)
    if context is not None and standings:
        return Answer(
            question=question,
            answer=_shares_text(standings[:3]),
            details=(_agreement_scores(context, source), *_beyond(standings[:3])),
            part="scores",
            more="Scores with intervals",
        )
    people = source.people
    if not people[1:]:
        text = "One annotator: human agreement is unknown here."
        return Answer(question=question, answer=text, details=(_SECOND,))
    spread = list(_spread(source))
    text = f"{len(people)} annotators; scores are against all of them at once."
    if spread:
        text = (
            f"{len(people)} annotators; against one or another: {'; '.join(spread)} {unit_of(source.main)}."
        )
    return Answer(
        question=question,
        answer=text,
        details=("kammerton score --context measures how far they agree with each other.",),
        part="scores",
        more="Scores with intervals",
    )


def _shares_text(standings: Sequence[ContextScore]) -> str:
    texts: list[str] = []
    for row in standings:
        known = not math.isnan(row.share_low)
        interval_text = f" ({100 * row.share_low:.0f} to {100 * row.share_high:.0f})" if known else ""
        reached = f"{100 * row.share:.0f} %{interval_text}"
        first = "" if texts else f"reaches {reached} of human agreement"
        texts.append(f"{shown(row.name, 60)} {first or reached}")
    return f"{', '.join(texts)}."


def _beyond(standings: Sequence[ContextScore]) -> Iterator[str]:
    if any(row.share > 1 for row in standings):
        yield "More than 100 % is closer to the annotators than they are to each other."


def _agreement_scores(context: Context, source: Source) -> str:
    """Report what the shares are of."""
    measure, every = source.main, len(source.items)
    (agreement,) = context.of(measure, "annotators")
    reached = [
        f"{shown(row.name, 60)} {score_text(row.value, measure)}"
        for row in shares_of(source, context, measure)[:3]
    ]
    return (
        f"By {measure}, against the other annotators of an item: annotators "
        f"{score_text(agreement.value, measure)}, {', '.join(reached)} {unit_of(measure)}, on "
        + (f"{plural(every, 'item')}." if agreement.items == every else _with_several(agreement.items, every))
    )


def _with_several(items: int, every: int) -> str:
    return f"{out_of(items, every, 'item')}, those that several annotated."


def _spread(source: Source) -> Iterator[str]:
    """Yield the scores of the best systems against one annotator and another."""
    measure, people = source.main, source.people_of(source.main)
    for system in source.ranked[:3]:
        scores = (source.scores.estimate(measure, system, name, measure.aggregate).value for name in people)
        values = [value for value in scores if not math.isnan(value)]
        if values:
            yield f"{shown(system, 60)} {interval_text(min(values), max(values), measure)}"


def _left_out(source: Source) -> Answer:
    """Report what was not scored."""
    closing = closing_line(source.scores)
    return Answer(
        question="What was left out?",
        answer=sentence(closing),
        details=tuple(f"{line}." for line in excluded_lines(source.scores)),
        part="quality",
        more="All that was left out, or noticed in the files",
    )
