# SPDX-License-Identifier: MIT
"""Tables in the form that was asked for, and below them what is to be said of all."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from kammerton.reporting.markup_tables import render_latex, render_markdown
from kammerton.reporting.tables import Block
from kammerton.reporting.text_tables import render_text

__all__ = ["render_blocks"]


def render_blocks(
    blocks: Sequence[Block], form: str, *, notes: Sequence[str] = (), width: int = 80, encoding: str = "utf-8"
) -> str:
    """Return tables as text.

    Parameters
    ----------
    blocks : sequence of Block
        The tables.
    form : {"table", "md", "latex"}
        The form of tables.
    notes : sequence of str
        Lines below them.
    width, encoding
        Of a terminal.
    """
    if form == "latex":
        return render_latex(blocks) + "".join(f"% {line}\n" for line in notes)
    if form == "md":
        return render_markdown(blocks) + "".join(f"\n{line}\n" for line in notes)
    text = render_text(blocks, width=width, encoding=encoding)
    wrapped = (textwrap.fill(note, max(width, 20), subsequent_indent="  ") for note in notes)
    return "\n".join((text, *wrapped, "")) if notes else text
