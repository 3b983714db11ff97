# SPDX-License-Identifier: MIT
"""What a reader asks first: which system is better and is it sure, where it fails, what was left out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from kammerton.errors import out_of, plural
from kammerton.reporting.comparisons import adjusted_p, item_notes, too_few_swaps
from kammerton.reporting.html.answer import Answer
from kammerton.reporting.html.context import context_of, shares_of
from kammerton.reporting.html.dearest import dearest_class
from kammerton.reporting.html.filling import coded, fill, sentence, shown
from kammerton.reporting.html.numbers import ends, figure, is_per_cent, p_value, unit_of
from kammerton.reporting.html.sections import Section
from kammerton.reporting.html.source import Draw, Source
from kammerton.reporting.html.worst_item import worst_item
from kammerton.reporting.left_out import closing_line, excluded_lines
from kammerton.statistics.comparison import Comparison, MeasureComparison, Pair
from kammerton.statistics.context import Context, Standing

__all__ = ["answers"]

_SECOND = "That takes a second annotator: score with --annotator NAME=PATH as well, or see kammerton agree."


def answers(source: Source, drawn: Section | None = None, draw: Draw | None = None) -> Section:
    """Return the section of answers, by the main measure.

    Parameters
    ----------
    source : Source
    drawn : Section, optional
        In which items are looked at.
    draw : callable, optional
        Lays an item out.
    """
    given = [
        _better(source),
        worst_item(source, drawn, draw),
        *dearest_class(source),
        _people(source),
        _left_out(source),
    ]
    body = fill(
        "answers", key=source.key, measure=source.main, answers=[each for each in given if each is not None]
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
        *(shown(sentence(told), 300) for told in item_notes(comparison)),
        *(sentence(told) for told in too_few_swaps(compared, comparison)),
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
    told = []
    for system in source.scores.systems:
        value = figure(source.value(source.main, system), source.main)
        within = ends(*source.interval(source.main, system), source.main)
        unit = f" {unit_of(source.main)}" if is_per_cent(source.main) else ""
        told.append(f"{shown(system, 60)} scores {value}{unit}" + (f" ({within})" if within else ""))
    answer = f"{'; '.join(told)} by {source.main}."
    details = [*_floor(source), *_not_independent(source)]
    if not told[1:]:
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
    for each in source.scores.diagnostics:
        if each.code == "KT218":
            yield coded(sentence(f"{each.message} ({each.code})"), 300)
            if each.hint:
                yield coded(sentence(each.hint))


def _floor(source: Source) -> Iterator[str]:
    """Say what the best trivial answer reaches, if it is known."""
    found = context_of(source)
    rows = [] if found is None else found.of(source.main, "floor")
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
    told = f"{count - len(other) - len(tied)} of {count} headline measures rank it first"
    if tied:
        told += f"; by {_some(tied)} it ties with another"
    if sure:
        told += f"; {_some(sure)} {'do' if sure[1:] else 'does'} not"
    if close:
        told += f"; {_some(close)} {'put' if close[1:] else 'puts'} another first, too close to tell apart"
    return f"{told}."


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
    found = context_of(source)
    standings = [] if found is None else shares_of(source, found, source.main)
    if found is not None and standings:
        return Answer(
            question=question,
            answer=_reached(standings[:3]),
            details=(_ceiling(found, source), *_beyond(standings[:3])),
            part="figures",
            more="Figures with intervals",
        )
    people = source.people
    if not people[1:]:
        told = "One annotator: how far people agree is not known here."
        return Answer(question=question, answer=told, details=(_SECOND,))
    spread = list(_spread(source))
    told = f"{len(people)} annotators; figures are against all of them at once."
    if spread:
        told = (
            f"{len(people)} annotators; against one or another: {'; '.join(spread)} {unit_of(source.main)}."
        )
    return Answer(
        question=question,
        answer=told,
        details=("How far they agree with each other is told if scored with --context.",),
        part="figures",
        more="Figures with intervals",
    )


def _reached(standings: Sequence[Standing]) -> str:
    told: list[str] = []
    for row in standings:
        known = not math.isnan(row.share_low)
        ends = f" ({100 * row.share_low:.0f} to {100 * row.share_high:.0f})" if known else ""
        reached = f"{100 * row.share:.0f} %{ends}"
        first = "" if told else f"reaches {reached} of what annotators reach"
        told.append(f"{shown(row.name, 60)} {first or reached}")
    return f"{', '.join(told)}."


def _beyond(standings: Sequence[Standing]) -> Iterator[str]:
    if any(row.share > 1 for row in standings):
        yield "More than 100 % is closer to the annotators than they are to each other."


def _ceiling(found: Context, source: Source) -> str:
    """Say what the shares are of."""
    measure, every = source.main, len(source.items)
    (ceiling,) = found.of(measure, "annotators")
    ours = [
        f"{shown(row.name, 60)} {figure(row.value, measure)}" for row in shares_of(source, found, measure)[:3]
    ]
    return (
        f"By {measure}, against the other annotators of an item: annotators "
        f"{figure(ceiling.value, measure)}, {', '.join(ours)} {unit_of(measure)}, on "
        + (f"{plural(every, 'item')}." if ceiling.items == every else _with_several(ceiling.items, every))
    )


def _with_several(items: int, every: int) -> str:
    return f"{out_of(items, every, 'item')}, those that several annotated."


def _spread(source: Source) -> Iterator[str]:
    """Give for the best systems the figures against one annotator and another."""
    measure, people = source.main, source.people_of(source.main)
    for system in source.ranked[:3]:
        found = (source.scores.estimate(measure, system, name, measure.aggregate).value for name in people)
        values = [value for value in found if not math.isnan(value)]
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
