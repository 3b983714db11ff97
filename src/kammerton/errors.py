# SPDX-License-Identifier: MIT
"""Errors and diagnostics, and the words of messages.

Problems of *data* are collected as :class:`Diagnostic` values, as a compiler does;
problems of *use* (an unknown option, a file that cannot be written) are raised. Those of data and of
options are ``ValueError`` too::

    KammertonError
    ├── OptionError          a name, path or combination the caller chose is not possible (exit 2)
    ├── DataError            data handed to a function is unusable; carries its diagnostics (exit 3)
    │   └── LabelError       one label does not follow its grammar; carries the position
    ├── OutputError          a result could not be written (exit 5)
    └── TaskError            the task of another package failed (exit 4); ``__cause__`` has its exception
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Container, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Literal

Severity = Literal["error", "warning", "note"]

TOKEN_LIMIT = 40
"""Characters of a quoted token that a message shows."""


class KammertonError(Exception):
    """Root of every exception that Kammerton raises on purpose."""


_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")
_IN_PYTHON = {"protocol": "protocols", "measure": "measures", "cluster": "clusters"}
"""Keywords of Python calls that are not called like the option."""


def _in_python(hint: str) -> str:
    """Return a hint in which options of the command line are called as the keywords of Python calls are."""
    return _OPTION.sub(lambda option: _IN_PYTHON.get(option[1], option[1].replace("-", "_")), hint)


class OptionError(KammertonError, ValueError):
    """A choice of the caller is not possible.

    Its text is in the words of Python: options that the hint names are called as keywords are.

    Parameters
    ----------
    message : str
        What is wrong, in one line.
    hint : str, optional
        How to mend it.

    Examples
    --------
    >>> import kammerton
    >>> try:
    ...     kammerton.score("chord", [], [])
    ... except ValueError as error:
    ...     print(error)
    unknown task `chord`
      help: did you mean `chords`? known: chords, fingering, instruments
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message}\n  help: {_in_python(hint)}")
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[type[OptionError], tuple[object, ...]]:
        """Pickle and copy by message and hint."""
        return type(self), (self.message, self.hint)

    @classmethod
    def of_type(cls, kind: str, value: object, expected: str) -> OptionError:
        """Return the error that ``value`` has the wrong type for ``kind``."""
        return cls(f"{kind} must be {expected}, not {type(value).__name__}")

    @classmethod
    def unknown(cls, kind: str, name: object, known: Iterable[str]) -> OptionError:
        """Return the error that ``name`` is no ``kind``, with the nearest known names."""
        if not isinstance(name, str):
            return cls.of_type(kind, name, "a str")
        names = sorted(set(known))
        near = close_match(name, names)
        listed = ", ".join(names) or "none"
        hint = f"known: {listed}" if near is None else f"did you mean {quote(near)}? known: {listed}"
        return cls(f"unknown {kind} {quote(name)}", hint)

    @classmethod
    def of_import(cls, message: str, extra: str, error: ImportError) -> OptionError:
        """Return the error that packages of an extra are not installed, or cannot be imported."""
        if not isinstance(error, ModuleNotFoundError):
            message += f", which cannot be imported: {str(error).splitlines()[0]}"
        return cls(message, f"pip install 'kammerton[{extra}]'")


_LISTED = 10
"""Diagnostics that the text of an exception has."""


class DataError(KammertonError, ValueError):
    """Data cannot be used at all; ``diagnostics`` has the reasons and places.

    Its text has the first ten of them, and the last one, which has the outcome.

    Examples
    --------
    >>> import kammerton
    >>> try:
    ...     kammerton.chords.evaluate([(0, 1)], ["H"], [(0, 1)], ["C"])
    ... except DataError as error:
    ...     [diagnostic.code for diagnostic in error.diagnostics]
    ['KT310']
    """

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        lines = [line for diagnostic in diagnostics[:_LISTED] for line in diagnostic.lines()]
        if len(diagnostics) > _LISTED:
            between = len(diagnostics) - _LISTED - 1
            lines += [f"and {between:,} more, in `diagnostics`"] if between else []
            lines += diagnostics[-1].lines()
        super().__init__("\n".join(lines))
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)

    @classmethod
    def of(cls, code: str, message: str, file: str | None = None, hint: str | None = None) -> DataError:
        """Return the error of a single problem."""
        return DataError([Diagnostic(code, "error", message, file=file, hint=hint)])

    def __reduce__(self) -> tuple[type[DataError], tuple[object, ...]]:
        """Pickle and copy by what the exception was made from; its text alone would not do."""
        return type(self), (self.diagnostics,)


class LabelError(DataError):
    """One label does not follow its grammar.

    Attributes
    ----------
    diagnostic : Diagnostic
        Its ``column`` (1-based) and ``length`` lie within the label.

    Examples
    --------
    >>> import kammerton
    >>> try:
    ...     kammerton.chords.parse("C:mayor")
    ... except LabelError as error:
    ...     error.diagnostic.column
    3
    """

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__((diagnostic,))
        self.diagnostic = diagnostic

    def __reduce__(self) -> tuple[type[DataError], tuple[object, ...]]:
        """Pickle and copy by its diagnostic."""
        return type(self), (self.diagnostic,)


class OutputError(KammertonError):
    """A result could not be written; what stood there before still stands."""


