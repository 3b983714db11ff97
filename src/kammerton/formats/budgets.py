# SPDX-License-Identifier: MIT
"""Budgets of lines and rows, kept before anything is made of them."""

from __future__ import annotations

from kammerton.errors import Diagnostic
from kammerton.formats.options import Limits
from kammerton.formats.reading import Problems

__all__ = ["keeps_lines", "keeps_rows", "say_exceeded"]


def say_exceeded(problems: Problems, message: str, line: int | None = None) -> None:
    """Report that a budget is exceeded."""
    problems.add(Diagnostic(code="KT106", severity="error", message=message, file=problems.file, line=line))


def keeps_rows(count: int, problems: Problems, limits: Limits) -> bool:
    """Check a number of rows."""
    if count > limits.rows:
        say_exceeded(problems, f"{count:,} rows: over the limit of {limits.rows:,}")
    return count <= limits.rows


def keeps_lines(text: str, problems: Problems, limits: Limits, *, headers: int = 0) -> bool:
    """Check the number of lines, of which some may be headers, and their length."""
    if text.count("\n") >= limits.rows - headers:  # the last line may have no end
        rows = (line.lstrip(" \t") for line in text.split("\n"))
        count = sum(1 for row in rows if row and not row.startswith(("#", "//", "\\")))
        count -= headers
        if not keeps_rows(count, problems, limits):
            return False
    if len(text) <= limits.line:
        return True
    lengths = list(map(len, text.split("\n")))
    longest = max(lengths)
    if longest > limits.line:
        message = f"line of {longest:,} characters: over the limit of {limits.line:,}"
        say_exceeded(problems, message, lengths.index(longest) + 1)
    return longest <= limits.line
