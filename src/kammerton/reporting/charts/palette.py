# SPDX-License-Identifier: MIT
"""Colours of charts: those of the page it stands in, or of paper.

The colours of systems are those of Okabe and Ito, which colour-blind readers tell apart; each system has a
shape beside its colour, so that grey print loses nothing. There are eight shapes and seven colours: as these
numbers have no common divisor, 56 systems have marks of their own.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PAGE", "PAPER", "SHAPES", "Palette"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Palette:
    """Colours, as SVG has them.

    Parameters
    ----------
    strong : str
        Weight of what heads a group. On paper it is that of everything else: with one font, the same chart
        gives the same bytes of PDF.
    ink, soft, line : str
        Of what is said, of what is said beside it, and of rules and axes.
    band : str
        Of floors and ceilings.
    accent : str
        Of what stands out.
    ground : str
        Behind everything.
    systems : tuple of str
        One for each system; beyond their number they begin anew.
    """

    strong: str
    ink: str
    soft: str
    line: str
    band: str
    accent: str
    ground: str
    systems: tuple[str, ...]


SHAPES = (
    *("circle", "square", "triangle-up", "diamond", "cross", "triangle-down"),
    *("triangle-right", "triangle-left"),
)
"""Of marks; all of them have an area, which is what is filled."""

PAGE = Palette(
    strong="bold",
    ink="var(--ink)",
    soft="var(--soft)",
    line="var(--line)",
    band="var(--band)",
    accent="var(--accent)",
    ground="var(--ground)",
    systems=tuple(f"var(--s{number})" for number in range(1, 8)),
)
"""What the style sheet of the page says, by day and by night."""

PAPER = Palette(
    strong="normal",
    ink="#111111",
    soft="#555555",
    line="#bbbbbb",
    band="#e9e9e9",
    accent="#0072b2",
    ground="#ffffff",
    systems=("#0072b2", "#d55e00", "#009e73", "#b0508a", "#2b93c9", "#a86f00", "#111111"),
)
