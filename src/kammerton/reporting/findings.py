# SPDX-License-Identifier: MIT
"""Findings of a check: for people, for editors, and for the pages of a pull request."""

from __future__ import annotations

from collections.abc import Iterable

from kammerton.errors import Diagnostic
from kammerton.reporting.diagnostics import render_diagnostic
from kammerton.reporting.escaping import for_github_data, for_github_property, for_terminal

__all__ = ["render_concise", "render_findings", "render_github"]

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def render_findings(
    diagnostics: Iterable[Diagnostic], *, colour: bool = False, width: int = 80, encoding: str = "utf-8"
) -> str:
    """Return every diagnostic with its excerpt; see :func:`.render_diagnostic`."""
    lines = (
        line
        for each in diagnostics
        for line in render_diagnostic(each, colour=colour, width=width, encoding=encoding)
    )
    return "".join(f"{line}\n" for line in lines)


def render_concise(diagnostics: Iterable[Diagnostic]) -> str:
    """Return one line for each, ``file:line:column: CODE message``, as editors read them."""
    return "".join(f"{for_terminal(each.concise())}\n" for each in diagnostics)


def render_github(diagnostics: Iterable[Diagnostic]) -> str:
    """Return workflow commands, which GitHub shows beside the lines of a pull request."""
    return "".join(f"{_workflow_command(each)}\n" for each in diagnostics)


def _workflow_command(diagnostic: Diagnostic) -> str:
    fields = {
        "file": diagnostic.file,
        "line": diagnostic.line,
        "col": diagnostic.column,
        "title": diagnostic.code,
    }
    properties = ",".join(
        f"{name}={for_github_property(str(value))}" for name, value in fields.items() if value is not None
    )
    advice = "" if diagnostic.hint is None else f"\n{diagnostic.hint}"
    return f"::{_COMMANDS[diagnostic.severity]} {properties}::{for_github_data(diagnostic.message + advice)}"
