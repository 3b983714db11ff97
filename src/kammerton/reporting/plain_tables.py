# SPDX-License-Identifier: MIT
"""Tables of texts and numbers that are texts already: aligned, Markdown, LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kammerton.reporting.escaping import display_width, for_latex, for_markdown, for_terminal, pad

__all__ = ["FORMS", "aligned", "latex", "markdown"]

Cells = Sequence[str]


def aligned(head: Cells, rows: Sequence[Cells], *, texts: int, encoding: str = "utf-8") -> str:
    """Return a table for a terminal, the first ``texts`` columns to the left, the others to the right."""
    shown = [[for_terminal(cell, encoding) for cell in row] for row in (head, *rows)]
    widths = [max(map(display_width, column)) for column in zip(*shown, strict=True)]
    lines = (
        "  ".join(pad(cell, widths[place], right=place >= texts) for place, cell in enumerate(row)).rstrip()
        for row in shown
    )
    return "".join(f"{line}\n" for line in lines)


def markdown(head: Cells, rows: Sequence[Cells], *, texts: int) -> str:
    """Return a table in GitHub's Markdown."""
    marks = ["---" if place < texts else "---:" for place in range(len(head))]
    body = [[for_markdown(cell) for cell in row] for row in (head, *rows)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (body[0], marks, *body[1:]))


def latex(head: Cells, rows: Sequence[Cells], *, texts: int) -> str:
    """Return a ``tabular`` of the package booktabs."""
    lines = [
        r"% needs \usepackage{booktabs}",
        rf"\begin{{tabular}}{{{'l' * texts}{'r' * (len(head) - texts)}}}",
        r"\toprule",
        " & ".join(map(for_latex, head)) + r" \\",
        r"\midrule",
        *(" & ".join(map(for_latex, row)) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


FORMS: Mapping[str, Callable[..., str]] = {"table": aligned, "md": markdown, "latex": latex}
"""How each form of ``--format`` that is for readers is made."""
