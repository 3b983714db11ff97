# SPDX-License-Identifier: MIT
"""Tables of texts and numbers that are texts already: aligned, Markdown, LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kammerton.reporting.escaping import (
    bold_in_latex,
    bold_in_markdown,
    display_width,
    for_latex,
    for_latex_number,
    for_markdown,
    for_terminal,
    pad,
)

__all__ = ["FORMS", "Best", "aligned", "latex", "markdown"]

Cells = Sequence[str]

_GAP = "  "


class Best(str):
    """A number that is bold where a form of tables has that."""

    __slots__ = ()


def aligned(
    head: Cells, rows: Sequence[Cells], *, texts: int, encoding: str = "utf-8", width: int | None = None
) -> str:
    """Return a table for a terminal.

    Parameters
    ----------
    head, rows : sequences of str
    texts : int
        This many columns are texts, and stand to the left; the others to the right.
    encoding : str
        What the terminal can draw.
    width : int, optional
        Its columns. Numbers that do not fit stand in a further table below, beside the texts once more.
    """
    shown = [[for_terminal(cell, encoding) for cell in row] for row in (head, *rows)]
    widths = [max(map(display_width, column)) for column in zip(*shown, strict=True)]
    parts = []
    for places in _parts(widths, texts, width):
        lines = (
            _GAP.join(pad(row[place], widths[place], right=place >= texts) for place in places).rstrip()
            for row in shown
        )
        parts.append("".join(f"{line}\n" for line in lines))
    return "\n".join(parts)


def _parts(widths: Sequence[int], texts: int, width: int | None) -> list[list[int]]:
    """Deal the columns of numbers out to tables that fit, at least one to each."""
    whole = list(range(len(widths)))
    if width is None or sum(widths) + len(_GAP) * (len(widths) - 1) <= width:
        return [whole]
    parts = [whole[:texts]]
    for place in whole[texts:]:
        used = sum(widths[each] + len(_GAP) for each in parts[-1])
        if used + widths[place] > width and len(parts[-1]) > texts:
            parts.append(whole[:texts])
        parts[-1].append(place)
    return parts


def markdown(head: Cells, rows: Sequence[Cells], *, texts: int) -> str:
    """Return a table in GitHub's Markdown."""
    marks = ["---" if place < texts else "---:" for place in range(len(head))]
    body = [[_in_markdown(cell) for cell in row] for row in (head, *rows)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (body[0], marks, *body[1:]))


def _in_markdown(cell: str) -> str:
    shown = for_markdown(cell)
    return bold_in_markdown(shown) if isinstance(cell, Best) else shown


def latex(head: Cells, rows: Sequence[Cells], *, texts: int, note: str = "") -> str:
    """Return a ``tabular`` of the package booktabs, perhaps with a note below its rule."""
    noted = [rf"\multicolumn{{{len(head)}}}{{l}}{{\footnotesize {for_latex(note)}}} \\"] if note else []
    lines = [
        r"% needs \usepackage{booktabs}",
        rf"\begin{{tabular}}{{{'l' * texts}{'r' * (len(head) - texts)}}}",
        r"\toprule",
        " & ".join(map(for_latex, head)) + r" \\",
        r"\midrule",
        *(
            " & ".join([*map(for_latex, row[:texts]), *map(_number_in_latex, row[texts:])]) + r" \\"
            for row in rows
        ),
        r"\bottomrule",
        *noted,
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _number_in_latex(cell: str) -> str:
    shown = for_latex_number(cell)
    return bold_in_latex(shown) if isinstance(cell, Best) else shown


FORMS: Mapping[str, Callable[..., str]] = {"table": aligned, "md": markdown, "latex": latex}
"""How each form of ``--format`` that is for readers is made."""
