# SPDX-License-Identifier: MIT
"""Class tables of scores, such as confusions, in every form that figures are printed in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kammerton.model.scores import Scores
from kammerton.reporting.documents import render_csv, render_json
from kammerton.reporting.escaping import display_width, for_latex, for_markdown, for_terminal, pad

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
    if form == "md":
        return _markdown(frame.columns, rows)
    if form == "latex":
        return _latex(frame.columns, rows)
    texts = [[for_terminal(_told(value), encoding) for value in row] for row in rows]
    return _aligned([frame.columns, *texts])


def _told(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    return "-" if value is None else str(value)


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(display_width, column)) for column in zip(*rows, strict=True)]
    last = len(widths) - 1
    lines = (
        "  ".join(pad(cell, widths[place], right=place == last) for place, cell in enumerate(row))
        for row in rows
    )
    return "".join(f"{line}\n" for line in lines)


def _markdown(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    marks = ["---"] * (len(head) - 1) + ["---:"]
    body = ([for_markdown(_told(value)) for value in row] for row in rows)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (map(for_markdown, head), marks, *body))


def _latex(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = [
        r"% needs \usepackage{booktabs}",
        rf"\begin{{tabular}}{{{'l' * (len(head) - 1)}r}}",
        r"\toprule",
        " & ".join(map(for_latex, head)) + r" \\",
        r"\midrule",
        *(" & ".join(for_latex(_told(value)) for value in row) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"
