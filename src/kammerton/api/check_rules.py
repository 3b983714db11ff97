# SPDX-License-Identifier: MIT
"""Which problems `check` reports, and how severe they are: by codes, settings of a project, and comments.

A code may be given in whole, such as ``KT391``, or by what it begins with, such as ``KT3``; of several that
fit, the longest decides.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from kammerton.errors import DataError, Diagnostic, OptionError, Severity, close_match, quote
from kammerton.formats.source import read_text
from kammerton.formats.tables import IGNORE
from kammerton.model.annotations import Place
from kammerton.model.registry import known_tasks
from kammerton.reporting.explanations import codes_of

_LEVELS: tuple[Severity, ...] = get_args(Severity)


@dataclass(frozen=True, slots=True)
class CheckRules:
    """Which problems are reported, and how severe they are; None of what is left to settings."""

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    severity: Mapping[str, Severity] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        select: Iterable[str] | None = None,
        ignore: Iterable[str] | None = None,
        severity: Mapping[str, str] | None = None,
    ) -> CheckRules:
        """Return rules of what a caller names."""
        for kind, codes in (("select", select), ("ignore", ignore)):
            if isinstance(codes, str) or not all(isinstance(code, str) for code in codes or ()):
                raise OptionError.of_type(kind, codes, "a list of codes")
        return cls(
            None if select is None else codes_of(select),
            None if ignore is None else codes_of(ignore),
            _severities(severity or {}),
        )

    def over(self, other: CheckRules) -> CheckRules:
        """Return these rules, and what others say where these say nothing."""
        return CheckRules(
            other.select if self.select is None else self.select,
            other.ignore if self.ignore is None else self.ignore,
            {**other.severity, **self.severity},
        )

    def has(self, diagnostic: Diagnostic) -> bool:
        """Return whether a problem is reported."""
        selected, ignored = self.select or ("",), self.ignore or ()
        return diagnostic.code.startswith(selected) and not diagnostic.code.startswith(ignored)

    def judged(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return a problem with the severity that its code has here."""
        fitting = [code for code in self.severity if diagnostic.code.startswith(code)]
        return diagnostic.at(severity=self.severity[max(fitting, key=len)]) if fitting else diagnostic


def _severities(levels: Mapping[str, str]) -> dict[str, Severity]:
    if not isinstance(levels, Mapping):
        raise OptionError.of_type("severity", levels, "a mapping of codes to levels")
    for level in levels.values():
        if level not in _LEVELS:
            raise OptionError.unknown("severity", level, _LEVELS)
    return dict(zip(codes_of(levels), levels.values(), strict=True))  # type: ignore[arg-type]


# --- settings of a project ------------------------------------------------------------------------------

_TABLE = "tool.kammerton"
_KEYS = ("select", "ignore", "severity")
_HEADING = re.compile(r"^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*kammerton[ \t]*[\].]", re.MULTILINE)


