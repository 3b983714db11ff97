# SPDX-License-Identifier: MIT
"""Scores and comparisons as notebooks show them: tables, and charts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kammerton.model.protocol import find
from kammerton.model.scores import Scores
from kammerton.reporting.charts.catalogue import chart
from kammerton.reporting.html.compared import pair_tables
from kammerton.reporting.html.filling import fill
from kammerton.reporting.html.overview import figure_blocks
from kammerton.reporting.html.source import Source
from kammerton.reporting.left_out import closing_line
from kammerton.statistics.compared import SystemComparison

if TYPE_CHECKING:
    import altair as alt

__all__ = ["chart_of", "html_of"]


def html_of(result: Scores | SystemComparison) -> str:
    """Return a result as tables.

    Parameters
    ----------
    result : Scores or SystemComparison
    """
    if isinstance(result, SystemComparison):
        source = Source(key="", scores=result.scores, comparison=result.comparison)
        tables = pair_tables(source)
    else:
        source, tables = Source(key="", scores=result), []
    level = source.scores.ci
    return str(
        fill(
            "notebook",
            blocks=figure_blocks(source),
            tables=tables,
            not_evaluated=", ".join(
                str(m) for m in source.scores.measures if m.headline and not source.scores.is_evaluated(m)
            ),
            closing=closing_line(source.scores),
            level=None if level is None else f"{100 * level:g} %",
        )
    )


def chart_of(scores: Scores, name: str, measure: str | None) -> alt.TopLevelMixin:
    """Return a chart of scores, as :meth:`kammerton.Scores.chart`."""
    source = Source(key="", scores=scores)
    return chart(source, name, source.main if measure is None else find(measure, scores.measures))
