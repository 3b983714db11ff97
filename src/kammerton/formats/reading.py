# SPDX-License-Identifier: MIT
"""What readers of files share: options, limits, tracks and diagnostics."""

from __future__ import annotations

import codecs
import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeVar, get_args

from kammerton.errors import DataError, Diagnostic, OptionError, Severity, clip, printable, quote
from kammerton.model.annotations import LabelledIntervals, Place
from kammerton.model.task import A, Reading, Task

_Options = TypeVar("_Options")
NO_ROWS = "KT110"
"""Code of the diagnostic that a source holds no annotation rows."""
_NOT_SIGNED = ("limits", "sides")
"""Limits decide whether a file can be read, not what is read; sides are signed with their options."""
IntervalColumn = Literal["start", "end", "duration", "label", "annotator", "item"]
"""A column of labelled intervals."""
RowLayout = Literal["rows", "durations", "points"]
Layout = Literal["auto", RowLayout]
_ESCAPING_ENCODINGS = frozenset({"unicode-escape", "raw-unicode-escape", "idna", "punycode", "undefined"})
"""Codecs that are text to Python but no encoding of files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Budgets of one file; what exceeds them is refused before memory is taken."""

    bytes: int = 64 * 2**20  # size of the file
    rows: int = 1_000_000  # rows of annotation
    line: int = 2**20  # characters of a line (of rows and CSV; JSON may stand on one line)
    label: int = 4 * 2**10  # characters of a label
    depth: int = 64  # levels of nesting in JSON


