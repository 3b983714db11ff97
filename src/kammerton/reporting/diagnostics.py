# SPDX-License-Identifier: MIT
"""Diagnostics as people read them: message, excerpt, caret, help; many of a kind grouped. SARIF 2.1.0."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from kammerton.errors import Diagnostic, Severity, out_of, plural, printable
from kammerton.formats.remote import is_remote, shown_address
from kammerton.model.annotations import EXCERPT_LEAD
from kammerton.model.corpus import ALL
from kammerton.model.measure import Measure
from kammerton.reporting.documents import render_json
from kammerton.reporting.escaping import display_width, for_github_data, for_github_property, for_terminal
from kammerton.reporting.explanations import page_of
from kammerton.results.scores import Scores
from kammerton.version import __version__

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
    """Return the lines of a diagnostic, at most four."""
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
    """Return the lines of many diagnostics: the first errors of each kind, and how many more there are.

    Several warnings or notes of a kind are one line, and their hint.
    """
    kinds: dict[tuple[str, Severity], list[Diagnostic]] = {}
    for diagnostic in _distinct(diagnostics):
        kinds.setdefault((diagnostic.code, diagnostic.severity), []).append(diagnostic)
    lines = []
    for (code, severity), same in kinds.items():
        listed = 1 if severity != "error" else LISTED
        rest = _more(same[listed:])
        if severity != "error" and rest:
            first = replace(same[0], excerpt=None, message=f"{same[0].message}; and {rest}")
            lines += render_diagnostic(first, colour=colour, width=width, encoding=encoding)
            continue
        for diagnostic in same[:listed]:
            lines += render_diagnostic(diagnostic, colour=colour, width=width, encoding=encoding)
        if rest:
            lines.append(f"{_head(severity, code, colour=colour)} {rest}")
    return lines


def _more(diagnostics: Sequence[Diagnostic]) -> str:
    """Return how many more of a kind there are; nothing if there are none."""
    if not diagnostics:
        return ""
    files = {diagnostic.file for diagnostic in diagnostics if diagnostic.file is not None}
    where = f" in {plural(len(files), 'file')}" if files else ""
    return f"{sum(diagnostic.count for diagnostic in diagnostics):,} more of this kind{where}"


def _distinct(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Leave out what was said before of the same place: a file may be reference and estimate in one."""
    seen = set()
    for diagnostic in diagnostics:
        place = (
            diagnostic.code,
            diagnostic.severity,
            diagnostic.file,
            diagnostic.line,
            diagnostic.column,
            diagnostic.message,
        )
        if diagnostic.line is None or place not in seen:
            seen.add(place)
            yield diagnostic


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
    counted = [plural(counts[kind], kind) for kind in ("error", "warning") if counts[kind]]
    where = f" in {plural(len(files), 'file')}" if counted and files else ""
    return ", ".join(counted) + where


