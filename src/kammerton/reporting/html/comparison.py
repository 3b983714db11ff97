# SPDX-License-Identifier: MIT
"""Sections that compare groups of items, such as genres, and systems."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kammerton.errors import OptionError, plural
from kammerton.model.measure import Measure
from kammerton.reporting.charts import PAGE, ChartScore, MeanRanks, Palette, forest, inline_svg, mean_ranks
from kammerton.reporting.comparisons import adjusted_p, counted, group_name, how_tested, item_notes
from kammerton.reporting.html.page import (
    UNDEFINED,
    Section,
    Source,
    fill,
    interval_text,
    scaled,
    score_text,
    sentence,
    shown,
    unit_of,
)
from kammerton.reporting.tables import format_p
from kammerton.results.comparison import compare
from kammerton.results.groups import Groups, GroupScore
from kammerton.statistics.comparison import Comparison, MeasureComparison, Pair

if TYPE_CHECKING:
    import altair as alt
    from markupsafe import Markup

_GROUPS = 200
"""Groups that a table lists."""
_DRAWN = 24
"""Groups that are drawn."""
_TABLES = 8
"""Measures that have a table."""


def groups(source: Source) -> Section | None:
    """Return the section of groups, if there are scores of groups."""
    scored: Groups | None = source.scores.groups
    if scored is None:
        return None
    measures = [m for m in dict.fromkeys((source.main, *source.headline)) if _rows(source, scored, m)]
    if not measures:
        return None
    chart = group_chart(source, measures[0], PAGE)
    label = f"{measures[0]} of each {scored.by} with its interval; the table has the numbers"
    body = fill(
        "groups",
        by=shown(scored.by, 60),
        systems=[shown(name, 60) for name in source.scores.systems],
        tables=[_table(source, scored, measure) for measure in measures[:_TABLES]],
        more=max(0, len(scored.sizes) - _GROUPS),
        chart=None if chart is None else inline_svg(chart, label),
    )
    return Section(part="groups", title=f"By {shown(scored.by, 60)}", body=body)


def group_chart(source: Source, measure: Measure, palette: Palette) -> alt.TopLevelMixin | None:
    """Return the scores of each group with their intervals, None if there are none."""
    scored: Groups | None = source.scores.groups
    rows = [] if scored is None else _rows(source, scored, measure)
    if scored is None or all(math.isnan(row.value) for row in rows):
        return None
    names = list(scored.sizes)[:_DRAWN]
    scores = [
        ChartScore(
            measure=group_name(row.group, scored.by),
            system=row.system,
            value=scaled(row.value, measure),
            low=scaled(row.low, measure),
            high=scaled(row.high, measure),
        )
        for name in names
        for row in rows
        if row.group == name
    ]
    return forest(scores, f"{measure}, {unit_of(measure)}", palette)


def _rows(source: Source, scored: Groups, measure: Measure) -> list[GroupScore]:
    return [row for system in source.scores.systems for row in scored.of(measure, system)]


def _table(source: Source, scored: Groups, measure: Measure) -> dict[str, Any]:
    rows = {(row.group, row.system): row for row in _rows(source, scored, measure)}
    return {
        "measure": str(measure),
        "unit": unit_of(measure),
        "rows": [
            {
                "name": shown(group_name(group, scored.by), 60),
                "size": f"{size:,}",
                "cells": _cells(
                    [rows.get((group, system)) for system in source.scores.systems], measure, size
                ),
            }
            for group, size in list(scored.sizes.items())[:_GROUPS]
        ],
    }


def _cells(rows: Sequence[GroupScore | None], measure: Measure, size: int) -> list[dict[str, Any]]:
    """Return the cells of a group: a system that lacks some of its items has its own count."""
    of_items = measure.aggregate != "gathered"
    return [
        {"value": "", "ends": "", "cost": "", "largest": False, "count": ""}
        if row is None
        else {
            "value": score_text(row.value, measure),
            "ends": interval_text(row.low, row.high, measure),
            "count": plural(row.items, "item") if of_items and row.items != size else "",
            "cost": "" if math.isnan(row.cost) else score_text(row.cost, measure, signed=True),
            "largest": row.costs_most,
        }
        for row in rows
    ]


_PAIRS = 60
"""Pairs of a measure that are listed."""
_MOST_TABLES = 12
"""Measures whose pairs are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRow:
    """A pair of systems as a row of texts."""

    first: str
    second: str
    significant: bool
    items: str
    difference: str
    ends: str
    p: str
    adjusted: str
    superiority: str
    outcomes: str


