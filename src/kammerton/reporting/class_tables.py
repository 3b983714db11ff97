# SPDX-License-Identifier: MIT
"""Class tables of scores, such as confusions, in every form that figures are printed in."""

from __future__ import annotations

from typing import Any

from kammerton.model.scores import Scores
from kammerton.reporting.documents import render_csv, render_json
from kammerton.reporting.plain_tables import FORMS, aligned

__all__ = ["render_class_table"]


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

    Raises
    ------
    OptionError
        If there is no such table.
    """
    frame = scores.table(name)
    rows = list(frame.iter_rows())
    if form == "json":
        return render_json([dict(zip(frame.columns, row, strict=True)) for row in rows])
    if form == "csv":
        return render_csv(frame.columns, rows, safe=safe)
    texts = [[_told(value) for value in row] for row in rows]
    if form == "table":
        return aligned(frame.columns, texts, texts=len(frame.columns) - 1, encoding=encoding)
    return FORMS[form](frame.columns, texts, texts=len(frame.columns) - 1)


def _told(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    return "-" if value is None else str(value)
