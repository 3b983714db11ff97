# SPDX-License-Identifier: MIT
"""Class tables of scores, such as confusions, in every form that figures are printed in."""

from __future__ import annotations

from typing import Any

from kammerton.model.scores import Scores
from kammerton.reporting.documents import render_csv, render_json
from kammerton.reporting.outcomes import COLUMNS, OUTCOMES, of_each_class
from kammerton.reporting.plain_tables import FORMS, aligned

__all__ = ["render_class_table"]

_Table = tuple[list[str], list[tuple[Any, ...]], int]
"""Names of columns, rows, and how many columns are texts."""


def render_class_table(
    scores: Scores, name: str, form: str, *, safe: bool = False, encoding: str = "utf-8"
) -> str:
    """Return a class table, the heaviest rows of each system first.

    Parameters
    ----------
    scores : Scores
        What was scored.
    name : str
        One of its tables.
    form : {"table", "json", "csv", "md", "latex"}
        In tables for readers weights have three decimals, and a class that is none is ``-``.
    safe : bool
        As for :func:`.render_csv`.
    encoding : str
        What a terminal can draw.

    Notes
    -----
    A table of hits, misses and spurious labels has a row for each class, with its precision, recall and F.

    Raises
    ------
    OptionError
        If there is no such table.
    """
    columns, rows, names = _of_outcomes(scores, name) if _has_outcomes(scores, name) else _plain(scores, name)
    if form == "json":
        return render_json([dict(zip(columns, row, strict=True)) for row in rows])
    if form == "csv":
        return render_csv(columns, rows, safe=safe)
    texts = [[_told(value, name) for value, name in zip(row, columns, strict=True)] for row in rows]
    if form == "table":
        return aligned(columns, texts, texts=names, encoding=encoding)
    return FORMS[form](columns, texts, texts=names)


def _plain(scores: Scores, name: str) -> _Table:
    frame = scores.table(name)
    return frame.columns, list(frame.iter_rows()), len(frame.columns) - 1


def _has_outcomes(scores: Scores, name: str) -> bool:
    tally = scores.tally(name)
    outcomes = {classes[-1] for cells in tally.cells.values() for classes in cells}
    return len(tally.columns) == 2 and tally.columns[-1] == "outcome" and outcomes <= set(OUTCOMES)


def _of_outcomes(scores: Scores, name: str) -> _Table:
    """Return hits, misses, spurious labels, P, R and F of each class in one row."""
    tally = scores.tally(name)
    rows = [
        (system, annotator, *row)
        for (system, annotator), cells in tally.cells.items()
        for row in of_each_class(cells)
    ]
    return ["system", "annotator", tally.columns[0], *COLUMNS], rows, 3


def _told(value: Any, column: str) -> str:
    if isinstance(value, float):
        return f"{value:.10g}" if column in OUTCOMES else f"{value:.3f}"
    return "-" if value is None else str(value)
