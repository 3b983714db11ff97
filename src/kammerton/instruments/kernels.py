# SPDX-License-Identifier: MIT
"""All protocols of instruments: cases to statistics, rows of classes to statistics of classes."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

import numpy as np

from kammerton.instruments.anatomy import class_tables
from kammerton.instruments.annotation import InstrumentList
from kammerton.instruments.columns import Columns
from kammerton.instruments.formulas import RATE
from kammerton.instruments.hierarchical import extended_counts
from kammerton.instruments.options import InstrumentOptions
from kammerton.instruments.protocols import kiritchenko2006, lca, open_mic_task1, open_mic_task2, scores
from kammerton.instruments.queries import Queries, gather_rows
from kammerton.instruments.shaping import build_columns
from kammerton.model.gathering import Gathered
from kammerton.model.measure import Measure, Statistics
from kammerton.model.task import Case, Evaluation

__all__ = ["evaluate", "gather", "statistics_of_files"]


def evaluate(
    cases: Sequence[Case[InstrumentList]], measures: Sequence[Measure], options: InstrumentOptions
) -> Evaluation:
    """Return the statistics of each case, its part of the class tables, and its rows of classes.

    Parameters
    ----------
    cases : sequence of Case
        Pairs.
    measures : sequence of Measure
        What to compute: those that the annotations allow.
    options : InstrumentOptions
        Choices of the caller.
    """
    columns = build_columns(cases, options)
    by_case = [measure for measure in measures if measure.aggregate != "gathered"]
    return Evaluation(
        statistics_of_files(columns, by_case, options),
        class_tables(columns),
        gather_rows(columns) if len(by_case) < len(measures) else None,
    )


def statistics_of_files(
    columns: Columns, measures: Sequence[Measure], options: InstrumentOptions
) -> dict[Measure, Statistics]:
    """Return the statistics of ``measures``, none of them gathered, one row per file."""
    extended = None
    if any(_is_extended(measure) for measure in measures):
        extended = extended_counts(columns)
    computed = open_mic_task1.evaluate(columns, _of(open_mic_task1, measures), options, extended)
    pooled = _of(kiritchenko2006, measures)
    if extended is not None:
        computed |= kiritchenko2006.evaluate(pooled, extended)
    if ways := _of(lca, measures):
        computed |= lca.evaluate(columns, ways, options)
    if vectors := _of(scores, measures):
        computed |= scores.evaluate(columns, vectors, options)
    return {measure: computed[measure] for measure in measures}


def _is_extended(measure: Measure) -> bool:
    task1 = measure.protocol == open_mic_task1.PROTOCOL.name and measure.name in open_mic_task1.HIERARCHICAL
    return task1 or measure.protocol == kiritchenko2006.PROTOCOL.name


def _of(module: ModuleType, measures: Sequence[Measure]) -> list[Measure]:
    return [measure for measure in measures if measure.protocol == module.PROTOCOL.name]


def gather(
    gathered: Gathered, measures: Sequence[Measure], options: InstrumentOptions
) -> tuple[tuple[str, ...], dict[Measure, Statistics]]:
    """Return the names of the classes, and the statistics of each gathered measure, one row per class.

    Parameters
    ----------
    gathered : Gathered
        What :func:`evaluate` gave, of one system and annotator.
    measures : sequence of Measure
        What to compute, all of it gathered.
    options : InstrumentOptions
        Choices of the caller.

    Returns
    -------
    tuple of str, dict of Measure to ndarray
        Instruments, or topics, by name; behind them, if a measure is over all pairs of file and label,
        ``"all"``. A row of NaN where a measure has no such class.
    """
    queries = Queries(gathered, options)
    computed = open_mic_task1.gather(queries, _of(open_mic_task1, measures), options)
    if searches := _of(open_mic_task2, measures):
        computed |= open_mic_task2.gather(queries, searches, options)
    vectors = _of(scores, measures)
    if not vectors:
        return queries.names, computed
    nothing = np.full((1, len(RATE)), np.nan)
    computed = {measure: np.concatenate((found, nothing)) for measure, found in computed.items()}
    return (*queries.names, scores.EVERYTHING), computed | scores.gather(queries, vectors, options)
