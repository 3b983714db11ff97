# SPDX-License-Identifier: MIT
"""Numbers as tables print them, and tables of texts for a terminal, Markdown and LaTeX."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence

from kammerton.model.corpus import ALL
from kammerton.model.measure import Measure
from kammerton.reporting.escaping import (
    display_width,
    for_latex,
    for_latex_number,
    for_markdown,
    for_terminal,
    pad,
)
from kammerton.results.scores import Scores

PER_CENT = (0.0, 1.0)
"""Range of the measures that are printed in per cent."""
DIGITS = 1
"""Decimals of a per cent, unless chosen; other values have two more."""


def format_score(value: float, measure: Measure, digits: int = DIGITS) -> str:
    """Return a score as tables print it."""
    if math.isnan(value):
        return "undefined"
    text = f"{100 * value:.{digits}f}" if measure.range == PER_CENT else f"{value:.{digits + 2}f}"
    return text.removeprefix("-") if not text.strip("-0.") else text  # no negative zero


def format_difference(value: float, measure: Measure, digits: int = DIGITS) -> str:
    """Return a difference of scores, with its sign."""
    text = format_score(value, measure, digits)
    return text if text.startswith("-") or not text.strip("0.") or math.isnan(value) else f"+{text}"


def format_p(value: float) -> str:
    """Return a p-value with its sign of relation, as papers write it.

    >>> format_p(0.00001), format_p(0.0003), format_p(0.0301), format_p(1.0)
    ('< .0001', '= .0003', '= .030', '= 1')
    """
    if math.isnan(value):
        return "undefined"
    if value < 1e-4:
        return "< .0001"
    text = f"{value:.4f}" if value < 1e-3 else f"{value:.3f}"
    return "= 1" if text.startswith("1") else f"= {text.removeprefix('0')}"


def signatures_by_system(scores: Scores, measure: Measure, annotator: str = ALL) -> list[tuple[str, str]]:
    """Return (systems, signature) pairs of a measure; the names are empty if all systems share one."""
    systems: dict[str, list[str]] = {}
    for system in scores.systems:
        signature = scores.signatures(annotator, systems=(system,))[measure]
        systems.setdefault(signature, []).append(system)
    several = len(systems) > 1
    return [(", ".join(names) if several else "", signature) for signature, names in systems.items()]


def protocol_signatures(
    scores: Scores, measures: Sequence[Measure], annotator: str = ALL
) -> list[tuple[str, str]]:
    """Return the same of every score of a protocol, with ``*`` for the measure."""
    measure = next((m for m in measures if m.needs != "annotators"), measures[0])
    pairs = signatures_by_system(scores, measure, annotator)
    return [(names, protocol_signature({measure: signature}, measure)) for names, signature in pairs]


def protocol_signature(signatures: Mapping[Measure, str], measure: Measure) -> str:
    """Return the signature of every score of a protocol, with ``*`` for the measure."""
    return f"{measure.protocol}/*{signatures[measure].removeprefix(str(measure))}"


def amount(value: float, unit: str) -> str:
    """Return a weight with its unit; units but ``s`` are plural nouns.

    >>> amount(1.0, "files"), amount(1204.0, "files"), amount(147.5, "s"), amount(1.0, "queries")
    ('1 file', '1,204 files', '147.5 s', '1 query')
    """
    one = "query" if unit == "queries" else unit if unit == "s" else unit.removesuffix("s")
    return f"{_number(value)} {one if value == 1 else unit}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


def line_in_markdown(text: str) -> str:
    """Return a line of text, which no build log takes for a command."""
    shown = for_markdown(text)
    return f"&#58;{shown[1:]}" if shown.startswith("::") else shown


def code_in_markdown(text: str) -> str:
    """Return text that can be copied as it is, whatever it holds."""
    shown = for_terminal(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    return f"{fence}{shown}{fence}" if len(fence) == 1 else f"{fence} {shown} {fence}"


_GAP = "  "
Cells = Sequence[str]


def aligned(
    head: Cells,
    rows: Sequence[Cells],
    *,
    text_columns: int,
    encoding: str = "utf-8",
    width: int | None = None,
) -> str:
    """Return a table for a terminal."""
    shown = [[for_terminal(cell, encoding) for cell in row] for row in (head, *rows)]
    widths = [max(map(display_width, column)) for column in zip(*shown, strict=True)]
    parts = []
    for places in _parts(widths, text_columns, width):
        lines = (
            _GAP.join(
                pad(row[place], widths[place], right=place >= text_columns) for place in places
            ).rstrip()
            for row in shown
        )
        parts.append("".join(f"{line}\n" for line in lines))
    return "\n".join(parts)


def _parts(widths: Sequence[int], text_columns: int, width: int | None) -> list[list[int]]:
    """Deal the columns of numbers out to tables that fit, at least one to each."""
    whole = list(range(len(widths)))
    if width is None or sum(widths) + len(_GAP) * (len(widths) - 1) <= width:
        return [whole]
    parts = [whole[:text_columns]]
    for place in whole[text_columns:]:
        used = sum(widths[column] + len(_GAP) for column in parts[-1])
        if used + widths[place] > width and len(parts[-1]) > text_columns:
            parts.append(whole[:text_columns])
        parts[-1].append(place)
    return parts


def markdown(head: Cells, rows: Sequence[Cells], *, text_columns: int) -> str:
    """Return a table in GitHub's Markdown."""
    marks = ["---" if place < text_columns else "---:" for place in range(len(head))]
    body = [[for_markdown(cell) for cell in row] for row in (head, *rows)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (body[0], marks, *body[1:]))


def latex(
    head: Cells,
    rows: Sequence[Cells],
    *,
    text_columns: int,
    caption: str = "",
    label: str = "",
    comments: Sequence[str] = (),
) -> str:
    """Return a ``table`` with a ``tabular`` of the package booktabs, small enough for a column of text."""
    lines = [
        " & ".join(map(for_latex, head)) + r" \\",
        r"\midrule",
        *(
            " & ".join([*map(for_latex, row[:text_columns]), *map(for_latex_number, row[text_columns:])])
            + r" \\"
            for row in rows
        ),
    ]
    columns = f"{'l' * text_columns}{'r' * (len(head) - text_columns)}"
    return in_latex_table(lines, columns, caption=caption, label=label, comments=comments)


def in_latex_table(
    lines: Sequence[str], columns: str, *, caption: str = "", label: str = "", comments: Sequence[str] = ()
) -> str:
    """Return rows as a ``table`` with rules of the package booktabs, which shrinks to a column of text."""
    whole = [r"% needs \usepackage{booktabs,graphicx}", *(f"% {for_terminal(text)}" for text in comments)]
    whole += [r"\begin{table}", r"\centering", r"\small", r"\setlength{\tabcolsep}{3pt}"]
    whole += [rf"\caption{{{for_latex(caption)}}}"] if caption else []
    whole += [rf"\label{{tab:{re.sub('[^A-Za-z0-9]+', '-', label)}}}"] if label else []
    whole += [r"\resizebox{\ifdim\width>\columnwidth\columnwidth\else\width\fi}{!}{%"]
    whole += [rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}", r"\toprule", *lines, r"\bottomrule"]
    return "\n".join((*whole, r"\end{tabular}}", r"\end{table}")) + "\n"


FORMS: Mapping[str, Callable[..., str]] = {"table": aligned, "md": markdown, "latex": latex}
"""Renderer of each ``--format`` that people read."""
