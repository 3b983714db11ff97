# SPDX-License-Identifier: MIT
"""Sections of scores, methods and data quality, with baselines and human agreement beside the scores."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from kammerton.errors import Diagnostic, plural
from kammerton.model.annotations import portable
from kammerton.model.measure import Measure
from kammerton.reporting.cards import render_citations
from kammerton.reporting.charts import PAGE, Band, ChartScore, Palette, forest, inline_svg
from kammerton.reporting.diagnostics import excluded_lines
from kammerton.reporting.html.page import (
    UNDEFINED,
    Section,
    Source,
    amount_text,
    coded,
    fill,
    interval_text,
    is_per_cent,
    scaled,
    score_text,
    shown,
    unit_of,
)
from kammerton.reporting.tables import signed_by_system, signed_protocol
from kammerton.results.context import Context, ContextScore, Role
from kammerton.results.scores import keys_in_order, summary_rows
from kammerton.results.tables import SUMMARY
from kammerton.statistics.sample import headline_keys, items_behind

if TYPE_CHECKING:
    import altair as alt

_SHARES = 6
"""Systems whose share of human agreement is shown: the best."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRow:
    """A row below the systems: its name, and score and ends of its interval for each measure."""

    name: str
    cells: tuple[tuple[str, str], ...]


def context_of(source: Source) -> Context | None:
    """Return the context of scores, if they were made with one."""
    context: Context | None = source.scores.context
    return context


def bands_of(source: Source, measures: Sequence[Measure]) -> list[Band]:
    """Return for each measure what trivial answers reach at best, and what annotators reach."""
    context = context_of(source)
    return [] if context is None else [band for measure in measures for band in _bands(context, measure)]


def _bands(context: Context, measure: Measure) -> Iterator[Band]:
    baselines = [row.value for row in context.of(measure, "baseline") if not math.isnan(row.value)]
    if baselines:
        best = min(baselines) if measure.direction == "lower" else max(baselines)
        yield Band(measure=measure.name, role="baseline", value=scaled(best, measure))
    for row in context.of(measure, "annotators"):
        if not math.isnan(row.value):
            low, value, high = (scaled(each, measure) for each in (row.low, row.value, row.high))
            yield Band(measure=measure.name, role="agreement", value=value, low=low, high=high)


def context_rows(source: Source, measures: Sequence[Measure]) -> list[ContextRow]:
    """Return the rows of baselines and human agreement of a table of scores."""
    context = context_of(source)
    if context is None:
        return []
    rows = [
        *_rows(context, measures, "baseline", "baseline: {}"),
        *_rows(context, measures, "annotators", "annotators against the others"),
    ]
    return [*rows, *_shares(source, context, measures)]


def _rows(context: Context, measures: Sequence[Measure], role: Role, called: str) -> Iterator[ContextRow]:
    known = [{row.name: row for row in context.of(measure, role)} for measure in measures]
    for name in dict.fromkeys(name for scores in known for name in scores):
        cells = [_cell(scores.get(name), measure) for scores, measure in zip(known, measures, strict=True)]
        yield ContextRow(name=called.format(shown(name, 60)), cells=tuple(cells))


def _cell(row: ContextScore | None, measure: Measure) -> tuple[str, str]:
    return (
        ("", "")
        if row is None
        else (score_text(row.value, measure), interval_text(row.low, row.high, measure))
    )


def _shares(source: Source, context: Context, measures: Sequence[Measure]) -> Iterator[ContextRow]:
    known = [{row.name: row for row in shares_of(source, context, measure)} for measure in measures]
    for name in [system for system in source.ranked if any(system in scores for scores in known)][:_SHARES]:
        cells = [_share(scores.get(name)) for scores in known]
        yield ContextRow(name=f"{shown(name, 60)}, share of the annotators", cells=tuple(cells))


def shares_of(source: Source, context: Context, measure: Measure) -> list[ContextScore]:
    """Return the systems whose share of human agreement is known by a measure, the best first."""
    known = {row.name: row for row in context.of(measure, "others") if not math.isnan(row.share)}
    return [known[system] for system in source.ranked if system in known]


def _share(row: ContextScore | None) -> tuple[str, str]:
    if row is None:
        return "", ""
    within = "" if math.isnan(row.share_low) else f"{100 * row.share_low:.1f} to {100 * row.share_high:.1f} %"
    return f"{100 * row.share:.1f} %", within


def has_agreement(source: Source) -> bool:
    """Return whether annotators could be compared with each other."""
    context = context_of(source)
    return context is not None and context.items > 0