_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def render_findings(
    diagnostics: Iterable[Diagnostic], *, colour: bool = False, width: int = 80, encoding: str = "utf-8"
) -> str:
    """Return every diagnostic with its excerpt; see :func:`.render_diagnostic`."""
    lines = (
        line
        for diagnostic in diagnostics
        for line in render_diagnostic(diagnostic, colour=colour, width=width, encoding=encoding)
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


_CODE = re.compile(r"KT\d{3}")
_KEY = frozenset(("protocol", "measure"))
_TABLE = "excluded"
"""Name of the class table in which a task lists what its measures leave out."""


def closing_line(scores: Scores) -> str:
    """Return e.g. ``4 of 5 items scored for CM2: 1 failed (estimate: KT312); 1 error in 1 file``."""
    groups: dict[tuple[int, int, str], list[str]] = {}
    for system, count in scores.counts.items():
        why = _why(scores, system, count)
        groups.setdefault((count["ok"], count["total"], why), []).append(system)
    whole = len(groups) == 1 and not scores.is_partial
    sentences = [_told(*key, systems, alone=whole) for key, systems in groups.items()]
    if whole:
        sentences.append("no item was left out")
    if _lacks_values(scores):
        total = max(count["total"] for count in scores.counts.values())
        sentences = [f"no score is defined for any of {plural(total, 'item')}"]
    problems = count_problems(scores.diagnostics)
    return "; ".join([*sentences, problems] if problems else sentences)


def _lacks_values(scores: Scores) -> bool:
    """Return whether estimates were scored without references, and no item has a value."""
    statistics = scores.origin.evidence.statistics.items()
    return not scores.has_references and all(
        np.isnan(measure.formula.finalise(rows)).all() for measure, rows in statistics
    )


def _told(ok: int, total: int, why: str, systems: list[str], *, alone: bool) -> str:
    names = ", ".join(map(for_terminal, systems))
    whom = plural(len(systems), "system") if alone or len(systems) > 3 else names
    return f"{out_of(ok, total, 'item')} scored for {whom}{why}"


def _why(scores: Scores, system: str, count: dict[str, int]) -> str:
    codes = Counter(
        _short(reason) for _, reason in {(row.item, row.reason) for row in scores.unusable(system)}
    )
    del codes["no estimate"]
    parts = [f"{count['missing']:,} missing"] if count["missing"] else []
    if count["failed"]:
        parts.append(f"{count['failed']:,} failed ({', '.join(sorted(codes))})")
    return f": {', '.join(parts)}" if parts else ""


def _short(reason: str) -> str:
    """Return the side and the code of a reason, such as ``estimate: KT312``."""
    code = _CODE.search(reason)
    return reason[: code.end()] if code else reason


def excluded_lines(scores: Scores) -> list[str]:
    """Report for each protocol what share of the reference its headline measures leave out."""
    if _TABLE not in scores.tables or not _KEY.issubset(scores.tally(_TABLE).columns):
        return []
    lines = []
    for protocol in dict.fromkeys(measure.protocol for measure in scores.measures):
        measures = [m for m in scores.measures if m.protocol == protocol and m.headline]
        systems: dict[str, list[str]] = {}
        for system in scores.systems:
            shares = _shares(scores, system, measures)
            if shares:
                systems.setdefault(shares, []).append(system)
        for shares, names in systems.items():
            whom = "" if len(names) == len(scores.systems) else f" ({', '.join(map(for_terminal, names))})"
            lines.append(f"{protocol} leaves out {shares}{whom}")
    return lines


def fewer_resamples(scores: Scores) -> list[str]:
    """Report how many bootstrap samples there are, if fewer than were asked for."""
    wanted = 0 if scores.origin.bootstrap is None else scores.origin.bootstrap.resamples
    parts = [part for part in (scores.context, scores.groups) if part is not None]
    others = [part.fewest_resamples for part in parts if part.fewest_resamples]  # 0 of what has no intervals
    made = min([getattr(scores.intervals, "gathered_resamples", wanted), *others])
    if made == wanted:
        return []
    least = "at least " if parts else ""
    whose = ", ".join(str(measure) for measure in scores.measures if measure.over_all)
    return [f"intervals of {whose} are of {least}{made:,} resamples, not of {wanted:,}: each takes long"]


def _shares(scores: Scores, system: str, measures: Sequence[Measure]) -> str:
    """Return e.g. ``3.2 % of the reference for MajMin, 12.1 % for Sevenths``."""
    shares: dict[str, list[str]] = {}
    for measure in measures:
        share = excluded_share(scores, system, measure)
        if share:
            shares.setdefault(share, []).append(measure.name)
    texts = [f"{share} for {', '.join(names)}" for share, names in shares.items()]
    return "; ".join(texts).replace(" % for", " % of the reference for", 1)


def excluded_share(scores: Scores, system: str, measure: Measure) -> str:
    """Return what share of the reference a measure leaves out, as ``3.20 %``; nothing where it is none."""
    if _TABLE not in scores.tables or measure.aggregate != "pooled":
        return ""
    tally = scores.tally(_TABLE)
    if not _KEY.issubset(tally.columns):
        return ""
    places = [tally.columns.index(name) for name in ("protocol", "measure")]
    left_out = sum(
        weight
        for (of_system, _), cells in tally.cells.items()
        for classes, weight in (cells.items() if of_system == system else ())
        if [classes[place] for place in places] == [measure.protocol, measure.name]
    )
    if not left_out:
        return ""
    scored = sum(
        scores.corpus_score(measure, system, annotator, "pooled").weight
        for annotator in scores.annotators_of(measure)
        if annotator != ALL
    )
    return f"{100 * left_out / (left_out + scored):.2f} %"


_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render_sarif(diagnostics: Sequence[Diagnostic], suppressed: Sequence[Diagnostic] = ()) -> str:
    """Return problems as one run; those that comments in the files ignore are suppressed results."""
    codes = sorted({problem.code for problem in (*diagnostics, *suppressed)})
    results = [_result(problem, codes) for problem in diagnostics]
    in_source = {"suppressions": [{"kind": "inSource"}]}
    results += [_result(problem, codes) | in_source for problem in suppressed]
    driver = {"name": "kammerton", "version": __version__, "rules": [_rule(code) for code in codes]}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return render_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(code: str) -> dict[str, Any]:
    title, text = page_of(code)
    rule: dict[str, Any] = {"id": code, "shortDescription": {"text": title}}
    return rule | ({"help": {"text": text, "markdown": text}} if text else {})


def _result(problem: Diagnostic, codes: Sequence[str]) -> dict[str, Any]:
    text = problem.message if problem.hint is None else f"{problem.message}\n{problem.hint}"
    return {
        "ruleId": problem.code,
        "ruleIndex": codes.index(problem.code),
        "level": problem.severity,
        "message": {"text": "\n".join(map(printable, text.split("\n")))},
        "locations": [] if problem.file is None else [_location(problem, problem.file)],
        "occurrenceCount": problem.count,
    }


def _location(problem: Diagnostic, file: str) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _address(file)}}
    if problem.line is not None:
        physical["region"] = {"startLine": problem.line}
        if problem.column is not None:
            physical["region"] |= {
                "startColumn": problem.column,
                "endColumn": problem.column + problem.length,
            }
    return {"physicalLocation": physical}


def _address(file: str) -> str:
    if is_remote(file):
        return shown_address(file)
    if os.path.isabs(file):  # noqa: PTH117 - a path of any system
        return Path(file).as_uri()
    return quote(os.fsencode(Path(file).as_posix()))
