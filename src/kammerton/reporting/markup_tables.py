# SPDX-License-Identifier: MIT
"""Tables as Markdown and LaTeX, to be pasted into a pull request or a paper; the best figures are bold."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence

from kammerton.reporting.escaping import (
    bold_in_latex,
    bold_in_markdown,
    for_latex,
    for_latex_number,
    for_markdown,
    for_terminal,
)
from kammerton.reporting.tables import Block, cell, ends
from kammerton.statistics.ranks import is_tie, scale_of

__all__ = ["render_latex", "render_markdown"]


def render_markdown(blocks: Sequence[Block]) -> str:
    """Return tables in GitHub's Markdown, each below its heading and above its signature."""
    return "\n".join(_markdown(block) for block in blocks)


def _markdown(block: Block) -> str:
    heading, waiting = f"### {for_markdown(block.caption)}\n", for_markdown(block.not_evaluated)
    if not block.measures:
        return f"{heading}\n{waiting}\n"
    head, *body = _cells(block, for_markdown, str, bold_in_markdown)
    aligned = ["---" if place < _texts(block) else "---:" for place in range(len(head))]
    rows = "\n".join("| " + " | ".join(row) + " |" for row in (head, aligned, *body))
    signatures = "\n\n".join(map(_code, block.signatures))
    told = f"{waiting}\n\n" if waiting else ""
    return f"{heading}\n{rows}\n\n{told}{signatures}\n"


def _code(text: str) -> str:
    """Return text that can be copied as it is, whatever it holds."""
    shown = for_terminal(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    return f"{fence}{shown}{fence}" if len(fence) == 1 else f"{fence} {shown} {fence}"


def render_latex(blocks: Sequence[Block]) -> str:
    """Return tables as ``tabular`` environments of the package booktabs."""
    return "\n".join(_latex(block) for block in blocks)


def _latex(block: Block) -> str:
    waiting = [f"% {for_latex(block.not_evaluated)}"] if block.unreferenced else []
    if not block.measures:
        return "\n".join((f"% {for_latex(block.caption)}", *waiting)) + "\n"
    head, aggregates, *body = _cells(block, for_latex, for_latex_number, bold_in_latex)
    columns = "l" * _texts(block) + "r" * (len(head) - _texts(block))
    lines = [
        rf"% {for_latex(block.caption)}; needs \usepackage{{booktabs}}",
        *waiting,
        *(f"% {for_terminal(each)}" for each in block.signatures),
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        *(" & ".join(row) + r" \\" for row in (head, aggregates)),
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in body),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _texts(block: Block) -> int:
    """Return how many columns hold text."""
    return 2 if block.names_annotators else 1


def _interval(low_and_high: Sequence[str]) -> str:
    return f"[{', '.join(low_and_high)}]" if all(low_and_high) else ""


def _cells(
    block: Block, escape: Callable[[str], str], number: Callable[[str], str], bold: Callable[[str], str]
) -> Iterator[list[str]]:
    """Give the rows of a table: names, aggregates, then figures and the items undefined below them."""
    best = [block.best(place) for place in range(len(block.measures))]
    annotated = block.names_annotators
    empty = [""] if annotated else []
    yield [
        *block.who[: _texts(block)],
        "items",
        *(escape(block.heading(measure)) for measure in block.measures),
    ]
    yield ["aggregate", *empty, "", *(measure.aggregate.replace("_", " ") for measure in block.measures)]
    for line in block.lines:
        who = [escape(line.system), *([escape(line.annotator)] if annotated else [])]
        figures = []
        for each, measure, known in zip(line.figures, block.measures, best, strict=True):
            shown = number(cell(each, measure))
            best_value = known.get(line.annotator, math.nan)
            is_best = each is not None and is_tie(each.value, best_value, scale_of(measure))
            figures.append(bold(shown) if is_best else shown)
        yield [*who, str(line.items), *figures]
        if line.intervals:
            told = [
                _interval([*map(number, ends(each, m))])
                for each, m in zip(line.intervals, block.measures, strict=True)
            ]
            yield [escape(f"{block.level} interval"), *empty, "", *told]
        if any(line.undefined):
            counts = ["" if count is None else str(count) for count in line.undefined]
            yield ["undefined items", *empty, "", *counts]
