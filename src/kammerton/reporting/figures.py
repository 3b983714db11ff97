# SPDX-License-Identifier: MIT
"""Figures for papers: charts as SVG, PDF and PNG, tables as LaTeX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kammerton.model.costs import ClassCosts
from kammerton.model.scores import Scores
from kammerton.reporting.blocks import render_blocks
from kammerton.reporting.charts.catalogue import charts_of
from kammerton.reporting.charts.drawing import FORMS, drawn
from kammerton.reporting.comparisons import render_comparison
from kammerton.reporting.contexts import blocks_of_context
from kammerton.reporting.html.classes import costs_of
from kammerton.reporting.html.source import Source
from kammerton.reporting.plain_tables import latex
from kammerton.reporting.tables import Block, build_blocks
from kammerton.statistics.compared import SystemComparison

__all__ = ["figure_files"]

_CLASSES = 12
"""Classes of the table of losses."""


def figure_files(source: Source, prefix: str) -> Iterator[tuple[str, bytes]]:
    """Give the charts and tables of scores as files.

    Parameters
    ----------
    source : Source
    prefix : str
        Begins the names of all files; no name of a system, an item or a label is part of them.
    """
    for name, chart in charts_of(source):
        for form in FORMS:
            yield f"{prefix}-{name}.{form}", drawn(chart, form)
    for name, text in _tables(source):
        yield f"{prefix}-{name}.tex", text.encode("utf-8")


def _tables(source: Source) -> Iterator[tuple[str, str]]:
    blocks, notes = _blocks(source.scores)
    for block in blocks:
        yield f"figures-{block.protocol}", render_blocks([block], "latex", notes=notes)
    if source.comparison is not None:
        found = SystemComparison(source.scores, source.comparison)
        yield "comparison", render_comparison(found, "latex")
    rows = list(_losses(source))
    if rows:
        yield "losses", latex(["system", "class", "in all", "lost", "of all loss", "unit"], rows, texts=2)


def _blocks(scores: Scores) -> tuple[Sequence[Block], Sequence[str]]:
    """Return the tables of figures, with floors and ceiling if known, and what is to be said of them."""
    return (build_blocks(scores), ()) if scores.context is None else blocks_of_context(scores)


def _losses(source: Source) -> Iterator[list[str]]:
    for system in source.scores.systems:
        found = costs_of(source, system)
        if found is not None:
            yield from _rows(system, found)


def _rows(system: str, found: ClassCosts) -> Iterator[list[str]]:
    whole = sum(row.lost for row in found.rows)
    for row in found.rows[:_CLASSES]:
        if row.lost > 0:
            amounts = [f"{row.whole:,.1f}", f"{row.lost:,.1f}", f"{100 * row.lost / whole:.1f} %"]
            yield [system, row.name, *amounts, found.unit_of_loss]
