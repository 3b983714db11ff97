# SPDX-License-Identifier: MIT
"""Diagnostics as people read them: message, excerpt, caret, help; many of a kind grouped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kammerton.errors import Diagnostic, Severity, plural
from kammerton.model.annotations import EXCERPT_LEAD
from kammerton.reporting.escaping import display_width, for_terminal

__all__ = ["count_problems", "paint", "render_diagnostic", "render_grouped"]

LISTED = 3
"""Diagnostics of one code that are shown in full; the others are counted."""

_CUT = "..."
"""Stands where an excerpt is cut; not the one-column ellipsis, which some terminals cannot draw."""

_NARROWEST = 16
"""Columns that an excerpt takes in the narrowest window."""

_COLOURS = {"error": "1;31", "warning": "1;33", "note": "1;36", "help": "32"}


def paint(text: str, role: str, *, colour: bool) -> str:
    """Return ``text`` in the colour of its role, if there is colour."""
    return f"\x1b[{_COLOURS[role]}m{text}\x1b[0m" if colour else text


def render_diagnostic(
    diagnostic: Diagnostic, *, colour: bool = False, width: int = 80, encoding: str = "utf-8"
) -> list[str]:
    """Return the lines of a diagnostic, at most four.

    Parameters
    ----------
    diagnostic : Diagnostic
        What to show.
    colour : bool
        Whether the reader understands colours.
    width : int
        Columns of the reader's window; only excerpts are cut to it.
    encoding : str
        What the reader's window can draw.
    """
    head = _head(diagnostic.severity, diagnostic.code, colour=colour)
    place = diagnostic.place()
    message = for_terminal(diagnostic.message)
    lines = [f"{head} {for_terminal(place)}: {message}" if place else f"{head} {message}"]
    if diagnostic.excerpt is not None and diagnostic.line is not None:
        shown = _Excerpt(diagnostic.excerpt, max(width - len(_gutter(diagnostic)), _NARROWEST), encoding)
        lines += _pointed(shown, diagnostic, colour=colour)
    if diagnostic.hint is not None:
        lines.append(f"  {paint('help:', 'help', colour=colour)} {for_terminal(diagnostic.hint)}")
    return lines


def _head(severity: Severity, code: str, *, colour: bool) -> str:
    return paint(f"{severity}[{code}]", severity, colour=colour)


def _gutter(diagnostic: Diagnostic) -> str:
    return f"{diagnostic.line:>3} | "


def _pointed(excerpt: _Excerpt, diagnostic: Diagnostic, *, colour: bool) -> list[str]:
    """Return an excerpt and below it the caret, if a column is known."""
    gutter = _gutter(diagnostic)
    if diagnostic.column is None:
        return [gutter + excerpt.window(0)[0]]
    at = min(diagnostic.column - 1, EXCERPT_LEAD, len(excerpt.cells))
    shown, lead = excerpt.window(at)
    token = display_width("".join(excerpt.cells[at : at + diagnostic.length]))
    caret = "^" * max(1, min(token, display_width(shown) - lead))
    return [
        gutter + shown,
        " " * (len(gutter) - 2) + "| " + " " * lead + paint(caret, diagnostic.severity, colour=colour),
    ]


class _Excerpt:
    """A line as it is drawn, character by character: a tab as one blank, what would be obeyed escaped."""

    def __init__(self, text: str, room: int, encoding: str) -> None:
        self.room = room
        self.cells = [" " if character == "\t" else for_terminal(character, encoding) for character in text]
        for place in range(len(text) - 2):
            if text.startswith("##[", place):
                self.cells[place] = r"\x23"

    def window(self, at: int) -> tuple[str, int]:
        """Return what the room shows of the line around character ``at``, and the columns before it."""
        begin = at
        while begin > 0 and display_width("".join(self.cells[begin - 1 : at])) <= self.room * 2 // 3:
            begin -= 1
        head = _CUT if begin > 0 else ""
        end = self._stop(begin, self.room - len(head))
        if end < len(self.cells):
            end = max(at, self._stop(begin, self.room - len(head) - len(_CUT)))
        lead = len(head) + display_width("".join(self.cells[begin:at]))
        tail = _CUT if end < len(self.cells) else ""
        return head + "".join(self.cells[begin:end]) + tail, lead

    def _stop(self, begin: int, room: int) -> int:
        """Return where to stop so that cells from ``begin`` on fill ``room`` columns at most."""
        used = 0
        for place in range(begin, len(self.cells)):
            used += display_width(self.cells[place])
            if used > room:
                return place
        return len(self.cells)


def render_grouped(
    diagnostics: Iterable[Diagnostic], *, colour: bool = False, width: int = 80, encoding: str = "utf-8"
) -> list[str]:
    """Return the lines of many diagnostics: the first of each kind, then how many more there are.

    Parameters
    ----------
    diagnostics : iterable of Diagnostic
        All of them.
    colour, width, encoding
        As for :func:`render_diagnostic`.
    """
    kinds: dict[tuple[str, Severity], list[Diagnostic]] = {}
    for diagnostic in _distinct(diagnostics):
        kinds.setdefault((diagnostic.code, diagnostic.severity), []).append(diagnostic)
    lines = []
    for (code, severity), same in kinds.items():
        for diagnostic in same[:LISTED]:
            lines += render_diagnostic(diagnostic, colour=colour, width=width, encoding=encoding)
        rest = same[LISTED:]
        if rest:
            files = {diagnostic.file for diagnostic in rest if diagnostic.file is not None}
            where = f" in {plural(len(files), 'file')}" if files else ""
            number = sum(diagnostic.count for diagnostic in rest)
            lines.append(f"{_head(severity, code, colour=colour)} {number:,} more of this kind{where}")
    return lines


def _distinct(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Leave out what was said before of the same place: a file may be reference and estimate in one."""
    seen = set()
    for each in diagnostics:
        place = (each.code, each.severity, each.file, each.line, each.column, each.message)
        if each.line is None or place not in seen:
            seen.add(place)
            yield each


def count_problems(diagnostics: Iterable[Diagnostic]) -> str:
    """Return e.g. ``12 errors, 1 warning in 3 files``; empty if there is neither.

    A diagnostic that stands for several occurrences counts as many.
    """
    counts = {"error": 0, "warning": 0, "note": 0}
    files = set()
    for diagnostic in _distinct(diagnostics):
        counts[diagnostic.severity] += diagnostic.count
        if diagnostic.severity != "note" and diagnostic.file is not None:
            files.add(diagnostic.file)
    told = [plural(counts[kind], kind) for kind in ("error", "warning") if counts[kind]]
    where = f" in {plural(len(files), 'file')}" if told and files else ""
    return ", ".join(told) + where