SIDES = ("references", "estimates")
"""Sides that options can hold for, besides names of annotators and systems."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SidedOptions:
    """Options of which some may hold for one side alone: ``layout={"estimates": "points"}``.

    Parameters
    ----------
    sides : mapping of str to mapping of str to object
        What differs for the ``references``, the ``estimates``, or the annotator or system of a name (a name
        wins over its side): values by option. Options that take a mapping of sides end up here; in such a
        mapping, ``all`` is whatever it does not name.
    """

    by_side: ClassVar[frozenset[str]] = frozenset()
    choices: ClassVar[Mapping[str, tuple[str, tuple[str, ...]]]] = {}
    """What messages call each option that has only some values, and these."""
    sides: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.sides, Mapping) or not all(
            isinstance(values, Mapping) for values in self.sides.values()
        ):
            raise OptionError.of_type("sides", self.sides, "a mapping of sides to mappings of options")
        plain = _defaults(type(self))  # type: ignore[arg-type]  # classes have hashes
        sides = {str(side): dict(values) for side, values in self.sides.items()}
        self._move_to_sides(sides, plain)
        object.__setattr__(self, "sides", sides)
        for name, default in plain.items():  # such as "no", which would be taken for True
            if isinstance(default, bool) and not isinstance(getattr(self, name), bool):
                raise OptionError.of_type(f"`{name}`", getattr(self, name), "True or False")
        for name, (kind, known) in self.choices.items():
            if getattr(self, name) not in known:
                raise OptionError.unknown(kind, getattr(self, name), known)
        check_encoding(getattr(self, "encoding", "utf-8"))
        for values in sides.values():
            for name in values:
                if name not in self.by_side:
                    raise OptionError.unknown("option of one side", name, self.by_side)
            replace(self, sides={}, **values)  # refuses what is not possible

    def _move_to_sides(self, sides: dict[str, dict[str, Any]], plain: Mapping[str, object]) -> None:
        """Move options that are mappings of sides to ``sides``, and values for ``all`` back."""
        for name in sorted(self.by_side):
            value = getattr(self, name)
            if not isinstance(value, Mapping):
                continue
            nested = any(isinstance(choice, Mapping) for choice in value.values())
            if isinstance(plain[name], Mapping) and not nested:
                continue  # the mapping is the choice itself
            for side, chosen in value.items():
                if sides.setdefault(str(side), {}).setdefault(name, chosen) != chosen:
                    raise _contradiction(name, str(side), chosen, sides[str(side)][name])
            object.__setattr__(self, name, plain[name])
        for name, value in sides.pop("all", {}).items():
            if getattr(self, name, value) not in (plain.get(name), value):
                raise _contradiction(name, "all", getattr(self, name), value)
            object.__setattr__(self, name, value)

    def of(self, side: str, name: str) -> Self:
        """Return the options of one side, and of an annotator or system on it."""
        if not self.sides:
            return self
        return replace(self, sides={}, **{**self.sides.get(side, {}), **self.sides.get(name, {})})


def options_of(task: Task, options: object | None) -> Any:
    """Return the options of a caller, or the defaults."""
    chosen = task.options() if options is None else options
    if not isinstance(chosen, task.options):
        raise OptionError(f"options must be {task.options.__name__}, got {type(options).__name__}")
    return chosen


def without_sides(options: Any) -> Any:
    """Return options of which none is for one side alone, for verbs without sides."""
    if isinstance(options, SidedOptions) and options.sides:
        (side, *_) = options.sides
        raise OptionError(
            f"there is no side {quote(side)} here: all files are read alike", "give the value without a side"
        )
    return options


def _contradiction(name: str, side: str, value: object, other: object) -> OptionError:
    message = f"`{name}` is {value!r} and {other!r} for {quote(side)}: `sides` contradicts `{name}`"
    return OptionError(message, "give it once")


@cache
def _defaults(options: type[SidedOptions]) -> Mapping[str, Any]:
    return {
        option.name: option.default if option.default_factory is MISSING else option.default_factory()
        for option in fields(options)
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalOptions(SidedOptions):
    """How files of labelled intervals are read.

    All but budgets may hold for one side alone: ``layout={"estimates": "points"}``.

    Parameters
    ----------
    encoding : str
        Character encoding of text files; a byte order mark always wins over it.
    layout : {"auto", "rows", "durations", "points"}
        What stands in a row; *rows* is start, end, label; *durations* is start, duration, label;
        *points* is time, label, and each row ends where the next one starts (Sonic Visualiser).
        *auto* goes by what a header says, and by what rows can only be.
    decimal : {".", ","}
        Decimal mark of times.
    columns : mapping of str to str
        Own column names of CSV files, each with the column it stands for
        (``start``, ``end``, ``duration``, ``label``, ``annotator`` or ``item``).
    overlap : {"error", "trim"}
        What to do with rows that overlap by more than a microsecond: refuse the file, or cut the
        earlier row where the later one starts.
    limits : Limits
        Budgets of one file.
    """

    by_side: ClassVar[frozenset[str]] = frozenset(("encoding", "layout", "decimal", "columns", "overlap"))
    choices: ClassVar[Mapping[str, tuple[str, tuple[str, ...]]]] = {
        "layout": ("layout", get_args(Layout)),
        "decimal": ("decimal mark", (".", ",")),
        "overlap": ("way with overlaps", ("error", "trim")),
    }
    encoding: str = "utf-8"
    layout: Layout = "auto"
    decimal: Literal[".", ","] = "."
    columns: Mapping[str, IntervalColumn] = field(default_factory=dict)
    overlap: Literal["error", "trim"] = "error"
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        SidedOptions.__post_init__(self)
        if not isinstance(self.columns, Mapping):
            raise OptionError.of_type("columns", self.columns, "a mapping of names")
        for column in self.columns.values():
            if column not in get_args(IntervalColumn):
                raise OptionError.unknown("column", column, get_args(IntervalColumn))


def file_of(choice: str) -> tuple[str | None, str]:
    """Return the file that an option names, if it names one, and the part of it that is meant.

    Examples
    --------
    >>> file_of("openmic-2018")
    (None, '')
    """
    path, mark, part = choice.rpartition("#")
    for name, rest in ((choice, ""), (path, mark + part)):
        if os.path.isfile(name):  # noqa: PTH113 - a path may be too long, or hold what no path has
            return name, rest
    return None, ""


def signed_file(choice: str) -> str:
    """Return how signatures write a choice that may name a file: as it is, or the file's name and content."""
    path, part = file_of(choice)
    if path is None:
        return choice
    digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()[:6]
    return f"{Path(path).name}@{digest}{part}"


RECORD = "kammerton.json"
"""The record in a folder of annotations that a system made."""
_LONGEST_MAKING = 1000
"""Characters of a record that a signature has at most: anybody may have written it."""


def read_record(folder: Path) -> Mapping[str, Any]:
    """Return the record in a folder of annotations that a system made; nothing if there is none."""
    try:
        record = json.loads((folder / RECORD).read_bytes())
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def read_making(folder: Path) -> str:
    """Return how a system made the annotations of a folder; nothing if there is no record of it."""
    return signed_making(read_record(folder).get("made"))


def learned_items(items: object) -> frozenset[str]:
    """Return the items that a model was trained on, by a record that anybody may have written."""
    return frozenset(map(str, items)) if isinstance(items, list | tuple) else frozenset()