def context_note(source: Source) -> str:
    """Return what baselines and human agreement are, in a sentence or two."""
    context = context_of(source)
    if context is None:
        return ""
    baselines = "Baselines are trivial answers made from the references. "
    if context.left_out:
        shared = plural(context.shared, "item")
        baselines += f"They and the systems have the {shared} that all systems have here. "
    if not context.items:
        return f"{baselines}No item has two annotators to be compared with."
    out = f"; {plural(context.single, 'item')} with one annotator left out" if context.single else ""
    return (
        f"{baselines}Annotators are each scored against the others of an item, on "
        f"{plural(context.items, 'item')}{out}; shares are of systems against the same annotators, all of an "
        "item but one."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A score in a table: as text, with the ends of its interval and its letters of significance."""

    value: str
    ends: str = ""
    letters: str = ""
    best: bool = False


def overview(source: Source) -> Section:
    """Return the section of scores: per protocol a table, a forest plot, and a signature."""
    blocks = [
        {**block, "charts": list(_charts(source, block["protocol"], block["measures"]))}
        for block in score_blocks(source)
    ]
    level = source.scores.ci
    body = fill(
        "scores",
        key=source.key,
        blocks=blocks,
        level=None if level is None else f"{100 * level:g} %",
        note=context_note(source),
        agreement=has_agreement(source),
    )
    return Section(part="scores", title="Scores", body=body)


def score_blocks(source: Source) -> list[dict[str, Any]]:
    """Return for each protocol a table of its headline measures, as templates take it."""
    protocols = dict.fromkeys(measure.protocol for measure in source.headline)
    return [_block(source, protocol, number) for number, protocol in enumerate(protocols)]


def _block(source: Source, protocol: str, number: int) -> dict[str, Any]:
    measures = [measure for measure in source.headline if measure.protocol == protocol]
    counts = _item_counts(source, measures[0])
    record = next(each for each in source.scores.origin.task.protocols if each.name == protocol)
    return {
        "id": f"{source.key}-scores-{number}",
        "protocol": protocol,
        "summary": record.summary,
        "measures": measures,
        "rows": [
            (shown(system), counts.get(system, ""), list(_cells(source, system, measures)))
            for system in source.scores.systems
        ],
        "lettered": source.comparison is not None,
        "per_cent": all(is_per_cent(measure) for measure in measures),
        "context": context_rows(source, measures),
        "signatures": signatures_of(
            signed_protocol(source.scores, measures), f"{source.key}-scores-{number}"
        ),
    }


def _item_counts(source: Source, measure: Measure) -> dict[str, str]:
    """Return how many items each system has, if they do not have equally many."""
    keys = headline_keys(source.scores, measure)
    counts = {key.system: len(items_behind(source.scores, key)) for key in keys}
    return {
        system: plural(count, "item") for system, count in counts.items() if len(set(counts.values())) > 1
    }


def signatures_of(signed: Sequence[tuple[str, str]], name: str) -> list[dict[str, str]]:
    """Return signatures behind names of systems, as templates take them; ``name`` is the id of the first."""
    return [
        {"id": f"{name}-{number}" if number else name, "names": shown(names), "text": signature}
        for number, (names, signature) in enumerate(signed)
    ]


def _cells(source: Source, system: str, measures: Sequence[Measure]) -> Iterator[Cell]:
    for measure in measures:
        value = source.value(measure, system)
        compared = source.compared(measure)
        rank = None if compared is None else next(row for row in compared.ranking if row.system == system)
        yield Cell(
            value=score_text(value, measure),
            ends=interval_text(*source.interval(measure, system), measure),
            letters="" if rank is None else rank.letters,
            best=compared is not None and compared.places.get(system) == 1,
        )


def forest_of(source: Source, measures: Sequence[Measure], palette: Palette) -> alt.TopLevelMixin | None:
    """Return the headline scores of all systems by measures of one unit, None if none is defined."""
    scores = []
    for measure in measures:
        for system in source.scores.systems:
            low, high = source.interval(measure, system)
            scores.append(
                ChartScore(
                    measure=measure.name,
                    system=system,
                    value=scaled(source.value(measure, system), measure),
                    low=scaled(low, measure),
                    high=scaled(high, measure),
                )
            )
    if all(math.isnan(score.value) for score in scores):
        return None
    return forest(scores, unit_of(measures[0]), palette, bands_of(source, measures))


def _charts(source: Source, protocol: str, measures: Sequence[Measure]) -> Iterator[object]:
    """Give a forest plot for each unit."""
    for per_cent in (True, False):
        chart = forest_of(source, [measure for measure in measures if is_per_cent(measure) == per_cent], PAGE)
        if chart is not None:
            yield inline_svg(
                chart, f"Scores of {protocol} with their intervals; the table above has the numbers"
            )


_MOST_SCORES = 600
"""Scores that are listed one by one; beyond, those of the headline measures."""


def methods(source: Source) -> Section:
    """Return the section on rules, formulas, signatures and citations."""
    scores = source.scores
    rows, more = _score_rows(source)
    body = fill(
        "methods",
        key=source.key,
        protocols=list(_protocols(source)),
        citations=render_citations(scores.origin.task, scores.measures),
        rows=rows,
        more=more,
        level="" if scores.ci is None else f"{100 * scores.ci:g} %",
    )
    return Section(part="methods", title="Methods", body=body)


def _protocols(source: Source) -> list[dict[str, Any]]:
    numbers = {measure: number for number, measure in enumerate(source.scores.measures)}
    return [
        {
            "name": protocol.name,
            "revision": protocol.revision,
            "rules": protocol.rules,
            "measures": [
                {
                    "name": measure.name,
                    "card": measure.card,
                    "direction": measure.direction,
                    "aggregates": ", ".join(measure.aggregates).replace("_", " "),
                    "signatures": signatures_of(
                        signed_by_system(source.scores, measure), f"{source.key}-signature-{numbers[measure]}"
                    ),
                }
                for measure in protocol.measures
                if measure in numbers
            ],
        }
        for protocol in source.scores.origin.task.protocols
        if any(measure in numbers for measure in protocol.measures)
    ]


def _score_rows(source: Source) -> tuple[list[dict[str, Any]], int]:
    """Return corpus scores as rows of texts, headline measures first, and how many are left."""
    keys = sorted(keys_in_order(source.scores), key=lambda score_text: not score_text[-1].headline)
    by_name = {(each.protocol, each.name): each for each in source.scores.measures}
    rows = []
    for cells in islice(summary_rows(source.scores, keys), _MOST_SCORES):
        row = dict(zip(SUMMARY, cells, strict=True))
        measure = by_name[row["protocol"], row["measure"]]
        value, low, high = (row[name] for name in ("value", "ci_low", "ci_high"))
        texts = {
            **{name: row[name] for name in ("aggregate", "undefined", "weight_unit")},
            "among": row["items"],
            "system": shown(row["system"], 60),
            "annotator": shown(row["annotator"], 60),
            "measure": str(measure),
            "value": UNDEFINED if value is None else score_text(value, measure),
            "ends": "" if low is None else interval_text(low, high, measure),
            "weight": f"{row['weight']:,.1f}",
        }
        rows.append(texts)
    return rows, sum(len(measure.aggregates) for *_, measure in keys) - len(rows)


_ITEMS = 50
"""Items without a score that are listed for each system."""
_LABELS = 15
"""Labels left out that are listed."""
_PLACES = 3
"""Places that are named for each code."""
_EXCLUDED = "excluded"
_SEVERITIES = ("error", "warning", "note")


def quality(source: Source) -> Section:
    """Return the section on the data."""
    scores = source.scores
    body = fill(
        "quality",
        counts=[(shown(system), scores.counts[system]) for system in scores.systems],
        missing=scores.origin.missing,
        unusable=list(_unusable(source)),
        codes=_codes(scores.diagnostics, scores.origin.roots),
        excluded=excluded_lines(scores),
        labels=_labels(source),
        measure=str(source.main),
        left_out=[shown(name) for name in source.comparison.left_out] if source.comparison else [],
    )
    return Section(part="quality", title="Data", body=body)


def _unusable(source: Source) -> Iterator[dict[str, Any]]:
    for system in source.scores.systems:
        rows = sorted({(row.item, row.status, row.reason) for row in source.scores.unusable(system)})
        if rows:
            yield {
                "system": shown(system),
                "rows": [tuple(map(shown, row)) for row in rows[:_ITEMS]],
                "more": max(0, len(rows) - _ITEMS),
            }


def _codes(diagnostics: Sequence[Diagnostic], roots: Sequence[str]) -> list[dict[str, Any]]:
    """Return what was noticed, by code, the gravest first."""
    groups: dict[tuple[int, str], list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        groups.setdefault((_SEVERITIES.index(diagnostic.severity), diagnostic.code), []).append(diagnostic)
    return [
        {
            "code": code,
            "severity": _SEVERITIES[severity],
            "count": f"{sum(diagnostic.count for diagnostic in alike):,}",
            "message": coded(alike[0].message),
            "hint": None if alike[0].hint is None else coded(alike[0].hint),
            "places": list(_places(alike, roots)),
            "more": max(0, len(alike) - _PLACES),
        }
        for (severity, code), alike in sorted(groups.items())
    ]


def _places(alike: Sequence[Diagnostic], roots: Sequence[str]) -> Iterator[str]:
    for diagnostic in alike[:_PLACES]:
        if diagnostic.file is not None:
            yield shown(diagnostic.at(file=portable(diagnostic.file, roots)).place())
        elif diagnostic.item is not None:
            yield shown(diagnostic.item)


def _labels(source: Source) -> list[tuple[str, str]]:
    """Return the labels that the main measure leaves out for most of the time, with how much."""
    if _EXCLUDED not in source.scores.tables:
        return []
    tally = source.scores.tally(_EXCLUDED)
    if tally.columns != ("protocol", "measure", "label"):
        return []
    system = source.scores.systems[0]
    summed: Counter[str] = Counter()
    for (of_system, _), cells in tally.cells.items():
        for (protocol, measure, label), weight in cells.items() if of_system == system else ():
            if f"{protocol}/{measure}" == str(source.main):
                summed[str(label)] += weight  # type: ignore[assignment]
    most_costly = sorted(summed.items(), key=lambda each: (-each[1], each[0]))[:_LABELS]
    return [(shown(label, 60), amount_text(weight, tally.unit)) for label, weight in most_costly]
