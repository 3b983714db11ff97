# SPDX-License-Identifier: MIT
"""What is said on standard error beside the results."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from kammerton.cli.streams import say, say_all, style_of
from kammerton.errors import Diagnostic
from kammerton.model.measure import Measure
from kammerton.model.protocol import namesakes
from kammerton.reporting.diagnostics import render_grouped

__all__ = ["say_namesakes", "say_problems"]


def say_problems(diagnostics: Iterable[Diagnostic], *, quiet: bool = False) -> None:
    """Show diagnostics, many of a kind grouped; only errors if ``quiet``."""
    style = style_of(sys.stderr)
    shown = [each for each in diagnostics if not quiet or each.severity == "error"]
    say_all(render_grouped(shown, colour=style.colour, width=style.width, encoding=style.encoding))


def say_namesakes(names: Iterable[str] | None, chosen: Sequence[Measure], every: Sequence[Measure]) -> None:
    """Say which measures were taken where the same name, perhaps in other case, is that of another one."""
    for measure, others in namesakes(list(names or ()), chosen, every).items():
        say(f"{measure.name} is {measure}; not {', '.join(map(str, others))}")