def compared(source: Source) -> Section | None:
    """Return the section of the comparison, if there was one."""
    if source.comparison is None:
        return None
    ranks = ranks_of(source, source.main)
    body = fill(
        "comparison",
        tables=pair_tables(source),
        notes=[shown(sentence(each), 300) for each in item_notes(source.comparison)],
        chart=None if ranks is None else _chart(ranks),
        chart_items="" if ranks is None else plural(ranks.items, ranks.unit),
        agreement=_agreement(source.comparison),
        systems=[shown(system, 40) for system in source.ranked],
        places=list(_places(source)),
    )
    return Section(part="comparison", title="Comparison", body=body)


def pair_tables(source: Source) -> list[dict[str, Any]]:
    """Return the pairs of systems by the main measure and some others, as templates take them."""
    assert source.comparison is not None, "only comparisons have pairs"
    chosen = [compared for compared in source.comparison.measures if compared.measure == source.main]
    chosen += [compared for compared in source.comparison.measures if compared.measure != source.main][
        : _MOST_TABLES - 1
    ]
    return [_pair_table(source.comparison, compared) for compared in chosen]


def _pair_table(comparison: Comparison, compared: MeasureComparison) -> dict[str, Any]:
    return {
        "measure": str(compared.measure),
        "unit": unit_of(compared.measure),
        "count": counted(compared),
        "rows": [_row(pair, compared.measure) for pair in compared.pairs[:_PAIRS]],
        "more": max(0, len(compared.pairs) - _PAIRS),
        "level": f"{100 * comparison.level:g} %",
        "adjusted": adjusted_p(comparison),
        "notes": [sentence(line.removeprefix("* ")) for line in how_tested(compared, comparison)],
    }


def _row(pair: Pair, measure: Measure) -> PairRow:
    return PairRow(
        first=shown(pair.first, 60),
        second=shown(pair.second, 60),
        significant=pair.significant,
        items=f"{pair.items:,}",
        difference=score_text(pair.difference, measure, signed=True),
        ends=interval_text(pair.low, pair.high, measure),
        p=format_p(pair.p).removeprefix("= "),
        adjusted=format_p(pair.adjusted).removeprefix("= "),
        superiority=UNDEFINED if math.isnan(pair.superiority) else f"{100 * pair.superiority:.0f} %",
        outcomes=f"{pair.wins} / {pair.ties} / {pair.losses}",
    )


def ranks_of(source: Source, measure: Measure) -> MeanRanks | None:
    """Return mean ranks by a measure; None for fewer than three systems, or no item that all have."""
    systems = source.scores.systems
    if len(systems) < 3 or measure.needs == "annotators" or measure.aggregate == "gathered":
        return None
    try:
        compared = compare(
            source.scores,
            measures=[measure],
            test="friedman",
            permutations=1,
            resamples=100,
            clusters=source.scores.origin.clusters,
        )
    except OptionError:
        return None
    tested = compared.measures[0]
    if tested.friedman is None or math.isnan(tested.friedman.critical):
        return None
    return MeanRanks(
        systems=systems,
        ranks=tuple(tested.friedman.ranks.tolist()),
        critical=float(tested.friedman.critical),
        items=tested.friedman.items,
        unit="cluster" if compared.clustered else "item",
    )


def _chart(ranks: MeanRanks) -> Markup:
    return inline_svg(
        mean_ranks(ranks, PAGE), "Mean ranks of the systems over items, with the critical difference"
    )


def _places(source: Source) -> Iterator[tuple[str, list[str]]]:
    """Give for each measure the place of each system, with its letters."""
    assert source.comparison is not None, "only comparisons are shown"
    for each in source.comparison.measures:
        letters = {row.system: row.letters for row in each.ranking}
        places = {system: f"{place} {letters[system]}".strip() for system, place in each.places.items()}
        yield str(each.measure), [places.get(system, "–") for system in source.ranked]


def _agreement(comparison: Comparison) -> list[str]:
    texts = {True: "both differences are significant", False: "not both differences are significant"}
    return [
        f"{each.first} ranks {shown(each.better, 60)} before {shown(each.worse, 60)}, {each.second} the "
        f"other way round; {texts[each.significant]}."
        for each in comparison.disagreements
    ]