def signed_making(made: object) -> str:
    """Return how annotations were made as one field of a signature."""
    return clip(printable(made).replace("|", ";"), _LONGEST_MAKING) if isinstance(made, str) else ""


def signed_choices(options: Any) -> dict[str, str]:
    """Return the options that differ from their defaults, as signatures have them.

    Of one side, such as ``layout={"estimates": "points"}``, it is written ``estimates=points``.
    """
    default = type(options)()
    sides: Mapping[str, Mapping[str, Any]] = getattr(options, "sides", {})
    changed = {}
    for option in fields(options):
        if option.name in _NOT_SIGNED:
            continue
        value = getattr(options, option.name)
        plain = getattr(default, option.name)
        shown = [] if value == plain else [_shown(value, is_file=bool(option.metadata.get("file")))]
        shown += [
            f"{side}={_shown(values[option.name])}"
            for side, values in sorted(sides.items())
            if option.name in values and values[option.name] != value
        ]
        if shown:
            changed[option.name] = ",".join(shown)
    return changed


def _shown(value: object, *, is_file: bool = False) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    shown = ",".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, Mapping) else str(value)
    return signed_file(shown) if is_file else shown


def check_encoding(name: str) -> None:
    """Refuse what is no encoding of files."""
    if not isinstance(name, str):
        raise OptionError.of_type("encoding", name, "a str")
    try:
        codec = codecs.lookup(name)
        "x".encode(name)  # refuses codecs that are not between text and bytes
    except (LookupError, ValueError) as error:
        raise OptionError(
            f"unknown encoding {quote(name)}", "common: utf-8, latin-1, cp1252, mac-roman"
        ) from error
    if codec.name.replace("_", "-") in _ESCAPING_ENCODINGS:
        raise OptionError(
            f"{quote(name)} is not an encoding of files", "common: utf-8, latin-1, cp1252, mac-roman"
        )


DEFAULT_OPTIONS = IntervalOptions()


LISTED_PROBLEMS = 20
"""Problems of one code that a file lists one by one; the rest is counted."""
MOST_LISTED: ContextVar[int] = ContextVar("MOST_LISTED", default=LISTED_PROBLEMS)
"""The same while more are needed, as where comments ignore those of single rows."""


@dataclass(frozen=True, slots=True)
class TrackReading:
    """What a file gave."""

    tracks: tuple[LabelledIntervals, ...]  # one per annotator; empty if a diagnostic is an error
    diagnostics: tuple[Diagnostic, ...] = ()  # every problem found, by line
    # what could be read of tracks that are of no use, so that the rest of what is wrong with them can be said
    # too
    rejected: tuple[LabelledIntervals, ...] = ()


