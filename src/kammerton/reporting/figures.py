# SPDX-License-Identifier: MIT
"""Every chart that is drawn of scores, by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from html import escape
from typing import TYPE_CHECKING, Any, Literal

from kammerton.errors import OptionError, cut_lines
from kammerton.model.measure import Measure, find
from kammerton.model.task import ClassLosses
from kammerton.reporting.charts import (
    FORMS,
    Band,
    ChartScore,
    MeanRanks,
    confusion,
    forest,
    losses,
    mean_ranks,
    render_chart,
    scatter,
    spread,
)
from kammerton.reporting.comparisons import (
    group_name,
    render_agreement,
    render_comparison,
    render_scores,
    render_tests,
)
from kammerton.reporting.diagnostics import closing_line
from kammerton.reporting.differences import render_difference, summary_of
from kammerton.reporting.escaping import for_terminal
from kammerton.reporting.html.classes import losses_by_class
from kammerton.reporting.html.page import Source, fill, is_per_cent, scaled, unit_of
from kammerton.reporting.ranking_texts import render_rankings, table_texts
from kammerton.reporting.rankings import TableOptions, comparison_of, rankings, shown_measures, verdict
from kammerton.reporting.tables import latex
from kammerton.results.agreement import AnnotatorAgreement
from kammerton.results.comparison import SystemComparison, compare
from kammerton.results.scores import Scores
from kammerton.runs.diff import RunDifference
from kammerton.statistics.comparison import Comparison

if TYPE_CHECKING:
    import altair as alt

_SYSTEMS = 6
"""Systems whose classes are drawn."""
_DRAWN = 24
"""Groups that are drawn."""


def chart(source: Source, name: str, measure: Measure) -> alt.TopLevelMixin:
    """Return one chart of scores."""
    if name not in CHARTS:
        raise OptionError.unknown("chart", name, CHARTS)
    picture = CHARTS[name](source, measure)
    if picture is None:
        raise OptionError(f"there is nothing to draw: {name} of {measure}", _NEEDS[name])
    return picture


def charts_of(source: Source) -> Iterator[tuple[str, alt.TopLevelMixin]]:
    """Give all charts that there are of scores, with names for files."""
    seen: set[tuple[str, bool]] = set()
    for measure in source.headline:
        key = (measure.protocol, is_per_cent(measure))
        if key in seen:
            continue
        seen.add(key)
        picture = _forest(source, measure)
        if picture is not None:
            yield f"forest-{measure.protocol}{'' if is_per_cent(measure) else '-values'}", picture
    for name, draw in CHARTS.items():
        picture = None if name == "forest" else draw(source, source.main)
        if picture is not None:
            yield name, picture


def _forest(source: Source, measure: Measure) -> alt.TopLevelMixin | None:
    """Return the scores of the systems by the headline measures of one protocol and unit."""
    alike = [
        str(other)
        for other in dict.fromkeys((*source.headline, measure))
        if other.protocol == measure.protocol and is_per_cent(other) == is_per_cent(measure)
    ]
    (table,) = rankings(source.scores, source.comparison, TableOptions(show=tuple(alike)))
    scores, bands = [], []
    for place, column in enumerate(table.measures):
        for row in table.rows:
            cell = row.cells[place]
            if cell is None:
                continue
            value, low, high = (scaled(end, column) for end in (cell.value, *cell.interval))
            if row.role == "system":
                scores.append(
                    ChartScore(measure=column.name, system=row.name, value=value, low=low, high=high)
                )
            elif not math.isnan(value):
                role: Literal["baseline", "agreement"] = "baseline" if row.is_baseline else "agreement"
                bands.append(Band(measure=column.name, role=role, value=value, low=low, high=high))
    if all(math.isnan(score.value) for score in scores):
        return None
    return forest(scores, unit_of(measure), bands, source.scores.systems)


def _ranks(source: Source, measure: Measure) -> alt.TopLevelMixin | None:
    ranks = ranks_of(source, measure)
    return None if ranks is None else mean_ranks(ranks)


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


def _histogram(source: Source, measure: Measure) -> alt.TopLevelMixin | None:
    """Return how the values of items are spread, None if items have none."""
    if measure.aggregate == "gathered":
        return None
    values = {system: _values(source, measure, system) for system in source.scores.systems}
    if all(math.isnan(value) for numbers in values.values() for value in numbers):
        return None
    return spread(values, f"{measure}, {unit_of(measure)}", (0.0, 100.0) if is_per_cent(measure) else None)


def _groups(source: Source, measure: Measure) -> alt.TopLevelMixin | None:
    """Return the scores of each group with their intervals, None if there are none."""
    scored = source.scores.groups
    if scored is None:
        return None
    rows = [row for system in source.scores.systems for row in scored.of(measure, system)]
    if all(math.isnan(row.value) for row in rows):
        return None
    scores = [
        ChartScore(
            measure=group_name(row.group, scored.by),
            system=row.system,
            value=scaled(row.value, measure),
            low=scaled(row.low, measure),
            high=scaled(row.high, measure),
        )
        for name in list(scored.sizes)[:_DRAWN]
        for row in rows
        if row.group == name
    ]
    return forest(scores, f"{measure}, {unit_of(measure)}", order=source.scores.systems)


def _scatter(source: Source, measure: Measure) -> alt.TopLevelMixin | None:
    if measure.aggregate == "gathered" or not source.ranked[1:]:
        return None
    first, second = ((name, _values(source, measure, name)) for name in source.ranked[:2])
    return scatter(first, second, _title(measure))


def _losses(source: Source, _: Measure) -> alt.TopLevelMixin | None:
    known = {
        name: each for name, each in _class_losses(source).items() if any(row.lost > 0 for row in each.rows)
    }
    return losses(known) if known else None


def _confusion(source: Source, _: Measure) -> alt.TopLevelMixin | None:
    known = {name: each for name, each in _class_losses(source).items() if each.cells}
    if not known:
        return None
    kind = next(iter(known.values())).kind
    return confusion({name: each.cells for name, each in known.items()}, kind)


def _class_losses(source: Source) -> dict[str, ClassLosses]:
    best = source.ranked[:_SYSTEMS]
    class_losses = (
        (system, losses_by_class(source, system)) for system in source.scores.systems if system in best
    )
    return {system: each for system, each in class_losses if each is not None}


def _values(source: Source, measure: Measure, system: str) -> list[float]:
    return [scaled(value, measure) for value in source.of_items(measure, system)]


def _title(measure: Measure) -> str:
    return f"{measure}, {unit_of(measure)}" if is_per_cent(measure) else str(measure)


CHARTS: dict[str, Callable[[Source, Measure], alt.TopLevelMixin | None]] = {
    "forest": _forest,
    "ranks": _ranks,
    "items": _histogram,
    "scatter": _scatter,
    "groups": _groups,
    "losses": _losses,
    "confusion": _confusion,
}
_NEEDS = {
    "forest": "no system has a defined score by it",
    "ranks": "three systems that were scored on the same items are needed",
    "items": "no item has a value of it",
    "scatter": "two systems with values of items are needed",
    "groups": "score with group_by to have scores of groups",
    "losses": "no class of labels lost anything, or the task has no losses by class",
    "confusion": "no label was confused with another, or the task does not count confusions",
}


_CLASSES = 12
"""Classes of the table of losses."""


def figure_files(source: Source, prefix: str) -> Iterator[tuple[str, bytes]]:
    """Give the charts and tables of scores as files."""
    for name, chart in charts_of(source):
        for form in FORMS:
            yield f"{prefix}-{name}.{form}", render_chart(chart, form)
    for name, text in _tables(source):
        yield f"{prefix}-{name}.tex", text.encode("utf-8")


def _tables(source: Source) -> Iterator[tuple[str, str]]:
    """Give a table for each protocol, the pairs of systems by the main measure, and the losses by class."""
    options = TableOptions()
    tables = rankings(source.scores, source.comparison, options)
    for table in tables:
        if table.measures:
            yield f"figures-{table.measures[0].protocol}", render_rankings([table], "latex", options)
    signatures = [signature for table in tables for signature in table.signatures]
    signed = "".join(f"% {for_terminal(signature)}\n" for signature in signatures)
    if source.comparison is not None:
        yield "comparison", signed + render_tests(source.comparison, tables, "latex", options)
    rows = list(_loss_rows(source))
    if rows:
        yield (
            "losses",
            latex(
                ["system", "class", "in all", "lost", "of all loss", "unit"],
                rows,
                text_columns=2,
                caption=_caption_of_losses(source),
                label=f"losses-{source.scores.task}",
                comments=signatures,
            ),
        )


def _caption_of_losses(source: Source) -> str:
    """Return what classes are counted, and by what rule."""
    known = filter(None, (losses_by_class(source, system) for system in source.scores.systems))
    return next((f"Losses by {losses.kind}. {losses.rule}" for losses in known), "")


def _loss_rows(source: Source) -> Iterator[list[str]]:
    for system in source.scores.systems:
        class_losses = losses_by_class(source, system)
        if class_losses is not None:
            yield from _rows(system, class_losses)


def _rows(system: str, class_losses: ClassLosses) -> Iterator[list[str]]:
    whole = sum(row.lost for row in class_losses.rows)
    for row in class_losses.rows[:_CLASSES]:
        if row.lost > 0:
            amounts = [f"{row.whole:,.1f}", f"{row.lost:,.1f}", f"{100 * row.lost / whole:.1f} %"]
            yield [system, row.name, *amounts, class_losses.unit_of_loss]


_FEW = 5
"""Rows of each table of a difference that is shown unasked."""
_REST = "`to_dict()` has everything"
_QUICK = 5000
"""Items times systems up to which intervals and tests of scores are printed unasked."""


def text_of(result: Scores | SystemComparison | AnnotatorAgreement | RunDifference) -> str:
    """Return a result as the command line prints it."""
    if isinstance(result, RunDifference):
        return cut_lines(f"{summary_of(result)}\n\n{render_difference(result, 'table', most=_FEW)}", _REST)
    if isinstance(result, Scores) and sum(count["total"] for count in result.counts.values()) > _QUICK:
        result = result.remade(bootstrap=None)
    return cut_lines(document_of(result, "table").rstrip("\n"), _REST)


def document_of(result: Scores | SystemComparison | AnnotatorAgreement, form: str, **options: Any) -> str:
    """Return a result as a table in one form; see :class:`.TableOptions`."""
    if isinstance(result, AnnotatorAgreement):
        return render_agreement(result, form, TableOptions(**options))
    if isinstance(result, SystemComparison):
        return render_comparison(result, form, TableOptions(**options))
    return render_scores(result, form, TableOptions(**options))


def html_of(result: Scores | SystemComparison | AnnotatorAgreement) -> str:
    """Return a result as the table that a notebook shows."""
    if isinstance(result, AnnotatorAgreement):
        return f"<pre>{escape(text_of(result))}</pre>"
    options = TableOptions()
    scores = result if isinstance(result, Scores) else result.scores
    if isinstance(result, SystemComparison):
        comparison: Comparison | None = result.comparison
    else:
        comparison = comparison_of(scores, shown_measures(scores, options))
    tables = rankings(scores, comparison, options)
    return str(
        fill(
            "notebook",
            sentence=verdict(scores, comparison, tables[0], options.digits) if tables else "",
            tables=[(table, table_texts(table, options)) for table in tables],
            closing=closing_line(scores),
        )
    )


def chart_of(scores: Scores, name: str, measure: str | None) -> alt.TopLevelMixin:
    """Return a chart of scores, as :meth:`kammerton.Scores.chart`."""
    source = Source(key="", scores=scores)
    return chart(source, name, source.main if measure is None else find(measure, scores.measures))
