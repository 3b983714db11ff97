# SPDX-License-Identifier: MIT
"""Help pages as plain text in two columns, readable in any terminal, log or pager."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cyclopts.help import HelpEntry, HelpPanel
    from rich.console import Console, ConsoleOptions

__all__ = ["PlainHelp", "wrapped"]

_INDENT = "  "
_WIDEST_TERM = 26
_NARROW = 50
"""Columns below which explanations stand below the terms."""


class PlainHelp:
    """Formats help for cyclopts, to a width of its own: the library's does not know pipes."""

    def __init__(self, width: int) -> None:
        self._width = width

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:  # noqa: ARG002
        """Print a list of commands, arguments or options."""
        if not panel.entries:
            return
        terms = [_term(entry, panel.format) for entry in panel.entries]
        width = min(max(map(len, terms)), _WIDEST_TERM, self._width // 3)
        lines = [f"{panel.title}:"] if panel.title else []
        for term, entry in zip(terms, panel.entries, strict=True):
            lines += _definition(term, _description(entry), width, self._width)
        _print(console, "\n".join(lines) + "\n")

    def render_usage(self, console: Console, options: ConsoleOptions, usage: Any) -> None:  # noqa: ARG002
        """Print the usage line and what follows it."""
        _print(console, wrapped(_plain(usage), self._width) + "\n")

    def render_description(self, console: Console, options: ConsoleOptions, description: Any) -> None:  # noqa: ARG002
        """Print what a command does."""
        text = _plain(description)
        if text:
            _print(console, wrapped(text, self._width) + "\n")


def _print(console: Console, text: str) -> None:
    console.print(text, highlight=False, markup=False, soft_wrap=True)


def _plain(text: Any) -> str:
    text = getattr(text, "primary_renderable", text)
    return str(getattr(text, "plain", text) or "").strip()


def _term(entry: HelpEntry, kind: str) -> str:
    if kind == "command":
        return ", ".join((*entry.positive_names, *entry.positive_shorts))
    term = ", ".join(entry.display_labels_with_metavar)
    return term.replace("CHOICE", "|".join(entry.choices)) if entry.choices else term


def _description(entry: HelpEntry) -> str:
    text = " ".join(_plain(entry.description).split())
    default = "" if entry.default is None else str(entry.default).strip('"')
    return f"{text} [default: {default}]" if default not in ("", "False") else text


def _definition(term: str, text: str, width: int, columns: int) -> list[str]:
    """Return a term with its text beside it, or below it if the term is too long."""
    if columns < _NARROW:
        width = len(_INDENT)
    lead = " " * (len(_INDENT) + width + 2)
    body = textwrap.wrap(text, max(columns - len(lead), 12), break_on_hyphens=False) or [""]
    if len(term) > width:
        return [_INDENT + term, *(lead + line for line in body)]
    return [f"{_INDENT}{term:<{width}}  {body[0]}".rstrip(), *(lead + line for line in body[1:])]


def wrapped(text: str, columns: int) -> str:
    """Fill the paragraphs of a text to ``columns``; those that are indented stay as they are."""
    paragraphs = text.split("\n\n")
    return "\n\n".join(
        part if part.startswith(" ") else textwrap.fill(part, columns, break_on_hyphens=False)
        for part in paragraphs
    )