class TaskError(KammertonError):
    """The task of another package raised an exception, which is the ``__cause__``."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem found in data.

    Parameters
    ----------
    code : str
        Stable code, ``KT`` and three digits; ``kammerton explain CODE`` has its page. Other packages have
        letters of their own.
    severity : {"error", "warning", "note"}
        *error*: the file or item is not used; *warning*: it was repaired and is used;
        *note*: nothing was changed.
    message : str
        One line, lower-case, readable alone. Tokens go through :func:`quote`.
    file : str, optional
        File name as given by the caller.
    line, column : int, optional
        1-based; columns count code points, a tab is one column.
    length : int
        Code points that the caret line underlines.
    excerpt : str, optional
        The line of the file, unescaped.
    hint : str, optional
        How to mend it.
    item, system : str, optional
        Item and system that the problem belongs to, where known.
    count : int
        How many occurrences this diagnostic stands for.

    Examples
    --------
    >>> print(Diagnostic("KT310", "error", "`H` is not a chord root", file="song.lab", line=3).concise())
    song.lab:3: KT310 `H` is not a chord root
    """

    code: str
    severity: Severity
    message: str
    _: KW_ONLY
    file: str | None = None
    line: int | None = None
    column: int | None = None
    length: int = 1
    excerpt: str | None = None
    hint: str | None = None
    item: str | None = None
    system: str | None = None
    count: int = 1

    def place(self) -> str:
        """Return ``file:line:column`` as far as known, printable."""
        parts = [printable(self.file)] if self.file is not None else []
        parts += [str(number) for number in (self.line, self.column) if number is not None]
        return ":".join(parts)

    def concise(self) -> str:
        """Return the one-line form ``file:line:column: CODE message``."""
        place = self.place()
        return f"{place}: {self.code} {self.message}" if place else f"{self.code} {self.message}"

    def lines(self) -> tuple[str, ...]:
        """Return the one-line form, and the hint below it if there is one, in the words of Python."""
        if self.hint is None:
            return (self.concise(),)
        return (self.concise(), f"  help: {_in_python(self.hint)}")

    def to_dict(self) -> dict[str, str | int | None]:
        """Return what JSON documents hold: everything but the excerpt."""
        names = ("severity", "code", "file", "line", "column", "message", "hint", "item", "system", "count")
        return {name: getattr(self, name) for name in names}

    def at(self, **changes: object) -> Diagnostic:
        """Return a copy with some fields changed."""
        return replace(self, **changes)  # type: ignore[arg-type]


_SCREEN = 25
"""Lines of a result that is printed unasked."""


def cut_lines(text: str, rest: str) -> str:
    r"""Return as many lines as stand in a screen, the last one of which says where the rest is.

    Examples
    --------
    >>> cut_lines("a\n" * 30, "`to_dict()` has everything").splitlines()[-1]
    '6 more lines: `to_dict()` has everything'
    """
    lines = text.splitlines()
    if len(lines) <= _SCREEN:
        return text
    return "\n".join([*lines[: _SCREEN - 1], f"{len(lines) - _SCREEN + 1:,} more lines: {rest}"])


def outcome_text(head: str, diagnostics: Iterable[Diagnostic]) -> str:
    """Return what was done, and below it the problems, as a result is printed."""
    lines = [head, *(problem.concise() for problem in diagnostics)]
    return cut_lines("\n".join(lines), "`diagnostics` has them")


def merge_repeated(diagnostics: Iterable[Diagnostic], codes: Container[str]) -> list[Diagnostic]:
    """Merge diagnostics of some codes with equal messages into the first of them, with their count."""
    merged: dict[object, Diagnostic] = {}
    for number, diagnostic in enumerate(diagnostics):
        key = (
            (diagnostic.code, diagnostic.severity, diagnostic.message) if diagnostic.code in codes else number
        )
        first = merged.get(key)
        merged[key] = diagnostic if first is None else first.at(count=first.count + diagnostic.count)
    return list(merged.values())


def printable(text: str) -> str:
    r"""Escape what a terminal would obey or hide: ``\x1b``, ``\u202e``, ``\n``.

    >>> printable("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(character if _is_harmless(character) else _escaped(character) for character in text)


def _is_harmless(character: str) -> bool:
    return character.isprintable() and unicodedata.category(character) not in ("Cf", "Zl", "Zp", "Cs")


def _escaped(character: str) -> str:
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def clip(text: str, limit: int = TOKEN_LIMIT) -> str:
    """Shorten ``text`` to ``limit`` characters, the last one an ellipsis."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def quote(token: str) -> str:
    r"""Return a token as messages show it: clipped, printable, in backquotes.

    >>> print(quote("E\x07min"))
    `E\x07min`
    """
    return f"`{printable(clip(token))}`"


def plural(count: int, noun: str) -> str:
    """Return a number with its noun, which takes an ``s``.

    >>> plural(1, "file"), plural(1204, "file")
    ('1 file', '1,204 files')
    """
    return f"{count:,} {inflected(count, noun, f'{noun}s')}"


def out_of(part: int, whole: int, noun: str) -> str:
    """Return a part of a whole, which is counted in nouns that take an ``s``.

    >>> out_of(1, 1204, "file")
    '1 of 1,204 files'
    """
    return f"{part:,} of {plural(whole, noun)}"


def some(names: Sequence[str], most: int = 3) -> str:
    """Return the first of several names, and how many more there are.

    >>> some(["a", "b", "c", "d"], 2)
    '`a`, `b` and 2 more'
    """
    rest = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(map(quote, names[:most])) + rest


def inflected(count: int, one: str, many: str) -> str:
    """Return the form of a word that goes with a number.

    >>> inflected(1, "has", "have"), inflected(0, "has", "have")
    ('has', 'have')
    """
    return one if count == 1 else many


def close_match(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """Return the known name nearest to ``name``, or None if none is near."""
    candidates = list(known)
    folded = {candidate.casefold(): candidate for candidate in candidates}
    if name.casefold() in folded:
        return folded[name.casefold()]
    near = difflib.get_close_matches(name, candidates, n=1, cutoff=cutoff)
    return near[0] if near else None