def nearest_settings() -> Path | None:
    """Return the nearest `pyproject.toml` with settings, in the current folder or above it."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        path = folder / "pyproject.toml"
        with suppress(DataError):
            if _HEADING.search(read_text(path, name=str(path))):
                return path
    return None


def settings_of(path: str | os.PathLike[str], task: str) -> CheckRules:
    """Read the settings of a `pyproject.toml`; those of a task stand in place of the general ones."""
    file = os.fsdecode(path)
    try:
        table: Any = tomllib.loads(read_text(path, name=file))
    except tomllib.TOMLDecodeError as error:
        raise DataError([_bad_setting(file, f"not TOML: {error}")]) from error
    for name in _TABLE.split("."):
        table = table.get(name) if isinstance(table, dict) else None
    if not isinstance(table, dict):
        raise DataError([_bad_setting(file, f"no table {quote(_TABLE)}")])
    problems: list[Diagnostic] = []
    tables = {name: value for name, value in table.items() if name in known_tasks()}
    general = {name: value for name, value in table.items() if name not in tables}
    rules = {name: _rules_of(value, f"{_TABLE}.{name}", file, problems) for name, value in tables.items()}
    whole = _rules_of(general, _TABLE, file, problems)
    if problems:
        raise DataError(problems)
    return rules.get(task, CheckRules()).over(whole)


def _rules_of(table: object, name: str, file: str, problems: list[Diagnostic]) -> CheckRules:
    """Return the rules of a table of settings; add what is wrong with it to the problems."""
    if not isinstance(table, dict):
        problems.append(_bad_setting(file, f"{quote(name)} is no table"))
        return CheckRules()
    rules = CheckRules()
    for key, value in table.items():
        try:
            if key not in _KEYS:
                near = close_match(key, _KEYS)
                hint = f"did you mean {quote(near)}?" if near else f"known: {', '.join(_KEYS)}, and tasks"
                raise OptionError("no such setting", hint)
            rules = CheckRules.of(**{key: value}).over(rules)
        except OptionError as error:
            problems.append(_bad_setting(file, f"{quote(f'{name}.{key}')}: {error.message}", error.hint))
    return rules


def _bad_setting(file: str, message: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("KT250", "error", message, file=file, hint=hint)


# --- comments in files ----------------------------------------------------------------------------------

_OF_TABLES = ("#", "//")
"""What begins a comment in most files; there it has a line of its own."""
_MARKS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys((".qrels", ".run", ".trec", "{", "["), ()),
    **dict.fromkeys((".yaml", ".yml"), ("#",)),
    "<": ("<!--",),
    **dict.fromkeys(("%", "X:"), ("%",)),
}
"""The same of other formats, by the suffix of a file, else by what its text begins with."""
_WORDS = re.compile(rf"{IGNORE.pattern}(?:[ \t]*\[([^\]\n]*)\])?", re.IGNORECASE)


@dataclass(slots=True)
class IgnoreComment:
    """A comment by which problems are left out: of one line, or of the whole file."""

    place: Place
    line: int | None  # the line that it holds for; None if for the whole file
    unused: dict[str, bool]  # its codes, and whether nothing was left out by them yet

    def leaves_out(self, diagnostic: Diagnostic) -> bool:
        """Return whether a problem is left out, and note which code did so."""
        fitting = [code for code in self.unused if diagnostic.code.startswith(code)]
        on_line = self.line in (None, diagnostic.line)
        if on_line or (diagnostic.line is None and diagnostic.count > 1):  # "and 80 more": on any line
            self.unused.update(dict.fromkeys(fitting, False))
        return on_line and bool(fitting)

    def notes(self) -> Iterator[Diagnostic]:
        """Yield a note if nothing was left out by some of its codes."""
        unused = [code for code, is_unused in self.unused.items() if is_unused]
        if unused:
            yield _without_effect(self.place, f"nothing to ignore: {', '.join(unused)}", "take it out")


def _without_effect(place: Place, message: str, hint: str | None) -> Diagnostic:
    return place.diagnose(Diagnostic("KT251", "note", message, hint=hint))


def comments_of(path: Path, name: str, options: object) -> tuple[list[IgnoreComment], list[Diagnostic]]:
    """Return the comments of a file by which problems are left out, and notes on those without effect."""
    encoding, limits = getattr(options, "encoding", "utf-8"), getattr(options, "limits", None)
    try:
        text = read_text(path, name=name, encoding=encoding, limits=limits)
    except DataError:  # which reading reports
        text = ""
    comments: list[IgnoreComment] = []
    notes: list[Diagnostic] = []
    if IGNORE.search(text) is None:
        return comments, notes
    marks = _marks_of(path.suffix.lower(), text.lstrip()[:2])
    for number, line in enumerate(text.split("\n"), 1):
        begin = min((at for mark in marks if (at := line.find(mark)) >= 0), default=len(line))
        words = _WORDS.search(line, begin)
        if words is not None:
            place = Place(name, number, words.start() + 1, len(words[0]), line)
            row = number if line[:begin].strip() else None
            try:
                comments.append(IgnoreComment(place, row, _codes_in(words, row, marks)))
            except OptionError as error:
                notes.append(_without_effect(place, error.message, error.hint))
    return comments, notes


def _marks_of(suffix: str, begin: str) -> tuple[str, ...]:
    """Return what begins a comment in a file, by its suffix and what its text begins with."""
    known = (_MARKS[key] for key in (suffix, begin, begin[:1]) if key in _MARKS)
    return next(known, _OF_TABLES)


def _codes_in(words: re.Match[str], row: int | None, marks: Sequence[str]) -> dict[str, bool]:
    """Return the codes of a comment, perhaps behind a row; refuse what has no effect."""
    if row is not None and marks == _OF_TABLES:
        raise OptionError("not ignored: a comment has a line of its own here")
    if words[1] is None:
        raise OptionError("nothing ignored: no code is named", "such as `kammerton: ignore[KT391]`")
    return dict.fromkeys(codes_of(words[1].split(",")), True)