class Problems:
    """Diagnostics of one file while it is read: twenty of each code, then a count."""

    def __init__(self, file: str, limits: Mapping[str, int] | None = None) -> None:
        self.file = file
        self._limits = limits or {}
        self.has_errors: bool = False
        self._listed: list[Diagnostic] = []
        self._seen: dict[str, int] = {}
        self._last: dict[str, Diagnostic] = {}

    def room(self, code: str) -> int:
        """Return how many more problems of ``code`` will be listed."""
        return max(0, self._limit(code) - self._seen.get(code, 0))

    def _limit(self, code: str) -> int:
        return self._limits.get(code, MOST_LISTED.get())

    def add(self, diagnostic: Diagnostic) -> None:
        """Add a problem, once; it is listed, or only counted if there were many of its code."""
        if diagnostic in self._listed:
            return
        if self.room(diagnostic.code):
            self._listed.append(diagnostic)
        self._last[diagnostic.code] = diagnostic
        self.add_unlisted(diagnostic.code, 1)
        self.has_errors |= diagnostic.severity == "error"

    def report(
        self,
        code: str,
        message: str,
        place: Place | Callable[[], Place] | None = None,
        *,
        severity: Severity = "error",
        hint: str | None = None,
        count: int = 1,
    ) -> None:
        """Add a problem of the file, or of a place; a callable is asked only if it will be listed."""
        problem = Diagnostic(code, severity, message, hint=hint, count=count)
        if place is None:
            self.add(problem.at(file=self.file))
        elif isinstance(place, Place):
            self.add(place.diagnose(problem))
        else:
            self.add_at(problem, place)

    def report_each(
        self,
        code: str,
        rows: Sequence[int],
        message: Callable[[int], str],
        place: Callable[[int], Place],
        *,
        severity: Severity = "error",
        hint: str | None = None,
        count: int = 1,
    ) -> None:
        """Report a problem of each row, as far as the list of its code has room; count the others."""
        listed = rows[: self.room(code)]
        for row in listed:
            self.report(code, message(row), place(row), severity=severity, hint=hint, count=count)
        self.add_unlisted(code, len(rows) - len(listed))

    def add_at(self, problem: Diagnostic, place: Callable[[], Place]) -> None:
        """Add a problem whose place is looked up only if it will be listed."""
        if self.room(problem.code):
            self.add(place().diagnose(problem))
        else:
            self.add_unlisted(problem.code, 1)

    def add_unlisted(self, code: str, count: int) -> None:
        """Count problems of a code that has filled its list already."""
        self._seen[code] = self._seen.get(code, 0) + count

    def add_rest(self, count: int) -> None:
        """Count further problems, which were not diagnosed, under the most frequent code."""
        if count > 0:
            self.add_unlisted(max(self._seen, key=self._seen.__getitem__), count)

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Return all of them by line; those that were only counted come last, as "and 431 more"."""
        if not self._seen:
            return ()
        listed = sorted(self._listed, key=lambda problem: (problem.line or 0, problem.column or 0))
        rest = [
            Diagnostic(
                code,
                self._last[code].severity,
                f"and {seen - self._limit(code):,} more like these",
                file=self.file,
                count=seen - self._limit(code),
            )
            for code, seen in self._seen.items()
            if seen > self._limit(code)
        ]
        return (*listed, *rest)

    def raise_errors(self) -> None:
        """Raise what was reported, if an error was."""
        if self.has_errors:
            raise DataError(self.diagnostics())

    def reading(self, tracks: tuple[LabelledIntervals, ...]) -> TrackReading:
        """Return the tracks with the diagnostics, or no track if there was an error."""
        if self.has_errors:
            return TrackReading((), self.diagnostics(), tracks)
        return TrackReading(tracks, self.diagnostics())


def read_one(
    read: Callable[[str | os.PathLike[str], str, _Options], Reading[A]],
    path: object,
    annotator: str | None,
    options: _Options,
) -> A:
    """Read the annotation of one annotator, or the only one, from a file."""
    if not isinstance(path, str | os.PathLike):
        raise OptionError.of_type("path", path, "a path")
    file = os.fsdecode(path)
    reading = read(path, file, options)
    if not reading.annotations:
        raise DataError([problem for problem in reading.diagnostics if problem.severity == "error"])
    if annotator is None and len(reading.annotations) == 1:
        return reading.annotations[0][1]
    annotations = {
        name: annotation
        for name, (_, annotation) in zip(reading.annotators, reading.annotations, strict=True)
    }
    if annotator is None:
        known = ", ".join(map(printable, annotations))
        message = f"{len(annotations)} annotations in `{printable(file)}`"
        raise OptionError(message, f"choose an annotator: {known}")
    if annotator not in annotations:
        raise OptionError.unknown("annotator", annotator, annotations)
    return annotations[annotator]


def such_rows(count: int, what: str = "such rows") -> str:
    """Return what a message about the first of several rows, or of something else, adds."""
    return "" if count == 1 else f" ({count:,} {what})"


def report_exceeded(problems: Problems, message: str, line: int | None = None) -> None:
    """Report that a budget is exceeded."""
    problems.add(Diagnostic("KT106", "error", message, file=problems.file, line=line))


def within_row_limit(count: int, problems: Problems, limits: Limits) -> bool:
    """Check a number of rows."""
    if count > limits.rows:
        report_exceeded(problems, f"{count:,} rows: over the limit of {limits.rows:,}")
    return count <= limits.rows


def within_line_limits(text: str, problems: Problems, limits: Limits, *, headers: int = 0) -> bool:
    """Check the number of lines, of which some may be headers, and their length."""
    if text.count("\n") >= limits.rows - headers:  # the last line may have no end
        rows = (line.lstrip(" \t") for line in text.split("\n"))
        count = sum(1 for row in rows if row and not row.startswith(("#", "//", "\\")))
        count -= headers
        if not within_row_limit(count, problems, limits):
            return False
    if len(text) <= limits.line:
        return True
    lengths = list(map(len, text.split("\n")))
    longest = max(lengths)
    if longest > limits.line:
        message = f"line of {longest:,} characters: over the limit of {limits.line:,}"
        report_exceeded(problems, message, lengths.index(longest) + 1)
    return longest <= limits.line
