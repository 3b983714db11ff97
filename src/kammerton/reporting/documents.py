# SPDX-License-Identifier: MIT
"""Scores as files for programs: JSON, CSV, JSON lines, Parquet. Nothing is rounded."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from kammerton.model.scores import Scores
from kammerton.reporting.escaping import for_json, for_spreadsheet

if TYPE_CHECKING:
    import polars as pl

__all__ = ["render_csv", "render_frame", "render_items", "render_json"]

_NEEDS_QUOTES = re.compile(r'[",\r\n]|^[ \t]|[ \t]$')


def render_json(document: object) -> str:
    """Return a document of plain values as JSON; undefined values are null, NaN is refused."""
    return for_json(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)) + "\n"


def render_csv(header: Sequence[str], rows: Iterable[Sequence[Any]], *, safe: bool = False) -> str:
    """Return rows as CSV (RFC 4180, lines ended by a line feed); None is an empty cell.

    Parameters
    ----------
    header : sequence of str
        Names of the columns.
    rows : iterable of sequence
        Strings, numbers and None.
    safe : bool
        Whether text that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    lines = [",".join(header)]
    lines += [",".join(_cell(value, safe=safe) for value in row) for row in rows]
    return "\n".join(lines) + "\n"


def _cell(value: Any, *, safe: bool) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return repr(value)
    text = for_spreadsheet(value) if safe else value
    return '"' + text.replace('"', '""') + '"' if _NEEDS_QUOTES.search(text) else text


def render_frame(frame: pl.DataFrame, *, safe: bool = False) -> str:
    """Return a data frame as :func:`render_csv` has it."""
    return render_csv(frame.columns, frame.iter_rows(), safe=safe)


def render_items(scores: Scores, suffix: str, *, safe: bool = False) -> bytes:
    """Return the figures of each item, the columns of :attr:`kammerton.Scores.items`.

    Parameters
    ----------
    scores : Scores
        What was scored.
    suffix : {".csv", ".jsonl", ".parquet"}
        The form.
    safe : bool
        As for :func:`render_csv`.
    """
    frame = scores.items
    if suffix == ".parquet":
        file = io.BytesIO()
        frame.write_parquet(file)
        return file.getvalue()
    if suffix == ".csv":
        return render_frame(frame, safe=safe).encode("utf-8", "backslashreplace")
    lines = (
        json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in frame.iter_rows(named=True)
    )
    return for_json("".join(lines)).encode("utf-8", "backslashreplace")
